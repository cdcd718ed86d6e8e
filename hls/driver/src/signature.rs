//! What a caller must know of a kernel, from its IR.

use abi::KernelSignature;
use ir::{Function, Module};

/// Most work-items of a work-group where the kernel does not say.
pub const DEFAULT_WORK_GROUP_SIZE: u32 = 256;

/// Signatures of the kernels of a module, in its order.
pub fn signatures(module: &Module) -> Vec<KernelSignature> {
    let signature = |(_, f): (ir::Func, &Function)| {
        let info = f.kernel.as_ref()?;
        let size = info.largest_work_group().unwrap_or(DEFAULT_WORK_GROUP_SIZE);
        Some(schedule_to_rtl::signature(f, module, size))
    };
    module.kernels().filter_map(signature).collect()
}
