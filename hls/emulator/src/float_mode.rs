//! The processor's modes for floating point while kernels run.
//!
//! Host programs may have changed rounding or may flush subnormal numbers (libraries built with `-ffast-math` do that
//! for the whole process). Kernels round to nearest even and keep subnormal numbers.

/// Sets the usual modes on this thread; what was there before comes back when it is dropped.
pub(crate) struct FloatMode {
    before: Mode,
}

impl FloatMode {
    pub(crate) fn usual() -> Self {
        let before = read();
        if before != USUAL {
            write(USUAL);
        }
        FloatMode { before }
    }
}

impl Drop for FloatMode {
    fn drop(&mut self) {
        if self.before != USUAL {
            write(self.before);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod processor {
    use std::arch::asm;

    /// The register MXCSR, without the flags that record what has happened.
    pub(super) type Mode = u32;
    /// All exceptions masked, to nearest even, subnormal numbers as they are.
    pub(super) const USUAL: Mode = 0x1f80;
    const FLAGS: u32 = 0x3f;

    pub(super) fn read() -> Mode {
        let mut mode = 0u32;
        // SAFETY: stores four bytes into the variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack, preserves_flags)) };
        mode & !FLAGS
    }

    pub(super) fn write(mode: Mode) {
        // SAFETY: loads four bytes, a value that the register had or its usual one; exceptions stay masked in the
        // usual one, and who has unmasked them before gets that back.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags, readonly));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod processor {
    use std::arch::asm;

    /// The register FPCR.
    pub(super) type Mode = u64;
    /// No exceptions, to nearest even, subnormal numbers and NaNs as they are.
    pub(super) const USUAL: Mode = 0;

    pub(super) fn read() -> Mode {
        let mode;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) mode, options(nostack, nomem, preserves_flags)) };
        mode
    }

    pub(super) fn write(mode: Mode) {
        // SAFETY: writes a value that the register had or its usual one.
        unsafe { asm!("msr fpcr, {}", in(reg) mode, options(nostack, nomem, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod processor {
    /// Modes are not known: they are taken to be the usual ones.
    pub(super) type Mode = ();
    pub(super) const USUAL: Mode = ();

    pub(super) fn read() -> Mode {}

    pub(super) fn write(_: Mode) {}
}

use processor::{Mode, USUAL, read, write};

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_callers_modes_come_back() {
        const FLUSHING: Mode = 0x9fc0;
        write(FLUSHING);
        {
            let _mode = FloatMode::usual();
            assert_eq!(read(), USUAL);
        }
        let after = read();
        write(USUAL);
        assert_eq!(after, FLUSHING);
    }
}
