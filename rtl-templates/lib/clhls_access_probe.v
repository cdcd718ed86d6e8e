// Simulation hook: reports each accepted global access to the simulator (bounds and alignment checks there).
// latency 0, II 1.  Instantiated by the global memory units under `ifdef CLHLS_CHECK_ACCESS; needs DPI-C.
// The SITE of no access reports nothing: a module in front has reported what the kernel asked for.
`default_nettype none

module clhls_access_probe #(
  parameter ADDR_BITS = 64,  // <= 64
  parameter BYTES     = 4,   // bytes of the access
  parameter PARTS     = 1,   // equal parts of the access that happen or not; divides BYTES
  parameter IS_WRITE  = 0,   // 0: read, 1: write, 2: atomic
  parameter SITE      = 0    // number of the access in the manifest's `sites`; 2147483647: none, reports nothing
) (
  input wire                 clk,
  input wire [PARTS-1:0]     access,  // parts of an access that is accepted in this cycle
  input wire [ADDR_BITS-1:0] addr     // byte address
);

`ifdef CLHLS_CHECK_ACCESS
  import "DPI-C" function void clhls_check_access(input int site, input longint addr, input int bytes, input int is_write);

  wire [63:0] wide = {{(64-ADDR_BITS){1'b0}}, addr};

  generate
    if (SITE == 2147483647) begin : g_silent
      wire unused = &{1'b0, clk, access, wide, BYTES != 0, IS_WRITE != 0};
    end else if (PARTS == 1) begin : g_whole
      always @(posedge clk) begin
        if (access[0]) clhls_check_access(SITE, wide, BYTES, IS_WRITE);
      end
    end else begin : g_parts
      integer k;
      always @(posedge clk) begin
        for (k = 0; k < PARTS; k = k + 1) begin
          if (access[k]) clhls_check_access(SITE, wide + k * (BYTES / PARTS), BYTES / PARTS, IS_WRITE);
        end
      end
    end
  endgenerate
`else
  wire unused = &{1'b0, clk, access, addr, SITE != 0, BYTES != 0, IS_WRITE != 0};
`endif

endmodule

`default_nettype wire
