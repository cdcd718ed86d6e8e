//! Images and samplers as values of arguments.

use crate::{Array, Error, ErrorKind, Value};
use abi::image::sampler;
use abi::{ChannelOrder, ChannelType, ImageDescriptor, ImageFormat, ScalarType};
use image::ImageEncoder;
use image::codecs::png::PngEncoder;
use std::path::Path;

/// `image:ORDER:TYPE:VALUE`, or an image file: texels and their format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageValue {
    /// Format of the texels.
    pub format: ImageFormat,
    /// The texels: slices or layers, rows, texels of a row, and, where a texel has several elements, those.
    pub texels: Array,
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
        match Value::parse(parts.next().unwrap_or(""), folder)? {
            Value::Array(texels) => Ok(ImageValue { format, texels }),
            other => Err(bad(format!(
                "expected the texels after `{order}:{data_type}:`, got {}",
                other.describe()
            ))),
        }
    }

    /// The descriptor for an argument of this OpenCL C type, without the texels' address.
    ///
    /// # Errors
    /// A sentence if the texels' shape is not that of such an image.
    pub fn descriptor(&self, type_name: &str) -> Result<ImageDescriptor, String> {
        let layout = Layout::of(type_name)
            .ok_or_else(|| format!("`{type_name}` is not the name of an image type"))?;
        let (shape, element) = (&self.texels.shape, self.texels.scalar.bytes());
        let texel = self.format.texel_bytes();
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
        Ok(ImageDescriptor::packed(self.format, sizes))
    }
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
/// filter, joined with commas.
///
/// # Errors
/// [`ErrorKind::Value`]
pub(crate) fn parse_sampler(text: &str) -> Result<u32, Error> {
    const WORDS: [(&str, u32, usize); 9] = [
        ("unnormalized", 0, 0),
        ("normalized", sampler::NORMALIZED, 0),
        ("none", sampler::NONE, 1),
        ("clamp_to_edge", sampler::CLAMP_TO_EDGE, 1),
        ("clamp", sampler::CLAMP, 1),
        ("repeat", sampler::REPEAT, 1),
        ("mirrored_repeat", sampler::MIRRORED_REPEAT, 1),
        ("nearest", sampler::NEAREST, 2),
        ("linear", sampler::LINEAR, 2),
    ];
    let parts: Vec<&str> = text.split(',').collect();
    let word = |k: usize| {
        let found = WORDS.iter().find(|(name, _, kind)| *kind == k && parts.get(k) == Some(name));
        found.map(|(_, bits, _)| *bits)
    };
    match (word(0), word(1), word(2), parts.len()) {
        (Some(normalized), Some(mode), Some(filter), 3) => Ok(normalized | mode | filter),
        _ => Err(bad(format!(
            "`sampler:{text}`: expected `normalized` or `unnormalized`, then `none`, `clamp_to_edge`, `clamp`, \
             `repeat` or `mirrored_repeat`, then `nearest` or `linear`, joined with commas"
        ))),
    }
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
    Ok(ImageValue { format, texels: Array { scalar: ScalarType::U8, shape, bytes } })
}

impl Array {
    /// The array as an image file: bytes of shape `[height, width]` or `[height, width, channels]` with one to four channels.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] for other arrays.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        use image::ExtendedColorType::{L8, La8, Rgb8, Rgba8};
        let fail = || {
            let (scalar, shape) = (self.scalar, &self.shape);
            bad(format!(
                "an image file holds bytes [height, width, channels], 1 to 4 channels; this is {scalar}{shape:?}"
            ))
        };
        let (height, width, color) = match (self.scalar, self.shape.as_slice()) {
            (ScalarType::U8, &[height, width] | &[height, width, 1]) => (height, width, L8),
            (ScalarType::U8, &[height, width, 2]) => (height, width, La8),
            (ScalarType::U8, &[height, width, 3]) => (height, width, Rgb8),
            (ScalarType::U8, &[height, width, 4]) => (height, width, Rgba8),
            _ => return Err(fail()),
        };
        let size = |n: u64| u32::try_from(n).map_err(|_| fail());
        let mut out = vec![];
        PngEncoder::new(&mut out)
            .write_image(&self.bytes, size(width)?, size(height)?, color)
            .map_err(|e| bad(e.to_string()))?;
        Ok(out)
    }
}
