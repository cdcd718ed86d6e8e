// New value of a memory word under an atomic operation; plain loads and stores included.
// latency 0 (combinational), II 1.  Operation codes: docs/rtl-library.md#atomic-operations
`default_nettype none

module clhls_atomic_alu #(
  parameter WIDTH = 32,               // bits of the word, a multiple of 8
  parameter [15:0] OPS = 16'h1FFF     // bit i: operation i occurs; logic of the others is left out
) (
  input  wire [3:0]         op,
  input  wire [WIDTH-1:0]   old,
  input  wire [WIDTH-1:0]   data,
  input  wire [WIDTH-1:0]   compare,  // cmpxchg only
  input  wire [WIDTH/8-1:0] strb,     // store only: bytes to write
  output reg  [WIDTH-1:0]   value,
  output wire               write     // 0: load, the word keeps its value
);

  localparam [3:0] OP_ADD     = 4'd0;
  localparam [3:0] OP_SUB     = 4'd1;
  localparam [3:0] OP_AND     = 4'd2;
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

  localparam HAS_MINMAX = OPS[7] | OPS[8] | OPS[9] | OPS[10];
  localparam HAS_SUB    = OPS[1];

  wire             is_sub = HAS_SUB & (op == OP_SUB);
  wire [WIDTH-1:0] sum    = old + (data ^ {WIDTH{is_sub}}) + {{(WIDTH-1){1'b0}}, is_sub};

  // minimum and maximum: signed order is unsigned order with the sign bits inverted
  wire             is_signed = (op == OP_SMIN) | (op == OP_SMAX);
  wire             want_max  = (op == OP_UMAX) | (op == OP_SMAX);
  wire [WIDTH-1:0] flip      = {is_signed, {(WIDTH-1){1'b0}}};
  wire             less      = HAS_MINMAX & ((data ^ flip) < (old ^ flip));
  wire             take      = less ^ want_max;
  wire             equal     = old == compare;

  assign write = op != OP_LOAD;

  // In a process of its own: yosys takes a loop variable that only some branches count for a latch.
  reg [WIDTH-1:0] stored;
  integer i;
  always @* begin
    for (i = 0; i < WIDTH / 8; i = i + 1) stored[8*i +: 8] = strb[i] ? data[8*i +: 8] : old[8*i +: 8];
  end

  always @* begin
    value = old;
    case (op)
      OP_ADD, OP_SUB: if (OPS[0] | OPS[1]) value = sum;
      OP_AND:         if (OPS[2]) value = old & data;
      OP_OR:          if (OPS[3]) value = old | data;
      OP_XOR:         if (OPS[4]) value = old ^ data;
      OP_XCHG:        if (OPS[5]) value = data;
      OP_CMPXCHG:     if (OPS[6]) value = equal ? data : old;
      OP_UMIN, OP_UMAX, OP_SMIN, OP_SMAX: if (HAS_MINMAX) value = take ? data : old;
      OP_STORE:       if (OPS[12]) value = stored;
      default: value = old;
    endcase
  end

  wire unused = &{1'b0, strb, equal, take, sum, stored};

endmodule

`default_nettype wire
