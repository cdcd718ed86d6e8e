// Control of a stall-free pipeline segment that ends in an exit FIFO, or in several that take a word of each token: a token starts only
// when it owns a place in each.
// latency LATENCY (start to valid[LATENCY]), II parameter II.  The segment's datapath has no enable and the control no stall wire.
`default_nettype none

module clhls_pipe_ctl #(
  parameter LATENCY = 1,   // cycles from start to the word at the exit FIFOs' input, >= 0
  parameter EXITS   = 1,   // exit FIFOs, >= 1
  parameter DEPTH   = 16,  // credits = guaranteed capacity of exit FIFO 0, >= 1; full rate needs LATENCY + 3
  parameter OTHERS  = 16,  // the same of each of the others
  parameter II      = 1,   // least distance of two starts in cycles, >= 1
  parameter WINDOW  = 0    // starts at most so many cycles apart are whole multiples of II apart; 0: any distance from II on
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // register: a credit is left, the initiation interval has passed, WINDOW allows it
  output wire             start,    // s_valid & s_ready
  output wire [LATENCY:0] valid,    // valid[0] = start, valid[k] = start k cycles later (registers)
  input  wire [EXITS-1:0] exit_pop  // one word left the exit FIFO (its m_valid & m_ready)
);

  initial begin
    if (LATENCY < 0 || EXITS < 1 || DEPTH < 1 || OTHERS < 1 || II < 1 || WINDOW < 0) begin
      $display("clhls_pipe_ctl: LATENCY and WINDOW must be at least 0, EXITS, DEPTH, OTHERS and II at least 1");
      $finish;
    end
  end

  reg              ready_q;
  reg              begun_q;   // a token started in the cycle before: the credits hear of it then
  wire [EXITS-1:0] kept;      // a credit is left in the next cycle if no token starts
  wire [EXITS-1:0] spare;     // and if one does
  wire             pause;     // the next cycle is inside the initiation interval, or between two multiples of it

  assign s_ready = ready_q;
  assign start   = s_valid & ready_q;
  assign valid[0] = start;

  // `start` comes late, over long nets where the units around a segment are many: it chooses between what is known before, and goes to no
  // credits, which lie at the exits.
  always @(posedge clk) begin
    if (rst) begin
      ready_q <= 1'b1;
      begun_q <= 1'b0;
    end else begin
      ready_q <= (start ? &spare : &kept) & ~pause;
      begun_q <= start;
    end
  end

  genvar e;
  generate
    for (e = 0; e < EXITS; e = e + 1) begin : g_exit
      localparam PLACES = (e == 0) ? DEPTH : OTHERS;
      localparam CW = $clog2(PLACES + 1);
      localparam [CW-1:0] ALL = PLACES[CW-1:0];
      localparam [CW-1:0] NONE = 0;
      localparam [CW-1:0] ONE = 1;
      localparam [CW-1:0] TWO = ONE << 1;  // 0 with one place, where no token starts behind `begun_q`
      reg [CW-1:0] credits_q;  // one more than there are where `begun_q`
      reg          back_q;  // a word left the exit FIFO in the cycle before: its pop comes late in a cycle
      assign kept[e]  = back_q | (credits_q != (begun_q ? ONE : NONE));
      assign spare[e] = back_q | (credits_q != (begun_q ? TWO : ONE));
      always @(posedge clk) begin
        if (rst) begin
          credits_q <= ALL;
          back_q    <= 1'b0;
        end else begin
          if (begun_q ^ back_q) credits_q <= credits_q + ({CW{~back_q}} | ONE);  // -1 or 1, by one adder in front of which nothing comes late
          back_q <= exit_pop[e];
        end
      end
    end
  endgenerate

  generate
    if (II > 1 && WINDOW >= II) begin : g_window
      localparam PW = $clog2(II);
      localparam LW = $clog2(WINDOW);
      localparam FIRST = II - 2;
      localparam AGAIN = II - 1;
      localparam LEFT = WINDOW - 1;
      reg [PW-1:0] phase_q;  // 0: the next cycle is a multiple of II behind the last start
      reg [LW-1:0] left_q;   // cycles of the window that lie behind the next one; 0: the next one lies behind the window
      assign pause = start | (phase_q != 0 && left_q != 0);
      always @(posedge clk) begin
        if (rst) begin
          phase_q <= {PW{1'b0}};
          left_q  <= {LW{1'b0}};
        end else if (start) begin
          phase_q <= FIRST[PW-1:0];
          left_q  <= LEFT[LW-1:0];
        end else begin
          phase_q <= (phase_q == 0) ? AGAIN[PW-1:0] : phase_q - 1'b1;
          if (left_q != 0) left_q <= left_q - 1'b1;
        end
      end
    end
    if (II > 1 && WINDOW < II) begin : g_ii
      localparam IW = $clog2(II);
      localparam AFTER = II - 2;
      reg [IW-1:0] wait_q;  // cycles in which no start is allowed, from the next one on
      assign pause = start | (wait_q != 0);
      always @(posedge clk) begin
        if (rst) wait_q <= {IW{1'b0}};
        else if (start) wait_q <= AFTER[IW-1:0];
        else if (wait_q != 0) wait_q <= wait_q - 1'b1;
      end
    end
    if (II <= 1) begin : g_every_cycle
      assign pause = 1'b0;
    end
    if (LATENCY > 0) begin : g_stages
      reg [LATENCY:1] valid_q;
      assign valid[LATENCY:1] = valid_q;
      always @(posedge clk) begin
        if (rst) valid_q <= {LATENCY{1'b0}};
        else valid_q <= valid[LATENCY-1:0];
      end
    end
  endgenerate

`ifdef FORMAL
  `include "clhls_pipe_ctl.fv.vh"
`endif

endmodule

`default_nettype wire
