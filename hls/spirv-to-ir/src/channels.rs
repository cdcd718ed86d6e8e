//! Channels: pipes that a program declares outside of its kernels, as compilers for FPGAs have them (docs/dialects.md).
//!
//! In SPIR-V a channel is an imported variable whose name is `clhls.channel.NAME.DEPTH` or `clhls.channel.NAME.DEPTH.io.PORT`
//! (`clhls-dialects` gives it that), of the type of its packets or an array of such. Kernels use it by calling imported functions
//! `clhls_channel_...` with its address. [`channels`] makes a module of it in which kernels have pipes as parameters behind their own, one for each channel and
//! direction, which they hand on to the functions that they call: everything behind it knows pipes only.

use crate::Options;
use crate::chain;
use crate::decode::{self, Id, Inst};
use crate::decorations::CHANNEL;
use crate::errors::{BAD_CONNECTION, BAD_OPERAND, R, error, fail};
use crate::library::demangle;
use crate::link::located;
use crate::module::{self, Spv};
use crate::processed::{is_behind, put, put_text};
use crate::types::Kind;
use base::{FxHashMap, FxHashSet, Loc, SourceMap};
use rspirv::spirv::{AccessQualifier, Decoration, Op};
use std::collections::{BTreeMap, BTreeSet};

/// How the names of the variables begin.
const VARIABLE: &str = "clhls.channel.";
/// How the names of the functions begin.
const FUNCTION: &str = "clhls_channel_";
/// Times that a module is gone through for addresses, which compilers compute in order.
const MOST_ROUNDS: usize = 16;
/// Most elements of an array of channels.
const MOST_ELEMENTS: u64 = 4096;

/// A module without channels, and the channels that it had.
pub struct Channels {
    /// SPIR-V, whose kernels have pipes as their last parameters.
    pub bytes: Vec<u8>,
    /// The channels that kernels use, in the order of their declarations.
    pub channels: Vec<Channel>,
}

/// A channel, and the arguments that stand for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name; of elements of arrays with the indices: `name_2_0`.
    pub name: String,
    /// Packets that it holds at least; none where the source does not say.
    pub depth: Option<u32>,
    /// Where it leads out of the design: the name of the port.
    pub port: Option<String>,
    /// Kernels that write it, and the names of their arguments.
    pub writers: Vec<(String, String)>,
    /// Kernels that read it.
    pub readers: Vec<(String, String)>,
}

/// What a function does with a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Read { waits: bool },
    Write { waits: bool },
    Count,
    Most,
}

impl Action {
    /// Of the function with a name of a module.
    fn of(name: &str) -> Option<Self> {
        let plain = demangle(name).map_or(name, |(plain, _)| plain);
        Some(match plain.strip_prefix(FUNCTION)? {
            "read" => Action::Read { waits: true },
            "read_nb" => Action::Read { waits: false },
            "write" => Action::Write { waits: true },
            "write_nb" => Action::Write { waits: false },
            "count" => Action::Count,
            "most" => Action::Most,
            _ => return None,
        })
    }

    /// The direction, where it tells one.
    fn writes(self) -> Option<bool> {
        match self {
            Action::Read { .. } => Some(false),
            Action::Write { .. } => Some(true),
            Action::Count | Action::Most => None,
        }
    }

    /// Operands of a call behind the channel: pointer, size, alignment, or the last two.
    fn operands(self) -> usize {
        if self.writes().is_some() { 3 } else { 2 }
    }

    fn op(self) -> Op {
        match self {
            Action::Read { waits: true } => Op::ReadPipeBlockingALTERA,
            Action::Read { waits: false } => Op::ReadPipe,
            Action::Write { waits: true } => Op::WritePipeBlockingALTERA,
            Action::Write { waits: false } => Op::WritePipe,
            Action::Count => Op::GetNumPipePackets,
            Action::Most => Op::GetMaxPipePackets,
        }
    }
}

/// One channel of a variable: its place among the variables, and its place in it.
type Place = (usize, u64);
/// A channel and whether it is written: what becomes a parameter.
type End = (Place, bool);

/// A call of one of the functions.
#[derive(Clone, Copy)]
struct Use {
    action: Action,
    place: Place,
}

/// A variable that is a channel, or an array of such.
struct Declared {
    id: Id,
    name: String,
    depth: Option<u32>,
    port: Option<String>,
    /// Lengths of the array's dimensions.
    lengths: Vec<u64>,
}

