//! Library functions that a producer leaves as calls of Itanium-mangled names.

use crate::decode::{Id, Inst};
use crate::errors::{R, UNRESOLVED, error};
use crate::lower::Lower;
use ir::{BarrierScope, FenceFlags, Op, Query};

/// Lowers a call of the undefined function `name`.
pub(crate) fn call<'a>(
    l: &mut Lower<'a, '_, '_>,
    inst: &Inst<'a>,
    name: &str,
    args: &[Id],
) -> R<()> {
    let plain = demangle(name).unwrap_or(name);
    if let Some(query) = query(plain) {
        return l.query_call(inst, query, args);
    }
    match (plain, args) {
        ("barrier" | "work_group_barrier", [flags, ..]) => {
            let flags = fence(l, *flags)?;
            l.b.inst(Op::Barrier(BarrierScope::WorkGroup, flags), [], None);
            Ok(())
        }
        (
            "mem_fence" | "read_mem_fence" | "write_mem_fence" | "atomic_work_item_fence",
            [flags, ..],
        ) => {
            let flags = fence(l, *flags)?;
            l.b.inst(Op::Fence(flags), [], None);
            Ok(())
        }
        _ => {
            let shown =
                if plain == name { format!("`{name}`") } else { format!("`{plain}` (`{name}`)") };
            let e = error(UNRESOLVED, format!("function {shown} is declared but defined nowhere"));
            Err(Box::new(e.note("the producer left it as a call: it is not an OpenCL built-in function that it knows")
                .help("define it in the kernel's source, or link the modules first")))
        }
    }
}

fn query(name: &str) -> Option<Query> {
    Some(match name {
        "get_work_dim" => Query::WorkDim,
        "get_global_size" => Query::GlobalSize,
        "get_global_id" => Query::GlobalId,
        "get_global_offset" => Query::GlobalOffset,
        "get_local_size" => Query::LocalSize,
        "get_enqueued_local_size" => Query::EnqueuedLocalSize,
        "get_local_id" => Query::LocalId,
        "get_num_groups" => Query::NumGroups,
        "get_group_id" => Query::GroupId,
        "get_global_linear_id" => Query::GlobalLinearId,
        "get_local_linear_id" => Query::LocalLinearId,
        _ => return None,
    })
}

/// `cl_mem_fence_flags`: 1 local, 2 global.
fn fence(l: &mut Lower, id: Id) -> R<FenceFlags> {
    let bits = l.spv.consts.integer(id)?;
    Ok(FenceFlags { local: bits & 1 != 0, global: bits & 2 != 0 })
}

/// The name inside an Itanium-mangled function name: `_Z13get_global_idj` is `get_global_id`.
pub(crate) fn demangle(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let len: usize = rest.get(..digits)?.parse().ok()?;
    rest.get(digits..)?.get(..len).filter(|n| !n.is_empty())
}
