//! Kernels that run at once, connected by pipes of a given depth: whether some of them wait for one another for ever.

use super::process::{Action, End, Process};
use base::Loc;
use std::collections::BTreeMap;

/// Where a kernel's pipe leads: which pipe it is, and at which end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Port {
    pub pipe: usize,
    pub writes: bool,
}

/// A kernel that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stuck {
    /// Index of the process.
    pub process: usize,
    pub port: Port,
    pub loc: Loc,
    /// Packets that it wants, or room for them.
    pub wants: u64,
    /// Whether it wants them at once.
    pub at_once: bool,
    /// What there is of it.
    pub there: u64,
    /// Whether it waits there whatever its data are.
    pub certain: bool,
}

/// One end of a pipe.
#[derive(Clone, Default)]
struct Side {
    /// Packets or room that may still be reserved.
    free: u64,
    /// Everything before this position is committed.
    border: u64,
    /// Reservations that were committed before others ahead of them: number of packets by position.
    early: BTreeMap<u64, u64>,
    /// Nobody knows what happens here: it never keeps the other end waiting.
    open: bool,
}

impl Side {
    /// How many packets more are committed.
    fn commit(&mut self, start: u64, count: u64) -> u64 {
        self.early.insert(start, count);
        let before = self.border;
        while let Some(count) = self.early.remove(&self.border).filter(|n| *n > 0) {
            self.border += count;
        }
        self.border - before
    }
}

/// How far a process is.
#[derive(Clone, Copy, Default)]
struct Place {
    step: usize,
    /// Packets of the step that were moved.
    moved: u64,
    /// What it does from now on depends on data.
    over: bool,
}

/// The processes of a build; a kernel whose steps nobody knows has none.
pub(super) struct Network<'p> {
    pub processes: &'p [Option<Process>],
    /// Where argument `arg` of process `k` leads, by `(k, arg)`.
    pub ports: &'p BTreeMap<(usize, u32), Port>,
}

impl Network<'_> {
    /// Runs all processes as far as they get in pipes of these depths, and returns those that wait for ever.
    pub fn stuck(&self, depths: &[u64]) -> Vec<Stuck> {
        self.stuck_ahead(depths, &vec![0; depths.len()])
    }

    /// The same where the reader of each pipe can go past so many reads before it has a packet.
    pub fn stuck_ahead(&self, depths: &[u64], ahead: &[u64]) -> Vec<Stuck> {
        let side = |free| Side { free, open: true, ..Side::default() };
        let both = depths.iter().zip(ahead);
        let mut pipes: Vec<[Side; 2]> = both.map(|(n, ahead)| [side(*ahead), side(*n)]).collect();
        for (&(k, _), port) in self.ports {
            pipes[port.pipe][usize::from(port.writes)].open = self.processes[k].is_none();
        }
        let mut places = vec![Place::default(); self.processes.len()];
        loop {
            let mut progress = false;
            for (k, place) in places.iter_mut().enumerate() {
                progress |= self.advance(k, place, &mut pipes);
            }
            if !progress {
                break;
            }
        }
        let waits = |(k, place): (usize, &Place)| self.waits(k, *place, &pipes);
        places.iter().enumerate().filter_map(waits).collect()
    }

    /// Lets a process go on; whether it did anything.
    fn advance(&self, k: usize, place: &mut Place, pipes: &mut [[Side; 2]]) -> bool {
        let Some(process) = self.processes[k].as_ref().filter(|_| !place.over) else {
            return false;
        };
        let before = (place.step, place.moved);
        while let Some(step) = process.steps.get(place.step) {
            let port = self.ports.get(&(k, step.arg));
            if port.is_some_and(|port| !act(pipes, *port, step.action, &mut place.moved)) {
                break;
            }
            (place.step, place.moved) = (place.step + 1, 0);
        }
        if place.step == process.steps.len() && !self.holds(k, process, pipes) {
            place.over = true;
            for (_, port) in self.ports.range((k, 0)..=(k, u32::MAX)) {
                pipes[port.pipe][usize::from(port.writes)].open = true;
            }
        }
        place.over || before != (place.step, place.moved)
    }

    /// Whether the end of what is known of a process keeps it.
    fn holds(&self, k: usize, process: &Process, pipes: &[[Side; 2]]) -> bool {
        let End::Waits { arg, .. } = process.end else { return false };
        self.ports.get(&(k, arg)).is_some_and(|port| {
            let [own, other] =
                [port.writes, !port.writes].map(|w| &pipes[port.pipe][usize::from(w)]);
            own.free == 0 && !other.open
        })
    }

    /// Where a process waits that did not come to its end.
    fn waits(&self, k: usize, place: Place, pipes: &[[Side; 2]]) -> Option<Stuck> {
        let process = self.processes[k].as_ref().filter(|_| !place.over)?;
        let (arg, loc, wants, certain) = match process.steps.get(place.step) {
            Some(step) => match step.action {
                Action::Move(n) => (step.arg, step.loc, n - place.moved, true),
                Action::Reserve(n) => (step.arg, step.loc, n, true),
                Action::Commit { .. } => return None,
            },
            None => match process.end {
                End::Waits { arg, loc, certain } => (arg, loc, 1, certain),
                _ => return None,
            },
        };
        let port = *self.ports.get(&(k, arg))?;
        let at_once =
            matches!(process.steps.get(place.step).map(|s| s.action), Some(Action::Reserve(_)));
        let there = pipes[port.pipe][usize::from(port.writes)].free;
        Some(Stuck { process: k, port, loc, wants, at_once, there, certain })
    }
}

