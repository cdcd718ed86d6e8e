//! A feed-forward pipeline: the datapath of a segment or of an operator unit, perhaps with a loop in it.

use crate::operation::{self, net};
use crate::sharing::Uses;
use crate::timed::TimedAccess;
use base::entity::{EntityRef, SecondaryMap};
use base::{FxHashMap, IndexMap, SourceMap};
use ir::{Block, Function, Inst, Op, Value};
use rtl::{Expr, ModuleBuilder, Net};
use schedule::product::{Factor, factors};
use schedule::{OpTiming, Place, Shared, Turning, Unit, UnitId};

/// What the pipeline's operations need to know.
pub struct Context<'a> {
    /// The function.
    pub func: &'a Function,
    /// Places of its instructions.
    pub place: &'a SecondaryMap<Inst, Option<Place>>,
    /// Latencies.
    pub timing: &'a SecondaryMap<Inst, OpTiming>,
    /// Units of instructions.
    pub unit_of: &'a SecondaryMap<Inst, Option<UnitId>>,
    /// Module of each unit.
    pub unit_modules: &'a FxHashMap<UnitId, UnitModule>,
    /// Instructions that share an instance.
    pub shared: &'a [Shared],
    /// Their groups.
    pub group_of: &'a FxHashMap<Inst, usize>,
    /// Accesses to memories on the chip among them.
    pub timed: &'a FxHashMap<Inst, TimedAccess>,
    /// `TARGET` parameter of library modules.
    pub target: &'a str,
    /// For source places in comments.
    pub sources: &'a SourceMap,
}

/// The module of an operator unit.
pub struct UnitModule {
    /// Its name.
    pub name: String,
    /// For units with a loop: the cycle after its operands in which the loop starts, which its port `start` wants to be told.
    pub start: Option<u32>,
    /// For units whose products share multipliers: the cycles, from that of its operands on, of which its port `tokens` wants to
    /// be told whether there is a token in them.
    pub tokens: Option<u32>,
}

/// What an instance of a unit is told of its operands besides them: port and value.
pub type Told = Option<(&'static str, Expr)>;

/// Nets of values at the cycles at which they are used.
pub struct Pipeline<'a> {
    pub(crate) cx: &'a Context<'a>,
    /// First cycle and net of each value in the pipeline, then one register a cycle.
    nets: FxHashMap<Value, (u32, Vec<Net>)>,
    /// Launch-uniform values, which stand: nets or constants, each with the first cycle that reads it, in their order.
    fixed: FxHashMap<Value, Vec<(u32, Expr)>>,
    /// Bit k is 1 where there is a token in cycle k: for units that must be told.
    pub(crate) valid: Option<Net>,
    /// Instances that several instructions share, by the number of their group.
    pub(crate) uses: IndexMap<usize, Uses>,
    /// A cycle behind which registers take a value only when told so.
    hold: Option<(u32, Net)>,
}

impl<'a> Pipeline<'a> {
    /// An empty pipeline.
    pub fn new(cx: &'a Context<'a>) -> Self {
        let (nets, fixed) = (FxHashMap::default(), FxHashMap::default());
        Pipeline { cx, nets, fixed, valid: None, uses: IndexMap::default(), hold: None }
    }

    /// Says in which cycles there are tokens.
    pub fn tokens(&mut self, valid: Net) {
        self.valid = Some(valid);
    }

    /// A value that stands for the whole launch.
    pub fn fix(&mut self, value: Value, e: Expr) {
        self.fixed.insert(value, vec![(0, e)]);
    }

    /// What the cycles from `cycle` on read of such a value, a copy; called in the order of cycles.
    pub fn fix_from(&mut self, value: Value, cycle: u32, copy: Net) {
        self.fixed.entry(value).or_default().push((cycle, copy.into()));
    }

    /// A value that comes in at cycle 0.
    pub fn enter(&mut self, value: Value, net: Net) {
        self.enter_at(value, 0, net);
    }

    /// A value that stands from `cycle` on.
    pub fn enter_at(&mut self, value: Value, cycle: u32, net: Net) {
        self.nets.insert(value, (cycle, vec![net]));
    }

