//! How the values of consecutive work-items of a token differ.

use crate::known::Ranges;
use crate::linear::{Addresses, Term};
use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::builder::sign_extend;
use ir::{Block, Function, Inst, Op, Query, Scalar, Space, Terminator, Value};

/// The values that the lanes of a token have for one value of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    /// All the same.
    Uniform,
    /// Lane `k` has lane 0's value plus `k` times this (not 0), modulo 2^width.
    Stride(i128),
    /// Anything.
    Varying,
}

/// The lanes of every value, and how much lane 0's value is known to be aligned.
pub(super) struct Lanes {
    lane: SecondaryMap<Value, Option<Lane>>,
    /// What is known of lane 0: its ids are multiples of the number of lanes.
    ranges: Ranges,
    /// What is known of each lane that is a work-item.
    of_each: Ranges,
    lanes: u32,
}

/// Trailing zeros of a pointer argument's value: buffers begin at the start of a line, and a
/// launch with a pointer that does not is refused.
const ARGUMENT_ALIGN_LOG2: u32 = crate::legal::DEVICE_WORD.ilog2();

/// Bits of the narrowest signed sums whose wrapping leaves every buffer.
const LEAST_WIDTH: u32 = 32;

impl Lanes {
    /// Analyses a kernel whose `simd_lanes` is set. A forward fixed point; what holds of a
    /// parameter assumes that all lanes of a token go the same way.
    pub fn new(func: &Function, lanes: u32, max_work_group_size: u32) -> Lanes {
        let ranges = Ranges::new(func, max_work_group_size);
        let mut one_by_one = func.clone();
        super::set_lanes(&mut one_by_one, None);
        let of_each = Ranges::new(&one_by_one, max_work_group_size);
        let mut a = Lanes { lane: SecondaryMap::new(), ranges, of_each, lanes };
        a.lane.resize(func.values.len());
        let cfg = Cfg::new(func);
        while a.sweep(func, &cfg) {}
        a
    }

    /// How the lanes of `value` differ.
    pub fn of(&self, value: Value) -> Lane {
        self.lane[value].unwrap_or(Lane::Varying)
    }

