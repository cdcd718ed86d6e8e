// clhls_axi_checker: legal traffic passes, and each rule is broken once and must be reported with its number.
`default_nettype none
module bench;
  `include "bench.vh"

  reg         crst = 1;
  reg  [2:0]  awid = 0, arid = 0, bid = 0, rid = 0;
  reg  [63:0] awaddr = 0, araddr = 0, wdata = 0, rdata = 0;
  reg  [7:0]  awlen = 0, arlen = 0, wstrb = 8'hFF;
  reg  [2:0]  awsize = 3, arsize = 3;
  reg  [1:0]  awburst = 1, arburst = 1, bresp = 0, rresp = 0;
  reg         awvalid = 0, awready = 0, wvalid = 0, wready = 0, wlast = 0, bvalid = 0, bready = 0;
  reg         arvalid = 0, arready = 0, rvalid = 0, rready = 0, rlast = 0;
  wire        error;
  wire [4:0]  code;

  clhls_axi_checker #(
    .DATA_BYTES(8), .ID_BITS(3), .MAX_READS(4), .MAX_WRITES(4)
  ) dut (
    .clk(clk), .rst(crst),
    .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize), .awburst(awburst), .awvalid(awvalid), .awready(awready),
    .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready), .bid(bid), .bresp(bresp), .bvalid(bvalid), .bready(bready),
    .arid(arid), .araddr(araddr), .arlen(arlen), .arsize(arsize), .arburst(arburst), .arvalid(arvalid), .arready(arready),
    .rid(rid), .rdata(rdata), .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready), .error(error), .code(code)
  );


  task clear;
    begin
      awvalid <= 0; wvalid <= 0; bvalid <= 0; arvalid <= 0; rvalid <= 0;
      awready <= 1; wready <= 1; bready <= 1; arready <= 1; rready <= 1;
      awaddr <= 0; araddr <= 0; awlen <= 0; arlen <= 0; awsize <= 3; arsize <= 3; awburst <= 1; arburst <= 1; awid <= 0; arid <= 0;
      wlast <= 0; rlast <= 0;
      crst <= 1;
      repeat (2) @(posedge clk);
      dut.error = 0;
      dut.found = 0;
      crst <= 0;
      @(posedge clk);
    end
  endtask

  task aw(input [2:0] id, input [63:0] at, input [7:0] len);
    begin awid <= id; awaddr <= at; awlen <= len; awvalid <= 1; @(posedge clk); awvalid <= 0; end
  endtask
  task ar(input [2:0] id, input [63:0] at, input [7:0] len);
    begin arid <= id; araddr <= at; arlen <= len; arvalid <= 1; @(posedge clk); arvalid <= 0; end
  endtask
  task w(input last); begin wvalid <= 1; wlast <= last; wdata <= $random(seed); @(posedge clk); wvalid <= 0; end endtask
  task b(input [2:0] id); begin bvalid <= 1; bid <= id; @(posedge clk); bvalid <= 0; end endtask
  task r(input [2:0] id, input last); begin rvalid <= 1; rid <= id; rlast <= last; @(posedge clk); rvalid <= 0; end endtask

  task legal(input [8*40-1:0] what);
    begin repeat (2) @(posedge clk); check(error === 0, what); clear; end
  endtask
  task broken(input [4:0] rule, input [8*40-1:0] what);
    begin repeat (2) @(posedge clk); check(error === 1 && code === rule, what); clear; end
  endtask

  initial begin
    wait (!rst);
    clear;
    // legal: data before and after addresses, interleaved reads, waiting
    aw(1, 64'h1000, 2); w(0); w(0); w(1); b(1);
    w(0); w(1); aw(2, 64'hFF0, 1); @(posedge clk); b(2);
    ar(1, 0, 1); ar(2, 64'hFF8, 0); ar(1, 64'h2000, 2);
    r(1, 0); r(2, 1); r(1, 1); r(1, 0); r(1, 0); r(1, 1);
    awready <= 0; awvalid <= 1; awlen <= 0; awaddr <= 64'h40; repeat (3) @(posedge clk); awready <= 1; @(posedge clk); awvalid <= 0;
    w(1); b(2);
    aw(0, 64'h1000, 255); repeat (255) w(0); w(1); b(0);
    legal("legal traffic reported");
    // each rule
    awready <= 0; awvalid <= 1; repeat (2) @(posedge clk); awaddr <= 64'h8; broken(1, "AW changed");
    awready <= 0; awvalid <= 1; repeat (2) @(posedge clk); awvalid <= 0; broken(1, "AW withdrawn");
    wready <= 0; wvalid <= 1; repeat (2) @(posedge clk); wdata <= ~wdata; broken(2, "W changed");
    aw(1, 0, 0); w(1); bready <= 0; @(posedge clk); b(1); broken(3, "B withdrawn");
    arready <= 0; arvalid <= 1; repeat (2) @(posedge clk); arlen <= 3; broken(4, "AR changed");
    ar(1, 0, 0); rready <= 0; @(posedge clk); r(1, 1); broken(5, "R withdrawn");
    crst <= 1; awvalid <= 1; @(posedge clk); awvalid <= 0; broken(6, "valid in reset");
    awsize <= 2; aw(0, 0, 0); broken(7, "narrow write");
    aw(0, 64'h4, 0); broken(7, "unaligned write");
    awburst <= 2; aw(0, 0, 0); broken(7, "wrapping write");
    arburst <= 0; ar(0, 0, 0); broken(8, "fixed read");
    aw(0, 64'hFF8, 1); broken(9, "write across 4 KiB");
    ar(0, 64'hFF0, 2); broken(10, "read across 4 KiB");
    aw(0, 0, 1); w(1); broken(11, "wlast early");
    aw(0, 0, 0); w(0); w(1); broken(11, "wlast late");
    w(0); w(1); aw(0, 0, 2); broken(11, "length differs from data sent before");
    ar(3, 0, 1); r(3, 1); broken(12, "rlast early");
    ar(3, 0, 0); r(3, 0); broken(12, "rlast late");
    b(1); broken(13, "B from nowhere");
    aw(1, 0, 0); b(1); broken(13, "B before the data");
    aw(1, 0, 0); w(1); b(2); broken(13, "B of another id");
    ar(1, 0, 0); r(2, 1); broken(14, "R of another id");
    repeat (5) aw(0, 0, 0); broken(15, "too many writes");
    repeat (5) ar(0, 0, 0); broken(16, "too many reads");
    finish_bench;
  end
endmodule
