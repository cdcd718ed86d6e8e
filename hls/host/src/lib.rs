//! Devices, buffers and launches; knows no compiler: it ships to the board.
//!
//! * [`Device`]: something that runs kernels: the interpreter, simulated hardware, a real card.
//! * [`NdRange`]: the index space of a launch, checked by OpenCL's rules.
//! * [`Value`]: argument values as text (`rand:f32[1024]:1`, `@a.npy`, `3`), specified in `docs/launches.md`.
//! * [`LoadedProgram`]: a program on a device that works on the host's memory, for the OpenCL library.
//! * [`print`]: the text of `printf`.
//! * [`enqueue`]: kernels that kernels enqueue.
//! * [`run`]: all of it in one call: allocate, fill, launch, read back.

mod bind;
mod device;
pub mod enqueue;
mod error;
mod image_value;
mod loaded;
mod ndrange;
mod pipe_value;
pub mod print;
mod run;
pub mod value;

pub use bind::{BoundArg, bind, bind_all};
pub use device::{
    BufferId, Device, HardwareStats, LaunchArg, LaunchStats, Start, check_args, find_kernel,
};
pub use error::{Error, ErrorKind};
pub use image_value::ImageValue;
pub use loaded::{
    LoadedProgram, MemoryRegion, PAGE, Progress, RawArg, check_raw_arg, check_raw_args,
    not_connected,
};
pub use ndrange::{NdRange, ResolvedRange};
pub use pipe_value::PipeValue;
pub use print::Printed;
pub use run::{Request, RunResult, run, run_together};
pub use value::{Array, Value};
