//! A module made ready to run: decoded functions, variables placed in memory.

use crate::access::LocalMemory;
use crate::code::{Decoded, Fixup};
use crate::decode::decode;
use crate::launch::MAX_OBJECT_BYTES;
use crate::memory::Memory;
use base::entity::{EntityRef, SecondaryMap};
use base::{Diagnostic, FxHashSet, Result};
use ir::{Func, Global, GlobalData, KernelInfo, Module, Space};

/// Most bytes of a variable in device memory.
const MAX_VARIABLE_BYTES: u64 = 1 << 32;

/// A kernel of a program.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub name: String,
    pub func: u32,
    pub info: KernelInfo,
    /// Functions it may run, itself first.
    pub reaches: Vec<u32>,
    /// Whether it or a function it calls has a barrier.
    pub has_barrier: bool,
}

/// A module ready to run. Its program-scope variables live in the [`Memory`] given to [`Program::new`]
/// and keep their contents from launch to launch, until [`Program::reload`].
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) functions: Vec<Decoded>,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) addr_bits: u32,
    pub(crate) non_uniform: bool,
    /// Module variables with initial bytes and relocations.
    globals: Vec<GlobalData>,
    /// Addresses of variables: device addresses, or local ones for local memory.
    addresses: SecondaryMap<Global, u64>,
    /// Layout of the module's local variables.
    local: LocalMemory,
    /// What is known of the other ends of pipes.
    pub(crate) pipe_notes: Vec<PipeNote>,
}

/// What a message says of the other end of a pipe when a kernel hangs at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipeNote {
    /// Number of the launch that hangs among those that run together.
    pub launch: usize,
    /// Its argument.
    pub arg: u32,
    /// The sentence.
    pub text: String,
    /// The launch that it is about, whose state ends the sentence.
    pub other: Option<usize>,
}

impl PipeNote {
    /// Those of launch `k`, which runs alone.
    pub fn of_one(notes: &[PipeNote], k: usize) -> Vec<PipeNote> {
        let own = notes.iter().filter(|n| n.launch == k);
        own.map(|n| PipeNote { launch: 0, ..n.clone() }).collect()
    }

    /// The whole sentence. `states`: what each launch does, as far as that is known.
    pub fn with_state(&self, states: &[String]) -> String {
        match self.other.and_then(|k| states.get(k)) {
            Some(state) => format!("{}, and {state}", self.text),
            None => self.text.clone(),
        }
    }
}

impl Program {
    /// What messages are to say of the other ends of pipes in the next launches.
    pub fn set_pipe_notes(&mut self, notes: Vec<PipeNote>) {
        self.pipe_notes = notes;
    }

    /// Decodes `module`, which the verifier must have accepted, and places its variables.
    ///
    /// # Errors
    /// `E0504` when the variables do not fit the address space, `E0508` for objects that are too
    /// large, `E0509` for operations the interpreter cannot run.
    pub fn new(module: &Module, memory: &mut Memory<'_>) -> Result<Program> {
        let mut functions = vec![];
        for (_, func) in module.functions.iter() {
            functions.push(decode(func)?);
        }
        let mut program = Program {
            kernels: module.kernels().map(|(id, _)| kernel(module, id, &functions)).collect(),
            functions,
            addr_bits: module.addr_bits,
            non_uniform: module.cl_version >= 200,
            globals: module.globals.values().cloned().collect(),
            addresses: SecondaryMap::new(),
            local: LocalMemory::default(),
            pipe_notes: vec![],
        };
        for (id, global) in module.globals.iter() {
            let local = global.space == Space::Local;
            if global.size > if local { MAX_OBJECT_BYTES } else { MAX_VARIABLE_BYTES } {
                let what = format!("variable `{}` is too large", global.name);
                return Err(Diagnostic::error("E0508", what).at(global.loc).into());
            }
            if !local {
                continue;
            }
            let name = global.name.clone();
            program.addresses[id] = program.local.add(name, global.size, global.align.into());
        }
        program.place_variables(memory)?;
        Ok(program)
    }

