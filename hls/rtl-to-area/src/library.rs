//! Areas of library modules, by their parameters. The constants were fitted to what yosys makes
//! of the modules of the test kernels for ECP5.

use crate::{luts, number, sum};
use rtl::{Connection, Expr, Instance, Param, Rom};
use target::{Area, Family};

/// Logic and state that do not depend on parameters much.
const CACHED_LOAD: Area = Area { lut: 260.0, ff: 262.0, dsp: 0.0, bram: 0.0 };
/// Operations that `clhls_atomic_alu` knows.
const OPERATIONS: u64 = 13;
/// Bits of a burst's address, length and id that are not constant: 32 address bits, a bus of 8 bytes.
const BURST_BITS: u64 = 45;
/// Inputs of a node in a tree of merges.
const FAN: u64 = 4;

/// What an instance takes; nothing for a module that is not in the list. `made` gives how many bits of an output are
/// read and not always zero; nothing where it is not connected.
pub(crate) fn area(
    instance: &Instance,
    family: &Family,
    made: &dyn Fn(&str) -> Option<u32>,
) -> Area {
    let sizes = Sizes { instance, family, made };
    let p = |name: &str, default: u64| sizes.param(name, default);
    match instance.module.as_str() {
        "clhls_fifo" => sizes.fifo(p("WIDTH", 32), p("DEPTH", 16)),
        "clhls_delay" => {
            let w = sizes.made_of(p("WIDTH", 32));
            Area { lut: 1.5 * w + 9.0, ff: w + 5.0, ..Area::default() }
        }
        "clhls_carry" => sizes.carry(p("WIDTH", 32), p("DISTANCE", 2)),
        "clhls_skid" => skid(sizes.made_of(p("WIDTH", 32))),
        "clhls_merge" | "clhls_merge_parked" | "clhls_merge_ordered" => {
            sizes.merge(p("N", 2), p("WIDTH", 32))
        }
        "clhls_pipe_ctl" => sizes.starter(),
        "clhls_loop_gate" | "clhls_loop_gates" => Area { lut: 26.0, ff: 11.0, ..Area::default() },
        "clhls_fork" => luts(6.0),
        "clhls_broadcast" | "clhls_gather" => luts(2.0 + 0.6 * p("N", 2) as f64),
        "clhls_queue" => sizes.queue(p("WIDTH", 32)),
        "clhls_fifo_ahead" => sizes.fifo(p("WIDTH", 32), p("DEPTH", 16).max(4)),
        "clhls_arbiter" | "clhls_parked_arbiter" => sizes.arbiter(p("N", 2)),
        "clhls_mul" => sizes.product(p("WA", 18), p("WB", 18)),
        "clhls_ram" => sizes.ram(p("WIDTH", 32), p("DEPTH", 512)),
        "clhls_ram_2rw" => sizes.ram_2rw(p("WIDTH", 32), p("DEPTH", 512)),
        "clhls_dispatcher" => sizes.dispatcher(),
        "clhls_axil_control" => sizes.control(),
        "clhls_perf" => luts(10.0),
        "clhls_load" => sizes.load(),
        "clhls_load_cached" => sizes.load_cached(),
        "clhls_load_share" => sizes.load_share(),
        "clhls_store" => sizes.store(),
        "clhls_realign_load" => sizes.realign_load(),
        "clhls_realign_store" => sizes.realign_store(),
        "clhls_fetch" => {
            let (n, word, address) = (p("N", 4), p("WIDTH", 32), p("ADDR_BITS", 64));
            Area {
                lut: 10.0 + 0.6 * n as f64,
                ff: (n * word + address + 12) as f64,
                ..Area::default()
            }
        }
        "clhls_axi_read_mux" => sizes.read_port(),
        "clhls_axi_write_mux" => sizes.write_port(),
        "clhls_local_mem" => sizes.local_memory(),
        "clhls_replicated_mem" => sizes.replicated_memory(),
        "clhls_timed_mem" => sizes.timed_memory(),
        "clhls_hazard_gate" => sizes.hazard_gate(),
        "clhls_barrier" => sizes.barrier(),
        "clhls_atomic" => sizes.atomic(),
        "clhls_pipe_reader" | "clhls_pipe_writer" => sizes.pipe_end(),
        "clhls_pipe_reserving_reader" | "clhls_pipe_reserving_writer" => {
            sizes.reserving_pipe_end(instance.module == "clhls_pipe_reserving_writer")
        }
        _ => Area::default(),
    }
}

