  // Words leave in order, none lost or doubled: one freely chosen word is followed through the buffer.  Handshake law on m_.
  `include "formal.vh"
  reg [3:0] f_in;
  reg [3:0] f_out;
  reg [WIDTH-1:0] f_data;
  (* anyconst *) reg [3:0] f_index;  // number of the word that is followed
  wire [3:0] f_count = f_in - f_out;
  wire [3:0] f_place = f_index - f_out;
  always @(posedge clk) begin
    if (rst) begin
      f_in  <= 0;
      f_out <= 0;
    end else begin
      if (s_valid & s_ready) f_in <= f_in + 1;
      if (m_valid & m_ready) f_out <= f_out + 1;
      if (s_valid & s_ready & (f_in == f_index)) f_data <= s_data;
    end
  end
  always @* if (f_on) begin
    assert (f_count == {3'd0, full_q} + {3'd0, skid_q});
    assert (full_q | ~skid_q);
    assert (ready_q == ~skid_q);
    assert (void_q == ~full_q);
    assert (s_ready == (f_count != 2));
    assert (m_valid == (f_count != 0));
    if (f_place < f_count) assert (f_data == (f_place == 0 ? data_q : hold_q));
    if (m_valid & (f_place == 0)) assert (m_data == f_data);
  end
  always @(posedge clk) if (f_past & ~rst) begin
    if ($past(m_valid & ~m_ready)) assert (m_valid & (m_data == $past(m_data)));
    cover (f_count == 2);
  end
