  // Tokens in the pipe and in each exit FIFO never exceed its places; starts are II apart, inside the window multiples of that; valid is
  // start delayed; ready when it may be.
  `include "formal.vh"
  localparam FW = $clog2((DEPTH > OTHERS ? DEPTH : OTHERS) + 1) + 1;
  reg [FW-1:0]    f_pipe;   // tokens between start and the FIFOs
  reg [7:0]       f_since;  // cycles since the last start, saturating
  reg [7:0]       f_phase;  // the same modulo II
  wire [EXITS-1:0] f_some;  // the exit has a credit
  integer f_k;
  reg [FW-1:0] f_inside;
  always @* begin
    f_inside = 0;
    for (f_k = 1; f_k <= LATENCY; f_k = f_k + 1) f_inside = f_inside + valid[f_k];
  end
  always @(posedge clk) begin
    if (rst) begin
      f_pipe  <= 0;
      f_since <= 8'hFF;
      f_phase <= 0;
    end else begin
      f_pipe <= f_pipe + start - valid[LATENCY];
      f_phase <= start ? 1 % II : (f_phase == II - 1) ? 0 : f_phase + 1;
      f_since <= start ? 1 : (f_since == 8'hFF) ? 8'hFF : f_since + 1;
    end
  end
  always @* if (f_on) begin
    assert (f_pipe == f_inside);
    if (start & ~rst) assert (f_since >= II);
    assert (ready_q == (&f_some && f_since >= II && (f_since > WINDOW || f_phase == 0)));
  end
  genvar f_e;
  generate
    for (f_e = 0; f_e < EXITS; f_e = f_e + 1) begin : g_formal_exit
      localparam PLACES = (f_e == 0) ? DEPTH : OTHERS;
      reg [FW-1:0] f_fifo;  // words in the exit FIFO
      always @(posedge clk) f_fifo <= rst ? 0 : f_fifo + valid[LATENCY] - exit_pop[f_e];
      // the FIFO gives only what it has
      always @* if (f_on & exit_pop[f_e]) assume (f_fifo != 0);
      assign f_some[f_e] = g_exit[f_e].credits_q != begun_q;
      always @* if (f_on) begin
        assert (f_fifo + f_pipe + g_exit[f_e].back_q <= PLACES);
        assert (g_exit[f_e].credits_q - begun_q == PLACES - f_fifo - f_pipe - g_exit[f_e].back_q);
        if (valid[LATENCY]) assert (f_fifo < PLACES);
      end
    end
  endgenerate
  genvar f_i;
  generate
    for (f_i = 1; f_i <= LATENCY; f_i = f_i + 1) begin : g_formal
      always @(posedge clk) if (f_past) assert (valid[f_i] == $past(valid[f_i-1]));
    end
    if (II > 1 && WINDOW >= II) begin : g_formal_window
      always @* if (f_on) assert (f_phase < II);
      reg [WINDOW:1] f_starts;  // bit k: a start k cycles ago
      integer f_a, f_b;
      always @(posedge clk) f_starts <= rst ? 0 : {f_starts[WINDOW-1:1], start};
      always @* if (f_on) begin
        assert (g_window.left_q == ((f_since >= WINDOW) ? 0 : WINDOW - f_since));
        if (g_window.left_q != 0) assert (g_window.phase_q == II - 1 - f_phase);
        for (f_a = 1; f_a <= WINDOW; f_a = f_a + 1) begin
          assert (f_starts[f_a] == 0 || f_since <= f_a);
          if (f_since == f_a) assert (f_starts[f_a] && f_phase == f_a % II);
          if (start & ~rst & f_starts[f_a]) assert (f_a % II == 0);
          for (f_b = 1; f_b < f_a; f_b = f_b + 1) if (f_starts[f_a] & f_starts[f_b]) assert ((f_a - f_b) % II == 0);
        end
      end
    end
    if (II > 1 && WINDOW < II) begin : g_formal_ii
      always @* if (f_on) assert (g_ii.wait_q == ((f_since >= II - 1) ? 0 : II - 1 - f_since));
    end
  endgenerate
