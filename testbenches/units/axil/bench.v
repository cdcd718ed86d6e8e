// clhls_axil_control with clhls_perf: address and data in any order, byte strobes, the ap_ctrl_hs rules that hosts rely on,
// interrupt, counters; addresses and data of the bus are held at random. A host whose reset ends before this module's loses nothing.
`default_nettype none
module bench;
  parameter ARG_WORDS = 9;
  parameter [ARG_WORDS-1:0] WORD_MASK = {ARG_WORDS{1'b1}};
  parameter TARGET = "generic";
  `include "bench.vh"

  reg  [11:0] awaddr, araddr;
  reg         awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
  wire        awready, wready, bvalid, arready, rvalid;
  reg  [31:0] wdata;
  reg  [3:0]  wstrb;
  wire [1:0]  bresp, rresp;
  wire [31:0] rdata;
  wire        irq, start;
  reg         done = 0;
  wire [32*ARG_WORDS-1:0] args;
  reg  [1:0]  read_beat = 0, write_beat = 0;
  wire [63:0] cycles, read_beats, write_beats;
  reg  [63:0] retired = 64'h0123_4567_89AB_CDEF;
  reg  [31:0] error_flags = 32'h8000_0001;

  clhls_axil_control #(
    .ARG_WORDS(ARG_WORDS), .WORD_MASK(WORD_MASK), .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst),
    .s_axi_awaddr(awaddr), .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_wdata(wdata), .s_axi_wstrb(wstrb),
    .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
    .s_axi_araddr(araddr), .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_rdata(rdata), .s_axi_rresp(rresp),
    .s_axi_rvalid(rvalid), .s_axi_rready(rready), .irq(irq),
    .start(start), .done(done), .args(args), .cycles(cycles), .retired(retired), .read_beats(read_beats), .write_beats(write_beats),
    .error_flags(error_flags)
  );

  clhls_perf #(
    .PORTS(2)
  ) u_perf (
    .clk(clk), .rst(rst), .start(start), .done(done), .read_beat(read_beat), .write_beat(write_beat),
    .cycles(cycles), .read_beats(read_beats), .write_beats(write_beats)
  );

  // a kernel that runs for a while; independent counting
  integer run_for = 0, starts = 0, reads = 0, writes = 0, length = 0, planned = 10, k;
  reg running = 0;
  always @(posedge clk) if (!rst) begin
    done <= 0;
    read_beat <= $random(seed);
    write_beat <= $random(seed);
    if (start || running) begin
      reads  = reads + read_beat[0] + read_beat[1];
      writes = writes + write_beat[0] + write_beat[1];
      length = length + 1;
    end
    if (done) running <= 0;
    if (start) begin
      check(!running, "start while running");
      starts = starts + 1;
      running <= 1;
      run_for = planned;
      reads = read_beat[0] + read_beat[1];
      writes = write_beat[0] + write_beat[1];
      length = 0;
    end else if (running && !done) begin
      run_for = run_for - 1;
      if (run_for == 0) done <= 1;
    end
  end

  reg was_b = 0, was_r = 0;
  reg [31:0] was_data;
  always @(posedge clk) if (!rst) begin
    if (was_b) check(bvalid, "bvalid fell");
    if (was_r) check(rvalid && rdata === was_data, "R changed before ready");
    was_b <= bvalid & ~bready;
    was_r <= rvalid & ~rready;
    was_data <= rdata;
  end

  task write_word(input [11:0] at, input [31:0] value, input [3:0] strobe);
    integer order, gap;
    begin
      order = dice(3);
      gap = dice(4);
      fork
        begin
          if (order == 1) repeat (gap) @(posedge clk);
          awaddr <= at; awvalid <= 1;
          @(posedge clk);
          while (!awready) @(posedge clk);
          awvalid <= 0; awaddr <= 12'hxxx;
        end
        begin
          if (order == 2) repeat (gap) @(posedge clk);
          wdata <= value; wstrb <= strobe; wvalid <= 1;
          @(posedge clk);
          while (!wready) @(posedge clk);
          wvalid <= 0; wdata <= 32'hx;
        end
      join
      repeat (dice(3)) @(posedge clk);
      bready <= 1;
      @(posedge clk);
      while (!bvalid) @(posedge clk);
      check(bresp === 2'b00, "bresp");
      bready <= 0;
    end
  endtask

  reg [31:0] value;
  task read_word(input [11:0] at);
    begin
      araddr <= at; arvalid <= 1;
      @(posedge clk);
      while (!arready) @(posedge clk);
      arvalid <= 0; araddr <= 12'hxxx;
      repeat (dice(3)) @(posedge clk);
      rready <= 1;
      @(posedge clk);
      while (!rvalid) @(posedge clk);
      value = rdata;
      check(rresp === 2'b00, "rresp");
      rready <= 0;
      @(posedge clk);
    end
  endtask

  reg [31:0] shadow [0:ARG_WORDS-1];
  integer i, n, w, seen;
  reg [31:0] x;
  reg [3:0] strobe;
  initial begin
    for (i = 0; i < ARG_WORDS; i = i + 1) shadow[i] = 0;
    // the host is out of reset before the module is: nothing is taken until then, and then everything
    @(posedge clk);
    araddr <= 12'h004; arvalid <= 1; rready <= 1;
    awaddr <= 12'h004; awvalid <= 1; wdata <= 32'h1; wstrb <= 4'hF; wvalid <= 1; bready <= 1;
    @(posedge clk);
    fork
      while (rst) @(negedge clk) if (rst) check({awready, wready, arready, bvalid, rvalid} === 5'd0, "ready or valid during reset");
      begin while (!awready) @(posedge clk); awvalid <= 0; awaddr <= 12'hxxx; end
      begin while (!wready) @(posedge clk); wvalid <= 0; wdata <= 32'hx; end
      begin while (!arready) @(posedge clk); arvalid <= 0; araddr <= 12'hxxx; end
      begin for (i = 0; i < 30 && !bvalid; i = i + 1) @(posedge clk); bready <= 0; end
      begin for (n = 0; n < 30 && !rvalid; n = n + 1) @(posedge clk); rready <= 0; end
    join
    check(i < 30, "first write lost");
    check(n < 30, "first read lost");
    @(posedge clk);
    read_word(12'h004);
    check(value === 32'h1, "first write has no effect");
    write_word(12'h004, 0, 4'hF);
    read_word(12'h000);
    check(value === 32'h4, "idle after reset");
    // arguments, reserved words among them; they have no reset
    for (i = 0; i < ARG_WORDS; i = i + 1) write_word(12'h010 + 4 * i, 0, 4'hF);
    for (n = 0; n < 300; n = n + 1) begin
      w = dice(ARG_WORDS);
      x = $random(seed);
      strobe = dice(2) ? 4'hF : dice(16);
      write_word(12'h010 + 4 * w, x, strobe);
      for (k = 0; k < 4; k = k + 1) if (strobe[k] && WORD_MASK[w]) shadow[w][8*k +: 8] = x[8*k +: 8];
      w = dice(ARG_WORDS);
      read_word(12'h010 + 4 * w);
      check(value === shadow[w], "argument read back");
      for (k = 0; k < ARG_WORDS; k = k + 1) check(args[32*k +: 32] === shadow[k], "args");
    end
    write_word(12'h010 + 4 * ARG_WORDS, 32'hFFFF_FFFF, 4'hF);  // beyond: harmless
    read_word(12'h010 + 4 * ARG_WORDS);
    check(value === 0, "beyond the arguments");
    // polling launches
    for (n = 0; n < 40; n = n + 1) begin
      planned = (n % 4 == 0) ? 100 : 1 + dice(60);
      seen = starts;
      write_word(12'h000, 1, 4'hF);
      if (planned == 100) write_word(12'h000, 1, 4'hF);  // ignored: it runs already
      read_word(12'h000);
      i = 0;
      while (!value[1]) begin
        check(value === 32'h1, "busy: start set, neither idle nor done");
        if (dice(4) == 0) write_word(12'h000, 0, 4'hF);  // does not take the start back
        read_word(12'h000);
        i = i + 1;
        if (i > 1000) begin check(0, "done never seen"); finish_bench; end
      end
      check(value === 32'hE, "done, idle and ready");
      check(starts == seen + 1, "exactly one start");
      read_word(12'h000);
      check(value === 32'h4, "reading clears done");
      read_word(12'hF00); check(value === length, "cycles");
      read_word(12'hF04); check(value === 0, "cycles, upper word");
      read_word(12'hF08); check(value === retired[31:0], "retired");
      read_word(12'hF0C); check(value === retired[63:32], "retired, upper word");
      read_word(12'hF10); check(value === reads, "read beats");
      read_word(12'hF18); check(value === writes, "write beats");
      read_word(12'hF20); check(value === error_flags, "error flags");
      check(!irq, "interrupt while disabled");
    end
    // idle falls with the write of start: reads around the write see one or the other
    for (n = 0; n < 40; n = n + 1) begin
      planned = 60;
      fork
        write_word(12'h000, 1, 4'hF);
        begin
          repeat (dice(8)) @(posedge clk);
          read_word(12'h000);
          check(value === 32'h4 || value === 32'h1, "neither idle nor started");
        end
      join
      repeat (80) @(posedge clk);
      read_word(12'h000);
      check(value === 32'hE, "done, idle and ready");
    end
    // interrupts: enabled, taken, toggled away
    write_word(12'h004, 1, 4'hF);
    write_word(12'h008, 1, 4'hF);
    read_word(12'h004); check(value === 1, "GIE");
    read_word(12'h008); check(value === 1, "IER");
    for (n = 0; n < 10; n = n + 1) begin
      planned = 1 + dice(20);
      write_word(12'h000, 1, 4'hF);
      i = 0;
      while (!irq && i < 200) begin @(posedge clk) i = i + 1; end
      check(irq, "no interrupt");
      read_word(12'h00C); check(value === 1, "ISR: done only, as IER says");
      write_word(12'h00C, value, 4'hF);
      repeat (2) @(posedge clk);
      check(!irq, "interrupt stays");
      read_word(12'h00C); check(value === 0, "ISR toggles");
      read_word(12'h000); check(value === 32'hE, "done is still to be read");
    end
    // IER off: ISR is not set
    write_word(12'h008, 0, 4'hF);
    write_word(12'h000, 1, 4'hF);
    repeat (100) @(posedge clk);
    read_word(12'h00C); check(value === 0, "ISR set although IER is off");
    finish_bench;
  end
  initial begin
    repeat (200000) @(posedge clk);
    check(0, "hangs");
    finish_bench;
  end
endmodule
