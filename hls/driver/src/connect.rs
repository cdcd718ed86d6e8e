//! Connections of pipes: `--connect`.

use crate::failure::{Failure, Result};
use crate::pipe_ends::locs;
use abi::{KernelSignature, Link, LinkEnd, Manifest};
use base::{Diagnostic, Loc};
use ir::{Function, KernelArgKind, Module, PipeAccess};
use spirv_to_ir::ConnectedPipe;
use std::collections::BTreeMap;

/// Code of connections that do not fit.
const CODE: &str = "E0119";
/// Most packets: a FIFO on the chip.
pub(crate) const MOST_DEPTH: u32 = 1 << 16;

/// What a connection looks like, for messages.
const FORM: &str = "expected KERNEL.ARG=stream[:NAME][:DEPTH] or KERNEL.ARG=KERNEL.ARG[:DEPTH], such as filter.in=stream:64, filter.in=stream:s_axis_video or source.out=filter.in";

/// A pipe that is a FIFO: of one kernel, or from one to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The argument that it was given for; of two kernels the one that writes.
    pub end: End,
    /// The argument of the kernel that reads.
    pub to: Option<End>,
    /// Packets that the pipe holds; none where that is decided when its kernels are known.
    pub depth: Option<u32>,
    /// Name of the port, of a stream that leads out of the design; none: `axis_` and the argument's name.
    pub port: Option<String>,
}

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Name of the kernel.
    pub kernel: String,
    /// Name or number of its argument.
    pub arg: String,
}

impl End {
    fn parse(text: &str) -> Option<Self> {
        let (kernel, arg) = text.split_once('.').filter(|(k, a)| !k.is_empty() && !a.is_empty())?;
        Some(End { kernel: kernel.into(), arg: arg.into() })
    }

    /// The argument, if there is such a kernel.
    fn find(&self, kernels: &[&KernelSignature]) -> Option<LinkEnd> {
        let kernel = kernels.iter().find(|k| k.name == self.kernel)?;
        Some(LinkEnd { kernel: self.kernel.clone(), arg: kernel.arg(&self.arg)?.index })
    }
}

impl Connection {
    /// Parses `KERNEL.ARG=stream[:NAME][:DEPTH]` or `KERNEL.ARG=KERNEL.ARG[:DEPTH]`.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let (from, to) = text.split_once('=').ok_or(FORM)?;
        let end = End::parse(from).ok_or(FORM)?;
        let mut parts = to.split(':');
        let to = match parts.next().unwrap_or_default() {
            "stream" => None,
            to => Some(End::parse(to).ok_or(FORM)?),
        };
        let rest: Vec<&str> = parts.collect();
        let is_number = |t: &str| t.starts_with(|c: char| c.is_ascii_digit());
        let (port, depth) = match rest[..] {
            [] => (None, None),
            [depth] if is_number(depth) => (None, Some(depth)),
            [name] => (Some(name), None),
            [name, depth] if !is_number(name) => (Some(name), Some(depth)),
            _ => return Err(FORM.into()),
        };
        if let Some(name) = port {
            if to.is_some() {
                return Err(FORM.into());
            }
            check_port(name)?;
        }
        let depth: Option<u32> = match depth {
            Some(text) => Some(text.parse().map_err(|_| FORM)?),
            None => None,
        };
        if let Some(depth) = depth.filter(|n| !(1..=MOST_DEPTH).contains(n)) {
            return Err(format!("a connected pipe holds 1 to {MOST_DEPTH} packets, not {depth}"));
        }
        Ok(Connection { end, to, depth, port: port.map(str::to_owned) })
    }

    /// Its ends in the design.
    fn ends(&self) -> impl Iterator<Item = &End> {
        [Some(&self.end), self.to.as_ref()].into_iter().flatten()
    }

    /// Whether it has an end in common with another one, as they were written.
    pub(crate) fn is_at(&self, other: &Connection) -> bool {
        self.ends().any(|end| other.ends().any(|o| o == end))
    }

    /// The link that it is, between kernels that there are.
    fn link(&self, kernels: &[&KernelSignature]) -> Option<Link> {
        Some(Link { writer: self.end.find(kernels)?, reader: self.to.as_ref()?.find(kernels)? })
    }

    /// The arguments that become FIFOs.
    pub fn pipes(&self) -> impl Iterator<Item = ConnectedPipe> + '_ {
        self.ends().map(|end| ConnectedPipe {
            kernel: end.kernel.clone(),
            arg: end.arg.clone(),
            depth: self.depth.unwrap_or_default(),
        })
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.kernel, self.arg)
    }
}

