//! Several work-items a token: consecutive work-items along dimension 0 go through the datapath
//! side by side, and their accesses to consecutive places become one wide access.
//!
//! What is the same for all lanes is computed once. The kernel must branch the same way for all
//! lanes of a token, for which branches become predicates ([`alike`]); the first and the last token of a row of the work-group may have fewer
//! work-items than lanes ([`ir::Query::LaneMask`]), whose accesses are masked.

mod alike;
mod choose;
mod lanes;

use crate::bits::{Pieces, build_word, push_word, slice};
use crate::legal::{DEVICE_WORD, word_type};
use crate::{Context, Simd, edit};
use base::entity::SecondaryMap;
use base::{Diagnostic, FxHashMap, Loc, Result, SmallVec};
use ir::analysis::Cfg;
use ir::{Block, Builder, Function, Inst, MemFlags, Op, Query, Space, Type, Value, ValueDef};
use lanes::Lanes;

/// Most work-items of a token.
pub const MOST_LANES: u32 = 16;

/// Combines work-items as the options or the kernel's attribute ask. A kernel for which that is
/// not possible stays as it is, with a warning (`W0311`) if a number was asked for. The error: a
/// number of lanes that is no power of two up to [`MOST_LANES`] (`E0307`).
pub fn run(func: &mut Function, context: &Context<'_>) -> Result<()> {
    let Some(kernel) = &func.kernel else { return Ok(()) };
    // Who enqueues a block cannot know which local sizes several work-items a token would allow.
    if kernel.simd_lanes.is_some() || kernel.enqueued {
        return Ok(());
    }
    let asked = kernel.num_simd_work_items;
    let mut lanes = match (context.options.simd, asked) {
        (Simd::Lanes(0 | 1), _) => asked.unwrap_or(1),
        (Simd::Lanes(n), _) | (Simd::FillPort { .. }, Some(n)) => n,
        (Simd::FillPort { .. }, None) => choose::lanes(func, context),
    };
    if !lanes.is_power_of_two() || lanes > MOST_LANES {
        let what = format!("`{}` cannot run {lanes} work-items at a time", func.name);
        let help = format!("the number of work-items is a power of two up to {MOST_LANES}");
        return Err(Diagnostic::error("E0307", what).at(func.loc).help(help).into());
    }
    // Without the branches that lanes may take differently, if that lets several of them be a token.
    let open = lanes == 1 && asked.is_none() && choose::may_be_several(func, context);
    let wanted = if open { MOST_LANES } else { lanes };
    let alike = if wanted > 1 { alike::run(func, wanted, context) } else { None };
    let original = alike.map(|alike| std::mem::replace(func, alike));
    if open && original.is_some() {
        lanes = choose::lanes(func, context);
    }
    if lanes == 1 {
        if let Some(original) = original {
            *func = original;
        }
        return Ok(());
    }
    set_lanes(func, Some(lanes));
    let analysis = Lanes::new(func, lanes, context.options.max_work_group_size);
    if let Some((loc, why)) = obstacle(func, lanes, &analysis) {
        set_lanes(func, None);
        if let Some(original) = original {
            *func = original;
        }
        let what = format!("`{}` stays at one work-item a token, not {lanes}: {why}", func.name);
        context.remarks.borrow_mut().push(Diagnostic::warning("W0311", what).at(loc));
        return Ok(());
    }
    if let (Simd::FillPort { port_bytes, .. }, None) = (context.options.simd, asked) {
        let what = format!(
            "{lanes} work-items of `{}` go through the datapath side by side: together they fill the {port_bytes} bytes of the memory port",
            func.name
        );
        let remark = Diagnostic::remark("W0314", what)
            .at(func.loc)
            .help("`--simd 1` makes smaller hardware that is slower");
        context.remarks.borrow_mut().push(remark);
    }
    let parts = all_parts(func, &analysis, lanes);
    let mut widen = Widen {
        lanes: lanes as usize,
        analysis,
        parts,
        of: SecondaryMap::new(),
        mask: None,
        replaced: FxHashMap::default(),
        apart: vec![],
    };
    widen.function(func);
    for (loc, why) in widen.apart {
        let what = format!("{lanes} work-items access memory one by one here: {why}");
        let remark = Diagnostic::remark("W0312", what).at(loc);
        context.remarks.borrow_mut().push(remark);
    }
    Ok(())
}

