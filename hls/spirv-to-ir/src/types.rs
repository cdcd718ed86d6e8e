//! SPIR-V types: their memory layout, and the leaves into which a value of them decomposes.
//!
//! Layout is OpenCL's: natural alignment, 3-vectors as large as 4-vectors, members packed under
//! `CPacked` and placed by `Offset` where given.
//!
//! An image or a pipe is the fields of its descriptor. But where blocks capture some, producers take each for the size of a
//! pointer: in such modules it is the address of its descriptor in private memory.

use crate::decode::{Id, Inst};
use crate::decorations::DecorationMap;
use crate::errors::{
    BAD_ID, BAD_OPERAND, R, TOO_LARGE, UNSUPPORTED_TYPE, error, fail, unsupported,
};
use crate::pipes::RESERVATION;
use abi::image::{ImageDescriptor, field};
use abi::{PipeDescriptor, pipe};
use base::{FxHashMap, FxHashSet, SmallVec};
use ir::{FloatKind, Scalar, Space, Type};
use rspirv::spirv::{AccessQualifier, Dim, Op, StorageClass};

/// Deepest nesting of structures and arrays; bounds every recursion over types.
const MAX_DEPTH: u32 = 64;
/// Most nodes (members, elements) of a type whose values are handled whole.
pub(crate) const MAX_NODES: u64 = 1 << 13;

/// What a type is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    Void,
    Bool,
    Int(u32),
    Float(FloatKind),
    Vector {
        element: Id,
        lanes: u8,
    },
    Array {
        element: Id,
        len: u64,
        stride: u64,
    },
    Struct {
        members: Vec<Member>,
        packed: bool,
    },
    Pointer {
        class: StorageClass,
        pointee: Id,
    },
    Function {
        result: Id,
        params: Vec<Id>,
    },
    /// An image: the fields of its descriptor (crate `abi`), or its address.
    Image(Image),
    /// A sampler: an i32 with the bits of OpenCL C's sampler constants.
    Sampler,
    /// An image, of this type, and a sampler.
    SampledImage(Id),
    /// A pipe that is read or written: fields of its descriptor (crate `abi`), or its address.
    Pipe {
        writes: bool,
    },
    /// A pipe of the program: fields of its descriptor.
    PipeStorage,
    /// A queue on the device: its number, 0 for none.
    Queue,
    /// A type without values in this IR.
    Opaque {
        op: Op,
        milestone: &'static str,
    },
}

/// What `OpTypeImage` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Image {
    pub dim: Dim,
    pub depth: bool,
    pub arrayed: bool,
    pub access: AccessQualifier,
}

impl Image {
    fn read(inst: &Inst) -> R<Self> {
        let unknown = |what: &str, n: u32| inst.malformed(format!("{what} {n} is unknown"));
        let (dim, access) = (inst.arg(1)?, inst.args.get(7).copied().unwrap_or(0));
        let image = Image {
            dim: Dim::from_u32(dim).ok_or_else(|| unknown("dimensionality", dim))?,
            depth: inst.arg(2)? == 1,
            arrayed: inst.arg(3)? == 1,
            access: AccessQualifier::from_u32(access)
                .ok_or_else(|| unknown("access qualifier", access))?,
        };
        let known = matches!(
            (image.dim, image.arrayed),
            (Dim::Dim1D | Dim::Dim2D, _) | (Dim::Dim3D | Dim::DimBuffer, false)
        );
        if !known {
            let array = if image.arrayed { "arrays of " } else { "" };
            let dim = format!("{dim:?}", dim = image.dim).replace("Dim", "");
            return fail(
                UNSUPPORTED_TYPE,
                format!("{array}images of dimensionality {dim} do not exist in OpenCL"),
            );
        }
        if inst.arg(4)? != 0 {
            let what = "multi-sampled images are not supported: they need cl_khr_gl_msaa_sharing";
            let e = error(UNSUPPORTED_TYPE, what);
            return Err(Box::new(e.help("`clhls support` lists what is supported")));
        }
        Ok(image)
    }

    /// Coordinates along which there are neighbours to interpolate between: 1 to 3.
    pub fn axes(self) -> u32 {
        match self.dim {
            Dim::Dim3D => 3,
            Dim::Dim2D => 2,
            _ => 1,
        }
    }

