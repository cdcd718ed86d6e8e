//! Barriers and fences.

use super::Lower;
use crate::decode::Inst;
use crate::errors::R;
use ir::{FenceFlags, Op};
use rspirv::spirv::Scope;

/// Bits of memory semantics (SPIR-V "Memory Semantics").
pub(super) const ACQUIRE: u32 = 0x2 | 0x8 | 0x10;
pub(super) const RELEASE: u32 = 0x4 | 0x8 | 0x10;
const LOCAL: u32 = 0x100;
/// CrossWorkgroupMemory and ImageMemory: images are global memory.
const GLOBAL: u32 = 0x200 | 0x800;

/// The memories that semantics order.
pub(super) fn fence_flags(semantics: u32) -> FenceFlags {
    FenceFlags { local: semantics & LOCAL != 0, global: semantics & GLOBAL != 0 }
}

impl Lower<'_, '_, '_> {
    /// `OpControlBarrier`. LLVM's back end gives `work_group_barrier(flags, scope)` the scope of its memory as that of its
    /// execution, and leaves barriers of sub-groups as calls.
    pub(super) fn control_barrier(&mut self, inst: &Inst) -> R<()> {
        let scope = self.constant_operand(inst, 0)?;
        let semantics = self.chosen_operand(inst, 2)?;
        let flags = semantics.map_or(FenceFlags { local: true, global: true }, fence_flags);
        match Scope::from_u32(scope) {
            Some(Scope::Workgroup | Scope::Device | Scope::CrossDevice) => {
                self.b.barrier(flags);
            }
            Some(Scope::Subgroup | Scope::Invocation) if self.spv.by_llvm => {
                self.b.barrier(flags);
            }
            Some(Scope::Subgroup) => self.sub_group_barrier(flags),
            Some(Scope::Invocation) => {}
            _ => {
                return Err(self.mismatch(
                    inst,
                    &format!("a barrier of scope {scope} does not exist in OpenCL"),
                ));
            }
        }
        Ok(())
    }

    /// `OpMemoryBarrier`
    pub(super) fn memory_barrier(&mut self, inst: &Inst) -> R<()> {
        let scope = self.chosen_operand(inst, 0)?;
        let semantics = self.chosen_operand(inst, 1)?;
        let flags = semantics.map_or(FenceFlags { local: true, global: true }, fence_flags);
        if scope != Some(Scope::Invocation as u32) && flags != FenceFlags::default() {
            self.b.inst(Op::Fence(flags), [], None);
        }
        Ok(())
    }
}