/// Makes the kernel one of `lanes` work-items a token, or of one again.
fn set_lanes(func: &mut Function, lanes: Option<u32>) {
    let group_rows = lanes.is_some() && asks_for_local_ids(func);
    if let Some(kernel) = &mut func.kernel {
        kernel.simd_lanes = lanes;
        kernel.simd_group_rows = group_rows;
    }
}

/// Whether the kernel uses ids that do not say where a token of consecutive global ids begins.
fn asks_for_local_ids(func: &Function) -> bool {
    func.layout.iter().flat_map(|b| &func.blocks[*b].insts).any(|i| match func.insts[*i].op {
        Op::WorkItem(query, dim) => query.counts_from_group_row(dim),
        _ => false,
    })
}

/// Why the kernel must stay as it is.
fn obstacle(func: &Function, lanes: u32, analysis: &Lanes) -> Option<(Loc, String)> {
    let kernel = func.kernel.as_ref()?;
    if kernel.has_groups_of_one() {
        return Some((func.loc, "it is a single work-item kernel".into()));
    }
    if let Some([x, ..]) = kernel.reqd_work_group_size.filter(|s| !s[0].is_multiple_of(lanes)) {
        let why = format!("its work-groups have {x} work-items in dimension 0");
        return Some((func.loc, why));
    }
    if let Some(sub_groups) = kernel.sub_groups.filter(|_| kernel.simd_group_rows) {
        let most = kernel.largest_work_group().unwrap_or_default();
        if u64::from(most / lanes * lanes) < sub_groups.fewest_work_items() {
            let (count, size) = (sub_groups.count, sub_groups.size);
            let why = format!(
                "its work-groups have {count} sub-groups of {size}, which no multiple of {lanes} work-items has"
            );
            return Some((func.loc, why));
        }
    }
    let block = analysis.divergence(func)?;
    let why = "work-items of a token may take different ways at this branch";
    Some((func.blocks[block].term_loc, why.into()))
}

/// The transformation. Lane 0 keeps the values there are.
struct Widen {
    lanes: usize,
    analysis: Lanes,
    /// How many of the lanes one access serves, for each.
    parts: FxHashMap<Inst, Parts>,
    /// The lanes of values that are not uniform.
    of: SecondaryMap<Value, Vec<Value>>,
    /// Which lanes are work-items.
    mask: Option<Value>,
    /// The effects of the block that stand for one of before.
    replaced: FxHashMap<Inst, Vec<Inst>>,
    /// Accesses that stay one for each lane, and why.
    apart: Vec<(Loc, &'static str)>,
}

impl Widen {
    fn function(&mut self, func: &mut Function) {
        edit::remove_unreachable(func);
        let cfg = Cfg::new(func);
        for &block in &cfg.rpo {
            self.params(func, block);
        }
        for &block in &cfg.rpo {
            self.block(func, block);
        }
        for &block in &cfg.rpo {
            self.arguments(func, block);
        }
    }

    fn lane(&self, value: Value, k: usize) -> Value {
        self.of.get(value).and_then(|l| l.get(k)).copied().unwrap_or(value)
    }

    fn params(&mut self, func: &mut Function, block: Block) {
        for p in std::mem::take(&mut func.blocks[block].params) {
            let ty = func.ty(p);
            let index = func.blocks[block].params.len() as u32;
            func.values[p].def = ValueDef::Param(block, index);
            func.blocks[block].params.push(p);
            if !self.analysis.is_uniform(p) {
                let more = (1..self.lanes).map(|_| func.add_param(block, ty));
                self.of[p] = [p].into_iter().chain(more).collect();
            }
        }
    }

