// First-word-fall-through FIFO of any depth; picks the cheapest implementation for DEPTH.
// latency 1 (empty FIFO: word in at cycle t is out at t+1), II 1.  Behind another word, at most 4 in block RAM; LATE: always 5.  Capacity >= DEPTH (see docs/rtl-library.md for the exact number).
// Every output is a register: s_ready, m_valid and m_data.
`default_nettype none

module clhls_fifo #(
  parameter WIDTH  = 32,        // payload bits, >= 1
  parameter DEPTH  = 16,        // guaranteed capacity in words, >= 1
  parameter PROMPT = 0,         // 1: latency 1 behind other words, too (never a block RAM)
  parameter LATE   = 0,         // 1: a block RAM has latency 5 when empty, too; neither s_valid nor m_ready reaches it
  parameter OWNED  = 0,         // 1: the writer owns a place for each word and hears of one that is free again a cycle late
  parameter TARGET = "generic"  // device family for the RAM primitive: "generic" or "ecp5"
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // OWNED: means nothing
  input  wire [WIDTH-1:0] s_data,
  output wire             m_valid,
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data
);

  initial begin
    if (WIDTH < 1 || DEPTH < 1) begin
      $display("clhls_fifo: WIDTH and DEPTH must be at least 1");
      $finish;
    end
  end

  generate
    if (DEPTH <= 2) begin : g_skid
      clhls_skid #(
        .WIDTH(WIDTH)
      ) u_skid (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
      );
    end else begin : g_ring
      wire more_unused;
      clhls_fifo_ahead #(
        .WIDTH(WIDTH), .DEPTH(DEPTH), .PROMPT(PROMPT), .LATE(LATE), .OWNED(OWNED), .TARGET(TARGET)
      ) u_fifo (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_more(more_unused), .m_ready(m_ready), .m_data(m_data)
      );
      wire unused = &{1'b0, more_unused};
    end
  endgenerate

endmodule

`default_nettype wire