impl std::fmt::Display for Connection {
    /// `--connect source.out=filter.in:64`, for messages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.to {
            Some(to) => write!(f, "--connect {}={to}", self.end)?,
            None => write!(f, "--connect {}=stream", self.end)?,
        }
        self.port.as_ref().map_or(Ok(()), |name| write!(f, ":{name}"))?;
        self.depth.map_or(Ok(()), |depth| write!(f, ":{depth}"))
    }
}

/// Whether a port can have this name: one of Verilog, and none that a kernel's other ports have.
fn check_port(name: &str) -> std::result::Result<(), String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(word);
    if !plain || rtl::names::legal(name) != name {
        return Err(format!(
            "`{name}` cannot be the name of a port: letters, digits and `_`, a letter first, and no word of Verilog ({FORM})"
        ));
    }
    let own = ["ap_", "m_axi_", "s_axi_control", "interrupt"];
    match own.into_iter().find(|prefix| name.starts_with(prefix)) {
        Some(prefix) => Err(format!(
            "`{name}` cannot be the name of a stream: `{prefix}` begins names of the kernel's other ports"
        )),
        None => Ok(()),
    }
}

/// The names of ports that the user gives, by the kernel's name and the argument's index.
///
/// # Errors
/// `E0119` if two ports of a kernel would have one name.
pub(crate) fn port_names(
    connections: &[Connection],
    kernels: &[&KernelSignature],
) -> Result<BTreeMap<(String, u32), String>> {
    let mut names = BTreeMap::new();
    for connection in connections {
        let Some(port) = &connection.port else { continue };
        let Some(LinkEnd { kernel, arg }) = connection.end.find(kernels) else { continue };
        names.insert((kernel, arg), port.clone());
    }
    let ends = connections.iter().flat_map(Connection::ends);
    let connected: Vec<LinkEnd> = ends.filter_map(|end| end.find(kernels)).collect();
    for kernel in kernels {
        let is_port = |arg: &&abi::Arg| {
            connected.iter().any(|end| end.kernel == kernel.name && end.arg == arg.index)
        };
        let stream = |arg: &abi::Arg| {
            let given = names.get(&(kernel.name.clone(), arg.index)).cloned();
            let name = given.unwrap_or_else(|| schedule_to_rtl::stream_name(&arg.name, arg.index));
            (arg.name.clone(), name)
        };
        if let Some((e, _)) =
            same_name(&kernel.name, kernel.args.iter().filter(is_port).map(stream))
        {
            return Err(e.into());
        }
    }
    Ok(names)
}

/// What is wrong with two streams of a kernel that would have one name, and the number of the second one; `streams` are names of arguments
/// with those of their streams, in the order of the arguments.
fn same_name(
    kernel: &str,
    streams: impl Iterator<Item = (String, String)>,
) -> Option<(Diagnostic, usize)> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (k, (arg, stream)) in streams.enumerate() {
        if let Some(other) = seen.get(&stream) {
            let what = format!(
                "kernel `{kernel}`: the streams of pipes `{other}` and `{arg}` would both be `{stream}`"
            );
            let help = "give one of them another name: --connect KERNEL.ARG=stream:NAME";
            return Some((Diagnostic::error(CODE, what).help(help), k));
        }
        seen.insert(stream, arg);
    }
    None
}

/// An end of a connection that a kernel has.
struct Found<'m> {
    kernel: &'m Function,
    arg: u32,
    access: PipeAccess,
}

impl<'m> Found<'m> {
    fn of(end: &End, module: &'m Module) -> Option<Self> {
        let kernel = module.kernels().map(|(_, f)| f).find(|f| f.name == end.kernel)?;
        let args = &kernel.kernel.as_ref()?.args;
        let named = args.iter().position(|a| a.name == end.arg);
        let arg = named.or_else(|| end.arg.parse().ok())?;
        match args.get(arg)?.kind {
            KernelArgKind::Pipe(access) => Some(Found { kernel, arg: arg as u32, access }),
            _ => None,
        }
    }

    /// `kernel `filter` reads pipe `in``
    fn describe(&self) -> String {
        let does = if self.access.writes { "writes" } else { "reads" };
        format!("kernel `{}` {does} pipe `{}`", self.kernel.name, self.name())
    }

