//! Values of specialization constants: `--spec-constant`.

use crate::failure::{Failure, Result};
use abi::ScalarType;
use host::value::number;
use ir::FloatKind;
use spirv_to_ir::{Options, SpecConstant, SpecType};

/// What it looks like, for messages.
const FORM: &str = "expected ID=VALUE or NAME=VALUE, such as 3=16";
/// Code of what does not fit the module: the reader's.
const CODE: &str = "E0118";

/// A value that the user gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecValue {
    /// SpecId or name.
    pub constant: String,
    /// The value as it was written.
    pub value: String,
}

impl SpecValue {
    /// Parses `ID=VALUE` or `NAME=VALUE`.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        match text.split_once('=') {
            Some((constant, value)) if !constant.is_empty() && !value.is_empty() => {
                Ok(SpecValue { constant: constant.into(), value: value.into() })
            }
            _ => Err(FORM.into()),
        }
    }
}

/// A constant with the value that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The constant.
    pub known: SpecConstant,
    /// Bits of the value.
    pub bits: u64,
    /// The value as it was written.
    pub text: String,
}

impl Resolved {
    /// For the manifest.
    pub(crate) fn described(&self) -> abi::SpecConstant {
        let SpecConstant { id, name, .. } = &self.known;
        abi::SpecConstant { id: *id, name: name.clone(), value: self.text.clone() }
    }
}

/// Finds the constants of a module that values are for.
///
/// # Errors
/// `E0118` for a constant that is not there, or given two values, and for a value that its type does not have; the reader's errors.
pub(crate) fn resolve(
    bytes: &[u8],
    options: &Options,
    values: &[SpecValue],
) -> Result<Vec<Resolved>> {
    let all = spirv_to_ir::spec_constants(bytes, options)
        .map_err(|e| Failure { diagnostics: e, sources: base::SourceMap::default() })?;
    let mut found: Vec<Resolved> = vec![];
    for given in values {
        let known = find(&all, &given.constant)?;
        if found.iter().any(|r| r.known.id == known.id) {
            let what = format!("specialization constant {} is given two values", name_of(known));
            return Err(Failure::new(CODE, what));
        }
        let bits = parse(known, &given.value)?;
        found.push(Resolved { known: known.clone(), bits, text: given.value.clone() });
    }
    Ok(found)
}

fn find<'a>(all: &'a [SpecConstant], given: &str) -> Result<&'a SpecConstant> {
    let by_id = given.parse().ok().and_then(|id: u32| all.iter().find(|c| c.id == id));
    if let Some(known) = by_id {
        return Ok(known);
    }
    let named: Vec<&SpecConstant> = all.iter().filter(|c| c.name == given).collect();
    match named[..] {
        [known] => Ok(known),
        [] => {
            let what = format!("the module has no specialization constant `{given}`");
            Err(Failure::new(CODE, what).help(list(all)))
        }
        _ => {
            let what = format!("the module has several specialization constants called `{given}`");
            Err(Failure::new(CODE, what).help(list(all)))
        }
    }
}

/// All constants, for who has named another one.
fn list(all: &[SpecConstant]) -> String {
    let text = |c: &SpecConstant| format!("{} ({})", name_of(c), c.ty);
    match all {
        [] => "it has none".into(),
        _ => format!("it has {}", all.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

/// `4 `width``
fn name_of(c: &SpecConstant) -> String {
    match c.name.as_str() {
        "" => c.id.to_string(),
        name => format!("{} `{name}`", c.id),
    }
}

/// The bits of a value.
fn parse(known: &SpecConstant, text: &str) -> Result<u64> {
    let scalar = match known.ty {
        SpecType::Bool => {
            return match text {
                "true" | "1" => Ok(1),
                "false" | "0" => Ok(0),
                _ => Err(wrong(known, text, "true or false")),
            };
        }
        SpecType::Int(8) => ScalarType::U8,
        SpecType::Int(16) => ScalarType::U16,
        SpecType::Int(32) => ScalarType::U32,
        SpecType::Int(_) => ScalarType::U64,
        SpecType::Float(FloatKind::F16) => ScalarType::F16,
        SpecType::Float(FloatKind::F32) => ScalarType::F32,
        SpecType::Float(_) => ScalarType::F64,
    };
    let bytes = number::parse(text, scalar).map_err(|e| match known.ty {
        SpecType::Int(bits) => wrong(known, text, &values(bits)),
        _ => wrong(known, text, &e.message),
    })?;
    Ok(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
}

/// What integers without a sign of their own can be.
fn values(bits: u32) -> String {
    let (least, most) = (-1i128 << (bits - 1), (1i128 << bits) - 1);
    format!("an integer from {least} to {most}")
}

fn wrong(known: &SpecConstant, text: &str, why: &str) -> Failure {
    let what = format!(
        "`{text}` is no value of specialization constant {}, which is {}: {why}",
        name_of(known),
        known.ty
    );
    Failure::new(CODE, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(ty: SpecType) -> SpecConstant {
        SpecConstant { id: 4, name: "width".into(), ty, default: 0 }
    }

    #[test]
    fn values_are_bits_of_the_type_or_refused_with_it() {
        let int = |bits| constant(SpecType::Int(bits));
        let float = |kind| constant(SpecType::Float(kind));
        for (c, text, bits) in [
            (constant(SpecType::Bool), "true", 1),
            (int(8), "-1", 0xff),
            (int(8), "255", 0xff),
            (int(32), "0x10", 16),
            (int(64), "-2", u64::MAX - 1),
            (float(FloatKind::F32), "1.5", 0x3fc0_0000),
            (float(FloatKind::F64), "-2", 0xc000_0000_0000_0000),
            (float(FloatKind::F16), "1", 0x3c00),
        ] {
            assert_eq!(parse(&c, text).map_err(|e| e.render()), Ok(bits), "{text} as {}", c.ty);
        }
        for (c, text, what) in [
            (constant(SpecType::Bool), "2", "which is bool: true or false"),
            (int(8), "256", "which is i8: an integer from -128 to 255"),
            (int(8), "-129", "which is i8: an integer from -128 to 255"),
            (int(32), "1.5", "which is i32: an integer from -2147483648 to 4294967295"),
            (float(FloatKind::F32), "x", "which is f32: `x` is not a number"),
        ] {
            let e = parse(&c, text).expect_err(text).render();
            assert!(e.contains(&format!("specialization constant 4 `width`, {what}")), "{e}");
        }
    }

    #[test]
    fn constants_are_found_by_number_and_by_name() {
        let all = [
            constant(SpecType::Bool),
            SpecConstant { id: 7, name: String::new(), ..constant(SpecType::Int(8)) },
        ];
        let id = |given: &str| find(&all, given).map(|c| c.id).map_err(|e| e.render());
        assert_eq!((id("4"), id("width"), id("7")), (Ok(4), Ok(4), Ok(7)));
        let e = id("5").expect_err("there is none");
        assert!(
            e.contains("no specialization constant `5`")
                && e.contains("it has 4 `width` (bool), 7 (i8)"),
            "{e}"
        );
        assert!(SpecValue::parse("4").is_err() && SpecValue::parse("=3").is_err());
    }
}
