  // Words leave in order, none lost or doubled: one freely chosen word is followed through the ring.  Handshake law on m_.
  `include "formal.vh"
  reg [AW+2:0] f_in;
  reg [AW+2:0] f_out;
  reg [WIDTH-1:0] f_data;
  (* anyconst *) reg [AW+2:0] f_index;  // number of the word that is followed
  wire [AW+2:0] f_count = f_in - f_out;
  wire [AW+2:0] f_place = f_index - f_out;
  wire [AW-1:0] f_addr  = rptr_q + f_place[AW-1:0];
  // the writer of an early queue has seen s_ready one cycle ago
  reg f_seen;
  wire f_take = s_valid & ((EARLY != 0) | s_ready);
  always @(posedge clk) f_seen <= ~rst & s_ready;
  always @* if (f_on && EARLY != 0 && s_valid) assume (f_seen);
  always @(posedge clk) begin
    if (rst) begin
      f_in  <= 0;
      f_out <= 0;
    end else begin
      if (f_take) f_in <= f_in + 1;
      if (m_valid & m_ready) f_out <= f_out + 1;
      if (f_take & (f_in == f_index)) f_data <= s_data;
    end
  end
  wire [AW-1:0] f_between = wptr_q - rptr_q;
  always @* if (f_on) begin
    assert (f_count == {(wptr_q == rptr_q) & some_q, f_between});
    assert (m_valid == (f_count != 0));
    assert (none_q == ~some_q);
    assert (m_more == (f_count > 1));
    assert (s_ready == (f_count < (1 << AW) - (EARLY != 0)));
    if (EARLY != 0 && f_count == 1 << AW) assert (~f_seen);
    if (f_place < f_count) assert (f_data == mem[f_addr]);
  end
  always @(posedge clk) if (f_past & ~rst) begin
    if ($past(m_valid & ~m_ready)) assert (m_valid & (m_data == $past(m_data)));
  end
