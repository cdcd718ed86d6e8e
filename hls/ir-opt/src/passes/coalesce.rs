//! Static coalescing: loads, or stores, of a block at places of device memory next to one another become one wide access.

use super::legalise_memory::{at_offset, word_flags};
use crate::alias::Alias;
use crate::bits::{Pieces, build_word, push_word};
use crate::edit::{self, Step};
use crate::known::Ranges;
use crate::legal::{DEVICE_WORD, is_word, word_type};
use crate::linear::steps::Steps;
use crate::linear::{Address, Addresses};
use crate::{Context, passes};
use base::entity::SecondaryMap;
use base::{FxHashMap, IndexMap};
use ir::analysis::{Cfg, Divergence, Loops};
use ir::{Block, Builder, Function, Inst, MemFlags, Op, Query, Space, Type, Value};

/// Joins what a block accesses side by side, as far as nothing between the accesses depends on their order. Expects the
/// form of accesses that `legalise-memory` leaves.
///
/// Windows that slide, of which the next work-item or iteration wants a part again, stay apart: each access alone reads
/// every byte once.
pub fn run(func: &mut Function, context: &Context<'_>) {
    let groups = Planner::new(func, context).plan();
    if groups.is_empty() {
        return;
    }
    let mut blocks: Vec<Block> = groups.iter().map(|g| g.block).collect();
    blocks.dedup();
    let pointers: Vec<usize> = groups.iter().filter_map(|g| g.relies_on).collect();
    for arg in pointers {
        if let Some(arg) = func.kernel.as_mut().and_then(|k| k.args.get_mut(arg)) {
            arg.align = arg.align.max(DEVICE_WORD);
        }
    }
    let mut joiner = Joiner::new(groups);
    edit::rewrite(func, |b, inst| joiner.visit(b, inst));
    for block in blocks {
        order(func, block, &joiner.made);
    }
    passes::relax_order::run(func);
}

/// Most bytes between two accesses that become one.
const WIDEST_GAP: u32 = 8;
/// Accesses that a word of unknown alignment must replace: the unit for it has a shifter as wide as the memory port.
const WORTH_SHIFTING: usize = 3;

/// Accesses that become one.
struct Group {
    block: Block,
    /// With the distance in bytes from the first byte of all; by that distance.
    members: Vec<(Inst, u32)>,
    words: Vec<Word>,
    /// Alignment of the first byte, log2.
    align_log2: u8,
    /// The argument that must then point to a multiple of [`DEVICE_WORD`].
    relies_on: Option<usize>,
}

/// A new access; words follow one another.
struct Word {
    /// Bytes, a power of two.
    size: u32,
    /// Number of its parts and a bit for each that is accessed, unless all are.
    mask: Option<(u32, u64)>,
}

/// An access of the block.
struct Access {
    inst: Inst,
    /// Its place among the instructions of the block.
    position: usize,
    address: Address,
    bytes: u32,
}

/// Accesses with the same key have constant distances: whether they store, the address without offset, the predicate.
type Key = (bool, Address, Option<Value>);

struct Planner<'f> {
    func: &'f Function,
    ranges: Ranges,
    alias: Alias<'f>,
    divergence: Divergence,
    loops: Loops,
    homes: SecondaryMap<Value, Option<Block>>,
    aligned_pointers: bool,
}

impl<'f> Planner<'f> {
    fn new(func: &'f Function, context: &Context<'_>) -> Self {
        let cfg = Cfg::new(func);
        Planner {
            func,
            ranges: Ranges::new(func, context.options.max_work_group_size),
            alias: Alias::new(func),
            divergence: Divergence::new(func, &cfg, &|_, _| false),
            loops: Loops::new(func, &cfg),
            homes: func.homes(),
            aligned_pointers: context.options.aligned_pointers,
        }
    }

    fn plan(&self) -> Vec<Group> {
        self.func.layout.iter().flat_map(|b| self.block(*b)).collect()
    }

