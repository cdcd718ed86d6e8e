  // A word that goes in comes out after LATENCY cycles, whatever goes in before and behind it.
  reg [4:0] f_age = 0;        // cycles since the followed word went in; 0: none
  reg [WIDTH-1:0] f_word;
  reg [AW-1:0] f_at;
  (* anyseq *) reg f_take;
  always @(posedge clk) begin
    if (f_age == 0 || f_age == LATENCY) begin
      f_age <= f_take ? 1 : 0;
      f_word <= d;
      f_at <= place_q;
    end else f_age <= f_age + 1;
  end
  wire [AW+4:0] f_place = f_at + f_age;
  always @* begin
    assert (place_q < PLACES);
    assert (f_age <= LATENCY);
    if (f_age != 0) begin
      assert (f_at < PLACES);
      assert (place_q == ((f_age == LATENCY) ? ((f_at == LAST) ? 0 : f_at + 1) : ((f_place >= PLACES) ? f_place - PLACES : f_place)));
      if (f_age < LATENCY) assert (mem[f_at] == f_word);
      else assert (q == f_word);
    end
  end