    /// The value at a cycle, through registers where it was made earlier.
    pub fn at(&mut self, b: &mut ModuleBuilder, value: Value, cycle: u32) -> Expr {
        if let Some(c) = self.cx.func.as_const(value) {
            return Expr::Const(self.cx.func.bits(value), c);
        }
        let fixed = self.fixed.get(&value).and_then(|copies| copies.iter().rfind(|c| c.0 <= cycle));
        if let Some((_, e)) = fixed {
            return e.clone();
        }
        let (first, mut count) = match self.nets.get(&value) {
            Some((first, chain)) => (*first, chain.len() as u32),
            None => unreachable!("{value} is not in the pipeline: the schedule was verified"),
        };
        while first + count <= cycle {
            let (_, chain) = &self.nets[&value];
            let last = chain[chain.len() - 1];
            let name = format!("v{}_p{}", value.index(), first + count);
            let told = self.hold.filter(|(at, _)| at + 1 == first + count);
            let q = b.net(&name, b.width(last));
            b.register(q, last.into(), told.map(|(_, strobe)| strobe.into()), None);
            if let Some((_, chain)) = self.nets.get_mut(&value) {
                chain.push(q);
            }
            count += 1;
        }
        let (_, chain) = &self.nets[&value];
        Expr::Net(chain[(cycle - first) as usize])
    }

    /// What a value that the token brings was at the entry, at a cycle, through registers of its own: also behind the cycle in which
    /// it becomes another one by [`Pipeline::enter_at`].
    pub fn entered(&mut self, b: &mut ModuleBuilder, value: Value, cycle: u32) -> Expr {
        let mut at = self.at(b, value, 0);
        for k in 1..=cycle {
            let name = format!("v{}_entered{k}", value.index());
            let q = match b.find(&name) {
                Some(q) => q,
                None => {
                    let q = b.net(&name, self.cx.func.bits(value));
                    b.register(q, at, None, None);
                    q
                }
            };
            at = q.into();
        }
        at
    }

    /// Adds an instruction that starts at `cycle`.
    pub fn inst(&mut self, b: &mut ModuleBuilder, inst: Inst, cycle: u32) {
        let cx = self.cx;
        let data = &cx.func.insts[inst];
        if let Some(access) = cx.timed.get(&inst) {
            return self.timed_access(b, inst, cycle, access);
        }
        let Some(result) = data.result else { return };
        let name = format!("v{}", result.index());
        let ready = cycle + cx.timing[inst].latency;
        let out = if let Some(&group) = cx.group_of.get(&inst) {
            self.share(b, inst, cycle, group)
        } else if let Some(unit) = cx.unit_of[inst] {
            self.unit(b, inst, cycle, &cx.unit_modules[&unit], &name)
        } else if matches!(data.op, Op::Mul) && cx.timing[inst].latency > 0 {
            self.product(b, inst, cycle, &name)
        } else if let Op::Lookup(table) = data.op {
            self.lookup(b, inst, cycle, table, &name)
        } else {
            let e = operation::expression(b, cx.func, inst, &mut |b, v| self.at(b, v, cycle));
            let Some(e) = e else { unreachable!("{:?} was expanded", data.op) };
            let width = cx.func.bits(result);
            let n = b.net(&name, width);
            b.assign_noted(n, e, self.note(inst));
            n
        };
        self.nets.insert(result, (ready, vec![out]));
    }

    pub(crate) fn note(&self, inst: Inst) -> String {
        self.cx.sources.describe(self.cx.func.insts[inst].loc).unwrap_or_default()
    }

    /// Adds a unit with a loop, which starts at the pulse `start`; a register takes its result at `end` and shows it from cycle
    /// `ready` on.
    pub fn turn(
        &mut self,
        b: &mut ModuleBuilder,
        inst: Inst,
        cycle: u32,
        (start, end): (Net, Net),
        ready: u32,
    ) {
        let (Some(result), Some(unit)) = (self.cx.func.insts[inst].result, self.cx.unit_of[inst])
        else {
            return;
        };
        let name = format!("v{}", result.index());
        let module = &self.cx.unit_modules[&unit].name;
        let inputs = self.operands(b, inst, cycle);
        let out = b.net(&name, self.cx.func.bits(result));
        let note = self.note(inst);
        instance(b, note, (module, Some(("start", start.into()))), inputs, out);
        let kept = b.net(&format!("{name}_kept"), b.width(out));
        b.register(kept, out.into(), Some(end.into()), None);
        self.enter_at(result, ready, kept);
    }

    fn unit(
        &mut self,
        b: &mut ModuleBuilder,
        inst: Inst,
        cycle: u32,
        module: &UnitModule,
        name: &str,
    ) -> Net {
        let told = self.told(b, module, &[cycle]);
        let inputs = self.operands(b, inst, cycle);
        let width = self.cx.func.insts[inst].result.map_or(1, |r| self.cx.func.bits(r));
        let out = b.net(name, width);
        instance(b, self.note(inst), (&module.name, told), inputs, out);
        out
    }

    /// What a unit must be told that gets operands in some cycles.
    pub(crate) fn told(&self, b: &ModuleBuilder, module: &UnitModule, cycles: &[u32]) -> Told {
        let valid = || match self.valid {
            Some(valid) => valid,
            None => unreachable!("{} does not know when it starts", module.name),
        };
        if let Some(start) = module.start {
            let starts = cycles.iter().map(|c| b.slice(valid(), c + start, 1));
            return Some(("start", Expr::any(starts)));
        }
        module.tokens.map(|width| ("tokens", b.slice(valid(), cycles[0], width)))
    }

