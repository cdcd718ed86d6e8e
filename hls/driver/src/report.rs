//! `report.json` and `report.html` of a build: what was made and why it is as fast as it is.

use crate::fit::Hardware;
use crate::pipeline::Pipeline;
use crate::units;
use ::report::{
    AccessCount, CacheCount, ChannelCount, HTML_FILE, JSON_FILE, Measured, PortCount, Report,
};
use base::FileSet;
use ir::Module;
use schedule_to_report::{Made, Part};

impl Pipeline<'_> {
    /// The report of finished hardware; `input` is the module that it was made from, with which edits are tried.
    pub(crate) fn report(&self, made: &Hardware, input: &Module) -> Report {
        self.step("report");
        let estimate = rtl_to_area::Estimate::new(&made.design, &self.board.family);
        let mut kernels = vec![];
        for schedule in &made.schedules {
            let named = |k: &&abi::Kernel| k.signature.name == schedule.func.name;
            let Some(kernel) = made.manifest.kernels.iter().find(named) else { continue };
            // Operator units are parts of the line that asks for them.
            let open = |module: &str| !module.starts_with("clhls_");
            let parts = estimate.parts(&kernel.top, &open);
            let part = |p: rtl_to_area::Part| Part { module: p.module, name: p.name, area: p.area };
            let parts: Vec<Part> = parts.into_iter().map(part).collect();
            let name = &kernel.signature.name;
            let units = made.units.get(name).cloned().unwrap_or_else(|| units::asked(kernel));
            let mut described = schedule_to_report::kernel(&Made {
                schedule,
                kernel,
                design: &made.design,
                parts: &parts,
                area: made.areas.get(name).copied().unwrap_or_default(),
                units: (units.limit, &units.reason),
                board: self.board,
                sources: &made.module.sources,
            });
            self.try_edits(&mut described, made, input);
            kernels.push(described);
        }
        schedule_to_report::module(&made.module, &made.manifest.tool, kernels)
    }
}

/// Adds what a simulated launch of a kernel measured.
pub(crate) fn add_measured(
    report: &mut Report,
    kernel: &abi::Kernel,
    stats: &host::LaunchStats,
    profile: &sim::Profile,
) {
    let cycles = stats.hardware.map_or(0, |h| h.cycles);
    let second = cycles.max(1) as f64 / (kernel.clock_mhz * 1e6);
    let per_second = |bytes: u64| (bytes as f64 / second).round();
    let ports = kernel.memory_ports.iter().zip(&profile.ports).map(|(port, n)| PortCount {
        name: port.name.clone(),
        read_bytes: n.read_bytes,
        written_bytes: n.written_bytes,
        read_bursts: n.read_bursts,
        write_bursts: n.write_bursts,
        read_bytes_per_second: per_second(n.read_bytes),
        written_bytes_per_second: per_second(n.written_bytes),
    });
    let counts = profile.accesses.iter().zip(&profile.caches);
    let accesses = kernel.sites.iter().zip(counts).filter(|(s, _)| s.port.is_some());
    let described = report.kernels.iter().find(|k| k.name == kernel.signature.name);
    let has_cache = |id: u32| {
        let access = described.and_then(|k| k.accesses.iter().find(|a| a.id == id));
        access.is_some_and(|a| a.cache_bytes > 0)
    };
    let accesses = accesses.map(|(site, (n, cache))| AccessCount {
        id: site.id,
        count: n.accesses,
        bytes: n.bytes,
        bytes_per_second: per_second(n.bytes),
        cache: has_cache(site.id).then(|| measured_cache(cache)),
    });
    let measured = Measured {
        cycles,
        work_items: stats.work_items,
        ports: ports.collect(),
        channels: measured_channels(kernel, profile, cycles),
        accesses: accesses.collect(),
    };
    if let Some(described) = report.kernel_mut(&kernel.signature.name) {
        described.measured = Some(measured);
    }
}

fn measured_cache(n: &sim::CacheCount) -> CacheCount {
    let all = (n.hits + n.misses).max(1) as f64;
    let hit_rate = (n.hits as f64 / all * 10_000.0).round() / 10_000.0;
    CacheCount { hits: n.hits, misses: n.misses, hit_rate, waiting: n.waiting, refused: n.refused }
}

/// Channels by the name that they have in the first compute unit.
fn measured_channels(
    kernel: &abi::Kernel,
    profile: &sim::Profile,
    cycles: u64,
) -> Vec<ChannelCount> {
    let mut out: Vec<ChannelCount> = vec![];
    for (channel, n) in kernel.channels.iter().zip(&profile.channels) {
        // The signals of further units have a number behind their names.
        let signal = channel.valid.as_deref().and_then(|v| v.rsplit('.').next());
        let Some((name, _)) = signal.and_then(|v| v.rsplit_once("_valid")) else { continue };
        let between = n.tokens.saturating_sub(1).max(1);
        let interval = n.span as f64 / between as f64;
        match out.iter_mut().find(|c| c.channel == name) {
            Some(c) => {
                c.tokens += n.tokens;
                c.stalled += n.stalled;
                c.interval = c.interval.max(interval);
            }
            None => out.push(ChannelCount {
                channel: name.to_owned(),
                name: channel.name.clone(),
                tokens: n.tokens,
                stalled: n.stalled,
                occupancy: 0.0,
                interval,
            }),
        }
    }
    let all = cycles.max(1) as f64 * f64::from(kernel.signature.compute_units.max(1));
    let round = |n: f64| (n * 10_000.0).round() / 10_000.0;
    for c in &mut out {
        c.occupancy = round((c.tokens + c.stalled) as f64 / all);
        c.interval = round(c.interval);
    }
    out
}

/// Puts both forms of a report into a directory's files.
pub(crate) fn insert(files: &mut FileSet, report: &Report) {
    files.insert(JSON_FILE, report.to_json());
    files.insert(HTML_FILE, report.to_html());
}
