  // A word enters the skid exactly when one input is released, and it is that input's word; nobody is released otherwise.  A waiting
  // input is passed by each other one at most once: its distance from the holder of the grant falls with each word of another one.
  // The skid is cut (proved by itself); order and losslessness of the whole follow from its properties.
  `include "formal.vh"
  (* anyconst *) reg [7:0] f_i;   // the input that is watched
  always @* assume (f_i < N);
  wire [N-1:0] f_fire = s_valid & s_ready;
  wire f_mine = s_valid[f_i];
  reg [7:0] f_holder;
  reg [7:0] f_passed;  // words of others while it waits
  integer f_k;
  wire [7:0] f_distance = (f_i >= f_holder) ? f_i - f_holder : f_i + N - f_holder;
  always @* begin
    f_holder = 0;
    for (f_k = 0; f_k < N; f_k = f_k + 1) if (grant[f_k]) f_holder = f_k;
  end
  always @(posedge clk) begin
    if (rst | f_fire[f_i] | ~f_mine) f_passed <= 0;
    else if (|f_fire) f_passed <= f_passed + 1;
  end
  always @(posedge clk) for (f_k = 0; f_k < N; f_k = f_k + 1) if (f_past & ~rst & $past(s_valid[f_k] & ~s_ready[f_k])) assume (s_valid[f_k]);
  // Whoever waits, and was seen to, and does not hold the grant gets it in the next cycle, or another one does, unless the holder cannot go on.
  always @(posedge clk) if (f_past & ~rst & $past(~rst & f_mine & ~f_fire[f_i] & request[f_i] & ~hold)) assert (f_distance < $past(f_distance));
  // Everybody who waits is seen, a cycle later where there are many.
  always @(posedge clk) if (f_past & ~rst & $past(~rst & f_mine & ~f_fire[f_i])) assert (request[f_i]);
  always @* if (f_on) begin
    assert (grant != 0 && (grant & (grant - 1'b1)) == 0);
    assert ((f_fire & (f_fire - 1'b1)) == 0);
    assert ((|f_fire) == (offered & skid_ready));
    if (f_fire[f_i]) assert (word == s_data[f_i*WIDTH +: WIDTH]);
    if (~skid_ready) assert (s_ready == 0);
    // One more word of the holder may pass before it is seen who waits.
    if (f_mine) assert (f_passed + f_distance <= ((N > 4) ? N : N - 1));
  end
