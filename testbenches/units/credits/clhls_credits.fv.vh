  // A writer that takes places as many cycles after `room` as it allows for never takes more than there are; each place is counted.
  `include "formal.vh"
  localparam F_LATE = (1 << SPARE) - 2;  // cycles from `room` to `taken`, at most
  reg [CW:0]     f_used;
  reg [F_LATE:0] f_heard;  // room_q of this cycle at 0, of the cycles before above
  always @(posedge clk) begin
    if (rst) f_used <= 0;
    else f_used <= f_used + taken - freed;
  end
  generate
    if (F_LATE > 0) begin : f_late
      reg [F_LATE-1:0] f_before;
      always @(posedge clk) f_before <= rst ? 0 : f_heard[F_LATE-1:0];
      always @* f_heard = {f_before, room_q};
    end else begin : f_now
      always @* f_heard = room_q;
    end
  endgenerate
  always @* if (f_on) begin
    if (taken) assume (f_heard[F_LATE]);
    if (freed) assume (f_used != 0);
    assert (f_used <= PLACES);
    assert (free_q + f_used == PLACES - freed_q);
  end
  // A queue that is empty and stays so gives room.
  always @(posedge clk) if (f_past && ~rst && $past(f_on && free_q == PLACES) && ~$past(rst)) assert (room_q);
