//! Images: the descriptor that a kernel gets for an image argument, texel formats, and samplers.
//!
//! A descriptor is [`ImageDescriptor::BYTES`] bytes by value, laid out as [`field`] says. What a kernel needs to read and
//! write texels of a format that is not known before the launch stands in one of its words, [`decode`]. `docs/images.md`
//! describes all of it.

pub mod level;

use serde::{Deserialize, Serialize};

/// Byte offsets in a descriptor; all numbers are little endian.
pub mod field {
    /// Device address of the first texel, 8 bytes; a multiple of [`BUFFER_ALIGN`](crate::BUFFER_ALIGN).
    pub const TEXELS: u32 = 0;
    /// Bytes from a slice or layer to the next, 8 bytes.
    pub const SLICE_PITCH: u32 = 8;
    /// Bytes from a row to the next, 4 bytes.
    pub const ROW_PITCH: u32 = 16;
    /// Texels of a row, 4 bytes.
    pub const WIDTH: u32 = 20;
    /// Rows, 4 bytes; 1 for images of one dimension.
    pub const HEIGHT: u32 = 24;
    /// Slices of an image of three dimensions, layers of an array, 4 bytes; else 1.
    pub const DEPTH: u32 = 28;
    /// The channel order as OpenCL's host API numbers it, 4 bytes.
    pub const ORDER: u32 = 32;
    /// The channel data type as OpenCL's host API numbers it, 4 bytes.
    pub const DATA_TYPE: u32 = 36;
    /// How texels are read and written, 4 bytes: see [`super::decode`].
    pub const DECODE: u32 = 40;
    /// Mip levels, 4 bytes; 1 for images without.
    pub const LEVELS: u32 = 44;
}

/// Bytes of the aligned units that kernels read texels in: up to 15 bytes behind the last texel are read, too, and ignored.
pub const TEXEL_ALIGN: u64 = 16;

/// Bit fields of the word that says how texels are read and written: lowest bit and width.
pub mod decode {
    /// log2 of a texel's bytes, 0 to 4.
    pub const TEXEL_LOG2: (u8, u32) = (0, 3);
    /// log2 of a channel's bytes, 0 to 2; 0 in packed formats.
    pub const CHANNEL_LOG2: (u8, u32) = (3, 2);
    /// What a channel holds: a [`Class`].
    pub const CLASS: (u8, u32) = (5, 4);
    /// Where each component of a color that is read comes from, red first, 3 bits each: the number of a channel of the
    /// texel, [`ZERO`] or [`ONE`].
    pub const READ: (u8, u32) = (9, 12);
    /// Whether the border color has alpha 1.
    pub const BORDER_ALPHA: (u8, u32) = (21, 1);
    /// Which component of a color that is written each channel of the texel takes, 2 bits each.
    pub const WRITE: (u8, u32) = (22, 8);

    /// A component that is 0.
    pub const ZERO: u32 = 4;
    /// A component that is 1.
    pub const ONE: u32 = 5;

    /// What a channel holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    #[repr(u32)]
    pub enum Class {
        /// Unsigned, 0 to 1.
        Unorm = 0,
        /// Signed, -1 to 1.
        Snorm = 1,
        /// `half` or `float`.
        Float = 2,
        /// Signed integers.
        Signed = 3,
        /// Unsigned integers.
        Unsigned = 4,
        /// Like `Unorm` of 8 bits; all but alpha in sRGB's nonlinear space.
        Srgb = 5,
        /// 5, 6 and 5 bits, the first channel in the upper bits; so all that follow.
        Packed565 = 6,
        /// 5, 5 and 5 bits.
        Packed555 = 7,
        /// 10, 10 and 10 bits.
        Packed101010 = 8,
        /// 10, 10, 10 and 2 bits.
        Packed1010102 = 9,
    }
}

use decode::{Class, ONE, ZERO};

/// The meaning of a texel's channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ChannelOrder {
    R,
    A,
    RG,
    RA,
    RGB,
    RGBA,
    BGRA,
    ARGB,
    Intensity,
    Luminance,
    Rx,
    RGx,
    RGBx,
    Depth,
    SRGB,
    SRGBx,
    SRGBA,
    SBGRA,
    ABGR,
}

