//! Images and samplers as values of arguments.

use crate::{Array, Error, ErrorKind, Value};
use abi::image::{level, sampler};
use abi::{ChannelOrder, ChannelType, ImageDescriptor, ImageFormat, ScalarType};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use std::path::Path;

/// `image:ORDER:TYPE:VALUE`, or an image file: texels and their format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageValue {
    /// Format of the texels.
    pub format: ImageFormat,
    /// The texels: slices or layers, rows, texels of a row, and, where a texel has several elements, those.
    pub texels: Array,
    /// The mip levels behind the first, likewise; `None` is a level of zeros.
    pub mips: Vec<Option<Array>>,
}

fn bad(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

impl ImageValue {
    /// Parses what stands after `image:`.
    ///
    /// # Errors
    /// [`ErrorKind::Value`]
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<Self, Error> {
        let mut parts = text.splitn(3, ':');
        let (order, data_type) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let Some(format) = ImageFormat::from_names(order, data_type) else {
            let what = format!("`{order}:{data_type}` is not an image format");
            return Err(bad(format!(
                "{what}; formats are rgba:unorm8, r:float, ... (docs/images.md)"
            )));
        };
        let mut levels = parts.next().unwrap_or("").split(';');
        let texels = match Value::parse(levels.next().unwrap_or(""), folder)? {
            Value::Array(texels) => texels,
            other => {
                return Err(bad(format!(
                    "expected the texels after `{order}:{data_type}:`, got {}",
                    other.describe()
                )));
            }
        };
        let mips = levels.map(|text| mip(text, folder)).collect::<Result<_, _>>()?;
        Ok(ImageValue { format, texels, mips })
    }

    /// Parses `FILE.png;LEVEL;...`, what stands after `@`, if the first file is an image file.
    pub(crate) fn parse_files(text: &str, folder: &Path) -> Option<Result<Self, Error>> {
        let mut levels = text.split(';');
        let first = levels.next().filter(|file| file.ends_with(".png"))?;
        Some(read_png(&folder.join(first)).and_then(|image| {
            let mips = levels.map(|text| mip(text, folder)).collect::<Result<_, _>>()?;
            Ok(ImageValue { mips, ..image })
        }))
    }

    /// The descriptor for an argument of this OpenCL C type, without the texels' address, and the texels of all mip levels.
    ///
    /// # Errors
    /// A sentence if the texels' shape is not that of such an image.
    pub fn levels(&self, type_name: &str) -> Result<(ImageDescriptor, Vec<Array>), String> {
        let layout = Layout::of(type_name)
            .ok_or_else(|| format!("`{type_name}` is not the name of an image type"))?;
        let sizes = self.sizes(layout, type_name)?;
        let count = 1 + self.mips.len() as u32;
        let most = match layout {
            Layout::Row if type_name == "image1d_buffer_t" => 1,
            _ => level::most(sizes.into_iter().take(layout.axes())).min(level::MAX_LEVELS),
        };
        if count > most {
            return Err(format!(
                "an {type_name} of {:?} texels has at most {most} mip levels; got {count}",
                self.texels.shape
            ));
        }
        let mut all = vec![self.texels.clone()];
        for (mip, number) in self.mips.iter().zip(1..) {
            let mut shape = self.texels.shape.clone();
            for (size, &place) in shape.iter_mut().zip(layout.places()) {
                if place < layout.axes() {
                    *size = (*size >> number).max(1);
                }
            }
            let scalar = self.texels.scalar;
            let bytes = shape.iter().product::<u64>() * u64::from(scalar.bytes());
            let zeros = || Array { scalar, bytes: vec![0; bytes as usize], shape: shape.clone() };
            let texels = mip.clone().unwrap_or_else(zeros);
            if (texels.scalar, &texels.shape) != (scalar, &shape) {
                return Err(format!(
                    "mip level {number} is an array {scalar}{shape:?}; got {}{:?}",
                    texels.scalar, texels.shape
                ));
            }
            all.push(texels);
        }
        let descriptor = ImageDescriptor::with_levels(self.format, sizes, count);
        Ok((descriptor, all))
    }

    /// Width, height, and depth or layers.
    fn sizes(&self, layout: Layout, type_name: &str) -> Result<[u32; 3], String> {
        let (shape, element) = (&self.texels.shape, self.texels.scalar.bytes());
        let texel = self.format.element_bytes();
        let count = layout.dimensions();
        let per_texel = match shape.len().checked_sub(count) {
            Some(0) => Some(1),
            Some(1) => shape.last().copied(),
            _ => None,
        };
        let wanted = texel / element;
        if per_texel != Some(u64::from(wanted)) || wanted * element != texel {
            let (dims, scalar) = (layout.words(), self.texels.scalar);
            return Err(format!(
                "the texels of an {type_name} are an array [{dims}] of {texel}-byte texels, here {wanted} x {scalar} each; got {shape:?}"
            ));
        }
        let mut sizes = [1; 3]; // width, height, depth or layers
        for (k, &n) in shape[..count].iter().enumerate() {
            let size = u32::try_from(n).ok().filter(|n| *n > 0 && *n < 1 << 24);
            sizes[layout.places()[k]] = size.ok_or_else(|| format!("a size of {n}"))?;
        }
        Ok(sizes)
    }
}

/// A mip level behind the first: nothing, an image file or an array.
fn mip(text: &str, folder: &Path) -> Result<Option<Array>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    match Value::parse(text, folder)? {
        Value::Array(texels) => Ok(Some(texels)),
        Value::Image(image) if text.starts_with('@') => Ok(Some(image.texels)),
        other => Err(bad(format!("expected a mip level's texels, got {}", other.describe()))),
    }
}

