// Coalescing global load unit: in-order, consecutive requests to one bus line share a beat, consecutive lines form bursts.
// latency 11 plus waiting time plus memory, II 1 (one request and one response a cycle, also when each needs its own beat).
// READ_ONLY=0: a request shares a beat only while its line is still open, that is before its AR is offered, so the load sees
// every store acknowledged before the request was accepted.  READ_ONLY=1: the last fetched line is reused until `flush`.
`default_nettype none

module clhls_load #(
  parameter ADDR_BITS   = 64,         // byte address bits, 13..64
  parameter DEVICE_BITS = 64,         // address bits that the device's memory needs, 13..ADDR_BITS; the others are ignored
  parameter BYTES       = 4,          // bytes of an access, a power of two <= BUS_BYTES; addresses are multiples of it
  parameter BUS_BYTES   = 64,         // bytes of a bus line, a power of two, 4..128
  parameter DEPTH       = 128,        // requests in flight, 8 if less; credits leave three of them unused
  parameter DEPTH_BEATS = 128,        // beats in flight or buffered, rounded up to a power of two, 8 or more; credits leave three unused
  parameter PARTS       = 1,          // equal parts of an access that happen or not; divides BYTES
  parameter READ_ONLY   = 0,          // 1: no store of the launch touches the object
  parameter LINE_WAIT   = 16,         // idle cycles after which an open line is fetched; also the most a burst waits to grow
  parameter MAX_BURST   = 16,         // beats, 1..256
  parameter SITE        = 0,          // number of the access in the manifest (simulation)
  parameter TARGET      = "generic",  // RAM primitive: "generic" or "ecp5"
  parameter LINE_BITS   = ADDR_BITS - $clog2(BUS_BYTES)  // derived: do not set
) (
  input  wire                   clk,
  input  wire                   rst,       // synchronous, active high
  input  wire                   flush,     // fetch the open line now and forget it; READ_ONLY=1: pulse before each launch
  input  wire                   s_valid,
  output wire                   s_ready,   // register
  input  wire [ADDR_BITS-1:0]   s_addr,
  input  wire [PARTS-1:0]       s_pred,    // parts to read; the others give 0; all 0: no access
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [8*BYTES-1:0]     m_data,    // register
  output wire                   ar_valid,
  input  wire                   ar_ready,
  output wire [LINE_BITS-1:0]   ar_line,
  output wire [7:0]             ar_len,    // beats - 1
  input  wire                   r_valid,   // always accepted: space was reserved
  input  wire [8*BUS_BYTES-1:0] r_data
);

  initial begin
    if (BYTES > BUS_BYTES || BUS_BYTES < 4 || BUS_BYTES > 128 || (BYTES & (BYTES - 1)) != 0 || (BUS_BYTES & (BUS_BYTES - 1)) != 0) begin
      $display("clhls_load: BYTES and BUS_BYTES must be powers of two, BYTES <= BUS_BYTES, BUS_BYTES 4..128");
      $finish;
    end
    if (ADDR_BITS < 13 || ADDR_BITS > 64 || DEVICE_BITS < 13 || DEPTH < 1 || DEPTH_BEATS < 1) begin
      $display("clhls_load: ADDR_BITS must be 13..64, DEVICE_BITS at least 13, DEPTH and DEPTH_BEATS at least 1");
      $finish;
    end
  end

  localparam LOW   = $clog2(BYTES);
  localparam LANES = BUS_BYTES / BYTES;
  localparam OFF   = (LANES > 1) ? $clog2(LANES) : 1;  // bits of the lane number, at least 1
  localparam PAGE  = 12 - $clog2(BUS_BYTES);           // line number bits inside a 4 KiB page
  localparam NOW   = BYTES == BUS_BYTES || LINE_WAIT == 0;  // an open line gains nothing by waiting

  // ---- requests: skid, then compare with the last line ----
  // A request leaves the skid when there are places for whatever it may need, and then stops nowhere: what it decides reaches no
  // enables.  Places are counted by credits, which are heard four cycles late.
  wire                 k_valid;
  wire                 k_ready;
  wire [PARTS-1:0]     k_pred;
  // Constant zeros: the registers behind them go away in synthesis.
  wire [LINE_BITS-1:0] s_line = s_addr[ADDR_BITS-1 -: LINE_BITS]
                                & ({LINE_BITS{1'b1}} >> (DEVICE_BITS < ADDR_BITS ? ADDR_BITS - DEVICE_BITS : 0));
  wire [LINE_BITS-1:0] k_line;
  wire [OFF-1:0]       k_off;
  wire [OFF-1:0]       s_off;

  generate
    if (LANES > 1) begin : g_lanes
      assign s_off = s_addr[LOW +: OFF];
    end else begin : g_one_lane
      assign s_off = 1'b0;
    end
    if (LOW > 0) begin : g_low
      wire unused = &{1'b0, s_addr[LOW-1:0]};
    end
  endgenerate

  clhls_skid #(
    .WIDTH(PARTS + LINE_BITS + OFF)
  ) u_request (
    .clk(clk), .rst(rst),
    .s_valid(s_valid), .s_ready(s_ready), .s_data({s_pred, s_line, s_off}),
    .m_valid(k_valid), .m_ready(k_ready), .m_data({k_pred, k_line, k_off})
  );

  reg                 room_q;       // a request may leave
  reg                 p1_valid_q;
  reg [PARTS-1:0]     p1_pred_q;
  reg                 p1_any_q;     // some part is read
  reg [OFF-1:0]       p1_off_q;
  wire                p1_same;      // same line as the predicated request before
  wire                p1_next;      // the line after it, in the same page
  wire [LINE_BITS-1:0] last_line;   // line of the youngest predicated request, p1's if it is one
  wire                k_go = k_valid & room_q;

  clhls_line_compare #(
    .LINE_BITS(LINE_BITS), .PAGE_BITS(PAGE), .USED_BITS(DEVICE_BITS - $clog2(BUS_BYTES))
  ) u_compare (
    .clk(clk), .enter(k_go & |k_pred), .line(k_line), .last(last_line), .same(p1_same), .next(p1_next)
  );

  // ---- the open line ----
  reg                 open_q;       // its beat is reserved, its address not yet given to the burst unit
  reg [LINE_BITS-1:0] open_line_q;
  reg                 open_next_q;  // it follows the line before
  reg                 kept_q;       // READ_ONLY: the last line may be reused
  wire                late;         // the open line has waited long enough

  reg  flush_q;
  always @(posedge clk) flush_q <= flush;

  wire share    = p1_same & ((READ_ONLY != 0) ? kept_q : open_q);
  wire open_now = p1_valid_q & p1_any_q & ~share;
  wire close    = open_q & (open_now | NOW | late | flush_q);

  assign k_ready = room_q;

  always @(posedge clk) begin
    if (rst) begin
      p1_valid_q <= 1'b0;
      open_q     <= 1'b0;
      kept_q     <= 1'b0;
    end else begin
      p1_valid_q <= k_go;
      open_q     <= open_now | (open_q & ~close);
      kept_q     <= open_now | (kept_q & ~flush_q);
    end
  end

  always @(posedge clk) begin
    p1_pred_q <= k_pred;
    p1_any_q  <= |k_pred;
    p1_off_q  <= k_off;
    if (open_now) begin
      open_line_q <= last_line;
      open_next_q <= p1_next;
    end
  end

  generate
    if (NOW) begin : g_no_wait
      assign late = 1'b0;
    end else begin : g_wait
      localparam TW   = $clog2(LINE_WAIT + 1);
      localparam LAST = LINE_WAIT - 1;
      reg [TW-1:0] idle_q;  // cycles without progress while a line is open
      reg          late_q;
      assign late = late_q;
      always @(posedge clk) begin
        if (rst | p1_valid_q | ~open_q) begin
          idle_q <= {TW{1'b0}};
          late_q <= 1'b0;
        end else if (~late_q) begin
          idle_q <= idle_q + 1'b1;
          late_q <= idle_q == LAST[TW-1:0];
        end
      end
    end
  endgenerate

  // Between the open line and the burst unit, which takes every line.
  reg                  l_valid_q;
  reg                  l_next_q;
  reg                  l_due_q;
  reg  [LINE_BITS-1:0] l_line_q;
  wire                 line_room;
  always @(posedge clk) begin
    l_valid_q <= ~rst & close;
    {l_due_q, l_next_q, l_line_q} <= {late, open_next_q, open_line_q};
  end

  wire start_unused;
  wire [((MAX_BURST > 1) ? $clog2(MAX_BURST) : 1)-1:0] start_len_unused;
  wire busy_unused;
  clhls_burst #(
    .LINE_BITS(LINE_BITS), .MAX_BURST(MAX_BURST), .WAIT(LINE_WAIT)
  ) u_burst (
    .clk(clk), .rst(rst),
    .s_valid(l_valid_q), .s_line(l_line_q), .s_next(l_next_q), .s_due(l_due_q), .hurry(flush_q),
    .room(line_room), .start(start_unused), .start_len(start_len_unused), .busy(busy_unused),
    .m_valid(ar_valid), .m_ready(ar_ready), .m_line(ar_line), .m_len(ar_len)
  );

  // ---- what the response side needs to know of each request ----
  localparam HELD = (DEPTH < 8) ? 8 : DEPTH;
  wire             h_valid;
  wire             h_ready;
  wire [PARTS-1:0] h_pred;
  wire             h_new;   // first request of its beat
  wire [OFF-1:0]   h_off;
  wire             pend_room;
  wire             pend_ready_unused;

  clhls_credits #(
    .PLACES(HELD)
  ) u_pending_free (
    .clk(clk), .rst(rst), .taken(p1_valid_q), .freed(h_valid & h_ready), .room(pend_room)
  );
  clhls_fifo #(
    .WIDTH(1 + PARTS + OFF), .DEPTH(HELD), .OWNED(1), .TARGET(TARGET)
  ) u_pending (
    .clk(clk), .rst(rst),
    .s_valid(p1_valid_q), .s_ready(pend_ready_unused), .s_data({p1_pred_q, open_now, p1_off_q}),
    .m_valid(h_valid), .m_ready(h_ready), .m_data({h_pred, h_new, h_off})
  );

  // ---- beats: a ring of RAM, read when the first request of one is answered ----
  localparam AW    = $clog2((DEPTH_BEATS < 8) ? 8 : DEPTH_BEATS);
  localparam BEATS = 1 << AW;
  localparam [AW:0] ONE = 1;
  reg  [AW-1:0] wptr_q;
  reg  [AW-1:0] rptr_q;
  reg  [AW:0]   here_q;  // beats in the ring, and that of r1_new_q
  reg           some_q;  // there are beats in the ring
  reg           r1_new_q;  // a beat was used in the cycle before: known late, counted a cycle later
  wire          beat_room;
  wire          answer_room;
  wire          answered = h_valid & answer_room & (~h_new | some_q);
  wire          use_beat = answered & h_new;
  wire          one  = r1_new_q ? here_q[1:0] == 2'd2 : here_q[0];  // if there are not more
  wire          more = (|here_q[AW:2]) | (here_q[1] & (~r1_new_q | here_q[0]));
  wire [8*BUS_BYTES-1:0] beat;

  assign h_ready = answer_room & (~h_new | some_q);

  clhls_credits #(
    .PLACES(BEATS)
  ) u_beats_free (
    .clk(clk), .rst(rst), .taken(open_now), .freed(use_beat), .room(beat_room)
  );

  always @(posedge clk) begin
    if (rst) begin
      wptr_q <= {AW{1'b0}};
      rptr_q <= {AW{1'b0}};
      here_q <= {(AW+1){1'b0}};
      some_q <= 1'b0;
      room_q <= 1'b0;
    end else begin
      if (r_valid) wptr_q <= wptr_q + 1'b1;
      if (use_beat) rptr_q <= rptr_q + 1'b1;
      if (r_valid ^ r1_new_q) here_q <= here_q + ({(AW+1){r1_new_q}} | ONE);
      some_q <= r_valid | more | (one & ~use_beat);
      room_q <= line_room & pend_room & beat_room;
    end
  end

  reg             r1_valid_q, r2_valid_q;
  reg [PARTS-1:0] r1_pred_q, r2_pred_q;
  reg [OFF-1:0]   r1_off_q, r2_off_q;

  // The first stage reads all the time: nothing that is decided here reaches the RAM in the same cycle.
  clhls_ram #(
    .WIDTH(8 * BUS_BYTES), .DEPTH(BEATS), .COLLIDES(0), .TARGET(TARGET)
  ) u_beats (
    .clk(clk), .en(1'b1), .en_out(r1_new_q),
    .wen(r_valid), .waddr(wptr_q), .wdata(r_data),
    .ren(1'b1), .raddr(rptr_q), .rdata(beat)
  );

  // ---- responses: the beat stays at the RAM's output for those that share it; lane selection ----
  wire [8*BYTES-1:0] lane;

  always @(posedge clk) begin
    if (rst) begin
      r1_valid_q <= 1'b0;
      r2_valid_q <= 1'b0;
      r1_new_q   <= 1'b0;
    end else begin
      r1_valid_q <= answered;
      r2_valid_q <= r1_valid_q;
      r1_new_q   <= use_beat;
    end
  end

  always @(posedge clk) begin
    {r1_pred_q, r1_off_q} <= {h_pred, h_off};
    {r2_pred_q, r2_off_q} <= {r1_pred_q, r1_off_q};
  end

  generate
    if (LANES > 1) begin : g_select
      assign lane = beat[r2_off_q*8*BYTES +: 8*BYTES];
    end else begin : g_whole
      assign lane = beat;
      wire unused = &{1'b0, r2_off_q};
    end
  endgenerate

  wire [8*BYTES-1:0] lane_mask;
  genvar p;
  generate
    for (p = 0; p < PARTS; p = p + 1) begin : g_part
      assign lane_mask[p*(8*BYTES/PARTS) +: 8*BYTES/PARTS] = {(8*BYTES/PARTS){r2_pred_q[p]}};
    end
  endgenerate

  localparam ANSWERS = 16;
  wire answer_ready_unused;
  clhls_credits #(
    .PLACES(ANSWERS), .SPARE(1)
  ) u_answers_free (
    .clk(clk), .rst(rst), .taken(answered), .freed(m_valid & m_ready), .room(answer_room)
  );
  clhls_fifo #(
    .WIDTH(8 * BYTES), .DEPTH(ANSWERS), .PROMPT(1), .OWNED(1), .TARGET(TARGET)
  ) u_response (
    .clk(clk), .rst(rst),
    .s_valid(r2_valid_q), .s_ready(answer_ready_unused), .s_data(lane & lane_mask),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

`ifdef CLHLS_CHECK_ACCESS
  clhls_access_probe #(
    .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .PARTS(PARTS), .IS_WRITE(0), .SITE(SITE)
  ) u_probe (
    .clk(clk), .access(s_pred & {PARTS{s_valid & s_ready & ~rst}}), .addr(s_addr)
  );
`endif

  wire unused = &{1'b0, start_unused, start_len_unused, busy_unused, pend_ready_unused, answer_ready_unused, kept_q,
                  SITE != 0};

endmodule

`default_nettype wire
