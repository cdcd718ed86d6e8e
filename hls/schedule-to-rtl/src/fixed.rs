//! Launch-uniform values: arguments, launch queries, and the prologue computed from them.

use crate::core::{Shared, fixed_operands, segment_body};
use crate::operation;
use crate::pipeline::{Context, Pipeline};
use abi::{HiddenArg, RegisterMap};
use base::entity::EntityRef;
use base::{FxHashMap, FxHashSet};
use ir::{Inst, ObjectKind, Op, Query, Value};
use rtl::{Expr, ModuleBuilder, Net};
use schedule::{KernelSchedule, Place, Unit};
use std::collections::BTreeSet;

/// Cycles of a segment that read the same copy of a launch-uniform value: operations of neighbouring cycles are placed side by side, and
/// those of 100 cycles are spread over half of a device.
const CYCLES_A_COPY: u32 = 8;

/// Nets of the launch-uniform values of a kernel.
#[derive(Clone)]
pub struct Fixed {
    values: FxHashMap<Value, Expr>,
    /// Nets that the top makes 1 a number of cycles after the prologue starts.
    pub pulses: Vec<(u32, Net)>,
    /// Values of which each segment that reads them has a register of its own.
    copied: FxHashSet<Value>,
}

/// Where hidden and visible arguments stand in the register file's output.
pub struct ArgumentBus<'a> {
    /// All argument words, word `i` at bit `32 * i`.
    pub net: Net,
    /// The layout.
    pub map: &'a RegisterMap,
    /// Byte offsets of module variables in the program's device memory.
    pub program_offsets: &'a FxHashMap<ir::Global, u64>,
}

impl ArgumentBus<'_> {
    /// `bits` bits from byte `offset` of the argument register at `register`.
    fn field(&self, b: &ModuleBuilder, register: u32, offset: u32, bits: u32) -> Expr {
        let lo = 8 * (register - abi::regs::ARGS + offset);
        let have = b.width(self.net).saturating_sub(lo);
        if have >= bits {
            return b.slice(self.net, lo, bits);
        }
        Expr::Const(bits, 0)
    }

    /// A hidden argument as an unsigned number of `bits` bits.
    pub fn hidden(&self, b: &ModuleBuilder, which: HiddenArg, bits: u32) -> Expr {
        let Some(register) = self.map.hidden(which) else { return Expr::Const(bits, 0) };
        let have = 8 * which.bytes();
        if bits <= have {
            return self.field(b, register, 0, bits);
        }
        Expr::Concat(vec![Expr::Const(bits - have, 0), self.field(b, register, 0, have)])
    }

    /// Three hidden arguments as the dispatcher wants them: `{z, y, x}` of 32 bits each.
    pub fn vector(&self, b: &ModuleBuilder, xyz: [HiddenArg; 3]) -> Expr {
        Expr::Concat(xyz.iter().rev().map(|h| self.hidden(b, *h, 32)).collect())
    }
}

impl Fixed {
    /// Name of the port that brings a launch-uniform value into a segment.
    pub fn port(v: Value) -> String {
        format!("k{}", v.as_u32())
    }

    /// The value, as a net or constant of the core.
    pub fn expr(&self, v: Value) -> Expr {
        self.values.get(&v).cloned().unwrap_or(Expr::bit(false))
    }

    /// Makes nets for all launch-uniform values. Prologue results are registers, so that no path
    /// from the argument registers reaches far.
    pub fn build(
        b: &mut ModuleBuilder,
        s: &KernelSchedule,
        cx: &Context,
        bus: &ArgumentBus,
    ) -> Fixed {
        let mut fixed =
            Fixed { values: FxHashMap::default(), pulses: vec![], copied: FxHashSet::default() };
        let mut prologue: Vec<(u32, Inst)> = vec![];
        for &block in &s.func.layout {
            for &inst in &s.func.blocks[block].insts {
                let Some(v) = s.func.insts[inst].result else { continue };
                match s.place[inst] {
                    Some(Place::Static) => {
                        let e = static_value(b, s, inst, bus);
                        let net = match e {
                            Expr::Const(..) => e,
                            e => b.wire(&Self::port(v), e).into(),
                        };
                        fixed.values.insert(v, net);
                    }
                    Some(Place::Prologue { cycle }) => prologue.push((cycle, inst)),
                    // Driven by the unit that loads it.
                    Some(Place::Fetched) => {
                        let net = b.net(&Self::port(v), s.func.bits(v));
                        fixed.values.insert(v, net.into());
                    }
                    _ => {}
                }
            }
        }
        let mut p = Pipeline::new(cx);
        for (v, e) in &fixed.values {
            p.fix(*v, e.clone());
        }
        // In layout order operands come first; registers between cycles come from `at`.
        for &(cycle, inst) in &prologue {
            match s.unit_of[inst].map(|u| &s.units[u]).filter(|u| u.turning.is_some()) {
                Some(unit) => fixed.turn(b, &mut p, (inst, cycle), unit),
                None => p.inst(b, inst, cycle),
            }
        }
        for &(cycle, inst) in &prologue {
            let Some(v) = s.func.insts[inst].result else { continue };
            let end = cycle + s.timing[inst].latency + 1;
            let e = p.at(b, v, end);
            let n = operation::net(b, e);
            fixed.values.insert(v, n.into());
        }
        fixed
    }
}

