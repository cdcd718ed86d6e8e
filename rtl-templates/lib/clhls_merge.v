// N streams into one: input 0 (a loop's back edge) first, then round robin among the others. clhls_merge_parked has no first one.
// latency 1, II 1.  Output is a skid buffer; s_ready depends on s_valid of the inputs (of other inputs alone, with N <= 2) and on registers,
// never on m_ready.
// For more than 4 inputs build a tree of these: the arbiter's depth grows with N.
`default_nettype none

module clhls_merge #(
  parameter N     = 2,  // inputs, >= 1
  parameter WIDTH = 32  // payload bits, >= 1
) (
  input  wire               clk,
  input  wire               rst,      // synchronous, active high
  input  wire [N-1:0]       s_valid,
  output wire [N-1:0]       s_ready,
  input  wire [N*WIDTH-1:0] s_data,   // input i at [i*WIDTH +: WIDTH]
  output wire               m_valid,
  input  wire               m_ready,
  output wire [WIDTH-1:0]   m_data
);

  wire             skid_ready;
  wire [N-1:0]     grant;   // whose word is taken, if one is
  reg  [WIDTH-1:0] word;

  generate
    if (N <= 2) begin : g_first
      // The second input is told that the first has nothing, whether it has a word itself or not: its valid may come from afar, and
      // would come back there as its ready.
      if (N == 2) begin : g_second
        assign grant = {~s_valid[0], s_valid[0]};
        assign s_ready = {~s_valid[0] & skid_ready, skid_ready};
      end else begin : g_alone
        assign grant = 1'b1;
        assign s_ready = skid_ready;
      end
    end else begin : g_turns
      assign s_ready = grant & {N{skid_ready}};
      clhls_arbiter #(
        .N(N), .PRIORITY0(1)
      ) u_arbiter (
        .clk(clk), .rst(rst), .request(s_valid), .advance(skid_ready), .grant(grant)
      );
    end
  endgenerate

  integer i;
  always @* begin
    word = {WIDTH{1'b0}};
    for (i = 0; i < N; i = i + 1) word = word | (s_data[i*WIDTH +: WIDTH] & {WIDTH{grant[i]}});
  end

  clhls_skid #(
    .WIDTH(WIDTH)
  ) u_skid (
    .clk(clk), .rst(rst),
    .s_valid(|s_valid), .s_ready(skid_ready), .s_data(word),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

`ifdef FORMAL
  `include "clhls_merge.fv.vh"
`endif

endmodule

`default_nettype wire
