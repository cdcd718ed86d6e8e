//! What the tests of whole kernels share.

use clhls_ir_to_schedule::{Options, Scheduler};

/// Options for small kernels: a bus of 8 bytes, work-groups of 8, memory that answers after 100 cycles.
pub fn options(clock_mhz: f64, scheduler: &dyn Scheduler) -> Options<'_> {
    Options {
        clock_mhz,
        scheduler,
        default_work_group_size: 8,
        memory_latency: 100,
        bus_bytes: 8,
        local_arg_bytes: 64,
        memory_ports: 1,
        work_items: clhls_ir_to_schedule::WORK_ITEMS,
        small_division: false,
        image_cache_bytes: None,
        interval: 1,
        private_memory_bits: 1 << 21,
        replica_blocks: 64,
    }
}
