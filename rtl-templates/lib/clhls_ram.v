// Simple dual port RAM, one write and one read port, output register included.
// read latency 2, II 1; `en` low freezes the first read stage, `en_out` the second (writes go on).  The second stage must not move
// without the first.
// Reading the address written in the same cycle returns the old word.
`default_nettype none

module clhls_ram #(
  parameter WIDTH     = 32,         // word bits, a multiple of WE_WIDTH
  parameter DEPTH     = 512,        // words, >= 2
  parameter WE_WIDTH  = 1,          // write lanes; a lane is WIDTH / WE_WIDTH bits
  parameter COLLIDES  = 1,          // 0: the user never reads an address in the cycle it is written (saves logic on ecp5)
  parameter TARGET    = "generic",  // "generic": inferred, "ecp5": DP16KD with OUTREG
  parameter ADDR_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1  // derived: do not set
) (
  input  wire                 clk,
  input  wire                 en,     // first read stage advances
  input  wire                 en_out, // second read stage advances; only with `en`
  input  wire [WE_WIDTH-1:0]  wen,    // lane i: wdata[i*WIDTH/WE_WIDTH +: WIDTH/WE_WIDTH]
  input  wire [ADDR_BITS-1:0] waddr,
  input  wire [WIDTH-1:0]     wdata,
  input  wire                 ren,    // 0: rdata two cycles later has no meaning
  input  wire [ADDR_BITS-1:0] raddr,
  output wire [WIDTH-1:0]     rdata
);

  initial begin
    if (DEPTH < 2 || WE_WIDTH < 1 || WIDTH % WE_WIDTH != 0) begin
      $display("clhls_ram: DEPTH must be at least 2 and WIDTH a multiple of WE_WIDTH");
      $finish;
    end
  end

  localparam LANE = WIDTH / WE_WIDTH;

  generate
    if (TARGET == "ecp5") begin : g_ecp5
      wire [WE_WIDTH-1:0]  tile_wen;
      wire [ADDR_BITS-1:0] tile_waddr;
      wire [WIDTH-1:0]     tile_wdata;
      wire [WIDTH-1:0]     tile_rdata;

      // Up to 512 words, tiles of 36 bits with one port for each way need half as many as true dual port ones.
      if (DEPTH <= 512) begin : g_wide
        clhls_ecp5_ram_1w1r #(
          .WIDTH(WIDTH), .DEPTH(DEPTH), .WE_WIDTH(WE_WIDTH)
        ) u_tiles (
          .clk(clk),
          .wen(tile_wen), .waddr(tile_waddr), .wdata(tile_wdata), .en(en), .en_out(en_out), .raddr(raddr), .rdata(tile_rdata)
        );
      end else begin : g_deep
        wire [WIDTH-1:0] write_side;  // port A only writes
        clhls_ecp5_ram #(
          .WIDTH(WIDTH), .DEPTH(DEPTH), .WE_WIDTH(WE_WIDTH)
        ) u_tiles (
          .clk(clk),
          .en_a(|tile_wen), .out_a(|tile_wen), .wen_a(tile_wen), .addr_a(tile_waddr), .wdata_a(tile_wdata), .rdata_a(write_side),
          .en_b(en), .out_b(en_out), .wen_b({WE_WIDTH{1'b0}}), .addr_b(raddr), .wdata_b({WIDTH{1'b0}}), .rdata_b(tile_rdata)
        );
        wire unused = &{1'b0, write_side};
      end

      if (COLLIDES != 0) begin : g_old
        // The tile's result is undefined on a collision.  So writes are done one cycle late, and a read that meets
        // the late write takes its lanes from the write instead.
        reg  [WE_WIDTH-1:0]  wen_q;
        reg  [ADDR_BITS-1:0] waddr_q;
        reg  [WIDTH-1:0]     wdata_q;
        reg  [WE_WIDTH-1:0]  hit1_q;
        reg  [WE_WIDTH-1:0]  hit2_q;
        reg  [WIDTH-1:0]     late1_q;
        reg  [WIDTH-1:0]     late2_q;
        always @(posedge clk) begin
          wen_q   <= wen;
          waddr_q <= waddr;
          wdata_q <= wdata;
          if (en) begin
            hit1_q  <= wen_q & {WE_WIDTH{raddr == waddr_q}};
            late1_q <= wdata_q;
          end
          if (en_out) begin
            hit2_q  <= hit1_q;
            late2_q <= late1_q;
          end
        end
        assign tile_wen   = wen_q;
        assign tile_waddr = waddr_q;
        assign tile_wdata = wdata_q;
        genvar l;
        for (l = 0; l < WE_WIDTH; l = l + 1) begin : g_lane
          assign rdata[l*LANE +: LANE] = hit2_q[l] ? late2_q[l*LANE +: LANE] : tile_rdata[l*LANE +: LANE];
        end
      end else begin : g_plain
        assign tile_wen   = wen;
        assign tile_waddr = waddr;
        assign tile_wdata = wdata;
        assign rdata      = tile_rdata;
      end
      wire unused = &{1'b0, ren};
    end else begin : g_generic
      reg [WIDTH-1:0] mem [0:DEPTH-1];
      reg [WIDTH-1:0] read_q;
      reg [WIDTH-1:0] rdata_q;
      integer i;
      always @(posedge clk) begin
        for (i = 0; i < WE_WIDTH; i = i + 1) begin
          if (wen[i]) mem[waddr][i*LANE +: LANE] <= wdata[i*LANE +: LANE];
        end
        if (en & ren) read_q <= mem[raddr];
        if (en_out) rdata_q <= read_q;
      end
      assign rdata = rdata_q;
    end
  endgenerate

endmodule

`default_nettype wire
