// Simulation only: a 16-bit SDR SDRAM with bursts of 4 and CAS latency 2. Complains about commands that a chip would not
// take, and stops: closed rows, times too short, refreshes too rare, both sides driving the data pins.

`default_nettype none

module clhls_uart_bridge_sdram_model #(
    parameter ROWS   = 8192,
    parameter CLK_HZ = 50000000
) (
    input  wire        clk,       // the chip's own
    input  wire        cke,
    input  wire        cs_n,
    input  wire        ras_n,
    input  wire        cas_n,
    input  wire        we_n,
    input  wire [1:0]  ba,
    input  wire [12:0] a,
    input  wire [1:0]  dqm,
    input  wire [15:0] dq_in,
    input  wire        dq_driven, // by the other side
    output reg  [15:0] dq_out
);

    localparam RBITS = $clog2(ROWS);

    reg [15:0] memory [0:ROWS*4*512-1];

    // times in clock cycles as the chip counts them
    integer now = 0, activated [0:3], precharged [0:3], written [0:3], refreshed = 0, refreshes = 0, moded = 0, i;
    reg        mode_set = 1'b0;
    reg [3:0]  open = 4'd0;
    reg [12:0] row [0:3];
    initial for (i = 0; i < 4; i = i + 1) begin
        activated[i] = -1000;
        precharged[i] = -1000;
        written[i] = -1000;
        row[i] = 13'd0;
    end

    // bursts: write words still to come; read words on their way
    reg [2:0]  write_left = 3'd0;
    reg [1:0]  write_word;
    reg [RBITS+8:0] write_at;             // row, bank, column / 4
    reg [RBITS+8:0] read_at [0:5];
    reg [1:0]  read_word [0:5];
    reg [5:0]  reading = 6'd0;            // [k]: the word that is on the pins k edges later

    integer nanoseconds;
    initial nanoseconds = 1000000000 / CLK_HZ;

    task complain(input [8*48-1:0] what);
        begin
            $display("sdram: %0s at cycle %0d", what, now);
            $fatal(1);
        end
    endtask

    task apart(input integer since, input integer ns, input [8*48-1:0] what);
        if ((now - since) * nanoseconds < ns) complain(what);
    endtask

    wire [2:0] command = cs_n ? 3'b111 : {ras_n, cas_n, we_n};
    wire [RBITS+8:0] at = {row[ba][RBITS-1:0], ba, a[8:2]};

    always @(posedge clk) if (cke) begin
        now = now + 1;
        // the word that the host takes at the next edge
        reading = {1'b0, reading[5:1]};
        for (i = 0; i < 5; i = i + 1) begin
            read_at[i] = read_at[i + 1];
            read_word[i] = read_word[i + 1];
        end

        if (mode_set && (now - refreshed) * nanoseconds > 9 * 7800) complain("refresh is late");
        case (command)
            3'b011: begin
                if (open[ba]) complain("activate of an open bank");
                apart(precharged[ba], 20, "activate too early after precharge");
                apart(refreshed, 66, "activate too early after refresh");
                if (!mode_set || now - moded < 2) complain("activate before the mode is set");
                if (a >= ROWS) complain("no such row");
                open[ba] = 1'b1;
                row[ba] = a;
                activated[ba] = now;
            end
            3'b010: for (i = 0; i < 4; i = i + 1)
                if (a[10] || ba == i) begin
                    if (open[i]) apart(activated[i], 44, "precharge too early after activate");
                    if (open[i] && now - written[i] < 2) complain("precharge too early after a write");
                    open[i] = 1'b0;
                    precharged[i] = now;
                end
            3'b001: begin
                if (open != 4'd0) complain("refresh with an open row");
                for (i = 0; i < 4; i = i + 1) apart(precharged[i], 20, "refresh too early after precharge");
                if (refreshes > 0) apart(refreshed, 66, "refresh too early after refresh");
                refreshed = now;
                refreshes = refreshes + 1;
            end
            3'b000: begin
                if (refreshes < 8) complain("mode before eight refreshes");
                if (a != 13'h022) complain("only bursts of 4 and CAS latency 2");
                mode_set = 1'b1;
                moded = now;
            end
            3'b101, 3'b100: begin
                if (!open[ba]) complain("access to a closed row");
                apart(activated[ba], 20, "access too early after activate");
                if (write_left != 3'd0) complain("access cuts a write short");
                if (a[1:0] != 2'd0) complain("burst not aligned");
                if (command[0]) begin
                    for (i = 0; i < 4; i = i + 1) begin
                        if (reading[i + 1]) complain("access cuts a read short");
                        reading[i + 1] = 1'b1;
                        read_at[i + 1] = at;
                        read_word[i + 1] = i;
                    end
                end else begin
                    if (reading != 6'd0) complain("write while read data is coming");
                    write_left = 3'd4;
                    write_word = 2'd0;
                    write_at = at;
                end
            end
            default: ;
        endcase

        if (write_left != 3'd0) begin
            if (!dq_driven) complain("no write data");
            if (!dqm[0]) memory[{write_at, write_word}][7:0] = dq_in[7:0];
            if (!dqm[1]) memory[{write_at, write_word}][15:8] = dq_in[15:8];
            write_left = write_left - 3'd1;
            write_word = write_word + 2'd1;
            written[write_at[8:7]] = now;
        end
        if (reading[0] && dq_driven) complain("both sides drive the data pins");
        dq_out <= reading[0] ? memory[{read_at[0], read_word[0]}] : 16'hdead;
    end

endmodule

`default_nettype wire
