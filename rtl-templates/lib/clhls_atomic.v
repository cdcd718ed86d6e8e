// Global atomic unit with N in-order client ports, which take turns; owns the ordering of its memory object.
// EXCLUSIVE = 2 (nothing else in the kernel touches the object): latency 10 or 11 and II 1 on cache hits, see clhls_atomic_cached.
// EXCLUSIVE = 1 (nothing else writes it): II 1 on cache hits, an answer waits for memory to acknowledge; see there, THROUGH.
// EXCLUSIVE = 0: one operation at a time, two memory round trips each, see clhls_atomic_direct.
`default_nettype none

module clhls_atomic #(
  parameter N          = 1,           // client ports, >= 1
  parameter ADDR_BITS  = 64,          // byte address bits, <= 64
  parameter DEVICE_BITS = 64,         // address bits that the device's memory needs, 13..ADDR_BITS; the others are ignored
  parameter BYTES      = 4,           // bytes of an operation, 4 or 8; addresses are multiples of it
  parameter BUS_BYTES  = 64,          // bytes of a bus line, a power of two, BYTES..128
  parameter EXCLUSIVE  = 0,           // 1: cached, written through; 2: cached, written back
  parameter LINES      = 16,          // EXCLUSIVE > 0: cache lines, a power of two, > BLOCK
  parameter BLOCK      = 8,           // EXCLUSIVE > 0: lines that a miss fetches, a power of two, 2..16
  parameter [15:0] OPS = 16'h1FFF,    // operations that occur, see clhls_atomic_alu
  parameter SITE       = 0,           // number of client 0's access in the manifest, client i is SITE + i (simulation)
  parameter TARGET     = "generic",   // RAM primitive: "generic" or "ecp5"
  parameter LINE_BITS  = ADDR_BITS - $clog2(BUS_BYTES)  // derived: do not set
) (
  input  wire                   clk,
  input  wire                   rst,        // synchronous, active high
  input  wire                   flush,      // level, EXCLUSIVE > 0: write everything back and forget it; hold until idle
  output wire                   idle,       // nothing inside, memory is up to date; falls at the latest 2 cycles after a request
  // requests, client i at [i*W +: W]
  input  wire [N-1:0]           s_valid,
  output wire [N-1:0]           s_ready,
  input  wire [N*4-1:0]         s_op,       // see clhls_atomic_alu
  input  wire [N*ADDR_BITS-1:0] s_addr,
  input  wire [N*8*BYTES-1:0]   s_data,
  input  wire [N*8*BYTES-1:0]   s_compare,  // cmpxchg only
  input  wire [N-1:0]           s_pred,     // 0: no access, the response is 0
  // responses, one per request, in order for each client
  output wire [N-1:0]           m_valid,
  input  wire [N-1:0]           m_ready,
  output wire [N*8*BYTES-1:0]   m_data,     // value before the operation
  // memory side, as of clhls_load and clhls_store
  output wire                   ar_valid,
  input  wire                   ar_ready,
  output wire [LINE_BITS-1:0]   ar_line,
  output wire [7:0]             ar_len,
  input  wire                   r_valid,
  input  wire [8*BUS_BYTES-1:0] r_data,
  output wire                   aw_valid,
  input  wire                   aw_ready,
  output wire [LINE_BITS-1:0]   aw_line,
  output wire [7:0]             aw_len,
  output wire                   w_valid,
  input  wire                   w_ready,
  output wire [8*BUS_BYTES-1:0] w_data,
  output wire [BUS_BYTES-1:0]   w_strb,
  output wire                   w_last,
  input  wire                   b_valid
);

  initial begin
    if (N < 1 || (BYTES != 4 && BYTES != 8) || BUS_BYTES < BYTES || BUS_BYTES > 128 || ADDR_BITS > 64) begin
      $display("clhls_atomic: N at least 1, BYTES 4 or 8, BUS_BYTES BYTES..128, ADDR_BITS <= 64");
      $finish;
    end
  end

  localparam DW        = 8 * BYTES;
  localparam LOW       = $clog2(BYTES);
  localparam LANES     = BUS_BYTES / BYTES;
  localparam LANE_BITS = (LANES > 1) ? $clog2(LANES) : 1;
  localparam TAG_BITS  = (N > 1) ? $clog2(N) : 1;
  localparam SIDE      = TAG_BITS + 1 + 4 + LINE_BITS + LANE_BITS + 2 * DW;

  // Constant zeros: the registers behind them go away in synthesis.
  localparam [LINE_BITS-1:0] LINE_MASK = {LINE_BITS{1'b1}} >> (DEVICE_BITS < ADDR_BITS ? ADDR_BITS - DEVICE_BITS : 0);

  // ---- clients: one merge, which keeps the order in which requests are accepted; answers by number ----
  wire [N-1:0]         room;
  wire [N-1:0]         merge_ready;
  wire [N-1:0]         take = s_valid & s_ready;
  wire [N*SIDE-1:0]    words;
  wire [N*LANE_BITS-1:0] lanes;
  wire                 c_valid;
  wire                 c_ready;
  wire [TAG_BITS-1:0]  c_tag;
  wire                 c_pred;
  wire [3:0]           c_op;
  wire [LINE_BITS-1:0] c_line;
  wire [LANE_BITS-1:0] c_lane;
  wire [DW-1:0]        c_data;
  wire [DW-1:0]        c_compare;
  wire                 o_valid;
  wire [TAG_BITS-1:0]  o_tag;
  wire [DW-1:0]        o_old;
  wire                 core_idle;

  assign s_ready = merge_ready & room;

  genvar c;
  generate
    for (c = 0; c < N; c = c + 1) begin : g_client
      localparam [TAG_BITS-1:0] ID = c;
      if (LANES > 1) begin : g_lane
        assign lanes[c*LANE_BITS +: LANE_BITS] = s_addr[c*ADDR_BITS + LOW +: LANE_BITS];
      end else begin : g_one_lane
        assign lanes[c*LANE_BITS +: LANE_BITS] = 1'b0;
      end
      assign words[c*SIDE +: SIDE] = {ID, s_pred[c], s_op[4*c +: 4], s_addr[c*ADDR_BITS + ADDR_BITS - LINE_BITS +: LINE_BITS] & LINE_MASK,
                                      lanes[c*LANE_BITS +: LANE_BITS], s_data[c*DW +: DW], s_compare[c*DW +: DW]};
      clhls_response #(
        .WIDTH(DW), .PLACES((EXCLUSIVE == 1) ? 128 : 17), .TARGET(TARGET)
      ) u_response (
        .clk(clk), .rst(rst), .reserve(take[c]), .room(room[c]),
        .s_valid(o_valid & (o_tag == ID)), .s_data(o_old),
        .m_valid(m_valid[c]), .m_ready(m_ready[c]), .m_data(m_data[c*DW +: DW])
      );
`ifdef CLHLS_CHECK_ACCESS
      clhls_access_probe #(
        .ADDR_BITS(ADDR_BITS), .BYTES(BYTES), .IS_WRITE(2), .SITE(SITE + c)
      ) u_probe (
        .clk(clk), .access(take[c] & s_pred[c] & ~rst), .addr(s_addr[c*ADDR_BITS +: ADDR_BITS])
      );
