//! Accesses that no valid run of the kernel makes.

use crate::Context;
use crate::edit::{self, Step};
use base::Diagnostic;
use ir::analysis::{Base, Cfg, Provenance};
use ir::{Builder, Function, Inst, KernelArgKind, Op, Space, Value};

/// Removes accesses to memory on the chip whose pointers point at no object there: null, as a helper function gets it in a branch that
/// is not taken, or made from a pointer into another memory, as one lane of several work-items has it. What they load is 0.
/// Where the pointer is null that is said (`W0318`).
pub fn run(func: &mut Function, context: &Context<'_>) {
    let provenance = Provenance::new(func, &Cfg::new(func));
    edit::rewrite(func, |b, inst| {
        if !reaches_nothing(b, inst, &provenance) {
            return Step::Keep;
        }
        let data = b.func.insts[inst].clone();
        if is_null(b, data.args[0]) {
            let space = b.func.ty(data.args[0]).space().map_or("", Space::name);
            let what = format!("an access through a null pointer to {space} memory is left out");
            context.remarks.borrow_mut().push(Diagnostic::warning("W0318", what).at(data.loc));
        }
        match data.result {
            Some(result) => Step::Value(b.constant(b.func.ty(result), 0)),
            None => Step::Gone,
        }
    });
}

fn reaches_nothing(b: &Builder<'_>, inst: Inst, provenance: &Provenance) -> bool {
    let data = &b.func.insts[inst];
    if data.op.mem_flags().is_none() {
        return false;
    }
    let Some(space) = b.func.ty(data.args[0]).space() else { return false };
    let may_reach = |base: Base| match base {
        Base::Object(o) => b.func.objects[o].space == space,
        Base::Arg(k) => is_local_argument(b, k) && space == Space::Local,
        Base::Unknown => b.func.objects.values().any(|o| o.space == space),
    };
    matches!(space, Space::Local | Space::Private) && !provenance.bases(data.args[0]).any(may_reach)
}

fn is_local_argument(b: &Builder<'_>, k: u32) -> bool {
    let args = b.func.kernel.as_ref().map(|kernel| &kernel.args);
    let arg = args.and_then(|args| args.get(k as usize));
    arg.is_some_and(|arg| arg.kind == KernelArgKind::LocalPointer)
}

/// Whether a pointer is made from null.
fn is_null(b: &Builder<'_>, mut v: Value) -> bool {
    loop {
        let Some(inst) = b.func.def_inst(v) else { return false };
        let data = &b.func.insts[inst];
        match data.op {
            Op::Const(0) => return true,
            Op::PtrAdd | Op::SpaceCast | Op::IntToPtr => v = data.args[0],
            _ => return false,
        }
    }
}
