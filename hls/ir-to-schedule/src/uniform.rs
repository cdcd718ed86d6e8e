//! Launch-uniform values: the same for all work-items, so they do not travel with them.

use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Function, Inst, Op, Value, ValueDef};

/// What a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Uniformity {
    /// On the work-item.
    #[default]
    Varying,
    /// On the launch; computed once, before the first work-item.
    Prologue,
    /// On the launch, without any operation.
    Static,
}

/// Uniformity of each instruction.
pub struct Uniform {
    of: SecondaryMap<Inst, Uniformity>,
    /// Prologue instructions in an order in which operands come first.
    pub prologue: Vec<Inst>,
}

impl Uniform {
    /// Classifies the instructions of the reachable blocks.
    pub fn new(func: &Function, cfg: &Cfg) -> Self {
        let mut u = Uniform { of: SecondaryMap::new(), prologue: vec![] };
        for &block in &cfg.rpo {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                let class = match data.op {
                    Op::Const(_) | Op::Arg { .. } | Op::ObjAddr(_) => Uniformity::Static,
                    Op::WorkItem(q, _) if q.is_launch_uniform() => Uniformity::Static,
                    op if op.is_effect() || matches!(op, Op::WorkItem(..)) => Uniformity::Varying,
                    _ if data.args.iter().all(|a| u.is_fixed(func, *a)) => Uniformity::Prologue,
                    _ => Uniformity::Varying,
                };
                u.of[inst] = class;
                if class == Uniformity::Prologue {
                    u.prologue.push(inst);
                }
            }
        }
        u
    }

    /// Class of an instruction.
    pub fn of(&self, inst: Inst) -> Uniformity {
        self.of[inst]
    }

    /// Whether a value is the same for all work-items of a launch.
    pub fn is_fixed(&self, func: &Function, value: Value) -> bool {
        match func.values[value].def {
            ValueDef::Inst(i) => self.of[i] != Uniformity::Varying,
            ValueDef::Param(..) => false,
        }
    }
}
