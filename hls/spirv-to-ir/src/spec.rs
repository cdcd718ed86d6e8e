//! Which specialization constants a module has.

use crate::Options;
use crate::constants::{Const, ConstInfo};
use crate::decode::{self, Id};
use crate::module::{self, Spv};
use crate::types::Kind;
use base::SourceMap;
use ir::FloatKind;
use rspirv::spirv::Op;

/// A constant of a module that can be given another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its SpecId.
    pub id: u32,
    /// Its name in the module; empty if it has none.
    pub name: String,
    /// What its values are.
    pub ty: SpecType,
    /// Bits of the value that it has by itself.
    pub default: u64,
}

/// Type of a specialization constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecType {
    /// 0 or 1.
    Bool,
    /// An integer of so many bits, without a sign of its own.
    Int(u32),
    /// A floating-point number.
    Float(FloatKind),
}

impl std::fmt::Display for SpecType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SpecType::Bool => write!(f, "bool"),
            SpecType::Int(bits) => write!(f, "i{bits}"),
            SpecType::Float(kind) => write!(f, "f{}", kind.bits()),
        }
    }
}

/// The specialization constants of a module, by SpecId. `options` are those that it will be read with.
///
/// # Errors
/// As [`read`](crate::read).
pub fn spec_constants(bytes: &[u8], options: &Options) -> base::Result<Vec<SpecConstant>> {
    // No value is given: those are what the caller wants to know more of.
    let options = Options { spec_constants: vec![], ..options.clone() };
    let words = decode::words(bytes).map_err(|e| *e)?;
    let spv = module::read(&words, &options, &mut SourceMap::default()).map_err(|e| *e)?;
    let mut all = vec![];
    for inst in &spv.insts {
        if matches!(inst.op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse) {
            all.extend(inst.result.and_then(|id| described(&spv, id)));
        }
    }
    all.sort_by_key(|c| c.id);
    // One number for several constants is one constant to who gives values.
    all.dedup_by_key(|c| c.id);
    Ok(all)
}

/// What is known of a constant, if it has a SpecId.
fn described(spv: &Spv<'_>, id: Id) -> Option<SpecConstant> {
    let number = spv.deco.of(id).spec_id?;
    let ConstInfo { ty, value: Const::Lanes(lanes) } = spv.consts.get(id)? else { return None };
    let ty = match spv.types.get(*ty).ok()?.kind {
        Kind::Bool => SpecType::Bool,
        Kind::Int(bits) => SpecType::Int(bits),
        Kind::Float(kind) => SpecType::Float(kind),
        _ => return None,
    };
    let name = spv.names.get(&id).cloned().unwrap_or_default();
    Some(SpecConstant { id: number, name, ty, default: *lanes.first()? as u64 })
}
