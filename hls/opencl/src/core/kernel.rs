//! Kernels: a function of a program with values for its arguments.

use super::build::{Executable, KernelFacts};
use super::device::Device;
use super::memory::Memory;
use super::object::{self, Header, object};
use super::program::Program;
use super::queue::Queue;
use super::sampler::Sampler;
use super::{Status, lock};
use crate::sys::constants::*;
use crate::sys::{Handle, Ptr};
use abi::{Access, Arg, ArgKind};
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};

/// A value of an argument.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A buffer; the kernel does not keep it.
    Buffer(Weak<Memory>),
    /// An image; the kernel does not keep it.
    Image(Weak<Memory>),
    /// A pipe; the kernel does not keep it.
    Pipe(Weak<Memory>),
    /// An address of shared virtual memory, or null.
    Address(usize),
    /// Bytes of local memory.
    Local(u64),
    /// A value.
    Value(Vec<u8>),
}

/// A kernel.
#[derive(Debug)]
#[repr(C)]
pub struct Kernel {
    header: Header,
    /// The program.
    pub program: Arc<Program>,
    /// The program as it was built when the kernel was made, by device.
    pub executables: Vec<(Arc<Device>, Arc<Executable>)>,
    /// Name.
    pub name: String,
    args: Mutex<Vec<Option<Argument>>>,
    /// SVM buffers that it finds through pointers in memory.
    svm_pointers: Mutex<Vec<usize>>,
}

object!(Kernel, CL_INVALID_KERNEL);

impl Kernel {
    /// The kernel of a program with a name.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`, `CL_INVALID_KERNEL_NAME`, `CL_INVALID_KERNEL_DEFINITION` if devices do not
    /// agree on its arguments.
    pub fn new(program: &Arc<Program>, name: &str) -> Status<Self> {
        let executables = program.executables();
        if executables.is_empty() {
            return Err(CL_INVALID_PROGRAM_EXECUTABLE);
        }
        let mut kinds: Option<Vec<(ArgKind, u32)>> = None;
        for (_, executable) in &executables {
            let facts = executable.kernel(name).ok_or(CL_INVALID_KERNEL_NAME)?;
            let these = facts.signature.passed().iter().map(|arg| (arg.kind, arg.size)).collect();
            if kinds.as_ref().is_some_and(|kinds| *kinds != these) {
                return Err(CL_INVALID_KERNEL_DEFINITION);
            }
            kinds = Some(these);
        }
        let count = kinds.map_or(0, |kinds| kinds.len());
        program.kernels.fetch_add(1, Ordering::AcqRel);
        Ok(Kernel {
            header: Header::new(),
            program: Arc::clone(program),
            executables,
            name: name.to_owned(),
            args: Mutex::new(vec![None; count]),
            svm_pointers: Mutex::default(),
        })
    }

    /// Another kernel with the same arguments.
    pub fn duplicate(&self) -> Self {
        self.program.kernels.fetch_add(1, Ordering::AcqRel);
        Kernel {
            header: Header::new(),
            program: Arc::clone(&self.program),
            executables: self.executables.clone(),
            name: self.name.clone(),
            args: Mutex::new(lock(&self.args).clone()),
            svm_pointers: Mutex::new(lock(&self.svm_pointers).clone()),
        }
    }

    /// What is known of it, whatever the device.
    pub fn facts(&self) -> &KernelFacts {
        let (_, executable) = &self.executables[0];
        // `new` has found it in all of them
        executable.kernel(&self.name).unwrap_or(&executable.kernels[0])
    }

    /// The program and what is known of the kernel on a device.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` if it cannot run there.
    pub fn on(&self, device: &Arc<Device>) -> Status<(&Arc<Executable>, &KernelFacts)> {
        let found = self.executables.iter().find(|(d, _)| Arc::ptr_eq(d, device));
        let (_, executable) = found.ok_or(CL_INVALID_DEVICE)?;
        Ok((executable, executable.kernel(&self.name).ok_or(CL_INVALID_DEVICE)?))
    }

