// Merges bus lines, given in order of first use, into INCR bursts.
// latency 2 or more, II 1.  A burst is sent when it is full, when the next line does not follow on, when it is marked due, or
// WAIT cycles after it began; while the receiver is busy it keeps growing.  Used by clhls_load and clhls_store.
`default_nettype none

module clhls_burst #(
  parameter LINE_BITS = 58,  // bits of a line number
  parameter MAX_BURST = 16,  // beats, 1..256
  parameter WAIT      = 16   // cycles, >= 0
) (
  input  wire                 clk,
  input  wire                 rst,      // synchronous, active high
  input  wire                 s_valid,  // one line
  output wire                 s_ready,
  input  wire [LINE_BITS-1:0] s_line,
  input  wire                 s_next,   // the line follows the previous one inside the same 4 KiB page
  input  wire                 s_due,    // nothing will follow soon: send the burst now
  input  wire                 hurry,    // level: send whatever is there
  input  wire                 room,     // 0: start no burst in this cycle (register outside)
  output wire                 start,    // pulse: a burst of start_len + 1 beats goes to the output
  output wire [7:0]           start_len,
  output wire                 busy,     // a burst is collected or waits at the output
  output wire                 m_valid,
  input  wire                 m_ready,
  output wire [LINE_BITS-1:0] m_line,   // first line
  output wire [7:0]           m_len     // beats - 1
);

  initial begin
    if (MAX_BURST < 1 || MAX_BURST > 256 || WAIT < 0) begin
      $display("clhls_burst: MAX_BURST must be 1..256 and WAIT at least 0");
      $finish;
    end
  end

  localparam FULL = MAX_BURST - 1;
  localparam AW   = $clog2(WAIT + 2);
  localparam LAST = (WAIT > 0) ? WAIT - 1 : 0;

  reg                 valid_q;  // a burst is being collected
  reg [LINE_BITS-1:0] line_q;
  reg [7:0]           len_q;
  reg                 full_q;   // len_q == FULL
  reg                 due_q;
  reg [AW-1:0]        age_q;    // cycles since it began

  wire skid_ready;
  wire send  = valid_q & skid_ready & room & (due_q | full_q | (s_valid & ~s_next));
  wire merge = s_valid & valid_q & ~send & s_next & ~full_q;
  wire begun = s_valid & (~valid_q | send);

  assign s_ready   = merge | begun;
  assign start     = send;
  assign start_len = len_q;
  assign busy      = valid_q | m_valid;

  always @(posedge clk) begin
    if (rst) begin
      valid_q <= 1'b0;
      due_q   <= 1'b0;
      full_q  <= 1'b0;
    end else begin
      valid_q <= begun | (valid_q & ~send);
      if (begun) begin
        due_q  <= s_due | hurry | (WAIT == 0);
        full_q <= FULL == 0;
      end else begin
        due_q  <= due_q | hurry | (merge & s_due) | (age_q == LAST[AW-1:0]);
        full_q <= full_q | (merge & ({24'd0, len_q} + 32'd1 == FULL));
      end
    end
  end

  always @(posedge clk) begin
    if (begun) begin
      line_q <= s_line;
      len_q  <= 8'd0;
      age_q  <= {AW{1'b0}};
    end else begin
      if (merge) len_q <= len_q + 8'd1;
      age_q <= age_q + 1'b1;
    end
  end

  clhls_skid #(
    .WIDTH(LINE_BITS + 8)
  ) u_skid (
    .clk(clk), .rst(rst),
    .s_valid(send), .s_ready(skid_ready), .s_data({line_q, len_q}),
    .m_valid(m_valid), .m_ready(m_ready), .m_data({m_line, m_len})
  );

endmodule

`default_nettype wire
