//! Images and samplers.

use super::{Leaves, Lower};
use crate::decode::{Id, Inst};
use crate::errors::{R, UNSUPPORTED, error};
use crate::images::{ImageFields, ImageFunction, Reading, Shape};
use crate::types::{IMAGE_FIELDS, Image, Kind};
use abi::ImageFormat;
use abi::image::{ChannelOrder, ChannelType, ImageDescriptor, field, sampler};
use base::smallvec;
use ir::{FloatKind, IntCC, KernelArg, KernelArgKind, Op, Rounding, Type, Value};
use rspirv::spirv::{self, AccessQualifier, ImageOperands, SamplerAddressingMode};

/// The fields of an image's descriptor, as values.
#[derive(Clone, Copy)]
struct Fields {
    texels: ImageFields,
    order: Value,
    data_type: Value,
    levels: Value,
}

/// Which mip levels are read or written.
enum Detail {
    /// The first one.
    First,
    /// A level of detail: a number of floating point, or of a level.
    Lod(Value),
    /// What the level of detail follows from: how the coordinates change along x and along y.
    Gradients(Value, Value),
}

impl<'a> Lower<'a, '_, '_> {
    /// A kernel argument that is an image, and its value: of fields that follow from a known format, constants.
    pub(super) fn image_argument(
        &mut self,
        mut arg: KernelArg,
        index: u32,
        image: Image,
        format: Option<ImageFormat>,
    ) -> (KernelArg, Leaves) {
        let numbers = format.map(|f| [f.order.number(), f.data_type.number()]);
        arg.kind = KernelArgKind::Image(numbers);
        (arg.size, arg.align) = (ImageDescriptor::BYTES, ImageDescriptor::ALIGN);
        arg.type_name = image.name().into();
        arg.no_write = image.access == AccessQualifier::ReadOnly;
        arg.no_read = image.access == AccessQualifier::WriteOnly;
        // A kernel that writes an image may not read it by another argument.
        arg.restrict = arg.no_read || arg.no_write;
        let mut values = Leaves::new();
        for (ty, offset) in IMAGE_FIELDS {
            let known = format.and_then(|f| match offset {
                field::ORDER => Some(f.order.number()),
                field::DATA_TYPE => Some(f.data_type.number()),
                field::DECODE => Some(f.decode()),
                _ => None,
            });
            values.push(match known {
                Some(word) => self.b.constant(ty, word.into()),
                None => self.b.value(Op::Arg { index, offset }, [], ty),
            });
        }
        let value = self.descriptor_value(&arg.name, ImageDescriptor::BYTES, &IMAGE_FIELDS, values);
        (arg, value)
    }

    /// A kernel argument that is a sampler.
    pub(super) fn sampler_argument(&mut self, mut arg: KernelArg, index: u32, id: Id) -> KernelArg {
        arg.kind = KernelArgKind::Sampler;
        (arg.size, arg.align) = (4, 4);
        arg.type_name = "sampler_t".into();
        let value = self.b.value(Op::Arg { index, offset: 0 }, [], Type::I32);
        self.define(id, smallvec![value]);
        arg
    }

    /// `OpSampledImage`
    pub(super) fn sampled_image(&mut self, inst: &Inst) -> R<()> {
        let mut leaves = self.leaves(inst.arg(0)?)?;
        leaves.push(self.operand(inst, 1)?);
        self.set_all(inst, leaves)
    }

    /// `OpImage`: the image of a sampled image.
    pub(super) fn image_of(&mut self, inst: &Inst) -> R<()> {
        let mut leaves = self.leaves(inst.arg(0)?)?;
        leaves.pop();
        self.set_all(inst, leaves)
    }

