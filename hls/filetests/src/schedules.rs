//! Checks of the test kernels' schedules that need no hardware.

use driver::pipeline::{Options, Pipeline, Scheduling, library};
use ir::{Block, Module, Op};
use schedule::registers::register_bits;
use schedule::tokens::{self, Outcome};
use schedule::{AccessKind, CHANNEL_LATENCY, Control, KernelSchedule};
use target::Board;

/// Work-items of a group, and admission limit, in simulations of small capacities.
const SMALL_GROUP: u32 = 6;
const SMALL_LIMIT: u32 = 3;

/// Seed of the random schedules.
const RANDOM_SEED: u64 = 3;

/// Pipeline register bits of a module's kernels.
pub struct Registers {
    /// Scheduled as soon as possible.
    pub asap: u64,
    /// By the production scheduler.
    pub sdc: u64,
}

/// Schedules a module for the board in every way; checks that loops are not slower and segments
/// not longer than as soon as possible, and that the text of each schedule reads back to a
/// schedule that keeps the rules and prints alike. Simulations with tokens look for deadlocks.
///
/// # Errors
/// What is wrong, for people.
pub fn check(module: &Module, local_bytes: u64) -> Result<Registers, String> {
    let board = board()?;
    let mut silent = |_: &str| {};
    let options = options(local_bytes, Scheduling::Sdc);
    let module = Pipeline::new(&options, &board, &mut silent)
        .optimise(module.clone())
        .map_err(|e| e.render())?;
    let all = |scheduling| schedules(&module, &board, local_bytes, scheduling);
    let (asap, sdc) = (all(Scheduling::Asap)?, all(Scheduling::Sdc)?);
    for (a, s) in asap.iter().zip(&sdc) {
        compare(a, s)?;
    }
    for s in asap.iter().chain(&sdc).chain(&all(Scheduling::Random(RANDOM_SEED))?) {
        round_trip(s).map_err(|e| format!("`{}`: {e}", s.func.name))?;
    }
    for s in &sdc {
        cannot_block(s).map_err(|e| format!("`{}`: {e}", s.func.name))?;
    }
    let bits = |list: &[KernelSchedule]| list.iter().map(register_bits).sum();
    Ok(Registers { asap: bits(&asap), sdc: bits(&sdc) })
}

/// Schedules an optimised module.
fn schedules(
    module: &Module,
    board: &Board,
    local_bytes: u64,
    scheduling: Scheduling,
) -> Result<Vec<KernelSchedule>, String> {
    let mut silent = |_: &str| {};
    let options = options(local_bytes, scheduling);
    Pipeline::new(&options, board, &mut silent).schedule(module).map_err(|e| e.render())
}

/// A board with a real device: its operators have fractions of a cycle.
fn board() -> Result<Board, String> {
    library(None).and_then(|l| Ok(l.board(BOARD)?)).map_err(|e| e.render())
}

fn options(local_bytes: u64, scheduling: Scheduling) -> Options {
    Options {
        kernels: vec![],
        level: ir_opt::Level::O2,
        simd: Some(1),
        aligned_pointers: true,
        compute_units: Some(1),
        work_groups: None,
        memory_ports: 1,
        without_passes: vec![],
        image_cache: None,
        local_bytes,
        scheduling,
        clock_mhz: None,
        platform: None,
        connections: vec![],
        spec_constants: vec![],
        dump: false,
    }
}

/// Board of the schedules.
const BOARD: &str = "u250";

