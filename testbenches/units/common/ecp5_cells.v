// Models of the two ECP5 cells that the library instantiates, for benches run with the macro SYNTHESIS: they check how the
// pins are wired.  Only the modes used here; written from the pin names, not from the vendor's models.
`default_nettype none

module DP16KD #(
  parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18, REGMODE_A = "NOREG", REGMODE_B = "NOREG", WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL", RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC", GSR = "DISABLED",
  parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000"
) (
  input wire CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2,
  input wire ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
  input wire DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
  output wire DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16, DOA17,
  input wire CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
  input wire ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
  input wire DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
  output wire DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
  generate
    if (DATA_WIDTH_A == 36) begin : g_pseudo
      // Port A writes, port B reads, both with the data pins of A (low half) and B (high half).
      reg [35:0] mem [0:511];
      reg [35:0] array, out;
      wire [8:0]  write_word = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5};
      wire [8:0]  read_word = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5};
      wire [35:0] mask = {{9{ADA3}}, {9{ADA2}}, {9{ADA1}}, {9{ADA0}}};
      wire [35:0] di = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
                        DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
      wire [35:0] do = (REGMODE_B == "OUTREG") ? out : array;
      assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0,
              DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = do;
      always @(posedge CLKA) begin
        if (CEA & WEA & ~CSA0 & ~CSA1 & ~CSA2) mem[write_word] <= (mem[write_word] & ~mask) | (di & mask);
      end
      always @(posedge CLKB) begin
        if (CEB & ~WEB & ~CSB0 & ~CSB1 & ~CSB2) array <= mem[read_word];
        if (CEB & OCEB & OCEA) out <= array;
      end
    end else begin : g_true
      // One array: both ports have the same width here.
      localparam SHIFT = (DATA_WIDTH_A == 18) ? 4 : (DATA_WIDTH_A == 9) ? 3 : (DATA_WIDTH_A == 4) ? 2 : (DATA_WIDTH_A == 2) ? 1 : 0;
      reg [DATA_WIDTH_A-1:0] mem [0:(16384>>SHIFT)-1];
      wire [13:0] ad_A = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
      wire [17:0] di_A = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
      wire [DATA_WIDTH_A-1:0] mask_A = (DATA_WIDTH_A == 18) ? {{9{ad_A[1]}}, {9{ad_A[0]}}} : ~18'd0;
      wire on_A = CEA & ~CSA0 & ~CSA1 & ~CSA2;
      reg  [DATA_WIDTH_A-1:0] array_A, out_A;
      wire [17:0] do_A = (REGMODE_A == "OUTREG") ? out_A : array_A;
      assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = do_A;
      always @(posedge CLKA) begin
        if (on_A) begin
          if (WEA) mem[ad_A >> SHIFT] <= (mem[ad_A >> SHIFT] & ~mask_A) | (di_A & mask_A);
          else array_A <= mem[ad_A >> SHIFT];
        end
        if (CEA & OCEA) out_A <= array_A;
      end
      wire [13:0] ad_B = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
      wire [17:0] di_B = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
      wire [DATA_WIDTH_A-1:0] mask_B = (DATA_WIDTH_A == 18) ? {{9{ad_B[1]}}, {9{ad_B[0]}}} : ~18'd0;
      wire on_B = CEB & ~CSB0 & ~CSB1 & ~CSB2;
      reg  [DATA_WIDTH_A-1:0] array_B, out_B;
      wire [17:0] do_B = (REGMODE_B == "OUTREG") ? out_B : array_B;
      assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = do_B;
      always @(posedge CLKB) begin
        if (on_B) begin
          if (WEB) mem[ad_B >> SHIFT] <= (mem[ad_B >> SHIFT] & ~mask_B) | (di_B & mask_B);
          else array_B <= mem[ad_B >> SHIFT];
        end
        if (CEB & OCEB) out_B <= array_B;
      end
    end
  endgenerate
endmodule

module MULT18X18D #(
  parameter REG_INPUTA_CLK = "NONE", REG_INPUTA_CE = "CE0", REG_INPUTA_RST = "RST0",
  parameter REG_INPUTB_CLK = "NONE", REG_INPUTB_CE = "CE0", REG_INPUTB_RST = "RST0",
  parameter REG_PIPELINE_CLK = "NONE", REG_PIPELINE_CE = "CE0", REG_PIPELINE_RST = "RST0",
  parameter REG_OUTPUT_CLK = "NONE", REG_OUTPUT_CE = "CE0", REG_OUTPUT_RST = "RST0",
  parameter CLK0_DIV = "ENABLED", GSR = "ENABLED", RESETMODE = "SYNC", MULT_BYPASS = "DISABLED", SOURCEB_MODE = "B_SHIFT"
) (
  input wire CLK0, CE0, RST0, SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input wire A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
  input wire B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
  output wire P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17, P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31, P32, P33, P34, P35
);
  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  reg signed [18:0] a_q, b_q;
  reg signed [37:0] p_q;
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p_q[35:0];
  always @(posedge CLK0) if (CE0) begin
    a_q <= {SIGNEDA & a[17], a};
    b_q <= {SIGNEDB & b[17], b};
    p_q <= a_q * b_q;
  end
  initial if (REG_INPUTA_CLK != "CLK0" || REG_INPUTB_CLK != "CLK0" || REG_OUTPUT_CLK != "CLK0" || REG_PIPELINE_CLK != "NONE") begin
    $display("FAIL: the registers of the tile are not used as the model expects");
    $finish;
  end
endmodule

`default_nettype wire
