//! One texel: between its bits and a color.

use super::code::Code;
use super::srgb;
use abi::image::decode::{self, Class};
use ir::{IntCC, MemFlags, Op, Rounding, Space, TableData, Type, Value};

/// Bytes of the aligned unit that is read for a texel.
const UNIT: u32 = abi::image::TEXEL_ALIGN as u32;

/// What a format's word says, as conditions.
struct Format {
    word: Value,
    classes: [Value; 10],
    /// Whether channels have 1, 2 or 4 bytes.
    channel_bytes: [Value; 3],
}

impl Format {
    fn new(c: &mut Code, word: Value) -> Self {
        let class = c.field(word, decode::CLASS);
        let size = c.field(word, decode::CHANNEL_LOG2);
        Format {
            word,
            classes: std::array::from_fn(|k| c.is(class, k as u32)),
            channel_bytes: std::array::from_fn(|k| c.is(size, k as u32)),
        }
    }

    fn is(&self, class: Class) -> Value {
        self.classes[class as usize]
    }
}

/// `(texels, offset, inside, decode) -> color`: the texel whose first byte is `offset` bytes behind the first one's; the
/// border color, without an access, if it is not `inside`.
pub(super) fn read(c: &mut Code, int: bool) {
    let texels = c.parameter(Type::ptr(Space::Global));
    let size = c.b.size_type();
    let offset = c.parameter(size);
    let inside = c.parameter(Type::BOOL);
    let word = c.parameter(Type::I32);
    let bits = load(c, texels, offset, inside);
    let format = Format::new(c, word);
    let color = if int { integers(c, &format, bits) } else { floats(c, &format, bits) };
    let mut color = swizzle(c, &format, color);
    // A border color has the alpha that its channel order gives it, and zeros as an empty texel has.
    let opaque = c.field(word, decode::BORDER_ALPHA);
    let (zero, one) = limits(c, int);
    let border = c.select(opaque, one, zero);
    color[3] = c.select(inside, color[3], border);
    let color = c.vector(color);
    c.b.ret(Some(color));
}

/// The 128 bits that begin with a texel's: its aligned unit, shifted.
fn load(c: &mut Code, texels: Value, offset: Value, inside: Value) -> Value {
    let size = c.b.size_type();
    let mask = c.b.constant(size, !u128::from(UNIT - 1));
    let start = c.and(offset, mask);
    let pointer = c.b.ptr_add(texels, start);
    let flags = MemFlags::aligned(UNIT).with_predicate();
    let unit = c.b.value(Op::Load(flags), [pointer, inside], Type::int(128));
    let shift = bit_shift(c, offset);
    c.binary(Op::LShr, unit, shift)
}

/// Bits from the start of its unit to a texel, as an i128.
fn bit_shift(c: &mut Code, offset: Value) -> Value {
    let bytes = c.slice(offset, 0, UNIT.ilog2());
    let zeros = c.b.constant(Type::int(3), 0);
    let shift = c.concat(&[bytes, zeros]);
    c.zext(shift, 128)
}

/// 0 and 1 as components of a color.
fn limits(c: &mut Code, int: bool) -> (Value, Value) {
    if int { (c.int(0), c.int(1)) } else { (c.float(0.0), c.float(1.0)) }
}

/// The channels of a texel, as the components that a color takes from them: `colors` for red, green and blue, `alphas`
/// for alpha.
struct Channels {
    colors: [Value; 4],
    alphas: [Value; 4],
    int: bool,
}

fn swizzle(c: &mut Code, format: &Format, channels: Channels) -> [Value; 4] {
    let (zero, one) = limits(c, channels.int);
    let (lo, _) = decode::READ;
    std::array::from_fn(|k| {
        let source = c.slice(format.word, u32::from(lo) + 3 * k as u32, 3);
        let from = if k == 3 { channels.alphas } else { channels.colors };
        let mut cases = vec![];
        for (n, v) in from.into_iter().enumerate().skip(1) {
            cases.push((c.is(source, n as u32), v));
        }
        cases.push((c.is(source, decode::ZERO), zero));
        cases.push((c.is(source, decode::ONE), one));
        c.choose(&cases, from[0])
    })
}

