//! Mathematical functions of OpenCL that are operators of their own.

/// What an operand or a result of a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MathType {
    /// A float; all floats of one operation have the same type.
    Float,
    /// A 32-bit integer.
    Int,
}

use MathType::{Float, Int};

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $args:expr => $result:expr;)*) => {
        /// A function on floats. The names are those of OpenCL C, whose specification says what they compute
        /// and within how many units in the last place; functions with two results are two here.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum MathFn {
            $($(#[$doc])* $variant,)*
        }

        impl MathFn {
            /// All functions, in the order of their names.
            pub const ALL: &'static [MathFn] = &[$(MathFn::$variant,)*];

            /// Name in IR text, behind `math.`.
            pub fn name(self) -> &'static str {
                match self {
                    $(MathFn::$variant => $name,)*
                }
            }

            /// The operands.
            pub fn args(self) -> &'static [MathType] {
                match self {
                    $(MathFn::$variant => &$args,)*
                }
            }

            /// The result.
            pub fn result(self) -> MathType {
                match self {
                    $(MathFn::$variant => $result,)*
                }
            }
        }
    };
}

functions! {
    /// Arc cosine.
    Acos "acos" [Float] => Float;
    /// Inverse hyperbolic cosine.
    Acosh "acosh" [Float] => Float;
    /// Arc cosine over pi.
    Acospi "acospi" [Float] => Float;
    /// Arc sine.
    Asin "asin" [Float] => Float;
    /// Inverse hyperbolic sine.
    Asinh "asinh" [Float] => Float;
    /// Arc sine over pi.
    Asinpi "asinpi" [Float] => Float;
    /// Arc tangent.
    Atan "atan" [Float] => Float;
    /// Arc tangent of `y / x` in the right quadrant; operands y, x.
    Atan2 "atan2" [Float, Float] => Float;
    /// The same over pi.
    Atan2pi "atan2pi" [Float, Float] => Float;
    /// Inverse hyperbolic tangent.
    Atanh "atanh" [Float] => Float;
    /// Arc tangent over pi.
    Atanpi "atanpi" [Float] => Float;
    /// Cube root.
    Cbrt "cbrt" [Float] => Float;
    /// Cosine.
    Cos "cos" [Float] => Float;
    /// Hyperbolic cosine.
    Cosh "cosh" [Float] => Float;
    /// Cosine of pi times the operand.
    Cospi "cospi" [Float] => Float;
    /// Error function.
    Erf "erf" [Float] => Float;
    /// 1 less the error function.
    Erfc "erfc" [Float] => Float;
    /// Power of e.
    Exp "exp" [Float] => Float;
    /// Power of 10.
    Exp10 "exp10" [Float] => Float;
    /// Power of 2.
    Exp2 "exp2" [Float] => Float;
    /// Power of e, less 1.
    Expm1 "expm1" [Float] => Float;
    /// Square root of the sum of two squares.
    Hypot "hypot" [Float, Float] => Float;
    /// Exponent, as an integer.
    Ilogb "ilogb" [Float] => Int;
    /// The first operand times 2 to the power of the second.
    Ldexp "ldexp" [Float, Int] => Float;
    /// Logarithm of the magnitude of the gamma function.
    Lgamma "lgamma" [Float] => Float;
    /// Sign of the gamma function: 1, -1, or 0 where it has none.
    LgammaSign "lgamma_sign" [Float] => Int;
    /// Natural logarithm.
    Log "log" [Float] => Float;
    /// Logarithm to base 10.
    Log10 "log10" [Float] => Float;
    /// Natural logarithm of 1 plus the operand.
    Log1p "log1p" [Float] => Float;
    /// Logarithm to base 2.
    Log2 "log2" [Float] => Float;
    /// Exponent, as a float.
    Logb "logb" [Float] => Float;
    /// Power.
    Pow "pow" [Float, Float] => Float;
    /// Power with an integer exponent.
    Pown "pown" [Float, Int] => Float;
    /// Power of a base that is not negative.
    Powr "powr" [Float, Float] => Float;
    /// The first operand less the nearest multiple of the second; ties to the even one.
    Remainder "remainder" [Float, Float] => Float;
    /// The last seven bits of that multiple's factor, with the sign of the quotient.
    RemquoBits "remquo_bits" [Float, Float] => Int;
    /// Root with an integer index.
    Rootn "rootn" [Float, Int] => Float;
    /// Reciprocal of the square root.
    Rsqrt "rsqrt" [Float] => Float;
    /// Sine.
    Sin "sin" [Float] => Float;
    /// Hyperbolic sine.
    Sinh "sinh" [Float] => Float;
    /// Sine of pi times the operand.
    Sinpi "sinpi" [Float] => Float;
    /// Tangent.
    Tan "tan" [Float] => Float;
    /// Hyperbolic tangent.
    Tanh "tanh" [Float] => Float;
    /// Tangent of pi times the operand.
    Tanpi "tanpi" [Float] => Float;
    /// Gamma function.
    Tgamma "tgamma" [Float] => Float;
}

impl MathFn {
    /// The function called `name`.
    pub fn from_name(name: &str) -> Option<MathFn> {
        MathFn::ALL.iter().copied().find(|f| f.name() == name)
    }
}
