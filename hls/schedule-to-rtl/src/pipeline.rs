//! A feed-forward pipeline: the datapath of a segment or of an operator unit.

use crate::operation::{self, net};
use base::entity::{EntityRef, SecondaryMap};
use base::{FxHashMap, SourceMap};
use ir::{Function, Inst, Op, Value};
use rtl::{Expr, ModuleBuilder, Net};
use schedule::{OpTiming, Place, Unit, UnitId};

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
    /// Module name of each unit.
    pub unit_modules: &'a FxHashMap<UnitId, String>,
    /// `TARGET` parameter of library modules.
    pub target: &'a str,
    /// For source places in comments.
    pub sources: &'a SourceMap,
}

/// Nets of values at the cycles at which they are used.
pub struct Pipeline<'a> {
    cx: &'a Context<'a>,
    /// First cycle and net of each value in the pipeline, then one register a cycle.
    nets: FxHashMap<Value, (u32, Vec<Net>)>,
    /// Launch-uniform values: always the same net or constant.
    fixed: FxHashMap<Value, Expr>,
}

impl<'a> Pipeline<'a> {
    /// An empty pipeline.
    pub fn new(cx: &'a Context<'a>) -> Self {
        Pipeline { cx, nets: FxHashMap::default(), fixed: FxHashMap::default() }
    }

    /// A value that stands for the whole launch.
    pub fn fix(&mut self, value: Value, e: Expr) {
        self.fixed.insert(value, e);
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
        if let Some(e) = self.fixed.get(&value) {
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
            let q = b.delay(&name, last);
            if let Some((_, chain)) = self.nets.get_mut(&value) {
                chain.push(q);
            }
            count += 1;
        }
        let (_, chain) = &self.nets[&value];
        Expr::Net(chain[(cycle - first) as usize])
    }

    /// Adds an instruction that starts at `cycle`.
    pub fn inst(&mut self, b: &mut ModuleBuilder, inst: Inst, cycle: u32) {
        let cx = self.cx;
        let data = &cx.func.insts[inst];
        let Some(result) = data.result else { return };
        let name = format!("v{}", result.index());
        let ready = cycle + cx.timing[inst].latency;
        let out = if let Some(unit) = cx.unit_of[inst] {
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

    fn note(&self, inst: Inst) -> String {
        self.cx.sources.describe(self.cx.func.insts[inst].loc).unwrap_or_default()
    }

    fn unit(
        &mut self,
        b: &mut ModuleBuilder,
        inst: Inst,
        cycle: u32,
        module: &str,
        name: &str,
    ) -> Net {
        let args = self.cx.func.insts[inst].args.clone();
        let inputs: Vec<Expr> = args.iter().map(|a| self.at(b, *a, cycle)).collect();
        let width = self.cx.func.insts[inst].result.map_or(1, |r| self.cx.func.bits(r));
        let out = b.net(name, width);
        let mut i = b.instance(module, &format!("u_{name}")).comment(self.note(inst));
        for (k, e) in inputs.into_iter().enumerate() {
            i = i.input(&format!("in{k}"), e);
        }
        i.output("out0", out).done();
        out
    }

    /// One DSP tile: the operands without their extensions.
    fn product(&mut self, b: &mut ModuleBuilder, inst: Inst, cycle: u32, name: &str) -> Net {
        let func = self.cx.func;
        let args = func.insts[inst].args.clone();
        let (x, y) = (factor(func, args[0]), factor(func, args[1]));
        let mut operand = |b: &mut ModuleBuilder, f: Factor| match func.as_const(f.operand) {
            Some(c) => Expr::Const(f.width, c),
            None => {
                let e = self.at(b, f.operand, cycle);
                let n = net(b, e);
                b.slice(n, 0, f.width)
            }
        };
        let (ex, ey) = (operand(b, x), operand(b, y));
        let width = func.insts[inst].result.map_or(1, |r| func.bits(r));
        let out = b.net(name, width);
        // A signed tile takes an unsigned factor with a zero above it: clhls_mul does that.
        b.instance("clhls_mul", &format!("u_{name}"))
            .without_reset()
            .param("WA", x.width)
            .param("WB", y.width)
            .param("SIGNED_A", x.signed)
            .param("SIGNED_B", y.signed)
            .param("WO", width)
            .param("TARGET", rtl::Param::Text(self.cx.target.to_owned()))
            .input("en", Expr::bit(true))
            .input("a", ex)
            .input("b", ey)
            .output("p", out)
            .done();
        out
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

/// A factor: the low bits of an operand, the rest being their extension.
#[derive(Clone, Copy)]
struct Factor {
    operand: Value,
    width: u32,
    signed: bool,
}

fn factor(func: &Function, operand: Value) -> Factor {
    let (source, signed) =
        match func.def_inst(operand).map(|i| (func.insts[i].op, &func.insts[i].args)) {
            Some((Op::Zext, args)) => (args[0], false),
            Some((Op::Sext, args)) => (args[0], true),
            _ => (operand, false),
        };
    let width = match func.as_const(source) {
        Some(c) => (128 - c.leading_zeros()).max(1),
        None => func.bits(source),
    };
    Factor { operand, width, signed }
}

/// The module of an operator unit: inputs `in0..`, outputs `out0..`.
pub fn unit_module(unit: &Unit, module: &str, target: &str) -> rtl::Module {
    let header = vec![
        format!("{}: arithmetic operator.", unit.name),
        format!("latency {}, II 1", unit.timing.latency),
    ];
    let mut b = ModuleBuilder::new(module, header);
    let sources = SourceMap::default();
    let mut timing: SecondaryMap<Inst, OpTiming> = SecondaryMap::new();
    let entry = unit.func.entry();
    for &inst in &unit.func.blocks[entry].insts {
        timing[inst] = unit.inst_timing[inst];
    }
    let cx = Context {
        func: &unit.func,
        place: &unit.place,
        timing: &timing,
        unit_of: &SecondaryMap::new(),
        unit_modules: &FxHashMap::default(),
        target,
        sources: &sources,
    };
    let mut p = Pipeline::new(&cx);
    for (k, &v) in unit.func.blocks[entry].params.iter().enumerate() {
        let n = b.input(&format!("in{k}"), unit.func.bits(v));
        p.enter(v, n);
    }
    for &inst in &unit.func.blocks[entry].insts {
        if let Some(Place::Segment { cycle, .. }) = unit.place[inst] {
            p.inst(&mut b, inst, cycle);
        }
    }
    for (k, &v) in unit.outputs.iter().enumerate() {
        let e = p.at(&mut b, v, unit.timing.latency);
        let n = b.output(&format!("out{k}"), unit.func.bits(v));
        b.assign(n, e);
    }
    b.finish()
}
