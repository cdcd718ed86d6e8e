//! Which bits of a design's nets do any work: those that are constant and those that nobody reads are not made.
//!
//! Synthesis removes them across modules. Here a module that several instantiate is seen once, with what any of them reads, but for
//! those with different constants at its inputs ([`views`](crate::views)).

use crate::bits::Bits;
use crate::constant::{Constant, constant};
use crate::number;
use crate::views::View;
use base::FxHashMap;
use base::entity::SecondaryMap;
use rtl::{Binary, Connection, Direction, Expr, Instance, Module, Net, Register, Rom, Unary};
use std::collections::BinaryHeap;

/// What is known of a module's nets.
pub(crate) struct Working {
    /// Bits that are constant.
    constant: SecondaryMap<Net, Constant>,
    /// Bits on which an output of the design depends.
    read: SecondaryMap<Net, Bits>,
    /// Its ports.
    ports: FxHashMap<String, Net>,
}

impl Working {
    /// The bits of a net that are made: read, and not constant.
    pub(crate) fn of(&self, net: Net) -> Bits {
        self.read[net].and(&self.constant[net].varying())
    }

    /// The bits of a port that are made.
    pub(crate) fn of_port(&self, name: &str) -> Option<Bits> {
        self.ports.get(name).map(|net| self.of(*net))
    }

    /// The bits of an expression that are constant.
    pub(crate) fn constant(&self, e: &Expr) -> Constant {
        constant(e, &self.constant)
    }
}

/// What is known of the nets of each view. Outputs of modules that no other one instantiates are read.
pub(crate) fn working(views: &[View]) -> Vec<Working> {
    let mut search = Search::new(views);
    for k in 0..views.len() {
        search.find_constants(k);
    }
    search.find_read();
    search.known
}

/// Who drives a net.
#[derive(Clone, Copy)]
enum Driver<'a> {
    /// Nobody, or the parent.
    Input,
    Assign(&'a Expr),
    Register(&'a Register),
    /// A table, read at an address.
    Rom(&'a Rom, &'a Expr),
    /// An instance by its number, through the port of that name.
    Instance(usize, &'a str),
}

struct Search<'a> {
    views: &'a [View<'a>],
    known: Vec<Working>,
    drivers: Vec<SecondaryMap<Net, Option<Driver<'a>>>>,
    /// Where each view is instantiated: view and number of the instance there.
    places: Vec<Vec<(usize, usize)>>,
    /// Nets of views, of which more bits are read than was passed on, each once. Of all that wait, those of inner modules come
    /// first, then the last ones, so that what reads a net has mostly been seen before the net is.
    queue: BinaryHeap<(usize, usize, Net)>,
    /// How deep each view stands below those that no other instantiates.
    depth: Vec<usize>,
    /// Of each view's nets the bits that were passed on to what they depend on, and whether the net waits for more.
    passed: Vec<SecondaryMap<Net, (Bits, bool)>>,
    /// Instances of the library all of whose inputs but data were passed on.
    seen: Vec<Vec<bool>>,
}

