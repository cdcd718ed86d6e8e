// First-word-fall-through FIFO of any depth; picks the cheapest implementation for DEPTH.
// latency 1 (empty FIFO: word in at cycle t is out at t+1), II 1.  Behind another word, at most 4 in block RAM.  Capacity >= DEPTH (see docs/rtl-library.md for the exact number).
// Every output is a register: s_ready, m_valid and m_data.
`default_nettype none

module clhls_fifo #(
  parameter WIDTH  = 32,        // payload bits, >= 1
  parameter DEPTH  = 16,        // guaranteed capacity in words, >= 1
  parameter PROMPT = 0,         // 1: latency 1 behind other words, too (never a block RAM)
  parameter TARGET = "generic"  // device family for the RAM primitive: "generic" or "ecp5"
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,
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

  // 65 = 64 LUTRAM words + output register; above that a block RAM is smaller on every family.  ECP5's LUTRAM has 16 words: each
  // block RAM instead of 17 to 32 words of 32 bits and more saves over 110 LUTs, and designs run out of LUTs, of which the device has 400
  // for each block, long before blocks.
  localparam MOST_LUTRAM = (TARGET != "ecp5" || WIDTH < 18) ? 65 : (WIDTH < 32) ? 33 : 17;

  generate
    if (DEPTH <= 2) begin : g_skid
      clhls_skid #(
        .WIDTH(WIDTH)
      ) u_skid (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
      );
    end else if (DEPTH <= MOST_LUTRAM || PROMPT != 0) begin : g_lutram
      wire more_unused;
      clhls_fifo_lutram #(
        .WIDTH(WIDTH), .DEPTH(DEPTH)
      ) u_fifo (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_more(more_unused), .m_ready(m_ready), .m_data(m_data)
      );
      wire unused = &{1'b0, more_unused};
    end else begin : g_bram
      wire more_unused;
      clhls_fifo_bram #(
        .WIDTH(WIDTH), .DEPTH(DEPTH), .TARGET(TARGET)
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
