// One access at a time from the host's 32-bit bus to memory, kernels and identification registers.
//
//   0x0000_0000  device memory, through an AXI4 master of DATA_BITS
//   0x8000_0000  kernel k at + k * 0x1000, through its AXI4-Lite slave
//   0xf000_0000  identification: +0 "CLHS", +4 version 1, +8 number of kernels, +c memory bytes, +10 clock in Hz
//
// Other addresses read as 0xffff_ffff; writes to them do nothing.

`default_nettype none

module clhls_uart_bridge_bus #(
    parameter KERNELS   = 1,
    parameter DATA_BITS = 64,
    parameter [31:0] MEMORY_BYTES = 131072,
    parameter [31:0] CLK_HZ       = 50000000
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire                   bus_valid,
    input  wire                   bus_write,
    input  wire [31:0]            bus_addr,
    input  wire [31:0]            bus_wdata,
    output reg                    bus_ready,
    output reg  [31:0]            bus_rdata,

    // AXI4-Lite to the kernels; address and write data are common
    output wire [11:0]            k_addr,
    output wire [31:0]            k_wdata,
    output wire [KERNELS-1:0]     k_awvalid,
    input  wire [KERNELS-1:0]     k_awready,
    output wire [KERNELS-1:0]     k_wvalid,
    input  wire [KERNELS-1:0]     k_wready,
    input  wire [KERNELS-1:0]     k_bvalid,
    output wire [KERNELS-1:0]     k_bready,
    output wire [KERNELS-1:0]     k_arvalid,
    input  wire [KERNELS-1:0]     k_arready,
    input  wire [KERNELS-1:0]     k_rvalid,
    output wire [KERNELS-1:0]     k_rready,
    input  wire [KERNELS*32-1:0]  k_rdata,

    // AXI4 to the memory: single beats
    output wire [63:0]            m_addr,
    output wire                   m_awvalid,
    input  wire                   m_awready,
    output wire                   m_wvalid,
    input  wire                   m_wready,
    output wire [DATA_BITS-1:0]   m_wdata,
    output wire [DATA_BITS/8-1:0] m_wstrb,
    input  wire                   m_bvalid,
    output wire                   m_bready,
    output wire                   m_arvalid,
    input  wire                   m_arready,
    input  wire                   m_rvalid,
    output wire                   m_rready,
    input  wire [DATA_BITS-1:0]   m_rdata
);

    localparam WORDS = DATA_BITS / 32;
    localparam WBITS = WORDS > 1 ? $clog2(WORDS) : 1;

    localparam [1:0] IDLE = 2'd0, WRITE = 2'd1, READ = 2'd2, DONE = 2'd3;
    reg [1:0] state;
    reg       address_left, data_left;   // the address and write data handshakes still to come

    wire       to_memory = !bus_addr[31];
    wire       to_kernel = bus_addr[31:28] == 4'h8 && {16'd0, bus_addr[27:12]} < KERNELS;
    wire [KERNELS-1:0] kernel = to_kernel ? {{(KERNELS-1){1'b0}}, 1'b1} << bus_addr[27:12] : {KERNELS{1'b0}};

    // the beat of the memory's width that holds this word, and the word in it
    wire [31:0]      beat_addr = bus_addr & ~(DATA_BITS / 8 - 32'd1);
    wire [WBITS-1:0] lane = WORDS > 1 ? bus_addr[2 +: WBITS] : {WBITS{1'b0}};

    assign k_addr    = bus_addr[11:0];
    assign k_wdata   = bus_wdata;
    assign k_awvalid = kernel & {KERNELS{state == WRITE && address_left}};
    assign k_wvalid  = kernel & {KERNELS{state == WRITE && data_left}};
    assign k_bready  = {KERNELS{state == WRITE}};
    assign k_arvalid = kernel & {KERNELS{state == READ && address_left}};
    assign k_rready  = {KERNELS{state == READ}};

    assign m_addr    = {32'd0, beat_addr};
    assign m_awvalid = state == WRITE && address_left && to_memory;
    assign m_wvalid  = state == WRITE && data_left && to_memory;
    assign m_wdata   = {WORDS{bus_wdata}};
    assign m_wstrb   = {{(DATA_BITS/8-4){1'b0}}, 4'hf} << {lane, 2'b00};
    assign m_bready  = state == WRITE;
    assign m_arvalid = state == READ && address_left && to_memory;
    assign m_rready  = state == READ;

    wire aw_taken = |(k_awvalid & k_awready) || (m_awvalid && m_awready);
    wire w_taken  = |(k_wvalid & k_wready) || (m_wvalid && m_wready);
    wire ar_taken = |(k_arvalid & k_arready) || (m_arvalid && m_arready);
    wire b_taken  = |(k_bvalid & kernel) || (m_bvalid && to_memory);
    wire r_taken  = |(k_rvalid & kernel) || (m_rvalid && to_memory);

    reg [31:0] kernel_word;
    integer k;
    always @* begin
        kernel_word = 32'd0;
        for (k = 0; k < KERNELS; k = k + 1)
            kernel_word = kernel_word | ({32{kernel[k]}} & k_rdata[32 * k +: 32]);
    end

    reg [31:0] other_word;
    always @* begin
        case ({bus_addr[31:2], 2'b00})
            32'hf0000000: other_word = 32'h53484c43;   // "CLHS" in memory order
            32'hf0000004: other_word = 32'd1;
            32'hf0000008: other_word = KERNELS;
            32'hf000000c: other_word = MEMORY_BYTES;
            32'hf0000010: other_word = CLK_HZ;
            default:      other_word = 32'hffffffff;
        endcase
    end

    always @(posedge clk) begin
        bus_ready <= 1'b0;
        case (state)
            IDLE: if (bus_valid) begin
                address_left <= 1'b1;
                data_left    <= 1'b1;
                bus_rdata    <= other_word;
                if (to_memory || to_kernel)
                    state <= bus_write ? WRITE : READ;
                else begin
                    bus_ready <= 1'b1;
                    state     <= DONE;
                end
            end
            WRITE: begin
                if (aw_taken) address_left <= 1'b0;
                if (w_taken)  data_left    <= 1'b0;
                if (b_taken) begin
                    bus_ready <= 1'b1;
                    state     <= DONE;
                end
            end
            READ: begin
                if (ar_taken) address_left <= 1'b0;
                if (r_taken) begin
                    bus_rdata <= to_memory ? m_rdata[32 * lane +: 32] : kernel_word;
                    bus_ready <= 1'b1;
                    state     <= DONE;
                end
            end
            // bus_valid is still high in this cycle
            DONE: state <= IDLE;
        endcase
        if (rst) begin
            state     <= IDLE;
            bus_ready <= 1'b0;
        end
    end

endmodule

`default_nettype wire
