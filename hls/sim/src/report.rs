//! What the hardware did wrong, in the words of the kernel's source.

use crate::waits::Peer;
use abi::{Arg, Kernel, SiteKind};
use host::{Error, ErrorKind, RawArg};
use verilator_sys::{Fault, PortStats, ProtocolRule, Region};

/// Farther away than this a buffer is not mentioned: the address has nothing to do with it.
const NEAR: u64 = 1 << 20;

/// A launch, as far as messages need it.
pub(crate) struct Context<'a, 'p> {
    pub kernel: &'a Kernel,
    pub regions: &'a [Region<'a>],
    /// Device address and name of each buffer argument.
    pub arguments: &'a [(u64, String)],
    /// The arguments, where they are known.
    pub args: &'a [RawArg],
    /// Pipes in memory, in the order in which the model watches them: the argument, and the packets there before the launch.
    pub in_memory: &'a [(Arg, u32)],
    /// The kernel at the other end of a stream, by the stream's number.
    pub peers: &'a dyn Fn(usize) -> Option<Peer<'p>>,
}

/// State of a channel when nothing moved any more.
pub(crate) struct ChannelState {
    pub valid: bool,
    pub ready: bool,
    pub space: bool,
    pub waiting: bool,
}

impl Context<'_, '_> {
    fn error(&self, text: impl AsRef<str>) -> Error {
        let name = &self.kernel.signature.name;
        Error::new(ErrorKind::Execution, format!("kernel `{name}`: {}", text.as_ref()))
    }

    fn port(&self, index: usize) -> &str {
        self.kernel.memory_ports.get(index).map_or("?", |port| port.name.as_str())
    }

    /// The error of a launch in which this fault was the first.
    pub(crate) fn fault(&self, fault: &Fault) -> Error {
        match *fault {
            Fault::Access { site, address, bytes, is_write, misaligned, cycle } => {
                let access = self.site(site, is_write);
                let place = self.place(address, bytes);
                let why = if misaligned {
                    format!(": the address is not a multiple of {bytes}")
                } else {
                    String::new()
                };
                self.error(format!(
                    "{access} accesses {place}{why} (address {address:#x}, cycle {cycle})"
                ))
            }
            Fault::Bus { port, address, bytes, is_write, cycle } => {
                let what = if is_write { "writes" } else { "reads" };
                let port = self.port(port);
                let place = self.place(address, bytes);
                self.error(format!(
                    "port {port} {what} {place} (address {address:#x}, cycle {cycle})"
                ))
            }
            Fault::Protocol { port, rule, address, is_write, cycle } => {
                let channel = if is_write { "write" } else { "read" };
                let rule = protocol_rule(rule);
                let port = self.port(port);
                self.error(format!(
                    "AXI protocol violated on port {port}, {channel} address {address:#x}: {rule} \
                     (cycle {cycle}); this is a bug of the hardware generator"
                ))
            }
            Fault::Checker { port, code, cycle } => {
                let port = self.port(port);
                self.error(format!(
                    "AXI protocol violated on port {port}: {} (cycle {cycle}); this is a bug of the \
                     hardware generator",
                    checker_rule(code)
                ))
            }
            Fault::Finish { cycle } => self
                .error(format!("the hardware ended the simulation with $finish (cycle {cycle})")),
        }
    }

    /// `store of 4 bytes at vadd.cl:3:5 (argument `c`)`.
    fn site(&self, id: u32, is_write: bool) -> String {
        let Some(site) = self.kernel.sites.iter().find(|site| site.id == id) else {
            let what = if is_write { "a store" } else { "a load" };
            return format!("{what} (access number {id})");
        };
        let kind = match site.kind {
            SiteKind::Load => "load",
            SiteKind::Store => "store",
            SiteKind::Atomic => "atomic operation",
            SiteKind::Pipe => "operation on a pipe",
        };
        let source = if site.source.is_empty() {
            format!("access number {id}, no debug information")
        } else {
            site.source.clone()
        };
        let argument = site
            .argument
            .and_then(|index| self.kernel.signature.args.get(index as usize))
            .map(|arg| format!(" (argument `{}`)", arg.name))
            .unwrap_or_default();
        format!("{source}: {kind} of {}{argument}", count(site.bytes.into(), "byte"))
    }

