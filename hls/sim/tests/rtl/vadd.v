// Hand-written kernel for tests of the simulator:
//   kernel void vadd(global const uint *a, global const uint *b, global uint *c, uint n, uint mode)
//   { size_t i = get_global_id(0); if (i < n) c[i] = a[i] + b[i]; }
// One bus line at a time. `mode` makes it misbehave: 1 stop half way, 2 burst across 4 KiB,
// 3 done before the last response, 4 wrong WLAST, 5 withdraw ARVALID, 6 error flag, 7 no interrupt,
// 8 a store 4 bytes beyond the line, 9 count instead of working, with a moving channel,
// 10 ignore write responses.
`default_nettype none

module vadd #(
  parameter DATA_BITS = 64,
  parameter ID_BITS   = 6
) (
  input  wire                   ap_clk,
  input  wire                   ap_rst_n,
  output wire                   interrupt,
  input  wire [11:0]            s_axi_control_awaddr,
  input  wire                   s_axi_control_awvalid,
  output wire                   s_axi_control_awready,
  input  wire [31:0]            s_axi_control_wdata,
  input  wire [3:0]             s_axi_control_wstrb,
  input  wire                   s_axi_control_wvalid,
  output wire                   s_axi_control_wready,
  output wire [1:0]             s_axi_control_bresp,
  output wire                   s_axi_control_bvalid,
  input  wire                   s_axi_control_bready,
  input  wire [11:0]            s_axi_control_araddr,
  input  wire                   s_axi_control_arvalid,
  output wire                   s_axi_control_arready,
  output wire [31:0]            s_axi_control_rdata,
  output wire [1:0]             s_axi_control_rresp,
  output wire                   s_axi_control_rvalid,
  input  wire                   s_axi_control_rready,
  output wire [ID_BITS-1:0]     m_axi_gmem0_awid,
  output reg  [63:0]            m_axi_gmem0_awaddr,
  output wire [7:0]             m_axi_gmem0_awlen,
  output wire [2:0]             m_axi_gmem0_awsize,
  output wire [1:0]             m_axi_gmem0_awburst,
  output wire                   m_axi_gmem0_awlock,
  output wire [3:0]             m_axi_gmem0_awcache,
  output wire [2:0]             m_axi_gmem0_awprot,
  output wire [3:0]             m_axi_gmem0_awqos,
  output reg                    m_axi_gmem0_awvalid,
  input  wire                   m_axi_gmem0_awready,
  output reg  [DATA_BITS-1:0]   m_axi_gmem0_wdata,
  output reg  [DATA_BITS/8-1:0] m_axi_gmem0_wstrb,
  output wire                   m_axi_gmem0_wlast,
  output reg                    m_axi_gmem0_wvalid,
  input  wire                   m_axi_gmem0_wready,
  input  wire [ID_BITS-1:0]     m_axi_gmem0_bid,
  input  wire [1:0]             m_axi_gmem0_bresp,
  input  wire                   m_axi_gmem0_bvalid,
  output wire                   m_axi_gmem0_bready,
  output reg  [ID_BITS-1:0]     m_axi_gmem0_arid,
  output reg  [63:0]            m_axi_gmem0_araddr,
  output wire [7:0]             m_axi_gmem0_arlen,
  output wire [2:0]             m_axi_gmem0_arsize,
  output wire [1:0]             m_axi_gmem0_arburst,
  output wire                   m_axi_gmem0_arlock,
  output wire [3:0]             m_axi_gmem0_arcache,
  output wire [2:0]             m_axi_gmem0_arprot,
  output wire [3:0]             m_axi_gmem0_arqos,
  output reg                    m_axi_gmem0_arvalid,
  input  wire                   m_axi_gmem0_arready,
  input  wire [ID_BITS-1:0]     m_axi_gmem0_rid,
  input  wire [DATA_BITS-1:0]   m_axi_gmem0_rdata,
  input  wire [1:0]             m_axi_gmem0_rresp,
  input  wire                   m_axi_gmem0_rlast,
  input  wire                   m_axi_gmem0_rvalid,
  output wire                   m_axi_gmem0_rready
);

  localparam LANES = DATA_BITS / 32;
  localparam BYTES = DATA_BITS / 8;

  wire clk = ap_clk;
  wire rst = ~ap_rst_n;

  wire            irq;
  wire            start;
  wire [32*64-1:0] args;
  reg             finish;
  reg  [63:0]     retired;
  // Word offsets from 0x10: a 0, b 3, c 6, n 9, mode 11, work_dim 13, global_size_x 15.
  wire [63:0] a    = args[32*0 +: 64];
  wire [63:0] b    = args[32*3 +: 64];
  wire [63:0] c    = args[32*6 +: 64];
  wire [31:0] n    = args[32*9 +: 32];
  wire [31:0] mode = args[32*11 +: 32];
  wire [31:0] size = args[32*15 +: 32];

  test_control u_control (
    .clk(clk), .rst(rst), .interrupt(irq),
    .awaddr(s_axi_control_awaddr), .awvalid(s_axi_control_awvalid), .awready(s_axi_control_awready),
    .wdata(s_axi_control_wdata), .wstrb(s_axi_control_wstrb), .wvalid(s_axi_control_wvalid),
    .wready(s_axi_control_wready), .bresp(s_axi_control_bresp), .bvalid(s_axi_control_bvalid),
    .bready(s_axi_control_bready), .araddr(s_axi_control_araddr), .arvalid(s_axi_control_arvalid),
    .arready(s_axi_control_arready), .rdata(s_axi_control_rdata), .rresp(s_axi_control_rresp),
    .rvalid(s_axi_control_rvalid), .rready(s_axi_control_rready),
    .start(start), .done(finish), .args(args), .retired(retired), .error_flags({31'd0, mode == 32'd6})
  );
  assign interrupt = irq & (mode != 32'd7);

  // The two reads of a line are outstanding together and may come back in either order.
  localparam IDLE = 3'd0, READ_A = 3'd1, READ_B = 3'd2, WAIT = 3'd3, WRITE = 3'd4, RESP = 3'd5, NEXT = 3'd6;
  reg [2:0]           state;
  reg [31:0]          index;      // first work-item of the line
  reg [DATA_BITS-1:0] data_a, data_b;
  reg                 have_a, have_b;
  reg [31:0]          count;      // mode 9
  wire [31:0]         limit = (n < size) ? n : size;
  wire [63:0]         offset = {30'd0, index, 2'b00};

  // What a generated kernel offers for the report of a hang.
  wire ch_valid = (state == RESP) | (count != 32'd0);
  wire ch_ready = (state == RESP) & m_axi_gmem0_bvalid & (mode != 32'd10) | (count != 32'd0);
  wire ch_space = 1'b0;

  assign m_axi_gmem0_awid    = 6'd3;
  assign m_axi_gmem0_awlen   = (mode == 32'd2) ? 8'd255 : 8'd0;
  assign m_axi_gmem0_awsize  = $clog2(BYTES);
  assign m_axi_gmem0_awburst = 2'd1;
  assign m_axi_gmem0_awlock  = 1'b0;
  assign m_axi_gmem0_awcache = 4'd3;
  assign m_axi_gmem0_awprot  = 3'd0;
  assign m_axi_gmem0_awqos   = 4'd0;
  assign m_axi_gmem0_wlast   = (mode != 32'd4);
  assign m_axi_gmem0_bready  = 1'b1;
  assign m_axi_gmem0_arlen   = 8'd0;
  assign m_axi_gmem0_arsize  = $clog2(BYTES);
  assign m_axi_gmem0_arburst = 2'd1;
  assign m_axi_gmem0_arlock  = 1'b0;
  assign m_axi_gmem0_arcache = 4'd3;
  assign m_axi_gmem0_arprot  = 3'd0;
  assign m_axi_gmem0_arqos   = 4'd0;
  assign m_axi_gmem0_rready  = 1'b1;

`ifdef CLHLS_CHECK_ACCESS
  import "DPI-C" function void clhls_check_access(input int site, input longint addr, input int bytes, input int is_write);
