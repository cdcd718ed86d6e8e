//! Devices.

use super::functions;
use super::info::{Place, put_list};
use crate::core::Status;
use crate::core::compiler;
use crate::core::device::*;
use crate::core::event::now;
use crate::core::image;
use crate::core::object::{self, find};
use crate::core::platform::{Platform, handle as platform_handle, platform};
use crate::sys::constants::*;
use crate::sys::types::{cl_device_id, cl_platform_id, version};
use crate::sys::{Handle, NameVersion, Ptr};
use std::ffi::c_void;
use std::sync::Arc;

/// Bytes of the buffer that kernels print to.
const PRINT_BYTES: usize = abi::print::BUFFER_BYTES as usize;

/// What devices say of atomic operations on floats (`cl_ext_float_atomics`), which headers of distributions do not have yet.
mod float_atomics {
    pub const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4231;
    pub const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4232;
    pub const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4233;
    /// Loads, stores and exchanges (bit 0), sums (1), least and greatest (2) of global memory.
    const GLOBAL: u64 = 0b111;
    /// The same of local memory as well.
    pub const CAPABILITIES: u64 = GLOBAL | GLOBAL << 16;
}

/// Devices of the types asked for.
///
/// # Errors
/// `CL_INVALID_DEVICE_TYPE`
pub(super) fn of_type(platform: &Platform, device_type: u64) -> Status<Vec<Arc<Device>>> {
    let known = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    if device_type == 0 || device_type != CL_DEVICE_TYPE_ALL && device_type & !known != 0 {
        return Err(CL_INVALID_DEVICE_TYPE);
    }
    let default = device_type != CL_DEVICE_TYPE_ALL && device_type & CL_DEVICE_TYPE_DEFAULT != 0;
    let wanted = |k: usize, d: &Device| d.device_type() & device_type != 0 || default && k == 0;
    let devices = platform.devices.iter().enumerate().filter(|(k, d)| wanted(*k, d));
    Ok(devices.map(|(_, d)| Arc::clone(d)).collect())
}

fn float_config(name: u32) -> u64 {
    let all = CL_FP_DENORM
        | CL_FP_INF_NAN
        | CL_FP_ROUND_TO_NEAREST
        | CL_FP_ROUND_TO_ZERO
        | CL_FP_ROUND_TO_INF
        | CL_FP_FMA;
    match name {
        CL_DEVICE_SINGLE_FP_CONFIG => all | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
        _ => all,
    }
}

fn opencl_c_versions() -> Vec<NameVersion> {
    let name = |(major, minor)| NameVersion::new("OpenCL C", major, minor, 0);
    [(1, 0), (1, 1), (1, 2), (3, 0)].into_iter().map(name).collect()
}

/// Versions of SPIR-V that the devices read.
fn il_versions() -> Vec<NameVersion> {
    (0..=6).map(|minor| NameVersion::new("SPIR-V", 1, minor, 0)).collect()
}

/// Names as text and limits in bytes and units.
fn describe(device: &Device, name: u32, place: Place) -> Status {
    match name {
        CL_DEVICE_TYPE => place.put(device.device_type()),
        CL_DEVICE_VENDOR_ID => place.put(0u32),
        CL_DEVICE_NAME => place.put(device.title()),
        CL_DEVICE_VENDOR => place.put("clhls"),
        CL_DRIVER_VERSION => place.put(env!("CARGO_PKG_VERSION")),
        CL_DEVICE_PROFILE => place.put("FULL_PROFILE"),
        CL_DEVICE_VERSION => place.put(concat!("OpenCL 3.0 clhls ", env!("CARGO_PKG_VERSION"))),
        CL_DEVICE_NUMERIC_VERSION => place.put(version(3, 0, 0)),
        CL_DEVICE_OPENCL_C_VERSION => place.put("OpenCL C 1.2 clhls"),
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => place.put(version(1, 2, 0)),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => place.put(opencl_c_versions()),
        CL_DEVICE_OPENCL_C_FEATURES => place.put(features()),
        CL_DEVICE_EXTENSIONS => place.put(extension_names()),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => place.put(extensions()),
        CL_DEVICE_IL_VERSION => place
            .put("SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6"),
        CL_DEVICE_ILS_WITH_VERSION => place.put(il_versions()),
        CL_DEVICE_BUILT_IN_KERNELS => place.put(""),
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => place.put(Vec::<NameVersion>::new()),
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => place.put("v0000-01-01-00"),
        CL_DEVICE_PLATFORM => place.put(platform_handle()),
        CL_DEVICE_PARENT_DEVICE => place.put(Handle::NULL),
        CL_DEVICE_REFERENCE_COUNT => place.put(1u32),
        CL_DEVICE_AVAILABLE => place.put(true),
        CL_DEVICE_COMPILER_AVAILABLE | CL_DEVICE_LINKER_AVAILABLE => {
            place.put(compiler::is_available())
        }
        CL_DEVICE_MAX_CLOCK_FREQUENCY => place.put(device.clock_mhz()),
        CL_DEVICE_ADDRESS_BITS => place.put(64u32),
        CL_DEVICE_ENDIAN_LITTLE => place.put(true),
        CL_DEVICE_SVM_CAPABILITIES => place.put(device.svm_capabilities()),
        CL_DEVICE_EXECUTION_CAPABILITIES => {
            let native = if device.runs_native_kernels() { CL_EXEC_NATIVE_KERNEL } else { 0 };
            place.put(CL_EXEC_KERNEL | native)
        }
        _ => limits(device, name, place),
    }
}

