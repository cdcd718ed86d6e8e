// Reading end of a connected pipe whose packets are reserved: a RAM behind an AXI4-Stream, read in any order inside a reservation.
// latency 6 from the stream to the answer that reserves a packet, II 1.  Places become free in the order of the reservations.
`default_nettype none

module clhls_pipe_reserving_reader #(
  parameter N      = 3,            // clients, >= 1
  parameter BITS   = 32,           // bits of a packet
  parameter WIDTH  = 64,           // bits of an answer, at least BITS and 64
  parameter DEPTH  = 16,           // packets, >= 1
  parameter [4*N-1:0] KINDS = 0,   // see clhls_pipe_window
  parameter TARGET = "generic"     // device family for the RAM primitive
) (
  input  wire               clk,
  input  wire               rst,      // synchronous, active high
  input  wire               s_tvalid,
  output wire               s_tready, // register
  input  wire [BITS-1:0]    s_tdata,
  // client i at [i], answers at [i*WIDTH +: WIDTH]
  input  wire [N-1:0]       c_valid,
  output wire [N-1:0]       c_ready,
  input  wire [N-1:0]       c_pred,
  input  wire [64*N-1:0]    c_arg,
  output wire [N-1:0]       m_valid,
  input  wire [N-1:0]       m_ready,
  output wire [N*WIDTH-1:0] m_data
);

  initial begin
    if (DEPTH < 1) begin
      $display("clhls_pipe_reserving_reader: DEPTH must be at least 1");
      $finish;
    end
  end

  localparam PB = (DEPTH > 4) ? $clog2(DEPTH) : 2;
  localparam SLOTS = 1 << PB;
  localparam [PB:0] ALL = DEPTH[PB:0];

  reg  [PB:0]     held_q;   // packets that are there and not committed
  reg             room_q;   // fewer than DEPTH
  reg  [PB-1:0]   in_q;     // slot of the next packet
  wire            come = s_tvalid & room_q;
  wire [PB:0]     free;
  wire [PB:0]     done;
  wire [N-1:0]    mover;
  wire            move;
  wire [PB-1:0]   position;
  wire [BITS-1:0] packet;
  wire [PB:0]     held_d = held_q + {{PB{1'b0}}, come} - done;
  wire            unused = &{1'b0, mover};

  assign s_tready = room_q;

  always @(posedge clk) begin
    if (rst) begin
      held_q <= {(PB+1){1'b0}};
      room_q <= 1'b0;
      in_q   <= {PB{1'b0}};
    end else begin
      held_q <= held_d;
      room_q <= held_d < ALL;
      in_q   <= in_q + {{(PB-1){1'b0}}, come};
    end
  end

  // Only slots of reservations are read, and no packet comes to those.
  clhls_ram #(.WIDTH(BITS), .DEPTH(SLOTS), .COLLIDES(0), .TARGET(TARGET)) u_packets (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen(come), .waddr(in_q), .wdata(s_tdata),
    .ren(move), .raddr(position), .rdata(packet)
  );

  clhls_pipe_window #(
    .N(N), .BITS(BITS), .WIDTH(WIDTH), .SLOTS(SLOTS), .INITIAL(0), .CB(PB + 1), .KINDS(KINDS), .TARGET(TARGET)
  ) u_window (
    .clk(clk), .rst(rst),
    .more(come), .free(free), .done(done), .mover(mover), .move(move), .position(position),
    .c_valid(c_valid), .c_ready(c_ready), .c_pred(c_pred), .c_arg(c_arg),
    .packet(packet), .count(free),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

endmodule

`default_nettype wire
