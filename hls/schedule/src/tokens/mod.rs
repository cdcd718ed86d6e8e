//! Simulation of a schedule with tokens instead of values: work-items move through channels of
//! the capacities that the hardware has, memory answers after random times, everything may stall,
//! and branches go at random. It looks for what `verify()` proves absent: a state in which
//! nothing can move any more.
//!
//! Where the hardware has wires (an empty block between two channels), a token passes in one
//! step; registers at merges hold one token, which is the least that the library's modules hold.

mod network;

use crate::KernelSchedule;
use base::FxHashMap;
use ir::Block;
use network::{After, Network, Node, NodeId, NodeKind};
use std::collections::VecDeque;

/// How a schedule is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seed of everything random.
    pub seed: u64,
    /// Work-items of the launch.
    pub work_items: u32,
    /// Work-items of a work-group, at most what the schedule allows.
    pub work_group_size: u32,
    /// Percentage of moves that are held back for a cycle.
    pub stall_percent: u32,
    /// Longest time of a memory answer in cycles.
    pub memory_cycles: u32,
    /// Tokens that wait beside a memory access at most.
    pub answers: u32,
    /// Iterations after which a work-item leaves a loop as soon as it can.
    pub iterations: u32,
    /// Whether loops count the work-items that they let in. Without, simulations deadlock: a test
    /// of the simulation.
    pub admission: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 1,
            work_items: 64,
            work_group_size: 8,
            stall_percent: 20,
            memory_cycles: 30,
            answers: 4,
            iterations: 4,
            admission: true,
        }
    }
}

/// How a simulation ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All work-items have ended, after so many cycles.
    Done(u64),
    /// Nothing can move: the channels that are full.
    Deadlock(Vec<String>),
}

/// Runs a launch.
pub fn simulate(s: &KernelSchedule, options: &Options) -> Outcome {
    let network = Network::new(s, options);
    Simulation::new(s, &network, options).run()
}

/// A work-item on its way.
struct Token {
    id: u32,
    group: u32,
    /// How often it has come to the end of each block.
    visits: FxHashMap<Block, u32>,
    /// When it may leave the channel that it is in.
    ready: u64,
}

/// What is in a channel.
#[derive(Default)]
struct Channel {
    tokens: VecDeque<Token>,
    /// Barriers: those that wait for others of their group.
    waiting: Vec<Token>,
    /// When the last token entered.
    last: Option<u64>,
}

impl Channel {
    /// The first moment from `now` on in which the next token may enter.
    fn opens(&self, kind: NodeKind, now: u64) -> u64 {
        let (Some(last), NodeKind::Segment { ii, window, .. }) = (self.last, kind) else {
            return now;
        };
        let (ii, window, since) = (u64::from(ii.max(1)), u64::from(window), now - last);
        let aligned = since.next_multiple_of(ii).max(ii);
        last + aligned.min(since.max(window + 1).max(ii))
    }
}

/// Where a token can go, and what that changes.
struct Way {
    /// The channel; none = it ends.
    to: Option<NodeId>,
    /// Loops entered (+1) and left (-1).
    loops: Vec<(usize, i64)>,
    /// Blocks whose ends it passes.
    passed: Vec<Block>,
}

struct Simulation<'a> {
    s: &'a KernelSchedule,
    network: &'a Network,
    o: &'a Options,
    channels: Vec<Channel>,
    /// Tokens in each loop.
    inside: Vec<i64>,
    now: u64,
    /// State of the random numbers that decide about time.
    chance: u64,
    /// Work-items not yet sent, by group.
    unsent: VecDeque<Vec<Token>>,
    /// Work-items of each group in flight or to be sent, of groups that have a slot.
    running: FxHashMap<u32, u32>,
    group_sizes: Vec<u32>,
}

impl<'a> Simulation<'a> {
    fn new(s: &'a KernelSchedule, network: &'a Network, o: &'a Options) -> Self {
        let size = o.work_group_size.clamp(1, s.occupancy.max_work_group_size.max(1));
        let (mut unsent, mut group_sizes) = (VecDeque::new(), vec![]);
        let ids: Vec<u32> = (0..o.work_items).collect();
        for (group, ids) in (0u32..).zip(ids.chunks(size as usize)) {
            let token = |id: &u32| Token { id: *id, group, visits: FxHashMap::default(), ready: 0 };
            // In order: the dispatcher takes from the end.
            unsent.push_back(ids.iter().rev().map(token).collect());
            group_sizes.push(ids.len() as u32);
        }
        let channels = network.nodes.iter().map(|_| Channel::default()).collect();
        let inside = vec![0; s.loops.len()];
        let (chance, running) = (mix(o.seed), FxHashMap::default());
        Simulation { s, network, o, channels, inside, now: 0, chance, unsent, running, group_sizes }
    }

