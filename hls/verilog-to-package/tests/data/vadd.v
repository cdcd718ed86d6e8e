// A kernel written by hand with the ports and registers that every kernel has (docs/abi.md):
//   kernel void vadd(global uint *a, global uint *b, global uint *c, uint bias) { c[i] = a[i] + b[i] + bias; }
// 64-bit memory, one access at a time, buffers aligned to 8 bytes. For tests of packages and shells.

`default_nettype none

module vadd (
    input  wire        ap_clk,
    input  wire        ap_rst_n,
    output wire        interrupt,

    input  wire [11:0] s_axi_control_awaddr,
    input  wire        s_axi_control_awvalid,
    output wire        s_axi_control_awready,
    input  wire [31:0] s_axi_control_wdata,
    input  wire [3:0]  s_axi_control_wstrb,
    input  wire        s_axi_control_wvalid,
    output wire        s_axi_control_wready,
    output wire [1:0]  s_axi_control_bresp,
    output reg         s_axi_control_bvalid,
    input  wire        s_axi_control_bready,
    input  wire [11:0] s_axi_control_araddr,
    input  wire        s_axi_control_arvalid,
    output wire        s_axi_control_arready,
    output reg  [31:0] s_axi_control_rdata,
    output wire [1:0]  s_axi_control_rresp,
    output reg         s_axi_control_rvalid,
    input  wire        s_axi_control_rready,

    output wire [5:0]  m_axi_gmem0_awid,
    output wire [63:0] m_axi_gmem0_awaddr,
    output wire [7:0]  m_axi_gmem0_awlen,
    output wire [2:0]  m_axi_gmem0_awsize,
    output wire [1:0]  m_axi_gmem0_awburst,
    output wire        m_axi_gmem0_awlock,
    output wire [3:0]  m_axi_gmem0_awcache,
    output wire [2:0]  m_axi_gmem0_awprot,
    output wire [3:0]  m_axi_gmem0_awqos,
    output wire        m_axi_gmem0_awvalid,
    input  wire        m_axi_gmem0_awready,
    output wire [63:0] m_axi_gmem0_wdata,
    output wire [7:0]  m_axi_gmem0_wstrb,
    output wire        m_axi_gmem0_wlast,
    output wire        m_axi_gmem0_wvalid,
    input  wire        m_axi_gmem0_wready,
    input  wire [5:0]  m_axi_gmem0_bid,
    input  wire [1:0]  m_axi_gmem0_bresp,
    input  wire        m_axi_gmem0_bvalid,
    output wire        m_axi_gmem0_bready,
    output wire [5:0]  m_axi_gmem0_arid,
    output wire [63:0] m_axi_gmem0_araddr,
    output wire [7:0]  m_axi_gmem0_arlen,
    output wire [2:0]  m_axi_gmem0_arsize,
    output wire [1:0]  m_axi_gmem0_arburst,
    output wire        m_axi_gmem0_arlock,
    output wire [3:0]  m_axi_gmem0_arcache,
    output wire [2:0]  m_axi_gmem0_arprot,
    output wire [3:0]  m_axi_gmem0_arqos,
    output wire        m_axi_gmem0_arvalid,
    input  wire        m_axi_gmem0_arready,
    input  wire [5:0]  m_axi_gmem0_rid,
    input  wire [63:0] m_axi_gmem0_rdata,
    input  wire [1:0]  m_axi_gmem0_rresp,
    input  wire        m_axi_gmem0_rlast,
    input  wire        m_axi_gmem0_rvalid,
    output wire        m_axi_gmem0_rready
);

    // ------------------------------------------------------------ registers
    reg        started, done, bus_error;
    reg [1:0]  ier, isr;
    reg        gie;
    reg [63:0] a, b, c;
    reg [31:0] bias, size;
    reg [63:0] cycles, items, reads, writes;
    wire       finish;

    wire write = s_axi_control_awvalid && s_axi_control_wvalid && !s_axi_control_bvalid;
    wire read  = s_axi_control_arvalid && !s_axi_control_rvalid;
    assign s_axi_control_awready = write;
    assign s_axi_control_wready  = write;
    assign s_axi_control_arready = read;
    assign s_axi_control_bresp   = 2'd0;
    assign s_axi_control_rresp   = 2'd0;
    assign interrupt             = gie && |(ier & isr);

    wire [31:0] wdata = s_axi_control_wdata;
    always @(posedge ap_clk) begin
        if (s_axi_control_bready) s_axi_control_bvalid <= 1'b0;
        if (s_axi_control_rready) s_axi_control_rvalid <= 1'b0;
        if (finish) begin
            started <= 1'b0;
            done    <= 1'b1;
            isr     <= isr | ier;
        end
        if (write) begin
            s_axi_control_bvalid <= 1'b1;
            case (s_axi_control_awaddr)
                12'h000: if (wdata[0]) started <= 1'b1;
                12'h004: gie <= wdata[0];
                12'h008: ier <= wdata[1:0];
                12'h00c: isr <= isr ^ wdata[1:0];
                12'h010: a[31:0]  <= wdata;
                12'h014: a[63:32] <= wdata;
                12'h01c: b[31:0]  <= wdata;
                12'h020: b[63:32] <= wdata;
                12'h028: c[31:0]  <= wdata;
                12'h02c: c[63:32] <= wdata;
                12'h034: bias <= wdata;
                12'h044: size <= wdata;     // global_size_x
                default: ;
            endcase
        end
        if (read) begin
            s_axi_control_rvalid <= 1'b1;
            case (s_axi_control_araddr)
                12'h000: begin
                    s_axi_control_rdata <= {28'd0, done, !started, done, started};
                    if (!finish) done <= 1'b0;
                end
                12'h004: s_axi_control_rdata <= {31'd0, gie};
                12'h008: s_axi_control_rdata <= {30'd0, ier};
                12'h00c: s_axi_control_rdata <= {30'd0, isr};
                12'h034: s_axi_control_rdata <= bias;
                12'hf00: s_axi_control_rdata <= cycles[31:0];
                12'hf04: s_axi_control_rdata <= cycles[63:32];
                12'hf08: s_axi_control_rdata <= items[31:0];
                12'hf0c: s_axi_control_rdata <= items[63:32];
                12'hf10: s_axi_control_rdata <= reads[31:0];
                12'hf14: s_axi_control_rdata <= reads[63:32];
                12'hf18: s_axi_control_rdata <= writes[31:0];
                12'hf1c: s_axi_control_rdata <= writes[63:32];
                12'hf20: s_axi_control_rdata <= {bus_error, 31'd0};
                default: s_axi_control_rdata <= 32'd0;
            endcase
        end
        if (!ap_rst_n) begin
            started <= 1'b0;
            done    <= 1'b0;
            gie     <= 1'b0;
            ier     <= 2'd0;
            isr     <= 2'd0;
            s_axi_control_bvalid <= 1'b0;
            s_axi_control_rvalid <= 1'b0;
        end
    end

    // ------------------------------------------------------------ two elements a round: read a, read b, write c
    localparam [2:0] IDLE = 3'd0, READ_A = 3'd1, READ_B = 3'd2, WRITE = 3'd3, NEXT = 3'd4;
    reg [2:0]  state;
    reg        address_sent, data_sent;
    reg [31:0] i;
    reg [63:0] va, sum;

    wire reading = state == READ_A || state == READ_B;
    assign m_axi_gmem0_arvalid = reading && !address_sent;
    assign m_axi_gmem0_araddr  = (state == READ_A ? a : b) + {30'd0, i, 2'b00};
    assign m_axi_gmem0_awvalid = state == WRITE && !address_sent;
    assign m_axi_gmem0_awaddr  = c + {30'd0, i, 2'b00};
    assign m_axi_gmem0_wvalid  = state == WRITE && !data_sent;
    assign m_axi_gmem0_wdata   = sum;
    assign m_axi_gmem0_wstrb   = i + 32'd1 < size ? 8'hff : 8'h0f;
    assign m_axi_gmem0_wlast   = 1'b1;
    assign m_axi_gmem0_rready  = 1'b1;
    assign m_axi_gmem0_bready  = 1'b1;
    assign {m_axi_gmem0_awid, m_axi_gmem0_arid}       = {6'd5, 6'd9};
    assign {m_axi_gmem0_awlen, m_axi_gmem0_arlen}     = 16'd0;
    assign {m_axi_gmem0_awsize, m_axi_gmem0_arsize}   = {3'd3, 3'd3};
    assign {m_axi_gmem0_awburst, m_axi_gmem0_arburst} = {2'd1, 2'd1};
    assign {m_axi_gmem0_awlock, m_axi_gmem0_arlock}   = 2'd0;
    assign {m_axi_gmem0_awcache, m_axi_gmem0_arcache} = {4'd3, 4'd3};
    assign {m_axi_gmem0_awprot, m_axi_gmem0_arprot}   = 6'd0;
    assign {m_axi_gmem0_awqos, m_axi_gmem0_arqos}     = 8'd0;

    assign finish = state == NEXT && i + 32'd2 >= size;

    wire bad_read  = |m_axi_gmem0_rresp || m_axi_gmem0_rid != 6'd9 || !m_axi_gmem0_rlast;
    wire bad_write = |m_axi_gmem0_bresp || m_axi_gmem0_bid != 6'd5;

    always @(posedge ap_clk) begin
        if (started) cycles <= cycles + 64'd1;
        if (m_axi_gmem0_arvalid && m_axi_gmem0_arready) address_sent <= 1'b1;
        if (m_axi_gmem0_awvalid && m_axi_gmem0_awready) address_sent <= 1'b1;
        if (m_axi_gmem0_wvalid && m_axi_gmem0_wready)   data_sent    <= 1'b1;
        case (state)
            IDLE: if (started && !finish) begin
                i            <= 32'd0;
                cycles       <= 64'd0;
                items        <= 64'd0;
                reads        <= 64'd0;
                writes       <= 64'd0;
                bus_error    <= 1'b0;
                address_sent <= 1'b0;
                state        <= READ_A;
            end
            READ_A: if (m_axi_gmem0_rvalid) begin
                va           <= m_axi_gmem0_rdata;
                reads        <= reads + 64'd1;
                bus_error    <= bus_error || bad_read;
                address_sent <= 1'b0;
                state        <= READ_B;
            end
            READ_B: if (m_axi_gmem0_rvalid) begin
                sum[31:0]    <= va[31:0] + m_axi_gmem0_rdata[31:0] + bias;
                sum[63:32]   <= va[63:32] + m_axi_gmem0_rdata[63:32] + bias;
                reads        <= reads + 64'd1;
                bus_error    <= bus_error || bad_read;
                address_sent <= 1'b0;
                data_sent    <= 1'b0;
                state        <= WRITE;
            end
            WRITE: if (m_axi_gmem0_bvalid) begin
                writes    <= writes + 64'd1;
                items     <= items + (i + 32'd1 < size ? 64'd2 : 64'd1);
                bus_error <= bus_error || bad_write;
                state     <= NEXT;
            end
            NEXT: begin
                i            <= i + 32'd2;
                address_sent <= 1'b0;
                state        <= finish ? IDLE : READ_A;
            end
            default: state <= IDLE;
        endcase
        if (!ap_rst_n) state <= IDLE;
    end

    wire unused = &{1'b0, s_axi_control_wstrb};

endmodule

`default_nettype wire
