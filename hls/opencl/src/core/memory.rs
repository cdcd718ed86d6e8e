//! Memory objects: buffers, parts of buffers, images, pipes.

use super::context::Context;
use super::device::MOST_PACKET_BYTES;
use super::image::{Image, Part, TEXEL_ALIGN};
use super::object::{Header, handle_of, object};
use super::{Status, lock};
use crate::sys::callback::{Callback, OfObject};
use crate::sys::constants::*;
use crate::sys::{HostMemory, Ptr};
use abi::PipeDescriptor;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// A part of a memory object that the program that uses the API has mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mapping {
    address: usize,
    part: Part,
    writes: bool,
}

/// Memory that has the contents of an object while it is mapped.
#[derive(Debug, Clone)]
enum Mirror {
    /// The program's own: `CL_MEM_USE_HOST_PTR`. It begins at [`Memory::host_ptr`].
    Program,
    /// That of an image whose texels have fewer bytes for the program than for kernels.
    Converted(Arc<HostMemory>),
}

/// A memory object.
#[derive(Debug)]
#[repr(C)]
pub struct Memory {
    header: Header,
    /// The context.
    pub context: Arc<Context>,
    /// `CL_MEM_FLAGS`, with those that a part has of its buffer.
    pub flags: u64,
    /// Bytes.
    pub size: usize,
    /// `CL_MEM_HOST_PTR`
    pub host_ptr: Ptr<c_void>,
    /// Properties as given, with the final zero; none if there was no list.
    pub properties: Option<Vec<u64>>,
    /// What it is besides, if it is an image.
    pub image: Option<Image>,
    /// What it is besides, if it is a pipe; without an address.
    pub pipe: Option<PipeDescriptor>,
    /// The buffer that it is a part of, or the buffer or image that it is made of.
    pub parent: Option<Arc<Memory>>,
    /// Where the contents are, for commands and kernels.
    pub storage: Arc<HostMemory>,
    /// Where they begin there.
    pub offset: usize,
    /// What the program maps, if it is not `storage`.
    mirror: Option<Mirror>,
    mappings: Mutex<Vec<Mapping>>,
    destructors: Mutex<Vec<Callback<OfObject>>>,
}

object!(Memory, CL_INVALID_MEM_OBJECT);

/// The flags of which an object has at most one.
const DEVICE_ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_ACCESS: u64 = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
const HOST_POINTER: u64 = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

fn at_most_one(flags: u64, of: u64) -> bool {
    (flags & of).count_ones() <= 1
}

/// Checks the flags of a new buffer, and fills in that it is read and written if they do not say.
///
/// # Errors
/// `CL_INVALID_VALUE`
pub fn check_flags(flags: u64) -> Status<u64> {
    let known = DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER;
    let exclusive = at_most_one(flags, DEVICE_ACCESS) && at_most_one(flags, HOST_ACCESS);
    let uses = flags & CL_MEM_USE_HOST_PTR != 0;
    let other = flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    if flags & !known != 0 || !exclusive || uses && other {
        return Err(CL_INVALID_VALUE);
    }
    Ok(if flags & DEVICE_ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags })
}

