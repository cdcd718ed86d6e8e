// clhls_pipe_ctl with its exit FIFOs: nothing lost, no overflow, initiation interval, window, full rate when DEPTH >= LATENCY + 3.
`default_nettype none
module bench;
  parameter LATENCY = 5;
  parameter DEPTH   = 16;
  parameter EXITS   = 1;
  parameter OTHERS  = 16;
  parameter II      = 1;
  parameter WINDOW  = 0;
  `include "bench.vh"

  reg              s_valid = 0;
  wire             s_ready;
  reg  [31:0]      s_data = 0;
  wire             start;
  wire [LATENCY:0] valid;
  wire             exit_ready;
  wire             m_valid;
  reg              m_ready = 0;
  wire [31:0]      m_data;
  reg  [31:0]      expect = 0;
  integer          got = 0, from, last = -1000, hold = 0, inside = 0, k, aligned = 0, between = 0;
  reg [299:0]      starts = 0;  // starts[k]: one k + 1 cycles ago

  clhls_pipe_ctl #(
    .LATENCY(LATENCY), .EXITS(EXITS), .DEPTH(DEPTH), .OTHERS(OTHERS), .II(II), .WINDOW(WINDOW)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .start(start), .valid(valid), .exit_pop(pops)
  );

  // the datapath: a delay line without enable
  wire [32*(LATENCY+1)-1:0] data;
  assign data[31:0] = s_data;
  genvar g;
  generate
    for (g = 0; g < LATENCY; g = g + 1) begin : g_stage
      reg [31:0] data_q;
      always @(posedge clk) data_q <= data[32*g +: 32];
      assign data[32*(g+1) +: 32] = data_q;
    end
  endgenerate

  clhls_fifo #(
    .WIDTH(32), .DEPTH(DEPTH)
  ) u_exit (
    .clk(clk), .rst(rst), .s_valid(valid[LATENCY]), .s_ready(exit_ready), .s_data(data[32*LATENCY +: 32]),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

  // further exits, at their own pace, through queues that take a word whenever it is valid
  wire [EXITS-1:0] pops;
  assign pops[0] = m_valid & m_ready;
  generate
    for (g = 1; g < EXITS; g = g + 1) begin : g_other
      wire        more, ready, some;
      reg         take = 0;
      wire [31:0] word;
      reg  [31:0] next = 0;
      clhls_fifo_ahead #(
        .WIDTH(32), .DEPTH(OTHERS), .EARLY(1)
      ) u_exit (
        .clk(clk), .rst(rst), .s_valid(valid[LATENCY]), .s_ready(ready), .s_data(data[32*LATENCY +: 32]),
        .m_valid(some), .m_more(more), .m_ready(take), .m_data(word)
      );
      assign pops[g] = some & take;
      always @(posedge clk) if (!rst) begin
        if (some & take) begin
          check(word === next, "wrong word behind another exit");
          next <= next + 1;
        end
        take <= out_turn(g);
      end
    end
  endgenerate

  always @(posedge clk) if (!rst) begin
    if (valid[LATENCY]) check(exit_ready, "exit FIFO overflows");
    check(start === (s_valid & s_ready), "start");
    if (start) begin
      check(cycle - last >= II, "started inside the initiation interval");
      // all starts inside the window, not the last one only
      for (k = 1; k <= WINDOW; k = k + 1)
        if (k % II != 0) check(!starts[k-1], "started between multiples of the initiation interval");
      aligned = aligned + ((cycle - last) % II == 0);
      between = between + ((cycle - last) % II != 0);
      last = cycle;
      inside = inside + 1;
      s_data <= s_data + 1;
    end
    starts <= {starts[298:0], start};
    if (~s_valid | s_ready) s_valid <= in_turn(0);
    if (m_valid & m_ready) begin
      got = got + 1;
      inside = inside - 1;
      check(m_data === expect, "wrong word");
      expect <= expect + 1;
    end
    m_ready <= !hold && out_turn(0);
  end

  initial begin
    wait (!rst);
    repeat (10000) @(posedge clk);
    full_rate = 1;
    hold = 1;
    repeat (4 * LATENCY + II * DEPTH + 50) @(posedge clk);
    check(inside == DEPTH, "blocked capacity is not DEPTH");
    hold = 0;
    repeat (DEPTH + LATENCY + 50) @(posedge clk);
    from = got;
    repeat (II * 1000) @(posedge clk);
    if (DEPTH * II >= LATENCY + 3) check(got - from >= 999, "full rate missed");
    // tokens that come rarely do not wait for a multiple
    if (WINDOW >= II && WINDOW < 20 && II > 1) check(aligned > 0 && between > 0, "starts behind the window");
    $display("LATENCY %0d DEPTH %0d II %0d: %0d tokens in %0d cycles", LATENCY, DEPTH, II, got - from, II * 1000);
    finish_bench;
  end
endmodule
