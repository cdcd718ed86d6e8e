//! Device families: how long an operator takes and what it costs.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::curve::Curve;
use crate::error::TargetError;
use crate::op::OpKind;

/// A device family at one speed grade: operator delays, latencies and areas, and facts about its RAM and DSP tiles.
///
/// A path between two registers takes [`Family::clock_overhead_ns`] plus the delays of the operators on it; a delay
/// includes one average net in front of the operator.
#[derive(Clone, Debug)]
pub struct Family {
    /// Name: the folder of `board-support/`, such as `ecp5`.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Speed grade that the delays stand for, as the vendor writes it.
    pub grade: String,
    /// Inputs of a LUT.
    pub lut_inputs: u32,
    /// True when delay lines map to shift register LUTs instead of a flip-flop a bit and cycle.
    pub has_srl: bool,
    /// Flip-flop clock-to-output plus setup, ns: what a path costs before any operator.
    pub clock_overhead_ns: f64,
    /// Share of the clock period that paths of whole designs lose against operators routed alone: longer nets.
    pub routing_margin: f64,
    /// How much time is left for the long nets of designs that spread over the device.
    pub room: Room,
    /// Multiplier tile.
    pub tile: DspTile,
    /// On-chip RAM.
    pub ram: RamFacts,
    scale: f64,
    data: FamilyFile,
}

/// Timing of an operator. With `latency` 0 it is combinational and `input_ns == output_ns` is its delay; otherwise it has
/// registers inside: an operand must arrive `input_ns` before the clock edge (beyond the register setup that
/// [`Family::clock_overhead_ns`] counts), and the result is there `latency` cycles later, `output_ns` after the edge
/// (beyond a flip-flop's clock-to-output).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Clock cycles from operands to result.
    pub latency: u32,
    /// Delay in front of the first register, ns.
    pub input_ns: f64,
    /// Delay behind the last register, ns.
    pub output_ns: f64,
    /// Shortest clock period at which the registers inside work, ns; 0 when there are none.
    pub min_period_ns: f64,
}

/// Resources of one operator instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// LUTs (of the family's size), fractions where LUTs are shared.
    pub lut: f64,
    /// Flip-flops inside the operator; pipeline registers around it are the schedule's business.
    pub ff: f64,
    /// DSP tiles.
    pub dsp: f64,
    /// RAM blocks.
    pub bram: f64,
}

/// The largest operands of one DSP tile, in bits. A product fits when either order of its operands does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct DspTile {
    /// Wider operand, two's complement.
    pub a_signed: u32,
    /// Wider operand, unsigned.
    pub a_unsigned: u32,
    /// Narrower operand, two's complement.
    pub b_signed: u32,
    /// Narrower operand, unsigned.
    pub b_unsigned: u32,
}

impl DspTile {
    /// True when one tile multiplies operands of these widths. `signed` is for both operands.
    pub fn fits(self, width_a: u32, width_b: u32, signed: bool) -> bool {
        let (a, b) = if signed {
            (self.a_signed, self.b_signed)
        } else {
            (self.a_unsigned, self.b_unsigned)
        };
        width_a.max(width_b) <= a && width_a.min(width_b) <= b
    }
}

/// Facts about on-chip RAM as the wrapper module `clhls_ram` uses it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct RamFacts {
    /// Bits of one block, parity bits included.
    pub block_bits: u32,
    /// Widest port of one block, bits, parity bits included.
    pub max_width: u32,
    /// Narrowest write-enable lane, bits.
    pub lane_bits: u32,
    /// Cycles from read address to data, output register included.
    pub read_latency: u32,
    /// Address net and setup beyond a flip-flop's, ns.
    pub input_ns: f64,
    /// Clock-to-output of the output register beyond a flip-flop's, ns.
    pub output_ns: f64,
    /// Shortest clock period of a block, ns.
    pub min_period_ns: f64,
    /// Depth of one distributed RAM primitive, words.
    pub lutram_depth: u32,
    /// Bits of distributed RAM in the room of one LUT.
    pub lutram_bits_per_lut: u32,
}

impl RamFacts {
    /// Blocks for a simple dual port memory of `depth` words of `width` bits: the best of all column widths a block can
    /// be divided into (its widest port, halved again and again down to one lane).
    pub fn blocks(&self, width: u32, depth: u32) -> u32 {
        self.columns(self.max_width, width, depth)
    }

