//! Step: RTL to area, an estimate of what a design takes of a device.
//!
//! Generated modules are counted operator by operator with the areas of the device family;
//! modules of the library ([`library`]) have formulas in their parameters, fitted to what yosys
//! makes of them. What synthesis removes across modules (results that nobody reads, constants)
//! is not known here. How far the estimate is off for the test kernels stands in
//! `testbenches/qor/speed.md`.

mod expression;
mod library;

use base::FxHashMap;
use rtl::{Design, Expr, Module, Rom};
use target::{Area, Family};

/// What module `top` of `design` takes, with all that it instantiates; nothing if there is none.
pub fn estimate(design: &Design, top: &str, family: &Family) -> Area {
    areas(design, family).get(top).copied().unwrap_or_default()
}

/// What each module of the design takes, by name.
pub fn areas<'a>(design: &'a Design, family: &Family) -> FxHashMap<&'a str, Area> {
    let mut known: FxHashMap<&str, Area> = FxHashMap::default();
    for module in &design.modules {
        let area = of_module(module, &known, family);
        known.insert(&module.name, area);
    }
    known
}

/// What takes a part of a design.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Module that it stands in.
    pub module: String,
    /// Name of the net that it drives, or of the instance.
    pub name: String,
    /// Estimate.
    pub area: Area,
}

/// The parts of module `top` whose areas add up to [`estimate`]: nets and instances of it and of the modules of the
/// design that it instantiates by a name for which `open` holds; other instances are one part each.
pub fn parts(
    design: &Design,
    top: &str,
    family: &Family,
    open: &dyn Fn(&str) -> bool,
) -> Vec<Part> {
    let known = areas(design, family);
    let mut found = vec![];
    let mut queue = vec![top];
    while let Some(name) = queue.pop() {
        let Some(module) = design.modules.iter().find(|m| m.name == name) else { continue };
        let inner: FxHashMap<&str, &str> = module
            .instances
            .iter()
            .filter(|i| known.contains_key(i.module.as_str()) && open(&i.module))
            .map(|i| (i.name.as_str(), i.module.as_str()))
            .collect();
        for (name, mut area) in items(module, &known, family) {
            if let Some(opened) = inner.get(name).and_then(|m| known.get(m)) {
                // Its parts follow; what drives its inputs is a part of this module.
                area = difference(area, *opened);
            }
            found.push(Part { module: module.name.clone(), name: name.to_owned(), area });
        }
        let modules = module.instances.iter().rev().filter_map(|i| inner.get(i.name.as_str()));
        queue.extend(modules.copied());
    }
    found
}

fn difference(a: Area, b: Area) -> Area {
    Area { lut: a.lut - b.lut, ff: a.ff - b.ff, dsp: a.dsp - b.dsp, bram: a.bram - b.bram }
}

/// Areas of several designs or parts together.
pub fn sum(areas: impl IntoIterator<Item = Area>) -> Area {
    areas.into_iter().fold(Area::default(), |a, b| Area {
        lut: a.lut + b.lut,
        ff: a.ff + b.ff,
        dsp: a.dsp + b.dsp,
        bram: a.bram + b.bram,
    })
}

/// Area of `n` LUTs.
fn luts(n: f64) -> Area {
    Area { lut: n, ..Area::default() }
}

fn of_module(module: &Module, known: &FxHashMap<&str, Area>, family: &Family) -> Area {
    sum(items(module, known, family).map(|(_, area)| area))
}

/// What drives a net or is instantiated in a module, each with the name of the net or instance.
fn items<'a>(
    module: &'a Module,
    known: &'a FxHashMap<&str, Area>,
    family: &'a Family,
) -> impl Iterator<Item = (&'a str, Area)> {
    let widths = |net: rtl::Net| module.nets[net].width;
    let name = |net: rtl::Net| module.nets[net].name.as_str();
    let expr = move |e: &Expr| luts(expression::luts(e, &widths, family));
    let assigns = module.assigns.iter().map(move |(net, e, _)| (name(*net), expr(e)));
    let registers = module.registers.iter().map(move |r| {
        let ff = Area { ff: f64::from(widths(r.q)), ..Area::default() };
        let logic = [ff, expr(&r.next)].into_iter().chain(r.enable.iter().map(expr));
        (name(r.q), sum(logic))
    });
    let roms =
        module.roms.iter().map(move |r| (r.name.as_str(), sum([of_rom(r, family), expr(&r.addr)])));
    let instances = module.instances.iter().map(move |i| {
        let inner = known.get(i.module.as_str()).copied();
        let inputs = i.ports.values().filter_map(|c| match c {
            rtl::Connection::Input(e) => Some(expr(e)),
            rtl::Connection::Output(_) => None,
        });
        let area = sum(inputs.chain([inner.unwrap_or_else(|| library::area(i, family))]));
        (i.name.as_str(), area)
    });
    assigns.chain(registers).chain(roms).chain(instances)
}

/// A table: block RAM where it is read through registers and large enough, else LUTs.
fn of_rom(rom: &Rom, family: &Family) -> Area {
    let depth = rom.entries.len() as u32;
    if rom.is_block() {
        let bram = f64::from(family.ram.blocks(rom.width, depth.next_power_of_two()));
        return Area { bram, ..Area::default() };
    }
    // A LUT holds 2^inputs bits of a column; half of most tables' bits are not needed.
    let column = (f64::from(depth) / f64::from(1u32 << family.lut_inputs)).max(0.5);
    let ff = if rom.latency > 0 { 2.0 * f64::from(rom.width) } else { 0.0 };
    Area { lut: column * f64::from(rom.width), ff, ..Area::default() }
}