impl Memory {
    /// A buffer.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_BUFFER_SIZE`, `CL_INVALID_HOST_PTR`, `CL_MEM_OBJECT_ALLOCATION_FAILURE`
    pub fn buffer(
        context: Arc<Context>,
        flags: u64,
        size: usize,
        host_ptr: Ptr<c_void>,
        properties: Option<Vec<u64>>,
    ) -> Status<Self> {
        let flags = check_flags(flags)?;
        if size == 0 || size as u64 > context.max_allocation() {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        let takes_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        if takes_pointer == host_ptr.is_null() {
            return Err(CL_INVALID_HOST_PTR);
        }
        let uses = flags & CL_MEM_USE_HOST_PTR != 0;
        let shared = if uses { context.svm.find(host_ptr.address()) } else { None };
        if shared.as_ref().is_some_and(|(memory, at)| size > memory.size() - at) {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        let mirrored = uses && shared.is_none();
        let (storage, offset) = match shared {
            Some(place) => place,
            None => (HostMemory::new(size).ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE)?, 0),
        };
        if takes_pointer && (mirrored || !uses) {
            storage.pointer(0).copy_from(host_ptr, size);
        }
        let mirror = mirrored.then_some(Mirror::Program);
        let host_ptr = if uses { host_ptr } else { Ptr::NULL };
        let (mappings, destructors) = Default::default();
        Ok(Memory {
            header: Header::new(),
            image: None,
            pipe: None,
            context,
            flags,
            size,
            host_ptr,
            properties,
            parent: None,
            storage,
            offset,
            mirror,
            mappings,
            destructors,
        })
    }

    /// A part of a buffer, whose flags are those of the buffer where they say nothing else.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_BUFFER_SIZE`, `CL_MISALIGNED_SUB_BUFFER_OFFSET`, `CL_INVALID_MEM_OBJECT` for a
    /// part of a part.
    pub fn part(parent: &Arc<Memory>, flags: u64, origin: usize, size: usize) -> Status<Self> {
        if parent.parent.is_some() {
            return Err(CL_INVALID_MEM_OBJECT);
        }
        Self::window(parent, flags, origin, size)
    }

    fn window(parent: &Arc<Memory>, flags: u64, origin: usize, size: usize) -> Status<Self> {
        let exclusive = at_most_one(flags, DEVICE_ACCESS) && at_most_one(flags, HOST_ACCESS);
        if flags & !(DEVICE_ACCESS | HOST_ACCESS) != 0 || !exclusive {
            return Err(CL_INVALID_VALUE);
        }
        let of = |mask| parent.flags & mask;
        let device_ok = match of(DEVICE_ACCESS) {
            CL_MEM_WRITE_ONLY => flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY) == 0,
            CL_MEM_READ_ONLY => flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY) == 0,
            _ => true,
        };
        let host_ok = match of(HOST_ACCESS) {
            CL_MEM_HOST_WRITE_ONLY => flags & CL_MEM_HOST_READ_ONLY == 0,
            CL_MEM_HOST_READ_ONLY => flags & CL_MEM_HOST_WRITE_ONLY == 0,
            CL_MEM_HOST_NO_ACCESS => flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY) == 0,
            _ => true,
        };
        let inside = origin.checked_add(size).is_some_and(|end| end <= parent.size);
        if !device_ok || !host_ok || !inside {
            return Err(CL_INVALID_VALUE);
        }
        if size == 0 {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        if !origin.is_multiple_of(super::device::BASE_ALIGN) {
            return Err(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        }
        let device =
            if flags & DEVICE_ACCESS == 0 { of(DEVICE_ACCESS) } else { flags & DEVICE_ACCESS };
        let host = if flags & HOST_ACCESS == 0 { of(HOST_ACCESS) } else { flags & HOST_ACCESS };
        let host_ptr =
            if parent.host_ptr.is_null() { Ptr::NULL } else { parent.host_ptr.offset(origin) };
        let (mappings, destructors) = Default::default();
        Ok(Memory {
            header: Header::new(),
            image: None,
            pipe: None,
            context: Arc::clone(&parent.context),
            flags: device | host | of(HOST_POINTER),
            size,
            host_ptr,
            properties: None,
            parent: Some(Arc::clone(parent)),
            storage: Arc::clone(&parent.storage),
            offset: parent.offset + origin,
            mirror: parent.mirror.clone(),
            mappings,
            destructors,
        })
    }

    /// An image, whose memory has the pitches of the host's where there is such memory.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_IMAGE_SIZE`, `CL_INVALID_HOST_PTR`, `CL_MEM_OBJECT_ALLOCATION_FAILURE`
    pub fn image(
        context: Arc<Context>,
        flags: u64,
        image: Image,
        host_ptr: Ptr<c_void>,
        properties: Option<Vec<u64>>,
    ) -> Status<Self> {
        let flags = check_flags(flags)?;
        let size = image.bytes()?;
        if size as u64 > context.max_allocation() {
            return Err(CL_INVALID_IMAGE_SIZE);
        }
        let takes_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        if takes_pointer == host_ptr.is_null() {
            return Err(CL_INVALID_HOST_PTR);
        }
        let uses = flags & CL_MEM_USE_HOST_PTR != 0;
        let memory = |size| HostMemory::new(size).ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        let storage = memory(size)?;
        if takes_pointer {
            let all = image.part(image.all());
            all.stored.copy(storage.pointer(0), host_ptr, all.mapped);
        }
        let mirror = match (uses, image.is_converted()) {
            (true, _) => Some(Mirror::Program),
            (false, true) => Some(Mirror::Converted(memory(image.mapped_bytes()?)?)),
            (false, false) => None,
        };
        let (mappings, destructors) = Default::default();
        Ok(Memory {
            header: Header::new(),
            image: Some(image),
            pipe: None,
            context,
            flags,
            size,
            host_ptr: if uses { host_ptr } else { Ptr::NULL },
            properties,
            parent: None,
            storage,
            offset: 0,
            mirror,
            mappings,
            destructors,
        })
    }

    /// An image that is made of a buffer or of another image.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_IMAGE_SIZE` if the buffer is too small, `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR` if it
    /// begins where images cannot: in shared memory of the program, as other buffers are aligned.
    pub fn image_of(
        parent: &Arc<Memory>,
        flags: u64,
        image: Image,
        properties: Option<Vec<u64>>,
    ) -> Status<Self> {
        let size = image.bytes()?;
        if size > parent.size {
            return Err(CL_INVALID_IMAGE_SIZE);
        }
        if !parent.address().is_multiple_of(TEXEL_ALIGN) {
            return Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        }
        let mut memory = Self::window(parent, flags, 0, size)?;
        (memory.image, memory.properties) = (Some(image), properties);
        Ok(memory)
    }

    /// A pipe without packets.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_PIPE_SIZE`, `CL_MEM_OBJECT_ALLOCATION_FAILURE`
    pub fn pipe(
        context: Arc<Context>,
        flags: u64,
        packet_size: u32,
        max_packets: u32,
    ) -> Status<Self> {
        if flags & !(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) != 0 {
            return Err(CL_INVALID_VALUE);
        }
        if !(1..=MOST_PACKET_BYTES).contains(&packet_size) || max_packets == 0 {
            return Err(CL_INVALID_PIPE_SIZE);
        }
        let pipe = PipeDescriptor::new(max_packets, packet_size);
        let pipe = pipe.filter(|pipe| pipe.object_bytes() <= context.max_allocation());
        let pipe = pipe.ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        let size = pipe.object_bytes() as usize;
        let storage = HostMemory::new(size).ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        let object = pipe.object(&[]).ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        storage.pointer(0).set_bytes(&object);
        let access = if flags == 0 { CL_MEM_HOST_NO_ACCESS } else { flags };
        let (mappings, destructors) = Default::default();
        Ok(Memory {
            header: Header::new(),
            image: None,
            pipe: Some(pipe),
            context,
            flags: access | CL_MEM_READ_WRITE,
            size,
            host_ptr: Ptr::NULL,
            properties: None,
            parent: None,
            storage,
            offset: 0,
            mirror: None,
            mappings,
            destructors,
        })
    }

    /// `CL_MEM_TYPE`
    pub fn kind(&self) -> u32 {
        match (self.image, self.pipe) {
            (Some(image), _) => image.kind,
            (None, Some(_)) => CL_MEM_OBJECT_PIPE,
            (None, None) => CL_MEM_OBJECT_BUFFER,
        }
    }

    /// Whether it is a buffer, or a part of one.
    pub fn is_buffer(&self) -> bool {
        self.image.is_none() && self.pipe.is_none()
    }

    /// Where it begins in its parent.
    pub fn origin(&self) -> usize {
        self.parent.as_ref().map_or(0, |parent| self.offset - parent.offset)
    }

    /// The address that kernels use.
    pub fn address(&self) -> u64 {
        (self.storage.address() + self.offset) as u64
    }

    /// The byte at an offset, where commands find it.
    pub fn pointer(&self, offset: usize) -> Ptr<c_void> {
        self.storage.pointer(self.offset + offset)
    }

    /// Whether a range of bytes is inside.
    pub fn contains(&self, offset: usize, size: usize) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.size)
    }

    /// Whether commands of the host may read it.
    pub fn host_reads(&self) -> bool {
        self.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Whether commands of the host may write it.
    pub fn host_writes(&self) -> bool {
        self.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Whether its memory is a shared virtual memory buffer.
    pub fn uses_svm(&self) -> bool {
        self.flags & CL_MEM_USE_HOST_PTR != 0 && self.mirror.is_none()
    }

    /// Reserves a mapping and gives the pointer for the program. [`Memory::fill_mapping`] fills it.
    pub fn map(&self, part: Part, writes: bool) -> Ptr<c_void> {
        let pointer = match self.mirrored() {
            Some(mirror) => mirror.offset(part.mapped.start),
            None => self.pointer(part.mapped.start),
        };
        let address = pointer.address();
        lock(&self.mappings).push(Mapping { address, part, writes });
        pointer
    }

    /// The start of what the program maps, if that is not where commands find the contents.
    fn mirrored(&self) -> Option<Ptr<c_void>> {
        self.mirror.as_ref().map(|mirror| match mirror {
            Mirror::Program => self.host_ptr,
            Mirror::Converted(memory) => memory.pointer(0),
        })
    }

    /// Brings the contents to where they are mapped.
    pub fn fill_mapping(&self, part: Part) {
        if let Some(mirror) = self.mirrored() {
            part.mapped.copy(mirror, self.pointer(0), part.stored);
        }
    }

    /// Whether there is a mapping at an address.
    pub fn is_mapped(&self, address: usize) -> bool {
        lock(&self.mappings).iter().any(|m| m.address == address)
    }

    /// Ends a mapping at an address, if there is one, and takes over what the program wrote.
    pub fn unmap(&self, address: usize) {
        let mapping = {
            let mut all = lock(&self.mappings);
            let at = all.iter().position(|m| m.address == address);
            at.map(|at| all.remove(at))
        };
        if let Some(Mapping { part, writes: true, .. }) = mapping
            && let Some(mirror) = self.mirrored()
        {
            part.stored.copy(self.pointer(0), mirror, part.mapped);
        }
    }

    /// `CL_MEM_MAP_COUNT`
    pub fn map_count(&self) -> u32 {
        lock(&self.mappings).len() as u32
    }

    /// Has a function called when the object goes.
    pub fn add_destructor(&self, callback: Callback<OfObject>) {
        lock(&self.destructors).push(callback);
    }

    /// Whether two ranges of bytes have one in common.
    pub fn overlaps(
        &self,
        offset: usize,
        other: &Memory,
        other_offset: usize,
        size: usize,
    ) -> bool {
        let (a, b) = (self.offset + offset, other.offset + other_offset);
        Arc::ptr_eq(&self.storage, &other.storage) && a < b + size && b < a + size
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let handle = handle_of(self);
        while let Some(destructor) = lock(&self.destructors).pop() {
            destructor.call(handle);
        }
    }
}
