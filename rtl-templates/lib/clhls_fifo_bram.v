// First-word-fall-through FIFO: block RAM ring (2-cycle read), prefetched into a 17-word LUTRAM FIFO; empty FIFO is bypassed.
// latency 1, II 1.  Capacity 2^ceil(log2(DEPTH-17)) + 17.  Use through clhls_fifo.
`default_nettype none

module clhls_fifo_bram #(
  parameter WIDTH  = 32,        // payload bits, >= 1
  parameter DEPTH  = 512,       // guaranteed capacity in words, >= 33
  parameter TARGET = "generic"  // RAM primitive: "generic" or "ecp5"
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
    if (WIDTH < 1 || DEPTH < 33) begin
      $display("clhls_fifo_bram: WIDTH must be at least 1 and DEPTH at least 33");
      $finish;
    end
  end

  localparam AW = $clog2(DEPTH - 17);  // ring address bits
  localparam [4:0] OUT_WORDS = 5'd17;  // capacity of the output FIFO: covers the read loop of 5 cycles

  // Ring of words written and not yet read.
  reg [AW-1:0] wptr_q;
  reg [AW-1:0] rptr_q;
  reg [AW:0]   count_q;
  reg          empty_q;   // count_q == 0
  reg          full_q;    // count_q == 2^AW

  // Output FIFO places: every word on its way to it owns one, so it never refuses.
  reg [4:0]    owned_q;   // words in the output FIFO or in a RAM read stage
  reg          room_q;    // owned_q < OUT_WORDS
  reg          read1_q;   // RAM read, first stage
  reg          read2_q;   // RAM read, data at rdata

  wire take    = s_valid & ~full_q;
  wire straight = empty_q & ~read1_q & ~read2_q & room_q;  // nothing older ahead: skip the RAM
  wire push    = take & ~straight;
  wire read    = ~empty_q & room_q;
  wire own     = read | (take & straight);
  wire give    = m_valid & m_ready;

  wire [WIDTH-1:0] rdata;
  wire             out_ready_unused;

  assign s_ready = ~full_q;

  always @(posedge clk) begin
    if (rst) begin
      wptr_q  <= {AW{1'b0}};
      rptr_q  <= {AW{1'b0}};
      count_q <= {(AW+1){1'b0}};
      empty_q <= 1'b1;
      full_q  <= 1'b0;
      owned_q <= 5'd0;
      room_q  <= 1'b1;
      read1_q <= 1'b0;
      read2_q <= 1'b0;
    end else begin
      read1_q <= read;
      read2_q <= read1_q;
      if (push) wptr_q <= wptr_q + 1'b1;
      if (read) rptr_q <= rptr_q + 1'b1;
      if (push & ~read) begin
        count_q <= count_q + 1'b1;
        empty_q <= 1'b0;
        full_q  <= &count_q[AW-1:0];
      end else if (read & ~push) begin
        count_q <= count_q - 1'b1;
        empty_q <= count_q == {{AW{1'b0}}, 1'b1};
        full_q  <= 1'b0;
      end
      if (own & ~give) begin
        owned_q <= owned_q + 5'd1;
        room_q  <= owned_q != OUT_WORDS - 5'd1;
      end else if (give & ~own) begin
        owned_q <= owned_q - 5'd1;
        room_q  <= 1'b1;
      end
    end
  end

  clhls_ram #(
    .WIDTH(WIDTH), .DEPTH(1 << AW), .WE_WIDTH(1), .COLLIDES(0), .TARGET(TARGET)
  ) u_ram (
    .clk(clk), .en(1'b1),
    .wen(push), .waddr(wptr_q), .wdata(s_data),
    .ren(read), .raddr(rptr_q), .rdata(rdata)
  );

  clhls_fifo_lutram #(
    .WIDTH(WIDTH), .DEPTH(17)
  ) u_out (
    .clk(clk), .rst(rst),
    .s_valid(read2_q | (take & straight)), .s_ready(out_ready_unused),
    .s_data(read2_q ? rdata : s_data),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

`ifdef FORMAL
  `include "clhls_fifo_bram.fv.vh"
`else
  wire unused = &{1'b0, out_ready_unused};
`endif

endmodule

`default_nettype wire
