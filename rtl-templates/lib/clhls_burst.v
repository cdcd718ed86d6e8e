// Merges bus lines, given in order of first use, into INCR bursts.
// latency 2 or more, II 1, for bursts of one line, too.  A burst is sent when it is full, when the next line does not follow on, when
// it is marked due, or WAIT cycles after it began; while the receiver is busy it keeps growing.  Lines are always taken: whoever sends
// them looks at `room` first.  Used by clhls_load and clhls_store.
`default_nettype none

module clhls_burst #(
  parameter LINE_BITS = 58,  // bits of a line number
  parameter MAX_BURST = 16,  // beats, 1..256
  parameter WAIT      = 16,  // cycles, >= 0
  parameter LEN_BITS  = (MAX_BURST > 1) ? $clog2(MAX_BURST) : 1  // derived: do not set
) (
  input  wire                 clk,
  input  wire                 rst,      // synchronous, active high
  input  wire                 s_valid,  // one line
  input  wire [LINE_BITS-1:0] s_line,
  input  wire                 s_next,   // the line follows the previous one inside the same 4 KiB page
  input  wire                 s_due,    // nothing will follow soon: send the burst now
  input  wire                 hurry,    // level: send whatever is there
  output wire                 room,     // register: seven lines that are not here yet find a place, each as a burst of its own
  output wire                 start,    // pulse: a burst of start_len + 1 beats goes to the output
  output wire [LEN_BITS-1:0]  start_len,
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
  reg [LEN_BITS-1:0]  len_q;
  reg                 full_q;   // len_q == FULL
  reg                 fills_q;  // one more line makes it full
  reg                 due_q;    // it shall go, or it is full
  reg [AW-1:0]        age_q;    // cycles since it began
  reg                 calm_q;   // at most one burst waited at the output

  wire more;   // several bursts wait at the output
  wire send  = valid_q & ((due_q & calm_q) | (s_valid & (full_q | ~s_next)));
  wire merge = valid_q & s_valid & s_next & ~full_q & ~(due_q & calm_q);
  wire begun = s_valid & (~valid_q | full_q | ~s_next | (due_q & calm_q));

  assign start     = send;
  assign start_len = len_q;
  assign busy      = valid_q | m_valid;

  always @(posedge clk) begin
    if (rst) begin
      valid_q <= 1'b0;
      due_q   <= 1'b0;
      full_q  <= 1'b0;
      fills_q <= 1'b0;
      calm_q  <= 1'b1;
    end else begin
      calm_q  <= ~more;
      valid_q <= begun | (valid_q & ~send);
      if (begun) begin
        due_q   <= s_due | hurry | (WAIT == 0) | (FULL == 0);
        full_q  <= FULL == 0;
        fills_q <= FULL == 1;
      end else begin
        due_q   <= due_q | hurry | (merge & (s_due | fills_q)) | (age_q == LAST[AW-1:0]);
        full_q  <= full_q | (merge & fills_q);
        fills_q <= merge ? {{(32-LEN_BITS){1'b0}}, len_q} + 32'd2 == FULL : fills_q;
      end
    end
  end

  always @(posedge clk) begin
    if (begun) begin
      line_q <= s_line;
      len_q  <= {LEN_BITS{1'b0}};
      age_q  <= {AW{1'b0}};
    end else begin
      if (merge) len_q <= len_q + 1'b1;
      age_q <= age_q + 1'b1;
    end
  end

  localparam PLACES = 16;  // as many words as LUT RAM has on any family for the price of two
  wire place_unused;
  wire [LEN_BITS-1:0] len;
  wire [7+LEN_BITS:0] wide_len = {8'd0, len};
  assign m_len = wide_len[7:0];
  clhls_credits #(
    .PLACES(PLACES), .SPARE(3)
  ) u_free (
    .clk(clk), .rst(rst), .taken(send), .freed(m_valid & m_ready), .room(room)
  );
  clhls_fifo_lutram #(
    .WIDTH(LINE_BITS + LEN_BITS), .DEPTH(PLACES), .OWNED(1)
  ) u_out (
    .clk(clk), .rst(rst),
    .s_valid(send), .s_ready(place_unused), .s_data({line_q, len_q}),
    .m_valid(m_valid), .m_more(more), .m_ready(m_ready), .m_data({m_line, len})
  );

  wire unused = &{1'b0, place_unused, wide_len};

endmodule

`default_nettype wire
