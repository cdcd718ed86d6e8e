  // At most one grant, to a requester, and always one when there is a request; priority of input 0; round robin: a waiting
  // requester is passed by each other one at most once (its distance from the last winner falls with each grant).
  `include "formal.vh"
  (* anyconst *) reg [7:0] f_i;   // the requester that is watched
  localparam F_FIRST = (PRIORITY0 != 0) ? 1 : 0;
  always @* assume (f_i >= F_FIRST && f_i < N);
  reg [7:0] f_passed;   // grants to others (without input 0) while it waits
  reg [7:0] f_rank;     // requesters that may go before it
  integer f_k;
  wire f_mine = request[f_i];
  wire f_won  = advance & grant[f_i];
  wire f_other = advance & |(grant & lowest) & ~grant[f_i];
  always @* begin
    f_rank = 0;
    for (f_k = F_FIRST; f_k < N; f_k = f_k + 1) begin
      if (f_k != f_i) begin
        if (later_q[f_i]) f_rank = f_rank + (later_q[f_k] && f_k < f_i);
        else f_rank = f_rank + (later_q[f_k] || f_k < f_i);
      end
    end
  end
  always @(posedge clk) begin
    if (rst | f_won | ~f_mine) f_passed <= 0;
    else if (f_other) f_passed <= f_passed + 1;
  end
  always @(posedge clk) if (f_past & ~rst & $past(f_mine & ~f_won)) assume (f_mine);
  always @* if (f_on) begin
    assert ((grant & (grant - 1'b1)) == 0);
    assert ((grant & ~request) == 0);
    assert ((|grant) == (|request));
    if (PRIORITY0 != 0 && request[0]) assert (grant == 1);
    // later_q is everything above the last winner, or nothing
    for (f_k = 0; f_k < N - 1; f_k = f_k + 1) if (later_q[f_k]) assert (later_q[f_k+1]);
    assert (~later_q[0]);
    if (PRIORITY0 != 0 && N > 1) assert (~later_q[1] || later_q == 0);
    assert (f_passed + f_rank <= N - 1 - F_FIRST);
  end
