//! Types of SSA values. Memory is untyped bytes; structs and arrays exist only as offsets.

use std::fmt;

/// Address space of a pointer or memory object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// Device memory behind an AXI port.
    Global,
    /// Read-only device memory, or an on-chip table when its provenance is known.
    Constant,
    /// On-chip memory of a work-group.
    Local,
    /// Memory of one work-item.
    Private,
    /// Any of global, local and private; the pointer carries a tag.
    Generic,
}

impl Space {
    /// Name in IR text.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Constant => "constant",
            Space::Local => "local",
            Space::Private => "private",
            Space::Generic => "generic",
        }
    }

    /// All spaces.
    pub const ALL: [Space; 5] =
        [Space::Global, Space::Constant, Space::Local, Space::Private, Space::Generic];
}

/// Binary floating-point formats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatKind {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

/// A set of floating-point formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloatSet(u8);

impl FloatSet {
    /// The set with one format more.
    pub fn with(self, kind: FloatKind) -> FloatSet {
        FloatSet(self.0 | 1 << kind as u8)
    }

    /// Whether a format is in it.
    pub fn has(self, kind: FloatKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// The formats of both sets.
    pub fn or(self, other: FloatSet) -> FloatSet {
        FloatSet(self.0 | other.0)
    }
}

impl FloatKind {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::F16 | FloatKind::BF16 => 16,
            FloatKind::F32 => 32,
            FloatKind::F64 => 64,
        }
    }

    /// Name in IR text.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::F16 => "f16",
            FloatKind::BF16 => "bf16",
            FloatKind::F32 => "f32",
            FloatKind::F64 => "f64",
        }
    }
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// Integer of 1..=128 bits, without sign.
    Int(u8),
    /// Floating point.
    Float(FloatKind),
    /// Pointer; its width is the module's address width.
    Ptr(Space),
}

/// Type of an SSA value: a scalar, or a vector of 2, 3, 4, 8 or 16 scalars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type {
    /// Element type.
    pub scalar: Scalar,
    /// Number of elements; 1 = scalar.
    pub lanes: u8,
}

impl Type {
    /// One bit: a condition.
    pub const BOOL: Type = Type::int(1);
    /// 8-bit integer.
    pub const I8: Type = Type::int(8);
    /// 16-bit integer.
    pub const I16: Type = Type::int(16);
    /// 32-bit integer.
    pub const I32: Type = Type::int(32);
    /// 64-bit integer.
    pub const I64: Type = Type::int(64);
    /// Single precision.
    pub const F32: Type = Type::float(FloatKind::F32);
    /// Double precision.
    pub const F64: Type = Type::float(FloatKind::F64);

    /// Integer of `width` bits (1..=128).
    pub const fn int(width: u32) -> Type {
        Type { scalar: Scalar::Int(width as u8), lanes: 1 }
    }

    /// Floating-point scalar.
    pub const fn float(kind: FloatKind) -> Type {
        Type { scalar: Scalar::Float(kind), lanes: 1 }
    }

    /// Pointer into `space`.
    pub const fn ptr(space: Space) -> Type {
        Type { scalar: Scalar::Ptr(space), lanes: 1 }
    }

    /// This element type with another number of lanes.
    pub const fn with_lanes(self, lanes: u8) -> Type {
        Type { scalar: self.scalar, lanes }
    }

    /// The element type.
    pub const fn lane(self) -> Type {
        self.with_lanes(1)
    }

    /// Whether it has more than one lane.
    pub const fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// Whether the element is an integer.
    pub const fn is_int(self) -> bool {
        matches!(self.scalar, Scalar::Int(_))
    }

    /// Whether the element is floating point.
    pub const fn is_float(self) -> bool {
        matches!(self.scalar, Scalar::Float(_))
    }

    /// The format of a floating-point element.
    pub const fn float_kind(self) -> Option<FloatKind> {
        match self.scalar {
            Scalar::Float(k) => Some(k),
            _ => None,
        }
    }

    /// The space of a pointer element.
    pub const fn space(self) -> Option<Space> {
        match self.scalar {
            Scalar::Ptr(s) => Some(s),
            _ => None,
        }
    }

    /// Bits of one lane, given the module's address width.
    pub fn lane_bits(self, addr_bits: u32) -> u32 {
        match self.scalar {
            Scalar::Int(w) => u32::from(w),
            Scalar::Float(k) => k.bits(),
            Scalar::Ptr(_) => addr_bits,
        }
    }

    /// Bits of the whole value, without memory padding.
    pub fn bits(self, addr_bits: u32) -> u32 {
        self.lane_bits(addr_bits) * u32::from(self.lanes)
    }

    /// Bytes that a load or store of this type touches. A 3-vector touches 3 elements
    /// although OpenCL gives it the size of 4. i1 is not a memory type.
    pub fn mem_bytes(self, addr_bits: u32) -> u32 {
        self.lane_bits(addr_bits).div_ceil(8) * u32::from(self.lanes)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes > 1 {
            write!(f, "v{}", self.lanes)?;
        }
        match self.scalar {
            Scalar::Int(w) => write!(f, "i{w}"),
            Scalar::Float(k) => f.write_str(k.name()),
            Scalar::Ptr(s) => write!(f, "ptr.{}", s.name()),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
