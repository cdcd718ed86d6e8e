//! The loops of a program's steps.

use super::{Action, Class, LANES, Place, Step, Tables};

/// Arrays of one class; one that a step is writing is taken out.
type Bank<T> = Vec<Option<Box<[T; LANES]>>>;

/// All values of a run.
#[derive(Default)]
pub struct Banks {
    narrow: Bank<u32>,
    word: Bank<u64>,
    wide: Bank<u128>,
}

impl Banks {
    /// Room for so many values of each class.
    pub fn new(counts: [usize; 3]) -> Banks {
        fn bank<T: Lane>(count: usize) -> Bank<T> {
            (0..count).map(|_| Some(Box::new([T::low_of(0); LANES]))).collect()
        }
        Banks { narrow: bank(counts[0]), word: bank(counts[1]), wide: bank(counts[2]) }
    }

    /// Sets all lanes to a constant.
    pub fn fill(&mut self, place: Place, value: u128) {
        fn fill<T: Lane>(banks: &mut Banks, index: u32, value: u128) {
            **T::bank(banks)[index as usize].as_mut().expect(PRESENT) = [T::low_of(value); LANES];
        }
        match place.class {
            Class::Narrow => fill::<u32>(self, place.index, value),
            Class::Word => fill::<u64>(self, place.index, value),
            Class::Wide => fill::<u128>(self, place.index, value),
        }
    }

    /// Sets a value of up to 64 bits.
    pub fn set(&mut self, place: Place, values: &[u64; LANES]) {
        fn set<T: Lane>(banks: &mut Banks, index: u32, values: &[u64; LANES]) {
            let array = T::bank(banks)[index as usize].as_mut().expect(PRESENT);
            array.iter_mut().zip(values).for_each(|(to, from)| *to = T::low_of(u128::from(*from)));
        }
        match place.class {
            Class::Narrow => set::<u32>(self, place.index, values),
            Class::Word => set::<u64>(self, place.index, values),
            Class::Wide => set::<u128>(self, place.index, values),
        }
    }

    /// Reads a value of up to 64 bits.
    pub fn get(&self, place: Place, values: &mut [u64; LANES]) {
        fn get<T: Lane>(banks: &Banks, index: u32, values: &mut [u64; LANES]) {
            values.iter_mut().zip(T::array(banks, index)).for_each(|(to, x)| *to = x.wide() as u64);
        }
        match place.class {
            Class::Narrow => get::<u32>(self, place.index, values),
            Class::Word => get::<u64>(self, place.index, values),
            Class::Wide => get::<u128>(self, place.index, values),
        }
    }
}

const PRESENT: &str = "an array is away only while its step runs";

/// A machine word.
trait Lane: Copy + Eq + Ord {
    /// Bits of the word.
    const BITS: u32;
    fn bank(banks: &mut Banks) -> &mut Bank<Self>;
    fn array(banks: &Banks, index: u32) -> &[Self; LANES];
    fn table(tables: &Tables, index: u32) -> &[Self];
    fn low_of(value: u128) -> Self;
    fn wide(self) -> u128;
    /// The low `width` bits of a word.
    fn ones(width: u32) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Shifts by less than [`Self::BITS`].
    fn up(self, by: u32) -> Self;
    fn down(self, by: u32) -> Self;
    /// Sign-extended from `width` bits, then shifted.
    fn signed_down(self, width: u32, by: u32) -> Self;
    fn signed_less(self, other: Self) -> bool;
    fn leading_zeros(self) -> u32;
    fn count_ones(self) -> u32;
}