/// Does as much of an action as can be done; whether it is over.
fn act(pipes: &mut [[Side; 2]], port: Port, action: Action, moved: &mut u64) -> bool {
    let [reader, writer] = &mut pipes[port.pipe];
    let (own, other) = if port.writes { (writer, reader) } else { (reader, writer) };
    match action {
        Action::Move(all) => {
            let left = all - *moved;
            let now = if other.open { left } else { left.min(own.free) };
            own.free = own.free.saturating_sub(now);
            other.free += now;
            *moved += now;
            *moved == all
        }
        Action::Reserve(count) => {
            let there = other.open || count <= own.free;
            if there {
                own.free = own.free.saturating_sub(count);
            }
            there
        }
        Action::Commit { start, count } => {
            other.free += own.commit(start, count);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::process::Step;
    use super::*;

    fn process(steps: &[(u32, Action)]) -> Option<Process> {
        let step = |(arg, action): &(u32, Action)| Step {
            arg: *arg,
            action: *action,
            loc: Loc::default(),
        };
        Some(Process { steps: steps.iter().map(step).collect(), end: End::Returns })
    }

    /// Process 0 writes pipes 0 and 1, process 1 reads them.
    fn stuck(writer: &[(u32, Action)], reader: &[(u32, Action)], depth: u64) -> Vec<usize> {
        let processes = [process(writer), process(reader)];
        let ports = [0, 1].map(|pipe| {
            let port = |writes| Port { pipe, writes };
            [((0, pipe as u32), port(true)), ((1, pipe as u32), port(false))]
        });
        let ports = ports.into_iter().flatten().collect();
        let network = Network { processes: &processes, ports: &ports };
        network.stuck(&[depth; 2]).iter().map(|s| s.process).collect()
    }

    #[test]
    fn what_is_read_later_than_written_needs_room() {
        use Action::Move;
        let writer = [(1, Move(20)), (0, Move(20))];
        let reader = [(0, Move(20)), (1, Move(20))];
        assert_eq!(stuck(&writer, &reader, 19), [0, 1]);
        assert_eq!(stuck(&writer, &reader, 20), [0usize; 0]);
    }

    #[test]
    fn a_reservation_waits_for_all_its_packets_and_for_commits_before_it() {
        use Action::{Commit, Move, Reserve};
        let commit = |start, count| Commit { start, count };
        let writer =
            [(0, Reserve(2)), (0, Reserve(3)), (0, commit(2, 3)), (1, Move(9)), (0, commit(0, 2))];
        let reader = [(0, Reserve(5)), (0, commit(0, 5)), (1, Move(9))];
        assert_eq!(stuck(&writer, &reader, 8), [0, 1]);
        assert_eq!(stuck(&writer, &reader, 9), [0usize; 0]);
        assert_eq!(stuck(&writer, &reader, 4), [0, 1]);
    }

    #[test]
    fn who_is_ahead_of_its_packets_needs_less_room() {
        use Action::Move;
        let processes = [
            process(&[(0, Move(20)), (1, Move(20))]),
            process(&[(0, Move(1)), (1, Move(1))].repeat(20)),
        ];
        let ports = [((0, 0), 0, true), ((0, 1), 1, true), ((1, 0), 0, false), ((1, 1), 1, false)];
        let ports = ports.map(|(at, pipe, writes)| (at, Port { pipe, writes })).into();
        let network = Network { processes: &processes, ports: &ports };
        let stuck = |depth, ahead| network.stuck_ahead(&[depth; 2], &[0, ahead]).len();
        assert_eq!((stuck(18, 0), stuck(19, 0)), (2, 0));
        assert_eq!((stuck(8, 10), stuck(8, 11)), (2, 0));
    }

    #[test]
    fn who_is_done_keeps_nobody() {
        // It may run again.
        assert_eq!(stuck(&[(0, Action::Move(3))], &[(0, Action::Move(4))], 2), [0usize; 0]);
    }
}