    /// OpenCL C's name of the type.
    pub fn name(self) -> &'static str {
        match (self.dim, self.arrayed, self.depth) {
            (Dim::Dim1D, false, _) => "image1d_t",
            (Dim::Dim1D, true, _) => "image1d_array_t",
            (Dim::DimBuffer, ..) => "image1d_buffer_t",
            (Dim::Dim2D, false, false) => "image2d_t",
            (Dim::Dim2D, false, true) => "image2d_depth_t",
            (Dim::Dim2D, true, false) => "image2d_array_t",
            (Dim::Dim2D, true, true) => "image2d_array_depth_t",
            _ => "image3d_t",
        }
    }
}

/// The fields of an image's descriptor by type and offset: its leaves, in this order.
pub(crate) const IMAGE_FIELDS: [(Type, u32); 10] = [
    (Type::ptr(Space::Global), field::TEXELS),
    (Type::I64, field::SLICE_PITCH),
    (Type::I32, field::ROW_PITCH),
    (Type::I32, field::WIDTH),
    (Type::I32, field::HEIGHT),
    (Type::I32, field::DEPTH),
    (Type::I32, field::ORDER),
    (Type::I32, field::DATA_TYPE),
    (Type::I32, field::DECODE),
    (Type::I32, field::LEVELS),
];

/// The fields of a pipe's descriptor, likewise.
pub(crate) const PIPE_FIELDS: [(Type, u32); 3] = [
    (Type::ptr(Space::Global), pipe::field::ADDRESS),
    (Type::I32, pipe::field::MAX_PACKETS),
    (Type::I32, pipe::field::PACKET_SIZE),
];

/// The leaves of a pipe: the fields that its functions need.
pub(crate) const PIPE_LEAVES: &[(Type, u32)] = PIPE_FIELDS.split_at(2).0;

/// A member of a structure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Member {
    pub ty: Id,
    /// Offset in bytes.
    pub offset: u64,
    /// Leaves before this member.
    pub first_leaf: u64,
}

/// A type with what follows from it.
#[derive(Clone, Debug)]
pub(crate) struct TypeInfo {
    pub kind: Kind,
    /// Bytes in memory.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Number of scalar, vector and pointer leaves.
    pub leaves: u64,
    /// Size of the type's tree: bounds the work of taking a value apart.
    nodes: u64,
    depth: u32,
}

/// One scalar, vector or pointer inside a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Leaf {
    /// Type of the SSA value.
    pub ty: Type,
    /// Type loaded and stored: `ty`, or the wider integer that holds it in memory.
    pub memory: Type,
    /// Offset in bytes.
    pub offset: u64,
}

/// All types of a module by id.
#[derive(Debug)]
pub(crate) struct Types {
    map: FxHashMap<Id, TypeInfo>,
    /// Pointer types announced by `OpTypeForwardPointer`.
    forward: FxHashSet<Id>,
    pub addr_bits: u32,
    /// Images and pipes are the addresses of their descriptors.
    pub addressed: bool,
}

impl Types {
    pub fn new(addr_bits: u32, addressed: bool) -> Self {
        Types { map: FxHashMap::default(), forward: FxHashSet::default(), addr_bits, addressed }
    }

    /// The type `id`.
    pub fn get(&self, id: Id) -> R<&TypeInfo> {
        self.map
            .get(&id)
            .ok_or_else(|| error(BAD_ID, format!("%{id} is used as a type but is none")))
    }

    /// Notes that `id` will be declared as a pointer type.
    pub fn announce(&mut self, id: Id) {
        self.forward.insert(id);
    }

