// True dual port RAM: each port reads or writes one word a cycle; output registers included.
// read latency 2, II 1; `x_en` low freezes the port (read stages and writes).
// x_rdata has no meaning two cycles after a write through x.  If one port writes the address that the other accesses in the
// same cycle, the other's x_rdata (or, both writing, the word) is undefined: arbitrate or forward outside.
`default_nettype none

module clhls_ram_2rw #(
  parameter WIDTH     = 32,         // word bits, a multiple of WE_WIDTH
  parameter DEPTH     = 512,        // words, >= 2
  parameter WE_WIDTH  = 1,          // write lanes; a lane is WIDTH / WE_WIDTH bits
  parameter TARGET    = "generic",  // "generic": inferred, "ecp5": DP16KD with OUTREG
  parameter ADDR_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1  // derived: do not set
) (
  input  wire                 clk,
  input  wire                 a_en,
  input  wire [WE_WIDTH-1:0]  a_wen,    // 0: read
  input  wire [ADDR_BITS-1:0] a_addr,
  input  wire [WIDTH-1:0]     a_wdata,
  output wire [WIDTH-1:0]     a_rdata,
  input  wire                 b_en,
  input  wire [WE_WIDTH-1:0]  b_wen,
  input  wire [ADDR_BITS-1:0] b_addr,
  input  wire [WIDTH-1:0]     b_wdata,
  output wire [WIDTH-1:0]     b_rdata
);

  initial begin
    if (DEPTH < 2 || WE_WIDTH < 1 || WIDTH % WE_WIDTH != 0) begin
      $display("clhls_ram_2rw: DEPTH must be at least 2 and WIDTH a multiple of WE_WIDTH");
      $finish;
    end
  end

  generate
    if (TARGET == "ecp5") begin : g_ecp5
      clhls_ecp5_ram #(
        .WIDTH(WIDTH), .DEPTH(DEPTH), .WE_WIDTH(WE_WIDTH)
      ) u_tiles (
        .clk(clk),
        .en_a(a_en), .out_a(a_en), .wen_a(a_wen), .addr_a(a_addr), .wdata_a(a_wdata), .rdata_a(a_rdata),
        .en_b(b_en), .out_b(b_en), .wen_b(b_wen), .addr_b(b_addr), .wdata_b(b_wdata), .rdata_b(b_rdata)
      );
    end else begin : g_generic
      localparam LANE = WIDTH / WE_WIDTH;
      reg [WIDTH-1:0] mem [0:DEPTH-1];
      reg [WIDTH-1:0] a_read_q;
      reg [WIDTH-1:0] a_rdata_q;
      reg [WIDTH-1:0] b_read_q;
      reg [WIDTH-1:0] b_rdata_q;
      integer i;
      integer j;
      always @(posedge clk) begin
        if (a_en) begin
          for (i = 0; i < WE_WIDTH; i = i + 1) begin
            if (a_wen[i]) mem[a_addr][i*LANE +: LANE] <= a_wdata[i*LANE +: LANE];
          end
          a_read_q  <= mem[a_addr];
          a_rdata_q <= a_read_q;
        end
      end
      always @(posedge clk) begin
        if (b_en) begin
          for (j = 0; j < WE_WIDTH; j = j + 1) begin
            if (b_wen[j]) mem[b_addr][j*LANE +: LANE] <= b_wdata[j*LANE +: LANE];
          end
          b_read_q  <= mem[b_addr];
          b_rdata_q <= b_read_q;
        end
      end
      assign a_rdata = a_rdata_q;
      assign b_rdata = b_rdata_q;
    end
  endgenerate

endmodule

`default_nettype wire