/// Replaces the channels of a module by parameters of its kernels; none where there are no channels. Only the places of `sources` are used, for messages.
///
/// # Errors
/// Those of [`crate::read`] for what is wrong outside of functions, and `E0119` where it is not known which channel a kernel uses.
pub fn channels(bytes: &[u8], sources: &mut SourceMap) -> base::Result<Option<Channels>> {
    let found = bytes.windows(FUNCTION.len()).any(|w| w == FUNCTION.as_bytes());
    if !found {
        return Ok(None);
    }
    let words = decode::words(bytes).map_err(|e| *e)?;
    let spv = module::read(&words, &Options::default(), sources).map_err(|e| *e)?;
    let made = Rewriter::new(&spv, &words).and_then(|mut r| r.run());
    Ok(made.map_err(|e| *e)?)
}

struct Rewriter<'a> {
    spv: &'a Spv<'a>,
    words: &'a [u32],
    declared: Vec<Declared>,
    /// Functions that act upon channels.
    actions: FxHashMap<Id, Action>,
    /// Uses by the position of the call among the instructions.
    uses: FxHashMap<usize, Use>,
    /// Addresses of channels: nothing but the uses needs them.
    addresses: FxHashSet<Id>,
    /// What the parameters of each function become, in their order.
    ends: FxHashMap<Id, BTreeSet<End>>,
    /// Functions that no kernel comes to, and all that is in them: which channels they use is known where they were inlined.
    unused: FxHashSet<Id>,
    next_id: Id,
}

impl<'a> Rewriter<'a> {
    fn new(spv: &'a Spv<'a>, words: &'a [u32]) -> R<Self> {
        let mut rewriter = Rewriter {
            spv,
            words,
            declared: declared(spv)?,
            actions: FxHashMap::default(),
            uses: FxHashMap::default(),
            addresses: FxHashSet::default(),
            ends: FxHashMap::default(),
            unused: unused(spv),
            next_id: words.get(3).copied().unwrap_or_default(),
        };
        for id in spv.functions.keys() {
            let name = spv.deco.of(*id).linkage.as_ref().filter(|(_, import)| *import);
            rewriter.actions.extend(name.and_then(|(n, _)| Some((*id, Action::of(n)?))));
        }
        Ok(rewriter)
    }

    fn run(&mut self) -> R<Option<Channels>> {
        if self.actions.is_empty() {
            return Ok(None);
        }
        self.find_addresses()?;
        let calls = self.find_uses()?;
        self.hand_on(&calls);
        let channels = self.channels();
        Ok(Some(Channels { bytes: self.rewritten()?, channels }))
    }

    /// The variable that an address leads to, and the offset from it in bytes, where both are known.
    fn place_of(&self, mut id: Id) -> R<Option<(usize, u64)>> {
        let mut bytes = 0u64;
        // no chain is longer: each step goes to an instruction before it
        for _ in 0..self.spv.insts.len() {
            if let Some(k) = self.declared.iter().position(|d| d.id == id) {
                return Ok(Some((k, bytes)));
            }
            let Some(inst) = self.spv.def_inst(id) else { return Ok(None) };
            let inner;
            let inst = match inst.op {
                Op::SpecConstantOp => {
                    inner = decode::spec_op(inst)?;
                    &inner
                }
                _ => inst,
            };
            let element = match inst.op {
                Op::Bitcast | Op::CopyObject | Op::PtrCastToGeneric | Op::GenericCastToPtr => None,
                Op::AccessChain | Op::InBoundsAccessChain => Some(false),
                Op::PtrAccessChain | Op::InBoundsPtrAccessChain => Some(true),
                _ => return Ok(None),
            };
            id = inst.arg(0)?;
            let Some(element) = element else { continue };
            let types = &self.spv.types;
            let indices: Vec<Option<i128>> =
                inst.args.iter().skip(1).map(|i| self.spv.consts.signed(*i, types)).collect();
            let pointee = types.pointee(self.spv.type_of(id)?)?;
            let offset =
                chain::offset(types, pointee, element, &indices, types.pointee(inst.ty()?)?)?;
            if !offset.terms.is_empty() {
                return Ok(None);
            }
            bytes = bytes.wrapping_add(offset.bytes);
        }
        Ok(None)
    }