/// What a channel holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ChannelType {
    SnormInt8,
    SnormInt16,
    UnormInt8,
    UnormInt16,
    UnormShort565,
    UnormShort555,
    UnormInt101010,
    SignedInt8,
    SignedInt16,
    SignedInt32,
    UnsignedInt8,
    UnsignedInt16,
    UnsignedInt32,
    HalfFloat,
    Float,
    UnormInt101010_2,
}

impl ChannelOrder {
    /// All of them with the number that OpenCL's host API has for each, and the name by which launch files call it.
    pub const ALL: [(ChannelOrder, u32, &'static str); 19] = [
        (Self::R, 0x10B0, "r"),
        (Self::A, 0x10B1, "a"),
        (Self::RG, 0x10B2, "rg"),
        (Self::RA, 0x10B3, "ra"),
        (Self::RGB, 0x10B4, "rgb"),
        (Self::RGBA, 0x10B5, "rgba"),
        (Self::BGRA, 0x10B6, "bgra"),
        (Self::ARGB, 0x10B7, "argb"),
        (Self::Intensity, 0x10B8, "intensity"),
        (Self::Luminance, 0x10B9, "luminance"),
        (Self::Rx, 0x10BA, "rx"),
        (Self::RGx, 0x10BB, "rgx"),
        (Self::RGBx, 0x10BC, "rgbx"),
        (Self::Depth, 0x10BD, "depth"),
        (Self::SRGB, 0x10BF, "srgb"),
        (Self::SRGBx, 0x10C0, "srgbx"),
        (Self::SRGBA, 0x10C1, "srgba"),
        (Self::SBGRA, 0x10C2, "sbgra"),
        (Self::ABGR, 0x10C3, "abgr"),
    ];

    /// The number that OpenCL's host API has for it.
    pub fn number(self) -> u32 {
        Self::ALL[self as usize].1
    }

    /// Name in launch files.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Channels of a texel that is not packed.
    pub fn channels(self) -> u32 {
        use ChannelOrder::*;
        match self {
            R | A | Rx | Intensity | Luminance | Depth => 1,
            RG | RA | RGx => 2,
            RGB | RGBx | SRGB => 3,
            RGBA | BGRA | ARGB | ABGR | SRGBx | SRGBA | SBGRA => 4,
        }
    }

    /// Where red, green, blue and alpha come from; see [`decode::READ`].
    fn read(self) -> [u32; 4] {
        use ChannelOrder::*;
        match self {
            R | Rx | Depth => [0, ZERO, ZERO, ONE],
            A => [ZERO, ZERO, ZERO, 0],
            RG | RGx => [0, 1, ZERO, ONE],
            RA => [0, ZERO, ZERO, 1],
            RGB | RGBx | SRGB | SRGBx => [0, 1, 2, ONE],
            RGBA | SRGBA => [0, 1, 2, 3],
            BGRA | SBGRA => [2, 1, 0, 3],
            ARGB => [1, 2, 3, 0],
            ABGR => [3, 2, 1, 0],
            Intensity => [0; 4],
            Luminance => [0, 0, 0, ONE],
        }
    }

    /// What the channels of a texel take; see [`decode::WRITE`].
    fn write(self) -> [u32; 4] {
        use ChannelOrder::*;
        match self {
            A => [3, 0, 0, 0],
            RA => [0, 3, 0, 0],
            BGRA | SBGRA => [2, 1, 0, 3],
            ARGB => [3, 0, 1, 2],
            ABGR => [3, 2, 1, 0],
            R | Rx | Depth | RG | RGx | RGB | RGBx | SRGB | SRGBx | RGBA | SRGBA | Intensity
            | Luminance => [0, 1, 2, 3],
        }
    }

    /// Whether colors outside the image have alpha 1. OpenCL C does not name `CL_sRGB` there, which is like `CL_RGB`.
    pub fn border_is_opaque(self) -> bool {
        use ChannelOrder::*;
        matches!(self, R | RG | RGB | SRGB | Luminance)
    }
}

impl ChannelType {
    /// All of them with the number that OpenCL's host API has for each, and the name by which launch files call it.
    pub const ALL: [(ChannelType, u32, &'static str); 16] = [
        (Self::SnormInt8, 0x10D0, "snorm8"),
        (Self::SnormInt16, 0x10D1, "snorm16"),
        (Self::UnormInt8, 0x10D2, "unorm8"),
        (Self::UnormInt16, 0x10D3, "unorm16"),
        (Self::UnormShort565, 0x10D4, "unorm565"),
        (Self::UnormShort555, 0x10D5, "unorm555"),
        (Self::UnormInt101010, 0x10D6, "unorm101010"),
        (Self::SignedInt8, 0x10D7, "int8"),
        (Self::SignedInt16, 0x10D8, "int16"),
        (Self::SignedInt32, 0x10D9, "int32"),
        (Self::UnsignedInt8, 0x10DA, "uint8"),
        (Self::UnsignedInt16, 0x10DB, "uint16"),
        (Self::UnsignedInt32, 0x10DC, "uint32"),
        (Self::HalfFloat, 0x10DD, "half"),
        (Self::Float, 0x10DE, "float"),
        (Self::UnormInt101010_2, 0x10E0, "unorm101010_2"),
    ];

    /// The number that OpenCL's host API has for it.
    pub fn number(self) -> u32 {
        Self::ALL[self as usize].1
    }

    /// Name in launch files.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Whether all channels of a texel stand in one number.
    pub fn is_packed(self) -> bool {
        use ChannelType::*;
        matches!(self, UnormShort565 | UnormShort555 | UnormInt101010 | UnormInt101010_2)
    }

    /// Bytes of a channel, or of the whole texel in packed formats.
    pub fn bytes(self) -> u32 {
        use ChannelType::*;
        match self {
            SnormInt8 | UnormInt8 | SignedInt8 | UnsignedInt8 => 1,
            SnormInt16 | UnormInt16 | SignedInt16 | UnsignedInt16 | HalfFloat => 2,
            UnormShort565 | UnormShort555 => 2,
            SignedInt32 | UnsignedInt32 | Float | UnormInt101010 | UnormInt101010_2 => 4,
        }
    }

    /// Whether texels are read and written as signed or unsigned integers.
    pub fn is_integer(self) -> bool {
        matches!(self.class(), Class::Signed | Class::Unsigned)
    }

    fn class(self) -> Class {
        use ChannelType::*;
        match self {
            SnormInt8 | SnormInt16 => Class::Snorm,
            UnormInt8 | UnormInt16 => Class::Unorm,
            UnormShort565 => Class::Packed565,
            UnormShort555 => Class::Packed555,
            UnormInt101010 => Class::Packed101010,
            UnormInt101010_2 => Class::Packed1010102,
            SignedInt8 | SignedInt16 | SignedInt32 => Class::Signed,
            UnsignedInt8 | UnsignedInt16 | UnsignedInt32 => Class::Unsigned,
            HalfFloat | Float => Class::Float,
        }
    }
}

/// A texel format that OpenCL has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ImageFormat {
    /// The meaning of its channels.
    pub order: ChannelOrder,
    /// What they hold.
    pub data_type: ChannelType,
}

impl ImageFormat {
    /// Whether texels are depths: kernels read and write one number.
    pub fn is_depth(self) -> bool {
        self.order == ChannelOrder::Depth
    }

