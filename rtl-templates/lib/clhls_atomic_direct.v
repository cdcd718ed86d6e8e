// Global atomics on memory that others touch too: read, modify, write, wait for the acknowledgement, answer; one at a time.
// latency two memory round trips, II the same.  Use through clhls_atomic.
`default_nettype none

module clhls_atomic_direct #(
  parameter BYTES     = 4,            // bytes of an operation
  parameter BUS_BYTES = 64,           // bytes of a bus line
  parameter LINE_BITS = 58,           // bits of a line number
  parameter LANE_BITS = 4,            // log2(BUS_BYTES / BYTES), at least 1
  parameter TAG_BITS  = 1,
  parameter [15:0] OPS = 16'h1FFF     // operations that occur, see clhls_atomic_alu
) (
  input  wire                   clk,
  input  wire                   rst,       // synchronous, active high
  output wire                   idle,      // register: nothing inside
  input  wire                   c_valid,
  output wire                   c_ready,
  input  wire [TAG_BITS-1:0]    c_tag,
  input  wire                   c_pred,
  input  wire [3:0]             c_op,
  input  wire [LINE_BITS-1:0]   c_line,
  input  wire [LANE_BITS-1:0]   c_lane,
  input  wire [8*BYTES-1:0]     c_data,
  input  wire [8*BYTES-1:0]     c_compare,
  output wire                   o_valid,   // always accepted
  output wire [TAG_BITS-1:0]    o_tag,
  output wire [8*BYTES-1:0]     o_old,
  output wire                   ar_valid,
  input  wire                   ar_ready,
  output wire [LINE_BITS-1:0]   ar_line,
  input  wire                   r_valid,
  input  wire [8*BUS_BYTES-1:0] r_data,
  output wire                   aw_valid,
  input  wire                   aw_ready,
  output wire [LINE_BITS-1:0]   aw_line,
  output wire                   w_valid,
  input  wire                   w_ready,
  output wire [8*BUS_BYTES-1:0] w_data,
  output wire [BUS_BYTES-1:0]   w_strb,
  input  wire                   b_valid
);

  localparam LANES = BUS_BYTES / BYTES;
  localparam DW    = 8 * BYTES;
  localparam [3:0] OP_LOAD  = 4'd11;
  localparam [3:0] OP_STORE = 4'd12;

  localparam [2:0] ST_IDLE    = 3'd0;
  localparam [2:0] ST_ASK     = 3'd1;  // AR
  localparam [2:0] ST_READ    = 3'd2;  // R
  localparam [2:0] ST_EXECUTE = 3'd3;
  localparam [2:0] ST_WRITE   = 3'd4;  // AW and W
  localparam [2:0] ST_CONFIRM = 3'd5;  // B
  localparam [2:0] ST_ANSWER  = 3'd6;

  reg [2:0]           state_q;
  reg                 aw_done_q;
  reg                 w_done_q;
  reg [TAG_BITS-1:0]  tag_q;
  reg [3:0]           op_q;
  reg [LINE_BITS-1:0] line_q;
  reg [LANE_BITS-1:0] lane_q;
  reg [DW-1:0]        old_q;
  reg [DW-1:0]        new_q;
  wire [DW-1:0]       new_d;
  wire                write;
  wire [DW-1:0]       word;

  assign c_ready  = state_q == ST_IDLE;
  assign idle     = state_q == ST_IDLE;
  assign ar_valid = state_q == ST_ASK;
  assign ar_line  = line_q;
  assign aw_valid = (state_q == ST_WRITE) & ~aw_done_q;
  assign aw_line  = line_q;
  assign w_valid  = (state_q == ST_WRITE) & ~w_done_q;
  assign w_data   = {LANES{new_q}};
  assign o_valid  = state_q == ST_ANSWER;
  assign o_tag    = tag_q;
  assign o_old    = old_q;

  generate
    if (LANES > 1) begin : g_lanes
      assign word = r_data[lane_q*DW +: DW];
      genvar l;
      for (l = 0; l < LANES; l = l + 1) begin : g_strb
        assign w_strb[l*BYTES +: BYTES] = {BYTES{lane_q == l}};
      end
    end else begin : g_one_lane
      assign word   = r_data;
      assign w_strb = {BUS_BYTES{1'b1}};
      wire unused = &{1'b0, lane_q};
    end
  endgenerate

  wire               late_unused;
  wire [8*BYTES-1:0] value1_unused;
  wire [8*BYTES-1:0] value0_unused;
  clhls_atomic_alu #(
    .WIDTH(DW), .OPS(OPS)
  ) u_alu (
    .clk(clk), .en(state_q == ST_IDLE), .op(c_op), .data(c_data), .compare(c_compare), .strb({BYTES{1'b1}}),
    .old(old_q), .value(new_d), .late(late_unused), .value1(value1_unused), .value0(value0_unused), .write(write)
  );

  always @(posedge clk) begin
    if (rst) begin
      state_q   <= ST_IDLE;
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end else begin
      aw_done_q <= (state_q == ST_WRITE) & (aw_done_q | aw_ready);
      w_done_q  <= (state_q == ST_WRITE) & (w_done_q | w_ready);
      case (state_q)
        ST_IDLE:    if (c_valid) state_q <= ~c_pred ? ST_ANSWER : (c_op == OP_STORE) ? ST_EXECUTE : ST_ASK;
        ST_ASK:     if (ar_ready) state_q <= ST_READ;
        ST_READ:    if (r_valid) state_q <= (op_q == OP_LOAD) ? ST_ANSWER : ST_EXECUTE;
        ST_EXECUTE: state_q <= write ? ST_WRITE : ST_ANSWER;
        ST_WRITE:   if ((aw_done_q | aw_ready) & (w_done_q | w_ready)) state_q <= ST_CONFIRM;
        ST_CONFIRM: if (b_valid) state_q <= ST_ANSWER;
        default:    state_q <= ST_IDLE;
      endcase
    end
  end

  always @(posedge clk) begin
    if (state_q == ST_IDLE) begin
      tag_q     <= c_tag;
      op_q      <= c_op;
      line_q    <= c_line;
      lane_q    <= c_lane;
      old_q     <= {DW{1'b0}};
    end
    if (r_valid & (state_q == ST_READ)) old_q <= word;
    if (state_q == ST_EXECUTE) new_q <= new_d;
  end

endmodule

`default_nettype wire
