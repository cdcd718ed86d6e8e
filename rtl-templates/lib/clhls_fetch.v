// Loads of a launch's constants, before its first work-item: asks a load unit for N words one after the other and keeps them.
// latency: N words at one a cycle, behind the load unit's latency.
`default_nettype none

module clhls_fetch #(
  parameter N          = 4,   // words, >= 1
  parameter WIDTH      = 32,  // bits of a word
  parameter ADDR_BITS  = 64,  // bits of an address
  parameter INDEX_BITS = (N > 1) ? $clog2(N) : 1  // derived: do not set
) (
  input  wire                  clk,
  input  wire                  rst,       // synchronous, active high
  input  wire                  start,     // pulse: addresses stand from now on, until done
  output wire                  done,      // register: level, from the last word to the next start
  output wire [INDEX_BITS-1:0] index,     // register: which word's address is wanted
  input  wire [ADDR_BITS-1:0]  address,   // of word `index`, in the same cycle
  output wire                  u_valid,   // to the load unit, registers
  input  wire                  u_ready,
  output wire [ADDR_BITS-1:0]  u_addr,
  input  wire                  u_answer_valid,
  output wire                  u_answer_ready,
  input  wire [WIDTH-1:0]      u_answer,
  output wire [N*WIDTH-1:0]    words      // registers: word i at [i*WIDTH +: WIDTH], when done
);

  initial begin
    if (N < 1) begin
      $display("clhls_fetch: N must be at least 1");
      $finish;
    end
  end

  localparam LAST = N - 1;
  localparam CW   = $clog2(N + 1);
  localparam [CW-1:0] ONE = 1;
  localparam [CW-1:0] ALL = N[CW-1:0];

  reg                  asking_q;  // not all addresses have been taken
  reg [INDEX_BITS-1:0] index_q;
  reg                  valid_q;
  reg [ADDR_BITS-1:0]  addr_q;
  reg [CW-1:0]         left_q;    // words to come
  reg                  done_q;
  reg [N*WIDTH-1:0]    words_q;

  wire take   = asking_q & (~valid_q | u_ready);
  wire answer = u_answer_valid & ~done_q;

  assign done    = done_q;
  assign index   = index_q;
  assign u_valid = valid_q;
  assign u_addr  = addr_q;
  assign words   = words_q;
  assign u_answer_ready = 1'b1;

  always @(posedge clk) begin
    if (rst) begin
      asking_q <= 1'b0;
      valid_q  <= 1'b0;
      done_q   <= 1'b0;
    end else begin
      asking_q <= start | (asking_q & ~(take & (index_q == LAST[INDEX_BITS-1:0])));
      valid_q  <= take | (valid_q & ~u_ready);
      done_q   <= ~start & (done_q | (answer & (left_q == ONE)));
    end
  end

  always @(posedge clk) begin
    if (start) index_q <= {INDEX_BITS{1'b0}};
    else if (take) index_q <= index_q + 1'b1;
    if (take) addr_q <= address;
    if (start) left_q <= ALL;
    else if (answer) left_q <= left_q - ONE;
  end

  // The first word ends at the lowest place: each comes in at the top and pushes the others down.
  generate
    if (N > 1) begin : g_words
      always @(posedge clk) if (answer) words_q <= {u_answer, words_q[N*WIDTH-1:WIDTH]};
    end else begin : g_word
      always @(posedge clk) if (answer) words_q <= u_answer;
    end
  endgenerate

endmodule

`default_nettype wire
