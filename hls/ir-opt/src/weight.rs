//! Rough weights of operations, in simple integer operations, for decisions about control flow.

use ir::{Function, Inst, Op};

/// Weight of one instruction: 0 for wires and constants.
pub fn of_inst(func: &Function, inst: Inst) -> u32 {
    use Op::*;
    let d = &func.insts[inst];
    match d.op.gradual() {
        Const(_) | Arg { .. } | ObjAddr(_) | WorkItem(..) => 0,
        Zext | Sext | Slice { .. } | Concat | Bitcast | PtrToInt | IntToPtr | BitReverse => 0,
        SpaceCast | FNeg | FAbs | FCopysign => 0,
        VecBuild | VecExtract(_) | VecInsert(_) => 0,
        Shl | LShr | AShr if d.args.get(1).is_some_and(|a| func.as_const(*a).is_some()) => 0,
        Mul => 2,
        UDiv | SDiv | URem | SRem => 10,
        FDiv | FSqrt | FRem => 12,
        Math(_) => 20,
        FMin | FMax | FCmp(_) => 2,
        op if op.is_float_unit() => 4,
        Load(_) | Pipe { .. } => 2,
        Atomic(..) => 4,
        _ => 1,
    }
}

/// Weight of the instructions of a block.
pub fn of_block(func: &Function, block: ir::Block) -> u32 {
    func.blocks[block].insts.iter().map(|i| of_inst(func, *i)).sum()
}
