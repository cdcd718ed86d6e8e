// N streams into one, in turn; the grant is a register, so neither data nor readies wait for an arbiter.
// latency 1 for the input that holds the grant, 2 for another one, 3 where there are more than 4; II 1 (one input alone, and several together).
// Meant for few inputs: clhls_merge_tree makes a tree of these, where nothing depends on the order in which words are accepted.
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

  // Who is offered a place and cannot take it yet keeps the grant.  With many inputs, whose valids come from afar and late, the arbiter
  // sees who waited a cycle ago, and whoever holds the grant keeps it while nobody could be taken.
  wire [N-1:0] request;
  wire         hold;
  generate
    if (N > 4) begin : g_many
      reg [N-1:0] waits_q;
      always @(posedge clk) begin
        if (rst) waits_q <= {N{1'b0}};
        else waits_q <= s_valid & ~s_ready;
      end
      assign request = waits_q;
      assign hold    = ~skid_ready;
    end else begin : g_few
      assign request = s_valid;
      assign hold    = offered & ~skid_ready;
    end
  endgenerate

  clhls_parked_arbiter #(
    .N(N)
  ) u_arbiter (
    .clk(clk), .rst(rst), .request(request), .hold(hold), .grant(grant)
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
