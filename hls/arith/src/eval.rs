//! Native evaluation of operators: the reference that interpreter and hardware are held to.

use crate::bits::Bits;
use crate::float;
use crate::format::Format;
use crate::int;
use crate::native::{Native, Value, Word};
use crate::operator::{Operator, Outputs};
use ir::Rounding::Rte;

/// The first result of `op`. Operands are bit patterns, zero above their widths.
///
/// The operators of common kernels run in a version made for their format; all others take a
/// path that is slower by a small factor.
///
/// # Panics
/// If there are fewer operands than [`Operator::input_widths`] names.
pub fn eval(op: Operator, inputs: &[u128]) -> u128 {
    use Operator::*;
    const F32: Format = Format::F32;
    const F64: Format = Format::F64;
    let narrow = Native::<u64>::new();
    let wide = Native::<u128>::new();
    let n32 = |i: usize| narrow.value(32, inputs[i] as u64);
    let n64 = |i: usize| narrow.value(64, inputs[i] as u64);
    let w64 = |i: usize| wide.value(64, inputs[i]);
    match op {
        FAdd(F32, Rte) => out(float::fadd(&narrow, F32, Rte, n32(0), n32(1))),
        FSub(F32, Rte) => out(float::fsub(&narrow, F32, Rte, n32(0), n32(1))),
        FMul(F32, Rte) => out(float::fmul(&narrow, F32, Rte, n32(0), n32(1))),
        FDiv(F32, Rte) => out(float::fdiv(&narrow, F32, Rte, n32(0), n32(1))),
        Fma(F32, Rte) => out(float::fma(&narrow, F32, Rte, n32(0), n32(1), n32(2))),
        FSqrt(F32, Rte) => out(float::fsqrt(&narrow, F32, Rte, n32(0))),
        FAdd(F64, Rte) => out(float::fadd(&narrow, F64, Rte, n64(0), n64(1))),
        FSub(F64, Rte) => out(float::fsub(&narrow, F64, Rte, n64(0), n64(1))),
        FMul(F64, Rte) => out(float::fmul(&wide, F64, Rte, w64(0), w64(1))),
        FDiv(F64, Rte) => out(float::fdiv(&narrow, F64, Rte, n64(0), n64(1))),
        Fma(F64, Rte) => out(float::fma(&wide, F64, Rte, w64(0), w64(1), w64(2))),
        FSqrt(F64, Rte) => out(float::fsqrt(&narrow, F64, Rte, n64(0))),
        UDiv(32) => out(int::udiv_rem(&narrow, n32(0), n32(1)).quotient),
        URem(32) => out(int::udiv_rem(&narrow, n32(0), n32(1)).remainder),
        SDiv(32) => out(int::sdiv_rem(&narrow, n32(0), n32(1)).quotient),
        SRem(32) => out(int::sdiv_rem(&narrow, n32(0), n32(1)).remainder),
        _ => eval_all(op, inputs)[0],
    }
}

/// All results of `op`, in order.
///
/// # Panics
/// As [`eval`].
pub fn eval_all(op: Operator, inputs: &[u128]) -> Outputs<u128> {
    if op.is_wide() { run(op, inputs, eval_values) } else { run(op, inputs, narrow) }
}

/// All results of `op` with their widths. Not generic, so that the datapaths are compiled once, here.
///
/// # Panics
/// If an operand is missing, or has another width than [`Operator::input_widths`] says.
pub fn eval_values(op: Operator, inputs: &[Value<u128>]) -> Outputs<Value<u128>> {
    op.build(&Native::<u128>::new(), inputs)
}

fn narrow(op: Operator, inputs: &[Value<u64>]) -> Outputs<Value<u64>> {
    op.build(&Native::<u64>::new(), inputs)
}

type Datapath<W> = fn(Operator, &[Value<W>]) -> Outputs<Value<W>>;

fn run<W: Word>(op: Operator, inputs: &[u128], datapath: Datapath<W>) -> Outputs<u128> {
    let b = Native::<W>::new();
    let widths = op.input_widths();
    assert!(inputs.len() >= widths.len(), "{op} lacks operands");
    let values: base::SmallVec<[Value<W>; 3]> =
        widths.iter().zip(inputs).map(|(w, x)| b.constant(*w, *x)).collect();
    datapath(op, &values).into_iter().map(out).collect()
}

#[inline(always)]
fn out<W: Word>(value: Value<W>) -> u128 {
    value.bits.to_u128()
}