    fn arguments(&self, func: &mut Function, block: Block) {
        let uniform: FxHashMap<Block, Vec<bool>> = func.blocks[block]
            .term
            .targets()
            .iter()
            .map(|t| (t.block, self.uniform_params(func, t.block)))
            .collect();
        for call in func.blocks[block].term.targets_mut() {
            let old = std::mem::take(&mut call.args);
            for (a, uniform) in old.into_iter().zip(&uniform[&call.block]) {
                let count = if *uniform { 1 } else { self.lanes };
                call.args.extend((0..count).map(|k| self.lane(a, k)));
            }
        }
    }

    /// Of each parameter that there was, whether it is uniform.
    fn uniform_params(&self, func: &Function, block: Block) -> Vec<bool> {
        let mut result = vec![];
        let mut params = func.blocks[block].params.iter();
        while let Some(p) = params.next() {
            let uniform = self.of.get(*p).is_none_or(|l| l.is_empty());
            result.push(uniform);
            if !uniform {
                params.nth(self.lanes - 2);
            }
        }
        result
    }

    fn block(&mut self, func: &mut Function, block: Block) {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut b = Builder::at(func, block);
        if self.mask.is_none() {
            self.mask = Some(b.query(Query::LaneMask, 0));
        }
        self.replaced.clear();
        for inst in insts {
            let after = std::mem::take(&mut b.func.insts[inst].after);
            let after: SmallVec<[Inst; 2]> = after
                .iter()
                .flat_map(|e| self.replaced.get(e).cloned().unwrap_or_else(|| vec![*e]))
                .collect();
            b.loc = b.func.insts[inst].loc;
            let effects = self.inst(&mut b, inst);
            for &e in &effects {
                b.func.insts[e].after = after.clone();
            }
            self.replaced.insert(inst, effects);
        }
    }

    /// Appends the lanes of an instruction; gives its effects.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) -> Vec<Inst> {
        let data = b.func.insts[inst].clone();
        let once = match (data.op, data.result) {
            (Op::Barrier(..) | Op::Fence(_), _) => true,
            (Op::Atomic(..) | Op::Pipe { .. }, _) => false,
            (Op::Store(f), _) => {
                !f.volatile && data.args.iter().all(|a| self.analysis.is_uniform(*a))
            }
            (_, Some(r)) => self.analysis.is_uniform(r),
            (_, None) => true,
        };
        if once {
            keep(b, inst);
            return if data.op.is_effect() { vec![inst] } else { vec![] };
        }
        if data.op.is_effect() {
            return match self.parts(b.func, inst) {
                Some(part) if part > 1 => self.wide_access(b, inst, part),
                _ => (0..self.lanes).map(|k| self.lane_access(b, inst, k)).collect(),
            };
        }
        b.func.insts[inst].args = data.args.iter().map(|a| self.lane(*a, 0)).collect();
        keep(b, inst);
        let Some(result) = data.result else { return vec![] };
        let ty = b.func.ty(result);
        let mut all = vec![result];
        for k in 1..self.lanes {
            let value = match data.op {
                // The low bits of lane 0's are 0.
                Op::WorkItem(Query::GlobalId | Query::LocalId, _) => {
                    let k = b.constant(ty, k as u128);
                    b.binary(Op::Or, result, k)
                }
                Op::WorkItem(..) => {
                    let k = b.constant(ty, k as u128);
                    b.binary(Op::Add, result, k)
                }
                Op::ObjAddr(o) => {
                    let mut object = b.func.objects[o].clone();
                    object.name = format!("{}.lane{k}", object.name);
                    let object = b.func.objects.push(object);
                    b.value(Op::ObjAddr(object), [], ty)
                }
                op => {
                    let args: Vec<Value> = data.args.iter().map(|a| self.lane(*a, k)).collect();
                    let value = b.value(op, args, ty);
                    if let Some(i) = b.func.def_inst(value) {
                        b.func.insts[i].fast_math = data.fast_math;
                    }
                    value
                }
            };
            all.push(value);
        }
        self.of[result] = all;
        vec![]
    }

