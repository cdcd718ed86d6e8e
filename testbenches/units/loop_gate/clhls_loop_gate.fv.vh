  // Never more than LIMIT tokens inside; open whenever there is room that the gate knows of; handshake law on m_.
  `include "formal.vh"
  reg [7:0] f_inside;
  reg [7:0] f_left;   // exits of this cycle
  reg [7:0] f_late;   // exits that the gate counts a cycle later (EXITS > 1)
  integer f_k;
  always @* begin
    f_left = 0;
    for (f_k = 0; f_k < EXITS; f_k = f_k + 1) f_left = f_left + exit_pulse[f_k];
  end
  always @(posedge clk) begin
    if (rst) begin
      f_inside <= 0;
      f_late   <= 0;
    end else begin
      f_inside <= f_inside + (m_valid & m_ready) - f_left;
      f_late   <= (EXITS > 1) ? f_left : 0;
    end
  end
  always @* if (f_on) assume (f_left <= f_inside);
  always @(posedge clk) if (f_past & ~rst & $past(s_valid & ~s_ready)) assume (s_valid);
  always @* if (f_on) begin
    assert (f_inside <= LIMIT);
    assert (room_q + f_inside + f_late == LIMIT + entered);
    assert (entered <= room_q);
    assert (open_q == (room_q != entered));
    assert ((s_valid & s_ready) == (m_valid & m_ready));
    if (EXITS > 1) assert (left == f_late);
  end
  always @(posedge clk) if (f_past & ~rst & $past(m_valid & ~m_ready)) assert (m_valid);