    fn block(&self, block: Block) -> Vec<Group> {
        let addresses = Addresses::new(self.func, &self.ranges, block);
        let mut by_key: IndexMap<Key, Vec<Access>> = IndexMap::default();
        for (position, &inst) in self.func.blocks[block].insts.iter().enumerate() {
            let Some((bytes, predicate)) = self.takes_part(inst) else { continue };
            let d = &self.func.insts[inst];
            let address = addresses.of(d.args[0]);
            let base = Address { offset: 0, ..address.clone() };
            let key = (matches!(d.op, Op::Store(_)), base, predicate);
            by_key.entry(key).or_default().push(Access { inst, position, address, bytes });
        }
        let mut groups = vec![];
        for (_, mut accesses) in by_key.into_iter().filter(|(_, a)| a.len() > 1) {
            accesses.sort_by_key(|a| (a.address.offset, a.position));
            for run in neighbours(&accesses) {
                groups.extend(self.group(block, &addresses, run));
            }
        }
        groups
    }

    /// Bytes and predicate of an access that may become part of another.
    fn takes_part(&self, inst: Inst) -> Option<(u32, Option<Value>)> {
        let d = &self.func.insts[inst];
        let (flags, value, plain) = match d.op {
            Op::Load(flags) => (flags, d.result?, 1),
            Op::Store(flags) => (flags, d.args[1], 2),
            _ => return None,
        };
        let ty = self.func.ty(value);
        let predicate = d.args.get(plain).copied();
        let fits = matches!(self.func.ty(d.args[0]).space(), Some(Space::Global | Space::Constant))
            && !flags.volatile
            && !ty.is_vector()
            && is_word(ty, Space::Global, self.func.addr_bits)
            && predicate.is_none_or(|p| self.func.bits(p) == 1);
        fits.then(|| (self.func.accessed_bytes(inst), predicate))
    }

    /// Neighbours as a group, if fewer accesses can stand for them and are worth it.
    fn group(&self, block: Block, addresses: &Addresses<'_>, run: &[Access]) -> Option<Group> {
        let (first, last) = (run.first()?, run.last()?);
        let begin = first.address.offset;
        let place = |a: &Access| (a.address.offset - begin) as u32;
        let bytes = place(last) + last.bytes;
        let parts: Vec<(u32, u32)> = run.iter().map(|a| (place(a), a.bytes)).collect();
        let mut words = words(&parts, bytes, false);
        if words.iter().any(|w| w.mask.is_some()) && !self.is_alone(run) {
            words = self::words(&parts, bytes, true);
            if words.iter().any(|w| w.mask.is_some()) {
                return None;
            }
        }
        let (align_log2, relies_on) = self.alignment(addresses, first);
        let is_worth_it = match words[0].size <= 1 << align_log2 {
            true => words.len() < run.len(),
            false => words.len() * WORTH_SHIFTING <= run.len(),
        };
        // Narrow look-ups in tables on the chip are cheaper than words that begin anywhere, or of which parts are not wanted.
        let is_whole = words.iter().all(|w| w.mask.is_none()) && words[0].size <= 1 << align_log2;
        if !is_worth_it
            || self.is_constant_table(first) && !is_whole
            || self.slides(block, &first.address, bytes)
            || !self.may_move(block, addresses, run)
        {
            return None;
        }
        let members = run.iter().map(|a| (a.inst, place(a))).collect();
        Some(Group { block, members, words, align_log2, relies_on })
    }

