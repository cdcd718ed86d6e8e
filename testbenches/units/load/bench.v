// clhls_load, with +define+CACHED clhls_load_cached, against a memory with latency and random stalls: data, order, burst shape,
// reserved space, freshness, coalescing or hits, rate.
// Every lane the memory returns tells its address and the cycle in which its AR was accepted.
`default_nettype none
module bench;
  parameter ADDR_BITS   = 40;
  parameter DEVICE_BITS = 64;   // at least 32: no request has more
  parameter BYTES       = 4;
  parameter BUS_BYTES   = 64;
  parameter DEPTH       = 256;
  parameter DEPTH_BEATS = 192;
  parameter READ_ONLY   = 0;
  parameter PARTS       = 1;    // of at least 4 bytes when there are several
  parameter LINE_WAIT   = 16;
  parameter MAX_BURST   = 16;
  parameter LINE_BYTES  = 64;   // of the cache
  parameter LINES       = 64;   // of the cache
  parameter LATENCY     = 100;  // of the memory in the rate phases
  parameter RATES       = 1;    // 0: queues too short for full rate, skip the rate checks; 2: accesses wider than the bus, only hits reach it
  parameter TARGET      = "generic";
  `include "bench.vh"

  localparam SIZE = $clog2(BUS_BYTES);
  localparam PIECE = BYTES < BUS_BYTES ? BYTES : BUS_BYTES;  // of an access that is in one beat
  localparam LINE_BITS = ADDR_BITS - SIZE;

  reg                    flush = 0;
  reg                    s_valid = 0;
  wire                   s_ready;
  reg  [ADDR_BITS-1:0]   s_addr = 0;
  reg  [PARTS-1:0]       s_pred = 0;
  wire                   m_valid;
  reg                    m_ready = 0;
  wire [8*BYTES-1:0]     m_data;
  wire                   ar_valid;
  reg                    ar_ready = 0;
  wire [LINE_BITS-1:0]   ar_line;
  wire [7:0]             ar_len;
  reg                    r_valid = 0;
  reg  [8*BUS_BYTES-1:0] r_data;

