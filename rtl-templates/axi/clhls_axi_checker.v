// Simulation-only AXI4 protocol monitor of one memory port; watches master and slave.  Not synthesisable logic: do not ship it.
// latency 1 (error), II 1.
// Rules: every channel keeps valid and payload until ready; nothing is valid in reset; INCR bursts of full-width aligned beats
// inside 4 KiB; WLAST and RLAST on the right beat, W bursts in AW order; R and B only for what is outstanding, per id in order;
// limits on what is outstanding: at most 1023 read bursts of one id, and write bursts whose data have not come.
`default_nettype none

module clhls_axi_checker #(
  parameter DATA_BYTES = 64,   // bytes of a beat
  parameter ID_BITS    = 6,
  parameter MAX_READS  = 256,  // read bursts outstanding, all ids
  parameter MAX_WRITES = 256   // write bursts outstanding, all ids
) (
  input wire                    clk,
  input wire                    rst,      // synchronous, active high
  input wire [ID_BITS-1:0]      awid,
  input wire [63:0]             awaddr,
  input wire [7:0]              awlen,
  input wire [2:0]              awsize,
  input wire [1:0]              awburst,
  input wire                    awvalid,
  input wire                    awready,
  input wire [8*DATA_BYTES-1:0] wdata,
  input wire [DATA_BYTES-1:0]   wstrb,
  input wire                    wlast,
  input wire                    wvalid,
  input wire                    wready,
  input wire [ID_BITS-1:0]      bid,
  input wire [1:0]              bresp,
  input wire                    bvalid,
  input wire                    bready,
  input wire [ID_BITS-1:0]      arid,
  input wire [63:0]             araddr,
  input wire [7:0]              arlen,
  input wire [2:0]              arsize,
  input wire [1:0]              arburst,
  input wire                    arvalid,
  input wire                    arready,
  input wire [ID_BITS-1:0]      rid,
  input wire [8*DATA_BYTES-1:0] rdata,
  input wire [1:0]              rresp,
  input wire                    rlast,
  input wire                    rvalid,
  input wire                    rready,
  output reg                    error,    // sticky
  output reg [4:0]              code      // first violation, see docs/rtl-library.md
);

  localparam IDS  = 1 << ID_BITS;
  localparam SIZE = $clog2(DATA_BYTES);

  localparam [4:0] E_AW_STABLE = 5'd1;
  localparam [4:0] E_W_STABLE  = 5'd2;
  localparam [4:0] E_B_STABLE  = 5'd3;
  localparam [4:0] E_AR_STABLE = 5'd4;
  localparam [4:0] E_R_STABLE  = 5'd5;
  localparam [4:0] E_RESET     = 5'd6;   // valid during reset
  localparam [4:0] E_AW_SHAPE  = 5'd7;   // burst type, size or alignment
  localparam [4:0] E_AR_SHAPE  = 5'd8;
  localparam [4:0] E_AW_4K     = 5'd9;
  localparam [4:0] E_AR_4K     = 5'd10;
  localparam [4:0] E_W_LAST    = 5'd11;  // beats of a W burst differ from AWLEN
  localparam [4:0] E_R_LAST    = 5'd12;
  localparam [4:0] E_B_NONE    = 5'd13;  // B without complete write burst of that id
  localparam [4:0] E_R_NONE    = 5'd14;  // R without outstanding read of that id
  localparam [4:0] E_AW_LIMIT  = 5'd15;
  localparam [4:0] E_AR_LIMIT  = 5'd16;

  // The bookkeeping is sequential code within a cycle.
  /* verilator lint_off BLKSEQ */
  reg found;  // as error, but within the cycle

  task fail(input [4:0] what);
    begin
      if (!found) begin
        found = 1'b1;
        code  <= what;
        error <= 1'b1;
        $display("%m: AXI rule %0d violated at time %0t", what, $time);
      end
    end
  endtask

  // ---- stability: the cycle before, when it was not accepted ----
  reg                              aw_wait_q;
  reg                              w_wait_q;
  reg                              b_wait_q;
  reg                              ar_wait_q;
  reg                              r_wait_q;
  reg [ID_BITS+64+8+5-1:0]         aw_q;
  reg [9*DATA_BYTES:0]             w_q;
  reg [ID_BITS+1:0]                b_q;
  reg [ID_BITS+64+8+5-1:0]         ar_q;
  reg [ID_BITS+8*DATA_BYTES+2:0]   r_q;
  wire [ID_BITS+64+8+5-1:0]        aw_now = {awid, awaddr, awlen, awsize, awburst};
  wire [9*DATA_BYTES:0]            w_now  = {wdata, wstrb, wlast};
  wire [ID_BITS+1:0]               b_now  = {bid, bresp};
  wire [ID_BITS+64+8+5-1:0]        ar_now = {arid, araddr, arlen, arsize, arburst};
  wire [ID_BITS+8*DATA_BYTES+2:0]  r_now  = {rid, rdata, rresp, rlast};

  always @(posedge clk) begin
    aw_wait_q <= awvalid & ~awready & ~rst;
    w_wait_q  <= wvalid & ~wready & ~rst;
    b_wait_q  <= bvalid & ~bready & ~rst;
    ar_wait_q <= arvalid & ~arready & ~rst;
    r_wait_q  <= rvalid & ~rready & ~rst;
    aw_q <= aw_now;
    w_q  <= w_now;
    b_q  <= b_now;
    ar_q <= ar_now;
    r_q  <= r_now;
  end

  // ---- bookkeeping ----
  // Write bursts: addresses and data may run ahead of one another; both queues are compared in order.
  integer     writes;               // AW accepted, B not
  integer     reads;                // AR accepted, last R not
  integer     aw_in;                // AW accepted so far
  integer     w_in;                 // W bursts completed so far
  integer     matched;              // bursts with both
  integer     w_beats;              // beats of the W burst in progress
  reg [8:0]   aw_beats [0:1023];
  reg [8:0]   w_count  [0:1023];
  reg [ID_BITS-1:0] aw_ids [0:1023];
  integer     b_due  [0:IDS-1];     // complete write bursts without B
  integer     ar_in  [0:IDS-1];
  integer     r_in   [0:IDS-1];     // read bursts completed
  integer     r_beats[0:IDS-1];     // beats of the read burst in progress
  reg [8:0]   ar_beats [0:IDS*1024-1];
  integer     i;

  // offset of the last beat from the start of the page
  wire [15:0] aw_end = {4'd0, awaddr[11:0]} + ({8'd0, awlen} << SIZE);
  wire [15:0] ar_end = {4'd0, araddr[11:0]} + ({8'd0, arlen} << SIZE);

  // place of an id's next read burst in the queue, at its entry and at its exit
  wire [31:0] ar_place = ar_in[arid];
  wire [31:0] r_place  = r_in[rid];
  wire [8:0]  r_expect = ar_beats[{rid, r_place[9:0]}];
  wire        unused = &{1'b0, aw_end[11:0], ar_end[11:0], ar_place, r_place};

  initial begin
    error = 1'b0;
    code  = 5'd0;
    found = 1'b0;
  end

  always @(posedge clk) begin
    if (rst) begin
      if (awvalid | wvalid | arvalid) fail(E_RESET);
      writes  = 0;
      reads   = 0;
      aw_in   = 0;
      w_in    = 0;
      matched = 0;
      w_beats = 0;
      for (i = 0; i < IDS; i = i + 1) begin
        b_due[i]   = 0;
        ar_in[i]   = 0;
        r_in[i]    = 0;
        r_beats[i] = 0;
      end
    end else begin
      if (aw_wait_q & (~awvalid | (aw_now != aw_q))) fail(E_AW_STABLE);
      if (w_wait_q & (~wvalid | (w_now != w_q))) fail(E_W_STABLE);
      if (b_wait_q & (~bvalid | (b_now != b_q))) fail(E_B_STABLE);
      if (ar_wait_q & (~arvalid | (ar_now != ar_q))) fail(E_AR_STABLE);
      if (r_wait_q & (~rvalid | (r_now != r_q))) fail(E_R_STABLE);
      if (awvalid) begin
        if (awburst != 2'b01 || awsize != SIZE[2:0] || awaddr[SIZE-1:0] != 0) fail(E_AW_SHAPE);
        if (aw_end[15:12] != 0) fail(E_AW_4K);
      end
      if (arvalid) begin
        if (arburst != 2'b01 || arsize != SIZE[2:0] || araddr[SIZE-1:0] != 0) fail(E_AR_SHAPE);
        if (ar_end[15:12] != 0) fail(E_AR_4K);
      end

      // responses first: they belong to what was complete before this cycle
      if (bvalid && b_due[bid] == 0) fail(E_B_NONE);
      if (bvalid & bready) begin
        b_due[bid] = b_due[bid] - 1;
        writes = writes - 1;
      end
      if (rvalid) begin
        if (ar_in[rid] == r_in[rid]) fail(E_R_NONE);
        else if (rlast != (r_beats[rid] + 1 == {23'd0, r_expect})) fail(E_R_LAST);
      end
      if (rvalid & rready) begin
        r_beats[rid] = r_beats[rid] + 1;
        if (rlast) begin
          r_in[rid]    = r_in[rid] + 1;
          r_beats[rid] = 0;
          reads        = reads - 1;
        end
      end

      if (awvalid & awready) begin
        aw_beats[aw_in & 1023] = {1'b0, awlen} + 9'd1;
        aw_ids[aw_in & 1023]   = awid;
        aw_in  = aw_in + 1;
        writes = writes + 1;
        if (writes > MAX_WRITES || aw_in - matched > 1023) fail(E_AW_LIMIT);
      end
      if (wvalid & wready) begin
        w_beats = w_beats + 1;
        if (aw_in > w_in && w_beats > {23'd0, aw_beats[w_in & 1023]}) fail(E_W_LAST);
        if (wlast) begin
          w_count[w_in & 1023] = w_beats[8:0];
          w_in    = w_in + 1;
          w_beats = 0;
        end
      end
      if (matched < aw_in && matched < w_in) begin
        if (aw_beats[matched & 1023] != w_count[matched & 1023]) fail(E_W_LAST);
        b_due[aw_ids[matched & 1023]] = b_due[aw_ids[matched & 1023]] + 1;
        matched = matched + 1;
      end
      if (arvalid & arready) begin
        ar_beats[{arid, ar_place[9:0]}] = {1'b0, arlen} + 9'd1;
        ar_in[arid] = ar_in[arid] + 1;
        reads = reads + 1;
        if (reads > MAX_READS || ar_in[arid] - r_in[arid] > 1023) fail(E_AR_LIMIT);
      end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