`endif

  integer lane;
  always @(posedge clk) begin
    finish <= 1'b0;
    if (m_axi_gmem0_rvalid) begin
      if (m_axi_gmem0_rid == 6'd1) begin data_a <= m_axi_gmem0_rdata; have_a <= 1'b1; end
      if (m_axi_gmem0_rid == 6'd2) begin data_b <= m_axi_gmem0_rdata; have_b <= 1'b1; end
    end
    if (m_axi_gmem0_awvalid & m_axi_gmem0_awready) m_axi_gmem0_awvalid <= 1'b0;
    if (m_axi_gmem0_wvalid & m_axi_gmem0_wready) m_axi_gmem0_wvalid <= 1'b0;
    case (state)
      IDLE: if (start) begin
        index   <= 32'd0;
        retired <= 64'd0;
        count   <= (mode == 32'd9) ? 32'd200000 : 32'd0;
        state   <= NEXT;
      end
      NEXT: begin
        have_a <= 1'b0;
        have_b <= 1'b0;
        if (count != 32'd0) count <= count - 32'd1;
        else if (index >= limit) begin
          finish  <= 1'b1;
          retired <= {32'd0, size};
          state   <= IDLE;
        end else begin
          m_axi_gmem0_arvalid <= 1'b1;
          m_axi_gmem0_araddr  <= a + offset;
          m_axi_gmem0_arid    <= 6'd1;
          state <= READ_A;
`ifdef CLHLS_CHECK_ACCESS
          for (lane = 0; lane < LANES; lane = lane + 1) if (index + lane < limit) begin
            clhls_check_access(0, a + offset + 4 * lane, 4, 0);
            clhls_check_access(1, b + offset + 4 * lane, 4, 0);
            clhls_check_access(2, c + offset + 4 * lane, 4, 1);
          end
