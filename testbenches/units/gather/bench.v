// clhls_gather behind queues and FIFOs: every token is made of the words of equal number, none lost or doubled; full rate.
`default_nettype none
module bench;
  parameter QUEUES = 2;
  parameter FIFOS  = 1;
  parameter DEPTH  = 16;         // of the FIFOs
  parameter TARGET = "generic";
  `include "bench.vh"

  localparam N = QUEUES + FIFOS;

  reg  [N-1:0]    s_valid = 0;
  wire [N-1:0]    s_ready;
  reg  [16*N-1:0] s_data = 0;
  wire [N-1:0]    q_valid;
  wire [N-1:0]    q_more;
  wire [16*N-1:0] q_data;
  wire            go;
  wire            m_valid;
  reg             m_ready = 0;
  reg  [15:0]     expect = 0;
  reg  [N-1:0]    pause = 0;
  integer         i, from, start;

  clhls_gather #(
    .N(N)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(q_valid), .s_more(q_more), .s_ready(go), .m_valid(m_valid), .m_ready(m_ready)
  );

  genvar k;
  generate
    for (k = 0; k < N; k = k + 1) begin : g_stream
      if (k < QUEUES) begin : g_queue
        clhls_queue #(
          .WIDTH(16)
        ) u_queue (
          .clk(clk), .rst(rst), .s_valid(s_valid[k]), .s_ready(s_ready[k]), .s_data(s_data[16*k +: 16]),
          .m_valid(q_valid[k]), .m_more(q_more[k]), .m_ready(go), .m_data(q_data[16*k +: 16])
        );
      end else begin : g_fifo
        clhls_fifo_ahead #(
          .WIDTH(16), .DEPTH(DEPTH), .TARGET(TARGET)
        ) u_fifo (
          .clk(clk), .rst(rst), .s_valid(s_valid[k]), .s_ready(s_ready[k]), .s_data(s_data[16*k +: 16]),
          .m_valid(q_valid[k]), .m_more(q_more[k]), .m_ready(go), .m_data(q_data[16*k +: 16])
        );
      end
    end
  endgenerate

  reg was = 0;
  always @(posedge clk) begin
    if (was) check(m_valid, "valid fell before ready");
    was <= m_valid & ~m_ready & ~rst;
  end

  always @(posedge clk) if (!rst) begin
    for (i = 0; i < N; i = i + 1) begin
      if (s_valid[i] & s_ready[i]) s_data[16*i +: 16] <= s_data[16*i +: 16] + 1;
      if (~s_valid[i] | s_ready[i]) s_valid[i] <= ~pause[i] & in_turn(0);
      if (m_valid) check(q_valid[i] && q_data[16*i +: 16] === expect, "token without a word, or with another's");
    end
    check(go === (m_valid & m_ready), "words go without their token");
    if (m_valid & m_ready) expect <= expect + 1;
    m_ready <= out_turn(0);
  end

  initial begin
    wait (!rst);
    repeat (20000) @(posedge clk);
    full_rate = 1;
    repeat (400) @(posedge clk);
    from = expect;
    repeat (1000) @(posedge clk);
    check(expect - from == 1000, "less than one token a cycle");
    // the last word comes late: a token two cycles behind it
    pause = 1;
    repeat (DEPTH + 100) @(posedge clk);
    check(!m_valid, "token without a word");
    pause = 0;
    wait (s_valid[0]);
    @(posedge clk) start = cycle;
    repeat (2) @(posedge clk);
    #0 check(m_valid, "latency above 2, queue and all");
    finish_bench;
  end
endmodule
