  // The words leave in order, none lost, doubled or changed, and the output holds still until it is taken.  The RAM is cut; its
  // contract is assumed here and proved by the RAM's bench.
  `include "formal.vh"
  localparam F_PLACES = (1 << AW) + 3 + LATE;
  reg [AW+2:0] f_in;      // words accepted
  reg [AW+2:0] f_out;     // words given
  reg [WIDTH-1:0] f_data;
  (* anyconst *) reg [AW+2:0] f_index;  // number of the word that is followed
  reg [WIDTH-1:0] f_mem [0:(1<<AW)-1];  // the RAM
  reg [WIDTH-1:0] f_read1;
  reg [WIDTH-1:0] f_read2;
  wire [AW+2:0] f_ahead = valid_q + skid_q + read2_q + read1_q;  // words past the ring
  // The writer of an early FIFO has seen s_ready one cycle ago.
  reg  f_seen;
  wire f_take = s_valid & ((EARLY != 0) | s_ready);
  always @(posedge clk) f_seen <= ~rst & s_ready;
  always @* if (f_on && EARLY != 0 && s_valid) assume (f_seen);
  // The writer of an owned FIFO counts places, and a word that has gone counts a cycle later.
  reg  f_gone;
  always @(posedge clk) f_gone <= ~rst & m_valid & m_ready;
  wire [WIDTH-1:0] f_wait;  // the skid
  generate
    if (LATE != 0) assign f_wait = g_skid.wait_q;
    else assign f_wait = 0;
  endgenerate
  wire [AW+2:0] f_count = f_in - f_out;
  always @* if (f_on && OWNED != 0 && s_valid) assume (f_count + f_gone < F_PLACES);
  wire [AW+2:0] f_place = f_index - f_out;              // of the followed word, 0 the next to leave
  wire [AW-1:0] f_addr  = rptr_q + f_place[AW-1:0] - f_ahead[AW-1:0];
  always @(posedge clk) begin
    if (write) f_mem[waddr] <= wdata;
    if (read) f_read1 <= f_mem[rptr_q];
    if (move2) f_read2 <= f_read1;
    if (rst) begin
      f_in  <= 0;
      f_out <= 0;
    end else begin
      if (f_take) f_in <= f_in + 1;
      if (m_valid & m_ready) f_out <= f_out + 1;
      if (f_take & (f_in == f_index)) f_data <= s_data;
    end
  end
  always @* assume (rdata == f_read2);
  wire f_coming = (LATE != 0) & come;  // a word has its place and is written in this cycle
  wire [AW-1:0] f_between = wptr_q - rptr_q;
  wire [AW+2:0] f_ring = {(wptr_q == rptr_q) & (~empty_q | f_coming), f_between};  // words in the ring
  always @* if (f_on) begin
    assert (empty_q == (f_ring == f_coming));
    assert (wptr_q - waddr == f_coming);
    assert (ahead_q - wptr_q == AHEAD && rnext_q - rptr_q == ONE);
    assert (rptr_q == rseen_q + left_q);
    if (OWNED == 0) assert (full_q == (f_ring + left_q >= (1 << AW) - (EARLY != 0)));
    if (read) assert (~write || rptr_q != waddr);  // the RAM never reads the place that is written
    if (EARLY != 0 && f_ring == 1 << AW) assert (~f_seen);
    if (LATE == 0) assert (none_q == (empty_q & ~read1_q & ~read2_q));
    if (skid_q) assert (LATE != 0 && valid_q);
    assert (f_count == f_ring + f_ahead);
    assert (void_q == ~valid_q);
    if (f_place < f_count) begin
      if (f_coming && f_place == f_count - 1) assert (wdata == f_data);
      else if (f_place >= f_ahead) assert (f_mem[f_addr] == f_data);
      else if (f_place == 0 && valid_q) assert (data_q == f_data);
      else if (f_place == valid_q && skid_q) assert (f_wait == f_data);
      else if (f_place == valid_q + skid_q && read2_q) assert (f_read2 == f_data);
      else assert (f_read1 == f_data);
    end
  end
  always @(posedge clk) if (f_on && !$past(rst) && $past(m_valid & ~m_ready)) assert (m_valid && $stable(m_data));
  // Words wait as near to the output as they can: none can hide behind an empty stage for long.
  always @(posedge clk) if (f_on && !$past(rst) && $past(m_valid & ~m_ready & read1_q & read2_q)) assert (read2_q & (skid_q | read1_q));