/// "Conversion rules for signed and unsigned 8-bit, 16-bit and 32-bit integer data types": unmodified.
fn integers(c: &mut Code, format: &Format, bits: Value) -> Channels {
    let signed = format.is(Class::Signed);
    let colors = std::array::from_fn(|k| {
        let k = k as u32;
        let mut narrow = |width: u32| {
            let raw = c.slice(bits, k * width, width);
            let (with_sign, without) = (c.sext(raw, 32), c.zext(raw, 32));
            c.select(signed, with_sign, without)
        };
        let (byte, short) = (narrow(8), narrow(16));
        let word = c.slice(bits, 32 * k, 32);
        let [one, two, _] = format.channel_bytes;
        c.choose(&[(one, byte), (two, short)], word)
    });
    Channels { colors, alphas: colors, int: true }
}

fn floats(c: &mut Code, format: &Format, bits: Value) -> Channels {
    let table = TableData { width: 32, entries: srgb::LINEAR.map(u128::from).to_vec() };
    let table = c.b.func.tables.push(table);
    let mut colors = vec![];
    let alphas = std::array::from_fn(|k| {
        let k = k as u32;
        let normalized = normalized(c, format, bits, k);
        let float = {
            let half = c.slice(bits, 16 * k, 16);
            let half = c.half_to_float(half);
            let full = c.slice(bits, 32 * k, 32);
            let full = c.bitcast(full, Type::F32);
            c.select(format.channel_bytes[1], half, full)
        };
        let plain = c.select(format.is(Class::Float), float, normalized);
        let byte = c.slice(bits, 8 * k, 8);
        let linear = c.b.value(Op::Lookup(table), [byte], Type::I32);
        let linear = c.bitcast(linear, Type::F32);
        colors.push(c.select(format.is(Class::Srgb), linear, plain));
        plain
    });
    Channels { colors: std::array::from_fn(|k| colors[k]), alphas, int: false }
}

/// Channel `k` of a normalized format, correctly rounded.
///
/// With n bits, x / (2^n - 1) is the binary fraction whose digits are those of x again and again. Some forty of them
/// decide how it is rounded: behind the last digit of a significand and the next there is at least one more period, which
/// is not all zeros. So the number is an integer of 64 bits with these digits from the top on, divided by 2^64.
fn normalized(c: &mut Code, format: &Format, bits: Value, k: u32) -> Value {
    let unsigned = |c: &mut Code, lo: u32, width: u32| {
        let digits = c.slice(bits, lo, width);
        // Significand, one digit to round by, and a period, after at most width - 1 leading zeros.
        let copies = (24 + 1 + width + width - 1).div_ceil(width);
        let digits = c.repeated(digits, copies as usize);
        c.at_top(digits)
    };
    // Magnitude and sign; the least number counts as the one above it.
    let signed = |c: &mut Code, width: u32| {
        let x = c.slice(bits, k * width, width);
        let sign = c.slice(x, width - 1, 1);
        let zero = c.b.constant(Type::int(width), 0);
        let minus = c.binary(Op::Sub, zero, x);
        let magnitude = c.select(sign, minus, x);
        let least = c.slice(magnitude, width - 1, 1);
        let low = c.slice(magnitude, 0, width - 1);
        let most = c.b.constant(Type::int(width - 1), (1 << (width - 1)) - 1);
        let low = c.select(least, most, low);
        let copies = (24 + 1 + 2 * (width - 1) - 1).div_ceil(width - 1);
        let digits = c.repeated(low, copies as usize);
        (c.at_top(digits), sign)
    };
    let two_bytes = format.channel_bytes[1];
    let (byte, short) = (unsigned(c, 8 * k, 8), unsigned(c, 16 * k, 16));
    let ((signed_byte, byte_sign), (signed_short, short_sign)) = (signed(c, 8), signed(c, 16));
    let snorm = c.select(two_bytes, signed_short, signed_byte);
    let mut cases = vec![(format.is(Class::Snorm), snorm)];
    for class in PACKED {
        if let Some((lo, width)) = place(class, k) {
            let digits = unsigned(c, lo, width);
            cases.push((format.is(class), digits));
        }
    }
    let unorm = c.select(two_bytes, short, byte);
    let digits = c.choose(&cases, unorm);
    let x = c.float_of(digits);
    // Divided by 2^64: 64 less in the exponent, except of 0.
    let (x, scale) = (c.bitcast(x, Type::I32), c.int(64 << 23));
    let scaled = c.binary(Op::Sub, x, scale);
    let empty = c.is(digits, 0);
    let zero = c.int(0);
    let scaled = c.select(empty, zero, scaled);
    let sign = c.select(two_bytes, short_sign, byte_sign);
    let negative = c.and(format.is(Class::Snorm), sign);
    let magnitude = c.slice(scaled, 0, 31);
    let x = c.concat(&[negative, magnitude]);
    c.bitcast(x, Type::F32)
}

