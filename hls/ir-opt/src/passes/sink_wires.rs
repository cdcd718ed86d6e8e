//! Extensions are repeated where they are used, so that the narrow value travels.

use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::{Block, Function, Inst, Op, Value, ValueDef};

/// Copies each extension (and constant concatenation) into the blocks that use it: what passes
/// from block to block is then the narrower operand.
pub fn run(func: &mut Function) {
    let mut home: SecondaryMap<Inst, Option<Block>> = SecondaryMap::new();
    for &b in &func.layout {
        func.blocks[b].insts.iter().for_each(|i| home[*i] = Some(b));
    }
    for block in func.layout.clone() {
        let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
        let old = std::mem::take(&mut func.blocks[block].insts);
        for inst in old {
            for k in 0..func.insts[inst].args.len() {
                let arg = func.insts[inst].args[k];
                func.insts[inst].args[k] = local(func, &home, block, arg, &mut copies);
            }
            func.blocks[block].insts.push(inst);
        }
        let mut term = std::mem::replace(&mut func.blocks[block].term, ir::Terminator::Unreachable);
        term.map_uses(|v| local(func, &home, block, v, &mut copies));
        func.blocks[block].term = term;
    }
}

/// `value`, or its copy in `block` when it is an extension from elsewhere.
fn local(
    func: &mut Function,
    home: &SecondaryMap<Inst, Option<Block>>,
    block: Block,
    value: Value,
    copies: &mut FxHashMap<Value, Value>,
) -> Value {
    let ValueDef::Inst(inst) = func.values[value].def else { return value };
    let at = home.get(inst).copied().flatten();
    if at.is_none() || at == Some(block) || !matches!(func.insts[inst].op, Op::Zext | Op::Sext) {
        return value;
    }
    if let Some(copy) = copies.get(&value) {
        return *copy;
    }
    let data = func.insts[inst].clone();
    let operand = local(func, home, block, data.args[0], copies);
    let copy = func.make_inst(data.op, [operand], Some(func.ty(value)), data.loc);
    func.blocks[block].insts.push(copy);
    let result = func.insts[copy].result.unwrap_or(value);
    copies.insert(value, result);
    result
}