macro_rules! lane {
    ($word:ty, $signed:ty, $bank:ident) => {
        impl Lane for $word {
            const BITS: u32 = <$word>::BITS;
            #[inline(always)]
            fn bank(banks: &mut Banks) -> &mut Bank<Self> {
                &mut banks.$bank
            }
            #[inline(always)]
            fn array(banks: &Banks, index: u32) -> &[Self; LANES] {
                banks.$bank[index as usize].as_ref().expect(PRESENT)
            }
            #[inline(always)]
            fn table(tables: &Tables, index: u32) -> &[Self] {
                &tables.$bank[index as usize]
            }
            #[inline(always)]
            fn low_of(value: u128) -> Self {
                value as Self
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn ones(width: u32) -> Self {
                Self::MAX >> (<$word>::BITS - width)
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn up(self, by: u32) -> Self {
                self << by
            }
            #[inline(always)]
            fn down(self, by: u32) -> Self {
                self >> by
            }
            #[inline(always)]
            fn signed_down(self, width: u32, by: u32) -> Self {
                let unused = <$word>::BITS - width;
                ((((self << unused) as $signed) >> unused) >> by) as Self
            }
            #[inline(always)]
            fn signed_less(self, other: Self) -> bool {
                (self as $signed) < (other as $signed)
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                <$word>::leading_zeros(self)
            }
            #[inline(always)]
            fn count_ones(self) -> u32 {
                <$word>::count_ones(self)
            }
        }
    };
}

lane!(u32, i32, narrow);
lane!(u64, i64, word);
lane!(u128, i128, wide);

/// A result of one operand.
#[inline(always)]
fn unary<A: Lane, D: Lane>(banks: &mut Banks, step: &Step, f: impl Fn(A) -> D) {
    let mut out = D::bank(banks)[step.d as usize].take().expect(PRESENT);
    let a = A::array(banks, step.a);
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(*a);
    }
    D::bank(banks)[step.d as usize] = Some(out);
}

/// A result of two operands, of which the second may be a constant.
#[inline(always)]
fn binary<A: Lane, D: Lane>(banks: &mut Banks, step: &Step, f: impl Fn(A, A) -> D) {
    let mut out = D::bank(banks)[step.d as usize].take().expect(PRESENT);
    let a = A::array(banks, step.a);
    if let Some(constant) = step.constant {
        let b = A::low_of(constant);
        for (out, a) in out.iter_mut().zip(a) {
            *out = f(*a, b);
        }
    } else {
        for ((out, a), b) in out.iter_mut().zip(a).zip(A::array(banks, step.b)) {
            *out = f(*a, *b);
        }
    }
    D::bank(banks)[step.d as usize] = Some(out);
}

#[inline(always)]
fn select<A: Lane>(banks: &mut Banks, step: &Step) {
    let mut out = A::bank(banks)[step.d as usize].take().expect(PRESENT);
    let condition = u32::array(banks, step.a);
    let (then, otherwise) = (A::array(banks, step.b), A::array(banks, step.c));
    for (((out, condition), then), otherwise) in
        out.iter_mut().zip(condition).zip(then).zip(otherwise)
    {
        // Not a choice, of which the compiler would make jumps: the condition is 0 or 1.
        let ones = A::low_of(0).sub(A::low_of(u128::from(*condition)));
        *out = otherwise.xor(then.xor(*otherwise).and(ones));
    }
    A::bank(banks)[step.d as usize] = Some(out);
}

#[inline(always)]
fn lookup<D: Lane>(banks: &mut Banks, tables: &Tables, step: &Step) {
    let table = D::table(tables, step.b);
    // Tables are as long as their index reaches; the mask only tells the compiler so.
    let last = table.len() - 1;
    unary(banks, step, |index: u32| table[index as usize & last]);
}

/// Where operands and result have the same class.
#[inline(always)]
fn same<T: Lane>(banks: &mut Banks, step: &Step) {
    let (width, by) = (u32::from(step.width), u32::from(step.by));
    let ones = T::ones(width);
    let zero = T::low_of(0);
    let limit = T::low_of(u128::from(width));
    let distance = |n: T| n.wide() as u32 & (T::BITS - 1);
    match step.action {
        Action::Add => binary(banks, step, |a: T, b: T| a.add(b).and(ones)),
        Action::Sub => binary(banks, step, |a: T, b: T| a.sub(b).and(ones)),
        Action::Mul => binary(banks, step, |a: T, b: T| a.mul(b).and(ones)),
        Action::And => binary(banks, step, |a: T, b: T| a.and(b)),
        Action::Or => binary(banks, step, |a: T, b: T| a.or(b)),
        Action::Xor => binary(banks, step, |a: T, b: T| a.xor(b)),
        Action::Not => unary(banks, step, |a: T| a.xor(ones)),
        Action::Shl => {
            binary(
                banks,
                step,
                |a: T, n: T| {
                    if n < limit { a.up(distance(n)).and(ones) } else { zero }
                },
            )
        }
        Action::LShr => {
            binary(banks, step, |a: T, n: T| if n < limit { a.down(distance(n)) } else { zero })
        }
        Action::AShr => {
            let most = T::low_of(u128::from(width - 1));
            binary(banks, step, |a: T, n: T| a.signed_down(width, distance(n.min(most))).and(ones))
        }
        Action::Concat => binary(banks, step, |a: T, b: T| a.up(by).or(b)),
        Action::Select => select::<T>(banks, step),
        Action::Clz => {
            let unused = T::BITS - by;
            unary(banks, step, |a: T| T::low_of(u128::from(a.leading_zeros() - unused)))
        }
        Action::Popcount => unary(banks, step, |a: T| T::low_of(u128::from(a.count_ones()))),
        Action::Sext => unary(banks, step, |a: T| a.signed_down(by, 0).and(ones)),
        other => unreachable!("{other:?} is no step within a class"),
    }
}

/// Where the result is one bit.
#[inline(always)]
fn compare<T: Lane>(banks: &mut Banks, step: &Step) {
    let by = u32::from(step.by);
    match step.action {
        Action::Eq => binary(banks, step, |a: T, b: T| u32::from(a == b)),
        Action::Ult => binary(banks, step, |a: T, b: T| u32::from(a < b)),
        _ => binary(banks, step, |a: T, b: T| {
            u32::from(a.signed_down(by, 0).signed_less(b.signed_down(by, 0)))
        }),
    }
}

#[inline(always)]
fn slice<A: Lane, D: Lane>(banks: &mut Banks, step: &Step) {
    let (by, ones) = (u32::from(step.by), D::ones(u32::from(step.width)));
    unary(banks, step, |a: A| D::low_of(a.down(by).wide()).and(ones));
}

/// Products of two words.
#[inline(always)]
fn product(banks: &mut Banks, step: &Step) {
    let ones = u128::ones(u32::from(step.width));
    match step.action {
        Action::UnsignedProduct => {
            binary(banks, step, |a: u64, b: u64| (u128::from(a) * u128::from(b)) & ones);
        }
        _ => binary(banks, step, |a: u64, b: u64| {
            (i128::from(a as i64) * i128::from(b as i64)) as u128 & ones
        }),
    }
}

/// Runs all steps.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512cd+avx512dq+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub fn run(steps: &[Step], tables: &Tables, banks: &mut Banks) {
    use Class::{Narrow, Wide, Word};
    for step in steps {
        match step.action {
            Action::Slice => match (step.from, step.to) {
                (Narrow, Narrow) => slice::<u32, u32>(banks, step),
                (Narrow, Word) => slice::<u32, u64>(banks, step),
                (Narrow, Wide) => slice::<u32, u128>(banks, step),
                (Word, Narrow) => slice::<u64, u32>(banks, step),
                (Word, Word) => slice::<u64, u64>(banks, step),
                (Word, Wide) => slice::<u64, u128>(banks, step),
                (Wide, Narrow) => slice::<u128, u32>(banks, step),
                (Wide, Word) => slice::<u128, u64>(banks, step),
                (Wide, Wide) => slice::<u128, u128>(banks, step),
            },
            Action::Lookup => match step.to {
                Narrow => lookup::<u32>(banks, tables, step),
                Word => lookup::<u64>(banks, tables, step),
                Wide => lookup::<u128>(banks, tables, step),
            },
            Action::Eq | Action::Ult | Action::Slt => match step.from {
                Narrow => compare::<u32>(banks, step),
                Word => compare::<u64>(banks, step),
                Wide => compare::<u128>(banks, step),
            },
            Action::UnsignedProduct | Action::SignedProduct => product(banks, step),
            _ => match step.to {
                Narrow => same::<u32>(banks, step),
                Word => same::<u64>(banks, step),
                Wide => same::<u128>(banks, step),
            },
        }
    }
}
