//! Step: RTL to area, an estimate of what a design takes of a device.
//!
//! Generated modules are counted operator by operator with the areas of the device family;
//! modules of the library ([`library`]) have formulas in their parameters, fitted to what yosys
//! makes of them. Bits that are constant and bits that nobody reads are not counted, as
//! synthesis removes them across modules ([`live`]). How far the estimate is off for the test
//! kernels stands in `testbenches/qor/speed.md`.

mod bits;
mod constant;
mod expression;
mod library;
mod live;
mod trees;
mod views;

use base::FxHashMap;
use base::entity::SecondaryMap;
use bits::Bits;
use live::Working;
use rtl::{Connection, Design, Expr, Instance, Net, Param, Rom, RomRead};
use target::{Area, Family};
use views::View;

/// What each module of a design takes, with all that it instantiates, by name.
pub fn areas<'a>(design: &'a Design, family: &Family) -> FxHashMap<&'a str, Area> {
    let count = Estimate::new(design, family);
    count.by_name.iter().map(|(name, k)| (*name, count.areas[*k])).collect()
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

/// A parameter of an instance that is a number.
fn number(instance: &Instance, name: &str) -> Option<u64> {
    match instance.params.get(name) {
        Some(Param::Int(n)) => Some(*n),
        _ => None,
    }
}

/// Area of `n` LUTs.
fn luts(n: f64) -> Area {
    Area { lut: n, ..Area::default() }
}

/// What a design takes of a device.
pub struct Estimate<'a, 'f> {
    family: &'f Family,
    views: Vec<View<'a>>,
    /// The view that stands for a module.
    by_name: FxHashMap<&'a str, usize>,
    /// Of each view.
    known: Vec<Working>,
    /// Of each view, LUTs for a bit of a net besides those of its operator ([`trees`]); none for families of
    /// larger LUTs, where it was not measured.
    extra: Vec<SecondaryMap<Net, f64>>,
    /// Of each view.
    areas: Vec<Area>,
}

impl<'a, 'f> Estimate<'a, 'f> {
    /// Counts all modules. Outputs of those that no other one instantiates are taken to be read.
    pub fn new(design: &'a Design, family: &'f Family) -> Self {
        let (views, by_name) = views::views(design);
        let known = live::working(&views);
        let of_trees = |view: &View| match family.lut_inputs {
            4 => trees::extra_luts(view.module),
            _ => SecondaryMap::new(),
        };
        let extra = views.iter().map(of_trees).collect();
        let mut count = Estimate { family, views, by_name, known, extra, areas: vec![] };
        for k in 0..count.views.len() {
            let area = sum(count.items(k).map(|(_, area)| area));
            count.areas.push(area);
        }
        count
    }

    /// What module `top` takes; nothing if there is none.
    pub fn of(&self, top: &str) -> Area {
        self.by_name.get(top).map(|k| self.areas[*k]).unwrap_or_default()
    }

    /// The parts of module `top` whose areas add up to [`Self::of`]: nets and instances of it and of the modules of the
    /// design that it instantiates by a name for which `open` holds; other instances are one part each.
    pub fn parts(&self, top: &str, open: &dyn Fn(&str) -> bool) -> Vec<Part> {
        let mut found = vec![];
        let mut queue: Vec<usize> = self.by_name.get(top).copied().into_iter().collect();
        while let Some(k) = queue.pop() {
            let View { module, inner, .. } = &self.views[k];
            let opened = module.instances.iter().zip(inner).filter_map(|(i, inner)| {
                inner.filter(|_| open(&i.module)).map(|inner| (i.name.as_str(), inner))
            });
            let of_name: FxHashMap<&str, usize> = opened.clone().collect();
            for (name, mut area) in self.items(k) {
                if let Some(inner) = of_name.get(name) {
                    // Its parts follow; what drives its inputs is a part of this module.
                    area = difference(area, self.areas[*inner]);
                }
                found.push(Part { module: module.name.clone(), name: name.to_owned(), area });
            }
            queue.extend(opened.rev().map(|(_, inner)| inner));
        }
        found
    }

    /// What drives a net or is instantiated in view `k`, each with the name of the net or instance.
    fn items(&self, k: usize) -> impl Iterator<Item = (&str, Area)> {
        let View { module, inner, .. } = &self.views[k];
        let (known, extra) = (&self.known[k], &self.extra[k]);
        let extra = move |net: Net| luts(extra[net] * f64::from(known.of(net).count()));
        let name = |net: Net| module.nets[net].name.as_str();
        let expr = move |e: &Expr, read: &Bits| {
            luts(expression::luts(e, read, module, known, self.family))
        };
        let whole = move |e: &Expr| expr(e, &Bits::all(rtl::verify::width(module, e)));
        let assigns = module
            .assigns
            .iter()
            .map(move |(net, e, _)| (name(*net), sum([expr(e, &known.of(*net)), extra(*net)])));
        let registers = module.registers.iter().map(move |r| {
            let made = known.of(r.q);
            let ff = Area { ff: f64::from(made.count()), ..Area::default() };
            let enable = r.enable.iter().filter(|_| !made.is_empty()).map(whole);
            (name(r.q), sum([ff, expr(&r.next, &made), extra(r.q)].into_iter().chain(enable)))
        });
        let roms = module.roms.iter().map(move |r| {
            let made = |read: &RomRead| known.of(read.data).count();
            let ports: Vec<&RomRead> = r.reads.iter().filter(|read| made(read) > 0).collect();
            let widest = ports.iter().map(|read| made(read)).max().unwrap_or(0);
            let own = of_rom(r, widest, ports.len(), self.family);
            (r.name.as_str(), sum(ports.iter().map(|read| whole(&read.addr)).chain([own])))
        });
        let instances = module.instances.iter().zip(inner).map(move |(i, inner)| {
            let read = |port: &str| inner.and_then(|k| self.known[k].of_port(port));
            let inputs = i.ports.iter().filter_map(|(port, c)| match c {
                Connection::Input(e) => Some(match read(port) {
                    Some(read) => expr(e, &read),
                    None => whole(e),
                }),
                Connection::Output(_) => None,
            });
            let made = |port: &str| match i.ports.get(port) {
                Some(Connection::Output(Some(net))) => Some(known.of(*net).count()),
                _ => None,
            };
            let own = inner.map_or_else(|| library::area(i, self.family, &made), |k| self.areas[k]);
            (i.name.as_str(), sum(inputs.chain([own])))
        });
        assigns.chain(registers).chain(roms).chain(instances)
    }
}

/// A table of which some bits are read at one or two ports: block RAM where it is read through registers and large enough, else LUTs.
fn of_rom(rom: &Rom, read: u32, ports: usize, family: &Family) -> Area {
    if read == 0 {
        return Area::default();
    }
    let depth = rom.entries.len() as u32;
    if rom.is_block() {
        let depth = depth.next_power_of_two();
        let blocks = if ports > 1 {
            family.ram.dual_blocks(read, depth)
        } else {
            family.ram.blocks(read, depth)
        };
        let bram = f64::from(blocks);
        return Area { bram, ..Area::default() };
    }
    // A LUT holds 2^inputs bits of a column; half of most tables' bits are not needed.
    let column = (f64::from(depth) / f64::from(1u32 << family.lut_inputs)).max(0.5);
    let read = f64::from(read);
    let ff = if rom.latency > 0 { 2.0 * read } else { 0.0 };
    Area { lut: column * read, ff, ..Area::default() }
}
