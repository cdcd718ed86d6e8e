// clhls_ram_2rw: against an array; lanes, frozen ports; the two ports never share a word when one writes (undefined by contract).
`default_nettype none
module bench;
  parameter WIDTH    = 32;
  parameter DEPTH    = 512;
  parameter WE_WIDTH = 4;
  parameter TARGET   = "generic";
  `include "bench.vh"

  localparam AB   = $clog2(DEPTH);
  localparam LANE = WIDTH / WE_WIDTH;

  reg  [1:0]            en = 3;
  reg  [2*WE_WIDTH-1:0] wen = 0;
  reg  [2*AB-1:0]       addr = 0;
  reg  [2*WIDTH-1:0]    wdata = 0;
  wire [2*WIDTH-1:0]    rdata;
  reg  [WIDTH-1:0]      mem [0:DEPTH-1];
  reg                   known [0:DEPTH-1];
  reg  [1:0]            v1 = 0, v2 = 0;
  reg  [2*WIDTH-1:0]    d1, d2;
  integer               i, p, base = 0, at [0:1];
  reg                   wr [0:1];

  clhls_ram_2rw #(
    .WIDTH(WIDTH), .DEPTH(DEPTH), .WE_WIDTH(WE_WIDTH), .TARGET(TARGET)
  ) dut (
    .clk(clk),
    .a_en(en[0]), .a_wen(wen[0 +: WE_WIDTH]), .a_addr(addr[0 +: AB]), .a_wdata(wdata[0 +: WIDTH]), .a_rdata(rdata[0 +: WIDTH]),
    .b_en(en[1]), .b_wen(wen[WE_WIDTH +: WE_WIDTH]), .b_addr(addr[AB +: AB]), .b_wdata(wdata[WIDTH +: WIDTH]), .b_rdata(rdata[WIDTH +: WIDTH])
  );

  initial for (i = 0; i < DEPTH; i = i + 1) known[i] = 0;

  always @(posedge clk) if (!rst) begin
    for (p = 0; p < 2; p = p + 1) begin
      if (v2[p]) check(rdata[p*WIDTH +: WIDTH] === d2[p*WIDTH +: WIDTH], "wrong word");
      if (en[p]) begin
        v2[p] <= v1[p];
        d2[p*WIDTH +: WIDTH] <= d1[p*WIDTH +: WIDTH];
        v1[p] <= known[addr[p*AB +: AB]] && wen[p*WE_WIDTH +: WE_WIDTH] == 0;
        d1[p*WIDTH +: WIDTH] <= mem[addr[p*AB +: AB]];
      end
    end
    for (p = 0; p < 2; p = p + 1) if (en[p]) begin
      for (i = 0; i < WE_WIDTH; i = i + 1)
        if (wen[p*WE_WIDTH+i]) mem[addr[p*AB +: AB]][i*LANE +: LANE] = wdata[p*WIDTH+i*LANE +: LANE];
      if (&wen[p*WE_WIDTH +: WE_WIDTH]) known[addr[p*AB +: AB]] = 1;
    end
    if (dice(50) == 0) base = dice(DEPTH);
    for (p = 0; p < 2; p = p + 1) begin
      at[p] = (base + dice(5)) % DEPTH;
      wr[p] = dice(2);
    end
    if (at[0] == at[1] && (wr[0] || wr[1])) at[1] = (at[0] + 1) % DEPTH;
    for (p = 0; p < 2; p = p + 1) begin
      wen[p*WE_WIDTH +: WE_WIDTH] <= !wr[p] ? 0 : dice(2) ? {WE_WIDTH{1'b1}} : $random(seed);
      addr[p*AB +: AB] <= at[p];
      en[p] <= dice(4) != 0;
    end
    for (i = 0; i < 2 * WIDTH; i = i + 1) wdata[i] <= dice(2);
  end

  initial begin
    wait (!rst);
    repeat (6000) @(posedge clk);
    finish_bench;
  end
endmodule
