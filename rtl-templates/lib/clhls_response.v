// Response side of a memory client port: a FIFO whose places are reserved when requests are accepted, so it never refuses.
// latency 1, II 1.
`default_nettype none

module clhls_response #(
  parameter WIDTH  = 32,  // payload bits, >= 1
  parameter PLACES = 17,  // requests that may be inside, 2..255
  parameter TARGET = "generic"  // RAM primitive: "generic" or "ecp5"
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             reserve,  // a request that will be answered is accepted
  output wire             room,     // register: a place can be reserved (one place less than PLACES is sure)
  input  wire             s_valid,  // an answer; always accepted
  input  wire [WIDTH-1:0] s_data,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data
);

  localparam [7:0] LAST = PLACES[7:0] - 8'd1;

  reg [7:0] owned_q;
  reg       room_q;
  reg       give_q;  // an answer left in the cycle before: known late
  wire      ready_unused;

  assign room = room_q;

  always @(posedge clk) begin
    if (rst) begin
      owned_q <= 8'd0;
      room_q  <= 1'b1;
      give_q  <= 1'b0;
    end else begin
      give_q <= m_valid & m_ready;
      if (reserve ^ give_q) begin
        owned_q <= owned_q + ({8{give_q}} | 8'd1);  // -1 or 1, by one adder
        room_q  <= give_q | (owned_q != LAST);
      end
    end
  end

  clhls_fifo #(
    .WIDTH(WIDTH), .DEPTH(PLACES), .OWNED(1), .TARGET(TARGET)
  ) u_fifo (
    .clk(clk), .rst(rst),
    .s_valid(s_valid), .s_ready(ready_unused), .s_data(s_data),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

  wire unused = &{1'b0, ready_unused};

endmodule

`default_nettype wire
