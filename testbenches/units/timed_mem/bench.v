// clhls_timed_mem: clients at random, one of each port a cycle, against an array changed in the order of cycles; the latency of loads.
`default_nettype none
module bench;
  parameter CLIENTS    = 4;
  parameter REPLICAS   = 0;
  parameter [16*CLIENTS-1:0] PORT = {16'd1, 16'd0, 16'd1, 16'd0};
  parameter [CLIENTS-1:0] STORES = 4'b0011;  // bit i: client i stores
  parameter WORD_BYTES = 4;
  parameter WORDS      = 64;
  parameter PARTS      = 0;
  parameter STAGED     = 0;
  parameter TARGET     = "generic";
  `include "bench.vh"

  localparam AB    = $clog2(WORDS);
  localparam DW    = 8 * WORD_BYTES;
  localparam PORTS = (REPLICAS > 0) ? 1 + REPLICAS : 2;
  localparam LATE  = 2 + STAGED;

  reg  [CLIENTS-1:0]            s_valid = 0;
  reg  [CLIENTS*AB-1:0]         s_addr;
  reg  [CLIENTS*DW-1:0]         s_data;
  reg  [CLIENTS*WORD_BYTES-1:0] s_strb;
  wire [PORTS*DW-1:0]           m_data;

  clhls_timed_mem #(
    .CLIENTS(CLIENTS), .REPLICAS(REPLICAS), .PORT(PORT), .WORD_BYTES(WORD_BYTES), .WORDS(WORDS), .PARTS(PARTS), .STAGED(STAGED),
    .TARGET(TARGET)
  ) dut (
    .clk(clk), .s_valid(s_valid), .s_addr(s_addr), .s_data(s_data), .s_strb(s_strb), .m_data(m_data)
  );

  reg [DW-1:0]       mem [0:WORDS-1];
  reg                known [0:WORDS-1];
  reg [PORTS-1:0]    care  [0:LATE-1];
  reg [PORTS*DW-1:0] word  [0:LATE-1];
  reg [PORTS-1:0]    taken;
  reg [CLIENTS-1:0]  next_valid;
  reg [CLIENTS*AB-1:0] next_addr;
  reg                clash;
  integer            i, j, p, range = WORDS, loads = 0, stores = 0, met = 0;

  initial begin
    for (i = 0; i < WORDS; i = i + 1) known[i] = 0;
    for (i = 0; i < LATE; i = i + 1) care[i] = 0;
  end

  always @(posedge clk) if (!rst) begin
    for (p = 0; p < PORTS; p = p + 1)
      if (care[LATE-1][p]) check(m_data[p*DW +: DW] === word[LATE-1][p*DW +: DW], "wrong word");
    for (i = LATE - 1; i > 0; i = i - 1) begin
      care[i] = care[i-1];
      word[i] = word[i-1];
    end
    care[0] = 0;
    // Loads see the words before the stores of the same cycle.
    for (i = 0; i < CLIENTS; i = i + 1) if (s_valid[i] && !STORES[i]) begin
      clash = 0;
      for (j = 0; j < CLIENTS; j = j + 1)
        if (s_valid[j] && STORES[j] && s_addr[j*AB +: AB] == s_addr[i*AB +: AB]) clash = 1;
      met = met + clash;
      loads = loads + 1;
      care[0][PORT[16*i +: 16]] = known[s_addr[i*AB +: AB]] && !(clash && !(PARTS && REPLICAS));
      word[0][PORT[16*i +: 16]*DW +: DW] = mem[s_addr[i*AB +: AB]];
    end
    for (i = 0; i < CLIENTS; i = i + 1) if (s_valid[i] && STORES[i]) begin
      stores = stores + 1;
      for (j = 0; j < WORD_BYTES; j = j + 1)
        if (s_strb[i*WORD_BYTES + j]) mem[s_addr[i*AB +: AB]][8*j +: 8] = s_data[i*DW + 8*j +: 8];
      if (&s_strb[i*WORD_BYTES +: WORD_BYTES]) known[s_addr[i*AB +: AB]] = 1;
    end

    // At most one client of each port, and no two stores of one word, which the sides of a RAM must not make at once.
    taken = 0;
    for (i = 0; i < CLIENTS; i = i + 1) begin
      next_addr[i*AB +: AB] = dice(range);
      next_valid[i] = in_turn(0) && !taken[PORT[16*i +: 16]];
      for (j = 0; j < i; j = j + 1)
        if (STORES[i] && STORES[j] && next_valid[j] && next_addr[j*AB +: AB] == next_addr[i*AB +: AB]) next_valid[i] = 0;
      if (next_valid[i]) taken[PORT[16*i +: 16]] = 1;
      s_data[i*DW +: DW] <= {$random(seed), $random(seed)};
      s_strb[i*WORD_BYTES +: WORD_BYTES] <=
        !STORES[i] ? {WORD_BYTES{1'b0}} : (PARTS == 0 || dice(2)) ? {WORD_BYTES{1'b1}} : $random(seed);
    end
    s_valid <= next_valid;
    s_addr  <= next_addr;
    if (dice(200) == 0) range = dice(2) ? WORDS : 1 + dice(4);
  end

  initial begin
    wait (!rst);
    repeat (8000) @(posedge clk);
    check(loads > 1000 && stores > 1000, "hardly anything happened");
    $display("CLIENTS %0d REPLICAS %0d: %0d loads, %0d stores, %0d loads met one", CLIENTS, REPLICAS, loads, stores, met);
    finish_bench;
  end
endmodule
