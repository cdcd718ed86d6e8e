//! The text form of a design, for people: `clhls build --emit rtl`.
//!
//! One declaration, assignment, register, table or instance a line, in the order of the module.
//! Nets are `name:width`, constants `width'hbits`, slices `net[high:low]`.

use crate::{Binary, Connection, Design, Direction, Expr, Instance, Module, Param, Rom, Unary};
use std::fmt::{self, Write};

/// All modules of a design.
pub fn print(design: &Design) -> String {
    design.modules.iter().map(module).collect::<Vec<_>>().join("\n")
}

/// One module.
pub fn module(module: &Module) -> String {
    let mut out = String::new();
    // writing to a string cannot fail
    let _ = Printer { module }.module(&mut out);
    out
}

struct Printer<'m> {
    module: &'m Module,
}

impl Printer<'_> {
    fn module(&self, out: &mut String) -> fmt::Result {
        let m = self.module;
        for line in &m.header {
            writeln!(out, "; {line}")?;
        }
        let clock = match (m.clocked, m.ap_ports) {
            (_, true) => " clocked ap",
            (true, false) => " clocked",
            (false, false) => "",
        };
        writeln!(out, "module {}{clock} {{", m.name)?;
        for net in m.nets.values() {
            let kind = match net.port {
                Some(Direction::Input) => "input",
                Some(Direction::Output) => "output",
                None => "net",
            };
            writeln!(out, "  {kind} {}:{}{}", net.name, net.width, comment(&net.comment))?;
        }
        for (net, expr, text) in &m.assigns {
            writeln!(out, "  {} = {}{}", m.nets[*net].name, self.expr(expr), comment(text))?;
        }
        for r in &m.registers {
            write!(out, "  {} <= {}", m.nets[r.q].name, self.expr(&r.next))?;
            if let Some(enable) = &r.enable {
                write!(out, " when {}", self.expr(enable))?;
            }
            if let Some(value) = r.reset {
                write!(out, " reset {value:#x}")?;
            }
            out.push('\n');
        }
        m.roms.iter().try_for_each(|r| self.rom(out, r))?;
        m.instances.iter().try_for_each(|i| self.instance(out, i))?;
        out.push_str("}\n");
        Ok(())
    }

    fn rom(&self, out: &mut String, r: &Rom) -> fmt::Result {
        let data = &self.module.nets[r.data].name;
        write!(out, "  {data} = rom {}:{}[{}]", r.name, r.width, self.expr(&r.addr))?;
        write!(out, " latency {}", r.latency)?;
        if let Some(enable) = &r.enable {
            write!(out, " when {}", self.expr(enable))?;
        }
        let entries: Vec<String> = r.entries.iter().map(|e| format!("{e:x}")).collect();
        writeln!(out, " {{{}}}", entries.join(" "))
    }

    fn instance(&self, out: &mut String, i: &Instance) -> fmt::Result {
        write!(out, "  instance {} of {}", i.name, i.module)?;
        for (name, value) in &i.params {
            write!(out, " {name}={}", param(value))?;
        }
        writeln!(out, "{}", comment(&i.comment))?;
        for (name, connection) in &i.ports {
            match connection {
                Connection::Input(e) => writeln!(out, "    {name} <- {}", self.expr(e))?,
                Connection::Output(Some(net)) => {
                    writeln!(out, "    {name} -> {}", self.module.nets[*net].name)?;
                }
                Connection::Output(None) => writeln!(out, "    {name} -> nothing")?,
            }
        }
        Ok(())
    }

    fn expr(&self, e: &Expr) -> String {
        let name = |net| self.module.nets[net].name.as_str();
        match e {
            Expr::Const(width, bits) => format!("{width}'h{bits:x}"),
            Expr::Net(net) => name(*net).to_owned(),
            Expr::Slice { net, lo, width: 1 } => format!("{}[{lo}]", name(*net)),
            Expr::Slice { net, lo, width } => format!("{}[{}:{lo}]", name(*net), lo + width - 1),
            Expr::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.expr(p)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Expr::Repeat(n, bit) => format!("{{{n} x {}}}", self.expr(bit)),
            Expr::Unary(op, a) => format!("{}({})", unary(*op), self.expr(a)),
            Expr::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(a), binary(*op), self.expr(b))
            }
            Expr::Mux(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
        }
    }
}

fn comment(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("  ; {text}") }
}

fn param(value: &Param) -> String {
    match value {
        Param::Int(n) => n.to_string(),
        Param::Text(text) => format!("{text:?}"),
        Param::Bits(width, words) => {
            let words: String = words.iter().rev().map(|w| format!("{w:016x}")).collect();
            let digits = words.trim_start_matches('0');
            format!("{width}'h{}", if digits.is_empty() { "0" } else { digits })
        }
    }
}

fn unary(op: Unary) -> &'static str {
    match op {
        Unary::Not => "not",
        Unary::ReduceOr => "any",
        Unary::ReduceAnd => "all",
        Unary::ReduceXor => "parity",
    }
}

fn binary(op: Binary) -> &'static str {
    match op {
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
        Binary::Slt => "<s",
        Binary::Sle => "<=s",
        Binary::Shl => "<<",
        Binary::LShr => ">>",
        Binary::AShr => ">>s",
    }
}

#[cfg(test)]
mod tests {
    use crate::{Expr, ModuleBuilder};

    #[test]
    fn text_shows_every_part() {
        let mut b = ModuleBuilder::new("counter", vec!["Counts.".into()]);
        let step = b.input("step", 4);
        let out = b.output("out", 8);
        let q = b.net("q", 8);
        let wide = Expr::Concat(vec![Expr::Const(4, 0), step.into()]);
        let next = Expr::bin(crate::Binary::Add, q.into(), wide);
        let any = Expr::Unary(crate::Unary::ReduceOr, Box::new(step.into()));
        b.register(q, next, Some(any), Some(3));
        b.instance("inner", "u_inner").param("N", 2).input("a", b_slice(q)).output("y", out).done();
        let text = super::module(&b.finish());
        assert_eq!(
            text,
            "; Counts.\nmodule counter clocked {\n  input step:4\n  output out:8\n  net q:8\n  \
             q <= (q + {4'h0, step}) when any(step) reset 0x3\n  instance u_inner of inner N=2\n    \
             a <- q[3:1]\n    y -> out\n}\n"
        );
    }

    fn b_slice(net: crate::Net) -> Expr {
        Expr::Slice { net, lo: 1, width: 3 }
    }
}
