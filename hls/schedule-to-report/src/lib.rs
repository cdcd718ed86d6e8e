//! Step: schedule to report.
//!
//! [`kernel`] reads a schedule as its user does: when each operation happens ([`operations`]), what stands in the way of a
//! shorter interval and what would remove it ([`loops`], [`edits`]), how memory is used ([`memories`], [`strides`]), what each source
//! line costs ([`lines`]), and how work-items flow ([`dataflow`]). It decides nothing: all of it follows from the schedule.

mod dataflow;
mod demand;
mod edits;
mod lines;
mod loops;
mod memories;
mod operations;
mod strides;

pub use demand::{Demand, demand};

use base::entity::{EntityRef, SecondaryMap};
use base::{FxHashMap, Loc, SourceMap};
use ir::analysis::Cfg;
use ir::{Block, Inst, Module};
use report::{Area, Argument, Kernel, Place, Report, Source, UnitsLimit};
use rtl::Design;
use schedule::KernelSchedule;
use schedule::ports::Ports;
use target::Board;

/// What a part of the hardware takes.
pub struct Part {
    /// Module it stands in.
    pub module: String,
    /// Name of its net or instance.
    pub name: String,
    /// Estimate.
    pub area: target::Area,
}

/// A kernel and what was made of it.
pub struct Made<'a> {
    /// Its schedule.
    pub schedule: &'a KernelSchedule,
    /// What the host knows of it.
    pub kernel: &'a abi::Kernel,
    /// The design that it is part of.
    pub design: &'a Design,
    /// What each part of it takes.
    pub parts: &'a [Part],
    /// What it takes as a whole.
    pub area: target::Area,
    /// What decided the number of its compute units, and the same in words.
    pub units: (UnitsLimit, &'a str),
    /// The board.
    pub board: &'a Board,
    /// Source files.
    pub sources: &'a SourceMap,
}

/// The report of a module whose kernels are described already.
pub fn module(module: &Module, tool: &str, kernels: Vec<Kernel>) -> Report {
    let mut report = Report {
        version: report::REPORT_VERSION,
        tool: tool.to_owned(),
        module: module.name.clone(),
        sources: vec![],
        kernels,
    };
    let used: Vec<u32> = report.kernels.iter().flat_map(places).map(|p| p.file).collect();
    // The text of files that nothing names is not needed; their numbers are.
    let source = |(id, f): (base::source::FileId, &base::source::SourceFile)| Source {
        name: f.name.clone(),
        text: f.text.clone().filter(|_| used.contains(&(id.index() as u32))),
    };
    report.sources = module.sources.files.iter().map(source).collect();
    report
}

/// Places that a kernel's report names.
fn places(k: &Kernel) -> Vec<Place> {
    let lines = k.lines.iter().map(|l| l.place);
    lines.chain(k.loops.iter().filter_map(|l| l.place)).collect()
}

/// What the report says of a kernel.
pub fn kernel(made: &Made<'_>) -> Kernel {
    let view = View::new(made);
    let s = made.schedule;
    let accesses = memories::accesses(&view);
    let memories = memories::memories(&view);
    let loops = loops::loops(&view, &accesses, &memories);
    let (nodes, edges) = dataflow::draw(&view, &accesses, &memories);
    let (lines, other_area) = lines::lines(&view);
    let board = made.board;
    let memory_ports = memories::ports(&view, &accesses, &loops);
    let beat = memory_ports.iter().map(|p| f64::from(p.data_bits / 8)).sum::<f64>();
    Kernel {
        name: s.func.name.clone(),
        board: board.name.clone(),
        device: format!("{} (speed grade {})", board.family.title, board.family.grade),
        clock_mhz: made.kernel.clock_mhz,
        period_ns: operations::ns3(s.clock.period_ns),
        logic_ns: operations::ns3(s.clock.period_ns - s.clock.overhead_ns),
        simd: made.kernel.signature.simd,
        compute_units: made.kernel.signature.compute_units,
        compute_units_limit: made.units.0,
        compute_units_reason: made.units.1.to_owned(),
        max_work_group_size: made.kernel.signature.max_work_group_size,
        work_items_in_flight: s.occupancy.work_items(),
        single_work_item: s.task,
        memory_latency: board.memory.latency_cycles,
        peak_bytes_per_second: beat * made.kernel.clock_mhz * 1e6,
        estimated_area: area(made.area),
        datapath_area: lines::datapath(made),
        available_area: area(board.free()),
        arguments: made.kernel.signature.args.iter().map(argument).collect(),
        memory_ports,
        notes: made.kernel.notes.clone(),
        lines,
        other_area,
        blocks: view.blocks(),
        operations: view.operations.list.clone(),
        nodes,
        edges,
        loops,
        divisions: made.kernel.divisions.iter().map(division).collect(),
        memories,
        accesses,
        measured: None,
    }
}

fn argument(a: &abi::Arg) -> Argument {
    Argument {
        name: a.name.clone(),
        type_name: a.describe_type(),
        kind: a.kind.describe().to_owned(),
        register: a.offset,
        port: a.port.clone(),
    }
}

fn division(d: &abi::DivisionInfo) -> report::Division {
    report::Division {
        unit: d.unit.clone(),
        source: d.source.clone(),
        form: d.form.clone(),
        interval: d.interval,
        latency: d.latency,
        reason: d.reason.clone(),
    }
}

fn area(a: target::Area) -> Area {
    let round = |n: f64| n.round().max(0.0) as u64;
    Area { lut: round(a.lut), ff: round(a.ff), dsp: round(a.dsp), bram: round(a.bram) }
}

