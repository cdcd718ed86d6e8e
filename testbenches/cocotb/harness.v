// A generated kernel between the models of bench.py: unknown values on everything that is not valid, checks of what the models do
// not look at, and faults put between kernel and bus that the self-test must see detected.
//
// Macro TOP: the kernel's module; streams.vh and stream_pins.vh, which `run` writes: its AXI4-Streams. `report` holds a text, the first thing found, as ASCII; 0 while nothing is wrong.
`default_nettype none

module harness;
  parameter DATA_BITS = 64;
  parameter ID_BITS   = 6;
  localparam BYTES    = DATA_BITS / 8;

  reg clk = 1'b0;
  always #2 clk = ~clk;

  reg       rst_n = 1'b1;   // the bench begins with a falling edge, which is what the models look for
  reg [3:0] fault = 4'd0;   // see "faults" below

  // ---- AXI4-Lite: driven by the bench ----
  reg  [11:0] s_axi_control_awaddr, s_axi_control_araddr;
  reg         s_axi_control_awvalid = 1'b0, s_axi_control_wvalid = 1'b0, s_axi_control_bready = 1'b0;
  reg         s_axi_control_arvalid = 1'b0, s_axi_control_rready = 1'b0;
  reg  [31:0] s_axi_control_wdata;
  reg  [3:0]  s_axi_control_wstrb;
  wire        s_axi_control_awready, s_axi_control_wready, s_axi_control_bvalid, s_axi_control_arready, s_axi_control_rvalid;
  wire [1:0]  s_axi_control_bresp, s_axi_control_rresp;
  wire [31:0] s_axi_control_rdata;
  wire        interrupt;

  // ---- AXI4: driven by the bench, or for its models ----
  wire [ID_BITS-1:0]   m_axi_gmem0_awid, m_axi_gmem0_arid;
  wire [63:0]          m_axi_gmem0_awaddr, m_axi_gmem0_araddr;
  wire [7:0]           m_axi_gmem0_awlen, m_axi_gmem0_arlen;
  wire [2:0]           m_axi_gmem0_awsize, m_axi_gmem0_arsize, m_axi_gmem0_awprot, m_axi_gmem0_arprot;
  wire [1:0]           m_axi_gmem0_awburst, m_axi_gmem0_arburst;
  wire                 m_axi_gmem0_awlock, m_axi_gmem0_arlock;
  wire [3:0]           m_axi_gmem0_awcache, m_axi_gmem0_arcache, m_axi_gmem0_awqos, m_axi_gmem0_arqos;
  wire                 m_axi_gmem0_awvalid, m_axi_gmem0_arvalid, m_axi_gmem0_wvalid, m_axi_gmem0_wlast;
  wire                 m_axi_gmem0_bready, m_axi_gmem0_rready;
  wire [DATA_BITS-1:0] m_axi_gmem0_wdata;
  wire [BYTES-1:0]     m_axi_gmem0_wstrb;
  reg                  m_axi_gmem0_awready = 1'b0, m_axi_gmem0_wready = 1'b0, m_axi_gmem0_arready = 1'b0;
  reg                  m_axi_gmem0_bvalid = 1'b0, m_axi_gmem0_rvalid = 1'b0;
  reg  [ID_BITS-1:0]   m_axi_gmem0_bid, m_axi_gmem0_rid;
  reg  [1:0]           m_axi_gmem0_bresp, m_axi_gmem0_rresp;
  reg  [DATA_BITS-1:0] m_axi_gmem0_rdata;
  reg                  m_axi_gmem0_rlast;

  // ---- faults ----
  localparam [3:0] F_DATA      = 4'd1;  // one bit of write data is wrong
  localparam [3:0] F_STROBE    = 4'd2;  // bytes are written that should not be
  localparam [3:0] F_READ_ADDR = 4'd3;  // reads from elsewhere
  localparam [3:0] F_X_DATA    = 4'd4;  // a written byte is unknown
  localparam [3:0] F_X_VALID   = 4'd5;  // a valid is unknown for a moment
  localparam [3:0] F_UNSTABLE  = 4'd6;  // an address changes while it waits
  localparam [3:0] F_DROPPED   = 4'd7;  // a valid falls while it waits
  localparam [3:0] F_NO_IRQ    = 4'd8;  // the interrupt does not come
  localparam [3:0] F_EARLY_IRQ = 4'd9;  // the interrupt comes with the first write
  localparam [3:0] F_X_REGISTER = 4'd10; // register reads give an unknown bit
  localparam [3:0] F_RESPONSE  = 4'd11; // a write to a register is answered with an error
  localparam [3:0] F_REGISTER  = 4'd12; // a bit of the registers is wrong

  // What faults touch: k_ from the kernel, x_ after the fault. Checks look at x_; the models see it with unknown bits as 0, since
  // they stop at an unknown value, of bytes without strobe too.
  wire                 k_interrupt, k_awvalid, k_arvalid, x_interrupt, x_awvalid, x_arvalid;
  wire                 x_wvalid, x_bready, x_rready, x_awready_s, x_wready_s, x_bvalid_s, x_arready_s, x_rvalid_s;
  wire [63:0]          k_awaddr, k_araddr;
  wire [DATA_BITS-1:0] k_wdata, x_wdata;
  wire [BYTES-1:0]     k_wstrb;
  wire [1:0]           k_bresp;
  wire [31:0]          k_rdata, x_rdata;
  reg                  toggle_q = 1'b0;
  reg                  wrote_q  = 1'b0;
  always @(posedge clk) begin
    toggle_q <= ~toggle_q;
    wrote_q  <= rst_n & (wrote_q | m_axi_gmem0_awvalid);
  end

  wire [BYTES-1:0] first_strobe = k_wstrb & (~k_wstrb + 1'b1);
  genvar i;
  generate
    for (i = 0; i < BYTES; i = i + 1) begin : g_lane
      assign x_wdata[8*i +: 8] = fault == F_DATA & first_strobe[i] ? k_wdata[8*i +: 8] ^ 8'h10
                               : fault == F_X_DATA & first_strobe[i] ? 8'hx : k_wdata[8*i +: 8];
    end
    for (i = 0; i < DATA_BITS; i = i + 1) begin : g_wdata
      assign m_axi_gmem0_wdata[i] = x_wdata[i] === 1'b1;
    end
    for (i = 0; i < 32; i = i + 1) begin : g_rdata
      assign s_axi_control_rdata[i] = x_rdata[i] === 1'b1;
    end
  endgenerate
  assign m_axi_gmem0_wstrb  = fault == F_STROBE ? {BYTES{1'b1}} : k_wstrb;
  assign m_axi_gmem0_araddr = fault == F_READ_ADDR ? k_araddr + 64'h10_0000 : k_araddr;
  assign m_axi_gmem0_awaddr = fault == F_UNSTABLE & toggle_q ? k_awaddr ^ BYTES : k_awaddr;
  assign x_awvalid          = fault == F_DROPPED & toggle_q ? 1'b0 : k_awvalid;
  assign x_arvalid          = fault == F_X_VALID & k_arvalid & toggle_q ? 1'bx : k_arvalid;
  assign x_interrupt        = fault == F_NO_IRQ ? 1'b0 : k_interrupt | (fault == F_EARLY_IRQ & wrote_q);
  assign x_rdata            = fault == F_X_REGISTER ? k_rdata | 32'h0000_x000 : k_rdata ^ {22'd0, fault == F_REGISTER, 9'd0};

  assign interrupt             = x_interrupt === 1'b1;
  assign m_axi_gmem0_awvalid   = x_awvalid === 1'b1;
  assign m_axi_gmem0_wvalid    = x_wvalid === 1'b1;
  assign m_axi_gmem0_bready    = x_bready === 1'b1;
  assign m_axi_gmem0_arvalid   = x_arvalid === 1'b1;
  assign m_axi_gmem0_rready    = x_rready === 1'b1;
  assign s_axi_control_awready = x_awready_s === 1'b1;
  assign s_axi_control_wready  = x_wready_s === 1'b1;
  assign s_axi_control_bvalid  = x_bvalid_s === 1'b1;
  assign s_axi_control_arready = x_arready_s === 1'b1;
  assign s_axi_control_rvalid  = x_rvalid_s === 1'b1;
  assign s_axi_control_bresp   = k_bresp ^ {fault == F_RESPONSE, 1'b0};

  // ---- the kernel: what is not valid is unknown ----
  `include "streams.vh"

  `TOP u_kernel (
    `include "stream_pins.vh"
    .ap_clk(clk), .ap_rst_n(rst_n), .interrupt(k_interrupt),
    .s_axi_control_awaddr(s_axi_control_awvalid ? s_axi_control_awaddr : 12'hx),
    .s_axi_control_awvalid(s_axi_control_awvalid), .s_axi_control_awready(x_awready_s),
    .s_axi_control_wdata(s_axi_control_wvalid ? s_axi_control_wdata : 32'hx),
    .s_axi_control_wstrb(s_axi_control_wvalid ? s_axi_control_wstrb : 4'hx),
    .s_axi_control_wvalid(s_axi_control_wvalid), .s_axi_control_wready(x_wready_s),
    .s_axi_control_bresp(k_bresp), .s_axi_control_bvalid(x_bvalid_s), .s_axi_control_bready(s_axi_control_bready),
    .s_axi_control_araddr(s_axi_control_arvalid ? s_axi_control_araddr : 12'hx),
    .s_axi_control_arvalid(s_axi_control_arvalid), .s_axi_control_arready(x_arready_s),
    .s_axi_control_rdata(k_rdata), .s_axi_control_rresp(s_axi_control_rresp),
    .s_axi_control_rvalid(x_rvalid_s), .s_axi_control_rready(s_axi_control_rready),
    .m_axi_gmem0_awid(m_axi_gmem0_awid), .m_axi_gmem0_awaddr(k_awaddr), .m_axi_gmem0_awlen(m_axi_gmem0_awlen),
    .m_axi_gmem0_awsize(m_axi_gmem0_awsize), .m_axi_gmem0_awburst(m_axi_gmem0_awburst), .m_axi_gmem0_awlock(m_axi_gmem0_awlock),
    .m_axi_gmem0_awcache(m_axi_gmem0_awcache), .m_axi_gmem0_awprot(m_axi_gmem0_awprot), .m_axi_gmem0_awqos(m_axi_gmem0_awqos),
    .m_axi_gmem0_awvalid(k_awvalid), .m_axi_gmem0_awready(m_axi_gmem0_awready & m_axi_gmem0_awvalid),
    .m_axi_gmem0_wdata(k_wdata), .m_axi_gmem0_wstrb(k_wstrb), .m_axi_gmem0_wlast(m_axi_gmem0_wlast),
    .m_axi_gmem0_wvalid(x_wvalid), .m_axi_gmem0_wready(m_axi_gmem0_wready),
    .m_axi_gmem0_bid(m_axi_gmem0_bvalid ? m_axi_gmem0_bid : {ID_BITS{1'bx}}),
    .m_axi_gmem0_bresp(m_axi_gmem0_bvalid ? m_axi_gmem0_bresp : 2'bx),
    .m_axi_gmem0_bvalid(m_axi_gmem0_bvalid), .m_axi_gmem0_bready(x_bready),
    .m_axi_gmem0_arid(m_axi_gmem0_arid), .m_axi_gmem0_araddr(k_araddr), .m_axi_gmem0_arlen(m_axi_gmem0_arlen),
    .m_axi_gmem0_arsize(m_axi_gmem0_arsize), .m_axi_gmem0_arburst(m_axi_gmem0_arburst), .m_axi_gmem0_arlock(m_axi_gmem0_arlock),
    .m_axi_gmem0_arcache(m_axi_gmem0_arcache), .m_axi_gmem0_arprot(m_axi_gmem0_arprot), .m_axi_gmem0_arqos(m_axi_gmem0_arqos),
    .m_axi_gmem0_arvalid(k_arvalid), .m_axi_gmem0_arready(m_axi_gmem0_arready),
    .m_axi_gmem0_rid(m_axi_gmem0_rvalid ? m_axi_gmem0_rid : {ID_BITS{1'bx}}),
    .m_axi_gmem0_rdata(m_axi_gmem0_rvalid ? m_axi_gmem0_rdata : {DATA_BITS{1'bx}}),
    .m_axi_gmem0_rresp(m_axi_gmem0_rvalid ? m_axi_gmem0_rresp : 2'bx),
    .m_axi_gmem0_rlast(m_axi_gmem0_rvalid ? m_axi_gmem0_rlast : 1'bx),
    .m_axi_gmem0_rvalid(m_axi_gmem0_rvalid), .m_axi_gmem0_rready(x_rready)
  );

  // ---- checks ----
  reg [8*40-1:0] report = 0;
  wire           stopped = report != 0;

  task found(input [8*40-1:0] text);
    begin
      if (report == 0) begin
        report = text;
        $display("harness: %0s at %0t", text, $time);
      end
    end
  endtask

  // AXI wants valid low during reset; the kernel gets some cycles to hand its reset on.
  localparam SETTLE = 8;
  integer reset_cycles = 0;

  wire aw_x = (^{m_axi_gmem0_awid, m_axi_gmem0_awaddr, m_axi_gmem0_awlen, m_axi_gmem0_awsize, m_axi_gmem0_awburst, m_axi_gmem0_awlock,
                 m_axi_gmem0_awcache, m_axi_gmem0_awprot, m_axi_gmem0_awqos}) === 1'bx;
  wire ar_x = (^{m_axi_gmem0_arid, m_axi_gmem0_araddr, m_axi_gmem0_arlen, m_axi_gmem0_arsize, m_axi_gmem0_arburst, m_axi_gmem0_arlock,
                 m_axi_gmem0_arcache, m_axi_gmem0_arprot, m_axi_gmem0_arqos}) === 1'bx;
  wire m_x  = (^{x_awvalid, x_wvalid, x_bready, x_arvalid, x_rready}) === 1'bx;
  wire s_x  = (^{x_awready_s, x_wready_s, x_bvalid_s, x_arready_s, x_rvalid_s}) === 1'bx;
  integer lane;

  always @(posedge clk) begin
    if (!rst_n) begin
      reset_cycles = reset_cycles + 1;
      report = 0;
      if (reset_cycles > SETTLE) begin
        if ({x_awvalid, x_wvalid, x_arvalid} !== 3'b0) found("protocol: m_axi valid during reset");
        if ({x_bvalid_s, x_rvalid_s} !== 2'b0) found("protocol: s_axi valid during reset");
        if ({x_awready_s, x_wready_s, x_arready_s} !== 3'b0) found("protocol: s_axi ready during reset");
        if (x_interrupt !== 1'b0) found("protocol: interrupt during reset");
      end
    end else begin
      reset_cycles = 0;
      if (m_x) found("unknown: m_axi valid or ready");
      if (s_x) found("unknown: s_axi valid or ready");
      if (x_interrupt === 1'bx) found("unknown: interrupt");
      if (m_axi_gmem0_awvalid & aw_x) found("unknown: AW");
      if (m_axi_gmem0_arvalid & ar_x) found("unknown: AR");
      if (m_axi_gmem0_wvalid) begin
        if ((^{m_axi_gmem0_wstrb, m_axi_gmem0_wlast}) === 1'bx) found("unknown: WSTRB or WLAST");
        for (lane = 0; lane < BYTES; lane = lane + 1) begin
          if (m_axi_gmem0_wstrb[lane] && (^x_wdata[8*lane +: 8]) === 1'bx) found("unknown: written byte");
        end
      end
      if (s_axi_control_bvalid && s_axi_control_bresp !== 2'b00) found("register: BRESP");
      if (s_axi_control_rvalid && s_axi_control_rresp !== 2'b00) found("register: RRESP");
      if (s_axi_control_rvalid && (^x_rdata) === 1'bx) found("unknown: register");
      if (checker_error & ~checker_told_q) found("protocol: clhls_axi_checker");
    end
  end

  // Valid and what belongs to it stay until ready, unknown bits included.
  reg         b_wait_q = 1'b0, r_wait_q = 1'b0, aw_wait_q = 1'b0, w_wait_q = 1'b0, ar_wait_q = 1'b0;
  reg [31:0]  rdata_q;
  reg [ID_BITS+71:0]   aw_q, ar_q;
  reg [9*BYTES:0]      w_q;
  wire [ID_BITS+71:0]  aw_now = {m_axi_gmem0_awid, m_axi_gmem0_awaddr, m_axi_gmem0_awlen};
  wire [ID_BITS+71:0]  ar_now = {m_axi_gmem0_arid, m_axi_gmem0_araddr, m_axi_gmem0_arlen};
  wire [9*BYTES:0]     w_now  = {x_wdata, m_axi_gmem0_wstrb, m_axi_gmem0_wlast};
  always @(posedge clk) begin
    if (b_wait_q & x_bvalid_s === 1'b0) found("protocol: s_axi BVALID fell");
    if (r_wait_q & (x_rvalid_s === 1'b0 | x_rdata !== rdata_q)) found("protocol: s_axi R changed");
    if (aw_wait_q & (x_awvalid === 1'b0 | aw_now !== aw_q)) found("protocol: AW changed");
    if (w_wait_q & (x_wvalid === 1'b0 | w_now !== w_q)) found("protocol: W changed");
    if (ar_wait_q & (x_arvalid === 1'b0 | ar_now !== ar_q)) found("protocol: AR changed");
    b_wait_q  <= rst_n & s_axi_control_bvalid & ~s_axi_control_bready;
    r_wait_q  <= rst_n & s_axi_control_rvalid & ~s_axi_control_rready;
    aw_wait_q <= rst_n & m_axi_gmem0_awvalid & ~m_axi_gmem0_awready;
    w_wait_q  <= rst_n & m_axi_gmem0_wvalid & ~m_axi_gmem0_wready;
    ar_wait_q <= rst_n & m_axi_gmem0_arvalid & ~m_axi_gmem0_arready;
    rdata_q   <= x_rdata;
    aw_q      <= aw_now;
    w_q       <= w_now;
    ar_q      <= ar_now;
  end

  // The other rules of AXI4 that cocotbext-axi does not look at; what the checker has found stays until the end.
  wire       checker_error;
  wire [4:0] checker_code;
  wire       checker_rst = ~rst_n & (reset_cycles > SETTLE);
  reg        checker_told_q = 1'b0;
  always @(posedge clk) checker_told_q <= checker_error;
  clhls_axi_checker #(
    .DATA_BYTES(BYTES), .ID_BITS(ID_BITS)
  ) u_checker (
    .clk(clk), .rst(checker_rst),
    .awid(m_axi_gmem0_awid), .awaddr(m_axi_gmem0_awaddr), .awlen(m_axi_gmem0_awlen), .awsize(m_axi_gmem0_awsize),
    .awburst(m_axi_gmem0_awburst), .awvalid(m_axi_gmem0_awvalid), .awready(m_axi_gmem0_awready),
    .wdata(m_axi_gmem0_wdata), .wstrb(m_axi_gmem0_wstrb), .wlast(m_axi_gmem0_wlast), .wvalid(m_axi_gmem0_wvalid),
    .wready(m_axi_gmem0_wready), .bid(m_axi_gmem0_bid), .bresp(m_axi_gmem0_bresp), .bvalid(m_axi_gmem0_bvalid),
    .bready(m_axi_gmem0_bready), .arid(m_axi_gmem0_arid), .araddr(m_axi_gmem0_araddr), .arlen(m_axi_gmem0_arlen),
    .arsize(m_axi_gmem0_arsize), .arburst(m_axi_gmem0_arburst), .arvalid(m_axi_gmem0_arvalid), .arready(m_axi_gmem0_arready),
    .rid(m_axi_gmem0_rid), .rdata(m_axi_gmem0_rdata), .rresp(m_axi_gmem0_rresp), .rlast(m_axi_gmem0_rlast),
    .rvalid(m_axi_gmem0_rvalid), .rready(m_axi_gmem0_rready), .error(checker_error), .code(checker_code)
  );

  // ---- counters for the bench ----
  integer cycle = 0, read_beats = 0, write_beats = 0, reads_open = 0, writes_open = 0;
  always @(posedge clk) begin
    cycle = cycle + 1;
    if (!rst_n) begin
      read_beats  = 0;
      write_beats = 0;
      reads_open  = 0;
      writes_open = 0;
    end else begin
      if (m_axi_gmem0_rvalid & m_axi_gmem0_rready) read_beats = read_beats + 1;
      if (m_axi_gmem0_wvalid & m_axi_gmem0_wready) write_beats = write_beats + 1;
      if (m_axi_gmem0_arvalid & m_axi_gmem0_arready) reads_open = reads_open + 1;
      if (m_axi_gmem0_rvalid & m_axi_gmem0_rready & m_axi_gmem0_rlast) reads_open = reads_open - 1;
      if (m_axi_gmem0_awvalid & m_axi_gmem0_awready) writes_open = writes_open + 1;
      if (m_axi_gmem0_bvalid & m_axi_gmem0_bready) writes_open = writes_open - 1;
    end
  end

endmodule

`default_nettype wire