    /// Adds the type that `inst` declares; `array_len` evaluates a length constant.
    pub fn declare(
        &mut self,
        inst: &Inst,
        deco: &DecorationMap,
        array_len: impl Fn(Id) -> R<u64>,
    ) -> R<()> {
        let id = inst.result()?;
        let kind = match inst.op {
            Op::TypeVoid => Kind::Void,
            Op::TypeBool => Kind::Bool,
            Op::TypeInt => match inst.arg(0)? {
                width @ 1..=128 => Kind::Int(width),
                width => {
                    return fail(
                        UNSUPPORTED_TYPE,
                        format!("integers of {width} bits are not supported, 1 to 128 are"),
                    );
                }
            },
            Op::TypeFloat => float_kind(inst)?,
            Op::TypeVector => self.vector(inst)?,
            Op::TypeArray => self.array(inst, array_len(inst.arg(1)?)?, deco)?,
            Op::TypeStruct => self.structure(inst, id, deco)?,
            Op::TypePointer => {
                let class = inst.arg(0)?;
                let Some(class) = StorageClass::from_u32(class) else {
                    return Err(inst.malformed(format!("storage class {class} is unknown")));
                };
                Kind::Pointer { class, pointee: inst.arg(1)? }
            }
            // Copies between memories are made where they are asked for: there is nothing that an event must say.
            Op::TypeEvent => Kind::Int(self.addr_bits),
            // Its number of sub-groups.
            Op::TypeNamedBarrier => Kind::Int(32),
            Op::TypePipe => pipe_kind(inst)?,
            Op::TypePipeStorage => Kind::PipeStorage,
            Op::TypeReserveId => Kind::Int(RESERVATION.bits(0)),
            Op::TypeQueue => Kind::Queue,
            // The number of an entry in the queue's table (crate `abi`), and 1.
            Op::TypeDeviceEvent => Kind::Int(self.addr_bits),
            Op::TypeFunction => {
                Kind::Function { result: inst.arg(0)?, params: inst.args[1..].to_vec() }
            }
            Op::TypeImage => Kind::Image(Image::read(inst)?),
            Op::TypeSampler => Kind::Sampler,
            Op::TypeSampledImage => Kind::SampledImage(inst.arg(0)?),
            op => Kind::Opaque { op, milestone: crate::support::milestone(op) },
        };
        if self.forward.contains(&id) && !matches!(kind, Kind::Pointer { .. }) {
            return Err(inst.malformed("it was announced as a pointer".into()));
        }
        let info = self.info(kind)?;
        self.map.insert(id, info);
        Ok(())
    }

    fn vector(&self, inst: &Inst) -> R<Kind> {
        let element = inst.arg(0)?;
        match self.get(element)?.kind {
            Kind::Bool | Kind::Int(_) | Kind::Float(_) => {}
            Kind::Pointer { .. } => {
                return fail(UNSUPPORTED_TYPE, "vectors of pointers are not supported");
            }
            _ => return Err(inst.malformed("the element type is not a scalar".into())),
        }
        match inst.arg(1)? {
            lanes @ (2 | 3 | 4 | 8 | 16) => Ok(Kind::Vector { element, lanes: lanes as u8 }),
            lanes => Err(Box::new(
                base::Diagnostic::error(
                    UNSUPPORTED_TYPE,
                    format!("vectors of {lanes} elements do not exist in OpenCL"),
                )
                .note("clang's vector-combine pass makes such vectors")
                .help("compile with `-mllvm -disable-vector-combine`"),
            )),
        }
    }

    fn array(&self, inst: &Inst, len: u64, deco: &DecorationMap) -> R<Kind> {
        let element = inst.arg(0)?;
        let info = self.get(element)?;
        self.need_memory(element)?;
        let stride = match inst.result.and_then(|id| deco.of(id).array_stride) {
            Some(s) => u64::from(s),
            None => info.size,
        };
        if stride < info.size {
            return Err(inst.malformed(format!("stride {stride} is less than an element")));
        }
        Ok(Kind::Array { element, len, stride })
    }

    fn structure(&self, inst: &Inst, id: Id, deco: &DecorationMap) -> R<Kind> {
        let packed = deco.of(id).packed;
        let (mut members, mut end, mut leaves) = (vec![], 0u64, 0u64);
        for (k, &ty) in inst.args.iter().enumerate() {
            // A pointer may be declared later: only its size counts here.
            if !self.forward.contains(&ty) {
                self.need_memory(ty)?;
            }
            let (size, align, count) = match self.map.get(&ty) {
                Some(info) => (info.size, info.align, info.leaves),
                None => (u64::from(self.addr_bits / 8), self.addr_bits / 8, 1),
            };
            let natural = if packed { Some(end) } else { round_up(end, align) };
            let offset =
                deco.member(id, k as u32).and_then(|m| m.offset).map(u64::from).or(natural);
            let next = offset.and_then(|o| o.checked_add(size)).filter(|e| *e <= MAX_SIZE);
            let (Some(offset), Some(next)) = (offset, next) else { return too_large() };
            members.push(Member { ty, offset, first_leaf: leaves });
            end = end.max(next);
            leaves = leaves.saturating_add(count);
        }
        Ok(Kind::Struct { members, packed })
    }

