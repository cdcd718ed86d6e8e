//! Runs a launch: work-groups one after the other, the work-items of a group until each ends or waits at a barrier, then on from
//! there. It can give way to others and go on later.

use crate::machine::{Item, Machine, Stop};
use crate::{Options, Order};
use base::{Diagnostic, Loc, Result};

/// Up to this many work-groups can be put in random order.
const MAX_SHUFFLED_GROUPS: u64 = 1 << 22;

/// Longest run of instructions of one work-item between two others, with [`Order::Interleaved`].
const MAX_SLICE: u64 = 32;

/// splitmix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        base::random::splitmix64(&mut self.0)
    }

    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k as u64 + 1) as usize);
        }
    }
}

/// How far a launch has come when it gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has ended.
    Ended,
    /// A pipe has refused it something, as its machine's `refusal` says.
    Refused,
    /// Its turn is over.
    TurnOver,
}

impl Progress {
    /// Of a launch whose work-item has stopped in the midst.
    fn of(stop: Stop) -> Self {
        if stop == Stop::Refused { Progress::Refused } else { Progress::TurnOver }
    }
}

/// A launch under way.
pub(crate) struct Run<'a, 'g> {
    pub machine: Machine<'a, 'g>,
    rng: Rng,
    order: Order,
    /// Most steps, and how many of them may still be taken.
    limit: u64,
    left: u64,
    /// Steps until it gives way.
    turn: u64,
    /// The next work-group, of how many, and their order if it is a random one.
    next_group: u64,
    groups: u64,
    group_order: Option<Vec<u64>>,
    /// Work-items of the group; used again for the next one.
    items: Vec<Item>,
    group: Group,
    pub work_items: u64,
}

/// How far the work-group that runs has come.
#[derive(Default)]
struct Group {
    under_way: bool,
    /// Tokens before the first one of a row that begins at a multiple of the lanes; tokens of a row; all of them.
    before: u64,
    row: u64,
    count: usize,
    /// Each work-item has an entry of `items`; else one after the other has the only one.
    keeps_all: bool,
    /// Work-items that run to the next barrier, and those that wait there. With [`Order::Interleaved`] those that have come there
    /// leave `running`, else it stays, and `next` is the place of the one that runs.
    running: Vec<usize>,
    next: usize,
    waiting: Vec<usize>,
    /// Where they share an entry: the one at `next` has begun.
    begun: bool,
}

impl<'a, 'g> Run<'a, 'g> {
    pub(crate) fn new(machine: Machine<'a, 'g>, options: &Options) -> Self {
        let limit = options.step_limit.unwrap_or(u64::MAX);
        let mut rng = Rng(match options.order {
            Order::Sequential => 0,
            Order::Shuffled { seed } | Order::Interleaved { seed } => seed,
        });
        let counts = machine.position.num_groups;
        let groups = counts.iter().fold(1u64, |all, n| all.saturating_mul(*n));
        let in_order = options.order == Order::Sequential || groups > MAX_SHUFFLED_GROUPS;
        let group_order = (!in_order).then(|| {
            let mut order: Vec<u64> = (0..groups).collect();
            rng.shuffle(&mut order);
            order
        });
        Run {
            machine,
            rng,
            order: options.order,
            limit,
            left: limit,
            turn: 0,
            next_group: 0,
            groups,
            group_order,
            items: vec![],
            group: Group::default(),
            work_items: 0,
        }
    }

    /// Steps that were taken.
    pub(crate) fn steps(&self) -> u64 {
        self.limit - self.left
    }

    /// Most work-items that take turns: how many times another one may have to be tried.
    pub(crate) fn takes_turns(&self) -> usize {
        match self.order {
            Order::Interleaved { .. } => self.group.running.len(),
            _ => 0,
        }
    }

