// clhls_fifo of three words or more, which says whether another word is behind the first: a producer of clhls_gather.
// latency 1 (empty FIFO), II 1.  Behind another word, at most 4 in block RAM; LATE: always 5.  Capacity >= DEPTH, that of clhls_fifo.
`default_nettype none

module clhls_fifo_ahead #(
  parameter WIDTH  = 32,        // payload bits, >= 1
  parameter DEPTH  = 16,        // guaranteed capacity in words, >= 1
  parameter PROMPT = 0,         // 1: latency 1 behind other words, too (never a block RAM)
  parameter EARLY  = 0,         // 1: s_ready falls while one more word has a place; a word is taken whenever it is valid
  parameter LATE   = 0,         // 1: a block RAM has latency 5 when empty, too; neither s_valid nor m_ready reaches it
  parameter OWNED  = 0,         // 1: the writer owns a place for each word and hears of one that is free again a cycle late
  parameter TARGET = "generic"  // device family for the RAM primitive: "generic" or "ecp5"
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // register; OWNED: 1
  input  wire [WIDTH-1:0] s_data,
  output wire             m_valid,  // register
  output wire             m_more,   // another word is shown when this one has gone; a gate behind registers
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data    // register
);

  initial begin
    if (WIDTH < 1 || DEPTH < 1) begin
      $display("clhls_fifo_ahead: WIDTH and DEPTH must be at least 1");
      $finish;
    end
  end

  // 65 = 64 LUTRAM words + output register; above that a block RAM is smaller on every family.  ECP5's LUTRAM has 16 words: each
  // block RAM instead of 17 to 32 words of 32 bits and more saves over 110 LUTs, and designs run out of LUTs, of which the device has 400
  // for each block, long before blocks.
  localparam MOST_LUTRAM = (TARGET != "ecp5" || WIDTH < 18) ? 65 : (WIDTH < 32) ? 33 : 17;
  localparam LEAST = (EARLY != 0) ? 4 : 3;

  generate
    if (DEPTH <= MOST_LUTRAM || PROMPT != 0) begin : g_lutram
      clhls_fifo_lutram #(
        .WIDTH(WIDTH), .DEPTH((DEPTH < LEAST) ? LEAST : DEPTH), .EARLY(EARLY), .OWNED(OWNED)
      ) u_fifo (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_more(m_more), .m_ready(m_ready), .m_data(m_data)
      );
    end else begin : g_bram
      clhls_fifo_bram #(
        .WIDTH(WIDTH), .DEPTH(DEPTH), .EARLY(EARLY), .LATE(LATE), .OWNED(OWNED), .TARGET(TARGET)
      ) u_fifo (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .m_valid(m_valid), .m_more(m_more), .m_ready(m_ready), .m_data(m_data)
      );
    end
  endgenerate

endmodule

`default_nettype wire
