// Unaligned stores in front of an aligned unit: rotates the data, and collects the window of WINDOW bytes that an access ends in until
// the next one comes, so that accesses that follow one another are one whole window each.
// latency 5 in front of the unit, 6 with more than 4 parts, plus waiting time; II 1, for an access whose two windows are both new 2.
// ACK=1: an access is answered when the unit has answered for each window of it.
`default_nettype none

module clhls_realign_store #(
  parameter ADDR_BITS = 64,        // byte address bits, 13..64
  parameter DEVICE_BITS = 64,      // address bits that the device's memory needs, 13..ADDR_BITS; the others are ignored
  parameter BYTES     = 64,        // bytes of an access, a power of two, 2..1024
  parameter WINDOW    = BYTES,     // bytes of a window, a power of two, BYTES..1024
  parameter PARTS     = 16,        // equal parts of an access, a power of two, 2..BYTES; addresses are multiples of BYTES / PARTS
  parameter ACK       = 1,         // 1: one answer for each access, in order; 0: none
  parameter DEPTH     = 128,       // ACK=1: windows that the unit has not answered for
  parameter LINE_WAIT = 16,        // idle cycles after which the collected window goes to the unit
  parameter SITE      = 0,         // number of the access in the manifest (simulation)
  parameter TARGET    = "generic"  // RAM primitive: "generic" or "ecp5"
) (
  input  wire                 clk,
  input  wire                 rst,       // synchronous, active high
  input  wire                 flush,     // level: give the collected window to the unit now
  output wire                 idle,      // nothing is kept here
  input  wire                 s_valid,
  output wire                 s_ready,   // register
  input  wire [ADDR_BITS-1:0] s_addr,
  input  wire [8*BYTES-1:0]   s_data,
  input  wire [PARTS-1:0]     s_mask,    // parts to write; all 0: no access
  output wire                 m_valid,
  input  wire                 m_ready,
  // the unit
  output wire                 u_valid,   // register
  input  wire                 u_ready,
  output wire [ADDR_BITS-1:0] u_addr,    // a multiple of WINDOW
  output wire [8*WINDOW-1:0]  u_data,
  output wire [WINDOW-1:0]    u_strb,
  output wire                 u_pred,    // 0: only an answer is wanted
  input  wire                 u_answer_valid,
  output wire                 u_answer_ready
);

  initial begin
    if (BYTES < 2 || BYTES > 1024 || (BYTES & (BYTES - 1)) != 0 || PARTS < 2 || PARTS > BYTES || (PARTS & (PARTS - 1)) != 0) begin
      $display("clhls_realign_store: BYTES and PARTS must be powers of two, BYTES 2..1024, PARTS 2..BYTES");
      $finish;
    end
    if (WINDOW < BYTES || WINDOW > 1024 || (WINDOW & (WINDOW - 1)) != 0) begin
      $display("clhls_realign_store: WINDOW must be a power of two, BYTES..1024");
      $finish;
    end
    if (ADDR_BITS < 13 || ADDR_BITS > 64 || DEVICE_BITS < 13 || DEPTH < 1 || LINE_WAIT < 0) begin
      $display("clhls_realign_store: ADDR_BITS must be 13..64, DEVICE_BITS at least 13, DEPTH at least 1, LINE_WAIT at least 0");
      $finish;
    end
  end

  localparam PLACES = PARTS * (WINDOW / BYTES);  // parts of a window
  localparam SIZE = $clog2(WINDOW);
  localparam OFF  = $clog2(PLACES);           // bits of the part with which an access begins in its first window
  localparam PB   = 8 * BYTES / PARTS;        // bits of a part
  localparam WIN  = ADDR_BITS - SIZE;         // bits of a window number
  localparam TURN = $clog2(PARTS);            // bits of what the data is rotated by: copies of it stand side by side in a wider window
  localparam FINE = (PARTS > 4) ? (TURN + 1) / 2 : 0;  // offset bits of the second rotation, 0: there is none
  localparam STEP = TURN - FINE;              // offset bits of the first
  localparam CW   = 4;                        // bits of the number of accesses that end in a window

  // ---- requests: skid, then rotation to the left by the offset ----
  // Constant zeros: the registers behind them go away in synthesis.
  wire [WIN-1:0]     s_win = s_addr[ADDR_BITS-1 -: WIN] & ({WIN{1'b1}} >> (DEVICE_BITS < ADDR_BITS ? ADDR_BITS - DEVICE_BITS : 0));
  wire               k_valid;
  wire               k_ready;
  wire [WIN-1:0]     k_win;
  wire [OFF-1:0]     k_off;
  wire [PARTS-1:0]   k_mask;
  wire [8*BYTES-1:0] k_data;

  clhls_skid #(
    .WIDTH(WIN + OFF + PARTS + 8 * BYTES)
  ) u_request (
    .clk(clk), .rst(rst),
    .s_valid(s_valid), .s_ready(s_ready), .s_data({s_win, s_addr[SIZE-1 -: OFF], s_mask, s_data}),
    .m_valid(k_valid), .m_ready(k_ready), .m_data({k_win, k_off, k_mask, k_data})
  );

  genvar i;
  genvar c;
  generate
    if (SIZE > OFF) begin : g_low
      wire unused = &{1'b0, s_addr[SIZE-OFF-1:0]};
    end
  endgenerate

  wire [2*PLACES-1:0] k_place = {{(2*PLACES-PARTS){1'b0}}, k_mask} << k_off;  // parts of the first window and of the second
  wire [8*BYTES-1:0]  k_turned;
  generate
    for (i = 0; i < PARTS; i = i + 1) begin : g_first
      wire [(PB<<STEP)-1:0] from;  // what each offset brings here
      for (c = 0; c < (1 << STEP); c = c + 1) begin : g_choice
        assign from[c*PB +: PB] = k_data[((i + PARTS - (c << FINE)) % PARTS)*PB +: PB];
      end
      assign k_turned[i*PB +: PB] = from[k_off[TURN-1:FINE]*PB +: PB];
    end
  endgenerate

  // The stage in front of the collector: what is before does not see in the same cycle what the collector decides.
  wire               t_valid;
  wire               t_ready;
  wire [WIN-1:0]     t_win;
  wire [2*PLACES-1:0] t_place;
  wire [8*BYTES-1:0]  t_data;
  wire               e_valid;
  wire               e_ready;
  wire [WIN-1:0]     e_win;
  wire [2*PLACES-1:0] e_place;
  wire [8*BYTES-1:0]  e_data;
  clhls_skid #(
    .WIDTH(WIN + 2 * PLACES + 8 * BYTES)
  ) u_turned (
    .clk(clk), .rst(rst),
    .s_valid(t_valid), .s_ready(t_ready), .s_data({t_win, t_place, t_data}),
    .m_valid(e_valid), .m_ready(e_ready), .m_data({e_win, e_place, e_data})
  );

  generate
    if (FINE > 0) begin : g_two_steps
      reg               r1_valid_q;
      reg [WIN-1:0]     r1_win_q;
      reg [FINE-1:0]    r1_off_q;
      reg [2*PLACES-1:0] r1_place_q;
      reg [8*BYTES-1:0]  r1_data_q;

      assign k_ready = ~r1_valid_q | t_ready;
      assign t_valid = r1_valid_q;
      assign t_win   = r1_win_q;
      assign t_place = r1_place_q;

      always @(posedge clk) begin
        if (rst) r1_valid_q <= 1'b0;
        else if (k_ready) r1_valid_q <= k_valid;
      end
      always @(posedge clk) begin
        if (k_ready) begin
          r1_win_q   <= k_win;
          r1_off_q   <= k_off[FINE-1:0];
          r1_place_q <= k_place;
          r1_data_q  <= k_turned;
        end
      end

      for (i = 0; i < PARTS; i = i + 1) begin : g_second
        wire [(PB<<FINE)-1:0] from;
        for (c = 0; c < (1 << FINE); c = c + 1) begin : g_choice
          assign from[c*PB +: PB] = r1_data_q[((i + PARTS - c) % PARTS)*PB +: PB];
        end
        assign t_data[i*PB +: PB] = from[r1_off_q*PB +: PB];
      end
    end else begin : g_one_step
      assign k_ready = t_ready;
      assign t_valid = k_valid;
      assign t_win   = k_win;
      assign t_place = k_place;
      assign t_data  = k_turned;
    end
  endgenerate

  // ---- the access in front of the collector ----
  reg               p_valid_q;
  reg [WIN-1:0]     p_win_q;
  reg [WIN-1:0]     p_next_q;   // the window after it
  reg [PLACES-1:0]  p_low_q;    // parts of the first window
  reg [PLACES-1:0]  p_high_q;   // parts of the second
  reg               p_some_low_q;
  reg               p_some_high_q;
  reg               p_same_q;   // it begins in the window that the access before it ended in
  reg [8*BYTES-1:0] p_data_q;
  reg [WIN-1:0]     last_q;     // window that the youngest access ended in, p's if there is one
  wire              go;         // it leaves p

  wire [WIN-1:0] e_next      = e_win + 1'b1;
  wire           e_some_low  = |e_place[PLACES-1:0];
  wire           e_some_high = |e_place[2*PLACES-1:PLACES];

  assign e_ready = ~p_valid_q | go;

  always @(posedge clk) begin
    if (rst) p_valid_q <= 1'b0;
    else if (e_ready) p_valid_q <= e_valid;
  end
  always @(posedge clk) begin
    if (e_ready) begin
      p_win_q       <= e_win;
      p_next_q      <= e_next;
      p_low_q       <= e_place[PLACES-1:0];
      p_high_q      <= e_place[2*PLACES-1:PLACES];
      p_some_low_q  <= e_some_low;
      p_some_high_q <= e_some_high;
      p_same_q      <= e_win == last_q;
      p_data_q      <= e_data;
      if (e_valid & (e_some_low | e_some_high)) last_q <= e_some_high ? e_next : e_win;
    end
  end

  // ---- the collector ----
  reg               c_valid_q;
  reg [WIN-1:0]     c_win_q;
  reg [PLACES-1:0]   c_mask_q;
  reg [8*WINDOW-1:0] c_data_q;
  reg [CW-1:0]      c_ends_q;   // accesses that end in it
  reg               c_full_q;   // c_ends_q has no room for one more
  wire              late;

  wire out_ready;   // register: a window can go to the unit
  wire ends_ready;  // ACK=1: and the number of accesses that end with it be kept
  wire can_give = out_ready & ends_ready;

  wire empty  = p_valid_q & ~p_some_low_q & ~p_some_high_q;
  wire joins  = ~c_valid_q | p_same_q;                       // its first window is the collected one, or may be
  wire both   = p_some_low_q & p_some_high_q;
  wire counts = (ACK != 0) & c_valid_q & c_full_q;           // nothing more may end in the collected window
  reg  flush_q;
  always @(posedge clk) flush_q <= flush;

  reg give;    // a window goes to the unit, if it can
  reg give_p;  // with the parts of p
  reg leave;   // p leaves, if what is given can go
  reg keep;    // the collector is not empty afterwards, if so
  always @* begin
    give   = 1'b0;
    give_p = 1'b0;
    leave  = 1'b1;
    keep   = 1'b1;
    if (~p_valid_q) begin
      leave = 1'b0;
      give  = c_valid_q & (late | flush_q);
      keep  = c_valid_q & ~give;
    end else if (empty) begin
      // Its answer comes with that of the collected window, or with one of its own.
      give  = (ACK != 0) & (~c_valid_q | c_full_q);
      leave = ~counts;
      keep  = c_valid_q & ~counts;
    end else if (joins & p_some_high_q) begin
      give   = c_valid_q | p_some_low_q;
      give_p = 1'b1;
    end else if (joins) begin
      give  = counts;
      leave = ~counts;
      keep  = ~counts;
    end else begin
      give  = 1'b1;
      leave = ~both;
      keep  = ~both;
    end
  end

  wire act    = ~give | can_give;
  wire given  = give & can_give;
  wire into_high = p_some_high_q;  // of an access that leaves: the collector takes its second window, otherwise its first
  wire fresh  = ~c_valid_q | give;  // what was collected does not stay
  wire alone  = empty & ~c_valid_q;

  assign go = p_valid_q & leave & act;

  wire collects = go & ~empty;
  wire [PLACES-1:0] taken = into_high ? p_high_q : p_low_q;

  always @(posedge clk) begin
    if (rst) c_valid_q <= 1'b0;
    else if (act) c_valid_q <= keep;
  end
  always @(posedge clk) begin
    if (collects) begin
      c_win_q  <= into_high ? p_next_q : p_win_q;
      c_mask_q <= taken | (fresh ? {PLACES{1'b0}} : c_mask_q);
    end
    if (go) begin
      c_ends_q <= (fresh ? {CW{1'b0}} : c_ends_q) + 1'b1;
      c_full_q <= ~fresh & (c_ends_q == {{(CW-1){1'b1}}, 1'b0});
    end
  end

  wire [PLACES-1:0]   given_mask = (c_valid_q ? c_mask_q : {PLACES{1'b0}}) | (give_p ? p_low_q : {PLACES{1'b0}});
  wire [8*WINDOW-1:0] given_data;
  wire [PLACES-1:0]   out_mask;
  generate
    for (i = 0; i < PLACES; i = i + 1) begin : g_part
      always @(posedge clk) begin
        if (collects & taken[i]) c_data_q[i*PB +: PB] <= p_data_q[(i%PARTS)*PB +: PB];
      end
      assign given_data[i*PB +: PB] = (give_p & p_low_q[i]) ? p_data_q[(i%PARTS)*PB +: PB] : c_data_q[i*PB +: PB];
      assign u_strb[i*(BYTES/PARTS) +: BYTES/PARTS] = {(BYTES/PARTS){out_mask[i]}};
    end
  endgenerate

  generate
    if (LINE_WAIT == 0) begin : g_no_wait
      assign late = 1'b1;
    end else begin : g_wait
      localparam TW   = $clog2(LINE_WAIT + 1);
      localparam LAST = LINE_WAIT - 1;
      reg [TW-1:0] idle_q;  // cycles without an access while something is collected
      reg          late_q;
      assign late = late_q;
      always @(posedge clk) begin
        if (rst | p_valid_q | ~c_valid_q) begin
          idle_q <= {TW{1'b0}};
          late_q <= 1'b0;
        end else if (~late_q) begin
          idle_q <= idle_q + 1'b1;
          late_q <= idle_q == LAST[TW-1:0];
        end
      end
    end
  endgenerate

  wire [WIN-1:0] out_win;
  clhls_skid #(
    .WIDTH(1 + WIN + PLACES + 8 * WINDOW)
  ) u_out (
    .clk(clk), .rst(rst),
    .s_valid(given), .s_ready(out_ready), .s_data({~alone, give_p ? p_win_q : c_win_q, given_mask, given_data}),
    .m_valid(u_valid), .m_ready(u_ready), .m_data({u_pred, out_win, out_mask, u_data})
  );
  assign u_addr = {out_win, {SIZE{1'b0}}};

  assign idle = ~(k_valid | t_valid | e_valid | p_valid_q | c_valid_q | u_valid);

  // ---- answers: how many accesses end with each window ----
  generate
    if (ACK != 0) begin : g_ack
      localparam LW = 8;
      wire          h_valid;
      wire [CW-1:0] h_ends;
      reg  [LW-1:0] owed_q;  // answers that can be given
      wire          comes = u_answer_valid & u_answer_ready;
      // What has ended in the collected window; an access without parts and window ends by itself.
      wire [CW-1:0] ends  = alone ? {{(CW-1){1'b0}}, 1'b1} : (c_valid_q ? c_ends_q : {CW{1'b0}});

      clhls_fifo #(
        .WIDTH(CW), .DEPTH(DEPTH), .TARGET(TARGET)
      ) u_ends (
        .clk(clk), .rst(rst),
        .s_valid(give & out_ready), .s_ready(ends_ready), .s_data(ends),
        .m_valid(h_valid), .m_ready(comes), .m_data(h_ends)
      );

      assign u_answer_ready = h_valid & ~owed_q[LW-1];
      assign m_valid        = |owed_q;

      always @(posedge clk) begin
        if (rst) owed_q <= {LW{1'b0}};
        else owed_q <= owed_q + (comes ? {{(LW-CW){1'b0}}, h_ends} : {LW{1'b0}}) - {{(LW-1){1'b0}}, m_valid & m_ready};
      end
    end else begin : g_no_ack
      assign ends_ready     = 1'b1;
      assign u_answer_ready = 1'b1;
      assign m_valid        = 1'b0;
      wire unused = &{1'b0, m_ready, u_answer_valid, c_full_q, c_ends_q, TARGET != "", DEPTH != 0};
    end
  endgenerate

`ifdef CLHLS_CHECK_ACCESS
  clhls_access_probe #(
    .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .PARTS(PARTS), .IS_WRITE(1), .SITE(SITE)
  ) u_probe (
    .clk(clk), .access(s_mask & {PARTS{s_valid & s_ready & ~rst}}), .addr(s_addr)
  );
`endif

  wire unused = &{1'b0, SITE != 0};

endmodule

`default_nettype wire
