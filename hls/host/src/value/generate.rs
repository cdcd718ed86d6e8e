//! Buffers described by a formula: `zeros:`, `fill:`, `iota:`, `rand:`, `data:`.

use super::number::{f16_from_f64, integer_bytes, parse as parse_number, parse_integer};
use super::{Array, bad};
use crate::Error;
use abi::ScalarType;

/// Parses `form:rest` where `rest` is `T[SHAPE]` and what the form needs.
pub(super) fn parse(form: &str, rest: &str) -> Result<Array, Error> {
    if !matches!(form, "zeros" | "fill" | "iota" | "rand" | "data") {
        return Err(bad(format!("`{form}:` is not a form of value (docs/launches.md)")));
    }
    let (scalar, shape, parameters) = split(rest)?;
    let count = shape.iter().try_fold(1u64, |count, &n| count.checked_mul(n));
    let count = count
        .and_then(|count| usize::try_from(count).ok())
        .filter(|&count| count <= isize::MAX as usize / 8)
        .ok_or_else(|| bad("more elements than memory can hold".into()))?;
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(count * scalar.bytes() as usize)
        .map_err(|_| bad(format!("no memory for {count} elements of {scalar}")))?;
    match (form, parameters) {
        ("zeros", None) => bytes.resize(count * scalar.bytes() as usize, 0),
        ("iota", None) => (0..count).for_each(|i| push_index(&mut bytes, i as u64, scalar)),
        ("fill", Some(text)) => {
            let element = parse_number(text, scalar)?;
            (0..count).for_each(|_| bytes.extend_from_slice(&element));
        }
        ("data", Some(text)) => {
            let texts: Vec<&str> = text.split(',').collect();
            if texts.len() != count {
                return Err(bad(format!("{} numbers for {count} elements", texts.len())));
            }
            for text in texts {
                bytes.extend(parse_number(text, scalar)?);
            }
        }
        ("rand", Some(text)) => {
            let random = Random::parse(text, scalar)?;
            (0..count).for_each(|i| random.push(&mut bytes, i as u64));
        }
        ("zeros" | "iota", Some(_)) => return Err(bad("nothing may follow the shape".into())),
        (_, _) => {
            let what = if form == "rand" { "the seed" } else { "the numbers" };
            return Err(bad(format!("{what} must follow the shape after `:`")));
        }
    }
    Ok(Array { scalar, shape, bytes })
}

/// `T[A,B]:more` as type, shape and the rest.
fn split(text: &str) -> Result<(ScalarType, Vec<u64>, Option<&str>), Error> {
    let malformed =
        || bad("expected a type and a shape, such as `f32[1024]` or `i8[64,32]`".into());
    let (name, rest) = text.split_once('[').ok_or_else(malformed)?;
    let (shape, rest) = rest.split_once(']').ok_or_else(malformed)?;
    let scalar = ScalarType::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = ScalarType::ALL.iter().map(|scalar| scalar.name()).collect();
        bad(format!("unknown element type `{name}`; known are {}", names.join(", ")))
    })?;
    let shape = shape
        .split(',')
        .map(|size| size.parse().map_err(|_| malformed()))
        .collect::<Result<Vec<u64>, Error>>()?;
    match rest {
        "" => Ok((scalar, shape, None)),
        rest => {
            rest.strip_prefix(':').map(|rest| (scalar, shape, Some(rest))).ok_or_else(malformed)
        }
    }
}

fn push_index(bytes: &mut Vec<u8>, index: u64, scalar: ScalarType) {
    match scalar {
        ScalarType::F16 => bytes.extend(f16_from_f64(index as f64).to_le_bytes()),
        ScalarType::F32 => bytes.extend((index as f32).to_le_bytes()),
        ScalarType::F64 => bytes.extend((index as f64).to_le_bytes()),
        _ => bytes.extend(&index.to_le_bytes()[..scalar.bytes() as usize]),
    }
}

