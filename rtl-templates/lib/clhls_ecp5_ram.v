// ECP5 RAM of any width and depth out of DP16KD tiles: true dual port with write lanes.
// read latency 2, II 1; `en_x` low freezes the port.  Use through clhls_ram and clhls_ram_2rw.
// Above 16384 words a bank multiplexer follows the tiles' output registers.
`default_nettype none

module clhls_ecp5_ram #(
  parameter WIDTH     = 32,   // word bits, a multiple of WE_WIDTH
  parameter DEPTH     = 512,  // words, >= 2
  parameter WE_WIDTH  = 1,    // write lanes
  parameter ADDR_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1  // derived: do not set
) (
  input  wire                 clk,
  input  wire                 en_a,
  input  wire                 out_a,  // output register advances; only with en_a
  input  wire [WE_WIDTH-1:0]  wen_a,
  input  wire [ADDR_BITS-1:0] addr_a,
  input  wire [WIDTH-1:0]     wdata_a,
  output wire [WIDTH-1:0]     rdata_a,
  input  wire                 en_b,
  input  wire                 out_b,
  input  wire [WE_WIDTH-1:0]  wen_b,
  input  wire [ADDR_BITS-1:0] addr_b,
  input  wire [WIDTH-1:0]     wdata_b,
  output wire [WIDTH-1:0]     rdata_b
);

  // Tile shape: the widest whose depth suffices.  A tile holds PER_TILE slices of SLICE bits, each with its write enable.
  localparam TILE     = (DEPTH <= 1024) ? 18 : (DEPTH <= 2048) ? 9 : (DEPTH <= 4096) ? 4 : (DEPTH <= 8192) ? 2 : 1;
  localparam SLICE    = (TILE == 18) ? 9 : TILE;
  localparam PER_TILE = TILE / SLICE;
  localparam SHIFT    = (TILE == 18) ? 4 : (TILE == 9) ? 3 : (TILE == 4) ? 2 : (TILE == 2) ? 1 : 0;
  localparam LANE     = WIDTH / WE_WIDTH;
  localparam PARTS    = (LANE + SLICE - 1) / SLICE;  // slices of a lane
  localparam SLICES   = PARTS * WE_WIDTH;
  localparam TILES    = (SLICES + PER_TILE - 1) / PER_TILE;
  localparam PADDED   = TILES * PER_TILE;
  localparam BANKS    = (DEPTH + 16383) / 16384;

  wire [17:0] full_a = {{(18-ADDR_BITS){1'b0}}, addr_a};
  wire [17:0] full_b = {{(18-ADDR_BITS){1'b0}}, addr_b};

  initial begin
    if (DEPTH > 262144) begin
      $display("clhls_ecp5_ram: at most 262144 words");
      $finish;
    end
  end

  // Slices in tile order; those that pad the last tile are constant.
  wire [PADDED-1:0]       slice_wen_a;
  wire [PADDED-1:0]       slice_wen_b;
  wire [PADDED*SLICE-1:0] slice_wdata_a;
  wire [PADDED*SLICE-1:0] slice_wdata_b;
  wire [PADDED*SLICE-1:0] slice_rdata_a;
  wire [PADDED*SLICE-1:0] slice_rdata_b;

  genvar s;
  generate
    for (s = 0; s < PADDED; s = s + 1) begin : g_slice
      if (s < SLICES) begin : g_used
        localparam LSB  = (s / PARTS) * LANE + (s % PARTS) * SLICE;
        localparam LEFT = LANE - (s % PARTS) * SLICE;
        localparam BITS = (LEFT < SLICE) ? LEFT : SLICE;
        assign slice_wen_a[s] = wen_a[s / PARTS];
        assign slice_wen_b[s] = wen_b[s / PARTS];
        assign slice_wdata_a[s*SLICE +: SLICE] = {{(SLICE-BITS){1'b0}}, wdata_a[LSB +: BITS]};
        assign slice_wdata_b[s*SLICE +: SLICE] = {{(SLICE-BITS){1'b0}}, wdata_b[LSB +: BITS]};
        assign rdata_a[LSB +: BITS] = slice_rdata_a[s*SLICE +: BITS];
        assign rdata_b[LSB +: BITS] = slice_rdata_b[s*SLICE +: BITS];
      end else begin : g_pad
        assign slice_wen_a[s] = 1'b0;
        assign slice_wen_b[s] = 1'b0;
        assign slice_wdata_a[s*SLICE +: SLICE] = {SLICE{1'b0}};
        assign slice_wdata_b[s*SLICE +: SLICE] = {SLICE{1'b0}};
      end
    end
  endgenerate

  // Bank of the word that is at the tiles' outputs.
  reg [3:0] bank1_a_q;
  reg [3:0] bank2_a_q;
  reg [3:0] bank1_b_q;
  reg [3:0] bank2_b_q;
  always @(posedge clk) begin
    if (en_a) bank1_a_q <= full_a[17:14];
    if (out_a) bank2_a_q <= bank1_a_q;
    if (en_b) bank1_b_q <= full_b[17:14];
    if (out_b) bank2_b_q <= bank1_b_q;
  end

  genvar t;
  genvar k;
  generate
    for (t = 0; t < TILES; t = t + 1) begin : g_tile
      wire [18*BANKS-1:0]   do_a;
      wire [18*BANKS-1:0]   do_b;
      wire [PER_TILE-1:0]   be_a = slice_wen_a[t*PER_TILE +: PER_TILE];
      wire [PER_TILE-1:0]   be_b = slice_wen_b[t*PER_TILE +: PER_TILE];
      wire [1:0]            sub_a;
      wire [1:0]            sub_b;
      if (TILE == 18) begin : g_bytes
        assign sub_a = be_a;
        assign sub_b = be_b;
      end else begin : g_whole
        assign sub_a = 2'b00;
        assign sub_b = 2'b00;
      end
      for (k = 0; k < BANKS; k = k + 1) begin : g_bank
        wire [13:0] word_a = full_a[13:0] << SHIFT;
        wire [13:0] word_b = full_b[13:0] << SHIFT;
        clhls_ecp5_ram16k #(
          .WIDTH(TILE)
        ) u_tile (
          .clk(clk),
          .en_a(en_a), .out_a(out_a), .we_a(|be_a & (full_a[17:14] == k)),
          .ad_a({word_a[13:2], word_a[1:0] | sub_a}),
          .di_a({{(18-TILE){1'b0}}, slice_wdata_a[t*TILE +: TILE]}), .do_a(do_a[k*18 +: 18]),
          .en_b(en_b), .out_b(out_b), .we_b(|be_b & (full_b[17:14] == k)),
          .ad_b({word_b[13:2], word_b[1:0] | sub_b}),
          .di_b({{(18-TILE){1'b0}}, slice_wdata_b[t*TILE +: TILE]}), .do_b(do_b[k*18 +: 18])
        );
      end
      if (BANKS == 1) begin : g_one_bank
        assign slice_rdata_a[t*TILE +: TILE] = do_a[TILE-1:0];
        assign slice_rdata_b[t*TILE +: TILE] = do_b[TILE-1:0];
      end else begin : g_banks
        assign slice_rdata_a[t*TILE +: TILE] = do_a[bank2_a_q*18 +: TILE];
        assign slice_rdata_b[t*TILE +: TILE] = do_b[bank2_b_q*18 +: TILE];
      end
      wire unused = &{1'b0, do_a, do_b};
    end
  endgenerate

  wire unused = &{1'b0, bank2_a_q, bank2_b_q, full_a, full_b, slice_rdata_a, slice_rdata_b};

endmodule

`default_nettype wire
