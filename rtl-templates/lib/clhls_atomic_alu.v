// New value of a memory word under an atomic operation; plain loads and stores included.  The operation is registered here, decoded, so
// that little stands between the old value and the new one.
// latency 1 from the operation, 0 from `old`, II 1.  Operation codes: docs/rtl-library.md#atomic-operations
`default_nettype none

module clhls_atomic_alu #(
  parameter WIDTH = 32,               // bits of the word, a multiple of 8
  parameter NARROW = 0,               // not 0: operations are of the bytes that strb tells, aligned, 4 to NARROW; WIDTH is a multiple of 8 NARROW
  parameter [15:0] OPS = 16'h1FFF     // bit i: operation i occurs; logic of the others is left out
) (
  input  wire               clk,
  input  wire               en,       // the operation is taken
  input  wire [3:0]         op,
  input  wire [WIDTH-1:0]   data,
  input  wire [WIDTH-1:0]   compare,  // cmpxchg only
  input  wire [WIDTH/8-1:0] strb,     // bytes to write, or that the operation is of: of a store; NARROW: of all but loads
  // of the operation taken last
  input  wire [WIDTH-1:0]   old,
  output wire [WIDTH-1:0]   value,    // = late ? value1 : value0
  output wire               late,     // what a comparison decides; all bits of `old` lead to it
  output wire [WIDTH-1:0]   value1,
  output wire [WIDTH-1:0]   value0,
  output wire               write     // register; 0: load, the word keeps its value
);

  localparam [3:0] OP_ADD     = 4'd0;
  localparam [3:0] OP_SUB     = 4'd1;
  localparam [3:0] OP_OR      = 4'd3;
  localparam [3:0] OP_XOR     = 4'd4;
  localparam [3:0] OP_XCHG    = 4'd5;
  localparam [3:0] OP_CMPXCHG = 4'd6;
  localparam [3:0] OP_UMIN    = 4'd7;
  localparam [3:0] OP_UMAX    = 4'd8;
  localparam [3:0] OP_SMIN    = 4'd9;
  localparam [3:0] OP_SMAX    = 4'd10;
  localparam [3:0] OP_LOAD    = 4'd11;
  localparam [3:0] OP_STORE   = 4'd12;

  localparam HAS_SUM    = OPS[0] | OPS[1];
  localparam HAS_MINMAX = OPS[7] | OPS[8] | OPS[9] | OPS[10];
  localparam ONLY_SUM   = NARROW == 0 && (OPS & 16'hF7FC) == 16'd0;  // a load adds nothing then

  wire is_sub    = (OPS[1] != 0) & (op == OP_SUB);
  wire is_load   = op == OP_LOAD;
  wire is_signed = (op == OP_SMIN) | (op == OP_SMAX);
  wire want_max  = (op == OP_UMAX) | (op == OP_SMAX);
  wire is_minmax = (op == OP_UMIN) | (op == OP_SMIN) | want_max;
  wire compares  = ((OPS[6] != 0) & (op == OP_CMPXCHG)) | ((HAS_MINMAX != 0) & is_minmax);

  // ---- the operation ----
  // A bit of the value is `both` where old and data have a 1, `kept` where only old has, `given` where only data has. A comparison keeps the
  // word, or gives its bytes the data's.
  reg                 write_q;
  reg                 sum_q;
  reg                 sub_q;
  reg                 cmpxchg_q;
  reg                 minmax_q;
  reg                 flip_q;     // signed order is unsigned order with the sign bits inverted
  reg                 max_q;
  reg                 both_q;
  reg  [WIDTH/8-1:0]  kept_q;
  reg  [WIDTH/8-1:0]  given_q;
  reg  [WIDTH/8-1:0]  choose_q;   // of a comparison: bytes that it may give
  reg  [WIDTH-1:0]    data_q;     // inverted for a subtraction
  reg  [WIDTH-1:0]    compare_q;

  // Bytes that the operation leaves as they are. Where they are data has zeros: a carry that comes out of the operation's bytes goes no
  // further than into those, and a subtraction's carry goes through those below to the operation's.
  wire [WIDTH/8-1:0]  aside = (NARROW != 0) ? ~strb : {(WIDTH/8){1'b0}};
  wire [WIDTH-1:0]    meant;
  genvar i;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : g_within
      assign meant[i] = data[i] & ~aside[i/8];
    end
  endgenerate

  always @(posedge clk) begin
    if (en) begin
      write_q   <= ~is_load;
      sum_q     <= (op == OP_ADD) | (op == OP_SUB);
      sub_q     <= is_sub;
      cmpxchg_q <= op == OP_CMPXCHG;
      minmax_q  <= is_minmax;
      flip_q    <= is_signed;
      max_q     <= want_max;
      both_q    <= op != OP_XOR;
      kept_q    <= {(WIDTH/8){(op == OP_OR) | (op == OP_XOR) | is_load | compares}} | aside | (~strb & {(WIDTH/8){op == OP_STORE}});
      given_q   <= {(WIDTH/8){(op == OP_OR) | (op == OP_XOR) | (op == OP_XCHG)}} | (strb & {(WIDTH/8){op == OP_STORE}});
      choose_q  <= {(WIDTH/8){compares}} & ~aside;
      data_q    <= (ONLY_SUM != 0 && is_load) ? {WIDTH{1'b0}} : meant ^ {WIDTH{is_sub}};
      compare_q <= compare;
    end
  end

  // ---- the value ----
  localparam SPAN = (NARROW != 0) ? 8 * NARROW : WIDTH;  // no carry goes further: that of a wide word takes half a cycle
  wire [WIDTH-1:0] sum;
  wire             less;
  wire             equal;
  wire [WIDTH-1:0] added;        // the sum, in the operation's bytes
  assign           late = (cmpxchg_q & equal) | (minmax_q & (less ^ max_q));

  generate
    for (i = 0; i < WIDTH / SPAN; i = i + 1) begin : g_sum
      assign sum[SPAN*i +: SPAN] = old[SPAN*i +: SPAN] + data_q[SPAN*i +: SPAN] + {{(SPAN-1){1'b0}}, sub_q};
    end
  endgenerate

  generate
    if (NARROW != 0) begin : g_narrow
      localparam PARTS = WIDTH / 32;
      reg  [WIDTH/8-1:0] aside_q;
      reg  [PARTS-1:0]   sign_q;   // the highest of the operation's parts, of a comparison of signed integers
      localparam GROUP = NARROW / 4;  // parts of a span
      reg                lower;    // less by the parts of the span up to this one
      reg                below;    // less, in any span: the others have no bytes of the operation
      reg                same;
      reg  [31:0]        mine;
      reg  [31:0]        theirs;
      integer            part;
      always @(posedge clk) begin
        if (en) begin
          aside_q <= aside & {(WIDTH/8){~is_load}};
          sign_q  <= {PARTS{is_signed}} & tops(strb);
        end
      end
      always @* begin
        below = 1'b0;
        same  = 1'b1;
        lower = 1'b0;
        for (part = 0; part < PARTS; part = part + 1) begin
          mine   = data_q[32*part +: 32] ^ {sign_q[part], 31'd0};
          theirs = old[32*part +: 32] ^ {sign_q[part], 31'd0};
          if (part % GROUP == 0) lower = 1'b0;
          if (!aside_q[4*part]) begin
            lower = (mine < theirs) | ((part % GROUP != 0) & (mine == theirs) & lower);
            same  = same & (old[32*part +: 32] == compare_q[32*part +: 32]);
          end
          if (part % GROUP == GROUP - 1) below = below | lower;
        end
      end
      for (i = 0; i < WIDTH; i = i + 1) begin : g_added
        assign added[i] = aside_q[i/8] ? old[i] : sum[i];
      end
      assign less  = (HAS_MINMAX != 0) & below;
      assign equal = (OPS[6] != 0) & same;

      function [PARTS-1:0] tops;
        input [WIDTH/8-1:0] bytes;
        integer t;
        begin
          for (t = 0; t < PARTS; t = t + 1) begin
            tops[t] = bytes[4*t] & ((t == PARTS - 1) ? 1'b1 : ~bytes[(4*t + 4) % (WIDTH/8)]);
          end
        end
      endfunction
    end else begin : g_whole
      wire [WIDTH-1:0] flip = {flip_q, {(WIDTH-1){1'b0}}};
      assign less  = (HAS_MINMAX != 0) & ((data_q ^ flip) < (old ^ flip));
      assign equal = (OPS[6] != 0) & (old == compare_q);
      assign added = sum;
    end
  endgenerate

  wire [WIDTH-1:0] bitwise;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : g_bit
      assign bitwise[i] = data_q[i] ? (old[i] ? both_q : given_q[i/8]) : (old[i] & kept_q[i/8]);
      assign value1[i]  = choose_q[i/8] ? data_q[i] : value0[i];
    end
  endgenerate

  assign value0 = (ONLY_SUM != 0) ? sum : (HAS_SUM != 0 && sum_q) ? added : bitwise;
  assign value  = late ? value1 : value0;
  assign write = write_q;

  wire unused = &{1'b0, sum_q, sum, added, bitwise, compare_q, flip_q, OPS[3:2], OPS[5:4], OPS[15:11]};

endmodule

`default_nettype wire