    /// The format, if there is one: not all orders go with all types.
    pub fn new(order: ChannelOrder, data_type: ChannelType) -> Option<Self> {
        use ChannelOrder::*;
        use ChannelType::*;
        let exists = match order {
            R | Rx | A | RG | RGx | RA => !data_type.is_packed(),
            RGBA => data_type == UnormInt101010_2 || !data_type.is_packed(),
            Intensity | Luminance => matches!(
                data_type,
                UnormInt8 | UnormInt16 | SnormInt8 | SnormInt16 | HalfFloat | Float
            ),
            Depth => matches!(data_type, UnormInt16 | Float),
            RGB | RGBx => {
                matches!(data_type, UnormShort565 | UnormShort555 | UnormInt101010)
            }
            ARGB | BGRA | ABGR => {
                matches!(data_type, UnormInt8 | SnormInt8 | SignedInt8 | UnsignedInt8)
            }
            SRGB | SRGBx | SRGBA | SBGRA => data_type == UnormInt8,
        };
        exists.then_some(ImageFormat { order, data_type })
    }

    /// The format with these numbers of OpenCL's host API.
    pub fn from_numbers(order: u32, data_type: u32) -> Option<Self> {
        let (order, ..) = ChannelOrder::ALL.into_iter().find(|(_, n, _)| *n == order)?;
        let (data_type, ..) = ChannelType::ALL.into_iter().find(|(_, n, _)| *n == data_type)?;
        Self::new(order, data_type)
    }

