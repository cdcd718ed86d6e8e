// Compares each bus line with the one before it: the same, or the next one inside the same 4 KiB page.
// latency 1, JOINED: 2; II 1.  Used by clhls_load and clhls_store.
`default_nettype none

module clhls_line_compare #(
  parameter LINE_BITS = 58,  // bits of a line number, > PAGE_BITS
  parameter PAGE_BITS = 6,   // low bits of it that count the lines of a page
  parameter JOINED    = 0,   // 1: `same` and `next` are registers, and all outputs a cycle later
  parameter USED_BITS = 58   // low bits that may differ, > PAGE_BITS; the others are compared in any way
) (
  input  wire                 clk,
  input  wire                 enter,  // `line` becomes the one to compare with
  input  wire [LINE_BITS-1:0] line,   // compared in every cycle
  output wire [LINE_BITS-1:0] last,   // register: the one that entered last; JOINED: a cycle ago
  output wire                 same,   // gate behind registers: the line a cycle ago (JOINED: two) was the one that had entered last before it
  output wire                 next    // likewise: it follows that line in the same page
);

  initial begin
    if (LINE_BITS <= PAGE_BITS || PAGE_BITS < 1 || USED_BITS <= PAGE_BITS) begin
      $display("clhls_line_compare: PAGE_BITS must be at least 1, LINE_BITS and USED_BITS more");
      $finish;
    end
  end

  // A comparison of all bits is too long for a cycle beside other gates: three parts of the page's number are compared, and joined
  // in the next one.
  localparam UPPER = LINE_BITS - PAGE_BITS;
  localparam USED  = (USED_BITS < LINE_BITS) ? USED_BITS - PAGE_BITS : UPPER;
  localparam PART  = (USED + 2) / 3;

  reg  [LINE_BITS-1:0] last_q;
  reg  [PAGE_BITS:0]   follower_q;  // the line after last_q in the page, carry above
  reg  [2:0]           page_q;      // parts of the page's number are the same
  reg                  low_q;       // the bits in the page are
  reg                  follows_q;   // they are those of the line that follows
  wire [UPPER+1:0]     differs = {2'b00, line[LINE_BITS-1:PAGE_BITS] ^ last_q[LINE_BITS-1:PAGE_BITS]};  // with USED = 1 there are no other parts

  generate
    if (JOINED != 0) begin : g_joined
      reg [LINE_BITS-1:0] before_q;
      reg                 same_q;
      reg                 next_q;
      always @(posedge clk) begin
        before_q <= last_q;
        same_q   <= &{page_q, low_q};
        next_q   <= &{page_q, follows_q};
      end
      assign last = before_q;
      assign same = same_q;
      assign next = next_q;
    end else begin : g_parts
      assign last = last_q;
      assign same = &{page_q, low_q};
      assign next = &{page_q, follows_q};
    end
  endgenerate

  always @(posedge clk) begin
    page_q    <= ~{|differs[UPPER+1:2*PART], |differs[PART +: PART], |differs[0 +: PART]};
    low_q     <= line[PAGE_BITS-1:0] == last_q[PAGE_BITS-1:0];
    follows_q <= {1'b0, line[PAGE_BITS-1:0]} == follower_q;
    if (enter) begin
      last_q     <= line;
      follower_q <= {1'b0, line[PAGE_BITS-1:0]} + 1'b1;
    end
  end

endmodule

`default_nettype wire