impl<'a> Search<'a> {
    fn new(views: &'a [View<'a>]) -> Self {
        let mut places = vec![vec![]; views.len()];
        for (k, view) in views.iter().enumerate() {
            for (n, inner) in view.inner.iter().enumerate() {
                if let Some(inner) = inner {
                    places[*inner].push((k, n));
                }
            }
        }
        // Views stand behind those that they instantiate.
        let mut depth = vec![0; views.len()];
        for k in (0..views.len()).rev() {
            depth[k] = places[k].iter().map(|(parent, _)| depth[*parent] + 1).max().unwrap_or(0);
        }
        let modules = || views.iter().map(|v| v.module);
        Search {
            views,
            known: modules().map(nothing_known).collect(),
            drivers: modules().map(drivers).collect(),
            places,
            queue: BinaryHeap::new(),
            depth,
            passed: modules().map(|m| SecondaryMap::with_capacity(m.nets.len())).collect(),
            seen: modules().map(|m| vec![false; m.instances.len()]).collect(),
        }
    }

    fn width(&self, k: usize, e: &Expr) -> u32 {
        rtl::verify::width(self.views[k].module, e)
    }

    /// The constants of view `k`, whose parts are known. Nets are looked at once, in the order in which they were made, which is
    /// that of the data but for values that go round.
    fn find_constants(&mut self, k: usize) {
        let View { module, inputs, inner } = &self.views[k];
        for (net, data) in module.nets.iter() {
            let nets = &self.known[k].constant;
            let bits = match self.drivers[k][net] {
                None => continue,
                Some(Driver::Input) => match inputs.get(data.name.as_str()) {
                    Some((width, value)) => Constant::of_number(*width, *value),
                    None => continue,
                },
                Some(Driver::Assign(e)) => constant(e, nets),
                // Without a value at reset it begins with any, and synthesis takes the one that it gets.
                Some(Driver::Register(r)) => {
                    let next = constant(&r.next, nets);
                    match r.reset {
                        Some(begin) => next.meet(&Constant::of_number(data.width, begin)),
                        None => next,
                    }
                }
                Some(Driver::Rom(r, _)) => {
                    let entries = r.entries.iter().map(|n| Constant::of_number(r.width, *n));
                    let Some(all) = entries.reduce(|a, b| a.meet(&b)) else { continue };
                    all
                }
                Some(Driver::Instance(n, port)) => {
                    let bits = match inner[n] {
                        Some(inner) => self.constants_of_port(inner, port),
                        None => self.constants_through(k, &module.instances[n], port),
                    };
                    let Some(bits) = bits else { continue };
                    bits
                }
            };
            self.known[k].constant[net] = bits;
        }
    }

    fn constants_of_port(&self, view: usize, port: &str) -> Option<Constant> {
        let net = *self.known[view].ports.get(port)?;
        Some(self.known[view].constant[net].clone())
    }

    /// Constants of what a unit of the library passes on: of all that may come. It may be reset, and then gives zeros.
    fn constants_through(&self, k: usize, instance: &Instance, port: &str) -> Option<Constant> {
        let (data, width) = (passed(instance, port)?, word(instance)?);
        let Some(Connection::Input(e)) = instance.ports.get(data) else { return None };
        let zero = constant(e, &self.known[k].constant).zero;
        let ways = (0..zero.width() / width).map(|n| zero.slice(n * width, width));
        ways.reduce(|a, b| a.and(&b)).map(Constant::of_zeros)
    }

    /// Passes on what is read, from the outputs of the design to all that they depend on.
    fn find_read(&mut self) {
        let views = self.views;
        for (k, view) in views.iter().enumerate() {
            if !self.places[k].is_empty() {
                continue;
            }
            let outputs = view.module.nets.iter();
            for (net, data) in outputs.filter(|(_, d)| d.port == Some(Direction::Output)) {
                self.read(k, net, 0, &Bits::all(data.width));
            }
        }
        while let Some((_, k, net)) = self.queue.pop() {
            let read = self.known[k].of(net);
            let (before, waits) = &mut self.passed[k][net];
            *waits = false;
            let bits = if before.width() == 0 { read.clone() } else { read.and(&before.not()) };
            *before = read;
            if bits.is_empty() {
                continue;
            }
            match self.drivers[k][net] {
                None => {}
                Some(Driver::Assign(e)) => self.demand(k, e, &bits),
                Some(Driver::Register(r)) => {
                    self.demand(k, &r.next, &bits);
                    self.demand_all(k, r.enable.as_ref());
                }
                Some(Driver::Rom(r, addr)) => {
                    self.demand_all(k, [addr].into_iter().chain(&r.enable))
                }
                Some(Driver::Instance(n, port)) => self.demand_of_instance(k, n, port, &bits),
                Some(Driver::Input) => {
                    let name = self.views[k].module.nets[net].name.as_str();
                    for (parent, n) in self.places[k].clone() {
                        let instance = &self.views[parent].module.instances[n];
                        if let Some(Connection::Input(e)) = instance.ports.get(name) {
                            self.demand(parent, e, &bits);
                        }
                    }
                }
            }
        }
    }

    fn demand_of_instance(&mut self, k: usize, n: usize, port: &str, bits: &Bits) {
        let instance = &self.views[k].module.instances[n];
        if let Some(inner) = self.views[k].inner[n] {
            if let Some(net) = self.known[inner].ports.get(port).copied() {
                self.read(inner, net, 0, bits);
            }
            return;
        }
        let data = passed(instance, port);
        if let (Some(Connection::Input(e)), Some(width)) =
            (data.and_then(|d| instance.ports.get(d)), word(instance))
        {
            let total = self.width(k, e);
            let mut all = Bits::none(total);
            for way in 0..total / width {
                all.add(way * width, bits);
            }
            self.demand(k, e, &all);
        }
        if std::mem::replace(&mut self.seen[k][n], true) {
            return;
        }
        let data = passes(instance).map(|(_, data)| data);
        for (name, connection) in &instance.ports {
            let Connection::Input(e) = connection else { continue };
            if data != Some(name.as_str()) {
                let width = self.width(k, e);
                self.demand(k, e, &taken(instance, name, width));
            }
        }
    }

    fn demand_all<'e>(&mut self, k: usize, expressions: impl IntoIterator<Item = &'e Expr>) {
        for e in expressions {
            let width = self.width(k, e);
            self.demand(k, e, &Bits::all(width));
        }
    }

    /// Bits of an expression are read.
    fn demand(&mut self, k: usize, e: &Expr, bits: &Bits) {
        if bits.is_empty() {
            return;
        }
        match e {
            Expr::Const(..) => {}
            Expr::Net(net) => self.read(k, *net, 0, bits),
            Expr::Slice { net, lo, .. } => self.read(k, *net, *lo, bits),
            Expr::Concat(parts) => {
                let mut lo = 0;
                for part in parts.iter().rev() {
                    let width = self.width(k, part);
                    if bits.has_between(lo, lo + width) {
                        self.demand(k, part, &bits.slice(lo, width));
                    }
                    lo += width;
                }
            }
            Expr::Repeat(_, inner) => self.demand_all(k, [&**inner]),
            Expr::Unary(Unary::Not, a) => self.demand(k, a, bits),
            Expr::Unary(_, a) => self.demand_all(k, [&**a]),
            Expr::Binary(op, a, b) => self.demand_of_operands(k, *op, a, b, bits),
            Expr::Mux(condition, a, b) => {
                let which = constant(condition, &self.known[k].constant).number();
                if which.is_none() {
                    self.demand_all(k, [&**condition]);
                }
                if which != Some(0) {
                    self.demand(k, a, bits);
                }
                if which.is_none_or(|bit| bit == 0) {
                    self.demand(k, b, bits);
                }
            }
        }
    }

    fn demand_of_operands(&mut self, k: usize, op: Binary, a: &Expr, b: &Expr, bits: &Bits) {
        let width = bits.width();
        let places = if let Expr::Const(_, n) = b { u32::try_from(*n).ok() } else { None };
        match op {
            Binary::And => {
                let zeros = |e: &Expr| constant(e, &self.known[k].constant).zero;
                let (of_a, of_b) = (bits.and(&zeros(b).not()), bits.and(&zeros(a).not()));
                self.demand(k, a, &of_a);
                self.demand(k, b, &of_b);
            }
            Binary::Or => {
                let ones = |e: &Expr| constant(e, &self.known[k].constant).one;
                let (of_a, of_b) = (bits.and(&ones(b).not()), bits.and(&ones(a).not()));
                self.demand(k, a, &of_a);
                self.demand(k, b, &of_b);
            }
            Binary::Xor => {
                self.demand(k, a, bits);
                self.demand(k, b, bits);
            }
            Binary::Add | Binary::Sub | Binary::Mul => {
                let below = Bits::below(width, bits.end());
                self.demand(k, a, &below);
                self.demand(k, b, &below);
            }
            Binary::Shl | Binary::LShr | Binary::AShr => {
                let of_value = match (op, places) {
                    (Binary::Shl, Some(n)) => bits.slice(n, width),
                    (Binary::Shl, None) => Bits::below(width, bits.end()),
                    (_, Some(n)) => {
                        let sign = op == Binary::AShr && bits.end() > width.saturating_sub(n);
                        let mut moved = bits.up(n, width);
                        moved.add(0, &Bits::from_to(width, width - u32::from(sign), width));
                        moved
                    }
                    (_, None) => Bits::from_to(width, bits.start(), width),
                };
                self.demand(k, a, &of_value);
                self.demand_all(k, [b]);
            }
            _ => self.demand_all(k, [a, b]),
        }
    }

    /// Bits of a net from bit `lo` are read.
    fn read(&mut self, k: usize, net: Net, lo: u32, bits: &Bits) {
        let more = self.known[k].read[net].add(lo, bits);
        let (_, waits) = &mut self.passed[k][net];
        if more && !std::mem::replace(waits, true) {
            self.queue.push((self.depth[k], k, net));
        }
    }
}