    /// The same with two ports that both take any address: these are half as wide.
    pub fn dual_blocks(&self, width: u32, depth: u32) -> u32 {
        self.columns(self.max_width / 2, width, depth)
    }

    fn columns(&self, widest: u32, width: u32, depth: u32) -> u32 {
        let mut best = u32::MAX;
        let mut column = widest;
        while column >= self.lane_bits {
            let rows = depth.div_ceil(self.block_bits / column).max(1);
            best = best.min(rows.saturating_mul(width.div_ceil(column)));
            column /= 2;
        }
        best
    }
}

/// How much time is left for long nets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Room {
    /// What small designs need.
    #[default]
    Usual,
    /// More for nets to many operations and to tiles, so that recurrences without such nets stay as they are, and a register in each
    /// segment of the launch-uniform values that several read.
    Some,
    /// More for all, and a register where a handshake would lead through a segment of wires.
    Most,
}

impl Room {
    /// What the names of datapaths that are made for it end with.
    pub fn suffix(self) -> &'static str {
        match self {
            Room::Usual => "",
            Room::Some => "_n",
            Room::Most => "_w",
        }
    }
}

/// Designs whose cells spread over so much of the device that their nets are longer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LargeDesigns {
    /// LUTs above which a design is one.
    luts: f64,
    /// [`Family::routing_margin`] of such designs, a share of the period.
    routing_margin: f64,
    /// What nets to multiplier tiles and from there take besides, ns: the tiles stand in a few rows only.
    tile_net_ns: f64,
    /// What a net to many or large operations takes besides, ns for each root of the LUTs that these take: as far apart are its ends.
    net_ns_per_root_lut: f64,
    /// What of that an operation's delay has already, ns.
    net_free_ns: f64,
    /// Most that a net takes besides, ns.
    net_most_ns: f64,
}

/// `delays.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FamilyFile {
    name: String,
    title: String,
    lut_inputs: u32,
    has_srl: bool,
    clock_overhead_ns: f64,
    #[serde(default)]
    routing_margin: f64,
    #[serde(default)]
    large: Option<LargeDesigns>,
    grades: BTreeMap<String, f64>,
    fanout: Fanout,
    delay_ns: OperatorCurves,
    lut: OperatorCurves,
    dsp: DspFile,
    ram: RamFacts,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fanout {
    free: u32,
    ns_per_decade: f64,
}

/// One curve an operator group; `mux` is over the number of inputs, all others are over the width.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperatorCurves {
    not: Curve,
    logic: Curve,
    reduce: Curve,
    add: Curve,
    addsub: Curve,
    eq: Curve,
    lt: Curve,
    minmax: Curve,
    shift: Curve,
    lzc: Curve,
    popcount: Curve,
    mux: MuxCurve,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MuxCurve {
    ways: Curve,
}

#[derive(Clone, Debug, Deserialize)]
struct DspFile {
    #[serde(flatten)]
    tile: DspTile,
    latency: u32,
    input_ns: f64,
    output_ns: f64,
    min_period_ns: f64,
}

impl OperatorCurves {
    /// The curve of an operator over its width; `None` for wires, products, RAM reads and multiplexers.
    fn by_width(&self, op: OpKind) -> Option<&Curve> {
        use OpKind::*;
        Some(match op {
            Not => &self.not,
            And | Or | Xor => &self.logic,
            Reduce => &self.reduce,
            Add | Sub | Neg => &self.add,
            AddSub => &self.addsub,
            CmpEq => &self.eq,
            CmpLt => &self.lt,
            MinMax => &self.minmax,
            Shl | LShr | AShr => &self.shift,
            Lzc => &self.lzc,
            Popcount => &self.popcount,
            Const
            | Slice
            | Concat
            | ZeroExt
            | SignExt
            | BitReverse
            | ConstShift
            | Mul
            | Mux { .. }
            | RamRead => return None,
        })
    }

    fn check(&self) -> Result<(), String> {
        for op in OpKind::ALL {
            if let Some(curve) = self.by_width(op) {
                curve.check().map_err(|e| format!("{op:?}: {e}"))?;
            }
        }
        self.mux.ways.check().map_err(|e| format!("mux: {e}"))
    }
}

