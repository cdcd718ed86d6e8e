  // A word enters the skid exactly when one input is released, and it is that input's word; nobody is released otherwise.  The skid
  // is cut (proved by itself); order and losslessness of the whole follow from its properties.
  `include "formal.vh"
  (* anyconst *) reg [7:0] f_i;
  always @* assume (f_i < N);
  wire [N-1:0] f_fire = s_valid & s_ready;
  always @* if (f_on) begin
    assert ((f_fire & (f_fire - 1'b1)) == 0);
    assert ((|f_fire) == ((|s_valid) & skid_ready));
    if (f_fire[f_i]) assert (word == s_data[f_i*WIDTH +: WIDTH]);
    if (s_valid[0] && skid_ready) assert (f_fire == 1);
    if (~skid_ready) assert (s_ready == 0);
  end