    /// What the address of an access is a multiple of, log2, and the argument that must be aligned to words for that.
    fn alignment(&self, addresses: &Addresses<'_>, access: &Access) -> (u8, Option<usize>) {
        let own = self.func.insts[access.inst].op.mem_flags().map_or(0, |f| f.align_log2);
        let line = DEVICE_WORD.ilog2();
        let by = |root: u32| own.max(addresses.align_log2(&access.address, root).min(line) as u8);
        let args = self.func.kernel.as_ref().map_or(&[][..], |k| &k.args);
        let index = match self.func.def_op(access.address.root) {
            Some(Op::Arg { index, .. }) => index,
            Some(Op::ObjAddr(o)) => return (by(self.func.objects[o].align.max(1).ilog2()), None),
            _ => return (by(0), None),
        };
        let index = index as usize;
        let natural = by(args.get(index).map_or(0, |a| a.align.max(1).ilog2()));
        let wanted = by(line);
        match self.aligned_pointers && wanted > natural {
            true => (wanted, Some(index)),
            false => (natural, None),
        }
    }

    /// Whether a load is from a constant of the program. Those of up to 64 KiB become tables on the chip; larger ones, which are rare,
    /// stay in device memory and are not told apart here.
    fn is_constant_table(&self, access: &Access) -> bool {
        matches!(self.func.def_op(access.address.root), Some(Op::ObjAddr(o)) if self.func.objects[o].space == Space::Constant)
    }

    /// Whether nothing else in the kernel may touch what the accesses touch, one of both writing: then it does not matter that
    /// dependences are counted as if words had no gaps.
    fn is_alone(&self, run: &[Access]) -> bool {
        let all = self.func.layout.iter().flat_map(|b| &self.func.blocks[*b].insts);
        let is_load = |i: Inst| matches!(self.func.insts[i].op, Op::Load(_));
        all.into_iter().filter(|i| self.func.insts[**i].op.mem_flags().is_some()).all(|other| {
            run.iter().all(|a| {
                is_load(*other) && is_load(a.inst)
                    || run.iter().any(|b| b.inst == *other)
                    || !self.alias.may_ever_overlap(*other, a.inst)
            })
        })
    }

    /// Whether the next iteration, or the next work-item, accesses some of the same bytes again; or the address never changes.
    fn slides(&self, block: Block, address: &Address, bytes: u32) -> bool {
        let overlaps = |step: i128| step != 0 && step.unsigned_abs() < bytes.into();
        let innermost = self.loops.innermost(block);
        let in_loop = innermost
            .and_then(|l| Steps::new(self.func, &self.ranges, &self.loops, &self.homes, l))
            .and_then(|steps| steps.of_address(address));
        let values = address.terms.iter().map(|(t, _)| t.value).chain([address.root]);
        let changes = |v: Value| {
            let home = self.homes.get(v).copied().flatten();
            self.divergence.varies(v)
                || innermost.zip(home).is_some_and(|(l, b)| self.loops.contains(l, b))
        };
        let lanes = self.func.kernel.as_ref().and_then(|k| k.simd_lanes).unwrap_or(1);
        let is_id = |v: Value| {
            let id = self.func.def_op(v);
            matches!(id, Some(Op::WorkItem(Query::GlobalId | Query::LocalId, 0)))
                || matches!(id, Some(Op::WorkItem(Query::GlobalLinearId | Query::LocalLinearId, _)))
        };
        let by_items = address.terms.iter().filter(|(t, _)| is_id(t.value));
        let between_items: i128 = by_items.map(|(_, n)| n * i128::from(lanes)).sum();
        !values.into_iter().any(changes) || in_loop.is_some_and(overlaps) || overlaps(between_items)
    }

    /// Whether loads may happen where the first of them is, and stores where the last is.
    fn may_move(&self, block: Block, addresses: &Addresses<'_>, run: &[Access]) -> bool {
        let positions = run.iter().map(|a| a.position);
        let (Some(from), Some(to)) = (positions.clone().min(), positions.max()) else {
            return false;
        };
        let is_store = matches!(self.func.insts[run[0].inst].op, Op::Store(_));
        let between = &self.func.blocks[block].insts[from..to];
        let others = between.iter().enumerate().filter(|(_, i)| {
            self.func.insts[**i].op.is_effect() && run.iter().all(|a| a.inst != **i)
        });
        others.into_iter().all(|(k, other)| {
            let crosses = |a: &&Access| (a.position < from + k) == is_store;
            run.iter().filter(crosses).all(|a| !self.alias.conflict_at(addresses, *other, a.inst))
        })
    }
}

