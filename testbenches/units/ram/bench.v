// clhls_ram: against an array; lanes, frozen reads, same-cycle collisions (COLLIDES=1) on both targets.
`default_nettype none
module bench;
  parameter WIDTH    = 32;
  parameter DEPTH    = 512;
  parameter WE_WIDTH = 1;
  parameter COLLIDES = 1;
  parameter TARGET   = "generic";
  `include "bench.vh"

  localparam AB   = $clog2(DEPTH);
  localparam LANE = WIDTH / WE_WIDTH;

  reg                 en = 1, ren = 0;
  reg  [WE_WIDTH-1:0] wen = 0;
  reg  [AB-1:0]       waddr = 0, raddr = 0;
  reg  [WIDTH-1:0]    wdata = 0;
  wire [WIDTH-1:0]    rdata;
  reg  [WIDTH-1:0]    mem [0:DEPTH-1];
  reg                 known [0:DEPTH-1];
  reg                 v1 = 0, v2 = 0;
  reg  [WIDTH-1:0]    d1, d2;
  integer             i, base = 0, collisions = 0, next_w, next_r;

  clhls_ram #(
    .WIDTH(WIDTH), .DEPTH(DEPTH), .WE_WIDTH(WE_WIDTH), .COLLIDES(COLLIDES), .TARGET(TARGET)
  ) dut (
    .clk(clk), .en(en), .en_out(en), .wen(wen), .waddr(waddr), .wdata(wdata), .ren(ren), .raddr(raddr), .rdata(rdata)
  );

  initial for (i = 0; i < DEPTH; i = i + 1) known[i] = 0;

  always @(posedge clk) if (!rst) begin
    if (v2) check(rdata === d2, "wrong word");
    if (en) begin
      v2 <= v1;
      d2 <= d1;
      v1 <= ren && known[raddr];
      d1 <= mem[raddr];  // old word
      if (ren && |wen && raddr == waddr) collisions = collisions + 1;
    end
    for (i = 0; i < WE_WIDTH; i = i + 1) if (wen[i]) mem[waddr][i*LANE +: LANE] = wdata[i*LANE +: LANE];
    if (&wen) known[waddr] = 1;
    // a few neighbouring addresses at a time, so that they meet, all over the range
    if (dice(50) == 0) base = dice(DEPTH);
    next_w = (base + dice(4)) % DEPTH;
    next_r = (dice(8) == 0) ? dice(DEPTH) : (base + dice(4)) % DEPTH;
    wen   <= dice(3) == 0 ? 0 : dice(2) ? {WE_WIDTH{1'b1}} : $random(seed);
    waddr <= next_w;
    for (i = 0; i < WIDTH; i = i + 1) wdata[i] <= dice(2);
    ren   <= dice(4) != 0 && (COLLIDES || next_r != next_w);
    raddr <= next_r;
    en    <= dice(4) != 0;
  end

  initial begin
    wait (!rst);
    repeat (6000) @(posedge clk);
    check(COLLIDES ? collisions > 50 : collisions == 0, "collisions");
    finish_bench;
  end
endmodule
