//! Code for launches whose images and samplers are alike.
//!
//! What a kernel does at an image depends on the format and on the sampler, which come with the launch. Code for all of
//! them is many times that for one. So work-items are counted by what their launch's descriptors say of formats, and
//! by its samplers; once enough had the same, their kernel is compiled for that alone, and such launches run this code.

use crate::program::{Options, Program};
use abi::image::field;
use base::{FxHashMap, Result};
use interp::Argument;
use ir::{Function, KernelArg, KernelArgKind, Module, Op, Type};
use std::sync::{Arc, Mutex, PoisonError};

/// How kernels are compiled for formats and samplers that launches have in common.
#[derive(Clone, Copy, Debug)]
pub struct Specialisation {
    /// Optimises a module in which arguments of the kernel named have become constants, and drops what that kernel does not
    /// need, except for variables: their numbers stay.
    pub optimise: fn(Module, &str) -> Result<Module>,
    /// Work-items that have to have run with the same formats and samplers before.
    pub after: u64,
}

impl Specialisation {
    /// Work-items of an image kernel whose time is about that of compiling it.
    pub const WORTHWHILE: u64 = 1 << 15;
}

/// Most kinds of launches that a program keeps count of, and has code for.
const MOST: usize = 64;

/// The kinds of launches of a program.
pub(crate) struct Variants {
    module: Module,
    how: Specialisation,
    kinds: Mutex<FxHashMap<Kind, State>>,
}

/// What tells the launches of one kind: the kernel, and 32-bit words of its arguments.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Kind {
    kernel: String,
    words: Vec<Word>,
}

/// A word of an argument: number of the argument, offset in bytes, value.
type Word = (u32, u32, u32);

enum State {
    /// Work-items so far.
    Counted(u64),
    /// Their code; none if it cannot be made.
    Made(Option<Arc<Program>>),
}

impl Variants {
    pub(crate) fn new(module: Module, how: Specialisation) -> Self {
        Variants { module, how, kinds: Mutex::default() }
    }

    /// The code for a launch of `work_items` work-items of a kernel of `general`, if there is some of its own. `args` fit the kernel.
    pub(crate) fn of(
        &self,
        general: &Program,
        kernel: &str,
        info: &[KernelArg],
        args: &[Argument],
        work_items: u64,
    ) -> Option<Arc<Program>> {
        let words: Vec<Word> =
            (0..).zip(info).zip(args).flat_map(|((n, i), a)| fixed(n, i, a)).collect();
        if words.is_empty() {
            return None;
        }
        let kind = Kind { kernel: kernel.to_owned(), words };
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if kinds.len() == MOST && !kinds.contains_key(&kind) {
            return None;
        }
        let state = kinds.entry(kind.clone()).or_insert(State::Counted(0));
        if let State::Counted(before) = state {
            if *before < self.how.after {
                *before = before.saturating_add(work_items);
                return None;
            }
            // The general code can do the launch, whatever is in the way of this one.
            *state = State::Made(self.compile(general, &kind).ok().map(Arc::new));
        }
        match state {
            State::Made(program) => program.clone(),
            State::Counted(_) => None,
        }
    }

    fn compile(&self, general: &Program, kind: &Kind) -> Result<Program> {
        let mut module = self.module.clone();
        for function in module.functions.values_mut().filter(|f| f.name == kind.kernel) {
            let Function { insts, values, .. } = function;
            for inst in insts.values_mut() {
                let Op::Arg { index, offset } = inst.op else { continue };
                let word = kind.words.iter().find(|(n, at, _)| (*n, *at) == (index, offset));
                let is_word = inst.result.is_some_and(|v| values[v].ty == Type::I32);
                if let Some((_, _, word)) = word.filter(|_| is_word) {
                    inst.op = Op::Const((*word).into());
                }
            }
        }
        let module = (self.how.optimise)(module, &kind.kernel)?;
        let options = Options { kernels: vec![kind.kernel.clone()], ..Options::default() };
        Program::with_variables(&module, &options, Arc::clone(&general.variables))
    }
}

/// The words of an argument that kernels are compiled for.
fn fixed(number: u32, info: &KernelArg, arg: &Argument) -> Vec<Word> {
    let offsets: &[u32] = match info.kind {
        KernelArgKind::Image(_) => &[field::ORDER, field::DATA_TYPE, field::DECODE, field::LEVELS],
        KernelArgKind::Sampler => &[0],
        _ => &[],
    };
    let Argument::Value(bytes) = arg else { return vec![] };
    let word = |at: &u32| {
        let bytes = bytes.get(*at as usize..)?.first_chunk::<4>()?;
        Some((number, *at, u32::from_le_bytes(*bytes)))
    };
    offsets.iter().filter_map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::ResolvedRange;

    /// A kernel that stores its sampler, and one of the same name that stores 1000 more.
    fn module(more: u32) -> Module {
        let text = format!(
            r#"module "m" addr 64 cl 120
kernel "tell" {{
  arg 0 "out" "uint*" global size 8 align 4
  arg 1 "how" "sampler_t" sampler size 4 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 1
  v2:i32 = const {more}
  v3:i32 = add v1, v2
  e0 = store v0, v3 align 4
  ret
}}"#
        );
        ir::parse::parse_module(&text).expect("parses")
    }

    fn launch(program: &Program, sampler: u32) -> u32 {
        let mut out = 0u32;
        let range = ResolvedRange {
            work_dim: 1,
            global: [2, 1, 1],
            local: [2, 1, 1],
            num_groups: [1, 1, 1],
            offset: [0; 3],
        };
        let args = [
            Argument::Pointer((&raw mut out) as u64),
            Argument::Value(sampler.to_le_bytes().to_vec()),
        ];
        // SAFETY: the kernel writes one word.
        unsafe { program.launch("tell", &range, &args, 1).expect("runs") };
        out
    }

    #[test]
    fn launches_alike_get_code_of_their_own_once_there_were_enough() {
        // What is compiled for a sampler tells it and 1000: its argument has become a constant.
        let optimise = |module: Module, kernel: &str| {
            assert_eq!(kernel, "tell");
            let constants = |f: &Function| -> Vec<u128> {
                f.insts
                    .values()
                    .filter_map(|i| if let Op::Const(c) = i.op { Some(c) } else { None })
                    .collect()
            };
            let found = constants(module.functions.values().next().expect("there is one"));
            assert!(found == [3, 0] || found == [5, 0], "{found:?}");
            Ok(super::tests::module(1000))
        };
        let how = Specialisation { optimise, after: 3 };
        let program =
            Program::specialising(&module(0), &Options::default(), how).expect("compiles");
        // Two work-items a launch: after three of them is after two launches.
        let told: Vec<u32> = [3, 5, 3, 3, 5, 5, 3].map(|s| launch(&program, s)).to_vec();
        assert_eq!(told, [3, 5, 3, 1003, 5, 1005, 1003]);
    }

    #[test]
    fn launches_whose_code_cannot_be_made_run_the_general_one() {
        let optimise = |_: Module, _: &str| Err(base::Diagnostic::error("E0001", "no").into());
        let how = Specialisation { optimise, after: 0 };
        let program =
            Program::specialising(&module(0), &Options::default(), how).expect("compiles");
        assert_eq!([launch(&program, 7), launch(&program, 7)], [7, 7]);
    }
}
