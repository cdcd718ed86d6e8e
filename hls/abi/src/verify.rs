//! Consistency of a manifest: what every reader may rely on.

use crate::{AbiError, Arg, ArgKind, Kernel, Manifest, Site, layout};
use std::collections::BTreeSet;

impl Manifest {
    /// Checks that the manifest is consistent: unique names, register offsets as [`layout`] computes
    /// them, references that exist, sizes that are possible.
    ///
    /// # Errors
    /// The first contradiction, with its place.
    pub fn verify(&self) -> Result<(), AbiError> {
        let mut names = BTreeSet::new();
        for kernel in &self.kernels {
            let place = format!("kernel {}", kernel.signature.name);
            require(names.insert(&kernel.signature.name), &place, || {
                "there are two kernels of this name".into()
            })?;
            kernel.verify(&place, self.program_memory.is_some())?;
        }
        self.verify_links()?;
        if let Some(memory) = &self.program_memory {
            let place = "program memory";
            require(memory.size > 0, place, || "it is empty".into())?;
            require(memory.align.is_power_of_two(), place, || {
                format!("alignment {} is not a power of two", memory.align)
            })?;
            let initialised = memory.init.as_ref().map(|init| init.len() as u64);
            require(initialised.is_none_or(|n| n <= memory.size), place, || {
                format!("{} bytes of {} are initialised", initialised.unwrap_or(0), memory.size)
            })?;
            let end = memory.prints.as_ref().map(|p| p.offset.checked_add(p.size));
            let inside = end.is_none_or(|end| end.is_some_and(|end| end <= memory.size));
            require(inside, place, || "the buffer of printf lies outside".into())?;
            let end = memory.enqueue.as_ref().map(|q| q.offset.checked_add(q.size));
            let inside = end.is_none_or(|end| end.is_some_and(|end| end <= memory.size));
            require(inside, place, || "the queue of kernels lies outside".into())?;
        }
        Ok(())
    }
}

impl Manifest {
    /// Each end is a stream of its direction, with packets of one size, and of one link only.
    fn verify_links(&self) -> Result<(), AbiError> {
        let mut ends = BTreeSet::new();
        for link in &self.links {
            let mut bits = vec![];
            for (end, writes) in [(&link.writer, true), (&link.reader, false)] {
                let place = format!("link at argument {} of kernel {}", end.arg, end.kernel);
                let kernel = self.kernels.iter().find(|k| k.signature.name == end.kernel);
                let arg = kernel.and_then(|k| k.signature.args.get(end.arg as usize));
                let stream = arg.and_then(|a| a.stream.as_ref()).filter(|s| s.writes == writes);
                require(stream.is_some(), &place, || {
                    format!(
                        "it is no stream that the kernel {}",
                        if writes { "writes" } else { "reads" }
                    )
                })?;
                require(ends.insert((&end.kernel, end.arg)), &place, || "it has two links".into())?;
                bits.extend(stream.map(|s| s.data_bits));
            }
            require(bits.windows(2).all(|w| w[0] == w[1]), "links", || {
                let (from, to) = (&link.writer.kernel, &link.reader.kernel);
                format!("packets from {from} to {to} have {bits:?} bits at the two ends")
            })?;
        }
        Ok(())
    }
}

impl Kernel {
    fn verify(&self, place: &str, program_memory: bool) -> Result<(), AbiError> {
        let signature = &self.signature;
        require(is_identifier(&self.top), place, || {
            format!("`{}` is not a Verilog module name", self.top)
        })?;
        require(matches!(signature.address_bits, 32 | 64), place, || {
            format!("address_bits is {}", signature.address_bits)
        })?;
        require(signature.max_work_group_size > 0, place, || "max_work_group_size is 0".into())?;
        require(signature.simd > 0 && signature.compute_units > 0, place, || {
            "simd and compute_units must be at least 1".into()
        })?;
        require(self.clock_mhz > 0.0, place, || format!("clock_mhz is {}", self.clock_mhz))?;
        if let Some(size) = signature.reqd_work_group_size {
            let product: u64 = size.iter().map(|&n| u64::from(n)).product();
            require(
                product > 0 && product <= u64::from(signature.max_work_group_size),
                place,
                || format!("reqd_work_group_size {size:?} does not fit max_work_group_size"),
            )?;
        }
        if let Some(wanted) = signature.sub_groups {
            let what = |why: &str| format!("{} sub-groups of {}: {why}", wanted.count, wanted.size);
            let some = wanted.count > 0 && wanted.size > 0;
            require(some, place, || what("there is none"))?;
            let fits = wanted.fewest_work_items() <= signature.max_work_group_size.into();
            require(fits, place, || what("more than max_work_group_size"))?;
            let size = signature.reqd_work_group_size;
            let alike = size.is_none_or(|size| wanted.misfit(size, size).is_none());
            require(alike, place, || what("not what reqd_work_group_size has"))?;
        }
        self.verify_ports(place)?;
        self.verify_args(place, program_memory)?;
        let mut ids = BTreeSet::new();
        for site in &self.sites {
            let place = format!("{place}, site {}", site.id);
            require(ids.insert(site.id), &place, || "there are two sites of this number".into())?;
            self.verify_site(site, &place)?;
        }
        let mut ids = BTreeSet::new();
        for channel in &self.channels {
            let place = format!("{place}, channel {}", channel.id);
            require(ids.insert(channel.id), &place, || {
                "there are two channels of this number".into()
            })?;
            let signals = [&channel.valid, &channel.ready, &channel.space, &channel.waiting];
            for path in signals.into_iter().flatten() {
                require(path.split('.').all(is_identifier), &place, || {
                    format!("`{path}` is not a hierarchical signal name")
                })?;
            }
        }
        Ok(())
    }

