//! Calls.

use super::pipe_value::PipeValue;
use super::{Leaves, Lower, Val};
use crate::decode::{Id, Inst};
use crate::errors::{R, UNRESOLVED, error};
use crate::library;
use ir::Op;

impl<'a> Lower<'a, '_, '_> {
    /// `OpFunctionCall`
    pub(super) fn function_call(&mut self, inst: &Inst<'a>) -> R<()> {
        let spv = self.spv;
        let callee = spv.definition(inst.arg(0)?);
        let args = &inst.args[1..];
        let raw = spv.functions.get(&callee);
        if raw.is_some_and(|f| f.blocks.is_empty()) {
            return self.import_call(inst, callee, args);
        }
        let mut pipes = vec![];
        for &arg in args {
            pipes.push(match self.val(arg)? {
                Val::Pipe(pipe) => Some(pipe),
                _ => None,
            });
        }
        let shapes: Vec<_> =
            pipes.iter().map(|p| p.as_ref().map(|p: &PipeValue| p.shape.clone())).collect();
        let func = self.link.callee(callee, &shapes)?;
        let Some(raw) = raw else { return Err(self.mismatch(inst, "it calls no function")) };
        self.check(raw.params.len() == args.len(), inst, "it gives the wrong number of arguments")?;
        let mut values = Leaves::new();
        let slot = match self.is_aggregate(raw.result) {
            true => Some(self.temporary(raw.result)?),
            false => None,
        };
        values.extend(slot);
        for ((&(_, ty), &arg), pipe) in raw.params.iter().zip(args).zip(&pipes) {
            let (leaves, types) = match pipe {
                Some(pipe) => (pipe.leaves(), self.pipe_types(&pipe.shape, ty)?),
                None => (self.leaves(arg)?, spv.types.leaf_types(ty)?),
            };
            let fits = types.len() == leaves.len()
                && types.iter().zip(&leaves).all(|(t, v)| *t == self.ty(*v));
            self.check(fits, inst, "an argument is not of its parameter's type")?;
            values.extend(leaves);
        }
        let void = self.is_void(raw.result);
        let result = match slot {
            None if !void => Some(spv.types.ir(raw.result)?),
            _ => None,
        };
        let call = self.b.inst(Op::Call(func), values, result);
        match (slot, self.b.func.insts[call].result) {
            (Some(slot), _) => {
                let leaves = self.load_leaves(slot, raw.result, Default::default())?;
                self.set_all(inst, leaves)
            }
            (None, Some(v)) => self.set(inst, v),
            (None, None) => Ok(()),
        }
    }

    /// A call of a function that the module only declares: a library function by its name.
    fn import_call(&mut self, inst: &Inst<'a>, callee: Id, args: &'a [Id]) -> R<()> {
        let spv = self.spv;
        let linkage = spv.deco.of(callee).linkage.as_ref().map(|l| &l.0);
        let Some(name) = linkage.or_else(|| spv.names.get(&callee)) else {
            return Err(error(UNRESOLVED, format!("function %{callee} is defined nowhere")));
        };
        library::call(self, inst, name, args)
    }

    /// `OpCopyObject`, `OpExpectKHR` and the like: the operand itself.
    pub(super) fn copy_object(&mut self, inst: &Inst) -> R<()> {
        match self.val(inst.arg(0)?)? {
            Val::Builtin(b) => self.set_builtin(inst, b),
            val @ Val::Pipe(_) => {
                self.vals.insert(inst.result()?, val);
                Ok(())
            }
            Val::Leaves(l) => self.set_all(inst, l),
        }
    }
}
