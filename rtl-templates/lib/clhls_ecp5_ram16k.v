// ECP5 block RAM tile: DP16KD, true dual port, with its output registers, with vector ports.
// read latency 2, II 1; `en_x` low freezes the port.  Use through clhls_ram and clhls_ram_2rw.
// Same-cycle access of one address through both ports, one of them writing: undefined.
`default_nettype none

module clhls_ecp5_ram16k #(
  parameter WIDTH = 18  // 1, 2, 4, 9 or 18 bits; depth 16384, 8192, 4096, 2048 or 1024
) (
  input  wire        clk,
  input  wire        en_a,
  input  wire        out_a,  // output register advances; only with en_a
  input  wire        we_a,
  input  wire [13:0] ad_a,  // word address in the upper bits; WIDTH = 18: bits 1:0 are the byte enables
  input  wire [17:0] di_a,
  output wire [17:0] do_a,
  input  wire        en_b,
  input  wire        out_b,
  input  wire        we_b,
  input  wire [13:0] ad_b,
  input  wire [17:0] di_b,
  output wire [17:0] do_b
);

`ifdef SYNTHESIS

  DP16KD #(
    .DATA_WIDTH_A(WIDTH), .DATA_WIDTH_B(WIDTH),
    .REGMODE_A("OUTREG"), .REGMODE_B("OUTREG"),
    .WRITEMODE_A("NORMAL"), .WRITEMODE_B("NORMAL"),
    .RESETMODE("SYNC"), .ASYNC_RESET_RELEASE("SYNC"), .GSR("DISABLED"),
    .CSDECODE_A("0b000"), .CSDECODE_B("0b000")
  ) u_tile (
    .CLKA(clk), .CEA(en_a), .OCEA(out_a), .WEA(we_a), .RSTA(1'b0),
    .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
    .CLKB(clk), .CEB(en_b), .OCEB(out_b), .WEB(we_b), .RSTB(1'b0),
    .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
    .ADA0(ad_a[0]), .ADA1(ad_a[1]), .ADA2(ad_a[2]), .ADA3(ad_a[3]), .ADA4(ad_a[4]), .ADA5(ad_a[5]),
    .ADA6(ad_a[6]), .ADA7(ad_a[7]), .ADA8(ad_a[8]), .ADA9(ad_a[9]), .ADA10(ad_a[10]), .ADA11(ad_a[11]),
    .ADA12(ad_a[12]), .ADA13(ad_a[13]),
    .ADB0(ad_b[0]), .ADB1(ad_b[1]), .ADB2(ad_b[2]), .ADB3(ad_b[3]), .ADB4(ad_b[4]), .ADB5(ad_b[5]),
    .ADB6(ad_b[6]), .ADB7(ad_b[7]), .ADB8(ad_b[8]), .ADB9(ad_b[9]), .ADB10(ad_b[10]), .ADB11(ad_b[11]),
    .ADB12(ad_b[12]), .ADB13(ad_b[13]),
    .DIA0(di_a[0]), .DIA1(di_a[1]), .DIA2(di_a[2]), .DIA3(di_a[3]), .DIA4(di_a[4]), .DIA5(di_a[5]),
    .DIA6(di_a[6]), .DIA7(di_a[7]), .DIA8(di_a[8]), .DIA9(di_a[9]), .DIA10(di_a[10]), .DIA11(di_a[11]),
    .DIA12(di_a[12]), .DIA13(di_a[13]), .DIA14(di_a[14]), .DIA15(di_a[15]), .DIA16(di_a[16]), .DIA17(di_a[17]),
    .DIB0(di_b[0]), .DIB1(di_b[1]), .DIB2(di_b[2]), .DIB3(di_b[3]), .DIB4(di_b[4]), .DIB5(di_b[5]),
    .DIB6(di_b[6]), .DIB7(di_b[7]), .DIB8(di_b[8]), .DIB9(di_b[9]), .DIB10(di_b[10]), .DIB11(di_b[11]),
    .DIB12(di_b[12]), .DIB13(di_b[13]), .DIB14(di_b[14]), .DIB15(di_b[15]), .DIB16(di_b[16]), .DIB17(di_b[17]),
    .DOA0(do_a[0]), .DOA1(do_a[1]), .DOA2(do_a[2]), .DOA3(do_a[3]), .DOA4(do_a[4]), .DOA5(do_a[5]),
    .DOA6(do_a[6]), .DOA7(do_a[7]), .DOA8(do_a[8]), .DOA9(do_a[9]), .DOA10(do_a[10]), .DOA11(do_a[11]),
    .DOA12(do_a[12]), .DOA13(do_a[13]), .DOA14(do_a[14]), .DOA15(do_a[15]), .DOA16(do_a[16]), .DOA17(do_a[17]),
    .DOB0(do_b[0]), .DOB1(do_b[1]), .DOB2(do_b[2]), .DOB3(do_b[3]), .DOB4(do_b[4]), .DOB5(do_b[5]),
    .DOB6(do_b[6]), .DOB7(do_b[7]), .DOB8(do_b[8]), .DOB9(do_b[9]), .DOB10(do_b[10]), .DOB11(do_b[11]),
    .DOB12(do_b[12]), .DOB13(do_b[13]), .DOB14(do_b[14]), .DOB15(do_b[15]), .DOB16(do_b[16]), .DOB17(do_b[17])
  );

`else  // the same tile as a behavioural model, so that designs for this family simulate anywhere

  localparam SHIFT = (WIDTH == 18) ? 4 : (WIDTH == 9) ? 3 : (WIDTH == 4) ? 2 : (WIDTH == 2) ? 1 : 0;
  localparam AW    = 14 - SHIFT;

  reg [WIDTH-1:0] mem [0:(1<<AW)-1];
  reg [WIDTH-1:0] read_a_q;
  reg [WIDTH-1:0] read_b_q;
  reg [WIDTH-1:0] out_a_q;
  reg [WIDTH-1:0] out_b_q;
  wire [AW-1:0]   word_a = ad_a[13:SHIFT];
  wire [AW-1:0]   word_b = ad_b[13:SHIFT];
  wire [WIDTH-1:0] mask_a;
  wire [WIDTH-1:0] mask_b;

  generate
    if (WIDTH == 18) begin : g_bytes
      assign mask_a = {{9{ad_a[1]}}, {9{ad_a[0]}}};
      assign mask_b = {{9{ad_b[1]}}, {9{ad_b[0]}}};
    end else begin : g_whole
      assign mask_a = {WIDTH{1'b1}};
      assign mask_b = {WIDTH{1'b1}};
    end
  endgenerate

  always @(posedge clk) begin
    if (en_a) begin
      if (we_a) mem[word_a] <= (mem[word_a] & ~mask_a) | (di_a[WIDTH-1:0] & mask_a);
      else read_a_q <= mem[word_a];
    end
    if (out_a) out_a_q <= read_a_q;
  end

  always @(posedge clk) begin
    if (en_b) begin
      if (we_b) mem[word_b] <= (mem[word_b] & ~mask_b) | (di_b[WIDTH-1:0] & mask_b);
      else read_b_q <= mem[word_b];
    end
    if (out_b) out_b_q <= read_b_q;
  end

  assign do_a = {{(18-WIDTH){1'b0}}, out_a_q};
  assign do_b = {{(18-WIDTH){1'b0}}, out_b_q};
  wire unused = &{1'b0, ad_a, ad_b, di_a, di_b};

`endif

endmodule

`default_nettype wire
