//! What is said of the pipes at which a kernel waits, or is refused again and again.

use crate::device::streams;
use crate::pipes;
use crate::report::{Context, count};
use abi::{Arg, Kernel, SiteKind, StreamPort};
use host::RawArg;
use verilator_sys::Model;

/// The kernel at the other end of a pipe.
pub(crate) struct Peer<'a> {
    pub kernel: &'a Kernel,
    pub model: &'a Model,
    /// Number of the stream there.
    pub index: usize,
    /// Why it is not running: `is done`.
    pub idle: Option<&'static str>,
}

/// That a kernel at the other end has run, and does no more.
pub(crate) const DONE: &str = "is done";
/// That a kernel at the other end does not run now.
pub(crate) const NOT_RUNNING: &str = "is not running";

/// What a kernel does at a pipe that does not let it go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// It stands there until the other end does something.
    Waits,
    /// It repeats what was refused.
    Repeats,
}

/// What a kernel does at one of its streams, if that keeps it.
fn wait_at(model: &Model, index: usize, stream: &StreamPort) -> Option<Wait> {
    if model.stream_polls(index) > 0 {
        return Some(Wait::Repeats);
    }
    let (waits, held) = model.stream_unit(index);
    let kept = waits && (stream.writes || held == 0) && model.stream_blocked(index);
    kept.then_some(Wait::Waits)
}

/// Where a kernel uses a pipe: ` (k.cl:3:5, k.cl:9:5)`.
fn sites(kernel: &Kernel, arg: u32) -> String {
    let own = |s: &&abi::Site| {
        matches!(s.kind, SiteKind::Pipe | SiteKind::Atomic) && s.argument == Some(arg)
    };
    let mut places: Vec<&str> = vec![];
    for site in kernel.sites.iter().filter(own) {
        if !site.source.is_empty() && !places.contains(&site.source.as_str()) {
            places.push(&site.source);
        }
    }
    if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) }
}

impl Context<'_, '_> {
    /// The pipes that keep the kernel, each with what is known of its other end.
    pub(crate) fn pipe_lines(&self, model: &Model) -> Vec<String> {
        let mut lines = vec![];
        for (index, (arg, stream)) in streams(self.kernel).enumerate() {
            if let Some(wait) = wait_at(model, index, stream) {
                self.stream_line(&mut lines, model, (index, arg, stream), wait);
            }
        }
        if lines.is_empty() {
            // Nobody asks at a pipe: then what stands at its end may be of use.
            for (index, (arg, stream)) in streams(self.kernel).enumerate() {
                if model.stream_blocked(index) {
                    self.stream_line(&mut lines, model, (index, arg, stream), Wait::Waits);
                }
            }
        }
        for (number, (arg, held)) in self.in_memory.iter().enumerate() {
            if model.pipe_polls(number) > 0 {
                self.memory_line(&mut lines, arg, *held, model.pipe_reservations(number));
            }
        }
        lines
    }

    fn stream_line(
        &self,
        lines: &mut Vec<String>,
        model: &Model,
        (index, arg, stream): (usize, &Arg, &StreamPort),
        wait: Wait,
    ) {
        let what = match (wait, stream.writes) {
            (Wait::Waits, true) => "is full, and the kernel has another packet for it",
            (Wait::Waits, false) => "is empty, and the kernel waits for another packet",
            (Wait::Repeats, writes) => refused(writes),
        };
        let peer = (self.peers)(index);
        let holds = self.holds(model, (index, arg, stream), peer.as_ref());
        lines.push(format!("pipe `{}` {what}{}: {holds}", arg.name, sites(self.kernel, arg.index)));
        lines.push(format!("  {}", other_end(peer.as_ref(), stream.writes)));
    }

    /// `it holds 3 of 16 packets`
    fn holds(
        &self,
        model: &Model,
        (index, arg, stream): (usize, &Arg, &StreamPort),
        peer: Option<&Peer<'_>>,
    ) -> String {
        let (_, here) = model.stream_unit(index);
        let of =
            |held: u32, most: u32| format!("it holds {held} of {}", count(most.into(), "packet"));
        match (peer, self.args.get(arg.index as usize)) {
            // The depth is that of the reading end; the writing end has a queue of its own.
            (Some(peer), _) if stream.writes => {
                let (_, there) = peer.model.stream_unit(peer.index);
                format!("{}, and {here} more wait at this end", of(there, stream.depth))
            }
            (None, Some(RawArg::Pipe(pipe))) if stream.writes => {
                of(pipes::held(pipe, self.regions), pipe.max_packets)
            }
            _ if stream.writes => format!("{} wait at this end", count(here.into(), "packet")),
            _ => of(here, stream.depth),
        }
    }

    fn memory_line(&self, lines: &mut Vec<String>, arg: &Arg, held: u32, reservations: u64) {
        let what = refused(arg.access == abi::Access::WriteOnly);
        let most = match self.args.get(arg.index as usize) {
            Some(RawArg::Pipe(pipe)) => pipe.max_packets,
            _ => 0,
        };
        lines.push(format!(
            "pipe `{}` {what}{}: it held {held} of {} when the kernel began, which has made {} since",
            arg.name,
            sites(self.kernel, arg.index),
            count(most.into(), "packet"),
            count(reservations, "reservation")
        ));
        lines.push("  it is in memory, where no other kernel uses it during this launch".into());
    }
}

fn refused(writes: bool) -> &'static str {
    match writes {
        true => "has not the room that the kernel asks for again and again",
        false => "has not the packets that the kernel asks for again and again",
    }
}

/// What the other end of a pipe does, whose end here writes or reads.
fn other_end(peer: Option<&Peer<'_>>, writes: bool) -> String {
    let Some(peer) = peer else {
        return match writes {
            true => "no kernel of this launch reads it: what the launch gives as this pipe takes its packets",
            false => "no kernel of this launch writes it: its packets are those that the launch gives",
        }
        .into();
    };
    let name = &peer.kernel.signature.name;
    let Some((arg, _)) = streams(peer.kernel).nth(peer.index) else { return String::new() };
    let does = if writes { "reads" } else { "writes" };
    let place = sites(peer.kernel, arg.index);
    format!("kernel `{name}` {does} it as `{}`{place}, and {}", arg.name, activity(peer))
}

/// What a kernel at the other end does.
fn activity(peer: &Peer<'_>) -> String {
    if let Some(why) = peer.idle {
        return why.into();
    }
    let mut waits = vec![];
    for (index, (arg, stream)) in streams(peer.kernel).enumerate() {
        let way = if stream.writes { "room in" } else { "a packet of" };
        let place = sites(peer.kernel, arg.index);
        match wait_at(peer.model, index, stream) {
            Some(Wait::Waits) => waits.push(format!("waits for {way} `{}`{place}", arg.name)),
            Some(Wait::Repeats) => {
                waits.push(format!("asks again and again for {way} `{}`{place}", arg.name));
            }
            None => {}
        }
    }
    if waits.is_empty() { "waits too, but at no pipe".into() } else { waits.join(" and ") }
}
