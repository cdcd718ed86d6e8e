//! Where the texels are that a read or a write means.
//!
//! The formulas are those of the chapter "Image addressing and filtering" of the OpenCL C specification.

use super::code::Code;
use super::mip::Level;
use super::{ImageFields, ImageFunction, Reading, Shape, texel};
use abi::image::{decode, sampler};
use base::SmallVec;
use ir::{Func, IntCC, Op, Rounding, Type, Value};

/// A sampler, as conditions.
struct Sampler {
    normalized: Value,
    linear: Value,
    /// Coordinates outside mean the texel at the edge.
    edge: Value,
    repeated: Value,
    mirrored: Value,
}

impl Sampler {
    fn new(c: &mut Code, word: Value) -> Self {
        let mode = c.field(word, (sampler::ADDRESS.trailing_zeros() as u8, 3));
        let mut is = |mode_bits: u32| c.is(mode, mode_bits >> 1);
        let clamped = is(sampler::CLAMP_TO_EDGE);
        let (repeated, mirrored) = (is(sampler::REPEAT), is(sampler::MIRRORED_REPEAT));
        Sampler {
            normalized: c.slice(word, sampler::NORMALIZED.trailing_zeros(), 1),
            linear: c.slice(word, sampler::LINEAR.trailing_zeros(), 1),
            edge: c.or(clamped, mirrored),
            repeated,
            mirrored,
        }
    }
}

/// A texel's number along a coordinate, and whether the image has it.
#[derive(Clone, Copy)]
struct Place {
    index: Value,
    inside: Value,
}

/// The texels along a coordinate.
struct Axis {
    first: Place,
    /// The next one, for linear filtering, and its weight.
    second: Option<(Place, Value)>,
}

/// `(image fields, sampler, coordinates..) -> color`; `leveled` ones have two parameters more, a mip level and whether there
/// is anything to read: if not, the color is the border's.
pub(super) fn read(c: &mut Code, shape: Shape, how: Reading, leveled: bool, texel: Func) {
    let image = ImageFields::parameters(c);
    let word = c.parameter(Type::I32);
    let coordinates: SmallVec<[Value; 4]> =
        (0..shape.coordinates()).map(|_| c.parameter(how.coordinate())).collect();
    let level = match leveled {
        true => Level::parameters(c, image, shape),
        false => Level::first(image),
    };
    let image = level.image;
    let sampler = Sampler::new(c, word);
    // Linear filters are for floating-point coordinates and colors only.
    let filters = !how.int_coordinates && !how.int;
    let sizes = image.sizes();
    let axes: SmallVec<[Axis; 3]> = (0..shape.axes as usize)
        .map(|k| match how.int_coordinates {
            true => int_axis(c, &sampler, coordinates[k], sizes[k]),
            false => axis(c, &sampler, coordinates[k], sizes[k], filters),
        })
        .collect();
    let layer = shape.arrayed.then(|| layer(c, coordinates[shape.axes as usize], image.depth));

    let colors = colors(c, &level, &sampler, &axes, layer, |c, offset, inside| {
        let args = [image.texels, offset, inside, image.decode];
        c.b.value(Op::Call(texel), args, ImageFunction::color(how.int))
    });
    let filtered = weighted(c, &axes, &colors);
    let nearest = colors.first().copied();
    let result = match (nearest, filtered) {
        (Some(nearest), Some(filtered)) => Some(c.select(sampler.linear, filtered, nearest)),
        (nearest, _) => nearest,
    };
    c.b.ret(result);
}