    /// Finds what the module computes of the addresses of channels, which is left out.
    fn find_addresses(&mut self) -> R<()> {
        let mut roots: FxHashSet<Id> = self.declared.iter().map(|d| d.id).collect();
        // Operands of constants stand before them, those of functions almost always; what is found late is found the next time.
        for _ in 0..MOST_ROUNDS {
            let before = roots.len();
            for inst in &self.spv.insts {
                let (Some(result), Some(base)) = (inst.result, address_operand(inst)) else {
                    continue;
                };
                if roots.contains(&base) {
                    roots.insert(result);
                }
            }
            if roots.len() == before {
                break;
            }
        }
        for d in &self.declared {
            roots.remove(&d.id);
        }
        self.addresses = roots;
        Ok(())
    }

    /// Finds the uses of channels; gives the calls of other functions by caller.
    fn find_uses(&mut self) -> R<Vec<(Id, Id)>> {
        let (mut calls, mut function, mut loc) = (vec![], 0, Loc::UNKNOWN);
        for (k, inst) in self.spv.insts.iter().enumerate() {
            match inst.op {
                Op::Function => function = inst.result()?,
                Op::Line => loc = self.spv.line(inst),
                Op::NoLine => loc = Loc::UNKNOWN,
                Op::FunctionCall if !self.unused.contains(&function) => {
                    let callee = inst.arg(0)?;
                    let Some(action) = self.actions.get(&callee).copied() else {
                        calls.push((function, self.spv.definition(callee)));
                        continue;
                    };
                    let used = self.used(inst, action).map_err(|e| located(e, loc))?;
                    self.uses.insert(k, used);
                    if let Some(writes) = action.writes() {
                        self.ends.entry(function).or_default().insert((used.place, writes));
                    }
                }
                _ => {}
            }
        }
        self.settle_questions();
        Ok(calls)
    }

    /// A function that only asks for a channel's packets reads it, unless it writes it.
    fn settle_questions(&mut self) {
        let mut function = 0;
        for (k, inst) in self.spv.insts.iter().enumerate() {
            if inst.op == Op::Function {
                function = inst.result.unwrap_or_default();
            }
            let Some(used) = self.uses.get(&k).filter(|u| u.action.writes().is_none()) else {
                continue;
            };
            let ends = self.ends.entry(function).or_default();
            if !ends.contains(&(used.place, true)) {
                ends.insert((used.place, false));
            }
        }
    }

    fn used(&self, call: &Inst, action: Action) -> R<Use> {
        let wanted = 2 + action.operands();
        if call.args.len() != wanted {
            let why = format!("{} operands, {wanted} expected", call.args.len());
            return Err(call.malformed(why));
        }
        let size = self.spv.consts.integer(call.arg(wanted - 2)?)?;
        let Some((variable, bytes)) = self.place_of(call.arg(1)?)? else {
            let e = error(BAD_CONNECTION, "which channel it is must be known when compiling");
            return Err(Box::new(e.help(
                "a channel cannot be chosen by a variable: unroll the loop over an array of channels (#pragma unroll), or write a branch for each",
            )));
        };
        let elements: u64 = self.declared.get(variable).map_or(1, |d| d.lengths.iter().product());
        let index = (u128::from(bytes)).checked_div(size).unwrap_or_default();
        let index = u64::try_from(index).ok().filter(|k| *k < elements);
        let Some(index) = index else {
            let name = self.declared.get(variable).map_or("", |d| d.name.as_str());
            let text = format!("channel `{name}` has {elements} elements, this is another one");
            return fail(BAD_CONNECTION, text);
        };
        Ok(Use { action, place: (variable, index) })
    }

    /// Functions need the channels of those that they call.
    fn hand_on(&mut self, calls: &[(Id, Id)]) {
        loop {
            let mut more = false;
            for (caller, callee) in calls {
                let Some(needed) = self.ends.get(callee).cloned() else { continue };
                let own = self.ends.entry(*caller).or_default();
                let before = own.len();
                own.extend(needed);
                more |= own.len() > before;
            }
            if !more {
                return;
            }
        }
    }

    /// Name of one channel.
    fn name(&self, (variable, mut index): Place) -> String {
        let Some(declared) = self.declared.get(variable) else { return String::new() };
        let mut indices = vec![];
        for length in declared.lengths.iter().rev() {
            indices.push(index % length);
            index /= length;
        }
        let indices: String = indices.iter().rev().map(|i| format!("_{i}")).collect();
        format!("{}{indices}", declared.name)
    }

