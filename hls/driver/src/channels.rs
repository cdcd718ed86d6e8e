//! Channels of a program: what their kernels' arguments are connected to (docs/dialects.md).

use crate::connect::{Connection, End, MOST_DEPTH};
use crate::failure::{Failure, Result};
use base::SourceMap;
use spirv_to_ir::Channel;

/// Code of channels that do not fit.
const CODE: &str = "E0119";

/// A module in which kernels have pipes as arguments in place of channels.
pub struct Module {
    /// SPIR-V; none where the module has no channels.
    pub bytes: Option<Vec<u8>>,
    /// The connections that were given, and those that channels are.
    pub connections: Vec<Connection>,
}

/// Replaces the channels of a module. `given`: connections of the user, which go before those of the source; `kernels`: those needed, all if there are none.
///
/// # Errors
/// `E0119` for channels that are no FIFO between two kernels, and the errors of the reader.
pub fn replaced(bytes: &[u8], given: &[Connection], kernels: &[String]) -> Result<Module> {
    let mut sources = SourceMap::default();
    let found = spirv_to_ir::channels(bytes, &mut sources);
    let found = found.map_err(|e| Failure::with_sources(e, &sources))?;
    let mut connections = given.to_vec();
    let Some(found) = found else { return Ok(Module { bytes: None, connections }) };
    for channel in &found.channels {
        let Some(made) = connections_of(channel, kernels)? else { continue };
        match given.iter().any(|g| g.is_at(&made)) {
            false => connections.push(made),
            // what is left of it leads out
            true => {
                let alone = |end: End| Connection { end, to: None, depth: None, port: None };
                let ends = [Some(made.end), made.to].into_iter().flatten().map(alone);
                connections.extend(ends.filter(|c| !given.iter().any(|g| g.is_at(c))));
            }
        }
    }
    Ok(Module { bytes: Some(found.bytes), connections })
}

/// The FIFO that a channel is.
fn connections_of(channel: &Channel, kernels: &[String]) -> Result<Option<Connection>> {
    let end = |does: &str, users: &[(String, String)]| {
        let needed = |kernel: &String| kernels.is_empty() || kernels.contains(kernel);
        let mut of: Vec<&(String, String)> = users.iter().filter(|(k, _)| needed(k)).collect();
        if of.is_empty() {
            of = users.iter().collect();
        }
        match of[..] {
            [] => Ok(None),
            [(kernel, arg)] => Ok(Some(End { kernel: kernel.clone(), arg: arg.clone() })),
            [(one, _), (other, _), ..] => {
                let what = format!(
                    "channel `{}` is {does} by kernel `{one}` and by kernel `{other}`",
                    channel.name
                );
                Err(Failure::new(CODE, what)
                    .help("a channel leads from one kernel to one other: declare one for each, or choose kernels with --kernel"))
            }
        }
    };
    let (writer, reader) = (end("written", &channel.writers)?, end("read", &channel.readers)?);
    if let Some(depth) = channel.depth.filter(|depth| *depth > MOST_DEPTH) {
        let what =
            format!("channel `{}` holds {depth} packets, the most is {MOST_DEPTH}", channel.name);
        return Err(Failure::new(CODE, what).help("give it a smaller depth"));
    }
    let (depth, port) = (channel.depth, channel.port.clone());
    Ok(match (writer, reader) {
        (Some(end), to @ Some(_)) => Some(Connection { end, to, depth, port: None }),
        (Some(end), None) | (None, Some(end)) => Some(Connection { end, to: None, depth, port }),
        (None, None) => None,
    })
}
