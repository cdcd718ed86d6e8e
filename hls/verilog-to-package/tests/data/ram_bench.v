// Random bursts of several masters at once against a model of the memory: data, ids, last beats, responses, and the rules
// of valid and ready on the answers. Each master has its own part of the memory; the last one goes beyond its end too.
`timescale 1ns/1ps
`default_nettype none

module bench;
    localparam MASTERS = 3, DATA_BITS = 64, ID_BITS = 6, WORDS = 1024, ROUNDS = 400;
    localparam BYTES = DATA_BITS / 8;

    reg clk = 1'b0, rst = 1'b1;
    always #5 clk = !clk;

    reg  [MASTERS-1:0]           awvalid = 0, wvalid = 0, wlast = 0, bready = 0, arvalid = 0, rready = 0;
    wire [MASTERS-1:0]           awready, wready, bvalid, arready, rvalid;
    reg  [MASTERS*ID_BITS-1:0]   awid = 0, arid = 0;
    reg  [MASTERS*64-1:0]        awaddr = 0, araddr = 0;
    reg  [MASTERS*8-1:0]         arlen = 0;
    reg  [MASTERS*DATA_BITS-1:0] wdata = 0;
    reg  [MASTERS*BYTES-1:0]     wstrb = 0;
    wire [ID_BITS-1:0]           bid, rid;
    wire [1:0]                   bresp, rresp;
    wire [DATA_BITS-1:0]         rdata;
    wire                         rlast;

    wire                     rd_valid, rd_ready, r_valid, wr_valid, wr_ready, wr_error;
    wire [$clog2(WORDS)-1:0] rd_word, wr_word;
    wire [DATA_BITS-1:0]     r_data, wr_data;
    wire [BYTES-1:0]         wr_strb;

    clhls_uart_bridge_axi #(.MASTERS(MASTERS), .DATA_BITS(DATA_BITS), .ID_BITS(ID_BITS), .WORDS(WORDS)) dut (
        .clk(clk), .rst(rst),
        .s_awvalid(awvalid), .s_awready(awready), .s_awid(awid), .s_awaddr(awaddr),
        .s_wvalid(wvalid), .s_wready(wready), .s_wdata(wdata), .s_wstrb(wstrb), .s_wlast(wlast),
        .s_bvalid(bvalid), .s_bready(bready), .s_bid(bid), .s_bresp(bresp),
        .s_arvalid(arvalid), .s_arready(arready), .s_arid(arid), .s_araddr(araddr), .s_arlen(arlen),
        .s_rvalid(rvalid), .s_rready(rready), .s_rid(rid), .s_rdata(rdata), .s_rresp(rresp), .s_rlast(rlast),
        .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_word(rd_word), .rd_error(), .r_valid(r_valid), .r_data(r_data),
        .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_word(wr_word), .wr_error(wr_error), .wr_data(wr_data), .wr_strb(wr_strb)
    );

`ifdef SDRAM
    localparam BEAT_CYCLES = 4;
    wire cke, cs_n, ras_n, cas_n, we_n, dq_oe;
    wire [1:0] ba, dqm;
    wire [12:0] a;
    wire [15:0] to_chip, from_chip;
    clhls_uart_bridge_sdram #(.DATA_BITS(DATA_BITS), .WORDS(WORDS), .CLK_HZ(50000000)) memory (
        .clk(clk), .rst(rst),
        .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_word(rd_word), .r_valid(r_valid), .r_data(r_data),
        .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_word(wr_word), .wr_error(wr_error), .wr_data(wr_data), .wr_strb(wr_strb),
        .sdram_cke(cke), .sdram_cs_n(cs_n), .sdram_ras_n(ras_n), .sdram_cas_n(cas_n), .sdram_we_n(we_n), .sdram_ba(ba),
        .sdram_a(a), .sdram_dqm(dqm), .sdram_dq_out(to_chip), .sdram_dq_oe(dq_oe), .sdram_dq_in(from_chip)
    );
    clhls_uart_bridge_sdram_model #(.ROWS(2), .CLK_HZ(50000000)) chip (
        .clk(!clk), .cke(cke), .cs_n(cs_n), .ras_n(ras_n), .cas_n(cas_n), .we_n(we_n), .ba(ba), .a(a), .dqm(dqm),
        .dq_in(to_chip), .dq_driven(dq_oe), .dq_out(from_chip)
    );
`else
    localparam BEAT_CYCLES = 1;
    clhls_uart_bridge_ram #(.DATA_BITS(DATA_BITS), .WORDS(WORDS), .TARGET("ecp5")) memory (
        .clk(clk), .rst(rst),
        .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_word(rd_word), .r_valid(r_valid), .r_data(r_data),
        .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_word(wr_word), .wr_error(wr_error), .wr_data(wr_data), .wr_strb(wr_strb)
    );