    /// Name of the parameter of a function for an end of a channel: that of the channel, unless the function has such a parameter, or both ends.
    fn argument(&self, function: Id, end: End) -> String {
        let (place, writes) = end;
        let both = self.ends.get(&function).is_some_and(|ends| ends.contains(&(place, !writes)));
        let mut name = self.name(place);
        if both {
            name.push_str(if writes { "_out" } else { "_in" });
        }
        let params = self.params(function);
        let taken = |name: &str| {
            params.iter().any(|(p, _)| self.spv.names.get(p).is_some_and(|n| n == name))
        };
        while taken(&name) {
            name.push('_');
        }
        name
    }

    /// The parameters that a function has.
    fn params(&self, function: Id) -> &[(Id, Id)] {
        self.spv.functions.get(&function).map_or(&[], |f| f.params.as_slice())
    }

    /// The channels that kernels use.
    fn channels(&self) -> Vec<Channel> {
        let mut all: BTreeMap<Place, Channel> = BTreeMap::new();
        for entry in &self.spv.entry_points {
            for end @ (place, writes) in self.ends.get(&entry.function).into_iter().flatten() {
                let Some(declared) = self.declared.get(place.0) else { continue };
                let channel = all.entry(*place).or_insert_with(|| Channel {
                    name: self.name(*place),
                    depth: declared.depth,
                    port: declared.port.clone(),
                    writers: vec![],
                    readers: vec![],
                });
                let user = (entry.name.clone(), self.argument(entry.function, *end));
                let users = if *writes { &mut channel.writers } else { &mut channel.readers };
                users.push(user);
            }
        }
        all.into_values().collect()
    }

