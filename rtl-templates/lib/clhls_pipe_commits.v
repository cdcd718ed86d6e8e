// Commits at one end of a connected pipe: packets count as committed in the order of their reservations, whatever the order of the commits.
// latency 1 from a commit in order to `done`, II 1; one that came early follows those before it after 3 cycles.
// A mark in each slot says how many packets the committed reservation has that begins there, until the border passes it.
`default_nettype none

module clhls_pipe_commits #(
  parameter SLOTS  = 16,         // places of packets, a power of two >= 2
  parameter TARGET = "generic",  // device family for the RAM primitive
  parameter PB     = $clog2(SLOTS)  // derived: do not set
) (
  input  wire          clk,
  input  wire          rst,      // synchronous, active high
  output wire          ready,    // register: the marks are clear; before that no commit may come
  input  wire          commit,
  input  wire [PB-1:0] start,    // slot of the reservation's first packet
  input  wire [PB:0]   count,    // its packets: 1 to SLOTS
  output wire [PB:0]   done      // register: so many packets more are committed, 0 in most cycles
);

  initial begin
    if (SLOTS < 2 || SLOTS != (1 << $clog2(SLOTS))) begin
      $display("clhls_pipe_commits: SLOTS must be a power of two and at least 2");
      $finish;
    end
  end

  reg  [PB:0]   sweep_q;   // slots whose marks are clear, after reset
  reg  [PB-1:0] border_q;  // everything before it is committed
  reg  [1:0]    wait_q;    // cycles until `mark` is that of the border
  reg  [PB:0]   done_q;
  wire [PB:0]   mark;      // 0: none
  wire          swept = sweep_q[PB];

  // A commit in order needs no mark. Another one keeps the border from using the RAM's write port for this cycle.
  wire          next  = commit & (start == border_q);
  wire          found = swept & ~commit & (wait_q == 2'd0) & (|mark);
  wire [PB:0]   step  = commit ? count : mark;

  assign ready = swept;
  assign done  = done_q;

  always @(posedge clk) begin
    if (rst) begin
      sweep_q  <= {(PB+1){1'b0}};
      border_q <= {PB{1'b0}};
      wait_q   <= 2'd2;
      done_q   <= {(PB+1){1'b0}};
    end else begin
      if (~swept) sweep_q <= sweep_q + 1'b1;
      done_q <= {(PB+1){1'b0}};
      if (next | found) begin
        border_q <= border_q + step[PB-1:0];
        wait_q   <= 2'd2;
        done_q   <= step;
      end else if (~swept) begin
        wait_q   <= 2'd2;
      end else if (wait_q != 2'd0) begin
        wait_q   <= wait_q - 2'd1;
      end
    end
  end

  clhls_ram #(.WIDTH(PB + 1), .DEPTH(SLOTS), .TARGET(TARGET)) u_marks (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen(~swept | (commit & ~next) | found),
    .waddr(~swept ? sweep_q[PB-1:0] : commit ? start : border_q),
    .wdata(count & {(PB+1){swept & commit}}),
    .ren(1'b1), .raddr(border_q), .rdata(mark)
  );

endmodule

`default_nettype wire
