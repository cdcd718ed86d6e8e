// Delay line of a fixed number of cycles: a ring of LUTRAM and an output register.
// latency LATENCY, II 1.  For families without shift register LUTs, where a flip-flop for each bit and cycle is dearer.
`default_nettype none

module clhls_delay #(
  parameter WIDTH   = 32,  // bits, >= 1
  parameter LATENCY = 8    // cycles from d to q, 3..17
) (
  input  wire             clk,
  input  wire [WIDTH-1:0] d,
  output wire [WIDTH-1:0] q     // register
);

  initial begin
    if (WIDTH < 1 || LATENCY < 3 || LATENCY > 17) begin
      $display("clhls_delay: WIDTH must be at least 1 and LATENCY 3..17");
      $finish;
    end
  end

  localparam PLACES = LATENCY - 1;
  localparam AW     = $clog2(PLACES);
  localparam LAST   = PLACES - 1;

  (* ram_style = "distributed" *)
  reg [WIDTH-1:0] mem [0:(1<<AW)-1];
  reg [AW-1:0]    place_q;
  reg [WIDTH-1:0] data_q;

  assign q = data_q;

  // Any place is right to begin with, and one behind the last leads to the first within a turn: no reset goes to each of a design's
  // hundreds of lines.
  initial place_q = {AW{1'b0}};
  always @(posedge clk) place_q <= (place_q == LAST[AW-1:0]) ? {AW{1'b0}} : place_q + 1'b1;

  // The word that leaves is the one written PLACES cycles ago.
  always @(posedge clk) begin
    mem[place_q] <= d;
    data_q <= mem[place_q];
  end

`ifdef FORMAL
  `include "clhls_delay.fv.vh"
`endif

endmodule

`default_nettype wire