/// The colors of the texels around a place, corner k of the second texel along axis i where bit i of k is set; the first one alone
/// where nothing is filtered. `read` reads one from its offset in bytes and whether it is inside the image.
///
/// Of two neighbours one has an even number. Each read of a linear filter keeps to one parity along each axis, so that its cache
/// holds a part of the image that the others' do not.
fn colors(
    c: &mut Code,
    level: &Level,
    sampler: &Sampler,
    axes: &[Axis],
    layer: Option<Value>,
    mut read: impl FnMut(&mut Code, Value, Value) -> Value,
) -> Vec<Value> {
    let mut swaps: SmallVec<[Value; 3]> = SmallVec::new();
    let mut pairs: SmallVec<[[Place; 2]; 3]> = SmallVec::new();
    for axis in axes {
        let Some((second, _)) = axis.second else {
            pairs.push([axis.first; 2]);
            continue;
        };
        let odd = c.slice(axis.first.index, 0, 1);
        let swap = c.and(odd, sampler.linear);
        let [even, odd] = [(second, axis.first), (axis.first, second)].map(|(then, otherwise)| {
            let index = c.select(swap, then.index, otherwise.index);
            Place { index, inside: c.select(swap, then.inside, otherwise.inside) }
        });
        swaps.push(swap);
        pairs.push([even, odd]);
    }
    let mut colors: Vec<Value> = (0..1usize << swaps.len())
        .map(|k| {
            let places: SmallVec<[Place; 3]> =
                pairs.iter().enumerate().map(|(i, pair)| pair[k >> i & 1]).collect();
            let offset = offset(c, level, &places, layer);
            let mut inside = all_inside(c, &places);
            if let Some(there) = level.there {
                inside = c.and(inside, there);
            }
            if k > 0 {
                inside = c.and(inside, sampler.linear);
            }
            read(c, offset, inside)
        })
        .collect();
    for (i, &swap) in swaps.iter().enumerate() {
        for low in (0..colors.len()).filter(|k| k >> i & 1 == 0) {
            let high = low | 1 << i;
            let (a, b) = (colors[low], colors[high]);
            colors[low] = c.select(swap, b, a);
            colors[high] = c.select(swap, a, b);
        }
    }
    colors
}

/// The sum of the colors by their weights, the first texel first; none where nothing is filtered.
fn weighted(c: &mut Code, axes: &[Axis], colors: &[Value]) -> Option<Value> {
    let mut sum = None;
    for (corner, &color) in colors.iter().enumerate() {
        let mut weight = None;
        for (k, axis) in axes.iter().enumerate() {
            let Some((_, of_second)) = axis.second else { continue };
            let w = if corner >> k & 1 == 1 { of_second } else { rest(c, of_second) };
            weight = Some(weight.map_or(w, |all| c.binary(Op::FMul, all, w)));
        }
        let w = c.vector([weight?; 4]);
        sum = Some(match sum {
            None => c.binary(Op::FMul, w, color),
            Some(sum) => c.b.value(Op::Fma, [w, color, sum], ImageFunction::color(false)),
        });
    }
    sum
}

/// `(image fields, coordinates.., color)`; `leveled` ones have two parameters more, a mip level and whether there is such
/// a level. Outside the image nothing is written: OpenCL leaves open what happens.
pub(super) fn write(c: &mut Code, shape: Shape, int: bool, leveled: bool) {
    let image = ImageFields::parameters(c);
    let coordinates: SmallVec<[Value; 4]> =
        (0..shape.coordinates()).map(|_| c.parameter(Type::I32)).collect();
    let color = c.parameter(ImageFunction::color(int));
    let level = match leveled {
        true => Level::parameters(c, image, shape),
        false => Level::first(image),
    };
    let image = level.image;
    let sizes = image.sizes();
    let mut places: SmallVec<[Place; 3]> = SmallVec::new();
    for k in 0..shape.axes as usize {
        places.push(place(c, coordinates[k], sizes[k]));
    }
    let mut inside = all_inside(c, &places);
    if let Some(there) = level.there {
        inside = c.and(inside, there);
    }
    let layer = shape.arrayed.then(|| {
        let layer = place(c, coordinates[shape.axes as usize], image.depth);
        inside = c.and(inside, layer.inside);
        layer.index
    });
    let offset = offset(c, &level, &places, layer);
    texel::write(c, image.texels, offset, inside, image.decode, color);
    c.b.ret(None);
}

fn place(c: &mut Code, index: Value, size: Value) -> Place {
    Place { index, inside: c.icmp(IntCC::Ult, index, size) }
}

fn all_inside(c: &mut Code, places: &[Place]) -> Value {
    let mut inside = places[0].inside;
    for place in &places[1..] {
        inside = c.and(inside, place.inside);
    }
    inside
}

/// 1 - x
pub(super) fn rest(c: &mut Code, x: Value) -> Value {
    let one = c.float(1.0);
    c.binary(Op::FSub, one, x)
}