    /// Runs on, for at most `turn` steps.
    pub(crate) fn go(&mut self, turn: u64) -> Result<Progress> {
        self.turn = turn;
        loop {
            if !self.group.under_way {
                if self.next_group == self.groups {
                    return Ok(Progress::Ended);
                }
                self.begin_group();
            }
            let stop = match (self.group.keeps_all, self.order) {
                (false, _) => self.one_by_one()?,
                (true, Order::Interleaved { .. }) => self.taking_turns()?,
                (true, _) => self.phase()?,
            };
            if let Some(progress) = stop {
                return Ok(progress);
            }
            if self.group.keeps_all && self.meet()? {
                continue;
            }
            self.group.under_way = false;
        }
    }

    fn begin_group(&mut self) {
        let n = self.next_group;
        self.next_group += 1;
        let n = self.group_order.as_ref().map_or(n, |order| order[n as usize]);
        let p = &mut self.machine.position;
        let counts = p.num_groups;
        let id = [n % counts[0], n / counts[0] % counts[1], n / counts[0] / counts[1]];
        p.group = id;
        p.local = std::array::from_fn(|d| {
            p.enqueued_local[d].min(p.global[d] - id[d] * p.enqueued_local[d])
        });
        let size = p.local;
        let lanes = p.simd_lanes;
        let group = &mut self.group;
        // Lanes of a row's first token that are before the row, so that tokens begin at multiples.
        group.before = (id[0] * p.enqueued_local[0] + p.offset[0]) % lanes;
        group.row = (group.before + size[0]).div_ceil(lanes);
        group.count = (group.row * size[1] * size[2]) as usize;
        group.under_way = true;
        group.begun = false;
        group.next = 0;
        group.waiting.clear();
        group.running.clear();
        group.running.extend(0..group.count);
        let interleaved = matches!(self.order, Order::Interleaved { .. });
        group.keeps_all = self.machine.kernel.has_barrier || interleaved;
        self.machine.memories.local.clear();
        self.work_items += size.iter().product::<u64>();
        let count = group.count;
        let entries = if self.group.keeps_all { count.max(self.items.len()) } else { 1 };
        self.items.resize_with(entries, Item::default);
        if self.group.keeps_all {
            for n in 0..count {
                self.start(n, n);
            }
        }
        self.shuffle();
    }

    /// Puts a work-item of the group at the start, in an entry.
    fn start(&mut self, n: usize, entry: usize) {
        let (n, lanes) = (n as u64, self.machine.position.simd_lanes);
        let (row, size) = (self.group.row, self.machine.position.local);
        let x = (n % row * lanes).wrapping_sub(self.group.before);
        let id = [x, n / row % size[1], n / row / size[1]];
        self.machine.start(&mut self.items[entry], self.machine.kernel.func, id);
    }

    fn shuffle(&mut self) {
        if let Order::Shuffled { .. } = self.order {
            self.rng.shuffle(&mut self.group.running);
        }
    }

    /// Runs work-items without barriers; whether it gives way.
    fn one_by_one(&mut self) -> Result<Option<Progress>> {
        while let Some(&n) = self.group.running.get(self.group.next) {
            if !self.group.begun {
                self.start(n, 0);
                self.group.begun = true;
            }
            let stop = self.resume(0, u64::MAX)?;
            if !stop.is_end() {
                return Ok(Some(Progress::of(stop)));
            }
            self.group.begun = false;
            self.group.next += 1;
        }
        Ok(None)
    }

    /// Runs work-items to the next barrier, one after the other; whether it gives way.
    fn phase(&mut self) -> Result<Option<Progress>> {
        while let Some(&n) = self.group.running.get(self.group.next) {
            match self.resume(n, u64::MAX)? {
                Stop::Barrier => self.group.waiting.push(n),
                Stop::Done => {}
                stop => return Ok(Some(Progress::of(stop))),
            }
            self.group.next += 1;
        }
        Ok(None)
    }

