// ECP5 DSP tile: 18 x 18 multiplier with its input and output registers, with vector ports.
// latency 2, II 1; `en` low freezes both stages.  Use through clhls_mul.
`default_nettype none

module clhls_ecp5_mul18 (
  input  wire        clk,
  input  wire        en,
  input  wire        signed_a,  // constant
  input  wire        signed_b,  // constant
  input  wire [17:0] a,
  input  wire [17:0] b,
  output wire [35:0] p
);

`ifdef SYNTHESIS

  MULT18X18D #(
    .REG_INPUTA_CLK("CLK0"), .REG_INPUTA_CE("CE0"), .REG_INPUTA_RST("RST0"),
    .REG_INPUTB_CLK("CLK0"), .REG_INPUTB_CE("CE0"), .REG_INPUTB_RST("RST0"),
    .REG_PIPELINE_CLK("NONE"), .REG_PIPELINE_CE("CE0"), .REG_PIPELINE_RST("RST0"),
    .REG_OUTPUT_CLK("CLK0"), .REG_OUTPUT_CE("CE0"), .REG_OUTPUT_RST("RST0"),
    .CLK0_DIV("ENABLED"), .GSR("DISABLED"), .RESETMODE("SYNC"),
    .MULT_BYPASS("DISABLED"), .SOURCEB_MODE("B_SHIFT")
  ) u_tile (
    .CLK0(clk), .CE0(en), .RST0(1'b0),
    .SIGNEDA(signed_a), .SIGNEDB(signed_b), .SOURCEA(1'b0), .SOURCEB(1'b0),
    .A0(a[0]), .A1(a[1]), .A2(a[2]), .A3(a[3]), .A4(a[4]), .A5(a[5]),
    .A6(a[6]), .A7(a[7]), .A8(a[8]), .A9(a[9]), .A10(a[10]), .A11(a[11]),
    .A12(a[12]), .A13(a[13]), .A14(a[14]), .A15(a[15]), .A16(a[16]), .A17(a[17]),
    .B0(b[0]), .B1(b[1]), .B2(b[2]), .B3(b[3]), .B4(b[4]), .B5(b[5]),
    .B6(b[6]), .B7(b[7]), .B8(b[8]), .B9(b[9]), .B10(b[10]), .B11(b[11]),
    .B12(b[12]), .B13(b[13]), .B14(b[14]), .B15(b[15]), .B16(b[16]), .B17(b[17]),
    .P0(p[0]), .P1(p[1]), .P2(p[2]), .P3(p[3]), .P4(p[4]), .P5(p[5]),
    .P6(p[6]), .P7(p[7]), .P8(p[8]), .P9(p[9]), .P10(p[10]), .P11(p[11]),
    .P12(p[12]), .P13(p[13]), .P14(p[14]), .P15(p[15]), .P16(p[16]), .P17(p[17]),
    .P18(p[18]), .P19(p[19]), .P20(p[20]), .P21(p[21]), .P22(p[22]), .P23(p[23]),
    .P24(p[24]), .P25(p[25]), .P26(p[26]), .P27(p[27]), .P28(p[28]), .P29(p[29]),
    .P30(p[30]), .P31(p[31]), .P32(p[32]), .P33(p[33]), .P34(p[34]), .P35(p[35])
  );

`else  // the same tile as a behavioural model, so that designs for this family simulate anywhere

  reg signed [18:0] a_q;
  reg signed [18:0] b_q;
  reg [35:0]        p_q;
  wire signed [37:0] product = a_q * b_q;

  always @(posedge clk) begin
    if (en) begin
      a_q <= {signed_a & a[17], a};
      b_q <= {signed_b & b[17], b};
      p_q <= product[35:0];
    end
  end

  assign p = p_q;
  wire unused = &{1'b0, product[37:36]};

`endif

endmodule

`default_nettype wire
