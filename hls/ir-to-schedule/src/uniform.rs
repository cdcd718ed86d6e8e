//! Launch-uniform values: the same for all work-items, so they do not travel with them.

use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Block, Function, Inst, Op, Value, ValueDef};

/// Bits of what is loaded before the first work-item: each is a register.
const MOST_FETCHED_BITS: u32 = 1 << 13;

/// What a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Uniformity {
    /// On the work-item.
    #[default]
    Varying,
    /// On the launch; loaded once, before the first work-item.
    Fetched,
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
    /// Classifies the instructions of the reachable blocks. `may_fetch` tells loads that read the
    /// same for all work-items if their addresses are the same.
    pub fn new(func: &Function, cfg: &Cfg, may_fetch: &dyn Fn(Block, Inst) -> bool) -> Self {
        let mut u = Uniform { of: SecondaryMap::new(), prologue: vec![] };
        // Values that come, at last, from memory: no load may need another one.
        let mut late: SecondaryMap<Inst, bool> = SecondaryMap::new();
        let mut room = MOST_FETCHED_BITS;
        for &block in &cfg.rpo {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                let from = |v: &Value| func.def_inst(*v);
                late[inst] = data.args.iter().filter_map(from).any(|d| late[d]);
                let bits = data.result.map_or(0, |r| func.bits(r));
                let class = match data.op {
                    Op::Const(_) | Op::Arg { .. } | Op::ObjAddr(_) => Uniformity::Static,
                    Op::WorkItem(q, _) if q.is_launch_uniform() => Uniformity::Static,
                    Op::Load(_)
                        if may_fetch(block, inst)
                            && !late[inst]
                            && bits <= room
                            && u.is_fixed(func, data.args[0]) =>
                    {
                        room -= bits;
                        late[inst] = true;
                        Uniformity::Fetched
                    }
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