    /// The format with these names of launch files.
    pub fn from_names(order: &str, data_type: &str) -> Option<Self> {
        let (order, ..) = ChannelOrder::ALL.into_iter().find(|(.., n)| *n == order)?;
        let (data_type, ..) = ChannelType::ALL.into_iter().find(|(.., n)| *n == data_type)?;
        Self::new(order, data_type)
    }

    /// Its names in launch files: `rgba:unorm8`.
    pub fn names(self) -> String {
        let order = ChannelOrder::ALL.into_iter().find(|(o, ..)| *o == self.order);
        let ty = ChannelType::ALL.into_iter().find(|(t, ..)| *t == self.data_type);
        format!("{}:{}", order.map_or("", |(.., n)| n), ty.map_or("", |(.., n)| n))
    }

    /// All formats, in the order of [`ChannelOrder::ALL`] and [`ChannelType::ALL`].
    pub fn all() -> impl Iterator<Item = ImageFormat> {
        ChannelOrder::ALL.into_iter().flat_map(|(order, ..)| {
            ChannelType::ALL.into_iter().filter_map(move |(ty, ..)| Self::new(order, ty))
        })
    }

    /// Bytes of a texel in memory that kernels read and write: 1, 2, 4, 8 or 16. A texel then never crosses the end of an
    /// aligned unit of [`TEXEL_ALIGN`] bytes, so that one access gets it.
    pub fn texel_bytes(self) -> u32 {
        self.element_bytes().next_power_of_two()
    }

    /// Bytes of a texel in arrays of the program that has the image: as many as for kernels, except three in `CL_sRGB`. Such
    /// a texel is the first three bytes of what kernels have; the fourth tells nothing.
    pub fn element_bytes(self) -> u32 {
        match self.data_type.is_packed() {
            true => self.data_type.bytes(),
            false => self.data_type.bytes() * self.order.channels(),
        }
    }

    /// Whether its colors are in sRGB's nonlinear space.
    pub fn is_srgb(self) -> bool {
        use ChannelOrder::*;
        matches!(self.order, SRGB | SRGBx | SRGBA | SBGRA)
    }

    /// The word that says how texels are read and written: see [`decode`].
    pub fn decode(self) -> u32 {
        let class = if self.is_srgb() { Class::Srgb } else { self.data_type.class() };
        let channel = if self.data_type.is_packed() { 0 } else { self.data_type.bytes().ilog2() };
        let list = |values: [u32; 4], bits: u32| {
            values.iter().rev().fold(0, |word, value| word << bits | value)
        };
        let at = |value: u32, place: (u8, u32)| value << place.0;
        at(self.texel_bytes().ilog2(), decode::TEXEL_LOG2)
            | at(channel, decode::CHANNEL_LOG2)
            | at(class as u32, decode::CLASS)
            | at(list(self.order.read(), 3), decode::READ)
            | at(u32::from(self.order.border_is_opaque()), decode::BORDER_ALPHA)
            | at(list(self.order.write(), 2), decode::WRITE)
    }
}

/// An image as a kernel gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDescriptor {
    /// Device address of the first texel, a multiple of [`BUFFER_ALIGN`](crate::BUFFER_ALIGN).
    pub texels: u64,
    /// Bytes from a slice or layer to the next.
    pub slice_pitch: u64,
    /// Bytes from a row to the next.
    pub row_pitch: u32,
    /// Texels of a row.
    pub width: u32,
    /// Rows; 1 for images of one dimension.
    pub height: u32,
    /// Slices of an image of three dimensions, layers of an array, else 1.
    pub depth: u32,
    /// Format of the texels.
    pub format: ImageFormat,
    /// Mip levels, 1 for images without. Those behind the first stand behind it in each row: [`level`].
    pub levels: u32,
}

