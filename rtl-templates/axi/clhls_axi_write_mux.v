// N in-order write units onto one AXI4 write master: a tree of merges whose inputs take turns by burst, AWID = number of the unit.
// latency AW 1 or 2 and W 1 for each level of 4 (N <= 4, 16, 64: 1, 2, 3 levels), B 1, II 1 (no gap between bursts).
// A unit's W beats are taken in the order in which its AW was granted; bursts are not interleaved.  BREADY is always 1.
`default_nettype none

module clhls_axi_write_mux #(
  parameter N          = 2,   // units, 1..2^ID_BITS
  parameter ADDR       = 64,  // byte address bits of the units, <= 64
  parameter DATA_BYTES = 64,  // bytes of a beat, a power of two, 4..128
  parameter ID_BITS    = 6,
  parameter AHEAD      = 16,  // bursts of a level whose address may go out before their data
  parameter LINE_BITS  = ADDR - $clog2(DATA_BYTES)  // derived: do not set
) (
  input  wire                      clk,
  input  wire                      rst,       // synchronous, active high
  // units, unit i at [i*W +: W]
  input  wire [N-1:0]              aw_valid,
  output wire [N-1:0]              aw_ready,  // from registers, as w_ready
  input  wire [N*LINE_BITS-1:0]    aw_line,
  input  wire [N*8-1:0]            aw_len,
  input  wire [N-1:0]              w_valid,
  output wire [N-1:0]              w_ready,
  input  wire [N*8*DATA_BYTES-1:0] w_data,
  input  wire [N*DATA_BYTES-1:0]   w_strb,
  input  wire [N-1:0]              w_last,
  output wire [N-1:0]              b_valid,   // register
  output wire                      error,     // sticky: a burst was answered with an error response
  // AXI4 write master
  output wire [ID_BITS-1:0]        m_axi_awid,
  output wire [63:0]               m_axi_awaddr,
  output wire [7:0]                m_axi_awlen,
  output wire [2:0]                m_axi_awsize,
  output wire [1:0]                m_axi_awburst,
  output wire                      m_axi_awlock,
  output wire [3:0]                m_axi_awcache,
  output wire [2:0]                m_axi_awprot,
  output wire [3:0]                m_axi_awqos,
  output wire                      m_axi_awvalid,
  input  wire                      m_axi_awready,
  output wire [8*DATA_BYTES-1:0]   m_axi_wdata,
  output wire [DATA_BYTES-1:0]     m_axi_wstrb,
  output wire                      m_axi_wlast,
  output wire                      m_axi_wvalid,
  input  wire                      m_axi_wready,
  input  wire [ID_BITS-1:0]        m_axi_bid,
  input  wire [1:0]                m_axi_bresp,
  input  wire                      m_axi_bvalid,
  output wire                      m_axi_bready
);

  initial begin
    if (N < 1 || N > (1 << ID_BITS) || ADDR > 64 || DATA_BYTES < 4 || DATA_BYTES > 128 || AHEAD < 1) begin
      $display("clhls_axi_write_mux: N must be 1..2^ID_BITS, ADDR <= 64, DATA_BYTES 4..128, AHEAD at least 1");
      $finish;
    end
  end

  localparam SIZE = $clog2(DATA_BYTES);
  localparam WORD = ID_BITS + LINE_BITS + 8;
  localparam BEAT = 9 * DATA_BYTES;

  // ---- AW and W: a tree of merges of at most 4 inputs.  Streams are numbered from the units to the master. ----
  localparam C0     = N;  // streams into each level
  localparam C1     = (C0 + 3) / 4;
  localparam C2     = (C1 + 3) / 4;
  localparam C3     = (C2 + 3) / 4;
  localparam LEVELS = (C1 == 1) ? 1 : (C2 == 1) ? 2 : (C3 == 1) ? 3 : 4;
  localparam OUT    = C0 + ((LEVELS > 1) ? C1 : 0) + ((LEVELS > 2) ? C2 : 0) + ((LEVELS > 3) ? C3 : 0);

  wire [OUT:0]            awv;
  wire [OUT:0]            awr;
  wire [(OUT+1)*WORD-1:0] aws;
  wire [OUT:0]            wv;
  wire [OUT:0]            wr;
  wire [OUT:0]            wl;
  wire [(OUT+1)*BEAT-1:0] ws;
  wire [LINE_BITS-1:0]    line;

  genvar u;
  generate
    for (u = 0; u < N; u = u + 1) begin : g_unit
      localparam [ID_BITS-1:0] ID = u;
      assign aws[u*WORD +: WORD] = {ID, aw_line[u*LINE_BITS +: LINE_BITS], aw_len[u*8 +: 8]};
      assign ws[u*BEAT +: BEAT]  = {w_strb[u*DATA_BYTES +: DATA_BYTES], w_data[u*8*DATA_BYTES +: 8*DATA_BYTES]};
    end
  endgenerate

  assign awv[N-1:0] = aw_valid;
  assign wv[N-1:0]  = w_valid;
  assign wl[N-1:0]  = w_last;
  assign aw_ready   = awr[N-1:0];
  assign w_ready    = wr[N-1:0];

  genvar l;
  genvar k;
  generate
    for (l = 0; l < LEVELS; l = l + 1) begin : g_level
      localparam IN    = (l == 0) ? 0 : (l == 1) ? C0 : (l == 2) ? C0 + C1 : C0 + C1 + C2;
      localparam COUNT = (l == 0) ? C0 : (l == 1) ? C1 : (l == 2) ? C2 : C3;
      localparam NODES = (COUNT + 3) / 4;
      for (k = 0; k < NODES; k = k + 1) begin : g_node
        localparam FROM = IN + k * COUNT / NODES;
        localparam MANY = IN + (k + 1) * COUNT / NODES - FROM;
        localparam TO   = IN + COUNT + k;
        clhls_write_merge #(
          .N(MANY), .AW_BITS(WORD), .W_BITS(BEAT), .AHEAD(AHEAD)
        ) u_merge (
          .clk(clk), .rst(rst),
          .s_aw_valid(awv[FROM +: MANY]), .s_aw_ready(awr[FROM +: MANY]), .s_aw(aws[FROM*WORD +: MANY*WORD]),
          .s_w_valid(wv[FROM +: MANY]), .s_w_ready(wr[FROM +: MANY]), .s_w_last(wl[FROM +: MANY]), .s_w(ws[FROM*BEAT +: MANY*BEAT]),
          .m_aw_valid(awv[TO]), .m_aw_ready(awr[TO]), .m_aw(aws[TO*WORD +: WORD]),
          .m_w_valid(wv[TO]), .m_w_ready(wr[TO]), .m_w_last(wl[TO]), .m_w(ws[TO*BEAT +: BEAT])
        );
      end
    end
  endgenerate

  assign m_axi_awvalid = awv[OUT];
  assign awr[OUT]      = m_axi_awready;
  assign {m_axi_awid, line, m_axi_awlen} = aws[OUT*WORD +: WORD];
  assign m_axi_wvalid  = wv[OUT];
  assign wr[OUT]       = m_axi_wready;
  assign m_axi_wlast   = wl[OUT];
  assign {m_axi_wstrb, m_axi_wdata} = ws[OUT*BEAT +: BEAT];

  wire [63+SIZE:0] address = {{(64-LINE_BITS){1'b0}}, line, {SIZE{1'b0}}};
  assign m_axi_awaddr  = address[63:0];
  assign m_axi_awsize  = SIZE[2:0];
  assign m_axi_awburst = 2'b01;   // INCR
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = 4'b0011; // normal, non-cacheable, bufferable: what the Vitis shells expect
  assign m_axi_awprot  = 3'b000;
  assign m_axi_awqos   = 4'b0000;

  // ---- B ----
  reg [N-1:0] b_valid_q;
  reg         error_q;

  assign m_axi_bready = 1'b1;
  assign b_valid = b_valid_q;
  assign error   = error_q;

  integer i;
  always @(posedge clk) begin
    if (rst) begin
      b_valid_q <= {N{1'b0}};
      error_q   <= 1'b0;
    end else begin
      for (i = 0; i < N; i = i + 1) b_valid_q[i] <= m_axi_bvalid & (m_axi_bid == i[ID_BITS-1:0]);
      error_q <= error_q | (m_axi_bvalid & m_axi_bresp[1]);
    end
  end

  wire unused = &{1'b0, m_axi_bresp[0], address};

endmodule

`default_nettype wire