    /// The argument's name.
    fn name(&self) -> &'m str {
        let args = self.kernel.kernel.as_ref().map_or(&[][..], |k| &k.args);
        args.get(self.arg as usize).map_or("", |a| a.name.as_str())
    }

    /// Where the kernel uses the pipe, or where it stands itself.
    fn loc(&self, module: &Module) -> Loc {
        let uses = locs(module, &self.kernel.name, self.arg);
        uses.first().copied().unwrap_or(self.kernel.loc)
    }
}

/// Gives an end at which its kernel does nothing, of whose packets nothing is known, those of the other end; and refuses connections
/// that do not fit the kernels that were read, or one another.
///
/// # Errors
/// `E0119`
pub fn settle(connections: &[Connection], module: &mut Module) -> Result<()> {
    check(connections, module)?;
    for connection in connections {
        let ends: Vec<&End> = connection.ends().collect();
        let known = ends.iter().find_map(|end| Found::of(end, module)?.access.packet);
        for end in ends {
            let Some(place) = Found::of(end, module).map(|f| (f.kernel.name.clone(), f.arg)) else {
                continue;
            };
            let mut kernels = module.functions.values_mut().filter(|f| f.name == place.0);
            let info = kernels.find_map(|f| f.kernel.as_mut());
            let arg = info.and_then(|k| k.args.get_mut(place.1 as usize));
            if let Some(KernelArgKind::Pipe(access)) = arg.map(|a| &mut a.kind) {
                access.packet = access.packet.or(known);
            }
        }
    }
    Ok(())
}

/// Refuses connections that do not fit the kernels that were read, or one another.
///
/// # Errors
/// `E0119`
fn check(connections: &[Connection], module: &Module) -> Result<()> {
    let fail = |d: Diagnostic| Err(Failure::with_sources(d.into(), &module.sources));
    let mut seen: BTreeMap<(&str, u32), &Connection> = BTreeMap::new();
    for connection in connections {
        for end in connection.ends() {
            let Some(found) = Found::of(end, module) else { continue };
            let Some(other) = seen.insert((&found.kernel.name, found.arg), connection) else {
                continue;
            };
            let what = match std::ptr::eq(other, connection) {
                true => format!("`{end}` is connected to itself: {connection}"),
                false => format!("`{end}` is connected twice: {other} and {connection}"),
            };
            let e = Diagnostic::error(CODE, what).at(found.loc(module));
            let help = "an argument is one end of one pipe: leave one of them, or give the kernel another pipe argument";
            return fail(e.help(help));
        }
    }
    check_streams(connections, module).or_else(fail)?;
    for connection in connections {
        let Some(to) = &connection.to else { continue };
        let ends = [Found::of(&connection.end, module), Found::of(to, module)];
        check_direction(connection, &ends, module).or_else(fail)?;
        if let [Some(from), Some(to)] = &ends
            && let (Some(one), Some(other)) = (from.access.packet, to.access.packet)
            && one != other
        {
            let what = format!(
                "{connection}: {} in packets of {one} bytes, {} in packets of {other}",
                from.describe(),
                to.describe()
            );
            let e = Diagnostic::error(CODE, what).at(to.loc(module));
            return fail(e.help("give both arguments the same type of packets"));
        }
    }
    Ok(())
}

