//! Step: kernel IR to schedule.
//!
//! [`solve`] expands the kernel into what hardware has ([`expand`]), gives loads what was just stored ([`bypass`]) or holds them until it is ([`hazards`]), lets iterations begin ahead of conditions that
//! are late ([`speculate`]), finds memories and accesses ([`memories`]), those that have cycles of segments ([`timed`]), tells launch-uniform values from those that travel with a work-item
//! ([`uniform`]), recomputes what is cheaper recomputed than carried ([`nest_slices`], [`rematerialise`]), cuts
//! blocks into segments ([`segments`]), schedules each segment with one of the solvers behind [`Scheduler`], chooses the form of
//! divisions and roots ([`forms`]), gives operations that start in different cycles one instance ([`sharing`]), plans the
//! loops ([`loops`]), and keeps arrays on the chip several times where their ports are too few for these ([`replicas`]).

pub mod asap;
mod bind;
mod bypass;
mod carried;
mod distances;
mod expand;
mod forms;
mod hazards;
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
use hazards::Held;

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
    let (plain, order) = out_of_order(&request)?;
    let mut chosen = speculate::candidates(&plain);
    while !chosen.is_empty() {
        let Ok(ahead) = request.schedule(&chosen, &order) else { break };
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

/// Schedules one kernel, whose accesses to arrays leave their order where that makes loops faster and nobody sees it.
fn out_of_order(request: &Request<'_>) -> Result<(KernelSchedule, OutOfOrder)> {
    let plain = request.schedule(&[], &OutOfOrder::default())?;
    // In place of the registers, then beside them.
    let without = hazards::candidates(&plain);
    let mut best = bypassed(request, plain);
    let beside = hazards::candidates(&best.0);
    let trials =
        without.into_iter().map(|h| (h, false)).chain(beside.into_iter().map(|h| (h, true)));
    for (held, registers) in trials {
        let block = held.block;
        let mut order = best.1.clone();
        order.held.retain(|h| h.block != block);
        order.stored.retain(|b| registers || b.block != block);
        order.held.push(held);
        let Ok(with) = request.schedule(&[], &order) else { continue };
        let stand = order.held.iter().all(|h| hazards::stand(&with, h.block));
        if stand && hazards::pays(&best.0, &with, block) {
            best = (with, order);
        }
    }
    Ok(best)
}

/// The same, with loads that get what the last iterations stored.
fn bypassed(request: &Request<'_>, plain: KernelSchedule) -> (KernelSchedule, OutOfOrder) {
    let mut stored = bypass::candidates(&plain);
    while !stored.is_empty() {
        let mut order = OutOfOrder { stored, held: vec![] };
        let Ok(with) = request.schedule(&[], &order) else { break };
        if bypass::deepen(&with, &mut order.stored) {
            stored = order.stored;
            continue;
        }
        let before = order.stored.len();
        order.stored.retain(|b| bypass::pays(&plain, &with, b.block));
        if order.stored.len() == before {
            return (with, order);
        }
        stored = order.stored;
    }
    (plain, OutOfOrder::default())
}

/// Accesses of loops that need not wait for those of the iterations before.
#[derive(Clone, Default)]
struct OutOfOrder {
    /// Loads that get what these stored.
    stored: Vec<Bypass>,
    /// Accesses that wait only where addresses are equal.
    held: Vec<Held>,
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
    /// Schedules the kernel; iterations of the loops in `ahead` begin before it is known whether there are any, and some accesses are out
    /// of `order`.
    fn schedule(&self, ahead: &[Block], order: &OutOfOrder) -> Result<KernelSchedule> {
        let schedule = self.attempt(ahead, order, true)?;
        match timed::fits(&schedule) {
            true => Ok(schedule),
            false => self.attempt(ahead, order, false),
        }
    }

    /// The same, accesses to memories on the chip `in_cycles` of their segments where they may be.
    fn attempt(
        &self,
        ahead: &[Block],
        order: &OutOfOrder,
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
        bypass::run(&mut func, &order.stored);
        ahead.iter().for_each(|block| speculate::run(&mut func, *block));
        nest_slices::run(&mut func);
        let task = func.is_task();
        let mut memories = memories::find(&mut func, module, options, has_null)?;
        memories.bypassed = order.stored.clone();
        memories.held = order.held.iter().flat_map(|h| h.pairs.clone()).collect();
        if in_cycles {
            timed::choose(&func, &mut memories, task);
        }
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
