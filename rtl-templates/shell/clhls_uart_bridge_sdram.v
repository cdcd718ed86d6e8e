// 16-bit SDR SDRAM (4 banks, 8192 rows of 512 columns: 32 MiB) as a memory for clhls_uart_bridge_axi.
//
// A 64-bit beat is a burst of 4, CAS latency 2. Rows stay open; beats of one direction go on for up to 16 while the other
// waits, so that the data pins rarely turn round. Beats in open rows take 4 cycles each; read latency 8 cycles.
//
// The chip's clock is the inverse of clk. Commands change at the rising edge of clk and are taken at its falling edge; read
// data is captured at the falling edge: half a period for each, so clk must not be faster than 60 MHz.

`default_nettype none

module clhls_uart_bridge_sdram #(
    parameter DATA_BITS = 64,        // no other width
    parameter WORDS     = 4194304,   // of DATA_BITS; a power of two, 512 at least
    parameter CLK_HZ    = 50000000
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
    input  wire [DATA_BITS/8-1:0]   wr_strb,

    output wire                     sdram_cke,
    output wire                     sdram_cs_n,
    output wire                     sdram_ras_n,
    output wire                     sdram_cas_n,
    output wire                     sdram_we_n,
    output reg  [1:0]               sdram_ba,
    output reg  [12:0]              sdram_a,
    output reg  [1:0]               sdram_dqm,
    output wire [15:0]              sdram_dq_out,
    output reg                      sdram_dq_oe,
    input  wire [15:0]              sdram_dq_in
);

    localparam ABITS = $clog2(WORDS);

    // data sheet times in cycles, rounded up, less the cycle of the command itself
    localparam [31:0] KHZ    = CLK_HZ / 1000;
    localparam [31:0] RCD    = (20 * KHZ - 1) / 1000000;     // activate to read or write
    localparam [31:0] RP     = (20 * KHZ - 1) / 1000000;     // precharge
    localparam [31:0] RFC    = (70 * KHZ - 1) / 1000000;     // refresh
    localparam [31:0] RAS    = (45 * KHZ - 1) / 1000000;     // activate to precharge
    localparam [31:0] PERIOD = 7 * KHZ / 1000 - 1;           // 7 us between refreshes; 7.8 us are allowed
    localparam [31:0] START  = CLK_HZ / 5000;                // 200 us after power-up
    localparam [4:0]  T_RCD  = RCD[4:0];
    localparam [4:0]  T_RP   = RP[4:0];
    localparam [4:0]  T_RFC  = RFC[4:0];
    localparam [4:0]  T_RAS  = RAS[4:0];
    localparam [4:0]  T_MRD  = 5'd1;                         // mode register
    localparam [4:0]  T_WR   = 5'd5;                         // write to precharge: 3 more words, 2 cycles
    localparam [15:0] EVERY  = PERIOD[15:0];

    // {ras_n, cas_n, we_n}
    localparam [2:0] NOP = 3'b111, ACTIVATE = 3'b011, READ = 3'b101, WRITE = 3'b100, PRECHARGE = 3'b010,
                     REFRESH = 3'b001, MODE = 3'b000;
    localparam [12:0] ALL_BANKS = 13'h0400;
    localparam [12:0] BURST_4_CAS_2 = 13'h0022;

    reg [2:0] command = NOP;   // from power-up on
    assign sdram_cke  = 1'b1;
    assign sdram_cs_n = 1'b0;
    assign {sdram_ras_n, sdram_cas_n, sdram_we_n} = command;

    // ---------------------------------------------------------------- which beat is next
    reg        writing;      // direction of the last beat
    reg [3:0]  run;          // beats of it while the other direction waited
    wire       turn    = writing ? rd_valid && (!wr_valid || run == 4'd15) : wr_valid && (!rd_valid || run == 4'd15);
    wire       is_write = writing ^ turn;
    wire       pending  = is_write ? wr_valid : rd_valid;

    wire [21:0] word = is_write ? {{(22-ABITS){1'b0}}, wr_word} : {{(22-ABITS){1'b0}}, rd_word};
    wire [8:0]  column = {word[6:0], 2'b00};
    wire [1:0]  bank   = word[8:7];
    wire [12:0] row    = word[21:9];

    reg [3:0]  open;
    reg [12:0] open_row [0:3];
    wire       hit = open[bank] && open_row[bank] == row;

    // ---------------------------------------------------------------- cycles that must pass
    reg [4:0]  pause;        // before any command
    reg [4:0]  hold;         // before a precharge
    reg [3:0]  released;     // before the data pins may be driven
    reg [15:0] refresh_in;
    reg        refresh_due;

    reg        ready;        // initialisation is over
    reg [3:0]  step;
    reg [31:0] start;

    wire free   = ready && pause == 5'd0 && !refresh_due;
    wire access = free && pending && hit && (!is_write || released == 4'd0);
    assign rd_ready = access && !is_write;
    assign wr_ready = access && is_write;

    always @(posedge clk) begin
        command <= NOP;
        if (pause != 5'd0)    pause    <= pause - 5'd1;
        if (hold != 5'd0)     hold     <= hold - 5'd1;
        if (released != 4'd0) released <= released - 4'd1;
        refresh_in <= refresh_in - 16'd1;
        if (refresh_in == 16'd0) begin
            refresh_in  <= EVERY;
            refresh_due <= ready;
        end

        if (!ready) begin
            // power-up: wait, precharge all, eight refreshes, mode
            if (start != 32'd0)
                start <= start - 32'd1;
            else if (pause == 5'd0) begin
                step <= step + 4'd1;
                case (step)
                    4'd0: begin
                        command <= PRECHARGE;
                        sdram_a <= ALL_BANKS;
                        pause   <= T_RP;
                    end
                    4'd9: begin
                        command  <= MODE;
                        sdram_a  <= BURST_4_CAS_2;
                        sdram_ba <= 2'd0;
                        pause    <= T_MRD;
                        ready    <= 1'b1;
                    end
                    default: begin
                        command <= REFRESH;
                        pause   <= T_RFC;
                    end
                endcase
            end
        end else if (pause == 5'd0 && refresh_due) begin
            if (open == 4'd0) begin
                command     <= REFRESH;
                pause       <= T_RFC;
                refresh_due <= 1'b0;
            end else if (hold == 5'd0) begin
                command <= PRECHARGE;
                sdram_a <= ALL_BANKS;
                open    <= 4'd0;
                pause   <= T_RP;
            end
        end else if (access) begin
            command  <= is_write ? WRITE : READ;
            sdram_a  <= {4'd0, column};
            sdram_ba <= bank;
            pause    <= 5'd3;
            if (is_write && hold < T_WR) hold <= T_WR;
            if (!is_write) released <= 4'd7;
            run      <= is_write != writing ? 4'd0 : run == 4'd15 ? 4'd15 : run + 4'd1;
            writing  <= is_write;
        end else if (free && pending && !hit) begin
            if (!open[bank]) begin
                command        <= ACTIVATE;
                sdram_a        <= row;
                sdram_ba       <= bank;
                open[bank]     <= 1'b1;
                open_row[bank] <= row;
                pause          <= T_RCD;
                hold           <= T_RAS;
            end else if (hold == 5'd0) begin
                command    <= PRECHARGE;
                sdram_a    <= 13'd0;
                sdram_ba   <= bank;
                open[bank] <= 1'b0;
                pause      <= T_RP;
            end
        end

        if (rst) begin
            command     <= NOP;
            ready       <= 1'b0;
            step        <= 4'd0;
            start       <= START;
            pause       <= 5'd0;
            hold        <= 5'd0;
            released    <= 4'd0;
            open        <= 4'd0;
            refresh_in  <= EVERY;
            refresh_due <= 1'b0;
            run         <= 4'd0;
            writing     <= 1'b0;
        end
    end

    // ---------------------------------------------------------------- write data: the first word goes with the command
    reg [63:0] out_data;
    reg [5:0]  out_mask;
    reg [1:0]  out_left;
    assign sdram_dq_out = out_data[15:0];
    always @(posedge clk) begin
        if (wr_ready) begin
            out_data    <= wr_data;
            {out_mask, sdram_dqm} <= ~wr_strb | {8{wr_error}};
            out_left    <= 2'd3;
            sdram_dq_oe <= 1'b1;
        end else begin
            out_data    <= {16'd0, out_data[63:16]};
            out_mask    <= {2'b00, out_mask[5:2]};
            sdram_dqm   <= out_left != 2'd0 ? out_mask[1:0] : 2'b00;
            sdram_dq_oe <= out_left != 2'd0;
            if (out_left != 2'd0) out_left <= out_left - 2'd1;
        end
        if (rst) begin
            out_left    <= 2'd0;
            sdram_dq_oe <= 1'b0;
            sdram_dqm   <= 2'b00;
        end
    end

    // ---------------------------------------------------------------- read data
    // the command is on the pins after edge 0; word 0 is captured at the falling edge after edge 2, and is in `shift` after 4
    reg [15:0] captured, settled;
    reg [63:0] shift;
    reg [7:0]  reading;
    always @(negedge clk) captured <= sdram_dq_in;
    always @(posedge clk) begin
        settled <= captured;
        shift   <= {settled, shift[63:16]};
        reading <= rst ? 8'd0 : {reading[6:0], rd_ready};
    end
    assign r_valid = reading[7];
    assign r_data  = shift;

endmodule

`default_nettype wire
