//! Pipes: counts attempts that a work-item makes without doing anything else, so that endless ones come to an end.

use super::Lower;
use crate::company::{BETWEEN, refused};
use crate::context::{self, Field};
use abi::pipe::{field, place};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use ir::{Function, InstData, KernelArgKind, Op, Value, ValueDef};

/// Whether a kernel has pipes, which are all in memory here.
fn has_pipes(func: &Function) -> bool {
    let args = func.kernel.iter().flat_map(|k| &k.args);
    args.into_iter().any(|a| matches!(a.kind, KernelArgKind::Pipe(_)))
}

impl Lower<'_, '_, '_> {
    /// Behind an atomic operation: an attempt at a pipe, or else something that others can see.
    pub(super) fn note_atomic(&mut self, pointer: Value, data: &InstData) {
        if !has_pipes(self.kernel.func) {
            return;
        }
        match self.credit_of(pointer) {
            Some(arg) => self.count_attempt(arg, data),
            None => self.advance(),
        }
    }

    /// The work-item has done something that others can see, whatever it was.
    pub(super) fn advance(&mut self) {
        if has_pipes(self.kernel.func) {
            let most = self.field(Field::MostPolls);
            self.set_field(Field::Polls, most);
        }
    }

    /// The pipe argument whose credit a pointer leads to. An attempt at a pipe begins with an atomic operation on that word, and
    /// one that succeeds goes on to others.
    fn credit_of(&self, pointer: Value) -> Option<u32> {
        let func = self.frame.func;
        if !std::ptr::eq(func, self.kernel.func) {
            return None;
        }
        let (mut at, mut bytes) = (pointer, 0);
        loop {
            let ValueDef::Inst(inst) = func.values[at].def else { return None };
            let data = &func.insts[inst];
            match data.op {
                Op::PtrAdd => {
                    bytes += func.as_const(data.args[1])?;
                    at = data.args[0];
                }
                Op::Arg { index, offset } if offset == field::ADDRESS => {
                    let sides = [place::WRITERS, place::READERS];
                    let is_credit = sides.iter().any(|s| bytes == u128::from(s + place::CREDIT));
                    let args = func.kernel.as_ref().map_or(&[][..], |k| &k.args);
                    let arg = args.get(index as usize)?;
                    let is_pipe = matches!(arg.kind, KernelArgKind::Pipe(_));
                    return (is_pipe && is_credit).then_some(index);
                }
                _ => return None,
            }
        }
    }

    /// One attempt less. Asks now and then, and when it was the last, whether to go on.
    fn count_attempt(&mut self, arg: u32, data: &InstData) {
        let flags = MemFlagsData::trusted();
        let left = self.b.ins().load(types::I64, flags, self.context, Field::Polls.offset());
        let one = self.iconst(types::I64, 1);
        let left = self.b.ins().isub(left, one);
        self.set_field(Field::Polls, left);
        let (ask, over, on) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let mask = self.iconst(types::I64, BETWEEN.into());
        let low = self.b.ins().band(left, mask);
        let now = self.b.ins().icmp_imm_s(IntCC::Equal, low, 0);
        self.b.ins().brif(now, ask, &[], on, &[]);
        self.b.set_cold_block(ask);
        self.b.switch_to_block(ask);
        let function = refused as *const () as usize;
        let may = self.call_runtime(function, &[self.context], Some(types::I8));
        let may = may.unwrap_or(low);
        self.b.ins().brif(may, on, &[], over, &[]);
        self.b.set_cold_block(over);
        self.b.switch_to_block(over);
        let number = self.unit.places.polls.len();
        self.unit.places.polls.push((arg, data.loc));
        let number = self.iconst(types::I64, number as u128);
        self.set_field(Field::Other, number);
        self.note_item();
        self.give_back(context::POLLS);
        self.b.switch_to_block(on);
    }
}