`endif

    reg [DATA_BITS-1:0] model [0:2*WORDS-1];
    integer errors = 0, finished = 0, beats = 0, total = 0, bursts;
    time started;
    integer seed;
    initial if (!$value$plusargs("seed=%d", seed)) seed = 1;

    task fail(input [8*40-1:0] what, input integer master);
        begin
            errors = errors + 1;
            if (errors < 10) $display("%t master %0d: %0s", $time, master, what);
        end
    endtask

    // an answer that nobody takes stays, unchanged
    reg [MASTERS-1:0] r_held = 0, b_held = 0;
    reg [DATA_BITS+ID_BITS+2:0] r_before;
    reg [ID_BITS+1:0] b_before;
    always @(posedge clk) if (!rst) begin
        if (|r_held && (rvalid != r_held || r_before != {rdata, rid, rresp, rlast})) fail("read answer not stable", 0);
        if (|b_held && (bvalid != b_held || b_before != {bid, bresp})) fail("write answer not stable", 0);
        if ((rvalid & (rvalid - 1'b1)) != 0 || (bvalid & (bvalid - 1'b1)) != 0) fail("answer to several masters", 0);
        r_held   <= rvalid & ~rready;
        b_held   <= bvalid & ~bready;
        r_before <= {rdata, rid, rresp, rlast};
        b_before <= {bid, bresp};
        if (|(rvalid & rready)) begin
            beats = beats + 1;
            total = total + 1;
        end
    end

    genvar m;
    generate
        for (m = 0; m < MASTERS; m = m + 1) begin : master
            integer round, beat, length, first, i, state, mine;
            reg [ID_BITS-1:0] id;
            reg [DATA_BITS-1:0] data;
            reg outside;

            // cycles without anything, sometimes
            task pause;
                if ($random(mine) % 3 == 0) repeat ($unsigned($random(mine)) % 5) @(posedge clk);
            endtask

            task choose;
                begin
                    length  = 1 + $unsigned($random(mine)) % 16;
                    first   = m * 256 + $unsigned($random(mine)) % (256 - 16);
                    outside = m == MASTERS - 1 && $random(mine) % 4 == 0;
                    if (outside) first = first + WORDS;
                    id      = $random(mine);
                end
            endtask

            task write_burst;
                begin
                    choose;
                    pause;
                    awvalid[m]                  <= 1'b1;
                    awid[ID_BITS*m +: ID_BITS]  <= id;
                    awaddr[64*m +: 64]          <= first * BYTES;
                    @(posedge clk);
                    while (!awready[m]) @(posedge clk);
                    awvalid[m] <= 1'b0;
                    for (beat = 0; beat < length; beat = beat + 1) begin
                        pause;
                        data = {$random(mine), $random(mine)};
                        wvalid[m]                       <= 1'b1;
                        wdata[DATA_BITS*m +: DATA_BITS] <= data;
                        wlast[m]                        <= beat == length - 1;
                        i = $random(mine);
                        wstrb[BYTES*m +: BYTES]         <= i[BYTES-1:0];
                        @(posedge clk);
                        while (!wready[m]) @(posedge clk);
                        wvalid[m] <= 1'b0;
                        for (state = 0; state < BYTES; state = state + 1)
                            if (i[state] && !outside) model[first + beat][8*state +: 8] = data[8*state +: 8];
                    end
                    pause;
                    bready[m] <= 1'b1;
                    @(posedge clk);
                    while (!bvalid[m]) @(posedge clk);
                    bready[m] <= 1'b0;
                    if (bid != id) fail("id of a write", m);
                    if (bresp != {2{outside}}) fail("response of a write", m);
                end
            endtask

            task read_burst;
                begin
                    choose;
                    pause;
                    arvalid[m]                 <= 1'b1;
                    arid[ID_BITS*m +: ID_BITS] <= id;
                    araddr[64*m +: 64]         <= first * BYTES;
                    arlen[8*m +: 8]            <= length - 1;
                    @(posedge clk);
                    while (!arready[m]) @(posedge clk);
                    arvalid[m] <= 1'b0;
                    for (beat = 0; beat < length; beat = beat + 1) begin
                        pause;
                        rready[m] <= 1'b1;
                        @(posedge clk);
                        while (!rvalid[m]) @(posedge clk);
                        rready[m] <= 1'b0;
                        if (rid != id) fail("id of a read", m);
                        if (rlast != (beat == length - 1)) fail("last beat of a read", m);
                        if (rresp != {2{outside}}) fail("response of a read", m);
                        if (!outside && rdata !== model[first + beat]) fail("data of a read", m);
                    end
                end
            endtask

            initial begin
                #1 mine = seed * 1000 + m;
                wait (!rst);
                @(posedge clk);
                // every word once, so that nothing is undefined
                for (round = 0; round < 256; round = round + 1) begin
                    awvalid[m] <= 1'b1;
                    awaddr[64*m +: 64] <= (m * 256 + round) * BYTES;
                    @(posedge clk);
                    while (!awready[m]) @(posedge clk);
                    awvalid[m] <= 1'b0;
                    wvalid[m] <= 1'b1;
                    wlast[m] <= 1'b1;
                    wstrb[BYTES*m +: BYTES] <= {BYTES{1'b1}};
                    wdata[DATA_BITS*m +: DATA_BITS] <= 0;
                    model[m * 256 + round] = 0;
                    @(posedge clk);
                    while (!wready[m]) @(posedge clk);
                    wvalid[m] <= 1'b0;
                    bready[m] <= 1'b1;
                    @(posedge clk);
                    while (!bvalid[m]) @(posedge clk);
                    bready[m] <= 1'b0;
                end
                for (round = 0; round < ROUNDS; round = round + 1)
                    if ($random(mine) % 2 == 0) write_burst; else read_burst;
                finished = finished + 1;
            end
        end
    endgenerate

    initial begin
        repeat (10) @(posedge clk);
        rst <= 1'b0;
        fork : run
            wait (finished == MASTERS);
            repeat (200000) @(posedge clk);
        join_any
        if (finished != MASTERS) fail("timeout", 0);

        // as many beats as the memory can, also across bursts: 32 bursts of 4 beats, and some cycles for the first
        beats   = 0;
        bursts  = 0;
        rready  <= {MASTERS{1'b1}};
        arlen   <= 3;
        araddr  <= 0;
        arvalid <= 1;
        repeat (32) begin
            @(posedge clk);
            while (!arready[0]) @(posedge clk);
            bursts = bursts + 1;
            if (bursts == 1) started = $time;
        end
        arvalid <= 0;
        while (beats < 128) @(posedge clk);
        // 70: what a refresh and opening rows again may take in between
        if ($time - started > 10 * (128 * BEAT_CYCLES + (BEAT_CYCLES > 1 ? 70 : 6))) fail("reads are too slow", 0);
        beats = total;
        if (beats < MASTERS * ROUNDS) fail("too few beats", 0);
        if (errors == 0) $display("PASS %0d beats read", beats);
        else $display("FAIL %0d errors", errors);
        $finish;
    end
endmodule

`default_nettype wire
