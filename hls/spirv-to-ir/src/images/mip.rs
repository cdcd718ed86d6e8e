//! Mip levels: where they are, and which of them a level of detail means.
//!
//! The rules are those of `cl_khr_mipmap_image`, which refers to section 3.9.7 of the OpenGL 3.0 specification for how
//! levels of detail follow from gradients. A level of detail is a fixed-point number here: comparing, limiting and
//! rounding it then takes integer logic only.

use super::code::Code;
use super::sample::rest;
use super::{ImageFields, ImageFunction, Reading, Shape};
use abi::image::sampler;
use base::SmallVec;
use ir::{Func, IntCC, MathFn, Op, Rounding, Type, Value};

/// Bits of a level of detail behind the point.
const FRACTION: u32 = 16;

/// A level of an image.
pub(super) struct Level {
    /// The image, with this level's sizes.
    pub image: ImageFields,
    /// The column at which the level begins in each row; none for the first.
    pub column: Option<Value>,
    /// Whether there is anything to read or write; none if always.
    pub there: Option<Value>,
}

impl Level {
    /// The first level.
    pub fn first(image: ImageFields) -> Self {
        Level { image, column: None, there: None }
    }

    /// Two more parameters, the number of a level and whether there is anything.
    pub fn parameters(c: &mut Code, image: ImageFields, shape: Shape) -> Self {
        let (level, there) = (c.parameter(Type::I32), c.parameter(Type::BOOL));
        let one = c.int(1);
        let double = c.binary(Op::Shl, image.width, one);
        let rest = c.binary(Op::LShr, double, level);
        let before = c.binary(Op::Sub, double, rest);
        let column = c.binary(Op::Add, before, level);
        let mut image = image;
        // Layers are no axis: all levels have the same.
        let sizes = [&mut image.width, &mut image.height, &mut image.depth];
        for size in sizes.into_iter().take(shape.axes as usize) {
            let halved = c.binary(Op::LShr, *size, level);
            let none = c.is(halved, 0);
            *size = c.select(none, one, halved);
        }
        Level { image, column: Some(column), there: Some(there) }
    }
}

/// `(image fields, mip levels, sampler, coordinates.., level of detail) -> color`. `sample` reads from a level.
pub(super) fn read(c: &mut Code, shape: Shape, how: Reading, sample: Func) {
    let image = ImageFields::parameters(c);
    let levels = c.parameter(Type::I32);
    let word = c.parameter(Type::I32);
    let coordinates: SmallVec<[Value; 4]> =
        (0..shape.coordinates()).map(|_| c.parameter(how.coordinate())).collect();
    let lod = c.parameter(Type::F32);
    let lod = limited(c, lod, levels, word);

    // The nearest level is the lower one half way between two: half of the last place less is added.
    let (almost_half, point) = (c.int((1 << (FRACTION - 1)) - 1), c.int(FRACTION as i32));
    let raised = c.binary(Op::Add, lod, almost_half);
    let nearest = c.binary(Op::LShr, raised, point);
    let lower = c.binary(Op::LShr, lod, point);
    let linear = c.slice(word, sampler::MIP_LINEAR.trailing_zeros(), 1);
    let color = |c: &mut Code, level: Value, there: Value| {
        let args = image.list().into_iter().chain([word]).chain(coordinates.iter().copied());
        let args: SmallVec<[Value; 16]> = args.chain([level, there]).collect();
        c.b.value(Op::Call(sample), args, ImageFunction::color(how.int))
    };
    let always = c.b.constant(Type::BOOL, 1);
    // Integers are not filtered.
    if how.int {
        let result = color(c, nearest, always);
        return c.b.ret(Some(result));
    }
    let level = c.select(linear, lower, nearest);
    let first = color(c, level, always);
    // Behind a whole level of detail, the last one among them, comes no second level.
    let fraction = c.slice(lod, 0, FRACTION);
    let zero = c.b.constant(Type::int(FRACTION), 0);
    let between = c.icmp(IntCC::Ne, fraction, zero);
    let both = c.and(linear, between);
    let one = c.int(1);
    let next = c.binary(Op::Add, lower, one);
    let second = color(c, next, both);
    let fraction = c.zext(fraction, 32);
    let fraction = c.float_of(fraction);
    let unit = c.float(1.0 / (1u32 << FRACTION) as f32);
    let weight = c.binary(Op::FMul, fraction, unit);
    let other = rest(c, weight);
    let (weight, other) = (c.vector([weight; 4]), c.vector([other; 4]));
    let sum = c.binary(Op::FMul, other, first);
    let sum = c.b.value(Op::Fma, [weight, second, sum], ImageFunction::color(false));
    let result = c.select(both, sum, first);
    c.b.ret(Some(result));
}

