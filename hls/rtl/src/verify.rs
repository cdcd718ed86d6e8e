//! Checks that a design is well formed: widths agree and every net has exactly one driver.

use crate::{
    Binary, Connection, Design, Direction, Expr, Module, Net, NetData, RomRead, Unary,
    WIDEST_AMOUNT,
};
use base::entity::{PrimaryMap, SecondaryMap};
use base::{Diagnostic, Diagnostics};

/// Checks all modules (code `E0003`: a defect of clhls).
pub fn verify(design: &Design) -> Result<(), Diagnostics> {
    let errors: Vec<Diagnostic> = design.modules.iter().flat_map(verify_module).collect();
    if errors.is_empty() { Ok(()) } else { Err(Diagnostics(errors)) }
}

/// Width of an expression in bits.
pub fn width(module: &Module, e: &Expr) -> u32 {
    width_in(&module.nets, e)
}

/// The same where only the nets are at hand.
pub fn width_in(nets: &PrimaryMap<Net, NetData>, e: &Expr) -> u32 {
    match e {
        Expr::Const(w, _) => *w,
        Expr::Net(n) => nets[*n].width,
        Expr::Slice { width, .. } => *width,
        Expr::Concat(parts) => parts.iter().map(|p| width_in(nets, p)).sum(),
        Expr::Repeat(n, _) => *n,
        Expr::Unary(Unary::Not, a) => width_in(nets, a),
        Expr::Unary(..) => 1,
        Expr::Binary(op, ..) if op.is_comparison() => 1,
        Expr::Binary(_, a, _) => width_in(nets, a),
        Expr::Mux(_, a, _) => width_in(nets, a),
    }
}

fn verify_module(m: &Module) -> Vec<Diagnostic> {
    let mut errors = vec![];
    let mut fail = |what: String| {
        errors.push(Diagnostic::error("E0003", format!("RTL of `{}`: {what}", m.name)));
    };
    let mut drivers: SecondaryMap<Net, u32> = SecondaryMap::new();
    let mut used: SecondaryMap<Net, bool> = SecondaryMap::new();
    for (net, e, _) in &m.assigns {
        drivers[*net] += 1;
        check(m, e, Some(m.nets[*net].width), &m.nets[*net].name, &mut fail, &mut used);
    }
    for r in &m.registers {
        let name = &m.nets[r.q].name;
        drivers[r.q] += 1;
        check(m, &r.next, Some(m.nets[r.q].width), name, &mut fail, &mut used);
        if let Some(e) = &r.enable {
            check(m, e, Some(1), name, &mut fail, &mut used);
        }
    }
    for r in &m.roms {
        let addr_width = r.reads.first().map(|read| width(m, &read.addr));
        let wrong_ports = !matches!((r.reads.len(), r.latency), (1, 0 | 2) | (2, 2));
        let fits = |read: &RomRead| {
            m.nets[read.data].width == r.width && Some(width(m, &read.addr)) == addr_width
        };
        if wrong_ports || !r.reads.iter().all(fits) {
            fail(format!("memory {} is malformed", r.name));
        }
        for read in &r.reads {
            drivers[read.data] += 1;
            check(m, &read.addr, addr_width, &read.name, &mut fail, &mut used);
        }
        if let Some(e) = &r.enable {
            check(m, e, Some(1), &r.name, &mut fail, &mut used);
        }
    }
    for i in &m.instances {
        for (port, c) in &i.ports {
            match c {
                Connection::Input(e) => {
                    check(m, e, None, &format!("{}.{port}", i.name), &mut fail, &mut used);
                }
                Connection::Output(Some(n)) => drivers[*n] += 1,
                Connection::Output(None) => {}
            }
        }
    }
    for (net, data) in m.nets.iter() {
        let want = u32::from(data.port != Some(Direction::Input));
        let got = drivers[net];
        let idle = data.port.is_none() && !used[net];
        if got != want && !(got == 0 && idle) {
            fail(format!("`{}` has {got} drivers instead of {want}", data.name));
        }
    }
    errors
}

fn check(
    m: &Module,
    e: &Expr,
    want: Option<u32>,
    place: &str,
    fail: &mut impl FnMut(String),
    used: &mut SecondaryMap<Net, bool>,
) {
    if let Some(want) = want {
        let got = width(m, e);
        if got != want {
            fail(format!("{got} bits drive {want} at `{place}`: {e:?}"));
        }
    }
    match e {
        Expr::Const(w, bits) => {
            if *w == 0 || *w > 128 || (*w < 128 && bits >> w != 0) {
                fail(format!("constant {bits} of {w} bits at `{place}`"));
            }
        }
        Expr::Net(n) => used[*n] = true,
        Expr::Slice { net, lo, width } => {
            used[*net] = true;
            if *width == 0 || lo + width > m.nets[*net].width {
                fail(format!("bits {lo}+{width} of `{}` at `{place}`", m.nets[*net].name));
            }
        }
        Expr::Concat(parts) => {
            parts.iter().for_each(|p| check(m, p, None, place, fail, used));
        }
        Expr::Repeat(_, a) => check(m, a, Some(1), place, fail, used),
        Expr::Unary(_, a) => check(m, a, None, place, fail, used),
        Expr::Binary(op, a, b) => {
            let shift = matches!(op, Binary::Shl | Binary::LShr | Binary::AShr);
            check(m, a, None, place, fail, used);
            check(m, b, if shift { None } else { Some(width(m, a)) }, place, fail, used);
            if shift && width(m, b) > WIDEST_AMOUNT {
                fail(format!("shift by an amount of {} bits at `{place}`", width(m, b)));
            }
        }
        Expr::Mux(c, a, b) => {
            check(m, c, Some(1), place, fail, used);
            check(m, a, None, place, fail, used);
            check(m, b, Some(width(m, a)), place, fail, used);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Binary, Design, Expr, ModuleBuilder};

    /// Errors of a module that shifts 66 bits by so many.
    fn errors(amount_bits: u32) -> Vec<String> {
        let mut b = ModuleBuilder::new("shifter", vec![]);
        let (x, amount) = (b.input("x", 66), b.input("amount", amount_bits));
        let out = b.output("out", 66);
        b.assign(out, Expr::bin(Binary::Shl, x.into(), amount.into()));
        let design = Design { modules: vec![b.finish()] };
        let found = super::verify(&design).err();
        found.into_iter().flat_map(|e| e.0).map(|e| e.message).collect()
    }

    #[test]
    fn amounts_that_verilator_takes_modulo_64_are_refused() {
        assert_eq!(errors(64), Vec::<String>::new());
        assert_eq!(errors(66).len(), 1);
        assert!(errors(66)[0].contains("an amount of 66 bits"), "{:?}", errors(66));
    }
}
