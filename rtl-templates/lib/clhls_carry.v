// A value that a loop carries over DISTANCE iterations: what one writes, the DISTANCE-th behind it reads. LUTRAM ring, or block RAM ring
// that is read three iterations ahead, and output register.
// In between the iterations have the values that the loop begins with, which come with its tokens. Tokens stay in order.
// latency: a word can be read 2 cycles after it was written; in block RAM by the iteration that comes to the reader at least 2 cycles
// and 3 iterations later; II 1.
`default_nettype none

module clhls_carry #(
  parameter WIDTH    = 32,        // bits, >= 1
  parameter DISTANCE = 2,         // iterations from write to read, >= 2
  parameter UNIFORM  = 0,         // 1: the loop begins with one value for all of them
  parameter BLOCK    = 0,         // 1: ring in block RAM; UNIFORM, DISTANCE > 3
  parameter TARGET   = "generic"  // RAM primitive: "generic" or "ecp5"
) (
  input  wire                                        clk,
  input  wire                                        read,         // an iteration is at the reader
  input  wire                                        read_first,   // it is the loop's first, which does not look at read_data
  input  wire [(UNIFORM != 0 ? 1 : DISTANCE-1)*WIDTH-1:0] initial_data, // for the second iteration (low bits) to the DISTANCE-th
  output wire [WIDTH-1:0]                            read_data,    // register: for the iteration that comes to the reader next
  input  wire                                        write,        // an iteration is at the writer, which it reaches not before the reader
  input  wire                                        write_first,  // it is the loop's first
  input  wire [WIDTH-1:0]                            write_data
);

  initial begin
    if (WIDTH < 1 || DISTANCE < 2 || (BLOCK != 0 && (UNIFORM == 0 || DISTANCE < 4))) begin
      $display("clhls_carry: WIDTH must be at least 1 and DISTANCE at least 2; BLOCK wants UNIFORM and 4");
      $finish;
    end
  end

  localparam AW   = $clog2(DISTANCE);
  localparam LAST = DISTANCE - 1;

  reg [AW-1:0]    write_q;   // place for the next iteration: its number modulo DISTANCE
  reg             begins_q;  // the iteration that comes to the reader next is one of the first DISTANCE
  reg [WIDTH-1:0] data_q;

  assign read_data = data_q;

  wire [AW-1:0] place = write_first ? {AW{1'b0}} : write_q;
  always @(posedge clk) begin
    if (write) write_q <= (place == LAST[AW-1:0]) ? {AW{1'b0}} : place + 1'b1;
  end

  generate
    if (BLOCK != 0) begin : g_block
      // Each iteration at the reader sends for the word of the third behind it, which was written before; so the RAM's two stages and
      // the output register move with the iterations.
      localparam THIRD = 3;
      localparam LATER = 2;

      reg  [AW-1:0]    ahead_q;  // place of the third iteration behind the one that comes to the reader next
      wire [AW-1:0]    ahead  = read_first ? THIRD[AW-1:0] : ahead_q;
      wire             begins = read_first | (begins_q & (ahead != LATER[AW-1:0]));
      wire [WIDTH-1:0] rdata;

      clhls_ram #(
        .WIDTH(WIDTH), .DEPTH(DISTANCE), .COLLIDES(0), .TARGET(TARGET)
      ) u_ram (
        .clk(clk), .en(read), .en_out(read),
        .wen(write), .waddr(place), .wdata(write_data),
        .ren(read), .raddr(ahead), .rdata(rdata)
      );

      always @(posedge clk) begin
        if (read) begin
          ahead_q  <= (ahead == LAST[AW-1:0]) ? {AW{1'b0}} : ahead + 1'b1;
          begins_q <= begins;
          data_q   <= begins ? initial_data : rdata;
        end
      end
    end else begin : g_lutram
      (* ram_style = "distributed" *)
      reg  [WIDTH-1:0] mem [0:(1<<AW)-1];
      reg  [AW-1:0]    read_q;  // place of the iteration that comes to the reader next
      wire             last   = read_q == LAST[AW-1:0];
      wire [AW-1:0]    next   = !read ? read_q : read_first ? {{(AW-1){1'b0}}, 1'b1} : last ? {AW{1'b0}} : read_q + 1'b1;
      wire             begins = !read ? begins_q : read_first | (begins_q & ~last);
      wire [WIDTH-1:0] initial_next;

      if (UNIFORM != 0) begin : g_uniform
        assign initial_next = initial_data;
      end else begin : g_each
        // The initial values, each at the number of its iteration.
        wire [(1<<AW)*WIDTH-1:0] initial_at = {{((1<<AW)-DISTANCE)*WIDTH{1'b0}}, initial_data, {WIDTH{1'b0}}};
        assign initial_next = initial_at[next*WIDTH +: WIDTH];
      end

      always @(posedge clk) begin
        if (write) mem[place] <= write_data;
        read_q   <= next;
        begins_q <= begins;
        // The ring's word may be written while the reader waits.
        if (!begins) data_q <= mem[next];
        else if (read) data_q <= initial_next;
      end
    end
  endgenerate

endmodule

`default_nettype wire
