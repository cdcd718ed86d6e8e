//! Registers of the AXI4-Lite control interface (`s_axi_control`), byte addresses.
//!
//! The protocol is AMD's `ap_ctrl_hs`, so that XRT drives a kernel without knowing where it came from.

/// Control register.
pub const CTRL: u32 = 0x00;
/// Global interrupt enable, bit 0.
pub const GIE: u32 = 0x04;
/// Interrupt enable: bit 0 done, bit 1 ready.
pub const IER: u32 = 0x08;
/// Interrupt status: bit 0 done, bit 1 ready. Writing 1 toggles a bit.
pub const ISR: u32 = 0x0c;
/// First argument.
pub const ARGS: u32 = 0x10;
/// First byte that arguments cannot use.
pub const ARGS_END: u32 = COUNTER_CYCLES;
/// Clock cycles since the start of the launch, 64 bits, frozen when it is done.
pub const COUNTER_CYCLES: u32 = 0xf00;
/// Work-items that have finished in this launch, 64 bits.
pub const COUNTER_WORK_ITEMS: u32 = 0xf08;
/// Read data beats of all memory ports in this launch, 64 bits.
pub const COUNTER_READ_BEATS: u32 = 0xf10;
/// Write data beats of all memory ports in this launch, 64 bits.
pub const COUNTER_WRITE_BEATS: u32 = 0xf18;
/// Error flags of this launch, 32 bits, 0 = fine.
pub const ERROR_FLAGS: u32 = 0xf20;
/// Address bits of the interface.
pub const ADDRESS_BITS: u32 = 12;

/// Address of the first kernel's registers in packages for XRT's emulation; kernel k's are [`XRT_STRIDE`] * k behind.
pub const XRT_BASE: u64 = 0x180_0000;
/// Room of a kernel's registers there.
pub const XRT_STRIDE: u64 = 0x1_0000;

/// [`CTRL`]: write 1 to start; reads 1 until the launch is done.
pub const CTRL_START: u32 = 1 << 0;
/// [`CTRL`]: the launch is done; cleared by reading.
pub const CTRL_DONE: u32 = 1 << 1;
/// [`CTRL`]: nothing runs; 0 from the cycle in which start is written.
pub const CTRL_IDLE: u32 = 1 << 2;
/// [`CTRL`]: the next launch may be started.
pub const CTRL_READY: u32 = 1 << 3;

/// [`ERROR_FLAGS`]: work-items were still waiting at a barrier when all others had finished: not
/// all work-items of a work-group reached it.
pub const ERROR_BARRIER_INCOMPLETE: u32 = 1 << 0;

/// One register of the fixed part of the map.
#[derive(Debug, Clone, Copy)]
pub struct Register {
    /// Byte address.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Name.
    pub name: &'static str,
    /// Who may do what: `R`, `R/W`, and the side effects.
    pub access: &'static str,
    /// Meaning of its bits.
    pub meaning: &'static str,
}

/// The registers that every kernel has, in address order.
pub const REGISTERS: [Register; 9] = [
    Register {
        offset: CTRL,
        size: 4,
        name: "CTRL",
        access: "R/W",
        meaning: "bit 0 start (write 1; reads 1 until done), bit 1 done (cleared by reading), bit 2 idle, bit 3 ready",
    },
    Register {
        offset: GIE,
        size: 4,
        name: "GIE",
        access: "R/W",
        meaning: "bit 0: interrupts enabled",
    },
    Register {
        offset: IER,
        size: 4,
        name: "IER",
        access: "R/W",
        meaning: "bit 0: interrupt on done, bit 1: on ready",
    },
    Register {
        offset: ISR,
        size: 4,
        name: "ISR",
        access: "R, write 1 toggles",
        meaning: "bit 0: done happened, bit 1: ready happened; set only where IER is set",
    },
    Register {
        offset: COUNTER_CYCLES,
        size: 8,
        name: "CYCLES",
        access: "R",
        meaning: "clock cycles from start to done",
    },
    Register {
        offset: COUNTER_WORK_ITEMS,
        size: 8,
        name: "WORK_ITEMS",
        access: "R",
        meaning: "work-items that have finished",
    },
    Register {
        offset: COUNTER_READ_BEATS,
        size: 8,
        name: "READ_BEATS",
        access: "R",
        meaning: "read data beats on all memory ports",
    },
    Register {
        offset: COUNTER_WRITE_BEATS,
        size: 8,
        name: "WRITE_BEATS",
        access: "R",
        meaning: "write data beats on all memory ports",
    },
    Register {
        offset: ERROR_FLAGS,
        size: 4,
        name: "ERROR",
        access: "R",
        meaning: "0 = fine; bit 0: a barrier was left incomplete",
    },
];
