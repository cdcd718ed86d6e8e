// On-chip memory with PORTS in-order client ports.
// latency 4 for PORTS <= 2 (request to response), 5 above, 6 for SUBWORD = 1 with several ports and for ATOMIC = 1; II 1 per client
// when there is no conflict.
// ATOMIC = 0: client i uses side i % 2 of a true dual port RAM; PORTS <= 2 never stalls without SUBWORD.
// ATOMIC = 1: all clients share one read-modify-write pipeline of one operation a cycle.
// A request is performed in the order of acceptance: whatever is accepted later, on any port, sees it.
`default_nettype none

module clhls_local_mem #(
  parameter PORTS      = 2,            // client ports, >= 1
  parameter WORD_BYTES = 4,            // bytes of a word; ATOMIC = 1 with NARROW = 0: of an atomic operation
  parameter WORDS      = 1024,         // capacity, >= 2
  parameter ATOMIC     = 0,            // 1: all operations; 0: load and store only
  parameter NARROW     = 0,            // ATOMIC = 1, not 0: operations are of the bytes that s_strb tells, 4 in a row or more, at most NARROW
  parameter SUBWORD    = 0,            // 1: byte stores by several clients; the two sides then never share a word in one cycle
  parameter [PORTS-1:0] READS  = {PORTS{1'b1}},  // bit i: port i asks for responses
  parameter [PORTS-1:0] WRITES = {PORTS{1'b1}},  // bit i: port i stores (or is atomic)
  parameter [15:0] OPS = 16'h1FFF,     // ATOMIC = 1: operations that occur, see clhls_atomic_alu
  parameter TARGET     = "generic",    // RAM primitive: "generic" or "ecp5"
  parameter ADDR_BITS  = $clog2(WORDS) // derived: do not set
) (
  input  wire                          clk,
  input  wire                          rst,        // synchronous, active high
  // requests, port i at [i*W +: W]
  input  wire [PORTS-1:0]              s_valid,
  output wire [PORTS-1:0]              s_ready,
  input  wire [PORTS*4-1:0]            s_op,       // clhls_atomic_alu: 11 load, 12 store
  input  wire [PORTS*ADDR_BITS-1:0]    s_addr,     // word address
  input  wire [PORTS*8*WORD_BYTES-1:0] s_data,
  input  wire [PORTS*8*WORD_BYTES-1:0] s_compare,  // cmpxchg only
  input  wire [PORTS*WORD_BYTES-1:0]   s_strb,     // store: bytes to write; NARROW: bytes of the operation, whatever it is
  input  wire [PORTS-1:0]              s_pred,     // 0: no access, the response is 0
  input  wire [PORTS-1:0]              s_resp,     // 1: answer this request (loads and atomics: the old word; stores: no meaning)
  // responses
  output wire [PORTS-1:0]              m_valid,
  input  wire [PORTS-1:0]              m_ready,
  output wire [PORTS*8*WORD_BYTES-1:0] m_data
);

  initial begin
    if (PORTS < 1 || WORDS < 2 || WORD_BYTES < 1) begin
      $display("clhls_local_mem: PORTS and WORD_BYTES must be at least 1, WORDS at least 2");
      $finish;
    end
  end

  localparam DW = 8 * WORD_BYTES;
  localparam [3:0] OP_STORE = 4'd12;

  wire [PORTS-1:0] room;       // the response has a place
  wire [PORTS-1:0] take = s_valid & s_ready;
  wire [PORTS-1:0] answer;     // answer of port i in this cycle
  wire [PORTS*DW-1:0] answer_data;

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_response
      if (READS[p]) begin : g_fifo
        clhls_response #(
          .WIDTH(DW)
        ) u_response (
          .clk(clk), .rst(rst), .reserve(take[p] & s_resp[p]), .room(room[p]),
          .s_valid(answer[p]), .s_data(answer_data[p*DW +: DW]),
          .m_valid(m_valid[p]), .m_ready(m_ready[p]), .m_data(m_data[p*DW +: DW])
        );
      end else begin : g_none
        assign room[p] = 1'b1;
        assign m_valid[p] = 1'b0;
        assign m_data[p*DW +: DW] = {DW{1'b0}};
        wire unused = &{1'b0, take[p], answer[p], answer_data[p*DW +: DW], m_ready[p]};
      end
    end
  endgenerate

  generate
    if (ATOMIC != 0) begin : g_atomic
      // ---- one pipeline: arbiter, register, read-modify-write ----
      localparam SIDE = 4 + ADDR_BITS + 2 * DW + WORD_BYTES + 2;
      wire [PORTS-1:0] grant;
      wire [PORTS-1:0] used = grant & take;
      reg  [SIDE-1:0]  word;
      reg  [SIDE-1:0]  word_q;
      reg              valid_q;
      reg  [PORTS-1:0] grant_q;
      wire             o_valid;
      wire [DW-1:0]    o_old;
      wire [PORTS:0]   o_tag;   // {answer wanted, one-hot port}
      wire             busy_unused;

      clhls_parked_arbiter #(
        .N(PORTS)
      ) u_arbiter (
        .clk(clk), .rst(rst), .request(s_valid & room), .hold(1'b0), .grant(grant)
      );

      assign s_ready = grant & room;

      integer i;
      always @* begin
        word = {SIDE{1'b0}};
        for (i = 0; i < PORTS; i = i + 1) begin
          word = word | ({s_resp[i] & READS[i], s_pred[i], s_op[4*i +: 4], s_addr[i*ADDR_BITS +: ADDR_BITS], s_data[i*DW +: DW],
                          s_compare[i*DW +: DW], s_strb[i*WORD_BYTES +: WORD_BYTES]} & {SIDE{grant[i]}});
        end
      end

      always @(posedge clk) begin
        if (rst) valid_q <= 1'b0;
        else valid_q <= |used;
      end
      always @(posedge clk) begin
        word_q  <= word;
        grant_q <= grant;
      end

      wire                  q_resp;
      wire                  q_pred;
      wire [3:0]            q_op;
      wire [ADDR_BITS-1:0]  q_addr;
      wire [DW-1:0]         q_data;
      wire [DW-1:0]         q_compare;
      wire [WORD_BYTES-1:0] q_strb;
      wire [DW-1:0]         x_rdata_unused;
      assign {q_resp, q_pred, q_op, q_addr, q_data, q_compare, q_strb} = word_q;

      wire                 o_write_unused;
      wire [ADDR_BITS-1:0] o_addr_unused;
      wire [DW-1:0]        o_new_unused;
      clhls_rmw #(
        .WIDTH(DW), .LANES(1), .DEPTH(1 << ADDR_BITS), .TAG_BITS(PORTS + 1), .NARROW(NARROW), .OPS(OPS), .TARGET(TARGET)
      ) u_rmw (
        .clk(clk), .rst(rst),
        .i_valid(valid_q), .i_pred(q_pred), .i_op(q_op), .i_addr(q_addr), .i_data(q_data), .i_compare(q_compare), .i_strb(q_strb),
        .i_tag({q_resp, grant_q}),
        .o_valid(o_valid), .o_old(o_old), .o_tag(o_tag), .o_write(o_write_unused),
        .o_addr(o_addr_unused), .o_new(o_new_unused), .busy(busy_unused),
        .x_wen(1'b0), .x_ren(1'b0), .x_line({ADDR_BITS{1'b0}}), .x_wdata({DW{1'b0}}), .x_rdata(x_rdata_unused)
      );

      assign answer      = o_tag[PORTS-1:0] & {PORTS{o_valid & o_tag[PORTS]}};
      assign answer_data = {PORTS{o_old}};
      wire unused = &{1'b0, o_write_unused, o_addr_unused, o_new_unused, busy_unused, x_rdata_unused, WRITES, SUBWORD != 0};
    end else begin : g_plain
      // ---- two sides, each with its clients ----
      // A side has several clients, or waits for the other one: arbiter and register.
      localparam SHARED = PORTS > 2 || (SUBWORD != 0 && PORTS > 1);
      localparam SIDE   = ADDR_BITS + DW + WORD_BYTES + 2;
      wire [PORTS-1:0]        want = s_valid & room;
      wire [2*PORTS-1:0]      grant;       // side d at [d*PORTS +: PORTS]
      reg  [2*SIDE-1:0]       word;        // the granted request of each side
      wire [1:0]              active;
      // Side 1 has to wait for a cycle: same word as side 0, and one of them writes.  All clients wait then, so that requests are
      // still performed in the order of acceptance.
      wire                    clash;       // register
      wire [1:0]              r_valid;     // request at the RAM
      wire [2*PORTS-1:0]      r_grant;
      wire [2*SIDE-1:0]       r_word;
      wire [2*DW-1:0]         rdata;

      genvar d;
      for (d = 0; d < 2; d = d + 1) begin : g_side
        wire [PORTS-1:0] mine;
        for (p = 0; p < PORTS; p = p + 1) begin : g_mine
          assign mine[p] = (p % 2 == d) ? want[p] : 1'b0;
        end
        if (SHARED) begin : g_arbiter
          wire [PORTS-1:0] parked;
          clhls_parked_arbiter #(
            .N(PORTS)
          ) u_arbiter (
            .clk(clk), .rst(rst), .request(mine), .hold(clash), .grant(parked)
          );
          assign grant[d*PORTS +: PORTS] = parked;
          assign active[d] = |(parked & mine);
        end else begin : g_direct
          assign grant[d*PORTS +: PORTS] = mine;
          assign active[d] = |mine;
        end
      end

      integer i;
      integer e;
      always @* begin
        word = {2*SIDE{1'b0}};
        for (e = 0; e < 2; e = e + 1) begin
          for (i = 0; i < PORTS; i = i + 1) begin
            word[e*SIDE +: SIDE] = word[e*SIDE +: SIDE] | ({s_resp[i] & READS[i], s_pred[i],
              s_strb[i*WORD_BYTES +: WORD_BYTES] & {WORD_BYTES{WRITES[i] & s_pred[i] & (s_op[4*i +: 4] == OP_STORE)}},
              s_data[i*DW +: DW], s_addr[i*ADDR_BITS +: ADDR_BITS]} & {SIDE{grant[e*PORTS+i]}});
          end
        end
      end

      // Without arbiter a port is ready whenever its response has a place: a register.
      for (p = 0; p < PORTS; p = p + 1) begin : g_ready
        if (SHARED) begin : g_shared
          assign s_ready[p] = grant[(p%2)*PORTS+p] & room[p] & ~clash;
        end else begin : g_own
          assign s_ready[p] = room[p];
        end
      end

      if (SHARED) begin : g_register
        reg [1:0]         active_q;
        reg [2*PORTS-1:0] grant_q;
        reg [2*SIDE-1:0]  word_q;
        always @(posedge clk) begin
          if (rst) active_q <= 2'b00;
          else if (~clash) active_q <= active;
        end
        always @(posedge clk) begin
          if (~clash) begin
            grant_q <= grant;
            word_q  <= word;
          end
        end
        if (SUBWORD != 0) begin : g_subword
          // One more stage, whose two requests have been compared when they come into it.
          reg [1:0]         pair_q;
          reg [2*PORTS-1:0] pair_grant_q;
          reg [2*SIDE-1:0]  pair_word_q;
          reg               clash_q;
          wire same = word_q[0 +: ADDR_BITS] == word_q[SIDE +: ADDR_BITS];
          wire stores = (|word_q[ADDR_BITS+DW +: WORD_BYTES]) | (|word_q[SIDE+ADDR_BITS+DW +: WORD_BYTES]);
          always @(posedge clk) begin
            if (rst) begin
              pair_q  <= 2'b00;
              clash_q <= 1'b0;
            end else begin
              pair_q  <= clash_q ? 2'b10 : active_q;
              clash_q <= ~clash_q & (&active_q) & same & stores;
            end
          end
          always @(posedge clk) begin
            if (~clash_q) begin
              pair_grant_q <= grant_q;
              pair_word_q  <= word_q;
            end
          end
          assign clash   = clash_q;
          assign r_valid = {pair_q[1] & ~clash_q, pair_q[0]};
          assign r_grant = pair_grant_q;
          assign r_word  = pair_word_q;
        end else begin : g_words
          assign clash   = 1'b0;
          assign r_valid = active_q;
          assign r_grant = grant_q;
          assign r_word  = word_q;
        end
      end else begin : g_straight
        assign clash   = 1'b0;
        assign r_valid = active;
        assign r_grant = grant;
        assign r_word  = word;
        wire unused = &{1'b0, clash};
      end

      clhls_ram_2rw #(
        .WIDTH(DW), .DEPTH(1 << ADDR_BITS), .WE_WIDTH(WORD_BYTES), .TARGET(TARGET)
      ) u_ram (
        .clk(clk),
        .a_en(1'b1), .a_wen(r_word[ADDR_BITS+DW +: WORD_BYTES] & {WORD_BYTES{r_valid[0]}}),
        .a_addr(r_word[0 +: ADDR_BITS]), .a_wdata(r_word[ADDR_BITS +: DW]), .a_rdata(rdata[0 +: DW]),
        .b_en(1'b1), .b_wen(r_word[SIDE+ADDR_BITS+DW +: WORD_BYTES] & {WORD_BYTES{r_valid[1]}}),
        .b_addr(r_word[SIDE +: ADDR_BITS]), .b_wdata(r_word[SIDE+ADDR_BITS +: DW]), .b_rdata(rdata[DW +: DW])
      );

      // the two read cycles
      for (d = 0; d < 2; d = d + 1) begin : g_read
        reg [PORTS-1:0] answer1_q;
        reg [PORTS-1:0] answer2_q;
        reg             pred1_q;
        reg             pred2_q;
        always @(posedge clk) begin
          if (rst) begin
            answer1_q <= {PORTS{1'b0}};
            answer2_q <= {PORTS{1'b0}};
          end else begin
            answer1_q <= r_grant[d*PORTS +: PORTS] & {PORTS{r_valid[d] & r_word[d*SIDE + SIDE-1]}};
            answer2_q <= answer1_q;
          end
        end
        always @(posedge clk) begin
          pred1_q <= r_word[d*SIDE + SIDE-2];
          pred2_q <= pred1_q;
        end
        wire [DW-1:0] value = rdata[d*DW +: DW] & {DW{pred2_q}};
        for (p = 0; p < PORTS; p = p + 1) begin : g_port
          if (p % 2 == d) begin : g_mine
            assign answer[p] = answer2_q[p];
            assign answer_data[p*DW +: DW] = value;
          end
        end
        wire unused = &{1'b0, answer2_q, value};
      end
      wire unused = &{1'b0, s_compare, OPS};
    end
  endgenerate

endmodule

`default_nettype wire
