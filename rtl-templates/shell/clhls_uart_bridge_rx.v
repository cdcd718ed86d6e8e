// Receiver of an 8N1 serial line.
//
// `valid` is high for one cycle with each byte; a byte whose stop bit is 0 is dropped. The bit clock is a phase
// accumulator, so CLK_HZ need not be a multiple of BAUD; at least 4 cycles a bit.
// Latency: `valid` comes in the middle of the stop bit, two cycles late (synchroniser).

`default_nettype none

module clhls_uart_bridge_rx #(
    parameter CLK_HZ = 50000000,
    parameter BAUD   = 3000000
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       rx,
    output reg        valid,
    output reg  [7:0] data
);

    // phase step a cycle, in 1/2^20 bit
    localparam [63:0] STEP64 = (64'd1048576 * BAUD + CLK_HZ / 2) / CLK_HZ;
    localparam [19:0] STEP   = STEP64[19:0];

    reg        sync0, line;
    reg        busy;
    reg [19:0] phase;     // the carry out of the phase is the middle of a bit
    reg [3:0]  bits;      // bits sampled, the start bit included
    reg [7:0]  shift;

    wire [20:0] next   = {1'b0, phase} + {1'b0, STEP};
    wire        sample = next[20];

    always @(posedge clk) begin
        sync0 <= rx;
        line  <= sync0;
        valid <= 1'b0;
        if (rst) begin
            sync0 <= 1'b1;
            line  <= 1'b1;
            busy  <= 1'b0;
        end else if (!busy) begin
            busy  <= !line;
            phase <= 20'h80000;   // half a bit to the middle of the start bit
            bits  <= 4'd0;
        end else begin
            phase <= next[19:0];
            if (sample) begin
                shift <= {line, shift[7:1]};
                bits  <= bits + 4'd1;
                if (bits == 4'd0 && line)
                    busy <= 1'b0;             // a glitch, not a start bit
                if (bits == 4'd9) begin
                    busy  <= 1'b0;
                    valid <= line;
                    data  <= shift;
                end
            end
        end
    end

endmodule

`default_nettype wire