fn limits(device: &Device, name: u32, place: Place) -> Status {
    let group = MAX_WORK_GROUP_SIZE as usize;
    match name {
        CL_DEVICE_MAX_COMPUTE_UNITS => place.put(1u32),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => place.put(3u32),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => place.put([group; 3]),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => place.put(group),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => place.put(MOST_SUB_GROUPS),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => place.put(WORK_GROUP_MULTIPLE),
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT
        | CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT
        | CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => place.put(true),
        CL_DEVICE_GLOBAL_MEM_SIZE => place.put(device.global_memory()),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE | CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => {
            place.put(device.max_allocation())
        }
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => place.put(CL_NONE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => place.put(0u32),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => place.put(0u64),
        CL_DEVICE_LOCAL_MEM_TYPE => place.put(CL_LOCAL),
        CL_DEVICE_LOCAL_MEM_SIZE => place.put(LOCAL_MEMORY),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => place.put(MAX_VARIABLE_SIZE),
        CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => place.put(MAX_VARIABLE_SIZE),
        CL_DEVICE_MAX_CONSTANT_ARGS => place.put(64u32),
        CL_DEVICE_MAX_PARAMETER_SIZE => place.put(MAX_PARAMETER_SIZE),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => place.put(8 * BASE_ALIGN as u32),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => place.put(BASE_ALIGN as u32),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => place.put(false),
        CL_DEVICE_HOST_UNIFIED_MEMORY => place.put(true),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => place.put(1usize),
        CL_DEVICE_PRINTF_BUFFER_SIZE => place.put(PRINT_BYTES),
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => place.put(true),
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
            place.put(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
        }
        CL_DEVICE_SINGLE_FP_CONFIG | CL_DEVICE_DOUBLE_FP_CONFIG | CL_DEVICE_HALF_FP_CONFIG => {
            place.put(float_config(name))
        }
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES | CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
            let fence = name == CL_DEVICE_ATOMIC_FENCE_CAPABILITIES;
            let item = if fence { CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM } else { 0 };
            place.put(
                CL_DEVICE_ATOMIC_ORDER_RELAXED
                    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
                    | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
                    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                    | CL_DEVICE_ATOMIC_SCOPE_DEVICE
                    | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES
                    | item,
            )
        }
        float_atomics::CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
        | float_atomics::CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => {
            place.put(float_atomics::CAPABILITIES)
        }
        float_atomics::CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => place.put(0u64),
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => place.put(0u32),
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR => place.put(
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_PACKED_KHR
                | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_KHR,
        ),
        // six flags each: nothing is faster than what it is made of
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR
        | CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4X8BIT_PACKED_KHR => {
            place.put([0u32; 6])
        }
        _ => vectors(name, place),
    }
}

fn vectors(name: u32, place: Place) -> Status {
    match name {
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => place.put(1u32),
        _ => images(name, place),
    }
}

