// Register file of the test kernels: ap_ctrl_hs by hand, from docs/abi.md alone.
`default_nettype none

module test_control #(
  parameter ARG_WORDS = 64
) (
  input  wire         clk,
  input  wire         rst,
  output wire         interrupt,
  input  wire [11:0]  awaddr,
  input  wire         awvalid,
  output wire         awready,
  input  wire [31:0]  wdata,
  input  wire [3:0]   wstrb,
  input  wire         wvalid,
  output wire         wready,
  output wire [1:0]   bresp,
  output reg          bvalid,
  input  wire         bready,
  input  wire [11:0]  araddr,
  input  wire         arvalid,
  output wire         arready,
  output reg  [31:0]  rdata,
  output wire [1:0]   rresp,
  output reg          rvalid,
  input  wire         rready,
  output reg          start,
  input  wire         done,
  output reg  [32*ARG_WORDS-1:0] args,
  input  wire [63:0]  retired,
  input  wire [31:0]  error_flags
);

  reg        running, done_q, gie;
  reg [1:0]  ier, isr;
  reg [63:0] cycles;

  wire write = awvalid & wvalid & ~bvalid;
  wire read  = arvalid & ~rvalid;
  assign awready = write;
  assign wready  = write;
  assign arready = ~rvalid;
  assign bresp = 2'b00;
  assign rresp = 2'b00;
  assign interrupt = gie & |isr;

  wire [9:0] wword = awaddr[11:2];
  wire [9:0] rword = araddr[11:2];

  always @(posedge clk) begin
    start <= 1'b0;
    if (bvalid & bready) bvalid <= 1'b0;
    if (rvalid & rready) rvalid <= 1'b0;
    if (running) cycles <= cycles + 64'd1;
    if (done) begin
      running <= 1'b0;
      done_q  <= 1'b1;
      if (ier[0]) isr[0] <= 1'b1;
    end
    if (write) begin
      bvalid <= 1'b1;
      if (wword == 10'd0 && wdata[0] && wstrb[0]) begin
        start   <= 1'b1;
        running <= 1'b1;
        cycles  <= 64'd0;
      end
      if (wword == 10'd1) gie <= wdata[0];
      if (wword == 10'd2) ier <= wdata[1:0];
      if (wword == 10'd3) isr <= isr ^ wdata[1:0];
      if (wword >= 10'd4 && wword < 10'd4 + ARG_WORDS) args[32*(wword-10'd4) +: 32] <= wdata;
    end
    if (read) begin
      rvalid <= 1'b1;
      case (rword)
        10'd0: begin
          rdata <= {29'd0, ~running, done_q, running};
          if (!done) done_q <= 1'b0;
        end
        10'd1:   rdata <= {31'd0, gie};
        10'd2:   rdata <= {30'd0, ier};
        10'd3:   rdata <= {30'd0, isr};
        10'h3c0: rdata <= cycles[31:0];
        10'h3c1: rdata <= cycles[63:32];
        10'h3c2: rdata <= retired[31:0];
        10'h3c3: rdata <= retired[63:32];
        10'h3c8: rdata <= error_flags;
        default: rdata <= 32'd0;
      endcase
    end
    if (rst) begin
      start <= 1'b0;
      running <= 1'b0;
      done_q <= 1'b0;
      bvalid <= 1'b0;
      rvalid <= 1'b0;
      gie <= 1'b0;
      ier <= 2'b00;
      isr <= 2'b00;
    end
  end

endmodule

`default_nettype wire