    fn fresh(&mut self) -> Id {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The module's words with parameters in place of channels.
    fn rewritten(&mut self) -> R<Vec<u8>> {
        let pipe_types = [AccessQualifier::ReadOnly, AccessQualifier::WriteOnly].map(|access| {
            let known =
                |i: &&Inst| i.op == Op::TypePipe && i.args.first() == Some(&(access as u32));
            let known = self.spv.insts.iter().find(known).and_then(|i| i.result);
            known.ok_or(access as u32)
        });
        let mut types = vec![];
        let pipe_types = pipe_types.map(|known| {
            known.unwrap_or_else(|access| {
                let id = self.fresh();
                put(&mut types, Op::TypePipe, &[id, access]);
                id
            })
        });
        let params = self.new_params();
        let function_types = self.function_types(&params, pipe_types, &mut types)?;
        let mut out = self.words.get(..decode::HEADER_WORDS).unwrap_or_default().to_vec();
        let mut named = false;
        let (mut function, mut in_functions) = (0, false);
        for (k, inst) in self.spv.insts.iter().enumerate() {
            if is_behind(inst.op) && !named {
                named = true;
                self.name_params(&params, &mut out);
            }
            if inst.op == Op::Function {
                if !std::mem::replace(&mut in_functions, true) {
                    out.extend(&types);
                }
                function = inst.result()?;
            }
            let own = params.get(&function).map_or(&[][..], Vec::as_slice);
            let is_address = inst.result.is_some_and(|id| self.addresses.contains(&id));
            if is_address || self.is_unused(inst, in_functions.then_some(function)) {
                continue;
            }
            match (inst.op, self.uses.get(&k)) {
                (Op::FunctionCall, Some(used)) => {
                    let end = own.iter().find(|(end, _)| is_end_of(end, used));
                    let (_, pipe) =
                        end.ok_or_else(|| inst.malformed("it uses no channel".into()))?;
                    put_use(&mut out, inst, used.action, *pipe);
                }
                (Op::FunctionCall, None) => self.put_call(&mut out, inst, own, &params)?,
                (Op::Function, _) => {
                    let ty = function_types.get(&function).copied().unwrap_or(inst.arg(1)?);
                    put(&mut out, Op::Function, &[inst.ty()?, function, inst.arg(0)?, ty]);
                    if self.params(function).is_empty() {
                        put_params(&mut out, own, pipe_types);
                    }
                }
                (Op::FunctionParameter, _) => {
                    out.extend(self.raw(inst));
                    if self.params(function).last().map(|(p, _)| *p) == inst.result {
                        put_params(&mut out, own, pipe_types);
                    }
                }
                _ => out.extend(self.raw(inst)),
            }
        }
        if let Some(bound) = out.get_mut(3) {
            *bound = self.next_id;
        }
        Ok(out.iter().flat_map(|w| w.to_le_bytes()).collect())
    }

    /// Whether an instruction, of a function or of none, is left out with the functions that no kernel comes to.
    fn is_unused(&self, inst: &Inst, function: Option<Id>) -> bool {
        match (function, inst.op) {
            (Some(function), _) => self.unused.contains(&function),
            (None, Op::Name | Op::Decorate) => {
                inst.args.first().is_some_and(|target| self.unused.contains(target))
            }
            _ => false,
        }
    }

    /// The ids of new parameters by function.
    fn new_params(&mut self) -> FxHashMap<Id, Vec<(End, Id)>> {
        let mut params = FxHashMap::default();
        let functions: Vec<Id> = self.spv.functions.keys().copied().collect();
        for function in functions {
            let Some(ends) = self.ends.get(&function).cloned() else { continue };
            let own: Vec<(End, Id)> = ends.into_iter().map(|end| (end, self.fresh())).collect();
            params.insert(function, own);
        }
        params
    }

    /// The types of functions that get parameters; their declarations are added to `types`.
    fn function_types(
        &mut self,
        params: &FxHashMap<Id, Vec<(End, Id)>>,
        pipe_types: [Id; 2],
        types: &mut Vec<u32>,
    ) -> R<FxHashMap<Id, Id>> {
        let mut made = FxHashMap::default();
        for inst in self.spv.insts.iter().filter(|i| i.op == Op::Function) {
            let function = inst.result()?;
            let Some(own) = params.get(&function).filter(|own| !own.is_empty()) else { continue };
            let Kind::Function { result, params } = &self.spv.types.get(inst.arg(1)?)?.kind else {
                return fail(BAD_OPERAND, format!("the type of function %{function} is none"));
            };
            let id = self.fresh();
            let mut operands = vec![id, *result];
            operands.extend(params);
            operands.extend(own.iter().map(|(end, _)| pipe_type(end, pipe_types)));
            put(types, Op::TypeFunction, &operands);
            made.insert(function, id);
        }
        Ok(made)
    }

    /// Gives the new parameters names, and says what they are.
    fn name_params(&self, params: &FxHashMap<Id, Vec<(End, Id)>>, out: &mut Vec<u32>) {
        let all = || self.spv.functions.keys().flat_map(|f| params.get(f).map(|p| (*f, p)));
        for (function, own) in all() {
            for (end, id) in own {
                put_text(out, Op::Name, &[*id], &self.argument(function, *end));
            }
        }
        for (_, id) in all().flat_map(|(_, own)| own) {
            put_text(out, Op::Decorate, &[*id, Decoration::UserSemantic as u32], CHANNEL);
        }
    }

    /// A call of an ordinary function, which is handed the channels that it needs.
    fn put_call(
        &self,
        out: &mut Vec<u32>,
        call: &Inst,
        own: &[(End, Id)],
        params: &FxHashMap<Id, Vec<(End, Id)>>,
    ) -> R<()> {
        let needed = params.get(&self.spv.definition(call.arg(0)?));
        let mut operands = vec![call.ty()?, call.result()?];
        operands.extend(call.args);
        for (end, _) in needed.into_iter().flatten() {
            operands.extend(own.iter().find(|(e, _)| e == end).map(|(_, id)| id));
        }
        put(out, Op::FunctionCall, &operands);
        Ok(())
    }

    /// The words of an instruction as they were.
    fn raw(&self, inst: &Inst) -> &'a [u32] {
        let at = inst.at / 4;
        let count = self.words.get(at).map_or(0, |w| (w >> 16) as usize);
        self.words.get(at..at + count).unwrap_or_default()
    }
}

