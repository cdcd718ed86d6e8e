// clhls_atomic: clients at random, answers and final memory against an array changed in the order of acceptance; rate on hits.
`default_nettype none
module bench;
  parameter N         = 2;
  parameter BYTES     = 4;
  parameter BUS_BYTES = 64;
  parameter EXCLUSIVE = 2;
  parameter LINES     = 4;
  parameter BLOCK     = 2;
  parameter [15:0] OPS = 16'h1FFF;
  parameter TARGET    = "generic";
  `include "bench.vh"
  `include "atomic_reference.vh"

  localparam ADDR_BITS = 40;
  localparam DW   = 8 * BYTES;
  localparam SIZE = $clog2(BUS_BYTES);
  localparam LINE_BITS = ADDR_BITS - SIZE;
  localparam WORDS = 1024;
  localparam [63:0] BASE = 64'h9_8760_0000;
  localparam Q = 256;

  reg                    flush = 0;
  wire                   idle;
  reg  [N-1:0]           s_valid = 0;
  wire [N-1:0]           s_ready;
  reg  [N*4-1:0]         s_op;
  reg  [N*ADDR_BITS-1:0] s_addr;
  reg  [N*DW-1:0]        s_data, s_compare;
  reg  [N-1:0]           s_pred;
  wire [N-1:0]           m_valid;
  reg  [N-1:0]           m_ready = 0;
  wire [N*DW-1:0]        m_data;
  wire                   ar_valid, aw_valid, w_valid, w_last;
  reg                    ar_ready = 0, aw_ready = 0, w_ready = 0, r_valid = 0, b_valid = 0;
  wire [LINE_BITS-1:0]   ar_line, aw_line;
  wire [7:0]             ar_len, aw_len;
  reg  [8*BUS_BYTES-1:0] r_data;
  wire [8*BUS_BYTES-1:0] w_data;
  wire [BUS_BYTES-1:0]   w_strb;

  clhls_atomic #(
    .N(N), .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .BUS_BYTES(BUS_BYTES), .EXCLUSIVE(EXCLUSIVE), .LINES(LINES), .BLOCK(BLOCK),
    .OPS(OPS), .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst), .flush(flush), .idle(idle), .s_valid(s_valid), .s_ready(s_ready), .s_op(s_op), .s_addr(s_addr), .s_data(s_data),
    .s_compare(s_compare), .s_pred(s_pred), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data),
    .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_line(ar_line), .ar_len(ar_len), .r_valid(r_valid), .r_data(r_data),
    .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_line(aw_line), .aw_len(aw_len),
    .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_strb(w_strb), .w_last(w_last), .b_valid(b_valid)
  );

  // ---- memory: one access at a time, but for writes that go through a cache (EXCLUSIVE = 1) and those of lines (EXCLUSIVE = 2), which
  // are under way while it reads other lines ----
  reg [DW-1:0] mem [0:WORDS-1], model [0:WORDS-1];
  integer i, j, delay = 0, write_delay = 0, reads = 0, writes = 0, aws = 0, ws_in = 0, modified = 0;
  localparam MANY = 256;
  reg [LINE_BITS-1:0] aw_q [0:MANY-1];
  reg [8*BUS_BYTES-1:0] wd_q [0:MANY-1];
  reg [BUS_BYTES-1:0] ws_q [0:MANY-1];
  reg [63:0] at;
  reg reading = 0;
  integer beats = 0;
  reg [LINE_BITS-1:0] line;
  reg [LINE_BITS-1:0] wl;
  reg [8*BUS_BYTES-1:0] wd;
  reg [BUS_BYTES-1:0] ws;

  initial for (i = 0; i < WORDS; i = i + 1) begin mem[i] = i * 32'h01234567; model[i] = mem[i]; end

  always @(posedge clk) if (!rst) begin
    r_valid <= 0;
    b_valid <= 0;
    r_data <= {8*BUS_BYTES{1'bx}};
    if (delay > 0) delay = delay - 1;
    else if (reading) begin
      for (j = 0; j < BUS_BYTES / BYTES; j = j + 1) begin
        at = (line << SIZE) / BYTES + j - BASE / BYTES;
        r_data[j*DW +: DW] <= mem[at];
      end
      r_valid <= 1;
      line = line + 1;
      beats = beats - 1;
      reading = beats != 0;
      if (reading && dice(3) == 0) delay = dice(6);
      reads = reads + !reading;
    end
    if (write_delay > 0 && !(full_rate && EXCLUSIVE == 1)) write_delay = write_delay - 1;
    else if (aws > writes && ws_in > writes) begin
      wl = aw_q[writes % MANY]; wd = wd_q[writes % MANY]; ws = ws_q[writes % MANY];
      for (j = 0; j < BUS_BYTES; j = j + 1) if (ws[j]) begin
        at = (wl << SIZE) + j - BASE;
        mem[at / BYTES][8*(at % BYTES) +: 8] = wd[8*j +: 8];
      end
      b_valid <= 1;
      writes = writes + 1;
      if (EXCLUSIVE == 2) write_delay = dice(20);
    end
    if (ar_valid & ar_ready) begin
      beats = EXCLUSIVE ? BLOCK : 1;
      check(!reading && (aws == writes || EXCLUSIVE == 2) && ar_len === beats - 1, "read while another access runs");
      check(ar_line % beats == 0, "burst that is not aligned");
      for (i = writes; i < aws; i = i + 1) check(aw_q[i % MANY] / beats != ar_line / beats, "read of a line that is being written");
      reading = 1; line = ar_line; delay = dice(20);
    end
    if (aw_valid & aw_ready) begin
      check(!reading && (aws == writes || EXCLUSIVE != 0) && aw_len === 0, "write while another access runs");
      aw_q[aws % MANY] = aw_line;
      aws = aws + 1;
      if (EXCLUSIVE != 1 || dice(8) == 0) write_delay = dice(40);
    end
    if (w_valid & w_ready) begin
      check((ws_in == writes || EXCLUSIVE != 0) && w_last === 1, "second beat");
      wd_q[ws_in % MANY] = w_data; ws_q[ws_in % MANY] = w_strb;
      ws_in = ws_in + 1;
    end
    ar_ready <= dice(2);
    aw_ready <= full_rate || dice(2);
    w_ready  <= full_rate || dice(2);
  end

  // ---- clients ----
  reg [DW-1:0] q_data [0:N*Q-1];
  reg q_writes [0:N*Q-1];  // the operation changes memory or writes what is there
  integer q_in [0:N-1], q_out [0:N-1], taken = 0, answered = 0, silent = 0, stop = 0, range = WORDS, k, w, quiet = 0;
  reg [3:0] op;
  initial for (k = 0; k < N; k = k + 1) begin q_in[k] = 0; q_out[k] = 0; end

  always @(posedge clk) if (!rst) begin
    silent = (taken == answered) ? 0 : silent + (out_rate != 0);  // a consumer that takes nothing is not a hang
    quiet = quiet + 1;
    check((s_valid & s_ready & ((s_valid & s_ready) - 1)) === 0, "two requests taken in one cycle");
    for (k = 0; k < N; k = k + 1) begin
      if (s_valid[k] & s_ready[k]) begin
        taken = taken + 1;
        quiet = 0;
        w = (s_addr[k*ADDR_BITS +: ADDR_BITS] - BASE) / BYTES;
        q_data[k*Q + q_in[k] % Q] = s_pred[k] ? model[w] : 0;
        q_writes[k*Q + q_in[k] % Q] = s_pred[k] && s_op[4*k +: 4] != 11;
        q_in[k] = q_in[k] + 1;
        if (s_pred[k]) model[w] = after(s_op[4*k +: 4], model[w], s_data[k*DW +: DW], s_compare[k*DW +: DW], 8'hFF, BYTES);
      end
      if (~s_valid[k] | s_ready[k]) begin
        s_valid[k] <= !stop && in_turn(0);
        op = dice(13);
        if (!OPS[op]) op = 0;
        s_op[4*k +: 4] <= op;
        s_addr[k*ADDR_BITS +: ADDR_BITS] <= BASE + BYTES * dice(range);
        s_data[k*DW +: DW] <= {$random(seed), $random(seed)};
        s_compare[k*DW +: DW] <= model[dice(range)];
        s_pred[k] <= full_rate || dice(8) != 0;
      end
      if (m_valid[k] & m_ready[k]) begin
        answered = answered + 1;
        silent = 0;
        check(q_out[k] < q_in[k], "answer without request");
        // the direct unit does not read memory for a store
        if (EXCLUSIVE || m_data[k*DW +: DW] !== 0) check(m_data[k*DW +: DW] === q_data[k*Q + q_out[k] % Q], "wrong old value");
        if (q_writes[k*Q + q_out[k] % Q]) modified = modified + 1;
        if (EXCLUSIVE == 1) check(modified <= writes, "answer before memory has the result");
        q_out[k] = q_out[k] + 1;
      end
      m_ready[k] <= out_turn(0);
    end
    check(silent < 600, "hangs");
    if (!full_rate && dice(300) == 0) range = dice(3) ? 1 + dice(40) : WORDS;
    if (idle && quiet > 2 && !flush) for (k = 0; k < 4; k = k + 1) begin
      w = dice(WORDS);
      check(mem[w] === model[w], "idle, but memory is behind");
    end
  end

  task drain;
    begin
      stop = 1;
      @(posedge clk);
      while (|s_valid) @(posedge clk);
      flush = 1;
      repeat (4) @(posedge clk);
      while (!idle || taken != answered) @(posedge clk);
      flush = 0;
      for (i = 0; i < WORDS; i = i + 1) if (mem[i] !== model[i]) check(0, "memory differs");
      stop = 0;
    end
  endtask

  integer from;
  initial begin
    wait (!rst);
    repeat (5) begin
      repeat (4000) @(posedge clk);
      drain;
      // the host changes memory between launches
      for (i = 0; i < WORDS; i = i + 1) if (dice(4) == 0) begin mem[i] = $random(seed); model[i] = mem[i]; end
    end
    full_rate = 1;
    range = BUS_BYTES / BYTES;
    repeat (200) @(posedge clk);
    from = taken;
    repeat (1000) @(posedge clk);
    $display("N %0d EXCLUSIVE %0d: %0d operations in 1000 cycles, %0d reads, %0d writes in all", N, EXCLUSIVE, taken - from, reads, writes);
    if (EXCLUSIVE == 2 || (EXCLUSIVE == 1 && N > 1)) check(taken - from == 1000, "less than one operation a cycle");
    drain;
    finish_bench;
  end
endmodule
