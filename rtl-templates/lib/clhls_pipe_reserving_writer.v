// Writing end of a connected pipe whose room is reserved: a RAM in front of an AXI4-Stream, written in any order inside a reservation.
// latency 6 from a commit that is taken to the stream, II 1.  Packets leave in the order of the reservations, when all before them are committed.
`default_nettype none

module clhls_pipe_reserving_writer #(
  parameter N      = 3,            // clients, >= 1
  parameter BITS   = 32,           // bits of a packet
  parameter WIDTH  = 64,           // bits of an answer, at least 64
  parameter DEPTH  = 16,           // packets, >= 1
  parameter [4*N-1:0] KINDS = 0,   // see clhls_pipe_window
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
  input  wire [64*N-1:0]    c_arg,
  input  wire [N*BITS-1:0]  c_data,
  output wire [N-1:0]       m_valid,
  input  wire [N-1:0]       m_ready,
  output wire [N*WIDTH-1:0] m_data
);

  initial begin
    if (DEPTH < 1) begin
      $display("clhls_pipe_reserving_writer: DEPTH must be at least 1");
      $finish;
    end
  end

  localparam PB = (DEPTH > 4) ? $clog2(DEPTH) : 2;
  localparam SLOTS = 1 << PB;
  // Packets between the RAM and the stream: as many as can be under way until the place of one comes back.
  localparam OUT = 5;
  localparam CB = PB + 2;

  reg  [PB:0]     ready_q;   // committed packets in the RAM
  reg  [PB-1:0]   out_q;     // slot of the first of them
  reg  [2:0]      open_q;    // packets between the RAM and the stream
  reg             place_q;   // fewer than OUT
  reg  [1:0]      read_q;    // a packet was read so many cycles ago
  reg  [CB-1:0]   count_q;   // committed packets that have not left
  reg  [BITS-1:0] packet_q;
  reg  [BITS-1:0] packet_d;
  wire [BITS-1:0] head;
  wire            out_ready;
  wire [PB:0]     free;
  wire [PB:0]     done;
  wire [N-1:0]    mover;
  wire            move;
  wire [PB-1:0]   position;
  wire            leave  = m_tvalid & m_tready;
  wire            issue  = place_q & (ready_q != {(PB+1){1'b0}});
  wire [2:0]      open_d = open_q + {2'd0, issue} - {2'd0, leave};
  wire            unused = &{1'b0, free, out_ready};

  integer k;
  always @* begin
    packet_d = {BITS{1'b0}};
    for (k = 0; k < N; k = k + 1) packet_d = packet_d | (c_data[k*BITS +: BITS] & {BITS{mover[k]}});
  end

  always @(posedge clk) begin
    if (rst) begin
      ready_q <= {(PB+1){1'b0}};
      out_q   <= {PB{1'b0}};
      open_q  <= 3'd0;
      place_q <= 1'b0;
      read_q  <= 2'd0;
      count_q <= {CB{1'b0}};
    end else begin
      ready_q <= ready_q + done - {{PB{1'b0}}, issue};
      out_q   <= out_q + {{(PB-1){1'b0}}, issue};
      open_q  <= open_d;
      place_q <= open_d < OUT[2:0];
      read_q  <= {read_q[0], issue};
      count_q <= count_q + {{(CB-PB-1){1'b0}}, done} - {{(CB-1){1'b0}}, leave};
    end
    packet_q <= packet_d;
  end

  // A slot is read when its packet is committed, and written when it has been read.
  clhls_ram #(.WIDTH(BITS), .DEPTH(SLOTS), .COLLIDES(0), .TARGET(TARGET)) u_packets (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen(move), .waddr(position), .wdata(packet_q),
    .ren(issue), .raddr(out_q), .rdata(head)
  );

  clhls_fifo #(.WIDTH(BITS), .DEPTH(OUT), .TARGET(TARGET)) u_out (
    .clk(clk), .rst(rst),
    .s_valid(read_q[1]), .s_ready(out_ready), .s_data(head),
    .m_valid(m_tvalid), .m_ready(m_tready), .m_data(m_tdata)
  );

  clhls_pipe_window #(
    .N(N), .BITS(1), .WIDTH(WIDTH), .SLOTS(SLOTS), .INITIAL(DEPTH), .CB(CB), .KINDS(KINDS), .TARGET(TARGET)
  ) u_window (
    .clk(clk), .rst(rst),
    .more(issue), .free(free), .done(done), .mover(mover), .move(move), .position(position),
    .c_valid(c_valid), .c_ready(c_ready), .c_pred(c_pred), .c_arg(c_arg),
    .packet(1'b0), .count(count_q),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

endmodule

`default_nettype wire