    /// The predicate of a lane of an access (its own, if it had one, and that the lane is a
    /// work-item).
    fn predicate(&self, b: &mut Builder<'_>, own: Option<Value>, k: usize) -> Option<Value> {
        let own = own.map(|p| self.lane(p, k));
        let always = k == 0 && b.func.kernel.as_ref().is_some_and(|k| k.simd_group_rows);
        let valid = self.mask.filter(|_| !always).map(|m| slice(b, m, k as u32, 1));
        match (own, valid) {
            (Some(p), Some(v)) if b.func.bits(p) == 1 => Some(b.binary(Op::And, p, v)),
            // One bit for each part of a wide access.
            (Some(p), Some(v)) => {
                let ty = b.func.ty(p);
                let none = b.constant(ty, 0);
                Some(b.value(Op::Select, [v, p, none], ty))
            }
            (p, v) => p.or(v),
        }
    }

    /// One lane's own access.
    fn lane_access(&mut self, b: &mut Builder<'_>, inst: Inst, k: usize) -> Inst {
        let data = b.func.insts[inst].clone();
        let (operands, own) = split_predicate(&data);
        let mut args: Vec<Value> = operands.iter().map(|v| self.lane(*v, k)).collect();
        let predicate = self.predicate(b, own, k);
        args.extend(predicate);
        let ty = data.result.map(|r| b.func.ty(r));
        let new = b.inst(data.op.with_predicate(predicate.is_some()), args, ty);
        if let (Some(old), Some(value)) = (data.result, b.func.insts[new].result) {
            // Lane 0 has a value of its own here: uses are found through `of`.
            self.of[old].push(value);
        }
        new
    }

    /// How many lanes one access serves; none when each needs its own.
    fn parts(&mut self, func: &Function, inst: Inst) -> Option<usize> {
        let loc = func.insts[inst].loc;
        match self.parts.get(&inst).copied().unwrap_or(Err(None)) {
            Ok(part) => Some(part as usize),
            Err(why) => {
                self.apart.extend(why.map(|why| (loc, why)));
                None
            }
        }
    }

    /// Accesses that each serve `part` lanes.
    fn wide_access(&mut self, b: &mut Builder<'_>, inst: Inst, part: usize) -> Vec<Inst> {
        let data = b.func.insts[inst].clone();
        let (operands, own) = split_predicate(&data);
        let value = data.result.unwrap_or_else(|| operands[1]);
        let ty = b.func.ty(value);
        let bytes = ty.mem_bytes(b.func.addr_bits);
        let align = first_align(b.func, &self.analysis, inst);
        let mut effects = vec![];
        for first in (0..self.lanes).step_by(part) {
            let pointer = self.lane(operands[0], first);
            let mask = self.part_mask(b, own, first, part);
            let size = bytes * part as u32;
            let aligned = MemFlags::aligned(align.min(size));
            let flags = MemFlags { predicated: true, ..aligned };
            let access = match data.op {
                Op::Store(_) => {
                    let mut pieces = Pieces::new();
                    for k in first..first + part {
                        let lane = self.lane(value, k);
                        push_word(b, &mut pieces, lane);
                    }
                    let word = build_word(b, &pieces, 0, size);
                    b.inst(Op::Store(flags), [pointer, word, mask], None)
                }
                _ => b.inst(Op::Load(flags), [pointer, mask], Some(word_type(size))),
            };
            effects.push(access);
            if let Some(word) = b.func.insts[access].result {
                let lanes = take_apart(b, word, part as u32, ty);
                self.of[value].extend(lanes);
            }
        }
        effects
    }

