// Load and store units behind clhls_axi_read_mux and clhls_axi_write_mux, against an AXI4 memory that stalls at random on every
// channel, interleaves read data of different ids and answers writes of different ids in any order; protocol checker attached.
`default_nettype none
module bench;
  parameter LOADS      = 3;
  parameter STORES     = 2;
  parameter BYTES      = 8;
  parameter DATA_BYTES = 64;
  parameter ADDR       = 64;
  `include "bench.vh"

  localparam ID   = 6;
  localparam SIZE = $clog2(DATA_BYTES);
  localparam LB   = ADDR - SIZE;
  localparam DW   = 8 * BYTES;
  localparam BW   = 8 * DATA_BYTES;
  localparam [63:0] BASE = (ADDR > 34) ? 64'h3_4000_0000 : 64'h4000_0000;
  localparam SPACE = 16384;   // bytes of each store unit's region

  // ---- read side ----
  reg  [LOADS-1:0]      l_valid = 0, l_pred = 0;
  wire [LOADS-1:0]      l_ready;
  reg  [LOADS*ADDR-1:0] l_addr;
  wire [LOADS-1:0]      a_valid;
  reg  [LOADS-1:0]      a_ready = 0;
  wire [LOADS*DW-1:0]   a_data;
  wire [LOADS-1:0]      ar_valid, ar_ready, r_valid;
  wire [LOADS*LB-1:0]   ar_line;
  wire [LOADS*8-1:0]    ar_len;
  wire [BW-1:0]         r_data;
  wire                  read_error, write_error;

  wire [ID-1:0] awid, arid;
  wire [63:0]   awaddr, araddr;
  wire [7:0]    awlen, arlen;
  wire [2:0]    awsize, arsize, awprot, arprot;
  wire [1:0]    awburst, arburst;
  wire          awlock, arlock, awvalid, wvalid, wlast, arvalid, rready, bready;
  wire [3:0]    awcache, arcache, awqos, arqos;
  wire [BW-1:0] wdata;
  wire [DATA_BYTES-1:0] wstrb;
  reg           awready = 0, wready = 0, arready = 0, rvalid = 0, rlast = 0, bvalid = 0;
  reg  [ID-1:0] rid = 0, bid = 0;
  reg  [BW-1:0] rdata = 0;

  genvar u;
  generate
    for (u = 0; u < LOADS; u = u + 1) begin : g_load
      clhls_load #(
        .ADDR_BITS(ADDR), .BYTES((u == 0) ? BYTES : (u == 1) ? BYTES / 2 : 1), .BUS_BYTES(DATA_BYTES), .DEPTH(256), .DEPTH_BEATS(128)
      ) u_load (
        .clk(clk), .rst(rst), .flush(1'b0), .s_valid(l_valid[u]), .s_ready(l_ready[u]), .s_addr(l_addr[u*ADDR +: ADDR]), .s_pred(l_pred[u]),
        .m_valid(a_valid[u]), .m_ready(a_ready[u]), .m_data(a_data[u*DW +: 8*((u == 0) ? BYTES : (u == 1) ? BYTES / 2 : 1)]),
        .ar_valid(ar_valid[u]), .ar_ready(ar_ready[u]), .ar_line(ar_line[u*LB +: LB]), .ar_len(ar_len[u*8 +: 8]),
        .r_valid(r_valid[u]), .r_data(r_data)
      );
    end
  endgenerate

  clhls_axi_read_mux #(
    .N(LOADS), .ADDR(ADDR), .DATA_BYTES(DATA_BYTES), .ID_BITS(ID)
  ) u_read (
    .clk(clk), .rst(rst), .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_line(ar_line), .ar_len(ar_len), .r_valid(r_valid), .r_data(r_data),
    .error(read_error),
    .m_axi_arid(arid), .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst), .m_axi_arlock(arlock),
    .m_axi_arcache(arcache), .m_axi_arprot(arprot), .m_axi_arqos(arqos), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
    .m_axi_rid(rid), .m_axi_rdata(rdata), .m_axi_rresp(2'b00), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid), .m_axi_rready(rready)
  );

  // ---- write side ----
  reg  [STORES-1:0]      s_valid = 0, s_pred = 0;
  wire [STORES-1:0]      s_ready, k_valid, idle;
  reg  [STORES-1:0]      k_ready = 0;
  reg  [STORES*ADDR-1:0] s_addr;
  reg  [STORES*DW-1:0]   s_data;
  wire [STORES-1:0]      aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid;
  wire [STORES*LB-1:0]   aw_line;
  wire [STORES*8-1:0]    aw_len;
  wire [STORES*BW-1:0]   w_data;
  wire [STORES*DATA_BYTES-1:0] w_strb;
  reg flush = 0;

  generate
    for (u = 0; u < STORES; u = u + 1) begin : g_store
      clhls_store #(
        .ADDR_BITS(ADDR), .BYTES(BYTES), .BUS_BYTES(DATA_BYTES), .ACK(u % 2), .DEPTH(512)
      ) u_store (
        .clk(clk), .rst(rst), .flush(flush), .idle(idle[u]), .s_valid(s_valid[u]), .s_ready(s_ready[u]), .s_addr(s_addr[u*ADDR +: ADDR]),
        .s_data(s_data[u*DW +: DW]), .s_strb({BYTES{1'b1}}), .s_pred(s_pred[u]), .m_valid(k_valid[u]), .m_ready(k_ready[u]),
        .aw_valid(aw_valid[u]), .aw_ready(aw_ready[u]), .aw_line(aw_line[u*LB +: LB]), .aw_len(aw_len[u*8 +: 8]),
        .w_valid(w_valid[u]), .w_ready(w_ready[u]), .w_data(w_data[u*BW +: BW]), .w_strb(w_strb[u*DATA_BYTES +: DATA_BYTES]),
        .w_last(w_last[u]), .b_valid(b_valid[u])
      );
    end
  endgenerate

  clhls_axi_write_mux #(
    .N(STORES), .ADDR(ADDR), .DATA_BYTES(DATA_BYTES), .ID_BITS(ID)
  ) u_write (
    .clk(clk), .rst(rst), .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_line(aw_line), .aw_len(aw_len),
    .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_strb(w_strb), .w_last(w_last), .b_valid(b_valid), .error(write_error),
    .m_axi_awid(awid), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst), .m_axi_awlock(awlock),
    .m_axi_awcache(awcache), .m_axi_awprot(awprot), .m_axi_awqos(awqos), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
    .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
    .m_axi_bid(bid), .m_axi_bresp(2'b00), .m_axi_bvalid(bvalid), .m_axi_bready(bready)
  );

  wire rule_error;
  wire [4:0] rule;
  clhls_axi_checker #(
    .DATA_BYTES(DATA_BYTES), .ID_BITS(ID), .MAX_READS(1023), .MAX_WRITES(1023)
  ) u_checker (
    .clk(clk), .rst(rst),
    .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize), .awburst(awburst), .awvalid(awvalid), .awready(awready),
    .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
    .bid(bid), .bresp(2'b00), .bvalid(bvalid), .bready(bready),
    .arid(arid), .araddr(araddr), .arlen(arlen), .arsize(arsize), .arburst(arburst), .arvalid(arvalid), .arready(arready),
    .rid(rid), .rdata(rdata), .rresp(2'b00), .rlast(rlast), .rvalid(rvalid), .rready(rready),
    .error(rule_error), .code(rule)
  );

  // ---- AXI4 memory ----
  function [7:0] content(input [63:0] at);  // what reads find; the regions of the stores are not read
    content = (at[31:0] * 32'h9E3779B1) >> 23;
  endfunction

  localparam Q = 1024;
  reg [63:0] rq_addr [0:64*Q-1];
  integer    rq_left [0:64*Q-1], rq_in [0:63], rq_out [0:63];
  reg [63:0] wq_addr [0:Q-1];
  reg [ID-1:0] wq_id [0:Q-1];
  integer    aw_in = 0, w_done = 0, w_beat = 0, bq [0:63], read_beats = 0, write_beats = 0, chan_rate = 8, pick, try, i, j, k;
  reg [7:0]  mem [0:STORES*SPACE-1], model [0:STORES*SPACE-1];
  reg [63:0] at;
  reg        w_dice = 0;

  initial begin
    for (i = 0; i < 64; i = i + 1) begin rq_in[i] = 0; rq_out[i] = 0; bq[i] = 0; end
    for (i = 0; i < STORES * SPACE; i = i + 1) begin mem[i] = 0; model[i] = 0; end
  end

  always @(posedge clk) if (!rst) begin
    check(!rule_error && !read_error && !write_error, "AXI rule violated or error flag");
    check(rready && bready, "ready must be constant");
    if (arvalid & arready) begin
      check({arlock, arcache, arprot, arqos} === {1'b0, 4'd3, 3'd0, 4'd0}, "AR attributes");
      check(arid < LOADS, "arid");
      rq_addr[arid*Q + rq_in[arid] % Q] = araddr;
      rq_left[arid*Q + rq_in[arid] % Q] = arlen + 1;
      rq_in[arid] = rq_in[arid] + 1;
    end
    // R: beats of any id that has something
    rvalid <= 0;
    rdata <= {BW{1'bx}};
    pick = -1;
    for (try = 0; try < 4 && pick < 0; try = try + 1) begin
      pick = dice(LOADS);
      if (rq_out[pick] == rq_in[pick]) pick = -1;
    end
    if (full_rate) for (k = 0; k < LOADS && pick < 0; k = k + 1) if (rq_out[k] != rq_in[k]) pick = k;
    if (pick >= 0 && (full_rate || dice(8) < chan_rate)) begin
      j = pick * Q + rq_out[pick] % Q;
      rvalid <= 1;
      rid <= pick;
      for (i = 0; i < DATA_BYTES; i = i + 1) rdata[8*i +: 8] <= content(rq_addr[j] + i);
      rlast <= rq_left[j] == 1;
      rq_addr[j] = rq_addr[j] + DATA_BYTES;
      rq_left[j] = rq_left[j] - 1;
      if (rq_left[j] == 0) rq_out[pick] = rq_out[pick] + 1;
      read_beats = read_beats + 1;
    end
    if (awvalid & awready) begin
      check({awlock, awcache, awprot, awqos} === {1'b0, 4'd3, 3'd0, 4'd0}, "AW attributes");
      check(awid < STORES, "awid");
      wq_addr[aw_in % Q] = awaddr;
      wq_id[aw_in % Q] = awid;
      aw_in = aw_in + 1;
    end
    if (wvalid & wready) begin
      write_beats = write_beats + 1;
      for (i = 0; i < DATA_BYTES; i = i + 1) if (wstrb[i]) begin
        at = wq_addr[w_done % Q] + w_beat * DATA_BYTES + i - BASE;
        check(at / SPACE == wq_id[w_done % Q], "write outside of the unit's region");
        mem[at % (STORES * SPACE)] = wdata[8*i +: 8];
      end
      w_beat = w_beat + 1;
      if (wlast) begin
        bq[wq_id[w_done % Q]] = bq[wq_id[w_done % Q]] + 1;
        w_done = w_done + 1;
        w_beat = 0;
      end
    end
    bvalid <= 0;
    pick = dice(STORES);
    if (bq[pick] > 0 && (full_rate || dice(8) < chan_rate)) begin
      bvalid <= 1;
      bid <= pick;
      bq[pick] = bq[pick] - 1;
    end
    arready <= full_rate || dice(8) < chan_rate;
    awready <= full_rate || dice(8) < chan_rate;
    w_dice  <= full_rate || dice(8) < chan_rate;
    if (dice(100) == 0) chan_rate = 1 + dice(8);
  end
  always @* wready = w_dice && (aw_in > w_done) && !rst;

  // ---- traffic ----
  reg [63:0] e_addr [0:LOADS*4096-1];
  reg        e_pred [0:LOADS*4096-1];
  integer    e_in [0:LOADS-1], e_out [0:LOADS-1], step [0:LOADS+STORES-1], stop = 0, loads = 0, stores = 0, asked = 0, b, n;
  initial for (n = 0; n < LOADS; n = n + 1) begin e_in[n] = 0; e_out[n] = 0; l_addr[n*ADDR +: ADDR] = n << 20; end
  initial for (n = 0; n < LOADS + STORES; n = n + 1) step[n] = 1;
  initial for (n = 0; n < STORES; n = n + 1) s_addr[n*ADDR +: ADDR] = BASE + n * SPACE;

  always @(posedge clk) if (!rst) begin
    for (n = 0; n < LOADS; n = n + 1) begin
      b = (n == 0) ? BYTES : (n == 1) ? BYTES / 2 : 1;
      if (l_valid[n] & l_ready[n]) begin
        e_addr[n*4096 + e_in[n] % 4096] = l_addr[n*ADDR +: ADDR];
        e_pred[n*4096 + e_in[n] % 4096] = l_pred[n];
        e_in[n] = e_in[n] + 1;
        asked = asked + 1;
      end
      if (~l_valid[n] | l_ready[n]) begin
        l_valid[n] <= !stop && in_turn(0);
        l_pred[n] <= full_rate || dice(8) != 0;
        l_addr[n*ADDR +: ADDR] <= full_rate ? l_addr[n*ADDR +: ADDR] / DATA_BYTES * DATA_BYTES + DATA_BYTES
                                : dice(64) ? l_addr[n*ADDR +: ADDR] + b * step[n] : ($unsigned($random(seed)) >> 4) / DATA_BYTES * DATA_BYTES;
      end
      if (a_valid[n] & a_ready[n]) begin
        loads = loads + 1;
        for (k = 0; k < b; k = k + 1)
          check(a_data[n*DW + 8*k +: 8] === (e_pred[n*4096 + e_out[n] % 4096] ? content(e_addr[n*4096 + e_out[n] % 4096] + k) : 8'd0), "wrong data");
        e_out[n] = e_out[n] + 1;
      end
      a_ready[n] <= out_turn(0);
      if (dice(100) == 0) step[n] = dice(5);
    end
    for (n = 0; n < STORES; n = n + 1) begin
      if (s_valid[n] & s_ready[n]) begin
        stores = stores + 1;
        for (k = 0; k < BYTES; k = k + 1) if (s_pred[n]) model[s_addr[n*ADDR +: ADDR] - BASE + k] = s_data[n*DW + 8*k +: 8];
      end
      if (~s_valid[n] | s_ready[n]) begin
        s_valid[n] <= !stop && in_turn(0);
        s_pred[n] <= full_rate || dice(8) != 0;
        s_data[n*DW +: DW] <= {8{$random(seed)}};
        at = s_addr[n*ADDR +: ADDR] - BASE - n * SPACE;
        at = full_rate ? at / DATA_BYTES * DATA_BYTES + DATA_BYTES : dice(64) ? at + BYTES * step[LOADS+n] : dice(SPACE);
        s_addr[n*ADDR +: ADDR] <= BASE + n * SPACE + (at % SPACE) / BYTES * BYTES;
      end
      k_ready[n] <= out_turn(0);
      if (dice(100) == 0) step[LOADS+n] = dice(5);
    end
  end

  task drain;
    begin
      stop = 1;
      @(posedge clk);
      while (|l_valid || |s_valid) @(posedge clk);
      flush = 1;
      repeat (4) @(posedge clk);
      while (!(&idle) || asked != loads) @(posedge clk);
      flush = 0;
      for (i = 0; i < STORES * SPACE; i = i + 1) if (mem[i] !== model[i]) check(0, "memory differs");
      stop = 0;
    end
  endtask

  integer rfrom, wfrom;
  initial begin
    wait (!rst);
    repeat (3) begin
      repeat (5000) @(posedge clk);
      drain;
    end
    full_rate = 1;
    repeat (400) @(posedge clk);
    rfrom = read_beats;
    wfrom = write_beats;
    repeat (1000) @(posedge clk);
    $display("%0d loads %0d stores: %0d read beats, %0d write beats in 1000 cycles", LOADS, STORES, read_beats - rfrom, write_beats - wfrom);
    check(read_beats - rfrom >= 999, "less than one read beat a cycle");
    check(write_beats - wfrom >= 990, "less than one write beat a cycle");
    drain;
    finish_bench;
  end
  initial begin
    repeat (200000) @(posedge clk);
    check(0, "hangs");
    finish_bench;
  end
endmodule
