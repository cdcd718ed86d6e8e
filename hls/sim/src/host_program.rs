//! Simulated hardware that works on the host's memory.

use crate::connected::{Group, components};
use crate::device::{Prepared, Simulator};
use crate::family::Family;
use abi::{ImageDescriptor, KernelSignature, PipeDescriptor};
use host::{
    Error, ErrorKind, LaunchStats, LoadedProgram, MemoryRegion, PAGE, Printed, Progress, RawArg,
    ResolvedRange, not_connected,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use verilator_sys::Region;

/// Bits of the addresses of a process: where kernels take as many, they see the host's addresses.
const HOST_ADDRESS_BITS: u32 = 48;
/// Unmapped bytes between buffers where addresses are translated.
const GUARD: u64 = 1 << 16;

/// A [`LoadedProgram`] on simulated hardware. Kernels whose addresses are too short for those of the host's memory
/// see it at others.
pub struct HostProgram {
    signatures: Vec<KernelSignature>,
    address_bits: u32,
    variable_bytes: u64,
    /// Kernels that pipes connect, by components.
    components: Vec<Vec<String>>,
    simulator: Mutex<Simulator>,
    groups: Mutex<Groups>,
}

/// What is running of the kernels that pipes connect, by components.
type Groups = BTreeMap<usize, Running>;

/// Kernels that pipes connect, and where they see the memory of their launches.
struct Running {
    group: Group,
    places: Places,
}

/// The device addresses of regions of the host's memory, by the host's address, with their lengths.
type Places = BTreeMap<u64, (u64, u64)>;

impl HostProgram {
    /// The program of a simulator.
    pub fn new(simulator: Simulator) -> Self {
        let kernels = &simulator.manifest().kernels;
        let names: Vec<String> = kernels.iter().map(|k| k.signature.name.clone()).collect();
        Self {
            signatures: kernels.iter().map(|kernel| kernel.signature.clone()).collect(),
            components: components(&names, &simulator.manifest().links),
            groups: Mutex::default(),
            address_bits: simulator.address_bits(),
            variable_bytes: simulator.program_bytes(),
            simulator: Mutex::new(simulator),
        }
    }

    fn simulator(&self) -> MutexGuard<'_, Simulator> {
        // A panic leaves at worst the instance of one kernel behind, which is then made anew.
        self.simulator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lowest device address of the host's memory, above program-scope variables.
    fn first_address(&self) -> u64 {
        let first = 1 << self.address_bits.saturating_sub(4);
        (first + self.variable_bytes + GUARD).next_multiple_of(PAGE)
    }
}

impl LoadedProgram for HostProgram {
    fn kernels(&self) -> &[KernelSignature] {
        &self.signatures
    }

    fn connected(&self, kernel: &str) -> &[String] {
        self.component(kernel).map_or(&[], |number| &self.components[number])
    }

    fn prepare(&self, kernel: &str) -> Result<(), Error> {
        if let Some(number) = self.component(kernel) {
            return self.with_group(number, |_, _| Ok(()));
        }
        let mut simulator = self.simulator();
        for kernel in simulator.with_enqueued(kernel) {
            let model = simulator.take_model(&kernel)?;
            simulator.put_model(&kernel, model);
        }
        Ok(())
    }

    fn translates(&self) -> bool {
        self.address_bits < HOST_ADDRESS_BITS
    }

    fn variable_bytes(&self) -> u64 {
        self.variable_bytes
    }

    fn prints(&self) -> bool {
        self.simulator().prints()
    }

    fn take_printed(&self) -> Printed {
        self.simulator().printed()
    }

    fn launch(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
        memory: &mut [MemoryRegion<'_>],
        default_queue: u32,
    ) -> Result<LaunchStats, Error> {
        let mut places = Places::new();
        self.place(&mut places, memory)?;
        let args = translated(args, memory, &places);
        let names = names(memory, &places);
        let mut simulator = self.simulator();
        let mut variables = Variables::of(&mut simulator);
        let mut regions = regions(memory, &places, &mut variables)?;
        let mut family =
            Family { simulator: &mut simulator, regions: Some(&mut regions), names: &names };
        let result = family.launch(default_queue, |family| family.run(kernel, range, &args));
        drop(regions);
        variables.keep(&mut simulator);
        result
    }

    fn start(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
        memory: &mut [MemoryRegion<'_>],
    ) -> Result<(), Error> {
        let number = self.component(kernel).ok_or_else(|| not_connected(kernel))?;
        self.with_group(number, |simulator, running| {
            let kernel = simulator.find(kernel)?.clone();
            if let Some(other) = kernel.signature.enqueues.first() {
                let what = format!(
                    "kernel `{}` is connected with others and enqueues `{other}`, which OpenCL programs cannot launch then; `clhls run` can",
                    kernel.signature.name
                );
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
            self.place(&mut running.places, memory)?;
            let args = translated(args, memory, &running.places);
            let names = names(memory, &running.places);
            let (limits, base) = (simulator.limits(), simulator.program_base);
            let mut variables = Variables::of(simulator);
            let mut regions = regions(memory, &running.places, &mut variables)?;
            let prepared = Prepared { kernel, range: *range, args, names };
            let started = running.group.start(prepared, &mut regions, limits, base);
            drop(regions);
            variables.keep(simulator);
            started
        })
    }

    fn advance(&self, kernel: &str, memory: &mut [MemoryRegion<'_>]) -> Result<Progress, Error> {
        let number = self.component(kernel).ok_or_else(|| not_connected(kernel))?;
        let progress = self.with_group(number, |simulator, running| {
            let limits = simulator.limits();
            let mut variables = Variables::of(simulator);
            let mut regions = regions(memory, &running.places, &mut variables)?;
            let progress = running.group.advance(&mut regions, limits);
            drop(regions);
            variables.keep(simulator);
            progress
        });
        if !Group::is_sound(&progress) {
            self.groups().remove(&number);
        }
        progress
    }
}

/// A copy of the program-scope variables, which launches change: their address and contents.
struct Variables(Option<(u64, Vec<u8>, u64)>);

impl Variables {
    fn of(simulator: &mut Simulator) -> Self {
        let size = simulator.program_bytes();
        Variables(simulator.program_memory().map(|(base, bytes)| (base, bytes.to_vec(), size)))
    }

    fn keep(self, simulator: &mut Simulator) {
        if let (Some((_, after, _)), Some((_, kept))) = (self.0, simulator.program_memory()) {
            kept.copy_from_slice(&after);
        }
    }
}

/// What kernels may access.
fn regions<'r>(
    memory: &'r mut [MemoryRegion<'_>],
    places: &Places,
    variables: &'r mut Variables,
) -> Result<Vec<Region<'r>>, Error> {
    let mut regions = vec![];
    for region in memory.iter_mut() {
        let base = places.get(&region.address).map_or(region.address, |(base, _)| *base);
        regions.push(Region::lent(base, region.size, region.storage));
    }
    if let Some((base, bytes, size)) = &mut variables.0 {
        regions.push(Region::lent(*base, *size, bytes));
    }
    let regions: Option<Vec<Region<'_>>> = regions.into_iter().collect();
    regions.ok_or_else(|| {
        Error::new(ErrorKind::Buffer, "a buffer is not made of whole pages of memory")
    })
}

/// Device address and name of each region, for messages.
fn names(memory: &[MemoryRegion<'_>], places: &Places) -> Vec<(u64, String)> {
    let name = |region: &MemoryRegion<'_>| {
        let base = places.get(&region.address).map_or(region.address, |(base, _)| *base);
        (base, plain(&region.name))
    };
    memory.iter().map(name).collect()
}

impl HostProgram {
    /// Number of the component that a kernel is in.
    fn component(&self, kernel: &str) -> Option<usize> {
        self.components.iter().position(|all| all.iter().any(|name| name == kernel))
    }

    fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the kernels of a component, whose models are made when they are needed first.
    fn with_group<R>(
        &self,
        number: usize,
        work: impl FnOnce(&mut Simulator, &mut Running) -> Result<R, Error>,
    ) -> Result<R, Error> {
        // While `work` runs the group is out of the table: a panic leaves none of unknown state.
        let mut simulator = self.simulator();
        let known = self.groups().remove(&number);
        let mut running = match known {
            Some(running) => running,
            None => {
                let mut kernels = vec![];
                for name in &self.components[number] {
                    kernels.push((simulator.find(name)?.clone(), simulator.take_model(name)?));
                }
                let group = Group::new(kernels, &simulator.manifest().links);
                Running { group, places: Places::new() }
            }
        };
        let result = work(&mut simulator, &mut running);
        self.groups().insert(number, running);
        result
    }

    /// Gives each region a device address, where they are not the host's. Regions that have one keep it; those that are not in
    /// the list any more lose theirs.
    fn place(&self, places: &mut Places, memory: &[MemoryRegion<'_>]) -> Result<(), Error> {
        if !self.translates() {
            return Ok(());
        }
        places.retain(|address, _| memory.iter().any(|region| region.address == *address));
        for region in memory {
            if places.contains_key(&region.address) {
                continue;
            }
            let length = region.storage.len() as u64;
            let base = gap(self.first_address(), places, length);
            if base.checked_add(length).is_none_or(|end| end > 1 << self.address_bits) {
                let bits = self.address_bits;
                let what = format!("the buffers of a launch do not fit {bits} address bits");
                return Err(Error::new(ErrorKind::OutOfMemory, what));
            }
            places.insert(region.address, (base, length));
        }
        Ok(())
    }
}

/// The lowest device address from `first` on where a region of so many bytes has room among others.
fn gap(first: u64, places: &Places, length: u64) -> u64 {
    let mut taken: Vec<(u64, u64)> = places.values().copied().collect();
    taken.sort_unstable();
    let mut next = first;
    for (base, size) in taken {
        if next.saturating_add(length).saturating_add(GUARD) <= base {
            break;
        }
        next = base.saturating_add(size).saturating_add(GUARD);
    }
    next
}

/// Arguments as the device sees them.
fn translated(args: &[RawArg], memory: &[MemoryRegion<'_>], places: &Places) -> Vec<RawArg> {
    args.iter().map(|arg| translate(arg, memory, places)).collect()
}

fn translate(arg: &RawArg, memory: &[MemoryRegion<'_>], places: &Places) -> RawArg {
    let address = match arg {
        RawArg::Pointer(address) => address,
        RawArg::Image(image) => &image.texels,
        RawArg::Pipe(pipe) => &pipe.address,
        RawArg::Local(_) | RawArg::Value(_) => return arg.clone(),
    };
    let inside = |region: &&MemoryRegion<'_>| {
        (region.address..region.address + region.storage.len() as u64).contains(address)
    };
    let place = memory.iter().find(inside).and_then(|r| Some((r.address, places.get(&r.address)?)));
    let Some((start, (base, _))) = place else { return arg.clone() };
    let there = address - start + base;
    match arg {
        RawArg::Image(image) => RawArg::Image(ImageDescriptor { texels: there, ..*image }),
        RawArg::Pipe(pipe) => RawArg::Pipe(PipeDescriptor { address: there, ..*pipe }),
        _ => RawArg::Pointer(there),
    }
}

/// `argument `a`` -> `a`, as the messages of the simulator put it.
fn plain(name: &str) -> String {
    name.strip_prefix("argument `").and_then(|n| n.strip_suffix('`')).unwrap_or(name).to_owned()
}
