// N streams into one in a given order: the order stream says from which input the next word comes.
// latency 1, II 1.  Output is a skid buffer; s_ready and o_ready depend on valids and registers, never on m_ready.
`default_nettype none

module clhls_merge_ordered #(
  parameter N        = 2,                       // inputs, >= 1
  parameter WIDTH    = 32,                      // payload bits, >= 1
  parameter SEL_BITS = (N > 1) ? $clog2(N) : 1  // derived: do not set
) (
  input  wire                clk,
  input  wire                rst,      // synchronous, active high
  input  wire                o_valid,  // order stream: one word per output word
  output wire                o_ready,
  input  wire [SEL_BITS-1:0] o_sel,    // input that delivers the next word, < N
  input  wire [N-1:0]        s_valid,
  output wire [N-1:0]        s_ready,
  input  wire [N*WIDTH-1:0]  s_data,   // input i at [i*WIDTH +: WIDTH]
  output wire                m_valid,
  input  wire                m_ready,
  output wire [WIDTH-1:0]    m_data
);

  initial begin
    if (N < 1 || WIDTH < 1) begin
      $display("clhls_merge_ordered: N and WIDTH must be at least 1");
      $finish;
    end
  end

  wire             skid_ready;
  reg  [N-1:0]     turn;   // one-hot: the input named by the order stream
  reg  [WIDTH-1:0] word;
  wire             go = |(turn & s_valid);

  assign s_ready = turn & {N{skid_ready}};
  assign o_ready = go & skid_ready;

  integer i;
  always @* begin
    word = {WIDTH{1'b0}};
    for (i = 0; i < N; i = i + 1) begin
      turn[i] = o_valid & (o_sel == i[SEL_BITS-1:0]);
      word = word | (s_data[i*WIDTH +: WIDTH] & {WIDTH{turn[i]}});
    end
  end

  clhls_skid #(
    .WIDTH(WIDTH)
  ) u_skid (
    .clk(clk), .rst(rst),
    .s_valid(go), .s_ready(skid_ready), .s_data(word),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

endmodule

`default_nettype wire