const PACKED: [Class; 4] =
    [Class::Packed565, Class::Packed555, Class::Packed101010, Class::Packed1010102];

/// Lowest bit and width of channel `k` of a packed format.
fn place(class: Class, k: u32) -> Option<(u32, u32)> {
    let places: &[(u32, u32)] = match class {
        Class::Packed565 => &[(11, 5), (5, 6), (0, 5)],
        Class::Packed555 => &[(10, 5), (5, 5), (0, 5)],
        Class::Packed101010 => &[(20, 10), (10, 10), (0, 10)],
        Class::Packed1010102 => &[(22, 10), (12, 10), (2, 10), (0, 2)],
        _ => &[],
    };
    places.get(k as usize).copied()
}

/// Writes a color to the texel whose first byte is `offset` bytes behind `texels`, if it is `inside`.
pub(super) fn write(
    c: &mut Code,
    texels: Value,
    offset: Value,
    inside: Value,
    word: Value,
    color: Value,
) {
    let format = Format::new(c, word);
    let int = c.ty(color).is_int();
    let components: [Value; 4] = std::array::from_fn(|k| c.lane(color, k as u8));
    let (lo, _) = decode::WRITE;
    let channels: [Value; 4] = std::array::from_fn(|k| {
        let source = c.slice(word, u32::from(lo) + 2 * k as u32, 2);
        let mut cases = vec![];
        for (n, v) in components.into_iter().enumerate().skip(1) {
            cases.push((c.is(source, n as u32), v));
        }
        let component = c.choose(&cases, components[0]);
        match int {
            true => saturated(c, &format, component),
            false => encoded(c, &format, component, k as u32),
        }
    });
    let bits = packed(c, &format, channels, int);
    let shift = bit_shift(c, offset);
    let unit = c.binary(Op::Shl, bits, shift);

    let size = c.field(word, decode::TEXEL_LOG2);
    let ty = Type::int(UNIT);
    let mut cases = vec![];
    for log2 in 0..4 {
        let ones = c.b.constant(ty, (1 << (1 << log2)) - 1);
        cases.push((c.is(size, log2), ones));
    }
    let all = c.b.constant(ty, u128::MAX);
    let mask = c.choose(&cases, all);
    let low = c.slice(offset, 0, UNIT.ilog2());
    let low = c.zext(low, UNIT);
    let mask = c.binary(Op::Shl, mask, low);
    let none = c.b.constant(ty, 0);
    let mask = c.select(inside, mask, none);

    let size = c.b.size_type();
    let aligned = c.b.constant(size, !u128::from(UNIT - 1));
    let start = c.and(offset, aligned);
    let pointer = c.b.ptr_add(texels, start);
    let flags = MemFlags::aligned(UNIT).with_predicate();
    c.b.inst(Op::Store(flags), [pointer, unit, mask], None);
}

/// An integer limited to those that a channel holds.
fn saturated(c: &mut Code, format: &Format, x: Value) -> Value {
    let mut limited = |low: i32, high: i32, most: u32| {
        let (low, high, most) = (c.int(low), c.int(high), c.int(most as i32));
        let signed = c.clamp(x, low, high);
        let above = c.icmp(IntCC::Ugt, x, most);
        let unsigned = c.select(above, most, x);
        c.select(format.is(Class::Signed), signed, unsigned)
    };
    let byte = limited(i8::MIN.into(), i8::MAX.into(), u8::MAX.into());
    let short = limited(i16::MIN.into(), i16::MAX.into(), u16::MAX.into());
    let [one, two, _] = format.channel_bytes;
    c.choose(&[(one, byte), (two, short)], x)
}

