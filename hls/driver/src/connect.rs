//! Connections of pipes: `--connect`.

use spirv_to_ir::ConnectedPipe;

/// Packets that a connected pipe holds where the user does not say: enough that neither side waits for the other's latency.
const DEPTH: u32 = 16;
/// Most packets: a FIFO on the chip.
const MOST_DEPTH: u32 = 1 << 16;

/// A pipe argument that is a FIFO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Name of the kernel.
    pub kernel: String,
    /// Name or number of its argument.
    pub arg: String,
    /// Packets that the pipe holds.
    pub depth: u32,
}

impl Connection {
    /// Parses `KERNEL.ARG=stream[:DEPTH]`.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form =
            "expected KERNEL.ARG=stream or KERNEL.ARG=stream:DEPTH, such as filter.in=stream:64";
        let (from, to) = text.split_once('=').ok_or(form)?;
        let (kernel, arg) = from.split_once('.').ok_or(form)?;
        let (end, depth) = match to.split_once(':') {
            Some((end, depth)) => (end, depth.parse().map_err(|_| form)?),
            None => (to, DEPTH),
        };
        if end != "stream" || kernel.is_empty() || arg.is_empty() {
            return Err(form.into());
        }
        if !(1..=MOST_DEPTH).contains(&depth) {
            return Err(format!("a connected pipe holds 1 to {MOST_DEPTH} packets, not {depth}"));
        }
        Ok(Connection { kernel: kernel.into(), arg: arg.into(), depth })
    }

    /// The arguments that become FIFOs.
    pub fn pipes(&self) -> Option<ConnectedPipe> {
        let (kernel, arg) = (self.kernel.clone(), self.arg.clone());
        Some(ConnectedPipe { kernel, arg, depth: self.depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_read_or_refused_with_the_reason() {
        let good = Connection::parse("scale.in=stream:64").expect("sound");
        assert_eq!((good.kernel.as_str(), good.arg.as_str(), good.depth), ("scale", "in", 64));
        assert_eq!(Connection::parse("scale.0=stream").map(|c| c.depth), Ok(16));
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
