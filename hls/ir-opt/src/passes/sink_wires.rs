//! Extensions are repeated where they are used, so that the narrow value travels.

use crate::edit;
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::{Block, Function, Op, Value};

/// Copies each extension into the blocks that use it: what passes from block to block is then the narrower operand.
pub fn run(func: &mut Function) {
    let homes = func.homes();
    let mut copies = Copies::default();
    edit::localise(func, |func, block, value| local(func, &homes, block, value, &mut copies));
}

/// What stands for extensions in blocks that did not make them.
type Copies = FxHashMap<(Block, Value), Value>;

/// `value`, or its copy in `block` when it is an extension from elsewhere.
fn local(
    func: &mut Function,
    homes: &SecondaryMap<Value, Option<Block>>,
    block: Block,
    value: Value,
    copies: &mut Copies,
) -> Value {
    let Some(inst) = func.def_inst(value) else { return value };
    let at = homes.get(value).copied().flatten();
    if at.is_none() || at == Some(block) || !matches!(func.insts[inst].op, Op::Zext | Op::Sext) {
        return value;
    }
    if let Some(copy) = copies.get(&(block, value)) {
        return *copy;
    }
    let data = func.insts[inst].clone();
    let operand = local(func, homes, block, data.args[0], copies);
    let copy = func.make_inst(data.op, [operand], Some(func.ty(value)), data.loc);
    func.blocks[block].insts.push(copy);
    let result = func.insts[copy].result.unwrap_or(value);
    copies.insert((block, value), result);
    result
}
