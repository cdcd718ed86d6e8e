//! Launches with the kernels that kernels enqueue, each on its own hardware, in the same memory.

use crate::device::{RawLaunch, Simulator, streams};
use abi::{EnqueueQueue, EnqueueSite, KernelSignature};
use host::enqueue::{DEFAULT_QUEUE, Parent, launch_family, run_family};
use host::{Error, ErrorKind, LaunchStats, RawArg, ResolvedRange};
use verilator_sys::Region;

/// A simulator and the memory that its kernels work on.
pub(crate) struct Family<'s, 'r> {
    pub simulator: &'s mut Simulator,
    /// Where the memory is not the simulator's own.
    pub regions: Option<&'s mut [Region<'r>]>,
    /// Device address and name of each buffer, for messages.
    pub names: &'s [(u64, String)],
}

impl Simulator {
    /// Where the queue of the program is, if its kernels enqueue others.
    fn queue_place(&self) -> Option<(u64, &EnqueueQueue)> {
        let program = self.manifest().program_memory.as_ref()?;
        Some((self.program_base, program.enqueue.as_ref()?))
    }

    /// A kernel, and those that it may lead to.
    pub(crate) fn with_enqueued(&self, kernel: &str) -> Vec<String> {
        let mut all = vec![kernel.to_owned()];
        let mut next = 0;
        while let Some(name) = all.get(next) {
            let enqueues =
                self.find(name).map(|k| k.signature.enqueues.clone()).unwrap_or_default();
            let new: Vec<String> = enqueues.into_iter().filter(|k| !all.contains(k)).collect();
            all.extend(new);
            next += 1;
        }
        all
    }

    fn enqueue_sites(&self) -> Option<Vec<EnqueueSite>> {
        self.queue_place().map(|(_, queue)| queue.sites.clone())
    }
}

impl Family<'_, '_> {
    /// Runs a kernel by `root`, and all that it enqueues.
    pub(crate) fn launch(
        &mut self,
        default_queue: u32,
        root: impl FnOnce(&mut Self) -> Result<LaunchStats, Error>,
    ) -> Result<LaunchStats, Error> {
        match self.simulator.enqueue_sites() {
            Some(sites) => launch_family(self, &sites, default_queue, root),
            None => root(self),
        }
    }

    /// Runs several kernels by `root`, and all that they enqueue, which counts for the last one.
    pub(crate) fn launch_all(
        &mut self,
        root: impl FnOnce(&mut Self) -> Result<Vec<LaunchStats>, Error>,
    ) -> Result<Vec<LaunchStats>, Error> {
        let Some(sites) = self.simulator.enqueue_sites() else { return root(self) };
        let (mut all, children) = run_family(self, &sites, DEFAULT_QUEUE, root)?;
        if let Some(last) = all.last_mut() {
            *last = *last + children;
        }
        Ok(all)
    }

    /// Runs one kernel.
    pub(crate) fn run(
        &mut self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
    ) -> Result<LaunchStats, Error> {
        let simulator = &mut *self.simulator;
        let description = simulator.find(kernel)?.clone();
        let mut model = simulator.take_model(kernel)?;
        let launch = RawLaunch { kernel: &description, range, args, names: self.names };
        // After an error the instance is dropped: its state is unknown.
        let stats = match &mut self.regions {
            Some(regions) => simulator.execute(&mut model, &launch, regions)?,
            None => simulator.execute_here(&mut model, &launch)?,
        };
        // Packets that a kernel has taken in and not used are nobody's: the next launch gets none of them.
        if streams(&description).next().is_none() {
            simulator.put_model(kernel, model);
        }
        Ok(stats)
    }

    /// The bytes of device memory from an address on.
    fn memory(&mut self, address: u64, length: u64) -> Option<&mut [u8]> {
        let Some(regions) = &mut self.regions else {
            return self.simulator.memory.range_mut(address, length).ok();
        };
        let inside = |r: &&mut Region<'_>| address >= r.base() && address - r.base() <= r.size();
        let region = regions.iter_mut().find(inside)?;
        let start = usize::try_from(address - region.base()).ok()?;
        region.bytes_mut().get_mut(start..)?.get_mut(..usize::try_from(length).ok()?)
    }
}

impl Parent for Family<'_, '_> {
    fn signature(&self, kernel: &str) -> Result<KernelSignature, Error> {
        self.simulator.find(kernel).map(|kernel| kernel.signature.clone())
    }

    fn launch_child(
        &mut self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
    ) -> Result<LaunchStats, Error> {
        self.run(kernel, range, args)
    }

    fn queue(&mut self) -> Result<&mut [u8], Error> {
        let place = self.simulator.queue_place().map(|(base, q)| (base + q.offset, q.size));
        let bytes = place.and_then(|(address, size)| self.memory(address, size));
        bytes.ok_or_else(|| Error::new(ErrorKind::Device, "the design has no queue"))
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        match self.memory(address, bytes.len() as u64) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Ok(())
            }
            None => {
                let what = format!(
                    "profiling information is wanted at {address:#x}, which is in no buffer"
                );
                Err(Error::new(ErrorKind::Execution, what))
            }
        }
    }
}
