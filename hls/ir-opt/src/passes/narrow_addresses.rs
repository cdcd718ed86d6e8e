//! Addresses of 32 bits in kernels for boards whose memory needs no more, whatever the module's pointers have.

use crate::Context;
use crate::bits::slice;
use crate::edit::{self, Step};
use ir::{Builder, Function, Inst, Op, Scalar, Space, Type, Value};

/// Bits of the addresses.
const BITS: u32 = 32;

/// Converts a kernel of 64-bit addresses when the board's memory units keep at most 32 bits of them. Buffers keep their
/// place, so that every pointer into one is its low half; sizes and ids, which are narrower in hardware, are extended to
/// what the kernel computes with. Kernels with generic pointers stay as they are: the space is in the upper bits.
pub fn run(func: &mut Function, context: &Context<'_>) {
    let wanted = context.options.address_bits <= BITS && func.addr_bits == 64;
    if !wanted || func.kernel.is_none() || has_wide_pointers(func) {
        return;
    }
    func.addr_bits = BITS;
    edit::rewrite(func, visit);
}

/// Generic pointers, and vectors of pointers. Those that other passes have replaced (the operands of atomic operations and packets of pipes
/// are generic in SPIR-V) are in no block.
fn has_wide_pointers(func: &Function) -> bool {
    let wide = |v: &Value| match func.ty(*v).space() {
        Some(Space::Generic) => true,
        Some(_) => func.ty(*v).is_vector(),
        None => false,
    };
    func.layout.iter().map(|b| &func.blocks[*b]).any(|block| {
        let made = block.insts.iter().filter_map(|i| func.insts[*i].result);
        block.params.iter().copied().chain(made).any(|v| wide(&v))
    })
}

fn is_pointer(ty: Type) -> bool {
    ty.space().is_some()
}

fn visit(b: &mut Builder<'_>, inst: Inst) -> Step {
    let data = b.func.insts[inst].clone();
    let ty = data.result.map(|r| b.func.ty(r));
    let size = Type::int(BITS);
    match (data.op, ty) {
        (Op::Const(bits), Some(ty)) if is_pointer(ty) => Step::Value(b.constant(ty, bits)),
        (Op::WorkItem(q, _), Some(ty)) if !q.is_i32() => {
            let id = b.value(data.op, [], size);
            Step::Value(b.value(Op::Zext, [id], ty))
        }
        (Op::PtrAdd, Some(ty)) => {
            let offset = low(b, data.args[1]);
            Step::Value(b.value(Op::PtrAdd, [data.args[0], offset], ty))
        }
        (Op::PtrToInt, Some(ty)) => {
            let address = b.value(Op::PtrToInt, [data.args[0]], size);
            Step::Value(b.value(Op::Zext, [address], ty))
        }
        (Op::IntToPtr, Some(ty)) => {
            let address = low(b, data.args[0]);
            Step::Value(b.value(Op::IntToPtr, [address], ty))
        }
        // In memory a pointer keeps its size.
        (Op::Load(_), Some(ty)) if is_pointer(ty) => {
            let word = b.value(data.op, data.args.iter().copied(), Type::int(64));
            let address = low(b, word);
            Step::Value(b.value(Op::IntToPtr, [address], ty))
        }
        (Op::Store(_), None) if is_pointer(b.func.ty(data.args[1])) => {
            let address = b.value(Op::PtrToInt, [data.args[1]], size);
            let word = b.value(Op::Zext, [address], Type::int(64));
            let mut args = data.args.clone();
            args[1] = word;
            b.inst(data.op, args, None);
            Step::Gone
        }
        _ => Step::Keep,
    }
}

/// The low bits of an integer.
fn low(b: &mut Builder<'_>, value: Value) -> Value {
    debug_assert!(matches!(b.func.ty(value).lane().scalar, Scalar::Int(_)));
    slice(b, value, 0, BITS)
}