    /// Gives the program-scope variables their initial values again.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub fn reload(&mut self, memory: &mut Memory<'_>) -> Result<()> {
        self.unload(memory);
        self.place_variables(memory)
    }

    /// Removes the program's variables from memory.
    pub fn unload(&mut self, memory: &mut Memory<'_>) {
        for k in self.device_variables() {
            memory.release(self.addresses[Global::new(k)]);
        }
    }

    /// The lowest address that pointers to global memory cannot have: the two top bits are the
    /// tag of generic pointers.
    pub fn address_limit(&self) -> u64 {
        1 << (self.addr_bits - 2)
    }

    /// Size in bytes of the program-scope variables in the [`Memory`].
    pub fn variable_bytes(&self) -> u64 {
        self.device_variables().into_iter().map(|k| self.globals[k].size).sum()
    }

    /// The address in the [`Memory`] of a variable in device memory.
    pub fn variable_address(&self, variable: Global) -> u64 {
        self.addresses[variable]
    }

    /// Names of the kernels.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|k| k.name.as_str())
    }

    fn device_variables(&self) -> Vec<usize> {
        let is_local = |g: &GlobalData| g.space == Space::Local;
        (0..self.globals.len()).filter(|k| !is_local(&self.globals[*k])).collect()
    }

    fn place_variables(&mut self, memory: &mut Memory<'_>) -> Result<()> {
        let limit = self.address_limit();
        for k in self.device_variables() {
            let global = &self.globals[k];
            let mut bytes = global.init.clone().unwrap_or_default();
            bytes.resize(global.size as usize, 0);
            let name = format!("variable `{}`", global.name);
            let address = memory.allocate(name, bytes, global.align.into(), limit);
            self.addresses[Global::new(k)] = address.ok_or_else(|| {
                let what = format!("variable `{}` does not fit the address space", global.name);
                Diagnostic::error("E0504", what).at(global.loc)
            })?;
        }
        let pointer = self.addr_bits as usize / 8;
        for k in self.device_variables() {
            for (offset, target, addend) in &self.globals[k].relocations {
                let value = self.addresses[*target].wrapping_add_signed(*addend);
                let place = memory
                    .buffer_mut(self.addresses[Global::new(k)])
                    .and_then(|b| b.get_mut(*offset as usize..)?.get_mut(..pointer));
                let Some(place) = place else {
                    let what = "a pointer in its initial value lies outside variable";
                    let what = format!("{what} `{}`", self.globals[k].name);
                    return Err(Diagnostic::error("E0504", what).at(self.globals[k].loc).into());
                };
                place.copy_from_slice(&value.to_le_bytes()[..pointer]);
            }
        }
        Ok(())
    }

    /// Frames as they begin in a launch of `kernel`, and its local memory.
    pub(crate) fn instantiate(
        &self,
        kernel: &Kernel,
        args: &[crate::Argument],
    ) -> (Vec<Vec<u64>>, LocalMemory) {
        let mut local = self.local.clone();
        let local_args: Vec<u64> = args
            .iter()
            .zip(&kernel.info.args)
            .map(|(arg, info)| match arg {
                crate::Argument::Local(size) => {
                    local.add(info.name.clone(), *size, u64::from(info.align).max(128))
                }
                _ => 0,
            })
            .collect();
        let mut templates = vec![vec![]; self.functions.len()];
        for &f in &kernel.reaches {
            let function = &self.functions[f as usize];
            let mut template = function.template.clone();
            for fixup in &function.fixups {
                match *fixup {
                    Fixup::Global { d, global } => template[d as usize] = self.addresses[global],
                    Fixup::LocalArg { d, index } => {
                        template[d as usize] = local_args.get(index as usize).copied().unwrap_or(0);
                    }
                    Fixup::Arg { d, index, offset, ty } => {
                        let bytes = match args.get(index as usize) {
                            Some(crate::Argument::Pointer(address)) => {
                                address.to_le_bytes().to_vec()
                            }
                            Some(crate::Argument::Value(bytes)) => bytes.clone(),
                            _ => local_args
                                .get(index as usize)
                                .map_or(vec![], |a| a.to_le_bytes().to_vec()),
                        };
                        self.put_argument(&mut template[d as usize..], &bytes, offset, ty);
                    }
                }
            }
            templates[f as usize] = template;
        }
        (templates, local)
    }

    /// Spreads argument bytes over slots; bytes past the end of the argument are 0.
    fn put_argument(&self, slots: &mut [u64], bytes: &[u8], offset: u32, ty: ir::Type) {
        let width = ty.lane_bits(self.addr_bits);
        let (lane_bytes, per_lane) = (width.div_ceil(8) as usize, width.div_ceil(64) as usize);
        for lane in 0..usize::from(ty.lanes) {
            let first = offset as usize + lane * lane_bytes;
            let value = (0..lane_bytes).rev().fold(0u128, |v, k| {
                v << 8 | u128::from(bytes.get(first + k).copied().unwrap_or(0))
            });
            let value = ir::builder::mask(value, width);
            for part in 0..per_lane {
                slots[lane * per_lane + part] = (value >> (64 * part)) as u64;
            }
        }
    }
}

/// What a launch needs to know of the kernel `id`.
fn kernel(module: &Module, id: Func, functions: &[Decoded]) -> Kernel {
    let mut reaches = vec![id.as_u32()];
    let mut seen: FxHashSet<u32> = reaches.iter().copied().collect();
    let mut at = 0;
    while let Some(&f) = reaches.get(at) {
        let callees = functions[f as usize].calls.iter().map(|c| c.callee);
        reaches.extend(callees.filter(|c| seen.insert(*c)));
        at += 1;
    }
    let func = &module.functions[id];
    Kernel {
        name: func.name.clone(),
        func: id.as_u32(),
        info: func.kernel.clone().unwrap_or_default(),
        has_barrier: reaches.iter().any(|f| functions[*f as usize].has_barrier),
        reaches,
    }
}