    /// `OpImageSampleExplicitLod`
    pub(super) fn image_sample(&mut self, inst: &Inst) -> R<()> {
        let ty = self.spv.type_of(inst.arg(0)?)?;
        let Kind::SampledImage(image_ty) = self.spv.types.get(ty)?.kind else {
            return Err(self.mismatch(inst, "its operand is not a sampled image"));
        };
        let image = self.image_type(inst, image_ty)?;
        let mut leaves = self.leaves(inst.arg(0)?)?;
        let sampler = leaves.pop().ok_or_else(|| self.mismatch(inst, "it has no sampler"))?;
        let fields = self.fields(inst, &leaves)?;
        let detail = self.image_operands(inst, 2)?;
        self.read_image(inst, (image, fields), sampler, (1, detail))
    }

    /// `OpImageRead`, `OpImageFetch`: as with a sampler that neither normalizes, filters nor clamps.
    pub(super) fn image_read(&mut self, inst: &Inst) -> R<()> {
        let image = self.image(inst)?;
        let detail = self.image_operands(inst, 2)?;
        let sampler = self.b.constant(Type::I32, (sampler::NONE | sampler::NEAREST).into());
        self.read_image(inst, image, sampler, (1, detail))
    }

    /// A call of `read_image`: image, sampler where there are more than two arguments, coordinates, and a level of detail or
    /// two gradients.
    pub(crate) fn image_read_call(&mut self, call: &Inst) -> R<()> {
        let image = self.image(call)?;
        let detail = match call.args.len() {
            2 => return self.image_read(call),
            3 => Detail::First,
            4 => Detail::Lod(self.operand(call, 3)?),
            _ => Detail::Gradients(self.operand(call, 3)?, self.operand(call, 4)?),
        };
        let sampler = self.operand(call, 1)?;
        self.read_image(call, image, sampler, (2, detail))
    }

    /// Reads at the coordinates of operand `at`.
    fn read_image(
        &mut self,
        inst: &Inst,
        (image, fields): (Image, Fields),
        sampler: Value,
        (at, detail): (usize, Detail),
    ) -> R<()> {
        let result = self.result_type(inst)?;
        let int = result.is_int();
        let (shape, coordinates) = self.coordinates(inst, at, image)?;
        let how = Reading { int_coordinates: self.ty(coordinates[0]).is_int(), int };
        let (levels, texels) = (fields.levels, fields.texels.list());
        let (which, middle, last): (_, Leaves, Leaves) = match detail {
            Detail::First => {
                let which = ImageFunction::Sample { shape, how, leveled: false };
                (which, smallvec![sampler], Leaves::new())
            }
            Detail::Lod(lod) if self.ty(lod) == Type::F32 => {
                let which = ImageFunction::SampleLod { shape, how, from_gradients: false };
                (which, smallvec![levels, sampler], smallvec![lod])
            }
            Detail::Lod(level) => {
                let (level, there) = self.level(inst, level, levels)?;
                let which = ImageFunction::Sample { shape, how, leveled: true };
                (which, smallvec![sampler], smallvec![level, there])
            }
            Detail::Gradients(x, y) => {
                let mut both = self.gradient(inst, x, shape)?;
                both.extend(self.gradient(inst, y, shape)?);
                let which = ImageFunction::SampleLod { shape, how, from_gradients: true };
                (which, smallvec![levels, sampler], both)
            }
        };
        let func = self.link.image_function(which);
        let color = ImageFunction::color(int);
        let args: Leaves =
            texels.into_iter().chain(middle).chain(coordinates).chain(last).collect();
        let mut value = self.b.value(Op::Call(func), args, color);
        if !result.is_vector() {
            value = self.b.value(Op::VecExtract(0), [value], color.lane());
        }
        let half = Type::float(FloatKind::F16);
        if result.lane() == half {
            value = self.b.value(Op::FpToFp(Rounding::Rte), [value], result);
        }
        self.set(inst, value)
    }

