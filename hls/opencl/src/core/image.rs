//! What a memory object that is an image has besides: its kind, format and layout.

use super::Status;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::{cl_image_desc, cl_image_format};
use abi::image::level;
use abi::srgb::nonlinear;
use abi::{ChannelOrder, ChannelType, ImageDescriptor, ImageFormat};
use std::ffi::c_void;

/// Largest sizes of images.
pub const MAX_2D: usize = 16384;
/// Of images of three dimensions, along each.
pub const MAX_3D: usize = 2048;
/// Most layers of an array.
pub const MAX_LAYERS: usize = 2048;
/// Where the first texel stands: a multiple of so many bytes.
pub const TEXEL_ALIGN: u64 = 64;
/// Most texels of an image of one dimension that is made of a buffer.
pub const MAX_BUFFER: usize = 1 << 24;

/// Layout of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// `CL_MEM_OBJECT_IMAGE2D`...
    pub kind: u32,
    /// Format of the texels.
    pub format: ImageFormat,
    /// Texels of a row.
    pub width: usize,
    /// Rows; 0 for images of one dimension.
    pub height: usize,
    /// Slices; 0 for images of less than three dimensions.
    pub depth: usize,
    /// Layers; 0 for images that are no arrays.
    pub layers: usize,
    /// Bytes from a row to the next, where the program has the image.
    pub row_pitch: usize,
    /// Bytes from a slice or layer to the next, likewise; 0 if there are none.
    pub slice_pitch: usize,
    /// Mip levels as they were asked for: 0 and 1 both mean that there are none but the first.
    pub levels: u32,
}

/// Where the texels of a new image come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It gets memory of its own; maybe from memory of the host, which has pitches.
    New {
        /// Whether there is such memory.
        has_host_ptr: bool,
    },
    /// It shares a buffer's memory.
    Buffer,
    /// It shares the memory of another image.
    Image(Image),
}

/// Rows of bytes at equal distances, in slices at equal distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where the first row begins.
    pub start: usize,
    /// Bytes of a row.
    pub bytes: usize,
    /// Rows of a slice.
    pub rows: usize,
    /// From a row to the next.
    pub row_pitch: usize,
    /// Slices.
    pub slices: usize,
    /// From a slice to the next.
    pub slice_pitch: usize,
    /// Bytes of which one of a row follows another: those of a texel.
    pub unit: usize,
}

impl Span {
    /// Bytes without gaps.
    pub fn line(start: usize, bytes: usize) -> Self {
        Span { start, bytes, rows: 1, row_pitch: bytes, slices: 1, slice_pitch: bytes, unit: 1 }
    }

    /// Where its rows begin.
    pub fn starts(self) -> impl Iterator<Item = usize> {
        (0..self.slices).flat_map(move |z| {
            (0..self.rows).map(move |y| self.start + y * self.row_pitch + z * self.slice_pitch)
        })
    }

    /// First byte after the last row.
    pub fn end(self) -> Option<usize> {
        let slices = (self.slices - 1).checked_mul(self.slice_pitch)?;
        let rows = (self.rows - 1).checked_mul(self.row_pitch)?;
        self.start.checked_add(slices)?.checked_add(rows)?.checked_add(self.bytes)
    }

    /// Copies the rows of another span, which has as many with as many texels. Where the texels of one have more bytes, their
    /// last ones are those that tell nothing.
    pub fn copy(self, to: Ptr<c_void>, from: Ptr<c_void>, source: Span) {
        for (target, start) in self.starts().zip(source.starts()) {
            let (to, from) = (to.offset(target), from.offset(start));
            if self.unit == source.unit {
                to.copy_from(from, self.bytes);
                continue;
            }
            for k in 0..self.bytes / self.unit {
                let (to, from) = (to.offset(k * self.unit), from.offset(k * source.unit));
                to.copy_from(from, self.unit.min(source.unit));
            }
        }
    }
}

/// A part of a memory object: where kernels and commands have it, and where it is mapped. Both have as many rows and texels,
/// and are the same but in images whose texels have fewer bytes for the program than for kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// In the object's memory.
    pub stored: Span,
    /// In memory that is mapped.
    pub mapped: Span,
}

impl Part {
    /// The same in both.
    pub fn plain(span: Span) -> Self {
        Part { stored: span, mapped: span }
    }
}

/// Texels of a mip level of an image: where the box begins and how large it is, along rows, columns and slices or layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texels {
    level: u32,
    origin: [usize; 3],
    size: [usize; 3],
}