    /// Operands of an instruction that starts at `cycle`.
    pub(crate) fn operands(&mut self, b: &mut ModuleBuilder, inst: Inst, cycle: u32) -> Vec<Expr> {
        let args = self.cx.func.insts[inst].args.clone();
        args.iter().map(|a| self.at(b, *a, cycle)).collect()
    }

    /// One DSP tile: the operands without their extensions.
    fn product(&mut self, b: &mut ModuleBuilder, inst: Inst, cycle: u32, name: &str) -> Net {
        let func = self.cx.func;
        let tile = Tile::of(func, &[inst]);
        let operands = self.factors(b, inst, cycle);
        let out = b.net(name, tile.result);
        tile.instance(b, self.cx.target, String::new(), operands, out);
        out
    }

    /// The factors of a product that starts at `cycle`, without their extensions.
    pub(crate) fn factors(&mut self, b: &mut ModuleBuilder, inst: Inst, cycle: u32) -> [Expr; 2] {
        let func = self.cx.func;
        let [x, y] = factors(func, inst);
        let args = &func.insts[inst].args;
        // The extended values, as what they are made from need not be at hand.
        [(args[0], x), (args[1], y)].map(|(v, f)| match func.as_const(v) {
            Some(c) => Expr::Const(f.width, c),
            None => {
                let e = self.at(b, v, cycle);
                let n = net(b, e);
                b.slice(n, 0, f.width)
            }
        })
    }

    fn lookup(
        &mut self,
        b: &mut ModuleBuilder,
        inst: Inst,
        cycle: u32,
        table: ir::Table,
        name: &str,
    ) -> Net {
        let func = self.cx.func;
        let data = &func.tables[table];
        let need = rtl::bits_for(data.entries.len() as u64);
        let index = self.at(b, func.insts[inst].args[0], cycle);
        let index = net(b, index);
        let have = b.width(index);
        let latency = self.cx.timing[inst].latency;
        let width = u32::from(data.width);
        let entries = data.entries.clone();
        if have <= need {
            // A narrow index reaches only the first entries.
            let entries = entries.into_iter().take(1 << have.min(24)).collect();
            return b.rom(&format!("{name}_rom"), width, entries, index.into(), latency, None);
        }
        let low = b.slice(index, 0, need);
        let rom = b.rom(&format!("{name}_rom"), width, entries, low, latency, None);
        let mut inside = operation::any_bit(b.slice(index, need, have - need)).not();
        for k in 0..latency {
            inside = b.delay(&format!("{name}_in{k}"), inside).into();
        }
        b.wire(name, inside.mux(rom.into(), Expr::Const(width, 0)))
    }
}

/// An instance of a unit's module.
pub(crate) fn instance(
    b: &mut ModuleBuilder,
    note: String,
    (module, told): (&str, Told),
    inputs: Vec<Expr>,
    out: Net,
) {
    let name = format!("u_{}", b.name(out));
    let mut i = b.instance(module, &name).comment(note);
    if let Some((port, value)) = told {
        i = i.input(port, value);
    }
    for (k, e) in inputs.into_iter().enumerate() {
        i = i.input(&format!("in{k}"), e);
    }
    i.output("out0", out).done();
}

/// A multiplier: one DSP tile.
pub(crate) struct Tile {
    /// The factors: widths and signs.
    pub factors: [Factor; 2],
    /// Bits of the result.
    pub result: u32,
}

impl Tile {
    /// One that computes each of some products, whose factors agree in their signs.
    pub fn of(func: &Function, insts: &[Inst]) -> Tile {
        let mut tile = Tile { factors: factors(func, insts[0]), result: 1 };
        for &inst in insts {
            for (widest, f) in tile.factors.iter_mut().zip(factors(func, inst)) {
                widest.width = widest.width.max(f.width);
            }
            let bits = func.insts[inst].result.map_or(1, |r| func.bits(r));
            tile.result = tile.result.max(bits);
        }
        tile
    }

    /// Its instance.
    pub fn instance(
        &self,
        b: &mut ModuleBuilder,
        target: &str,
        note: String,
        [x, y]: [Expr; 2],
        out: Net,
    ) {
        let name = format!("u_{}", b.name(out));
        // A signed tile takes an unsigned factor with a zero above it: clhls_mul does that.
        b.instance("clhls_mul", &name)
            .comment(note)
            .without_reset()
            .param("WA", self.factors[0].width)
            .param("WB", self.factors[1].width)
            .param("SIGNED_A", self.factors[0].signed)
            .param("SIGNED_B", self.factors[1].signed)
            .param("WO", self.result)
            .param("TARGET", rtl::Param::Text(target.to_owned()))
            .input("en", Expr::bit(true))
            .input("a", x)
            .input("b", y)
            .output("p", out)
            .done();
    }
}

