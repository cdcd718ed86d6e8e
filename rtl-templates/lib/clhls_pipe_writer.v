// Writing end of a connected pipe: the clients that bring packets, and a queue in front of an AXI4-Stream.
// latency 1 from a request to the stream and to its answer, II 1.  Packets leave in the order in which they were moved.
`default_nettype none

module clhls_pipe_writer #(
  parameter N      = 1,            // clients, >= 1
  parameter BITS   = 32,           // bits of a packet
  parameter WIDTH  = 32,           // bits of an answer: what a count needs
  parameter DEPTH  = 16,           // packets, >= 2
  parameter [4*N-1:0] KINDS = 0,   // see clhls_pipe_clients
  parameter TARGET = "generic"     // device family for the RAM primitive
) (
  input  wire               clk,
  input  wire               rst,      // synchronous, active high
  output wire               m_tvalid,
  input  wire               m_tready,
  output wire [BITS-1:0]    m_tdata,
  // client i at [i], its packet at [i*BITS +: BITS], its answer at [i*WIDTH +: WIDTH]
  input  wire [N-1:0]       c_valid,
  output wire [N-1:0]       c_ready,
  input  wire [N-1:0]       c_pred,
  input  wire [N*BITS-1:0]  c_data,
  output wire [N-1:0]       m_valid,
  input  wire [N-1:0]       m_ready,
  output wire [N*WIDTH-1:0] m_data
);

  localparam CB = $clog2(DEPTH + 8);
  localparam [CB-1:0] ALL = DEPTH[CB-1:0];

  wire            queue_ready;
  wire            move;
  wire [N-1:0]    mover;
  wire [CB-1:0]   free;
  wire [N*BITS-1:0] chosen;   // packets of clients that do not move are 0
  reg  [BITS-1:0] packet;

  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : g_chosen
      assign chosen[i*BITS +: BITS] = c_data[i*BITS +: BITS] & {BITS{mover[i]}};
    end
  endgenerate

  integer k;
  always @* begin
    packet = {BITS{1'b0}};
    for (k = 0; k < N; k = k + 1) packet = packet | chosen[k*BITS +: BITS];
  end

  clhls_fifo #(.WIDTH(BITS), .DEPTH(DEPTH), .TARGET(TARGET)) u_queue (
    .clk(clk), .rst(rst),
    .s_valid(move), .s_ready(queue_ready), .s_data(packet),
    .m_valid(m_tvalid), .m_ready(m_tready), .m_data(m_tdata)
  );

  clhls_pipe_clients #(.N(N), .WIDTH(WIDTH), .INITIAL(DEPTH), .CB(CB), .KINDS(KINDS)) u_clients (
    .clk(clk), .rst(rst),
    .more(m_tvalid & m_tready), .can_move(queue_ready), .move(move), .mover(mover), .free(free),
    .c_valid(c_valid), .c_ready(c_ready), .c_pred(c_pred),
    .packet({WIDTH{1'b0}}), .count(ALL - free),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

endmodule

`default_nettype wire
