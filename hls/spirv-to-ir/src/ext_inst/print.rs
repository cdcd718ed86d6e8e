//! `printf`: a record of the arguments in the buffer that the host reads after the launch (`abi::print`).

use super::Table;
use crate::decode::{Id, Inst};
use crate::errors::{R, UNSUPPORTED_EXT, error};
use crate::lower::Lower;
use crate::types::memory_type;
use abi::print::{BUFFER_BYTES, PrintArg, PrintFormat, RECORDS, conversions};
use ir::{AtomicOp, IntCC, MemFlags, ObjectKind, Op, Type, Value};
use rspirv::spirv::OpenclStd100Op as Std;

/// Most bytes of a string that is no literal: one without an end must not fill the buffer.
const MOST_BYTES: u64 = 4096;

pub(super) const TABLE: Table = &[(Std::printf, |l, i| l.ext_printf(i))];

/// What a record is made of.
struct Record {
    args: Vec<PrintArg>,
    /// Values that stand in it, or the addresses of strings, by argument.
    values: Vec<Option<Value>>,
}

impl<'a> Lower<'a, '_, '_> {
    fn ext_printf(&mut self, inst: &Inst<'a>) -> R<()> {
        let result = self.result_type(inst)?;
        self.check(result == Type::I32, inst, "its result is not an integer of 32 bits")?;
        let Some(format) = self.literal(inst.arg(0)?)? else {
            let e = error(UNSUPPORTED_EXT, "the format of `printf` is not a string literal");
            return Err(Box::new(e.help(
                "choose between calls of `printf`, not between strings; text that is known when the kernel runs is an argument for `%s`",
            )));
        };
        let record = self.record(inst, &format)?;
        let lengths = self.string_lengths(&record);
        let format = PrintFormat { format, args: record.args };
        let (places, fixed) = format.places();
        let number = self.link.print_format(format);
        let v = self.write_record(number, &places, fixed, &record.values, &lengths);
        self.set(inst, v)
    }

    /// The arguments of a call, in the conversions of its format.
    fn record(&mut self, inst: &Inst<'a>, format: &str) -> R<Record> {
        let letters = conversions(format);
        let mut record = Record { args: vec![], values: vec![] };
        for (k, &id) in inst.args[1..].iter().enumerate() {
            let is_string = letters.get(k) == Some(&'s');
            let (arg, value) = match self.literal(id)? {
                Some(text) if is_string => (PrintArg::Text(text), None),
                _ => self.printed_value(inst, id, is_string)?,
            };
            record.args.push(arg);
            record.values.push(value);
        }
        Ok(record)
    }

    fn printed_value(
        &mut self,
        inst: &Inst<'a>,
        id: Id,
        is_string: bool,
    ) -> R<(PrintArg, Option<Value>)> {
        let v = self.one(id)?;
        let ty = self.ty(v);
        if ty.space().is_some() {
            if is_string {
                return Ok((PrintArg::String, Some(v)));
            }
            let size = self.b.size_type();
            let bits = self.b.value(Op::PtrToInt, [v], size);
            let bits = self.b.zext_or_trunc(bits, 64);
            return Ok((PrintArg::Value { bytes: 8, lanes: 1, float: false }, Some(bits)));
        }
        let v = self.stored(v);
        let bytes = memory_type(ty).lane().mem_bytes(0);
        self.check(bytes <= 8, inst, "an argument has more than 64 bits")?;
        let arg = PrintArg::Value { bytes, lanes: ty.lanes.into(), float: ty.is_float() };
        Ok((arg, Some(v)))
    }