`endif
        end
      end
      READ_A: begin
        if (m_axi_gmem0_arready) begin
          m_axi_gmem0_araddr <= b + offset;
          m_axi_gmem0_arid   <= 6'd2;
          state <= READ_B;
        end else if (mode == 32'd5) m_axi_gmem0_arvalid <= 1'b0;
      end
      READ_B: if (m_axi_gmem0_arready) begin
        m_axi_gmem0_arvalid <= 1'b0;
        state <= WAIT;
      end
      WAIT: if (have_a & have_b & !(mode == 32'd1 & index >= limit / 2)) begin
        m_axi_gmem0_awvalid <= 1'b1;
        m_axi_gmem0_awaddr  <= c + offset + ((mode == 32'd2) ? 64'd2112 : 64'd0);
        m_axi_gmem0_wvalid  <= 1'b1;
        for (lane = 0; lane < LANES; lane = lane + 1) begin
          m_axi_gmem0_wdata[32*lane +: 32] <= data_a[32*lane +: 32] + data_b[32*lane +: 32];
          m_axi_gmem0_wstrb[4*lane +: 4]   <= {4{index + lane < limit || mode == 32'd8}};
        end
        state <= (mode == 32'd3 && index + LANES >= limit) ? NEXT : WRITE;
        if (mode == 32'd3 && index + LANES >= limit) index <= index + LANES;
      end
      WRITE: if (!m_axi_gmem0_awvalid & !m_axi_gmem0_wvalid) state <= RESP;
      RESP: ;
      default: state <= IDLE;
    endcase
    if ((state == WRITE || state == RESP) && m_axi_gmem0_bvalid && mode != 32'd10) begin
      index <= index + LANES;
      state <= NEXT;
    end
    if (rst) begin
      state <= IDLE;
      m_axi_gmem0_awvalid <= 1'b0;
      m_axi_gmem0_wvalid  <= 1'b0;
      m_axi_gmem0_arvalid <= 1'b0;
      finish <= 1'b0;
      count  <= 32'd0;
    end
  end

endmodule

`default_nettype wire