/// The module of an operator unit: inputs `in0..`, outputs `out0..`; with a loop in it an input `start` too.
pub fn unit_module(unit: &Unit, module: &str, target: &str) -> rtl::Module {
    let mut header = vec![
        format!("{}: arithmetic operator.", unit.name),
        format!("latency {}, II {}", unit.timing.latency, unit.interval()),
    ];
    header.extend(unit.turning.map(|t| {
        let (turns, cycles) = (t.turns, t.cycles);
        format!(
            "a loop of {turns} turns of {cycles} cycles; start: {} cycles after operands",
            t.start
        )
    }));
    header.extend(unit.last_shared().map(|last| {
        let products: usize = unit.shared.iter().map(|g| g.insts.len()).sum();
        let tiles = unit.shared.len();
        format!("{products} products share {tiles} multipliers; tokens: of operands 0 to {last} cycles ago")
    }));
    let mut b = ModuleBuilder::new(module, header);
    let sources = SourceMap::default();
    let mut timing: SecondaryMap<Inst, OpTiming> = SecondaryMap::new();
    for &inst in unit.func.layout.iter().flat_map(|b| &unit.func.blocks[*b].insts) {
        timing[inst] = unit.inst_timing[inst];
    }
    let cx = Context {
        func: &unit.func,
        place: &unit.place,
        timing: &timing,
        unit_of: &SecondaryMap::new(),
        unit_modules: &FxHashMap::default(),
        shared: &unit.shared,
        group_of: &Shared::groups(&unit.shared),
        timed: &FxHashMap::default(),
        target,
        sources: &sources,
    };
    let mut p = Pipeline::new(&cx);
    if let Some(last) = unit.last_shared() {
        let tokens = b.input("tokens", last + 1);
        p.tokens(tokens);
    }
    if let Some(t) = unit.turning {
        p.hold = Some((t.start, b.input("start", 1)));
    }
    for (k, &v) in unit.func.blocks[unit.func.entry()].params.iter().enumerate() {
        let n = b.input(&format!("in{k}"), unit.func.bits(v));
        p.enter(v, n);
    }
    p.block(&mut b, unit.func.entry());
    p.shared_instances(&mut b);
    if let (Some(t), &[before, turn, after]) = (unit.turning, unit.func.layout.as_slice()) {
        p.turns(&mut b, t, [before, turn, after]);
        p.block(&mut b, after);
    }
    for (k, &v) in unit.outputs.iter().enumerate() {
        let e = p.at(&mut b, v, unit.stages());
        let n = b.output(&format!("out{k}"), unit.func.bits(v));
        b.assign(n, e);
    }
    b.finish()
}

impl Pipeline<'_> {
    /// The operations of a block of a unit.
    fn block(&mut self, b: &mut ModuleBuilder, block: Block) {
        for &inst in &self.cx.func.blocks[block].insts {
            if let Some(Place::Segment { cycle, .. }) = self.cx.place[inst] {
                self.inst(b, inst, cycle);
            }
        }
    }

    /// The loop of a unit: registers that take their first values when told, and those of the next turn else. Nothing stops
    /// it; what it computes behind the last turn nobody reads.
    fn turns(&mut self, b: &mut ModuleBuilder, t: Turning, [before, turn, after]: [Block; 3]) {
        let func = self.cx.func;
        let Some((_, start)) = self.hold else { return };
        let params = &func.blocks[turn].params;
        let mut inner = Pipeline::new(self.cx);
        let mut registers = vec![];
        for &v in params {
            let q = b.net(&format!("v{}_turn", v.index()), func.bits(v));
            inner.enter(v, q);
            registers.push(q);
        }
        // What all turns use from outside.
        for &v in func.blocks[turn].insts.iter().flat_map(|i| &func.insts[*i].args) {
            let outside = self.nets.contains_key(&v) && !inner.fixed.contains_key(&v);
            if outside {
                let held = self.at(b, v, t.start + 1);
                inner.fix(v, held);
            }
        }
        inner.block(b, turn);
        let passed = |block: Block| func.blocks[block].term.targets()[0].args.clone();
        for ((&q, first), next) in registers.iter().zip(passed(before)).zip(passed(turn)) {
            let first = self.at(b, first, t.start);
            let next = inner.at(b, next, t.cycles - 1);
            b.register(q, Expr::Net(start).mux(first, next), None, None);
        }
        for (&v, &q) in func.blocks[after].params.iter().zip(&registers) {
            self.enter_at(v, t.start + 1, q);
        }
    }
}