`ifdef CACHED
  localparam ONCE = 1;
  localparam TAKES = 9 + UNIT;  // cycles of a lone request besides the memory's
  localparam UNIT = LINE_BYTES / BUS_BYTES;      // beats that are fetched together
  clhls_load_cached #(
    .ADDR_BITS(ADDR_BITS), .DEVICE_BITS(DEVICE_BITS), .BYTES(BYTES), .BUS_BYTES(BUS_BYTES), .DEPTH(DEPTH), .DEPTH_BEATS(DEPTH_BEATS), .PARTS(PARTS),
    .LINE_BYTES(LINE_BYTES), .LINES(LINES), .TARGET(TARGET)
  ) dut (
`else
  localparam ONCE = READ_ONLY;
  localparam TAKES = 12 + LINE_WAIT + (BYTES == BUS_BYTES ? LINE_WAIT : 0);
  localparam UNIT = 1;
  clhls_load #(
    .ADDR_BITS(ADDR_BITS), .DEVICE_BITS(DEVICE_BITS), .BYTES(BYTES), .BUS_BYTES(BUS_BYTES), .DEPTH(DEPTH), .DEPTH_BEATS(DEPTH_BEATS), .READ_ONLY(READ_ONLY),
    .PARTS(PARTS),
    .LINE_WAIT(LINE_WAIT), .MAX_BURST(MAX_BURST), .TARGET(TARGET)
  ) dut (
`endif
    .clk(clk), .rst(rst), .flush(flush), .s_valid(s_valid), .s_ready(s_ready), .s_addr(s_addr), .s_pred(s_pred),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data),
    .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_line(ar_line), .ar_len(ar_len), .r_valid(r_valid), .r_data(r_data)
  );

  // lane at byte address a, read in cycle t
  function [8*BYTES-1:0] lane(input [63:0] a, input [31:0] t);
    reg [31:0] mix;
    reg [31:0] pair;
    begin
      mix  = (a / BYTES) * 32'h9E3779B1;
      pair = {mix[31:16] ^ mix[15:0], t[15:0]};
      lane = (BYTES < 4) ? mix >> 13 : {((BYTES + 3) / 4){pair}};
    end
  endfunction

  // ---- memory: bursts in order ----
  reg [63:0] q_line [0:4095];
  integer q_left [0:4095], q_time [0:4095], q_seen [0:4095], q_in = 0, q_out = 0;
  integer latency = 20, beats = 0, bursts = 0, ar_rate = 8, r_rate = 8, l;

  integer words = 0;  // in the queue of beats
  reg was = 0;
  reg [63:0] was_ar;
  always @(posedge clk) if (!rst) begin
    if (was) check(ar_valid && {ar_line, ar_len} === was_ar[LINE_BITS+7:0], "AR changed before ready");
    was <= ar_valid & ~ar_ready;
    was_ar <= {ar_line, ar_len};
    if (ar_valid & ar_ready) begin
`ifdef CACHED
      check(ar_len == UNIT - 1 && ar_line % UNIT == 0, "not a line of the cache");
`else
      check(ar_len < MAX_BURST, "burst too long");
`endif
      check(((ar_line << SIZE) & 4095) + (ar_len + 1) * BUS_BYTES <= 4096, "burst crosses 4 KiB");
      q_line[q_in & 4095] = ar_line;
      q_left[q_in & 4095] = ar_len + 1;
      q_time[q_in & 4095] = cycle + latency;
      q_seen[q_in & 4095] = cycle;
      q_in = q_in + 1;
      bursts = bursts + 1;
    end
`ifdef CACHED
    check(words <= dut.WORDS_IN, "word without reserved space");
    words = words + dut.w_valid - (dut.d_ready & dut.d_valid);
`else
    if (r_valid) check(dut.here_q < dut.BEATS, "beat without reserved space");
`endif
    r_valid <= 0;
    if (q_out < q_in && cycle >= q_time[q_out & 4095] && (full_rate || dice(8) < r_rate)) begin
      r_valid <= 1;
      for (l = 0; l < BUS_BYTES; l = l + PIECE)
        r_data[8*l +: 8*PIECE] <= lane((q_line[q_out & 4095] << SIZE) + l, q_seen[q_out & 4095]) >> 8 * (((q_line[q_out & 4095] << SIZE) + l) % BYTES);
      beats = beats + 1;
      q_line[q_out & 4095] = q_line[q_out & 4095] + 1;
      q_left[q_out & 4095] = q_left[q_out & 4095] - 1;
      if (q_left[q_out & 4095] == 0) q_out = q_out + 1;
    end else r_data <= {8*BUS_BYTES{1'bx}};
    ar_ready <= full_rate || dice(8) < ar_rate;
    if (dice(200) == 0) begin
      ar_rate = 1 + dice(8);
      r_rate  = 1 + dice(8);
      latency = dice(4) == 0 ? 150 : 1 + dice(30);
    end
    if (full_rate) latency = LATENCY;
  end

  // ---- requests and their expected answers ----
  reg [63:0] e_addr [0:65535];
  reg [PARTS-1:0] e_pred [0:65535];
  localparam PART_BITS = 8 * BYTES / PARTS;
  integer    e_time [0:65535];
  integer    e_flush [0:65535];  // the last flush before the request
  integer    flushed = 0;
  integer    asked = 0, answered = 0, pattern = 0, stop = 0, silent = 0, pausing = 0;
  integer    stride = BYTES;
  reg [63:0] a;

  // bits of the parts that are read
  function [8*BYTES-1:0] bits_of(input [PARTS-1:0] parts);
    integer k;
    for (k = 0; k < PARTS; k = k + 1) bits_of[k*PART_BITS +: PART_BITS] = {PART_BITS{parts[k]}};
  endfunction

  // the cycle in which the first part that is read was fetched
  function [15:0] time_of(input [8*BYTES-1:0] data, input [PARTS-1:0] parts);
    integer k;
    for (k = PARTS - 1; k >= 0; k = k - 1) if (parts[k]) time_of = data[k*PART_BITS +: 16];
  endfunction

  function [PARTS-1:0] some_parts(input integer unused);
    integer k;
    for (k = 0; k < PARTS; k = k + 1) some_parts[k] = dice(2) != 0;
  endfunction

  reg [15:0] fetched;

  function [63:0] aligned(input [63:0] x);
    aligned = (x / BYTES) * BYTES;
  endfunction

  always @(posedge clk) if (!rst) begin
    if (s_valid & s_ready) begin
      e_addr[asked & 65535] = s_addr;
      e_pred[asked & 65535] = s_pred;
      e_time[asked & 65535] = cycle;
      e_flush[asked & 65535] = flushed;
      asked = asked + 1;
    end
    if (~s_valid | s_ready) begin
      s_valid <= !stop && in_turn(0);
      case (pattern)
        0: a = s_addr + stride;                                       // stream
        1: a = s_addr + BYTES * dice(4 * BUS_BYTES / BYTES);          // with gaps, also the same again
        2: a = {32'd0, $random(seed)};                                // anywhere
        3: a = 4096 * 7 - 2 * BUS_BYTES + dice(4 * BUS_BYTES);        // few lines around a page border
        5: a = (1 << 20) + ((s_addr + BYTES) & (LINES * LINE_BYTES / 2 - 1));  // a small working set
        default: a = dice(16) ? s_addr : s_addr + BUS_BYTES * 3;      // mostly the same
      endcase
      s_addr <= aligned(a);
      s_pred <= (full_rate || dice(8) != 0) ? ((full_rate || dice(2)) ? {PARTS{1'b1}} : some_parts(0)) : {PARTS{1'b0}};
    end
    if (m_valid & m_ready) begin
      a = e_addr[answered & 65535];
      if (e_pred[answered & 65535] == 0) check(m_data === 0, "answer of a request without access is not 0");
      else if (BYTES < 4) check(m_data === lane(a, 0), "wrong data");
      else begin
        fetched = time_of(m_data, e_pred[answered & 65535]);
        check(m_data === (lane(a, fetched) & bits_of(e_pred[answered & 65535])), "wrong data");
        if (ONCE) check(((fetched - e_flush[answered & 65535]) & 16'hFFFF) < 16'hF000, "data older than the flush");
        else check(((fetched - e_time[answered & 65535]) & 16'hFFFF) < 16'h8000, "data older than the request");
      end
      check(answered < asked, "answer without request");
      answered = answered + 1;
    end
    silent = (m_valid || answered == asked) ? 0 : silent + 1;
    check(silent < 1500, "hangs");
    m_ready <= out_turn(0) && !(pausing && cycle % 8 == 0);
    if (!full_rate && dice(150) == 0) pattern = dice(6);
    if (flush) flushed = cycle;
    flush <= !full_rate && dice(500 + 8 * ONCE * LINES) == 0;
  end

  task drain;
    begin
      stop = 1;
      while (answered != asked || s_valid) @(posedge clk);
      repeat (200) @(posedge clk);
      check(q_in == q_out, "beats that nobody asked for");
    end
  endtask

  integer from, beats_from, bursts_from, start;
  task rate(input integer step, input integer per_beat, input [8*30-1:0] what);
    begin
      drain;
      s_addr <= 1 << 20;
      stop = 0;
      pattern = 0;
      stride = step;
      repeat (3 * LATENCY + 200) @(posedge clk);
      from = answered; beats_from = beats; bursts_from = bursts;
      repeat (2000) @(posedge clk);
      $display("%0s: %0d answers, %0d beats, %0d bursts in 2000 cycles", what, answered - from, beats - beats_from, bursts - bursts_from);
      if (RATES == 1) begin
        check(answered - from == 2000, "less than one answer a cycle");
        check(beats - beats_from <= 2000 / per_beat + 2 * UNIT, "more beats than lines");
        // Every eighth cycle nothing is taken: no other one may be lost.
        pausing = 1;
        repeat (100) @(posedge clk);
        from = answered;
        repeat (2000) @(posedge clk);
        check(answered - from >= 1745, "a pause costs more than its cycle");
        pausing = 0;
      end
    end
  endtask

  initial begin
    wait (!rst);
    repeat (40000) @(posedge clk);
    drain;
    full_rate = 1;
    rate(BYTES, BUS_BYTES / BYTES, "stream");
    rate(BUS_BYTES, 1, "one line per request");
`ifdef CACHED
    if (UNIT == 1) rate(5 * BUS_BYTES, 1, "every fifth line");
    // A working set of half the cache, again and again: nothing is fetched once it is in.
    drain;
    s_addr <= 1 << 20;
    stop = 0;
    pattern = 5;
    repeat (2 * LINES * LINE_BYTES / BYTES + (RATES ? 3 : LINES) * LATENCY + 200) @(posedge clk);
    from = answered; beats_from = beats;
    repeat (2000) @(posedge clk);
    $display("half the cache: %0d answers, %0d beats in 2000 cycles", answered - from, beats - beats_from);
    check(beats == beats_from, "fetches what is in the cache");
    if (RATES) check(answered - from == 2000, "less than one answer a cycle");
`else
    rate(5 * BUS_BYTES, 1, "every fifth line");
`endif
    // latency of a lone request, memory latency subtracted
    drain;
    s_addr <= 1 << 22;
    pattern = 0;
    repeat (50) @(posedge clk);
    stop = 0;
    while (!(s_valid & s_ready)) @(posedge clk);
    stop = 1;
    start = cycle;
    while (!m_valid) @(posedge clk);
    $display("lone request: %0d cycles besides the memory's %0d", cycle - start - LATENCY, LATENCY);
    check(cycle - start - LATENCY <= TAKES, "latency");
    finish_bench;
  end
endmodule