fn images(name: u32, place: Place) -> Status {
    match name {
        CL_DEVICE_IMAGE_SUPPORT => place.put(true),
        CL_DEVICE_MAX_READ_IMAGE_ARGS => place.put(128u32),
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => place.put(64u32),
        CL_DEVICE_MAX_SAMPLERS => place.put(16u32),
        CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => place.put(image::MAX_2D),
        CL_DEVICE_IMAGE3D_MAX_WIDTH
        | CL_DEVICE_IMAGE3D_MAX_HEIGHT
        | CL_DEVICE_IMAGE3D_MAX_DEPTH => place.put(image::MAX_3D),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => place.put(image::MAX_BUFFER),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => place.put(image::MAX_LAYERS),
        // both in texels, the least of which is a byte
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT => place.put(1u32),
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => place.put(image::TEXEL_ALIGN as u32),
        _ => pipes(name, place),
    }
}

fn pipes(name: u32, place: Place) -> Status {
    match name {
        CL_DEVICE_PIPE_SUPPORT => place.put(true),
        CL_DEVICE_MAX_PIPE_ARGS => place.put(16u32),
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => place.put(MOST_RESERVATIONS),
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => place.put(MOST_PACKET_BYTES),
        _ => device_queues(name, place),
    }
}

fn device_queues(name: u32, place: Place) -> Status {
    match name {
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
            place.put(CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT)
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => {
            place.put(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => place.put(DEVICE_QUEUE_SIZE),
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => place.put(MOST_DEVICE_QUEUE_SIZE),
        CL_DEVICE_MAX_ON_DEVICE_QUEUES => place.put(MOST_DEVICE_QUEUES),
        CL_DEVICE_MAX_ON_DEVICE_EVENTS => place.put(abi::enqueue::EVENTS),
        _ => absent(name, place),
    }
}

/// What devices do not have: sub-groups that go on without the others of their work-group, parts.
fn absent(name: u32, place: Place) -> Status {
    match name {
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => place.put(false),
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => place.put(0u64),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => place.put(0u32),
        CL_DEVICE_PARTITION_PROPERTIES => place.put([0isize]),
        CL_DEVICE_PARTITION_TYPE => place.put(Vec::<isize>::new()),
        _ => Err(CL_INVALID_VALUE),
    }
}

functions! {
    fn clGetDeviceIDs(
        handle: cl_platform_id,
        device_type: u64,
        num_entries: u32,
        devices: Ptr<cl_device_id>,
        num_devices: Ptr<u32>,
    ) {
        super::platform::check(handle)?;
        let found = of_type(platform(), device_type)?;
        let handles: Vec<Handle> = found.iter().map(object::handle).collect();
        let nothing = devices.is_null() && num_devices.is_null();
        if handles.is_empty() && !nothing && (devices.is_null() || num_entries > 0) {
            num_devices.set(0);
            return Err(CL_DEVICE_NOT_FOUND);
        }
        put_list(&handles, num_entries, devices, num_devices)
    }

    fn clGetDeviceInfo(
        device: cl_device_id,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let device = find::<Device>(device)?;
        describe(&device, name, Place { size, value, size_ret })
    }

    fn clCreateSubDevices(
        device: cl_device_id,
        _properties: Ptr<isize>,
        _num_devices: u32,
        _out_devices: Ptr<cl_device_id>,
        _num_devices_ret: Ptr<u32>,
    ) {
        find::<Device>(device)?;
        // no device can be parted
        Err(CL_INVALID_VALUE)
    }

    // devices that are no parts of others last as long as the library
    fn clRetainDevice(device: cl_device_id) {
        find::<Device>(device).map(drop)
    }

    fn clReleaseDevice(device: cl_device_id) {
        find::<Device>(device).map(drop)
    }

    fn clGetDeviceAndHostTimer(device: cl_device_id, on_device: Ptr<u64>, on_host: Ptr<u64>) {
        find::<Device>(device)?;
        if on_device.is_null() || on_host.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let time = now();
        on_device.set(time);
        on_host.set(time);
        Ok(())
    }

    fn clGetHostTimer(device: cl_device_id, on_host: Ptr<u64>) {
        find::<Device>(device)?;
        if on_host.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        on_host.set(now());
        Ok(())
    }
}