/// Output number `index` of the splitmix64 generator started at `seed`.
fn splitmix64(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// `SEED`, `SEED:LO..HI` or `SEED:bits` for elements of one type.
struct Random {
    seed: u64,
    scalar: ScalarType,
    distribution: Distribution,
}

enum Distribution {
    /// The low bits of the hash.
    Bits,
    /// Floats in [-1, 1).
    Unit,
    /// Integers from `low`, `span` of them.
    Integers { low: i128, span: u128 },
    /// Floats from `low` to `high`.
    Floats { low: f64, high: f64 },
}

impl Random {
    fn parse(text: &str, scalar: ScalarType) -> Result<Self, Error> {
        let (seed, how) = match text.split_once(':') {
            Some((seed, how)) => (seed, Some(how)),
            None => (text, None),
        };
        let seed = seed
            .parse()
            .map_err(|_| bad(format!("the seed `{seed}` is not an unsigned number")))?;
        let distribution = match how {
            Some("bits") => Distribution::Bits,
            None if scalar.is_float() => Distribution::Unit,
            None => Distribution::Bits,
            Some(range) => {
                let (low, high) = range
                    .split_once("..")
                    .ok_or_else(|| bad(format!("`{range}` is neither LO..HI nor `bits`")))?;
                if scalar.is_float() { floats(low, high)? } else { integers(low, high, scalar)? }
            }
        };
        Ok(Self { seed, scalar, distribution })
    }

    fn push(&self, bytes: &mut Vec<u8>, index: u64) {
        let hash = splitmix64(self.seed, index);
        let size = self.scalar.bytes() as usize;
        match self.distribution {
            Distribution::Bits => bytes.extend(&hash.to_le_bytes()[..size]),
            Distribution::Integers { low, span } => {
                let value = low + ((u128::from(hash) * span) >> 64) as i128;
                bytes.extend(&value.to_le_bytes()[..size]);
            }
            Distribution::Unit => {
                // As many bits as the significand has: the subtraction and division are exact.
                let half = match self.scalar {
                    ScalarType::F16 => 1i64 << 10,
                    ScalarType::F32 => 1 << 23,
                    _ => 1 << 52,
                };
                let drop = 64 - (half.trailing_zeros() + 1);
                self.push_float(bytes, ((hash >> drop) as i64 - half) as f64 / half as f64);
            }
            Distribution::Floats { low, high } => {
                let unit = (hash >> 11) as f64 / (1u64 << 53) as f64;
                self.push_float(bytes, low + unit * (high - low));
            }
        }
    }

    fn push_float(&self, bytes: &mut Vec<u8>, value: f64) {
        match self.scalar {
            ScalarType::F16 => bytes.extend(f16_from_f64(value).to_le_bytes()),
            ScalarType::F32 => bytes.extend((value as f32).to_le_bytes()),
            _ => bytes.extend(value.to_le_bytes()),
        }
    }
}

fn integers(low: &str, high: &str, scalar: ScalarType) -> Result<Distribution, Error> {
    let (Some(from), Some(to)) = (parse_integer(low), parse_integer(high)) else {
        return Err(bad(format!("`{low}..{high}` is not a range of integers")));
    };
    if from >= to {
        return Err(bad(format!("the range {low}..{high} is empty")));
    }
    let fits = |value| integer_bytes(value, scalar).is_some();
    if !fits(from) || !fits(to - 1) {
        return Err(bad(format!("the range {low}..{high} does not fit {scalar}")));
    }
    Ok(Distribution::Integers { low: from, span: (to - from) as u128 })
}

fn floats(low: &str, high: &str) -> Result<Distribution, Error> {
    match (low.parse(), high.parse()) {
        (Ok(low), Ok(high)) => Ok(Distribution::Floats { low, high }),
        _ => Err(bad(format!("`{low}..{high}` is not a range of numbers"))),
    }
}
