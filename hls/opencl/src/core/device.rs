//! Devices: what they are and what they can do.

use super::compiler;
use super::object::{Header, object};
use crate::sys::NameVersion;
use crate::sys::constants::*;
use target::{Board, Library};

/// Most work-items of a work-group, in all dimensions and in each.
pub const MAX_WORK_GROUP_SIZE: u32 = driver::signature::DEFAULT_WORK_GROUP_SIZE;
/// Work-groups had better have a multiple of so many work-items: as many make a sub-group, and a smaller work-group leaves
/// much of a pipeline empty at each barrier.
pub const WORK_GROUP_MULTIPLE: usize = 16;
/// Bytes of local memory that a work-group can have.
pub const LOCAL_MEMORY: u64 = 32 << 10;
/// Most bytes of all arguments of a kernel.
pub const MAX_PARAMETER_SIZE: usize = 1024;
/// Alignment in bytes of sub-buffers.
pub const BASE_ALIGN: usize = 128;
/// Most bytes of a program-scope variable.
pub const MAX_VARIABLE_SIZE: usize = 64 << 10;
/// Global memory of `emu` and `interp`.
const EMULATOR_MEMORY: u64 = 4 << 30;
/// Global memory of a board is not larger than this in simulation: it is memory of the host.
const MOST_SIMULATED_MEMORY: u64 = 4 << 30;

/// What a device runs kernels on.
#[derive(Debug, Clone)]
pub enum DeviceKind {
    /// The kernels as native code.
    Emulator,
    /// The kernels' IR, with every access checked.
    Interpreter,
    /// Simulation of the kernels' hardware, built for a board.
    Simulator(Box<Board>),
}

/// A device.
#[derive(Debug)]
#[repr(C)]
pub struct Device {
    header: Header,
    /// `emu`, `sim:u250`
    pub name: String,
    /// What it runs kernels on.
    pub kind: DeviceKind,
}

object!(Device, CL_INVALID_DEVICE);

impl Device {
    /// The device with a name as in `CLHLS_DEVICES`.
    ///
    /// # Errors
    /// What names there are.
    pub fn new(name: &str) -> Result<Self, String> {
        let device = |kind| Ok(Device { header: Header::new(), name: name.to_owned(), kind });
        match name {
            "emu" => return device(DeviceKind::Emulator),
            "interp" => return device(DeviceKind::Interpreter),
            _ => {}
        }
        let library = Library::builtin();
        let Some(board) = name.strip_prefix("sim:") else {
            let boards = library.boards().join(", sim:");
            return Err(format!(
                "there is no device `{name}`: there are emu, interp, sim:{boards}"
            ));
        };
        let board = library.board(board).map_err(|e| e.to_string())?;
        device(DeviceKind::Simulator(Box::new(board)))
    }

    /// `CL_DEVICE_TYPE`
    pub fn device_type(&self) -> u64 {
        match self.kind {
            DeviceKind::Emulator | DeviceKind::Interpreter => CL_DEVICE_TYPE_CPU,
            DeviceKind::Simulator(_) => CL_DEVICE_TYPE_ACCELERATOR,
        }
    }

    /// Whether kernels use the host's addresses, so that shared virtual memory works.
    pub fn shares_addresses(&self) -> bool {
        match &self.kind {
            DeviceKind::Emulator | DeviceKind::Interpreter => true,
            DeviceKind::Simulator(board) => board.memory.address_bits >= 48,
        }
    }

    /// `CL_DEVICE_SVM_CAPABILITIES`
    pub fn svm_capabilities(&self) -> u64 {
        if self.shares_addresses() { CL_DEVICE_SVM_COARSE_GRAIN_BUFFER } else { 0 }
    }

    /// Whether it can run functions of the host.
    pub fn runs_native_kernels(&self) -> bool {
        matches!(self.kind, DeviceKind::Emulator | DeviceKind::Interpreter)
    }

    /// Bytes of global memory.
    pub fn global_memory(&self) -> u64 {
        match &self.kind {
            DeviceKind::Emulator | DeviceKind::Interpreter => EMULATOR_MEMORY,
            DeviceKind::Simulator(board) => board.memory.global_bytes.min(MOST_SIMULATED_MEMORY),
        }
    }

    /// Most bytes of a memory object.
    pub fn max_allocation(&self) -> u64 {
        self.global_memory() / 4
    }

    /// Clock frequency in MHz.
    pub fn clock_mhz(&self) -> u32 {
        match &self.kind {
            // what generated hardware reaches on a large device; the emulator has no clock
            DeviceKind::Emulator | DeviceKind::Interpreter => 300,
            DeviceKind::Simulator(board) => board.default_clock_mhz,
        }
    }

    /// Name for people.
    pub fn title(&self) -> String {
        match &self.kind {
            DeviceKind::Emulator => "emu: clhls emulator".to_owned(),
            DeviceKind::Interpreter => "interp: clhls interpreter".to_owned(),
            DeviceKind::Simulator(board) => {
                format!("{}: clhls simulated hardware for {}", self.name, board.title)
            }
        }
    }
}

