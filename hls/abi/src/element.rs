//! Scalar and vector types as the host sees them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A scalar type of OpenCL C with a fixed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalarType {
    /// `char`
    I8,
    /// `uchar`
    U8,
    /// `short`
    I16,
    /// `ushort`
    U16,
    /// `int`
    I32,
    /// `uint`
    U32,
    /// `long`
    I64,
    /// `ulong`
    U64,
    /// `half`
    F16,
    /// `float`
    F32,
    /// `double`
    F64,
}

impl ScalarType {
    /// All of them, integers first, in the order of size.
    pub const ALL: [ScalarType; 11] = [
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::F16,
        Self::F32,
        Self::F64,
    ];

    /// The integers, in the order of size.
    pub const INTEGERS: [ScalarType; 8] =
        [Self::I8, Self::U8, Self::I16, Self::U16, Self::I32, Self::U32, Self::I64, Self::U64];

    /// Size in bits.
    pub fn bits(self) -> u32 {
        8 * self.bytes()
    }

    /// Size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Whether values are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Whether values are integers with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// The signed integer of the same size.
    pub fn signed(self) -> Self {
        match self.bytes() {
            1 => Self::I8,
            2 => Self::I16,
            4 => Self::I32,
            _ => Self::I64,
        }
    }

    /// The unsigned integer of the same size.
    pub fn unsigned(self) -> Self {
        match self.bytes() {
            1 => Self::U8,
            2 => Self::U16,
            4 => Self::U32,
            _ => Self::U64,
        }
    }

    /// Its name in OpenCL C.
    pub fn opencl_name(self) -> &'static str {
        match self {
            Self::I8 => "char",
            Self::U8 => "uchar",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::I64 => "long",
            Self::U64 => "ulong",
            Self::F16 => "half",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// Short name: `i32`, `u8`, `f64`. The spelling of the manifest and of command-line values.
    pub fn name(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The type with this short name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The type OpenCL C calls by this name (`uint`, `unsigned int`, `half`...); `size_t` and the
    /// like, whose size depends on the device, are not known.
    fn from_opencl(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "signed char" => Self::I8,
            "uchar" | "unsigned char" => Self::U8,
            "short" => Self::I16,
            "ushort" | "unsigned short" => Self::U16,
            "int" => Self::I32,
            "uint" | "unsigned int" | "unsigned" => Self::U32,
            "long" => Self::I64,
            "ulong" | "unsigned long" => Self::U64,
            "half" => Self::F16,
            "float" => Self::F32,
            "double" => Self::F64,
            _ => return None,
        })
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar (`lanes` = 1) or an OpenCL vector of 2, 3, 4, 8 or 16 lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ElementType {
    /// Type of each lane.
    pub scalar: ScalarType,
    /// Number of lanes: 1, 2, 3, 4, 8 or 16.
    pub lanes: u32,
}

impl ElementType {
    /// A scalar.
    pub fn scalar(scalar: ScalarType) -> Self {
        Self { scalar, lanes: 1 }
    }

    /// Size in memory in bytes; a vector of 3 lanes takes the room of 4 (OpenCL C, section 6.1.5).
    pub fn bytes(self) -> u32 {
        let lanes = if self.lanes == 3 { 4 } else { self.lanes };
        self.scalar.bytes() * lanes
    }

    /// The type that OpenCL C spells `name`: `float`, `uint4`, `unsigned int`, and for a pointer,
    /// `float4*`, that of what it points to. `None` for structures and everything else.
    pub fn from_opencl_name(name: &str) -> Option<Self> {
        let name = name.trim().trim_end_matches('*').trim_end();
        if let Some(scalar) = ScalarType::from_opencl(name) {
            return Some(Self { scalar, lanes: 1 });
        }
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (base, lanes) = name.split_at(name.len() - digits);
        let lanes = lanes.parse().ok()?;
        if !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
            return None;
        }
        let scalar = ScalarType::from_opencl(base)?;
        Some(Self { scalar, lanes })
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => write!(f, "{}", self.scalar),
            lanes => write!(f, "{}x{lanes}", self.scalar),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opencl_names_are_understood() {
        let ty = |name| ElementType::from_opencl_name(name).map(|t| t.to_string());
        assert_eq!(ty("float").as_deref(), Some("f32"));
        assert_eq!(ty("uint4").as_deref(), Some("u32x4"));
        assert_eq!(ty("unsigned char").as_deref(), Some("u8"));
        assert_eq!(ty("double16*").as_deref(), Some("f64x16"));
        assert_eq!(ty("int5"), None);
        assert_eq!(ty("struct point"), None);
        assert_eq!(ty("size_t"), None);
    }

    #[test]
    fn three_lanes_take_the_room_of_four() {
        let size = |name| ElementType::from_opencl_name(name).map(ElementType::bytes);
        assert_eq!(size("float3"), Some(16));
        assert_eq!(size("char3"), Some(4));
        assert_eq!(size("short8"), Some(16));
    }
}