    /// Whether all lanes of `value` are the same.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.of(value) == Lane::Uniform
    }

    fn sweep(&mut self, func: &Function, cfg: &Cfg) -> bool {
        let mut changed = false;
        for &b in &cfg.rpo {
            for (k, &p) in func.blocks[b].params.iter().enumerate() {
                let mut lane = None;
                for &pred in &cfg.preds[b] {
                    for call in func.blocks[pred].term.targets() {
                        if call.block == b {
                            lane = join(lane, self.lane[call.args[k]]);
                        }
                    }
                }
                changed |= self.set(p, lane);
            }
            for &i in &func.blocks[b].insts {
                if let Some(r) = func.insts[i].result {
                    let lane = self.transfer(func, i);
                    changed |= self.set(r, lane);
                }
            }
        }
        changed
    }

    fn set(&mut self, value: Value, lane: Option<Lane>) -> bool {
        let new = join(self.lane[value], lane);
        let changed = new != self.lane[value];
        self.lane[value] = new;
        changed
    }

    /// The lanes of a result; none while an operand has not been reached.
    fn transfer(&self, func: &Function, inst: Inst) -> Option<Lane> {
        let d = &func.insts[inst];
        let first = match d.op {
            Op::WorkItem(Query::GlobalId | Query::LocalId, 0) => return Some(Lane::Stride(1)),
            Op::WorkItem(Query::GlobalLinearId | Query::LocalLinearId, _) => {
                return Some(Lane::Stride(1));
            }
            // Each work-item has its own private memory.
            Op::ObjAddr(o) if func.objects[o].space == Space::Private => {
                return Some(Lane::Varying);
            }
            Op::Atomic(..) | Op::Pipe { .. } => return Some(Lane::Varying),
            Op::Load(flags) if flags.volatile => return Some(Lane::Varying),
            _ => match d.args.first() {
                Some(v) => *v,
                None => return Some(Lane::Uniform),
            },
        };
        let mut args = vec![];
        for &a in &d.args {
            args.push(self.lane[a]?);
        }
        if args.iter().all(|a| *a == Lane::Uniform) {
            return Some(Lane::Uniform);
        }
        let width = func.bits(d.result?);
        let stride = match d.result.map(|r| func.ty(r).scalar) {
            Some(Scalar::Float(_)) => None,
            _ => self.stride(func, inst, first, &args),
        };
        Some(match stride.map(|s| sign_extend(s as u128, width)) {
            Some(0) => Lane::Uniform,
            Some(s) => Lane::Stride(s),
            None => Lane::Varying,
        })
    }

    /// The common difference of an operation's lanes, when there is one.
    fn stride(&self, func: &Function, inst: Inst, first: Value, args: &[Lane]) -> Option<i128> {
        let d = &func.insts[inst];
        let difference = |k: usize| match args.get(k)? {
            Lane::Uniform => Some(0),
            Lane::Stride(s) => Some(*s),
            Lane::Varying => None,
        };
        let s = difference(0);
        let constant = d.args.get(1).and_then(|v| func.as_const(*v));
        match d.op {
            Op::Add | Op::PtrAdd => Some(s? + difference(1)?),
            Op::Sub => Some(s? - difference(1)?),
            Op::Mul => match (constant, func.as_const(first)) {
                (Some(c), _) => s?.checked_mul(i128::try_from(c).ok()?),
                (_, Some(c)) => difference(1)?.checked_mul(i128::try_from(c).ok()?),
                _ => None,
            },
            Op::Shl => s?.checked_mul(1i128.checked_shl(u32::try_from(constant?).ok()?)?),
            Op::Bitcast | Op::PtrToInt | Op::IntToPtr if !func.ty(first).is_float() => s,
            Op::Slice { lo: 0 } => s,
            Op::Slice { lo } => self.shifted(func, first, s?, lo.into()),
            Op::LShr | Op::AShr => self.shifted(func, first, s?, u32::try_from(constant?).ok()?),
            Op::Zext => self.low_bits(func, first, s?).and(s),
            // The lanes have one sign: what differs lies below the sign bit.
            Op::Sext => {
                let low = self.low_bits(func, first, s?)?;
                (low < func.bits(first)).then_some(s?)
            }
            Op::And => {
                let low = self.low_bits(func, first, s?)?;
                match constant? & crate::bits::ones(low) {
                    0 => Some(0),
                    kept if kept == crate::bits::ones(low) => s,
                    _ => None,
                }
            }
            Op::Or => {
                let low = self.low_bits(func, first, s?)?.min(s?.trailing_zeros());
                (constant? & crate::bits::ones(self.low_bits(func, first, s?)?) < 1 << low)
                    .then_some(s?)
            }
            Op::Select if args[0] == Lane::Uniform => {
                (args[1] == args[2]).then(|| difference(1)).flatten()
            }
            _ => None,
        }
    }

    /// The number of low bits outside which lanes do not differ: lane 0's are 0, and the greatest
    /// difference fits.
    fn low_bits(&self, func: &Function, value: Value, stride: i128) -> Option<u32> {
        let low = self.ranges.known(func, value).trailing_zeros().min(64);
        let most = stride.checked_mul(i128::from(self.lanes) - 1)?;
        (stride > 0 && most < 1 << low).then_some(low)
    }

    fn shifted(&self, func: &Function, value: Value, stride: i128, by: u32) -> Option<i128> {
        let low = self.low_bits(func, value, stride)?;
        if by >= low {
            return Some(0);
        }
        (stride.trailing_zeros() >= by).then_some(stride >> by)
    }

    /// Bytes from the pointer of each lane to that of the next, wherever a lane accesses memory through it.
    ///
    /// A sum in fewer bits than an address has may wrap between two lanes, and what was a stride is none where it is extended. It does
    /// not where the range of the sum has no room for that. And where a sum of at least 32 bits is extended with its sign and added to an
    /// argument, the lanes behind the place where it wraps are 2^31 elements in front of what the argument points to: no buffer is there, and
    /// they access nothing in a valid run. (Shared virtual memory has pointers into the middle of a buffer, but none that far from its beginning
    /// whose kernel also counts beyond 2^31.)
    pub fn stride_of(&self, func: &Function, pointer: Value, block: Block) -> Option<i128> {
        if let Lane::Stride(stride) = self.of(pointer) {
            return Some(stride);
        }
        let address = Addresses::new(func, &self.of_each, block).of(pointer);
        let of_argument = matches!(func.def_op(address.root), Some(Op::Arg { .. }));
        let alone = of_argument && address.terms.len() == 1;
        let of_term = |(term, factor): &(Term, i128)| {
            let stride = match self.of(term.value) {
                Lane::Uniform => return Some(0),
                Lane::Stride(stride) => stride,
                Lane::Varying => return None,
            };
            let known = term.known(func, &self.of_each, block);
            let span = match term.signed {
                true => known.smax.checked_sub(known.smin)?,
                false => i128::try_from(known.umax - known.umin).ok()?,
            };
            let further = stride.checked_mul(i128::from(self.lanes) - 1)?.checked_abs()?;
            let wraps = known.width < func.addr_bits
                && span.checked_add(further)? >= 1i128.checked_shl(known.width)?;
            // The last lane, and what it accesses, is still in front.
            let last = further.checked_add(stride)?.checked_mul(*factor)?;
            let half = 1i128.checked_shl(known.width - 1)?.checked_mul(*factor)?;
            let in_front = address.offset.checked_add(last)? <= half;
            let wide = known.width >= LEAST_WIDTH;
            let outside = alone && wide && term.signed && stride > 0 && in_front;
            (!wraps || outside).then(|| stride.checked_mul(*factor)).flatten()
        };
        if !self.is_uniform(address.root) {
            return None;
        }
        address.terms.iter().try_fold(0i128, |sum, term| sum.checked_add(of_term(term)?))
    }

    /// Alignment of lane 0's pointer, log2 of bytes, at most that of a line.
    pub fn align_log2(&self, func: &Function, pointer: Value) -> u32 {
        let Some(inst) = func.def_inst(pointer) else { return 0 };
        let d = &func.insts[inst];
        let align = match d.op {
            Op::PtrAdd => {
                let offset = self.ranges.known(func, d.args[1]).trailing_zeros();
                self.align_log2(func, d.args[0]).min(offset)
            }
            Op::Arg { .. } => ARGUMENT_ALIGN_LOG2,
            Op::ObjAddr(o) => func.objects[o].align.trailing_zeros(),
            Op::IntToPtr => self.ranges.known(func, d.args[0]).trailing_zeros(),
            _ => 0,
        };
        align.min(ARGUMENT_ALIGN_LOG2)
    }

    /// The first branch that lanes of one token may take differently.
    pub fn divergence(&self, func: &Function) -> Option<Block> {
        func.layout.iter().copied().find(|b| self.diverges(func, *b))
    }

    /// Whether lanes of one token may leave a block differently.
    pub fn diverges(&self, func: &Function, block: Block) -> bool {
        match &func.blocks[block].term {
            Terminator::Branch { cond, .. } => !self.is_uniform(*cond),
            Terminator::Switch { value, .. } => !self.is_uniform(*value),
            _ => false,
        }
    }
}

fn join(a: Option<Lane>, b: Option<Lane>) -> Option<Lane> {
    match (a, b) {
        (None, x) | (x, None) => x,
        (Some(a), Some(b)) if a == b => Some(a),
        _ => Some(Lane::Varying),
    }
}
