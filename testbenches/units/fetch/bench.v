// clhls_fetch: every launch gets its own words, in order, whatever the unit's pace; done falls at the start.
`default_nettype none
module bench;
  parameter N     = 4;
  parameter WIDTH = 32;
  `include "bench.vh"
  localparam IB = (N > 1) ? $clog2(N) : 1;

  reg                  start = 0;
  wire                 done;
  wire [IB-1:0]        index;
  wire                 u_valid;
  reg                  u_ready = 0;
  wire [63:0]          u_addr;
  reg                  u_answer_valid = 0;
  wire                 u_answer_ready;
  reg  [WIDTH-1:0]     u_answer = 0;
  wire [N*WIDTH-1:0]   words;
  reg  [63:0]          base = 0;
  reg  [63:0]          waiting [0:1023];  // addresses asked for
  integer              head = 0, tail = 0, launch, i, from, asked = 0;

  // what memory holds
  function [WIDTH-1:0] memory(input [63:0] address);
    memory = address[WIDTH-1:0] * 40503 + address[63:32] + 77;
  endfunction

  clhls_fetch #(
    .N(N), .WIDTH(WIDTH)
  ) dut (
    .clk(clk), .rst(rst), .start(start), .done(done), .index(index), .address(base + 3 * index), .u_valid(u_valid), .u_ready(u_ready),
    .u_addr(u_addr), .u_answer_valid(u_answer_valid), .u_answer_ready(u_answer_ready), .u_answer(u_answer), .words(words)
  );

  reg was = 0;
  reg [63:0] was_addr;
  always @(posedge clk) if (!rst) begin
    check(!was || (u_valid && u_addr === was_addr), "request changed before ready");
    was <= u_valid & ~u_ready;
    was_addr <= u_addr;
    if (u_valid & u_ready) begin
      waiting[tail % 1024] = u_addr;
      tail = tail + 1;
      asked = asked + 1;
    end
    u_ready <= in_turn(0);
    check(u_answer_ready === 1'b1, "an answer was refused");
    u_answer_valid <= 0;
    if (head != tail && out_turn(0)) begin
      u_answer_valid <= 1;
      u_answer <= memory(waiting[head % 1024]);
      head = head + 1;
    end
  end

  initial begin
    wait (!rst);
    @(posedge clk);
    for (launch = 0; launch < 60; launch = launch + 1) begin
      base = {$random(seed), $random(seed)};
      asked = 0;
      start <= 1;
      @(posedge clk);
      start <= 0;
      @(posedge clk);
      #0.5 check(done === 1'b0, "done stays after the start");
      from = cycle;
      while (!done) begin
        @(posedge clk);
        if (cycle - from > 100 * N + 20000) finish_bench;
      end
      check(asked == N, "not one request a word");
      for (i = 0; i < N; i = i + 1) check(words[i*WIDTH +: WIDTH] === memory(base + 3 * i), "wrong word");
      repeat (dice(5)) @(posedge clk);
    end
    finish_bench;
  end
endmodule
