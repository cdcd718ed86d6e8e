// Who may do what at one end of a connected pipe: reservations, and moves of packets, at most one of each a cycle.
// latency 1 from a request that is taken to its answer, II 1.  A request waits until what it asks for is there, without keeping others from theirs.
`default_nettype none

module clhls_pipe_clients #(
  parameter N        = 2,          // clients, >= 1
  parameter WIDTH    = 32,         // bits of an answer
  parameter INITIAL  = 0,          // packets or room at reset
  parameter CB       = 5,          // bits of counters: for 0 to the pipe's depth
  parameter [4*N-1:0] KINDS = 0    // of client i at [4*i +: 4]: 0 take, 1 wait, 2 move of a reserved packet, 3 move, 4 count
) (
  input  wire               clk,
  input  wire               rst,      // synchronous, active high
  // the pipe
  input  wire               more,     // a packet has come (reading end), or has left (writing end)
  input  wire               can_move, // the queue can be moved
  output wire               move,     // it is
  output wire [N-1:0]       mover,    // for this client: one-hot, or 0
  output wire [CB-1:0]      free,     // register: packets or room that nobody has reserved
  // requests, client i at [i]
  input  wire [N-1:0]       c_valid,
  output wire [N-1:0]       c_ready,
  input  wire [N-1:0]       c_pred,   // 0: nothing happens, the answer is 0
  // answers, client i at [i*WIDTH +: WIDTH]
  input  wire [WIDTH-1:0]   packet,   // answer to a move
  input  wire [CB-1:0]      count,    // answer to a count
  output wire [N-1:0]       m_valid,
  input  wire [N-1:0]       m_ready,
  output wire [N*WIDTH-1:0] m_data
);

  initial begin
    if (N < 1 || WIDTH < CB) begin
      $display("clhls_pipe_clients: N must be at least 1 and WIDTH at least CB");
      $finish;
    end
  end

  localparam [CB-1:0] FIRST = INITIAL[CB-1:0];

  reg  [CB-1:0] free_q;
  wire          some = |free_q;
  wire          two  = |(free_q >> 1);
  wire [N-1:0]  moves;       // what kind each client is
  wire [N-1:0]  takes_own;   // a move that reserves by itself
  wire [N-1:0]  reserves;    // take or wait
  wire [N-1:0]  place;       // the answer has a place
  wire [N-1:0]  may_move;
  wire [N-1:0]  may_ask;
  wire [N-1:0]  asker;
  wire          own  = |(mover & takes_own);
  wire          left = two | (some & ~own);  // one for a reservation beside the move of this cycle
  wire          took = |(asker & reserves & c_pred) & left;

  assign move = |mover;
  assign free = free_q;
  // What does not happen needs nobody's turn.
  assign c_ready = place & (mover | asker | ~c_pred);

  clhls_arbiter #(.N(N)) u_movers (
    .clk(clk), .rst(rst), .request(may_move), .advance(1'b1), .grant(mover)
  );
  clhls_arbiter #(.N(N)) u_askers (
    .clk(clk), .rst(rst), .request(may_ask), .advance(1'b1), .grant(asker)
  );

  always @(posedge clk) begin
    if (rst) free_q <= FIRST;
    else free_q <= free_q + {{(CB-1){1'b0}}, more} - {{(CB-1){1'b0}}, own} - {{(CB-1){1'b0}}, took};
  end

  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : g_client
      localparam [3:0] KIND = KINDS[4*i +: 4];
      wire [WIDTH-1:0] answer;
      wire             there = c_valid[i] & place[i];

      assign moves[i]     = (KIND == 4'd2) | (KIND == 4'd3);
      assign takes_own[i] = KIND == 4'd3;
      assign reserves[i]  = (KIND == 4'd0) | (KIND == 4'd1);
      assign may_move[i]  = there & c_pred[i] & moves[i] & can_move & (some | ~takes_own[i]);
      assign may_ask[i]   = there & c_pred[i] & ~moves[i] & (left | (KIND != 4'd1));
      assign answer = ~c_pred[i] ? {WIDTH{1'b0}}
                    : moves[i] ? packet
                    : (KIND == 4'd4) ? {{(WIDTH-CB){1'b0}}, count}
                    : {{(WIDTH-1){1'b0}}, left};

      clhls_skid #(.WIDTH(WIDTH)) u_answer (
        .clk(clk), .rst(rst),
        .s_valid(c_valid[i] & (mover[i] | asker[i] | ~c_pred[i])), .s_ready(place[i]), .s_data(answer),
        .m_valid(m_valid[i]), .m_ready(m_ready[i]), .m_data(m_data[i*WIDTH +: WIDTH])
      );
    end
  endgenerate

endmodule

`default_nettype wire