    fn run(mut self) -> Outcome {
        loop {
            if self.unsent.is_empty() && self.running.is_empty() {
                return Outcome::Done(self.now);
            }
            let moved = self.cycle(self.o.stall_percent);
            if moved || self.cycle(0) {
                self.now += 1;
                continue;
            }
            // Nothing moves now; later?
            let heads = self.channels.iter().filter_map(|c| c.tokens.front().map(|t| t.ready));
            let all = self.channels.iter().zip(&self.network.nodes);
            let opens = all.map(|(c, n)| c.opens(n.kind, self.now));
            match heads.chain(opens).filter(|t| *t > self.now).min() {
                Some(next) => self.now = next,
                None => return Outcome::Deadlock(self.full()),
            }
        }
    }

    /// Gives every channel the chance to pass its first token on, in a random order.
    fn cycle(&mut self, stall_percent: u32) -> bool {
        let mut moved = false;
        let count = self.channels.len();
        let (first, step) = (self.random(count as u64) as usize, self.random(2) == 0);
        for k in 0..count {
            let k = if step { k } else { count - 1 - k };
            let node = (first + k) % count;
            if stall_percent > 0 && self.random(100) < u64::from(stall_percent) {
                continue;
            }
            moved |= self.pass_on(node);
        }
        self.dispatch() || moved
    }

    fn pass_on(&mut self, node: NodeId) -> bool {
        let Some(token) = self.channels[node].tokens.front() else { return false };
        if token.ready > self.now {
            return false;
        }
        let Some(way) = self.way(self.network.nodes[node].after, token) else { return false };
        let token = self.channels[node].tokens.pop_front();
        token.into_iter().for_each(|t| self.commit(t, way.to, &way.loops, &way.passed));
        true
    }

    /// Sends a work-item of the oldest group that has a slot or gets one.
    fn dispatch(&mut self) -> bool {
        let Some(group) = self.unsent.front() else { return false };
        let Some(token) = group.last() else { return false };
        let slots = self.s.occupancy.slots as usize;
        if !self.running.contains_key(&token.group) && self.running.len() >= slots {
            return false;
        }
        let Some(way) = self.way(After::Incoming(self.s.func.entry()), token) else { return false };
        let Some(group) = self.unsent.front_mut() else { return false };
        let Some(token) = group.pop() else { return false };
        if group.is_empty() {
            self.unsent.pop_front();
        }
        let size = self.group_sizes[token.group as usize];
        self.running.entry(token.group).or_insert(size);
        self.commit(token, way.to, &way.loops, &way.passed);
        true
    }

    fn commit(
        &mut self,
        mut t: Token,
        to: Option<NodeId>,
        loops: &[(usize, i64)],
        passed: &[Block],
    ) {
        loops.iter().for_each(|(l, change)| self.inside[*l] += change);
        for b in passed {
            *t.visits.entry(*b).or_default() += 1;
        }
        let Some(to) = to else {
            // Ended: the last of its group frees the slot.
            if let Some(left) = self.running.get_mut(&t.group) {
                *left -= 1;
                if *left == 0 {
                    self.running.remove(&t.group);
                }
            }
            return;
        };
        let node = &self.network.nodes[to];
        let time = match node.kind {
            NodeKind::Segment { latency, .. } => {
                self.channels[to].last = Some(self.now);
                u64::from(latency)
            }
            NodeKind::Memory => 1 + self.random(u64::from(self.o.memory_cycles.max(1))),
            _ => 1,
        };
        t.ready = self.now + time;
        let channel = &mut self.channels[to];
        if node.kind != NodeKind::Barrier {
            channel.tokens.push_back(t);
            return;
        }
        let group = t.group;
        channel.waiting.push(t);
        let arrived = channel.waiting.iter().filter(|t| t.group == group).count();
        if arrived == self.group_sizes[group as usize] as usize {
            let (released, rest) = channel.waiting.drain(..).partition(|t| t.group == group);
            channel.waiting = rest;
            let mut released: Vec<Token> = released;
            released.sort_by_key(|t| t.id);
            channel.tokens.extend(released);
        }
    }

