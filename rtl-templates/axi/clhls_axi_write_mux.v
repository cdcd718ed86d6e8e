// N in-order write units onto one AXI4 write master: round robin by burst, AWID = number of the unit, all channels registered.
// latency AW 1, W 1, B 1, II 1 (no gap between bursts).  A unit's W beats are taken in the order in which its AW was granted;
// bursts are not interleaved.  BREADY is always 1.
`default_nettype none

module clhls_axi_write_mux #(
  parameter N          = 2,   // units, 1..2^ID_BITS
  parameter ADDR       = 64,  // byte address bits of the units, <= 64
  parameter DATA_BYTES = 64,  // bytes of a beat, a power of two, 4..128
  parameter ID_BITS    = 6,
  parameter AHEAD      = 16,  // bursts whose address may go out before their data
  parameter LINE_BITS  = ADDR - $clog2(DATA_BYTES)  // derived: do not set
) (
  input  wire                      clk,
  input  wire                      rst,       // synchronous, active high
  // units, unit i at [i*W +: W]
  input  wire [N-1:0]              aw_valid,
  output wire [N-1:0]              aw_ready,
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
  localparam BEAT = 1 + 9 * DATA_BYTES;

  // ---- AW ----
  wire [N-1:0]         grant;
  wire                 aw_skid_ready;
  wire                 order_ready;
  wire                 aw_go = aw_skid_ready & order_ready;
  reg  [WORD-1:0]      word;
  wire [LINE_BITS-1:0] line;

  clhls_arbiter #(
    .N(N), .PRIORITY0(0)
  ) u_arbiter (
    .clk(clk), .rst(rst), .request(aw_valid), .advance(aw_go), .grant(grant)
  );

  assign aw_ready = grant & {N{aw_go}};

  integer i;
  always @* begin
    word = {WORD{1'b0}};
    for (i = 0; i < N; i = i + 1) begin
      word = word | ({i[ID_BITS-1:0], aw_line[i*LINE_BITS +: LINE_BITS], aw_len[i*8 +: 8]} & {WORD{grant[i]}});
    end
  end

  clhls_skid #(
    .WIDTH(WORD)
  ) u_aw (
    .clk(clk), .rst(rst),
    .s_valid(|aw_valid & order_ready), .s_ready(aw_skid_ready), .s_data(word),
    .m_valid(m_axi_awvalid), .m_ready(m_axi_awready), .m_data({m_axi_awid, line, m_axi_awlen})
  );

  wire [63+SIZE:0] address = {{(64-LINE_BITS){1'b0}}, line, {SIZE{1'b0}}};
  assign m_axi_awaddr  = address[63:0];
  assign m_axi_awsize  = SIZE[2:0];
  assign m_axi_awburst = 2'b01;   // INCR
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = 4'b0011; // normal, non-cacheable, bufferable: what the Vitis shells expect
  assign m_axi_awprot  = 3'b000;
  assign m_axi_awqos   = 4'b0000;

  // ---- W, in the order of the grants ----
  wire         order_valid;
  wire [N-1:0] order;       // one-hot: unit whose burst is next
  wire         w_skid_ready;
  wire         w_go = |(order & w_valid) & order_valid & w_skid_ready;
  wire         w_end = |(order & w_last);
  reg [BEAT-1:0] beat;

  clhls_fifo #(
    .WIDTH(N), .DEPTH(AHEAD)
  ) u_order (
    .clk(clk), .rst(rst),
    .s_valid(|aw_valid & aw_skid_ready), .s_ready(order_ready), .s_data(grant),
    .m_valid(order_valid), .m_ready(w_go & w_end), .m_data(order)
  );

  assign w_ready = order & {N{order_valid & w_skid_ready}};

  integer j;
  always @* begin
    beat = {BEAT{1'b0}};
    for (j = 0; j < N; j = j + 1) begin
      beat = beat | ({w_last[j], w_strb[j*DATA_BYTES +: DATA_BYTES], w_data[j*8*DATA_BYTES +: 8*DATA_BYTES]} & {BEAT{order[j]}});
    end
  end

  clhls_skid #(
    .WIDTH(BEAT)
  ) u_w (
    .clk(clk), .rst(rst),
    .s_valid(|(order & w_valid) & order_valid), .s_ready(w_skid_ready), .s_data(beat),
    .m_valid(m_axi_wvalid), .m_ready(m_axi_wready), .m_data({m_axi_wlast, m_axi_wstrb, m_axi_wdata})
  );

  // ---- B ----
  reg [N-1:0] b_valid_q;
  reg         error_q;

  assign m_axi_bready = 1'b1;
  assign b_valid = b_valid_q;
  assign error   = error_q;

  integer k;
  always @(posedge clk) begin
    if (rst) begin
      b_valid_q <= {N{1'b0}};
      error_q   <= 1'b0;
    end else begin
      for (k = 0; k < N; k = k + 1) b_valid_q[k] <= m_axi_bvalid & (m_axi_bid == k[ID_BITS-1:0]);
      error_q <= error_q | (m_axi_bvalid & m_axi_bresp[1]);
    end
  end

  wire unused = &{1'b0, m_axi_bresp[0], address};

endmodule

`default_nettype wire
