// clhls_replicated_mem: all clients at random against an array changed in the order of acceptance; latency, and the rate of each client.
`default_nettype none
module bench;
  parameter PORTS      = 3;
  parameter STORES     = 1;
  parameter REPLICAS   = 2;
  parameter [16*(REPLICAS+1)-1:0] FIRST = {16'd3, 16'd2, 16'd1};
  parameter WORD_BYTES = 4;
  parameter WORDS      = 64;
  parameter COLLIDES   = 1;
  parameter [PORTS-1:0] READS = {PORTS{1'b1}};
  parameter TARGET     = "generic";
  `include "bench.vh"

  localparam AB = $clog2(WORDS);
  localparam DW = 8 * WORD_BYTES;
  localparam Q  = 64;

  reg  [PORTS-1:0]             s_valid = 0;
  wire [PORTS-1:0]             s_ready;
  reg  [PORTS*AB-1:0]          s_addr;
  reg  [STORES*DW-1:0]         s_data;
  reg  [STORES*WORD_BYTES-1:0] s_strb;
  reg  [PORTS-1:0]             s_pred;
  wire [PORTS-1:0]             m_valid;
  reg  [PORTS-1:0]             m_ready = 0;
  wire [PORTS*DW-1:0]          m_data;

  clhls_replicated_mem #(
    .PORTS(PORTS), .STORES(STORES), .REPLICAS(REPLICAS), .FIRST(FIRST), .WORD_BYTES(WORD_BYTES), .WORDS(WORDS), .COLLIDES(COLLIDES),
    .READS(READS), .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_addr(s_addr), .s_data(s_data), .s_strb(s_strb), .s_pred(s_pred),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

  reg [DW-1:0] mem [0:WORDS-1];
  reg          known [0:WORDS-1];
  reg [DW-1:0] q_data [0:PORTS*Q-1];
  reg          q_care [0:PORTS*Q-1];
  integer      q_in [0:PORTS-1], q_out [0:PORTS-1], took [0:PORTS-1], none [0:PORTS-1], sharers [0:PORTS-1];
  integer      i, j, c, range = WORDS, silent = 0, first = -1, latency = 0, stores, loads;
  reg          clash;

  initial begin
    for (i = 0; i < WORDS; i = i + 1) known[i] = 0;
    for (i = 0; i < PORTS; i = i + 1) begin
      q_in[i] = 0; q_out[i] = 0; took[i] = 0; none[i] = 0;
      sharers[i] = STORES;
      for (c = 0; c < REPLICAS; c = c + 1)
        if (i >= FIRST[16*c +: 16] && i < FIRST[16*(c+1) +: 16]) sharers[i] = FIRST[16*(c+1) +: 16] - FIRST[16*c +: 16];
    end
  end

  always @(posedge clk) if (!rst) begin
    silent = silent + (out_rate != 0);  // a consumer that takes nothing is not a hang
    // Loads see the words before the store of the same cycle.
    stores = 0;
    for (i = 0; i < PORTS; i = i + 1) if (s_valid[i] & s_ready[i]) begin
      took[i] = took[i] + 1;
      if (i < STORES && s_pred[i]) stores = stores + 1;
      clash = 0;
      if (i >= STORES) for (j = 0; j < STORES; j = j + 1)
        if (s_valid[j] && s_ready[j] && s_pred[j] && s_addr[j*AB +: AB] == s_addr[i*AB +: AB]) clash = 1;
      if (READS[i]) begin
        q_data[i*Q + q_in[i] % Q] = (s_pred[i] && i >= STORES) ? mem[s_addr[i*AB +: AB]] : 0;
        q_care[i*Q + q_in[i] % Q] = !s_pred[i] || i < STORES || (known[s_addr[i*AB +: AB]] && !(clash && !COLLIDES));
        q_in[i] = q_in[i] + 1;
        if (first < 0) first = cycle;
      end
    end
    check(stores <= 1, "two stores in one cycle");
    for (c = 0; c < REPLICAS; c = c + 1) begin
      loads = 0;
      for (i = FIRST[16*c +: 16]; i < FIRST[16*(c+1) +: 16]; i = i + 1) loads = loads + (s_valid[i] & s_ready[i] & s_pred[i]);
      check(loads <= 1, "two loads of one RAM in one cycle");
    end
    for (i = 0; i < STORES; i = i + 1) if (s_valid[i] & s_ready[i] & s_pred[i]) begin
      for (j = 0; j < WORD_BYTES; j = j + 1)
        if (s_strb[i*WORD_BYTES + j]) mem[s_addr[i*AB +: AB]][8*j +: 8] = s_data[i*DW + 8*j +: 8];
      if (&s_strb[i*WORD_BYTES +: WORD_BYTES]) known[s_addr[i*AB +: AB]] = 1;
    end

    for (i = 0; i < PORTS; i = i + 1) begin
      if (s_valid[i] && !s_pred[i] && !s_ready[i]) none[i] = none[i] + 1;
      if (~s_valid[i] | s_ready[i]) begin
        s_valid[i] <= in_turn(0);
        s_addr[i*AB +: AB] <= dice(range);
        s_pred[i] <= full_rate || dice(8) != 0;
        if (i < STORES) begin
          s_data[i*DW +: DW] <= {$random(seed), $random(seed)};
          s_strb[i*WORD_BYTES +: WORD_BYTES] <= dice(2) ? {WORD_BYTES{1'b1}} : $random(seed);
        end
      end
      if (m_valid[i] & m_ready[i]) begin
        silent = 0;
        if (latency == 0) latency = cycle - first;
        check(q_out[i] < q_in[i], "answer without request");
        if (q_care[i*Q + q_out[i] % Q]) check(m_data[i*DW +: DW] === q_data[i*Q + q_out[i] % Q], "wrong word");
        q_out[i] = q_out[i] + 1;
      end
      m_ready[i] <= out_turn(0);
    end
    check(silent < 300, "hangs");
    if (dice(200) == 0) range = dice(2) ? WORDS : 1 + dice(4);
  end

  integer from [0:PORTS-1];
  initial begin
    wait (!rst);
    repeat (12000) @(posedge clk);
    full_rate = 1;
    repeat (60) @(posedge clk);
    for (i = 0; i < PORTS; i = i + 1) begin
      from[i] = took[i];
      none[i] = 0;
    end
    repeat (1000) @(posedge clk);
    for (i = 0; i < PORTS; i = i + 1) begin
      // A part of the turns of those with the same side, give or take one.
      check((took[i] - from[i]) * sharers[i] + sharers[i] >= 1000, "a client gets less than its part");
    end
    $display("PORTS %0d STORES %0d REPLICAS %0d: latency %0d, port 0 %0d in 1000 cycles", PORTS, STORES, REPLICAS, latency, took[0] - from[0]);
    finish_bench;
  end
endmodule