fn nothing_known(module: &Module) -> Working {
    let ports = module.nets.iter().filter(|(_, d)| d.port.is_some());
    let ports = ports.map(|(net, d)| (d.name.clone(), net)).collect();
    let mut known = Working { constant: SecondaryMap::new(), read: SecondaryMap::new(), ports };
    for (net, data) in module.nets.iter() {
        known.constant[net] = Constant::none(data.width);
        known.read[net] = Bits::none(data.width);
    }
    known
}

fn drivers(module: &Module) -> SecondaryMap<Net, Option<Driver<'_>>> {
    let mut of = SecondaryMap::with_capacity(module.nets.len());
    for (net, _) in module.nets.iter().filter(|(_, d)| d.port == Some(Direction::Input)) {
        of[net] = Some(Driver::Input);
    }
    for (net, e, _) in &module.assigns {
        of[*net] = Some(Driver::Assign(e));
    }
    for r in &module.registers {
        of[r.q] = Some(Driver::Register(r));
    }
    for (r, read) in module.roms.iter().flat_map(|r| r.reads.iter().map(move |read| (r, read))) {
        of[read.data] = Some(Driver::Rom(r, &read.addr));
    }
    for (n, instance) in module.instances.iter().enumerate() {
        for (port, connection) in &instance.ports {
            if let Connection::Output(Some(net)) = connection {
                of[*net] = Some(Driver::Instance(n, port));
            }
        }
    }
    of
}