    /// Runs work-items to the next barrier, a few steps of each in random order; whether it gives way.
    fn taking_turns(&mut self) -> Result<Option<Progress>> {
        while !self.group.running.is_empty() {
            let k = self.rng.below(self.group.running.len() as u64) as usize;
            let slice = self.rng.below(MAX_SLICE) + 1;
            let n = self.group.running[k];
            match self.resume(n, slice)? {
                Stop::Barrier => {
                    let n = self.group.running.swap_remove(k);
                    self.group.waiting.push(n);
                }
                Stop::Done => drop(self.group.running.swap_remove(k)),
                Stop::Budget if self.turn > 0 => {}
                stop => return Ok(Some(Progress::of(stop))),
            }
        }
        Ok(None)
    }

    /// Behind a phase: whether work-items wait at a barrier, all at the same one, and go on.
    fn meet(&mut self) -> Result<bool> {
        self.group.waiting.sort_unstable();
        self.check_barrier(&self.group.waiting, self.group.count)?;
        let group = &mut self.group;
        std::mem::swap(&mut group.running, &mut group.waiting);
        group.waiting.clear();
        group.next = 0;
        self.shuffle();
        Ok(!self.group.running.is_empty())
    }

    /// Runs one work-item for at most `slice` steps, until its launch's turn is over: why it stopped.
    fn resume(&mut self, n: usize, slice: u64) -> Result<Stop> {
        let given = slice.min(self.left).min(self.turn);
        let mut budget = given;
        let stop = self.machine.run(&mut self.items[n], &mut budget);
        self.left -= given - budget;
        self.turn -= given - budget;
        let stop = stop?;
        if stop.is_end() {
            self.machine.watch.advance();
        }
        if stop == Stop::Budget && self.left == 0 {
            return Err(self.out_of_steps(n));
        }
        Ok(stop)
    }

    /// All work-items of a group wait at the same barrier, or none waits.
    fn check_barrier(&self, waiting: &[usize], count: usize) -> Result<()> {
        let Some(&first) = waiting.first() else { return Ok(()) };
        let place = self.place(first);
        let missing = (0..count).find(|n| waiting.binary_search(n).is_err());
        if let Some(n) = missing {
            let what = format!(
                "only {} of {count} work-items of the work-group reach this barrier",
                waiting.len()
            );
            let id = self.items[n].local_id;
            let e = Diagnostic::error("E0510", what)
                .at(place)
                .note(format!("the work-item with local id {id:?} has ended without it"));
            return Err(self.machine.locate(e, self.items[first].local_id).into());
        }
        let differs = |n: &&usize| {
            let (a, b) = (&self.items[first].frames, &self.items[**n].frames);
            a.len() != b.len() || a.iter().zip(b).any(|(x, y)| (x.func, x.pc) != (y.func, y.pc))
        };
        if let Some(&n) = waiting.iter().find(differs) {
            let what = "work-items of one work-group wait at different barriers";
            let id = self.items[n].local_id;
            let e = Diagnostic::error("E0510", what)
                .label(place, "here")
                .label(self.place(n), format!("and, local id {id:?}, here"));
            return Err(self.machine.locate(e, self.items[first].local_id).into());
        }
        Ok(())
    }

    /// The barrier at which a work-item waits.
    fn place(&self, n: usize) -> Loc {
        self.loc(n, 1)
    }

    /// Place of the instruction `back` before a work-item's next one.
    fn loc(&self, n: usize, back: usize) -> Loc {
        let Some(frame) = self.items[n].frames.last() else { return Loc::UNKNOWN };
        let locs = &self.machine.functions[frame.func as usize].locs;
        let at = (frame.pc as usize).checked_sub(back);
        at.and_then(|pc| locs.get(pc)).copied().unwrap_or_default()
    }

    #[cold]
    fn out_of_steps(&self, n: usize) -> base::Diagnostics {
        let e = Diagnostic::error("E0511", "the kernel does not end within the limit of steps")
            .label(self.loc(n, 0), "it was here");
        self.machine.locate(e, self.items[n].local_id).into()
    }
}
