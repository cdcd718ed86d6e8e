//! One IR operation as an RTL expression.

use ir::{Function, Inst, IntCC, Op, Space, Type, Value};
use rtl::{Binary, Expr, ModuleBuilder, Net, Unary, WIDEST_AMOUNT};

/// Gives each operand as a net or a constant.
pub type Operand<'a> = &'a mut dyn FnMut(&mut ModuleBuilder, Value) -> Expr;

/// The expression of a combinational operation, or `None` when it is a unit, a product or a
/// table (those are instances).
pub fn expression(
    b: &mut ModuleBuilder,
    func: &Function,
    inst: Inst,
    operand: Operand,
) -> Option<Expr> {
    let data = &func.insts[inst];
    let ty = data.result.map(|r| func.ty(r))?;
    let width = ty.bits(func.addr_bits);
    let mut arg = |b: &mut ModuleBuilder, k: usize| operand(b, data.args[k]);
    let expr = match data.op {
        Op::Const(c) => Expr::Const(width, c),
        Op::Add | Op::PtrAdd => pair(Binary::Add, arg(b, 0), arg(b, 1)),
        Op::Sub => pair(Binary::Sub, arg(b, 0), arg(b, 1)),
        Op::Mul => pair(Binary::Mul, arg(b, 0), arg(b, 1)),
        Op::And => pair(Binary::And, arg(b, 0), arg(b, 1)),
        Op::Or => pair(Binary::Or, arg(b, 0), arg(b, 1)),
        Op::Xor => pair(Binary::Xor, arg(b, 0), arg(b, 1)),
        Op::Shl | Op::LShr | Op::AShr => {
            let (x, amount) = (arg(b, 0), arg(b, 1));
            let op = match data.op {
                Op::Shl => Binary::Shl,
                Op::LShr => Binary::LShr,
                _ => Binary::AShr,
            };
            let amount = short_amount(b, func, data.args[1], amount);
            shift(b, op, x, amount)
        }
        Op::Not => arg(b, 0).not(),
        Op::ICmp(cc) => compare(cc, arg(b, 0), arg(b, 1)),
        Op::Select => {
            let (c, x, y) = (arg(b, 0), arg(b, 1), arg(b, 2));
            c.mux(x, y)
        }
        Op::Zext => {
            let x = arg(b, 0);
            let from = b.expr_width(&x);
            Expr::Concat(vec![Expr::Const(width - from, 0), x])
        }
        Op::Sext => {
            let x = arg(b, 0);
            let n = net(b, x);
            let from = b.width(n);
            let sign = b.slice(n, from - 1, 1);
            Expr::Concat(vec![Expr::Repeat(width - from, Box::new(sign)), n.into()])
        }
        Op::Slice { lo } => {
            let x = arg(b, 0);
            let n = net(b, x);
            b.slice(n, u32::from(lo), width)
        }
        Op::Concat => {
            let (hi, lo) = (arg(b, 0), arg(b, 1));
            Expr::Concat(vec![hi, lo])
        }
        Op::VecBuild => {
            let lanes: Vec<Expr> = (0..data.args.len()).rev().map(|k| arg(b, k)).collect();
            Expr::concat(lanes)
        }
        Op::VecExtract(k) => {
            let x = arg(b, 0);
            let n = net(b, x);
            b.slice(n, u32::from(k) * width, width)
        }
        Op::BitReverse => {
            let x = arg(b, 0);
            let n = net(b, x);
            Expr::concat((0..width).map(|k| b.slice(n, k, 1)).collect())
        }
        Op::Bitcast | Op::PtrToInt | Op::IntToPtr => arg(b, 0),
        Op::SpaceCast => {
            let x = arg(b, 0);
            space_cast(b, func.ty(data.args[0]), ty, x)
        }
        _ => return None,
    };
    Some(expr)
}

/// An expression as a net (a wire is made when it is none).
pub fn net(b: &mut ModuleBuilder, e: Expr) -> Net {
    match e {
        Expr::Net(n) => n,
        other => b.wire("w", other),
    }
}

fn pair(op: Binary, x: Expr, y: Expr) -> Expr {
    Expr::bin(op, x, y)
}

