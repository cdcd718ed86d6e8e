//! The form that the hardware back end takes. [`check`] states it; the optimiser ends with it.

use base::entity::SecondaryMap;
use base::{Diagnostic, Diagnostics, Loc};
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function, Inst, Op, Space, Terminator, Type};

/// Checks that a kernel has the form that the hardware back end takes:
///
/// * one function without calls; every block reachable; the entry without predecessors;
/// * no vector values;
/// * each access reads or writes a scalar of 1, 2, 4, 8 or 16 bytes, aligned to its size, in a
///   known address space;
/// * blocks end in jumps, two-way branches or returns; at most one block returns;
/// * no critical edges; a reducible loop is entered from one block that only jumps to its header;
/// * a barrier is the first instruction of its block.
///
/// The error lists everything found (code `E0305`: a defect of clhls).
pub fn check(func: &Function) -> Result<(), Diagnostics> {
    let mut c = Checker { func, errors: vec![] };
    c.function();
    if c.errors.is_empty() { Ok(()) } else { Err(Diagnostics(c.errors)) }
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
        if let Some(ty) = result {
            self.scalar(ty, d.loc, &format!("the result of {inst} ({:?})", d.op));
        }
        match d.op {
            Op::Call(_) => self.fail(d.loc, format!("{inst} is a call")),
            Op::Barrier(..) if position != 0 => {
                self.fail(d.loc, format!("{inst} is a barrier inside a block"));
            }
            Op::Load(flags) | Op::Store(flags) | Op::Atomic(_, flags) => {
                let ty = match d.op {
                    Op::Store(_) => func.ty(d.args[1]),
                    _ => result.unwrap_or(Type::BOOL),
                };
                let (bits, bytes) = (ty.bits(func.addr_bits), ty.mem_bytes(func.addr_bits));
                if bits != bytes * 8 || !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
                    self.fail(d.loc, format!("{inst} accesses {ty}"));
                }
                if flags.align() < bytes {
                    let align = flags.align();
                    self.fail(d.loc, format!("{inst} accesses {ty} aligned to {align}"));
                }
                if func.ty(d.args[0]).space() == Some(Space::Generic) {
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
