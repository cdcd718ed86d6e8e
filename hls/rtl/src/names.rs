//! Names of kernels and values as Verilog identifiers.

use base::FxHashSet;
use std::sync::LazyLock;

/// Reserved words of Verilog and SystemVerilog (IEEE 1800-2017, table B.1), and names that SystemVerilog's package `std` has: tools read
/// Verilog as either.
const RESERVED: &str = "
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins
binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const
constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else
end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage
endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect export extends
extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff
ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer
interconnect interface intersect join join_any join_none large let liblist library local localparam logic longint
macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1
null or output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown
pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg
reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until
s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static string
strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time
timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned
until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire
with within wor xnor xor
mailbox process semaphore std
";

static IS_RESERVED: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| RESERVED.split_ascii_whitespace().collect());

/// `name` as a Verilog identifier.
pub fn legal(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    if IS_RESERVED.contains(out.as_str()) {
        out.push('_');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{IS_RESERVED, legal};

    #[test]
    fn reserved_words_become_identifiers() {
        let all = [
            "bins",
            "table",
            "always_ff",
            "checker",
            "s_until_with",
            "xor",
            "std",
            "1st",
            "a-b",
            "",
        ];
        let names = all.map(legal);
        assert_eq!(
            names,
            [
                "bins_",
                "table_",
                "always_ff_",
                "checker_",
                "s_until_with_",
                "xor_",
                "std_",
                "_1st",
                "a_b",
                "_"
            ]
        );
    }

    #[test]
    fn all_reserved_words_are_there() {
        // Table B.1 has 248 words; four names of `std` follow.
        assert_eq!(IS_RESERVED.len(), 248 + 4);
    }
}
