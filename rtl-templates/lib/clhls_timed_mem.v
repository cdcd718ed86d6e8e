// On-chip memory whose accesses have cycles of their own, so that nobody waits: what a schedule places at one port never comes in one cycle.
// latency 2 from a load's address to its word, 3 with STAGED; II 1.
// Without REPLICAS the two ports are the sides of one RAM.  With them port 0 writes all RAMs, and port 1 + r reads RAM r.
// A load sees what was stored in earlier cycles.  In the cycle of a store to its word it reads the old word with PARTS and REPLICAS, else
// an undefined one, which must not be used.
`default_nettype none

module clhls_timed_mem #(
  parameter CLIENTS    = 2,            // accesses, >= 1
  parameter REPLICAS   = 0,            // RAMs with a side for stores and one for loads; 0: one RAM with two sides for all
  parameter PORTS      = (REPLICAS > 0) ? 1 + REPLICAS : 2,  // derived: do not set
  parameter [16*CLIENTS-1:0] PORT = {16'd1, 16'd0},  // the port of each client
  parameter WORD_BYTES = 4,            // bytes of a word
  parameter WORDS      = 1024,         // capacity, >= 2
  parameter PARTS      = 0,            // whether stores write some bytes of a word only; then REPLICAS > 0 or nobody loads
  parameter STAGED     = 0,            // whether registers stand in front of the ports
  parameter TARGET     = "generic",    // RAM primitive: "generic" or "ecp5"
  parameter ADDR_BITS  = $clog2(WORDS) // derived: do not set
) (
  input  wire                            clk,
  // accesses, client i at [i*W +: W]
  input  wire [CLIENTS-1:0]              s_valid,
  input  wire [CLIENTS*ADDR_BITS-1:0]    s_addr,   // word address
  input  wire [CLIENTS*8*WORD_BYTES-1:0] s_data,
  input  wire [CLIENTS*WORD_BYTES-1:0]   s_strb,   // bytes to write; 0: a load
  // the word of what was loaded at port p, at [p*W +: W]; 0 of port 0 with REPLICAS
  output wire [PORTS*8*WORD_BYTES-1:0]   m_data
);

  initial begin
    if (CLIENTS < 1 || WORDS < 2 || WORD_BYTES < 1) begin
      $display("clhls_timed_mem: CLIENTS and WORD_BYTES must be at least 1, WORDS at least 2");
      $finish;
    end
  end

  localparam DW = 8 * WORD_BYTES;
  localparam WE = (PARTS != 0) ? WORD_BYTES : 1;

  // ---- in front of the RAMs: at most one client of a port is there in a cycle ----
  wire [PORTS*ADDR_BITS-1:0] addr;
  wire [PORTS*DW-1:0]        wdata;
  wire [PORTS*WE-1:0]        wen;

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      reg [ADDR_BITS-1:0] port_addr;
      reg [DW-1:0]        port_data;
      reg [WE-1:0]        port_wen;
      integer             k;
      always @* begin
        port_addr = {ADDR_BITS{1'b0}};
        port_data = {DW{1'b0}};
        port_wen  = {WE{1'b0}};
        for (k = 0; k < CLIENTS; k = k + 1) if (PORT[16*k +: 16] == p) begin
          port_addr = port_addr | (s_addr[k*ADDR_BITS +: ADDR_BITS] & {ADDR_BITS{s_valid[k]}});
          port_data = port_data | (s_data[k*DW +: DW] & {DW{s_valid[k]}});
          port_wen  = port_wen | (s_strb[k*WORD_BYTES +: WE] & {WE{s_valid[k]}});
        end
      end
      if (STAGED != 0) begin : g_staged
        reg [ADDR_BITS-1:0] addr_q;
        reg [DW-1:0]        data_q;
        reg [WE-1:0]        wen_q;
        always @(posedge clk) begin
          addr_q <= port_addr;
          data_q <= port_data;
          wen_q  <= port_wen;
        end
        assign addr[p*ADDR_BITS +: ADDR_BITS] = addr_q;
        assign wdata[p*DW +: DW]              = data_q;
        assign wen[p*WE +: WE]                = wen_q;
      end else begin : g_direct
        assign addr[p*ADDR_BITS +: ADDR_BITS] = port_addr;
        assign wdata[p*DW +: DW]              = port_data;
        assign wen[p*WE +: WE]                = port_wen;
      end
    end
  endgenerate

  generate
    if (REPLICAS > 0) begin : g_replicas
      assign m_data[0 +: DW] = {DW{1'b0}};
      for (p = 1; p < PORTS; p = p + 1) begin : g_ram
        clhls_ram #(
          .WIDTH(DW), .DEPTH(1 << ADDR_BITS), .WE_WIDTH(WE), .COLLIDES(PARTS), .TARGET(TARGET)
        ) u_ram (
          .clk(clk), .en(1'b1), .en_out(1'b1),
          .wen(wen[0 +: WE]), .waddr(addr[0 +: ADDR_BITS]), .wdata(wdata[0 +: DW]),
          .ren(1'b1), .raddr(addr[p*ADDR_BITS +: ADDR_BITS]), .rdata(m_data[p*DW +: DW])
        );
        wire unused = &{1'b0, wdata[p*DW +: DW], wen[p*WE +: WE]};
      end
    end else begin : g_single
      clhls_ram_2rw #(
        .WIDTH(DW), .DEPTH(1 << ADDR_BITS), .WE_WIDTH(WE), .TARGET(TARGET)
      ) u_ram (
        .clk(clk),
        .a_en(1'b1), .a_wen(wen[0 +: WE]), .a_addr(addr[0 +: ADDR_BITS]), .a_wdata(wdata[0 +: DW]), .a_rdata(m_data[0 +: DW]),
        .b_en(1'b1), .b_wen(wen[WE +: WE]), .b_addr(addr[ADDR_BITS +: ADDR_BITS]), .b_wdata(wdata[DW +: DW]),
        .b_rdata(m_data[DW +: DW])
      );
    end
  endgenerate

endmodule

`default_nettype wire
