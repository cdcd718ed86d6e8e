//! Simulated hardware that works on the host's memory.

use crate::device::Simulator;
use crate::family::Family;
use abi::{ImageDescriptor, KernelSignature, PipeDescriptor};
use host::{
    Error, ErrorKind, LaunchStats, LoadedProgram, MemoryRegion, PAGE, Printed, RawArg,
    ResolvedRange,
};
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
    simulator: Mutex<Simulator>,
}

impl HostProgram {
    /// The program of a simulator.
    pub fn new(simulator: Simulator) -> Self {
        let kernels = &simulator.manifest().kernels;
        Self {
            signatures: kernels.iter().map(|kernel| kernel.signature.clone()).collect(),
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

    fn prepare(&self, kernel: &str) -> Result<(), Error> {
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
        let places = self.places(memory)?;
        let args: Vec<RawArg> = args.iter().map(|arg| translated(arg, memory, &places)).collect();
        let names: Vec<(u64, String)> =
            places.iter().zip(memory.iter()).map(|(&base, m)| (base, plain(&m.name))).collect();
        let mut simulator = self.simulator();
        let mut variables = simulator.program_memory().map(|(base, bytes)| (base, bytes.to_vec()));
        let mut regions = vec![];
        for (region, base) in memory.iter_mut().zip(places) {
            regions.push(Region::lent(base, region.size, region.storage));
        }
        if let Some((base, bytes)) = &mut variables {
            let size = self.variable_bytes;
            regions.push(Region::lent(*base, size, bytes));
        }
        let regions: Option<Vec<Region<'_>>> = regions.into_iter().collect();
        let mut regions = regions.ok_or_else(|| {
            Error::new(ErrorKind::Buffer, "a buffer is not made of whole pages of memory")
        })?;
        let mut family =
            Family { simulator: &mut simulator, regions: Some(&mut regions), names: &names };
        let result = family.launch(default_queue, |family| family.run(kernel, range, &args));
        drop(regions);
        if let (Some((_, after)), Some((_, kept))) = (variables, simulator.program_memory()) {
            kept.copy_from_slice(&after);
        }
        result
    }
}

impl HostProgram {
    /// The device address of each region.
    fn places(&self, memory: &[MemoryRegion<'_>]) -> Result<Vec<u64>, Error> {
        if !self.translates() {
            return Ok(memory.iter().map(|region| region.address).collect());
        }
        let mut next = self.first_address();
        let mut places = vec![];
        for region in memory {
            places.push(next);
            let length = region.storage.len() as u64;
            next = next.saturating_add(length).saturating_add(GUARD);
        }
        if next > 1 << self.address_bits {
            let what =
                format!("the buffers of a launch do not fit {} address bits", self.address_bits);
            return Err(Error::new(ErrorKind::OutOfMemory, what));
        }
        Ok(places)
    }
}

/// An argument as the device sees it.
fn translated(arg: &RawArg, memory: &[MemoryRegion<'_>], places: &[u64]) -> RawArg {
    let address = match arg {
        RawArg::Pointer(address) => address,
        RawArg::Image(image) => &image.texels,
        RawArg::Pipe(pipe) => &pipe.address,
        RawArg::Local(_) | RawArg::Value(_) => return arg.clone(),
    };
    let inside = |region: &MemoryRegion<'_>| {
        (region.address..region.address + region.storage.len() as u64).contains(address)
    };
    let Some(k) = memory.iter().position(inside) else { return arg.clone() };
    let there = address - memory[k].address + places[k];
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
