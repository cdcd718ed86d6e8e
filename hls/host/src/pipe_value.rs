//! Pipes as argument values.

use crate::value::bad;
use crate::{Array, Error, Value};
use abi::PipeDescriptor;
use abi::pipe::{MOST_PACKET_BYTES, MOST_PACKETS};
use std::path::Path;

/// A pipe as the value of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipeValue {
    /// What tells it from the other pipes of a launch: arguments with pipes of one name get one pipe.
    pub name: Option<String>,
    /// Most packets that it holds.
    pub max_packets: u32,
    /// The packets in it, the oldest first: the first dimension counts them, the others are those of a packet.
    pub packets: Array,
    /// The bytes of its object as an earlier launch left it, whose packets are those in it then.
    pub object: Option<Vec<u8>>,
}

impl PipeValue {
    /// Parses what stands after `pipe:`, `CAPACITY:VALUE`.
    ///
    /// # Errors
    /// [`ErrorKind::Value`](crate::ErrorKind::Value)
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Error> {
        let parts = text.split_once(':');
        let Some((Ok(max_packets), rest)) = parts.map(|(n, rest)| (n.parse::<u32>(), rest)) else {
            return Err(bad(format!(
                "expected the most packets and those in it, `pipe:CAPACITY:VALUE`, got `{text}`; \
                 names of pipes are those of a launch file"
            )));
        };
        let packets = match Value::parse(rest, folder)? {
            Value::Array(packets) => packets,
            other => {
                let what = other.describe();
                return Err(bad(format!("expected the packets as a buffer, got {what}")));
            }
        };
        let pipe = PipeValue { name: None, max_packets, packets, object: None };
        pipe.descriptor().map_err(bad)?;
        Ok(pipe)
    }

    /// Its descriptor, without an address.
    ///
    /// # Errors
    /// A sentence if there are no such pipes.
    pub fn descriptor(&self) -> Result<PipeDescriptor, String> {
        let shape = &self.packets.shape;
        let inner = shape.get(1..).unwrap_or_default();
        let elements = inner.iter().try_fold(1u64, |n, size| n.checked_mul(*size));
        let bytes = elements.and_then(|n| n.checked_mul(self.packets.scalar.bytes().into()));
        let size = bytes.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let Some(pipe) = PipeDescriptor::new(self.max_packets, size) else {
            return Err(format!(
                "a pipe holds 1 to {MOST_PACKETS} packets of 1 to {MOST_PACKET_BYTES} bytes, not {} of {}",
                self.max_packets,
                bytes.map_or("more".into(), |n| n.to_string())
            ));
        };
        match shape.first() {
            Some(count) if *count <= self.max_packets.into() => Ok(pipe),
            Some(count) => {
                Err(format!("a pipe for {} packets cannot hold {count}", self.max_packets))
            }
            None => Err("the packets have no dimension that counts them".into()),
        }
    }

    /// The bytes of its object.
    pub fn bytes(&self, pipe: PipeDescriptor) -> Option<Vec<u8>> {
        match &self.object {
            Some(object) => Some(object.clone()),
            None => pipe.object(&self.packets.bytes),
        }
    }

    /// The packets in an object of it, with the type and shape that they came with.
    pub fn packets_in(&self, pipe: PipeDescriptor, object: &[u8]) -> Option<Array> {
        let bytes = pipe.packets(object)?;
        let mut shape = self.packets.shape.clone();
        *shape.first_mut()? = (bytes.len() / pipe.packet_size as usize) as u64;
        Some(Array { scalar: self.packets.scalar, shape, bytes })
    }
}
