// Several in-order clients in front of one load unit.  A request enters only when its client owns a place for the answer, so
// answers always leave the unit and no client can block another.
// latency 1 or 2 in front of the unit for each level of 4 clients and 1 behind it, II 1 for all clients together.
`default_nettype none

module clhls_load_share #(
  parameter N           = 4,    // clients, >= 1
  parameter ADDR_BITS   = 64,   // bits of an address
  parameter WIDTH       = 32,   // bits of an answer
  parameter PARTS       = 1,    // bits of a predicate
  parameter DEPTH       = 64,   // answers that a client can have under way or waiting
  parameter OUTSTANDING = 256,  // requests inside the unit
  parameter ID_BITS     = (N > 1) ? $clog2(N) : 1  // derived: do not set
) (
  input  wire                   clk,
  input  wire                   rst,      // synchronous, active high
  // clients, client i at [i*W +: W]
  input  wire [N-1:0]           s_valid,
  output wire [N-1:0]           s_ready,
  input  wire [N*ADDR_BITS-1:0] s_addr,
  input  wire [N*PARTS-1:0]     s_pred,
  output wire [N-1:0]           m_valid,
  input  wire [N-1:0]           m_ready,
  output wire [N*WIDTH-1:0]     m_data,
  // the unit
  output wire                   u_valid,
  input  wire                   u_ready,
  output wire [ADDR_BITS-1:0]   u_addr,
  output wire [PARTS-1:0]       u_pred,
  input  wire                   u_answer_valid,
  output wire                   u_answer_ready,
  input  wire [WIDTH-1:0]       u_answer
);

  initial begin
    if (N < 1 || DEPTH < 1) begin
      $display("clhls_load_share: N and DEPTH must be at least 1");
      $finish;
    end
  end

  localparam RW = ID_BITS + ADDR_BITS + PARTS;
  localparam CW = $clog2(DEPTH + 1);
  localparam [CW-1:0] ALL = DEPTH[CW-1:0];

  wire [N-1:0]       open;      // registers: the client owns a place
  wire [N-1:0]       enter_valid = s_valid & open;
  wire [N-1:0]       enter_ready;
  wire [N*RW-1:0]    requests;
  wire               request_valid;
  wire               request_ready;
  wire [RW-1:0]      request;
  wire               route_ready;
  wire               route_valid;
  wire [ID_BITS-1:0] route;
  wire [N-1:0]       queue_ready_unused;
  wire               answer_moves = u_answer_valid & u_answer_ready;

  assign s_ready = enter_ready & open;

  clhls_merge_tree #(.N(N), .WIDTH(RW)) u_tree (
    .clk(clk), .rst(rst),
    .s_valid(enter_valid), .s_ready(enter_ready), .s_data(requests),
    .m_valid(request_valid), .m_ready(request_ready), .m_data(request)
  );

  // The unit and the list of who asked take a request together.
  assign request_ready = u_ready & route_ready;
  assign u_valid = request_valid & route_ready;
  assign u_addr = request[PARTS +: ADDR_BITS];
  assign u_pred = request[PARTS-1:0];

  clhls_fifo #(.WIDTH(ID_BITS), .DEPTH(OUTSTANDING + 8)) u_route (
    .clk(clk), .rst(rst),
    .s_valid(request_valid & u_ready), .s_ready(route_ready), .s_data(request[RW-1 -: ID_BITS]),
    .m_valid(route_valid), .m_ready(answer_moves), .m_data(route)
  );

  assign u_answer_ready = route_valid;  // its client owns a place

  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : g_client
      localparam [ID_BITS-1:0] ID = i;
      reg  [CW-1:0] room_q;
      reg           open_q;
      wire          enter = s_valid[i] & s_ready[i];
      wire          leave = m_valid[i] & m_ready[i];
      wire [CW-1:0] room_d = room_q + {{(CW-1){1'b0}}, leave} - {{(CW-1){1'b0}}, enter};

      assign open[i] = open_q;
      assign requests[i*RW +: RW] = {ID, s_addr[i*ADDR_BITS +: ADDR_BITS], s_pred[i*PARTS +: PARTS]};

      always @(posedge clk) begin
        if (rst) begin
          room_q <= ALL;
          open_q <= 1'b1;
        end else begin
          room_q <= room_d;
          open_q <= room_d != 0;
        end
      end

      clhls_fifo #(.WIDTH(WIDTH), .DEPTH(DEPTH), .OWNED(1)) u_queue (
        .clk(clk), .rst(rst),
        .s_valid(u_answer_valid & route_valid & (route == ID)), .s_ready(queue_ready_unused[i]), .s_data(u_answer),
        .m_valid(m_valid[i]), .m_ready(m_ready[i]), .m_data(m_data[i*WIDTH +: WIDTH])
      );
    end
  endgenerate

  wire unused = &{1'b0, queue_ready_unused};

endmodule

`default_nettype wire