    /// The string literal that a pointer is known to point to. What is not UTF-8 is none.
    fn literal(&mut self, id: Id) -> R<Option<String>> {
        let (mut v, mut offset) = (self.one(id)?, 0u64);
        while let Some(inst) = self.b.func.def_inst(v) {
            let inst = &self.b.func.insts[inst];
            match inst.op {
                Op::SpaceCast => v = inst.args[0],
                Op::PtrAdd => {
                    let Some(bytes) = self.b.func.as_const(inst.args[1]) else { return Ok(None) };
                    offset = offset.wrapping_add(bytes as u64);
                    v = inst.args[0];
                }
                Op::ObjAddr(object) => {
                    let ObjectKind::Global(global) = self.b.func.objects[object].kind else {
                        return Ok(None);
                    };
                    let Some(bytes) = self.link.constant_bytes(global)? else { return Ok(None) };
                    let start = usize::try_from(offset).unwrap_or(usize::MAX);
                    let text = bytes.get(start..).unwrap_or_default();
                    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
                    return Ok(String::from_utf8(text[..end].to_vec()).ok());
                }
                Op::Const(0) => return Ok(Some("(null)".into())),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The lengths of strings that are no literals.
    fn string_lengths(&mut self, record: &Record) -> Vec<Option<Value>> {
        let strings = record.args.iter().map(|arg| *arg == PrintArg::String);
        let of = strings.zip(&record.values).map(|(is_string, v)| v.filter(|_| is_string));
        of.map(|v| v.map(|start| self.string_length(start))).collect()
    }

    /// Bytes before the end of a string, at most [`MOST_BYTES`]; 0 of a null pointer.
    fn string_length(&mut self, start: Value) -> Value {
        let size = self.b.size_type();
        let [head, look, next, done] = [(); 4].map(|()| self.b.func.add_block());
        let at = self.b.func.add_param(head, size);
        let zero = self.b.size(0);
        let null = self.like(start, 0);
        let exists = self.b.icmp(IntCC::Ne, start, null);
        let most = self.b.size(MOST_BYTES);
        let most = self.b.select(exists, most, zero);
        self.b.jump(head, [zero]);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCC::Ult, at, most);
        self.b.branch(more, look, done);
        self.b.switch_to(look);
        let place = self.b.ptr_add(start, at);
        let byte = self.b.load(Type::I8, place, MemFlags::aligned(1));
        let nul = self.like(byte, 0);
        let goes_on = self.b.icmp(IntCC::Ne, byte, nul);
        self.b.branch(goes_on, next, done);
        self.b.switch_to(next);
        let one = self.b.size(1);
        let after = self.b.binary(Op::Add, at, one);
        self.b.jump(head, [after]);
        self.b.switch_to(done);
        at
    }

    /// Reserves room and writes the record if there is some; what `printf` gives.
    fn write_record(
        &mut self,
        number: u32,
        places: &[u32],
        fixed: u32,
        values: &[Option<Value>],
        lengths: &[Option<Value>],
    ) -> Value {
        let wide = Type::int(64);
        let mut end = self.b.size(fixed.into());
        for length in lengths.iter().flatten() {
            end = self.b.binary(Op::Add, end, *length);
        }
        let (seven, mask) = (self.b.size(7), self.like(end, u128::MAX << 3));
        let rounded = self.b.binary(Op::Add, end, seven);
        let bytes = self.b.binary(Op::And, rounded, mask);
        let bytes = self.b.zext_or_trunc(bytes, 64);
        let global = self.link.print_buffer();
        let object = self.module_object(global);
        let buffer = self.b.obj_addr(object);
        let start = self.b.atomic(AtomicOp::Add, wide, buffer, &[bytes], MemFlags::aligned(8));
        let behind = self.b.binary(Op::Add, start, bytes);
        let room = self.b.constant(wide, (BUFFER_BYTES - RECORDS).into());
        let fits = self.b.icmp(IntCC::Ule, behind, room);
        let (write, done) = (self.b.func.add_block(), self.b.func.add_block());
        let (good, bad) = (self.b.constant(Type::I32, 0), self.b.constant(Type::I32, u128::MAX));
        let result = self.b.select(fits, good, bad);
        self.b.branch(fits, write, done);
        self.b.switch_to(write);
        let start = self.b.zext_or_trunc(start, self.spv.types.addr_bits);
        let record = self.b.ptr_add(buffer, start);
        let record = self.at_offset(record, RECORDS);
        let head = self.b.constant(Type::I32, u128::from(number) + 1);
        self.b.store(record, head, MemFlags::aligned(8));
        let mut text = self.b.size(fixed.into());
        for ((&place, value), length) in places.iter().zip(values).zip(lengths) {
            let Some(value) = *value else { continue };
            let at = self.at_offset(record, place.into());
            match *length {
                None => {
                    let align = self.ty(value).lane().mem_bytes(0);
                    self.b.store(at, value, MemFlags::aligned(align));
                }
                Some(length) => {
                    let count = self.b.zext_or_trunc(length, 32);
                    self.b.store(at, count, MemFlags::aligned(4));
                    let to = self.b.ptr_add(record, text);
                    self.copy_text(to, value, length);
                    text = self.b.binary(Op::Add, text, length);
                }
            }
        }
        self.b.jump(done, []);
        self.b.switch_to(done);
        result
    }

    fn copy_text(&mut self, to: Value, from: Value, length: Value) {
        let size = self.b.size_type();
        let [head, body, done] = [(); 3].map(|()| self.b.func.add_block());
        let at = self.b.func.add_param(head, size);
        let zero = self.b.size(0);
        self.b.jump(head, [zero]);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCC::Ult, at, length);
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let place = self.b.ptr_add(from, at);
        let byte = self.b.load(Type::I8, place, MemFlags::aligned(1));
        let place = self.b.ptr_add(to, at);
        self.b.store(place, byte, MemFlags::aligned(1));
        let one = self.b.size(1);
        let next = self.b.binary(Op::Add, at, one);
        self.b.jump(head, [next]);
        self.b.switch_to(done);
    }
}
