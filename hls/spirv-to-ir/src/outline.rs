//! Functions and blocks as ranges of instructions, with their control-flow graph.

use crate::decode::{Id, Inst};
use crate::errors::{BAD_STRUCTURE, R, TOO_LARGE, error, fail};
use base::{FxHashMap, IndexMap};
use rspirv::grammar::reflect::is_block_terminator;
use rspirv::spirv::Op;

/// Most blocks of a function: ten times the largest kernel known.
const MAX_BLOCKS: usize = 1 << 16;

/// A function as it stands in the module.
#[derive(Clone, Debug)]
pub(crate) struct RawFunction {
    pub id: Id,
    /// Index of `OpFunction`.
    pub inst: usize,
    /// Result type.
    pub result: Id,
    /// Parameters: id and type.
    pub params: Vec<(Id, Id)>,
    /// Blocks in the order of the module; none for an import.
    pub blocks: Vec<RawBlock>,
    /// Position in `blocks` by label.
    pub by_label: FxHashMap<Id, usize>,
    /// Ids of the functions called, in order, once each.
    pub callees: Vec<Id>,
}

/// A block as it stands in the module.
#[derive(Clone, Debug)]
pub(crate) struct RawBlock {
    pub label: Id,
    /// Instructions after the label, the terminator last.
    pub insts: std::ops::Range<usize>,
    /// Labels that control goes to, in the order of the terminator.
    pub targets: Vec<Id>,
}

impl RawFunction {
    /// Positions of the reachable blocks in reverse postorder: every block after its
    /// dominators, which the order in the module does not always give.
    pub fn reverse_postorder(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = vec![];
        let mut stack = vec![(0, 0)];
        if let Some(first) = seen.first_mut() {
            *first = true;
        } else {
            return order;
        }
        while let Some((block, next)) = stack.last_mut() {
            let Some(target) = self.blocks[*block].targets.get(*next) else {
                order.push(*block);
                stack.pop();
                continue;
            };
            *next += 1;
            let t = self.by_label[target];
            if !std::mem::replace(&mut seen[t], true) {
                stack.push((t, 0));
            }
        }
        order.reverse();
        order
    }
}

/// Outlines all functions from instruction `at` on.
pub(crate) fn outline(insts: &[Inst], mut at: usize) -> R<IndexMap<Id, RawFunction>> {
    let mut functions = IndexMap::default();
    while let Some(inst) = insts.get(at) {
        match inst.op {
            Op::Function => {
                let function = function(insts, &mut at)?;
                functions.insert(function.id, function);
            }
            Op::Line | Op::NoLine | Op::Nop | Op::ExtInst => at += 1,
            _ => {
                return fail(
                    BAD_STRUCTURE,
                    format!("{} at byte {:#x} stands outside any function", inst.name(), inst.at),
                );
            }
        }
    }
    Ok(functions)
}

fn function(insts: &[Inst], at: &mut usize) -> R<RawFunction> {
    let head = &insts[*at];
    let mut function = RawFunction {
        id: head.result()?,
        inst: *at,
        result: head.ty()?,
        params: vec![],
        blocks: vec![],
        by_label: FxHashMap::default(),
        callees: vec![],
    };
    *at += 1;
    loop {
        let Some(inst) = insts.get(*at) else {
            return fail(BAD_STRUCTURE, format!("function %{} does not end", function.id));
        };
        *at += 1;
        match inst.op {
            Op::FunctionEnd => break,
            Op::FunctionParameter if function.blocks.is_empty() => {
                function.params.push((inst.result()?, inst.ty()?));
            }
            Op::Label => block(insts, at, inst.result()?, &mut function)?,
            Op::Line | Op::NoLine | Op::Nop | Op::ExtInst => {}
            _ => {
                return fail(
                    BAD_STRUCTURE,
                    format!("{} at byte {:#x} stands outside any block", inst.name(), inst.at),
                );
            }
        }
    }
    if function.blocks.len() > MAX_BLOCKS {
        let n = function.blocks.len();
        return fail(
            TOO_LARGE,
            format!("function %{} has {n} blocks, the limit is {MAX_BLOCKS}", function.id),
        );
    }
    let mut seen = base::FxHashSet::default();
    function.callees.retain(|c| seen.insert(*c));
    Ok(function)
}

fn block(insts: &[Inst], at: &mut usize, label: Id, function: &mut RawFunction) -> R<()> {
    let start = *at;
    loop {
        let Some(inst) = insts.get(*at) else {
            return fail(BAD_STRUCTURE, format!("block %{label} does not end"));
        };
        if matches!(inst.op, Op::Label | Op::FunctionEnd | Op::Function | Op::FunctionParameter) {
            return fail(
                BAD_STRUCTURE,
                format!(
                    "block %{label} has no terminator before {} at byte {:#x}",
                    inst.name(),
                    inst.at
                ),
            );
        }
        if inst.op == Op::FunctionCall {
            function.callees.push(inst.arg(0)?);
        }
        *at += 1;
        if is_block_terminator(inst.op) {
            let block = RawBlock { label, insts: start..*at, targets: vec![] };
            function.by_label.insert(label, function.blocks.len());
            function.blocks.push(block);
            return Ok(());
        }
    }
}

/// Records where each block goes. `selector_words` gives the literal size of a switch on an id.
pub(crate) fn set_targets(
    function: &mut RawFunction,
    insts: &[Inst],
    selector_words: impl Fn(Id) -> R<usize>,
) -> R<()> {
    for k in 0..function.blocks.len() {
        let inst = &insts[function.blocks[k].insts.end - 1];
        let mut targets = vec![];
        match inst.op {
            Op::Branch => targets.push(inst.arg(0)?),
            Op::BranchConditional => targets.extend([inst.arg(1)?, inst.arg(2)?]),
            Op::Switch => {
                for (_, target) in switch_cases(inst, selector_words(inst.arg(0)?)?)? {
                    targets.push(target);
                }
                targets.push(inst.arg(1)?);
            }
            _ => {}
        }
        for t in &targets {
            match function.by_label.get(t) {
                Some(0) => return Err(structure(inst, "it jumps to the entry block")),
                Some(_) => {}
                None => {
                    return Err(structure(inst, &format!("%{t} is not a block of this function")));
                }
            }
        }
        function.blocks[k].targets = targets;
    }
    Ok(())
}

/// The cases of an `OpSwitch`: literal words and target.
pub(crate) fn switch_cases<'a>(inst: &Inst<'a>, words: usize) -> R<Vec<(&'a [u32], Id)>> {
    let cases = inst.args.get(2..).unwrap_or(&[]);
    if !cases.len().is_multiple_of(words + 1) {
        return Err(inst.malformed("its cases are not pairs of literal and block".into()));
    }
    Ok(cases.chunks_exact(words + 1).map(|c| (&c[..words], c[words])).collect())
}

fn structure(inst: &Inst, why: &str) -> Box<base::Diagnostic> {
    error(BAD_STRUCTURE, format!("{} at byte {:#x}: {why}", inst.name(), inst.at))
}
