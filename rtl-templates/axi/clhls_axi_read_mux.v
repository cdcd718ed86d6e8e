// N in-order read units onto one AXI4 read master: a tree of merges whose inputs take turns, ARID = number of the unit.
// latency AR 1 or 2 for each level of 4 (N <= 4, 16, 64: 1, 2, 3 levels), R 1, II 1.  RREADY is always 1: the units have reserved
// space for what they ask.
`default_nettype none

module clhls_axi_read_mux #(
  parameter N          = 2,   // units, 1..2^ID_BITS
  parameter ADDR       = 64,  // byte address bits of the units, <= 64
  parameter DATA_BYTES = 64,  // bytes of a beat, a power of two, 4..128
  parameter ID_BITS    = 6,
  parameter LINE_BITS  = ADDR - $clog2(DATA_BYTES)  // derived: do not set
) (
  input  wire                    clk,
  input  wire                    rst,       // synchronous, active high
  // units, unit i at [i*W +: W]
  input  wire [N-1:0]            ar_valid,
  output wire [N-1:0]            ar_ready,  // from registers
  input  wire [N*LINE_BITS-1:0]  ar_line,
  input  wire [N*8-1:0]          ar_len,
  output wire [N-1:0]            r_valid,   // register
  output wire [8*DATA_BYTES-1:0] r_data,    // register, common to all
  output wire                    error,     // sticky: a beat came with an error response
  // AXI4 read master
  output wire [ID_BITS-1:0]      m_axi_arid,
  output wire [63:0]             m_axi_araddr,
  output wire [7:0]              m_axi_arlen,
  output wire [2:0]              m_axi_arsize,
  output wire [1:0]              m_axi_arburst,
  output wire                    m_axi_arlock,
  output wire [3:0]              m_axi_arcache,
  output wire [2:0]              m_axi_arprot,
  output wire [3:0]              m_axi_arqos,
  output wire                    m_axi_arvalid,
  input  wire                    m_axi_arready,
  input  wire [ID_BITS-1:0]      m_axi_rid,
  input  wire [8*DATA_BYTES-1:0] m_axi_rdata,
  input  wire [1:0]              m_axi_rresp,
  input  wire                    m_axi_rlast,
  input  wire                    m_axi_rvalid,
  output wire                    m_axi_rready
);

  initial begin
    if (N < 1 || N > (1 << ID_BITS) || ADDR > 64 || DATA_BYTES < 4 || DATA_BYTES > 128) begin
      $display("clhls_axi_read_mux: N must be 1..2^ID_BITS, ADDR <= 64, DATA_BYTES 4..128");
      $finish;
    end
  end

  localparam SIZE = $clog2(DATA_BYTES);
  localparam WORD = ID_BITS + LINE_BITS + 8;

  wire [N*WORD-1:0]    words;
  wire [LINE_BITS-1:0] line;

  genvar u;
  generate
    for (u = 0; u < N; u = u + 1) begin : g_unit
      localparam [ID_BITS-1:0] ID = u;
      assign words[u*WORD +: WORD] = {ID, ar_line[u*LINE_BITS +: LINE_BITS], ar_len[u*8 +: 8]};
    end
  endgenerate

  clhls_merge_tree #(
    .N(N), .WIDTH(WORD)
  ) u_tree (
    .clk(clk), .rst(rst),
    .s_valid(ar_valid), .s_ready(ar_ready), .s_data(words),
    .m_valid(m_axi_arvalid), .m_ready(m_axi_arready), .m_data({m_axi_arid, line, m_axi_arlen})
  );

  wire [63+SIZE:0] address = {{(64-LINE_BITS){1'b0}}, line, {SIZE{1'b0}}};
  assign m_axi_araddr  = address[63:0];
  assign m_axi_arsize  = SIZE[2:0];
  assign m_axi_arburst = 2'b01;   // INCR
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = 4'b0011; // normal, non-cacheable, bufferable: what the Vitis shells expect
  assign m_axi_arprot  = 3'b000;
  assign m_axi_arqos   = 4'b0000;
  assign m_axi_rready  = 1'b1;

  reg [N-1:0]            r_valid_q;
  reg [8*DATA_BYTES-1:0] r_data_q;
  reg                    error_q;

  assign r_valid = r_valid_q;
  assign r_data  = r_data_q;
  assign error   = error_q;

  integer j;
  always @(posedge clk) begin
    if (rst) begin
      r_valid_q <= {N{1'b0}};
      error_q   <= 1'b0;
    end else begin
      for (j = 0; j < N; j = j + 1) r_valid_q[j] <= m_axi_rvalid & (m_axi_rid == j[ID_BITS-1:0]);
      error_q <= error_q | (m_axi_rvalid & m_axi_rresp[1]);
    end
  end

  always @(posedge clk) r_data_q <= m_axi_rdata;

  wire unused = &{1'b0, m_axi_rlast, m_axi_rresp[0], address};

endmodule

`default_nettype wire