/// A component as the bits of channel `k`, in an i32. Normalized formats: multiplied in single precision, rounded to
/// nearest even and limited; NaN gives 0.
fn encoded(c: &mut Code, format: &Format, x: Value, k: u32) -> Value {
    let two_bytes = format.channel_bytes[1];
    let ranges = |c: &mut Code, values: [i32; 4]| {
        let [unorm8, unorm16, snorm8, snorm16] = values.map(|v| c.int(v));
        let unorm = c.select(two_bytes, unorm16, unorm8);
        let snorm = c.select(two_bytes, snorm16, snorm8);
        c.select(format.is(Class::Snorm), snorm, unorm)
    };
    let low = ranges(c, [0, 0, i8::MIN.into(), i16::MIN.into()]);
    let mut high = ranges(c, [255, 65535, 127, 32767]);
    for class in PACKED {
        if let Some((_, width)) = place(class, k) {
            let most = c.int((1 << width) - 1);
            high = c.select(format.is(class), most, high);
        }
    }
    let scale = c.float_of(high);
    let scaled = c.binary(Op::FMul, x, scale);
    let rounded = c.int_of(scaled, Rounding::Rte);
    let normalized = c.clamp(rounded, low, high);
    let normalized = match k {
        // the last channel of all orders that have sRGB's space is alpha
        0..3 => {
            let nonlinear = nonlinear(c, x);
            c.select(format.is(Class::Srgb), nonlinear, normalized)
        }
        _ => normalized,
    };
    let full = c.bitcast(x, Type::I32);
    let half = c.float_to_half(x);
    let half = c.zext(half, 32);
    let float = c.select(two_bytes, half, full);
    c.select(format.is(Class::Float), float, normalized)
}

/// `abi::srgb::nonlinear`, in an i32.
fn nonlinear(c: &mut Code, x: Value) -> Value {
    use abi::srgb::{INTERCEPT_BITS, LEAST, LINE_SHIFT, LINES, SLOPE_BITS, STEP_SHIFT};
    let width = SLOPE_BITS + INTERCEPT_BITS;
    let table = TableData { width: width as u8, entries: LINES.map(u128::from).to_vec() };
    let table = c.b.func.tables.push(table);
    let bits = c.bitcast(x, Type::I32);
    let (least, one) = (c.int(LEAST as i32), c.int(1.0f32.to_bits() as i32));
    let offset = c.binary(Op::Sub, bits, least);
    let line = c.slice(offset, LINE_SHIFT, LINES.len().ilog2() + 1);
    let line = c.b.value(Op::Lookup(table), [line], Type::int(width));
    // 65536ths of what is less than 256
    let sum = Type::int(24);
    let intercept = c.slice(line, SLOPE_BITS, INTERCEPT_BITS);
    let seven = c.b.constant(Type::int(7), 0);
    let intercept = c.concat(&[intercept, seven]);
    let (slope, step) = (c.slice(line, 0, SLOPE_BITS), c.slice(bits, STEP_SHIFT, 8));
    let (slope, step) = (c.zext(slope, 24), c.zext(step, 24));
    let rise = c.b.value(Op::Mul, [slope, step], sum);
    let x = c.b.value(Op::Add, [intercept, rise], sum);
    let x = c.slice(x, 16, 8);
    let x = c.zext(x, 32);
    let (zero, most, infinity) = (c.int(0), c.int(255), c.int(f32::INFINITY.to_bits() as i32));
    // as integers numbers above 0 are in order, then infinity and NaNs; those below 0 are below 0
    let above = c.icmp(IntCC::Sge, bits, one);
    let below = c.icmp(IntCC::Slt, bits, least);
    let nan = c.icmp(IntCC::Sgt, bits, infinity);
    let nothing = c.or(below, nan);
    c.choose(&[(nothing, zero), (above, most)], x)
}

/// The bits of a texel, in an i128.
fn packed(c: &mut Code, format: &Format, channels: [Value; 4], int: bool) -> Value {
    let mut row = |width: u32| {
        let mut parts = channels.map(|v| c.slice(v, 0, width));
        parts.reverse();
        let all = c.concat(&parts);
        c.zext(all, 128)
    };
    let (bytes, shorts, words) = (row(8), row(16), row(32));
    let [one, two, _] = format.channel_bytes;
    let mut cases = vec![];
    for class in if int { &[][..] } else { &PACKED } {
        let mut parts = vec![];
        for (k, &channel) in channels.iter().enumerate() {
            if let Some((_, width)) = place(*class, k as u32) {
                parts.push(c.slice(channel, 0, width));
            }
        }
        let all = c.concat(&parts);
        cases.push((format.is(*class), c.zext(all, 128)));
    }
    cases.extend([(one, bytes), (two, shorts)]);
    c.choose(&cases, words)
}
