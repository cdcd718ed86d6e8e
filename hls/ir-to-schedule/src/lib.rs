//! Step: kernel IR to schedule.
//!
//! [`solve`] expands the kernel into what hardware has ([`expand`]), gives loads what was just stored ([`bypass`]), lets iterations begin ahead of conditions that
//! are late ([`speculate`]), finds memories and accesses ([`memories`]), those that have cycles of segments ([`timed`]), tells launch-uniform values from those that travel with a work-item
//! ([`uniform`]), recomputes what is cheaper recomputed than carried ([`nest_slices`], [`rematerialise`]), cuts
//! blocks into segments ([`segments`]), schedules each segment with one of the solvers behind [`Scheduler`], chooses the form of
//! divisions and roots ([`forms`]), gives operations that start in different cycles one instance ([`sharing`]), plans the
//! loops ([`loops`]), and keeps arrays on the chip several times where their ports are too few for these ([`replicas`]).

pub mod asap;
mod bind;
mod bypass;
mod carried;
mod expand;
mod forms;
mod loops;
mod memories;
mod multiply;
mod nest_slices;
pub mod network_simplex;
mod pipelined;
pub mod problem;
pub mod random;
mod recurrences;
mod region;
mod rematerialise;
mod remember;
mod replicas;
pub mod sdc;
mod segments;
mod sharing;
mod speculate;
mod split;
mod timed;
mod timing;
mod turns;
mod uniform;
mod units;

use bypass::Bypass;

pub use asap::Asap;
pub use problem::{Problem, Scheduler, Solution};
pub use random::Random;
pub use remember::Remembering;
pub use sdc::Sdc;
pub use units::{operator_unit, turning_units};

use base::Result;
use ir::{Block, Function, Module};
use schedule::{Clock, KernelSchedule};
use target::Family;

/// What the user can choose.
pub struct Options<'a> {
    /// Clock target in MHz.
    pub clock_mhz: f64,
    /// Solver of the straight-line regions.
    pub scheduler: &'a dyn Scheduler,
    /// Largest work-group when the kernel does not say (work-items).
    pub default_work_group_size: u32,
    /// Cycles from a device-memory request to its answer that loops are dimensioned for.
    pub memory_latency: u32,
    /// Bytes of the device-memory bus.
    pub bus_bytes: u32,
    /// Capacity of each local-pointer argument in bytes.
    pub local_arg_bytes: u64,
    /// Most ports to device memory, at least 1.
    pub memory_ports: u32,
    /// Bytes of the cache of each read of a read-only image; 0 for none, `None` for as many as fit into block RAMs that are needed
    /// anyway.
    pub image_cache_bytes: Option<u64>,
    /// Most work-items that a loop without barriers holds, and that work-group slots are made for: [`WORK_ITEMS`] unless
    /// the hardware would be too large.
    pub work_items: u32,
    /// Whether divisions and roots are as small as they can be, and take operands as seldom as that makes them. Otherwise they are
    /// smaller where that makes nothing slower.
    pub small_division: bool,
    /// Cycles between work-items that operators may be shared in, where there are not more of them anyway; 1 = a work-item may come
    /// every cycle.
    pub interval: u32,
    /// On-chip bits that private memory may take over all work-items in flight before work-group slots are cut.
    pub private_memory_bits: u64,
    /// RAM blocks of the device that replicas of arrays on the chip may take, beyond one of each array.
    pub replica_blocks: u64,
}

/// Work-items in flight that hide memory latency.
pub const WORK_ITEMS: u32 = 512;

/// Schedules one kernel, which must be in the legal form of the optimiser's last pass.
pub fn solve(
    kernel: &Function,
    module: &Module,
    family: &Family,
    options: &Options,
) -> Result<KernelSchedule> {
    let request = Request { kernel, module, family, options };
    let plain = bypassed(&request)?;
    let (mut chosen, stores) = (speculate::candidates(&plain.0), plain.1);
    let plain = plain.0;
    while !chosen.is_empty() {
        let Ok(ahead) = request.schedule(&chosen, &stores) else { break };
        let before = chosen.len();
        chosen.retain(|b| speculate::pays(&plain, &ahead, *b));
        if chosen.len() == before {
            let checked = checked(ahead);
            debug_assert!(checked.is_ok(), "{checked:?}");
            return checked.or_else(|_| self::checked(plain));
        }
    }
    checked(plain)
}

/// Schedules one kernel, with loads that get what the last iterations stored where that makes loops faster. And those loads.
fn bypassed(request: &Request<'_>) -> Result<(KernelSchedule, Vec<Bypass>)> {
    let mut best = (request.schedule(&[], &[])?, vec![]);
    let mut chosen = bypass::candidates(&best.0);
    while !chosen.is_empty() {
        let Ok(with) = request.schedule(&[], &chosen) else { break };
        if bypass::deepen(&with, &mut chosen) {
            continue;
        }
        let before = chosen.len();
        chosen.retain(|b| bypass::pays(&best.0, &with, b.block));
        if chosen.len() == before {
            best = (with, chosen);
            break;
        }
    }
    Ok(best)
}

/// The schedule, if it is right.
fn checked(schedule: KernelSchedule) -> Result<KernelSchedule> {
    schedule::verify::verify(&schedule)?;
    schedule::verify::verify_timing(&schedule)?;
    Ok(schedule)
}

/// A kernel to schedule.
struct Request<'a> {
    kernel: &'a Function,
    module: &'a Module,
    family: &'a Family,
    options: &'a Options<'a>,
}

impl Request<'_> {
    /// Schedules the kernel; iterations of the loops in `ahead` begin before it is known whether there are any, and some loads get what
    /// was stored.
    fn schedule(&self, ahead: &[Block], stored: &[Bypass]) -> Result<KernelSchedule> {
        let schedule = self.attempt(ahead, stored, true)?;
        match timed::fits(&schedule) {
            true => Ok(schedule),
            false => self.attempt(ahead, stored, false),
        }
    }

    /// The same, accesses to memories on the chip `in_cycles` of their segments where they may be.
    fn attempt(
        &self,
        ahead: &[Block],
        stored: &[Bypass],
        in_cycles: bool,
    ) -> Result<KernelSchedule> {
        let Request { module, family, options, .. } = *self;
        let period_ns = 1000.0 / options.clock_mhz;
        let overhead_ns = family.overhead_ns(period_ns);
        let clock = Clock { period_ns, overhead_ns };
        let mut func = self.kernel.clone();
        split::run(&mut func, options);
        expand::run(&mut func, module, family)?;
        let has_null = memories::compares_pointers(&func);
        bypass::run(&mut func, stored);
        ahead.iter().for_each(|block| speculate::run(&mut func, *block));
        nest_slices::run(&mut func);
        let task = func.is_task();
        let mut memories = memories::find(&mut func, module, options, has_null)?;
        if in_cycles {
            timed::choose(&func, &mut memories, task);
        }
        memories.bypassed = stored.to_vec();
        let not_before = rematerialise::run(&mut func, &memories, task);
        let mut units = units::Units::new(family, clock, options.scheduler);
        let (mut schedule, replica_blocks) =
            segments::schedule(func, &mut units, memories, &not_before, clock, family, options)?;
        units.finish(&mut schedule);
        loops::plan(&mut schedule, options);
        replicas::plan(&mut schedule, family, replica_blocks);
        Ok(schedule)
    }
}
