//! Connections of pipes: `--connect`.

use crate::failure::{Failure, Result};
use abi::{KernelSignature, Link, LinkEnd, Manifest};
use spirv_to_ir::ConnectedPipe;

/// Most packets: a FIFO on the chip.
pub(crate) const MOST_DEPTH: u32 = 1 << 16;

/// What a connection looks like, for messages.
const FORM: &str = "expected KERNEL.ARG=stream[:DEPTH] or KERNEL.ARG=KERNEL.ARG[:DEPTH], such as filter.in=stream:64 or source.out=filter.in";

/// A pipe that is a FIFO: of one kernel, or from one to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The argument that it was given for; of two kernels the one that writes.
    pub end: End,
    /// The argument of the kernel that reads.
    pub to: Option<End>,
    /// Packets that the pipe holds; none where that is decided when its kernels are known.
    pub depth: Option<u32>,
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
    /// Parses `KERNEL.ARG=stream[:DEPTH]` or `KERNEL.ARG=KERNEL.ARG[:DEPTH]`.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let (from, to) = text.split_once('=').ok_or(FORM)?;
        let end = End::parse(from).ok_or(FORM)?;
        let (to, depth) = match to.split_once(':') {
            Some((to, depth)) => (to, Some(depth.parse().map_err(|_| FORM)?)),
            None => (to, None),
        };
        let to = match to {
            "stream" => None,
            to => Some(End::parse(to).ok_or(FORM)?),
        };
        if let Some(depth) = depth.filter(|n| !(1..=MOST_DEPTH).contains(n)) {
            return Err(format!("a connected pipe holds 1 to {MOST_DEPTH} packets, not {depth}"));
        }
        Ok(Connection { end, to, depth })
    }

    /// The arguments that become FIFOs.
    pub fn pipes(&self) -> impl Iterator<Item = ConnectedPipe> + '_ {
        [Some(&self.end), self.to.as_ref()].into_iter().flatten().map(|end| ConnectedPipe {
            kernel: end.kernel.clone(),
            arg: end.arg.clone(),
            depth: self.depth.unwrap_or_default(),
        })
    }
}

/// The links that connections are, between kernels that there are.
pub(crate) fn links(connections: &[Connection], kernels: &[&KernelSignature]) -> Vec<Link> {
    let link = |c: &Connection| {
        Some(Link { writer: c.end.find(kernels)?, reader: c.to.as_ref()?.find(kernels)? })
    };
    connections.iter().filter_map(link).collect()
}

/// Writes into the manifest which of its streams are one pipe. Connections of kernels that are not built are left out.
///
/// # Errors
/// `E0119` if two ends do not fit.
pub(crate) fn add_links(manifest: &mut Manifest, connections: &[Connection]) -> Result<()> {
    let kernels: Vec<&KernelSignature> = manifest.kernels.iter().map(|k| &k.signature).collect();
    manifest.links = links(connections, &kernels);
    manifest.verify().map_err(|e| {
        let help = "connect from a kernel that writes to one that reads, each pipe once, with packets of one size";
        Failure::new("E0119", e.to_string()).help(help)
    })
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
            "a.b=stream:x",
        ] {
            let e = Connection::parse(bad).expect_err(bad);
            assert!(e.contains("KERNEL.ARG=stream"), "{e}");
        }
        let e = Connection::parse("a.b=stream:0").expect_err("no room");
        assert!(e.contains("1 to 65536"), "{e}");
    }
}
