//! Types of OpenCL C: scalars and vectors.

use abi::ScalarType;

/// A scalar or vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ty {
    /// Its components.
    pub elem: ScalarType,
    /// How many: 1 (a scalar), 2, 3, 4, 8 or 16.
    pub lanes: u8,
}

/// `int`
pub const INT: Ty = Ty::scalar(ScalarType::I32);
/// `uint`
pub const UINT: Ty = Ty::scalar(ScalarType::U32);
/// `ulong`
pub const ULONG: Ty = Ty::scalar(ScalarType::U64);

impl Ty {
    /// A scalar.
    pub const fn scalar(elem: ScalarType) -> Ty {
        Ty { elem, lanes: 1 }
    }

    /// Its name in OpenCL C.
    pub fn name(self) -> String {
        match self.lanes {
            1 => self.elem.opencl_name().to_owned(),
            n => format!("{}{n}", self.elem.opencl_name()),
        }
    }

    /// The same number of other components.
    pub fn with(self, elem: ScalarType) -> Ty {
        Ty { elem, ..self }
    }

    /// One component.
    pub fn lane(self) -> Ty {
        Ty::scalar(self.elem)
    }

    /// Components that it takes in memory.
    pub fn lanes_in_memory(self) -> u32 {
        if self.lanes == 3 { 4 } else { self.lanes.into() }
    }

    /// Bytes that it takes in memory, which are also its alignment.
    pub fn bytes(self) -> u32 {
        self.elem.bits() / 8 * self.lanes_in_memory()
    }

    /// What a comparison of two gives: `int` of scalars, a vector of signed integers of vectors.
    pub fn truth(self) -> Ty {
        if self.lanes == 1 { INT } else { self.with(self.elem.signed()) }
    }

    /// A number as an expression of the type.
    pub fn literal(self, bits: u64) -> String {
        let scalar = self.elem;
        if scalar.is_float() {
            let number = match bits % 9 {
                0 => "0.0".to_owned(),
                1 => "1.0".to_owned(),
                2 => "-1.0".to_owned(),
                3 => "0.5".to_owned(),
                4 => format!("{}.0", bits >> 4 & 0xff),
                5 => format!("-{}.25", bits >> 4 & 0x3f),
                6 => "-0.0".to_owned(),
                7 => format!("{}.0e3", bits >> 4 & 0xf),
                _ => format!("{}.5e-4", bits >> 4 & 0x1f),
            };
            let suffix = if scalar == ScalarType::F64 { "" } else { "f" };
            return match self.lanes {
                1 => format!("({})({number}{suffix})", self.name()),
                _ => format!("({})(({})({number}{suffix}))", self.name(), scalar.opencl_name()),
            };
        }
        let width = scalar.bits();
        let cut = bits & (u64::MAX >> (64 - width));
        let value = match scalar.is_signed() {
            true => format!("({}){cut:#x}{}", scalar.unsigned().opencl_name(), suffix(scalar)),
            false => format!("{cut:#x}{}", suffix(scalar)),
        };
        match self.lanes {
            1 => format!("({})({value})", scalar.opencl_name()),
            _ => format!("({})(({})({value}))", self.name(), scalar.opencl_name()),
        }
    }
}

/// The suffix of a literal that is not negative.
fn suffix(elem: ScalarType) -> &'static str {
    if elem.bits() == 64 { "UL" } else { "u" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_their_type() {
        assert_eq!(Ty::scalar(ScalarType::I8).literal(0xfff), "(char)((uchar)0xffu)");
        assert_eq!(Ty { elem: ScalarType::U64, lanes: 3 }.literal(5), "(ulong3)((ulong)(0x5UL))");
        assert_eq!(Ty { elem: ScalarType::F32, lanes: 4 }.literal(1), "(float4)((float)(1.0f))");
    }

    #[test]
    fn three_take_the_place_of_four() {
        assert_eq!(Ty { elem: ScalarType::I16, lanes: 3 }.bytes(), 8);
    }
}
