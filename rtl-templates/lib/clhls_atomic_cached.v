// Global atomics on memory that nothing else writes during the launch: direct-mapped cache of LINES bus lines in front of a
// read-modify-write pipeline.  Only bytes that operations have written are written back.
// latency 8 on a hit, II 1 on hits (any addresses).  BLOCK lines come and go together: a miss waits for the pipeline and the writes before,
// sends what was written of the block in its place, and fetches its own in one burst.  Flushing passes every line, a cycle each, writes dirty ones, about 6 cycles each, and waits for memory to acknowledge the last
// one.  After reset all lines are forgotten the same way.
// THROUGH = 1: others may read.  Every operation that writes goes to memory at once and is answered when memory has acknowledged
// it, DEPTH of them under way; a miss waits for all of them.
// Use through clhls_atomic.
`default_nettype none

module clhls_atomic_cached #(
  parameter BYTES     = 4,            // bytes of an operation
  parameter BUS_BYTES = 64,           // bytes of a bus line
  parameter LINES     = 16,           // a power of two, > BLOCK
  parameter BLOCK     = 2,            // lines that a miss fetches, a power of two, 2..16
  parameter LINE_BITS = 58,           // bits of a line number
  parameter LANE_BITS = 4,            // log2(BUS_BYTES / BYTES), at least 1
  parameter TAG_BITS  = 1,            // client's tag
  parameter THROUGH   = 0,            // 0: write-back, nobody else may read either; 1: write-through
  parameter DEPTH     = 128,          // THROUGH = 1: operations without their answer
  parameter [15:0] OPS = 16'h1FFF,    // operations that occur, see clhls_atomic_alu
  parameter TARGET    = "generic"     // RAM primitive: "generic" or "ecp5"
) (
  input  wire                   clk,
  input  wire                   rst,       // synchronous, active high
  input  wire                   flush,     // level: write everything back and forget it
  output wire                   idle,      // register: nothing inside, no line is dirty
  input  wire                   c_valid,
  output wire                   c_ready,
  input  wire [TAG_BITS-1:0]    c_tag,
  input  wire                   c_pred,
  input  wire [3:0]             c_op,
  input  wire [LINE_BITS-1:0]   c_line,
  input  wire [LANE_BITS-1:0]   c_lane,
  input  wire [8*BYTES-1:0]     c_data,
  input  wire [8*BYTES-1:0]     c_compare,
  output wire                   o_valid,   // always accepted
  output wire [TAG_BITS-1:0]    o_tag,
  output wire [8*BYTES-1:0]     o_old,
  output wire                   ar_valid,
  input  wire                   ar_ready,
  output wire [LINE_BITS-1:0]   ar_line,
  input  wire                   r_valid,
  input  wire [8*BUS_BYTES-1:0] r_data,
  output wire                   aw_valid,
  input  wire                   aw_ready,
  output wire [LINE_BITS-1:0]   aw_line,
  output wire                   w_valid,
  input  wire                   w_ready,
  output wire [8*BUS_BYTES-1:0] w_data,
  output wire [BUS_BYTES-1:0]   w_strb,
  input  wire                   b_valid
);

  initial begin
    if (BLOCK < 2 || BLOCK > 16 || (BLOCK & (BLOCK - 1)) != 0 || LINES <= BLOCK || (LINES & (LINES - 1)) != 0) begin
      $display("clhls_atomic_cached: LINES and BLOCK must be powers of two, BLOCK 2..16, LINES larger");
      $finish;
    end
  end

  localparam LANES = BUS_BYTES / BYTES;
  localparam DW    = 8 * BYTES;
  localparam IW    = $clog2(LINES);
  localparam KW    = LINE_BITS - IW;  // key bits: the upper part of the line number
  localparam SB    = $clog2(BLOCK);   // bits of a line's place in its block
  localparam [3:0] OP_LOAD = 4'd11;

  localparam [2:0] ST_RUN     = 3'd0;
  localparam [2:0] ST_DRAIN   = 3'd1;  // wait for the pipeline
  localparam [2:0] ST_VICTIM  = 3'd2;  // read a dirty line out of the RAM
  localparam [2:0] ST_WRITE   = 3'd3;  // AW and W
  localparam [2:0] ST_ASK     = 3'd4;  // AR
  localparam [2:0] ST_FILL    = 3'd5;  // R, line by line

  // ---- two request stages: 1 compares the tags, which it read when the request came, 2 issues ----
  localparam SIDE = TAG_BITS + 4 + LANE_BITS + 2 * DW;
  reg                 p1_valid_q;
  reg                 p1_pred_q;
  reg [LINE_BITS-1:0] p1_line_q;
  reg [SIDE-1:0]      p1_side_q;
  reg                 p1_known_q;   // tag of its place in the cache, as it is now
  reg [KW-1:0]        p1_key_q;
  reg                 p2_valid_q;
  reg                 p2_pred_q;
  reg [LINE_BITS-1:0] p2_line_q;
  reg [SIDE-1:0]      p2_side_q;
  reg                 p2_hit_q;     // its line is in the cache
  // It can be issued, if there is room: known a cycle before, as the readies of clients far away follow from it.  Then the state is ST_RUN:
  // in the others, stage 2 has what misses, or nothing.
  reg                 p2_can_q;

  (* ram_style = "distributed" *)
  reg [KW:0]  key [0:LINES/BLOCK-1];  // of each block: known, key
  reg         put_q;        // a key is being written: a cycle after its line was filled or forgotten, as memory's handshake decides that late
  reg [IW-SB-1:0] put_index_q;
  reg [KW:0]  put_key_q;
  reg         stale_q;      // a line changed in one of the last two cycles: stage 1 may have read the key before
  reg         any_q;        // some line is known
  reg         fresh_q;      // the sweep after reset: what stands for the lines means nothing
  reg         looked_q;     // `dirty` tells of the line at index_q
  wire        dirty;        // register: it was written

  reg         aw_done_q;
  reg         w_done_q;
  reg [2:0]   state_q;
  reg         sweep_q;      // flushing: all lines in turn
  reg [IW-1:0] index_q;     // line at work in the states after ST_DRAIN
  wire [IW-1:0] p2_index = p2_line_q[IW-1:0];
  wire        rmw_busy;
  wire        pending;      // THROUGH: operations without their answer
  wire        marking;      // a written lane is being noted
  wire        busy = rmw_busy | pending | marking;
  wire        owing;        // written lines that memory has not acknowledged: another miss could fetch one of them
  wire        p1_hit = p1_known_q & (p1_key_q == p1_line_q[LINE_BITS-1:IW]);
  wire        room;         // THROUGH: the operation's answer has a place to wait
  wire        issue = p2_can_q & room;
  wire        writes = (THROUGH == 0) & issue & p2_pred_q & (p2_op != OP_LOAD);  // the line becomes dirty
  // Stage 1 to stage 2; not while lines are being forgotten, as it reads the tags.
  wire        move1 = (~p2_valid_q & ~sweep_q & ~stale_q) | issue;
  wire        got    = (state_q == ST_FILL) & r_valid;
  reg  [SB-1:0] fill_q;     // line of the block that comes next
  wire        filled = got & (&fill_q);
  wire        swept  = sweep_q & (&index_q);
  wire        last   = sweep_q ? (&index_q) : (&index_q[SB-1:0]);  // no other line is at work after this one

  wire        wrote = (state_q == ST_WRITE) & aw_done_q & w_done_q;  // registers: the port is far away
  // the line at index_q is forgotten, the next one is at work
  wire        look;         // the lanes of the line that is next at work are read
  wire        begun = sweep_q | ~owing | (|index_q[SB-1:0]);  // a miss waits for earlier writes, not for those of its own block
  wire        next_line = ((state_q == ST_DRAIN) & looked_q & begun & ~dirty) | wrote;

  wire        changes = filled | next_line | put_q;  // stage 1 may have read the key before, in this cycle or the next

  assign look    = ((state_q == ST_DRAIN) & ~busy & ~looked_q) | next_line;
  assign c_ready = (~p1_valid_q | move1) & ~stale_q;

  wire [TAG_BITS-1:0]  p2_tag;
  wire [3:0]           p2_op;
  wire [LANE_BITS-1:0] p2_lane;
  wire [DW-1:0]        p2_data;
  wire [DW-1:0]        p2_compare;
  assign {p2_tag, p2_op, p2_lane, p2_data, p2_compare} = p2_side_q;

  always @(posedge clk) begin
    if (rst) begin
      p1_valid_q <= 1'b0;
      p2_valid_q <= 1'b0;
      p2_hit_q   <= 1'b0;
      p2_can_q   <= 1'b0;
    end else begin
      if (c_ready) p1_valid_q <= c_valid;
      if (move1) p2_valid_q <= p1_valid_q;
      if (filled) p2_hit_q <= 1'b1;
      else if (move1) p2_hit_q <= p1_hit;
      p2_can_q <= ~changes & (move1 ? p1_valid_q & (p1_hit | ~p1_pred_q) : p2_valid_q & (p2_hit_q | ~p2_pred_q));
    end
  end

  always @(posedge clk) begin
    if (c_ready) begin
      p1_pred_q <= c_pred;
      p1_line_q <= c_line;
      p1_side_q <= {c_tag, c_op, c_lane, c_data, c_compare};
    end
    if (move1) begin
      p2_pred_q <= p1_pred_q;
      p2_line_q <= p1_line_q;
      p2_side_q <= p1_side_q;
    end
    put_q       <= filled | (next_line & sweep_q & (&index_q[SB-1:0]));
    put_index_q <= filled ? p2_index[IW-1:SB] : index_q[IW-1:SB];
    put_key_q   <= {filled, p2_line_q[LINE_BITS-1:IW]};
    if (put_q) key[put_index_q] <= put_key_q;
    stale_q <= changes;
  end

  // Read with the request, and again when it may have changed since.
  wire [IW-SB-1:0] p1_index = stale_q ? p1_line_q[IW-1:SB] : c_line[IW-1:SB];
  always @(posedge clk) begin
    if (stale_q | c_ready) {p1_known_q, p1_key_q} <= key[p1_index];
  end

  // ---- miss and flush ----
  wire miss      = p2_valid_q & p2_pred_q & ~p2_hit_q;
  wire want_sweep = flush & ~p1_valid_q & ~p2_valid_q & any_q;
  reg [1:0] step_q;         // RAM read cycles
  reg [KW-1:0] victim_key_q;
  reg [8*BUS_BYTES-1:0] victim_q;

  always @(posedge clk) begin
    if (rst) begin
      state_q   <= ST_DRAIN;
      sweep_q   <= 1'b1;
      fresh_q   <= 1'b1;
      looked_q  <= 1'b0;
      any_q     <= 1'b0;
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      step_q    <= 2'd0;
    end else begin
      looked_q  <= (state_q != ST_RUN) & (looked_q | look);
      fresh_q   <= fresh_q & ~(swept & next_line);
      any_q     <= filled | (any_q & ~(swept & next_line));
      aw_done_q <= (state_q == ST_WRITE) & (aw_done_q | aw_ready);
      w_done_q  <= (state_q == ST_WRITE) & (w_done_q | w_ready);
      step_q    <= (state_q == ST_VICTIM) ? step_q + 2'd1 : 2'd0;
      case (state_q)
        ST_RUN: begin
          sweep_q <= ~miss & want_sweep;
          if (miss | want_sweep) state_q <= ST_DRAIN;
        end
        ST_DRAIN: begin
          // once for each line; a clean one costs one cycle
          if (looked_q & begun) begin
            if (dirty) state_q <= ST_VICTIM;
            else if (last) state_q <= sweep_q ? ST_RUN : ST_ASK;
          end
        end
        ST_VICTIM: if (step_q == 2'd2) state_q <= ST_WRITE;
        ST_WRITE:  if (wrote) state_q <= ~last ? ST_DRAIN : sweep_q ? ST_RUN : ST_ASK;
        ST_ASK:    if (ar_ready) state_q <= ST_FILL;
        ST_FILL:   if (filled) state_q <= ST_RUN;
        default:   state_q <= ST_RUN;
      endcase
    end
  end

  always @(posedge clk) begin
    if (rst) index_q <= {IW{1'b0}};
    else if (state_q == ST_RUN) index_q <= miss ? {p2_index[IW-1:SB], {SB{1'b0}}} : {IW{1'b0}};
    else if (next_line) index_q <= index_q + 1'b1;
    if (state_q == ST_RUN) fill_q <= {SB{1'b0}};
    else if (got) fill_q <= fill_q + 1'b1;
    if (state_q == ST_DRAIN) victim_key_q <= key[index_q[IW-1:SB]][KW-1:0];
    if (state_q == ST_VICTIM) victim_q <= x_rdata;
  end

  assign ar_valid = state_q == ST_ASK;
  assign ar_line  = {p2_line_q[LINE_BITS-1:SB], {SB{1'b0}}};

  // ---- data ----
  wire [8*BUS_BYTES-1:0] x_rdata;
  wire [IW+$clog2(LANES)-1:0] address;

  generate
    if (LANES > 1) begin : g_lanes
      assign address = {p2_index, p2_lane};
    end else begin : g_one_lane
      assign address = p2_index;
      wire unused = &{1'b0, p2_lane};
    end
  endgenerate

  clhls_rmw #(
    .WIDTH(DW), .LANES(LANES), .DEPTH(LINES), .TAG_BITS(TAG_BITS), .OPS(OPS), .TARGET(TARGET)
  ) u_rmw (
    .clk(clk), .rst(rst),
    .i_valid(issue), .i_pred(p2_pred_q), .i_op(p2_op), .i_addr(address), .i_data(p2_data), .i_compare(p2_compare),
    .i_strb({BYTES{1'b1}}), .i_tag(p2_tag),
    .o_valid(x_valid), .o_old(x_old), .o_tag(x_tag), .o_write(x_write), .o_addr(x_addr), .o_new(x_new), .busy(rmw_busy),
    .x_wen(got), .x_ren(state_q == ST_VICTIM), .x_line((state_q == ST_FILL) ? {p2_index[IW-1:SB], fill_q} : index_q), .x_wdata(r_data), .x_rdata(x_rdata)
  );

  // ---- results: to the client and, as they are or line by line, to memory ----
  wire                        x_valid;
  wire [DW-1:0]               x_old;
  wire [TAG_BITS-1:0]         x_tag;
  wire                        x_write;
  wire [IW+$clog2(LANES)-1:0] x_addr;
  wire [DW-1:0]               x_new;

  generate
    if (THROUGH == 0) begin : g_back
      reg  [IW:0] owed_q;   // writes that memory has not acknowledged
      reg         owing_q;  // known at once of what is written, late of what is acknowledged
      reg         wrote_q;  // counted a cycle later
      reg         b_q;
      always @(posedge clk) begin
        if (rst) begin
          owed_q  <= {(IW+1){1'b0}};
          owing_q <= 1'b0;
          wrote_q <= 1'b0;
          b_q     <= 1'b0;
        end else begin
          owed_q  <= owed_q + {{IW{1'b0}}, wrote_q} - {{IW{1'b0}}, b_q};
          owing_q <= wrote | wrote_q | (owed_q != {(IW+1){1'b0}});
          wrote_q <= wrote;
          b_q     <= b_valid;
        end
      end

      assign room     = 1'b1;
      assign pending  = 1'b0;
      assign owing    = owing_q;
      assign o_valid  = x_valid;
      assign o_old    = x_old;
      assign o_tag    = x_tag;
      assign aw_valid = (state_q == ST_WRITE) & ~aw_done_q;
      assign aw_line  = {victim_key_q, index_q};
      assign w_valid  = (state_q == ST_WRITE) & ~w_done_q;
      assign w_data   = victim_q;

      // Lanes that were written, line by line, a memory for each lane; a line without any is clean. Others are not written back: a
      // line may belong to the buffer in part only.  A lane is noted a cycle after its operation was issued, a line cleaned a
      // cycle after it was forgotten.
      reg              dirty_q;
      reg              mark_q;
      reg  [IW-1:0]    mark_index_q;
      reg  [LANES-1:0] mark_lanes_q;
      reg              clean_q;
      reg  [IW-1:0]    look_q;  // line at index_q until it was looked at, then the one after it
      // With an initial value this stays the register of the address: yosys would make a copy of it in the RAM's port, and gates of its enable.
      initial look_q = {IW{1'b0}};
      wire [LANES-1:0] written;
      reg  [LANES-1:0] victim_lanes_q;
      integer l;
      assign marking = mark_q;
      assign dirty   = dirty_q;
      always @(posedge clk) begin
        mark_q  <= ~rst & writes;
        clean_q <= ~rst & next_line;
      end
      always @(posedge clk) begin
        mark_index_q <= writes ? p2_index : index_q;
        for (l = 0; l < LANES; l = l + 1) mark_lanes_q[l] <= writes & ((LANES == 1) | ({{(32-LANE_BITS){1'b0}}, p2_lane} == l));
        if (look) begin
          dirty_q        <= (|written) & ~fresh_q;
          victim_lanes_q <= written;
          look_q         <= look_q + 1'b1;
        end
        if (rst) look_q <= {IW{1'b0}};
        else if (state_q == ST_RUN) look_q <= miss ? {p2_index[IW-1:SB], {SB{1'b0}}} : {IW{1'b0}};
      end
      genvar t;
      for (t = 0; t < LANES; t = t + 1) begin : g_mark
        (* ram_style = "distributed" *)
        reg lane [0:LINES-1];
        assign written[t] = lane[look_q];
        always @(posedge clk) begin
          if (mark_lanes_q[t] | clean_q) lane[mark_index_q] <= mark_lanes_q[t];
        end
      end
      genvar s;
      for (s = 0; s < LANES; s = s + 1) begin : g_strobe
        assign w_strb[s*BYTES +: BYTES] = {BYTES{victim_lanes_q[s]}};
      end
      wire unused = &{1'b0, x_write, x_addr, x_new};
    end else begin : g_through
      localparam CW = $clog2(DEPTH + 1);
      localparam [CW-1:0] ALL = DEPTH[CW-1:0];
      localparam [CW-1:0] ONE = 1;
      reg  [CW-1:0] places_q;  // answers that may still be asked for
      reg           room_q;
      reg           pending_q;
      reg  [CW-1:0] acks_q;    // acknowledged writes whose answers have not left
      wire          head_valid;
      wire          head_write;
      wire          leave   = head_valid & (~head_write | (acks_q != {CW{1'b0}}));
      wire [CW-1:0] places  = places_q + {{(CW-1){1'b0}}, leave} - {{(CW-1){1'b0}}, issue};
      wire [2:0]    taken_unused;
      wire [IW-1:0] x_index = x_addr[IW+$clog2(LANES)-1 -: IW];
      wire [LANE_BITS-1:0] w_lane;
      wire [DW-1:0] w_word;

      assign marking = 1'b0;
      assign dirty   = 1'b0;
      assign owing   = 1'b0;
      assign room    = room_q;
      assign pending = pending_q;
      assign o_valid = leave;

      always @(posedge clk) begin
        if (rst) begin
          places_q  <= ALL;
          room_q    <= 1'b1;
          pending_q <= 1'b0;
          acks_q    <= {CW{1'b0}};
        end else begin
          places_q  <= places;
          room_q    <= places != {CW{1'b0}};
          pending_q <= places != ALL;
          if (b_valid ^ (leave & head_write)) acks_q <= acks_q + ({CW{~b_valid}} | ONE);  // -1 or 1, by one adder
        end
      end

      clhls_fifo #(
        .WIDTH(1 + TAG_BITS + DW), .DEPTH(DEPTH), .TARGET(TARGET)
      ) u_answers (
        .clk(clk), .rst(rst), .s_valid(x_valid), .s_ready(taken_unused[0]), .s_data({x_write, x_tag, x_old}),
        .m_valid(head_valid), .m_ready(leave), .m_data({head_write, o_tag, o_old})
      );

      // A line stays in the cache while operations on it are inside: its key is that of the operation.
      reg                 line_valid_q;
      reg [LINE_BITS-1:0] line_q;
      always @(posedge clk) line_valid_q <= ~rst & x_valid & x_write;
      always @(posedge clk) line_q <= {key[x_index[IW-1:SB]][KW-1:0], x_index};

      clhls_fifo #(
        .WIDTH(LINE_BITS), .DEPTH(DEPTH), .TARGET(TARGET)
      ) u_lines (
        .clk(clk), .rst(rst), .s_valid(line_valid_q), .s_ready(taken_unused[1]), .s_data(line_q),
        .m_valid(aw_valid), .m_ready(aw_ready), .m_data(aw_line)
      );

      wire [LANE_BITS-1:0] x_lane;
      if (LANES > 1) begin : g_lane
        assign x_lane = x_addr[LANE_BITS-1:0];
      end else begin : g_one
        assign x_lane = 1'b0;
      end

      clhls_fifo #(
        .WIDTH(LANE_BITS + DW), .DEPTH(DEPTH), .TARGET(TARGET)
      ) u_words (
        .clk(clk), .rst(rst), .s_valid(x_valid & x_write), .s_ready(taken_unused[2]), .s_data({x_lane, x_new}),
        .m_valid(w_valid), .m_ready(w_ready), .m_data({w_lane, w_word})
      );

      assign w_data = {LANES{w_word}};
      genvar s;
      for (s = 0; s < LANES; s = s + 1) begin : g_strobe
        assign w_strb[s*BYTES +: BYTES] = {BYTES{w_lane == s}};
      end

      wire unused = &{1'b0, taken_unused, victim_key_q, victim_q, aw_done_q, w_done_q, writes, fresh_q};
    end
  endgenerate

  reg idle_q;
  assign idle = idle_q;
  always @(posedge clk) begin
    if (rst) idle_q <= 1'b1;
    else idle_q <= ~(c_valid | p1_valid_q | p2_valid_q | busy | wrote | owing | any_q) & (state_q == ST_RUN);
  end

endmodule

`default_nettype wire
