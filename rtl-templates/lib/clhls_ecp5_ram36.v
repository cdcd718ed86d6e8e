// ECP5 block RAM tile with one write and one read port of 36 bits, 512 words: DP16KD in its pseudo dual port mode, with its
// output registers, with vector ports.
// read latency 2, II 1; `en` low freezes the first read stage, `en_out` the second, which never moves without the first.  Use through clhls_ram.
// Reading the address that is written in the same cycle: undefined.
`default_nettype none

module clhls_ecp5_ram36 (
  input  wire        clk,
  input  wire [3:0]  we,     // lane i: wdata[9*i +: 9]
  input  wire [8:0]  waddr,
  input  wire [35:0] wdata,
  input  wire        en,
  input  wire        en_out,
  input  wire [8:0]  raddr,
  output wire [35:0] rdata
);

`ifdef SYNTHESIS

  // Port A writes and port B reads, each with the data pins of both: the low half is DIA and DOA, the high half DIB and DOB.
  // The byte enables alone decide what is written, so port A's clock enable need not follow the writes, and both halves of the
  // output register get the read's enable.
  DP16KD #(
    .DATA_WIDTH_A(36), .DATA_WIDTH_B(36),
    .REGMODE_A("OUTREG"), .REGMODE_B("OUTREG"),
    .WRITEMODE_A("NORMAL"), .WRITEMODE_B("NORMAL"),
    .RESETMODE("SYNC"), .ASYNC_RESET_RELEASE("SYNC"), .GSR("DISABLED"),
    .CSDECODE_A("0b000"), .CSDECODE_B("0b000")
  ) u_tile (
    .CLKA(clk), .CEA(1'b1), .OCEA(en_out), .WEA(1'b1), .RSTA(1'b0),
    .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
    .CLKB(clk), .CEB(en), .OCEB(en_out), .WEB(1'b0), .RSTB(1'b0),
    .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
    .ADA0(we[0]), .ADA1(we[1]), .ADA2(we[2]), .ADA3(we[3]), .ADA4(1'b0), .ADA5(waddr[0]),
    .ADA6(waddr[1]), .ADA7(waddr[2]), .ADA8(waddr[3]), .ADA9(waddr[4]), .ADA10(waddr[5]), .ADA11(waddr[6]),
    .ADA12(waddr[7]), .ADA13(waddr[8]),
    .ADB0(1'b0), .ADB1(1'b0), .ADB2(1'b0), .ADB3(1'b0), .ADB4(1'b0), .ADB5(raddr[0]),
    .ADB6(raddr[1]), .ADB7(raddr[2]), .ADB8(raddr[3]), .ADB9(raddr[4]), .ADB10(raddr[5]), .ADB11(raddr[6]),
    .ADB12(raddr[7]), .ADB13(raddr[8]),
    .DIA0(wdata[0]), .DIA1(wdata[1]), .DIA2(wdata[2]), .DIA3(wdata[3]), .DIA4(wdata[4]), .DIA5(wdata[5]),
    .DIA6(wdata[6]), .DIA7(wdata[7]), .DIA8(wdata[8]), .DIA9(wdata[9]), .DIA10(wdata[10]), .DIA11(wdata[11]),
    .DIA12(wdata[12]), .DIA13(wdata[13]), .DIA14(wdata[14]), .DIA15(wdata[15]), .DIA16(wdata[16]), .DIA17(wdata[17]),
    .DIB0(wdata[18]), .DIB1(wdata[19]), .DIB2(wdata[20]), .DIB3(wdata[21]), .DIB4(wdata[22]), .DIB5(wdata[23]),
    .DIB6(wdata[24]), .DIB7(wdata[25]), .DIB8(wdata[26]), .DIB9(wdata[27]), .DIB10(wdata[28]), .DIB11(wdata[29]),
    .DIB12(wdata[30]), .DIB13(wdata[31]), .DIB14(wdata[32]), .DIB15(wdata[33]), .DIB16(wdata[34]), .DIB17(wdata[35]),
    .DOA0(rdata[0]), .DOA1(rdata[1]), .DOA2(rdata[2]), .DOA3(rdata[3]), .DOA4(rdata[4]), .DOA5(rdata[5]),
    .DOA6(rdata[6]), .DOA7(rdata[7]), .DOA8(rdata[8]), .DOA9(rdata[9]), .DOA10(rdata[10]), .DOA11(rdata[11]),
    .DOA12(rdata[12]), .DOA13(rdata[13]), .DOA14(rdata[14]), .DOA15(rdata[15]), .DOA16(rdata[16]), .DOA17(rdata[17]),
    .DOB0(rdata[18]), .DOB1(rdata[19]), .DOB2(rdata[20]), .DOB3(rdata[21]), .DOB4(rdata[22]), .DOB5(rdata[23]),
    .DOB6(rdata[24]), .DOB7(rdata[25]), .DOB8(rdata[26]), .DOB9(rdata[27]), .DOB10(rdata[28]), .DOB11(rdata[29]),
    .DOB12(rdata[30]), .DOB13(rdata[31]), .DOB14(rdata[32]), .DOB15(rdata[33]), .DOB16(rdata[34]), .DOB17(rdata[35])
  );

`else  // the same tile as a behavioural model, so that designs for this family simulate anywhere

  reg [35:0] mem [0:511];
  reg [35:0] read_q;
  reg [35:0] rdata_q;
  integer i;

  always @(posedge clk) begin
    for (i = 0; i < 4; i = i + 1) begin
      if (we[i]) mem[waddr][9*i +: 9] <= wdata[9*i +: 9];
    end
    if (en) read_q <= mem[raddr];
    if (en_out) rdata_q <= read_q;
  end

  assign rdata = rdata_q;

`endif

endmodule

`default_nettype wire
