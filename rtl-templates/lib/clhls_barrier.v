// Work-group barrier: holds every token of a work-group until all have arrived, then releases them in order of local id.
// latency about 7 from the last arrival to the first release, II 1 for arrivals and, at the same time, 1 for releases.
// A released token may arrive again (barrier in a loop) while its group is still being released: its place in the context RAM
// has been read by then, and the next phase cannot be complete before the release is, as it needs every token.
`default_nettype none

module clhls_barrier #(
  parameter WIDTH     = 32,         // payload bits, >= 1
  parameter SLOTS     = 2,          // work-group slots, >= 1
  parameter WG_MAX    = 256,        // tokens of the largest work-group, 1..65535
  parameter SLOT_BITS = 1,          // bits of a slot number
  parameter LID_BITS  = 8,          // bits of a local id, 2^LID_BITS >= WG_MAX
  parameter TARGET    = "generic"   // RAM primitive: "generic" or "ecp5"
) (
  input  wire                 clk,
  input  wire                 rst,         // synchronous, active high
  input  wire [SLOTS*16-1:0]  group_size,  // tokens of the group in slot i at [16*i +: 16], as clhls_dispatcher gives it
  input  wire                 s_valid,
  output wire                 s_ready,     // always 1: every token has its place
  input  wire [WIDTH-1:0]     s_data,
  input  wire [SLOT_BITS-1:0] s_slot,
  input  wire [LID_BITS-1:0]  s_lid,       // 0 .. group size - 1, dense
  output wire                 m_valid,
  input  wire                 m_ready,
  output wire [WIDTH-1:0]     m_data,
  output wire [SLOT_BITS-1:0] m_slot,
  output wire [LID_BITS-1:0]  m_lid,
  output wire                 waiting      // register: a group has arrived in part, or waits for its release
);

  initial begin
    if (WIDTH < 1 || SLOTS < 1 || WG_MAX < 1 || WG_MAX > 65535 || (1 << SLOT_BITS) < SLOTS || (1 << LID_BITS) < WG_MAX) begin
      $display("clhls_barrier: WIDTH and SLOTS at least 1, WG_MAX 1..65535, SLOT_BITS and LID_BITS wide enough");
      $finish;
    end
  end

  // Context RAM address {slot, local id}
  localparam LB = (WG_MAX > 1) ? $clog2(WG_MAX) : 1;
  localparam SB = (SLOTS > 1) ? $clog2(SLOTS) : 0;
  localparam AB = LB + SB;
  localparam CB = $clog2(WG_MAX + 1);  // bits of a number of tokens

  // ---- arrivals: stage 1 is the write port's register and the slot decoder ----
  reg                 p1_valid_q;
  reg [SLOTS-1:0]     p1_hit_q;     // one-hot slot of the arrival
  reg [SLOT_BITS-1:0] p1_slot_q;
  reg [LB-1:0]        p1_lid_q;
  reg [WIDTH-1:0]     p1_data_q;
  reg [SLOTS*CB-1:0]  last_q;       // group_size - 1, in step with p1
  reg [SLOTS-1:0]     alone_q;      // group_size is 1

  assign s_ready = 1'b1;

  integer i;
  always @(posedge clk) begin
    if (rst) begin
      p1_valid_q <= 1'b0;
      p1_hit_q   <= {SLOTS{1'b0}};
    end else begin
      p1_valid_q <= s_valid;
      for (i = 0; i < SLOTS; i = i + 1) p1_hit_q[i] <= s_valid & (s_slot == i[SLOT_BITS-1:0]);
    end
  end

  always @(posedge clk) begin
    p1_slot_q <= s_slot;
    p1_lid_q  <= s_lid[LB-1:0];
    p1_data_q <= s_data;
    for (i = 0; i < SLOTS; i = i + 1) begin
      last_q[CB*i +: CB] <= group_size[16*i +: CB] - 1'b1;
      alone_q[i]         <= group_size[16*i +: CB] == 1;
    end
  end

  // ---- stage 2: arrivals are counted.  Whether the next one is the last stands in a register. ----
  reg  [SLOTS-1:0]     p2_hit_q;
  reg  [SLOT_BITS-1:0] p2_slot_q;
  wire [SLOTS-1:0]     complete;  // the arrival in stage 2 is the last of its group
  wire [SLOTS-1:0]     partial;

  always @(posedge clk) begin
    if (rst) p2_hit_q <= {SLOTS{1'b0}};
    else p2_hit_q <= p1_hit_q;
  end
  always @(posedge clk) p2_slot_q <= p1_slot_q;

  genvar g;
  generate
    for (g = 0; g < SLOTS; g = g + 1) begin : g_slot
      localparam [CB-1:0] ONE = 1;
      reg [CB-1:0] count_q;
      reg [CB-1:0] next_q;    // count_q + 1
      reg          begun_q;   // count_q != 0
      reg          final_q;   // count_q == group_size - 1
      wire         hit = p2_hit_q[g];
      assign complete[g] = hit & final_q;
      assign partial[g]  = begun_q;
      always @(posedge clk) begin
        if (rst | complete[g]) begin
          count_q <= {CB{1'b0}};
          next_q  <= ONE;
          begun_q <= 1'b0;
        end else if (hit) begin
          count_q <= next_q;
          next_q  <= next_q + ONE;
          begun_q <= 1'b1;
        end
        // The size of a group is there with its last token at the latest, which is in stage 1 now.
        if (hit) final_q <= final_q ? alone_q[g] : next_q == last_q[CB*g +: CB];
        else final_q <= count_q == last_q[CB*g +: CB];
      end
    end
  endgenerate

  // ---- complete groups wait for the sequencer; a slot is there at most once ----
  reg                 full_q;       // stage 3: a group is complete
  reg [SLOT_BITS-1:0] full_slot_q;
  wire                queue_ready_unused;
  wire                q_valid;
  wire                q_ready;
  wire [SLOT_BITS-1:0] q_slot;

  always @(posedge clk) begin
    if (rst) full_q <= 1'b0;
    else full_q <= |complete;
  end
  always @(posedge clk) full_slot_q <= p2_slot_q;

  clhls_fifo #(
    .WIDTH(SLOT_BITS), .DEPTH(SLOTS), .OWNED(1)
  ) u_queue (
    .clk(clk), .rst(rst),
    .s_valid(full_q), .s_ready(queue_ready_unused), .s_data(full_slot_q),
    .m_valid(q_valid), .m_ready(q_ready), .m_data(q_slot)
  );

  // ---- release: read the context RAM in order; every read owns a place in the output FIFO ----
  localparam OUT_WORDS = 17;

  reg                 run_q;
  reg [SLOT_BITS-1:0] slot_q;
  reg [LB-1:0]        lid_q;
  reg [CB-1:0]        left_q;    // tokens to read after this one
  reg                 final_q;   // left_q == 0
  wire                room;
  wire                read = run_q & room;

  assign q_ready = ~run_q | (read & final_q);
  wire load = q_valid & q_ready;

  reg [CB-1:0] q_last;
  always @* begin
    q_last = {CB{1'b0}};
    for (i = 0; i < SLOTS; i = i + 1) begin
      q_last = q_last | (last_q[CB*i +: CB] & {CB{q_slot == i[SLOT_BITS-1:0]}});
    end
  end

  always @(posedge clk) begin
    if (rst) run_q <= 1'b0;
    else run_q <= load | (run_q & ~(read & final_q));
  end

  clhls_credits #(
    .PLACES(OUT_WORDS), .SPARE(1)
  ) u_out_free (
    .clk(clk), .rst(rst), .taken(read), .freed(m_valid & m_ready), .room(room)
  );

  always @(posedge clk) begin
    if (load) begin
      slot_q  <= q_slot;
      lid_q   <= {LB{1'b0}};
      left_q  <= q_last;
      final_q <= q_last == 0;
    end else if (read) begin
      lid_q   <= lid_q + 1'b1;
      left_q  <= left_q - 1'b1;
      final_q <= left_q == 1;
    end
  end

  wire [AB-1:0]    waddr;
  wire [AB-1:0]    raddr;
  wire [WIDTH-1:0] rdata;

  generate
    if (SB > 0) begin : g_slots
      assign waddr = {p1_slot_q[SB-1:0], p1_lid_q};
      assign raddr = {slot_q[SB-1:0], lid_q};
    end else begin : g_one_slot
      assign waddr = p1_lid_q;
      assign raddr = lid_q;
    end
  endgenerate

  // The address read is never written in the same cycle: its token is inside until the read.
  clhls_ram #(
    .WIDTH(WIDTH), .DEPTH(1 << AB), .WE_WIDTH(1), .COLLIDES(0), .TARGET(TARGET)
  ) u_context (
    .clk(clk), .en(1'b1), .en_out(1'b1),
    .wen(p1_valid_q), .waddr(waddr), .wdata(p1_data_q),
    .ren(read), .raddr(raddr), .rdata(rdata)
  );

  reg                 r1_valid_q;
  reg                 r2_valid_q;
  reg [SLOT_BITS-1:0] r1_slot_q;
  reg [SLOT_BITS-1:0] r2_slot_q;
  reg [LB-1:0]        r1_lid_q;
  reg [LB-1:0]        r2_lid_q;

  always @(posedge clk) begin
    if (rst) begin
      r1_valid_q <= 1'b0;
      r2_valid_q <= 1'b0;
    end else begin
      r1_valid_q <= read;
      r2_valid_q <= r1_valid_q;
    end
  end

  always @(posedge clk) begin
    r1_slot_q <= slot_q;
    r2_slot_q <= r1_slot_q;
    r1_lid_q  <= lid_q;
    r2_lid_q  <= r1_lid_q;
  end

  wire          out_ready_unused;
  wire [LB-1:0] out_lid;

  clhls_fifo #(
    .WIDTH(SLOT_BITS + LB + WIDTH), .DEPTH(OUT_WORDS), .OWNED(1)
  ) u_out (
    .clk(clk), .rst(rst),
    .s_valid(r2_valid_q), .s_ready(out_ready_unused), .s_data({r2_slot_q, r2_lid_q, rdata}),
    .m_valid(m_valid), .m_ready(m_ready), .m_data({m_slot, out_lid, m_data})
  );

  generate
    if (LID_BITS > LB) begin : g_wide_lid
      assign m_lid = {{(LID_BITS-LB){1'b0}}, out_lid};
      wire unused = &{1'b0, s_lid[LID_BITS-1:LB]};
    end else begin : g_lid
      assign m_lid = out_lid;
    end
  endgenerate

  reg waiting_q;
  assign waiting = waiting_q;
  always @(posedge clk) begin
    if (rst) waiting_q <= 1'b0;
    else waiting_q <= p1_valid_q | (|p2_hit_q) | (|partial) | full_q | q_valid | run_q;
  end

  wire unused = &{1'b0, queue_ready_unused, out_ready_unused, slot_q};

endmodule

`default_nettype wire
