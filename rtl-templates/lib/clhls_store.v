// Coalescing global store unit: in-order, consecutive requests to one bus line are combined, consecutive lines form bursts.
// latency: request to W beat about 8 cycles, 9 for ecp5, plus waiting time; II 1 (also one full beat a cycle when BYTES = BUS_BYTES).
// ACK=1: one response (no data) per request, in order, three cycles after the B response of its beat or later.
`default_nettype none

module clhls_store #(
  parameter ADDR_BITS   = 64,         // byte address bits, 13..64
  parameter DEVICE_BITS = 64,         // address bits that the device's memory needs, 13..ADDR_BITS; the others are ignored
  parameter BYTES       = 4,          // bytes of an access, a power of two <= BUS_BYTES; addresses are multiples of it
  parameter BUS_BYTES   = 64,         // bytes of a bus line, a power of two, 4..128
  parameter ACK         = 1,          // 1: responses; 0: none (m_valid stays 0)
  parameter PARTS       = 1,          // equal parts of an access that s_strb takes or leaves as a whole (simulation)
  parameter DEPTH       = 128,        // ACK=1: requests in flight, 8 if less; credits leave three of them unused
  parameter DEPTH_BEATS = 32,         // beats buffered before W, 8 if less; credits leave three unused; at least 2 * MAX_BURST for full rate
  parameter BURSTS      = 32,         // bursts without B response, 16 if less; credits leave seven of them unused
  parameter LINE_WAIT   = 16,         // idle cycles after which an open line is written; also the most a burst waits to grow
  parameter MAX_BURST   = 16,         // beats, 1..256
  parameter SITE        = 0,          // number of the access in the manifest (simulation)
  parameter TARGET      = "generic",  // RAM primitive: "generic" or "ecp5"
  parameter LINE_BITS   = ADDR_BITS - $clog2(BUS_BYTES)  // derived: do not set
) (
  input  wire                   clk,
  input  wire                   rst,       // synchronous, active high
  input  wire                   flush,     // level: write the open line and the burst now
  output wire                   idle,      // no request inside, nothing unacknowledged by memory
  input  wire                   s_valid,
  output wire                   s_ready,   // register
  input  wire [ADDR_BITS-1:0]   s_addr,
  input  wire [8*BYTES-1:0]     s_data,
  input  wire [BYTES-1:0]       s_strb,    // bytes to write
  input  wire                   s_pred,    // 0: no access
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire                   aw_valid,
  input  wire                   aw_ready,
  output wire [LINE_BITS-1:0]   aw_line,
  output wire [7:0]             aw_len,    // beats - 1
  output wire                   w_valid,
  input  wire                   w_ready,
  output wire [8*BUS_BYTES-1:0] w_data,
  output wire [BUS_BYTES-1:0]   w_strb,
  output wire                   w_last,
  input  wire                   b_valid    // one per burst, in order, always accepted
);

  initial begin
    if (BYTES > BUS_BYTES || BUS_BYTES < 4 || BUS_BYTES > 128 || (BYTES & (BYTES - 1)) != 0 || (BUS_BYTES & (BUS_BYTES - 1)) != 0) begin
      $display("clhls_store: BYTES and BUS_BYTES must be powers of two, BYTES <= BUS_BYTES, BUS_BYTES 4..128");
      $finish;
    end
    if (ADDR_BITS < 13 || ADDR_BITS > 64 || DEVICE_BITS < 13 || DEPTH < 1 || DEPTH_BEATS < 1 || BURSTS < 1) begin
      $display("clhls_store: ADDR_BITS must be 13..64, DEVICE_BITS at least 13, DEPTH, DEPTH_BEATS and BURSTS at least 1");
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
  wire                 k_pred;
  // Constant zeros: the registers behind them go away in synthesis.
  wire [LINE_BITS-1:0] s_line = s_addr[ADDR_BITS-1 -: LINE_BITS]
                                & ({LINE_BITS{1'b1}} >> (DEVICE_BITS < ADDR_BITS ? ADDR_BITS - DEVICE_BITS : 0));
  wire [LINE_BITS-1:0] k_line;
  wire [OFF-1:0]       k_off;
  wire [8*BYTES-1:0]   k_data;
  wire [BYTES-1:0]     k_strb;
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
    .WIDTH(1 + LINE_BITS + OFF + 9 * BYTES)
  ) u_request (
    .clk(clk), .rst(rst),
    .s_valid(s_valid), .s_ready(s_ready), .s_data({s_pred, s_line, s_off, s_strb, s_data}),
    .m_valid(k_valid), .m_ready(k_ready), .m_data({k_pred, k_line, k_off, k_strb, k_data})
  );

  // What p2 decides reaches the enables of all bytes of the line: p1 is there so that the comparison's parts are joined before.
  reg                  room_q;      // a request may leave, but for the beat that it may need
  wire                 beat_room;   // there is a place for that one: of the credits the last to be taken, so heard without another register
  reg                  p1_valid_q, p2_valid_q;
  reg                  p1_pred_q,  p2_pred_q;
  reg [OFF-1:0]        p1_off_q,   p2_off_q;
  reg [8*BYTES-1:0]    p1_data_q,  p2_data_q;
  reg [BYTES-1:0]      p1_strb_q,  p2_strb_q;
  wire                 p2_same;     // same line as the predicated request before
  wire                 p2_next;     // the line after it, in the same page
  wire [LINE_BITS-1:0] last_line;   // line of the youngest predicated request, p2's if it is one
  wire                 k_go = k_valid & room_q & beat_room;

  clhls_line_compare #(
    .LINE_BITS(LINE_BITS), .PAGE_BITS(PAGE), .JOINED(1), .USED_BITS(DEVICE_BITS - $clog2(BUS_BYTES))
  ) u_compare (
    .clk(clk), .enter(k_go & k_pred), .line(k_line), .last(last_line), .same(p2_same), .next(p2_next)
  );

  // ---- the open line ----
  reg                   open_q;
  reg [LINE_BITS-1:0]   open_line_q;
  reg                   open_next_q;  // it follows the line before
  reg [8*BUS_BYTES-1:0] open_data_q;
  reg [BUS_BYTES-1:0]   open_strb_q;
  wire                  late;         // it has waited long enough

  reg  flush_q;
  always @(posedge clk) flush_q <= flush;

  wire ending;       // register: no more requests join the open line
  wire write    = p2_valid_q & p2_pred_q;
  wire leaves   = write & (ending | ~p2_same);  // p2 does not go into the line that is open
  wire open_now = write & (ending | ~p2_same | ~open_q);
  wire close    = open_q & (leaves | ending);

  assign k_ready = room_q & beat_room;

  always @(posedge clk) begin
    if (rst) begin
      p1_valid_q <= 1'b0;
      p2_valid_q <= 1'b0;
      open_q     <= 1'b0;
    end else begin
      p1_valid_q <= k_go;
      p2_valid_q <= p1_valid_q;
      open_q     <= open_now | (open_q & ~close);
    end
  end

  always @(posedge clk) begin
    {p1_pred_q, p1_off_q, p1_strb_q, p1_data_q} <= {k_pred, k_off, k_strb, k_data};
    {p2_pred_q, p2_off_q, p2_strb_q, p2_data_q} <= {p1_pred_q, p1_off_q, p1_strb_q, p1_data_q};
    if (open_now) begin
      open_line_q <= last_line;
      open_next_q <= p2_next;
    end
  end

  genvar l;
  genvar k;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : g_lane
      wire here;  // p2 writes this lane
      if (LANES > 1) begin : g_match
        assign here = p2_off_q == l;
      end else begin : g_always
        assign here = 1'b1;
      end
      for (k = 0; k < BYTES; k = k + 1) begin : g_byte
        wire set = write & here & p2_strb_q[k];
        always @(posedge clk) begin
          if (set) open_data_q[8*(l*BYTES+k) +: 8] <= p2_data_q[8*k +: 8];
          if (open_now | set) open_strb_q[l*BYTES+k] <= set;
        end
      end
    end
    if (LANES == 1) begin : g_one
      wire unused = &{1'b0, p2_off_q};
    end
  endgenerate

  generate
    if (NOW) begin : g_no_wait
      assign late   = 1'b0;
      assign ending = 1'b1;
    end else begin : g_wait
      localparam TW   = $clog2(LINE_WAIT + 1);
      localparam LAST = LINE_WAIT - 1;
      reg [TW-1:0] idle_q;  // cycles without progress while a line is open
      reg          late_q;
      reg          ending_q;
      wire         late_d = ~p2_valid_q & open_q & (late_q | (idle_q == LAST[TW-1:0]));
      assign late   = late_q;
      assign ending = ending_q;
      always @(posedge clk) begin
        if (rst | p2_valid_q | ~open_q) idle_q <= {TW{1'b0}};
        else if (~late_q) idle_q <= idle_q + 1'b1;
        if (rst) begin
          late_q   <= 1'b0;
          ending_q <= 1'b0;
        end else begin
          late_q   <= late_d;
          ending_q <= late_d | flush_q | (open_q & ~close & (&open_strb_q));
        end
      end
    end
  endgenerate

  // ---- bursts: AW, the lengths for W and for B ----
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

  localparam SENT = (BURSTS < 16) ? 16 : BURSTS;
  wire       start;
  localparam LEN_BITS = (MAX_BURST > 1) ? $clog2(MAX_BURST) : 1;
  wire [LEN_BITS-1:0] start_len;
  wire       burst_busy;
  wire       burst_room;
  wire       blen_valid;
  wire [LEN_BITS-1:0] blen;

  clhls_credits #(
    .PLACES(SENT), .SPARE(3)
  ) u_bursts_free (
    .clk(clk), .rst(rst), .taken(start), .freed(b_valid), .room(burst_room)
  );
  clhls_burst #(
    .LINE_BITS(LINE_BITS), .MAX_BURST(MAX_BURST), .WAIT(LINE_WAIT)
  ) u_burst (
    .clk(clk), .rst(rst),
    .s_valid(l_valid_q), .s_line(l_line_q), .s_next(l_next_q), .s_due(l_due_q), .hurry(flush_q),
    .room(line_room), .start(start), .start_len(start_len), .busy(burst_busy),
    .m_valid(aw_valid), .m_ready(aw_ready), .m_line(aw_line), .m_len(aw_len)
  );

  wire       wlen_valid;
  wire [LEN_BITS-1:0] wlen;
  wire       queued_valid;
  wire       queued_ready;
  wire [LEN_BITS-1:0] queued;
  wire       wlen_ready_unused;
  wire       blen_ready_unused;
  wire       w_take = w_valid & w_ready;
  // The burst on its way: its length comes here from the FIFO, so that w_last is a register.
  reg        w_burst_q;
  reg  [LEN_BITS-1:0] w_left_q;
  reg        w_last_q;
  localparam [LEN_BITS-1:0] ONE = 1;
  wire       w_next = ~w_burst_q | (w_take & w_last_q);

  clhls_fifo #(
    .WIDTH(LEN_BITS), .DEPTH(SENT), .OWNED(1)
  ) u_wlen (
    .clk(clk), .rst(rst),
    .s_valid(start), .s_ready(wlen_ready_unused), .s_data(start_len),
    .m_valid(queued_valid), .m_ready(queued_ready), .m_data(queued)
  );
  // The port's handshake reaches this buffer, not the FIFO.
  clhls_skid #(
    .WIDTH(LEN_BITS)
  ) u_next_len (
    .clk(clk), .rst(rst),
    .s_valid(queued_valid), .s_ready(queued_ready), .s_data(queued),
    .m_valid(wlen_valid), .m_ready(w_next), .m_data(wlen)
  );

  // Memory acknowledges a burst when it likes: its length must stand there, and so must the fact that it is under way.
  clhls_fifo #(
    .WIDTH(LEN_BITS), .DEPTH(SENT), .PROMPT(1), .OWNED(1)
  ) u_blen (
    .clk(clk), .rst(rst),
    .s_valid(start), .s_ready(blen_ready_unused), .s_data(start_len),
    .m_valid(blen_valid), .m_ready(b_valid), .m_data(blen)
  );

  // ---- W: all beats of a burst are in the FIFO when it starts ----
  localparam BEATS = (DEPTH_BEATS < 8) ? 8 : DEPTH_BEATS;
  wire       beat_valid;
  wire       beat_ready_unused;

  clhls_credits #(
    .PLACES(BEATS)
  ) u_beats_free (
    .clk(clk), .rst(rst), .taken(open_now), .freed(w_take), .room(beat_room)
  );

  // On ECP5 the port's handshake, from far away, to the enables of this FIFO's RAMs was the longest path of several kernels.
  clhls_fifo #(
    .WIDTH(9 * BUS_BYTES), .DEPTH(BEATS), .LATE((TARGET == "ecp5") ? 1 : 0), .OWNED(1), .TARGET(TARGET)
  ) u_beats (
    .clk(clk), .rst(rst),
    .s_valid(close), .s_ready(beat_ready_unused), .s_data({open_strb_q, open_data_q}),
    .m_valid(beat_valid), .m_ready(w_take), .m_data({w_strb, w_data})
  );

  assign w_valid = beat_valid & w_burst_q;
  assign w_last  = w_last_q;

  always @(posedge clk) begin
    if (rst) w_burst_q <= 1'b0;
    else w_burst_q <= wlen_valid | ~w_next;
  end
  always @(posedge clk) begin
    if (w_next) begin
      w_left_q <= wlen;
      w_last_q <= wlen == {LEN_BITS{1'b0}};
    end else if (w_take) begin
      w_left_q <= w_left_q - 1'b1;
      w_last_q <= w_left_q == ONE;
    end
  end

  assign idle = ~(k_valid | p1_valid_q | p2_valid_q | open_q | l_valid_q | burst_busy | blen_valid);

  // ---- responses: a request that opened a line waits for that line's B ----
  wire pend_room;
  always @(posedge clk) room_q <= ~rst & line_room & burst_room & pend_room;

  generate
    if (ACK != 0) begin : g_ack
      localparam HELD = (DEPTH < 8) ? 8 : DEPTH;
      localparam CW = 9 + $clog2(HELD);  // holds the FIFO's capacity and a burst more
      wire          h_valid;
      wire          h_ready;
      wire          h_new;
      reg  [CW-1:0] lines_q;    // lines acknowledged by memory whose first request has not been answered, and those of used_q
      reg           used_q;     // a line was used in the cycle before: known late, counted a cycle later
      reg           have_q;     // there are lines
      reg           many_q;     // many answers have not been taken: no more for now; known a cycle late
      wire          answered = h_valid & h_ready;
      wire          use_line = answered & h_new;
      assign        h_ready = (~h_new | have_q) & ~many_q;
      reg           more_q;     // a burst was acknowledged in the cycle before
      reg  [CW-1:0] change_q;   // its beats - 1
      wire          one = used_q ? lines_q[1:0] == 2'd2 : lines_q[0];  // if there are not more
      wire          more_than_one = (|lines_q[CW-1:2]) | (lines_q[1] & (~used_q | lines_q[0]));

      wire          pend_ready_unused;
      clhls_credits #(
        .PLACES(HELD)
      ) u_pending_free (
        .clk(clk), .rst(rst), .taken(p1_valid_q), .freed(h_valid & h_ready), .room(pend_room)
      );
      clhls_fifo #(
        .WIDTH(1), .DEPTH(HELD), .OWNED(1), .TARGET(TARGET)
      ) u_pending (
        .clk(clk), .rst(rst),
        .s_valid(p2_valid_q), .s_ready(pend_ready_unused), .s_data(open_now),
        .m_valid(h_valid), .m_ready(h_ready), .m_data(h_new)
      );

      // Answers carry nothing: they wait as a number. Whoever takes them, together with answers of other units from all over the
      // chip, reaches two registers and nothing behind them.
      localparam AW = $clog2(HELD + 1) + 1;
      reg  [AW-1:0] answers_q;  // not taken yet, and that of the cycle before
      reg           some_q;
      // Counted a cycle later, when both are in registers: together with m_ready, some_q would be the gate in which these units meet, and
      // come back from there.
      reg           ready_q;    // m_ready in the cycle before
      reg           had_q;      // some_q in the cycle before
      wire          taken_q = ready_q & had_q;  // one was taken in the cycle before
      wire          one_answer = taken_q ? answers_q[1:0] == 2'd2 : answers_q[0];  // if there are not more
      wire          more_answers = (|answers_q[AW-1:2]) | (answers_q[1] & (~taken_q | answers_q[0]));

      assign m_valid = some_q;

      always @(posedge clk) begin
        if (rst) begin
          answers_q <= {AW{1'b0}};
          ready_q   <= 1'b0;
          had_q     <= 1'b0;
          some_q    <= 1'b0;
          many_q    <= 1'b0;
        end else begin
          answers_q <= answers_q + {{(AW-1){1'b0}}, answered} - {{(AW-1){1'b0}}, taken_q};
          ready_q   <= m_ready;
          had_q     <= some_q;
          some_q    <= answered | more_answers | (one_answer & ~m_ready);
          many_q    <= answers_q[AW-1];
        end
      end

      always @(posedge clk) begin
        if (rst) begin
          lines_q <= {CW{1'b0}};
          used_q  <= 1'b0;
          have_q  <= 1'b0;
          more_q  <= 1'b0;
        end else begin
          // one adder with carry: the burst's lines less one (or -1), and one unless a line was used
          lines_q <= lines_q + (more_q ? change_q : {CW{1'b1}}) + {{(CW-1){1'b0}}, ~used_q};
          used_q  <= use_line;
          have_q  <= more_q | more_than_one | (one & ~use_line);
          more_q  <= b_valid;
        end
      end
      always @(posedge clk) change_q <= {{(CW-LEN_BITS){1'b0}}, blen};
    end else begin : g_no_ack
      assign pend_room  = 1'b1;
      assign m_valid    = 1'b0;
      wire unused = &{1'b0, m_ready, blen};
    end
  endgenerate

`ifdef CLHLS_CHECK_ACCESS
  wire [PARTS-1:0] touched;
  genvar p;
  generate
    for (p = 0; p < PARTS; p = p + 1) begin : g_part
      assign touched[p] = s_strb[p*(BYTES/PARTS)];
    end
  endgenerate
  clhls_access_probe #(
    .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .PARTS(PARTS), .IS_WRITE(1), .SITE(SITE)
  ) u_probe (
    .clk(clk), .access(touched & {PARTS{s_valid & s_ready & s_pred & ~rst}}), .addr(s_addr)
  );
`endif

  wire unused = &{1'b0, wlen_ready_unused, blen_ready_unused, beat_ready_unused, SITE != 0, PARTS != 0};

endmodule

`default_nettype wire
