// On-chip memory kept in several equal RAMs, so that loads of one cycle do not wait for one another: a store goes to all of them.
// latency 4 (request to response); II 1 for a client that has its side of the RAMs for itself, others take turns.
// Clients 0 to STORES - 1 store, on one side of all RAMs.  Clients FIRST[c] to FIRST[c + 1] - 1 load, on the other side of RAM c.
// A request whose predicate is 0 waits for no turn.
// A request is performed in the order of acceptance: whatever is accepted later, on any port, sees it.  A load that is accepted in
// the same cycle as a store to its word reads the old word; with COLLIDES = 0 the bytes that are stored are undefined.
`default_nettype none

module clhls_replicated_mem #(
  parameter PORTS      = 3,            // client ports, > STORES
  parameter STORES     = 1,            // those that store, >= 1
  parameter REPLICAS   = 2,            // RAMs, 1 .. PORTS - STORES
  parameter [16*(REPLICAS+1)-1:0] FIRST = {16'd3, 16'd2, 16'd1},  // first client of each RAM, from STORES on; at last PORTS
  parameter WORD_BYTES = 4,            // bytes of a word
  parameter WORDS      = 1024,         // capacity, >= 2
  parameter COLLIDES   = 1,            // 0: nobody loads bytes in the cycle in which others of their word are stored
  parameter [PORTS-1:0] READS = {PORTS{1'b1}},  // bit i: port i is answered
  parameter TARGET     = "generic",    // RAM primitive: "generic" or "ecp5"
  parameter ADDR_BITS  = $clog2(WORDS) // derived: do not set
) (
  input  wire                           clk,
  input  wire                           rst,      // synchronous, active high
  // requests, port i at [i*W +: W]
  input  wire [PORTS-1:0]               s_valid,
  output wire [PORTS-1:0]               s_ready,
  input  wire [PORTS*ADDR_BITS-1:0]     s_addr,   // word address
  input  wire [STORES*8*WORD_BYTES-1:0] s_data,
  input  wire [STORES*WORD_BYTES-1:0]   s_strb,   // bytes to write
  input  wire [PORTS-1:0]               s_pred,   // 0: no access, the response is 0
  // responses: of a load its word, of a store 0
  output wire [PORTS-1:0]               m_valid,
  input  wire [PORTS-1:0]               m_ready,
  output wire [PORTS*8*WORD_BYTES-1:0]  m_data
);

  initial begin
    if (STORES < 1 || REPLICAS < 1 || REPLICAS > PORTS - STORES || WORDS < 2 || WORD_BYTES < 1) begin
      $display("clhls_replicated_mem: STORES, REPLICAS and WORD_BYTES must be at least 1, WORDS at least 2, a load for each RAM");
      $finish;
    end
  end

  localparam DW    = 8 * WORD_BYTES;
  localparam STORE = WORD_BYTES + DW + ADDR_BITS;

  wire [PORTS-1:0]       room;   // the response has a place
  wire [PORTS-1:0]       turn;   // the client has its side
  wire [PORTS-1:0]       want = s_valid & s_pred & room;
  wire [REPLICAS*DW-1:0] rdata;  // two cycles after the address stands in front of the RAM
  wire [PORTS*DW-1:0]    answer_data;

  genvar p;
  genvar c;

  // ---- who has its turn: a register, or nobody else is there ----
  generate
    if (STORES > 1) begin : g_store_turns
      clhls_parked_arbiter #(
        .N(STORES)
      ) u_arbiter (
        .clk(clk), .rst(rst), .request(want[0 +: STORES]), .hold(1'b0), .grant(turn[0 +: STORES])
      );
    end else begin : g_store_alone
      assign turn[0] = 1'b1;
    end
  endgenerate

  // ---- stores, registered in front of all RAMs ----
  reg [STORE-1:0] store;
  reg [STORE-1:0] store_q;
  reg             stores_q;
  integer i;
  always @* begin
    store = {STORE{1'b0}};
    for (i = 0; i < STORES; i = i + 1) begin
      store = store | ({s_strb[i*WORD_BYTES +: WORD_BYTES], s_data[i*DW +: DW], s_addr[i*ADDR_BITS +: ADDR_BITS]} & {STORE{turn[i]}});
    end
  end
  always @(posedge clk) begin
    if (rst) stores_q <= 1'b0;
    else stores_q <= |(want[0 +: STORES] & turn[0 +: STORES]);
  end
  always @(posedge clk) store_q <= store;

  // ---- RAMs, each with the loads that it answers ----
  generate
    for (c = 0; c < REPLICAS; c = c + 1) begin : g_replica
      localparam integer LO = {16'd0, FIRST[16*c +: 16]};
      localparam integer N  = {16'd0, FIRST[16*(c+1) +: 16]} - LO;
      reg [ADDR_BITS-1:0] addr;
      reg [ADDR_BITS-1:0] addr_q;
      integer k;
      if (N > 1) begin : g_turns
        clhls_parked_arbiter #(
          .N(N)
        ) u_arbiter (
          .clk(clk), .rst(rst), .request(want[LO +: N]), .hold(1'b0), .grant(turn[LO +: N])
        );
      end else begin : g_alone
        assign turn[LO] = 1'b1;
        wire unused = &{1'b0, want[LO]};
      end
      always @* begin
        addr = {ADDR_BITS{1'b0}};
        for (k = LO; k < LO + N; k = k + 1) addr = addr | (s_addr[k*ADDR_BITS +: ADDR_BITS] & {ADDR_BITS{turn[k]}});
      end
      always @(posedge clk) addr_q <= addr;
      clhls_ram #(
        .WIDTH(DW), .DEPTH(1 << ADDR_BITS), .WE_WIDTH(WORD_BYTES), .COLLIDES(COLLIDES), .TARGET(TARGET)
      ) u_ram (
        .clk(clk), .en(1'b1), .en_out(1'b1),
        .wen(store_q[ADDR_BITS+DW +: WORD_BYTES] & {WORD_BYTES{stores_q}}), .waddr(store_q[0 +: ADDR_BITS]), .wdata(store_q[ADDR_BITS +: DW]),
        .ren(1'b1), .raddr(addr_q), .rdata(rdata[c*DW +: DW])
      );
      // What a client of this RAM is answered.
      for (p = LO; p < LO + N; p = p + 1) begin : g_word
        reg [2:0] pred_q;
        always @(posedge clk) pred_q <= {pred_q[1:0], s_pred[p]};
        if (READS[p]) begin : g_answer
          assign answer_data[p*DW +: DW] = rdata[c*DW +: DW] & {DW{pred_q[2]}};
        end else begin : g_none
          assign answer_data[p*DW +: DW] = {DW{1'b0}};
          wire unused = &{1'b0, pred_q};
        end
      end
    end
  endgenerate

  // ---- answers ----
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      // A client that nobody takes turns with is ready whenever its response has a place: a register.
      assign s_ready[p] = room[p] & (turn[p] | ~s_pred[p]);
      if (p < STORES) begin : g_store
        assign answer_data[p*DW +: DW] = {DW{1'b0}};
      end
      if (READS[p]) begin : g_response
        wire      take = s_valid[p] & s_ready[p];
        reg [2:0] answer_q;
        always @(posedge clk) begin
          if (rst) answer_q <= 3'b000;
          else answer_q <= {answer_q[1:0], take};
        end
        clhls_response #(
          .WIDTH(DW)
        ) u_response (
          .clk(clk), .rst(rst), .reserve(take), .room(room[p]),
          .s_valid(answer_q[2]), .s_data(answer_data[p*DW +: DW]),
          .m_valid(m_valid[p]), .m_ready(m_ready[p]), .m_data(m_data[p*DW +: DW])
        );
      end else begin : g_none
        assign room[p] = 1'b1;
        assign m_valid[p] = 1'b0;
        assign m_data[p*DW +: DW] = {DW{1'b0}};
        wire unused = &{1'b0, m_ready[p], answer_data[p*DW +: DW]};
      end
    end
  endgenerate

endmodule

`default_nettype wire
