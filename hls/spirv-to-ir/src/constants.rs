//! Constants and specialization constants.

use crate::chain;
use crate::decode::{Id, Inst, spec_op};
use crate::errors::{BAD_ID, BAD_OPERAND, R, error, fail};
use crate::fold;
use crate::lower::image::sampler_bits;
use crate::types::{Kind, Types};
use abi::PipeDescriptor;
use abi::pipe::MOST_PACKET_BYTES;
use base::{FxHashMap, SmallVec, smallvec};
use rspirv::spirv::Op;

/// Most bytes of a pipe of the program, whose contents stand in the module.
const MAX_PIPE: u64 = 16 << 20;

/// The bits of each lane of a scalar or vector.
pub(crate) type Lanes = SmallVec<[u128; 1]>;

/// Value of a constant.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Const {
    /// A scalar or vector of known bits.
    Lanes(Lanes),
    /// An array, structure or vector of other constants.
    Composite(Vec<Id>),
    /// All bits zero, of any type: `OpConstantNull` and `OpUndef`.
    Zero,
    /// Address of a module variable plus bytes, as a pointer or an integer.
    Address { var: Id, addend: i64 },
    /// An `OpSpecConstantOp` that is lowered like an instruction where it is used.
    Expression,
    /// A pipe of the program.
    PipeStorage(PipeDescriptor),
    /// A constant of a type without values here.
    Opaque,
}

/// A constant with its type.
#[derive(Clone, Debug)]
pub(crate) struct ConstInfo {
    pub ty: Id,
    pub value: Const,
}

/// All constants of a module. Variables of the module are here too, as addresses.
#[derive(Default, Debug)]
pub(crate) struct Consts {
    map: FxHashMap<Id, ConstInfo>,
}

impl Consts {
    pub fn get(&self, id: Id) -> Option<&ConstInfo> {
        self.map.get(&id)
    }

    /// Adds a module variable: the constant address of itself.
    pub fn add_variable(&mut self, id: Id, ty: Id) {
        self.map.insert(id, ConstInfo { ty, value: Const::Address { var: id, addend: 0 } });
    }

    /// Adds the constant that `inst` declares. `spec` is the value given for its SpecId.
    pub fn declare(&mut self, inst: &Inst, types: &Types, spec: Option<u64>) -> R<()> {
        let (id, ty) = (inst.result()?, inst.ty()?);
        let value = match inst.op {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let default = matches!(inst.op, Op::ConstantTrue | Op::SpecConstantTrue);
                if types.get(ty)?.kind != Kind::Bool {
                    return Err(inst.malformed("its type is not boolean".into()));
                }
                Const::Lanes(smallvec![u128::from(spec.map_or(default, |s| s != 0))])
            }
            Op::Constant | Op::SpecConstant => {
                Const::Lanes(smallvec![literal(inst, types, ty, spec)?])
            }
            Op::ConstantNull | Op::Undef => {
                types.get(ty)?;
                Const::Zero
            }
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(inst, types, ty)?,
            Op::SpecConstantOp => self.operation(inst, types, ty)?,
            Op::ConstantPipeStorage => Const::PipeStorage(pipe_storage(inst, types, ty)?),
            Op::ConstantSampler => Const::Lanes(smallvec![sampler_bits(inst)?.into()]),
            _ => Const::Opaque,
        };
        self.map.insert(id, ConstInfo { ty, value });
        Ok(())
    }

    fn composite(&self, inst: &Inst, types: &Types, ty: Id) -> R<Const> {
        let parts = inst.args;
        let mut types_of_parts: Vec<Id> = vec![];
        for p in parts {
            match self.get(*p) {
                Some(c) => types_of_parts.push(c.ty),
                None => return fail(BAD_ID, format!("%{p} is used as a constant but is none")),
            }
        }
        let fits = match &types.get(ty)?.kind {
            Kind::Vector { element, lanes } => {
                let ok = parts.len() == usize::from(*lanes)
                    && types_of_parts.iter().all(|t| t == element);
                let lanes: Option<Lanes> = parts.iter().map(|p| self.scalar(*p)).collect();
                if let (true, Some(lanes)) = (ok, lanes) {
                    return Ok(Const::Lanes(lanes));
                }
                ok
            }
            Kind::Array { element, len, .. } => {
                // clang-22 gives pointers of another pointee: same bits, so only sizes count.
                parts.len() as u64 == *len
                    && types_of_parts.iter().all(|t| alike(types, *t, *element))
            }
            Kind::Struct { members, .. } => {
                parts.len() == members.len()
                    && members.iter().zip(&types_of_parts).all(|(m, t)| alike(types, *t, m.ty))
            }
            _ => false,
        };
        if !fits {
            return Err(inst.malformed("its parts do not fit its type".into()));
        }
        Ok(Const::Composite(parts.to_vec()))
    }

    fn operation(&self, inst: &Inst, types: &Types, ty: Id) -> R<Const> {
        let op = spec_op(inst)?;
        let pointer = |k: usize| match op.args.get(k).and_then(|id| self.get(*id)) {
            Some(ConstInfo { ty, value: Const::Address { var, addend } }) => {
                Some((*ty, *var, *addend))
            }
            _ => None,
        };
        if let Some((base_ty, var, addend)) = pointer(0) {
            use Op::*;
            match op.op {
                Bitcast | PtrCastToGeneric | GenericCastToPtr | ConvertPtrToU | ConvertUToPtr
                | CopyObject => return Ok(Const::Address { var, addend }),
                AccessChain | InBoundsAccessChain | PtrAccessChain | InBoundsPtrAccessChain => {
                    let element = matches!(op.op, PtrAccessChain | InBoundsPtrAccessChain);
                    let indices: Vec<_> =
                        op.args[1..].iter().map(|i| self.signed(*i, types)).collect();
                    if indices.iter().any(Option::is_none) {
                        return Err(inst.malformed("an index is not a constant".into()));
                    }
                    let (from, to) = (types.pointee(base_ty)?, types.pointee(ty)?);
                    let offset = chain::offset(types, from, element, &indices, to)?;
                    return Ok(Const::Address {
                        var,
                        addend: addend.wrapping_add(offset.bytes as i64),
                    });
                }
                _ => return Ok(Const::Expression),
            }
        }
        if self.casts_null(&op, types) {
            return Ok(Const::Zero);
        }
        Ok(fold::operation(self, types, &op, ty)?.map_or(Const::Expression, Const::Lanes))
    }

    /// Whether an operation makes another type of a null pointer, which is null in all address spaces.
    fn casts_null(&self, op: &Inst, types: &Types) -> bool {
        use Op::*;
        let casts = matches!(
            op.op,
            Bitcast | PtrCastToGeneric | GenericCastToPtr | ConvertPtrToU | CopyObject
        );
        let operand = op.args.first().and_then(|id| self.get(*id));
        casts
            && operand.is_some_and(|info| {
                let pointer =
                    types.get(info.ty).is_ok_and(|t| matches!(t.kind, Kind::Pointer { .. }));
                info.value == Const::Zero && pointer
            })
    }

    /// The bits of a scalar constant, if known.
    pub fn scalar(&self, id: Id) -> Option<u128> {
        match &self.get(id)?.value {
            Const::Lanes(l) if l.len() == 1 => Some(l[0]),
            Const::Zero => Some(0),
            _ => None,
        }
    }

    /// The lanes of a scalar or vector constant, if known.
    pub fn lanes(&self, id: Id, types: &Types) -> Option<Lanes> {
        let info = self.get(id)?;
        let lanes = usize::from(types.ir(info.ty).ok()?.lanes);
        match &info.value {
            Const::Lanes(l) => Some(l.clone()),
            Const::Zero => Some(smallvec![0; lanes]),
            _ => None,
        }
    }

    /// The value of an integer constant as two's complement of its width, if known.
    pub fn signed(&self, id: Id, types: &Types) -> Option<i128> {
        let bits = self.scalar(id)?;
        match types.get(self.get(id)?.ty).ok()?.kind {
            Kind::Int(w) => Some(ir::builder::sign_extend(bits, w)),
            _ => None,
        }
    }

    /// The value of a constant that must be a known integer.
    pub fn integer(&self, id: Id) -> R<u128> {
        self.scalar(id)
            .ok_or_else(|| error(BAD_OPERAND, format!("%{id} must be a constant integer")))
    }
}

