// MASTERS AXI4 slave ports onto one stream of read beats and one of write beats, for a memory behind.
//
// INCR bursts of full-width beats, as kernels issue them. Bursts are granted round robin, reads and writes independently;
// one beat a cycle each, also across bursts. A master that leaves its answers waiting holds up the others; kernels
// and the host's bridge never do. Addresses beyond the memory answer DECERR; the memory sees their beats too, with
// rd_error or wr_error, and must write nothing.
//
// Memory: takes a read when rd_valid and rd_ready, and answers in order with r_valid and r_data, which it need not hold back:
// there is room. Takes a write when wr_valid and wr_ready; its response is given at once, so a read taken later must see it.
// Latency: 1 cycle from AR to rd_valid, 1 from r_valid to R.

`default_nettype none

module clhls_uart_bridge_axi #(
    parameter MASTERS   = 2,
    parameter DATA_BITS = 64,
    parameter ID_BITS   = 6,
    parameter WORDS     = 16384   // of DATA_BITS; a power of two
) (
    input  wire                           clk,
    input  wire                           rst,

    input  wire [MASTERS-1:0]             s_awvalid,
    output wire [MASTERS-1:0]             s_awready,
    input  wire [MASTERS*ID_BITS-1:0]     s_awid,
    input  wire [MASTERS*64-1:0]          s_awaddr,
    input  wire [MASTERS-1:0]             s_wvalid,
    output wire [MASTERS-1:0]             s_wready,
    input  wire [MASTERS*DATA_BITS-1:0]   s_wdata,
    input  wire [MASTERS*DATA_BITS/8-1:0] s_wstrb,
    input  wire [MASTERS-1:0]             s_wlast,
    output wire [MASTERS-1:0]             s_bvalid,
    input  wire [MASTERS-1:0]             s_bready,
    output wire [ID_BITS-1:0]             s_bid,      // common to all ports
    output wire [1:0]                     s_bresp,
    input  wire [MASTERS-1:0]             s_arvalid,
    output wire [MASTERS-1:0]             s_arready,
    input  wire [MASTERS*ID_BITS-1:0]     s_arid,
    input  wire [MASTERS*64-1:0]          s_araddr,
    input  wire [MASTERS*8-1:0]           s_arlen,
    output wire [MASTERS-1:0]             s_rvalid,
    input  wire [MASTERS-1:0]             s_rready,
    output wire [ID_BITS-1:0]             s_rid,      // common to all ports
    output wire [DATA_BITS-1:0]           s_rdata,
    output wire [1:0]                     s_rresp,
    output wire                           s_rlast,

    output wire                           rd_valid,
    input  wire                           rd_ready,
    output wire [$clog2(WORDS)-1:0]       rd_word,
    output wire                           rd_error,
    input  wire                           r_valid,
    input  wire [DATA_BITS-1:0]           r_data,
    output wire                           wr_valid,
    input  wire                           wr_ready,
    output wire [$clog2(WORDS)-1:0]       wr_word,
    output wire                           wr_error,
    output wire [DATA_BITS-1:0]           wr_data,
    output wire [DATA_BITS/8-1:0]         wr_strb
);

    localparam BYTES = DATA_BITS / 8;
    localparam SHIFT = $clog2(BYTES);
    localparam ABITS = $clog2(WORDS);
    localparam LINE  = 64 - SHIFT;                       // bits of a full line address
    localparam MBITS = MASTERS > 1 ? $clog2(MASTERS) : 1;
    localparam TAG   = MBITS + ID_BITS + 2;              // master, id, last, error
    localparam DEPTH = 8;                                // responses held

    // ---------------------------------------------------------------- choice of the next burst, round robin
    reg [MBITS-1:0] ar_last, aw_last;
    reg [MBITS-1:0] ar_pick, aw_pick;
    integer k, candidate;
    always @* begin
        ar_pick = ar_last;
        aw_pick = aw_last;
        for (k = MASTERS; k >= 1; k = k - 1) begin
            candidate = {{(32-MBITS){1'b0}}, ar_last} + k;
            if (candidate >= MASTERS) candidate = candidate - MASTERS;
            if (s_arvalid[candidate[MBITS-1:0]]) ar_pick = candidate[MBITS-1:0];
            candidate = {{(32-MBITS){1'b0}}, aw_last} + k;
            if (candidate >= MASTERS) candidate = candidate - MASTERS;
            if (s_awvalid[candidate[MBITS-1:0]]) aw_pick = candidate[MBITS-1:0];
        end
    end

    // ---------------------------------------------------------------- reads
    reg               rd_busy;
    reg [MBITS-1:0]   rd_master;
    reg [ID_BITS-1:0] rd_id;
    reg [LINE-1:0]    rd_line;
    reg [7:0]         rd_left;
    reg [3:0]         rd_credits;                        // free places in the response queue

    assign rd_valid = rd_busy && rd_credits != 4'd0;
    assign rd_word  = rd_line[ABITS-1:0];
    assign rd_error = |rd_line[LINE-1:ABITS];

    wire rd_issue  = rd_valid && rd_ready;
    wire rd_end    = rd_issue && rd_left == 8'd0;
    wire rd_accept = !rd_busy || rd_end;
    wire ar_taken  = rd_accept && s_arvalid[ar_pick];
    wire r_pop;

    assign s_arready = rd_accept && |s_arvalid ? {{(MASTERS-1){1'b0}}, 1'b1} << ar_pick : {MASTERS{1'b0}};

    always @(posedge clk) begin
        if (rd_issue) begin
            rd_line <= rd_line + 1'b1;
            rd_left <= rd_left - 8'd1;
        end
        if (ar_taken) begin
            rd_master <= ar_pick;
            ar_last   <= ar_pick;
            rd_id     <= s_arid[ID_BITS * ar_pick +: ID_BITS];
            rd_line   <= s_araddr[64 * ar_pick + SHIFT +: LINE];
            rd_left   <= s_arlen[8 * ar_pick +: 8];
        end
        rd_busy    <= ar_taken || (rd_busy && !rd_end);
        rd_credits <= rd_credits - {3'd0, rd_issue} + {3'd0, r_pop};
        if (rst) begin
            rd_busy    <= 1'b0;
            rd_credits <= DEPTH;
            ar_last    <= {MBITS{1'b0}};
        end
    end

    // what each answer is for, and the answers
    reg [TAG-1:0]       tags  [0:DEPTH-1];
    reg [DATA_BITS-1:0] queue [0:DEPTH-1];
    reg [2:0] t_in, q_in, q_out;
    reg [3:0] q_count;
    wire [TAG-1:0]   head     = tags[q_out];
    wire [MBITS-1:0] r_master = head[2 + ID_BITS +: MBITS];

    assign s_rvalid = q_count != 4'd0 ? {{(MASTERS-1){1'b0}}, 1'b1} << r_master : {MASTERS{1'b0}};
    assign s_rdata  = queue[q_out];
    assign s_rresp  = {2{head[0]}};
    assign s_rlast  = head[1];
    assign s_rid    = head[2 +: ID_BITS];
    assign r_pop    = |(s_rvalid & s_rready);

    always @(posedge clk) begin
        if (rd_issue) tags[t_in] <= {rd_master, rd_id, rd_left == 8'd0, rd_error};
        if (r_valid) queue[q_in] <= r_data;
        t_in    <= t_in + {2'd0, rd_issue};
        q_in    <= q_in + {2'd0, r_valid};
        q_out   <= q_out + {2'd0, r_pop};
        q_count <= q_count + {3'd0, r_valid} - {3'd0, r_pop};
        if (rst) begin
            t_in    <= 3'd0;
            q_in    <= 3'd0;
            q_out   <= 3'd0;
            q_count <= 4'd0;
        end
    end

    // ---------------------------------------------------------------- writes
    reg               wr_busy;
    reg [MBITS-1:0]   wr_master;
    reg [ID_BITS-1:0] wr_id;
    reg [LINE-1:0]    wr_line;
    reg [3:0]         b_count;

    wire wr_open = wr_busy && b_count != DEPTH;
    assign wr_word  = wr_line[ABITS-1:0];
    assign wr_error = |wr_line[LINE-1:ABITS];
    assign wr_data  = s_wdata[DATA_BITS * wr_master +: DATA_BITS];
    assign wr_strb  = s_wstrb[BYTES * wr_master +: BYTES];
    assign wr_valid = wr_open && s_wvalid[wr_master];

    wire wr_beat   = wr_valid && wr_ready;
    wire wr_end    = wr_beat && s_wlast[wr_master];
    wire wr_accept = !wr_busy || wr_end;
    wire aw_taken  = wr_accept && s_awvalid[aw_pick];

    assign s_awready = wr_accept && |s_awvalid ? {{(MASTERS-1){1'b0}}, 1'b1} << aw_pick : {MASTERS{1'b0}};
    assign s_wready  = wr_open && wr_ready ? {{(MASTERS-1){1'b0}}, 1'b1} << wr_master : {MASTERS{1'b0}};

    always @(posedge clk) begin
        if (wr_beat) wr_line <= wr_line + 1'b1;
        if (aw_taken) begin
            wr_master <= aw_pick;
            aw_last   <= aw_pick;
            wr_id     <= s_awid[ID_BITS * aw_pick +: ID_BITS];
            wr_line   <= s_awaddr[64 * aw_pick + SHIFT +: LINE];
        end
        wr_busy <= aw_taken || (wr_busy && !wr_end);
        if (rst) begin
            wr_busy <= 1'b0;
            aw_last <= {MBITS{1'b0}};
        end
    end

    reg [TAG-2:0] b_queue [0:DEPTH-1];
    reg [2:0] b_in, b_out;
    wire [TAG-2:0]   b_head   = b_queue[b_out];
    wire [MBITS-1:0] b_master = b_head[1 + ID_BITS +: MBITS];
    wire b_pop = |(s_bvalid & s_bready);

    assign s_bvalid = b_count != 4'd0 ? {{(MASTERS-1){1'b0}}, 1'b1} << b_master : {MASTERS{1'b0}};
    assign s_bid    = b_head[1 +: ID_BITS];
    assign s_bresp  = {2{b_head[0]}};

    always @(posedge clk) begin
        if (wr_end) b_queue[b_in] <= {wr_master, wr_id, wr_error};
        b_in    <= b_in + {2'd0, wr_end};
        b_out   <= b_out + {2'd0, b_pop};
        b_count <= b_count + {3'd0, wr_end} - {3'd0, b_pop};
        if (rst) begin
            b_in    <= 3'd0;
            b_out   <= 3'd0;
            b_count <= 4'd0;
        end
    end

    // full-width beats start at line addresses
    wire unused = &{1'b0, s_araddr, s_awaddr};

endmodule

`default_nettype wire
