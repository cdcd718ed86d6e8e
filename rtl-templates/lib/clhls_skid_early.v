// Buffer behind a pipeline that does not stop: s_ready says AHEAD cycles before whether a word will have a place.
// latency 1, II 1.  Capacity AHEAD + 2.  A word is taken whenever it is valid: AHEAD cycles before, s_ready must have been high.
`default_nettype none

module clhls_skid_early #(
  parameter WIDTH = 32,  // payload bits, >= 1
  parameter AHEAD = 1    // cycles from s_ready to the word that it allows, >= 1
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // register
  input  wire [WIDTH-1:0] s_data,
  output wire             m_valid,  // register
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data    // register
);

  initial begin
    if (WIDTH < 1 || AHEAD < 1) begin
      $display("clhls_skid_early: WIDTH and AHEAD must be at least 1");
      $finish;
    end
  end

  localparam WORDS = AHEAD + 2;

  reg [WORDS-1:0]       full_q;   // word i is there; all before it, too: word 0 is the oldest
  reg                   ready_q;  // one word at most is there: all that may be under way have places
  reg [WORDS*WIDTH-1:0] data_q;

  wire             give = full_q[0] & m_ready;
  wire [WORDS-1:0] kept = give ? {1'b0, full_q[WORDS-1:1]} : full_q;
  wire [WORDS-1:0] next = s_valid ? {kept[WORDS-2:0], 1'b1} : kept;

  assign s_ready = ready_q;
  assign m_valid = full_q[0];
  assign m_data  = data_q[WIDTH-1:0];

  always @(posedge clk) begin
    if (rst) begin
      full_q  <= {WORDS{1'b0}};
      ready_q <= 1'b1;
    end else begin
      full_q  <= next;
      ready_q <= ~next[1];
    end
  end

  genvar i;
  generate
    for (i = 0; i < WORDS - 1; i = i + 1) begin : g_word
      always @(posedge clk) begin
        if (give | ~full_q[i]) data_q[i*WIDTH +: WIDTH] <= full_q[i+1] ? data_q[(i+1)*WIDTH +: WIDTH] : s_data;
      end
    end
  endgenerate
  // No word comes while all places are taken.
  always @(posedge clk) begin
    if (~full_q[WORDS-1]) data_q[(WORDS-1)*WIDTH +: WIDTH] <= s_data;
  end

`ifdef FORMAL
  `include "clhls_skid_early.fv.vh"
`endif

endmodule

`default_nettype wire
