// clhls_merge, (PRIORITY0=0) clhls_merge_parked, (ORDERED=1) clhls_merge_ordered and (TREE=1) clhls_merge_tree: nothing lost, order per input, priority, fairness, given order, full rate.
`default_nettype none
module bench;
  parameter N         = 3;
  parameter PRIORITY0 = 1;
  parameter ORDERED   = 0;
  parameter TREE      = 0;  // its most inputs of a node
  `include "bench.vh"

  localparam SB = (N > 1) ? $clog2(N) : 1;
  localparam W  = 24;

  reg  [N-1:0]   s_valid = 0;
  wire [N-1:0]   s_ready;
  reg  [N*W-1:0] s_data;
  wire           m_valid;
  reg            m_ready = 0;
  wire [W-1:0]   m_data;
  reg            o_valid = 0;
  wire           o_ready;
  reg  [SB-1:0]  o_sel = 0;
  integer        expect [0:N-1], taken [0:N-1], before [0:N-1];
  integer        alone = 0, i, k, from, got = 0, order_in = 0, order_out = 0;
  reg  [SB-1:0]  order [0:65535];

  generate
    if (ORDERED) begin : g_ordered
      clhls_merge_ordered #(
        .N(N), .WIDTH(W)
      ) dut (
        .clk(clk), .rst(rst), .o_valid(o_valid), .o_ready(o_ready), .o_sel(o_sel),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
      );
    end else if (TREE) begin : g_tree
      clhls_merge_tree #(
        .N(N), .WIDTH(W), .FAN(TREE)
      ) dut (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
      );
      assign o_ready = 1'b0;
    end else if (PRIORITY0) begin : g_first
      clhls_merge #(
        .N(N), .WIDTH(W)
      ) dut (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
      );
      assign o_ready = 1'b0;
    end else begin : g_parked
      clhls_merge_parked #(
        .N(N), .WIDTH(W)
      ) dut (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
      );
      assign o_ready = 1'b0;
    end
  endgenerate

  reg was = 0;
  reg [W-1:0] was_data;
  always @(posedge clk) begin
    if (was) check(m_valid && m_data === was_data, "valid or data changed before ready");
    was <= m_valid & ~m_ready & ~rst;
    was_data <= m_data;
  end

  initial begin
    for (i = 0; i < N; i = i + 1) begin
      expect[i] = 0;
      taken[i]  = 0;
      s_data[i*W +: W] = {i[7:0], 16'd0};
    end
  end

  always @(posedge clk) if (!rst) begin
    // a tree has a node for every few inputs, which take words side by side
    if (!TREE || N <= TREE) check((s_ready & s_valid & ((s_ready & s_valid) - 1)) === 0, "two inputs taken in one cycle");
    if (PRIORITY0 && !ORDERED && s_valid[0]) check((s_ready & ~1) === 0, "input 0 has no priority");
    for (i = 0; i < N; i = i + 1) begin
      if (s_valid[i] & s_ready[i]) begin
        taken[i] = taken[i] + 1;
        s_data[i*W +: 16] <= s_data[i*W +: 16] + 1;
      end
      // under full rate input 0 pauses when it has priority, or nobody else would be served
      if (~s_valid[i] | s_ready[i]) s_valid[i] <= in_turn(0) && !(full_rate && PRIORITY0 && i == 0 && N > 1 && !ORDERED) && !(alone && i != N - 1);
    end
    if (m_valid & m_ready) begin
      got = got + 1;
      i = m_data[23:16];
      check(i < N && m_data[15:0] === expect[i][15:0], "word lost, doubled or out of order");
      expect[i] = expect[i] + 1;
      if (ORDERED) begin
        check(order[order_out & 65535] === m_data[16 +: SB], "not the order asked for");
        order_out = order_out + 1;
      end
    end
    m_ready <= out_turn(0);
    if (o_valid & o_ready) begin
      order[order_in & 65535] = o_sel;
      order_in = order_in + 1;
    end
    if (~o_valid | o_ready) begin
      o_valid <= in_turn(0);
      o_sel   <= dice(N);
    end
  end

  initial begin
    wait (!rst);
    repeat (15000) @(posedge clk);
    full_rate = 1;
    repeat (20) @(posedge clk);
    from = got;
    for (k = 0; k < N; k = k + 1) before[k] = taken[k];
    repeat (1200) @(posedge clk);
    check(got - from == 1200, "less than one word a cycle");
    if (!ORDERED && !TREE && N > 1) begin
      for (k = PRIORITY0 ? 1 : 0; k < N; k = k + 1) begin
        check((taken[k] - before[k]) * (N - (PRIORITY0 ? 1 : 0)) - 1200 < 2 * N, "unfair: too many");
        check(1200 - (taken[k] - before[k]) * (N - (PRIORITY0 ? 1 : 0)) < 2 * N, "unfair: too few");
      end
    end
    // nodes take turns and have equally many inputs or one more: nobody gets less than half of what all get on average
    if (TREE) for (k = 0; k < N; k = k + 1) check((taken[k] - before[k] + 2) * 2 * N >= 1200, "unfair tree");
    if (!ORDERED) begin
      alone = 1;
      repeat (40) @(posedge clk);
      from = got;
      repeat (200) @(posedge clk);
      check(got - from == 200, "less than one word a cycle from one input");
    end
    finish_bench;
  end
endmodule
