  // Words leave in order, none lost or doubled: one freely chosen word is followed through ring and register.  Handshake law on m_.
  `include "formal.vh"
  localparam F_PLACES = (1 << AW) + 1;
  reg [AW+2:0] f_in;
  reg [AW+2:0] f_out;
  reg [WIDTH-1:0] f_data;
  (* anyconst *) reg [AW+2:0] f_index;  // number of the word that is followed
  // The writer of an early FIFO has seen s_ready one cycle ago.
  reg  f_seen;
  wire f_take = s_valid & ((EARLY != 0) | s_ready);
  always @(posedge clk) f_seen <= ~rst & s_ready;
  always @* if (f_on && EARLY != 0 && s_valid) assume (f_seen);
  // The writer of an owned FIFO counts places, and a word that has gone counts a cycle later.
  reg  f_gone;
  always @(posedge clk) f_gone <= ~rst & m_valid & m_ready;
  wire [AW+2:0] f_count = f_in - f_out;
  always @* if (f_on && OWNED != 0 && s_valid) assume (f_count + f_gone < F_PLACES);
  wire [AW+2:0] f_place = f_index - f_out;
  wire [AW-1:0] f_addr  = rptr_q + f_place[AW-1:0] - 1'b1;
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
  wire [AW+2:0] f_ring = {(wptr_q == rptr_q) & ~empty_q, f_between};  // words in the ring
  always @* if (f_on) begin
    assert (empty_q == (f_ring == 0));
    assert (rptr_q == rseen_q + left_q);
    if (OWNED == 0) assert (full_q == (f_ring + left_q >= (1 << AW) - (EARLY != 0)));
    assert (f_ring <= 1 << AW);
    if (EARLY != 0 && f_ring == 1 << AW) assert (~f_seen);
    assert (valid_q | empty_q);
    assert (void_q == ~valid_q);
    assert (f_count == f_ring + valid_q);
    assert (m_valid == (f_count != 0));
    assert (s_ready | (f_count + left_q >= F_PLACES - (EARLY != 0)));  // capacity
    if (f_place < f_count) assert (f_data == (f_place == 0 ? data_q : mem[f_addr]));
  end
  always @(posedge clk) if (f_past & ~rst) begin
    if ($past(m_valid & ~m_ready)) assert (m_valid & (m_data == $past(m_data)));
  end
