// N streams into one through a tree of merges of at most FAN inputs; those of a node take turns.
// latency 1 to 2 a level (see clhls_merge_parked), levels: log FAN of N, rounded up; II 1 (one input alone, and several together).
// Words of different inputs may pass one another between the levels.
`default_nettype none

module clhls_merge_tree #(
  parameter N     = 16,  // inputs, 1..FAN^4
  parameter WIDTH = 32,  // payload bits, >= 1
  parameter FAN   = 4    // most inputs of a node, >= 2
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

  // Streams into each level; they are numbered from the inputs to the output.
  localparam C0     = N;
  localparam C1     = (C0 + FAN - 1) / FAN;
  localparam C2     = (C1 + FAN - 1) / FAN;
  localparam C3     = (C2 + FAN - 1) / FAN;
  localparam LEVELS = (C1 == 1) ? 1 : (C2 == 1) ? 2 : (C3 == 1) ? 3 : 4;
  localparam OUT    = C0 + ((LEVELS > 1) ? C1 : 0) + ((LEVELS > 2) ? C2 : 0) + ((LEVELS > 3) ? C3 : 0);

  initial begin
    if (N < 1 || WIDTH < 1 || FAN < 2 || C3 > FAN) begin
      $display("clhls_merge_tree: N must be 1..FAN^4, WIDTH at least 1, FAN at least 2");
      $finish;
    end
  end

  wire [OUT:0]             valid;
  wire [OUT:0]             ready;
  wire [(OUT+1)*WIDTH-1:0] data;

  assign valid[N-1:0]        = s_valid;
  assign data[N*WIDTH-1:0]   = s_data;
  assign s_ready             = ready[N-1:0];
  assign m_valid             = valid[OUT];
  assign m_data              = data[OUT*WIDTH +: WIDTH];
  assign ready[OUT]          = m_ready;

  genvar l;
  genvar k;
  generate
    for (l = 0; l < LEVELS; l = l + 1) begin : g_level
      localparam IN    = (l == 0) ? 0 : (l == 1) ? C0 : (l == 2) ? C0 + C1 : C0 + C1 + C2;
      localparam COUNT = (l == 0) ? C0 : (l == 1) ? C1 : (l == 2) ? C2 : C3;
      localparam NODES = (COUNT + FAN - 1) / FAN;
      for (k = 0; k < NODES; k = k + 1) begin : g_node
        localparam FROM = IN + k * COUNT / NODES;  // all nodes of a level have the same number of inputs, or one more
        localparam MANY = IN + (k + 1) * COUNT / NODES - FROM;
        clhls_merge_parked #(
          .N(MANY), .WIDTH(WIDTH)
        ) u_merge (
          .clk(clk), .rst(rst),
          .s_valid(valid[FROM +: MANY]), .s_ready(ready[FROM +: MANY]), .s_data(data[FROM*WIDTH +: MANY*WIDTH]),
          .m_valid(valid[IN+COUNT+k]), .m_ready(ready[IN+COUNT+k]), .m_data(data[(IN+COUNT+k)*WIDTH +: WIDTH])
        );
      end
    end
  endgenerate

endmodule

`default_nettype wire