/// A schedule with what all parts of the report ask of it.
struct View<'a> {
    made: &'a Made<'a>,
    s: &'a KernelSchedule,
    /// Index in the layout of each block.
    index: SecondaryMap<Block, u32>,
    /// Innermost loop of each block.
    in_loop: SecondaryMap<Block, Option<u32>>,
    /// Block of each instruction.
    home: SecondaryMap<Inst, Option<Block>>,
    /// First cycle of each segment of a block, from the block's entry.
    starts: SecondaryMap<Block, Vec<u32>>,
    operations: operations::Operations,
    cfg: Cfg,
    /// Who takes which port of the memories on the chip.
    ports: Ports,
    /// Widths of the nets of the kernel's modules by name.
    net_widths: FxHashMap<&'a str, u32>,
}

impl<'a> View<'a> {
    fn new(made: &'a Made<'a>) -> Self {
        let s = made.schedule;
        let (mut index, mut home) = (SecondaryMap::new(), SecondaryMap::new());
        let mut in_loop = SecondaryMap::new();
        for (k, &block) in s.func.layout.iter().enumerate() {
            index[block] = k as u32;
            s.func.blocks[block].insts.iter().for_each(|i| home[*i] = Some(block));
        }
        // Outer loops come before inner ones.
        for (k, l) in s.loops.iter().enumerate() {
            l.blocks.iter().for_each(|b| in_loop[*b] = Some(k as u32));
        }
        let mut view = View {
            made,
            s,
            index,
            in_loop,
            home,
            starts: SecondaryMap::new(),
            operations: operations::Operations::default(),
            cfg: Cfg::new(&s.func),
            ports: Ports::new(s),
            net_widths: net_widths(made),
        };
        for &block in &s.func.layout {
            view.starts[block] = view.segment_starts(block);
        }
        view.operations = operations::operations(&view);
        view
    }

    fn segment_starts(&self, block: Block) -> Vec<u32> {
        let waits = self.waits(block, |_| false);
        let mut at = 0;
        let segments = self.s.blocks[block].segments.iter().zip(waits);
        segments
            .map(|(segment, wait)| {
                let start = at;
                at += segment.latency + schedule::CHANNEL_LATENCY + wait;
                start
            })
            .collect()
    }

    /// Cycles that work-items wait behind each segment for memory; accesses for which `near` holds as if
    /// their memory were on the chip.
    fn waits(&self, block: Block, near: impl Fn(&schedule::Access) -> bool) -> Vec<u32> {
        let s = self.s;
        let mut waits = vec![0u32; s.blocks[block].segments.len()];
        for inst in &s.func.blocks[block].insts {
            let Some(schedule::Place::Boundary { segment }) = s.place[*inst] else { continue };
            let Some(a) = s.accesses.get(inst).filter(|a| a.has_response()) else { continue };
            let cycles = match s.memories[a.memory].kind {
                schedule::MemoryKind::Device { .. } if !near(a) => {
                    self.made.board.memory.latency_cycles
                }
                _ => schedule::ON_CHIP_LATENCY,
            };
            if let Some(slot) = waits.get_mut(segment as usize) {
                *slot = (*slot).max(cycles);
            }
        }
        waits
    }

    fn place(&self, loc: Loc) -> Option<Place> {
        let place = Place { file: loc.file, line: loc.line, column: loc.column };
        loc.is_known().then_some(place)
    }

    fn place_of(&self, inst: Inst) -> Option<Place> {
        self.place(self.s.func.insts[inst].loc)
    }

    /// First known place in a block.
    fn place_in(&self, block: Block) -> Option<Place> {
        let data = &self.s.func.blocks[block];
        let first = data.insts.iter().find_map(|i| self.place_of(*i));
        first.or_else(|| self.place(data.term_loc))
    }

    /// Where a loop jumps back, or something in it is. A header's own jump may be that into an inner loop.
    fn place_of_loop(&self, l: &schedule::LoopSchedule) -> Option<Place> {
        let blocks = &self.s.func.blocks;
        let back = l.back_edges.iter().find_map(|(b, _)| self.place(blocks[*b].term_loc));
        back.or_else(|| l.blocks.iter().find_map(|b| self.place_in(*b)))
    }

    fn blocks(&self) -> Vec<report::Block> {
        let all = self.s.func.layout.iter();
        all.map(|&b| report::Block {
            name: b.to_string(),
            in_loop: self.in_loop[b],
            place: self.place_in(b),
            segments: self.segments(b),
        })
        .collect()
    }

    fn segments(&self, block: Block) -> Vec<report::Segment> {
        let segments = self.s.blocks[block].segments.iter().enumerate();
        segments
            .map(|(k, g)| report::Segment {
                start: self.starts[block][k],
                latency: g.latency,
                ii: g.ii,
                depth: g.control.blocked_capacity(),
                token_bits: self.net_width(&format!("{block}_s{k}_exit_data")),
            })
            .collect()
    }

    /// Width of a net of the kernel's modules; 0 when there is none.
    fn net_width(&self, name: &str) -> u32 {
        self.net_widths.get(name).copied().unwrap_or(0)
    }
}

/// Widths of the nets of a kernel's modules by name; of several the first.
fn net_widths<'a>(made: &Made<'a>) -> FxHashMap<&'a str, u32> {
    let top = made.kernel.top.as_str();
    let own = |name: &str| {
        name.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let modules = made.design.modules.iter().filter(|m| own(&m.name));
    let mut widths = FxHashMap::default();
    for net in modules.flat_map(|m| m.nets.values()) {
        widths.entry(net.name.as_str()).or_insert(net.width);
    }
    widths
}
