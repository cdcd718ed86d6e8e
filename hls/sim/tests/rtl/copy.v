// Hand-written kernel for tests of the memory model: streams whole bus lines in bursts of 16.
//   kernel void copy(global const ulong8 *from, global ulong8 *to, uint lines)
// The launch has one work-item. Write data may go out before its address, which AXI allows.
`default_nettype none

module copy #(
  parameter DATA_BITS = 512,
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
  output wire [63:0]            m_axi_gmem0_awaddr,
  output wire [7:0]             m_axi_gmem0_awlen,
  output wire [2:0]             m_axi_gmem0_awsize,
  output wire [1:0]             m_axi_gmem0_awburst,
  output wire                   m_axi_gmem0_awlock,
  output wire [3:0]             m_axi_gmem0_awcache,
  output wire [2:0]             m_axi_gmem0_awprot,
  output wire [3:0]             m_axi_gmem0_awqos,
  output wire                   m_axi_gmem0_awvalid,
  input  wire                   m_axi_gmem0_awready,
  output wire [DATA_BITS-1:0]   m_axi_gmem0_wdata,
  output wire [DATA_BITS/8-1:0] m_axi_gmem0_wstrb,
  output wire                   m_axi_gmem0_wlast,
  output wire                   m_axi_gmem0_wvalid,
  input  wire                   m_axi_gmem0_wready,
  input  wire [ID_BITS-1:0]     m_axi_gmem0_bid,
  input  wire [1:0]             m_axi_gmem0_bresp,
  input  wire                   m_axi_gmem0_bvalid,
  output wire                   m_axi_gmem0_bready,
  output wire [ID_BITS-1:0]     m_axi_gmem0_arid,
  output wire [63:0]            m_axi_gmem0_araddr,
  output wire [7:0]             m_axi_gmem0_arlen,
  output wire [2:0]             m_axi_gmem0_arsize,
  output wire [1:0]             m_axi_gmem0_arburst,
  output wire                   m_axi_gmem0_arlock,
  output wire [3:0]             m_axi_gmem0_arcache,
  output wire [2:0]             m_axi_gmem0_arprot,
  output wire [3:0]             m_axi_gmem0_arqos,
  output wire                   m_axi_gmem0_arvalid,
  input  wire                   m_axi_gmem0_arready,
  input  wire [ID_BITS-1:0]     m_axi_gmem0_rid,
  input  wire [DATA_BITS-1:0]   m_axi_gmem0_rdata,
  input  wire [1:0]             m_axi_gmem0_rresp,
  input  wire                   m_axi_gmem0_rlast,
  input  wire                   m_axi_gmem0_rvalid,
  output wire                   m_axi_gmem0_rready
);

  localparam SHIFT = $clog2(DATA_BITS / 8);
  localparam DEPTH = 512;

  wire clk = ap_clk;
  wire rst = ~ap_rst_n;
  wire             start;
  wire [32*64-1:0] args;
  reg              running, finish;
  wire [63:0] from  = args[32*0 +: 64];
  wire [63:0] to    = args[32*3 +: 64];
  wire [31:0] lines = args[32*6 +: 32];

  test_control u_control (
    .clk(clk), .rst(rst), .interrupt(interrupt),
    .awaddr(s_axi_control_awaddr), .awvalid(s_axi_control_awvalid), .awready(s_axi_control_awready),
    .wdata(s_axi_control_wdata), .wstrb(s_axi_control_wstrb), .wvalid(s_axi_control_wvalid),
    .wready(s_axi_control_wready), .bresp(s_axi_control_bresp), .bvalid(s_axi_control_bvalid),
    .bready(s_axi_control_bready), .araddr(s_axi_control_araddr), .arvalid(s_axi_control_arvalid),
    .arready(s_axi_control_arready), .rdata(s_axi_control_rdata), .rresp(s_axi_control_rresp),
    .rvalid(s_axi_control_rvalid), .rready(s_axi_control_rready),
    .start(start), .done(finish), .args(args), .retired(64'd1), .error_flags(32'd0)
  );

  reg [31:0] asked, received, sent, offered, answered; // lines; the last one: write bursts
  reg [DATA_BITS-1:0] data [0:DEPTH-1];

  function [7:0] burst(input [31:0] done);
    burst = (lines - done >= 32'd16) ? 8'd15 : lines[7:0] - done[7:0] - 8'd1;
  endfunction

  // An address is offered once its data has a place; nothing that counts changes before it is taken.
  assign m_axi_gmem0_arvalid = running & (asked != lines) & (asked + 32'd16 - sent <= DEPTH);
  assign m_axi_gmem0_araddr  = from + ({32'd0, asked} << SHIFT);
  assign m_axi_gmem0_arlen   = burst(asked);
  assign m_axi_gmem0_awvalid = running & (offered != lines);
  assign m_axi_gmem0_awaddr  = to + ({32'd0, offered} << SHIFT);
  assign m_axi_gmem0_awlen   = burst(offered);
  assign m_axi_gmem0_wvalid  = running & (sent != received);
  assign m_axi_gmem0_wdata   = data[sent % DEPTH];
  assign m_axi_gmem0_wstrb   = {(DATA_BITS/8){1'b1}};
  assign m_axi_gmem0_wlast   = (sent[3:0] == 4'd15) | (sent + 32'd1 == lines);
  assign m_axi_gmem0_bready  = 1'b1;
  assign m_axi_gmem0_rready  = 1'b1;
  assign m_axi_gmem0_awid    = 6'd5;
  assign m_axi_gmem0_arid    = 6'd9;
  assign m_axi_gmem0_awsize  = SHIFT;
  assign m_axi_gmem0_arsize  = SHIFT;
  assign m_axi_gmem0_awburst = 2'd1;
  assign m_axi_gmem0_arburst = 2'd1;
  assign m_axi_gmem0_awlock  = 1'b0;
  assign m_axi_gmem0_arlock  = 1'b0;
  assign m_axi_gmem0_awcache = 4'd3;
  assign m_axi_gmem0_arcache = 4'd3;
  assign m_axi_gmem0_awprot  = 3'd0;
  assign m_axi_gmem0_arprot  = 3'd0;
  assign m_axi_gmem0_awqos   = 4'd0;
  assign m_axi_gmem0_arqos   = 4'd0;

  always @(posedge clk) begin
    finish <= 1'b0;
    if (m_axi_gmem0_arvalid & m_axi_gmem0_arready) asked <= asked + {24'd0, m_axi_gmem0_arlen} + 32'd1;
    if (m_axi_gmem0_awvalid & m_axi_gmem0_awready) offered <= offered + {24'd0, m_axi_gmem0_awlen} + 32'd1;
    if (m_axi_gmem0_rvalid) begin
      data[received % DEPTH] <= m_axi_gmem0_rdata;
      received <= received + 32'd1;
    end
    if (m_axi_gmem0_wvalid & m_axi_gmem0_wready) sent <= sent + 32'd1;
    if (m_axi_gmem0_bvalid) answered <= answered + 32'd1;
    if (running && answered == (lines + 32'd15) / 16) begin
      finish  <= 1'b1;
      running <= 1'b0;
    end
    if (start) begin
      running <= 1'b1;
      asked <= 0; received <= 0; sent <= 0; offered <= 0; answered <= 0;
    end
    if (rst) begin
      running <= 1'b0;
      finish  <= 1'b0;
      asked <= 0; received <= 0; sent <= 0; offered <= 0; answered <= 0;
    end
  end

endmodule

`default_nettype wire
