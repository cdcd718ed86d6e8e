// On-chip memory of the serial shell: block RAM with one read and one write port, a memory for
// clhls_uart_bridge_axi.
//
// Takes a read and a write in every cycle. Read latency 2. A read in the cycle of a write to the same word gets the old one.

`default_nettype none

module clhls_uart_bridge_ram #(
    parameter DATA_BITS = 64,
    parameter WORDS     = 16384,  // of DATA_BITS; a power of two
    parameter TARGET    = "ecp5"  // of clhls_ram
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire                     rd_valid,
    output wire                     rd_ready,
    input  wire [$clog2(WORDS)-1:0] rd_word,
    output wire                     r_valid,
    output wire [DATA_BITS-1:0]     r_data,
    input  wire                     wr_valid,
    output wire                     wr_ready,
    input  wire [$clog2(WORDS)-1:0] wr_word,
    input  wire                     wr_error,
    input  wire [DATA_BITS-1:0]     wr_data,
    input  wire [DATA_BITS/8-1:0]   wr_strb
);

    localparam BYTES = DATA_BITS / 8;

    assign rd_ready = 1'b1;
    assign wr_ready = 1'b1;

    reg [1:0] reading;
    always @(posedge clk) reading <= rst ? 2'b00 : {reading[0], rd_valid};
    assign r_valid = reading[1];

    clhls_ram #(.WIDTH(DATA_BITS), .DEPTH(WORDS), .WE_WIDTH(BYTES), .TARGET(TARGET)) u_ram (
        .clk(clk), .en(1'b1), .en_out(1'b1),
        .wen(wr_strb & {BYTES{wr_valid && !wr_error}}), .waddr(wr_word), .wdata(wr_data),
        .ren(rd_valid), .raddr(rd_word), .rdata(r_data)
    );

endmodule

`default_nettype wire