    fn info(&self, kind: Kind) -> R<TypeInfo> {
        let scalar = |size: u64| TypeInfo {
            kind: Kind::Void,
            size,
            align: size.next_power_of_two().min(16) as u32,
            leaves: 1,
            nodes: 1,
            depth: 0,
        };
        let none = TypeInfo { size: 0, align: 1, leaves: 0, ..scalar(1) };
        let info = match &kind {
            Kind::Void | Kind::Function { .. } | Kind::Opaque { .. } => none,
            Kind::Bool => scalar(1),
            Kind::Int(w) => scalar(u64::from(container_bits(*w) / 8)),
            Kind::Float(k) => scalar(u64::from(k.bits() / 8)),
            Kind::Pointer { .. } | Kind::Queue => scalar(u64::from(self.addr_bits / 8)),
            Kind::Image(_) | Kind::Pipe { .. } | Kind::Sampler if self.addressed => {
                scalar(u64::from(self.addr_bits / 8))
            }
            Kind::Sampler => scalar(4),
            Kind::Image(_) | Kind::SampledImage(_) => {
                let leaves = IMAGE_FIELDS.len() as u64;
                let size = u64::from(ImageDescriptor::BYTES);
                TypeInfo { align: ImageDescriptor::ALIGN, leaves, nodes: leaves, ..scalar(size) }
            }
            Kind::Pipe { .. } | Kind::PipeStorage => {
                let leaves = PIPE_LEAVES.len() as u64;
                let size = u64::from(PipeDescriptor::BYTES);
                TypeInfo { align: PipeDescriptor::ALIGN, leaves, nodes: leaves, ..scalar(size) }
            }
            Kind::Vector { element, lanes } => {
                let size = self.get(*element)?.size * u64::from(lanes.next_power_of_two());
                TypeInfo { align: size as u32, ..scalar(size) }
            }
            Kind::Array { element, len, stride } => {
                let e = self.get(*element)?;
                let Some(size) = stride.checked_mul(*len).filter(|s| *s <= MAX_SIZE) else {
                    return too_large();
                };
                let nodes = e.nodes.saturating_mul(*len).saturating_add(1);
                let leaves = e.leaves.saturating_mul(*len);
                TypeInfo { size, align: e.align, leaves, nodes, depth: e.depth + 1, ..none }
            }
            Kind::Struct { members, packed } => self.struct_info(members, *packed, none)?,
        };
        if info.depth > MAX_DEPTH {
            return fail(TOO_LARGE, format!("types nest deeper than {MAX_DEPTH} levels"));
        }
        Ok(TypeInfo { kind, ..info })
    }

    fn struct_info(&self, members: &[Member], packed: bool, none: TypeInfo) -> R<TypeInfo> {
        let mut info = TypeInfo { depth: 1, ..none };
        for m in members {
            let (size, align, leaves, nodes, depth) = match self.map.get(&m.ty) {
                Some(t) => (t.size, t.align, t.leaves, t.nodes, t.depth),
                None => (u64::from(self.addr_bits / 8), self.addr_bits / 8, 1, 1, 0),
            };
            info.align = if packed { 1 } else { info.align.max(align) };
            info.size = info.size.max(m.offset + size);
            info.leaves = info.leaves.saturating_add(leaves);
            info.nodes = info.nodes.saturating_add(nodes);
            info.depth = info.depth.max(depth + 1);
        }
        match round_up(info.size, info.align) {
            Some(size) => Ok(TypeInfo { size, ..info }),
            None => too_large(),
        }
    }