/// An amount wider than [`WIDEST_AMOUNT`] as one of at most 32 bits that shifts alike.
fn short_amount(b: &mut ModuleBuilder, func: &Function, value: Value, amount: Expr) -> Expr {
    let width = b.expr_width(&amount);
    if width <= WIDEST_AMOUNT || matches!(amount, Expr::Const(..)) {
        return amount;
    }
    // Those of arithmetic are extended numbers of a few bits.
    let significant = match func.def_op(value) {
        Some(Op::Zext) => func.def_inst(value).map_or(width, |i| func.bits(func.insts[i].args[0])),
        _ => width,
    };
    let n = net(b, amount);
    let kept = significant.min(32);
    let low = b.slice(n, 0, kept);
    if significant == kept {
        return low;
    }
    let over = any_bit(b.slice(n, kept, significant - kept));
    over.mux(Expr::Const(kept, u128::from(u32::MAX)), low)
}

/// Constant shifts are wires.
fn shift(b: &mut ModuleBuilder, op: Binary, x: Expr, amount: Expr) -> Expr {
    let width = b.expr_width(&x);
    let Expr::Const(_, c) = amount else {
        // Verilog shifts take any amount up to 64 bits; bits above those that can matter only cost logic.
        return Expr::bin(op, x, amount);
    };
    let n = net(b, x);
    let c = u32::try_from(c).unwrap_or(u32::MAX).min(width);
    let sign = b.slice(n, width - 1, 1);
    match (op, c) {
        (_, 0) => n.into(),
        (Binary::AShr, c) if c >= width => Expr::Repeat(width, Box::new(sign)),
        (_, c) if c >= width => Expr::Const(width, 0),
        (Binary::Shl, c) => Expr::Concat(vec![b.slice(n, 0, width - c), Expr::Const(c, 0)]),
        (Binary::AShr, c) => {
            Expr::Concat(vec![Expr::Repeat(c, Box::new(sign)), b.slice(n, c, width - c)])
        }
        (_, c) => Expr::Concat(vec![Expr::Const(c, 0), b.slice(n, c, width - c)]),
    }
}

fn compare(cc: IntCC, x: Expr, y: Expr) -> Expr {
    match cc {
        IntCC::Eq => pair(Binary::Eq, x, y),
        IntCC::Ne => pair(Binary::Ne, x, y),
        IntCC::Ult => pair(Binary::Ult, x, y),
        IntCC::Ule => pair(Binary::Ule, x, y),
        IntCC::Ugt => pair(Binary::Ult, y, x),
        IntCC::Uge => pair(Binary::Ule, y, x),
        IntCC::Slt => pair(Binary::Slt, x, y),
        IntCC::Sle => pair(Binary::Sle, x, y),
        IntCC::Sgt => pair(Binary::Slt, y, x),
        IntCC::Sge => pair(Binary::Sle, y, x),
    }
}

/// The two top bits of a generic pointer tell its space.
fn space_cast(b: &mut ModuleBuilder, from: Type, to: Type, x: Expr) -> Expr {
    let n = net(b, x);
    let width = b.width(n);
    let low = b.slice(n, 0, width - 2);
    match (from.space(), to.space()) {
        (Some(space), Some(Space::Generic)) => {
            let tag = u128::from(ir::op::generic_tag(space));
            let null = Expr::bin(Binary::Eq, n.into(), Expr::Const(width, 0));
            let tagged = Expr::Concat(vec![Expr::Const(2, tag), low]);
            if tag == 0 { n.into() } else { null.mux(Expr::Const(width, 0), tagged) }
        }
        (_, Some(space)) => {
            let tag = u128::from(ir::op::generic_tag(space));
            let here = Expr::bin(Binary::Eq, b.slice(n, width - 2, 2), Expr::Const(2, tag));
            here.mux(Expr::Concat(vec![Expr::Const(2, 0), low]), Expr::Const(width, 0))
        }
        _ => n.into(),
    }
}

/// Or of all bits.
pub fn any_bit(e: Expr) -> Expr {
    Expr::Unary(Unary::ReduceOr, Box::new(e))
}