/// `OpConstantPipeStorage`: bytes and alignment of a packet, and how many there are.
fn pipe_storage(inst: &Inst, types: &Types, ty: Id) -> R<PipeDescriptor> {
    if types.get(ty)?.kind != Kind::PipeStorage {
        return Err(inst.malformed("its type is not that of a pipe's storage".into()));
    }
    let (size, align, capacity) = (inst.arg(0)?, inst.arg(1)?, inst.arg(2)?);
    if !align.is_power_of_two() || align > size {
        let what = format!(
            "a pipe for packets of {size} bytes that are aligned to {align} is not possible: the alignment is a power of two, not above the size"
        );
        return fail(BAD_OPERAND, what);
    }
    match PipeDescriptor::new(capacity, size) {
        Some(pipe) if pipe.object_bytes() <= MAX_PIPE => Ok(pipe),
        _ => {
            let what = format!("a pipe for {capacity} packets of {size} bytes is not possible");
            Err(Box::new(error(BAD_OPERAND, what).note(format!(
                "packets have 1 to {MOST_PACKET_BYTES} bytes, and a pipe of the program takes up to {MAX_PIPE} bytes"
            ))))
        }
    }
}

/// Whether two types take the same place in memory.
fn alike(types: &Types, a: Id, b: Id) -> bool {
    a == b
        || matches!((types.get(a), types.get(b)), (Ok(x), Ok(y))
            if x.size == y.size && std::mem::discriminant(&x.kind) == std::mem::discriminant(&y.kind))
}

fn literal(inst: &Inst, types: &Types, ty: Id, spec: Option<u64>) -> R<u128> {
    let width = match &types.get(ty)?.kind {
        Kind::Int(w) => *w,
        Kind::Float(k) => k.bits(),
        _ => return Err(inst.malformed("its type is not a number".into())),
    };
    let words = width.div_ceil(32) as usize;
    if inst.args.len() != words {
        return Err(inst.malformed(format!("a literal of {width} bits has {words} words")));
    }
    let bits = match spec {
        Some(s) => u128::from(s),
        None => literal_bits(inst.args),
    };
    Ok(ir::builder::mask(bits, width))
}

/// A literal of up to 128 bits, low word first.
pub(crate) fn literal_bits(words: &[u32]) -> u128 {
    words.iter().rev().fold(0, |bits, w| bits << 32 | u128::from(*w))
}
