//! Prints a module.

use rtl::{Binary, Connection, Direction, Expr, Module, Net, Param, Register, Rom, RomRead, Unary};

/// The file of one module.
pub fn module(m: &Module) -> String {
    let mut p = Printer { m, out: String::new() };
    p.header();
    p.ports();
    p.nets();
    p.assigns();
    p.roms();
    p.registers();
    p.instances();
    p.out.push_str("endmodule\n`default_nettype wire\n");
    p.out
}

struct Printer<'m> {
    m: &'m Module,
    out: String,
}

/// Appends a formatted line.
macro_rules! put {
    ($p:expr, $($arg:tt)*) => {{
        let line = format!($($arg)*);
        $p.out.push_str(&line);
        $p.out.push('\n');
    }};
}

impl Printer<'_> {
    /// Name of the clock inside the module.
    fn clock(&self) -> &'static str {
        if self.m.ap_ports { "ap_clk" } else { "clk" }
    }

    fn name(&self, n: Net) -> &str {
        &self.m.nets[n].name
    }

    fn header(&mut self) {
        for line in &self.m.header {
            put!(self, "// {line}");
        }
        put!(self, "/* verilator lint_off UNUSEDSIGNAL */");
        put!(self, "`default_nettype none");
    }

    fn ports(&mut self) {
        put!(self, "module {} (", self.m.name);
        let mut lines = vec![];
        if self.m.ap_ports {
            lines.push("input  wire ap_clk".to_owned());
            lines.push("input  wire ap_rst_n".to_owned());
        } else if self.m.clocked {
            lines.push("input  wire clk".to_owned());
            lines.push("input  wire rst".to_owned());
        }
        let is_reg = |n: Net| self.m.registers.iter().any(|r| r.q == n);
        for (n, d) in self.m.nets.iter() {
            if let Some(direction) = d.port {
                let kind = match direction {
                    Direction::Input => "input  wire",
                    Direction::Output if is_reg(n) => "output reg ",
                    Direction::Output => "output wire",
                };
                lines.push(format!("{kind} {}{}", range(d.width), d.name));
            }
        }
        put!(self, "    {}\n);", lines.join(",\n    "));
        if self.m.ap_ports {
            put!(self, "reg rst;");
            put!(self, "always @(posedge ap_clk) rst <= ~ap_rst_n;");
        }
    }

    fn nets(&mut self) {
        let regs: base::FxHashSet<Net> = self.m.registers.iter().map(|r| r.q).collect();
        for (n, d) in self.m.nets.iter().filter(|(_, d)| d.port.is_none()) {
            let kind = if regs.contains(&n) { "reg " } else { "wire" };
            let note =
                if d.comment.is_empty() { String::new() } else { format!(" // {}", d.comment) };
            put!(self, "{kind} {}{};{note}", range(d.width), d.name);
        }
    }

    fn assigns(&mut self) {
        for (net, e, note) in &self.m.assigns {
            let note = if note.is_empty() { String::new() } else { format!(" // {note}") };
            put!(self, "assign {} = {};{note}", self.name(*net), self.expr(e, true));
        }
    }

    fn registers(&mut self) {
        let clk = self.clock();
        let plain = |r: &&Register| r.enable.is_none() && r.reset.is_none();
        if self.m.registers.iter().any(|r| plain(&r)) {
            put!(self, "always @(posedge {clk}) begin");
            for r in self.m.registers.iter().filter(plain) {
                put!(self, "    {} <= {};", self.name(r.q), self.expr(&r.next, true));
            }
            put!(self, "end");
        }
        for r in self.m.registers.iter().filter(|r| !plain(r)) {
            let (q, next) = (self.name(r.q).to_owned(), self.expr(&r.next, true));
            let enable = r.enable.as_ref().map(|e| self.expr(e, true));
            let width = self.m.nets[r.q].width;
            match (&r.reset, enable) {
                (Some(v), None) => {
                    let v = constant(width, *v);
                    put!(self, "always @(posedge {clk}) if (rst) {q} <= {v}; else {q} <= {next};");
                }
                (Some(v), Some(e)) => {
                    let v = constant(width, *v);
                    put!(
                        self,
                        "always @(posedge {clk}) if (rst) {q} <= {v}; else if ({e}) {q} <= {next};"
                    );
                }
                (None, Some(e)) => put!(self, "always @(posedge {clk}) if ({e}) {q} <= {next};"),
                (None, None) => {}
            }
        }
    }

    fn roms(&mut self) {
        for rom in &self.m.roms {
            self.rom(rom);
        }
    }

    fn rom(&mut self, rom: &Rom) {
        let bits = rom.reads.first().map_or(0, |r| rtl::verify::width(self.m, &r.addr));
        let depth = 1usize << bits.min(24);
        let name = &rom.name;
        // Otherwise yosys makes LUTs of tables below some kilobits, several levels of them between the registers.
        let style = if rom.is_block() { "(* rom_style = \"block\" *) " } else { "" };
        put!(self, "{style}reg {}{name} [0:{}];", range(rom.width), depth - 1);
        put!(self, "initial begin");
        for k in 0..depth {
            let v = rom.entries.get(k).copied().unwrap_or(0);
            put!(self, "    {name}[{k}] = {};", constant(rom.width, v));
        }
        put!(self, "end");
        for read in &rom.reads {
            self.rom_read(rom, read);
        }
    }

    fn rom_read(&mut self, rom: &Rom, read: &RomRead) {
        let (table, name, data) = (&rom.name, &read.name, self.name(read.data).to_owned());
        let addr = self.expr(&read.addr, true);
        if rom.latency == 0 {
            put!(self, "assign {data} = {table}[{addr}];");
            return;
        }
        put!(self, "reg {0}{name}_q, {name}_q2;", range(rom.width));
        let enable = rom.enable.as_ref().map(|e| format!("if ({}) ", self.expr(e, true)));
        let enable = enable.unwrap_or_default();
        put!(self, "always @(posedge {}) {enable}begin", self.clock());
        put!(self, "    {name}_q <= {table}[{addr}];");
        put!(self, "    {name}_q2 <= {name}_q;");
        put!(self, "end");
        put!(self, "assign {data} = {name}_q2;");
    }

    fn instances(&mut self) {
        for i in &self.m.instances {
            if !i.comment.is_empty() {
                put!(self, "// {}", i.comment);
            }
            let params: Vec<String> =
                i.params.iter().map(|(k, v)| format!(".{k}({})", param(v))).collect();
            let mut ports: Vec<String> = vec![];
            if i.clocked {
                ports.push(format!(".clk({})", self.clock()));
            }
            if i.reset {
                ports.push(".rst(rst)".to_owned());
            }
            ports.extend(i.ports.iter().map(|(k, c)| match c {
                Connection::Input(e) => format!(".{k}({})", self.expr(e, true)),
                Connection::Output(Some(n)) => format!(".{k}({})", self.name(*n)),
                Connection::Output(None) => {
                    format!("/* verilator lint_off PINCONNECTEMPTY */ .{k}()")
                }
            }));
            let params = if params.is_empty() {
                String::new()
            } else {
                format!("#(\n    {}\n) ", params.join(",\n    "))
            };
            put!(self, "{} {params}{} (\n    {}\n);", i.module, i.name, ports.join(",\n    "));
        }
    }

    /// Text of an expression; parenthesised unless it stands alone (`top`) or is atomic.
    fn expr(&self, e: &Expr, top: bool) -> String {
        let wrap = |s: String| if top { s } else { format!("({s})") };
        match e {
            Expr::Const(w, v) => constant(*w, *v),
            Expr::Net(n) => self.name(*n).to_owned(),
            Expr::Slice { net, lo, width } => {
                let data = &self.m.nets[*net];
                match (*lo, *width) {
                    (0, w) if w == data.width => data.name.clone(),
                    (lo, 1) => format!("{}[{lo}]", data.name),
                    (lo, w) => format!("{}[{}:{lo}]", data.name, lo + w - 1),
                }
            }
            Expr::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.expr(p, true)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Expr::Repeat(n, a) => format!("{{{n}{{{}}}}}", self.expr(a, true)),
            Expr::Unary(op, a) => {
                let sign = match op {
                    Unary::Not => "~",
                    Unary::ReduceOr => "|",
                    Unary::ReduceAnd => "&",
                    Unary::ReduceXor => "^",
                };
                wrap(format!("{sign}{}", self.expr(a, false)))
            }
            Expr::Binary(op, a, b) => wrap(self.binary(*op, a, b)),
            Expr::Mux(c, a, b) => {
                let (c, a, b) = (self.expr(c, false), self.expr(a, false), self.expr(b, false));
                wrap(format!("{c} ? {a} : {b}"))
            }
        }
    }

    fn binary(&self, op: Binary, a: &Expr, b: &Expr) -> String {
        let (x, y) = (self.expr(a, false), self.expr(b, false));
        let sign = match op {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Ult => "<",
            Binary::Ule => "<=",
            Binary::Shl => "<<",
            Binary::LShr => ">>",
            Binary::Slt => return format!("$signed({x}) < $signed({y})"),
            Binary::Sle => return format!("$signed({x}) <= $signed({y})"),
            // $unsigned keeps the shift arithmetic when the context is unsigned.
            Binary::AShr => return format!("$unsigned($signed({x}) >>> {y})"),
        };
        format!("{x} {sign} {y}")
    }
}

fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

fn constant(width: u32, bits: u128) -> String {
    format!("{width}'h{bits:x}")
}

fn param(p: &Param) -> String {
    match p {
        Param::Int(n) => n.to_string(),
        Param::Text(t) => format!("\"{t}\""),
        Param::Bits(w, words) => {
            let digits: String = words.iter().rev().map(|x| format!("{x:016x}")).collect();
            let digits = digits.trim_start_matches('0');
            format!("{w}'h{}", if digits.is_empty() { "0" } else { digits })
        }
    }
}