/// Bits of a concatenation that are constants.
fn constant_bits(e: &Expr) -> u64 {
    match e {
        Expr::Const(width, _) => u64::from(*width),
        Expr::Concat(parts) => parts.iter().map(constant_bits).sum(),
        Expr::Repeat(times, e) => u64::from(*times) * constant_bits(e),
        _ => 0,
    }
}

/// Sixteen answers of so many bytes that wait to be taken, and their credits.
fn answers(bytes: f64) -> Area {
    Area { lut: 45.0 + 10.0 * bytes, ff: 20.0 + 8.0 * bytes, ..Area::default() }
}

/// Inputs of each node in a tree of merges with `n` inputs.
fn tree_nodes(mut n: u64) -> Vec<u64> {
    let mut nodes = vec![];
    loop {
        let count = n.div_ceil(FAN).max(1);
        nodes.extend((0..count).map(|k| (k + 1) * n / count - k * n / count));
        if count == 1 {
            return nodes;
        }
        n = count;
    }
}

fn skid(width: f64) -> Area {
    Area { lut: width + 4.0, ff: 2.0 * width + 4.0, ..Area::default() }
}

struct Sizes<'a> {
    instance: &'a Instance,
    family: &'a Family,
    made: &'a dyn Fn(&str) -> Option<u32>,
}

