// clhls_broadcast with its queues and with early FIFOs: every consumer gets every token once and in order, whatever the others do;
// full rate, also behind a stall; what is documented fits.
`default_nettype none
module bench;
  parameter QUEUES = 2;
  parameter FIFOS  = 1;
  parameter DEPTH  = 16;         // of the FIFOs
  parameter TARGET = "generic";
  `include "bench.vh"

  localparam N = QUEUES + FIFOS;

  reg          s_valid = 0;
  wire         s_ready;
  reg  [15:0]  s_data = 0;
  wire         taken;
  wire [N-1:0] room;
  wire [N-1:0] m_valid;
  reg  [N-1:0] m_ready = 0;
  reg  [N-1:0] stall = 0;
  wire [16*N-1:0] m_data;
  reg  [15:0]  expect [0:N-1];
  integer      i, from, most;
  reg          pour = 1;

  clhls_broadcast #(
    .N(N)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .m_valid(taken), .m_ready(room)
  );

  genvar k;
  generate
    for (k = 0; k < N; k = k + 1) begin : g_consumer
      if (k < QUEUES) begin : g_queue
        wire more_unused;
        clhls_queue #(
          .WIDTH(16), .EARLY(1)
        ) u_queue (
          .clk(clk), .rst(rst), .s_valid(taken), .s_ready(room[k]), .s_data(s_data),
          .m_valid(m_valid[k]), .m_more(more_unused), .m_ready(m_ready[k]), .m_data(m_data[16*k +: 16])
        );
      end else begin : g_fifo
        wire more_unused;
        clhls_fifo_ahead #(
          .WIDTH(16), .DEPTH(DEPTH), .EARLY(1), .TARGET(TARGET)
        ) u_fifo (
          .clk(clk), .rst(rst), .s_valid(taken), .s_ready(room[k]), .s_data(s_data),
          .m_valid(m_valid[k]), .m_more(more_unused), .m_ready(m_ready[k]), .m_data(m_data[16*k +: 16])
        );
      end
    end
  endgenerate

  reg [N-1:0] was = 0;
  reg [16*N-1:0] was_data;
  always @(posedge clk) begin
    check((was & ~m_valid) === 0, "valid fell before ready");
    for (i = 0; i < N; i = i + 1) if (was[i]) check(m_data[16*i +: 16] === was_data[16*i +: 16], "data changed before ready");
    was <= m_valid & ~m_ready & ~{N{rst}};
    was_data <= m_data;
  end

  initial for (i = 0; i < N; i = i + 1) expect[i] = 0;

  always @(posedge clk) if (!rst) begin
    check(taken === (s_valid & s_ready), "token taken without being there, or not taken");
    if (s_valid & s_ready) s_data <= s_data + 1;
    if (~s_valid | s_ready) s_valid <= pour & in_turn(0);
    for (i = 0; i < N; i = i + 1) begin
      if (m_valid[i] & m_ready[i]) begin
        check(m_data[16*i +: 16] === expect[i], "token lost or doubled");
        expect[i] <= expect[i] + 1;
      end
      m_ready[i] <= ~stall[i] & out_turn(0);
    end
  end

  initial begin
    wait (!rst);
    repeat (20000) @(posedge clk);
    full_rate = 1;
    repeat (400) @(posedge clk);
    from = s_data;
    repeat (1000) @(posedge clk);
    check(s_data - from == 1000, "less than one token a cycle");
    // one consumer waits: it keeps what is documented, and the others lose no token
    stall = 1;
    from = expect[0];
    repeat (DEPTH + 200) @(posedge clk);
    most = s_data - expect[0];
    check(most >= ((QUEUES > 0) ? 15 : DEPTH - 1), "less room than documented");
    // a short stall costs the consumer nothing: its queue has what it takes meanwhile
    stall = 0;
    pour = 0;
    repeat (DEPTH + 200) @(posedge clk);
    for (i = 0; i < N; i = i + 1) check(s_data === expect[i] & ~m_valid[i], "tokens left behind");
    pour = 1;
    repeat (100) @(posedge clk);
    stall = 1;
    @(posedge clk) stall = 0;
    repeat (2) @(posedge clk);
    from = expect[0];
    repeat (100) @(posedge clk);
    check(expect[0] - from == 100, "a stall of a cycle costs more than one");
    $display("a consumer that waits keeps %0d tokens", most);
    finish_bench;
  end
endmodule
