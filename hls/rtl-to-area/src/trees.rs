//! Trees of additions, and of exclusive ors, whose inner nets nobody else reads: synthesis makes one operator of each, of other size
//! than the operators of two operands together.

use base::entity::SecondaryMap;
use rtl::{Binary, Connection, Direction, Expr, Module, Net};

/// LUTs for each bit of a net that come to those of the operators of two operands, for LUTs of four inputs.
///
/// * Additions: of three words two are made without carry, two LUTs a bit, instead of one addition, one LUT a bit (yosys, pass `alumacc`).
/// * Exclusive ors: of more than two words whole LUTs, where other logic fills up those that are left.
pub(crate) fn extra_luts(module: &Module) -> SecondaryMap<Net, f64> {
    let names = Names::new(module);
    let read = names.reads();
    let mut joined: SecondaryMap<Net, bool> = SecondaryMap::new();
    let mut extra: SecondaryMap<Net, f64> = SecondaryMap::new();
    let mut xors = vec![];
    for (net, e) in driven(module) {
        let Some(kind) = Kind::of(e) else { continue };
        for inner in names.inner(e, kind, &read) {
            joined[inner] = true;
            if kind == Kind::Sum {
                extra[inner] += 1.0;
            }
        }
        if kind == Kind::Xor {
            xors.push((net, e));
        }
    }
    for (net, e) in xors.into_iter().filter(|(net, _)| !joined[*net]) {
        let words = names.words(e, &read);
        if words > 2 {
            let shared = f64::from(words - 1) / 3.0;
            extra[net] += shared.ceil() - shared;
        }
    }
    extra
}

/// What is assigned or goes into a register.
fn driven(module: &Module) -> impl Iterator<Item = (Net, &Expr)> {
    let assigns = module.assigns.iter().map(|(net, e, _)| (*net, e));
    assigns.chain(module.registers.iter().map(|r| (r.q, &r.next)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Xor,
}

impl Kind {
    fn of(e: &Expr) -> Option<Kind> {
        match e {
            Expr::Binary(Binary::Add | Binary::Sub, ..) => Some(Kind::Sum),
            Expr::Binary(Binary::Xor, ..) => Some(Kind::Xor),
            _ => None,
        }
    }
}

/// What stands for the nets of a module: many are other names of nets, or of parts of them.
struct Names<'a> {
    module: &'a Module,
    /// Of each net that is assigned.
    assigned: SecondaryMap<Net, Option<&'a Expr>>,
}

impl<'a> Names<'a> {
    fn new(module: &'a Module) -> Self {
        let mut assigned = SecondaryMap::with_capacity(module.nets.len());
        for (net, e, _) in &module.assigns {
            assigned[*net] = Some(e);
        }
        Names { module, assigned }
    }

    /// The net of which `width` bits of a net from bit `lo` are all; none if they are a part of one, or of several.
    fn whole(&self, mut net: Net, mut lo: u32, width: u32) -> Option<Net> {
        loop {
            match self.assigned[net] {
                Some(Expr::Net(of)) => net = *of,
                Some(Expr::Slice { net: of, lo: from, .. }) => (net, lo) = (*of, lo + from),
                Some(Expr::Concat(parts)) => {
                    let mut parts = parts.iter().rev();
                    let part = loop {
                        let part = parts.next()?;
                        let bits = rtl::verify::width(self.module, part);
                        if lo < bits {
                            break part;
                        }
                        lo -= bits;
                    };
                    match part {
                        Expr::Net(of) => net = *of,
                        Expr::Slice { net: of, lo: from, .. } => (net, lo) = (*of, lo + from),
                        _ => return None,
                    }
                }
                _ => return (lo == 0 && width == self.module.nets[net].width).then_some(net),
            }
        }
    }

    /// How often each net is read, by operators, registers, instances or as an output; a part of it counts as twice.
    fn reads(&self) -> SecondaryMap<Net, u32> {
        let mut count: SecondaryMap<Net, u32> = SecondaryMap::with_capacity(self.module.nets.len());
        let mut read = |e: &Expr| self.for_each_read(e, &mut |net, times| count[net] += times);
        for (_, e, _) in self.module.assigns.iter().filter(|(_, e, _)| !is_name(e)) {
            read(e);
        }
        for r in &self.module.registers {
            read(&r.next);
            r.enable.iter().for_each(&mut read);
        }
        for r in &self.module.roms {
            r.reads.iter().for_each(|port| read(&port.addr));
            r.enable.iter().for_each(&mut read);
        }
        for connection in self.module.instances.iter().flat_map(|i| i.ports.values()) {
            if let Connection::Input(e) = connection {
                read(e);
            }
        }
        for (net, _) in self.module.nets.iter().filter(|(_, d)| d.port == Some(Direction::Output)) {
            read(&Expr::Net(net));
        }
        count
    }

    fn for_each_read(&self, e: &Expr, found: &mut dyn FnMut(Net, u32)) {
        match e {
            Expr::Const(..) => {}
            Expr::Net(net) => self.read(*net, 0, self.module.nets[*net].width, found),
            Expr::Slice { net, lo, width } => self.read(*net, *lo, *width, found),
            Expr::Concat(parts) => parts.iter().for_each(|p| self.for_each_read(p, found)),
            Expr::Repeat(_, a) | Expr::Unary(_, a) => self.for_each_read(a, found),
            Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|x| self.for_each_read(x, found)),
            Expr::Mux(a, b, c) => {
                [a, b, c].into_iter().for_each(|x| self.for_each_read(x, found));
            }
        }
    }

    fn read(&self, net: Net, lo: u32, width: u32, found: &mut dyn FnMut(Net, u32)) {
        if let Some(whole) = self.whole(net, lo, width) {
            found(whole, 1);
            return;
        }
        match self.assigned[net].filter(|e| is_name(e)) {
            // Of a concatenation every part, though some may lie outside.
            Some(e) => self.for_each_read(e, found),
            None => found(net, 2),
        }
    }

    /// The operands of an operator that are operators of the same kind, and read by no other.
    fn inner(&self, e: &Expr, kind: Kind, read: &SecondaryMap<Net, u32>) -> Vec<Net> {
        let Expr::Binary(_, a, b) = e else { return vec![] };
        let net = |operand: &Expr| match operand {
            Expr::Net(net) => self.whole(*net, 0, self.module.nets[*net].width),
            Expr::Slice { net, lo, width } => self.whole(*net, *lo, *width),
            _ => None,
        };
        let same =
            |net: &Net| read[*net] == 1 && self.assigned[*net].and_then(Kind::of) == Some(kind);
        [a, b].into_iter().filter_map(|operand| net(operand)).filter(same).collect()
    }

    /// The words that a tree of exclusive ors is of.
    fn words(&self, e: &Expr, read: &SecondaryMap<Net, u32>) -> u32 {
        let inner = self.inner(e, Kind::Xor, read);
        let deeper = inner.iter().filter_map(|net| self.assigned[*net]);
        2 - inner.len() as u32 + deeper.map(|e| self.words(e, read)).sum::<u32>()
    }
}

/// Whether an assignment gives nets another name and makes nothing.
fn is_name(e: &Expr) -> bool {
    match e {
        Expr::Const(..) | Expr::Net(_) | Expr::Slice { .. } => true,
        Expr::Concat(parts) => parts.iter().all(is_name),
        _ => false,
    }
}
