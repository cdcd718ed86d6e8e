// NDRange dispatcher: enumerates work-groups (x fastest) and in each its work-items (x fastest) as a token stream, hands out
// work-group slots and takes them back when every token of the group has retired.
// latency: start to first token about 12 cycles (plus the bits of the local and global y, z sizes), II 1, also across groups.
// A token is SIMD consecutive work-items along x; a row that SIMD does not divide ends with a token of fewer lanes. With SPLIT tokens
// end where the x global id is a multiple of SIMD, too: the first token of a row may lack its low lanes, for any offset and local size.
// No multiplier: identifiers are kept by increments; three products for the linear id are made by shift and add at the start.
`default_nettype none

module clhls_dispatcher #(
  parameter SLOTS     = 2,   // work-groups in flight, >= 1
  parameter SLOT_BITS = 1,   // bits of a slot number
  parameter TRACKED   = 1,   // 0: nothing is kept for a group: any number of them are in flight, m_slot and group_size are 0 (SLOTS is 1)
  parameter LID_BITS  = 8,   // bits of m_lid: 2^LID_BITS >= tokens of the largest group
  parameter SIMD      = 1,   // work-items of a token, 1..64
  parameter SPLIT     = 0,   // 1: see above; SIMD is a power of two
  parameter UNITS     = 1,   // dispatchers of the launch, 1..16: work-groups go to them in turn
  parameter UNIT      = 0,   // number of this one
  parameter COUNT_BITS = $clog2(SIMD + 1)  // derived: do not set
) (
  input  wire                  clk,
  input  wire                  rst,            // synchronous, active high
  // launch; x in [31:0], y in [63:32], z in [95:64]; stable from start to done.  Unused dimensions are 1, 1, 1, 0.
  input  wire                  start,          // pulse, while not busy
  input  wire [95:0]           global_size,
  input  wire [95:0]           local_size,     // 1..65535 each (x with SPLIT: 65535 - SIMD), at most 65535 tokens a group
  input  wire [95:0]           num_groups,     // ceil(global / local)
  input  wire [95:0]           global_offset,
  output wire                  busy,           // register: from the cycle after start to done
  output wire                  done,           // register: pulse, every work-item of the launch has retired
  // tokens, all registers
  output wire                  m_valid,
  input  wire                  m_ready,
  output wire [SLOT_BITS-1:0]  m_slot,
  output wire [LID_BITS-1:0]   m_lid,          // number of the token in its group: 0, 1, 2 ... (SIMD = 1: linear local id)
  output wire [SIMD-1:0]       m_lanes,        // lane i is a work-item: it has the x ids given here plus i
  output wire [95:0]           m_local_id,     // of lane 0, as all ids.  With SPLIT: not counted from the group's first work-item, as linear ids
  output wire [95:0]           m_group_id,
  output wire [95:0]           m_global_id,    // with offset
  output wire [95:0]           m_local_size,   // of this group: smaller in remainder groups
  output wire [31:0]           m_global_linear,
  output wire [31:0]           m_local_linear,
  // retirement, one token a cycle, in any order
  input  wire                  retire_valid,
  input  wire [SLOT_BITS-1:0]  retire_slot,
  output wire [SLOTS*16-1:0]   group_size,     // tokens of the group in slot i at [16*i +: 16]; 0 until its last token stands ready
  output wire [63:0]           retired         // work-items retired since start (SIMD > 1: begun; the same when done)
);

  initial begin
    if (TRACKED == 0 && SLOTS != 1) begin
      $display("clhls_dispatcher: SLOTS is 1 where groups are not tracked");
      $finish;
    end
    if (SLOTS < 1 || (1 << SLOT_BITS) < SLOTS || SIMD < 1 || SIMD > 64 || LID_BITS < 1 || LID_BITS > 16) begin
      $display("clhls_dispatcher: SLOTS at least 1 and within SLOT_BITS, SIMD 1..64, LID_BITS 1..16");
      $finish;
    end
    if (SPLIT != 0 && (SIMD & (SIMD - 1)) != 0) begin
      $display("clhls_dispatcher: SPLIT takes a SIMD that is a power of two");
      $finish;
    end
    if (UNITS < 1 || UNITS > 16 || UNIT < 0 || UNIT >= UNITS) begin
      $display("clhls_dispatcher: UNITS must be 1..16, UNIT below it");
      $finish;
    end
  end

  localparam [15:0] LANES1 = SIMD[15:0];
  localparam [15:0] LANES2 = LANES1 + LANES1;
  localparam [15:0] LANES3 = LANES2 + LANES1;

  wire [31:0] size_x   = global_size[31:0];
  wire [31:0] size_y   = global_size[63:32];
  wire [31:0] size_z   = global_size[95:64];
  wire [15:0] local_x  = local_size[15:0];
  wire [15:0] local_y  = local_size[47:32];
  wire [15:0] local_z  = local_size[79:64];
  wire [31:0] groups_x = num_groups[31:0];
  wire [31:0] groups_y = num_groups[63:32];
  wire [31:0] groups_z = num_groups[95:64];

  // ---- launch sequence ----
  reg         busy_q;
  reg         done_q;
  reg         prepare_q;   // the products are being made
  reg         run_q;       // groups are enumerated
  reg         all_free_q;  // nothing of the launch is left
  wire        prepared;
  wire        empty   = groups_x == 0 || groups_y == 0 || groups_z == 0;
  reg         empty_q;
  reg         begin_q;     // pulse: all is prepared
  wire        finish    = run_q & all_free_q;

  assign busy = busy_q;
  assign done = done_q;

  always @(posedge clk) begin
    if (rst) begin
      busy_q    <= 1'b0;
      done_q    <= 1'b0;
      prepare_q <= 1'b0;
      begin_q   <= 1'b0;
      run_q     <= 1'b0;
    end else begin
      busy_q    <= (start & ~busy_q) | (busy_q & ~finish);
      prepare_q <= (start & ~busy_q) | (prepare_q & ~prepared);
      begin_q   <= prepare_q & prepared;
      run_q     <= begin_q | (run_q & ~finish);
      done_q    <= finish;
    end
  end
  always @(posedge clk) empty_q <= empty;

  // ---- products for the linear id, modulo 2^32: steps of a group row, of a plane, of a group plane ----
  reg  [31:0] group_row_q;    // local_y * size_x
  reg  [31:0] plane_q;        // size_y * size_x
  reg  [31:0] group_plane_q;  // local_z * plane
  reg  [1:0]  product_q;      // which one is being made; 3: all are there
  reg         loaded_q;
  reg  [31:0] factor_q;
  reg  [31:0] addend_q;
  reg  [31:0] sum_q;
  wire        made = loaded_q & factor_q == 0;

  assign prepared = product_q == 2'd3;

  always @(posedge clk) begin
    if (rst | ~prepare_q) begin
      product_q <= 2'd0;
      loaded_q  <= 1'b0;
    end else begin
      if (made) product_q <= product_q + 2'd1;
      loaded_q <= ~prepared & ~made;
    end
  end

  always @(posedge clk) begin
    if (~loaded_q) begin
      factor_q <= (product_q == 2'd1) ? size_y : {16'd0, (product_q == 2'd0) ? local_y : local_z};
      addend_q <= (product_q == 2'd2) ? plane_q : size_x;
      sum_q    <= 32'd0;
    end else begin
      factor_q <= {1'b0, factor_q[31:1]};
      addend_q <= {addend_q[30:0], 1'b0};
      if (factor_q[0]) sum_q <= sum_q + addend_q;
    end
    if (made) begin
      case (product_q)
        2'd0:    group_row_q <= sum_q;
        2'd1:    plane_q <= sum_q;
        default: group_plane_q <= sum_q;
      endcase
    end
  end

  // ---- work-groups: x fastest ----
  reg         g_valid_q;
  reg  [31:0] g_x_q;           // group id
  reg  [31:0] g_y_q;
  reg  [31:0] g_z_q;
  reg  [31:0] g_base_x_q;      // global id of its first work-item
  reg  [31:0] g_base_y_q;
  reg  [31:0] g_base_z_q;
  reg  [31:0] g_left_x_q;      // work-items from there to the end of the range
  reg  [31:0] g_left_y_q;
  reg  [31:0] g_left_z_q;
  reg  [31:0] g_linear_q;      // global linear id of its first work-item
  reg  [31:0] g_next_row_q;    // ... of the first group in the next row of groups
  reg  [31:0] g_next_plane_q;  // ... and in the next plane of groups
  // Groups after this one, less one: the sign bit says that this is the last one, without a comparison.
  reg  [32:0] g_more_x_q;
  reg  [32:0] g_more_y_q;
  reg  [32:0] g_more_z_q;
  wire        g_final_x = g_more_x_q[32];
  wire        g_final_y = g_more_y_q[32];
  wire        g_final_z = g_more_z_q[32];
  wire        g_go;            // the next group's turn

  wire [31:0] g_x_next = g_x_q + 32'd1;
  wire [31:0] g_y_next = g_y_q + 32'd1;
  wire [31:0] g_z_next = g_z_q + 32'd1;
  reg  [32:0] more_x_q;        // g_more of the first group
  reg  [32:0] more_y_q;
  reg  [32:0] more_z_q;

  always @(posedge clk) begin
    more_x_q <= {1'b0, groups_x} - 33'd2;
    more_y_q <= {1'b0, groups_y} - 33'd2;
    more_z_q <= {1'b0, groups_z} - 33'd2;
  end

  always @(posedge clk) begin
    if (rst) g_valid_q <= 1'b0;
    else if (begin_q) g_valid_q <= ~empty_q;
    else if (g_go) g_valid_q <= ~(g_final_x & g_final_y & g_final_z);
  end

  // What the next values are depends on registers only; g_go, which comes late, says whether they are taken.
  wire        g_first_x = begin_q | g_final_x;
  wire        g_first_y = begin_q | g_final_y;
  wire [31:0] g_row_or_plane = g_final_y ? g_next_plane_q : g_next_row_q;

  always @(posedge clk) begin
    if (begin_q | g_go) begin
      g_x_q      <= g_first_x ? 32'd0 : g_x_next;
      g_base_x_q <= g_first_x ? global_offset[31:0] : g_base_x_q + {16'd0, local_x};
      g_left_x_q <= g_first_x ? size_x : g_left_x_q - {16'd0, local_x};
      g_more_x_q <= g_first_x ? more_x_q : g_more_x_q - 33'd1;
      g_linear_q <= begin_q ? 32'd0 : g_final_x ? g_row_or_plane : g_linear_q + {16'd0, local_x};
    end
    if (begin_q | (g_go & g_final_x)) begin
      g_y_q        <= g_first_y ? 32'd0 : g_y_next;
      g_base_y_q   <= g_first_y ? global_offset[63:32] : g_base_y_q + {16'd0, local_y};
      g_left_y_q   <= g_first_y ? size_y : g_left_y_q - {16'd0, local_y};
      g_more_y_q   <= g_first_y ? more_y_q : g_more_y_q - 33'd1;
      g_next_row_q <= begin_q ? group_row_q : g_row_or_plane + group_row_q;
    end
    if (begin_q | (g_go & g_final_x & g_final_y)) begin
      g_z_q          <= begin_q ? 32'd0 : g_z_next;
      g_base_z_q     <= begin_q ? global_offset[95:64] : g_base_z_q + {16'd0, local_z};
      g_left_z_q     <= begin_q ? size_z : g_left_z_q - {16'd0, local_z};
      g_more_z_q     <= begin_q ? more_z_q : g_more_z_q - 33'd1;
      g_next_plane_q <= begin_q ? group_plane_q : g_next_plane_q + group_plane_q;
    end
  end

  // ---- slots: the one that the next group gets is set aside beforehand ----
  wire                 g_take;    // a group gets it
  reg  [SLOTS-1:0]     free_q;    // not in use and not set aside
  reg  [SLOTS-1:0]     aside_q;   // one-hot, or none
  reg                  have_q;    // one is set aside
  reg  [SLOT_BITS-1:0] aside_number_q;
  wire [SLOTS-1:0]     pick = free_q & (~free_q + {{(SLOTS-1){1'b0}}, 1'b1});  // lowest free slot, one-hot
  wire                 refill = ~have_q | g_take;
  reg  [SLOT_BITS-1:0] pick_number;
  integer p;
  always @* begin
    pick_number = {SLOT_BITS{1'b0}};
    for (p = 0; p < SLOTS; p = p + 1) pick_number = pick_number | (p[SLOT_BITS-1:0] & {SLOT_BITS{pick[p]}});
  end

  always @(posedge clk) begin
    if (rst) begin
      have_q  <= 1'b0;
      aside_q <= {SLOTS{1'b0}};
    end else if (TRACKED == 0) begin
      have_q  <= 1'b1;
      aside_q <= {SLOTS{1'b0}};
    end else if (refill) begin
      have_q  <= |free_q;
      aside_q <= pick;
    end
  end
  always @(posedge clk) begin
    if (refill) aside_number_q <= (TRACKED == 0) ? {SLOT_BITS{1'b0}} : pick_number;
  end

  // ---- descriptor of the next group, ready for the work-item enumerator ----
  reg                 d_valid_q;
  reg [SLOT_BITS-1:0] d_slot_q;
  reg [31:0]          d_group_x_q;
  reg [31:0]          d_group_y_q;
  reg [31:0]          d_group_z_q;
  reg [31:0]          d_base_x_q;
  reg [31:0]          d_base_y_q;
  reg [31:0]          d_base_z_q;
  reg [15:0]          d_size_x_q;
  reg [15:0]          d_row_x_q;  // d_size_x_q and the absent lanes before
  reg [15:0]          d_size_y_q;
  reg [15:0]          d_size_z_q;
  reg [31:0]          d_linear_q;
  reg [31:0]          d_next_row_q;
  reg [31:0]          d_next_plane_q;
  reg [2:0]           d_one_q;    // {z, y, x}: one step only in this dimension
  reg [2:0]           d_two_q;    // at most two steps
  reg [SIMD-1:0]      d_lanes_q;  // lanes of the first token of a row
  wire                d_go;       // the enumerator takes it
  wire                d_move;     // these registers may change

  // Lanes before the group's first work-item: a row begins with them, absent.
  wire [15:0] d_absent = (SPLIT != 0) ? g_base_x_q[15:0] & (LANES1 - 16'd1) : 16'd0;
  wire [15:0] d_size_x = g_final_x ? g_left_x_q[15:0] : local_x;
  wire [15:0] d_row_x  = d_size_x + d_absent;
  wire [15:0] d_size_y = g_final_y ? g_left_y_q[15:0] : local_y;
  wire [15:0] d_size_z = g_final_z ? g_left_z_q[15:0] : local_z;

  wire mine;    // register: the group is this unit's
  assign g_take = g_valid_q & mine & have_q & d_move;
  assign g_go   = g_valid_q & (~mine | (have_q & d_move));

  generate
    if (UNITS > 1) begin : g_turns
      localparam [4:0] FIRST = UNIT[4:0];
      localparam [4:0] LAST  = UNITS[4:0] - 5'd1;
      reg [4:0] turn_q;  // groups to go to the next one of this unit
      reg       mine_q;  // none
      always @(posedge clk) begin
        if (begin_q) begin
          turn_q <= FIRST;
          mine_q <= FIRST == 5'd0;
        end else if (g_go) begin
          turn_q <= mine_q ? LAST : turn_q - 5'd1;
          mine_q <= ~mine_q & (turn_q == 5'd1);
        end
      end
      assign mine = mine_q;
    end else begin : g_all
      assign mine = 1'b1;
    end
  endgenerate

  integer q;
  always @(posedge clk) begin
    if (rst) d_valid_q <= 1'b0;
    else d_valid_q <= g_take | (d_valid_q & ~d_go);
  end
  always @(posedge clk) begin
    if (d_move) begin
      d_slot_q       <= aside_number_q;
      d_group_x_q    <= g_x_q;
      d_group_y_q    <= g_y_q;
      d_group_z_q    <= g_z_q;
      d_base_x_q     <= g_base_x_q - {16'd0, d_absent};
      d_base_y_q     <= g_base_y_q;
      d_base_z_q     <= g_base_z_q;
      d_size_x_q     <= d_size_x;
      d_size_y_q     <= d_size_y;
      d_size_z_q     <= d_size_z;
      d_row_x_q      <= d_row_x;
      d_linear_q     <= g_linear_q;
      d_next_row_q   <= g_linear_q + size_x;
      d_next_plane_q <= g_linear_q + plane_q;
      d_one_q        <= {d_size_z == 16'd1, d_size_y == 16'd1, d_row_x <= LANES1};
      d_two_q        <= {d_size_z <= 16'd2, d_size_y <= 16'd2, d_row_x <= LANES2};
      for (q = 0; q < SIMD; q = q + 1) d_lanes_q[q] <= {16'd0, d_row_x} > q && {16'd0, d_absent} < q + 1;
    end
  end

  // ---- work-items of a group: x fastest ----
  reg                 e_valid_q;
  reg [SLOT_BITS-1:0] e_slot_q;
  reg [LID_BITS-1:0]  e_index_q;       // number of the token
  reg [15:0]          e_tokens_q;      // e_index_q + 1
  reg [SIMD-1:0]      e_lanes_q;
  reg [SIMD-1:0]      e_row_lanes_q;   // lanes of a row's first token
  reg [31:0]          e_group_x_q;
  reg [31:0]          e_group_y_q;
  reg [31:0]          e_group_z_q;
  reg [31:0]          e_base_x_q;
  reg [31:0]          e_base_y_q;
  reg [15:0]          e_size_x_q;
  reg [15:0]          e_row_x_q;       // e_size_x_q and the absent lanes before
  reg [15:0]          e_size_y_q;
  reg [15:0]          e_size_z_q;
  reg [15:0]          e_local_x_q;
  reg [15:0]          e_local_y_q;
  reg [15:0]          e_local_z_q;
  reg [31:0]          e_global_x_q;
  reg [31:0]          e_global_y_q;
  reg [31:0]          e_global_z_q;
  reg [31:0]          e_linear_q;      // global linear id
  reg [31:0]          e_next_row_q;
  reg [31:0]          e_next_plane_q;
  reg [15:0]          e_local_linear_q;
  reg [15:0]          e_local_row_q;   // local linear id of the next row's first work-item
  reg [15:0]          e_left_x_q;      // work-items of the row from this token on, absent lanes before them included
  reg [15:0]          e_left_y_q;      // rows of the plane from this one on
  reg [15:0]          e_left_z_q;
  reg                 e_last_x_q;      // last token of its row
  reg                 e_last_y_q;
  reg                 e_last_z_q;
  reg                 e_pen_x_q;       // last token or last but one
  reg                 e_pen_y_q;
  reg                 e_pen_z_q;
  reg [1:0]           e_one_q;         // {y, x} of the group's shape, see d_one_q
  reg [1:0]           e_two_q;
  reg                 e_last_q;        // last token of its group

  wire e_ready;  // register: the output takes a token
  wire e_fire = e_valid_q & e_ready;
  wire e_step = e_fire & ~e_last_q;
  reg  e_free_q;  // = ~e_valid_q | (e_ready & e_last_q): found out a cycle before, as all registers of the next group wait for it
  // Registers without a token may take anything: what they take depends on registers only, whether they do on e_ready too.
  wire e_move = ~e_valid_q | e_ready;
  wire e_load = ~e_valid_q | e_last_q;

  assign d_go   = d_valid_q & e_free_q;
  assign d_move = ~d_valid_q | e_free_q;

  // end-of-row, -plane and -group flags of the token after this one
  wire row_end   = e_last_x_q;
  wire plane_end = e_last_x_q & e_last_y_q;
  wire last_x_d  = row_end ? e_one_q[0] : e_pen_x_q;
  wire last_y_d  = plane_end ? e_one_q[1] : row_end ? e_pen_y_q : e_last_y_q;
  wire last_z_d  = plane_end ? e_pen_z_q : e_last_z_q;
  wire last_d    = last_x_d & last_y_d & last_z_d;

  wire e_valid_d = d_go | e_step | (e_valid_q & ~e_ready);
  wire e_ready_d = ~m_valid | m_ready | (e_ready & ~e_valid_q);  // u_out's
  wire e_last_d  = ~e_move ? e_last_q : e_load ? &d_one_q : last_d;
  always @(posedge clk) begin
    if (rst) begin
      e_valid_q <= 1'b0;
      e_free_q  <= 1'b1;
    end else begin
      e_valid_q <= e_valid_d;
      e_free_q  <= ~e_valid_d | (e_ready_d & e_last_d);
    end
  end

  integer r;
  always @(posedge clk) e_last_q <= e_last_d;
  always @(posedge clk) begin
    if (e_move) begin
      if (e_load) begin
        e_slot_q         <= d_slot_q;
        e_index_q        <= {LID_BITS{1'b0}};
        e_tokens_q       <= 16'd1;
        e_lanes_q        <= d_lanes_q;
        e_row_lanes_q    <= d_lanes_q;
        e_group_x_q      <= d_group_x_q;
        e_group_y_q      <= d_group_y_q;
        e_group_z_q      <= d_group_z_q;
        e_base_x_q       <= d_base_x_q;
        e_base_y_q       <= d_base_y_q;
        e_size_x_q       <= d_size_x_q;
        e_row_x_q        <= d_row_x_q;
        e_size_y_q       <= d_size_y_q;
        e_size_z_q       <= d_size_z_q;
        e_local_x_q      <= 16'd0;
        e_local_y_q      <= 16'd0;
        e_local_z_q      <= 16'd0;
        e_global_x_q     <= d_base_x_q;
        e_global_y_q     <= d_base_y_q;
        e_global_z_q     <= d_base_z_q;
        e_linear_q       <= d_linear_q;
        e_next_row_q     <= d_next_row_q;
        e_next_plane_q   <= d_next_plane_q;
        e_local_linear_q <= 16'd0;
        e_local_row_q    <= d_size_x_q;
        e_left_x_q       <= d_row_x_q;
        e_left_y_q       <= d_size_y_q;
        e_left_z_q       <= d_size_z_q;
        {e_last_z_q, e_last_y_q, e_last_x_q} <= d_one_q;
        {e_pen_z_q, e_pen_y_q, e_pen_x_q}    <= d_two_q;
        e_one_q          <= d_one_q[1:0];
        e_two_q          <= d_two_q[1:0];
      end else begin
        e_index_q  <= e_index_q + 1'b1;
        e_tokens_q <= e_tokens_q + 16'd1;
        e_last_x_q <= last_x_d;
        e_last_y_q <= last_y_d;
        e_last_z_q <= last_z_d;
        if (row_end) begin
          e_lanes_q        <= e_row_lanes_q;
          e_local_x_q      <= 16'd0;
          e_global_x_q     <= e_base_x_q;
          e_left_x_q       <= e_row_x_q;
          e_pen_x_q        <= e_two_q[0];
          e_local_linear_q <= e_local_row_q;
          e_local_row_q    <= e_local_row_q + e_size_x_q;
          e_linear_q       <= e_last_y_q ? e_next_plane_q : e_next_row_q;
          e_next_row_q     <= (e_last_y_q ? e_next_plane_q : e_next_row_q) + size_x;
          if (e_last_y_q) begin
            e_local_y_q    <= 16'd0;
            e_global_y_q   <= e_base_y_q;
            e_left_y_q     <= e_size_y_q;
            e_pen_y_q      <= e_two_q[1];
            e_local_z_q    <= e_local_z_q + 16'd1;
            e_global_z_q   <= e_global_z_q + 32'd1;
            e_left_z_q     <= e_left_z_q - 16'd1;
            e_pen_z_q      <= e_left_z_q <= 16'd3;
            e_next_plane_q <= e_next_plane_q + plane_q;
          end else begin
            e_local_y_q  <= e_local_y_q + 16'd1;
            e_global_y_q <= e_global_y_q + 32'd1;
            e_left_y_q   <= e_left_y_q - 16'd1;
            e_pen_y_q    <= e_left_y_q <= 16'd3;
          end
        end else begin
          for (r = 0; r < SIMD; r = r + 1) e_lanes_q[r] <= {16'd0, e_left_x_q} > SIMD + r;
          e_local_x_q      <= e_local_x_q + LANES1;
          e_global_x_q     <= e_global_x_q + {16'd0, LANES1};
          e_left_x_q       <= e_left_x_q - LANES1;
          e_pen_x_q        <= e_left_x_q <= LANES3;
          e_local_linear_q <= e_local_linear_q + LANES1;
          e_linear_q       <= e_linear_q + {16'd0, LANES1};
        end
      end
    end
  end

  // ---- output ----
  localparam WORD = SLOT_BITS + LID_BITS + SIMD + 3 * 16 + 2 * 96 + 3 * 16 + 32 + 16;
  wire [47:0] local_id;
  wire [47:0] group_shape;
  wire [15:0] local_linear;

  clhls_skid #(
    .WIDTH(WORD)
  ) u_out (
    .clk(clk), .rst(rst),
    .s_valid(e_valid_q), .s_ready(e_ready),
    .s_data({e_slot_q, e_index_q, e_lanes_q, e_local_z_q, e_local_y_q, e_local_x_q, e_group_z_q, e_group_y_q, e_group_x_q,
             e_global_z_q, e_global_y_q, e_global_x_q, e_size_z_q, e_size_y_q, e_size_x_q, e_linear_q, e_local_linear_q}),
    .m_valid(m_valid), .m_ready(m_ready),
    .m_data({m_slot, m_lid, m_lanes, local_id, m_group_id, m_global_id, group_shape, m_global_linear, local_linear})
  );

  assign m_local_id     = {16'd0, local_id[47:32], 16'd0, local_id[31:16], 16'd0, local_id[15:0]};
  assign m_local_size   = {16'd0, group_shape[47:32], 16'd0, group_shape[31:16], 16'd0, group_shape[15:0]};
  assign m_local_linear = {16'd0, local_linear};

  // ---- accounting of each slot ----
  wire counting;  // a token was sent that is not yet counted
  genvar s;
  generate
    if (TRACKED != 0) begin : g_at_once
      assign counting = 1'b0;
    end
    if (TRACKED == 0) begin : g_untracked
      reg [31:0] out_q;     // tokens sent and not retired, a cycle late
      reg        send_q;
      reg        retire_q;
      assign group_size = {SLOTS*16{1'b0}};
      always @(posedge clk) begin
        if (rst) begin
          send_q   <= 1'b0;
          retire_q <= 1'b0;
          free_q   <= {SLOTS{1'b1}};
          out_q    <= 32'd0;
        end else begin
          send_q   <= e_fire;
          retire_q <= retire_valid;
          if (send_q ^ retire_q) begin
            free_q <= {SLOTS{retire_q & (out_q == 32'd1)}};
            out_q  <= out_q + ({32{retire_q}} | 32'd1);  // -1 or 1, by one adder
          end
        end
      end
      assign counting = send_q;
      wire unused = &{1'b0, retire_slot, e_tokens_q, pick, pick_number, refill, d_one_q};
    end else for (s = 0; s < SLOTS; s = s + 1) begin : g_slot
      reg [15:0] out_q;    // tokens sent and not retired, a cycle late
      reg        sent_q;   // the last token of the group is sent
      reg [15:0] size_q;   // tokens of the group, 0 while not known
      wire send   = e_fire & (e_slot_q == s);
      wire over   = sent_q & out_q == 16'd0;
      reg  send_q;
      reg  last_q;
      reg  retire_q;
      assign group_size[16*s +: 16] = size_q;
      always @(posedge clk) begin
        if (rst) begin
          send_q    <= 1'b0;
          last_q    <= 1'b0;
          retire_q  <= 1'b0;
          free_q[s] <= 1'b1;
          out_q     <= 16'd0;
          sent_q    <= 1'b0;
          size_q    <= 16'd0;
        end else begin
          send_q    <= send;
          last_q    <= send & e_last_q;
          retire_q  <= retire_valid & (retire_slot == s);
          free_q[s] <= over | (free_q[s] & ~(refill & pick[s]));
          if (send_q ^ retire_q) out_q <= out_q + ({16{retire_q}} | 16'd1);  // -1 or 1, by one adder
          sent_q <= last_q | (sent_q & ~over);
          // in step with the token that goes to the output, so that a barrier sees it at the latest with the token
          if (d_go & (d_slot_q == s)) size_q <= (&d_one_q) ? 16'd1 : 16'd0;
          else if (send & ~e_last_q & last_d) size_q <= e_tokens_q + 16'd1;
        end
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (rst | ~run_q) all_free_q <= 1'b0;
    else all_free_q <= (&(free_q | aside_q)) & ~g_valid_q & ~d_valid_q & ~e_valid_q & ~counting;
  end

  // ---- counter: where tokens retire they no longer carry their lanes, so several lanes are counted at the start ----
  reg                  counted_q;
  reg [SIMD-1:0]       counted_lanes_q;
  reg [COUNT_BITS-1:0] count;
  reg                  add_q;
  reg [COUNT_BITS-1:0] count_q;
  reg [63:0]           retired_q;
  assign retired = retired_q;

  integer c;
  always @* begin
    count = {COUNT_BITS{1'b0}};
    for (c = 0; c < SIMD; c = c + 1) count = count + {{(COUNT_BITS-1){1'b0}}, counted_lanes_q[c]};
  end

  always @(posedge clk) begin
    if (rst) begin
      counted_q <= 1'b0;
      add_q     <= 1'b0;
    end else begin
      counted_q <= (SIMD == 1) ? retire_valid : (m_valid & m_ready);
      add_q     <= counted_q;
    end
  end
  always @(posedge clk) begin
    counted_lanes_q <= (SIMD == 1) ? {SIMD{1'b1}} : m_lanes;
    count_q         <= count;
    if (rst | (start & ~busy_q)) retired_q <= 64'd0;
    else if (add_q) retired_q <= retired_q + {{(64-COUNT_BITS){1'b0}}, count_q};
  end

  wire unused = &{1'b0, local_size, g_left_x_q, g_left_y_q, g_left_z_q};

endmodule

`default_nettype wire
