  // Words leave in order, none lost or doubled, when each was allowed AHEAD cycles before: one freely chosen word is followed through
  // the buffer.  Handshake law on m_.
  `include "formal.vh"
  reg [3:0] f_in;
  reg [3:0] f_out;
  reg [WIDTH-1:0] f_data;
  reg [AHEAD-1:0] f_allowed;       // what s_ready said, latest first
  (* anyconst *) reg [3:0] f_index;  // number of the word that is followed
  wire [3:0] f_count = f_in - f_out;
  wire [3:0] f_place = f_index - f_out;
  always @(posedge clk) begin
    if (rst) begin
      f_in      <= 0;
      f_out     <= 0;
      f_allowed <= 0;
    end else begin
      if (s_valid) f_in <= f_in + 1;
      if (m_valid & m_ready) f_out <= f_out + 1;
      if (s_valid & (f_in == f_index)) f_data <= s_data;
      f_allowed <= {f_allowed, s_ready};
    end
  end
  always @* if (s_valid) assume (f_allowed[AHEAD-1]);
  integer f_i;
  reg [3:0] f_pending;  // words that may still come without s_ready
  always @* begin
    f_pending = 0;
    for (f_i = 0; f_i < AHEAD; f_i = f_i + 1) f_pending = f_pending + {3'd0, f_allowed[f_i]};
  end
  always @* if (f_on) begin
    assert (f_count <= WORDS);
    for (f_i = 0; f_i < WORDS; f_i = f_i + 1) assert (full_q[f_i] == (f_count > f_i));
    assert (ready_q == (f_count <= 1));
    assert (f_count + f_pending <= WORDS);
    if (f_place < f_count) assert (f_data == data_q[f_place*WIDTH +: WIDTH]);
    if (m_valid & (f_place == 0)) assert (m_data == f_data);
  end
  always @(posedge clk) if (f_past & ~rst) begin
    if ($past(m_valid & ~m_ready)) assert (m_valid & (m_data == $past(m_data)));
    cover (f_count == WORDS);
  end
