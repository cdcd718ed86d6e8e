// Performance counters of a launch: cycles, read beats and write beats from start to done, then frozen.
// latency 1, II 1.
`default_nettype none

module clhls_perf #(
  parameter PORTS = 1  // memory ports whose beats are added up, >= 1
) (
  input  wire             clk,
  input  wire             rst,          // synchronous, active high
  input  wire             start,        // pulse: clear and count
  input  wire             done,         // pulse: freeze
  input  wire [PORTS-1:0] read_beat,    // rvalid & rready of each port
  input  wire [PORTS-1:0] write_beat,   // wvalid & wready of each port
  output wire [63:0]      cycles,
  output wire [63:0]      read_beats,
  output wire [63:0]      write_beats
);

  initial begin
    if (PORTS < 1) begin
      $display("clhls_perf: PORTS must be at least 1");
      $finish;
    end
  end

  localparam CW = $clog2(PORTS + 1);

  reg          run_q;
  reg [CW-1:0] reads_q;
  reg [CW-1:0] writes_q;
  reg [63:0]   cycles_q;
  reg [63:0]   read_beats_q;
  reg [63:0]   write_beats_q;

  assign cycles      = cycles_q;
  assign read_beats  = read_beats_q;
  assign write_beats = write_beats_q;

  // Assignments, not always @*: that would not run in a simulator before the first strobe changes.
  function [CW-1:0] ones(input [PORTS-1:0] strobes);
    integer i;
    begin
      ones = {CW{1'b0}};
      for (i = 0; i < PORTS; i = i + 1) ones = ones + {{(CW-1){1'b0}}, strobes[i]};
    end
  endfunction

  wire [CW-1:0] reads_d  = ones(read_beat);
  wire [CW-1:0] writes_d = ones(write_beat);

  always @(posedge clk) begin
    if (rst) begin
      run_q         <= 1'b0;
      reads_q       <= {CW{1'b0}};
      writes_q      <= {CW{1'b0}};
      cycles_q      <= 64'd0;
      read_beats_q  <= 64'd0;
      write_beats_q <= 64'd0;
    end else begin
      run_q    <= start | (run_q & ~done);
      reads_q  <= (start | run_q) ? reads_d : {CW{1'b0}};
      writes_q <= (start | run_q) ? writes_d : {CW{1'b0}};
      if (start) begin
        cycles_q      <= 64'd0;
        read_beats_q  <= 64'd0;
        write_beats_q <= 64'd0;
      end else begin
        if (run_q) cycles_q <= cycles_q + 64'd1;
        read_beats_q  <= read_beats_q + {{(64-CW){1'b0}}, reads_q};
        write_beats_q <= write_beats_q + {{(64-CW){1'b0}}, writes_q};
      end
    end
  end

endmodule

`default_nettype wire
