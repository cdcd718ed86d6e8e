// Memory with a read-modify-write pipeline: one atomic operation a cycle on any address, also on the same one in every cycle.
// latency 4 with LANES = 1, else 5 (i_valid to o_valid), II 1; never stalls.
// A result is forwarded to the following operations until reads see it in the RAM.  The x_ port moves whole lines (cache fill and
// eviction); it may only be used while no operation is inside, and a line that is written be used from the second cycle after on.
`default_nettype none

module clhls_rmw #(
  parameter WIDTH     = 32,          // bits of the word, a multiple of 8
  parameter LANES     = 1,           // words of a line, a power of two
  parameter DEPTH     = 512,         // lines, >= 2
  parameter NARROW    = 0,           // not 0: operations are of the bytes that i_strb tells, at most NARROW, see clhls_atomic_alu
  parameter TAG_BITS  = 1,           // bits that accompany an operation, >= 1
  parameter [15:0] OPS = 16'h1FFF,   // operations that occur, see clhls_atomic_alu
  parameter TARGET    = "generic",   // RAM primitive: "generic" or "ecp5"
  parameter LINE_BITS = $clog2(DEPTH),          // derived: do not set
  parameter LANE_BITS = $clog2(LANES),          // derived: do not set
  parameter ADDR_BITS = LINE_BITS + LANE_BITS   // derived: do not set
) (
  input  wire                   clk,
  input  wire                   rst,        // synchronous, active high
  input  wire                   i_valid,
  input  wire                   i_pred,     // 0: no access, the old value is 0
  input  wire [3:0]             i_op,
  input  wire [ADDR_BITS-1:0]   i_addr,     // {line, lane}
  input  wire [WIDTH-1:0]       i_data,
  input  wire [WIDTH-1:0]       i_compare,
  input  wire [WIDTH/8-1:0]     i_strb,
  input  wire [TAG_BITS-1:0]    i_tag,
  output wire                   o_valid,
  output wire [WIDTH-1:0]       o_old,      // value before the operation
  output wire [TAG_BITS-1:0]    o_tag,
  output wire                   o_write,    // with o_valid: the operation wrote o_new at o_addr
  output wire [ADDR_BITS-1:0]   o_addr,
  output wire [WIDTH-1:0]       o_new,
  output wire                   busy,       // an operation is inside
  input  wire                   x_wen,      // write a whole line
  input  wire                   x_ren,      // read a line: x_rdata two cycles later
  input  wire [LINE_BITS-1:0]   x_line,
  input  wire [LANES*WIDTH-1:0] x_wdata,
  output wire [LANES*WIDTH-1:0] x_rdata
);

  initial begin
    if (WIDTH % 8 != 0 || LANES < 1 || (LANES & (LANES - 1)) != 0 || DEPTH < 2 || TAG_BITS < 1) begin
      $display("clhls_rmw: WIDTH must be a multiple of 8, LANES a power of two, DEPTH at least 2");
      $finish;
    end
  end

  // Stages: 1 and 2 RAM, 3 lane selection (LANES > 1 only), E execute, W result, then write.  HEAD stages come before E.
  localparam HEAD  = (LANES > 1) ? 3 : 2;
  localparam SIDE  = TAG_BITS + WIDTH / 8 + 2 * WIDTH + 4;
  localparam PAST  = HEAD + 3;  // earlier operations whose result a read does not see

  // ---- what travels with an operation to E; element 0 is the input ----
  wire [HEAD:0]                    valid_p;
  wire [HEAD:0]                    pred_p;
  wire [(HEAD+1)*ADDR_BITS-1:0]    addr_p;
  wire [(HEAD+1)*SIDE-1:0]         side_p;

  assign valid_p[0] = i_valid;
  assign pred_p[0]  = i_valid & i_pred;
  assign addr_p[0 +: ADDR_BITS] = i_addr;
  assign side_p[0 +: SIDE] = {i_tag, i_strb, i_compare, i_data, i_op};

  genvar h;
  generate
    for (h = 0; h < HEAD; h = h + 1) begin : g_head
      reg                 valid_q;
      reg                 pred_q;
      reg [ADDR_BITS-1:0] addr_q;
      reg [SIDE-1:0]      side_q;
      always @(posedge clk) begin
        if (rst) begin
          valid_q <= 1'b0;
          pred_q  <= 1'b0;
        end else begin
          valid_q <= valid_p[h];
          pred_q  <= pred_p[h];
        end
      end
      always @(posedge clk) begin
        addr_q <= addr_p[h*ADDR_BITS +: ADDR_BITS];
        side_q <= side_p[h*SIDE +: SIDE];
      end
      assign valid_p[h+1] = valid_q;
      assign pred_p[h+1]  = pred_q;
      assign addr_p[(h+1)*ADDR_BITS +: ADDR_BITS] = addr_q;
      assign side_p[(h+1)*SIDE +: SIDE] = side_q;
    end
  endgenerate

  // ---- execute ----
  reg                 e_valid_q;
  reg                 e_pred_q;
  reg [ADDR_BITS-1:0] e_addr_q;
  reg [WIDTH-1:0]     e_old_q;
  wire [WIDTH-1:0]    e_value;
  wire                e_late;    // the next operation's operand is chosen by it alone, behind what either value would lead to
  wire [WIDTH-1:0]    e_value1;
  wire [WIDTH-1:0]    e_value0;
  wire                e_write;
  reg  [TAG_BITS-1:0] e_tag_q;
  wire [TAG_BITS-1:0] h_tag;     // of the operation that enters E next, as the others
  wire [WIDTH/8-1:0]  h_strb;
  wire [WIDTH-1:0]    h_compare;
  wire [WIDTH-1:0]    h_data;
  wire [3:0]          h_op;

  assign {h_tag, h_strb, h_compare, h_data, h_op} = side_p[HEAD*SIDE +: SIDE];

  clhls_atomic_alu #(
    .WIDTH(WIDTH), .NARROW(NARROW), .OPS(OPS)
  ) u_alu (
    .clk(clk), .en(1'b1), .op(h_op), .data(h_data), .compare(h_compare), .strb(h_strb),
    .old(e_old_q), .value(e_value), .late(e_late), .value1(e_value1), .value0(e_value0), .write(e_write)
  );

  // ---- results, youngest first: element 0 is being executed, 1 is given out, 2 is being written, the rest are older ----
  wire [PAST-1:0]           past_valid;
  wire [PAST*ADDR_BITS-1:0] past_addr;
  wire [PAST*WIDTH-1:0]     past_value;
  reg                       w_write_q;

  assign past_valid[0] = e_pred_q;
  assign past_addr[0 +: ADDR_BITS] = e_addr_q;
  assign past_value[0 +: WIDTH] = e_value;

  generate
    for (h = 1; h < PAST; h = h + 1) begin : g_past
      reg                 valid_q;
      reg [ADDR_BITS-1:0] addr_q;
      reg [WIDTH-1:0]     value_q;
      always @(posedge clk) begin
        if (rst) valid_q <= 1'b0;
        else valid_q <= past_valid[h-1];
      end
      always @(posedge clk) begin
        addr_q  <= past_addr[(h-1)*ADDR_BITS +: ADDR_BITS];
        value_q <= past_value[(h-1)*WIDTH +: WIDTH];
      end
      assign past_valid[h] = valid_q;
      assign past_addr[h*ADDR_BITS +: ADDR_BITS] = addr_q;
      assign past_value[h*WIDTH +: WIDTH] = value_q;
    end
  endgenerate

  // The operation that enters E next meets result k if it has the same address as the one that is now k places ahead; the
  // comparison is made one cycle earlier, with the places they have then.
  reg  [PAST-1:0]      meet_q;
  wire [ADDR_BITS-1:0] near_addr = addr_p[(HEAD-1)*ADDR_BITS +: ADDR_BITS];
  integer m;
  always @(posedge clk) begin
    meet_q[0] <= pred_p[HEAD-1] & pred_p[HEAD] & (near_addr == addr_p[HEAD*ADDR_BITS +: ADDR_BITS]);
    for (m = 1; m < PAST; m = m + 1) begin
      meet_q[m] <= past_valid[m-1] & (near_addr == past_addr[(m-1)*ADDR_BITS +: ADDR_BITS]);
    end
  end

  // ---- RAM and lane selection ----
  wire [LANES*WIDTH-1:0] rdata;
  wire [WIDTH-1:0]       word;
  reg  [LANES-1:0]       w_lane;
  wire [ADDR_BITS-1:0]   w_addr = past_addr[1*ADDR_BITS +: ADDR_BITS];
  wire [WIDTH-1:0]       w_value = past_value[1*WIDTH +: WIDTH];

  always @(posedge clk) begin
    if (rst) w_write_q <= 1'b0;
    else w_write_q <= e_pred_q & e_write;
  end

  generate
    if (LANES > 1) begin : g_lanes
      reg [WIDTH-1:0] word_q;
      wire [LANE_BITS-1:0] lane2 = addr_p[2*ADDR_BITS +: LANE_BITS];
      always @(posedge clk) word_q <= rdata[lane2*WIDTH +: WIDTH];
      assign word = word_q;
      integer l;
      always @* begin
        for (l = 0; l < LANES; l = l + 1) w_lane[l] = w_write_q & (w_addr[LANE_BITS-1:0] == l[LANE_BITS-1:0]);
      end
    end else begin : g_one_lane
      assign word = rdata;
      always @* w_lane = w_write_q;
    end
  endgenerate

  // What is written goes through registers: the RAM's tiles are far apart.
  reg [LANES-1:0]       ram_wen_q;
  reg [LINE_BITS-1:0]   ram_waddr_q;
  reg [LANES*WIDTH-1:0] ram_wdata_q;
  always @(posedge clk) begin
    if (rst) ram_wen_q <= {LANES{1'b0}};
    else ram_wen_q <= x_wen ? {LANES{1'b1}} : w_lane;
  end
  always @(posedge clk) begin
    ram_waddr_q <= x_wen ? x_line : w_addr[ADDR_BITS-1 -: LINE_BITS];
    ram_wdata_q <= x_wen ? x_wdata : {LANES{w_value}};
  end

  clhls_ram #(
    .WIDTH(LANES * WIDTH), .DEPTH(DEPTH), .WE_WIDTH(LANES), .COLLIDES(0), .TARGET(TARGET)
  ) u_ram (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen(ram_wen_q), .waddr(ram_waddr_q), .wdata(ram_wdata_q),
    .ren(i_valid | x_ren),
    .raddr(x_ren ? x_line : i_addr[ADDR_BITS-1 -: LINE_BITS]),
    .rdata(rdata)
  );

  assign x_rdata = rdata;

  // ---- operand: youngest matching result, else the RAM's word ----
  reg [WIDTH-1:0] earlier;   // but for the result that is being computed
  integer k;
  always @* begin
    earlier = word;
    for (k = PAST - 1; k >= 1; k = k - 1) begin
      if (meet_q[k]) earlier = past_value[k*WIDTH +: WIDTH];
    end
    if (~pred_p[HEAD]) earlier = {WIDTH{1'b0}};
  end
  wire [WIDTH-1:0] operand1 = meet_q[0] ? e_value1 : earlier;
  wire [WIDTH-1:0] operand0 = meet_q[0] ? e_value0 : earlier;

  always @(posedge clk) begin
    if (rst) begin
      e_valid_q <= 1'b0;
      e_pred_q  <= 1'b0;
    end else begin
      e_valid_q <= valid_p[HEAD];
      e_pred_q  <= pred_p[HEAD];
    end
  end

  always @(posedge clk) begin
    e_addr_q <= addr_p[HEAD*ADDR_BITS +: ADDR_BITS];
    e_tag_q  <= h_tag;
    e_old_q  <= e_late ? operand1 : operand0;
  end

  reg                o_valid_q;
  reg [WIDTH-1:0]    o_old_q;
  reg [TAG_BITS-1:0] o_tag_q;
  assign o_valid = o_valid_q;
  assign o_old   = o_old_q;
  assign o_tag   = o_tag_q;
  assign o_write = w_write_q;
  assign o_addr  = w_addr;
  assign o_new   = w_value;

  always @(posedge clk) begin
    if (rst) o_valid_q <= 1'b0;
    else o_valid_q <= e_valid_q;
  end
  always @(posedge clk) begin
    o_old_q <= e_old_q;
    o_tag_q <= e_tag_q;
  end

  assign busy = (|valid_p) | e_valid_q | (|past_valid);

endmodule

`default_nettype wire
