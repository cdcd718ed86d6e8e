//! Channels of a program on devices that have no FIFOs: pipes in memory that belong to the program.

use crate::sys::HostMemory;
use abi::{Arg, KernelSignature, PipeDescriptor};
use driver::connect::{Connection, links};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of packets that a channel has room for, if its packets are not larger: kernels that are launched one after the other get far with that.
const ROOM: u32 = 1 << 20;
/// Least packets of it.
const LEAST_PACKETS: u32 = 1 << 10;

/// A channel as kernels get it.
#[derive(Debug, Clone)]
pub struct Channel {
    /// What is passed.
    pub pipe: PipeDescriptor,
    /// Where it is; none where it is a FIFO.
    pub memory: Option<Arc<HostMemory>>,
}

/// The channels of a program by kernel and argument.
#[derive(Debug, Default)]
pub struct Channels(BTreeMap<(String, u32), Channel>);

impl Channels {
    /// Channels that are in memory, each the same for both of its kernels.
    ///
    /// # Errors
    /// A message for people, if there is no room for them.
    pub fn in_memory(
        connections: &[Connection],
        kernels: &[&KernelSignature],
    ) -> Result<Self, String> {
        let links = links(connections, kernels);
        let mut made: BTreeMap<(String, u32), Channel> = BTreeMap::new();
        let channels = kernels.iter().flat_map(|k| {
            let own = k.args.iter().filter(|arg| arg.channel);
            own.map(|arg| ((k.name.clone(), arg.index), arg))
        });
        for (end, arg) in channels {
            let link = links.iter().find(|link| {
                [&link.writer, &link.reader].iter().any(|e| e.kernel == end.0 && e.arg == end.1)
            });
            let ends = link.map_or(vec![end.clone()], |link| {
                [&link.writer, &link.reader].map(|e| (e.kernel.clone(), e.arg)).to_vec()
            });
            let known = ends.iter().find_map(|end| made.get(end).cloned());
            let channel = match known {
                Some(channel) => channel,
                None => Channel::new(arg.packet_size.unwrap_or(1))
                    .ok_or_else(|| format!("no memory for channel `{}`", arg.name))?,
            };
            made.insert(end, channel);
        }
        Ok(Channels(made))
    }

    /// That of an argument of a kernel.
    pub fn of(&self, kernel: &str, arg: u32) -> Option<&Channel> {
        self.0.get(&(kernel.to_owned(), arg))
    }
}

impl Channel {
    /// What hardware gets that has a FIFO for it: only the size of packets is looked at.
    pub fn fifo(arg: &Arg) -> Self {
        let packet_size = arg.packet_size.unwrap_or(1);
        let pipe = PipeDescriptor { address: 0, max_packets: 1, packet_size };
        Channel { pipe, memory: None }
    }

    fn new(packet_size: u32) -> Option<Self> {
        let most = (ROOM / packet_size.max(1)).max(LEAST_PACKETS);
        let pipe = PipeDescriptor::new(most, packet_size)?;
        let storage = HostMemory::new(usize::try_from(pipe.object_bytes()).ok()?)?;
        storage.pointer(0).set_bytes(&pipe.object(&[])?);
        let address = storage.address() as u64;
        Some(Channel { pipe: PipeDescriptor { address, ..pipe }, memory: Some(storage) })
    }
}
