//! `report.json` and `report.html` of a build: what was made and why it is as fast as it is.

use abi::{Kernel, Manifest};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use target::Area;

/// The report for programs: interfaces, loops and memory accesses of each kernel.
pub(crate) fn report_json(manifest: &Manifest, areas: &BTreeMap<String, Area>) -> String {
    let kernels: Vec<Value> =
        manifest.kernels.iter().map(|k| kernel_json(k, areas.get(&k.signature.name))).collect();
    let report = json!({ "tool": manifest.tool, "module": manifest.module, "kernels": kernels });
    format!("{report:#}\n")
}

fn kernel_json(kernel: &Kernel, area: Option<&Area>) -> Value {
    let area = area.map(|a| json!({ "lut": round(a.lut), "ff": round(a.ff), "dsp": round(a.dsp), "bram": round(a.bram) }));
    json!({
        "name": kernel.signature.name,
        "board": kernel.board,
        "clock_mhz": kernel.clock_mhz,
        "simd": kernel.signature.simd,
        "compute_units": kernel.compute_units,
        "max_work_group_size": kernel.signature.max_work_group_size,
        "memory_ports": kernel.memory_ports,
        "loops": kernel.loops,
        "divisions": kernel.divisions,
        "estimated_area": area,
        "notes": kernel.notes,
        "accesses": kernel.sites,
    })
}

/// A count.
fn round(n: f64) -> u64 {
    n.round() as u64
}

/// The report for people.
pub(crate) fn report_html(manifest: &Manifest, areas: &BTreeMap<String, Area>) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>{STYLE}</style>\n\
         <h1>{0}</h1>\n<p>{1}</p>\n",
        escape(&manifest.module),
        escape(&manifest.tool)
    );
    for kernel in &manifest.kernels {
        // writing to a string cannot fail
        let _ = kernel_html(&mut html, kernel, areas.get(&kernel.signature.name));
    }
    html.push_str("</html>\n");
    html
}

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;margin:1em 0}td,th{text-align:left;padding:.2em 1em .2em 0;\
border-bottom:1px solid #ccc;vertical-align:top}td.n{text-align:right}code{font-size:.9em}";

fn kernel_html(html: &mut String, kernel: &Kernel, area: Option<&Area>) -> std::fmt::Result {
    let s = &kernel.signature;
    writeln!(html, "<h2>Kernel <code>{}</code></h2>", escape(&s.name))?;
    writeln!(
        html,
        "<p>{} at {} MHz; work-groups of up to {} work-items; {} memory ports.</p>",
        escape(&kernel.board),
        kernel.clock_mhz,
        s.max_work_group_size,
        kernel.memory_ports.len()
    )?;
    if let Some(a) = area {
        writeln!(
            html,
            "<p>Estimated: {:.0} LUTs, {:.0} flip-flops, {:.0} DSP tiles, {:.0} RAM blocks.</p>",
            a.lut, a.ff, a.dsp, a.bram
        )?;
    }
    for note in &kernel.notes {
        writeln!(html, "<p>{}</p>", escape(note))?;
    }
    let loops = kernel.loops.iter().map(|l| {
        [
            escape(&l.name),
            escape(&l.source),
            escape(&l.kind),
            l.ii.to_string(),
            l.latency.to_string(),
            escape(&l.reason),
        ]
    });
    table(html, "Loops", ["loop", "source", "kind", "II", "latency", "what limits it"], loops)?;
    let divisions = kernel.divisions.iter().map(|d| {
        [
            escape(&d.unit),
            escape(&d.source),
            escape(&d.form),
            d.interval.to_string(),
            d.latency.to_string(),
            escape(&d.reason),
        ]
    });
    let head = ["unit", "source", "form", "interval", "latency", "why"];
    table(html, "Divisions and square roots", head, divisions)?;
    let sites = kernel.sites.iter().map(|site| {
        let argument = site.argument.and_then(|k| s.args.get(k as usize));
        [
            format!("{:?}", site.kind).to_lowercase(),
            escape(&site.source),
            site.bytes.to_string(),
            escape(site.port.as_deref().unwrap_or("on-chip memory")),
            argument.map(|a| escape(&a.name)).unwrap_or_default(),
        ]
    });
    table(html, "Memory accesses", ["access", "source", "bytes", "port", "argument"], sites)?;
    let args = s.args.iter().map(|a| {
        [
            a.index.to_string(),
            escape(&a.name),
            escape(&a.type_name),
            a.kind.describe().to_owned(),
            a.offset.map_or(String::new(), |o| format!("{o:#05x}")),
        ]
    });
    table(html, "Arguments", ["number", "name", "type", "kind", "register"], args)
}

/// A table with a heading; nothing when it has no rows. Cells are HTML.
fn table<const N: usize>(
    html: &mut String,
    title: &str,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> std::fmt::Result {
    let rows: Vec<String> =
        rows.map(|cells| format!("<tr><td>{}</tr>\n", cells.join("<td>"))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(html, "<h3>{title}</h3>\n<table>\n<tr><th>{}</tr>", head.join("<th>"))?;
    writeln!(html, "{}</table>", rows.concat())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
