// Keeps accesses of different tokens in their order, in front of a pipeline that nothing holds up: a token waits while one that entered before
// it has yet to do what it must find done, at the same address.
// latency 1, II 1.  Pair p is two accesses of each token, `first` and `second`.  Where a token is `first` at a key, a token that is `second` at
// the same key enters at the earliest WINDOW[p] cycles behind it.  Tokens without conflict enter one a cycle.
//
//   s --+-> waiting ----------+--> m      a token is compared when it comes to wait, with the one that waits before it and those that have
//       |      |    hits? hold |          entered in the last cycles; a hit moves with the token it is of, and is over when that is far enough
//     second  first -> 1 -> 2 -> ...
`default_nettype none

module clhls_hazard_gate #(
  parameter WIDTH  = 8,                     // bits of a token
  parameter PAIRS  = 1,                     // pairs of accesses, >= 1
  parameter KEY    = 8,                     // bits of a key, >= 1; shorter ones have zeros above
  parameter [16*PAIRS-1:0] WINDOW = 16'd4   // cycles of each pair, 16 bits each, pair 0 lowest, >= 2
) (
  input  wire                 clk,
  input  wire                 rst,          // synchronous, active high
  input  wire                 s_valid,
  output wire                 s_ready,
  input  wire [WIDTH-1:0]     s_data,
  input  wire [PAIRS-1:0]     s_first,      // the token makes the access that others wait for
  input  wire [PAIRS*KEY-1:0] s_first_key,
  input  wire [PAIRS-1:0]     s_second,     // the token makes the access that waits
  input  wire [PAIRS*KEY-1:0] s_second_key,
  output wire                 m_valid,
  input  wire                 m_ready,
  output wire [WIDTH-1:0]     m_data
);

  reg              wait_valid_q;
  reg  [WIDTH-1:0] wait_data_q;
  wire [PAIRS-1:0] held;  // pairs with a hit of the token that waits

  wire enter = m_valid & m_ready;
  wire load  = s_valid & s_ready;

  assign s_ready = ~wait_valid_q | enter;
  assign m_valid = wait_valid_q & ~|held;
  assign m_data  = wait_data_q;

  always @(posedge clk) begin
    if (rst) wait_valid_q <= 1'b0;
    else if (s_ready) wait_valid_q <= s_valid;
  end
  always @(posedge clk) if (load) wait_data_q <= s_data;

  genvar p;
  generate
    for (p = 0; p < PAIRS; p = p + 1) begin : g_pair
      localparam integer PLACES = {16'd0, WINDOW[16*p +: 16]} - 1;  // cycles behind a token's entry in which others must not follow it

      initial begin
        if (PLACES < 1) begin
          $display("clhls_hazard_gate: windows have at least 2 cycles");
          $finish;
        end
      end

      wire [KEY-1:0] second_key = s_second_key[p*KEY +: KEY];
      // `first` of the token that waits, and of those that entered: place 0 in the cycle before.
      reg                  wait_first_q;
      reg [KEY-1:0]        wait_key_q;
      reg [PLACES-1:0]     first_q;
      reg [PLACES*KEY-1:0] key_q;
      // Those that the waiting token must not follow yet, at the places that they have now.
      reg [PLACES-1:0]     hit_q;
      reg [PLACES-1:0]     hit_d;
      integer              j, k;

      assign held[p] = |hit_q;

      always @* begin
        hit_d = hit_q << 1;
        if (load) begin
          hit_d[0] = enter & wait_first_q & s_second[p] & wait_key_q == second_key;
          for (j = 1; j < PLACES; j = j + 1)
            hit_d[j] = first_q[j-1] & s_second[p] & key_q[(j-1)*KEY +: KEY] == second_key;
        end
      end
      always @(posedge clk) begin
        if (load) begin
          wait_first_q <= s_first[p];
          wait_key_q   <= s_first_key[p*KEY +: KEY];
        end
        key_q[0 +: KEY] <= wait_key_q;
        for (k = 1; k < PLACES; k = k + 1) key_q[k*KEY +: KEY] <= key_q[(k-1)*KEY +: KEY];
        first_q    <= rst ? {PLACES{1'b0}} : first_q << 1;
        first_q[0] <= ~rst & enter & wait_first_q;
        hit_q      <= rst ? {PLACES{1'b0}} : hit_d;
      end
      wire unused = &{1'b0, first_q[PLACES-1], key_q[(PLACES-1)*KEY +: KEY]};  // what is over
    end
  endgenerate

`ifdef FORMAL
  `include "clhls_hazard_gate.fv.vh"
`endif

endmodule

`default_nettype wire
