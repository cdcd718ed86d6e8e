//! The largest error of a function over a range of cases.

use crate::filter::{self, Filter};
use crate::functions::numbers::decode;
use crate::lanes::{LANES, Program};
use crate::{double, functions, operands};
use arith::{Format, Operator, eval};
use clhls_arith as arith;
use ir::{MathFn, MathType};
use std::sync::atomic::{AtomicU64, Ordering};

/// Cases that a thread takes at a time.
pub const CHUNK: u64 = 1 << 12;

/// Precision in bits of a first look at a result in double precision: far beyond what the error is compared with.
const QUICK: u32 = 80;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The function.
    pub f: MathFn,
    /// Its format.
    pub format: Format,
    /// Cases in all.
    pub cases: u64,
    /// They are all operands, or every n-th one; else operands mixed from corners and everyday numbers.
    pub every: bool,
    /// One case in so many is compared with the reference even if it passes the filter.
    pub audit: u64,
}

/// A result and how far it is off.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    /// In ulp.
    pub error: f64,
    /// Number of the case.
    pub case: u64,
    /// Operands.
    pub x: u64,
    /// The second one.
    pub y: u64,
    /// It passed the filter.
    pub passes: bool,
}

impl Worst {
    /// Before the first case.
    pub const NONE: Worst = Worst { error: -1.0, case: 0, x: 0, y: 0, passes: false };

    /// It is a result that the filter should not have passed: where cases are not audited there may be others.
    pub fn is_missed(&self) -> bool {
        self.passes && self.error > filter::LIMIT
    }

    /// The larger error; of the same, the first case.
    fn max(self, other: Worst) -> Worst {
        let first = self.error == other.error && self.case <= other.case;
        if self.error > other.error || first { self } else { other }
    }
}

/// Runs cases of one function.
pub struct Judge {
    job: Job,
    program: Program,
    filter: Option<Filter>,
    operands: Vec<(u64, u64)>,
    worst: Worst,
}

impl Judge {
    /// With room for a chunk.
    pub fn new(job: Job) -> Judge {
        let program = Program::new(Operator::Math(job.f, job.format));
        let filter = if job.audit == 1 { None } else { Filter::of(job.f, job.format) };
        Judge { job, program, filter, operands: vec![], worst: Worst::NONE }
    }

    /// Runs the cases `first..first + count`, of which [`Judge::worst`] remembers the largest error.
    pub fn run(&mut self, first: u64, count: u64) {
        let Job { f, format, cases, every, .. } = self.job;
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        if every {
            let step = (1u64 << format.width()) / cases;
            operands.extend((first..first + count).map(|k| (k * step, 0)));
        } else {
            let mut add = |x, y| operands.push((x as u64, y as u64));
            operands::mixed(f, format, first, count, &mut add);
        }
        for (k, batch) in operands.chunks(LANES).enumerate() {
            self.batch(first + (k * LANES) as u64, batch);
        }
        self.operands = operands;
    }

    fn batch(&mut self, first: u64, operands: &[(u64, u64)]) {
        let (mut inputs, mut results) = ([[0; LANES]; 2], [0; LANES]);
        for (lane, (x, y)) in operands.iter().enumerate() {
            inputs[0][lane] = *x;
            inputs[1][lane] = *y;
        }
        self.program.run(&inputs, &mut results);
        for (case, ((x, y), result)) in (first..).zip(operands.iter().zip(&results)) {
            let audit = is_audited(case, self.job.audit);
            let passes = is_number(self.job.format, *result)
                && self.filter.as_ref().is_some_and(|f| f.result(*x, *y) == *result);
            if audit || !passes {
                self.look(case, *x, *y, *result, audit, passes);
            }
        }
    }

    /// Compares a result with the reference.
    #[inline(never)]
    fn look(&mut self, case: u64, x: u64, y: u64, result: u64, audit: bool, passes: bool) {
        let Job { f, format, .. } = self.job;
        let (x_bits, y_bits, bits) = (u128::from(x), u128::from(y), u128::from(result));
        if audit {
            let op = Operator::Math(f, format);
            let expected = eval(op, &[x_bits, y_bits]);
            assert!(bits == expected, "{op}({x:#x}, {y:#x}) is {expected:#x}, not {result:#x}");
        }
        let error = if format == Format::F64 {
            // With a value of fewer bits the error is known well enough to see that there has been a larger one.
            let quick = double_error(f, x_bits, y_bits, bits, QUICK);
            if quick + 1e-6 < self.worst.error {
                quick
            } else {
                double_error(f, x_bits, y_bits, bits, functions::numbers::PRECISION)
            }
        } else {
            double::error(f, format, x_bits, y_bits, bits)
        };
        self.worst = self.worst.max(Worst { error, case, x, y, passes });
    }
}

/// Neither a zero nor infinite nor a NaN: those have rules of their own, and are compared with the reference.
#[inline]
fn is_number(format: Format, result: u64) -> bool {
    let magnitude = result & (format.sign_mask() as u64 - 1);
    magnitude != 0 && magnitude < format.infinity() as u64
}

/// A fixed choice of cases that has nothing to do with their order.
#[inline]
fn is_audited(case: u64, audit: u64) -> bool {
    let mixed = case.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    mixed * audit < 1 << 32
}

/// The error of a result in double precision by MPFR.
fn double_error(f: MathFn, x: u128, y: u128, result: u128, precision: u32) -> f64 {
    let number = |bits| rug::Float::with_val(precision, &decode(Format::F64, bits));
    let second = match f.args().get(1) {
        Some(MathType::Int) => rug::Float::with_val(64, y as u32 as i32),
        _ => number(y),
    };
    functions::error(f, Format::F64, x, result, &functions::value(f, &number(x), &second))
}

/// Runs the cases `first..end` on a thread for each judge; the largest error among them and those before.
pub fn run(judges: &mut [Judge], before: Worst, first: u64, end: u64) -> Worst {
    let next = AtomicU64::new(first);
    std::thread::scope(|scope| {
        for judge in judges.iter_mut() {
            let next = &next;
            scope.spawn(move || {
                judge.worst = before;
                loop {
                    let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if first >= end {
                        break;
                    }
                    judge.run(first, CHUNK.min(end - first));
                }
            });
        }
    });
    judges.iter().fold(before, |worst, judge| worst.max(judge.worst))
}