/// Of a unit of the library that passes words on, the output and the input; several streams lie side by side in the input.
pub(crate) fn passes(instance: &Instance) -> Option<(&'static str, &'static str)> {
    Some(match instance.module.as_str() {
        "clhls_delay" => ("q", "d"),
        "clhls_carry" => ("read_data", "write_data"),
        "clhls_fifo"
        | "clhls_fifo_ahead"
        | "clhls_queue"
        | "clhls_skid"
        | "clhls_merge"
        | "clhls_merge_parked"
        | "clhls_merge_ordered"
        | "clhls_barrier"
        | "clhls_hazard_gate" => ("m_data", "s_data"),
        _ => return None,
    })
}

/// The input whose words come out of an output.
fn passed(instance: &Instance, output: &str) -> Option<&'static str> {
    passes(instance).filter(|(through, _)| output == *through).map(|(_, data)| data)
}

/// Bits of a word of a unit that passes words on.
fn word(instance: &Instance) -> Option<u32> {
    let bits = u32::try_from(number(instance, "WIDTH")?).ok()?;
    (bits > 0).then_some(bits)
}

/// The bits that a unit of the library takes of an input of a width: of addresses those that the device's memory has.
fn taken(instance: &Instance, input: &str, width: u32) -> Bits {
    let bits = |name: &str| u32::try_from(number(instance, name)?).ok();
    match (input, bits("ADDR_BITS"), bits("DEVICE_BITS")) {
        // Of several clients, one after the other.
        ("s_addr", Some(address), Some(device)) if address > 0 => {
            let mut bits = Bits::none(width);
            for client in 0..width / address {
                bits.add(client * address, &Bits::below(address, device));
            }
            bits
        }
        _ => Bits::all(width),
    }
}

#[cfg(test)]
mod tests {
    use super::working;
    use crate::constant::Constant;
    use crate::views::views;
    use base::random::splitmix64;
    use rtl::{Binary, Design, Expr, Module, ModuleBuilder, Net, Unary};