/// Where the rows of a mip level begin in the memory of an image, and the texels of each.
fn rows(image: ImageDescriptor, number: u32, texels: &Array) -> (Vec<usize>, usize) {
    let texel = image.format.texel_bytes();
    let width = level::size(image.width, number);
    let bytes = (width * image.format.element_bytes()) as usize;
    let start = (level::column(image.width, number) * texel) as usize;
    // All levels number the rows and slices alike; this one may have less of them.
    let count = texels.bytes.len() / bytes.max(1);
    let height = match image.depth {
        1 => count,
        _ => level::size(image.height, number) as usize,
    };
    let of = |row: usize| {
        let (slice, row) = (row / height.max(1), row % height.max(1));
        start + slice * image.slice_pitch as usize + row * image.row_pitch as usize
    };
    ((0..count).map(of).collect(), width as usize)
}

/// Copies a row of texels between an array and memory, where a texel may have more bytes: then its last ones tell nothing.
fn copy_row(to: &mut [u8], from: &[u8], texels: usize) {
    if to.len() == from.len() {
        return to.copy_from_slice(from);
    }
    let (target, source) = (to.len() / texels, from.len() / texels);
    let bytes = target.min(source);
    for (to, from) in to.chunks_exact_mut(target).zip(from.chunks_exact(source)) {
        to[..bytes].copy_from_slice(&from[..bytes]);
    }
}

/// The memory of an image with these levels.
pub(crate) fn in_memory(image: ImageDescriptor, levels: &[Array]) -> Vec<u8> {
    let (texel, element) = (image.format.texel_bytes(), image.format.element_bytes());
    if let [only] = levels
        && texel == element
    {
        return only.bytes.clone();
    }
    let mut memory = vec![0; image.slice_pitch as usize * image.depth as usize];
    for (number, texels) in (0..).zip(levels) {
        let (starts, width) = rows(image, number, texels);
        let (bytes, row) = (width * texel as usize, width * element as usize);
        for (start, row) in starts.into_iter().zip(texels.bytes.chunks_exact(row.max(1))) {
            copy_row(&mut memory[start..start + bytes], row, width);
        }
    }
    memory
}

/// The levels of an image in memory, of the types and shapes that `levels` have.
pub(crate) fn from_memory(image: ImageDescriptor, levels: &[Array], memory: &[u8]) -> Vec<Array> {
    let (texel, element) = (image.format.texel_bytes(), image.format.element_bytes());
    let mut all = levels.to_vec();
    for (number, texels) in (0..).zip(&mut all) {
        let (starts, width) = rows(image, number, texels);
        let (bytes, row) = (width * texel as usize, width * element as usize);
        for (start, row) in starts.into_iter().zip(texels.bytes.chunks_exact_mut(row.max(1))) {
            copy_row(row, &memory[start..start + bytes], width);
        }
    }
    all
}

/// Which dimensions an image has.
#[derive(Clone, Copy)]
enum Layout {
    Row,
    RowArray,
    Plane,
    PlaneArray,
    Volume,
}

impl Layout {
    fn of(type_name: &str) -> Option<Self> {
        Some(match type_name {
            "image1d_t" | "image1d_buffer_t" => Layout::Row,
            "image1d_array_t" => Layout::RowArray,
            "image2d_t" | "image2d_depth_t" => Layout::Plane,
            "image2d_array_t" | "image2d_array_depth_t" => Layout::PlaneArray,
            "image3d_t" => Layout::Volume,
            _ => return None,
        })
    }

    fn dimensions(self) -> usize {
        self.places().len()
    }

    /// Coordinates without the layer: those along which mip levels are smaller.
    fn axes(self) -> usize {
        match self {
            Layout::Row | Layout::RowArray => 1,
            Layout::Plane | Layout::PlaneArray => 2,
            Layout::Volume => 3,
        }
    }

    /// For each dimension of the array, the slowest first, its place among width, height, and depth or layers.
    fn places(self) -> &'static [usize] {
        match self {
            Layout::Row => &[0],
            Layout::RowArray => &[2, 0],
            Layout::Plane => &[1, 0],
            Layout::PlaneArray | Layout::Volume => &[2, 1, 0],
        }
    }

    fn words(self) -> &'static str {
        match self {
            Layout::Row => "width",
            Layout::RowArray => "layers, width",
            Layout::Plane => "height, width",
            Layout::PlaneArray => "layers, height, width",
            Layout::Volume => "depth, height, width",
        }
    }
}

