// First-word-fall-through FIFO: block RAM ring (2-cycle read), then an elastic pipeline of the read stages and the output register.
// An empty FIFO is bypassed; or, LATE, registers before the RAM and a skid instead of the bypass keep writer and reader from what the
// RAM is told, whose tiles are far from one another and from both.
// latency 1 when empty, else at least 4; LATE: 5; II 1.  Capacity 2^ceil(log2(DEPTH-3)) + 3, LATE: 2^ceil(log2(DEPTH-4)) + 4.
// Use through clhls_fifo.
// s_ready hears of a word that leaves a cycle later than the ring: the reader, whose handshake comes late, may be far from the writer.
// EARLY=1: s_ready falls while one more word has a place, for a writer that sees it a cycle late; a word is taken whenever it is valid.
// With none of EARLY, OWNED and LATE the RAM is written in every cycle in which the ring is not full, word or no word.
// OWNED=1: the writer owns a place for each word and hears of one that is free again a cycle late; s_ready is always 1.
`default_nettype none

module clhls_fifo_bram #(
  parameter WIDTH  = 32,        // payload bits, >= 1
  parameter DEPTH  = 512,       // guaranteed capacity in words, >= 5 (LATE: 6)
  parameter EARLY  = 0,         // 1: s_ready says a cycle early that there is no place
  parameter OWNED  = 0,         // 1: the writer never writes without a place
  parameter LATE   = 0,         // 1: latency 5 when empty, too; neither s_valid nor m_ready reaches the RAM
  parameter TARGET = "generic"  // RAM primitive: "generic" or "ecp5"
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
    if (WIDTH < 1 || DEPTH < 5 + LATE) begin
      $display("clhls_fifo_bram: WIDTH must be at least 1 and DEPTH at least 5, or 6 if it is LATE");
      $finish;
    end
  end

  localparam AW = $clog2(DEPTH - 3 - LATE);  // ring address bits; output register, skid and read stages are the missing words

  // Ring of words taken and not yet read.
  reg [AW-1:0] wptr_q;
  reg [AW-1:0] rptr_q;
  reg [AW-1:0] ahead_q;   // wptr_q + 1; EARLY: + 2.  What is compared comes from registers.
  reg [AW-1:0] rnext_q;   // rptr_q + 1
  reg          empty_q;   // no word that was written is in the ring
  reg [AW-1:0] rseen_q;   // rptr_q a cycle ago: the writer's view of it
  reg          left_q;    // they differ
  reg          full_q;    // 2^AW words are, as the writer sees it: the pointers are equal then, too; EARLY: 2^AW - 1 or 2^AW

  // Stages after the ring, each of which moves when the next one does or is empty: words wait in the RAM's registers.  LATE: the
  // second one moves whatever the reader does, and a word that he does not take goes into the skid.
  reg             read1_q;   // RAM read, first stage
  reg             read2_q;   // RAM read, data at rdata
  reg             skid_q;    // LATE: a word is in the skid, before the one at rdata
  reg             none_q;    // nothing is in all of these: a word may go straight to the output register
  reg             valid_q;   // data_q holds a word
  reg             void_q;    // = ~valid_q: one drives the words here, the other what is behind
  reg [WIDTH-1:0] data_q;

  wire load    = void_q | m_ready;                              // the output register is free
  wire move2   = ~read2_q | ((LATE != 0) ? ~skid_q : load);     // the second read stage advances
  wire move1   = ~read1_q | move2;                              // the first one does
  wire take    = s_valid & ((EARLY != 0) | (OWNED != 0) | ~full_q);
  wire pass    = (LATE == 0) & none_q & load;                   // a word goes straight to the output register, and passes its place
  wire read    = ~empty_q & move1;
  wire leave   = read | (take & pass);

  // What the RAM is told, LATE: a cycle after the word was taken.
  wire             come;   // a word is written
  wire             write;
  wire [AW-1:0]    waddr;  // where the next word is written
  wire [WIDTH-1:0] wdata;
  generate
    if (LATE != 0) begin : g_write_late
      reg             come_q;
      reg [AW-1:0]    waddr_q;
      reg [WIDTH-1:0] wdata_q;
      always @(posedge clk) begin
        come_q  <= ~rst & take;
        waddr_q <= rst ? {AW{1'b0}} : wptr_q;
        wdata_q <= s_data;
      end
      assign come  = come_q;
      assign write = come_q;
      assign waddr = waddr_q;
      assign wdata = wdata_q;
    end else begin : g_write_now
      assign come  = take;
      // The place at wptr_q is free where the ring is not full, and may be written without a word: s_valid comes late, and the RAM's
      // tiles are far away.
      assign write = (EARLY != 0 || OWNED != 0) ? take : ~full_q;
      assign waddr = wptr_q;
      assign wdata = s_data;
    end
  endgenerate

  // Both handshakes come late, so no word is counted: what one push or one read would lead to is known before.
  wire fills   = (ahead_q == rseen_q) | ((EARLY != 0) & full_q);
  wire stays   = (EARLY != 0) & full_q & (wptr_q == rseen_q);  // full even when one word leaves
  // A gate of its own: yosys makes logic as deep as the design's deepest where that saves area, and a late handshake would go through all of it.
  (* keep *)
  wire empties;
  assign empties = rnext_q == waddr;
  // The reader's handshake is the latest of all: what is left in either case is chosen by it alone.
  wire still   = ~read1_q | ~read2_q | ((LATE != 0) & ~skid_q);  // the first read stage advances, whatever the reader does
  wire drained = empty_q ? ~come | none_q : ~come & empties;     // the output register is free
  wire kept    = ~come & (empty_q | (still & empties));          // it is not, or LATE
  wire valid_d = ~load | skid_q | read2_q | (take & (LATE == 0) & none_q);

  localparam [AW-1:0] AHEAD = (EARLY != 0) ? 2 : 1;
  localparam [AW-1:0] ONE   = 1;

  wire [WIDTH-1:0] rdata;

  assign s_ready = (OWNED != 0) | ~full_q;
  assign m_valid = valid_q;
  assign m_more  = valid_q & (skid_q | read2_q);
  assign m_data  = data_q;

  always @(posedge clk) begin
    if (rst) begin
      wptr_q  <= {AW{1'b0}};
      rptr_q  <= {AW{1'b0}};
      ahead_q <= AHEAD;
      rnext_q <= ONE;
      empty_q <= 1'b1;
      rseen_q <= {AW{1'b0}};
      left_q  <= 1'b0;
      full_q  <= 1'b0;
      read1_q <= 1'b0;
      read2_q <= 1'b0;
      skid_q  <= 1'b0;
      none_q  <= 1'b1;
      valid_q <= 1'b0;
      void_q  <= 1'b1;
    end else begin
      if (take) begin
        wptr_q  <= (EARLY != 0) ? wptr_q + ONE : ahead_q;
        ahead_q <= ahead_q + ONE;
      end
      if (leave) begin
        rptr_q  <= rnext_q;
        rnext_q <= rnext_q + ONE;
      end
      empty_q <= (LATE == 0) & load ? drained : kept;
      rseen_q <= rptr_q;
      left_q  <= leave;
      full_q  <= (take == left_q) ? full_q : take ? fills : stays;
      if (move1) read1_q <= read;
      if (move2) read2_q <= read1_q;
      skid_q  <= (LATE != 0) & ~load & (skid_q | read2_q);
      // At most one word is behind the ring, and leaves it; nothing comes.
      none_q  <= ~(take & ~pass) & empty_q & ~read1_q & move2;
      valid_q <= valid_d;
      void_q  <= ~valid_d;
    end
  end

  generate
    if (LATE != 0) begin : g_skid
      reg [WIDTH-1:0] wait_q;
      always @(posedge clk) begin
        if (~skid_q) wait_q <= rdata;
        if (load) data_q <= skid_q ? wait_q : rdata;
      end
    end else begin : g_bypass
      always @(posedge clk) begin
        if (load) data_q <= none_q ? s_data : rdata;
      end
    end
  endgenerate

  clhls_ram #(
    .WIDTH(WIDTH), .DEPTH(1 << AW), .WE_WIDTH(1), .COLLIDES(0), .TARGET(TARGET)
  ) u_ram (
    .clk(clk), .en(move1), .en_out(move2),
    .wen(write), .waddr(waddr), .wdata(wdata),
    .ren(read), .raddr(rptr_q), .rdata(rdata)
  );

`ifdef FORMAL
  `include "clhls_fifo_bram.fv.vh"
`endif

endmodule

`default_nettype wire