    fn verify_ports(&self, place: &str) -> Result<(), AbiError> {
        let mut names = BTreeSet::new();
        for port in &self.memory_ports {
            let place = format!("{place}, port {}", port.name);
            require(names.insert(&port.name), &place, || {
                "there are two ports of this name".into()
            })?;
            require(is_identifier(&port.name), &place, || "not a Verilog identifier".into())?;
            require(
                port.data_bits.is_power_of_two() && (32..=1024).contains(&port.data_bits),
                &place,
                || format!("data_bits is {}, not a power of two from 32 to 1024", port.data_bits),
            )?;
            require((13..=64).contains(&port.address_bits), &place, || {
                format!("address_bits is {}, not 13 to 64", port.address_bits)
            })?;
            require((1..=16).contains(&port.id_bits), &place, || {
                format!("id_bits is {}, not 1 to 16", port.id_bits)
            })?;
        }
        Ok(())
    }

    fn verify_args(&self, place: &str, program_memory: bool) -> Result<(), AbiError> {
        let args = &self.signature.args;
        let map = layout(&self.signature.name, args, program_memory)?;
        let mut names = BTreeSet::new();
        for (index, arg) in args.iter().enumerate() {
            let place = format!("{place}, argument {}", arg.name);
            require(arg.index as usize == index, &place, || {
                format!("has index {}, stands at {index}", arg.index)
            })?;
            require(names.insert(&arg.name), &place, || {
                "there are two arguments of this name".into()
            })?;
            require(arg.offset == map.args[index], &place, || {
                format!(
                    "register offset is {}, the layout says {}",
                    hex(arg.offset),
                    hex(map.args[index])
                )
            })?;
            self.verify_arg(arg, &place)?;
        }
        require(self.hidden == map.hidden, place, || {
            "the hidden arguments are not where the layout has them".into()
        })
    }

    fn verify_arg(&self, arg: &Arg, place: &str) -> Result<(), AbiError> {
        let size_ok = match arg.kind {
            ArgKind::GlobalPtr | ArgKind::ConstantPtr => arg.size == 8,
            ArgKind::LocalPtr => arg.size == 0,
            _ => arg.size > 0,
        };
        require(size_ok, place, || {
            format!("a {} cannot have size {}", arg.kind.describe(), arg.size)
        })?;
        require(arg.align.is_power_of_two(), place, || {
            format!("alignment {} is not a power of two", arg.align)
        })?;
        let lanes = arg.element.map_or(1, |element| element.lanes);
        require(matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16), place, || {
            format!("has {lanes} lanes, not 1, 2, 3, 4, 8 or 16")
        })?;
        if let (ArgKind::Scalar, Some(element)) = (arg.kind, arg.element) {
            require(element.bytes() == arg.size, place, || {
                format!("{element} does not have {} bytes", arg.size)
            })?;
        }
        require(arg.kind != ArgKind::LocalPtr || arg.local_capacity.is_some(), place, || {
            "local_capacity is missing".into()
        })?;
        self.require_port(arg.port.as_deref(), place)
    }

    fn verify_site(&self, site: &Site, place: &str) -> Result<(), AbiError> {
        require(site.bytes > 0, place, || "accesses no bytes".into())?;
        let args = self.signature.args.len();
        require(site.argument.is_none_or(|index| (index as usize) < args), place, || {
            "its argument does not exist".into()
        })?;
        self.require_port(site.port.as_deref(), place)
    }

    fn require_port(&self, port: Option<&str>, place: &str) -> Result<(), AbiError> {
        let Some(port) = port else { return Ok(()) };
        require(self.memory_ports.iter().any(|known| known.name == port), place, || {
            format!("port `{port}` does not exist")
        })
    }
}

fn require(condition: bool, place: &str, problem: impl FnOnce() -> String) -> Result<(), AbiError> {
    if condition {
        return Ok(());
    }
    Err(AbiError::Invalid { place: place.to_owned(), problem: problem() })
}

fn hex(offset: Option<u32>) -> String {
    offset.map_or_else(|| "none".into(), |offset| format!("{offset:#x}"))
}

/// A plain Verilog identifier; an instance in an array, `name[3]`, is allowed too.
fn is_identifier(name: &str) -> bool {
    let (name, index) = match name.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']')),
        None => (name, Some("0")),
    };
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        && index.is_some_and(|i| !i.is_empty() && i.bytes().all(|b| b.is_ascii_digit()))
}
