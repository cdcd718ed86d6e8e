// clhls_realign_load in front of a real clhls_load, with +define+SHARED through a clhls_load_share, against a memory with latency and
// random stalls: data, order, the windows asked for, freshness, rate.
// Every byte of the memory is a function of its address and of an epoch, which goes up now and then; a beat shows the epoch in
// which its AR was accepted.
`default_nettype none
module bench;
  parameter ADDR_BITS   = 40;
  parameter DEVICE_BITS = 64;
  parameter BYTES       = 64;
  parameter WINDOW      = BYTES;
  parameter PARTS       = 16;
  parameter REUSE       = 1;
  parameter DEPTH       = 256;
  parameter BUS_BYTES   = 64;
  parameter UNIT_DEPTH  = 256;
  parameter DEPTH_BEATS = 192;
  parameter LATENCY     = 100;  // of the memory in the rate phases
  parameter RATES       = 1;    // 0: queues too short for full rate, skip the rate checks
  parameter TARGET      = "generic";
  `include "bench.vh"

  localparam PIECE = BYTES / PARTS;
  localparam SIZE  = $clog2(BUS_BYTES);
  localparam LINE_BITS = ADDR_BITS - SIZE;
  localparam [63:0] TOP = 64'hFFFFFFFF_FFFFFFFF >> (64 - (DEVICE_BITS < ADDR_BITS ? DEVICE_BITS : ADDR_BITS));  // the last address

  reg                    flush = 0;
  reg                    s_valid = 0;
  wire                   s_ready;
  reg  [ADDR_BITS-1:0]   s_addr = 0;
  reg  [PARTS-1:0]       s_pred = 0;
  wire                   m_valid;
  reg                    m_ready = 0;
  wire [8*BYTES-1:0]     m_data;
  wire                   u_valid;
  wire                   u_ready;
  wire [ADDR_BITS-1:0]   u_addr;
  wire                   u_answer_valid;
  wire                   u_answer_ready;
  wire [8*WINDOW-1:0]    u_answer;
  reg                    gate = 0;  // the unit can be asked
  wire                   l_valid;
  wire                   l_ready;
  wire [ADDR_BITS-1:0]   l_addr;
  wire                   l_answer_valid;
  wire                   l_answer_ready;
  wire [8*WINDOW-1:0]    l_answer;
  wire                   ar_valid;
  reg                    ar_ready = 0;
  wire [LINE_BITS-1:0]   ar_line;
  wire [7:0]             ar_len;
  reg                    r_valid = 0;
  reg  [8*BUS_BYTES-1:0] r_data;

  clhls_realign_load #(
    .ADDR_BITS(ADDR_BITS), .DEVICE_BITS(DEVICE_BITS), .BYTES(BYTES), .WINDOW(WINDOW), .PARTS(PARTS), .REUSE(REUSE), .DEPTH(DEPTH), .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst), .flush(flush), .s_valid(s_valid), .s_ready(s_ready), .s_addr(s_addr), .s_pred(s_pred),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data),
    .u_valid(u_valid), .u_ready(u_ready), .u_addr(u_addr),
    .u_answer_valid(u_answer_valid), .u_answer_ready(u_answer_ready), .u_answer(u_answer)
  );

`ifdef SHARED
  // One place for the answer: an access that needs two windows must not wait for the second before it takes the first.
  wire enter_ready;
  wire always_unused;
  clhls_load_share #(
    .N(1), .ADDR_BITS(ADDR_BITS), .WIDTH(8 * WINDOW), .PARTS(1), .DEPTH(1), .OUTSTANDING(UNIT_DEPTH)
  ) u_share (
    .clk(clk), .rst(rst),
    .s_valid(u_valid & gate), .s_ready(enter_ready), .s_addr(u_addr), .s_pred(1'b1),
    .m_valid(u_answer_valid), .m_ready(u_answer_ready), .m_data(u_answer),
    .u_valid(l_valid), .u_ready(l_ready), .u_addr(l_addr), .u_pred(always_unused),
    .u_answer_valid(l_answer_valid), .u_answer_ready(l_answer_ready), .u_answer(l_answer)
  );
  assign u_ready = enter_ready & gate;
`else
  assign l_valid = u_valid & gate;
  assign u_ready = l_ready & gate;
  assign l_addr  = u_addr;
  assign u_answer_valid = l_answer_valid;
  assign l_answer_ready = u_answer_ready;
  assign u_answer = l_answer;