/// Bytes from the image's first texel to another.
fn offset(c: &mut Code, level: &Level, places: &[Place], layer: Option<Value>) -> Value {
    let image = &level.image;
    let size = c.b.size_type();
    let width = c.b.func.addr_bits;
    let log2 = c.field(image.decode, decode::TEXEL_LOG2);
    let column = places[0].index;
    let column = level.column.map_or(column, |first| c.binary(Op::Add, column, first));
    let (x, log2) = (c.zext(column, width), c.zext(log2, width));
    let mut offset = c.binary(Op::Shl, x, log2);
    let mut add = |c: &mut Code, index: Value, pitch: Value| {
        let (index, pitch) = (c.zext(index, width), c.zext(pitch, width));
        let bytes = c.b.value(Op::Mul, [index, pitch], size);
        offset = c.binary(Op::Add, offset, bytes);
    };
    if let Some(row) = places.get(1) {
        add(c, row.index, image.row_pitch);
    }
    if let Some(slice) = places.get(2).map(|p| p.index).or(layer) {
        add(c, slice, image.slice_pitch);
    }
    offset
}

/// The layer of an array: the nearest one.
fn layer(c: &mut Code, coordinate: Value, layers: Value) -> Value {
    let index = match c.ty(coordinate) {
        Type::F32 => {
            let nearest = c.round(coordinate, Rounding::Rte);
            c.int_of(nearest, Rounding::Rtz)
        }
        _ => coordinate,
    };
    clamped(c, index, layers)
}

/// The nearest number from 0 to `size - 1`.
fn clamped(c: &mut Code, index: Value, size: Value) -> Value {
    let (zero, one) = (c.int(0), c.int(1));
    let last = c.binary(Op::Sub, size, one);
    c.clamp(index, zero, last)
}

/// Integer coordinates: not normalized, not repeated, not filtered.
fn int_axis(c: &mut Code, sampler: &Sampler, coordinate: Value, size: Value) -> Axis {
    let clamped = clamped(c, coordinate, size);
    let index = c.select(sampler.edge, clamped, coordinate);
    Axis { first: place(c, index, size), second: None }
}

fn axis(c: &mut Code, sampler: &Sampler, s: Value, size: Value, filters: bool) -> Axis {
    // Repeated: the fraction of the coordinate. Mirrored: its distance from the nearest even number.
    let below = c.round(s, Rounding::Rtn);
    let fraction = c.binary(Op::FSub, s, below);
    let (half, two) = (c.float(0.5), c.float(2.0));
    let halved = c.binary(Op::FMul, half, s);
    let nearest = c.round(halved, Rounding::Rte);
    let even = c.binary(Op::FMul, two, nearest);
    let difference = c.binary(Op::FSub, s, even);
    let distance = c.b.unary(Op::FAbs, difference);
    let s = c.choose(&[(sampler.repeated, fraction), (sampler.mirrored, distance)], s);

    let scale = c.float_of(size);
    let scaled = c.binary(Op::FMul, s, scale);
    let mut u = c.select(sampler.normalized, scaled, s);
    if filters {
        let centered = c.binary(Op::FSub, u, half);
        u = c.select(sampler.linear, centered, u);
    }
    let below = c.round(u, Rounding::Rtn);
    let index = c.int_of(below, Rounding::Rtz);
    let first = addressed(c, sampler, index, size);
    if !filters {
        return Axis { first, second: None };
    }
    let weight = c.binary(Op::FSub, u, below);
    let one = c.int(1);
    let next = c.binary(Op::Add, index, one);
    Axis { first, second: Some((addressed(c, sampler, next, size), weight)) }
}

/// What the addressing mode makes of a texel's number. All others than repeating and clamping to the edge leave it, and
/// what is outside then has the border color.
fn addressed(c: &mut Code, sampler: &Sampler, index: Value, size: Value) -> Place {
    let zero = c.int(0);
    let before = c.icmp(IntCC::Slt, index, zero);
    let behind = c.icmp(IntCC::Sge, index, size);
    let (more, less) = (c.binary(Op::Add, index, size), c.binary(Op::Sub, index, size));
    let wrapped = c.choose(&[(before, more), (behind, less)], index);
    let clamped = clamped(c, index, size);
    let index = c.choose(&[(sampler.repeated, wrapped), (sampler.edge, clamped)], index);
    place(c, index, size)
}
