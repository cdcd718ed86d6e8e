// Shared by all unit benches: clock, reset, random traffic with phases of idleness and back-pressure, checks, verdict.
// A bench includes it inside its module, uses `in_turn` and `out_turn` as its dice, and calls finish_bench at the end.

  reg     clk = 0;
  reg     rst = 1;
  integer cycle = 0;       // since reset
  integer checks = 0;      // a bench that checks nothing fails
  integer errors = 0;
  integer seed = 1;
  integer in_rate = 8;     // of 8: chance that a producer offers in a cycle
  integer out_rate = 8;    // of 8: chance that a consumer is ready
  integer full_rate = 0;   // 1: measuring, no random idleness

  always #1 clk = ~clk;

  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    repeat (4) @(posedge clk);
    rst <= 0;
  end

  always @(posedge clk) begin
    cycle <= rst ? 0 : cycle + 1;
    if (full_rate) begin
      in_rate <= 8;
      out_rate <= 8;
    end else if (dice(64) == 0) begin
      // phases: mostly extremes, because corner cases live there
      in_rate  <= (dice(3) == 0) ? 8 : 1 + dice(8);
      out_rate <= (dice(3) == 0) ? 8 : (dice(6) == 0) ? 0 : 1 + dice(8);
    end
    if (errors > 20) finish_bench;
  end

  function integer dice(input integer faces);  // 0 .. faces-1
    dice = $unsigned($random(seed)) % faces;
  endfunction

  function in_turn(input dummy);
    in_turn = dice(8) < in_rate;
  endfunction

  function out_turn(input dummy);
    out_turn = dice(8) < out_rate;
  endfunction

  task check(input ok, input [8*40-1:0] what);
    begin
      checks = checks + 1;
      if (ok !== 1'b1) begin
        errors = errors + 1;
        $display("cycle %0d: %0s", cycle, what);
      end
    end
  endtask

  task finish_bench;
    begin
      if (errors == 0 && checks > 0) $display("PASS %0d checks", checks);
      else $display("FAIL %0d errors, %0d checks", errors, checks);
      $finish;
    end
  endtask