    /// A mip level, and whether the image has it.
    fn level(&mut self, inst: &Inst, level: Value, levels: Value) -> R<(Value, Value)> {
        self.check(self.ty(level) == Type::I32, inst, "its mip level is not a number of 32 bits")?;
        Ok((level, self.b.icmp(IntCC::Ult, level, levels)))
    }

    /// The components of a gradient: one for each axis, and maybe more without a meaning.
    fn gradient(&mut self, inst: &Inst, gradient: Value, shape: Shape) -> R<Leaves> {
        let ty = self.ty(gradient);
        let fits = ty.lane() == Type::F32 && u32::from(ty.lanes) >= shape.axes;
        self.check(fits, inst, "its gradients are not those of the image's coordinates")?;
        Ok((0..shape.axes as usize).map(|k| self.component(gradient, k)).collect())
    }

    /// A component of a vector, or a scalar.
    fn component(&mut self, v: Value, k: usize) -> Value {
        let ty = self.ty(v);
        match ty.is_vector() {
            true => self.b.value(Op::VecExtract(k as u8), [v], ty.lane()),
            false => v,
        }
    }

    /// `OpImageWrite`
    pub(super) fn image_write(&mut self, inst: &Inst) -> R<()> {
        let image = self.image(inst)?;
        let detail = self.image_operands(inst, 3)?;
        self.write_image(inst, image, (2, detail))
    }

    /// A call of `write_image`: image, coordinates, a mip level where there are more than three arguments, color.
    pub(crate) fn image_write_call(&mut self, call: &Inst) -> R<()> {
        let image = self.image(call)?;
        let (color, detail) = match call.args.len() {
            3 => (2, Detail::First),
            _ => (3, Detail::Lod(self.operand(call, 2)?)),
        };
        self.write_image(call, image, (color, detail))
    }

    /// Writes the color of operand `from` at the coordinates of operand 1.
    fn write_image(
        &mut self,
        inst: &Inst,
        (image, fields): (Image, Fields),
        (from, detail): (usize, Detail),
    ) -> R<()> {
        let (shape, coordinates) = self.coordinates(inst, 1, image)?;
        if !self.ty(coordinates[0]).is_int() {
            return Err(self.mismatch(inst, "its coordinates are not integers"));
        }
        let level: Leaves = match detail {
            Detail::First => Leaves::new(),
            Detail::Lod(level) => {
                let (level, there) = self.level(inst, level, fields.levels)?;
                smallvec![level, there]
            }
            Detail::Gradients(..) => return Err(self.mismatch(inst, "it has gradients")),
        };
        let mut color = self.operand(inst, from)?;
        let from = self.ty(color);
        if from.lane() == Type::float(FloatKind::F16) {
            let single = Type::F32.with_lanes(from.lanes);
            color = self.b.value(Op::FpToFp(Rounding::Rte), [color], single);
        }
        let lane = self.ty(color).lane();
        // A single number is a depth. A single integer is a mip level that a producer took for the color.
        let ok = match from.lanes {
            1 => lane == Type::F32,
            lanes => lanes == 4 && (lane == Type::F32 || lane == Type::I32),
        };
        self.check(ok, inst, "its color is not of four numbers of 32 bits, or a depth")?;
        if from.lanes == 1 {
            let zero = self.b.constant(lane, 0);
            color = self.b.value(Op::VecBuild, [color, zero, zero, zero], lane.with_lanes(4));
        }
        let leveled = !level.is_empty();
        let which = ImageFunction::Write { shape, int: lane.is_int(), leveled };
        let func = self.link.image_function(which);
        let args = fields.texels.list().into_iter().chain(coordinates).chain([color]);
        let args: Leaves = args.chain(level).collect();
        self.b.inst(Op::Call(func), args, None);
        Ok(())
    }

