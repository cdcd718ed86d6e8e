// clhls_pipe_writer and clhls_pipe_reader with a stream between them: packets are neither lost, doubled nor mixed up, those of a
// client stay in order; reservations are kept; attempts fail only when there is nothing; what does not happen gives 0; full rate.
`default_nettype none
module bench;
  parameter DEPTH = 5;   // of the reading end
  parameter WDEPTH = 4;  // of the writing end
  parameter BITS = 24;
  `include "bench.vh"

  localparam N = 5;
  localparam W = 32;
  // clients: 0 take, 1 move of a reserved packet, 2 move, 3 count, 4 wait
  localparam [4*N-1:0] KINDS = 20'h14320;
  localparam TAKE = 0, RESERVED = 1, MOVE = 2, COUNT = 3, WAIT = 4;

  reg  [N-1:0]      w_valid = 0, r_valid = 0, w_pred = 0, r_pred = 0;
  wire [N-1:0]      w_ready, r_ready;
  wire [N*BITS-1:0] w_data;
  wire [N-1:0]      wa_valid, ra_valid;
  reg  [N-1:0]      wa_ready = 0, ra_ready = 0;
  wire [N*W-1:0]    wa_data, ra_data;
  wire              t_valid, t_ready, o_valid;
  wire [BITS-1:0]   t_data;
  reg               pause = 0;

  clhls_pipe_writer #(
    .N(N), .BITS(BITS), .WIDTH(W), .DEPTH(WDEPTH), .KINDS(KINDS)
  ) writer (
    .clk(clk), .rst(rst), .m_tvalid(o_valid), .m_tready(t_ready & ~pause), .m_tdata(t_data),
    .c_valid(w_valid), .c_ready(w_ready), .c_pred(w_pred), .c_data(w_data),
    .m_valid(wa_valid), .m_ready(wa_ready), .m_data(wa_data)
  );
  assign t_valid = o_valid & ~pause;

  clhls_pipe_reader #(
    .N(N), .BITS(BITS), .WIDTH(W), .DEPTH(DEPTH), .KINDS(KINDS)
  ) reader (
    .clk(clk), .rst(rst), .s_tvalid(t_valid), .s_tready(t_ready), .s_tdata(t_data),
    .c_valid(r_valid), .c_ready(r_ready), .c_pred(r_pred),
    .m_valid(ra_valid), .m_ready(ra_ready), .m_data(ra_data)
  );

  // packets: the client in the top bit, its number below
  reg [BITS-2:0] sent [0:N-1];
  assign w_data = {{BITS{1'b0}}, {BITS{1'b0}}, {1'b1, sent[MOVE]}, {1'b0, sent[RESERVED]}, {BITS{1'b0}}};

  integer i;
  integer w_owed = 0, r_owed = 0;          // reservations that no move was asked for yet
  integer w_took = 0, r_took = 0, w_failed = 0, r_failed = 0, nothing = 0;
  integer in_pipe = 0;                     // packets moved in and not out
  integer written = 0, received = 0;
  integer from;
  reg [BITS-2:0] passed [0:1];             // next packet of each client on the stream
  integer        head = 0;                 // packets on the stream so far
  reg [BITS-1:0] order [0:65535];          // what went over the stream
  integer        last [0:N-1];             // place there of the last packet of a reading client
  reg            found [0:65535];
  reg [1:0]      w_was [0:N-1];            // predicates of requests whose answers are to come, oldest first
  reg            keep = 1;
  integer        stop_writes = 0;

  initial begin
    for (i = 0; i < N; i = i + 1) begin
      sent[i] = 0;
      last[i] = -1;
    end
    passed[0] = 0;
    passed[1] = 0;
    for (i = 0; i < 65536; i = i + 1) found[i] = 0;
  end

  // predicates of requests taken and not answered: at most 4 a client
  reg [63:0] w_preds [0:N-1], r_preds [0:N-1];
  integer    w_open [0:N-1], r_open [0:N-1];
  initial for (i = 0; i < N; i = i + 1) begin
    w_open[i] = 0;
    r_open[i] = 0;
    w_preds[i] = 0;
    r_preds[i] = 0;
  end

  reg pred, hit;
  integer k, place;

  task want_write(input integer c);
    begin
      w_valid[c] <= 0;
      if (in_turn(0) && !(c == RESERVED && w_owed == 0) && (keep || c == RESERVED)) begin
        w_valid[c] <= 1;
        w_pred[c] <= (c == RESERVED) ? 1'b1 : full_rate ? 1'b1 : dice(8) != 0;
        if (c == RESERVED) w_owed = w_owed - 1;
      end
    end
  endtask

  task want_read(input integer c);
    begin
      r_valid[c] <= 0;
      if (out_turn(0) && !(c == RESERVED && r_owed == 0)) begin
        r_valid[c] <= 1;
        r_pred[c] <= (c == RESERVED) ? 1'b1 : full_rate ? 1'b1 : dice(8) != 0;
        if (c == RESERVED) r_owed = r_owed - 1;
      end
    end
  endtask

  always @(posedge clk) if (!rst) begin
    pause <= full_rate ? 1'b0 : dice(4) == 0;
    // --- the stream
    if (t_valid & t_ready) begin
      k = t_data[BITS-1];
      check(t_data[BITS-2:0] === passed[k], "packet lost, doubled or out of order");
      passed[k] <= passed[k] + 1;
      order[head] = t_data;
      head = head + 1;
    end
    // --- writing clients
    for (i = 0; i < N; i = i + 1) begin
      if (wa_valid[i] & wa_ready[i]) begin
        pred = w_preds[i][w_open[i]-1];
        w_open[i] = w_open[i] - 1;
        if (!pred) begin
          check(wa_data[i*W +: W] === 0, "an answer to nothing");
          nothing = nothing + 1;
        end else if (i == TAKE || i == WAIT) begin
          if (wa_data[i*W]) begin
            w_owed = w_owed + 1;
            w_took = w_took + 1;
          end else begin
            check(i == TAKE, "waited for nothing");
            w_failed = w_failed + 1;
          end
        end else if (i == COUNT) check(wa_data[i*W +: W] <= WDEPTH, "more packets than the writing end holds");
      end
      if (w_valid[i] & w_ready[i]) begin
        w_preds[i] = {w_preds[i][62:0], w_pred[i]};
        w_open[i] = w_open[i] + 1;
        if ((i == MOVE || i == RESERVED) && w_pred[i]) begin
          sent[i] <= sent[i] + 1;
          written = written + 1;
        end
      end
      if (~w_valid[i] | w_ready[i]) want_write(i);
      wa_ready[i] <= full_rate ? 1'b1 : dice(4) != 0;
    end
    // --- reading clients
    for (i = 0; i < N; i = i + 1) begin
      if (ra_valid[i] & ra_ready[i]) begin
        pred = r_preds[i][r_open[i]-1];
        r_open[i] = r_open[i] - 1;
        if (!pred) begin
          check(ra_data[i*W +: W] === 0, "an answer to nothing");
          nothing = nothing + 1;
        end else if (i == TAKE || i == WAIT) begin
          if (ra_data[i*W]) begin
            r_owed = r_owed + 1;
            r_took = r_took + 1;
          end else begin
            check(i == TAKE, "waited for nothing");
            r_failed = r_failed + 1;
          end
        end else if (i == COUNT) check(ra_data[i*W +: W] <= DEPTH, "more packets than the pipe holds");
        else begin
          hit = 0;
          for (place = last[i] + 1; place < head && !hit; place = place + 1)
            if (!found[place] && order[place] === ra_data[i*W +: BITS]) begin
              hit = 1;
              found[place] = 1;
              last[i] = place;
            end
          check(hit, "a packet that did not come, or out of order");
          received = received + 1;
        end
      end
      if (r_valid[i] & r_ready[i]) begin
        r_preds[i] = {r_preds[i][62:0], r_pred[i]};
        r_open[i] = r_open[i] + 1;
      end
      if (~r_valid[i] | r_ready[i]) want_read(i);
      ra_ready[i] <= full_rate ? 1'b1 : dice(4) != 0;
    end
    check(head - received <= DEPTH + 4, "the reading end holds more than its depth");
  end

  initial begin
    wait (!rst);
    repeat (20000) @(posedge clk);
    check(w_took > 100 && r_took > 100 && w_failed > 20 && r_failed > 20 && nothing > 100, "a case did not occur");
    // full rate: all clients at once, one packet a cycle
    full_rate = 1;
    repeat (100) @(posedge clk);
    from = received;
    repeat (1000) @(posedge clk);
    check(received - from >= 999, "less than a packet a cycle");
    // no more packets: what is there comes out, nothing else
    full_rate = 0;
    keep = 0;
    repeat (2000) @(posedge clk);
    check(received === written, "packets are left");
    check(received > 5000, "too few packets");
    finish_bench;
  end
endmodule
