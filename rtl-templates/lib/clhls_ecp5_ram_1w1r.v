// ECP5 RAM of any width, up to 512 words, with one write and one read port, out of tiles 36 bits wide.
// read latency 2, II 1; `en` low freezes the first read stage, `en_out` the second, which never moves without the first.  Use through clhls_ram.
// Reading the address that is written in the same cycle: undefined.
`default_nettype none

module clhls_ecp5_ram_1w1r #(
  parameter WIDTH     = 32,   // word bits, a multiple of WE_WIDTH
  parameter DEPTH     = 512,  // words, 2..512
  parameter WE_WIDTH  = 1,    // write lanes
  parameter ADDR_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1  // derived: do not set
) (
  input  wire                 clk,
  input  wire [WE_WIDTH-1:0]  wen,
  input  wire [ADDR_BITS-1:0] waddr,
  input  wire [WIDTH-1:0]     wdata,
  input  wire                 en,
  input  wire                 en_out,
  input  wire [ADDR_BITS-1:0] raddr,
  output wire [WIDTH-1:0]     rdata
);

  initial begin
    if (DEPTH < 2 || DEPTH > 512 || WIDTH % WE_WIDTH != 0) begin
      $display("clhls_ecp5_ram_1w1r: DEPTH must be 2..512 and WIDTH a multiple of WE_WIDTH");
      $finish;
    end
  end

  // A tile holds four slices of 9 bits, each with its write enable; a lane begins a new slice.
  localparam LANE   = WIDTH / WE_WIDTH;
  localparam PARTS  = (LANE + 8) / 9;  // slices of a lane
  localparam SLICES = PARTS * WE_WIDTH;
  localparam TILES  = (SLICES + 3) / 4;
  localparam PADDED = TILES * 4;

  wire [17:0] full_w = {{(18-ADDR_BITS){1'b0}}, waddr};
  wire [17:0] full_r = {{(18-ADDR_BITS){1'b0}}, raddr};

  // Slices in tile order; those that pad the last tile are constant.
  wire [PADDED-1:0]   slice_wen;
  wire [PADDED*9-1:0] slice_wdata;
  wire [PADDED*9-1:0] slice_rdata;

  genvar s;
  genvar t;
  generate
    for (s = 0; s < PADDED; s = s + 1) begin : g_slice
      if (s < SLICES) begin : g_used
        localparam LSB  = (s / PARTS) * LANE + (s % PARTS) * 9;
        localparam LEFT = LANE - (s % PARTS) * 9;
        localparam BITS = (LEFT < 9) ? LEFT : 9;
        assign slice_wen[s] = wen[s / PARTS];
        assign slice_wdata[s*9 +: 9] = {{(9-BITS){1'b0}}, wdata[LSB +: BITS]};
        assign rdata[LSB +: BITS] = slice_rdata[s*9 +: BITS];
      end else begin : g_pad
        assign slice_wen[s] = 1'b0;
        assign slice_wdata[s*9 +: 9] = 9'd0;
      end
    end
    for (t = 0; t < TILES; t = t + 1) begin : g_tile
      clhls_ecp5_ram36 u_tile (
        .clk(clk),
        .we(slice_wen[t*4 +: 4]), .waddr(full_w[8:0]), .wdata(slice_wdata[t*36 +: 36]),
        .en(en), .en_out(en_out), .raddr(full_r[8:0]), .rdata(slice_rdata[t*36 +: 36])
      );
    end
  endgenerate

  wire unused = &{1'b0, full_w, full_r, slice_rdata};

endmodule

`default_nettype wire
