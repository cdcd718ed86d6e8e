// clhls_barrier: groups of random sizes in all slots, tokens that come back for several phases while their group is being released.
`default_nettype none
module bench;
  parameter SLOTS  = 3;
  parameter WG_MAX = 64;
  parameter SIZE   = 0;   // 0: random group sizes
  parameter TARGET = "generic";
  `include "bench.vh"

  localparam SB = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam LB = (WG_MAX > 1) ? $clog2(WG_MAX) : 1;
  localparam W  = 32;

  reg  [SLOTS*16-1:0] group_size = 0;
  reg                 s_valid = 0;
  wire                s_ready;
  reg  [W-1:0]        s_data;
  reg  [SB-1:0]       s_slot;
  reg  [LB-1:0]       s_lid;
  wire                m_valid;
  reg                 m_ready = 0;
  wire [W-1:0]        m_data;
  wire [SB-1:0]       m_slot;
  wire [LB-1:0]       m_lid;
  wire                waiting;

  clhls_barrier #(
    .WIDTH(W), .SLOTS(SLOTS), .WG_MAX(WG_MAX), .SLOT_BITS(SB), .LID_BITS(LB), .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst), .group_size(group_size), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_slot(s_slot), .s_lid(s_lid),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .m_slot(m_slot), .m_lid(m_lid), .waiting(waiting)
  );

  // Tokens outside the barrier, in a bag from which they arrive in any order.  Payload {phase, slot, lid}.
  localparam BAG = SLOTS * WG_MAX;
  integer bag_n = 0, i, j, pick, s;
  reg [W-1:0] bag [0:BAG-1];
  integer size [0:SLOTS-1], phases [0:SLOTS-1], arrived [0:SLOTS-1], phase [0:SLOTS-1], next [0:SLOTS-1], left [0:SLOTS-1], sent [0:SLOTS-1];
  integer groups = 0, releases = 0, idle_cycles = 0, from, arrivals = 0, in_order = 0;
  reg was = 0;
  reg [W+15:0] was_all;

  task new_group(input integer slot);
    begin
      size[slot]    = SIZE ? SIZE : (dice(4) == 0) ? 1 + dice(3) : 1 + dice(WG_MAX);
      if (size[slot] > WG_MAX) size[slot] = WG_MAX;
      phases[slot]  = full_rate ? 1000000 : 1 + dice(5);
      arrived[slot] = 0;
      phase[slot]   = 0;
      next[slot]    = 0;
      left[slot]    = size[slot];
      groups        = groups + 1;
      sent[slot]    = 0;
      group_size[16*slot +: 16] <= 0;  // as the dispatcher: not known before the last token stands ready
      for (j = 0; j < size[slot]; j = j + 1) begin
        bag[bag_n] = {16'd0, slot[7:0], j[7:0]};
        bag_n = bag_n + 1;
      end
    end
  endtask

  initial for (i = 0; i < SLOTS; i = i + 1) left[i] = 0;

  always @(posedge clk) if (!rst) begin
    check(s_ready === 1'b1, "not ready");
    if (was) check(m_valid && {m_data, m_slot, m_lid} === was_all, "valid or token changed before ready");
    was <= m_valid & ~m_ready;
    was_all <= {m_data, m_slot, m_lid};
    // arrival of the cycle before
    if (s_valid & s_ready) begin
      arrived[s_slot] = arrived[s_slot] + 1;
      arrivals = arrivals + 1;
    end
    if (m_valid & m_ready) begin
      s = m_slot;
      releases = releases + 1;
      check(s < SLOTS && m_lid === next[s], "not in order of local id");
      check(m_data[15:8] === s && m_data[7:0] === next[s] && m_data[31:16] === phase[s], "wrong payload");
      check(arrived[s] >= size[s] * (phase[s] + 1), "released before all arrived");
      next[s] = next[s] + 1;
      if (phase[s] + 1 < phases[s]) begin
        bag[bag_n] = {m_data[31:16] + 16'd1, m_data[15:0]};
        bag_n = bag_n + 1;
      end else left[s] = left[s] - 1;
      if (next[s] == size[s]) begin
        next[s] = 0;
        phase[s] = phase[s] + 1;
      end
    end
    m_ready <= out_turn(0);
    // a slot whose group is gone gets another
    for (i = 0; i < SLOTS; i = i + 1) if (left[i] == 0 && dice(16) == 0) new_group(i);
    s_valid <= 0;
    s_data <= {W{1'bx}};
    if (bag_n > 0 && in_turn(0)) begin
      pick = in_order ? 0 : dice(bag_n);
      s_valid <= 1;
      s_data <= bag[pick];
      s_slot <= bag[pick] >> 8;
      s_lid  <= bag[pick];
      bag_n = bag_n - 1;
      s = bag[pick][15:8];
      sent[s] = sent[s] + 1;
      if (sent[s] == size[s]) group_size[16*s +: 16] <= size[s];
      if (in_order) for (j = 0; j < bag_n; j = j + 1) bag[j] = bag[j+1];
      else bag[pick] = bag[bag_n];
    end
    idle_cycles = (m_valid | ~m_ready | ~in_turn(0)) ? 0 : idle_cycles + 1;
    check(idle_cycles < 1000, "hangs");
  end

  initial begin
    wait (!rst);
    repeat (30000) @(posedge clk);
    check(groups > 30 || SIZE, "too few groups");
    // rate: all slots in endless phases
    full_rate = 1;
    repeat (3000) @(posedge clk);
    from = releases;
    repeat (2000) @(posedge clk);
    $display("SLOTS %0d: %0d groups, %0d releases in 2000 cycles", SLOTS, groups, releases - from);
    if (SLOTS > 1 && SIZE >= 32) check(releases - from == 2000, "less than one arrival and one release a cycle");
    check(waiting, "waiting is low with tokens inside");
    finish_bench;
  end
endmodule
