//! Which values hold NaNs as the rule of docs/arith.md wants them, and which as the processor makes them.
//!
//! A NaN result of arithmetic is the canonical one, but the processor passes payloads on. What a NaN
//! looks like matters only where its bits are seen: in memory, as an integer, under the operations on
//! the sign. So results of arithmetic stay as they are and are put right where they are seen.

use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{FloatKind, Function, Inst, Op, Type, Value};

/// What is known of a float value (of integers: always [`NanClass::Both`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum NanClass {
    /// Its bits are right, and a NaN would be canonical.
    #[default]
    Both,
    /// Its bits are right, of NaNs too.
    Exact,
    /// Right once NaNs are replaced by the canonical one.
    Raw,
    /// Wrong only if a NaN; its definition, applied to the right operands, gives the right bits.
    Derived,
}

impl NanClass {
    /// The class of a value that is one or the other; none when there is none.
    fn join(self, other: NanClass) -> Option<NanClass> {
        use NanClass::*;
        match (self, other) {
            (a, b) if a == b && a != Derived => Some(a),
            (Both, x) | (x, Both) if x != Derived => Some(x),
            _ => None,
        }
    }
}

/// Classes of all values of a function.
pub(crate) struct NanClasses(SecondaryMap<Value, NanClass>);

impl NanClasses {
    /// `lazy`: whether operands of an operation are still at hand where its result is used; if not, no
    /// value is [`NanClass::Derived`].
    pub(crate) fn new(func: &Function, cfg: &Cfg, lazy: bool) -> Self {
        let mut classes = NanClasses(SecondaryMap::new());
        for &param in &func.blocks[func.entry()].params {
            classes.0[param] = NanClass::Exact; // the caller passes what must be seen
        }
        while classes.step(func, cfg, lazy) {}
        classes
    }

    pub(crate) fn of(&self, value: Value) -> NanClass {
        self.0[value]
    }

    fn step(&mut self, func: &Function, cfg: &Cfg, lazy: bool) -> bool {
        let mut changed = false;
        for &block in &cfg.rpo {
            for &inst in &func.blocks[block].insts {
                if let Some(result) = func.insts[inst].result {
                    let class = self.result(func, inst, lazy);
                    changed |= std::mem::replace(&mut self.0[result], class) != class;
                }
            }
            for call in func.blocks[block].term.targets() {
                for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                    let class = self.0[param].join(self.0[arg]).unwrap_or(NanClass::Exact);
                    changed |= std::mem::replace(&mut self.0[param], class) != class;
                }
            }
        }
        changed
    }

    fn result(&self, func: &Function, inst: Inst, lazy: bool) -> NanClass {
        let data = &func.insts[inst];
        let Some(result) = data.result.map(|r| func.ty(r)) else { return NanClass::Both };
        if !result.is_float() {
            return NanClass::Both;
        }
        let of = |k: usize| self.0[data.args[k]];
        let derived = if lazy { NanClass::Derived } else { NanClass::Exact };
        match data.op {
            op if is_native(op, data.args.first().map_or(result, |a| func.ty(*a)), result) => {
                NanClass::Raw
            }
            Op::Const(bits) if !is_nan(result, bits) => NanClass::Both,
            Op::FNeg | Op::FAbs | Op::FCopysign => match of(0) {
                NanClass::Both | NanClass::Exact => NanClass::Exact,
                _ => derived,
            },
            Op::Select => of(1).join(of(2)).unwrap_or(derived),
            Op::VecBuild
            | Op::VecInsert(_)
            | Op::VecExtract(_)
            | Op::VecExtractDyn
            | Op::VecInsertDyn => {
                let floats = data.args.iter().filter(|a| func.ty(**a).is_float());
                let all = floats.map(|a| self.0[*a]).try_fold(NanClass::Both, NanClass::join);
                all.unwrap_or(NanClass::Exact)
            }
            Op::Const(_)
            | Op::Arg { .. }
            | Op::Bitcast
            | Op::Load(_)
            | Op::Atomic(..)
            | Op::Call(_) => NanClass::Exact,
            _ => NanClass::Both,
        }
    }
}

/// Whether the constant is a NaN.
fn is_nan(ty: Type, bits: u128) -> bool {
    match ty.float_kind() {
        Some(FloatKind::F32) => f32::from_bits(bits as u32).is_nan(),
        Some(FloatKind::F64) => f64::from_bits(bits as u64).is_nan(),
        _ => true, // not looked at more closely: their NaNs are always right
    }
}

/// Whether an operation is one of the processor's, whose NaNs are not canonical; other float
/// operations are those of crate `arith`.
pub(crate) fn is_native(op: Op, operand: Type, result: Type) -> bool {
    use FloatKind::{F32, F64};
    let host = |ty: Type| matches!(ty.float_kind(), Some(F32 | F64));
    match op {
        Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::Fma
        | Op::FSqrt
        | Op::FMin
        | Op::FMax
        | Op::FRound(_) => host(result),
        Op::FpToFp(_) if result.float_kind() == Some(F64) => operand.is_float(),
        Op::FpToFp(round) if result.float_kind() == Some(F32) => {
            operand.float_kind() != Some(F64) || round == ir::Rounding::Rte
        }
        _ => false,
    }
}
