//! Switches to a balanced tree of comparisons.

use ir::{Block, BlockCall, Builder, Function, IntCC, Terminator, Value};

/// Replaces every switch: binary search by unsigned comparison, one equality test at each leaf.
pub fn run(func: &mut Function) {
    for block in func.layout.clone() {
        let Terminator::Switch { value, cases, default } = func.blocks[block].term.clone() else {
            continue;
        };
        let mut cases = cases;
        cases.retain(|(_, t)| *t != default);
        cases.sort_by_key(|c| c.0);
        lower(func, block, value, &cases, &default);
    }
}

fn lower(
    func: &mut Function,
    block: Block,
    value: Value,
    cases: &[(u128, BlockCall)],
    default: &BlockCall,
) {
    let loc = func.blocks[block].term_loc;
    let term = match cases {
        [] => Terminator::Jump(default.clone()),
        [(number, target)] => {
            let cond = compare(func, block, IntCC::Eq, value, *number);
            Terminator::Branch { cond, then_: target.clone(), else_: default.clone() }
        }
        _ => {
            let (low, high) = cases.split_at(cases.len() / 2);
            let cond = compare(func, block, IntCC::Ult, value, high[0].0);
            let (low_block, high_block) = (func.add_block(), func.add_block());
            for (b, part) in [(low_block, low), (high_block, high)] {
                func.blocks[b].term_loc = loc;
                lower(func, b, value, part, default);
            }
            Terminator::Branch {
                cond,
                then_: BlockCall::new(low_block, []),
                else_: BlockCall::new(high_block, []),
            }
        }
    };
    func.blocks[block].term = term;
}

fn compare(func: &mut Function, block: Block, cc: IntCC, value: Value, number: u128) -> Value {
    let ty = func.ty(value);
    let loc = func.blocks[block].term_loc;
    let mut b = Builder::at(func, block);
    b.loc = loc;
    let n = b.constant(ty, number);
    b.icmp(cc, value, n)
}