impl FamilyFile {
    /// Reads the merged tables of a `delays.toml` and the family it inherits from. `path` names the file in errors.
    pub(crate) fn read(path: &str, table: toml::Table) -> Result<FamilyFile, TargetError> {
        let bad = |message: String| TargetError::BadFile { path: path.to_owned(), message };
        let file: FamilyFile =
            table.try_into().map_err(|e: toml::de::Error| bad(e.message().to_owned()))?;
        file.delay_ns.check().map_err(|e| bad(format!("delay_ns: {e}")))?;
        file.lut.check().map_err(|e| bad(format!("lut: {e}")))?;
        if file.ram.lane_bits == 0
            || file.ram.max_width < file.ram.lane_bits
            || file.ram.block_bits < file.ram.max_width
        {
            return Err(bad("ram: 0 < lane_bits <= max_width <= block_bits must hold".to_owned()));
        }
        let dsp = &file.dsp.tile;
        if dsp.a_unsigned == 0
            || dsp.b_unsigned == 0
            || dsp.a_signed < dsp.b_signed
            || dsp.a_unsigned < dsp.b_unsigned
        {
            return Err(bad("dsp: a is the wider operand, and none has 0 bits".to_owned()));
        }
        let nets = file.large.iter().flat_map(|large| {
            [large.tile_net_ns, large.net_ns_per_root_lut, large.net_free_ns, large.net_most_ns]
        });
        if let Some(ns) = nets.into_iter().find(|ns| !(0.0..f64::INFINITY).contains(ns)) {
            return Err(bad(format!("large: {ns} ns is no delay of a net")));
        }
        let margins = [Some(file.routing_margin), file.large.map(|large| large.routing_margin)];
        if let Some(margin) = margins.into_iter().flatten().find(|m| !(0.0..1.0).contains(m)) {
            return Err(bad(format!("routing_margin: {margin} is no share of a period")));
        }
        if let Some((grade, scale)) = file.grades.iter().find(|(_, s)| !s.is_finite() || **s <= 0.0)
        {
            return Err(bad(format!("grades: factor {scale} of grade {grade} is not positive")));
        }
        Ok(file)
    }

    /// The family at a speed grade.
    pub(crate) fn at_grade(self, grade: &str) -> Result<Family, TargetError> {
        let Some(&scale) = self.grades.get(grade) else {
            return Err(TargetError::UnknownGrade {
                family: self.name.clone(),
                grade: grade.to_owned(),
                known: self.grades.into_keys().collect(),
            });
        };
        let ram = RamFacts {
            input_ns: self.ram.input_ns * scale,
            output_ns: self.ram.output_ns * scale,
            min_period_ns: self.ram.min_period_ns * scale,
            ..self.ram
        };
        Ok(Family {
            name: self.name.clone(),
            title: self.title.clone(),
            grade: grade.to_owned(),
            lut_inputs: self.lut_inputs,
            has_srl: self.has_srl,
            clock_overhead_ns: self.clock_overhead_ns * scale,
            routing_margin: self.routing_margin,
            room: Room::Usual,
            tile: self.dsp.tile,
            ram,
            scale,
            data: self,
        })
    }
}

impl Family {
    /// The family in which every operator takes 1.0 ns and has no registers inside, for tests of schedulers.
    ///
    /// # Panics
    /// Never: the family's file is embedded, and a test of this crate reads it.
    pub fn unit() -> Family {
        crate::Library::builtin().family("unit", "1").expect("embedded and tested")
    }

    /// Delay of an operator in ns: of all of it when it is combinational, behind its last register otherwise
    /// ([`Timing::output_ns`]).
    pub fn delay_ns(&self, op: OpKind, width: u32) -> f64 {
        self.timing(op, width).output_ns
    }

    /// Whether a design of so many LUTs spreads over the device (`[large]` in `delays.toml`).
    pub fn is_large(&self, luts: f64) -> bool {
        self.data.large.is_some_and(|large| luts > large.luts)
    }

    /// The family as it is for designs that spread over the device, from most room for nets to less; none where nobody measured that.
    pub fn for_large(&self) -> Vec<Family> {
        let Some(large) = self.data.large else { return vec![] };
        let with = |room: Room, routing_margin: f64| {
            let mut family = Family { room, routing_margin, ..self.clone() };
            family.data.dsp.input_ns += large.tile_net_ns;
            family.data.dsp.output_ns += large.tile_net_ns;
            family
        };
        vec![with(Room::Most, large.routing_margin), with(Room::Some, self.routing_margin)]
    }

