// Transmitter of an 8N1 serial line.
//
// Takes a byte when s_valid and s_ready; s_ready is registered and comes back after the stop bit.

`default_nettype none

module clhls_uart_bridge_tx #(
    parameter CLK_HZ = 50000000,
    parameter BAUD   = 3000000
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       s_valid,
    output wire       s_ready,
    input  wire [7:0] s_data,
    output wire       tx
);

    // phase step a cycle, in 1/2^20 bit
    localparam [63:0] STEP64 = (64'd1048576 * BAUD + CLK_HZ / 2) / CLK_HZ;
    localparam [19:0] STEP   = STEP64[19:0];

    reg        ready;
    reg [19:0] phase;
    reg [3:0]  bits;      // bits still to send, the present one included
    reg [9:0]  shift;     // present bit in [0]

    wire [20:0] next = {1'b0, phase} + {1'b0, STEP};

    assign s_ready = ready;
    assign tx      = shift[0];

    always @(posedge clk) begin
        if (rst) begin
            ready <= 1'b1;
            shift <= 10'h3ff;
        end else if (ready) begin
            if (s_valid) begin
                ready <= 1'b0;
                shift <= {1'b1, s_data, 1'b0};
                bits  <= 4'd10;
                phase <= 20'd0;
            end
        end else begin
            phase <= next[19:0];
            if (next[20]) begin
                shift <= {1'b1, shift[9:1]};
                bits  <= bits - 4'd1;
                ready <= (bits == 4'd1);
            end
        end
    end

endmodule

`default_nettype wire
