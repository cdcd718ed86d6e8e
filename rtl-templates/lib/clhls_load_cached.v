// Caching global load unit: in-order, direct mapped, for objects that no store of the launch touches.
// latency 10 plus memory, II 1 as long as the beats of the missing lines come in time.  Tags are looked up when a request comes,
// lines enter the cache when their request's turn to be answered comes, so memory latency costs no rate: H. Igehy,
// M. Eldridge, K. Proudfoot, "Prefetching in a Texture Cache Architecture" (1998).
`default_nettype none

module clhls_load_cached #(
  parameter ADDR_BITS   = 64,         // byte address bits, 13..64
  parameter DEVICE_BITS = 64,         // address bits that the device's memory needs, 13..ADDR_BITS; the others are ignored
  parameter BYTES       = 4,          // bytes of an access, a power of two <= LINE_BYTES; addresses are multiples of it
  parameter BUS_BYTES   = 64,         // bytes of a bus line, a power of two, 4..128
  parameter LINE_BYTES  = 64,         // bytes of a line of the cache, a power of two, BUS_BYTES..256 * BUS_BYTES, <= 4096
  parameter LINES       = 64,         // lines of the cache, a power of two, >= 4
  parameter DEPTH       = 128,        // requests in flight, 16 if less; credits leave seven of them unused
  parameter DEPTH_BEATS = 128,        // words (BYTES or BUS_BYTES, the larger) in flight or buffered, at least those of a line; those of 16 lines if less, credits leave seven lines unused
  parameter PARTS       = 1,          // equal parts of an access that happen or not; divides BYTES
  parameter SITE        = 0,          // number of the access in the manifest (simulation)
  parameter TARGET      = "generic",  // RAM primitive: "generic" or "ecp5"
  parameter LINE_BITS   = ADDR_BITS - $clog2(BUS_BYTES)  // derived: do not set
) (
  input  wire                   clk,
  input  wire                   rst,       // synchronous, active high; the cache is empty LINES cycles behind it
  input  wire                   flush,     // pulse before each launch: forget all lines, takes LINES cycles
  input  wire                   s_valid,
  output wire                   s_ready,   // register
  input  wire [ADDR_BITS-1:0]   s_addr,
  input  wire [PARTS-1:0]       s_pred,    // parts to read; the others give 0; all 0: no access
  output wire                   m_valid,
  input  wire                   m_ready,
  output wire [8*BYTES-1:0]     m_data,    // register
  output wire                   ar_valid,
  input  wire                   ar_ready,
  output wire [LINE_BITS-1:0]   ar_line,   // in units of BUS_BYTES, a multiple of a line of the cache
  output wire [7:0]             ar_len,    // beats - 1, constant
  input  wire                   r_valid,   // always accepted: space was reserved
  input  wire [8*BUS_BYTES-1:0] r_data
);

  localparam WORD_BYTES = (BYTES > BUS_BYTES) ? BYTES : BUS_BYTES;  // of the cache's RAM

  initial begin
    if (BYTES > LINE_BYTES || BUS_BYTES < 4 || BUS_BYTES > 128 || (BYTES & (BYTES - 1)) != 0 || (BUS_BYTES & (BUS_BYTES - 1)) != 0) begin
      $display("clhls_load_cached: BYTES and BUS_BYTES must be powers of two, BYTES <= LINE_BYTES, BUS_BYTES 4..128");
      $finish;
    end
    if (LINE_BYTES < BUS_BYTES || LINE_BYTES > 256 * BUS_BYTES || LINE_BYTES > 4096 || (LINE_BYTES & (LINE_BYTES - 1)) != 0
        || LINES < 4 || (LINES & (LINES - 1)) != 0) begin
      $display("clhls_load_cached: LINE_BYTES and LINES must be powers of two, a line 1 to 256 beats and at most 4096 bytes, LINES >= 4");
      $finish;
    end
    if (ADDR_BITS < 13 || ADDR_BITS > 64 || DEVICE_BITS < 13 || DEPTH < 1 || DEPTH_BEATS * WORD_BYTES < LINE_BYTES) begin
      $display("clhls_load_cached: ADDR_BITS must be 13..64, DEVICE_BITS at least 13, DEPTH at least 1, DEPTH_BEATS a line");
      $finish;
    end
  end

  localparam LOW   = $clog2(BYTES);
  localparam LANES = WORD_BYTES / BYTES;
  localparam OFF   = (LANES > 1) ? $clog2(LANES) : 1;     // bits of the lane number, at least 1
  localparam WL    = ADDR_BITS - $clog2(WORD_BYTES);      // bits of a word's number
  localparam BEATS = LINE_BYTES / WORD_BYTES;             // words of a line of the cache
  localparam BB    = (BEATS > 1) ? $clog2(BEATS) : 0;     // bits of a word's number in its line
  localparam BW    = (BEATS > 1) ? BB : 1;                // at least 1
  localparam IB    = $clog2(LINES);                       // bits of a set's number
  localparam CB    = WL - BB;                             // bits of a cache line's number
  localparam UB    = CB - ((DEVICE_BITS < ADDR_BITS) ? ADDR_BITS - DEVICE_BITS : 0);  // those that may be set
  localparam TB    = (UB > IB) ? UB - IB : 1;             // bits of a tag
  localparam TAG   = (CB > IB) ? IB : CB - 1;             // its lowest bit
  localparam WORDS = LINES * BEATS;
  localparam FULL_WORDS = BEATS - 1;
  localparam FULL_BURST = LINE_BYTES / BUS_BYTES - 1;

  // ---- requests: skid ----
  wire                 k_valid;
  wire                 k_ready;
  wire [PARTS-1:0]     k_pred;
  // Constant zeros: the registers behind them go away in synthesis.
  wire [WL-1:0]        s_line = s_addr[ADDR_BITS-1 -: WL] & ({WL{1'b1}} >> (DEVICE_BITS < ADDR_BITS ? ADDR_BITS - DEVICE_BITS : 0));
  wire [WL-1:0]        k_line;
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
    .WIDTH(PARTS + WL + OFF)
  ) u_request (
    .clk(clk), .rst(rst),
    .s_valid(s_valid), .s_ready(s_ready), .s_data({s_pred, s_line, s_off}),
    .m_valid(k_valid), .m_ready(k_ready), .m_data({k_pred, k_line, k_off})
  );

  // The set is a sum without carries of the line's low bits and those above: rows of a power of two bytes fall into different sets.
  wire [CB-1:0] k_cline = k_line[WL-1:BB];
  wire [TB-1:0] k_tag   = k_cline[TAG +: TB];
  wire [IB-1:0] k_set;
  wire [BW-1:0] k_beat;

  genvar i;
  generate
    for (i = 0; i < IB; i = i + 1) begin : g_set
      if (i + IB < CB) begin : g_fold
        assign k_set[i] = k_cline[i] ^ k_cline[i+IB];
      end else begin : g_top
        assign k_set[i] = k_cline[i];
      end
    end
    if (BEATS > 1) begin : g_beat
      assign k_beat = k_line[BB-1:0];
    end else begin : g_one_beat
      assign k_beat = 1'b0;
    end
  endgenerate

  // ---- tags: three stages that never stop ----
  // A request leaves the skid when there are places for whatever it may need, counted by credits that are heard six cycles late.
  // A request writes its tag when it enters, whether it hits or not, and reads the one before: so what hits is known without
  // looking at the requests ahead of it.
  reg             sweep_q;  // tags are being cleared
  reg  [IB-1:0]   swept_q;
  reg             p1_valid_q, p2_valid_q, p3_valid_q;
  reg [PARTS-1:0] p1_pred_q, p2_pred_q, p3_pred_q;
  reg [CB-1:0]    p1_line_q, p2_line_q, p3_line_q;
  reg [IB-1:0]    p1_set_q, p2_set_q, p3_set_q;
  reg [BW-1:0]    p1_beat_q, p2_beat_q, p3_beat_q;
  reg [OFF-1:0]   p1_off_q, p2_off_q, p3_off_q;
  reg             p3_need_q;  // a line is to be fetched
  reg             room_q;     // a request may leave

  wire fetch  = p3_valid_q & p3_need_q;
  wire enters = k_valid & k_ready;
  assign k_ready = room_q & ~sweep_q;

  wire          known;      // the set has a line
  wire [TB-1:0] known_tag;

  clhls_ram #(
    .WIDTH(TB + 1), .DEPTH(LINES), .TARGET(TARGET)
  ) u_tags (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen(sweep_q | (enters & (|k_pred))), .waddr(sweep_q ? swept_q : k_set), .wdata({~sweep_q, k_tag}),
    .ren(1'b1), .raddr(k_set), .rdata({known, known_tag})
  );

  always @(posedge clk) begin
    if (rst | flush) begin
      sweep_q <= 1'b1;
      swept_q <= {IB{1'b0}};
    end else if (sweep_q) begin
      sweep_q <= ~&swept_q;
      swept_q <= swept_q + 1'b1;
    end
    if (rst) begin
      p1_valid_q <= 1'b0;
      p2_valid_q <= 1'b0;
      p3_valid_q <= 1'b0;
    end else begin
      p1_valid_q <= enters;
      p2_valid_q <= p1_valid_q;
      p3_valid_q <= p2_valid_q;
    end
  end

  always @(posedge clk) begin
    {p1_pred_q, p1_line_q, p1_set_q, p1_beat_q, p1_off_q} <= {k_pred, k_cline, k_set, k_beat, k_off};
    {p2_pred_q, p2_line_q, p2_set_q, p2_beat_q, p2_off_q} <= {p1_pred_q, p1_line_q, p1_set_q, p1_beat_q, p1_off_q};
    {p3_pred_q, p3_line_q, p3_set_q, p3_beat_q, p3_off_q} <= {p2_pred_q, p2_line_q, p2_set_q, p2_beat_q, p2_off_q};
    p3_need_q <= (|p2_pred_q) & ~(known & known_tag == p2_line_q[TAG +: TB]);
  end

  // ---- fetches ----
  wire [CB-1:0] ar_cline;
  localparam FETCHES = 16;  // that wait: as many words as LUT RAM has on any family for the price of two
  wire fetch_room;
  wire fetch_ready_unused;
  clhls_credits #(
    .PLACES(FETCHES), .SPARE(3)
  ) u_fetches_free (
    .clk(clk), .rst(rst), .taken(fetch), .freed(ar_valid & ar_ready), .room(fetch_room)
  );
  clhls_fifo #(
    .WIDTH(CB), .DEPTH(FETCHES), .PROMPT(1), .OWNED(1), .TARGET(TARGET)
  ) u_fetch (
    .clk(clk), .rst(rst),
    .s_valid(fetch), .s_ready(fetch_ready_unused), .s_data(p3_line_q),
    .m_valid(ar_valid), .m_ready(ar_ready), .m_data(ar_cline)
  );
  generate
    if (LINE_BITS > CB) begin : g_line
      assign ar_line = {ar_cline, {(LINE_BITS-CB){1'b0}}};
    end else begin : g_bus_line
      assign ar_line = ar_cline;
    end
  endgenerate
  assign ar_len = FULL_BURST[7:0];

  // ---- what the response side needs to know of each request ----
  wire             h_valid;
  wire             h_ready;
  wire [PARTS-1:0] h_pred;
  wire             h_new;   // its line comes from memory
  wire [IB-1:0]    h_set;
  wire [BW-1:0]    h_beat;
  wire [OFF-1:0]   h_off;

  localparam HELD = (DEPTH < 16) ? 16 : DEPTH;
  wire pend_room;
  wire pend_ready_unused;
  clhls_credits #(
    .PLACES(HELD), .SPARE(3)
  ) u_pending_free (
    .clk(clk), .rst(rst), .taken(p3_valid_q), .freed(h_valid & h_ready), .room(pend_room)
  );
  clhls_fifo #(
    .WIDTH(1 + PARTS + IB + BW + OFF), .DEPTH(HELD), .OWNED(1), .TARGET(TARGET)
  ) u_pending (
    .clk(clk), .rst(rst),
    .s_valid(p3_valid_q), .s_ready(pend_ready_unused), .s_data({p3_pred_q, p3_need_q, p3_set_q, p3_beat_q, p3_off_q}),
    .m_valid(h_valid), .m_ready(h_ready), .m_data({h_pred, h_new, h_set, h_beat, h_off})
  );

  // ---- words that come in ----
  localparam WORDS_IN = (DEPTH_BEATS < 16 * BEATS) ? 16 * BEATS : DEPTH_BEATS;  // in flight or buffered
  wire beats_room;

  wire                    w_valid;
  wire [8*WORD_BYTES-1:0] w_data;
  wire                    d_valid;
  wire                    d_ready;
  wire [8*WORD_BYTES-1:0] d_data;
  wire                    beat_ready_unused;
  wire                    filled;  // the last word of a line leaves the FIFO

  generate
    if (WORD_BYTES > BUS_BYTES) begin : g_join
      localparam JOIN = WORD_BYTES / BUS_BYTES;
      reg [JOIN-1:0]         turn_q;  // one-hot: the beat that comes next
      reg [8*WORD_BYTES-1:0] joined_q;
      reg                    whole_q;
      always @(posedge clk) begin
        if (rst) begin
          turn_q  <= {{(JOIN-1){1'b0}}, 1'b1};
          whole_q <= 1'b0;
        end else begin
          if (r_valid) turn_q <= {turn_q[JOIN-2:0], turn_q[JOIN-1]};
          whole_q <= r_valid & turn_q[JOIN-1];
        end
        if (r_valid) joined_q <= {r_data, joined_q[8*WORD_BYTES-1:8*BUS_BYTES]};
      end
      assign w_valid = whole_q;
      assign w_data  = joined_q;
    end else begin : g_beat_is_word
      assign w_valid = r_valid;
      assign w_data  = r_data;
    end
  endgenerate

  clhls_credits #(
    .PLACES(WORDS_IN / BEATS), .SPARE(3)
  ) u_lines_free (
    .clk(clk), .rst(rst), .taken(fetch), .freed(filled), .room(beats_room)
  );
  always @(posedge clk) room_q <= ~rst & fetch_room & pend_room & beats_room;

  clhls_fifo #(
    .WIDTH(8 * WORD_BYTES), .DEPTH(WORDS_IN), .OWNED(1), .TARGET(TARGET)
  ) u_beats (
    .clk(clk), .rst(rst),
    .s_valid(w_valid), .s_ready(beat_ready_unused), .s_data(w_data),
    .m_valid(d_valid), .m_ready(d_ready), .m_data(d_data)
  );

  // ---- responses ----
  // The oldest request's line begins to enter the cache as soon as the line before is in.  A request is served by the word that
  // comes in or, when its word is in the cache, from there; so requests go on while the rest of a line is still coming.
  reg                   active_q;   // some but not all words of a line are in the cache
  reg                   begun_q;    // words of the oldest request's line have come in
  reg [IB-1:0]          fill_set_q; // set of the last line that came in
  wire [BW-1:0]         fill;       // number of the next word
  reg                   r1_valid_q, r2_valid_q;
  reg                   r1_now_q, r2_now_q;    // served by the word that came in
  reg [PARTS-1:0]       r1_pred_q, r2_pred_q;
  reg [OFF-1:0]         r1_off_q, r2_off_q;
  reg [8*WORD_BYTES-1:0] r1_beat_q, r2_beat_q;
  wire                  answer_room;  // register: what is served now has a place when it comes out

  wire last     = fill == FULL_WORDS[BW-1:0];
  wire begins   = h_valid & h_new & ~begun_q & ~active_q;
  wire same_set = fill_set_q == h_set;
  wire arrives  = d_ready & (fill == h_beat) & (active_q ? same_set & (~h_new | begun_q) : 1'b1);
  wire present  = (~h_new | begun_q) & ~(active_q & same_set & ~(h_beat < fill));
  wire [IB-1:0] fill_set = active_q ? fill_set_q : h_set;

  assign h_ready = answer_room & (arrives | present);
  assign d_ready = d_valid & (active_q | begins);
  assign filled  = d_ready & last;

  always @(posedge clk) begin
    if (rst) begin
      active_q <= 1'b0;
      begun_q  <= 1'b0;
    end else begin
      if (d_ready) active_q <= ~last;
      begun_q <= (begun_q | (begins & d_ready)) & ~(h_valid & h_ready);
    end
    if (d_ready) fill_set_q <= fill_set;
  end

  generate
    if (BEATS > 1) begin : g_fill
      reg [BW-1:0] fill_q;
      always @(posedge clk) begin
        if (rst) fill_q <= {BW{1'b0}};
        else if (d_ready) fill_q <= fill_q + 1'b1;
      end
      assign fill = fill_q;
    end else begin : g_fill_one
      assign fill = 1'b0;
    end
  endgenerate

  wire [8*WORD_BYTES-1:0]   cached;
  wire [$clog2(WORDS)-1:0] fill_word;
  wire [$clog2(WORDS)-1:0] read_word;
  generate
    if (BEATS > 1) begin : g_words
      assign fill_word = {fill_set, fill};
      assign read_word = {h_set, h_beat};
    end else begin : g_lines
      assign fill_word = fill_set;
      assign read_word = h_set;
    end
  endgenerate

  clhls_ram #(
    .WIDTH(8 * WORD_BYTES), .DEPTH(WORDS), .COLLIDES(0), .TARGET(TARGET)
  ) u_lines (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen(d_ready), .waddr(fill_word), .wdata(d_data),
    .ren(1'b1), .raddr(read_word), .rdata(cached)
  );

  always @(posedge clk) begin
    if (rst) begin
      r1_valid_q <= 1'b0;
      r2_valid_q <= 1'b0;
    end else begin
      r1_valid_q <= h_valid & h_ready;
      r2_valid_q <= r1_valid_q;
    end
  end

  always @(posedge clk) begin
    {r1_now_q, r1_pred_q, r1_off_q, r1_beat_q} <= {arrives, h_pred, h_off, d_data};
    {r2_now_q, r2_pred_q, r2_off_q, r2_beat_q} <= {r1_now_q, r1_pred_q, r1_off_q, r1_beat_q};
  end

  wire [8*WORD_BYTES-1:0] word = r2_now_q ? r2_beat_q : cached;
  wire [8*BYTES-1:0]     lane;
  generate
    if (LANES > 1) begin : g_select
      assign lane = word[r2_off_q*8*BYTES +: 8*BYTES];
    end else begin : g_whole
      assign lane = word;
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
    .clk(clk), .rst(rst), .taken(h_valid & h_ready), .freed(m_valid & m_ready), .room(answer_room)
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

  // What the report of a profiled launch says of the cache: lookups that found their line asked for (0) and that asked for it (1),
  // cycles in which the oldest request waited for its line (2) and in which a request was not taken (3).
`ifdef CLHLS_PROFILE
  import "DPI-C" function void clhls_count_cache(input int site, input int what);
  always @(posedge clk) begin
    if (~rst & p3_valid_q & (|p3_pred_q)) clhls_count_cache(SITE, {31'b0, p3_need_q});
    if (~rst & h_valid & ~h_ready & answer_room) clhls_count_cache(SITE, 2);
    if (~rst & s_valid & ~s_ready) clhls_count_cache(SITE, 3);
  end
`endif

  wire unused = &{1'b0, fetch_ready_unused, pend_ready_unused, beat_ready_unused, answer_ready_unused, SITE != 0};

endmodule

`default_nettype wire
