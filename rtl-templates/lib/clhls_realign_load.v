// Unaligned loads from an aligned unit: an access takes its parts from one or two neighbouring windows of WINDOW bytes.
// latency 5 plus the unit's, 6 with more than 4 parts in a window, II 1, for an access that needs two new windows 2.
// REUSE=1: the youngest even and the youngest odd window serve later accesses until `flush`, so accesses that follow one another
// ask for at most one window each when they lie no more than WINDOW bytes apart.  A window of which no part is read is never asked
// for.  Each question to the unit is an access.
`default_nettype none

module clhls_realign_load #(
  parameter ADDR_BITS   = 64,        // byte address bits, 13..64
  parameter DEVICE_BITS = 64,        // address bits that the device's memory needs, 13..ADDR_BITS; the others are ignored
  parameter BYTES       = 64,        // bytes of an access, a power of two, 2..1024
  parameter WINDOW      = BYTES,     // bytes of a window, a power of two, BYTES..1024
  parameter PARTS       = 16,        // equal parts of an access, a power of two, 2..BYTES; addresses are multiples of BYTES / PARTS
  parameter REUSE       = 1,         // 0: a store of the launch may touch the object, every access asks anew
  parameter DEPTH       = 128,       // accesses in flight; one that needs two new windows counts twice
  parameter SITE        = 0,         // number of the access in the manifest (simulation); the unit behind gets that of no access
  parameter TARGET      = "generic"  // RAM primitive: "generic" or "ecp5"
) (
  input  wire                 clk,
  input  wire                 rst,       // synchronous, active high
  input  wire                 flush,     // forget the windows; REUSE=1: pulse before each launch
  input  wire                 s_valid,
  output wire                 s_ready,   // register
  input  wire [ADDR_BITS-1:0] s_addr,
  input  wire [PARTS-1:0]     s_pred,    // parts to read; the others give 0; all 0: no access
  output wire                 m_valid,
  input  wire                 m_ready,
  output wire [8*BYTES-1:0]   m_data,    // register
  // the unit
  output wire                 u_valid,
  input  wire                 u_ready,
  output wire [ADDR_BITS-1:0] u_addr,    // a multiple of WINDOW
  input  wire                 u_answer_valid,
  output wire                 u_answer_ready,
  input  wire [8*WINDOW-1:0]  u_answer
);

  initial begin
    if (BYTES < 2 || BYTES > 1024 || (BYTES & (BYTES - 1)) != 0 || PARTS < 2 || PARTS > BYTES || (PARTS & (PARTS - 1)) != 0) begin
      $display("clhls_realign_load: BYTES and PARTS must be powers of two, BYTES 2..1024, PARTS 2..BYTES");
      $finish;
    end
    if (WINDOW < BYTES || WINDOW > 1024 || (WINDOW & (WINDOW - 1)) != 0) begin
      $display("clhls_realign_load: WINDOW must be a power of two, BYTES..1024");
      $finish;
    end
    if (ADDR_BITS < 13 || ADDR_BITS > 64 || DEVICE_BITS < 13 || DEPTH < 1) begin
      $display("clhls_realign_load: ADDR_BITS must be 13..64, DEVICE_BITS at least 13, DEPTH at least 1");
      $finish;
    end
  end

  localparam PLACES = PARTS * (WINDOW / BYTES);  // parts of a window
  localparam SIZE = $clog2(WINDOW);
  localparam OFF  = $clog2(PLACES);           // bits of the part with which an access begins in its first window
  localparam PB   = 8 * BYTES / PARTS;        // bits of a part
  localparam PAIR = ADDR_BITS - SIZE - 1;     // bits of the number of an even window and the odd one after it
  localparam FINE = (PLACES > 4) ? (OFF + 1) / 2 : 0;  // offset bits of the second rotation, 0: there is none
  localparam STEP = OFF - FINE;               // offset bits of the first
  localparam REACH = PARTS + (1 << FINE) - 1;
  localparam NEED = (REACH < PLACES) ? REACH : PLACES;  // parts that the first rotation leaves for the second
  localparam [PLACES-1:0] ALL = {PLACES{1'b1}};
  // Constant zeros: the registers behind them go away in synthesis.
  localparam [PAIR-1:0] DEVICE = {PAIR{1'b1}} >> (DEVICE_BITS < ADDR_BITS ? ADDR_BITS - DEVICE_BITS : 0);

  // ---- requests: skid, then the access's even and odd window ----
  // An access that begins in an even window takes its pair; one that begins in an odd window takes the even one of the next pair.
  wire             k_valid;
  wire             k_ready;
  wire [PAIR-1:0]  k_pair;
  wire             k_odd;   // it begins in the odd window
  wire [OFF-1:0]   k_off;
  wire [PARTS-1:0] k_pred;

  clhls_skid #(
    .WIDTH(PAIR + 1 + OFF + PARTS)
  ) u_request (
    .clk(clk), .rst(rst),
    .s_valid(s_valid), .s_ready(s_ready), .s_data({s_addr[ADDR_BITS-1 -: PAIR] & DEVICE, s_addr[SIZE -: OFF+1], s_pred}),
    .m_valid(k_valid), .m_ready(k_ready), .m_data({k_pair, k_odd, k_off, k_pred})
  );

  generate
    if (SIZE > OFF) begin : g_low
      wire unused = &{1'b0, s_addr[SIZE-OFF-1:0]};
    end
  endgenerate

  wire [PLACES-1:0] k_reach = ALL >> k_off;
  wire [PARTS-1:0] k_low    = k_reach[PARTS-1:0];  // parts in the first window
  wire             k_first  = |(k_pred & k_low);
  wire             k_second = |(k_pred & ~k_low);

  reg             p1_valid_q;
  reg [PAIR-1:0]  p1_even_q;      // pair of the even window
  reg [PAIR-1:0]  p1_pair_q;      // pair of the odd window
  reg             p1_odd_q;
  reg [OFF-1:0]   p1_off_q;
  reg [PARTS-1:0] p1_pred_q;
  reg             p1_use_even_q;  // some part of the even window is read
  reg             p1_use_odd_q;
  wire            p2_free;

  assign k_ready = ~p1_valid_q | p2_free;

  always @(posedge clk) begin
    if (k_ready) begin
      p1_even_q     <= (k_pair + {{(PAIR-1){1'b0}}, k_odd}) & DEVICE;
      p1_pair_q     <= k_pair;
      p1_odd_q      <= k_odd;
      p1_off_q      <= k_off;
      p1_pred_q     <= k_pred;
      p1_use_even_q <= k_odd ? k_second : k_first;
      p1_use_odd_q  <= k_odd ? k_first : k_second;
    end
  end

  // ---- which of them are new ----
  // Answers come in order: a window that was only asked for is as good as one that came.
  reg            have_even_q;  // last_even_q may serve the next access
  reg            have_odd_q;
  reg [PAIR-1:0] last_even_q;  // pair of the youngest even window asked for
  reg [PAIR-1:0] last_odd_q;

  wire keep_even = (REUSE != 0) & have_even_q & (p1_even_q == last_even_q);
  wire keep_odd  = (REUSE != 0) & have_odd_q & (p1_pair_q == last_odd_q);
  wire p1_go     = p1_valid_q & p2_free;

  reg flush_q;
  always @(posedge clk) flush_q <= flush;

  reg             p2_valid_q;
  reg             p2_new_even_q;  // still to be asked for; decided here, so that a flush cannot change what is offered
  reg             p2_new_odd_q;
  reg [PAIR-1:0]  p2_even_q;
  reg [PAIR-1:0]  p2_pair_q;
  reg             p2_odd_q;
  reg [OFF-1:0]   p2_off_q;
  reg [PARTS-1:0] p2_pred_q;

  wire pend_ready;
  wire ask     = p2_new_even_q | p2_new_odd_q;
  wire last    = ~(p2_new_even_q & p2_new_odd_q);
  wire ask_odd = p2_new_odd_q & (p2_odd_q | ~p2_new_even_q);  // the lower address first: bursts grow upwards
  wire can_go  = ~ask | u_ready;
  wire go      = p2_valid_q & pend_ready & can_go;

  assign p2_free = ~p2_valid_q | (go & last);
  assign u_valid = p2_valid_q & ask & pend_ready;
  assign u_addr  = {ask_odd ? p2_pair_q : p2_even_q, ask_odd, {SIZE{1'b0}}};

  always @(posedge clk) begin
    if (rst) begin
      p1_valid_q  <= 1'b0;
      p2_valid_q  <= 1'b0;
      have_even_q <= 1'b0;
      have_odd_q  <= 1'b0;
    end else begin
      if (k_ready) p1_valid_q <= k_valid;
      if (p2_free) p2_valid_q <= p1_valid_q;
      have_even_q <= ~flush_q & (have_even_q | (p1_go & p1_use_even_q));
      have_odd_q  <= ~flush_q & (have_odd_q | (p1_go & p1_use_odd_q));
    end
  end

  always @(posedge clk) begin
    if (p1_go & p1_use_even_q) last_even_q <= p1_even_q;
    if (p1_go & p1_use_odd_q) last_odd_q <= p1_pair_q;
    if (p2_free) begin
      p2_even_q     <= p1_even_q;
      p2_pair_q     <= p1_pair_q;
      p2_odd_q      <= p1_odd_q;
      p2_off_q      <= p1_off_q;
      p2_pred_q     <= p1_pred_q;
      p2_new_even_q <= p1_use_even_q & ~keep_even;
      p2_new_odd_q  <= p1_use_odd_q & ~keep_odd;
    end else if (go) begin
      if (ask_odd) p2_new_odd_q <= 1'b0;
      else p2_new_even_q <= 1'b0;
    end
  end

  // ---- what the answer side needs to know: one word for each question, and for each access without one ----
  // So no question waits for a second one: the unit may have a single place.
  wire             h_valid;
  wire             h_ready;
  wire             h_last;    // the access is complete
  wire             h_new;     // a window comes
  wire             h_to_odd;  // it is an odd one
  wire             h_odd;
  wire [OFF-1:0]   h_off;
  wire [PARTS-1:0] h_pred;

  clhls_fifo #(
    .WIDTH(4 + OFF + PARTS), .DEPTH(DEPTH), .TARGET(TARGET)
  ) u_pending (
    .clk(clk), .rst(rst),
    .s_valid(p2_valid_q & can_go), .s_ready(pend_ready), .s_data({last, ask, ask_odd, p2_odd_q, p2_off_q, p2_pred_q}),
    .m_valid(h_valid), .m_ready(h_ready), .m_data({h_last, h_new, h_to_odd, h_odd, h_off, h_pred})
  );

  // ---- answers: the two windows, then rotation to the right by the offset ----
  localparam [OFF-1:0] FINE_BITS = (1 << FINE) - 1;

  reg                r1_valid_q;
  reg [8*WINDOW-1:0] even_q;
  reg [8*WINDOW-1:0] odd_q;
  reg [OFF-1:0]      r1_off_q;
  reg [NEED-1:0]     r1_from_odd_q;  // parts, as the first rotation leaves them, that come from the odd window
  reg [PARTS-1:0]    r1_pred_q;
  wire               r1_next;        // the stage after it is free
  wire               r1_free = ~r1_valid_q | r1_next;

  // The first window gives the parts that no rotation carries round.
  wire [PLACES-1:0] h_low = (ALL >> (h_off & ~FINE_BITS)) & (ALL << (h_off & FINE_BITS));

  assign h_ready        = r1_free & (~h_new | u_answer_valid);
  assign u_answer_ready = r1_free & h_valid & h_new;

  always @(posedge clk) begin
    if (rst) r1_valid_q <= 1'b0;
    else r1_valid_q <= (h_valid & h_ready & h_last) | (r1_valid_q & ~r1_next);
  end

  always @(posedge clk) begin
    if (r1_free) begin
      r1_off_q      <= h_off;
      r1_from_odd_q <= h_low[NEED-1:0] ^ {NEED{~h_odd}};
      r1_pred_q     <= h_pred;
    end
    if (u_answer_ready & u_answer_valid & ~h_to_odd) even_q <= u_answer;
    if (u_answer_ready & u_answer_valid & h_to_odd) odd_q <= u_answer;
  end

  wire [NEED*PB-1:0] r1_data;
  genvar i;
  genvar c;
  generate
    for (i = 0; i < NEED; i = i + 1) begin : g_first
      wire [(PB<<STEP)-1:0] even;  // what each offset brings here
      wire [(PB<<STEP)-1:0] odd;
      for (c = 0; c < (1 << STEP); c = c + 1) begin : g_choice
        assign even[c*PB +: PB] = even_q[((i + (c << FINE)) % PLACES)*PB +: PB];
        assign odd[c*PB +: PB]  = odd_q[((i + (c << FINE)) % PLACES)*PB +: PB];
      end
      assign r1_data[i*PB +: PB] = r1_from_odd_q[i] ? odd[r1_off_q[OFF-1:FINE]*PB +: PB] : even[r1_off_q[OFF-1:FINE]*PB +: PB];
    end
  endgenerate

  wire               out_valid;
  wire               out_ready;
  wire [8*BYTES-1:0] out_data;
  wire [PARTS-1:0]   out_pred;

  generate
    if (FINE > 0) begin : g_two_steps
      reg               r2_valid_q;
      reg [FINE-1:0]    r2_off_q;
      reg [PARTS-1:0]   r2_pred_q;
      reg [NEED*PB-1:0] r2_data_q;

      assign r1_next   = ~r2_valid_q | out_ready;
      assign out_valid = r2_valid_q;
      assign out_pred  = r2_pred_q;

      always @(posedge clk) begin
        if (rst) r2_valid_q <= 1'b0;
        else if (r1_next) r2_valid_q <= r1_valid_q;
      end

      always @(posedge clk) begin
        if (r1_next) begin
          r2_off_q  <= r1_off_q[FINE-1:0];
          r2_pred_q <= r1_pred_q;
          r2_data_q <= r1_data;
        end
      end

      for (i = 0; i < PARTS; i = i + 1) begin : g_second
        wire [(PB<<FINE)-1:0] near;
        for (c = 0; c < (1 << FINE); c = c + 1) begin : g_choice
          assign near[c*PB +: PB] = r2_data_q[((i + c) % PLACES)*PB +: PB];
        end
        assign out_data[i*PB +: PB] = near[r2_off_q*PB +: PB];
      end
    end else begin : g_one_step
      assign r1_next   = out_ready;
      assign out_valid = r1_valid_q;
      assign out_pred  = r1_pred_q;
      assign out_data  = r1_data;
    end
  endgenerate

  wire [8*BYTES-1:0] out_mask;
  generate
    for (i = 0; i < PARTS; i = i + 1) begin : g_part
      assign out_mask[i*PB +: PB] = {PB{out_pred[i]}};
    end
  endgenerate

  clhls_skid #(
    .WIDTH(8 * BYTES)
  ) u_response (
    .clk(clk), .rst(rst),
    .s_valid(out_valid), .s_ready(out_ready), .s_data(out_data & out_mask),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

`ifdef CLHLS_CHECK_ACCESS
  clhls_access_probe #(
    .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .PARTS(PARTS), .IS_WRITE(0), .SITE(SITE)
  ) u_probe (
    .clk(clk), .access(s_pred & {PARTS{s_valid & s_ready & ~rst}}), .addr(s_addr)
  );
`endif

  wire unused = &{1'b0, have_even_q, have_odd_q, k_reach, h_low, SITE != 0};

endmodule

`default_nettype wire