/// The longest parts of a list, by address, in which each access begins where the one before ends, or little later.
fn neighbours(accesses: &[Access]) -> impl Iterator<Item = &[Access]> {
    let gaps = 0..=i128::from(WIDEST_GAP);
    accesses.chunk_by(move |a, b| {
        gaps.contains(&(b.address.offset - a.address.offset - i128::from(a.bytes)))
    })
}

/// The words that cover `bytes` bytes of which `parts` (place and size) are accessed: as few as possible, or such that the last
/// one has no bytes beyond.
fn words(parts: &[(u32, u32)], bytes: u32, exactly: bool) -> Vec<Word> {
    let unit = parts.iter().map(|(at, size)| size | at).fold(DEVICE_WORD, |a, b| a | b);
    let unit = 1 << unit.trailing_zeros();
    let is_accessed = |at: u32| parts.iter().any(|(p, size)| (*p..p + size).contains(&at));
    let mut all = vec![];
    let mut at = 0;
    while at < bytes {
        let left = bytes - at;
        let size = if exactly { 1 << left.ilog2() } else { left.next_power_of_two() };
        let size = size.min(DEVICE_WORD);
        let count = size / unit;
        let bits: u64 = (0..count).map(|k| u64::from(is_accessed(at + k * unit)) << k).sum();
        let mask = (bits.count_ones() < count).then_some((count, bits));
        all.push(Word { size, mask });
        at += size;
    }
    all
}

/// Builds the wide accesses.
struct Joiner {
    groups: Vec<Group>,
    of: FxHashMap<Inst, usize>,
    /// Members of each group that were met.
    met: Vec<usize>,
    /// What stands for the loads that were read before.
    loaded: FxHashMap<Inst, Value>,
    /// The new accesses.
    made: Vec<Inst>,
}

impl Joiner {
    fn new(groups: Vec<Group>) -> Self {
        let members = groups.iter().enumerate();
        let of = members.flat_map(|(k, g)| g.members.iter().map(move |(i, _)| (*i, k))).collect();
        let met = vec![0; groups.len()];
        Joiner { groups, of, met, loaded: FxHashMap::default(), made: vec![] }
    }

    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Step {
        let Some(&k) = self.of.get(&inst) else { return Step::Keep };
        self.met[k] += 1;
        let is_last = self.met[k] == self.groups[k].members.len();
        match b.func.insts[inst].op {
            Op::Store(_) if !is_last => Step::Gone,
            Op::Store(_) => {
                self.store(b, k, inst);
                Step::Gone
            }
            _ => {
                if self.met[k] == 1 {
                    self.load(b, k, inst);
                }
                Step::Value(self.loaded[&inst])
            }
        }
    }

    /// Pointer to the first byte, from that of a member, and its flags.
    fn begin(&self, b: &mut Builder<'_>, k: usize, member: Inst) -> (Value, MemFlags) {
        let group = &self.groups[k];
        let at = group.members.iter().find(|(i, _)| *i == member).map_or(0, |(_, at)| *at);
        let data = &b.func.insts[member];
        let flags = data.op.mem_flags().unwrap_or(MemFlags::aligned(1));
        let mut pointer = data.args[0];
        if at != 0 {
            let back = u64::from(at).wrapping_neg();
            let ty = b.size_type();
            let back = b.constant(ty, ir::builder::mask(back.into(), b.func.addr_bits));
            pointer = b.ptr_add(pointer, back);
        }
        (pointer, MemFlags { align_log2: group.align_log2, ..flags })
    }

