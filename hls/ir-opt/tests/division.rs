//! Division by every constant of 8 bits, on every dividend: folding against the interpreter.

use ir::{BlockCall, Builder, Function, Op, Terminator, Type, Value};
use ir_opt::{Context, Options};

/// The value of `value` when parameter `x` has the given bits.
fn evaluate(func: &Function, x: Value, bits: u128, value: Value) -> u128 {
    let mut known = vec![None; func.values.len()];
    known[x.as_u32() as usize] = Some(bits);
    for b in &func.layout {
        for i in &func.blocks[*b].insts {
            let get = |v: Value| known[v.as_u32() as usize];
            if let Some(r) = func.insts[*i].result {
                known[r.as_u32() as usize] = ir_opt::consteval::eval_inst(func, *i, get);
            }
        }
    }
    known[value.as_u32() as usize].expect("computed from x")
}

#[test]
fn by_every_constant() {
    let (family, options) = (target::Family::unit(), Options::default());
    let globals = base::entity::PrimaryMap::new();
    let ty = Type::int(8);
    for op in [Op::UDiv, Op::URem, Op::SDiv, Op::SRem] {
        for divisor in 0..256u128 {
            let mut func = Function::new("f", 64);
            func.result = Some(ty);
            let entry = func.add_block();
            let body = func.add_block();
            let start = func.add_param(entry, ty);
            let x = func.add_param(body, ty);
            func.blocks[entry].term = Terminator::Jump(BlockCall::new(body, [start]));
            let mut b = Builder::at(&mut func, body);
            let c = b.constant(ty, divisor);
            let q = b.binary(op, x, c);
            b.ret(Some(q));
            let context = Context::new(&options, &family, 1, &globals);
            ir_opt::passes::fold::run(&mut func, &context);
            let last = func.layout[func.layout.len() - 1];
            let Terminator::Return(Some(result)) = func.blocks[last].term else {
                panic!("no result");
            };
            let body_param = func.blocks[last].params.first().copied();
            let x = body_param.unwrap_or(func.blocks[func.entry()].params[0]);
            for bits in 0..256u128 {
                let want = interp::eval::eval(op, ty, &[(ty, bits), (ty, divisor)], 64, |_| None);
                let got = if result == x { bits } else { evaluate(&func, x, bits, result) };
                assert_eq!(Some(got), want, "{op:?} {bits} by {divisor}");
            }
            let dear = divisor != 0
                && func.layout.iter().flat_map(|b| &func.blocks[*b].insts).any(|i| {
                    matches!(func.insts[*i].op, Op::UDiv | Op::URem | Op::SDiv | Op::SRem)
                });
            assert!(!dear, "{op:?} by {divisor} still divides");
        }
    }
}