/// The streams of a kernel have different names.
fn check_streams(
    connections: &[Connection],
    module: &Module,
) -> std::result::Result<(), Diagnostic> {
    let mut streams: BTreeMap<(&str, u32), (Found<'_>, Option<&String>)> = BTreeMap::new();
    for connection in connections {
        for end in connection.ends() {
            let Some(found) = Found::of(end, module) else { continue };
            streams.insert((&found.kernel.name, found.arg), (found, connection.port.as_ref()));
        }
    }
    for (_, kernel) in module.kernels() {
        let name = kernel.name.as_str();
        let own: Vec<_> = streams.range((name, 0)..=(name, u32::MAX)).map(|(_, s)| s).collect();
        let stream = |(found, port): &&(Found<'_>, Option<&String>)| {
            let arg = found.name();
            let usual = || schedule_to_rtl::stream_name(arg, found.arg);
            (arg.to_owned(), port.map_or_else(usual, |port| port.clone()))
        };
        if let Some((e, k)) = same_name(name, own.iter().map(stream)) {
            return Err(e.at(own[k].0.loc(module)));
        }
    }
    Ok(())
}

/// A connection leads from a kernel that writes to one that reads.
fn check_direction(
    connection: &Connection,
    ends: &[Option<Found<'_>>; 2],
    module: &Module,
) -> std::result::Result<(), Diagnostic> {
    let writes = ends.each_ref().map(|end| end.as_ref().map(|end| end.access.writes));
    let wrong: Vec<&Found<'_>> = ends
        .iter()
        .zip([true, false])
        .filter_map(|(end, wanted)| end.as_ref().filter(|end| end.access.writes != wanted))
        .collect();
    let [first, ..] = wrong[..] else { return Ok(()) };
    let said: Vec<String> = ends.iter().flatten().map(Found::describe).collect();
    let what = format!("{connection}: {}", said.join(", and "));
    let e = Diagnostic::error(CODE, what).at(first.loc(module));
    let (Some(to), false) = (&connection.to, writes[0] == writes[1]) else {
        return Err(e.help("connect an argument that is written with one that is read"));
    };
    let turned =
        Connection { end: to.clone(), to: Some(connection.end.clone()), ..connection.clone() };
    Err(e.help(format!("the end that writes comes first: {turned}")))
}

/// The links that connections are, between kernels that there are.
pub fn links(connections: &[Connection], kernels: &[&KernelSignature]) -> Vec<Link> {
    links_with_depths(connections, kernels).into_iter().map(|(link, _)| link).collect()
}

/// The same, with the depths that they are given.
pub(crate) fn links_with_depths(
    connections: &[Connection],
    kernels: &[&KernelSignature],
) -> Vec<(Link, Option<u32>)> {
    connections.iter().filter_map(|c| Some((c.link(kernels)?, c.depth))).collect()
}

/// Writes into the manifest which of its streams are one pipe. Connections of kernels that are not built are left out.
///
/// # Errors
/// `E0119` if two ends do not fit.
pub(crate) fn add_links(manifest: &mut Manifest, connections: &[Connection]) -> Result<()> {
    let kernels: Vec<&KernelSignature> = manifest.kernels.iter().map(|k| &k.signature).collect();
    let links: Vec<(&Connection, Link)> =
        connections.iter().filter_map(|c| Some((c, c.link(&kernels)?))).collect();
    manifest.links.clear();
    for (connection, link) in links {
        manifest.links.push(link);
        // One after the other, so that it is known which does not fit.
        manifest.verify().map_err(|e| {
            let help = "connect from a kernel that writes to one that reads, each pipe once, with packets of one size";
            Failure::new(CODE, format!("{connection}: {e}")).help(help)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_read_or_refused_with_the_reason() {
        let good = Connection::parse("scale.in=stream:64").expect("sound");
        assert_eq!(
            (good.end.kernel.as_str(), good.end.arg.as_str(), good.depth),
            ("scale", "in", Some(64))
        );
        assert_eq!(Connection::parse("scale.0=stream").map(|c| c.depth), Ok(None));
        let named = Connection::parse("scale.in=stream:s_axis_video").expect("sound");
        assert_eq!((named.port.as_deref(), named.depth), (Some("s_axis_video"), None));
        let named = Connection::parse("scale.in=stream:video:8").expect("sound");
        assert_eq!((named.port.as_deref(), named.depth), (Some("video"), Some(8)));
        let two = Connection::parse("source.out=scale.in:5").expect("sound");
        let pipes: Vec<String> =
            two.pipes().map(|p| format!("{}.{} {}", p.kernel, p.arg, p.depth)).collect();
        assert_eq!(pipes, ["source.out 5", "scale.in 5"]);
        for bad in [
            "scale=stream",
            "scale.in",
            ".in=stream",
            "scale.=stream",
            "scale.in=wire",
            "a.b=stream:4:x",
            "a.b=stream:x:y",
            "a.b=stream:x:4:4",
            "a.b=c.d:name",
            "a.b=stream:",
            "a.b=stream:x-y",
            "a.b=stream:wire",
        ] {
            let e = Connection::parse(bad).expect_err(bad);
            assert!(e.contains("KERNEL.ARG=stream"), "{e}");
        }
        let e = Connection::parse("a.b=stream:m_axi_x").expect_err("the memory's");
        assert!(e.contains("`m_axi_` begins names of the kernel's other ports"), "{e}");
        let e = Connection::parse("a.b=stream:0").expect_err("no room");
        assert!(e.contains("1 to 65536"), "{e}");
    }
}
