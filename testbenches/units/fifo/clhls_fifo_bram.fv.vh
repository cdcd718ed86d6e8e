  // The words reach the output FIFO in order, none lost or doubled, and never when it is full.  The RAM and the output FIFO are cut;
  // their contracts are assumed here and proved by the RAM's bench and clhls_fifo_lutram's properties.
  `include "formal.vh"
  reg [AW+2:0] f_in;      // words accepted
  reg [AW+2:0] f_mid;     // words given to the output FIFO
  reg [4:0]    f_held;    // words in the output FIFO
  reg [WIDTH-1:0] f_data;
  (* anyconst *) reg [AW+2:0] f_index;  // number of the word that is followed
  reg [WIDTH-1:0] f_mem [0:(1<<AW)-1];  // the RAM
  reg [WIDTH-1:0] f_read1;
  reg [WIDTH-1:0] f_read2;
  wire f_give = read2_q | (take & straight);
  wire [AW+2:0] f_flight = read1_q + read2_q;
  wire [AW+2:0] f_count = f_in - f_mid;
  wire [AW+2:0] f_place = f_index - f_mid;
  wire [AW-1:0] f_addr  = rptr_q + f_place[AW-1:0] - f_flight[AW-1:0];
  always @(posedge clk) begin
    if (push) f_mem[wptr_q] <= s_data;
    if (read) f_read1 <= f_mem[rptr_q];
    f_read2 <= f_read1;
    if (rst) begin
      f_in   <= 0;
      f_mid  <= 0;
      f_held <= 0;
    end else begin
      if (s_valid & s_ready) f_in <= f_in + 1;
      if (f_give) f_mid <= f_mid + 1;
      f_held <= f_held + f_give - give;
      if (s_valid & s_ready & (f_in == f_index)) f_data <= s_data;
    end
  end
  always @* begin
    assume (rdata == f_read2);
    if (f_on) assume (m_valid == (f_held != 0));
  end
  always @* if (f_on) begin
    assert (count_q <= (1 << AW));
    assert (wptr_q - rptr_q == count_q[AW-1:0]);
    assert (empty_q == (count_q == 0));
    assert (full_q == count_q[AW]);
    assert (owned_q <= OUT_WORDS);
    assert (room_q == (owned_q != OUT_WORDS));
    assert (owned_q == f_held + read1_q + read2_q);
    assert (f_count == count_q + f_flight);
    if (f_give) assert (f_held < OUT_WORDS);
    if (f_give & (f_mid == f_index) & ~(take & (f_in == f_index))) assert (f_data == (read2_q ? rdata : s_data));
    assert (~(read2_q & take & straight));
    if (f_place < f_count) begin
      if (f_place >= f_flight) assert (f_mem[f_addr] == f_data);
      else if (f_place == 0 && read2_q) assert (f_read2 == f_data);
      else assert (f_read1 == f_data);
    end
  end