    /// One bit for each lane from `first` on.
    fn part_mask(
        &self,
        b: &mut Builder<'_>,
        own: Option<Value>,
        first: usize,
        part: usize,
    ) -> Value {
        match (own, self.mask) {
            (None, Some(mask)) => slice(b, mask, first as u32, part as u32),
            _ => {
                let mut pieces = Pieces::new();
                for k in first..first + part {
                    let bit = self.predicate(b, own, k).unwrap_or_else(|| b.bool(true));
                    pieces.push(b, bit);
                }
                pieces.extract(b, 0, part as u32)
            }
        }
    }
}

/// Appends an instruction that there was.
fn keep(b: &mut Builder<'_>, inst: Inst) {
    let block = b.block();
    b.func.blocks[block].insts.push(inst);
}

/// How many of the lanes one access serves; or that each lane needs its own, with the reason if it is worth telling.
type Parts = std::result::Result<u32, Option<&'static str>>;

/// The parts of all accesses, by what the function is before it changes.
fn all_parts(func: &Function, analysis: &Lanes, lanes: u32) -> FxHashMap<Inst, Parts> {
    let in_block = |b: &Block| func.blocks[*b].insts.iter().map(|i| (*b, *i)).collect::<Vec<_>>();
    let all = func.layout.iter().flat_map(in_block);
    let accesses = all.filter(|(_, i)| func.insts[*i].op.mem_flags().is_some());
    accesses.map(|place| (place.1, access_parts(func, analysis, place, lanes))).collect()
}

/// The parts of an access: global memory only.
fn access_parts(
    func: &Function,
    analysis: &Lanes,
    (block, inst): (Block, Inst),
    lanes: u32,
) -> Parts {
    let d = &func.insts[inst];
    let (Op::Load(flags) | Op::Store(flags)) = d.op else { return Err(None) };
    let pointer = d.args[0];
    let global = matches!(func.ty(pointer).space(), Some(Space::Global | Space::Constant));
    if flags.volatile || !global {
        return Err(None);
    }
    let bytes = func.accessed_bytes(inst);
    if analysis.stride_of(func, pointer, block) != Some(bytes.into()) {
        return Err(Some("their addresses are not known to follow one another"));
    }
    if split_predicate(d).1.is_some_and(|p| func.bits(p) > 1) {
        return Err(Some("each of them has a mask for its parts"));
    }
    if !bytes.is_power_of_two() {
        return Err(Some("their sizes are no powers of two"));
    }
    Ok((DEVICE_WORD / bytes).min(lanes).max(1))
}

/// What the first lane's address of an access is known to be a multiple of, in bytes.
fn first_align(func: &Function, analysis: &Lanes, inst: Inst) -> u32 {
    let d = &func.insts[inst];
    let own = d.op.mem_flags().map_or(1, |f| f.align());
    own.max(1 << analysis.align_log2(func, d.args[0]))
}

/// Operands of an access without its predicate, and that.
fn split_predicate(data: &ir::InstData) -> (&[Value], Option<Value>) {
    match data.args.split_last() {
        Some((p, rest)) if data.op.predicated() == Some(true) => (rest, Some(*p)),
        _ => (&data.args, None),
    }
}

/// The `count` equal parts of a word, as values of type `ty`.
fn take_apart(b: &mut Builder<'_>, word: Value, count: u32, ty: Type) -> Vec<Value> {
    let mut pieces = Pieces::new();
    push_word(b, &mut pieces, word);
    let bits = ty.bits(b.func.addr_bits);
    if !ty.is_vector() {
        return (0..count).map(|k| pieces.extract_as(b, k * bits, ty)).collect();
    }
    let lane = |b: &mut Builder<'_>, at: u32| pieces.extract_as(b, at, ty.lane());
    let lane_bits = bits / u32::from(ty.lanes);
    let words: Vec<Vec<Value>> = (0..count)
        .map(|k| (0..u32::from(ty.lanes)).map(|j| lane(b, k * bits + j * lane_bits)).collect())
        .collect();
    words.into_iter().map(|lanes| b.value(Op::VecBuild, lanes, ty)).collect()
}
