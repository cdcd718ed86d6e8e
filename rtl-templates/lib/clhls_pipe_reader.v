// Reading end of a connected pipe: a queue behind an AXI4-Stream, and the clients that take its packets.
// latency 2 from the stream to an answer, II 1.  Packets are given in the order in which they come.
`default_nettype none

module clhls_pipe_reader #(
  parameter N      = 1,            // clients, >= 1
  parameter BITS   = 32,           // bits of a packet
  parameter WIDTH  = 32,           // bits of an answer, at least BITS and what a count needs
  parameter DEPTH  = 16,           // packets, >= 2
  parameter [4*N-1:0] KINDS = 0,   // see clhls_pipe_clients
  parameter TARGET = "generic"     // device family for the RAM primitive
) (
  input  wire               clk,
  input  wire               rst,      // synchronous, active high
  input  wire               s_tvalid,
  output wire               s_tready,
  input  wire [BITS-1:0]    s_tdata,
  // client i at [i], answers at [i*WIDTH +: WIDTH]
  input  wire [N-1:0]       c_valid,
  output wire [N-1:0]       c_ready,
  input  wire [N-1:0]       c_pred,
  output wire [N-1:0]       m_valid,
  input  wire [N-1:0]       m_ready,
  output wire [N*WIDTH-1:0] m_data
);

  // One more than the queue's largest capacity fits.
  localparam CB = $clog2(DEPTH + 8);

  wire             head_valid;
  wire [BITS-1:0]  head;
  wire             move;
  wire [N-1:0]     mover;
  wire [CB-1:0]    free;
  wire [WIDTH-1:0] packet;
  reg              room_q;   // fewer than DEPTH packets are there
  reg  [CB-1:0]    level_q;
  wire             queue_ready;
  wire             come = s_tvalid & s_tready;
  wire [CB-1:0]    level_d = level_q + {{(CB-1){1'b0}}, come} - {{(CB-1){1'b0}}, move};
  wire             unused = &{1'b0, mover};

  generate
    if (WIDTH > BITS) begin : g_wider
      assign packet = {{(WIDTH-BITS){1'b0}}, head};
    end else begin : g_equal
      assign packet = head;
    end
  endgenerate

  assign s_tready = queue_ready & room_q;

  always @(posedge clk) begin
    if (rst) begin
      level_q <= {CB{1'b0}};
      room_q  <= 1'b0;
    end else begin
      level_q <= level_d;
      room_q  <= level_d < DEPTH[CB-1:0];
    end
  end

  clhls_fifo #(.WIDTH(BITS), .DEPTH(DEPTH), .TARGET(TARGET)) u_queue (
    .clk(clk), .rst(rst),
    .s_valid(s_tvalid & room_q), .s_ready(queue_ready), .s_data(s_tdata),
    .m_valid(head_valid), .m_ready(move), .m_data(head)
  );

  clhls_pipe_clients #(.N(N), .WIDTH(WIDTH), .INITIAL(0), .CB(CB), .KINDS(KINDS)) u_clients (
    .clk(clk), .rst(rst),
    .more(come), .can_move(head_valid), .move(move), .mover(mover), .free(free),
    .c_valid(c_valid), .c_ready(c_ready), .c_pred(c_pred),
    .packet(packet), .count(free),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

endmodule

`default_nettype wire
