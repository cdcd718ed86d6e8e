//! Step: RTL to area, an estimate of what a design takes of a device.
//!
//! Generated modules are counted operator by operator with the areas of the device family;
//! modules of the library ([`library`]) have formulas in their parameters, fitted to what yosys
//! makes of them. Bits that are always zero and bits that nobody reads are not counted, as
//! synthesis removes them across modules ([`live`]); other constants are. How far the estimate is off for the test
//! kernels stands in `testbenches/qor/speed.md`.

mod bits;
mod expression;
mod library;
mod live;
mod trees;

use base::FxHashMap;
use base::entity::SecondaryMap;
use bits::Bits;
use live::Working;
use rtl::{Connection, Design, Expr, Instance, Module, Net, Param, Rom, RomRead};
use target::{Area, Family};

/// What each module of a design takes, with all that it instantiates, by name.
pub fn areas<'a>(design: &'a Design, family: &Family) -> FxHashMap<&'a str, Area> {
    Estimate::new(design, family).areas
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
    design: &'a Design,
    by_name: FxHashMap<&'a str, usize>,
    /// Of each module.
    known: Vec<Working>,
    /// Of each module, LUTs for a bit of a net besides those of its operator ([`trees`]); none for families of
    /// larger LUTs, where it was not measured.
    extra: Vec<SecondaryMap<Net, f64>>,
    areas: FxHashMap<&'a str, Area>,
}

impl<'a, 'f> Estimate<'a, 'f> {
    /// Counts all modules. Outputs of those that no other one instantiates are taken to be read.
    pub fn new(design: &'a Design, family: &'f Family) -> Self {
        let by_name =
            design.modules.iter().enumerate().map(|(k, m)| (m.name.as_str(), k)).collect();
        let known = live::working(design);
        let of_trees = |module| match family.lut_inputs {
            4 => trees::extra_luts(module),
            _ => SecondaryMap::new(),
        };
        let extra = design.modules.iter().map(of_trees).collect();
        let areas = FxHashMap::default();
        let mut count = Estimate { family, design, by_name, known, extra, areas };
        for module in &design.modules {
            let area = sum(count.items(module).map(|(_, area)| area));
            count.areas.insert(&module.name, area);
        }
        count
    }

    /// What module `top` takes; nothing if there is none.
    pub fn of(&self, top: &str) -> Area {
        self.areas.get(top).copied().unwrap_or_default()
    }

    /// The parts of module `top` whose areas add up to [`Self::of`]: nets and instances of it and of the modules of the
    /// design that it instantiates by a name for which `open` holds; other instances are one part each.
    pub fn parts(&self, top: &str, open: &dyn Fn(&str) -> bool) -> Vec<Part> {
        let mut found = vec![];
        let mut queue = vec![top];
        while let Some(name) = queue.pop() {
            let Some(module) = self.by_name.get(name).map(|k| &self.design.modules[*k]) else {
                continue;
            };
            let inner: FxHashMap<&str, &str> = module
                .instances
                .iter()
                .filter(|i| self.areas.contains_key(i.module.as_str()) && open(&i.module))
                .map(|i| (i.name.as_str(), i.module.as_str()))
                .collect();
            for (name, mut area) in self.items(module) {
                if let Some(opened) = inner.get(name).and_then(|m| self.areas.get(m)) {
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

    /// What drives a net or is instantiated in a module, each with the name of the net or instance.
    fn items<'b>(&'b self, module: &'b Module) -> impl Iterator<Item = (&'b str, Area)> {
        let known = &self.known[self.by_name[module.name.as_str()]];
        let extra = &self.extra[self.by_name[module.name.as_str()]];
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
        let instances = module.instances.iter().map(move |i| {
            let inputs = i.ports.iter().filter_map(|(port, c)| match c {
                Connection::Input(e) => Some(match self.read_by(i, port) {
                    Some(read) => expr(e, &read),
                    None => whole(e),
                }),
                Connection::Output(_) => None,
            });
            let made = |port: &str| match i.ports.get(port) {
                Some(Connection::Output(Some(net))) => Some(known.of(*net).count()),
                _ => None,
            };
            let inner = self.areas.get(i.module.as_str()).copied();
            let own = inner.unwrap_or_else(|| library::area(i, self.family, &made));
            (i.name.as_str(), sum(inputs.chain([own])))
        });
        assigns.chain(registers).chain(roms).chain(instances)
    }

    /// What an instance of a module of the design reads of an input.
    fn read_by(&self, instance: &Instance, port: &str) -> Option<Bits> {
        let inner = *self.by_name.get(instance.module.as_str())?;
        self.known[inner].of_port(port)
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