/// The production schedule against the one as soon as possible. Where it shortens the interval of a loop, the loop's block may take longer, and
/// with it what is around the loop.
fn compare(asap: &KernelSchedule, sdc: &KernelSchedule) -> Result<(), String> {
    let latency = |s: &KernelSchedule, b: Block| -> u32 {
        s.blocks[b].segments.iter().map(|segment| segment.latency + CHANNEL_LATENCY).sum()
    };
    let longer = |b: Block| latency(sdc, b).saturating_sub(latency(asap, b));
    let pairs = || asap.loops.iter().zip(&sdc.loops);
    let shortened = |b: Block| pairs().any(|(a, s)| a.header == b && s.ii < a.ii);
    for (a, s) in pairs() {
        let inside = a.blocks.iter().filter(|b| **b != a.header && shortened(**b));
        let most = a.ii + inside.map(|b| longer(*b)).sum::<u32>();
        if s.ii > most {
            let what = format!("the loop at {} has interval {} instead of {most}", a.header, s.ii);
            return Err(format!("`{}`: {what}", asap.func.name));
        }
    }
    // With a loop of steps in one of them only they are not comparable.
    let names =
        |s: &KernelSchedule| -> Vec<String> { s.units.values().map(|u| u.name.clone()).collect() };
    if names(asap) != names(sdc) {
        return Ok(());
    }
    let shares = [asap, sdc].iter().any(|s| !s.shared.is_empty());
    // An array that is kept several times for the loads of one loop has one port for the stores of all blocks: these may take turns.
    let turns = |b: Block| {
        let sites = sdc.func.blocks[b].insts.iter().filter_map(|i| sdc.accesses.get(i));
        let replicas = |s: &KernelSchedule, id| s.memories.get(id).and_then(|m| m.replicas);
        let stores = sites.filter(|a| a.timed.is_some() && a.kind == AccessKind::Store);
        let other = stores.filter(|a| replicas(asap, a.memory) != replicas(sdc, a.memory));
        other.count() as u32
    };
    for &block in &asap.func.layout {
        let pairs = asap.blocks[block].segments.iter().zip(&sdc.blocks[block].segments);
        for (k, (a, s)) in pairs.enumerate() {
            // Segments whose operations share instances take tokens as seldom as their cycles ask for.
            if (s.latency > a.latency + turns(block) && !shortened(block))
                || (s.ii > a.ii && !shares)
            {
                return Err(format!(
                    "`{}`: segment {k} of {block} takes {} cycles instead of {}",
                    asap.func.name, s.latency, a.latency
                ));
            }
        }
    }
    let any_shortened = pairs().any(|(a, s)| s.ii < a.ii);
    if register_bits(sdc) > register_bits(asap) && !shares && !any_shortened {
        return Err(format!("`{}`: more registers than as soon as possible", asap.func.name));
    }
    Ok(())
}

fn round_trip(s: &KernelSchedule) -> Result<(), String> {
    let text = schedule::text::print(s);
    let again = schedule::parse::parse(&text).map_err(|e| e.to_string())?;
    schedule::verify::verify(&again).map_err(|e| format!("as read back: {e}"))?;
    schedule::verify::verify_timing(&again).map_err(|e| format!("as read back: {e}"))?;
    let second = schedule::text::print(&again);
    match text.lines().zip(second.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => Err(format!("the text reads back differently:\n{a}\n{b}")),
        None if text != second => Err("the text reads back to another length".into()),
        None => Ok(()),
    }
}

/// Simulates the schedule as it is, and with everything as small as the rules against deadlock
/// allow.
fn cannot_block(s: &KernelSchedule) -> Result<(), String> {
    let mut small = s.clone();
    let size = SMALL_GROUP.min(s.occupancy.max_work_group_size);
    small.occupancy.slots = small.occupancy.slots.min(2);
    small.occupancy.max_work_group_size = size;
    for l in &mut small.loops {
        let barrier = l.blocks.iter().any(|b| has_barrier(s, *b));
        let limit = if barrier { l.never_full(&small.occupancy) } else { SMALL_LIMIT };
        l.limit = limit.max(l.entries.len() as u32);
        l.back_depth = l.limit;
    }
    for &b in &s.func.layout {
        for g in &mut small.blocks[b].segments {
            g.control = Control::StallFree { depth: 1 };
        }
    }
    for (schedule, work_items) in [(s, 400), (&small, 100)] {
        for seed in 0..2 {
            let options = tokens::Options {
                seed,
                work_items: if s.task { 1 } else { work_items },
                work_group_size: schedule.occupancy.max_work_group_size,
                ..tokens::Options::default()
            };
            if let Outcome::Deadlock(full) = tokens::simulate(schedule, &options) {
                return Err(format!("deadlock, seed {seed}:\n{}", full.join("\n")));
            }
        }
    }
    Ok(())
}

fn has_barrier(s: &KernelSchedule, block: Block) -> bool {
    let insts = &s.func.blocks[block].insts;
    insts.iter().any(|i| matches!(s.func.insts[*i].op, Op::Barrier(..)))
}