    /// Fails unless values of `id` can lie in memory.
    pub fn need_memory(&self, id: Id) -> R<()> {
        match &self.get(id)?.kind {
            Kind::Opaque { op, milestone } => Err(opaque_error(*op, milestone)),
            Kind::SampledImage(_) => {
                fail(BAD_OPERAND, format!("%{id} is a sampled image, which memory cannot hold"))
            }
            Kind::Void | Kind::Function { .. } => {
                fail(BAD_OPERAND, format!("%{id} is not a type of values in memory"))
            }
            _ => Ok(()),
        }
    }

    /// The IR type of a scalar, vector or pointer type.
    pub fn ir(&self, id: Id) -> R<Type> {
        Ok(match &self.get(id)?.kind {
            Kind::Bool => Type::BOOL,
            Kind::Int(w) => Type::int(*w),
            Kind::Float(k) => Type::float(*k),
            Kind::Vector { element, lanes } => self.ir(*element)?.with_lanes(*lanes),
            Kind::Pointer { class, .. } => Type::ptr(space(*class)?),
            Kind::Sampler => Type::I32,
            Kind::Image(_) | Kind::Pipe { .. } if self.addressed => Type::ptr(Space::Private),
            Kind::Queue => Type::int(self.addr_bits),
            Kind::Opaque { op, milestone } => return Err(opaque_error(*op, milestone)),
            _ => {
                return fail(BAD_OPERAND, format!("%{id} is not a scalar, vector or pointer type"));
            }
        })
    }

    /// The pointee type of a pointer type.
    pub fn pointee(&self, id: Id) -> R<Id> {
        match self.get(id)?.kind {
            Kind::Pointer { pointee, .. } => Ok(pointee),
            _ => fail(BAD_OPERAND, format!("%{id} is not a pointer type")),
        }
    }

    /// The type of the elements of an array, of arrays too; other types as they are.
    pub fn innermost_element(&self, mut id: Id) -> R<Id> {
        while let Kind::Array { element, .. } = self.get(id)?.kind {
            id = element;
        }
        Ok(id)
    }

    /// The leaves of a type in memory order of declaration.
    pub fn leaves(&self, id: Id) -> R<Vec<Leaf>> {
        self.check_whole(id)?;
        let mut out = vec![];
        self.add_leaves(id, 0, &mut out)?;
        Ok(out)
    }

    /// The IR types of the leaves of a type.
    pub fn leaf_types(&self, id: Id) -> R<SmallVec<[Type; 4]>> {
        match self.get(id)?.kind {
            Kind::Array { .. } | Kind::Struct { .. } => {
                return Ok(self.leaves(id)?.iter().map(|l| l.ty).collect());
            }
            Kind::SampledImage(_) if self.addressed => {
                return Ok(SmallVec::from_slice(&[Type::ptr(Space::Private), Type::I32]));
            }
            Kind::Image(_) | Kind::Pipe { .. } if self.addressed => {}
            Kind::SampledImage(_) => {
                let fields = IMAGE_FIELDS.iter().map(|(ty, _)| *ty);
                return Ok(fields.chain([Type::I32]).collect());
            }
            Kind::Image(_) => return Ok(IMAGE_FIELDS.iter().map(|(ty, _)| *ty).collect()),
            Kind::Pipe { .. } | Kind::PipeStorage => {
                return Ok(PIPE_LEAVES.iter().map(|(ty, _)| *ty).collect());
            }
            _ => {}
        }
        Ok(SmallVec::from_slice(&[self.ir(id)?]))
    }

    /// Fails when a type has too many parts to be handled as one value, or mostly empty ones.
    pub fn check_whole(&self, id: Id) -> R<()> {
        let info = self.get(id)?;
        let nodes = info.nodes;
        if nodes <= MAX_NODES && nodes <= info.leaves.saturating_mul(16).saturating_add(64) {
            return Ok(());
        }
        fail(
            TOO_LARGE,
            format!("a value of {nodes} parts is handled at once, the limit is {MAX_NODES}"),
        )
    }