    /// `OpImageQuerySize`, `OpImageQuerySizeLod`
    pub(super) fn image_size(&mut self, inst: &Inst) -> R<()> {
        let (image, fields) = self.image(inst)?;
        let f = fields.texels;
        let mut sizes: Leaves = match image.axes() {
            1 => smallvec![f.width],
            2 => smallvec![f.width, f.height],
            _ => smallvec![f.width, f.height, f.depth],
        };
        if let Some(&lod) = inst.args.get(1) {
            self.level_sizes(inst, lod, &mut sizes)?;
        }
        if image.arrayed {
            sizes.push(f.depth);
        }
        let ty = self.result_type(inst)?;
        let fits = ty.is_int() && usize::from(ty.lanes) == sizes.len();
        self.check(fits, inst, "its result does not have the image's dimensions")?;
        let bits = ty.lane_bits(0);
        let sizes: Leaves = sizes.iter().map(|s| self.b.zext_or_trunc(*s, bits)).collect();
        let value = match sizes[..] {
            [size] => size,
            _ => self.b.value(Op::VecBuild, sizes, ty),
        };
        self.set(inst, value)
    }

    /// The sizes of a mip level: halved again and again, at least 1.
    fn level_sizes(&mut self, inst: &Inst, lod: Id, sizes: &mut Leaves) -> R<()> {
        if self.spv.consts.scalar(lod) == Some(0) {
            return Ok(());
        }
        let lod = self.one(lod)?;
        self.check(self.ty(lod).is_int(), inst, "its level is not an integer")?;
        let lod = self.b.zext_or_trunc(lod, 32);
        let one = self.b.constant(Type::I32, 1);
        for size in sizes {
            let halved = self.b.binary(Op::LShr, *size, lod);
            let none = self.b.icmp(IntCC::Ult, halved, one);
            *size = self.b.select(none, one, halved);
        }
        Ok(())
    }

    /// `OpImageQueryFormat`: SPIR-V counts from 0, in the order of OpenCL's numbers.
    pub(super) fn image_format(&mut self, inst: &Inst) -> R<()> {
        let (_, fields) = self.image(inst)?;
        let first = ChannelType::SnormInt8.number();
        self.number_from(inst, fields.data_type, first)
    }

    /// `OpImageQueryOrder`
    pub(super) fn image_order(&mut self, inst: &Inst) -> R<()> {
        let (_, fields) = self.image(inst)?;
        self.number_from(inst, fields.order, ChannelOrder::R.number())
    }

    fn number_from(&mut self, inst: &Inst, number: Value, first: u32) -> R<()> {
        let first = self.b.constant(Type::I32, first.into());
        let value = self.b.binary(Op::Sub, number, first);
        self.set(inst, value)
    }

    /// `OpImageQueryLevels`
    pub(super) fn image_levels(&mut self, inst: &Inst) -> R<()> {
        let (_, fields) = self.image(inst)?;
        self.set(inst, fields.levels)
    }

    /// `get_image_channel_order` and `get_image_channel_data_type`, which give OpenCL's numbers.
    pub(crate) fn image_number_call(&mut self, call: &Inst, order: bool) -> R<()> {
        let (_, fields) = self.image(call)?;
        self.set(call, if order { fields.order } else { fields.data_type })
    }

    /// Operand 0 as an image.
    fn image(&mut self, inst: &Inst) -> R<(Image, Fields)> {
        let image = self.image_type(inst, self.spv.type_of(inst.arg(0)?)?)?;
        let leaves = self.leaves(inst.arg(0)?)?;
        Ok((image, self.fields(inst, &leaves)?))
    }

    fn image_type(&self, inst: &Inst, ty: Id) -> R<Image> {
        match self.spv.types.get(ty)?.kind {
            Kind::Image(image) => Ok(image),
            _ => Err(self.mismatch(inst, "its operand is not an image")),
        }
    }

