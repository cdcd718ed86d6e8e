// Integer product of one DSP tile with the tile's input and output registers.
// latency 2, II 1; `en` low freezes both stages.
`default_nettype none

module clhls_mul #(
  parameter WA       = 18,        // bits of a, >= 1; ecp5: <= 18, generic: one factor <= 27, the other <= 18 fits a DSP48E2
  parameter WB       = 18,        // bits of b, >= 1
  parameter SIGNED_A = 0,         // 1: a is two's complement
  parameter SIGNED_B = 0,         // 1: b is two's complement
  parameter WO       = 36,        // bits of p: the product's low bits, or the product extended
  parameter TARGET   = "generic"  // "generic": inferred, "ecp5": MULT18X18D
) (
  input  wire          clk,
  input  wire          en,
  input  wire [WA-1:0] a,
  input  wire [WB-1:0] b,
  output wire [WO-1:0] p   // a * b, two enabled cycles later
);

  initial begin
    if (WA < 1 || WB < 1 || WO < 1) begin
      $display("clhls_mul: WA, WB and WO must be at least 1");
      $finish;
    end
    if (TARGET == "ecp5" && (WA > 18 || WB > 18)) begin
      $display("clhls_mul: an ecp5 tile multiplies at most 18 x 18 bits");
      $finish;
    end
  end

  localparam WP = WA + WB;  // bits of the exact product

  wire [WP-1:0] product;
  wire          fill = (SIGNED_A != 0 || SIGNED_B != 0) ? product[WP-1] : 1'b0;

  generate
    if (WO > WP) begin : g_extend
      assign p = {{(WO-WP){fill}}, product};
    end else begin : g_low
      assign p = product[WO-1:0];
    end
  endgenerate

  generate
    if (TARGET == "ecp5") begin : g_ecp5
      wire sa = (SIGNED_A != 0) ? a[WA-1] : 1'b0;
      wire sb = (SIGNED_B != 0) ? b[WB-1] : 1'b0;
      wire [35:0] wide;
      wire unused_sign = &{1'b0, sa, sb, wide};
      clhls_ecp5_mul18 u_tile (
        .clk(clk), .en(en),
        .signed_a(SIGNED_A != 0), .signed_b(SIGNED_B != 0),
        .a({{(18-WA){sa}}, a}),
        .b({{(18-WB){sb}}, b}),
        .p(wide)
      );
      assign product = wide[WP-1:0];
    end else begin : g_generic
      reg [WA-1:0] a_q;
      reg [WB-1:0] b_q;
      reg [WP-1:0] p_q;
      wire signed [WA:0] ax = {(SIGNED_A != 0) ? a_q[WA-1] : 1'b0, a_q};
      wire signed [WB:0] bx = {(SIGNED_B != 0) ? b_q[WB-1] : 1'b0, b_q};
      wire signed [WP+1:0] px = ax * bx;
      always @(posedge clk) begin
        if (en) begin
          a_q <= a;
          b_q <= b;
          p_q <= px[WP-1:0];
        end
      end
      assign product = p_q;
      wire unused = &{1'b0, px[WP+1:WP]};
    end
  endgenerate

  wire unused = &{1'b0, product, fill};

endmodule

`default_nettype wire
