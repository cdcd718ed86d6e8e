  // Shared by all property sets: reset first, then every state that fulfils the assertions (induction).
  reg f_on = 0;    // reset was seen: registers are meaningful
  reg f_past = 0;  // $past is meaningful and was not reset
  always @(posedge clk) begin
    if (rst) f_on <= 1;
    f_past <= f_on & ~rst;
  end
  initial assume (rst);
