//! The form that the hardware back end takes. [`check`] states it; the optimiser ends with it.

use base::entity::SecondaryMap;
use base::{Diagnostic, Diagnostics, Loc};
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function, Inst, Op, Space, Terminator, Type};

/// Checks that a kernel has the form that the hardware back end takes:
///
/// * one function without calls; every block reachable; the entry without predecessors;
/// * no vector values but words of memory ([`is_word`]), which only `vec.extract` takes apart
///   and `vec.build` puts together;
/// * each access reads or writes a word in a known address space, aligned to its size unless it is a
///   plain load or store of device memory; only accesses to device memory have masks;
/// * blocks end in jumps, two-way branches or returns; at most one block returns;
/// * no critical edges; a reducible loop is entered from one block that only jumps to its header;
/// * a barrier is the first instruction of its block, and the work-group's.
///
/// The error lists everything found (code `E0305`: a defect of clhls).
pub fn check(func: &Function) -> Result<(), Diagnostics> {
    let mut c = Checker { func, errors: vec![] };
    c.function();
    if c.errors.is_empty() { Ok(()) } else { Err(Diagnostics(c.errors)) }
}

/// Bytes of the widest word in device memory: the widest bus of a board.
pub const DEVICE_WORD: u32 = 64;
/// Bytes of the widest word on the chip.
pub const ON_CHIP_WORD: u32 = 16;

/// Bytes of the widest word in `space`.
pub fn widest_word(space: Space) -> u32 {
    match space {
        Space::Global | Space::Constant => DEVICE_WORD,
        _ => ON_CHIP_WORD,
    }
}

/// The type of a word of `bytes` bytes, a power of two: an integer, or above 16 bytes a vector of
/// 128-bit integers.
pub fn word_type(bytes: u32) -> Type {
    match bytes {
        0..=16 => Type::int(8 * bytes),
        _ => Type::int(128).with_lanes((bytes / 16) as u8),
    }
}

/// Whether values of type `ty` are words that one access to `space` can read or write.
pub fn is_word(ty: Type, space: Space, addr_bits: u32) -> bool {
    let (bits, bytes) = (ty.bits(addr_bits), ty.mem_bytes(addr_bits));
    bytes.is_power_of_two()
        && bits == 8 * bytes
        && bytes <= widest_word(space)
        && (!ty.is_vector() || ty == word_type(bytes))
}

/// Whether values of type `ty` are wide packets of a connected pipe.
fn is_packet(ty: Type) -> bool {
    ty.is_vector() && ir::pipe::packet_type(16 * u32::from(ty.lanes)) == ty
}

struct Checker<'f> {
    func: &'f Function,
    errors: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn fail(&mut self, loc: Loc, what: String) {
        let text = format!("`{}` is not in hardware form: {what}", self.func.name);
        self.errors.push(Diagnostic::error("E0305", text).at(loc));
    }

    fn function(&mut self) {
        let func = self.func;
        let cfg = Cfg::new(func);
        if func.kernel.is_none() {
            self.fail(func.loc, "it is no kernel".into());
        }
        if !cfg.preds[func.entry()].is_empty() {
            self.fail(func.loc, "the entry has predecessors".into());
        }
        let mut returns = 0;
        for &b in &func.layout {
            if !cfg.is_reachable(b) {
                self.fail(func.blocks[b].term_loc, format!("{b} cannot be reached"));
            }
            returns += usize::from(matches!(func.blocks[b].term, Terminator::Return(_)));
            self.block(&cfg, b);
        }
        if returns > 1 {
            self.fail(func.loc, format!("{returns} blocks return"));
        }
        self.loops(&cfg);
    }

    fn block(&mut self, cfg: &Cfg, b: Block) {
        let func = self.func;
        let data = &func.blocks[b];
        for &p in &data.params {
            self.scalar(func.ty(p), data.term_loc, &format!("parameter {p} of {b}"));
        }
        for (k, &i) in data.insts.iter().enumerate() {
            self.inst(i, k);
        }
        if matches!(data.term, Terminator::Switch { .. }) {
            self.fail(data.term_loc, format!("{b} ends in a switch"));
        }
        if cfg.succs[b].len() > 1 {
            for s in &cfg.succs[b] {
                if cfg.preds[*s].len() > 1 {
                    self.fail(data.term_loc, format!("the edge from {b} to {s} is critical"));
                }
            }
        }
    }

    fn scalar(&mut self, ty: Type, loc: Loc, what: &str) {
        if ty.is_vector() {
            self.fail(loc, format!("{what} is a vector, {ty}"));
        }
    }

    fn inst(&mut self, inst: Inst, position: usize) {
        let func = self.func;
        let d = &func.insts[inst];
        let result = d.result.map(|r| func.ty(r));
        let makes_words = matches!(d.op, Op::Load(_) | Op::Pipe { .. } | Op::VecBuild);
        let is_word = |ty| is_word(ty, Space::Global, func.addr_bits) || is_packet(ty);
        if let Some(ty) = result
            && !(makes_words && is_word(ty))
        {
            self.scalar(ty, d.loc, &format!("the result of {inst} ({:?})", d.op));
        }
        match d.op {
            Op::Call(_) => self.fail(d.loc, format!("{inst} is a call")),
            Op::SubGroup(_) => {
                self.fail(d.loc, format!("{inst} is a function of sub-groups"));
            }
            Op::Barrier(..) if position != 0 => {
                self.fail(d.loc, format!("{inst} is a barrier inside a block"));
            }
            Op::Load(flags) | Op::Store(flags) | Op::Atomic(_, flags) => {
                let ty = match d.op {
                    Op::Store(_) => func.ty(d.args[1]),
                    _ => result.unwrap_or(Type::BOOL),
                };
                let bytes = ty.mem_bytes(func.addr_bits);
                let space = func.ty(d.args[0]).space().unwrap_or(Space::Generic);
                if !crate::legal::is_word(ty, space, func.addr_bits) {
                    self.fail(d.loc, format!("{inst} accesses {ty}"));
                }
                let mask = d.args.last().filter(|_| flags.predicated).map_or(1, |p| func.bits(*p));
                if mask > 1 && widest_word(space) != DEVICE_WORD {
                    self.fail(d.loc, format!("{inst} has a mask on the chip"));
                }
                let plain = !matches!(d.op, Op::Atomic(..)) && !flags.volatile;
                let anywhere = plain && widest_word(space) == DEVICE_WORD;
                if flags.align() < bytes && !anywhere {
                    let align = flags.align();
                    self.fail(d.loc, format!("{inst} accesses {ty} aligned to {align}"));
                }
                if space == Space::Generic {
                    self.fail(d.loc, format!("{inst} accesses generic memory"));
                }
            }
            _ => {}
        }
    }

    fn loops(&mut self, cfg: &Cfg) {
        let loops = Loops::new(self.func, cfg);
        for data in loops.loops.values() {
            if !data.is_reducible() {
                continue;
            }
            let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
            data.blocks.iter().for_each(|b| inside[*b] = true);
            let entering: Vec<Block> =
                cfg.preds[data.header].iter().copied().filter(|p| !inside[*p]).collect();
            let dedicated = entering.len() == 1 && cfg.succs[entering[0]].len() == 1;
            if !dedicated {
                let loc = self.func.blocks[data.header].term_loc;
                self.fail(loc, format!("the loop at {} has no preheader", data.header));
            }
        }
    }
}
