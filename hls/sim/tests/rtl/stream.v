// The units of the RTL library wired by hand, for tests of library, memory model and host together:
//   kernel void stream(global const uint *a, global const uint *b, global uint *c, uint n)
//   { size_t i = get_global_id(0); if (i < n) c[i] = a[i] + b[i]; }
// One work-item a cycle, as a generated kernel of this kind would be.
`default_nettype none

module stream #(
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

  localparam BYTES = DATA_BITS / 8;
  localparam LINE_BITS = 64 - $clog2(BYTES);

  wire clk = ap_clk;
  reg  rst;
  always @(posedge clk) rst <= ~ap_rst_n;

  wire         start, dispatched, token, token_ready, retire;
  reg          done, draining;
  wire         idle;
  wire [32*37-1:0] args;
  wire [63:0]  a = args[32*0 +: 64];
  wire [63:0]  b = args[32*3 +: 64];
  wire [63:0]  c = args[32*6 +: 64];
  wire [31:0]  n = args[32*9 +: 32];
  // hidden from word 11 on, two words each: work_dim, global_size, local_size, num_groups, global_offset
  wire [95:0]  global_size   = {args[32*17 +: 32], args[32*15 +: 32], args[32*13 +: 32]};
  wire [95:0]  local_size    = {args[32*23 +: 32], args[32*21 +: 32], args[32*19 +: 32]};
  wire [95:0]  num_groups    = {args[32*29 +: 32], args[32*27 +: 32], args[32*25 +: 32]};
  wire [95:0]  global_offset = {args[32*35 +: 32], args[32*33 +: 32], args[32*31 +: 32]};
  wire [63:0]  cycles, retired, read_beats, write_beats;

  clhls_axil_control #(.ARG_WORDS(37)) u_control (
    .clk(clk), .rst(rst),
    .s_axi_awaddr(s_axi_control_awaddr), .s_axi_awvalid(s_axi_control_awvalid), .s_axi_awready(s_axi_control_awready),
    .s_axi_wdata(s_axi_control_wdata), .s_axi_wstrb(s_axi_control_wstrb), .s_axi_wvalid(s_axi_control_wvalid),
    .s_axi_wready(s_axi_control_wready), .s_axi_bresp(s_axi_control_bresp), .s_axi_bvalid(s_axi_control_bvalid),
    .s_axi_bready(s_axi_control_bready), .s_axi_araddr(s_axi_control_araddr), .s_axi_arvalid(s_axi_control_arvalid),
    .s_axi_arready(s_axi_control_arready), .s_axi_rdata(s_axi_control_rdata), .s_axi_rresp(s_axi_control_rresp),
    .s_axi_rvalid(s_axi_control_rvalid), .s_axi_rready(s_axi_control_rready), .irq(interrupt),
    .start(start), .done(done), .args(args), .cycles(cycles), .retired(retired),
    .read_beats(read_beats), .write_beats(write_beats), .error_flags(32'd0)
  );

  clhls_perf u_perf (
    .clk(clk), .rst(rst), .start(start), .done(done),
    .read_beat(m_axi_gmem0_rvalid & m_axi_gmem0_rready), .write_beat(m_axi_gmem0_wvalid & m_axi_gmem0_wready),
    .cycles(cycles), .read_beats(read_beats), .write_beats(write_beats)
  );

  wire [0:0]  slot, retire_slot;
  wire [95:0] gid;
  clhls_dispatcher #(.SLOTS(2), .SLOT_BITS(1), .LID_BITS(8)) u_dispatcher (
    .clk(clk), .rst(rst), .start(start), .global_size(global_size), .local_size(local_size),
    .num_groups(num_groups), .global_offset(global_offset), .busy(), .done(dispatched),
    .m_valid(token), .m_ready(token_ready), .m_slot(slot), .m_lid(), .m_lanes(), .m_local_id(), .m_group_id(),
    .m_global_id(gid), .m_local_size(), .m_global_linear(), .m_local_linear(),
    .retire_valid(retire), .retire_slot(retire_slot), .group_size(), .retired(retired)
  );

  // A work-item goes to both loads, and beside them.
  wire [2:0]  way, way_ready;
  clhls_fork #(.N(3)) u_fork (
    .clk(clk), .rst(rst), .s_valid(token), .s_ready(token_ready), .m_valid(way), .m_ready(way_ready)
  );
  wire [63:0] offset = {30'd0, gid[31:0], 2'b00};
  wire        pred   = gid[31:0] < n;
  wire        beside_valid, store_pred;
  wire [63:0] store_addr;
  wire [1:0]  loaded;
  wire [31:0] data_a, data_b;
  wire        store_ready;
  wire        go = beside_valid & loaded[0] & loaded[1] & store_ready;
  assign      retire = go;
  clhls_fifo #(.WIDTH(66), .DEPTH(160)) u_beside (
    .clk(clk), .rst(rst), .s_valid(way[2]), .s_ready(way_ready[2]), .s_data({slot, pred, c + offset}),
    .m_valid(beside_valid), .m_ready(loaded[0] & loaded[1] & store_ready), .m_data({retire_slot, store_pred, store_addr})
  );

  wire [1:0]             ar_valid, ar_ready, r_valid;
  wire [2*LINE_BITS-1:0] ar_line;
  wire [15:0]            ar_len;
  wire [DATA_BITS-1:0]   r_data;
  clhls_load #(.BUS_BYTES(BYTES), .DEPTH(160), .SITE(0)) u_load_a (
    .clk(clk), .rst(rst), .flush(1'b0), .s_valid(way[0]), .s_ready(way_ready[0]), .s_addr(a + offset), .s_pred(pred),
    .m_valid(loaded[0]), .m_ready(loaded[1] & beside_valid & store_ready), .m_data(data_a),
    .ar_valid(ar_valid[0]), .ar_ready(ar_ready[0]), .ar_line(ar_line[0 +: LINE_BITS]), .ar_len(ar_len[7:0]),
    .r_valid(r_valid[0]), .r_data(r_data)
  );
  clhls_load #(.BUS_BYTES(BYTES), .DEPTH(160), .SITE(1)) u_load_b (
    .clk(clk), .rst(rst), .flush(1'b0), .s_valid(way[1]), .s_ready(way_ready[1]), .s_addr(b + offset), .s_pred(pred),
    .m_valid(loaded[1]), .m_ready(loaded[0] & beside_valid & store_ready), .m_data(data_b),
    .ar_valid(ar_valid[1]), .ar_ready(ar_ready[1]), .ar_line(ar_line[LINE_BITS +: LINE_BITS]), .ar_len(ar_len[15:8]),
    .r_valid(r_valid[1]), .r_data(r_data)
  );
  clhls_axi_read_mux #(.N(2), .DATA_BYTES(BYTES), .ID_BITS(ID_BITS)) u_read (
    .clk(clk), .rst(rst), .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_line(ar_line), .ar_len(ar_len),
    .r_valid(r_valid), .r_data(r_data), .error(),
    .m_axi_arid(m_axi_gmem0_arid), .m_axi_araddr(m_axi_gmem0_araddr), .m_axi_arlen(m_axi_gmem0_arlen),
    .m_axi_arsize(m_axi_gmem0_arsize), .m_axi_arburst(m_axi_gmem0_arburst), .m_axi_arlock(m_axi_gmem0_arlock),
    .m_axi_arcache(m_axi_gmem0_arcache), .m_axi_arprot(m_axi_gmem0_arprot), .m_axi_arqos(m_axi_gmem0_arqos),
    .m_axi_arvalid(m_axi_gmem0_arvalid), .m_axi_arready(m_axi_gmem0_arready), .m_axi_rid(m_axi_gmem0_rid),
    .m_axi_rdata(m_axi_gmem0_rdata), .m_axi_rresp(m_axi_gmem0_rresp), .m_axi_rlast(m_axi_gmem0_rlast),
    .m_axi_rvalid(m_axi_gmem0_rvalid), .m_axi_rready(m_axi_gmem0_rready)
  );

  wire                 aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid;
  wire [LINE_BITS-1:0] aw_line;
  wire [7:0]           aw_len;
  wire [DATA_BITS-1:0] w_data;
  wire [BYTES-1:0]     w_strb;
  clhls_store #(.BUS_BYTES(BYTES), .ACK(0), .SITE(2)) u_store (
    .clk(clk), .rst(rst), .flush(draining), .idle(idle),
    .s_valid(beside_valid & loaded[0] & loaded[1]), .s_ready(store_ready), .s_addr(store_addr), .s_data(data_a + data_b),
    .s_strb(4'hf), .s_pred(store_pred), .m_valid(), .m_ready(1'b1),
    .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_line(aw_line), .aw_len(aw_len), .w_valid(w_valid), .w_ready(w_ready),
    .w_data(w_data), .w_strb(w_strb), .w_last(w_last), .b_valid(b_valid)
  );
  clhls_axi_write_mux #(.N(1), .DATA_BYTES(BYTES), .ID_BITS(ID_BITS)) u_write (
    .clk(clk), .rst(rst), .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_line(aw_line), .aw_len(aw_len),
    .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_strb(w_strb), .w_last(w_last), .b_valid(b_valid), .error(),
    .m_axi_awid(m_axi_gmem0_awid), .m_axi_awaddr(m_axi_gmem0_awaddr), .m_axi_awlen(m_axi_gmem0_awlen),
    .m_axi_awsize(m_axi_gmem0_awsize), .m_axi_awburst(m_axi_gmem0_awburst), .m_axi_awlock(m_axi_gmem0_awlock),
    .m_axi_awcache(m_axi_gmem0_awcache), .m_axi_awprot(m_axi_gmem0_awprot), .m_axi_awqos(m_axi_gmem0_awqos),
    .m_axi_awvalid(m_axi_gmem0_awvalid), .m_axi_awready(m_axi_gmem0_awready), .m_axi_wdata(m_axi_gmem0_wdata),
    .m_axi_wstrb(m_axi_gmem0_wstrb), .m_axi_wlast(m_axi_gmem0_wlast), .m_axi_wvalid(m_axi_gmem0_wvalid),
    .m_axi_wready(m_axi_gmem0_wready), .m_axi_bid(m_axi_gmem0_bid), .m_axi_bresp(m_axi_gmem0_bresp),
    .m_axi_bvalid(m_axi_gmem0_bvalid), .m_axi_bready(m_axi_gmem0_bready)
  );

  // Done once the last work-item has retired and the memory has everything.
  always @(posedge clk) begin
    done <= draining & idle & ~done;
    if (dispatched) draining <= 1'b1;
    if (draining & idle) draining <= 1'b0;
    if (rst) begin
      done     <= 1'b0;
      draining <= 1'b0;
    end
  end

endmodule

`default_nettype wire
