//! One instruction of the IR.

use super::{Lower, Parts, Result, unsupported};
use crate::context::Field;
use crate::types::{ADDR_BITS, reg, width};
use base::{Diagnostic, SmallVec};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};
use ir::{Inst, InstData, Op, Query, Table, Type, Value};

impl Lower<'_, '_, '_> {
    /// Writes an instruction. Barriers are not among them.
    pub(super) fn inst(&mut self, inst: Inst) -> Result<()> {
        let func = self.frame.func;
        let data = &func.insts[inst];
        match data.op {
            Op::Load(_) | Op::Store(_) | Op::Atomic(..) => self.access(data),
            Op::Fence(flags) => {
                if flags.global {
                    self.b.ins().fence();
                }
                Ok(())
            }
            Op::Call(callee) => self.call(callee, data),
            _ => {
                let Some(result) = data.result else { return Ok(()) };
                let parts = self.pure(data, result)?;
                self.set(result, parts);
                Ok(())
            }
        }
    }

    fn pure(&mut self, data: &InstData, result: Value) -> Result<Parts> {
        let ty = self.ty(result);
        let arg = |k: usize| data.args[k];
        let one = |x: clif::Value| Parts::from_iter([x]);
        Ok(match data.op {
            Op::Const(bits) => {
                let x = self.constant(ty, bits);
                Parts::from_elem(x, ty.lanes.into())
            }
            Op::Arg { index, offset } => self.argument(index, offset, ty, data)?,
            Op::ObjAddr(object) => one(self.object(object)?),
            Op::WorkItem(query, dim) => one(self.query(query, dim)),
            Op::VecBuild => {
                let mut parts = Parts::new();
                for &a in &data.args {
                    parts.push(self.passed(a, result)[0]);
                }
                parts
            }
            Op::VecExtract(k) => one(self.passed(arg(0), result)[usize::from(k)]),
            Op::VecInsert(k) => {
                let mut parts = self.passed(arg(0), result);
                parts[usize::from(k)] = self.passed(arg(1), result)[0];
                parts
            }
            Op::VecExtractDyn => {
                let v = self.passed(arg(0), result);
                let index = self.index_of(arg(1));
                one(self.extract_dyn(self.ty(arg(0)), &v, index))
            }
            Op::VecInsertDyn => {
                let v = self.passed(arg(0), result);
                let x = self.passed(arg(1), result)[0];
                let index = self.index_of(arg(2));
                self.insert_dyn(&v, x, index)
            }
            Op::Bitcast => {
                let v = self.exact(arg(0));
                self.bitcast(self.ty(arg(0)), ty, &v)
            }
            Op::Lookup(table) => {
                let index = self.index_of(arg(0));
                one(self.lookup(table, ty, index))
            }
            Op::Select | Op::FNeg | Op::FAbs | Op::FCopysign => self.choose(data, result),
            _ => self.lanes(data, ty)?,
        })
    }

    /// An operand that becomes part of `result` with its bits.
    fn passed(&mut self, operand: Value, result: Value) -> Parts {
        use crate::nan::NanClass::{Both, Exact};
        let class = self.frame.analysis.nan.of(result);
        if matches!(class, Both | Exact) && self.ty(operand).is_float() {
            self.exact(operand)
        } else {
            self.raw(operand)
        }
    }

    fn choose(&mut self, data: &InstData, result: Value) -> Parts {
        let mut args: SmallVec<[Parts; 3]> = SmallVec::new();
        for (k, &a) in data.args.iter().enumerate() {
            // the sign of what `fcopysign` takes it from is seen whatever becomes of the result
            let sign = data.op == Op::FCopysign && k == 1;
            args.push(if sign { self.exact(a) } else { self.passed(a, result) });
        }
        self.sign_or_select(data.op, self.ty(result), &args)
    }

    /// Operations that do the same to every lane.
    fn lanes(&mut self, data: &InstData, ty: Type) -> Result<Parts> {
        let args: SmallVec<[(Type, Parts); 3]> =
            data.args.iter().map(|a| (self.ty(*a), self.raw(*a))).collect();
        let mut parts = Parts::new();
        for k in 0..usize::from(ty.lanes) {
            let of: SmallVec<[(Type, clif::Value); 3]> =
                args.iter().map(|(ty, parts)| (ty.lane(), parts[k.min(parts.len() - 1)])).collect();
            let lane = self.lane(data.op, ty.lane(), &of);
            parts.push(lane.ok_or_else(|| unsupported(data.op, data.loc))?);
        }
        Ok(parts)
    }

    /// A lane-wise operation on one lane.
    fn lane(&mut self, op: Op, ty: Type, args: &[(Type, clif::Value)]) -> Option<clif::Value> {
        let (first, a) = *args.first()?;
        match op {
            op if op.is_int_binary() => match self.int_binary(op, ty, a, args.get(1)?.1) {
                Some(x) => Some(x),
                None => self.evaluated(op, ty, args),
            },
            Op::Not | Op::Clz | Op::Popcount | Op::BitReverse => self.int_unary(op, ty, a),
            Op::ICmp(cc) => Some(self.icmp(cc, first, a, args.get(1)?.1)),
            Op::Sext | Op::Zext | Op::Slice { .. } | Op::Concat => self.int_resize(op, ty, args),
            Op::PtrToInt | Op::IntToPtr => Some(a),
            Op::PtrAdd => Some(self.b.ins().iadd(a, args.get(1)?.1)),
            Op::SpaceCast => Some(self.space_cast(first.space()?, ty.space()?, a)),
            _ => self.float(op, ty, args),
        }
    }

    fn index_of(&mut self, v: Value) -> clif::Value {
        let ty = self.ty(v);
        let x = self.scalar(v);
        self.index(ty, x)
    }

    /// Bytes of a kernel argument, as a value.
    fn argument(&mut self, index: u32, offset: u32, ty: Type, data: &InstData) -> Result<Parts> {
        let layout = &self.unit.args;
        let lane = width(ty).div_ceil(8);
        let start = layout.offsets.get(index as usize).copied();
        let end = start.map(|s| s + offset + lane * u32::from(ty.lanes) + 16);
        let Some(start) = start.filter(|_| end.is_some_and(|e| e <= layout.size + 16)) else {
            let what = format!("argument {index} of the kernel is read past its end");
            return Err(Diagnostic::error("E0509", what).at(data.loc));
        };
        let mut parts = Parts::new();
        for k in 0..u32::from(ty.lanes) {
            let x = self.load_argument(reg(ty), start + offset + k * lane);
            parts.push(if reg(ty).is_int() { self.wrap(x, width(ty)) } else { x });
        }
        Ok(parts)
    }

    fn query(&mut self, query: Query, dim: u8) -> clif::Value {
        let d = usize::from(dim);
        match query {
            Query::WorkDim => {
                let n = self.field(Field::WorkDim);
                self.b.ins().ireduce(types::I32, n)
            }
            Query::LaneMask => self.iconst(types::I32, 1),
            Query::GlobalSize => self.field(Field::Global(dim)),
            Query::GlobalOffset => self.field(Field::Offset(dim)),
            Query::LocalSize => self.field(Field::Size(dim)),
            Query::EnqueuedLocalSize => self.field(Field::Enqueued(dim)),
            Query::NumGroups => self.field(Field::NumGroups(dim)),
            Query::GroupId => self.field(Field::Group(dim)),
            Query::LocalId => self.item[d],
            Query::GlobalId => {
                let first = self.field(Field::First(dim));
                self.b.ins().iadd(first, self.item[d])
            }
            Query::LocalLinearId => self.linear,
            Query::GlobalLinearId => {
                let id = [0, 1, 2].map(|d: u8| {
                    let (first, offset) =
                        (self.field(Field::First(d)), self.field(Field::Offset(d)));
                    let start = self.b.ins().isub(first, offset);
                    self.b.ins().iadd(start, self.item[usize::from(d)])
                });
                let size = [Field::Global(0), Field::Global(1)].map(|f| self.field(f));
                let rows = self.b.ins().imul(id[2], size[1]);
                let rows = self.b.ins().iadd(rows, id[1]);
                let items = self.b.ins().imul(rows, size[0]);
                self.b.ins().iadd(items, id[0])
            }
        }
    }

    /// An entry of a look-up table; 0 past its end.
    fn lookup(&mut self, table: Table, ty: Type, index: clif::Value) -> clif::Value {
        let data = &self.frame.func.tables[table];
        let size = reg(ty).bytes();
        let bytes: Vec<u8> = data
            .entries
            .iter()
            .flat_map(|e| e.to_le_bytes().into_iter().take(size as usize))
            .collect();
        let zero = self.constant(ty, 0);
        let count = data.entries.len() as i64;
        if count == 0 {
            return zero;
        }
        let known = self.unit.tables.iter().position(|t| **t == *bytes);
        let place = known.unwrap_or_else(|| {
            self.unit.tables.push(bytes.into_boxed_slice());
            self.unit.tables.len() - 1
        });
        let base = self.unit.tables[place].as_ptr() as i64;
        let inside = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, index, count);
        let first = self.iconst(types::I64, 0);
        let index = self.b.ins().select(inside, index, first);
        let offset = self.b.ins().imul_imm_s(index, i64::from(size));
        let base = self.b.ins().iconst(types::I64, base);
        let address = self.b.ins().iadd(base, offset);
        let flags = MemFlagsData::new().with_notrap().with_readonly().with_can_move();
        let entry = self.b.ins().load(reg(ty), flags, address, 0);
        self.b.ins().select(inside, entry, zero)
    }
}

const _: () = assert!(ADDR_BITS == 64, "pointers are held in 64-bit registers");