/// `CL_DEVICE_PIPE_MAX_PACKET_SIZE`
pub const MOST_PACKET_BYTES: u32 = 1024;
/// `CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS`: there is no limit but that of the pipe's packets.
pub const MOST_RESERVATIONS: u32 = 1024;

/// `CL_DEVICE_MAX_NUM_SUB_GROUPS`: of the size that sub-groups have where a kernel does not ask for another one.
pub const MOST_SUB_GROUPS: u32 = MAX_WORK_GROUP_SIZE / spirv_to_ir::SUB_GROUP_SIZE;

/// `CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE`: as much as the records of one launch can have.
pub const MOST_DEVICE_QUEUE_SIZE: u32 = abi::enqueue::RECORD_BYTES as u32;
/// `CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE`
pub const DEVICE_QUEUE_SIZE: u32 = 256 << 10;
/// `CL_DEVICE_MAX_ON_DEVICE_QUEUES`: there is no limit but that of memory.
pub const MOST_DEVICE_QUEUES: u32 = 16;

/// Extensions that every device has, with their versions.
pub fn extensions() -> Vec<NameVersion> {
    let names = [
        "cl_ext_float_atomics",
        "cl_khr_3d_image_writes",
        "cl_khr_byte_addressable_store",
        "cl_khr_create_command_queue",
        "cl_khr_depth_images",
        "cl_khr_expect_assume",
        "cl_khr_extended_versioning",
        "cl_khr_fp16",
        "cl_khr_fp64",
        "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics",
        "cl_khr_icd",
        "cl_khr_il_program",
        "cl_khr_image2d_from_buffer",
        "cl_khr_int64_base_atomics",
        "cl_khr_int64_extended_atomics",
        "cl_khr_integer_dot_product",
        "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics",
        "cl_khr_mipmap_image",
        "cl_khr_mipmap_image_writes",
        "cl_khr_spirv_linkonce_odr",
        "cl_khr_spirv_no_integer_wrap_decoration",
        "cl_khr_srgb_image_writes",
        "cl_khr_subgroup_ballot",
        "cl_khr_subgroup_clustered_reduce",
        "cl_khr_subgroup_extended_types",
        "cl_khr_subgroup_non_uniform_arithmetic",
        "cl_khr_subgroup_non_uniform_vote",
        "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_shuffle_relative",
        "cl_khr_suggested_local_work_size",
    ];
    let version = |name: &str| if name == "cl_khr_integer_dot_product" { 2 } else { 1 };
    names.iter().map(|name| NameVersion::new(name, version(name), 0, 0)).collect()
}

/// Names of the extensions, separated by spaces.
pub fn extension_names() -> String {
    names(&extensions()).join(" ")
}

/// Optional features of OpenCL C 3.0 that devices have.
pub fn features() -> Vec<NameVersion> {
    // sources with blocks need a compiler that can take them
    let enqueue = compiler::takes_blocks().then_some("__opencl_c_device_enqueue");
    let names = [
        "__opencl_c_3d_image_writes",
        "__opencl_c_atomic_order_acq_rel",
        "__opencl_c_atomic_order_seq_cst",
        "__opencl_c_atomic_scope_all_devices",
        "__opencl_c_atomic_scope_device",
        "__opencl_c_ext_fp32_global_atomic_add",
        "__opencl_c_ext_fp32_global_atomic_min_max",
        "__opencl_c_ext_fp32_local_atomic_add",
        "__opencl_c_ext_fp32_local_atomic_min_max",
        "__opencl_c_ext_fp64_global_atomic_add",
        "__opencl_c_ext_fp64_global_atomic_min_max",
        "__opencl_c_ext_fp64_local_atomic_add",
        "__opencl_c_ext_fp64_local_atomic_min_max",
        "__opencl_c_fp64",
        "__opencl_c_generic_address_space",
        "__opencl_c_images",
        "__opencl_c_int64",
        "__opencl_c_integer_dot_product_input_4x8bit",
        "__opencl_c_integer_dot_product_input_4x8bit_packed",
        "__opencl_c_pipes",
        "__opencl_c_program_scope_global_variables",
        "__opencl_c_subgroups",
        "__opencl_c_work_group_collective_functions",
        "__opencl_c_read_write_images",
    ];
    names.into_iter().chain(enqueue).map(|name| NameVersion::new(name, 3, 0, 0)).collect()
}

/// The names alone.
pub fn names(all: &[NameVersion]) -> Vec<&str> {
    let text = |n: &'_ NameVersion| n.name.iter().position(|b| *b == 0).unwrap_or(n.name.len());
    all.iter().map(|n| std::str::from_utf8(&n.name[..text(n)]).unwrap_or_default()).collect()
}
