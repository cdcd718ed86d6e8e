// Node of clhls_axi_write_mux: some write units into one.  Addresses in turn, a unit's burst of data when its address has gone.
// latency AW 1 (2 for a unit that does not hold the grant), W 1, II 1 (no gap between bursts).
`default_nettype none

module clhls_write_merge #(
  parameter N       = 4,   // units, >= 1
  parameter AW_BITS = 46,  // payload of an address
  parameter W_BITS  = 72,  // payload of a beat without its last
  parameter AHEAD   = 16   // bursts whose address may go out before their data
) (
  input  wire                 clk,
  input  wire                 rst,         // synchronous, active high
  // units, unit i at [i*W +: W]
  input  wire [N-1:0]         s_aw_valid,
  output wire [N-1:0]         s_aw_ready,  // from registers
  input  wire [N*AW_BITS-1:0] s_aw,
  input  wire [N-1:0]         s_w_valid,
  output wire [N-1:0]         s_w_ready,   // from registers
  input  wire [N-1:0]         s_w_last,
  input  wire [N*W_BITS-1:0]  s_w,
  output wire                 m_aw_valid,
  input  wire                 m_aw_ready,
  output wire [AW_BITS-1:0]   m_aw,
  output wire                 m_w_valid,
  input  wire                 m_w_ready,
  output wire                 m_w_last,
  output wire [W_BITS-1:0]    m_w
);

  // ---- addresses: to the output and, as the number of the unit, to the list of what comes ----
  wire               aw_skid_ready;
  wire               order_ready;
  wire               aw_room = aw_skid_ready & order_ready;
  wire [N-1:0]       grant;   // register
  wire               offered = |(grant & s_aw_valid);
  reg  [AW_BITS-1:0] address;

  assign s_aw_ready = grant & {N{aw_room}};

  clhls_parked_arbiter #(
    .N(N)
  ) u_arbiter (
    .clk(clk), .rst(rst), .request(s_aw_valid), .hold(offered & ~aw_room), .grant(grant)
  );

  integer i;
  always @* begin
    address = {AW_BITS{1'b0}};
    for (i = 0; i < N; i = i + 1) address = address | (s_aw[i*AW_BITS +: AW_BITS] & {AW_BITS{grant[i]}});
  end

  clhls_skid #(
    .WIDTH(AW_BITS)
  ) u_aw (
    .clk(clk), .rst(rst),
    .s_valid(offered & order_ready), .s_ready(aw_skid_ready), .s_data(address),
    .m_valid(m_aw_valid), .m_ready(m_aw_ready), .m_data(m_aw)
  );

  // ---- data, in the order of the addresses ----
  wire              order_valid;
  wire [N-1:0]      order;      // one-hot: unit whose burst is next
  wire              w_skid_ready;
  wire              w_offered = |(order & s_w_valid) & order_valid;
  wire              w_ends    = |(order & s_w_valid & s_w_last);
  reg  [W_BITS-1:0] beat;
  reg               last;

  assign s_w_ready = order & {N{order_valid & w_skid_ready}};

  // Noted a cycle later: all units' offers are in front of this FIFO, all their data behind it.
  reg          noted_q;
  reg  [N-1:0] noted_unit_q;
  wire         more_unused;
  always @(posedge clk) begin
    noted_q      <= ~rst & offered & aw_room;
    noted_unit_q <= grant;
  end

  clhls_fifo_ahead #(
    .WIDTH(N), .DEPTH(AHEAD), .EARLY(1)
  ) u_order (
    .clk(clk), .rst(rst),
    .s_valid(noted_q), .s_ready(order_ready), .s_data(noted_unit_q),
    .m_valid(order_valid), .m_more(more_unused), .m_ready(w_ends & w_skid_ready), .m_data(order)
  );

  integer j;
  always @* begin
    beat = {W_BITS{1'b0}};
    last = 1'b0;
    for (j = 0; j < N; j = j + 1) begin
      beat = beat | (s_w[j*W_BITS +: W_BITS] & {W_BITS{order[j]}});
      last = last | (s_w_last[j] & order[j]);
    end
  end

  clhls_skid #(
    .WIDTH(1 + W_BITS)
  ) u_w (
    .clk(clk), .rst(rst),
    .s_valid(w_offered), .s_ready(w_skid_ready), .s_data({last, beat}),
    .m_valid(m_w_valid), .m_ready(m_w_ready), .m_data({m_w_last, m_w})
  );

  wire unused = &{1'b0, more_unused};

endmodule

`default_nettype wire
