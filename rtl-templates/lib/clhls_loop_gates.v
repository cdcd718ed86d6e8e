// Admission to a loop with several entries (an irreducible one): at most LIMIT tokens inside.
// latency 0, II 1 per entry.  The gates are open while every entry could let a token in at once.
`default_nettype none

module clhls_loop_gates #(
  parameter LIMIT   = 16,  // tokens inside at the same time, >= ENTRIES
  parameter ENTRIES = 2,   // entries of the loop, >= 1
  parameter EXITS   = 1    // exits of the loop, >= 1
) (
  input  wire               clk,
  input  wire               rst,        // synchronous, active high
  input  wire [ENTRIES-1:0] s_valid,
  output wire [ENTRIES-1:0] s_ready,
  output wire [ENTRIES-1:0] m_valid,
  input  wire [ENTRIES-1:0] m_ready,
  input  wire [EXITS-1:0]   exit_pulse  // each pulse: one token has left through this exit
);

  initial begin
    if (ENTRIES < 1 || EXITS < 1 || LIMIT < ENTRIES) begin
      $display("clhls_loop_gates: ENTRIES and EXITS must be at least 1, LIMIT at least ENTRIES");
      $finish;
    end
  end

  // Wide enough for LIMIT plus all that can leave in a cycle.
  localparam CW = $clog2(LIMIT + ENTRIES + EXITS + 1);
  localparam [CW-1:0] ALL = LIMIT[CW-1:0];
  localparam [CW-1:0] EACH = ENTRIES[CW-1:0];

  reg  [CW-1:0]      room_q;  // free places
  reg                open_q;  // room for a token from every entry
  reg  [CW-1:0]      left;
  reg  [CW-1:0]      entered;
  wire [ENTRIES-1:0] enter = m_valid & m_ready;
  wire [CW-1:0]      room_d = room_q + left - entered;
  integer            i;

  assign m_valid = s_valid & {ENTRIES{open_q}};
  assign s_ready = m_ready & {ENTRIES{open_q}};

  always @* begin
    left = {CW{1'b0}};
    for (i = 0; i < EXITS; i = i + 1) left = left + {{(CW-1){1'b0}}, exit_pulse[i]};
    entered = {CW{1'b0}};
    for (i = 0; i < ENTRIES; i = i + 1) entered = entered + {{(CW-1){1'b0}}, enter[i]};
  end

  always @(posedge clk) begin
    if (rst) begin
      room_q <= ALL;
      open_q <= 1'b1;
    end else begin
      room_q <= room_d;
      open_q <= room_d >= EACH;
    end
  end

endmodule

`default_nettype wire
