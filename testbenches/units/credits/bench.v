// clhls_credits with a writer LATE cycles behind its decision: never more than PLACES, all but the spare ones in use, full rate.
`default_nettype none
module bench;
  parameter PLACES = 16;
  parameter SPARE  = 2;
  parameter LATE   = 2;  // cycles from `room` to `taken`
  `include "bench.vh"

  reg     freed = 0;
  wire    room;
  reg [LATE:0] decided = 0;  // the writer's stages: decided[0] in this cycle
  wire    taken = (LATE == 0) ? decide & room : decided[LATE-1];
  reg     decide = 0;
  integer used = 0, most = 0, from, total = 0, closed = 0;

  clhls_credits #(
    .PLACES(PLACES), .SPARE(SPARE)
  ) dut (
    .clk(clk), .rst(rst), .taken(taken), .freed(freed), .room(room)
  );

  always @(posedge clk) if (!rst) begin
    decided <= {decided, decide & room};
    decide  <= in_turn(0);
    if (freed) used = used - 1;
    if (taken) used = used + 1;
    total = total + taken;
    check(used >= 0 && used <= PLACES, "more than there are");
    if (used > most) most = used;
    closed = (used == 0 && !room) ? closed + 1 : 0;
    check(closed <= 3, "no room although all is free");
    freed <= used > 0 && (full_rate || out_turn(0));
  end

  initial begin
    wait (!rst);
    repeat (20000) @(posedge clk);
    check(most > PLACES - (1 << SPARE), "places that are never used");
    full_rate = 1;
    repeat (50) @(posedge clk);
    from = total;
    repeat (1000) @(posedge clk);
    $display("%0d taken in 1000 cycles", total - from);
    if (PLACES >= 16) check(total - from == 1000, "less than one a cycle");
    finish_bench;
  end
endmodule
