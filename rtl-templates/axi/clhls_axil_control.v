// AXI4-Lite register file of a kernel: ap_ctrl_hs control, interrupt, arguments, performance counters (docs/rtl-library.md).
// latency: write 2 (arguments 3), read 4 cycles; one transfer of each kind at a time.
`default_nettype none

module clhls_axil_control #(
  parameter ARG_WORDS = 16,                // 32-bit words from offset 0x10 on, reserved words included, 1..956
  parameter [ARG_WORDS-1:0] WORD_MASK = {ARG_WORDS{1'b1}},  // bit i = 0: word i is reserved: writes are ignored, reads give 0
  parameter TARGET    = "generic"          // RAM primitive: "generic" or "ecp5"
) (
  input  wire                    clk,
  input  wire                    rst,      // synchronous, active high
  // AXI4-Lite slave
  input  wire [11:0]             s_axi_awaddr,
  input  wire                    s_axi_awvalid,
  output wire                    s_axi_awready,
  input  wire [31:0]             s_axi_wdata,
  input  wire [3:0]              s_axi_wstrb,
  input  wire                    s_axi_wvalid,
  output wire                    s_axi_wready,
  output wire [1:0]              s_axi_bresp,
  output wire                    s_axi_bvalid,
  input  wire                    s_axi_bready,
  input  wire [11:0]             s_axi_araddr,
  input  wire                    s_axi_arvalid,
  output wire                    s_axi_arready,
  output wire [31:0]             s_axi_rdata,
  output wire [1:0]              s_axi_rresp,
  output wire                    s_axi_rvalid,
  input  wire                    s_axi_rready,
  output wire                    irq,      // the kernel's `interrupt`
  // kernel side
  output wire                    start,    // pulse, one cycle; the arguments are stable until done
  input  wire                    done,     // pulse, one cycle, at least one cycle after start
  output wire [32*ARG_WORDS-1:0] args,     // word i at offset 0x10 + 4*i; not reset: the host writes all that are used
  input  wire [63:0]             cycles,   // counters: stable from done to the next start
  input  wire [63:0]             retired,
  input  wire [63:0]             read_beats,
  input  wire [63:0]             write_beats,
  input  wire [31:0]             error_flags
);

  initial begin
    if (ARG_WORDS < 1 || ARG_WORDS > 956) begin
      $display("clhls_axil_control: ARG_WORDS must be 1..956 (offsets 0x10 to 0xEFF)");
      $finish;
    end
  end

  // ---- write channel: address and data are each held until both are there ----
  // Ready is low during reset: this module may leave its reset later than the host, and must not take what it would forget.
  reg        aw_held_q;
  reg        w_held_q;
  reg        aw_ready_q;   // = ~aw_held_q outside of reset
  reg        w_ready_q;
  reg        b_valid_q;
  reg [9:0]  aw_word_q;
  reg [31:0] w_data_q;
  reg [3:0]  w_strb_q;
  wire       write = aw_held_q & w_held_q & ~b_valid_q;
  wire       hold_aw = ((s_axi_awvalid & aw_ready_q) | aw_held_q) & ~write;
  wire       hold_w  = ((s_axi_wvalid & w_ready_q) | w_held_q) & ~write;

  assign s_axi_awready = aw_ready_q;
  assign s_axi_wready  = w_ready_q;
  assign s_axi_bvalid  = b_valid_q;
  assign s_axi_bresp   = 2'b00;

  always @(posedge clk) begin
    if (rst) begin
      aw_held_q  <= 1'b0;
      w_held_q   <= 1'b0;
      aw_ready_q <= 1'b0;
      w_ready_q  <= 1'b0;
      b_valid_q  <= 1'b0;
    end else begin
      aw_held_q  <= hold_aw;
      w_held_q   <= hold_w;
      aw_ready_q <= ~hold_aw;
      w_ready_q  <= ~hold_w;
      b_valid_q  <= write | (b_valid_q & ~s_axi_bready);
    end
  end

  always @(posedge clk) begin
    if (aw_ready_q) aw_word_q <= s_axi_awaddr[11:2];
    if (w_ready_q) begin
      w_data_q <= s_axi_wdata;
      w_strb_q <= s_axi_wstrb;
    end
  end

  // ---- read channel ----
  reg        ar_held_q;
  reg        ar_ready_q;   // = ~ar_held_q outside of reset
  reg        r_valid_q;
  reg        select_q;   // select_word_q is valid
  reg        picked_q;   // readback and system_q hold the word
  reg [9:0]  ar_word_q;
  reg [31:0] r_data_q;
  reg [31:0] system_q;
  reg        argument_q; // an argument is written
  wire       deliver = ar_held_q & picked_q & ~r_valid_q;
  wire       is_ctrl = ar_word_q == 10'd0;
  wire [31:0] readback;
  wire       hold_ar = ((s_axi_arvalid & ar_ready_q) | ar_held_q) & ~deliver;

  assign s_axi_arready = ar_ready_q;
  assign s_axi_rvalid  = r_valid_q;
  assign s_axi_rdata   = r_data_q;
  assign s_axi_rresp   = 2'b00;

  always @(posedge clk) begin
    if (rst) begin
      ar_held_q  <= 1'b0;
      ar_ready_q <= 1'b0;
      select_q   <= 1'b0;
      picked_q   <= 1'b0;
      r_valid_q  <= 1'b0;
    end else begin
      ar_held_q  <= hold_ar;
      ar_ready_q <= ~hold_ar;
      select_q   <= ar_held_q & ~deliver & ~argument_q;
      picked_q   <= select_q & ~deliver;
      r_valid_q  <= deliver | (r_valid_q & ~s_axi_rready);
    end
  end

  always @(posedge clk) begin
    if (ar_ready_q) ar_word_q <= s_axi_araddr[11:2];
  end

  // ---- control: ap_ctrl_hs ----
  reg       ap_start_q;   // from the write of 1 until done
  reg       running_q;    // start pulse given
  reg       ap_done_q;    // cleared by reading CTRL
  reg       gie_q;
  reg [1:0] ier_q;        // bit 0 done, bit 1 ready
  reg [1:0] isr_q;
  // Decoded in the cycle in which a write is taken; words 0 to 3 take it in the next one, before a read behind it comes to them.
  reg [3:0] hit_q;
  reg [1:0] byte_q;
  integer   h;
  always @(posedge clk) begin
    for (h = 0; h < 4; h = h + 1) hit_q[h] <= ~rst & write & w_strb_q[0] & ({22'd0, aw_word_q} == h);
    byte_q <= w_data_q[1:0];
  end
  wire      begin_run   = hit_q[0] & byte_q[0] & ~ap_start_q;
  wire      end_run     = done & running_q;
  wire      clear_done  = deliver & is_ctrl;

  assign start = ap_start_q & ~running_q;
  assign irq   = gie_q & |isr_q;

  always @(posedge clk) begin
    if (rst) begin
      ap_start_q <= 1'b0;
      running_q  <= 1'b0;
      ap_done_q  <= 1'b0;
      gie_q      <= 1'b0;
      ier_q      <= 2'b00;
      isr_q      <= 2'b00;
    end else begin
      ap_start_q <= begin_run | (ap_start_q & ~end_run);
      running_q  <= ap_start_q & ~end_run;
      ap_done_q  <= end_run | (ap_done_q & ~clear_done);
      if (hit_q[1]) gie_q <= byte_q[0];
      if (hit_q[2]) ier_q <= byte_q;
      // toggle on write; a set in the same cycle wins
      isr_q <= (isr_q ^ (byte_q & {2{hit_q[3]}})) | (ier_q & {2{end_run}});
    end
  end

  // ---- system words ----
  // CTRL: bit 0 start, 1 done, 2 idle (0 from the cycle start is set), 3 ready (= done).  It is read in the cycle that clears
  // done, so that no done is lost between sampling and clearing.
  wire [31:0] ctrl = {28'd0, ap_done_q, ~ap_start_q, ap_done_q, ap_start_q};

  // decoded first, multiplexed in the next cycle
  localparam SYSTEM = 12;
  wire [32*SYSTEM-1:0] system = {
    error_flags, write_beats, read_beats, retired, cycles, {30'd0, isr_q}, {30'd0, ier_q}, {31'd0, gie_q}
  };
  reg  [SYSTEM-1:0]    select_system_q;
  reg  [31:0]          system_d;
  integer n;
  always @(posedge clk) begin
    for (n = 0; n < SYSTEM; n = n + 1) select_system_q[n] <= {22'd0, ar_word_q} == ((n < 3) ? n + 1 : n - 3 + 32'h3C0);
  end
  integer m;
  always @* begin
    system_d = 32'd0;
    for (m = 0; m < SYSTEM; m = m + 1) system_d = system_d | (system[32*m +: 32] & {32{select_system_q[m]}});
  end

  always @(posedge clk) begin
    system_q <= system_d;
    if (deliver) r_data_q <= is_ctrl ? ctrl : system_q | (readback & {32{is_argument_q}});
  end

  // ---- arguments: a write is decoded in the cycle in which it is taken, and reaches its word in the next ----
  // Address and data are still held then: they change at the earliest at the end of that cycle.
  reg [32*ARG_WORDS-1:0] args_q;
  assign args = args_q;

  genvar w;
  genvar b;
  generate
    for (w = 0; w < ARG_WORDS; w = w + 1) begin : g_word
      localparam WORD = w + 4;
      if (WORD_MASK[w]) begin : g_used
        reg mine_q;
        always @(posedge clk) mine_q <= write & (aw_word_q == WORD[9:0]);
        for (b = 0; b < 4; b = b + 1) begin : g_byte
          always @(posedge clk) begin
            if (mine_q & w_strb_q[b]) args_q[32*w + 8*b +: 8] <= w_data_q[8*b +: 8];
          end
        end
      end else begin : g_reserved
        always @(posedge clk) args_q[32*w +: 32] <= 32'd0;
      end
    end
  endgenerate

  // What is read of them comes from a copy in RAM: a multiplexer over all words is larger than the rest of the module.  A word that
  // is being written is read again (select_q).
  localparam AW = $clog2(ARG_WORDS + 4);
  wire [(1<<AW)-1:0] used = {{(1 << AW) - ARG_WORDS{1'b0}}, WORD_MASK} << 4;  // by word number
  reg                is_argument_d;
  reg                is_argument_q;  // the word that is read is an argument

  always @(posedge clk) begin
    argument_q    <= write & used[aw_word_q[AW-1:0]] & ~|aw_word_q[9:AW];
    is_argument_d <= used[ar_word_q[AW-1:0]] & ~|ar_word_q[9:AW];
    is_argument_q <= is_argument_d;
  end

  clhls_ram #(
    .WIDTH(32), .DEPTH(1 << AW), .WE_WIDTH(4), .COLLIDES(0), .TARGET(TARGET)
  ) u_readback (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen({4{argument_q}} & w_strb_q), .waddr(aw_word_q[AW-1:0]), .wdata(w_data_q),
    .ren(1'b1), .raddr(ar_word_q[AW-1:0]), .rdata(readback)
  );

  wire unused = &{1'b0, s_axi_awaddr[1:0], s_axi_araddr[1:0]};

endmodule

`default_nettype wire
