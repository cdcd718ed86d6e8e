// Admission control of a loop: lets tokens in while fewer than LIMIT are inside.
// latency 0, II 1.  Payload is wired past it.  m_valid and s_ready are one AND with a register.
// With EXITS > 1 the exit pulses are counted in a register first, so a place is reused one cycle later than with EXITS = 1.
`default_nettype none

module clhls_loop_gate #(
  parameter LIMIT = 16,  // tokens inside at the same time, >= 1
  parameter EXITS = 1    // exits of the loop, >= 1
) (
  input  wire             clk,
  input  wire             rst,        // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,
  output wire             m_valid,
  input  wire             m_ready,
  input  wire [EXITS-1:0] exit_pulse  // each pulse: one token has left through this exit
);

  initial begin
    if (LIMIT < 1 || EXITS < 1) begin
      $display("clhls_loop_gate: LIMIT and EXITS must be at least 1");
      $finish;
    end
  end

  localparam CW = $clog2(LIMIT + 1);
  localparam XW = $clog2(EXITS + 1);
  localparam SW = CW > XW ? CW : XW;

  // Both handshakes come late: what follows from either is known before.
  reg  [CW-1:0] room_q;  // free places, that of `entered` among them
  wire          entered; // register, EXITS = 1: a token entered in the cycle before and is counted now
  reg           open_q;  // there are some
  wire [SW-1:0] left;    // tokens that left
  // A gate of its own: joined with the valid of what stands before it, it would lead there and back.
  (* keep *)
  wire          ready;
  wire          enter = s_valid & ready;

  assign ready   = m_ready & open_q;
  assign m_valid = s_valid & open_q;
  assign s_ready = ready;

  generate
    if (EXITS == 1) begin : g_one
      assign left = {{(SW-1){1'b0}}, exit_pulse};
      localparam [CW:0] ONE = 1;
      reg  enter_q;
      wire last = {1'b0, room_q} == (enter_q ? ONE + ONE : ONE);
      assign entered = enter_q;
      always @(posedge clk) begin
        if (rst) begin
          room_q  <= LIMIT[CW-1:0];
          enter_q <= 1'b0;
          open_q  <= 1'b1;
        end else begin
          enter_q <= enter;
          if (exit_pulse ^ enter_q) room_q <= room_q + ({CW{enter_q}} | ONE[CW-1:0]);  // -1 or 1, by one adder
          open_q  <= exit_pulse | (enter ? ~last : open_q);
        end
      end
    end else begin : g_many
      reg  [SW-1:0] left_d;
      reg  [SW-1:0] left_q;
      wire [CW-1:0] room = room_q + left[CW-1:0];
      assign left    = left_q;
      assign entered = 1'b0;
      integer i;
      always @* begin
        left_d = {SW{1'b0}};
        for (i = 0; i < EXITS; i = i + 1) left_d = left_d + {{(SW-1){1'b0}}, exit_pulse[i]};
      end
      always @(posedge clk) begin
        if (rst) begin
          left_q <= {SW{1'b0}};
          room_q <= LIMIT[CW-1:0];
          open_q <= 1'b1;
        end else begin
          left_q <= left_d;
          room_q <= room - {{(CW-1){1'b0}}, enter};
          open_q <= enter ? room != {{(CW-1){1'b0}}, 1'b1} : room != {CW{1'b0}};
        end
      end
    end
  endgenerate

  wire unused = &{1'b0, left, entered};  // upper bits of `left` when EXITS > LIMIT

`ifdef FORMAL
  `include "clhls_loop_gate.fv.vh"
`endif

endmodule

`default_nettype wire