    fn fields(&mut self, inst: &Inst, leaves: &[Value]) -> R<Fields> {
        match self.descriptor_fields(leaves, &IMAGE_FIELDS)[..] {
            [
                texels,
                slice_pitch,
                row_pitch,
                width,
                height,
                depth,
                order,
                data_type,
                decode,
                levels,
            ] => {
                let texels =
                    ImageFields { texels, slice_pitch, row_pitch, width, height, depth, decode };
                Ok(Fields { texels, order, data_type, levels })
            }
            _ => Err(self.mismatch(inst, "its operand is not an image")),
        }
    }

    /// Operand `at`, a coordinate for each dimension; further components have no meaning.
    fn coordinates(&mut self, inst: &Inst, at: usize, image: Image) -> R<(Shape, Leaves)> {
        let shape = Shape { axes: image.axes(), arrayed: image.arrayed };
        let given = self.operand(inst, at)?;
        let ty = self.ty(given);
        let known = ty.lane() == Type::F32 || ty.lane() == Type::I32;
        let enough = usize::from(ty.lanes) >= shape.coordinates();
        self.check(known && enough, inst, "its coordinates are not those of the image")?;
        let coordinates = (0..shape.coordinates()).map(|k| self.component(given, k)).collect();
        Ok((shape, coordinates))
    }

    /// Image operands from operand `k` on. Sign and zero extension follow from the format.
    ///
    /// OpenCL C's functions without a level of detail read and write the first level; producers give those that read one
    /// of 0 all the same. So that constant is the first level, whatever limits a sampler has.
    fn image_operands(&mut self, inst: &Inst, k: usize) -> R<Detail> {
        let Some(&mask) = inst.args.get(k) else { return Ok(Detail::First) };
        let known = ImageOperands::LOD
            | ImageOperands::GRAD
            | ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            | ImageOperands::NONTEMPORAL;
        let given = ImageOperands::from_bits_retain(mask);
        if !(given - known).is_empty() {
            let text = format!("{} with image operands {:?}", inst.name(), given - known);
            return Err(error(UNSUPPORTED, text));
        }
        match (given.contains(ImageOperands::LOD), given.contains(ImageOperands::GRAD)) {
            (false, false) => Ok(Detail::First),
            (true, false) if self.spv.consts.scalar(inst.arg(k + 1)?) == Some(0) => {
                Ok(Detail::First)
            }
            (true, false) => Ok(Detail::Lod(self.operand(inst, k + 1)?)),
            (false, true) => {
                Ok(Detail::Gradients(self.operand(inst, k + 1)?, self.operand(inst, k + 2)?))
            }
            (true, true) => Err(self.mismatch(inst, "it has both a level of detail and gradients")),
        }
    }
}

/// The bits of an `OpConstantSampler`: addressing mode, whether coordinates are normalized, filter.
pub(crate) fn sampler_bits(inst: &Inst) -> R<u32> {
    let (mode, normalized, filter) = (inst.arg(0)?, inst.arg(1)?, inst.arg(2)?);
    let mode = match SamplerAddressingMode::from_u32(mode) {
        Some(SamplerAddressingMode::None) => sampler::NONE,
        Some(SamplerAddressingMode::ClampToEdge) => sampler::CLAMP_TO_EDGE,
        Some(SamplerAddressingMode::Clamp) => sampler::CLAMP,
        Some(SamplerAddressingMode::Repeat) => sampler::REPEAT,
        Some(SamplerAddressingMode::RepeatMirrored) => sampler::MIRRORED_REPEAT,
        None => return Err(inst.malformed(format!("addressing mode {mode} is unknown"))),
    };
    let filter = match spirv::SamplerFilterMode::from_u32(filter) {
        Some(spirv::SamplerFilterMode::Nearest) => sampler::NEAREST,
        Some(spirv::SamplerFilterMode::Linear) => sampler::LINEAR,
        None => return Err(inst.malformed(format!("filter mode {filter} is unknown"))),
    };
    match normalized {
        0 | 1 => Ok(mode | filter | (normalized * sampler::NORMALIZED)),
        n => Err(inst.malformed(format!("{n} is neither normalized nor not"))),
    }
}
