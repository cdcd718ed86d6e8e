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
        for (k, read) in r.reads.iter().enumerate() {
            let (data, addr) = (&self.module.nets[read.data].name, self.expr(&read.addr));
            match k {
                0 => write!(out, "  {data} = rom {}:{}[{addr}]", r.name, r.width)?,
                _ => write!(out, ", {data} = {}[{addr}]", read.name)?,
            }
        }
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

    /// Tables of the module: name, readers.
    fn tables(m: &crate::Module) -> Vec<(&str, usize)> {
        m.roms.iter().map(|r| (r.name.as_str(), r.reads.len())).collect()
    }

    #[test]
    fn equal_tables_share_a_block_ram() {
        let mut b = ModuleBuilder::new("lookups", vec![]);
        let [a, c] = ["a", "c"].map(|name| b.input(name, 8));
        let narrow = b.input("narrow", 7);
        let squares: Vec<u128> = (0..256).map(|k| k * k % 251).collect();
        let table = |b: &mut ModuleBuilder,
                     name: &str,
                     width,
                     entries: &[u128],
                     addr: crate::Net,
                     latency| {
            b.rom(name, width, entries.to_vec(), addr.into(), latency, None)
        };
        let first = table(&mut b, "first", 8, &squares, a, 2);
        let second = table(&mut b, "second", 8, &squares, c, 2);
        table(&mut b, "third", 8, &squares, a, 2); // a block has two ports
        table(&mut b, "other", 8, &squares[1..], c, 2);
        table(&mut b, "at_once", 8, &squares, a, 0);
        table(&mut b, "at_once_too", 8, &squares, c, 0);
        table(&mut b, "half", 8, &squares, narrow, 2);
        table(&mut b, "wide", 19, &squares, a, 2); // takes two blocks either way
        table(&mut b, "wide_too", 19, &squares, c, 2);
        let few: Vec<u128> = squares.iter().map(|s| s % 8).collect();
        table(&mut b, "few_bits", 3, &few, a, 2);
        table(&mut b, "few_bits_too", 3, &few, c, 2);
        let [d, e] = ["d", "e"].map(|name| b.input(name, 10));
        let long: Vec<u128> = (0..1024).map(|k| k * k).collect();
        table(&mut b, "long", 32, &long, d, 2); // two blocks in any case
        table(&mut b, "long_too", 32, &long, e, 2);
        for (name, net) in [("x", first), ("y", second)] {
            let out = b.output(name, 8);
            b.assign(out, net);
        }
        let module = b.finish();
        let pairs = [("first", 2), ("third", 1), ("other", 1), ("at_once", 1), ("at_once_too", 1)];
        let alone = ["half", "wide", "wide_too", "few_bits", "few_bits_too"].map(|name| (name, 1));
        assert_eq!(tables(&module), [&pairs[..], &alone, &[("long", 2)]].concat());
        let text = super::module(&module);
        let line = text.lines().find(|l| l.contains("rom first"));
        let line = line.and_then(|l| l.split_once(" {")).map(|(head, _)| head);
        assert_eq!(line, Some("  first_data = rom first:8[a], second_data = second[c] latency 2"));
    }

    fn b_slice(net: crate::Net) -> Expr {
        Expr::Slice { net, lo: 1, width: 3 }
    }
}