    fn add_leaves(&self, id: Id, at: u64, out: &mut Vec<Leaf>) -> R<()> {
        let info = self.get(id)?;
        match &info.kind {
            Kind::Array { element, len, stride } => {
                for k in 0..if info.leaves == 0 { 0 } else { *len } {
                    self.add_leaves(*element, at + k * stride, out)?;
                }
            }
            Kind::Struct { members, .. } => {
                for m in members {
                    self.add_leaves(m.ty, at + m.offset, out)?;
                }
            }
            Kind::Image(_) if !self.addressed => {
                out.extend(IMAGE_FIELDS.map(|leaf| field_leaf(leaf, at)));
            }
            Kind::Pipe { .. } if !self.addressed => {
                out.extend(PIPE_LEAVES.iter().map(|leaf| field_leaf(*leaf, at)));
            }
            Kind::PipeStorage => out.extend(PIPE_LEAVES.iter().map(|leaf| field_leaf(*leaf, at))),
            kind => {
                self.need_memory(id)?;
                let ty = self.ir(id)?;
                let memory = match kind {
                    Kind::Sampler => Type::int(8 * info.size as u32),
                    _ => memory_type(ty),
                };
                out.push(Leaf { ty, memory, offset: at });
            }
        }
        Ok(())
    }
}

/// A field of a descriptor at an offset.
fn field_leaf((ty, offset): (Type, u32), at: u64) -> Leaf {
    Leaf { ty, memory: ty, offset: at + u64::from(offset) }
}

/// Largest size of a type in bytes: far beyond any device, small enough that sums cannot wrap.
const MAX_SIZE: u64 = 1 << 48;

fn too_large<T>() -> R<T> {
    fail(TOO_LARGE, format!("a type is larger than {MAX_SIZE} bytes"))
}

fn round_up(n: u64, align: u32) -> Option<u64> {
    n.checked_next_multiple_of(u64::from(align))
}

/// Bits of the smallest power-of-two number of bytes that holds `width` bits.
fn container_bits(width: u32) -> u32 {
    width.next_power_of_two().max(8)
}

/// The type with which `ty` lies in memory: odd integers and conditions take whole bytes.
pub(crate) fn memory_type(ty: Type) -> Type {
    match ty.scalar {
        Scalar::Int(w) => Type::int(container_bits(u32::from(w))).with_lanes(ty.lanes),
        _ => ty,
    }
}

/// The address space of a storage class.
pub(crate) fn space(class: StorageClass) -> R<Space> {
    Ok(match class {
        StorageClass::Function => Space::Private,
        StorageClass::CrossWorkgroup
        | StorageClass::DeviceOnlyALTERA
        | StorageClass::HostOnlyALTERA => Space::Global,
        StorageClass::UniformConstant => Space::Constant,
        StorageClass::Workgroup => Space::Local,
        StorageClass::Generic => Space::Generic,
        other => {
            return fail(
                UNSUPPORTED_TYPE,
                format!("pointers of storage class {other:?} are not supported here"),
            );
        }
    })
}

/// A kernel that both reads and writes one pipe does not exist.
fn pipe_kind(inst: &Inst) -> R<Kind> {
    let access = inst.arg(0)?;
    match AccessQualifier::from_u32(access) {
        Some(AccessQualifier::ReadOnly) => Ok(Kind::Pipe { writes: false }),
        Some(AccessQualifier::WriteOnly) => Ok(Kind::Pipe { writes: true }),
        Some(AccessQualifier::ReadWrite) => {
            fail(BAD_OPERAND, "a pipe is read-only or write-only, not both")
        }
        None => Err(inst.malformed(format!("access qualifier {access} is unknown"))),
    }
}

fn float_kind(inst: &Inst) -> R<Kind> {
    let width = inst.arg(0)?;
    let bfloat = inst.args.get(1) == Some(&0); // FP encoding BFloat16KHR
    match (width, inst.args.len(), bfloat) {
        (16, 1, _) => Ok(Kind::Float(FloatKind::F16)),
        (32, 1, _) => Ok(Kind::Float(FloatKind::F32)),
        (64, 1, _) => Ok(Kind::Float(FloatKind::F64)),
        (16, 2, true) => Ok(Kind::Float(FloatKind::BF16)),
        _ => fail(
            UNSUPPORTED_TYPE,
            format!("floating point of {width} bits in this encoding is not supported"),
        ),
    }
}

/// The error for a value or variable of a type that this IR has no values of.
pub(crate) fn opaque_error(op: Op, milestone: &str) -> Box<base::Diagnostic> {
    unsupported(UNSUPPORTED_TYPE, format!("type {}", crate::decode::op_name(op)), milestone)
}
