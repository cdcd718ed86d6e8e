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
    /// Quotient, with the bounds of the `half_` functions.
    HalfDivide "half_divide" [Float, Float] => Float;
    /// Power of e, with the bounds of the `half_` functions.
    HalfExp "half_exp" [Float] => Float;
    /// Power of 10, with the bounds of the `half_` functions.
    HalfExp10 "half_exp10" [Float] => Float;
    /// Power of 2, with the bounds of the `half_` functions.
    HalfExp2 "half_exp2" [Float] => Float;
    /// Natural logarithm, with the bounds of the `half_` functions.
    HalfLog "half_log" [Float] => Float;
    /// Logarithm to base 10, with the bounds of the `half_` functions.
    HalfLog10 "half_log10" [Float] => Float;
    /// Logarithm to base 2, with the bounds of the `half_` functions.
    HalfLog2 "half_log2" [Float] => Float;
    /// Power of a base that is not negative, with the bounds of the `half_` functions.
    HalfPowr "half_powr" [Float, Float] => Float;
    /// Reciprocal, with the bounds of the `half_` functions.
    HalfRecip "half_recip" [Float] => Float;
    /// Reciprocal of the square root, with the bounds of the `half_` functions.
    HalfRsqrt "half_rsqrt" [Float] => Float;
    /// Square root, with the bounds of the `half_` functions.
    HalfSqrt "half_sqrt" [Float] => Float;
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
    /// Cosine, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeCos "native_cos" [Float] => Float;
    /// Quotient, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeDivide "native_divide" [Float, Float] => Float;
    /// Power of e, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeExp "native_exp" [Float] => Float;
    /// Power of 10, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeExp10 "native_exp10" [Float] => Float;
    /// Power of 2, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeExp2 "native_exp2" [Float] => Float;
    /// Natural logarithm, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeLog "native_log" [Float] => Float;
    /// Logarithm to base 10, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeLog10 "native_log10" [Float] => Float;
    /// Logarithm to base 2, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeLog2 "native_log2" [Float] => Float;
    /// Power, with the bounds of `-cl-unsafe-math-optimizations`.
    NativePow "native_pow" [Float, Float] => Float;
    /// Power with an integer exponent, with the bounds of `-cl-unsafe-math-optimizations`.
    NativePown "native_pown" [Float, Int] => Float;
    /// Power of a base that is not negative, with the bounds of `-cl-unsafe-math-optimizations`.
    NativePowr "native_powr" [Float, Float] => Float;
    /// Reciprocal, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeRecip "native_recip" [Float] => Float;
    /// Root with an integer index, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeRootn "native_rootn" [Float, Int] => Float;
    /// Reciprocal of the square root, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeRsqrt "native_rsqrt" [Float] => Float;
    /// Sine, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeSin "native_sin" [Float] => Float;
    /// Square root, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeSqrt "native_sqrt" [Float] => Float;
    /// Tangent, with the bounds of `-cl-unsafe-math-optimizations`.
    NativeTan "native_tan" [Float] => Float;
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
    /// The same function with the bounds that OpenCL C sets where `-cl-unsafe-math-optimizations` is given, if there is smaller
    /// hardware for it; in single precision only.
    pub fn relaxed(self) -> Option<MathFn> {
        Some(match self {
            MathFn::Cos => MathFn::NativeCos,
            MathFn::Exp => MathFn::NativeExp,
            MathFn::Exp10 => MathFn::NativeExp10,
            MathFn::Exp2 => MathFn::NativeExp2,
            MathFn::Log => MathFn::NativeLog,
            MathFn::Log10 => MathFn::NativeLog10,
            MathFn::Log2 => MathFn::NativeLog2,
            MathFn::Pow => MathFn::NativePow,
            MathFn::Pown => MathFn::NativePown,
            MathFn::Powr => MathFn::NativePowr,
            MathFn::Rootn => MathFn::NativeRootn,
            MathFn::Rsqrt => MathFn::NativeRsqrt,
            MathFn::Sin => MathFn::NativeSin,
            MathFn::Tan => MathFn::NativeTan,
            _ => return None,
        })
    }

    /// Whether it exists in single precision only: `native_` and `half_` functions.
    pub fn is_single(self) -> bool {
        self.name().starts_with("native_") || self.name().starts_with("half_")
    }

    /// The function called `name`.
    pub fn from_name(name: &str) -> Option<MathFn> {
        MathFn::ALL.iter().copied().find(|f| f.name() == name)
    }
}