impl ImageDescriptor {
    /// Bytes of a descriptor.
    pub const BYTES: u32 = 48;
    /// Alignment of a descriptor in memory.
    pub const ALIGN: u32 = 8;

    /// An image whose texels stand without gaps.
    pub fn packed(format: ImageFormat, sizes: [u32; 3]) -> Self {
        Self::with_levels(format, sizes, 1)
    }

    /// An image with this many mip levels whose rows stand without gaps.
    pub fn with_levels(format: ImageFormat, [width, height, depth]: [u32; 3], levels: u32) -> Self {
        let row_pitch = level::columns(width, levels) * format.texel_bytes();
        let slice_pitch = u64::from(row_pitch) * u64::from(height);
        ImageDescriptor { texels: 0, slice_pitch, row_pitch, width, height, depth, format, levels }
    }

    /// The descriptor's bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES as usize] {
        let mut bytes = [0; Self::BYTES as usize];
        let mut put = |at: u32, value: &[u8]| {
            bytes[at as usize..][..value.len()].copy_from_slice(value);
        };
        put(field::TEXELS, &self.texels.to_le_bytes());
        put(field::SLICE_PITCH, &self.slice_pitch.to_le_bytes());
        for (at, word) in [
            (field::ROW_PITCH, self.row_pitch),
            (field::WIDTH, self.width),
            (field::HEIGHT, self.height),
            (field::DEPTH, self.depth),
            (field::ORDER, self.format.order.number()),
            (field::DATA_TYPE, self.format.data_type.number()),
            (field::DECODE, self.format.decode()),
            (field::LEVELS, self.levels),
        ] {
            put(at, &word.to_le_bytes());
        }
        bytes
    }

    /// What a descriptor's bytes say; none if there are no such images.
    pub fn from_bytes(bytes: &[u8; Self::BYTES as usize]) -> Option<Self> {
        let word = |at: u32| {
            let word = bytes[at as usize..].first_chunk().copied();
            word.map_or(0, u32::from_le_bytes)
        };
        let wide = |at: u32| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let image = ImageDescriptor {
            texels: wide(field::TEXELS),
            slice_pitch: wide(field::SLICE_PITCH),
            row_pitch: word(field::ROW_PITCH),
            width: word(field::WIDTH),
            height: word(field::HEIGHT),
            depth: word(field::DEPTH),
            format: ImageFormat::from_numbers(word(field::ORDER), word(field::DATA_TYPE))?,
            levels: word(field::LEVELS),
        };
        (image.to_bytes() == *bytes).then_some(image)
    }
}

/// Samplers: a 32-bit word, with the bits that OpenCL C's `CLK_` constants have.
pub mod sampler {
    /// Coordinates go from 0 to 1.
    pub const NORMALIZED: u32 = 1;
    /// The bits of the addressing mode.
    pub const ADDRESS: u32 = 0xE;
    /// Coordinates are inside the image.
    pub const NONE: u32 = 0;
    /// Outside stands the texel at the edge.
    pub const CLAMP_TO_EDGE: u32 = 2;
    /// Outside stands the border color.
    pub const CLAMP: u32 = 4;
    /// The image is repeated; normalized coordinates only.
    pub const REPEAT: u32 = 6;
    /// The image is repeated, every other time mirrored; normalized coordinates only.
    pub const MIRRORED_REPEAT: u32 = 8;
    /// The nearest texel.
    pub const NEAREST: u32 = 0x10;
    /// Weighted by distance.
    pub const LINEAR: u32 = 0x20;
    /// Between the two nearest mip levels, weighted by distance; otherwise the nearest level.
    pub const MIP_LINEAR: u32 = 0x40;
    /// Lowest bit and width of the least level of detail: a fixed-point number with [`LOD_FRACTION`] bits of fraction.
    pub const LOD_MIN: (u8, u32) = (8, 12);
    /// Lowest bit and width of the largest level of detail, likewise, with all its bits inverted: zeros are no limit.
    pub const LOD_MAX: (u8, u32) = (20, 12);
    /// Bits behind the point of both.
    pub const LOD_FRACTION: u32 = 8;