    /// Operands of an access of a word besides its pointer and value: its predicate or mask.
    fn predicate(b: &mut Builder<'_>, own: Option<Value>, word: &Word) -> Option<Value> {
        let Some((count, bits)) = word.mask else { return own };
        let ty = Type::int(count);
        let mask = b.constant(ty, bits.into());
        let Some(own) = own else { return Some(mask) };
        let none = b.constant(ty, 0);
        Some(b.value(Op::Select, [own, mask, none], ty))
    }

    fn load(&mut self, b: &mut Builder<'_>, k: usize, first: Inst) {
        let (pointer, flags) = self.begin(b, k, first);
        let own = b.func.insts[first].args.get(1).copied();
        let (mut pieces, mut offset) = (Pieces::new(), 0);
        for word in &self.groups[k].words {
            let at = at_offset(b, pointer, offset);
            let predicate = Self::predicate(b, own, word);
            let flags = word_flags(flags, offset);
            let op = Op::Load(MemFlags { predicated: predicate.is_some(), ..flags });
            let args = [at].into_iter().chain(predicate);
            let load = b.inst(op, args, Some(word_type(word.size)));
            self.made.push(load);
            if let Some(word) = b.func.insts[load].result {
                push_word(b, &mut pieces, word);
            }
            offset += word.size;
        }
        for &(inst, at) in &self.groups[k].members {
            let Some(result) = b.func.insts[inst].result else { continue };
            let ty = b.func.ty(result);
            let value = pieces.extract_as(b, at * 8, ty);
            self.loaded.insert(inst, value);
        }
    }

    fn store(&mut self, b: &mut Builder<'_>, k: usize, last: Inst) {
        // all pointers are there by now: that to the first byte needs no arithmetic
        let (pointer, flags) = self.begin(b, k, self.groups[k].members[0].0);
        let own = b.func.insts[last].args.get(2).copied();
        let group = &self.groups[k];
        let (mut pieces, mut end) = (Pieces::new(), 0);
        for &(inst, at) in &group.members {
            let value = b.func.insts[inst].args[1];
            fill(b, &mut pieces, at - end);
            pieces.push(b, value);
            end = at + b.func.ty(value).mem_bytes(b.func.addr_bits);
        }
        fill(b, &mut pieces, group.words.iter().map(|w| w.size).sum::<u32>() - end);
        let mut offset = 0;
        for word in &group.words {
            let at = at_offset(b, pointer, offset);
            let value = build_word(b, &pieces, offset, word.size);
            let predicate = Self::predicate(b, own, word);
            let flags = word_flags(flags, offset);
            let op = Op::Store(MemFlags { predicated: predicate.is_some(), ..flags });
            let store = b.inst(op, [at, value].into_iter().chain(predicate), None);
            self.made.push(store);
            offset += word.size;
        }
    }
}

/// Appends zeros.
fn fill(b: &mut Builder<'_>, pieces: &mut Pieces, mut bytes: u32) {
    while bytes > 0 {
        let some = bytes.min(16);
        let zero = b.constant(Type::int(8 * some), 0);
        pieces.push(b, zero);
        bytes -= some;
    }
}

/// Orders the new accesses of a block as the instructions stand, where they conflict with others.
fn order(func: &mut Function, block: Block, made: &[Inst]) {
    let insts = func.blocks[block].insts.iter().copied();
    let effects: Vec<Inst> = insts.filter(|i| func.insts[*i].op.is_effect()).collect();
    let alias = Alias::new(func);
    let mut pairs = vec![];
    for (k, &later) in effects.iter().enumerate() {
        for &earlier in &effects[..k] {
            let new = made.contains(&later) || made.contains(&earlier);
            if new && alias.conflict(earlier, later) {
                pairs.push((earlier, later));
            }
        }
    }
    for (earlier, later) in pairs {
        if !func.insts[later].after.contains(&earlier) {
            func.insts[later].after.push(earlier);
        }
    }
}
