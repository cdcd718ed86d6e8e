// Serial line to a 32-bit bus: the wire protocol of LiteX's UARTBone, so that its host tools work too.
//
//   request   command, length, address[31:24], ..., address[7:0], then for writes length words
//             command 1 write, 2 read, 3 write and 4 read without advancing the address
//             length in words, 1..255; address in words; words with the most significant byte first
//   reply     to reads: length words; writes are not answered
//
// After 100 ms without a byte the next one is a command again.
//
// Bus: bus_valid stays high with stable bus_write, bus_addr (in bytes) and bus_wdata until bus_ready, which is high for
// one cycle, for reads together with bus_rdata. A write must be answered within 40 bit times: the serial line cannot wait.

`default_nettype none

module clhls_uart_bridge #(
    parameter CLK_HZ = 50000000,
    parameter BAUD   = 3000000
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        uart_rx,
    output wire        uart_tx,

    output reg         bus_valid,
    output reg         bus_write,
    output wire [31:0] bus_addr,
    output reg  [31:0] bus_wdata,
    input  wire        bus_ready,
    input  wire [31:0] bus_rdata
);

    localparam [2:0] COMMAND = 3'd0, LENGTH = 3'd1, ADDRESS = 3'd2, WRITE = 3'd3, READ = 3'd4, REPLY = 3'd5;
    localparam [31:0] TIMEOUT = CLK_HZ / 10;

    wire       rx_valid;
    wire [7:0] rx_data;
    reg        tx_valid;
    wire       tx_ready;
    reg [31:0] tx_word;   // next byte in the upper bits

    clhls_uart_bridge_rx #(.CLK_HZ(CLK_HZ), .BAUD(BAUD)) u_rx (
        .clk(clk), .rst(rst), .rx(uart_rx), .valid(rx_valid), .data(rx_data)
    );
    clhls_uart_bridge_tx #(.CLK_HZ(CLK_HZ), .BAUD(BAUD)) u_tx (
        .clk(clk), .rst(rst), .s_valid(tx_valid), .s_ready(tx_ready), .s_data(tx_word[31:24]), .tx(uart_tx)
    );

    reg [2:0]  state;
    reg        is_write, fixed;
    reg [7:0]  left;      // words still to come or to send
    reg [1:0]  bytes;     // bytes of the present word so far
    reg [23:0] shift;
    reg [29:0] address;   // word of the next access
    reg [29:0] accessed;  // word of the access on the bus
    reg [31:0] silence;

    wire [31:0] word = {shift, rx_data};

    assign bus_addr = {accessed, 2'b00};

    always @(posedge clk) begin
        if (rx_valid)
            shift <= {shift[15:0], rx_data};
        if (bus_valid && bus_ready)
            bus_valid <= 1'b0;
        silence <= (rx_valid || state == COMMAND) ? 32'd0 : silence + 32'd1;

        case (state)
            COMMAND: if (rx_valid) begin
                is_write <= rx_data[0];
                fixed    <= rx_data == 8'd3 || rx_data == 8'd4;
                bytes    <= 2'd0;
                if (rx_data >= 8'd1 && rx_data <= 8'd4)
                    state <= LENGTH;
            end

            LENGTH: if (rx_valid) begin
                left  <= rx_data;
                state <= ADDRESS;
            end

            ADDRESS: if (rx_valid) begin
                bytes <= bytes + 2'd1;
                if (bytes == 2'd3) begin
                    address <= word[29:0];
                    state   <= left == 8'd0 ? COMMAND : is_write ? WRITE : READ;
                end
            end

            // the next word is received while this one is on the bus
            WRITE: if (rx_valid) begin
                bytes <= bytes + 2'd1;
                if (bytes == 2'd3) begin
                    bus_valid <= 1'b1;
                    bus_write <= 1'b1;
                    bus_wdata <= word;
                    accessed  <= address;
                    if (!fixed)
                        address <= address + 30'd1;
                    left <= left - 8'd1;
                    if (left == 8'd1)
                        state <= COMMAND;
                end
            end

            READ: begin
                silence <= 32'd0;
                // a write before may still be on the bus
                if (!bus_valid) begin
                    bus_valid <= 1'b1;
                    bus_write <= 1'b0;
                    accessed  <= address;
                end else if (bus_ready && !bus_write) begin
                    tx_word  <= bus_rdata;
                    tx_valid <= 1'b1;
                    bytes    <= 2'd0;
                    state    <= REPLY;
                end
            end

            REPLY: begin
                silence <= 32'd0;
                if (tx_valid && tx_ready) begin
                    tx_word <= {tx_word[23:0], 8'd0};
                    bytes   <= bytes + 2'd1;
                    if (bytes == 2'd3) begin
                        tx_valid <= 1'b0;
                        left     <= left - 8'd1;
                        if (!fixed)
                            address <= address + 30'd1;
                        state <= left == 8'd1 ? COMMAND : READ;
                    end
                end
            end

            default: state <= COMMAND;
        endcase

        if (silence == TIMEOUT)
            state <= COMMAND;

        if (rst) begin
            state     <= COMMAND;
            silence   <= 32'd0;
            bus_valid <= 1'b0;
            tx_valid  <= 1'b0;
        end
    end

    // the upper two bits of a word address leave the 32-bit byte space
    wire unused = &{1'b0, word[31:30]};

endmodule

`default_nettype wire