    /// What registers and long nets take of a clock period, ns.
    pub fn overhead_ns(&self, period_ns: f64) -> f64 {
        self.clock_overhead_ns + self.routing_margin * period_ns
    }

    /// Clock cycles inside an operator; 0 when it is combinational.
    pub fn latency(&self, op: OpKind, width: u32) -> u32 {
        self.timing(op, width).latency
    }

    /// Latency and delays of an operator. Never falls with the width.
    pub fn timing(&self, op: OpKind, width: u32) -> Timing {
        match op {
            OpKind::Mul => self.product_timing(width),
            OpKind::RamRead => Timing {
                latency: self.ram.read_latency,
                input_ns: self.ram.input_ns,
                output_ns: self.ram.output_ns,
                min_period_ns: self.ram.min_period_ns,
            },
            _ => {
                let ns = self.combinational_ns(op, width);
                Timing { latency: 0, input_ns: ns, output_ns: ns, min_period_ns: 0.0 }
            }
        }
    }

    /// Extra delay of a net with `sinks` sinks above the one that operator delays contain, ns: selects and enables.
    pub fn fanout_ns(&self, sinks: u32) -> f64 {
        let ratio = f64::from(sinks) / f64::from(self.data.fanout.free.max(1));
        if ratio <= 1.0 { 0.0 } else { self.scale * self.data.fanout.ns_per_decade * ratio.log10() }
    }

    /// Extra delay of a net to operations of so many LUTs above the one that operator delays contain, ns: none but in [`Self::for_large`].
    pub fn broadcast_ns(&self, luts: f64) -> f64 {
        let Some(large) = self.data.large.filter(|_| self.room != Room::Usual) else { return 0.0 };
        let ns = large.net_ns_per_root_lut * luts.max(0.0).sqrt() - large.net_free_ns;
        self.scale * ns.clamp(0.0, large.net_most_ns)
    }

    /// Resources of an operator. Never falls with the width.
    pub fn area(&self, op: OpKind, width: u32) -> Area {
        match op {
            OpKind::Mul => self.product_area(width),
            OpKind::Mux { ways } => {
                Area { lut: self.data.lut.mux.ways.at(ways) * f64::from(width), ..Area::default() }
            }
            // a RAM's area depends on its depth: RamFacts::blocks
            _ => Area {
                lut: self.data.lut.by_width(op).map_or(0.0, |c| c.at(width)),
                ..Area::default()
            },
        }
    }

    /// Shortest clock period at which this family's registered operators work, ns.
    pub fn min_period_ns(&self) -> f64 {
        self.ram.min_period_ns.max(self.data.dsp.min_period_ns * self.scale)
    }

    /// DSP tiles of a `width` by `width` product, schoolbook tiling.
    fn product_tiles(&self, width: u32) -> u32 {
        width.div_ceil(self.tile.a_unsigned) * width.div_ceil(self.tile.b_unsigned)
    }

    /// Levels of the adder tree behind the tiles of a product.
    fn product_adder_levels(&self, width: u32) -> u32 {
        self.product_tiles(width).max(1).next_power_of_two().ilog2()
    }

    fn product_timing(&self, width: u32) -> Timing {
        let dsp = &self.data.dsp;
        let tree = f64::from(self.product_adder_levels(width))
            * self.combinational_ns(OpKind::Add, 2 * width);
        let output_ns = dsp.output_ns * self.scale + tree;
        let input_ns = if dsp.latency == 0 { output_ns } else { dsp.input_ns * self.scale };
        Timing {
            latency: dsp.latency,
            input_ns,
            output_ns,
            min_period_ns: dsp.min_period_ns * self.scale,
        }
    }

    fn product_area(&self, width: u32) -> Area {
        let tiles = self.product_tiles(width);
        let adders = f64::from(tiles.saturating_sub(1));
        Area {
            lut: adders * self.data.lut.add.at(2 * width),
            dsp: f64::from(tiles),
            ..Area::default()
        }
    }

    fn combinational_ns(&self, op: OpKind, width: u32) -> f64 {
        let curves = &self.data.delay_ns;
        match op {
            OpKind::Mux { ways } => curves.mux.ways.at(ways) * self.scale + self.fanout_ns(width),
            _ => curves.by_width(op).map_or(0.0, |c| c.at(width)) * self.scale,
        }
    }
}