/// The channels that a module declares.
fn declared(spv: &Spv) -> R<Vec<Declared>> {
    let mut all = vec![];
    for (id, variable) in &spv.variables {
        let Some((name, true)) = &spv.deco.of(*id).linkage else { continue };
        let Some(rest) = name.strip_prefix(VARIABLE) else { continue };
        let (rest, port) = match rest.split_once(".io.") {
            Some((rest, port)) => (rest, Some(port.to_owned())),
            None => (rest, None),
        };
        let parsed =
            rest.split_once('.').and_then(|(name, depth)| Some((name, depth.parse().ok()?)));
        let Some((name, depth)) = parsed else {
            return fail(BAD_CONNECTION, format!("`{name}` is no name of a channel"));
        };
        let mut lengths = vec![];
        let mut ty = spv.types.pointee(variable.ty)?;
        while let Kind::Array { element, len, .. } = spv.types.get(ty)?.kind {
            lengths.push(len);
            ty = element;
        }
        let elements = lengths.iter().try_fold(1u64, |n, len| n.checked_mul(*len));
        if elements.is_none_or(|n| n > MOST_ELEMENTS) {
            let text = format!("channel `{name}` has more than {MOST_ELEMENTS} elements");
            return fail(BAD_CONNECTION, text);
        }
        let depth = Some(depth).filter(|n| *n > 0);
        all.push(Declared { id: *id, name: name.to_owned(), depth, port, lengths });
    }
    Ok(all)
}

/// The functions with a body that nothing leads to from the entry points, and what they define.
fn unused(spv: &Spv) -> FxHashSet<Id> {
    let mut named: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
    let mut defined: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
    let mut function = 0;
    for inst in &spv.insts {
        if inst.op == Op::Function {
            function = inst.result.unwrap_or_default();
        }
        defined.entry(function).or_default().extend(inst.result);
        // literals of other instructions may have the number of a function
        if matches!(
            inst.op,
            Op::FunctionCall
                | Op::EnqueueKernel
                | Op::GetKernelNDrangeSubGroupCount
                | Op::GetKernelNDrangeMaxSubGroupSize
                | Op::GetKernelWorkGroupSize
                | Op::GetKernelPreferredWorkGroupSizeMultiple
                | Op::GetKernelLocalSizeForSubgroupCount
                | Op::GetKernelMaxNumSubgroups
        ) {
            let functions = inst.args.iter().filter(|id| spv.functions.contains_key(*id));
            named.entry(function).or_default().extend(functions.map(|f| spv.definition(*f)));
        }
    }
    let mut open: Vec<Id> = spv.entry_points.iter().map(|e| e.function).collect();
    let mut used: FxHashSet<Id> = FxHashSet::default();
    while let Some(f) = open.pop() {
        if used.insert(f) {
            open.extend(named.get(&f).into_iter().flatten());
        }
    }
    // imported functions are declarations
    let is_body = |f: &&Id| spv.deco.of(**f).linkage.as_ref().is_none_or(|(_, import)| !import);
    let unused = spv.functions.keys().filter(|f| !used.contains(*f)).filter(is_body);
    unused.flat_map(|f| defined.get(f).into_iter().flatten().copied()).collect()
}

/// The operand of an instruction that computes an address of another one.
fn address_operand(inst: &Inst) -> Option<Id> {
    let inner;
    let inst = match inst.op {
        Op::SpecConstantOp => {
            inner = decode::spec_op(inst).ok()?;
            &inner
        }
        _ => inst,
    };
    let known = matches!(
        inst.op,
        Op::Bitcast
            | Op::CopyObject
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
    );
    inst.args.first().copied().filter(|_| known)
}

/// Whether it is the end that a use needs; a question takes either.
fn is_end_of((place, writes): &End, used: &Use) -> bool {
    *place == used.place && used.action.writes().is_none_or(|w| w == *writes)
}

fn pipe_type((_, writes): &End, pipe_types: [Id; 2]) -> Id {
    let [read, write] = pipe_types;
    if *writes { write } else { read }
}

fn put_params(out: &mut Vec<u32>, params: &[(End, Id)], pipe_types: [Id; 2]) {
    for (end, id) in params {
        put(out, Op::FunctionParameter, &[pipe_type(end, pipe_types), *id]);
    }
}

/// The instruction on a pipe that a call stands for. What waits has no result; the prelude uses none.
fn put_use(out: &mut Vec<u32>, call: &Inst, action: Action, pipe: Id) {
    let mut operands = vec![];
    let waits = matches!(action, Action::Read { waits: true } | Action::Write { waits: true });
    if !waits {
        operands.extend(call.ty.into_iter().chain(call.result));
    }
    operands.push(pipe);
    operands.extend(call.args.iter().skip(2));
    put(out, action.op(), &operands);
}