`endif
    end
  endgenerate

  clhls_merge_parked #(
    .N(N), .WIDTH(SIDE)
  ) u_merge (
    .clk(clk), .rst(rst),
    .s_valid(s_valid & room), .s_ready(merge_ready), .s_data(words),
    .m_valid(c_valid), .m_ready(c_ready), .m_data({c_tag, c_pred, c_op, c_line, c_lane, c_data, c_compare})
  );

  generate
    if (EXCLUSIVE != 0) begin : g_cached
      clhls_atomic_cached #(
        .BYTES(BYTES), .BUS_BYTES(BUS_BYTES), .LINES(LINES), .BLOCK(BLOCK), .LINE_BITS(LINE_BITS), .LANE_BITS(LANE_BITS), .TAG_BITS(TAG_BITS),
        .THROUGH(EXCLUSIVE == 1), .OPS(OPS), .TARGET(TARGET)
      ) u_core (
        .clk(clk), .rst(rst), .flush(flush), .idle(core_idle),
        .c_valid(c_valid), .c_ready(c_ready), .c_tag(c_tag), .c_pred(c_pred), .c_op(c_op), .c_line(c_line), .c_lane(c_lane),
        .c_data(c_data), .c_compare(c_compare),
        .o_valid(o_valid), .o_tag(o_tag), .o_old(o_old),
        .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_line(ar_line), .r_valid(r_valid), .r_data(r_data),
        .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_line(aw_line),
        .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_strb(w_strb), .b_valid(b_valid)
      );
    end else begin : g_direct
      clhls_atomic_direct #(
        .BYTES(BYTES), .BUS_BYTES(BUS_BYTES), .LINE_BITS(LINE_BITS), .LANE_BITS(LANE_BITS), .TAG_BITS(TAG_BITS), .OPS(OPS)
      ) u_core (
        .clk(clk), .rst(rst), .idle(core_idle),
        .c_valid(c_valid), .c_ready(c_ready), .c_tag(c_tag), .c_pred(c_pred), .c_op(c_op), .c_line(c_line), .c_lane(c_lane),
        .c_data(c_data), .c_compare(c_compare),
        .o_valid(o_valid), .o_tag(o_tag), .o_old(o_old),
        .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_line(ar_line), .r_valid(r_valid), .r_data(r_data),
        .aw_valid(aw_valid), .aw_ready(aw_ready), .aw_line(aw_line),
        .w_valid(w_valid), .w_ready(w_ready), .w_data(w_data), .w_strb(w_strb), .b_valid(b_valid)
      );
      wire unused = &{1'b0, flush, LINES != 0, BLOCK != 0};
    end
  endgenerate

  assign ar_len = (EXCLUSIVE != 0) ? BLOCK[7:0] - 8'd1 : 8'd0;
  assign aw_len = 8'd0;
  assign w_last = 1'b1;
  assign idle   = core_idle & ~c_valid;

  wire unused = &{1'b0, s_addr, SITE != 0};

endmodule

`default_nettype wire
