// clhls_carry: every iteration reads what the DISTANCE-th before it wrote, or the value that the loop began with, whatever the gaps
// between iterations; loops follow one another while the last iterations of the one before are still on their way to the writer.
`default_nettype none
module bench;
  parameter WIDTH    = 32;
  parameter DISTANCE = 3;
  parameter UNIFORM  = 0;
  parameter BLOCK    = 0;                     // words are sent for by the third iteration before
  parameter TARGET   = "generic";
  parameter II       = 1;                     // fewest cycles between two iterations
  parameter LATENCY  = (BLOCK != 0 ? DISTANCE - 3 : DISTANCE) * II - 2;     // cycles from reader to writer: as many as there can be
  localparam BEGINS  = UNIFORM != 0 ? 1 : DISTANCE - 1;  // values that a loop begins with
  `include "bench.vh"

  reg                           read = 0;
  reg                           read_first = 0;
  reg  [BEGINS*WIDTH-1:0]       initial_data = 0;
  wire [WIDTH-1:0]              read_data;
  reg  [WIDTH-1:0]              write_data = 0;
  // What is at the writer was at the reader LATENCY cycles before.
  reg  [LATENCY+1:0]            valid = 0;
  reg  [LATENCY+1:0]            first = 0;
  wire                          write = LATENCY == 0 ? read : valid[LATENCY > 0 ? LATENCY-1 : 0];
  wire                          write_first = LATENCY == 0 ? read_first : first[LATENCY > 0 ? LATENCY-1 : 0];
  reg  [WIDTH-1:0]              wrote [0:4095];  // by each iteration of the loop at the writer
  reg  [WIDTH-1:0]              other [0:4095];  // the same of the loop before or behind it
  integer                       number = 0;      // of the iteration at the reader
  integer                       written = 0;     // of the iteration at the writer
  integer                       length = 1;      // iterations of the loop at the reader
  integer                       wait_for = 0;
  integer                       loops = 0;
  reg  [WIDTH-1:0]              wanted;
  integer                       k;

  clhls_carry #(
    .WIDTH(WIDTH), .DISTANCE(DISTANCE), .UNIFORM(UNIFORM), .BLOCK(BLOCK), .TARGET(TARGET)
  ) dut (
    .clk(clk), .read(read), .read_first(read_first), .initial_data(initial_data), .read_data(read_data),
    .write(write), .write_first(write_first), .write_data(write_data)
  );

  // The writer: words of its own; loops take turns in two arrays, as iterations of two can be on their way.
  reg reader_side = 0, writer_side = 0;
  always @(posedge clk) begin
    valid <= {valid[LATENCY:0], read};
    first <= {first[LATENCY:0], read_first};
    if (write) begin
      if (write_first) begin
        if (~writer_side) other[0] <= write_data; else wrote[0] <= write_data;
        writer_side <= ~writer_side;
        written <= 1;
      end else begin
        if (writer_side) other[written] <= write_data; else wrote[written] <= write_data;
        written <= written + 1;
      end
    end
    write_data <= {(WIDTH + 31) / 32{$random(seed)}};
  end

  always @(posedge clk) begin
    if (read && !read_first) begin
      if (number < DISTANCE) wanted = initial_data[(UNIFORM != 0 ? 0 : number-1)*WIDTH +: WIDTH];
      else if (reader_side) wanted = other[number-DISTANCE];
      else wanted = wrote[number-DISTANCE];
      check(read_data === wanted, "an iteration reads another value");
    end
    read <= 0;
    read_first <= 0;
    if (wait_for > 0) wait_for <= wait_for - 1;
    else if (!rst && in_turn(0)) begin
      read <= 1;
      wait_for <= II - 1;
      if (loops == 0 || number + 1 >= length) begin
        read_first <= 1;
        reader_side <= ~reader_side;
        number <= 0;
        length <= 1 + dice(dice(3) == 0 ? 3 * DISTANCE + 200 : 2 * DISTANCE + 2);
        loops <= loops + 1;
        for (k = 0; k < BEGINS; k = k + 1) initial_data[k*WIDTH +: WIDTH] <= {(WIDTH + 31) / 32{$random(seed)}};
      end else number <= number + 1;
    end
  end

  initial begin
    wait (!rst);
    repeat (20000) @(posedge clk);
    finish_bench;
  end
endmodule
