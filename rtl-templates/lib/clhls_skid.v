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
  reg             void_q;  // = ~full_q: one drives the words here, the other what is behind
  reg             skid_q;  // hold_q holds a second, younger word
  reg             ready_q; // = ~skid_q: one drives what is before, the other the words here
  reg [WIDTH-1:0] data_q;
  reg [WIDTH-1:0] hold_q;

  wire take = s_valid & ready_q;
  wire load = void_q | m_ready;
  wire full_d = take | skid_q | ~load;
  wire wait_d = ~load & (take | skid_q);

  assign s_ready = ready_q;
  assign m_valid = full_q;
  assign m_data  = data_q;

  always @(posedge clk) begin
    if (rst) begin
      full_q  <= 1'b0;
      void_q  <= 1'b1;
      skid_q  <= 1'b0;
      ready_q <= 1'b1;
    end else begin
      full_q  <= full_d;
      void_q  <= ~full_d;
      skid_q  <= wait_d;
      ready_q <= ~wait_d;
    end
  end

  always @(posedge clk) begin
    if (load) data_q <= skid_q ? hold_q : s_data;
    if (~skid_q) hold_q <= s_data;
  end

`ifdef FORMAL
  `include "clhls_skid.fv.vh"
`endif

endmodule

`default_nettype wire