    /// Whether it can only run on one device.
    pub fn only_device(&self) -> Option<&Arc<Device>> {
        match self.executables.as_slice() {
            [(device, _)] => Some(device),
            _ => None,
        }
    }

    /// Sets an argument as `clSetKernelArg` does.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`, `CL_INVALID_ARG_SIZE`, `CL_INVALID_ARG_VALUE`, `CL_INVALID_MEM_OBJECT`,
    /// `CL_INVALID_SAMPLER`, `CL_INVALID_DEVICE_QUEUE`
    pub fn set_arg(&self, index: usize, size: usize, value: Ptr<c_void>) -> Status {
        let info = self.facts().signature.passed().get(index).ok_or(CL_INVALID_ARG_INDEX)?;
        let argument = match info.kind {
            ArgKind::GlobalPtr | ArgKind::ConstantPtr => {
                if size != size_of::<Handle>() {
                    return Err(CL_INVALID_ARG_SIZE);
                }
                match value.cast::<Handle>().get() {
                    None | Some(Handle::NULL) => Argument::Address(0),
                    Some(handle) => {
                        let memory = object::find::<Memory>(handle)?;
                        let context = &self.program.context;
                        if !memory.is_buffer() || !Arc::ptr_eq(&memory.context, context) {
                            return Err(CL_INVALID_MEM_OBJECT);
                        }
                        Argument::Buffer(Arc::downgrade(&memory))
                    }
                }
            }
            ArgKind::Image | ArgKind::Sampler | ArgKind::Pipe | ArgKind::Queue
                if size != size_of::<Handle>() =>
            {
                return Err(CL_INVALID_ARG_SIZE);
            }
            ArgKind::Image => {
                let handle = value.cast::<Handle>().get().unwrap_or(Handle::NULL);
                self.image_argument(info, &object::find::<Memory>(handle)?)?
            }
            ArgKind::Pipe => {
                let handle = value.cast::<Handle>().get().unwrap_or(Handle::NULL);
                self.pipe_argument(info, &object::find::<Memory>(handle)?)?
            }
            ArgKind::Queue => {
                let handle = value.cast::<Handle>().get().unwrap_or(Handle::NULL);
                self.queue_argument(info, handle)?
            }
            ArgKind::Sampler => {
                let handle = value.cast::<Handle>().get().unwrap_or(Handle::NULL);
                Argument::Value(object::find::<Sampler>(handle)?.word().to_le_bytes().to_vec())
            }
            ArgKind::LocalPtr if !value.is_null() => return Err(CL_INVALID_ARG_VALUE),
            ArgKind::LocalPtr if size == 0 => return Err(CL_INVALID_ARG_SIZE),
            ArgKind::LocalPtr => Argument::Local(size as u64),
            _ if value.is_null() => return Err(CL_INVALID_ARG_VALUE),
            _ if size != info.size as usize => return Err(CL_INVALID_ARG_SIZE),
            _ => Argument::Value(value.bytes(size).ok_or(CL_INVALID_ARG_VALUE)?),
        };
        lock(&self.args)[index] = Some(argument);
        Ok(())
    }

