// clhls_store against a memory with latency and random stalls: final contents, burst shape, acknowledgements, idle, combining, rate.
`default_nettype none
module bench;
  parameter ADDR_BITS   = 40;
  parameter BYTES       = 4;
  parameter BUS_BYTES   = 64;
  parameter ACK         = 1;
  parameter DEPTH       = 64;
  parameter DEPTH_BEATS = 32;
  parameter BURSTS      = 32;
  parameter LINE_WAIT   = 16;
  parameter MAX_BURST   = 16;
  parameter LATENCY     = 100;  // of the memory in the rate phases
  parameter RATES       = 1;    // 0: queues too short for full rate, skip the rate checks
  parameter TARGET      = "generic";
  `include "bench.vh"

  localparam SIZE = $clog2(BUS_BYTES);
  localparam LINE_BITS = ADDR_BITS - SIZE;
  localparam WINDOW = 65536;    // bytes of memory
  localparam [63:0] BASE = 64'h12_3450_0000;

  reg                    flush = 0;
  wire                   idle;
  reg                    s_valid = 0;
  wire                   s_ready;
  reg  [ADDR_BITS-1:0]   s_addr = BASE;
  reg  [8*BYTES-1:0]     s_data = 0;
  reg  [BYTES-1:0]       s_strb = 0;
  reg                    s_pred = 0;
  wire                   m_valid;
  reg                    m_ready = 0;
  wire                   aw_valid, w_valid, w_last;
  reg                    aw_ready = 0, w_ready = 0, b_valid = 0;
  wire [LINE_BITS-1:0]   aw_line;
  wire [7:0]             aw_len;
  wire [8*BUS_BYTES-1:0] w_data;
  wire [BUS_BYTES-1:0]   w_strb;

  clhls_store #(
    .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .BUS_BYTES(BUS_BYTES), .ACK(ACK), .DEPTH(DEPTH), .DEPTH_BEATS(DEPTH_BEATS), .BURSTS(BURSTS),
    .LINE_WAIT(LINE_WAIT), .MAX_BURST(MAX_BURST), .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst), .flush(flush), .idle(idle), .s_valid(s_valid), .s_ready(s_ready), .s_addr(s_addr), .s_data(s_data),
    .s_strb(s_strb), .s_pred(s_pred), .m_valid(m_valid), .m_ready(m_ready),
    .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_line(aw_line), .aw_len(aw_len),
    .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_strb(w_strb), .w_last(w_last), .b_valid(b_valid)
  );

  // ---- memory; a burst's data counts as written when its B is sent ----
  reg [7:0] mem [0:WINDOW-1], model [0:WINDOW-1];
  reg [63:0] q_line [0:4095];
  integer q_len [0:4095], q_time [0:4095], aw_in = 0, w_in = 0, b_out = 0, w_beat = 0;
  reg [8*BUS_BYTES-1:0] d_data [0:16383];
  reg [BUS_BYTES-1:0]   d_strb [0:16383];
  integer d_in = 0, d_out = 0, latency = 20, beats = 0, bursts = 0, aw_rate = 8, w_rate = 8, i, j, k;
  reg was_aw = 0, was_w = 0;
  reg [63:0] was_awl;
  reg [9*BUS_BYTES:0] was_wl;
  reg [63:0] at;

  initial for (i = 0; i < WINDOW; i = i + 1) begin mem[i] = 0; model[i] = 0; end

  always @(posedge clk) if (!rst) begin
    if (was_aw) check(aw_valid && {aw_line, aw_len} === was_awl[LINE_BITS+7:0], "AW changed before ready");
    if (was_w) check(w_valid && {w_data, w_strb, w_last} === was_wl, "W changed before ready");
    was_aw <= aw_valid & ~aw_ready;
    was_w  <= w_valid & ~w_ready;
    was_awl <= {aw_line, aw_len};
    was_wl  <= {w_data, w_strb, w_last};
    if (aw_valid & aw_ready) begin
      check(aw_len < MAX_BURST, "burst too long");
      check(((aw_line << SIZE) & 4095) + (aw_len + 1) * BUS_BYTES <= 4096, "burst crosses 4 KiB");
      q_line[aw_in & 4095] = aw_line;
      q_len[aw_in & 4095]  = aw_len;
      aw_in = aw_in + 1;
      bursts = bursts + 1;
    end
    // as in the multiplexer, data is taken after its address only
    if (w_valid & w_ready) begin
      check(w_last === (w_beat == q_len[w_in & 4095]), "w_last");
      check(w_strb !== 0, "beat without a byte");
      d_data[d_in & 16383] = w_data;
      d_strb[d_in & 16383] = w_strb;
      d_in = d_in + 1;
      beats = beats + 1;
      w_beat = w_beat + 1;
      if (w_last) begin
        q_time[w_in & 4095] = cycle + latency;
        w_in = w_in + 1;
        w_beat = 0;
      end
    end
    b_valid <= 0;
    if (b_out < w_in && cycle >= q_time[b_out & 4095]) begin
      b_valid <= 1;
      for (i = 0; i <= q_len[b_out & 4095]; i = i + 1) begin
        for (j = 0; j < BUS_BYTES; j = j + 1) begin
          at = ((q_line[b_out & 4095] + i) << SIZE) + j - BASE;
          if (d_strb[d_out & 16383][j]) begin
            check(at < WINDOW, "write outside");
            mem[at & (WINDOW - 1)] = d_data[d_out & 16383] >> (8 * j);
          end
        end
        d_out = d_out + 1;
      end
      b_out = b_out + 1;
    end
    aw_ready <= full_rate || dice(8) < aw_rate;
    if (dice(200) == 0) begin
      aw_rate = 1 + dice(8);
      w_rate  = 1 + dice(8);
      latency = dice(4) == 0 ? 150 : 1 + dice(30);
    end
    if (full_rate) latency = LATENCY;
  end
  // W is accepted only for a burst whose AW is in
  reg w_dice = 0;
  always @(posedge clk) w_dice <= full_rate || dice(8) < w_rate;
  always @* w_ready = w_dice && (aw_in > w_in) && !rst;

  // ---- requests ----
  reg [63:0]      e_addr [0:65535];
  reg [BYTES-1:0] e_strb [0:65535];
  integer asked = 0, answered = 0, pattern = 0, stop = 0, silent = 0, stride = BYTES, quiet = 0;
  reg [63:0] a;

  always @(posedge clk) if (!rst) begin
    if (s_valid & s_ready) begin
      e_addr[asked & 65535] = s_addr - BASE;
      e_strb[asked & 65535] = s_pred ? s_strb : 0;
      for (k = 0; k < BYTES; k = k + 1) if (s_pred & s_strb[k]) model[s_addr - BASE + k] = s_data >> (8 * k);
      asked = asked + 1;
      quiet = 0;
    end else quiet = quiet + 1;
    if (~s_valid | s_ready) begin
      s_valid <= !stop && in_turn(0);
      a = s_addr - BASE;
      case (pattern)
        0: a = a + stride;
        1: a = a + BYTES * dice(4 * BUS_BYTES / BYTES);
        2: a = $random(seed);
        3: a = 4096 * 7 - 2 * BUS_BYTES + dice(4 * BUS_BYTES);
        default: a = dice(16) ? a : a + BUS_BYTES * 3;
      endcase
      s_addr <= BASE + (((a & (WINDOW - 1)) / BYTES) * BYTES);
      s_pred <= full_rate || dice(8) != 0;
      s_strb <= (full_rate || dice(2)) ? {BYTES{1'b1}} : ($random(seed) | 1) ;
      for (k = 0; k < BYTES; k = k + 1) s_data[8*k +: 8] <= asked;  // number of the request, mod 256
    end
    if (m_valid & m_ready) begin
      check(ACK && answered < asked, "answer without request");
      // what it wrote, or something younger, is in memory
      if (DEPTH <= 64) for (k = 0; k < BYTES; k = k + 1) if (e_strb[answered & 65535][k])
        check(((mem[e_addr[answered & 65535] + k] - answered) & 255) < asked - answered, "answered before it was written");
      answered = answered + 1;
    end
    m_ready <= out_turn(0);
    silent = (m_valid || answered == asked || !ACK) ? 0 : silent + 1;
    check(silent < 1500, "hangs");
    if (idle && quiet > 1) check(b_out == aw_in && d_out == d_in, "idle with something in flight");
    if (!full_rate && dice(150) == 0) pattern = dice(5);
    flush <= !full_rate && !stop && dice(500) == 0;
  end

  task drain(input fast);
    begin
      stop = 1;
      @(posedge clk);
      while (s_valid) @(posedge clk);
      if (fast) flush = 1;
      repeat (4) @(posedge clk);
      while (!idle || (ACK && answered != asked)) @(posedge clk);
      flush = 0;
      for (i = 0; i < WINDOW; i = i + 1) if (mem[i] !== model[i]) check(0, "memory differs");
      check(b_out == aw_in && d_in == d_out, "not idle");
    end
  endtask

  integer from, beats_from, bursts_from;
  task rate(input integer step, input integer per_beat, input [8*30-1:0] what);
    begin
      drain(0);
      s_addr <= BASE;
      stop = 0;
      pattern = 0;
      stride = step;
      repeat (3 * LATENCY + 300) @(posedge clk);
      from = asked; beats_from = beats; bursts_from = bursts;
      repeat (2000) @(posedge clk);
      $display("%0s: %0d requests, %0d beats, %0d bursts in 2000 cycles", what, asked - from, beats - beats_from, bursts - bursts_from);
      if (RATES) begin
        check(asked - from == 2000, "less than one request a cycle");
        check(beats - beats_from <= 2000 / (LINE_WAIT ? per_beat : 1) + MAX_BURST, "more beats than lines");
      end
    end
  endtask

  initial begin
    wait (!rst);
    repeat (6) begin
      stop = 0;
      repeat (6000) @(posedge clk);
      drain(dice(2));
    end
    full_rate = 1;
    rate(BYTES, BUS_BYTES / BYTES, "stream");
    rate(BUS_BYTES, 1, "one line per request");
    if (RATES > 1) rate(5 * BUS_BYTES, 1, "every fifth line");
    drain(1);
    finish_bench;
  end
endmodule
