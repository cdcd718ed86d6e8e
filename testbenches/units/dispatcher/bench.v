// clhls_dispatcher against nested loops: every field of every token, slots, group sizes, done; retirement out of order.
`default_nettype none
module bench;
  parameter SLOTS    = 2;
  parameter SIMD     = 1;
  parameter TRACKED  = 1;
  parameter SPLIT    = 0;
  parameter UNITS    = 1;
  parameter UNIT     = 0;
  parameter LAUNCHES = 60;
  `include "bench.vh"

  localparam SB = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam CB = $clog2(SIMD + 1);
  localparam LB = 16;

  reg               start = 0;
  reg  [95:0]       global_size, local_size, num_groups, global_offset;
  wire              busy, done, m_valid;
  reg               m_ready = 0;
  wire [SB-1:0]     m_slot;
  wire [LB-1:0]     m_lid;
  wire [SIMD-1:0]   m_lanes;
  wire [95:0]       m_local_id, m_group_id, m_global_id, m_local_size;
  wire [31:0]       m_global_linear, m_local_linear;
  reg               retire_valid = 0;
  reg  [SB-1:0]     retire_slot = 0;
  wire [SLOTS*16-1:0] group_size;
  wire [63:0]       retired;

  clhls_dispatcher #(
    .SLOTS(SLOTS), .SLOT_BITS(SB), .TRACKED(TRACKED), .LID_BITS(LB), .SIMD(SIMD), .SPLIT(SPLIT), .UNITS(UNITS), .UNIT(UNIT)
  ) dut (
    .clk(clk), .rst(rst), .start(start), .global_size(global_size), .local_size(local_size), .num_groups(num_groups),
    .global_offset(global_offset), .busy(busy), .done(done), .m_valid(m_valid), .m_ready(m_ready), .m_slot(m_slot), .m_lid(m_lid),
    .m_lanes(m_lanes), .m_local_id(m_local_id), .m_group_id(m_group_id), .m_global_id(m_global_id), .m_local_size(m_local_size),
    .m_global_linear(m_global_linear), .m_local_linear(m_local_linear),
    .retire_valid(retire_valid), .retire_slot(retire_slot), .group_size(group_size), .retired(retired)
  );

  // ---- reference: the next token in nested loop order ----
  integer gx, gy, gz, lx, ly, lz, sx, sy, sz, index, row, low, high, tokens_of_group;  // low, high: first lane of a token and the one after its last
  integer total, seen, first_cycle, last_cycle;
  reg [SB-1:0] slot;
  integer dims [0:2], loc [0:2], grp [0:2], off [0:2];

  function integer least(input integer a, input integer b);
    least = (a < b) ? a : b;
  endfunction

  // lanes of a token before the group's work-item lx: tokens may begin anywhere, or at multiples of SIMD of the global id
  function integer before(input integer unused);
    before = (SPLIT != 0) ? ((gx * loc[0] + lx + off[0]) & (SIMD - 1)) : 0;
  endfunction

  // tokens of a row, counted one by one
  function integer row_tokens(input integer unused);
    integer w, t;
    begin
      t = 0;
      for (w = 0; w < sx; w = w + 1)
        if (w == 0 || ((SPLIT != 0) ? (gx * loc[0] + w + off[0]) & (SIMD - 1) : w % SIMD) == 0) t = t + 1;
      row_tokens = t;
    end
  endfunction

  // whether the group is this unit's
  function mine(input integer unused);
    mine = ((gz * grp[1] + gy) * grp[0] + gx) % UNITS == UNIT;
  endfunction

  task next_group;
    begin
      gx = gx + 1;
      if (gx == grp[0]) begin gx = 0; gy = gy + 1; end
      if (gy == grp[1]) begin gy = 0; gz = gz + 1; end
    end
  endtask

  task new_group;
    begin
      sx = least(loc[0], dims[0] - gx * loc[0]);
      sy = least(loc[1], dims[1] - gy * loc[1]);
      sz = least(loc[2], dims[2] - gz * loc[2]);
      lx = 0; ly = 0; lz = 0; index = 0; row = 0;
      tokens_of_group = row_tokens(0) * sy * sz;
    end
  endtask

  // tokens in the datapath: per slot how many, and how many work-items each (SIMD > 1: a bag)
  integer in_slot [0:SLOTS-1], sent_slot [0:SLOTS-1], size_slot [0:SLOTS-1];
  integer bag_n, i, k, x, y, z, pick;
  reg [SB-1:0] bag_slot [0:4095];
  integer bag_lanes [0:4095];
  reg was = 0;
  reg [1023:0] was_all;
  wire [1023:0] all = {m_slot, m_lid, m_lanes, m_local_id, m_group_id, m_global_id, m_local_size, m_global_linear, m_local_linear};
  integer retire_rate = 4, holding = 0;

  always @(posedge clk) if (!rst) begin
    check(dut.e_free_q === (~dut.e_valid_q | (dut.e_ready & dut.e_last_q)), "what is said of the work-item stage a cycle ahead");
    if (was) check(m_valid && all === was_all, "valid or token changed before ready");
    was <= m_valid & ~m_ready;
    was_all <= all;
    if (m_valid) begin
      // the size is known with the last token, at the earliest when that is the next one but one, and 0 before
      if (TRACKED == 0 || index < tokens_of_group - 3) check(group_size[16*m_slot +: 16] === 0, "group_size before the last token");
      else if (index == tokens_of_group - 1 || group_size[16*m_slot +: 16] !== 0)
        check(group_size[16*m_slot +: 16] === tokens_of_group, "group_size");
    end
    if (m_valid & m_ready) begin
      seen = seen + 1;
      if (first_cycle < 0) first_cycle = cycle;
      last_cycle = cycle;
      if (index == 0) begin
        slot = m_slot;
        check(TRACKED == 0 || in_slot[slot] == 0, "slot of a group that has not retired");
      end
      x = gx * loc[0] + lx; y = gy * loc[1] + ly; z = gz * loc[2] + lz;
      low  = before(0);
      high = least(SIMD, low + sx - lx);
      check(m_slot === slot, "slot changed inside a group");
      check(m_lid === index, "m_lid");
      check(m_lanes === ((64'd1 << high) - (64'd1 << low)), "m_lanes");
      check(SPLIT != 0 || m_local_id === {lz, ly, lx}, "m_local_id");
      check(m_group_id === {gz, gy, gx}, "m_group_id");
      check(m_global_id === {z + off[2], y + off[1], x + off[0] - low}, "m_global_id");
      check(m_local_size === {sz, sy, sx}, "m_local_size");
      check(SPLIT != 0 || m_global_linear === (z * dims[1] + y) * dims[0] + x, "m_global_linear");
      check(SPLIT != 0 || m_local_linear === (lz * sy + ly) * sx + lx, "m_local_linear");
      bag_slot[bag_n]  = m_slot;
      bag_lanes[bag_n] = high - low;
      bag_n = bag_n + 1;
      in_slot[slot] = in_slot[slot] + 1;
      index = index + 1;
      lx = lx + high - low;
      if (lx >= sx) begin lx = 0; ly = ly + 1; end
      if (ly == sy) begin ly = 0; lz = lz + 1; end
      if (lz == sz) begin
        next_group;
        while (gz < grp[2] && !mine(0)) next_group;
        if (gz < grp[2]) new_group;
      end
    end
    m_ready <= out_turn(0) && bag_n < 4000;
    // retire some token of the bag
    retire_valid <= 0;
    if (bag_n > 0 && (full_rate ? bag_n > holding : dice(8) < retire_rate)) begin
      pick = full_rate ? 0 : dice(bag_n);
      retire_valid <= 1;
      retire_slot  <= bag_slot[pick];
      in_slot[bag_slot[pick]] = in_slot[bag_slot[pick]] - 1;
      bag_n = bag_n - 1;
      if (full_rate) begin
        for (k = 0; k < bag_n; k = k + 1) begin
          bag_slot[k] = bag_slot[k+1];
          bag_lanes[k] = bag_lanes[k+1];
        end
      end else begin
        bag_slot[pick]  = bag_slot[bag_n];
        bag_lanes[pick] = bag_lanes[bag_n];
      end
    end
    if (dice(100) == 0) retire_rate = 1 + dice(8);
  end

  task launch;
    integer items, wait_start;
    begin
      items = 0;
      total = 0;
      for (i = 0; i < 3; i = i + 1) grp[i] = (dims[i] + loc[i] - 1) / loc[i];
      for (gz = 0; gz < grp[2]; gz = gz + 1)
        for (gy = 0; gy < grp[1]; gy = gy + 1)
          for (gx = 0; gx < grp[0]; gx = gx + 1) begin
            new_group;
            if (mine(0)) begin
              total = total + tokens_of_group;
              items = items + sx * sy * sz;
            end
          end
      gx = 0; gy = 0; gz = 0;
      if (grp[0] != 0 && grp[1] != 0) while (gz < grp[2] && !mine(0)) next_group;
      new_group;
      seen = 0; bag_n = 0; first_cycle = -1;
      for (i = 0; i < SLOTS; i = i + 1) in_slot[i] = 0;
      global_size   <= {dims[2], dims[1], dims[0]};
      local_size    <= {loc[2], loc[1], loc[0]};
      num_groups    <= {grp[2], grp[1], grp[0]};
      global_offset <= {off[2], off[1], off[0]};
      start <= 1;
      @(posedge clk) start <= 0;
      wait_start = cycle;
      @(posedge clk) check(busy, "not busy after start");
      while (!done) @(posedge clk);
      check(seen == total, "done before everything was sent");
      check(bag_n == 0, "done before everything retired");
      check(retired === items, "retired counter");
      @(posedge clk) check(!done && !busy, "done is not a pulse");
    end
  endtask

  integer n, rate_total;
  initial begin
    wait (!rst);
    @(posedge clk);
    for (n = 0; n < LAUNCHES; n = n + 1) begin
      for (i = 0; i < 3; i = i + 1) begin
        dims[i] = (i <= n % 4) ? 1 + dice(i == 0 ? 40 : 9) : 1;
        loc[i]  = dice(2) ? 1 + dice(dims[i] + 2) : 1 + dice(4);
        off[i]  = (i <= n % 4 && dice(2)) ? $random(seed) >>> dice(30) : 0;
      end
      if (n % 7 == 3) dims[dice(3)] = 0;
      launch;
    end
    // rate: groups of 64, then groups of 1 with retirement close behind
    full_rate = 1;
    dims[0] = 1024; dims[1] = 1; dims[2] = 1; loc[0] = 64; loc[1] = 1; loc[2] = 1; off[0] = 5; off[1] = 0; off[2] = 0;
    holding = 0;
    launch;
    $display("SLOTS %0d SIMD %0d: %0d tokens in %0d cycles, groups of 64 work-items", SLOTS, SIMD, total, last_cycle - first_cycle + 1);
    if (UNITS == 1 && (SLOTS > 1 || TRACKED == 0) && SIMD < 16) check(last_cycle - first_cycle + 1 == total, "less than one token a cycle");
    dims[0] = 32; dims[1] = 32; loc[0] = 4; loc[1] = 3;
    launch;
    $display("SLOTS %0d SIMD %0d: %0d tokens in %0d cycles, groups of 4 x 3", SLOTS, SIMD, total, last_cycle - first_cycle + 1);
    if (UNITS == 1 && SLOTS > 1 && SIMD == 1) check(last_cycle - first_cycle + 1 == total, "less than one token a cycle");
    dims[0] = 300; dims[1] = 1; loc[0] = 1; loc[1] = 1;
    launch;
    $display("SLOTS %0d SIMD %0d: %0d tokens in %0d cycles, groups of 1", SLOTS, SIMD, total, last_cycle - first_cycle + 1);
    if (UNITS == 1 && SLOTS >= 8) check(last_cycle - first_cycle + 1 == total, "less than one token a cycle");
    finish_bench;
  end
endmodule
