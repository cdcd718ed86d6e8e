//! What a caller must know of a kernel, from its IR.

use abi::{ArgKind, ElementType, KernelSignature, ScalarType};
use ir::{FloatKind, Function, KernelArgKind, Module, Scalar, Type};

/// Most work-items of a work-group where the kernel does not say.
pub const DEFAULT_WORK_GROUP_SIZE: u32 = 256;

/// Signatures of the kernels of a module, in its order.
pub fn signatures(module: &Module) -> Vec<KernelSignature> {
    let signature = |(_, f): (ir::Func, &Function)| {
        let info = f.kernel.as_ref()?;
        let given = info.max_work_group_size.or(info.reqd_work_group_size);
        let size = given.map(|s| s.iter().fold(1, |p: u32, n| p.saturating_mul(*n)));
        let size = size.unwrap_or(DEFAULT_WORK_GROUP_SIZE);
        let mut signature = schedule_to_rtl::signature(f, module, size);
        complete(&mut signature, module);
        Some(signature)
    };
    module.kernels().filter_map(signature).collect()
}

/// Fills in the element types of values whose type's name does not say it (`size_t`, a typedef, no
/// name at all) from the IR.
pub fn complete(signature: &mut KernelSignature, module: &Module) {
    let Some((_, func)) = module.kernel(&signature.name) else { return };
    let infos = func.kernel.iter().flat_map(|k| &k.args);
    for (arg, info) in signature.args.iter_mut().zip(infos) {
        if arg.kind != ArgKind::Scalar {
            continue;
        }
        // a name that contradicts the size is that of another type
        arg.element = arg.element.filter(|e| e.bytes() == arg.size);
        if let (None, KernelArgKind::Value(Some(ty))) = (arg.element, info.kind) {
            arg.element = element(ty);
        }
    }
}

/// The type of a value; integers of the IR have no sign, so they count as unsigned.
fn element(ty: Type) -> Option<ElementType> {
    let scalar = match ty.scalar {
        Scalar::Int(8) => ScalarType::U8,
        Scalar::Int(16) => ScalarType::U16,
        Scalar::Int(32) => ScalarType::U32,
        Scalar::Int(64) => ScalarType::U64,
        Scalar::Float(FloatKind::F16) => ScalarType::F16,
        Scalar::Float(FloatKind::F32) => ScalarType::F32,
        Scalar::Float(FloatKind::F64) => ScalarType::F64,
        _ => return None,
    };
    Some(ElementType { scalar, lanes: ty.lanes.into() })
}
