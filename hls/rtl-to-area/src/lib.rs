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
    let mut known: FxHashMap<&str, Area> = FxHashMap::default();
    for module in &design.modules {
        let area = of_module(module, &known, family);
        known.insert(&module.name, area);
    }
    known.get(top).copied().unwrap_or_default()
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
    let widths = |net: rtl::Net| module.nets[net].width;
    let expr = |e: &Expr| luts(expression::luts(e, &widths, family));
    let assigns = module.assigns.iter().map(|(_, e, _)| expr(e));
    let registers = module.registers.iter().map(|r| {
        let ff = Area { ff: f64::from(widths(r.q)), ..Area::default() };
        sum([ff, expr(&r.next)].into_iter().chain(r.enable.iter().map(expr)))
    });
    let roms = module.roms.iter().map(|r| sum([of_rom(r, family), expr(&r.addr)]));
    let instances = module.instances.iter().map(|i| {
        let inner = known.get(i.module.as_str()).copied();
        let inputs = i.ports.values().filter_map(|c| match c {
            rtl::Connection::Input(e) => Some(expr(e)),
            rtl::Connection::Output(_) => None,
        });
        sum(inputs.chain([inner.unwrap_or_else(|| library::area(i, family))]))
    });
    sum(assigns.chain(registers).chain(roms).chain(instances))
}

/// A table: block RAM where it is read through registers and large enough, else LUTs.
fn of_rom(rom: &Rom, family: &Family) -> Area {
    let depth = rom.entries.len() as u32;
    if rom.latency > 0 && !expression::is_small_table(rom.width, depth) {
        let bram = f64::from(family.ram.blocks(rom.width, depth.next_power_of_two()));
        return Area { bram, ..Area::default() };
    }
    // A LUT holds 2^inputs bits of a column; half of most tables' bits are not needed.
    let column = (f64::from(depth) / f64::from(1u32 << family.lut_inputs)).max(0.5);
    let ff = if rom.latency > 0 { 2.0 * f64::from(rom.width) } else { 0.0 };
    Area { lut: column * f64::from(rom.width), ff, ..Area::default() }
}
