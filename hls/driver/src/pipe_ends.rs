//! Where kernels use their pipes, and what stands at the other end: for messages of kernels that hang there.

use abi::pipe::field::ADDRESS;
use base::{FxHashSet, Loc};
use host::{LaunchArg, Start};
use interp::PipeNote;
use ir::{Func, Function, KernelArgKind, Module, Op, Value};
use std::cmp::Ordering;

/// The places in the source where a kernel uses a pipe argument.
fn places(module: &Module, kernel: &str, arg: u32) -> Vec<String> {
    let mut places: Vec<String> = vec![];
    for loc in locs(module, kernel, arg) {
        let place = module.sources.describe(loc);
        places.extend(place.filter(|p| !places.contains(p)));
    }
    places
}

/// The same as places of the module.
pub(crate) fn locs(module: &Module, kernel: &str, arg: u32) -> Vec<Loc> {
    let mut walk = Walk { module, arg, reached: vec![], places: vec![] };
    if let Some((id, _)) = module.kernels().find(|(_, f)| f.name == kernel) {
        walk.reached.push((id, vec![]));
    }
    let mut next = 0;
    while let Some((id, params)) = walk.reached.get(next).cloned() {
        walk.function(id, &params);
        next += 1;
    }
    walk.places
}

/// A walk through what a kernel calls.
struct Walk<'m> {
    module: &'m Module,
    /// The pipe.
    arg: u32,
    /// Functions, and which of their parameters are places in the object of the pipe, if it is in memory.
    reached: Vec<(Func, Vec<usize>)>,
    places: Vec<Loc>,
}

impl Walk<'_> {
    fn function(&mut self, id: Func, params: &[usize]) {
        let func = &self.module.functions[id];
        let entry = &func.blocks[func.entry()].params;
        let mut of_pipe: FxHashSet<Value> =
            params.iter().filter_map(|k| entry.get(*k).copied()).collect();
        for &inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
            let data = &func.insts[inst];
            let pointers = data.args.iter().enumerate().filter(|(_, v)| of_pipe.contains(v));
            let pointers: Vec<usize> = pointers.map(|(k, _)| k).collect();
            let uses = match data.op {
                Op::Arg { index, offset } if (index, offset) == (self.arg, ADDRESS) => {
                    of_pipe.extend(data.result);
                    false
                }
                Op::PtrAdd if pointers.contains(&0) => {
                    of_pipe.extend(data.result);
                    false
                }
                Op::Pipe { arg, .. } => arg == self.arg,
                Op::Atomic(..) => pointers.contains(&0),
                Op::Call(callee) => {
                    let call = (callee, pointers.clone());
                    if !self.reached.contains(&call) {
                        self.reached.push(call);
                    }
                    // What the callee does there is the place, where that has one.
                    !pointers.is_empty() && is_library(&self.module.functions[callee])
                }
                _ => false,
            };
            if uses && data.loc.is_known() {
                self.places.push(data.loc);
            }
        }
    }
}

/// Whether a function has no place in the source: it is made for its callers.
fn is_library(func: &Function) -> bool {
    !func.loc.is_known()
}

/// ` at k.cl:3:5 and k.cl:9:5`
fn at(places: &[String]) -> String {
    if places.is_empty() { String::new() } else { format!(" at {}", places.join(" and ")) }
}

/// What messages say of the pipes of several launches: where each kernel uses each of its pipes, who uses it too, and what that one
/// does. `together`: they run at the same time, and a message says how far the other one has come; else one after the other.
pub(crate) fn notes(module: &Module, launches: &[Start], together: bool) -> Vec<PipeNote> {
    let mut all = vec![];
    for (k, launch) in launches.iter().enumerate() {
        let mut note = |arg: u32, text: String, other: Option<usize>| {
            all.push(PipeNote { launch: k, arg, text, other });
        };
        for (number, given) in launch.args.iter().enumerate() {
            let LaunchArg::Pipe { buffer, .. } = given else { continue };
            let arg = number as u32;
            let own = places(module, &launch.kernel, arg);
            if !own.is_empty() {
                note(arg, format!("kernel `{}` uses the pipe{}", launch.kernel, at(&own)), None);
            }
            let mut alone = true;
            for (other, start) in launches.iter().enumerate() {
                let same =
                    |a: &LaunchArg| matches!(a, LaunchArg::Pipe { buffer: b, .. } if b == buffer);
                let ends = (0u32..).zip(&start.args).filter(|(_, a)| same(a)).map(|(end, _)| end);
                for end in ends.filter(|end| (other, *end) != (k, arg)) {
                    alone = false;
                    let text = other_end(module, &start.kernel, end);
                    match (together, other.cmp(&k)) {
                        (true, _) => note(arg, text, Some(other)),
                        (false, Ordering::Equal) => {
                            note(arg, format!("{text}, and waits here"), None)
                        }
                        (false, Ordering::Less) => note(arg, format!("{text}, and is done"), None),
                        (false, Ordering::Greater) => {
                            let why = "kernels that enqueue others run one after the other here";
                            note(arg, format!("{text}, and has not begun: {why}"), None);
                        }
                    }
                }
            }
            if alone {
                note(arg, "no other kernel of this launch has the pipe".into(), None);
            }
        }
    }
    all
}

fn other_end(module: &Module, kernel: &str, arg: u32) -> String {
    let info = module.kernels().find(|(_, f)| f.name == kernel);
    let info = info.and_then(|(_, f)| f.kernel.as_ref()?.args.get(arg as usize));
    let name = info.map_or("", |a| a.name.as_str());
    let writes = info.is_some_and(|a| matches!(a.kind, KernelArgKind::Pipe(p) if p.writes));
    let does = if writes { "writes" } else { "reads" };
    let places = at(&places(module, kernel, arg));
    format!("kernel `{kernel}` {does} it as `{name}`{places}")
}
