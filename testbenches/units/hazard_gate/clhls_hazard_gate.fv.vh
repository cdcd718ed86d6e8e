  // One pair: a token never enters within WINDOW cycles behind one that it must not follow; it waits for nothing else; handshake law on m_.
  `include "formal.vh"
  localparam integer F_PLACES = WINDOW[15:0] - 1;
  // Tokens that entered 1, 2, ... cycles ago, kept here once more, and what the token that waits does.
  reg [F_PLACES-1:0]     f_first;
  reg [F_PLACES*KEY-1:0] f_key;
  reg                    f_second;
  reg [KEY-1:0]          f_second_key;
  reg                    f_wait_first;
  reg [KEY-1:0]          f_wait_key;
  reg [F_PLACES-1:0]     f_near;
  integer                f_j;
  always @(posedge clk) begin
    f_first <= rst ? 0 : {f_first, m_valid & m_ready & f_wait_first};
    f_key   <= {f_key, f_wait_key};
    if (s_valid & s_ready) begin
      f_second     <= s_second[0];
      f_second_key <= s_second_key[0 +: KEY];
      f_wait_first <= s_first[0];
      f_wait_key   <= s_first_key[0 +: KEY];
    end
  end
  always @* for (f_j = 0; f_j < F_PLACES; f_j = f_j + 1)
    f_near[f_j] = f_first[f_j] & f_second & f_key[f_j*KEY +: KEY] == f_second_key;
  always @* if (f_on) begin
    assert (g_pair[0].first_q == f_first);
    for (f_j = 0; f_j < F_PLACES; f_j = f_j + 1)
      if (f_first[f_j]) assert (g_pair[0].key_q[f_j*KEY +: KEY] == f_key[f_j*KEY +: KEY]);
    if (wait_valid_q) begin
      assert (g_pair[0].wait_first_q == f_wait_first);
      assert (g_pair[0].wait_key_q == f_wait_key);
      assert (g_pair[0].hit_q == f_near);
      assert (m_valid == ~|f_near);
    end else assert (!m_valid & s_ready);
  end
  always @(posedge clk) if (f_past & ~rst & $past(m_valid & ~m_ready)) assert (m_valid & $stable(m_data));
