// N streams into one, in turn; the grant is a register, so neither data nor readies wait for an arbiter.
// latency 1 for the input that holds the grant, 2 for another one, II 1 (one input alone, and several together).
// Meant for few inputs: clhls_merge_tree makes a tree of these.
`default_nettype none

module clhls_merge_parked #(
  parameter N     = 4,  // inputs, >= 1
  parameter WIDTH = 32  // payload bits, >= 1
) (
  input  wire               clk,
  input  wire               rst,      // synchronous, active high
  input  wire [N-1:0]       s_valid,
  output wire [N-1:0]       s_ready,  // from registers
  input  wire [N*WIDTH-1:0] s_data,   // input i at [i*WIDTH +: WIDTH]
  output wire               m_valid,
  input  wire               m_ready,
  output wire [WIDTH-1:0]   m_data
);

  initial begin
    if (N < 1 || WIDTH < 1) begin
      $display("clhls_merge_parked: N and WIDTH must be at least 1");
      $finish;
    end
  end

  wire             skid_ready;
  wire [N-1:0]     grant;                       // register
  wire             offered = |(grant & s_valid);
  reg  [WIDTH-1:0] word;

  assign s_ready = grant & {N{skid_ready}};

  // Who is offered a place and cannot take it yet keeps the grant.
  clhls_parked_arbiter #(
    .N(N)
  ) u_arbiter (
    .clk(clk), .rst(rst), .request(s_valid), .hold(offered & ~skid_ready), .grant(grant)
  );

  integer i;
  always @* begin
    word = {WIDTH{1'b0}};
    for (i = 0; i < N; i = i + 1) word = word | (s_data[i*WIDTH +: WIDTH] & {WIDTH{grant[i]}});
  end

  clhls_skid #(
    .WIDTH(WIDTH)
  ) u_skid (
    .clk(clk), .rst(rst),
    .s_valid(offered), .s_ready(skid_ready), .s_data(word),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

`ifdef FORMAL
  `include "clhls_merge_parked.fv.vh"
`endif

endmodule

`default_nettype wire