`endif

  clhls_load #(
    .ADDR_BITS(ADDR_BITS), .DEVICE_BITS(DEVICE_BITS), .BYTES(WINDOW), .BUS_BYTES(BUS_BYTES), .DEPTH(UNIT_DEPTH), .DEPTH_BEATS(DEPTH_BEATS), .READ_ONLY(REUSE),
    .PARTS(1), .TARGET(TARGET)
  ) u_load (
    .clk(clk), .rst(rst), .flush(flush), .s_valid(l_valid), .s_ready(l_ready), .s_addr(l_addr), .s_pred(1'b1),
    .m_valid(l_answer_valid), .m_ready(l_answer_ready), .m_data(l_answer),
    .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_line(ar_line), .ar_len(ar_len), .r_valid(r_valid), .r_data(r_data)
  );

  function [7:0] byte_at(input [63:0] a, input [31:0] t);
    reg [31:0] mix;
    begin
      mix = (a[31:0] ^ {a[47:32], a[63:48]} ^ t * 32'h85EBCA6B) * 32'h9E3779B1;
      mix = (mix ^ mix >> 15) * 32'hC2B2AE35;
      byte_at = mix[31:24] ^ mix[15:8];
    end
  endfunction

  // ---- memory: bursts in order ----
  reg [63:0] q_line [0:4095];
  integer q_left [0:4095], q_time [0:4095], q_seen [0:4095], q_in = 0, q_out = 0;
  integer latency = 20, ar_rate = 8, r_rate = 8, gate_rate = 8, l;
  integer epoch = 0, steady = 0;

  // ---- accesses, the windows that each reads and their expected answers ----
  localparam RING = 65535;
  reg [63:0] e_addr [0:RING];
  reg [PARTS-1:0] e_pred [0:RING];
  integer    e_epoch [0:RING];  // the oldest that the answer may show
  reg [63:0] w_addr [0:RING];
  reg        w_must [0:RING];   // it must be asked for
  integer    w_in = 0, w_out = 0;
  reg [63:0] last_window [0:1];
  reg        have [0:1];
  reg        equal;
  integer    flush_epoch = 0;
  integer    asked = 0, answered = 0, pattern = 0, parts = 0, stop = 0, silent = 0, questions = 0, reads = 0;
  integer    flushing = 0;      // flushes come at any time
  integer    stride = BYTES;
  integer    asked_at = 0, answered_at = 0, last_s = 0, last_answer = 0;  // cycles, for the latency
  reg [63:0] a;
  reg        good;
  reg        was = 0;
  reg [63:0] was_u;
  reg [71:0] was_ar;
  reg        was_ar_valid = 0;
  integer    k, t, from_u, b;

  // window number `side` of the access just accepted
  task uses(input [63:0] window);
    begin
      equal = have[(window / WINDOW) & 1] && last_window[(window / WINDOW) & 1] == window;
      reads = reads + 1;
      if (REUSE == 0 || !equal || flushing != 0) begin
        w_addr[w_in & RING] = window;
        w_must[w_in & RING] = REUSE == 0 || !equal;
        w_in = w_in + 1;
      end
      last_window[(window / WINDOW) & 1] = window;
      have[(window / WINDOW) & 1] = 1;
    end
  endtask

  // part p of the data is as the memory had it in an epoch from `first` until now
  function fits(input [8*BYTES-1:0] data, input [63:0] address, input integer p, input integer first);
    integer n, m;
    reg same;
    begin
      fits = 0;
      for (n = first; n <= epoch && !fits; n = n + 1) begin
        same = 1;
        for (m = p * PIECE; m < (p + 1) * PIECE && same; m = m + 1) same = data[8*m +: 8] === byte_at((address + m) & TOP, n);
        fits = same;
      end
    end
  endfunction

  function [63:0] aligned(input [63:0] x);
    aligned = (x / PIECE) * PIECE;
  endfunction

  function [PARTS-1:0] some_parts(input integer unused);
    integer n;
    begin
      case (dice(6))
        0: some_parts = {PARTS{1'b1}} >> dice(PARTS + 1);
        1: some_parts = {PARTS{1'b1}} << dice(PARTS + 1);
        2: some_parts = 1 << dice(PARTS);
        3: some_parts = {PARTS{1'b0}};
        default: for (n = 0; n < PARTS; n = n + 1) some_parts[n] = dice(2) != 0;
      endcase
    end
  endfunction

  initial begin
    have[0] = 0;
    have[1] = 0;
  end

  always @(posedge clk) if (!rst) begin
    // the memory
    if (was_ar_valid) check(ar_valid && {ar_line, ar_len} === was_ar[LINE_BITS+7:0], "AR changed before ready");
    was_ar_valid <= ar_valid & ~ar_ready;
    was_ar <= {ar_line, ar_len};
    if (ar_valid & ar_ready) begin
      q_line[q_in & 4095] = ar_line;
      q_left[q_in & 4095] = ar_len + 1;
      q_time[q_in & 4095] = cycle + latency;
      q_seen[q_in & 4095] = epoch;
      q_in = q_in + 1;
    end
    r_valid <= 0;
    if (q_out < q_in && cycle >= q_time[q_out & 4095] && (full_rate || dice(8) < r_rate)) begin
      r_valid <= 1;
      for (l = 0; l < BUS_BYTES; l = l + 1) r_data[8*l +: 8] <= byte_at((q_line[q_out & 4095] << SIZE) + l, q_seen[q_out & 4095]);
      q_line[q_out & 4095] = q_line[q_out & 4095] + 1;
      q_left[q_out & 4095] = q_left[q_out & 4095] - 1;
      if (q_left[q_out & 4095] == 0) q_out = q_out + 1;
    end else r_data <= {8*BUS_BYTES{1'bx}};
    ar_ready <= full_rate || dice(8) < ar_rate;
    gate     <= full_rate || dice(8) < gate_rate;
    if (dice(200) == 0) begin
      ar_rate   = 1 + dice(8);
      r_rate    = 1 + dice(8);
      gate_rate = dice(3) ? 8 : 1 + dice(8);
      latency   = dice(4) == 0 ? 150 : 1 + dice(30);
    end
    if (full_rate) latency = LATENCY;

    // accesses
    if (s_valid & s_ready) begin
      last_s = cycle;
      e_addr[asked & RING] = s_addr;
      e_pred[asked & RING] = s_pred;
      e_epoch[asked & RING] = (REUSE != 0) ? flush_epoch : epoch;
      asked = asked + 1;
      a = s_addr & TOP;
      k = (WINDOW - (a % WINDOW)) / PIECE;  // parts in the first window
      if (k > PARTS) k = PARTS;
      good = 0;
      for (t = 0; t < k; t = t + 1) good = good | s_pred[t];
      if (good) uses(a / WINDOW * WINDOW);
      good = 0;
      for (t = k; t < PARTS; t = t + 1) good = good | s_pred[t];
      if (good) uses(((a / WINDOW + 1) * WINDOW) & TOP);
    end
    if (~s_valid | s_ready) begin
      s_valid <= !stop && in_turn(0);
      case (pattern)
        0: a = s_addr + {{32{stride[31]}}, stride};                  // stream
        1: a = s_addr + PIECE * dice(3 * PARTS);                    // with gaps, also the same again
        2: a = {$random(seed), $random(seed)};                      // anywhere
        3: a = 4096 * 7 - 2 * WINDOW + dice(4 * WINDOW);              // few windows around a page border
        4: a = dice(16) ? s_addr : s_addr + BYTES + PIECE;          // mostly the same
        5: a = s_addr - (dice(8) ? BYTES : PIECE);                  // downwards
        6: a = s_addr + PIECE;                                      // part by part
        7: a = TOP - 2 * WINDOW + dice(4 * WINDOW);                   // round the top of the addresses
        default: a = s_addr - PIECE;                                // part by part downwards
      endcase
      s_addr <= aligned(a);
      s_pred <= (full_rate || parts == 0) ? {PARTS{1'b1}} : some_parts(0);
      if (!full_rate && dice(20) == 0) parts = dice(2);
    end

    // questions
    if (was) check(u_valid && u_addr === was_u[ADDR_BITS-1:0], "question changed before ready");
    was <= u_valid & ~u_ready;
    was_u <= u_addr;
    if (u_valid & u_ready) begin
      asked_at = cycle - last_s;
      questions = questions + 1;
      while (w_out < w_in && !w_must[w_out & RING] && w_addr[w_out & RING] != u_addr) w_out = w_out + 1;
      check(w_out < w_in && w_addr[w_out & RING] === u_addr, "asks for a window out of turn");
      w_out = w_out + 1;
    end
    if (u_answer_valid & u_answer_ready) last_answer = cycle;

    // answers
    if (m_valid) answered_at = cycle - last_answer;
    if (m_valid & m_ready) begin
      check(answered < asked, "answer without request");
      good = 1;
      for (t = 0; t < PARTS; t = t + 1) begin
        if (e_pred[answered & RING][t]) good = good & fits(m_data, e_addr[answered & RING], t, e_epoch[answered & RING]);
        else good = good & (m_data[8*PIECE*t +: 8*PIECE] === 0);
      end
      check(good, "wrong data");
      answered = answered + 1;
    end
    silent = (m_valid || answered == asked) ? 0 : silent + 1;
    check(silent < 1500, "hangs");
    m_ready <= out_turn(0);
    if (!full_rate && dice(150) == 0) pattern = dice(9);

    if (flush) begin
      flush_epoch = epoch;
      if (flushing == 0) begin
        have[0] = 0;
        have[1] = 0;
      end
    end
    if (flushing != 0) flush <= !full_rate && dice(100) == 0;
    if (!full_rate && !steady && dice(60) == 0) epoch = epoch + 1;
  end

  task drain;
    begin
      stop = 1;
      @(posedge clk);
      while (answered != asked || s_valid) @(posedge clk);
      repeat (200) @(posedge clk);
      check(q_in == q_out, "beats that nobody asked for");
      while (w_out < w_in && !w_must[w_out & RING]) w_out = w_out + 1;
      check(w_out == w_in, "windows not asked for");
      check(!m_valid, "an answer too many");
    end
  endtask

  // A flush while nothing is under way, and other contents from then on.
  task launch;
    begin
      drain;
      epoch = epoch + 1;
      flush <= 1;
      repeat (1 + dice(3)) @(posedge clk);
      flush <= 0;
      @(posedge clk);
      stop = 0;
    end
  endtask

  integer answers_from, questions_from;
  task rate(input integer step, input integer least, input integer most, input [8*30-1:0] what);
    begin
      drain;
      s_addr <= aligned((1 << 20) + WINDOW - BYTES / 2);
      if (ADDR_BITS < 21) s_addr <= aligned(WINDOW - BYTES / 2);
      pattern = 0;
      stride = step;
      stop = 0;
      repeat (3 * LATENCY + 200) @(posedge clk);
      answers_from = answered; questions_from = questions;
      repeat (1000) @(posedge clk);
      $display("%0s: %0d answers, %0d questions in 1000 cycles", what, answered - answers_from, questions - questions_from);
      if (RATES) begin
        check(answered - answers_from >= least, "slow");
        check(questions - questions_from <= most, "too many questions");
      end
    end
  endtask

  initial begin
    wait (!rst);
    // launches: within one, the windows asked for are known exactly; the memory changes all the time or only with the launch
    for (b = 0; b < 20; b = b + 1) begin
      steady = b & 1;
      launch;
      repeat (100 + dice(1200)) @(posedge clk);
    end
    // flushes in between
    drain;
    steady = 0;
    flushing = 1;
    stop = 0;
    repeat (8000) @(posedge clk);
    drain;
    full_rate = 1;
    flush <= 0;
    repeat (2) @(posedge clk);
    flushing = 0;
    rate(BYTES, REUSE ? 900 : 450, 1005, "stream");
    rate(-BYTES, REUSE ? 900 : 450, 1005, "downwards");
    rate(4 * WINDOW, 450, 1005, "two new windows each");
    if (WINDOW > BYTES) rate(BYTES + PIECE, REUSE ? 900 : 600, REUSE ? 1005 * (BYTES + PIECE) / WINDOW + 10 : 1005, "with gaps of a part");
    rate(PIECE, REUSE ? 900 : 450, REUSE ? 1005 * PIECE / WINDOW + 10 : 1005, "part by part");
    if (REUSE) rate(0, 900, 0, "the same again");
    // latency of a lone access
    drain;
    s_addr <= 0;
    stride = 7 * WINDOW;
    repeat (50) @(negedge clk);
    stop = 0;
    @(negedge clk) stop = 1;
    drain;
    $display("lone access: %0d cycles in front of the unit, %0d behind it", asked_at, answered_at);
    if (RATES) begin
      check(asked_at == 3, "latency in front");
      check(answered_at == (PARTS * WINDOW / BYTES > 4 ? 3 : 2), "latency behind");
    end
    finish_bench;
  end
endmodule
