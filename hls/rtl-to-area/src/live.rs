//! Which bits of a design's nets do any work: those that are always zero and those that nobody reads are not made.
//!
//! Synthesis removes them across modules. Here a module that several instantiate is seen once, with what any of them reads.

use crate::bits::Bits;
use crate::number;
use base::FxHashMap;
use base::entity::SecondaryMap;
use rtl::{
    Binary, Connection, Design, Direction, Expr, Instance, Module, Net, Register, Rom, Unary,
};
use std::collections::BinaryHeap;

/// What is known of a module's nets.
pub(crate) struct Working {
    /// Bits that are always zero.
    zero: SecondaryMap<Net, Bits>,
    /// Bits on which an output of the design depends.
    read: SecondaryMap<Net, Bits>,
    /// Its ports.
    ports: FxHashMap<String, Net>,
}

impl Working {
    /// The bits of a net that are made: read, and not always zero.
    pub(crate) fn of(&self, net: Net) -> Bits {
        self.read[net].and(&self.zero[net].not())
    }

    /// The bits of a port that are made.
    pub(crate) fn of_port(&self, name: &str) -> Option<Bits> {
        self.ports.get(name).map(|net| self.of(*net))
    }

    /// The bits of an expression that are always zero.
    pub(crate) fn zero(&self, e: &Expr) -> Bits {
        zero(e, &self.zero)
    }
}

