// What an atomic operation leaves in memory: the reference of the atomic benches, in plain signed and unsigned arithmetic.
  function [63:0] after(input [3:0] op, input [63:0] old, input [63:0] data, input [63:0] compare, input [7:0] strb, input integer bytes);
    reg [63:0] mask;
    reg signed [63:0] so, sd;
    integer n;
    begin
      mask = (bytes == 8) ? ~64'd0 : (64'd1 << (8 * bytes)) - 1;
      so = old << (64 - 8 * bytes);
      sd = data << (64 - 8 * bytes);
      case (op)
        0: after = old + data;
        1: after = old - data;
        2: after = old & data;
        3: after = old | data;
        4: after = old ^ data;
        5: after = data;
        6: after = (old == compare) ? data : old;
        7: after = (data < old) ? data : old;
        8: after = (data > old) ? data : old;
        9: after = (sd < so) ? data : old;
        10: after = (sd > so) ? data : old;
        12: for (n = 0; n < 8; n = n + 1) after[8*n +: 8] = strb[n] ? data[8*n +: 8] : old[8*n +: 8];
        default: after = old;
      endcase
      after = after & mask;
    end
  endfunction
