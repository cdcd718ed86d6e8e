// A value that a loop carries over DISTANCE iterations: what one writes, the DISTANCE-th behind it reads. LUTRAM ring and output register.
// In between the iterations have the values that the loop begins with, which come with its tokens. Tokens stay in order.
// latency: a word can be read 2 cycles after it was written; II 1.
`default_nettype none

module clhls_carry #(
  parameter WIDTH    = 32,  // bits, >= 1
  parameter DISTANCE = 2    // iterations from write to read, >= 2
) (
  input  wire                          clk,
  input  wire                          read,         // an iteration is at the reader
  input  wire                          read_first,   // it is the loop's first, which does not look at read_data
  input  wire [(DISTANCE-1)*WIDTH-1:0] initial_data, // the token's values for the second iteration (low bits) to the DISTANCE-th
  output wire [WIDTH-1:0]              read_data,    // register: for the iteration that comes to the reader next
  input  wire                          write,        // an iteration is at the writer, which it reaches not before the reader
  input  wire                          write_first,  // it is the loop's first
  input  wire [WIDTH-1:0]              write_data
);

  initial begin
    if (WIDTH < 1 || DISTANCE < 2) begin
      $display("clhls_carry: WIDTH must be at least 1 and DISTANCE at least 2");
      $finish;
    end
  end

  localparam AW   = $clog2(DISTANCE);
  localparam LAST = DISTANCE - 1;

  (* ram_style = "distributed" *)
  reg [WIDTH-1:0] mem [0:(1<<AW)-1];
  reg [AW-1:0]    write_q;   // place for the next iteration: its number modulo DISTANCE
  reg [AW-1:0]    read_q;    // the same at the reader
  reg             begins_q;  // that iteration is one of the first DISTANCE
  reg [WIDTH-1:0] data_q;

  assign read_data = data_q;

  wire [AW-1:0] place = write_first ? {AW{1'b0}} : write_q;
  always @(posedge clk) begin
    if (write) begin
      mem[place] <= write_data;
      write_q    <= (place == LAST[AW-1:0]) ? {AW{1'b0}} : place + 1'b1;
    end
  end

  wire          last   = read_q == LAST[AW-1:0];
  wire [AW-1:0] next   = !read ? read_q : read_first ? {{(AW-1){1'b0}}, 1'b1} : last ? {AW{1'b0}} : read_q + 1'b1;
  wire          begins = !read ? begins_q : read_first | (begins_q & ~last);
  // The initial values, each at the number of its iteration.
  wire [(1<<AW)*WIDTH-1:0] initial_at = {{((1<<AW)-DISTANCE)*WIDTH{1'b0}}, initial_data, {WIDTH{1'b0}}};
  always @(posedge clk) begin
    read_q   <= next;
    begins_q <= begins;
    // The ring's word may be written while the reader waits.
    if (!begins) data_q <= mem[next];
    else if (read) data_q <= initial_at[next*WIDTH +: WIDTH];
  end

`ifdef FORMAL
  `include "clhls_carry.fv.vh"
`endif

endmodule

`default_nettype wire