    /// The way of a token to the next channel, if it has room and every counter lets it pass.
    fn way(&self, from: After, token: &Token) -> Option<Way> {
        let mut way = Way { to: None, loops: vec![], passed: vec![] };
        let mut at = from;
        loop {
            let node = match at {
                After::Edge(block, k) => {
                    let edge = &self.network.edges[&(block, k)];
                    way.loops.extend(edge.left.iter().map(|l| (*l, -1)));
                    for &(l, room) in &edge.gates {
                        self.gate(&mut way, l, room)?;
                    }
                    match edge.back {
                        Some(fifo) => fifo,
                        None => {
                            at = After::Incoming(edge.to);
                            continue;
                        }
                    }
                }
                After::Stage(block, k) => {
                    let plan = &self.network.blocks[&block];
                    match plan.stages.get(k) {
                        Some(node) => *node,
                        None => match self.choose(block, token) {
                            Some(k) => {
                                way.passed.push(block);
                                at = After::Edge(block, k);
                                continue;
                            }
                            None => {
                                way.passed.push(block);
                                way.loops.extend(plan.loops.iter().map(|l| (*l, -1)));
                                return Some(way);
                            }
                        },
                    }
                }
                After::Incoming(block) => match self.network.blocks[&block].incoming {
                    Some(node) => node,
                    None => {
                        at = After::Fresh(block);
                        continue;
                    }
                },
                After::Fresh(block) => {
                    let plan = &self.network.blocks[&block];
                    if let Some(l) = plan.gate {
                        self.gate(&mut way, l, 1)?;
                    }
                    match plan.header {
                        Some(node) => node,
                        None => {
                            at = After::Merged(block);
                            continue;
                        }
                    }
                }
                After::Back(node) => node,
                After::Merged(block) => match self.network.blocks[&block].barrier {
                    Some(node) => node,
                    None => {
                        at = After::Stage(block, 0);
                        continue;
                    }
                },
            };
            let channel = &self.channels[node];
            let Node { kind, capacity, .. } = self.network.nodes[node];
            let room = capacity.is_none_or(|c| channel.tokens.len() < c);
            way.to = Some(node);
            return (room && channel.opens(kind, self.now) <= self.now).then_some(way);
        }
    }

    /// Passes the counter of a loop if it has room for `room` more.
    fn gate(&self, way: &mut Way, l: usize, room: u32) -> Option<()> {
        let full = self.inside[l] + i64::from(room) > i64::from(self.s.loops[l].limit);
        if self.o.admission && full {
            return None;
        }
        way.loops.push((l, 1));
        Some(())
    }

    /// Which target of its terminator a block goes on to; none at the end. Work-items of a group
    /// go the same way where a barrier depends on it.
    fn choose(&self, block: Block, token: &Token) -> Option<u32> {
        let plan = &self.network.blocks[&block];
        let visits = token.visits.get(&block).copied().unwrap_or(0);
        if plan.choices.len() < 2 || visits >= self.o.iterations {
            return plan.out;
        }
        let who = if plan.uniform { u64::from(token.group) << 32 } else { u64::from(token.id) };
        let key =
            mix(self.o.seed ^ mix(who) ^ mix(u64::from(block.as_u32()) << 16 | u64::from(visits)));
        plan.choices.get(key as usize % plan.choices.len()).copied()
    }

    fn random(&mut self, below: u64) -> u64 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.chance) % below.max(1)
    }

    /// Names of the channels that hold tokens.
    fn full(&self) -> Vec<String> {
        let held = self.channels.iter().zip(&self.network.nodes);
        held.filter(|(c, _)| !c.tokens.is_empty() || !c.waiting.is_empty())
            .map(|(c, n)| match n.capacity {
                Some(capacity) => format!("{}: {} of {capacity}", n.name, c.tokens.len()),
                None => format!("{}: {} wait", n.name, c.tokens.len() + c.waiting.len()),
            })
            .collect()
    }
}

/// splitmix64's output function.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
