// clhls_local_mem: all clients at random against an array changed in the order of acceptance; latency and rate without conflict.
`default_nettype none
module bench;
  parameter PORTS      = 2;
  parameter WORD_BYTES = 4;
  parameter WORDS      = 64;
  parameter ATOMIC     = 0;
  parameter NARROW     = 0;
  parameter SUBWORD    = 0;
  parameter [PORTS-1:0] READS = {PORTS{1'b1}};
  parameter [PORTS-1:0] WRITES = {PORTS{1'b1}};
  parameter [15:0] OPS = 16'h1FFF;
  parameter TARGET     = "generic";
  `include "bench.vh"
  `include "atomic_reference.vh"

  localparam AB = $clog2(WORDS);
  localparam DW = 8 * WORD_BYTES;
  localparam Q  = 64;

  reg  [PORTS-1:0]            s_valid = 0;
  wire [PORTS-1:0]            s_ready;
  reg  [PORTS*4-1:0]          s_op;
  reg  [PORTS*AB-1:0]         s_addr;
  reg  [PORTS*DW-1:0]         s_data;
  reg  [PORTS*DW-1:0]         s_compare;
  reg  [PORTS*WORD_BYTES-1:0] s_strb;
  reg  [PORTS-1:0]            s_pred;
  reg  [PORTS-1:0]            s_resp;
  wire [PORTS-1:0]            m_valid;
  reg  [PORTS-1:0]            m_ready = 0;
  wire [PORTS*DW-1:0]         m_data;

  clhls_local_mem #(
    .PORTS(PORTS), .WORD_BYTES(WORD_BYTES), .WORDS(WORDS), .ATOMIC(ATOMIC), .NARROW(NARROW), .SUBWORD(SUBWORD), .READS(READS), .WRITES(WRITES), .OPS(OPS),
    .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_op(s_op), .s_addr(s_addr), .s_data(s_data), .s_compare(s_compare),
    .s_strb(s_strb), .s_pred(s_pred), .s_resp(s_resp), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

  reg [DW-1:0] mem [0:WORDS-1];
  reg          known [0:WORDS-1];
  reg [DW-1:0] q_data [0:PORTS*Q-1];
  reg          q_care [0:PORTS*Q-1];
  integer      q_in [0:PORTS-1], q_out [0:PORTS-1];
  integer      i, j, s, range = WORDS, taken = 0, got = 0, silent = 0, first = -1, latency = 0, waits = 0;
  reg          clash;
  reg [DW-1:0] old;
  reg [3:0]    op;

  initial begin
    for (i = 0; i < WORDS; i = i + 1) known[i] = 0;
    for (i = 0; i < PORTS; i = i + 1) begin q_in[i] = 0; q_out[i] = 0; end
  end

  // The bytes of an operation that is narrower than the word: 4 or, in words of 8 and more, 8 that stand at a multiple of their number.
  function [WORD_BYTES-1:0] some_bytes(input integer unused);
    integer bytes;
    begin
      bytes = (NARROW > 4 && dice(3) == 0) ? 8 : 4;
      some_bytes = ((bytes == 8) ? 8'hFF : 8'h0F) << (bytes * dice(WORD_BYTES / bytes));
    end
  endfunction

  // The word behind an operation, which is of the bytes at strb where it is narrow.
  function [DW-1:0] word_after(input [3:0] op, input [DW-1:0] old, input [DW-1:0] data, input [DW-1:0] compare, input [WORD_BYTES-1:0] strb);
    integer n, low, bytes;
    begin
      low = 0;
      bytes = 0;
      for (n = WORD_BYTES - 1; n >= 0; n = n - 1) if (strb[n]) begin low = n; bytes = bytes + 1; end
      word_after = old;
      if (op == 12) begin
        for (n = 0; n < WORD_BYTES; n = n + 1) if (strb[n]) word_after[8*n +: 8] = data[8*n +: 8];
      end else if (NARROW != 0) begin
        mask = (bytes == 8) ? ~64'd0 : 64'hFFFFFFFF;
        part = after(op, (old >> 8 * low) & mask, (data >> 8 * low) & mask, (compare >> 8 * low) & mask, 8'hFF, bytes);
        for (n = 0; n < 8; n = n + 1) if (n < bytes) word_after[8*(low + n) +: 8] = part[8*n +: 8];
      end else word_after = after(op, old, data, compare, strb, WORD_BYTES);
    end
  endfunction
  reg [63:0] mask, part;

  function writes(input integer p);  // accepted write of port p
    writes = s_valid[p] & s_ready[p] & s_pred[p] & (s_op[4*p +: 4] != 11) & (ATOMIC || s_strb[p*WORD_BYTES +: WORD_BYTES] != 0);
  endfunction

  // Reads of a cycle see the words before the writes of the same cycle. Behind several clients with byte stores (ordered)
  // side 0 comes before side 1, so that every result is defined.
  localparam ORDERED = SUBWORD && PORTS > 1 && !ATOMIC;
  function turn(input integer p, input integer s);  // port p takes part in step s of a cycle
    turn = s_valid[p] & s_ready[p] & (!ORDERED || p % 2 == s);
  endfunction

  always @(posedge clk) if (!rst) begin
    silent = silent + (out_rate != 0);  // a consumer that takes nothing is not a hang
    for (s = 0; s <= ORDERED; s = s + 1) begin
      for (i = 0; i < PORTS; i = i + 1) if (turn(i, s)) begin
        taken = taken + 1;
        clash = 0;
        for (j = 0; j < PORTS; j = j + 1)
          if (j != i && turn(j, s) && s_addr[j*AB +: AB] == s_addr[i*AB +: AB] && s_pred[j] && s_pred[i] && (writes(i) || writes(j))) clash = 1;
        check(!(clash && (ATOMIC || SUBWORD)), "two accesses to one word in one cycle");
        if (s_resp[i]) begin
          q_data[i*Q + q_in[i] % Q] = s_pred[i] ? mem[s_addr[i*AB +: AB]] : 0;
          // a word read in the cycle it is written, and the answer of a plain store, have no meaning
          q_care[i*Q + q_in[i] % Q] = !s_pred[i] || (known[s_addr[i*AB +: AB]] && !clash && (ATOMIC || s_op[4*i +: 4] == 11));
          q_in[i] = q_in[i] + 1;
          if (first < 0) first = cycle;
        end
      end
      for (i = 0; i < PORTS; i = i + 1) if (turn(i, s) & writes(i)) begin
        old = mem[s_addr[i*AB +: AB]];
        mem[s_addr[i*AB +: AB]] = word_after(s_op[4*i +: 4], old, s_data[i*DW +: DW], s_compare[i*DW +: DW], s_strb[i*WORD_BYTES +: WORD_BYTES]);
        if (s_op[4*i +: 4] == 12 && &s_strb[i*WORD_BYTES +: WORD_BYTES]) known[s_addr[i*AB +: AB]] = 1;
      end
    end
    // two writes of one word in one cycle: unknown afterwards
    if (!ORDERED) for (i = 0; i < PORTS; i = i + 1) for (j = 0; j < i; j = j + 1)
      if (writes(i) && writes(j) && s_addr[i*AB +: AB] == s_addr[j*AB +: AB]) known[s_addr[i*AB +: AB]] = 0;

    for (i = 0; i < PORTS; i = i + 1) begin
      if (s_valid[i] & ~s_ready[i]) waits = waits + 1;
      if (~s_valid[i] | s_ready[i]) begin
        s_valid[i] <= in_turn(0);
        op = ATOMIC ? dice(13) : 11 + dice(2);
        if (!OPS[op] || (full_rate && dice(2))) op = 12;
        if (!WRITES[i]) op = 11;
        s_op[4*i +: 4]    <= op;
        // full rate: each port on its own words
        s_addr[i*AB +: AB] <= (full_rate && !ATOMIC) ? (dice(WORDS) / PORTS * PORTS + i) % WORDS : dice(range);
        s_data[i*DW +: DW] <= {$random(seed), $random(seed), $random(seed), $random(seed)};
        j = dice(range);
        s_compare[i*DW +: DW] <= (dice(2) && known[j]) ? mem[j] : 0;
        s_strb[i*WORD_BYTES +: WORD_BYTES] <= (NARROW != 0 && op != 12) ? some_bytes(0) : dice(2) ? {WORD_BYTES{1'b1}} : $random(seed);
        s_pred[i] <= dice(8) != 0;
        s_resp[i] <= READS[i] && (op != 12 || dice(2));
      end
      if (m_valid[i] & m_ready[i]) begin
        got = got + 1;
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

  integer from, waits_from;
  initial begin
    wait (!rst);
    repeat (12000) @(posedge clk);
    full_rate = 1;
    range = 2;
    repeat (40) @(posedge clk);
    from = taken;
    waits_from = waits;
    repeat (1000) @(posedge clk);
    $display("PORTS %0d ATOMIC %0d: %0d accesses in 1000 cycles", PORTS, ATOMIC, taken - from);
    if (ATOMIC) check(taken - from == 1000, "less than one operation a cycle");
    else if (PORTS <= 2 && !SUBWORD) check(taken - from == 1000 * PORTS && waits == waits_from, "two ports must never wait");
    else if (!SUBWORD) check(taken - from == 2000, "less than two accesses a cycle");
    finish_bench;
  end
endmodule
