// clhls_pipe_reserving_writer and clhls_pipe_reserving_reader with a stream between them: packets get the places of their
// reservations, whatever the order of moves and of commits; nothing leaves or becomes free before it is committed; what is too
// much is refused, what does not happen gives 0; a packet a cycle.
`default_nettype none
module bench;
  parameter DEPTH = 5;   // of the reading end
  parameter WDEPTH = 4;  // of the writing end
  parameter BITS = 24;
  `include "bench.vh"

  localparam N = 5;
  localparam W = (BITS > 64) ? BITS : 64;
  localparam RESERVE = 0, MOVE = 1, COMMIT = 2, COUNT = 3, MOVE2 = 4;
  localparam [4*N-1:0] KINDS = 20'h64765;
  localparam MANY = 64;  // reservations that the bench keeps open at most

  // [0]: writing end, [1]: reading end
  reg  [N-1:0]      c_valid [0:1];
  reg  [N-1:0]      c_pred [0:1];
  reg  [64*N-1:0]   c_arg [0:1];
  reg  [N-1:0]      m_ready [0:1];
  wire [N-1:0]      c_ready [0:1];
  wire [N-1:0]      m_valid [0:1];
  wire [N*W-1:0]    m_data [0:1];
  reg  [N*BITS-1:0] c_data = 0;
  wire              t_valid, t_ready, o_valid;
  wire [BITS-1:0]   t_data;
  reg               pause = 0;

  clhls_pipe_reserving_writer #(
    .N(N), .BITS(BITS), .WIDTH(W), .DEPTH(WDEPTH), .KINDS(KINDS)
  ) writer (
    .clk(clk), .rst(rst), .m_tvalid(o_valid), .m_tready(t_ready & ~pause), .m_tdata(t_data),
    .c_valid(c_valid[0]), .c_ready(c_ready[0]), .c_pred(c_pred[0]), .c_arg(c_arg[0]), .c_data(c_data),
    .m_valid(m_valid[0]), .m_ready(m_ready[0]), .m_data(m_data[0])
  );
  assign t_valid = o_valid & ~pause;

  clhls_pipe_reserving_reader #(
    .N(N), .BITS(BITS), .WIDTH(W), .DEPTH(DEPTH), .KINDS(KINDS)
  ) reader (
    .clk(clk), .rst(rst), .s_tvalid(t_valid), .s_tready(t_ready), .s_tdata(t_data),
    .c_valid(c_valid[1]), .c_ready(c_ready[1]), .c_pred(c_pred[1]), .c_arg(c_arg[1]),
    .m_valid(m_valid[1]), .m_ready(m_ready[1]), .m_data(m_data[1])
  );

  // the packet with a number
  function [BITS-1:0] packet(input integer n);
    packet = (n * 40503) ^ (n << 7);
  endfunction

  // open reservations of an end: [s*MANY + k]
  reg           used [0:2*MANY-1];
  reg  [63:0]   id [0:2*MANY-1];
  integer       first [0:2*MANY-1];    // number of the first packet, counted over the whole run
  integer       size [0:2*MANY-1];
  reg  [1023:0] asked [0:2*MANY-1];    // moves that were asked for
  integer       left [0:2*MANY-1];     // moves whose answers are to come
  integer       next [0:1];            // number of the next packet to be reserved
  integer       finished [0:1];        // packets of reservations whose commits were answered
  reg  [65535:0] committed [0:1];      // by packet: its commit was asked for
  integer       border [0:1];          // packets before it are
  integer       passed = 0;            // packets on the stream
  integer       opened [0:1];

  // what the requests were that are not answered, by end and client: [s*N + c], the oldest at `r_tail`
  reg           r_pred [0:2*N*16-1];
  integer       r_slot [0:2*N*16-1];   // reservation (move, commit), or how many (reserve)
  integer       r_index [0:2*N*16-1];
  integer       r_head [0:2*N-1];
  integer       r_tail [0:2*N-1];
  // and of the request that stands there
  integer       p_slot [0:2*N-1];
  integer       p_index [0:2*N-1];

  integer granted = 0, refused = 0, nothing = 0, reordered = 0, late = 0;
  integer s, c, k, n, j, slot, from, at, deepest;
  reg     hit;
  reg     keep = 1;
  reg [BITS-1:0] got;

  initial begin
    for (s = 0; s < 2; s = s + 1) begin
      c_valid[s] = 0;
      c_pred[s] = 0;
      c_arg[s] = 0;
      m_ready[s] = 0;
      next[s] = 0;
      finished[s] = 0;
      border[s] = 0;
      opened[s] = 0;
      committed[s] = 0;
    end
    for (k = 0; k < 2*MANY; k = k + 1) used[k] = 0;
    for (k = 0; k < 2*N; k = k + 1) begin
      r_head[k] = 0;
      r_tail[k] = 0;
    end
  end

  // The oldest open reservation of which a move (or, for commits, no move) is left: in this order packets never wait for one
  // another, so that the ends alone decide how fast they go.
  task pick_oldest(input integer s, input to_commit);
    begin
      hit = 0;
      for (k = s*MANY; k < (s + 1)*MANY; k = k + 1)
        if (used[k] && (to_commit ? left[k] == 0 : asked[k] != (1024'd1 << size[k]) - 1)
            && (!hit || first[k] < first[slot])) begin
          hit = 1;
          slot = k;
        end
    end
  endtask

  // Some packet of an open reservation that no move was asked for.
  task pick_move(input integer s);
    integer tries;
    begin
      hit = 0;
      if (full_rate) begin
        pick_oldest(s, 0);
        at = 0;
        if (hit) while (asked[slot][at]) at = at + 1;
      end
      for (tries = 0; tries < 12 && !hit && !full_rate; tries = tries + 1) begin
        slot = s*MANY + dice(MANY);
        if (used[slot]) begin
          at = dice(size[slot]);
          for (j = 0; j < size[slot] && !hit; j = j + 1) begin
            if (!asked[slot][at]) hit = 1;
            else at = (at + 1) % size[slot];
          end
        end
      end
      if (hit) asked[slot][at] = 1;
      if (hit && at != 0 && !asked[slot][at-1]) reordered = reordered + 1;
    end
  endtask

  // Some reservation whose moves are all answered.
  task pick_commit(input integer s);
    integer tries;
    begin
      hit = 0;
      if (full_rate) pick_oldest(s, 1);
      for (tries = 0; tries < 12 && !hit && !full_rate; tries = tries + 1) begin
        slot = s*MANY + dice(MANY);
        if (used[slot] && left[slot] == 0) hit = 1;
      end
      if (hit) begin
        used[slot] = 0;  // nobody may use it again
        if (first[slot] != border[s]) late = late + 1;
        for (j = 0; j < size[slot]; j = j + 1) committed[s][first[slot] + j] = 1;
        while (committed[s][border[s]]) border[s] = border[s] + 1;
      end
    end
  endtask

  task want(input integer s, input integer c);
    begin
      c_valid[s][c] <= 0;
      hit = (s == 0) ? in_turn(0) : out_turn(0);
      deepest = (s == 0) ? WDEPTH : DEPTH;
      if (hit) begin
        case (c)
          RESERVE: begin
            hit = opened[s] < MANY - 8 && (keep || s == 1) && next[s] < 60000;
            n = full_rate ? 1 + dice((deepest + 7) / 8) : dice(40) == 0 ? 0 : dice(40) == 0 ? deepest + 1 + dice(70000) : 1 + dice(dice(4) == 0 ? deepest : (deepest + 3) / 4);
            if (hit) c_arg[s][64*c +: 64] <= n;
            slot = n;
          end
          COMMIT: begin
            pick_commit(s);
            if (hit) c_arg[s][64*c +: 64] <= id[slot];
          end
          COUNT: slot = 0;
          default: begin
            pick_move(s);
            if (hit) begin
              c_arg[s][64*c +: 64] <= id[slot][31:0] + at;
              if (s == 0) c_data[c*BITS +: BITS] <= packet(first[slot] + at);
            end
          end
        endcase
        if (hit) begin
          c_valid[s][c] <= 1;
          p_slot[s*N + c] = slot;
          p_index[s*N + c] = at;
          // moves and commits that were chosen have to happen
          c_pred[s][c] <= (c == RESERVE || c == COUNT) ? (full_rate != 0 || dice(8) != 0) : 1'b1;
        end
      end
    end
  endtask

  task answer(input integer s, input integer c);
    begin
      j = (s*N + c)*16 + r_tail[s*N + c] % 16;
      check(r_tail[s*N + c] < r_head[s*N + c], "an answer that nobody asked for");
      r_tail[s*N + c] = r_tail[s*N + c] + 1;
      n = r_slot[j];
      at = r_index[j];
      deepest = (s == 0) ? WDEPTH : DEPTH;
      if (!r_pred[j]) begin
        check(m_data[s][c*W +: W] === 0, "an answer to nothing");
        nothing = nothing + 1;
      end else case (c)
        RESERVE: begin
          k = m_data[s][c*W + 32 +: 32];
          if (k == 0) begin
            check(m_data[s][c*W +: 64] === 0, "no reservation is 0");
            refused = refused + 1;
          end else begin
            check(k == n, "reserved something else");
            check(n <= deepest, "more than there can be");
            slot = s*MANY;
            while (used[slot]) slot = slot + 1;
            check(slot < (s + 1)*MANY, "the bench keeps too many");
            used[slot] = 1;
            id[slot] = m_data[s][c*W +: 64];
            first[slot] = next[s];
            size[slot] = n;
            left[slot] = n;
            asked[slot] = 0;
            next[s] = next[s] + n;
            granted = granted + 1;
            if (s == 0) check(next[0] - passed <= WDEPTH + 5, "more room than there is");
            else check(next[1] <= passed, "a packet before it came");
          end
          opened[s] = opened[s] + (k != 0);
        end
        COMMIT: opened[s] = opened[s] - 1;
        COUNT: check(m_data[s][c*W +: W] <= deepest + (s == 0 ? 5 : 0), "more packets than the end holds");
        default: begin
          left[n] = left[n] - 1;
          got = m_data[s][c*W +: BITS];
          if (s == 1) check(got === packet(first[n] + at), "another packet");
        end
      endcase
    end
  endtask

  always @(posedge clk) if (!rst) begin
    pause <= full_rate ? 1'b0 : dice(4) == 0;
    if (t_valid & t_ready) begin
      check(t_data === packet(passed), "packet lost, doubled or out of order");
      check(passed < border[0], "a packet that is not committed");
      passed = passed + 1;
    end
    check(passed - border[1] <= DEPTH, "the reading end holds more than its depth");
    for (s = 0; s < 2; s = s + 1) for (c = 0; c < N; c = c + 1) begin
      if (m_valid[s][c] & m_ready[s][c]) answer(s, c);
      if (c_valid[s][c] & c_ready[s][c]) begin
        j = (s*N + c)*16 + r_head[s*N + c] % 16;
        r_pred[j] = c_pred[s][c];
        r_slot[j] = p_slot[s*N + c];
        r_index[j] = p_index[s*N + c];
        r_head[s*N + c] = r_head[s*N + c] + 1;
      end
      if (~c_valid[s][c] | c_ready[s][c]) want(s, c);
      m_ready[s][c] <= full_rate ? 1'b1 : dice(4) != 0;
    end
  end

  initial begin
    wait (!rst);
    repeat (20000) @(posedge clk);
    check(granted > 100 && refused > 20 && nothing > 100, "a case did not occur");
    check(WDEPTH < 5 || (reordered > 100 && late > 20), "nothing was out of order");
    // with room for what is under way, the two clients that move at an end move a packet a cycle together
    full_rate = 1;
    repeat (500 + DEPTH + WDEPTH) @(posedge clk);
    from = passed;
    repeat (1000) @(posedge clk);
    check(DEPTH < 100 || WDEPTH < 100 || passed - from >= 990, "less than a packet a cycle");
    // no more packets: what is there comes out, nothing else
    full_rate = 0;
    keep = 0;
    repeat (20000) @(posedge clk);
    check(passed === next[0] && next[1] === passed, "packets are left");
    check(passed > 500, "too few packets");
    finish_bench;
  end
endmodule