    /// `bytes 4000 to 4003 of the buffer of argument `a`, which has 4000 bytes`.
    fn place(&self, address: u64, bytes: u32) -> String {
        let distance = |region: &Region<'_>| {
            let end = region.base() + region.size();
            if address < region.base() {
                region.base() - address
            } else {
                address.saturating_sub(end)
            }
        };
        let nearest = self.regions.iter().min_by_key(|region| distance(region));
        let Some(region) = nearest.filter(|region| distance(region) <= NEAR) else {
            return "memory that is in no buffer".into();
        };
        let offset = i128::from(address) - i128::from(region.base());
        let last = offset + i128::from(bytes) - 1;
        let names: Vec<String> = self
            .arguments
            .iter()
            .filter(|(base, _)| (region.base()..region.end()).contains(base))
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        let buffer = match names.len() {
            0 => "a buffer that is no argument of this launch".to_owned(),
            1 => format!("the buffer of argument {}", names[0]),
            _ => format!("the buffer of arguments {}", names.join(" and ")),
        };
        let range = match bytes {
            1 => format!("byte {offset}"),
            _ => format!("bytes {offset} to {last}"),
        };
        format!("{range} of {buffer}, which has {}", count(region.size(), "byte"))
    }

    /// The error of a launch in which nothing moves any more.
    pub(crate) fn stuck(&self, model: &verilator_sys::Model, channels: &[ChannelState]) -> Error {
        const LINES: usize = 20;
        let cycle = model.cycles();
        let ports: &[PortStats] = &model.port_stats();
        let mut lines = Vec::new();
        lines.extend(self.pipe_lines(model));
        for (index, stats) in ports.iter().enumerate() {
            let port = self.port(index);
            for (count, what) in [
                (stats.reads_outstanding, "read bursts not completely answered"),
                (stats.writes_outstanding, "write bursts not answered"),
            ] {
                if count > 0 {
                    lines.push(format!("port {port} has {count} {what}"));
                }
            }
            if stats.data_refused {
                lines.push(format!("port {port} does not take read data (rready is 0)"));
            }
            if stats.response_refused {
                lines.push(format!("port {port} does not take a write response (bready is 0)"));
            }
        }
        for (channel, state) in self.kernel.channels.iter().zip(channels) {
            let source = match channel.source.as_str() {
                "" => String::new(),
                source => format!(" ({source})"),
            };
            if state.waiting {
                lines.push(format!(
                    "work-items wait at a barrier{source} that others of their work-group do not reach"
                ));
            }
            if state.valid && !state.ready {
                let full =
                    if channel.space.is_some() && !state.space { ", and is full" } else { "" };
                lines.push(format!(
                    "channel {} `{}`{source} has work-items that its reader does not take{full}",
                    channel.id, channel.name
                ));
            }
        }
        let more = lines.len().saturating_sub(LINES);
        lines.truncate(LINES);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        let detail = if lines.is_empty() {
            "; no channel holds a work-item".to_owned()
        } else {
            format!(":\n  {}", lines.join("\n  "))
        };
        self.error(format!("it hangs: nothing moves any more at cycle {cycle}{detail}"))
    }

    /// The error of a launch in which operations on pipes are refused, and nothing else happens.
    pub(crate) fn polls(&self, model: &verilator_sys::Model, limit: u64) -> Error {
        let lines = self.pipe_lines(model);
        self.error(format!(
            "it hangs: {limit} operations on pipes were refused, one after the other, and nothing else was done \
             until cycle {}:\n  {}",
            model.cycles(),
            lines.join("\n  ")
        ))
    }

    /// Another error of the hardware.
    pub(crate) fn hardware(&self, text: impl AsRef<str>) -> Error {
        self.error(text)
    }
}

/// `1 byte`, `2 bytes`
pub(crate) fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

fn protocol_rule(rule: ProtocolRule) -> String {
    match rule {
        ProtocolRule::Boundary => "burst crosses a 4 KiB boundary".into(),
        ProtocolRule::BurstType => "AxBURST is not INCR".into(),
        ProtocolRule::BeatSize => "AxSIZE is not the width of the bus".into(),
        ProtocolRule::Alignment => "AxADDR is not a multiple of the bus width".into(),
        ProtocolRule::LastBeat => "WLAST does not agree with AWLEN".into(),
        ProtocolRule::Withdrawn => "VALID was withdrawn before READY".into(),
        ProtocolRule::Other(code) => format!("rule {code}"),
    }
}

/// The codes of `clhls_axi_checker.v`.
fn checker_rule(code: u32) -> String {
    let text = match code {
        1 => "AW withdrawn or changed before AWREADY",
        2 => "W withdrawn or changed before WREADY",
        3 => "B withdrawn or changed before BREADY",
        4 => "AR withdrawn or changed before ARREADY",
        5 => "R withdrawn or changed before RREADY",
        6 => "VALID during reset",
        7 => "AW burst type, size or alignment",
        8 => "AR burst type, size or alignment",
        9 => "AW burst crosses a 4 KiB boundary",
        10 => "AR burst crosses a 4 KiB boundary",
        11 => "beats of a W burst differ from AWLEN",
        12 => "beats of an R burst differ from ARLEN",
        13 => "B without a complete write burst",
        14 => "R without an outstanding read burst",
        15 => "too many write bursts outstanding",
        16 => "too many read bursts outstanding",
        _ => return format!("checker code {code}"),
    };
    text.to_owned()
}
