//! Delay lines: chains of registers that only pass a value on become instances of `clhls_delay`,
//! for families without shift register LUTs.

use crate::{Connection, Expr, Instance, Module, Net, NetData, Param, Register};
use base::entity::{PrimaryMap, SecondaryMap};
use base::{IndexMap, IndexSet};

/// Fewest registers in a row that are worth a delay line: a bit of LUTRAM for up to 16 cycles takes
/// the room of three flip-flops, its address counter some more.
const LEAST: usize = 5;
/// Longest delay line (the depth of a LUTRAM and the output register).
const MOST: usize = 17;
/// Widest delay line: all its bits share an address.
const WIDEST: u32 = 128;

/// Registers in a row.
struct Chain {
    /// What goes in.
    from: Net,
    /// What comes out.
    to: Net,
    length: usize,
}

/// Replaces chains of plain registers in a clocked module. `from_registers` leaves a register in front of a line that would be written out
/// of logic or a port: a line's bits share an address and come from operations that may stand far apart.
pub fn collect(module: &mut Module, from_registers: bool) {
    let uses = uses(module);
    let plain = |r: &&Register| r.enable.is_none() && r.reset.is_none();
    let source: IndexMap<Net, Net> = module
        .registers
        .iter()
        .filter(plain)
        .filter_map(|r| match r.next {
            Expr::Net(from) => Some((r.q, from)),
            _ => None,
        })
        .collect();
    let registers: IndexSet<Net> = module.registers.iter().map(|r| r.q).collect();
    // A register inside a chain: only the next one reads it.
    let inner = |n: Net| uses[n] == 1 && module.nets[n].port.is_none() && source.contains_key(&n);
    let passed_on: IndexSet<Net> = source.values().copied().filter(|n| inner(*n)).collect();
    let mut chains: IndexMap<usize, Vec<Chain>> = IndexMap::default();
    for &to in source.keys().filter(|q| !passed_on.contains(*q)) {
        let (mut first, mut from, mut length) = (to, source[&to], 1);
        while passed_on.contains(&from) {
            (first, from, length) = (from, source[&from], length + 1);
        }
        if from_registers && !registers.contains(&from) {
            (from, length) = (first, length - 1);
        }
        if length >= LEAST {
            chains.entry(length).or_default().push(Chain { from, to, length });
        }
    }
    if chains.is_empty() {
        return;
    }
    let removed = members(&chains, &source);
    module.registers.retain(|r| !removed.contains(&r.q));
    let all: Vec<Vec<Chain>> = chains.into_values().flat_map(|c| lines(module, c)).collect();
    for (number, line) in all.iter().enumerate() {
        add_line(module, number, line);
    }
    remove_idle_nets(module);
}

/// All registers of the chains.
fn members(chains: &IndexMap<usize, Vec<Chain>>, source: &IndexMap<Net, Net>) -> IndexSet<Net> {
    let mut all = IndexSet::default();
    for chain in chains.values().flatten() {
        let mut at = chain.to;
        for _ in 0..chain.length {
            all.insert(at);
            at = source[&at];
        }
    }
    all
}

/// Chains of one length in lines of at most [`WIDEST`] bits.
fn lines(module: &Module, chains: Vec<Chain>) -> Vec<Vec<Chain>> {
    let mut lines: Vec<Vec<Chain>> = vec![];
    let mut room = 0;
    for chain in chains {
        let width = module.nets[chain.to].width;
        match lines.last_mut() {
            Some(line) if width <= room => {
                room -= width;
                line.push(chain);
            }
            _ => {
                room = WIDEST.saturating_sub(width);
                lines.push(vec![chain]);
            }
        }
    }
    lines
}

/// One delay line, or several in a row where it is longer than one can be.
fn add_line(module: &mut Module, number: usize, chains: &[Chain]) {
    let length = chains[0].length;
    let parts = length.div_ceil(MOST);
    let width = chains.iter().map(|c| module.nets[c.to].width).sum();
    let mut data = concat(chains.iter().map(|c| c.from));
    for part in 0..parts {
        // As even as possible: a very short line is not worth its counter.
        let latency = length / parts + usize::from(part < length % parts);
        let name = format!("delay{number}_{part}");
        let out = fresh_net(module, &name, width);
        let params = [("WIDTH", width), ("LATENCY", latency as u32)];
        let ports = [("d", Connection::Input(data)), ("q", Connection::Output(Some(out)))];
        module.instances.push(Instance {
            module: "clhls_delay".to_owned(),
            name: format!("u_{}", module.nets[out].name),
            params: params.map(|(n, v)| (n.to_owned(), Param::from(v))).into_iter().collect(),
            ports: ports.map(|(n, c)| (n.to_owned(), c)).into_iter().collect(),
            clocked: true,
            reset: false,
            comment: String::new(),
        });
        data = Expr::Net(out);
    }
    let Expr::Net(out) = data else { return };
    // The first chain is the most significant part.
    let mut lo = width;
    for chain in chains {
        let width = module.nets[chain.to].width;
        lo -= width;
        let value =
            if chains.len() == 1 { Expr::Net(out) } else { Expr::Slice { net: out, lo, width } };
        module.assigns.push((chain.to, value, String::new()));
    }
}

