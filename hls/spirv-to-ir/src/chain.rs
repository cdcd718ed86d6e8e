//! Access chains: from a type and indices to byte offsets.

use crate::decode::Id;
use crate::errors::{BAD_OPERAND, R, fail};
use crate::types::{Kind, Types};

/// A byte offset: a constant, and indices each times a number of bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Offset {
    /// Constant part in bytes, modulo 2^64.
    pub bytes: u64,
    /// Index operands by position, each with its scale in bytes.
    pub terms: Vec<(usize, u64)>,
}

impl Offset {
    fn add(&mut self, position: usize, index: Option<i128>, scale: u64) {
        match index {
            Some(k) => self.bytes = self.bytes.wrapping_add((k as u64).wrapping_mul(scale)),
            None if scale == 0 => {}
            None => self.terms.push((position, scale)),
        }
    }
}

/// The offset that a chain of `indices` (constants where known) adds to a pointer to `pointee`.
/// With `element`, the first index steps over whole pointees (the `Ptr` variants).
/// `result` is the pointee of the instruction's result.
pub(crate) fn offset(
    types: &Types,
    pointee: Id,
    element: bool,
    indices: &[Option<i128>],
    result: Id,
) -> R<Offset> {
    let mut out = Offset::default();
    let mut at = pointee;
    for (k, &index) in indices.iter().enumerate() {
        if k == 0 && element {
            out.add(k, index, types.get(at)?.size);
            continue;
        }
        match &types.get(at)?.kind {
            Kind::Array { element, stride, .. } => {
                out.add(k, index, *stride);
                at = *element;
            }
            Kind::Vector { element, .. } => {
                out.add(k, index, types.get(*element)?.size);
                at = *element;
            }
            Kind::Struct { members, .. } => {
                let member =
                    index.and_then(|i| usize::try_from(i).ok()).and_then(|i| members.get(i));
                let Some(m) = member else {
                    return fail(
                        BAD_OPERAND,
                        format!(
                            "index {} of an access chain is not a member of structure %{at}",
                            k + 1
                        ),
                    );
                };
                out.bytes = out.bytes.wrapping_add(m.offset);
                at = m.ty;
            }
            _ => return clang_bytes(types, indices, result),
        }
    }
    if same_memory(types, at, result) {
        return Ok(out);
    }
    clang_bytes(types, indices, result)
}

/// clang-22 lowers LLVM's `getelementptr i8, ptr @array, i64 8` to a chain from the array's
/// typed pointer with the indices 0 and 8 and a result pointing to bytes. What the indices
/// select by SPIR-V's rules has another type than the result then; the last index counts
/// elements of the result.
fn clang_bytes(types: &Types, indices: &[Option<i128>], result: Id) -> R<Offset> {
    let mut out = Offset::default();
    if let Some((&last, zeros)) = indices.split_last()
        && zeros.iter().all(|i| *i == Some(0))
    {
        out.add(indices.len() - 1, last, types.get(result)?.size);
        return Ok(out);
    }
    fail(
        BAD_OPERAND,
        "the indices of an access chain select another type than its result points to",
    )
}

/// Whether two types lie in memory alike (ids can differ for equal types; pointees of pointers
/// do not matter).
fn same_memory(types: &Types, a: Id, b: Id) -> bool {
    if a == b {
        return true;
    }
    let (Ok(a), Ok(b)) = (types.get(a), types.get(b)) else { return false };
    match (&a.kind, &b.kind) {
        (Kind::Pointer { .. }, Kind::Pointer { .. }) => true,
        (Kind::Struct { .. }, Kind::Struct { .. }) | (Kind::Array { .. }, Kind::Array { .. }) => {
            a.size == b.size
        }
        (x, y) => x == y,
    }
}