/// Copies in the segments.
impl Fixed {
    /// Gives each segment a register of its own of the values that several read. Cycles until the last ones stand, behind the prologue.
    pub fn copy_into_segments(&mut self, sh: &Shared) -> u32 {
        let mut readers: FxHashMap<Value, u32> = FxHashMap::default();
        for &block in &sh.cfg.rpo {
            for k in 0..sh.s.blocks[block].segments.len() as u32 {
                for v in fixed_operands(sh, block, k, &segment_body(sh.s, block, k)) {
                    *readers.entry(v).or_default() += sh.compute_units;
                }
            }
        }
        let constant = |e: &Expr| matches!(e, Expr::Const(..));
        readers.retain(|v, count| *count > 1 && !self.values.get(v).is_none_or(constant));
        self.copied = readers.keys().copied().collect();
        readers.into_values().max().unwrap_or(0)
    }

    /// The value as segment `segment` reads it. A copy is the register behind the one of the segment before: registers of equal contents
    /// would be merged again by synthesis.
    pub fn in_segment(&mut self, b: &mut ModuleBuilder, v: Value, segment: &str) -> Expr {
        let e = self.expr(v);
        if !self.copied.contains(&v) {
            return e;
        }
        let copy = b.delay(&format!("{}_{segment}", Self::port(v)), e);
        self.values.insert(v, copy.into());
        copy.into()
    }

    /// A unit with a loop in the prologue: told when to start, and its result kept, which is there for one cycle.
    fn turn(&mut self, b: &mut ModuleBuilder, p: &mut Pipeline, at: (Inst, u32), unit: &Unit) {
        let ((inst, cycle), Some(turning)) = (at, unit.turning) else { return };
        let mut pulse = |b: &mut ModuleBuilder, after: u32| {
            let net = b.net(&format!("prologue_p{}", cycle + after), 1);
            self.pulses.push((cycle + after, net));
            net
        };
        let (start, end) = (pulse(b, turning.start), pulse(b, unit.timing.latency));
        p.turn(b, inst, cycle, (start, end), cycle + unit.prologue_timing().latency);
    }
}

/// A launch-uniform value at the datapath of a segment whose operations are `body`. Of several copies, each is for some cycles.
pub fn enter(b: &mut ModuleBuilder, p: &mut Pipeline, sh: &Shared, v: Value, body: &[(Inst, u32)]) {
    let func = &sh.s.func;
    let mut last = b.input(&Fixed::port(v), func.bits(v));
    p.fix(v, last.into());
    if !sh.s.spread {
        return;
    }
    let readers = body.iter().filter(|(i, _)| func.insts[*i].args.contains(&v));
    let groups: BTreeSet<u32> = readers.map(|(_, cycle)| cycle / CYCLES_A_COPY).collect();
    // The n-th copy stands n cycles after the first, and n groups of cycles before a token comes to it.
    for group in groups.into_iter().skip(1) {
        let from = group * CYCLES_A_COPY;
        last = b.delay(&format!("{}_c{from}", Fixed::port(v)), last);
        p.fix_from(v, from, last);
    }
}

fn static_value(b: &mut ModuleBuilder, s: &KernelSchedule, inst: Inst, bus: &ArgumentBus) -> Expr {
    let func = &s.func;
    let data = &func.insts[inst];
    let bits = data.result.map_or(1, |r| func.bits(r));
    match data.op {
        Op::Const(c) => Expr::Const(bits, c),
        Op::Arg { index, offset } => match bus.map.args.get(index as usize).copied().flatten() {
            Some(register) => bus.field(b, register, offset, bits),
            None => Expr::Const(bits, 0),
        },
        Op::WorkItem(q, dim) => match hidden_of(q, dim) {
            Some(h) => bus.hidden(b, h, bits),
            None => Expr::Const(bits, 0),
        },
        Op::ObjAddr(o) => {
            let on_chip = s
                .memories
                .values()
                .find_map(|m| m.objects.iter().find(|(x, _)| *x == o).map(|(_, offset)| *offset));
            match (on_chip, func.objects[o].kind) {
                (Some(offset), _) => Expr::Const(bits, u128::from(offset)),
                (None, ObjectKind::Global(g)) if bus.program_offsets.contains_key(&g) => {
                    let base = bus.hidden(b, HiddenArg::ProgramBase, bits);
                    let offset = u128::from(bus.program_offsets[&g]);
                    Expr::bin(rtl::Binary::Add, base, Expr::Const(bits, offset))
                }
                // Never accessed: its address only says that it is not null, nor another such object's.
                _ => Expr::Const(bits, (o.index() as u128 + 1) << 7),
            }
        }
        _ => Expr::Const(bits, 0),
    }
}

/// The hidden argument that answers a launch-uniform query.
fn hidden_of(q: Query, dim: u8) -> Option<HiddenArg> {
    use HiddenArg::*;
    let pick = |xyz: [HiddenArg; 3]| xyz.get(usize::from(dim)).copied();
    match q {
        Query::WorkDim => Some(WorkDim),
        Query::GlobalSize => pick([GlobalSizeX, GlobalSizeY, GlobalSizeZ]),
        Query::EnqueuedLocalSize => pick([LocalSizeX, LocalSizeY, LocalSizeZ]),
        Query::NumGroups => pick([NumGroupsX, NumGroupsY, NumGroupsZ]),
        Query::GlobalOffset => pick([GlobalOffsetX, GlobalOffsetY, GlobalOffsetZ]),
        _ => None,
    }
}