/// A level of detail with [`FRACTION`] bits behind the point, between those that the sampler allows and those that the
/// image has.
fn limited(c: &mut Code, lod: Value, levels: Value, word: Value) -> Value {
    let scale = c.float((1u32 << FRACTION) as f32);
    let scaled = c.binary(Op::FMul, lod, scale);
    let lod = c.int_of(scaled, Rounding::Rte);
    let up = c.int((FRACTION - sampler::LOD_FRACTION) as i32);
    let limit = |c: &mut Code, place: (u8, u32), word: Value| {
        let limit = c.field(word, place);
        let limit = c.zext(limit, 32);
        c.binary(Op::Shl, limit, up)
    };
    let least = limit(c, sampler::LOD_MIN, word);
    let inverted = c.b.unary(Op::Not, word);
    let most = limit(c, sampler::LOD_MAX, inverted);
    let (one, point) = (c.int(1), c.int(FRACTION as i32));
    let last = c.binary(Op::Sub, levels, one);
    let last = c.binary(Op::Shl, last, point);
    let fewer = c.icmp(IntCC::Slt, last, most);
    let most = c.select(fewer, last, most);
    let below = c.icmp(IntCC::Slt, lod, least);
    let lod = c.select(below, least, lod);
    let above = c.icmp(IntCC::Sgt, lod, most);
    c.select(above, most, lod)
}

/// `(image fields, mip levels, sampler, coordinates.., gradient along x.., gradient along y..) -> color`: the level of detail
/// is the base 2 logarithm of the longer gradient, in texels of the first level. `read` takes it.
pub(super) fn read_by_gradients(c: &mut Code, shape: Shape, how: Reading, read: Func) {
    let image = ImageFields::parameters(c);
    let mut args: SmallVec<[Value; 16]> = image.list().into_iter().collect();
    args.push(c.parameter(Type::I32));
    let word = c.parameter(Type::I32);
    args.push(word);
    args.extend((0..shape.coordinates()).map(|_| c.parameter(how.coordinate())));
    let normalized = c.slice(word, sampler::NORMALIZED.trailing_zeros(), 1);
    let scales: SmallVec<[Value; 3]> =
        image.sizes().iter().take(shape.axes as usize).map(|size| c.float_of(*size)).collect();
    let gradients: [SmallVec<[Value; 3]>; 2] =
        std::array::from_fn(|_| scales.iter().map(|_| c.parameter(Type::F32)).collect());
    let [a, b] = gradients.map(|gradient| {
        let mut sum = None;
        for (&component, &scale) in gradient.iter().zip(&scales) {
            let scaled = c.binary(Op::FMul, component, scale);
            let texels = c.select(normalized, scaled, component);
            sum = Some(match sum {
                None => c.binary(Op::FMul, texels, texels),
                Some(sum) => c.b.value(Op::Fma, [texels, texels, sum], Type::F32),
            });
        }
        sum.unwrap_or_else(|| c.float(0.0))
    });
    let square = c.binary(Op::FMax, a, b);
    let log = c.b.value(Op::Math(MathFn::NativeLog2), [square], Type::F32);
    let half = c.float(0.5);
    args.push(c.binary(Op::FMul, log, half));
    let color = c.b.value(Op::Call(read), args, ImageFunction::color(how.int));
    c.b.ret(Some(color));
}