fn concat(nets: impl Iterator<Item = Net>) -> Expr {
    Expr::concat(nets.map(Expr::Net).collect())
}

fn fresh_net(module: &mut Module, name: &str, width: u32) -> Net {
    let taken = |name: &str| module.nets.values().any(|d| d.name == name);
    let mut name = name.to_owned();
    while taken(&name) {
        name.push('_');
    }
    module.nets.push(NetData { name, width, port: None, comment: String::new() })
}

/// How often each net is read.
fn uses(module: &Module) -> SecondaryMap<Net, u32> {
    let mut uses: SecondaryMap<Net, u32> = SecondaryMap::new();
    let mut count = module.clone();
    count.for_each_expr(&mut |e| e.for_each_net(&mut |n| uses[*n] += 1));
    uses
}

/// Drops nets that nothing drives and nothing reads.
fn remove_idle_nets(module: &mut Module) {
    let mut keep: SecondaryMap<Net, bool> = SecondaryMap::new();
    module.for_each_expr(&mut |e| e.for_each_net(&mut |n| keep[*n] = true));
    module.for_each_driven(&mut |n| keep[*n] = true);
    let mut moved: SecondaryMap<Net, Option<Net>> = SecondaryMap::new();
    let mut nets = PrimaryMap::new();
    for (net, data) in module.nets.iter() {
        if keep[net] || data.port.is_some() {
            moved[net] = Some(nets.push(data.clone()));
        }
    }
    module.nets = nets;
    let mut rename = |n: &mut Net| *n = moved[*n].unwrap_or(*n);
    module.for_each_expr(&mut |e| e.for_each_net(&mut rename));
    module.for_each_driven(&mut rename);
}

impl Module {
    /// Every net where it is driven, inputs apart.
    fn for_each_driven(&mut self, f: &mut dyn FnMut(&mut Net)) {
        self.assigns.iter_mut().for_each(|(n, ..)| f(n));
        self.registers.iter_mut().for_each(|r| f(&mut r.q));
        self.roms.iter_mut().flat_map(|r| &mut r.reads).for_each(|read| f(&mut read.data));
        for c in self.instances.iter_mut().flat_map(|i| i.ports.values_mut()) {
            if let Connection::Output(Some(n)) = c {
                f(n);
            }
        }
    }
}

impl Expr {
    /// Every net that the expression reads.
    fn for_each_net(&mut self, f: &mut dyn FnMut(&mut Net)) {
        match self {
            Expr::Const(..) => {}
            Expr::Net(net) | Expr::Slice { net, .. } => f(net),
            Expr::Concat(parts) => parts.iter_mut().for_each(|p| p.for_each_net(f)),
            Expr::Repeat(_, a) | Expr::Unary(_, a) => a.for_each_net(f),
            Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| e.for_each_net(f)),
            Expr::Mux(a, b, c) => [a, b, c].into_iter().for_each(|e| e.for_each_net(f)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModuleBuilder;

    /// `length` registers behind an input or behind a register with a reset, as registers without reset and latencies of delay lines.
    fn collected(length: u32, behind_register: bool, from_registers: bool) -> (usize, Vec<String>) {
        let mut b = ModuleBuilder::new("m", vec![]);
        let mut last = b.input("in", 8);
        if behind_register {
            let q = b.net("q", 8);
            b.register(q, last.into(), None, Some(0));
            last = q;
        }
        for k in 0..length {
            last = b.delay(&format!("in_p{k}"), last);
        }
        let out = b.output("out", 8);
        b.assign(out, last);
        let mut module = b.finish();
        collect(&mut module, from_registers);
        let plain = module.registers.iter().filter(|r| r.reset.is_none()).count();
        let latency = |i: &Instance| format!("{:?}", i.params["LATENCY"]);
        (plain, module.instances.iter().map(latency).collect())
    }

    #[test]
    fn chains_become_lines_and_those_of_ports_keep_a_register_where_told() {
        let line = |cycles: u32| vec![format!("{:?}", Param::from(cycles))];
        assert_eq!(collected(8, false, false), (0, line(8)));
        assert_eq!(collected(8, false, true), (1, line(7)));
        // A register is in front of these already.
        assert_eq!(collected(8, true, true), (0, line(8)));
        // What is left is too short for a line.
        let least = LEAST as u32;
        assert_eq!(collected(least, false, false), (0, line(least)));
        assert_eq!(collected(least, false, true), (LEAST, vec![]));
    }
}