    /// An image for an argument that takes images of its kind and lets the kernel do what it does with them.
    fn image_argument(&self, info: &Arg, memory: &Arc<Memory>) -> Status<Argument> {
        let image = memory.image.ok_or(CL_INVALID_MEM_OBJECT)?;
        if !Arc::ptr_eq(&memory.context, &self.program.context) {
            return Err(CL_INVALID_MEM_OBJECT);
        }
        let plain = info.type_name.replace("_depth", "");
        let kind = match image.kind {
            CL_MEM_OBJECT_IMAGE1D => "image1d_t",
            CL_MEM_OBJECT_IMAGE1D_ARRAY => "image1d_array_t",
            CL_MEM_OBJECT_IMAGE1D_BUFFER => "image1d_buffer_t",
            CL_MEM_OBJECT_IMAGE2D => "image2d_t",
            CL_MEM_OBJECT_IMAGE2D_ARRAY => "image2d_array_t",
            _ => "image3d_t",
        };
        let allowed = match info.access {
            Access::ReadOnly => memory.flags & CL_MEM_WRITE_ONLY == 0,
            Access::WriteOnly => memory.flags & CL_MEM_READ_ONLY == 0,
            _ => memory.flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) == 0,
        };
        // One is read as a number, the other as four.
        let is_depth = image.format.is_depth();
        let fits = plain == kind && info.takes_depths().is_none_or(|depths| depths == is_depth);
        match fits && allowed {
            true => Ok(Argument::Image(Arc::downgrade(memory))),
            false => Err(CL_INVALID_ARG_VALUE),
        }
    }

    /// A queue on the device for an argument: its number.
    fn queue_argument(&self, info: &Arg, handle: Handle) -> Status<Argument> {
        let queue = object::find::<Queue>(handle).map_err(|_| CL_INVALID_DEVICE_QUEUE)?;
        let of_context = Arc::ptr_eq(&queue.context, &self.program.context);
        let on_device = queue.on_device.filter(|_| of_context).ok_or(CL_INVALID_DEVICE_QUEUE)?;
        let mut bytes = on_device.number.to_le_bytes().to_vec();
        bytes.resize(info.size as usize, 0);
        Ok(Argument::Value(bytes))
    }

    /// A pipe for an argument whose packets are as large.
    fn pipe_argument(&self, info: &Arg, memory: &Arc<Memory>) -> Status<Argument> {
        let pipe = memory.pipe.ok_or(CL_INVALID_MEM_OBJECT)?;
        if !Arc::ptr_eq(&memory.context, &self.program.context) {
            return Err(CL_INVALID_MEM_OBJECT);
        }
        match info.packet_size.is_none_or(|bytes| bytes == pipe.packet_size) {
            true => Ok(Argument::Pipe(Arc::downgrade(memory))),
            false => Err(CL_INVALID_ARG_VALUE),
        }
    }

    /// Sets an argument to an address of shared virtual memory.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`, `CL_INVALID_ARG_VALUE`
    pub fn set_svm_arg(&self, index: usize, address: usize) -> Status {
        let info = self.facts().signature.passed().get(index).ok_or(CL_INVALID_ARG_INDEX)?;
        if !info.kind.is_buffer() {
            return Err(CL_INVALID_ARG_VALUE);
        }
        lock(&self.args)[index] = Some(Argument::Address(address));
        Ok(())
    }

    /// The arguments.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_ARGS` if one is not set.
    pub fn args(&self) -> Status<Vec<Argument>> {
        let args: Option<Vec<Argument>> = lock(&self.args).iter().cloned().collect();
        args.ok_or(CL_INVALID_KERNEL_ARGS)
    }

    /// Bytes of local memory that its arguments and variables take.
    pub fn local_bytes(&self, facts: &KernelFacts) -> u64 {
        let local = |arg: &Option<Argument>| match arg {
            Some(Argument::Local(size)) => *size,
            _ => 0,
        };
        facts.local_bytes + lock(&self.args).iter().map(local).sum::<u64>()
    }

    /// Names the SVM buffers that it finds through pointers in memory.
    pub fn set_svm_pointers(&self, pointers: Vec<usize>) {
        *lock(&self.svm_pointers) = pointers;
    }

    /// The SVM buffers that it finds through pointers in memory.
    pub fn svm_pointers(&self) -> Vec<usize> {
        lock(&self.svm_pointers).clone()
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.kernels.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Executable {
    /// What is known of a kernel.
    pub fn kernel(&self, name: &str) -> Option<&KernelFacts> {
        self.kernels.iter().find(|k| k.signature.name == name)
    }
}
