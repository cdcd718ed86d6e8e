// Who may do what at one end of a connected pipe whose packets are reserved: reservations of several packets, moves at any place of
// one, commits in any order. At most one move and one of the others a cycle.
// latency 3 (4 for the answer to a move) from a request that is taken to its answer, II 1.  Nothing waits for packets or room.
`default_nettype none

module clhls_pipe_window #(
  parameter N       = 4,             // clients, >= 1
  parameter BITS    = 32,            // bits of the answer to a move
  parameter WIDTH   = 64,            // bits of an answer, >= 64 and >= BITS
  parameter SLOTS   = 16,            // places of packets, a power of two >= 4
  parameter INITIAL = 0,             // packets or room at reset, <= SLOTS
  parameter CB      = 5,             // bits of a count, <= 32
  parameter [4*N-1:0] KINDS = 0,     // of client i at [4*i +: 4]: 4 count, 5 reserve, 6 move, 7 commit
  parameter TARGET  = "generic",     // device family for the RAM primitive
  parameter PB      = $clog2(SLOTS)  // derived: do not set
) (
  input  wire               clk,
  input  wire               rst,      // synchronous, active high
  // the pipe
  input  wire               more,     // a packet has come (reading end), or has left (writing end)
  output wire [PB:0]        free,     // register: packets or room that nobody has reserved
  output wire [PB:0]        done,     // register: so many packets more are committed
  output wire [N-1:0]       mover,    // whose move is taken: one-hot, or 0
  output wire               move,     // register, a cycle later: there was one,
  output wire [PB-1:0]      position, // register: at this slot
  // requests, client i at [i]
  input  wire [N-1:0]       c_valid,
  output wire [N-1:0]       c_ready,
  input  wire [N-1:0]       c_pred,   // 0: nothing happens, the answer is 0
  input  wire [64*N-1:0]    c_arg,    // reserve: how many; move: the position; commit: the reservation
  // answers, client i at [i*WIDTH +: WIDTH]; a reservation is its first position, and at 32 the number of packets
  input  wire [BITS-1:0]    packet,   // answer to the move of two cycles ago
  input  wire [CB-1:0]      count,    // answer to a count
  output wire [N-1:0]       m_valid,
  input  wire [N-1:0]       m_ready,
  output wire [N*WIDTH-1:0] m_data
);

  initial begin
    if (N < 1 || WIDTH < 64 || WIDTH < BITS || INITIAL > SLOTS || CB > 32) begin
      $display("clhls_pipe_window: N must be at least 1, WIDTH at least 64 and BITS, INITIAL at most SLOTS, CB at most 32");
      $finish;
    end
  end

  // As many answers as can be under way between a request and the return of its place.
  localparam ANSWERS = 5;
  localparam [PB:0] FIRST = INITIAL[PB:0];

  wire [N-1:0]  place;     // the answer has a place
  wire [N-1:0]  may_move;
  wire [N-1:0]  may_ask;
  wire [N-1:0]  asker;
  wire [N-1:0]  reserves;
  wire [N-1:0]  commits;
  wire [N-1:0]  taken;     // requests of this cycle
  wire          ready;     // commits are possible
  wire          move_d = |mover;

  // of the request that was taken in the cycle before
  reg           move_q, reserve_q, commit_q;
  reg  [PB-1:0] position_q;
  reg  [63:0]   arg_q;
  reg  [63:0]   arg_d;
  reg  [PB-1:0] position_d;
  // what there is
  reg  [PB:0]   free_q;
  reg  [PB-1:0] next_q;    // position of the next reservation
  // answers of the cycle before that
  reg  [63:0]   reserved_q;
  reg  [CB-1:0] count_q;

  wire          fits  = (arg_q[31:0] != 32'd0) & ~(|(arg_q[31:0] >> (PB + 1))) & (arg_q[PB:0] <= free_q);
  wire [PB:0]   took  = arg_q[PB:0] & {(PB+1){reserve_q & fits}};
  wire          unused = &{1'b0, arg_q, reserved_q, count_q, packet};

  assign c_ready  = taken;
  assign taken    = mover | asker | (c_valid & place & ~c_pred);
  assign free     = free_q;
  assign move     = move_q;
  assign position = position_q;

  clhls_arbiter #(.N(N)) u_movers (
    .clk(clk), .rst(rst), .request(may_move), .advance(1'b1), .grant(mover)
  );
  clhls_arbiter #(.N(N)) u_askers (
    .clk(clk), .rst(rst), .request(may_ask), .advance(1'b1), .grant(asker)
  );

  integer k;
  always @* begin
    arg_d = 64'd0;
    position_d = {PB{1'b0}};
    for (k = 0; k < N; k = k + 1) begin
      arg_d = arg_d | (c_arg[64*k +: 64] & {64{asker[k]}});
      position_d = position_d | (c_arg[64*k +: PB] & {PB{mover[k]}});
    end
  end

  always @(posedge clk) begin
    if (rst) begin
      move_q    <= 1'b0;
      reserve_q <= 1'b0;
      commit_q  <= 1'b0;
      free_q    <= FIRST;
      next_q    <= {PB{1'b0}};
    end else begin
      move_q    <= move_d;
      reserve_q <= |(asker & reserves);
      commit_q  <= |(asker & commits);
      free_q    <= free_q + {{PB{1'b0}}, more} - took;
      next_q    <= next_q + took[PB-1:0];
    end
  end

  always @(posedge clk) begin
    position_q <= position_d;
    arg_q      <= arg_d;
    reserved_q <= {{(31-PB){1'b0}}, took, {(32-PB){1'b0}}, next_q & {PB{fits}}};
    count_q    <= count;
  end

  clhls_pipe_commits #(.SLOTS(SLOTS), .TARGET(TARGET)) u_commits (
    .clk(clk), .rst(rst), .ready(ready),
    .commit(commit_q), .start(arg_q[PB-1:0]), .count(arg_q[32 +: PB+1]), .done(done)
  );

  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : g_client
      localparam [3:0] KIND = KINDS[4*i +: 4];
      localparam OWN = (KIND == 4'd5) ? 64 : (KIND == 4'd6) ? BITS : (KIND == 4'd4) ? CB : 1;
      localparam STAGES = (KIND == 4'd6) ? 3 : 2;

      reg  [2:0]        open_q;   // answers under way
      reg  [STAGES-1:0] there_q;  // requests that were taken so many cycles ago
      reg  [STAGES-1:0] real_q;   // whether they happen
      reg               place_q;
      wire [OWN-1:0]    answer;
      wire [OWN-1:0]    own;
      wire              answer_ready;
      wire              give   = m_valid[i] & m_ready[i];
      wire [2:0]        open_d = open_q + {2'd0, taken[i]} - {2'd0, give};
      wire              there  = c_valid[i] & place_q & c_pred[i];
      wire              unused_ready = &{1'b0, answer_ready};

      assign place[i]    = place_q;
      assign reserves[i] = KIND == 4'd5;
      assign commits[i]  = KIND == 4'd7;
      assign may_move[i] = there & (KIND == 4'd6);
      assign may_ask[i]  = there & (KIND != 4'd6) & (ready | (KIND != 4'd7));

      always @(posedge clk) begin
        if (rst) begin
          open_q  <= 3'd0;
          place_q <= 1'b0;
          there_q <= {STAGES{1'b0}};
        end else begin
          open_q  <= open_d;
          place_q <= open_d < ANSWERS[2:0];
          there_q <= {there_q[STAGES-2:0], taken[i]};
        end
        real_q <= {real_q[STAGES-2:0], c_pred[i]};
      end

      if (KIND == 4'd6) begin : g_packet
        assign answer = packet;
      end else if (KIND == 4'd5) begin : g_reservation
        assign answer = reserved_q;
      end else if (KIND == 4'd4) begin : g_count
        assign answer = count_q;
      end else begin : g_nothing
        assign answer = 1'b0;
      end

      clhls_fifo #(.WIDTH(OWN), .DEPTH(ANSWERS), .TARGET(TARGET)) u_answers (
        .clk(clk), .rst(rst),
        .s_valid(there_q[STAGES-1]), .s_ready(answer_ready), .s_data(answer & {OWN{real_q[STAGES-1]}}),
        .m_valid(m_valid[i]), .m_ready(m_ready[i]), .m_data(own)
      );
      if (WIDTH > OWN) begin : g_wider
        assign m_data[i*WIDTH +: WIDTH] = {{(WIDTH-OWN){1'b0}}, own};
      end else begin : g_equal
        assign m_data[i*WIDTH +: WIDTH] = own;
      end
    end
  endgenerate

endmodule

`default_nettype wire