/// The word of a sampler from what stands after `sampler:`: `normalized` or `unnormalized`, an addressing mode and a
/// filter, and maybe a filter between mip levels and limits of the level of detail, joined with commas.
///
/// # Errors
/// [`ErrorKind::Value`]
pub(crate) fn parse_sampler(text: &str) -> Result<u32, Error> {
    const WORDS: [(&str, u32, usize); 11] = [
        ("unnormalized", 0, 0),
        ("normalized", sampler::NORMALIZED, 0),
        ("none", sampler::NONE, 1),
        ("clamp_to_edge", sampler::CLAMP_TO_EDGE, 1),
        ("clamp", sampler::CLAMP, 1),
        ("repeat", sampler::REPEAT, 1),
        ("mirrored_repeat", sampler::MIRRORED_REPEAT, 1),
        ("nearest", sampler::NEAREST, 2),
        ("linear", sampler::LINEAR, 2),
        ("mip_nearest", 0, 3),
        ("mip_linear", sampler::MIP_LINEAR, 3),
    ];
    let parts: Vec<&str> = text.split(',').collect();
    let limits = |text: &str| {
        let (min, max) = text.split_once("..")?;
        Some(sampler::lod_limits(min.parse().ok()?, max.parse().ok()?))
    };
    let mut all = (parts.len() >= 3).then_some(0);
    for (k, part) in parts.iter().enumerate() {
        let found = WORDS.iter().find(|(name, _, kind)| *kind == k && name == part);
        let bits = if k == 4 { limits(part) } else { found.map(|(_, bits, _)| *bits) };
        all = all.zip(bits).map(|(all, bits)| all | bits);
    }
    if matches!(parts[..], ["unnormalized", "repeat" | "mirrored_repeat", ..]) && all.is_some() {
        let mode = parts[1];
        return Err(bad(format!(
            "`sampler:{text}`: `{mode}` is for normalized coordinates: expected `normalized`, or `none`, `clamp_to_edge` or `clamp`"
        )));
    }
    all.ok_or_else(|| {
        bad(format!(
            "`sampler:{text}`: expected `normalized` or `unnormalized`, then `none`, `clamp_to_edge`, `clamp`, \
             `repeat` or `mirrored_repeat`, then `nearest` or `linear`, and maybe `mip_nearest` or `mip_linear`, and \
             limits of the level of detail, `MIN..MAX`, joined with commas"
        ))
    })
}

/// An image file as an image of four bytes a texel: red, green, blue, alpha.
///
/// # Errors
/// [`ErrorKind::Value`]
pub(crate) fn read_png(path: &Path) -> Result<ImageValue, Error> {
    let fail = |e: &dyn std::fmt::Display| bad(format!("{}: {e}", path.display()));
    let texels = image::open(path).map_err(|e| fail(&e))?.to_rgba8();
    let shape = vec![texels.height().into(), texels.width().into(), 4];
    let format = ImageFormat { order: ChannelOrder::RGBA, data_type: ChannelType::UnormInt8 };
    let bytes = texels.into_raw();
    let texels = Array { scalar: ScalarType::U8, shape, bytes };
    Ok(ImageValue { format, texels, mips: vec![] })
}

impl Array {
    /// The array as an image file: bytes of shape `[height, width]` or `[height, width, channels]` with one to four channels.
    ///
    /// # Errors
    /// As [`check_png`](Self::check_png).
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let (width, height, color) = self.picture()?;
        let mut out = vec![];
        PngEncoder::new(&mut out)
            .write_image(&self.bytes, width, height, color)
            .map_err(|e| bad(e.to_string()))?;
        Ok(out)
    }

    /// Whether it can be an image file.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] for arrays of other types and shapes.
    pub fn check_png(&self) -> Result<(), Error> {
        self.picture().map(|_| ())
    }

    /// Width, height and channels of the picture that it is.
    fn picture(&self) -> Result<(u32, u32, ExtendedColorType), Error> {
        use ExtendedColorType::{L8, La8, Rgb8, Rgba8};
        let known = match (self.scalar, self.shape.as_slice()) {
            (ScalarType::U8, &[height, width] | &[height, width, 1]) => Some((height, width, L8)),
            (ScalarType::U8, &[height, width, 2]) => Some((height, width, La8)),
            (ScalarType::U8, &[height, width, 3]) => Some((height, width, Rgb8)),
            (ScalarType::U8, &[height, width, 4]) => Some((height, width, Rgba8)),
            _ => None,
        };
        let sized = known.and_then(|(height, width, color)| {
            Some((u32::try_from(width).ok()?, u32::try_from(height).ok()?, color))
        });
        sized.ok_or_else(|| {
            let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
            let (scalar, shape) = (self.scalar, shape.join(","));
            bad(format!(
                "a .png file holds bytes, u8[HEIGHT,WIDTH,CHANNELS] with 1 to 4 channels, and this is {scalar}[{shape}]"
            ))
        })
    }
}
