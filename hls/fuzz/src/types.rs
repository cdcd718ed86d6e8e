//! Types of OpenCL C: scalars and vectors.

/// The type of a scalar or of a vector's components.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Elem {
    /// `char`
    I8,
    /// `uchar`
    U8,
    /// `short`
    I16,
    /// `ushort`
    U16,
    /// `int`
    I32,
    /// `uint`
    U32,
    /// `long`
    I64,
    /// `ulong`
    U64,
    /// `half`
    F16,
    /// `float`
    F32,
    /// `double`
    F64,
}

impl Elem {
    /// The integers.
    pub const INTS: [Elem; 8] =
        [Elem::I8, Elem::U8, Elem::I16, Elem::U16, Elem::I32, Elem::U32, Elem::I64, Elem::U64];

    /// Its name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Elem::I8 => "char",
            Elem::U8 => "uchar",
            Elem::I16 => "short",
            Elem::U16 => "ushort",
            Elem::I32 => "int",
            Elem::U32 => "uint",
            Elem::I64 => "long",
            Elem::U64 => "ulong",
            Elem::F16 => "half",
            Elem::F32 => "float",
            Elem::F64 => "double",
        }
    }

    /// Its name in launch files.
    pub fn value_name(self) -> &'static str {
        match self {
            Elem::I8 => "i8",
            Elem::U8 => "u8",
            Elem::I16 => "i16",
            Elem::U16 => "u16",
            Elem::I32 => "i32",
            Elem::U32 => "u32",
            Elem::I64 => "i64",
            Elem::U64 => "u64",
            Elem::F16 => "f16",
            Elem::F32 => "f32",
            Elem::F64 => "f64",
        }
    }

    /// Size in bits.
    pub fn bits(self) -> u32 {
        match self {
            Elem::I8 | Elem::U8 => 8,
            Elem::I16 | Elem::U16 | Elem::F16 => 16,
            Elem::I32 | Elem::U32 | Elem::F32 => 32,
            Elem::I64 | Elem::U64 | Elem::F64 => 64,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::F32 | Elem::F64)
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Elem::I8 | Elem::I16 | Elem::I32 | Elem::I64)
    }

    /// The signed integer of the same size.
    pub fn signed(self) -> Elem {
        match self.bits() {
            8 => Elem::I8,
            16 => Elem::I16,
            32 => Elem::I32,
            _ => Elem::I64,
        }
    }

    /// The unsigned integer of the same size.
    pub fn unsigned(self) -> Elem {
        match self.bits() {
            8 => Elem::U8,
            16 => Elem::U16,
            32 => Elem::U32,
            _ => Elem::U64,
        }
    }
}

/// A scalar or vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ty {
    /// Its components.
    pub elem: Elem,
    /// How many: 1 (a scalar), 2, 3, 4, 8 or 16.
    pub lanes: u8,
}

/// `int`
pub const INT: Ty = Ty::scalar(Elem::I32);
/// `uint`
pub const UINT: Ty = Ty::scalar(Elem::U32);
/// `ulong`
pub const ULONG: Ty = Ty::scalar(Elem::U64);

impl Ty {
    /// A scalar.
    pub const fn scalar(elem: Elem) -> Ty {
        Ty { elem, lanes: 1 }
    }

    /// Its name in OpenCL C.
    pub fn name(self) -> String {
        match self.lanes {
            1 => self.elem.name().to_owned(),
            n => format!("{}{n}", self.elem.name()),
        }
    }

    /// The same number of other components.
    pub fn with(self, elem: Elem) -> Ty {
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
            let suffix = if scalar == Elem::F64 { "" } else { "f" };
            return match self.lanes {
                1 => format!("({})({number}{suffix})", self.name()),
                _ => format!("({})(({})({number}{suffix}))", self.name(), scalar.name()),
            };
        }
        let width = scalar.bits();
        let cut = bits & (u64::MAX >> (64 - width));
        let value = match scalar.is_signed() {
            true => format!("({}){cut:#x}{}", scalar.unsigned().name(), suffix(scalar)),
            false => format!("{cut:#x}{}", suffix(scalar)),
        };
        match self.lanes {
            1 => format!("({})({value})", scalar.name()),
            _ => format!("({})(({})({value}))", self.name(), scalar.name()),
        }
    }
}

/// The suffix of a literal that is not negative.
fn suffix(elem: Elem) -> &'static str {
    if elem.bits() == 64 { "UL" } else { "u" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_their_type() {
        assert_eq!(Ty::scalar(Elem::I8).literal(0xfff), "(char)((uchar)0xffu)");
        assert_eq!(Ty { elem: Elem::U64, lanes: 3 }.literal(5), "(ulong3)((ulong)(0x5UL))");
        assert_eq!(Ty { elem: Elem::F32, lanes: 4 }.literal(1), "(float4)((float)(1.0f))");
    }

    #[test]
    fn three_take_the_place_of_four() {
        assert_eq!(Ty { elem: Elem::I16, lanes: 3 }.bytes(), 8);
    }
}