    const WIDTH: u32 = 24;
    const OPERATIONS: [Binary; 9] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Shl,
        Binary::LShr,
        Binary::AShr,
    ];
    const COMPARISONS: [Binary; 6] =
        [Binary::Eq, Binary::Ne, Binary::Ult, Binary::Ule, Binary::Slt, Binary::Sle];
    const REDUCTIONS: [Unary; 3] = [Unary::ReduceOr, Unary::ReduceAnd, Unary::ReduceXor];

    /// A chain of operations on two inputs, of which the output has some bits.
    fn module(state: &mut u64) -> Module {
        let mut below = |n: u64| (splitmix64(state) % n) as u32;
        let mut b = ModuleBuilder::new("inner", vec![]);
        let mut nets = vec![b.input("a", WIDTH), b.input("b", WIDTH)];
        for _ in 0..2 + below(10) {
            let net = nets[below(nets.len() as u64) as usize];
            let other = nets[below(nets.len() as u64) as usize];
            let some = 1 + below(u64::from(WIDTH) - 1);
            let constant = Expr::Const(WIDTH, u128::from(below(1 << WIDTH)));
            let e = match below(6) {
                0 => Expr::Concat(vec![
                    Expr::Const(some, 0),
                    Expr::Slice { net, lo: below(u64::from(some) + 1), width: WIDTH - some },
                ]),
                1 => Expr::Unary(Unary::Not, Box::new(net.into())),
                2 => {
                    let condition = match below(3) {
                        0 => Expr::Slice { net: other, lo: some, width: 1 },
                        1 => {
                            let op = COMPARISONS[below(6) as usize];
                            Expr::bin(op, other.into(), Expr::Const(WIDTH, u128::from(some % 3)))
                        }
                        _ => {
                            let op = REDUCTIONS[below(3) as usize];
                            let part = Expr::Slice { net: other, lo: WIDTH - some, width: some };
                            Expr::Unary(op, Box::new(part))
                        }
                    };
                    condition.mux(net.into(), constant)
                }
                3 => Expr::bin(OPERATIONS[below(6) as usize], net.into(), constant),
                4 => {
                    let amount = Expr::Const(5, u128::from(below(32)));
                    Expr::bin(OPERATIONS[6 + below(3) as usize], net.into(), amount)
                }
                _ => Expr::bin(OPERATIONS[below(9) as usize], net.into(), other.into()),
            };
            nets.push(b.wire("v", e));
        }
        let (lo, last) = (below(u64::from(WIDTH)), nets[nets.len() - 1]);
        let out = b.output("out", WIDTH - lo);
        b.assign(out, Expr::Slice { net: last, lo, width: WIDTH - lo });
        b.finish()
    }

    /// A module in another one, where its second input may be a constant.
    fn design(inner: Module, second: Option<u64>) -> Design {
        let mut b = ModuleBuilder::new("top", vec![]);
        let inputs = [b.input("a", WIDTH), b.input("b", WIDTH)];
        let second = second.map(|n| Expr::Const(WIDTH, u128::from(n)));
        let width = inner.nets.iter().find(|(_, d)| d.name == "out").unwrap().1.width;
        let out = b.output("out", width);
        b.instance("inner", "u_inner")
            .input("a", inputs[0])
            .input("b", second.unwrap_or(inputs[1].into()))
            .output("out", out)
            .done();
        Design { modules: vec![inner, b.finish()] }
    }

    /// Value of an expression and its width.
    fn value(e: &Expr, of: &dyn Fn(Net) -> u64) -> (u64, u32) {
        let cut = |v: u64, width: u32| (v & ((1 << width) - 1), width);
        match e {
            Expr::Const(width, v) => (*v as u64, *width),
            Expr::Net(net) => (of(*net), WIDTH),
            Expr::Slice { net, lo, width } => cut(of(*net) >> lo, *width),
            Expr::Concat(parts) => parts
                .iter()
                .map(|p| value(p, of))
                .fold((0, 0), |all, part| (all.0 << part.1 | part.0, all.1 + part.1)),
            Expr::Unary(op, a) => {
                let (a, width) = value(a, of);
                match op {
                    Unary::Not => cut(!a, width),
                    Unary::ReduceOr => ((a != 0).into(), 1),
                    Unary::ReduceAnd => ((a.count_ones() == width).into(), 1),
                    Unary::ReduceXor => (u64::from(a.count_ones() % 2), 1),
                }
            }
            Expr::Mux(c, a, b) => {
                if value(c, of).0 != 0 {
                    value(a, of)
                } else {
                    value(b, of)
                }
            }
            Expr::Binary(op, a, b) => {
                let ((a, width), (b, _)) = (value(a, of), value(b, of));
                let signed = (a << (64 - width)) as i64 >> (64 - width);
                let signed_b = (b << (64 - width)) as i64 >> (64 - width);
                let places = b.min(63);
                let width = if op.is_comparison() { 1 } else { width };
                let found = match op {
                    Binary::Eq => (a == b).into(),
                    Binary::Ne => (a != b).into(),
                    Binary::Ult => (a < b).into(),
                    Binary::Ule => (a <= b).into(),
                    Binary::Slt => (signed < signed_b).into(),
                    Binary::Sle => (signed <= signed_b).into(),
                    Binary::Add => a.wrapping_add(b),
                    Binary::Sub => a.wrapping_sub(b),
                    Binary::Mul => a.wrapping_mul(b),
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    Binary::Xor => a ^ b,
                    Binary::Shl if b >= u64::from(width) => 0,
                    Binary::Shl => a << b,
                    Binary::LShr => a >> places,
                    Binary::AShr => (signed >> places) as u64,
                };
                cut(found, width)
            }
            other => unreachable!("{other:?}"),
        }
    }

    /// Values of all nets, each as `made` leaves it.
    fn run(module: &Module, inputs: [u64; 2], made: &mut dyn FnMut(Net, u64) -> u64) -> Vec<u64> {
        let mut values = vec![0; module.nets.len()];
        for (net, _) in module.nets.iter() {
            let at = net.as_u32() as usize;
            let driver = module.assigns.iter().find(|(n, ..)| *n == net);
            let found = driver.map_or_else(
                || inputs[at.min(1)],
                |(_, e, _)| value(e, &|n| values[n.as_u32() as usize]).0,
            );
            values[at] = made(net, found);
        }
        values
    }

    /// Bits that are said to be constant are, and those that are said to be read by nobody change nothing at the output.
    #[test]
    fn what_is_left_out_is_constant_or_makes_no_difference() {
        let mut state = 11;
        let (mut zeros, mut ones, mut unread) = (0, 0, 0);
        for _ in 0..3000 {
            let mut number = || splitmix64(&mut state) & ((1 << WIDTH) - 1);
            let second = if number() % 2 == 0 { Some(number()) } else { None };
            let design = design(module(&mut state), second);
            let (views, by_name) = views(&design);
            let k = by_name["inner"];
            let (module, known) = (&design.modules[0], &working(&views)[k]);
            for _ in 0..8 {
                let mut inputs = [0, 0].map(|_: u64| splitmix64(&mut state) & ((1 << WIDTH) - 1));
                inputs[1] = second.unwrap_or(inputs[1]);
                let values = run(module, inputs, &mut |_, value| value);
                // As synthesis leaves it: constants are where they are read, and what nobody reads may be anything.
                let mut other = |net: Net, value: u64| {
                    let noise = splitmix64(&mut state);
                    let constant = &known.constant[net];
                    let bit = |k: u32| match (constant.varying().has(k), known.read[net].has(k)) {
                        (false, _) => u64::from(constant.one.has(k)) << k,
                        (true, true) => value & 1 << k,
                        (true, false) => noise & 1 << k,
                    };
                    (0..module.nets[net].width).map(bit).sum()
                };
                let changed = run(module, inputs, &mut other);
                for (net, data) in module.nets.iter() {
                    let Constant { zero, one } = &known.constant[net];
                    let value = |k: u32| values[net.as_u32() as usize] >> k & 1;
                    let wrong = (0..data.width)
                        .find(|k| zero.has(*k) && value(*k) != 0 || one.has(*k) && value(*k) != 1);
                    assert_eq!(wrong, None, "{} of {module:?}", data.name);
                    zeros += zero.count();
                    ones += one.count();
                    unread += (data.width - known.read[net].count()) as usize;
                }
                assert_eq!(values.last(), changed.last(), "{module:?}");
            }
        }
        // Much is found.
        assert!(zeros > 100_000 && ones > 100_000 && unread > 100_000, "{zeros} {ones} {unread}");
    }
}