impl Image {
    /// Reads what an image is to be like; its sizes are those that devices have.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`, also if it is no view of the image that it is made of;
    /// `CL_IMAGE_FORMAT_NOT_SUPPORTED`, `CL_INVALID_IMAGE_DESCRIPTOR`, `CL_INVALID_IMAGE_SIZE`
    pub fn new(
        format: Option<cl_image_format>,
        desc: Option<cl_image_desc>,
        flags: u64,
        origin: Origin,
    ) -> Status<Self> {
        let format = format.ok_or(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
        let desc = desc.ok_or(CL_INVALID_IMAGE_DESCRIPTOR)?;
        let (order, data_type) = (format.image_channel_order, format.image_channel_data_type);
        let format = ImageFormat::from_numbers(order, data_type)
            .ok_or(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
        let kind = desc.image_type;
        if !(CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&kind)
            || desc.num_samples != 0
        {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        let mut image = Image {
            kind,
            format,
            width: desc.image_width,
            height: if axes(kind) >= 2 { desc.image_height } else { 0 },
            depth: if axes(kind) == 3 { desc.image_depth } else { 0 },
            layers: if arrayed(kind) { desc.image_array_size } else { 0 },
            row_pitch: desc.image_row_pitch,
            slice_pitch: desc.image_slice_pitch,
            levels: desc.num_mip_levels,
        };
        let exists = match origin {
            Origin::New { .. } => kind != CL_MEM_OBJECT_IMAGE1D_BUFFER,
            Origin::Buffer => {
                matches!(kind, CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE2D)
            }
            Origin::Image(parent) => [kind, parent.kind] == [CL_MEM_OBJECT_IMAGE2D; 2],
        };
        if !exists {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        image.check_sizes()?;
        image.check_levels(flags, origin)?;
        if !supported(kind).any(|f| f == format) {
            return Err(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        }
        image.fill_in_pitches(origin)?;
        match origin {
            // A buffer's texels are where kernels have them. This is the error that the conformance tests know for formats
            // that images have, but not those of buffers.
            Origin::Buffer if image.is_converted() => Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
            Origin::Image(parent) if !image.is_view_of(&parent) => {
                Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
            }
            _ => Ok(image),
        }
    }

    /// Whether it has the texels of another image in a channel order that these can be seen in. The specification allows more
    /// pairs, `CL_sRGB` and `CL_RGB`, `CL_sRGBx` and `CL_RGBx`: there is no data type that both of such a pair go with.
    fn is_view_of(&self, other: &Image) -> bool {
        use ChannelOrder::*;
        let sees = matches!(
            (self.format.order, other.format.order),
            (SRGBA, RGBA) | (RGBA, SRGBA) | (SBGRA, BGRA) | (BGRA, SBGRA) | (Depth, R)
        );
        let levels = |image: &Image| image.levels.max(1);
        let format = ImageFormat { order: other.format.order, ..self.format };
        let same = Image { format, levels: levels(self), ..*self };
        sees && same == Image { levels: levels(other), ..*other }
    }

    fn check_sizes(&self) -> Status {
        let most = match self.kind {
            CL_MEM_OBJECT_IMAGE3D => MAX_3D,
            CL_MEM_OBJECT_IMAGE1D_BUFFER => MAX_BUFFER,
            _ => MAX_2D,
        };
        let [width, height, depth] = [self.width, self.height, self.depth];
        let mut sizes = vec![(width, most)];
        if axes(self.kind) >= 2 {
            sizes.push((height, most));
        }
        if axes(self.kind) == 3 {
            sizes.push((depth, most));
        }
        if arrayed(self.kind) {
            sizes.push((self.layers, MAX_LAYERS));
        }
        if sizes.iter().any(|(n, _)| *n == 0) {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        if sizes.iter().any(|(n, most)| n > most) { Err(CL_INVALID_IMAGE_SIZE) } else { Ok(()) }
    }

    /// There is no memory of the host with mip levels, and no buffer. The extension has no depth images with levels either,
    /// but functions that read such, and the conformance tests make them. Those also ask for levels behind one of a single
    /// texel: they have one, too.
    fn check_levels(&self, flags: u64, origin: Origin) -> Status {
        if !self.is_mipmapped() {
            return Ok(());
        }
        if origin == Origin::Buffer || self.levels > level::MAX_LEVELS {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        let takes_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        if takes_pointer { Err(CL_INVALID_VALUE) } else { Ok(()) }
    }

    /// Whether there are mip levels behind the first.
    fn is_mipmapped(&self) -> bool {
        self.levels > 1
    }

    /// Pitches are given for memory of the host, and that of rows in a buffer or another image. The conformance tests give one
    /// for the only row of an image of one dimension that is made of a buffer, too: it tells nothing.
    fn fill_in_pitches(&mut self, origin: Origin) -> Status {
        let texel = self.element_bytes();
        // the levels of an image stand in its rows, one behind the other
        let row = level::columns(self.width as u32, self.levels) as usize * texel;
        if self.kind == CL_MEM_OBJECT_IMAGE1D_BUFFER && self.row_pitch >= row {
            self.row_pitch = 0;
        }
        let slices = origin == Origin::New { has_host_ptr: true };
        let rows = slices || !matches!(origin, Origin::New { .. });
        if !rows && self.row_pitch != 0 || !slices && self.slice_pitch != 0 {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        if self.row_pitch == 0 {
            self.row_pitch = row;
        }
        if self.row_pitch < row || !self.row_pitch.is_multiple_of(texel) {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        if !has_slices(self.kind) {
            self.slice_pitch = 0;
            return Ok(());
        }
        let slice = self.row_pitch.checked_mul(self.height.max(1)).ok_or(CL_INVALID_IMAGE_SIZE)?;
        if self.slice_pitch == 0 {
            self.slice_pitch = slice;
        }
        if self.slice_pitch < slice || !self.slice_pitch.is_multiple_of(self.row_pitch) {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        Ok(())
    }

    /// `CL_IMAGE_ELEMENT_SIZE`
    pub fn element_bytes(&self) -> usize {
        self.format.element_bytes() as usize
    }

    /// Bytes of a texel where kernels have it.
    fn stored_bytes(&self) -> usize {
        self.format.texel_bytes() as usize
    }

    /// Bytes of all texels where kernels have them, with the gaps between rows and slices.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_SIZE`
    pub fn bytes(&self) -> Status<usize> {
        let texels = self.mapped_bytes()? / self.element_bytes();
        texels.checked_mul(self.stored_bytes()).ok_or(CL_INVALID_IMAGE_SIZE)
    }

    /// The same where the program has them.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_SIZE`
    pub fn mapped_bytes(&self) -> Status<usize> {
        let rows = self.row_pitch.checked_mul(self.height.max(1));
        let slices = self.depth.max(self.layers).max(1);
        let all = if has_slices(self.kind) { self.slice_pitch.checked_mul(slices) } else { rows };
        all.ok_or(CL_INVALID_IMAGE_SIZE)
    }

    /// Whether the program has the texels otherwise than kernels.
    pub fn is_converted(&self) -> bool {
        self.element_bytes() != self.stored_bytes()
    }

    /// The pitch of rows or slices where kernels have them. Pitches are whole texels.
    fn stored_pitch(&self, pitch: usize) -> usize {
        pitch / self.element_bytes() * self.stored_bytes()
    }

    /// Columns, rows, slices or layers.
    fn sizes(&self) -> [usize; 3] {
        [self.width, self.height.max(1), self.depth.max(self.layers).max(1)]
    }

    /// The same of a mip level.
    fn level_sizes(&self, number: u32) -> [usize; 3] {
        let mut sizes = self.sizes();
        for size in sizes.iter_mut().take(axes(self.kind)) {
            *size = level::size(*size as u32, number) as usize;
        }
        sizes
    }

    /// All texels of the first mip level.
    pub fn all(&self) -> Texels {
        Texels { level: 0, origin: [0; 3], size: self.sizes() }
    }

    /// The texels of a command. The origin in an image with mip levels has the number of the level behind its coordinates.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if they are not in the image, or it does not have as many dimensions; `CL_INVALID_MIP_LEVEL`
    pub fn texels(&self, origin: Ptr<usize>, region: Ptr<usize>) -> Status<Texels> {
        let triple = |p: Ptr<usize>| {
            let values = p.array(3).ok_or(CL_INVALID_VALUE)?;
            Ok::<_, i32>([values[0], values[1], values[2]])
        };
        let dimensions = axes(self.kind) + usize::from(arrayed(self.kind));
        let mut level = 0;
        let given = origin;
        let (mut origin, mut size) = (triple(origin)?, triple(region)?);
        if self.is_mipmapped() {
            let values = given.array(dimensions + 1).ok_or(CL_INVALID_VALUE)?;
            level = u32::try_from(values[dimensions])
                .ok()
                .filter(|level| *level < self.levels)
                .ok_or(CL_INVALID_MIP_LEVEL)?;
            if let Some(place) = origin.get_mut(dimensions) {
                *place = 0;
            }
        }
        let beyond = |k: usize| origin[k] != 0 || size[k] != 1;
        if size.contains(&0) || (dimensions..3).any(beyond) {
            return Err(CL_INVALID_VALUE);
        }
        if self.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY {
            // the layer is the second coordinate
            origin.swap(1, 2);
            size.swap(1, 2);
        }
        let sizes = self.level_sizes(level);
        let inside = |k: usize| origin[k].checked_add(size[k]).is_some_and(|n| n <= sizes[k]);
        if (0..3).all(inside) { Ok(Texels { level, origin, size }) } else { Err(CL_INVALID_VALUE) }
    }

    /// Where texels stand in the image's memory.
    pub fn span(&self, texels: Texels) -> Span {
        let pitches = [self.row_pitch, self.slice_pitch].map(|pitch| self.stored_pitch(pitch));
        self.span_of(texels, self.stored_bytes(), pitches)
    }

    /// Where texels stand in the image's memory, and where it is mapped.
    pub fn part(&self, texels: Texels) -> Part {
        let pitches = [self.row_pitch, self.slice_pitch];
        let mapped = self.span_of(texels, self.element_bytes(), pitches);
        Part { stored: self.span(texels), mapped }
    }

    fn span_of(&self, texels: Texels, unit: usize, [row_pitch, slice_pitch]: [usize; 2]) -> Span {
        let [x, y, z] = texels.origin;
        let x = x + level::column(self.width as u32, texels.level) as usize;
        let [columns, rows, slices] = texels.size;
        Span {
            start: x * unit + y * row_pitch + z * slice_pitch,
            bytes: columns * unit,
            rows,
            row_pitch,
            slices,
            slice_pitch,
            unit,
        }
    }

    /// Where the texels of a box stand in memory of the host with these pitches, of which 0 means none.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for pitches that do not hold the box.
    pub fn host_span(&self, texels: Texels, row_pitch: usize, slice_pitch: usize) -> Status<Span> {
        let [width, rows, slices] = texels.size;
        let unit = self.element_bytes();
        let bytes = width * unit;
        let row_pitch = if row_pitch == 0 { bytes } else { row_pitch };
        let slice = row_pitch.checked_mul(rows).ok_or(CL_INVALID_VALUE)?;
        if slice_pitch != 0 && !has_slices(self.kind) {
            return Err(CL_INVALID_VALUE);
        }
        let slice_pitch = if slice_pitch == 0 { slice } else { slice_pitch };
        if row_pitch < bytes || slice_pitch < slice {
            return Err(CL_INVALID_VALUE);
        }
        Ok(Span { start: 0, bytes, rows, row_pitch, slices, slice_pitch, unit })
    }

    /// Whether two boxes have a texel in common.
    pub fn overlap(a: Texels, b: Texels) -> bool {
        let meet = |k: usize| {
            a.origin[k] < b.origin[k] + b.size[k] && b.origin[k] < a.origin[k] + a.size[k]
        };
        a.level == b.level && (0..3).all(meet)
    }

    /// What kernels get for it.
    pub fn descriptor(&self, texels: u64) -> ImageDescriptor {
        let [width, height, depth] = self.sizes().map(|n| n as u32);
        ImageDescriptor {
            texels,
            slice_pitch: self.stored_pitch(self.slice_pitch) as u64,
            row_pitch: self.stored_pitch(self.row_pitch) as u32,
            width,
            height,
            depth,
            format: self.format,
            levels: self.levels.max(1),
        }
    }
}

/// Coordinates of a kind of image, without the layer.
fn axes(kind: u32) -> usize {
    match kind {
        CL_MEM_OBJECT_IMAGE3D => 3,
        CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY => 2,
        _ => 1,
    }
}

fn arrayed(kind: u32) -> bool {
    matches!(kind, CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY)
}

/// Whether images of this kind have a slice pitch.
pub fn has_slices(kind: u32) -> bool {
    arrayed(kind) || axes(kind) == 3
}

/// The formats of images of a kind.
pub fn supported(kind: u32) -> impl Iterator<Item = ImageFormat> {
    let plane = matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    ImageFormat::all().filter(move |f| {
        let depth = f.order != ChannelOrder::Depth || plane;
        // what stands in a buffer is not in sRGB's space
        depth && !(f.is_srgb() && kind == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    })
}

/// The texel that `clEnqueueFillImage` writes to the image's memory for a color of four numbers of 32 bits, as `write_image`
/// would.
pub fn encoded(format: ImageFormat, color: [u32; 4]) -> Vec<u8> {
    use ChannelType::*;
    let word = format.decode();
    let component = |k: u32| color[(word >> (22 + 2 * k) & 3) as usize];
    let float = |k: u32| f32::from_bits(component(k));
    let normal = |x: f32, low: f32, most: f32| {
        // clamping keeps NaN, which a cast makes 0
        (f64::from(x) * f64::from(most)).round_ties_even().clamp(low.into(), most.into()) as i32
    };
    let (signed, unsigned) = (|k| component(k) as i32, |k| component(k));
    let mut out = vec![];
    if format.data_type.is_packed() {
        let widths: &[u32] = match format.data_type {
            UnormShort565 => &[5, 6, 5],
            UnormShort555 => &[5, 5, 5],
            UnormInt101010 => &[10, 10, 10],
            _ => &[10, 10, 10, 2],
        };
        let mut all = 0;
        for (k, width) in widths.iter().enumerate() {
            let most = ((1 << width) - 1) as f32;
            all = all << width | normal(float(k as u32), 0.0, most) as u32;
        }
        out.extend(&all.to_le_bytes()[..format.texel_bytes() as usize]);
        return out;
    }
    for k in 0..format.order.channels() {
        let x = float(k);
        match format.data_type {
            SnormInt8 => out.push(normal(x, -128.0, 127.0) as u8),
            SnormInt16 => out.extend((normal(x, -32768.0, 32767.0) as u16).to_le_bytes()),
            // the fourth channel is alpha in all orders that have sRGB's space
            UnormInt8 if format.is_srgb() && k < 3 => out.push(nonlinear(x)),
            UnormInt8 => out.push(normal(x, 0.0, 255.0) as u8),
            UnormInt16 => out.extend((normal(x, 0.0, 65535.0) as u16).to_le_bytes()),
            SignedInt8 => out.push(signed(k).clamp(-128, 127) as u8),
            SignedInt16 => out.extend((signed(k).clamp(-32768, 32767) as u16).to_le_bytes()),
            UnsignedInt8 => out.push(unsigned(k).min(255) as u8),
            UnsignedInt16 => out.extend((unsigned(k).min(65535) as u16).to_le_bytes()),
            HalfFloat => out.extend(half(x).to_le_bytes()),
            _ => out.extend(component(k).to_le_bytes()),
        }
    }
    out.resize(format.texel_bytes() as usize, 0);
    out
}

/// The bits of the nearest `half`, to even.
fn half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude > 0x7F80_0000 {
        return sign | 0x7E00;
    }
    let exponent = (magnitude >> 23) as i32 - 127;
    if exponent >= 16 {
        return sign | 0x7C00;
    }
    if exponent < -25 {
        return sign;
    }
    // digits that are lost: 13, and more of subnormal results
    let lost = if exponent < -14 { (13 + (-14 - exponent)) as u32 } else { 13 };
    let digits = magnitude & 0x7F_FFFF | 0x80_0000;
    let kept = digits >> lost;
    let rest = digits & ((1 << lost) - 1);
    let tie = 1 << (lost - 1);
    let up = u32::from(rest > tie || rest == tie && kept & 1 == 1);
    // the first digit of a normal number counts one in the exponent; a carry does so by itself
    let base = if exponent < -14 { 0 } else { ((exponent + 14) as u32) << 10 };
    sign | (base + kept + up) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_images_made_of_buffers_have_pitches_that_hold_them() {
        let format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: CL_UNORM_INT8,
        };
        let of = |kind, pitch| {
            let desc = cl_image_desc {
                image_type: kind,
                image_width: 10,
                image_height: 1,
                image_row_pitch: pitch,
                ..cl_image_desc::default()
            };
            let origin = match kind {
                CL_MEM_OBJECT_IMAGE1D => Origin::New { has_host_ptr: false },
                _ => Origin::Buffer,
            };
            Image::new(Some(format), Some(desc), 0, origin).map(|image| image.row_pitch)
        };
        let buffer = CL_MEM_OBJECT_IMAGE1D_BUFFER;
        assert_eq!(
            [0, 40, 44, 39].map(|pitch| of(buffer, pitch)),
            [Ok(40), Ok(40), Ok(40), Err(CL_INVALID_IMAGE_DESCRIPTOR)]
        );
        assert_eq!(
            [0, 40, 44, 39, 42].map(|pitch| of(CL_MEM_OBJECT_IMAGE2D, pitch)),
            [
                Ok(40),
                Ok(40),
                Ok(44),
                Err(CL_INVALID_IMAGE_DESCRIPTOR),
                Err(CL_INVALID_IMAGE_DESCRIPTOR)
            ]
        );
        assert_eq!(of(CL_MEM_OBJECT_IMAGE1D, 44), Err(CL_INVALID_IMAGE_DESCRIPTOR));
    }

    #[test]
    fn texels_of_three_bytes_have_four_for_kernels() {
        let format = cl_image_format {
            image_channel_order: CL_SRGB,
            image_channel_data_type: CL_UNORM_INT8,
        };
        let desc = cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE3D,
            image_width: 5,
            image_height: 3,
            image_depth: 2,
            image_row_pitch: 18,
            image_slice_pitch: 72,
            ..cl_image_desc::default()
        };
        let origin = Origin::New { has_host_ptr: true };
        let image = Image::new(Some(format), Some(desc), 0, origin).expect("an image");
        assert_eq!([image.mapped_bytes(), image.bytes()], [Ok(144), Ok(192)]);
        let descriptor = image.descriptor(0);
        assert_eq!((descriptor.row_pitch, descriptor.slice_pitch), (24, 96));
        let texels = Texels { level: 0, origin: [1, 2, 1], size: [2, 1, 1] };
        let Part { stored, mapped } = image.part(texels);
        assert_eq!([stored.start, stored.bytes], [148, 8]);
        assert_eq!([mapped.start, mapped.bytes], [111, 6]);
        let desc = cl_image_desc { image_row_pitch: 20, image_slice_pitch: 0, ..desc };
        assert_eq!(
            Image::new(Some(format), Some(desc), 0, origin),
            Err(CL_INVALID_IMAGE_DESCRIPTOR),
            "rows are no whole texels"
        );
        let plane = cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE2D,
            image_row_pitch: 0,
            image_depth: 0,
            ..desc
        };
        assert_eq!(
            Image::new(Some(format), Some(plane), 0, Origin::Buffer),
            Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
        );
    }

    #[test]
    fn halves_are_rounded_to_nearest_even() {
        // by numpy.float16
        for (x, bits) in [
            (1.0, 0x3C00),
            (-2.5, 0xC100),
            (65504.0, 0x7BFF),
            (65519.0, 0x7BFF),
            (65520.0, 0x7C00),
            (1e-7, 0x0002),
            (2.98e-8, 0x0000),
            (2.99e-8, 0x0001),
            (6.1e-5, 0x03FF),
            (6.103e-5, 0x0400),
            (0.1, 0x2E66),
            (1.0 / 3.0, 0x3555),
            (f32::INFINITY, 0x7C00),
        ] {
            assert_eq!(half(x), bits, "{x}");
        }
    }

    #[test]
    fn colors_are_filled_as_kernels_write_them() {
        let format = |order, ty| ImageFormat::from_names(order, ty).expect("a format");
        let of = |c: [f32; 4]| c.map(f32::to_bits);
        let color = of([0.5, -1.0, 2.0, f32::NAN]);
        assert_eq!(encoded(format("rgba", "unorm8"), color), [128, 0, 255, 0]);
        assert_eq!(encoded(format("bgra", "unorm8"), color), [255, 0, 128, 0]);
        assert_eq!(encoded(format("argb", "snorm8"), color), [0, 64, 0x81, 127]);
        assert_eq!(encoded(format("rgb", "unorm565"), color), [0x1F, 0x80]);
        assert_eq!(encoded(format("a", "float"), of([0.0, 0.0, 0.0, 1.0])), 1f32.to_le_bytes());
        assert_eq!(encoded(format("rg", "int8"), [300, -300i32 as u32, 0, 0]), [127, 0x80]);
        assert_eq!(encoded(format("srgba", "unorm8"), of([0.5; 4])), [188, 188, 188, 128]);
        assert_eq!(encoded(format("srgb", "unorm8"), of([0.5; 4])), [188, 188, 188, 0]);
    }
}