    /// The bits of a sampler's word that limit the level of detail, to the nearest that the word can hold.
    pub fn lod_limits(min: f32, max: f32) -> u32 {
        let most = (1u32 << LOD_MIN.1) - 1;
        let scale = (1u32 << LOD_FRACTION) as f32;
        // a cast limits what is too small or too large, and makes NaN 0
        let fixed = |x: f32| ((x * scale).round_ties_even() as u32).min(most);
        fixed(min) << LOD_MIN.0 | (most - fixed(max)) << LOD_MAX.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_in_the_order_of_the_enumerations() {
        for (k, (order, ..)) in ChannelOrder::ALL.into_iter().enumerate() {
            assert_eq!(order as usize, k);
        }
        for (k, (ty, ..)) in ChannelType::ALL.into_iter().enumerate() {
            assert_eq!(ty as usize, k);
        }
    }

    #[test]
    fn texels_have_a_power_of_two_of_bytes() {
        assert!(ImageFormat::all().all(|f| [1, 2, 4, 8, 16].contains(&f.texel_bytes())));
        let others: Vec<String> = ImageFormat::all()
            .filter(|f| f.element_bytes() != f.texel_bytes())
            .map(ImageFormat::names)
            .collect();
        assert_eq!(others, ["srgb:unorm8"]);
        let of = |order, ty| ImageFormat::from_names(order, ty).map(ImageFormat::texel_bytes);
        assert_eq!(of("rgba", "float"), Some(16));
        assert_eq!(of("rgb", "unorm565"), Some(2));
        assert_eq!(of("bgra", "unorm8"), Some(4));
        assert_eq!(of("srgb", "unorm8"), Some(4));
        assert_eq!(of("rgb", "unorm8"), None);
        assert_eq!(of("bgra", "float"), None);
    }

    #[test]
    fn limits_of_the_level_of_detail_are_rounded_and_none_is_zero() {
        use sampler::lod_limits;
        assert_eq!(lod_limits(0.0, f32::MAX), 0);
        assert_eq!(lod_limits(-3.0, f32::INFINITY), 0);
        assert_eq!(lod_limits(1.5, 3.0), 0x180 << 8 | (0xFFF - 0x300) << 20);
        assert_eq!(lod_limits(0.0, 0.0), 0xFFF << 20);
        assert_eq!(lod_limits(1.0 / 512.0, 99.0), 0, "to even");
    }

    #[test]
    fn a_descriptor_has_its_fields_where_they_are_documented() {
        let format = ImageFormat::from_numbers(0x10B6, 0x10D2).expect("BGRA, UNORM_INT8");
        let image = ImageDescriptor {
            texels: 0x1234_5678_9ABC_DEF0,
            ..ImageDescriptor::packed(format, [5, 3, 2])
        };
        let bytes = image.to_bytes();
        assert_eq!(bytes[..8], 0x1234_5678_9ABC_DEF0u64.to_le_bytes());
        assert_eq!(bytes[8..16], 60u64.to_le_bytes());
        assert_eq!(bytes[16..20], 20u32.to_le_bytes());
        assert_eq!([bytes[20], bytes[24], bytes[28]], [5, 3, 2]);
        assert_eq!(bytes[32..40], [0xB6, 0x10, 0, 0, 0xD2, 0x10, 0, 0]);
        // texel of 4 bytes; red from channel 2, green 1, blue 0, alpha 3; transparent border
        let word = u32::from_le_bytes(bytes[40..44].try_into().expect("4 bytes"));
        assert_eq!(word & 0x7F, 2);
        assert_eq!(word >> 9 & 0x1FFF, 0o3012);
        assert_eq!(word >> 22, 0b11_00_01_10);
        assert_eq!(ImageDescriptor::from_bytes(&bytes), Some(image));
        assert_eq!(ImageDescriptor::from_bytes(&[0; 48]), None, "there is no such format");
        let mut other = bytes;
        other[40] ^= 1;
        assert_eq!(ImageDescriptor::from_bytes(&other), None, "the format's bits are others");
    }
}