/// What is known of the nets of each module, in the order of the design. Outputs of modules that no other one instantiates are read.
pub(crate) fn working(design: &Design) -> Vec<Working> {
    let mut search = Search::new(design);
    for k in 0..design.modules.len() {
        search.find_zeros(k);
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
    design: &'a Design,
    by_name: FxHashMap<&'a str, usize>,
    known: Vec<Working>,
    drivers: Vec<SecondaryMap<Net, Option<Driver<'a>>>>,
    /// Where each module is instantiated: module and number of the instance there.
    places: Vec<Vec<(usize, usize)>>,
    /// Nets of modules, of which more bits are read than was passed on, each once. Of all that wait, those of inner modules come
    /// first, then the last ones, so that what reads a net has mostly been seen before the net is.
    queue: BinaryHeap<(usize, usize, Net)>,
    /// How deep each module stands below those that no other instantiates.
    depth: Vec<usize>,
    /// Of each module's nets the bits that were passed on to what they depend on, and whether the net waits for more.
    passed: Vec<SecondaryMap<Net, (Bits, bool)>>,
    /// Instances of the library all of whose inputs but data were passed on.
    seen: Vec<Vec<bool>>,
}

impl<'a> Search<'a> {
    fn new(design: &'a Design) -> Self {
        let by_name: FxHashMap<&str, usize> =
            design.modules.iter().enumerate().map(|(k, m)| (m.name.as_str(), k)).collect();
        let mut places = vec![vec![]; design.modules.len()];
        for (k, module) in design.modules.iter().enumerate() {
            for (n, instance) in module.instances.iter().enumerate() {
                if let Some(inner) = by_name.get(instance.module.as_str()) {
                    places[*inner].push((k, n));
                }
            }
        }
        // Modules stand behind those that they instantiate.
        let mut depth = vec![0; design.modules.len()];
        for k in (0..design.modules.len()).rev() {
            depth[k] = places[k].iter().map(|(parent, _)| depth[*parent] + 1).max().unwrap_or(0);
        }
        Search {
            design,
            by_name,
            known: design.modules.iter().map(nothing_known).collect(),
            drivers: design.modules.iter().map(drivers).collect(),
            places,
            queue: BinaryHeap::new(),
            depth,
            passed: design
                .modules
                .iter()
                .map(|m| SecondaryMap::with_capacity(m.nets.len()))
                .collect(),
            seen: design.modules.iter().map(|m| vec![false; m.instances.len()]).collect(),
        }
    }

    /// The zeros of module `k`, whose parts are known. Nets are looked at once, in the order in which they were made, which is
    /// that of the data but for values that go round.
    fn find_zeros(&mut self, k: usize) {
        let module = &self.design.modules[k];
        for (net, data) in module.nets.iter() {
            let nets = &self.known[k].zero;
            let bits = match self.drivers[k][net] {
                None | Some(Driver::Input) => continue,
                Some(Driver::Assign(e)) => zero(e, nets),
                Some(Driver::Register(r)) => {
                    let begin = r.reset.unwrap_or(0);
                    zero(&r.next, nets).and(&Bits::of_number(data.width, begin).not())
                }
                Some(Driver::Rom(r, _)) => {
                    let any = r.entries.iter().fold(0, |any, entry| any | entry);
                    Bits::of_number(r.width, any).not()
                }
                Some(Driver::Instance(n, port)) => {
                    let instance = &module.instances[n];
                    let bits = match self.by_name.get(instance.module.as_str()) {
                        Some(inner) => self.zeros_of_port(*inner, port),
                        None => self.zeros_through(k, instance, port),
                    };
                    let Some(bits) = bits else { continue };
                    bits
                }
            };
            self.known[k].zero[net] = bits;
        }
    }

    fn zeros_of_port(&self, module: usize, port: &str) -> Option<Bits> {
        let net = *self.known[module].ports.get(port)?;
        Some(self.known[module].zero[net].clone())
    }

    /// Zeros of what a unit of the library passes on: of all that may come.
    fn zeros_through(&self, k: usize, instance: &Instance, port: &str) -> Option<Bits> {
        let (data, width) = (passed(instance, port)?, word(instance)?);
        let Some(Connection::Input(e)) = instance.ports.get(data) else { return None };
        let bits = zero(e, &self.known[k].zero);
        (0..bits.width() / width).map(|n| bits.slice(n * width, width)).reduce(|a, b| a.and(&b))
    }

    /// Passes on what is read, from the outputs of the design to all that they depend on.
    fn find_read(&mut self) {
        for (k, module) in self.design.modules.iter().enumerate() {
            if self.places[k].is_empty() {
                for (net, data) in
                    module.nets.iter().filter(|(_, d)| d.port == Some(Direction::Output))
                {
                    self.read(k, net, 0, &Bits::all(data.width));
                }
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
                    let name = self.design.modules[k].nets[net].name.as_str();
                    for (parent, n) in self.places[k].clone() {
                        let instance = &self.design.modules[parent].instances[n];
                        if let Some(Connection::Input(e)) = instance.ports.get(name) {
                            self.demand(parent, e, &bits);
                        }
                    }
                }
            }
        }
    }

    fn demand_of_instance(&mut self, k: usize, n: usize, port: &str, bits: &Bits) {
        let instance = &self.design.modules[k].instances[n];
        if let Some(inner) = self.by_name.get(instance.module.as_str()).copied() {
            if let Some(net) = self.known[inner].ports.get(port).copied() {
                self.read(inner, net, 0, bits);
            }
            return;
        }
        let data = passed(instance, port);
        if let (Some(Connection::Input(e)), Some(width)) =
            (data.and_then(|d| instance.ports.get(d)), word(instance))
        {
            let total = rtl::verify::width(&self.design.modules[k], e);
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
                let width = rtl::verify::width(&self.design.modules[k], e);
                self.demand(k, e, &taken(instance, name, width));
            }
        }
    }

    fn demand_all<'e>(&mut self, k: usize, expressions: impl IntoIterator<Item = &'e Expr>) {
        for e in expressions {
            let width = rtl::verify::width(&self.design.modules[k], e);
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
                    let width = rtl::verify::width(&self.design.modules[k], part);
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
                self.demand_all(k, [&**condition]);
                self.demand(k, a, bits);
                self.demand(k, b, bits);
            }
        }
    }

    fn demand_of_operands(&mut self, k: usize, op: Binary, a: &Expr, b: &Expr, bits: &Bits) {
        let width = bits.width();
        let places = if let Expr::Const(_, n) = b { u32::try_from(*n).ok() } else { None };
        match op {
            Binary::And => {
                let of_a = bits.and(&self.known[k].zero(b).not());
                let of_b = bits.and(&self.known[k].zero(a).not());
                self.demand(k, a, &of_a);
                self.demand(k, b, &of_b);
            }
            Binary::Or | Binary::Xor => {
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
    let mut known = Working { zero: SecondaryMap::new(), read: SecondaryMap::new(), ports };
    for (net, data) in module.nets.iter() {
        known.zero[net] = Bits::none(data.width);
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

/// The bits of an expression that are always zero, by those of the nets.
fn zero(e: &Expr, nets: &SecondaryMap<Net, Bits>) -> Bits {
    match e {
        Expr::Const(width, bits) => Bits::of_number(*width, *bits).not(),
        Expr::Net(net) => nets[*net].clone(),
        Expr::Slice { net, lo, width } => nets[*net].slice(*lo, *width),
        Expr::Concat(parts) => {
            let parts: Vec<Bits> = parts.iter().map(|p| zero(p, nets)).collect();
            let mut all = Bits::none(parts.iter().map(Bits::width).sum());
            let mut lo = 0;
            for part in parts.iter().rev() {
                all.add(lo, part);
                lo += part.width();
            }
            all
        }
        Expr::Repeat(n, inner) => {
            if zero(inner, nets).is_empty() {
                Bits::none(*n)
            } else {
                Bits::all(*n)
            }
        }
        Expr::Unary(Unary::Not, a) => match &**a {
            Expr::Const(width, bits) => Bits::of_number(*width, *bits),
            _ => Bits::none(zero(a, nets).width()),
        },
        Expr::Unary(..) => Bits::none(1),
        Expr::Binary(op, a, b) => zero_of_operation(*op, &zero(a, nets), &zero(b, nets), b),
        Expr::Mux(_, a, b) => zero(a, nets).and(&zero(b, nets)),
    }
}

fn zero_of_operation(op: Binary, a: &Bits, b: &Bits, second: &Expr) -> Bits {
    let width = a.width();
    // Where the bits that may be set begin and end.
    let (begin, end) = (|x: &Bits| x.not().start(), |x: &Bits| x.not().end());
    let outside = |lo: u32, hi: u32| Bits::from_to(width, lo, hi).not();
    let places = if let Expr::Const(_, n) = second { u32::try_from(*n).ok() } else { None };
    match op {
        Binary::And => a.or(b),
        Binary::Or | Binary::Xor => a.and(b),
        Binary::Add => outside(begin(a).min(begin(b)), end(a).max(end(b)) + 1),
        Binary::Sub => outside(begin(a).min(begin(b)), width),
        Binary::Mul => outside(begin(a) + begin(b), end(a) + end(b)),
        Binary::Shl => outside(
            begin(a).saturating_add(places.unwrap_or(0)),
            places.map_or(width, |n| end(a).saturating_add(n)),
        ),
        Binary::LShr => outside(
            places.map_or(0, |n| begin(a).saturating_sub(n)),
            end(a).saturating_sub(places.unwrap_or(0)),
        ),
        Binary::AShr if a.has(width - 1) => outside(0, end(a).saturating_sub(places.unwrap_or(0))),
        Binary::AShr => Bits::none(width),
        _ => Bits::none(1),
    }
}

#[cfg(test)]
mod tests {
    use super::working;
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

    /// A chain of operations on two inputs, of which the output has some bits.
    fn module(state: &mut u64) -> Module {
        let mut below = |n: u64| (splitmix64(state) % n) as u32;
        let mut b = ModuleBuilder::new("top", vec![]);
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
                    let condition = Expr::Slice { net: other, lo: some, width: 1 };
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
            Expr::Unary(Unary::Not, a) => cut(!value(a, of).0, value(a, of).1),
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
                let places = b.min(63);
                let found = match op {
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
                    other => unreachable!("{other:?}"),
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

    /// Bits that are said to be zero are zero, and those that are said to be read by nobody change nothing at the output.
    #[test]
    fn what_is_left_out_is_zero_or_makes_no_difference() {
        let mut state = 11;
        let (mut zeros, mut unread) = (0, 0);
        for _ in 0..3000 {
            let design = Design { modules: vec![module(&mut state)] };
            let (module, known) = (&design.modules[0], &working(&design)[0]);
            for _ in 0..8 {
                let inputs = [0, 0].map(|_: u64| splitmix64(&mut state) & ((1 << WIDTH) - 1));
                let values = run(module, inputs, &mut |_, value| value);
                // As synthesis leaves it: zeros are constants, and what nobody reads may be anything.
                let mut other = |net: Net, value: u64| {
                    let noise = splitmix64(&mut state);
                    let bit = |k: u32| match (known.zero[net].has(k), known.read[net].has(k)) {
                        (true, _) => 0,
                        (false, true) => value & 1 << k,
                        (false, false) => noise & 1 << k,
                    };
                    (0..module.nets[net].width).map(bit).sum()
                };
                let changed = run(module, inputs, &mut other);
                for (net, data) in module.nets.iter() {
                    let zero = (0..data.width).filter(|k| known.zero[net].has(*k));
                    let wrong = zero.clone().find(|k| values[net.as_u32() as usize] >> k & 1 != 0);
                    assert_eq!(wrong, None, "{} of {module:?}", data.name);
                    zeros += zero.count();
                    unread += (data.width - known.read[net].count()) as usize;
                }
                assert_eq!(values.last(), changed.last(), "{module:?}");
            }
        }
        // Much is found.
        assert!(zeros > 100_000 && unread > 100_000, "{zeros} {unread}");
    }
}
