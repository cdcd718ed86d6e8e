//! `clhls report`

use crate::Streams;
use crate::cli::ReportArgs;
use crate::failure::{Failure, Result};
use abi::{Kernel, Manifest, SiteKind};
use std::fmt::Write;
use std::path::Path;

pub(crate) fn report(args: &ReportArgs, streams: &mut Streams<'_>) -> Result<()> {
    let manifest = read_manifest(&args.dir)?;
    if args.json {
        return streams.print(&manifest.to_json());
    }
    let mut text: Vec<String> = manifest.kernels.iter().map(kernel_text).collect();
    text.extend(constants_text(&manifest));
    streams.print(&text.join("\n"))
}

/// The manifest of a finished build.
///
/// # Errors
/// `E0611`
pub(crate) fn read_manifest(dir: &Path) -> Result<Manifest> {
    if !dir.join(abi::MANIFEST_FILE).exists() {
        let what = format!("{} is not the output directory of a build", dir.display());
        return Err(Failure::new("E0611", what));
    }
    let manifest = Manifest::read(dir).map_err(Failure::from)?;
    Ok(manifest)
}

/// The values that specialization constants were given, if any were.
fn constants_text(manifest: &Manifest) -> Option<String> {
    let line = |c: &abi::SpecConstant| match c.name.as_str() {
        "" => format!("  {} = {}\n", c.id, c.value),
        name => format!("  {} {name} = {}\n", c.id, c.value),
    };
    let lines: String = manifest.spec_constants.iter().map(line).collect();
    (!lines.is_empty()).then(|| format!("specialization constants\n{lines}"))
}

/// A kernel as text: interface, loops, memory accesses.
pub(crate) fn kernel_text(kernel: &Kernel) -> String {
    let mut text = String::new();
    // writing to a string cannot fail
    let _ = print_kernel(&mut text, kernel);
    text
}

/// `1 loop`, `2 loops`
pub(crate) fn count(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

fn print_kernel(text: &mut String, kernel: &Kernel) -> std::fmt::Result {
    let s = &kernel.signature;
    writeln!(text, "kernel {} on {} at {} MHz", s.name, kernel.board, kernel.clock_mhz)?;
    writeln!(text, "  work-groups of up to {} work-items", s.max_work_group_size)?;
    for port in &kernel.memory_ports {
        writeln!(text, "  port {}: {} bits", port.name, port.data_bits)?;
    }
    for arg in &s.args {
        let place = match (arg.offset, &arg.stream) {
            (Some(offset), _) => format!("register {offset:#05x}"),
            (None, Some(stream)) => {
                let way = if stream.writes { "out of" } else { "into" };
                format!("AXI4-Stream {} {way} the kernel, {} bits", stream.name, stream.data_bits)
            }
            (None, None) => "no register".into(),
        };
        writeln!(text, "  argument {} {} ({}): {place}", arg.index, arg.name, arg.describe_type())?;
    }
    for l in &kernel.loops {
        let source = if l.source.is_empty() { "" } else { " at " };
        writeln!(
            text,
            "  {}{source}{}: {}, II {}, latency {}: {}",
            l.name, l.source, l.kind, l.ii, l.latency, l.reason
        )?;
    }
    for d in &kernel.divisions {
        let source = if d.source.is_empty() { "" } else { " at " };
        writeln!(
            text,
            "  {}{source}{}: {}, interval {}, latency {}: {}",
            d.unit, d.source, d.form, d.interval, d.latency, d.reason
        )?;
    }
    for note in &kernel.notes {
        writeln!(text, "  note: {note}")?;
    }
    for site in &kernel.sites {
        let port = site.port.as_deref().unwrap_or("on-chip memory");
        let source = if site.source.is_empty() { "" } else { " at " };
        if site.kind == SiteKind::Pipe {
            let arg = site.argument.and_then(|k| s.args.get(k as usize));
            let name = arg.map_or("", |a| a.name.as_str());
            writeln!(text, "  operation on pipe `{name}`{source}{}", site.source)?;
            continue;
        }
        let kind = format!("{:?}", site.kind).to_lowercase();
        writeln!(text, "  {kind} of {} bytes, {port}{source}{}", site.bytes, site.source)?;
    }
    Ok(())
}
