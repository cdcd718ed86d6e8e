//! Makes programs of random numbers.
//!
//! By construction a program has no undefined behaviour and one result, whatever the order of its work-items:
//! * Signed arithmetic happens in unsigned types, divisors are checked, indices masked, conversions that do not fit
//!   saturate, loops end, variables have a value from the start.
//! * NaNs become zeros before anything can see their bits.
//! * A work-item writes its own part of a buffer only. Others see what it writes behind a barrier, in places that a
//!   one-to-one map of local ids gives to one writer each. Shared counters are only changed by one commutative operation
//!   each, whose result nobody looks at.
//! * Barriers stand where the whole group comes along: conditions there are made of what all its work-items agree on.

mod expr;
mod float;
mod helpers;
mod int;
mod kernel;
mod scope;
mod stmt;
mod sync;

use crate::Rng;
use crate::tree::{Decl, Function, Param, Program, Range};
use crate::types::Ty;
use abi::ScalarType;
use scope::{Array, Callee, Profile, Scope};

/// What programs may have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// `half` as a type to compute in.
    pub halves: bool,
    /// OpenCL C 2.0: groups that do not divide the index space, generic pointers.
    pub cl20: bool,
    /// Vectors of 8 and 16 components, too, at which clang-22 fails often.
    pub wide: bool,
    /// Small programs with few types, for hardware.
    pub small: bool,
}

/// A program under construction.
struct Gen {
    rng: Rng,
    settings: Settings,
    profile: Profile,
    name: String,
    helpers: Vec<Decl>,
    globals: Vec<Decl>,
    functions: Vec<Function>,
    callees: Vec<Callee>,
    params: Vec<Param>,
    decls: Vec<Decl>,
    scope: Scope,
    /// Arrays in constant memory at file scope.
    tables: Vec<Array>,
    /// Whether an expression must have the same value for the whole group.
    uniform: bool,
    /// How often the statement under construction runs, at most.
    runs: u32,
    /// The most that `runs` was.
    seen_runs: u32,
    /// Labels that the statement under construction may go to.
    labels: Vec<String>,
    /// What functions of the kernel may do with other work-items.
    sync: sync::Shared,
    /// Whether there is one work-item only.
    task: bool,
    /// Numbers of names.
    next: u32,
    range: Range,
}

/// The program with a number; `name` is the kernel's.
pub fn program(seed: u64, name: &str, settings: Settings) -> Program {
    let mut rng = Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
    let profile = profile(&mut rng, settings);
    let range = Range { global: vec![1], local: None, offset: None };
    let made = Gen {
        rng,
        settings,
        profile,
        name: name.to_owned(),
        helpers: vec![],
        globals: vec![],
        functions: vec![],
        callees: vec![],
        params: vec![],
        decls: vec![],
        scope: Scope::default(),
        tables: vec![],
        uniform: false,
        runs: 1,
        seen_runs: 1,
        labels: vec![],
        sync: sync::Shared::default(),
        task: false,
        next: 0,
        range,
    };
    made.kernel()
}

fn profile(rng: &mut Rng, settings: Settings) -> Profile {
    let small = settings.small;
    let lanes = rng.pick(match (small, settings.wide) {
        (true, _) => &[1, 1, 1, 2, 4][..],
        (false, false) => &[1, 1, 2, 4, 4][..],
        (false, true) => &[2, 4, 8, 16][..],
    });
    let floats = rng.below(if small { 4 } else { 2 }) == 0;
    let doubles = floats && rng.below(if small { 4 } else { 2 }) == 0;
    let halves = settings.halves && rng.below(2) == 0;
    let depth = if small { 2 } else { 2 + rng.below(2) as u32 };
    let statements = if small { 3 + rng.below(5) } else { 4 + rng.below(12) };
    Profile { lanes, floats, doubles, halves, depth, statements }
}

impl Gen {
    fn fresh(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }

    /// A name at file scope.
    fn fresh_global(&mut self, stem: &str) -> String {
        let name = self.fresh(stem);
        format!("{}_{name}", self.name)
    }

    /// How often the innermost statement of a kernel may run in a work-item.
    fn most_runs(&self) -> u32 {
        match (self.settings.small, self.task) {
            (true, _) => 64,
            (false, false) => 128,
            (false, true) => 256,
        }
    }

    /// True once in `n` times.
    fn once_in(&mut self, n: usize) -> bool {
        self.rng.below(n) == 0
    }

    fn elem(&mut self) -> ScalarType {
        use ScalarType::*;
        loop {
            let all = [
                I32, I32, I32, U32, U32, U32, I64, U64, I16, U16, I8, U8, F32, F32, F32, F64, F64,
                F16, F16,
            ];
            let elem = self.rng.pick(&all);
            if self.profile.has(elem) {
                return elem;
            }
        }
    }

    fn int_elem(&mut self) -> ScalarType {
        self.rng.pick(&ScalarType::INTEGERS)
    }

    fn lanes(&mut self) -> u8 {
        let lanes = self.rng.pick(&[1, 1, 1, 1, 1, 2, 3, 4, 8, 16]);
        if lanes <= self.profile.lanes { lanes } else { 1 }
    }

    fn ty(&mut self) -> Ty {
        Ty { elem: self.elem(), lanes: self.lanes() }
    }

    /// Declares a variable that begins with a number.
    fn variable(&mut self, stem: &str, ty: Ty) -> String {
        let name = self.fresh(stem);
        let bits = self.rng.number() as u64;
        let text = format!("{} {name} = {};", ty.name(), ty.literal(bits));
        self.decls.push(Decl { name: name.clone(), text });
        name
    }
}