impl Sizes<'_> {
    fn param(&self, name: &str, default: u64) -> u64 {
        number(self.instance, name).unwrap_or(default)
    }

    /// Number of set bits of a vector of flags.
    fn ones(&self, name: &str, default: u64) -> f64 {
        match self.instance.params.get(name) {
            Some(Param::Bits(_, words)) => words.iter().map(|w| f64::from(w.count_ones())).sum(),
            Some(Param::Int(n)) => f64::from(n.count_ones()),
            _ => default as f64,
        }
    }

    /// The share of a word's bits that are read and not always zero, in units that pass words on.
    fn share(&self) -> f64 {
        let Some((output, _)) = crate::live::passes(self.instance) else { return 1.0 };
        match ((self.made)(output), self.param("WIDTH", 0)) {
            (Some(made), width @ 1..) => (f64::from(made) / width as f64).min(1.0),
            _ => 1.0,
        }
    }

    /// Of so many bits those that are made.
    fn made_of(&self, width: u64) -> f64 {
        width as f64 * self.share()
    }

    fn is_ecp5(&self) -> bool {
        self.family.name == "ecp5"
    }

    /// As `clhls_fifo` chooses.
    fn fifo(&self, width: u64, depth: u64) -> Area {
        self.late_fifo(width, depth, self.param("LATE", 0))
    }

    /// The same with its parameter LATE.
    fn late_fifo(&self, width: u64, depth: u64, late: u64) -> Area {
        let w = self.made_of(width);
        if depth <= 2 {
            return skid(w);
        }
        let deepest = match width {
            _ if !self.is_ecp5() => 65,
            0..18 => 65,
            18..32 => 33,
            _ => 17,
        };
        if depth > deepest {
            // Of tokens without contents only their number counts.
            let width = if w > 0.0 { width } else { 0 };
            let ring = self.ram(width, (depth - 3 - late).next_power_of_two());
            let ff = w * (1 + 2 * late) as f64 + (46 + 10 * late) as f64;
            return sum([ring, Area { lut: 55.0 + w, ff, ..Area::default() }]);
        }
        // Rows of distributed RAM, their multiplexer, and the bypass in front of the output.
        let words = (depth - 1).next_power_of_two() as f64;
        let rows = (words / f64::from(self.family.ram.lutram_depth)).ceil();
        let ram = if self.is_ecp5() { 1.5 * rows } else { words.max(32.0) / 45.0 };
        let mux = if self.is_ecp5() { (rows - 1.0) * 1.0 } else { 0.0 };
        Area { lut: 40.0 + w * (1.0 + ram + mux), ff: w + 21.0, ..Area::default() }
    }

    /// Sixteen words of distributed RAM, their pointers and what stands in front of the output.
    fn queue(&self, width: u64) -> Area {
        let w = self.made_of(width);
        let ram = if self.is_ecp5() { 1.5 } else { 32.0 / 45.0 };
        let output = if self.param("EARLY", 0) != 0 { 0.6 } else { 0.2 };
        Area { lut: 22.0 + (ram + output) * w, ff: 14.0, ..Area::default() }
    }

    /// Counters of work-groups and work-items, and those of what kernels ask for.
    fn dispatcher(&self) -> Area {
        let made = |ports: &[&str]| -> f64 {
            ports.iter().filter_map(|port| (self.made)(port)).map(f64::from).sum()
        };
        let global = made(&["m_global_id"]);
        let others = made(&[
            "m_slot",
            "m_lid",
            "m_lanes",
            "m_local_id",
            "m_group_id",
            "m_local_size",
            "m_global_linear",
            "m_local_linear",
            "group_size",
        ]);
        Area {
            lut: 810.0 + 5.8 * global + 1.6 * others,
            ff: 465.0 + 6.0 * global + 2.0 * others,
            ..Area::default()
        }
    }

    /// Rows of distributed RAM and their multiplexer, or block RAM; the multiplexer of the initial values, and the register.
    fn carry(&self, width: u64, distance: u64) -> Area {
        let w = self.made_of(width);
        if self.param("BLOCK", 0) != 0 {
            let control = Area { lut: 20.0 + w, ff: w + 25.0, ..Area::default() };
            return sum([self.ram(width, distance), control]);
        }
        let words = distance.next_power_of_two() as f64;
        let rows = (words / f64::from(self.family.ram.lutram_depth)).ceil();
        let ram = if self.is_ecp5() { 2.5 * rows - 1.0 } else { words.max(32.0) / 45.0 };
        let initial = if self.param("UNIFORM", 0) != 0 {
            1.0
        } else {
            1.0 + distance.saturating_sub(2) as f64 / 2.0
        };
        Area { lut: 20.0 + w * (ram + initial), ff: w + 10.0, ..Area::default() }
    }

    /// The queue, a place for the answer of each client, and who may do what.
    fn pipe_end(&self) -> Area {
        let n = self.param("N", 1);
        let queue = self.fifo(self.param("BITS", 32), self.param("DEPTH", 16));
        let answers = skid((n * self.param("WIDTH", 32)) as f64);
        let control =
            Area { lut: 40.0 + 12.0 * n as f64, ff: 16.0 + 2.0 * n as f64, ..Area::default() };
        sum([queue, answers, control])
    }

    /// A RAM of packets and one of marks, a queue for the answers of each client, counters and the choice among clients.
    fn reserving_pipe_end(&self, writes: bool) -> Area {
        let (n, bits) = (self.param("N", 3), self.param("BITS", 32));
        let slots = self.param("DEPTH", 16).next_power_of_two().max(4);
        let position = u64::from(slots.ilog2());
        let mut parts = vec![self.ram(bits, slots), self.ram(position + 1, slots)];
        // A writer answers with reservations and counts, a reader half of the time with packets.
        let answer = if writes { position + 1 } else { (bits + 2 * position).div_ceil(2) };
        parts.extend((0..n).map(|_| self.fifo(answer, 5)));
        parts.extend(writes.then(|| self.fifo(bits, 5)));
        let (n, position) = (n as f64, position as f64);
        let written = if writes { bits as f64 } else { 0.0 };
        let choice = (n / 2.0).ceil() * (32.0 + 2.0 * position + written);
        parts.push(Area {
            lut: 40.0 + 14.0 * n + 14.0 * position + choice,
            ff: 40.0 + 12.0 * n + 9.0 * position + written,
            ..Area::default()
        });
        sum(parts)
    }

    fn ram(&self, width: u64, depth: u64) -> Area {
        let (width, depth) = (width as u32, depth as u32);
        if u64::from(width) * u64::from(depth) < Rom::SMALL_BITS && !self.is_ecp5() {
            return luts(f64::from(width));
        }
        Area { bram: f64::from(self.family.ram.blocks(width, depth)), ..Area::default() }
    }

    /// A true dual port RAM: a block's ports are at most half as wide.
    fn ram_2rw(&self, width: u64, depth: u64) -> Area {
        let half = (self.family.ram.max_width / 2).max(1);
        let column = u64::from(self.family.ram.block_bits / half);
        if depth > column {
            return self.ram(width, depth);
        }
        Area { bram: (width as u32).div_ceil(half).into(), ..Area::default() }
    }

    fn merge(&self, inputs: u64, width: u64) -> Area {
        let width = self.made_of(width);
        let select = (inputs as f64 / 2.0).ceil() * width;
        sum([skid(width), luts(select), self.arbiter(inputs)])
    }

    fn merge_tree(&self, inputs: u64, width: u64) -> Area {
        sum(tree_nodes(inputs).into_iter().map(|n| self.merge(n, width)))
    }

    /// Addresses through a tree, and a register for what comes back.
    fn read_port(&self) -> Area {
        let (n, bus) = (self.param("N", 1), self.param("DATA_BYTES", 64));
        let back = Area { lut: n as f64, ff: (8 * bus + n) as f64, ..Area::default() };
        sum([self.merge_tree(n, BURST_BITS), back])
    }

    /// Addresses and data through a tree; each node keeps the order of its bursts.
    fn write_port(&self) -> Area {
        let (n, beat) = (self.param("N", 1), 9 * self.param("DATA_BYTES", 64) + 1);
        let ahead = self.param("AHEAD", 16);
        let node =
            |n: u64| sum([self.merge(n, BURST_BITS), self.merge(n, beat), self.fifo(n, ahead)]);
        sum(tree_nodes(n).into_iter().map(node))
    }

    fn arbiter(&self, inputs: u64) -> Area {
        Area { lut: 4.0 * inputs as f64, ff: inputs as f64, ..Area::default() }
    }

    fn product(&self, a: u64, b: u64) -> Area {
        let tile = &self.family.tile;
        let fits =
            |x: u64, y: u64| x <= u64::from(tile.a_unsigned) && y <= u64::from(tile.b_unsigned);
        if fits(a, b) || fits(b, a) {
            return Area { dsp: 1.0, ..Area::default() };
        }
        self.family.area(target::OpKind::Mul, a.max(b) as u32)
    }

    /// A register for each bit of the arguments that is read, the counters, and a copy to read back.
    fn control(&self) -> Area {
        let all = self.param("ARG_WORDS", 4);
        let words = self.ones("WORD_MASK", all);
        let copy = self.ram(32, (all + 4).next_power_of_two());
        let bits = (self.made)("args").map_or(32.0 * words, f64::from);
        sum([Area { lut: 575.0, ff: 300.0 + bits, ..Area::default() }, copy])
    }

    /// Credits, valid bits, counters of interval and window.
    fn starter(&self) -> Area {
        let p = |name: &str| self.param(name, 1).max(1) as f64;
        let counters =
            if p("II") > 1.0 { (p("II").log2() + p("WINDOW").log2()).ceil() } else { 0.0 };
        let others = p("EXITS") - 1.0;
        Area {
            lut: 10.0 + 11.0 * others + counters,
            ff: 7.0 + p("LATENCY") + 6.6 * others + counters,
            ..Area::default()
        }
    }

    fn load(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let (bus, bytes) = (p("BUS_BYTES", 64), p("BYTES", 4));
        let lanes = (bus / bytes.max(1)).max(1) as f64;
        let align = 8.0 * bytes as f64 * lanes / 2.0;
        let waiting = self.fifo(1 + p("PARTS", 1) + u64::from(bus.ilog2()), p("DEPTH", 128));
        let beats = self.ram(8 * bus, p("DEPTH_BEATS", 128).max(8).next_power_of_two());
        let bytes = bytes as f64;
        let response = answers(bytes);
        let address = self.device_bits();
        let lut = 100.0 + 4.7 * address - if p("LINE_WAIT", 16) == 0 { 25.0 } else { 0.0 };
        let own = Area { lut, ff: 59.0 + 6.75 * address, ..Area::default() };
        sum([own, luts(align), waiting, beats, response])
    }

    /// Bits of an address that a unit works with.
    fn device_bits(&self) -> f64 {
        self.param("DEVICE_BITS", 64).min(self.param("ADDR_BITS", 64)) as f64
    }

    /// Both rotations and the choice between two windows; measured with yosys on ECP5.
    fn realign_load(&self) -> Area {
        let Realigned { bits, window, parts, places } = self.realigned();
        let address = self.device_bits();
        let pending = self.fifo(4 + u64::from(places.ilog2()) + parts, self.param("DEPTH", 128));
        let offset = places.ilog2();
        let fine = if places > 4 { offset.div_ceil(2) } else { 0 };
        // What the first rotation leaves for the second.
        let between = bits / parts as f64 * (parts + (1 << fine) - 1).min(places) as f64;
        let register = if fine > 0 { between } else { 0.0 };
        let own = Area {
            lut: between * (1.5 + 1.4 * f64::from(offset - fine))
                + bits * (1.0 + 1.4 * f64::from(fine))
                + 5.0 * address,
            ff: 2.0 * window + register + 2.0 * bits + 7.0 * address + 6.0 * parts as f64,
            ..Area::default()
        };
        sum([own, pending])
    }

    /// Rotation and collecting; measured with yosys on ECP5.
    fn realign_store(&self) -> Area {
        let Realigned { bits, window, parts, places } = self.realigned();
        let address = self.device_bits();
        let counts = match self.param("ACK", 1) {
            0 => Area::default(),
            _ => self.fifo(4, self.param("DEPTH", 128)),
        };
        let words = if parts > 4 { 4.0 } else { 3.0 };
        let own = Area {
            lut: 62.0 + 1.15 * bits * f64::from(parts.ilog2()) + 3.8 * window + 7.8 * address,
            ff: words * bits + 4.9 * window + 9.8 * address + 14.0 * places as f64,
            ..Area::default()
        };
        sum([own, counts])
    }

    fn realigned(&self) -> Realigned {
        let (bytes, parts) = (self.param("BYTES", 64), self.param("PARTS", 16));
        let window = self.param("WINDOW", bytes);
        let bits = |bytes: u64| 8.0 * bytes as f64;
        Realigned { bits: bits(bytes), window: bits(window), parts, places: parts * window / bytes }
    }

    fn load_cached(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let bytes = p("BYTES", 4);
        let word = bytes.max(p("BUS_BYTES", 64));
        let (lines, words) = (p("LINES", 64), p("LINES", 64) * p("LINE_BYTES", 64) / word);
        let tag = 1 + p("DEVICE_BITS", 64) - u64::from((lines * p("LINE_BYTES", 64)).ilog2());
        let align = 8.0 * bytes as f64 * (word / bytes.max(1)) as f64 / 2.0;
        let waiting = self.fifo(1 + p("PARTS", 1) + u64::from(words.ilog2()), p("DEPTH", 128));
        let room = p("DEPTH_BEATS", 128).max(16 * p("LINE_BYTES", 64) / word);
        let incoming = self.fifo(8 * word, room);
        // The words that come in beside those of the cache.
        let beside = Area { lut: 8.0 * word as f64, ff: 16.0 * word as f64, ..Area::default() };
        let memories = [self.ram(tag, lines), self.ram(8 * word, words)];
        sum([CACHED_LOAD, luts(align), waiting, incoming, beside, answers(bytes as f64)]
            .into_iter()
            .chain(memories))
    }

    fn load_share(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let (n, width) = (p("N", 4), p("WIDTH", 32));
        let queue = self.fifo(width, p("DEPTH", 64));
        let queues = (0..n).map(|_| queue);
        sum([self.merge_tree(n, p("ADDR_BITS", 64)), luts(60.0)].into_iter().chain(queues))
    }

    fn store(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let (bus, bytes) = (p("BUS_BYTES", 64), p("BYTES", 4));
        let merge = Area { lut: 9.0 * bus as f64, ff: 9.0 * bus as f64, ..Area::default() };
        let beats = self.late_fifo(9 * bus, p("DEPTH_BEATS", 32), self.is_ecp5().into());
        let answers = match p("ACK", 1) {
            0 => Area::default(),
            // Counters besides.
            _ => sum([
                self.fifo(1, p("DEPTH", 128)),
                Area { lut: 108.0, ff: 57.0, ..Area::default() },
            ]),
        };
        let address = self.device_bits();
        let lut = 105.0 + 4.7 * address - if p("LINE_WAIT", 16) == 0 { 25.0 } else { 0.0 };
        let ff = 66.0 + 9.4 * address + 9.0 * bytes as f64;
        let own = Area { lut, ff, ..Area::default() };
        sum([own, skid(9.0 * bytes as f64), merge, beats, answers])
    }

    /// Answers of `ports` clients of a memory on the chip, up to 17 each: counters, and for the bits that are read distributed RAM, the way
    /// around it, and what makes them 0 where nothing was accessed.
    fn answered(&self, ports: f64, bits: u64) -> Area {
        let read = (self.made)("m_data").map_or(ports * bits as f64, f64::from);
        let ram = if self.is_ecp5() { 1.5 } else { 32.0 / 45.0 };
        Area { lut: 26.0 * ports + (ram + 1.5) * read, ff: 21.0 * ports + read, ..Area::default() }
    }

    /// Bits of an input that are not constant, of `all`.
    fn varying(&self, port: &str, all: u64) -> f64 {
        let constant = match self.instance.ports.get(port) {
            Some(Connection::Input(e)) => constant_bits(e),
            _ => 0,
        };
        all.saturating_sub(constant) as f64
    }

    /// Two sides, or one of all clients where there are atomic operations: each selects one request of those that it serves.
    fn local_memory(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let bits = 8 * p("WORD_BYTES", 4);
        let (ports, words) = (p("PORTS", 2), p("WORDS", 1024).next_power_of_two());
        let (readers, writers) = (self.ones("READS", ports), self.ones("WRITES", ports));
        let (width, address) = (bits as f64, f64::from(words.ilog2()));
        let written = self.varying("s_data", ports * bits).min(writers * width);
        let select = 0.6 * (ports as f64 * address + written);
        let atomic = p("ATOMIC", 0) == 1;
        let own = if atomic {
            // Of the ALU's operations these are more than an addition.
            let more = (self.ones("OPS", OPERATIONS) - 3.0).clamp(0.0, 10.0);
            let lut = 10.5 * width + 0.8 * width * more;
            Area { lut, ff: 100.0 + (9.0 + 0.35 * more) * width, ..Area::default() }
        } else {
            let waits = p("SUBWORD", 0) != 0 && ports > 1;
            let stages = if waits { 2.0 } else { f64::from(u8::from(ports > 2)) };
            let sides = 2.0 * address + written.min(2.0 * width) + 8.0;
            let lut = if stages > 0.0 { 60.0 } else { 10.0 };
            Area { lut, ff: stages * sides + 4.0 * ports as f64, ..Area::default() }
        };
        let ram = if atomic { self.ram(bits, words) } else { self.ram_2rw(bits, words) };
        sum([own, luts(select), ram, self.answered(readers, bits)])
    }

    /// A simple dual port RAM for each replica, a register in front of each side, and the answers.
    fn replicated_memory(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let bits = 8 * p("WORD_BYTES", 4);
        let (ports, words) = (p("PORTS", 3), p("WORDS", 1024).next_power_of_two());
        let (stores, replicas) = (p("STORES", 1), p("REPLICAS", 2));
        let loads = ports.saturating_sub(stores);
        let address = u64::from(words.ilog2());
        // Each client is ready by its own count; those that share a side are chosen from.
        let turn = |clients: u64| if clients > 1 { 4.0 * clients as f64 } else { 0.0 };
        let choose = |clients: u64, bits: u64| clients.saturating_sub(1) as f64 * bits as f64 * 0.6;
        let written = address + bits + bits / 8;
        let store = Area {
            lut: 4.0 + turn(stores) + choose(stores, written),
            ff: written as f64 + 1.0,
            ..Area::default()
        };
        let shared = loads.saturating_sub(replicas);
        let load = Area {
            lut: choose(shared + 1, address) + turn(if shared > 0 { loads } else { 0 }),
            ff: (replicas * address + 6 * loads) as f64,
            ..Area::default()
        };
        // What is stored late, for loads that meet it.
        let collides = self.is_ecp5() && p("COLLIDES", 1) != 0;
        let beside = match collides {
            true => Area {
                lut: 12.0 * replicas as f64,
                ff: (written + 2 * bits + 8 * replicas) as f64,
                ..Area::default()
            },
            false => Area::default(),
        };
        // Stores are answered without a word.
        let answering = self.ones("READS", ports);
        let told = (answering - loads as f64).max(0.0);
        let loaded = self.answered(answering - told, bits);
        let told = Area { lut: 26.0 * told, ff: 21.0 * told, ..Area::default() };
        let rams = (0..replicas).map(|_| self.ram(bits, words));
        sum([store, load, beside, loaded, told].into_iter().chain(rams))
    }

    /// The RAMs, and what chooses among those that access a port: an address each, and where there may be stores a word, as if all did.
    fn timed_memory(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let bits = 8 * p("WORD_BYTES", 4);
        let (clients, words) = (p("CLIENTS", 2), p("WORDS", 1024).next_power_of_two());
        let (replicas, address) = (p("REPLICAS", 0), u64::from(words.ilog2()));
        let ports = if replicas > 0 { 1 + replicas } else { 2 };
        let parts = if p("PARTS", 0) != 0 { bits / 8 } else { 1 };
        let each = clients.div_ceil(ports).saturating_sub(1).max(1);
        let written = if replicas > 0 { 1 } else { ports };
        let chosen = each * (ports * address + written * (bits + parts));
        let choose = luts(chosen as f64);
        let staged = p("STAGED", 0) * ports * (address + bits + 1);
        let registers = Area { ff: staged as f64, ..Area::default() };
        let rams: Vec<Area> = match replicas {
            0 => vec![self.ram_2rw(bits, words)],
            n => (0..n).map(|_| self.ram(bits, words)).collect(),
        };
        let late = self.is_ecp5() && replicas > 0 && p("PARTS", 0) != 0;
        let beside = match late {
            true => Area {
                lut: (replicas * (bits + 12)) as f64,
                ff: (address + 3 * bits + parts * (1 + 2 * replicas)) as f64,
                ..Area::default()
            },
            false => Area::default(),
        };
        sum([choose, registers, beside].into_iter().chain(rams))
    }

    /// A token, and of each pair a key and a comparator for each cycle of its window.
    fn hazard_gate(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let (width, pairs, key) = (p("WIDTH", 8), p("PAIRS", 1), p("KEY", 8));
        let windows = match self.instance.params.get("WINDOW") {
            Some(Param::Bits(_, words)) => {
                let of_word = |w: &u64| (0..4).map(|k| w >> (16 * k) & 0xffff).sum::<u64>();
                words.iter().map(of_word).sum()
            }
            Some(Param::Int(n)) => *n,
            _ => 4 * pairs,
        };
        let places = windows.saturating_sub(pairs);
        let compare = places * (key.div_ceil(2) + 4);
        let registers = width + 1 + places * (key + 2) + pairs * (key + 1);
        Area { lut: (compare + 3 * pairs + 3) as f64, ff: registers as f64, ..Area::default() }
    }

    fn barrier(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let width = p("WIDTH", 32);
        let context = self.ram(width, 1 << (p("SLOT_BITS", 1) + p("LID_BITS", 8)));
        let out = self.fifo(width + p("SLOT_BITS", 1) + p("LID_BITS", 8), 17);
        let slots = p("SLOTS", 2) as f64;
        sum([
            context,
            out,
            Area {
                lut: 100.0 + 28.0 * slots,
                ff: 36.0 + 21.0 * slots + width as f64,
                ..Area::default()
            },
        ])
    }

    fn atomic(&self) -> Area {
        let p = |name: &str, default: u64| self.param(name, default);
        let (bus, n) = (p("BUS_BYTES", 64), p("N", 1) as f64);
        let bits = 8 * p("BYTES", 4);
        // The ALU's operations that do not occur, with their operands.
        let missing = OPERATIONS as f64 - self.ones("OPS", OPERATIONS).min(OPERATIONS as f64);
        let mut area = Area {
            lut: 740.0 + 20.0 * n - 42.0 * missing,
            ff: 580.0 + 25.0 * n - 26.0 * missing,
            ..Area::default()
        };
        if p("EXCLUSIVE", 0) > 0 {
            let (lines, block) = (p("LINES", 16), p("BLOCK", 8));
            // Tags of blocks and, where lines are written back, a bit for each lane, in distributed RAM; the line that goes back.
            let back = p("EXCLUSIVE", 0) == 2;
            let lanes = if back { 8 * bus / bits } else { 0 };
            // ECP5's rows are of 16 words of four bits: of a lane one is used.
            let (tag_bit, lane_bit) =
                if self.is_ecp5() { (0.15, 0.4) } else { (1.0 / 32.0, 1.0 / 32.0) };
            let tags = 25.0 * (lines / block) as f64;
            let distributed = tag_bit * tags + lane_bit * (lanes * lines) as f64;
            area.lut += 410.0 + 150.0 * n + 8.0 * bus as f64 + distributed - 5.0 * missing;
            area.ff += 520.0 + 55.0 * n + 8.0 * bus as f64 - 14.0 * missing;
            area = sum([area, self.ram(8 * bus, lines)]);
            if !back {
                area = sum([
                    area,
                    self.fifo(bits + 40, 128),
                    self.fifo(32, 128),
                    self.fifo(bits, 128),
                ]);
            }
        }
        area
    }
}

/// Sizes of accesses that are put together from aligned windows.
struct Realigned {
    /// Of an access.
    bits: f64,
    /// Bits of a window.
    window: f64,
    /// Of an access.
    parts: u64,
    /// Parts of a window.
    places: u64,
}
