// Two-entry valid/ready buffer: registers valid, data and ready, so it cuts every path between its sides.
// latency 1, II 1.  Handshake law: rtl-templates/README.md
`default_nettype none

module clhls_skid #(
  parameter WIDTH = 32  // payload bits, >= 1
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // register
  input  wire [WIDTH-1:0] s_data,
  output wire             m_valid,  // register
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data    // register
);

  initial begin
    if (WIDTH < 1) begin
      $display("clhls_skid: WIDTH must be at least 1");
      $finish;
    end
  end

  reg             full_q;  // data_q holds a word
  reg             skid_q;  // hold_q holds a second, younger word
  reg             ready_q; // = ~skid_q: one drives the words here, the other what is before
  reg [WIDTH-1:0] data_q;
  reg [WIDTH-1:0] hold_q;

  wire take = s_valid & ready_q;
  wire give = full_q & m_ready;
  wire wait_d = full_q & ~give & (take | skid_q);

  assign s_ready = ready_q;
  assign m_valid = full_q;
  assign m_data  = data_q;

  always @(posedge clk) begin
    if (rst) begin
      full_q  <= 1'b0;
      skid_q  <= 1'b0;
      ready_q <= 1'b1;
    end else begin
      full_q  <= take | skid_q | (full_q & ~give);
      skid_q  <= wait_d;
      ready_q <= ~wait_d;
    end
  end

  always @(posedge clk) begin
    if (~full_q | give) data_q <= skid_q ? hold_q : s_data;
    if (ready_q) hold_q <= s_data;
  end

`ifdef FORMAL
  `include "clhls_skid.fv.vh"
`endif

endmodule

`default_nettype wire
