// Coalescing global load unit: in-order, consecutive requests to one bus line share a beat, consecutive lines form bursts.
// latency 10 plus waiting time plus memory, II 1 (one request and one response a cycle, also when each needs its own beat).
// READ_ONLY=0: a request shares a beat only while its line is still open, that is before its AR is offered, so the load sees
// every store acknowledged before the request was accepted.  READ_ONLY=1: the last fetched line is reused until `flush`.
`default_nettype none

module clhls_load #(
  parameter ADDR_BITS   = 64,         // byte address bits, 13..64
  parameter DEVICE_BITS = 64,         // address bits that the device's memory needs, 13..ADDR_BITS; the others are ignored
  parameter BYTES       = 4,          // bytes of an access, a power of two <= BUS_BYTES; addresses are multiples of it
  parameter BUS_BYTES   = 64,         // bytes of a bus line, a power of two, 4..128
  parameter DEPTH       = 128,        // requests in flight
  parameter DEPTH_BEATS = 128,        // beats in flight or buffered
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

  reg                 p1_valid_q;
  reg [PARTS-1:0]     p1_pred_q;
  reg                 p1_any_q;     // some part is read
  reg                 p1_same_q;    // same line as the predicated request before
  reg                 p1_next_q;    // the line after it, in the same page
  reg [OFF-1:0]       p1_off_q;
  reg [LINE_BITS-1:0] last_line_q;  // line of the youngest predicated request, p1's if it is one

  wire same_page = k_line[LINE_BITS-1:PAGE] == last_line_q[LINE_BITS-1:PAGE];
  reg  [PAGE:0] follower_q;  // the line after last_line_q in the page, carry above

  // ---- the open line ----
  reg                 open_q;       // its beat is reserved, its address not yet given to the burst unit
  reg [LINE_BITS-1:0] open_line_q;
  reg                 open_next_q;  // it follows the line before
  reg                 have_q;       // READ_ONLY: the last line may be reused
  wire                late;         // the open line has waited long enough
  reg                 credit_q;     // a beat can be reserved

  reg  flush_q;
  always @(posedge clk) flush_q <= flush;

  wire line_ready;  // register: the open line can go on to the burst unit
  wire pend_ready;
  wire share = p1_same_q & ((READ_ONLY != 0) ? have_q : open_q);
  wire need  = p1_valid_q & p1_any_q & ~share;
  wire ending     = NOW | late | flush_q;
  wire line_valid = open_q & (need | ending);
  wire close      = line_valid & line_ready;
  wire can_go     = ~need | (credit_q & (~open_q | line_ready));
  wire go         = p1_valid_q & pend_ready & can_go;
  wire open_now   = go & need;

  assign k_ready = ~p1_valid_q | go;

  always @(posedge clk) begin
    if (rst) begin
      p1_valid_q <= 1'b0;
      open_q     <= 1'b0;
      have_q     <= 1'b0;
    end else begin
      if (k_ready) p1_valid_q <= k_valid;
      open_q <= open_now | (open_q & ~close);
      have_q <= open_now | (have_q & ~flush_q);
    end
  end

  always @(posedge clk) begin
    if (k_ready) begin
      p1_pred_q <= k_pred;
      p1_any_q  <= |k_pred;
      p1_off_q  <= k_off;
      p1_same_q <= same_page & (k_line[PAGE-1:0] == last_line_q[PAGE-1:0]);
      p1_next_q <= same_page & ({1'b0, k_line[PAGE-1:0]} == follower_q);
      if (k_valid & |k_pred) begin
        last_line_q <= k_line;
        follower_q  <= {1'b0, k_line[PAGE-1:0]} + 1'b1;
      end
    end
    if (open_now) begin
      open_line_q <= last_line_q;
      open_next_q <= p1_next_q;
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
        if (rst | go | ~open_q) begin
          idle_q <= {TW{1'b0}};
          late_q <= 1'b0;
        end else if (~late_q) begin
          idle_q <= idle_q + 1'b1;
          late_q <= idle_q == LAST[TW-1:0];
        end
      end
    end
  endgenerate

  // A skid between the open line and the burst unit: what the one decides does not depend on the other in the same cycle.
  wire                 l_valid;
  wire                 l_ready;
  wire                 l_next;
  wire                 l_due;
  wire [LINE_BITS-1:0] l_line;
  clhls_skid #(
    .WIDTH(LINE_BITS + 2)
  ) u_line (
    .clk(clk), .rst(rst),
    .s_valid(line_valid), .s_ready(line_ready), .s_data({late, open_next_q, open_line_q}),
    .m_valid(l_valid), .m_ready(l_ready), .m_data({l_due, l_next, l_line})
  );

  wire start_unused;
  wire [7:0] start_len_unused;
  wire busy_unused;
  clhls_burst #(
    .LINE_BITS(LINE_BITS), .MAX_BURST(MAX_BURST), .WAIT(LINE_WAIT)
  ) u_burst (
    .clk(clk), .rst(rst),
    .s_valid(l_valid), .s_ready(l_ready), .s_line(l_line), .s_next(l_next), .s_due(l_due), .hurry(flush_q),
    .room(1'b1), .start(start_unused), .start_len(start_len_unused), .busy(busy_unused),
    .m_valid(ar_valid), .m_ready(ar_ready), .m_line(ar_line), .m_len(ar_len)
  );

  // ---- what the response side needs to know of each request ----
  wire           h_valid;
  wire           h_ready;
  wire [PARTS-1:0] h_pred;
  wire           h_new;   // first request of its beat
  wire [OFF-1:0] h_off;

  clhls_fifo #(
    .WIDTH(1 + PARTS + OFF), .DEPTH(DEPTH), .TARGET(TARGET)
  ) u_pending (
    .clk(clk), .rst(rst),
    .s_valid(p1_valid_q & can_go), .s_ready(pend_ready), .s_data({p1_pred_q, need, p1_off_q}),
    .m_valid(h_valid), .m_ready(h_ready), .m_data({h_pred, h_new, h_off})
  );

  // ---- beats ----
  localparam BW = $clog2(DEPTH_BEATS + 1);
  localparam [BW-1:0] NONE = 0;
  localparam [BW-1:0] ONE  = 1;
  reg [BW-1:0] beats_q;  // free places in the beat FIFO that nobody has reserved
  reg          freed_q;  // one more, known late: what frees it is long

  wire                   d_valid;
  wire                   d_ready;
  wire [8*BUS_BYTES-1:0] d_data;
  wire                   beat_ready_unused;

  always @(posedge clk) begin
    if (rst) begin
      beats_q  <= DEPTH_BEATS[BW-1:0];
      freed_q  <= 1'b0;
      credit_q <= 1'b1;
    end else begin
      freed_q <= d_ready & d_valid;
      if (open_now ^ freed_q) beats_q <= beats_q + ({BW{~freed_q}} | ONE);  // -1 or 1, by one adder in front of which nothing comes late
      credit_q <= freed_q | (beats_q != (open_now ? ONE : NONE));
    end
  end

  clhls_fifo #(
    .WIDTH(8 * BUS_BYTES), .DEPTH(DEPTH_BEATS), .OWNED(1), .TARGET(TARGET)
  ) u_beats (
    .clk(clk), .rst(rst),
    .s_valid(r_valid), .s_ready(beat_ready_unused), .s_data(r_data),
    .m_valid(d_valid), .m_ready(d_ready), .m_data(d_data)
  );

  // ---- responses: current beat, then lane selection ----
  reg                   r1_valid_q;
  reg [PARTS-1:0]       r1_pred_q;
  reg [OFF-1:0]         r1_off_q;
  reg [8*BUS_BYTES-1:0] beat_q;
  wire                  room;     // a register: what begins now has a place when it comes out
  wire [8*BYTES-1:0]    lane;

  // Nothing stops behind these two: they reach the FIFOs' RAMs, and more in front of them would be a long path.
  assign h_ready = room & (~h_new | d_valid);
  assign d_ready = room & h_valid & h_new;

  always @(posedge clk) begin
    if (rst) r1_valid_q <= 1'b0;
    else r1_valid_q <= h_valid & h_ready;
  end

  always @(posedge clk) begin
    r1_pred_q <= h_pred;
    r1_off_q  <= h_off;
    if (d_ready) beat_q <= d_data;
  end

  generate
    if (LANES > 1) begin : g_select
      assign lane = beat_q[r1_off_q*8*BYTES +: 8*BYTES];
    end else begin : g_whole
      assign lane = beat_q;
      wire unused = &{1'b0, r1_off_q};
    end
  endgenerate

  wire [8*BYTES-1:0] lane_mask;
  genvar p;
  generate
    for (p = 0; p < PARTS; p = p + 1) begin : g_part
      assign lane_mask[p*(8*BYTES/PARTS) +: 8*BYTES/PARTS] = {(8*BYTES/PARTS){r1_pred_q[p]}};
    end
  endgenerate

  // A word that begins comes out two cycles later: with two words waiting another one must begin.
  wire more_unused;
  clhls_fifo_lutram #(
    .WIDTH(8 * BYTES), .DEPTH(4), .EARLY(1)
  ) u_response (
    .clk(clk), .rst(rst),
    .s_valid(r1_valid_q), .s_ready(room), .s_data(lane & lane_mask),
    .m_valid(m_valid), .m_more(more_unused), .m_ready(m_ready), .m_data(m_data)
  );

`ifdef CLHLS_CHECK_ACCESS
  clhls_access_probe #(
    .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .PARTS(PARTS), .IS_WRITE(0), .SITE(SITE)
  ) u_probe (
    .clk(clk), .access(s_pred & {PARTS{s_valid & s_ready & ~rst}}), .addr(s_addr)
  );
`endif

  wire unused = &{1'b0, more_unused, start_unused, start_len_unused, busy_unused, beat_ready_unused, have_q, SITE != 0};

endmodule

`default_nettype wire
