//! Functions of the IR that read and write images: what the image instructions become.
//!
//! Each is made once for a module, when an instruction first needs it, and called like a function of the kernel's source;
//! inlining and constant folding then make of it what a literal sampler leaves. `docs/images.md` says what they compute,
//! and which rule of the OpenCL specifications each step follows.

mod code;
mod mip;
mod sample;
mod srgb;
mod texel;

use crate::link::Linker;
use code::Code;
use ir::{Func, Function, Space, Type, Value};

/// A function of this library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ImageFunction {
    /// The color of one texel.
    Texel {
        /// Of integers rather than floating-point numbers.
        int: bool,
    },
    /// Reads with a sampler.
    Sample {
        shape: Shape,
        how: Reading,
        /// Of a mip level that is a parameter, not of the first.
        leveled: bool,
    },
    /// Reads with a sampler, from the mip levels that a level of detail means.
    SampleLod {
        shape: Shape,
        how: Reading,
        /// The level of detail follows from gradients of the coordinates.
        from_gradients: bool,
    },
    /// Writes a texel.
    Write {
        shape: Shape,
        /// The color has integers.
        int: bool,
        /// To a mip level that is a parameter, not to the first.
        leveled: bool,
    },
}

/// What reads take and give.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reading {
    /// The coordinates are integers.
    pub int_coordinates: bool,
    /// The color has integers.
    pub int: bool,
}

impl Reading {
    /// The type of a coordinate.
    fn coordinate(self) -> Type {
        if self.int_coordinates { Type::I32 } else { Type::F32 }
    }

    fn name(self, shape: Shape) -> String {
        let of = |int: bool| if int { "int" } else { "float" };
        format!("image_read_{}_{}_at_{}", shape.name(), of(self.int), of(self.int_coordinates))
    }
}

/// Coordinates of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    /// Those along which there are neighbours to interpolate between: 1 to 3.
    pub axes: u32,
    /// Whether the number of a layer follows them.
    pub arrayed: bool,
}

impl Shape {
    /// Number of coordinates.
    pub fn coordinates(self) -> usize {
        self.axes as usize + usize::from(self.arrayed)
    }

    fn name(self) -> String {
        format!("{}d{}", self.axes, if self.arrayed { "_array" } else { "" })
    }
}

impl ImageFunction {
    fn name(self) -> String {
        let of = |int: bool| if int { "int" } else { "float" };
        match self {
            ImageFunction::Texel { int } => format!("image_texel_{}", of(int)),
            ImageFunction::Sample { shape, how, leveled } => {
                format!("{}{}", how.name(shape), if leveled { "_level" } else { "" })
            }
            ImageFunction::SampleLod { shape, how, from_gradients } => {
                format!("{}_{}", how.name(shape), if from_gradients { "gradients" } else { "lod" })
            }
            ImageFunction::Write { shape, int, leveled } => {
                let level = if leveled { "_level" } else { "" };
                format!("image_write_{}_{}{level}", shape.name(), of(int))
            }
        }
    }

    /// The type of a color.
    pub fn color(int: bool) -> Type {
        if int { Type::I32.with_lanes(4) } else { Type::F32.with_lanes(4) }
    }
}

/// The fields of a descriptor that tell where texels are and how they look: the first parameters of most functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageFields {
    pub texels: Value,
    pub slice_pitch: Value,
    pub row_pitch: Value,
    pub width: Value,
    pub height: Value,
    pub depth: Value,
    pub decode: Value,
}

impl ImageFields {
    /// The fields as a list, in the order of the parameters.
    pub fn list(self) -> [Value; 7] {
        [
            self.texels,
            self.slice_pitch,
            self.row_pitch,
            self.width,
            self.height,
            self.depth,
            self.decode,
        ]
    }

    /// Width, height, and depth or layers.
    fn sizes(&self) -> [Value; 3] {
        [self.width, self.height, self.depth]
    }

    fn parameters(c: &mut Code) -> Self {
        let mut next = |ty| c.parameter(ty);
        ImageFields {
            texels: next(Type::ptr(Space::Global)),
            slice_pitch: next(Type::I64),
            row_pitch: next(Type::I32),
            width: next(Type::I32),
            height: next(Type::I32),
            depth: next(Type::I32),
            decode: next(Type::I32),
        }
    }
}

impl Linker<'_> {
    /// The function of the library in this module.
    pub fn image_function(&mut self, which: ImageFunction) -> Func {
        if let Some(func) = self.image_functions.get(&which) {
            return *func;
        }
        let mut function = Function::new(which.name(), self.spv.types.addr_bits);
        let entry = function.add_block();
        match which {
            ImageFunction::Texel { int } => {
                function.result = Some(ImageFunction::color(int));
                texel::read(&mut Code::at(&mut function, entry), int);
            }
            ImageFunction::Sample { shape, how, leveled } => {
                let texel = self.image_function(ImageFunction::Texel { int: how.int });
                function.result = Some(ImageFunction::color(how.int));
                let mut code = Code::at(&mut function, entry);
                sample::read(&mut code, shape, how, leveled, texel);
            }
            ImageFunction::SampleLod { shape, how, from_gradients: false } => {
                let sample = ImageFunction::Sample { shape, how, leveled: true };
                let sample = self.image_function(sample);
                function.result = Some(ImageFunction::color(how.int));
                mip::read(&mut Code::at(&mut function, entry), shape, how, sample);
            }
            ImageFunction::SampleLod { shape, how, from_gradients: true } => {
                let lod = ImageFunction::SampleLod { shape, how, from_gradients: false };
                let lod = self.image_function(lod);
                function.result = Some(ImageFunction::color(how.int));
                mip::read_by_gradients(&mut Code::at(&mut function, entry), shape, how, lod);
            }
            ImageFunction::Write { shape, int, leveled } => {
                sample::write(&mut Code::at(&mut function, entry), shape, int, leveled);
            }
        }
        let func = self.module.functions.push(function);
        self.image_functions.insert(which, func);
        func
    }
}
