//! Library functions that a producer leaves as calls of (mostly Itanium-mangled) names.
//! clang-22 does so for the OpenCL 1.x atomics under `-cl-std=CL2.0` and later, for some
//! conversions, and for the address space functions.

use crate::clhls_header;
use crate::decode::{Id, Inst};
use crate::errors::{R, UNRESOLVED, UNSUPPORTED, UNSUPPORTED_EXT, error, unsupported};
use crate::ext_inst;
use crate::lower::Lower;
use ir::{AtomicOp, FenceFlags, Op, Query, Rounding};

/// Lowers a call of the undefined function `name`.
pub(crate) fn call<'a>(
    l: &mut Lower<'a, '_, '_>,
    inst: &Inst<'a>,
    name: &str,
    args: &'a [Id],
) -> R<()> {
    let (plain, params) = demangle(name).unwrap_or((name, ""));
    // Handlers see a call as an instruction whose operands are the arguments.
    let call = Inst { args, ..*inst };
    if plain.starts_with(clhls_header::PREFIX) {
        return clhls_header::call(l, &call, plain, params);
    }
    if let Some(query) = query(plain) {
        return l.query_call(inst, query, args);
    }
    match plain {
        "barrier" | "work_group_barrier" => {
            let flags = fence(l, call.arg(0)?)?;
            l.b.barrier(flags);
            return Ok(());
        }
        "sub_group_barrier" => {
            let flags = fence(l, call.arg(0)?)?;
            l.sub_group_barrier(flags);
            return Ok(());
        }
        "mem_fence" | "read_mem_fence" | "write_mem_fence" | "atomic_work_item_fence" => {
            let flags = fence(l, call.arg(0)?)?;
            l.b.inst(Op::Fence(flags), [], None);
            return Ok(());
        }
        "__to_global" | "__to_local" | "__to_private" | "to_global" | "to_local" | "to_private" => {
            return l.cast_space(&call);
        }
        "read_imageh" => return l.image_read_call(&call).map_err(|e| named(e, name)),
        "write_imageh" => return l.image_write_call(&call).map_err(|e| named(e, name)),
        "get_image_channel_order" => return l.image_number_call(&call, true),
        "get_image_channel_data_type" => return l.image_number_call(&call, false),
        "get_fence" => return l.tag_table(&call, 1, 2),
        _ if plain.starts_with("sub_group_") || plain.starts_with("intel_sub_group_") => {
            let what = format!("function `{plain}`");
            return Err(unsupported(UNSUPPORTED, what, "sub-group functions"));
        }
        _ => {}
    }
    if let Some(done) = atomic(l, &call, plain, params) {
        return done;
    }
    if let Some(convert) = Conversion::parse(plain, params) {
        return l.convert_call(&call, convert);
    }
    match standard(plain, params) {
        Some(op) => match ext_inst::handler(op) {
            Some(handler) => ext_inst::check_count(&call, op)
                .and_then(|()| handler(l, &call))
                .map_err(|e| named(e, name)),
            None => Err(unsupported(
                UNSUPPORTED_EXT,
                format!("OpenCL.std `{plain}`"),
                ext_inst::MILESTONE,
            )),
        },
        None => Err(unresolved(name, plain)),
    }
}

/// A message about a call, which names the function.
fn named(mut e: Box<base::Diagnostic>, name: &str) -> Box<base::Diagnostic> {
    e.message = e.message.replace("OpFunctionCall", &format!("call of `{name}`"));
    e
}

fn unresolved(name: &str, plain: &str) -> Box<base::Diagnostic> {
    let shown = if plain == name { format!("`{name}`") } else { format!("`{plain}` (`{name}`)") };
    let e = error(UNRESOLVED, format!("function {shown} is declared but defined nowhere"));
    Box::new(
        e.note("the producer left it as a call: it is no OpenCL built-in function known here")
            .help(
                "define it in the kernel's source, or link the modules first; a plain `inline` function: \
                 compile with -fgnu89-inline, or write `static inline`",
            ),
    )
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

/// `cl_mem_fence_flags`: 1 local, 2 global, 4 images, which are global memory.
fn fence(l: &mut Lower, id: Id) -> R<FenceFlags> {
    let bits = l.spv.consts.integer(id)?;
    Ok(FenceFlags { local: bits & 1 != 0, global: bits & 6 != 0 })
}

/// The atomics of OpenCL 1.x: relaxed, the pointer first.
fn atomic<'a>(
    l: &mut Lower<'a, '_, '_>,
    call: &Inst<'a>,
    name: &str,
    params: &str,
) -> Option<R<()>> {
    let name = name.strip_prefix("atomic_").or_else(|| name.strip_prefix("atom_"))?;
    let unsigned = is_unsigned(params);
    let (c11, explicit) = match name.strip_suffix("_explicit") {
        Some(short) => (short, true),
        None => (name, false),
    };
    if let Some(op) = c11_operation(c11, unsigned) {
        return Some(l.c11_atomic_call(call, op, explicit));
    }
    let op = match name {
        "add" => AtomicOp::Add,
        "sub" => AtomicOp::Sub,
        "xchg" => AtomicOp::Xchg,
        "min" if unsigned => AtomicOp::UMin,
        "min" => AtomicOp::SMin,
        "max" if unsigned => AtomicOp::UMax,
        "max" => AtomicOp::SMax,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "inc" => return Some(l.atomic_step_call(call, AtomicOp::Add)),
        "dec" => return Some(l.atomic_step_call(call, AtomicOp::Sub)),
        "cmpxchg" => return Some(l.atomic_compare_call(call)),
        _ => return None,
    };
    Some(l.atomic_call(call, op))
}

/// The C11 atomics with an operand at most.
fn c11_operation(name: &str, unsigned: bool) -> Option<AtomicOp> {
    Some(match name {
        "load" => AtomicOp::Load,
        "store" | "init" => AtomicOp::Store,
        "exchange" => AtomicOp::Xchg,
        "fetch_add" => AtomicOp::Add,
        "fetch_sub" => AtomicOp::Sub,
        "fetch_and" => AtomicOp::And,
        "fetch_or" => AtomicOp::Or,
        "fetch_xor" => AtomicOp::Xor,
        "fetch_min" if unsigned => AtomicOp::UMin,
        "fetch_min" => AtomicOp::SMin,
        "fetch_max" if unsigned => AtomicOp::UMax,
        "fetch_max" => AtomicOp::SMax,
        _ => return None,
    })
}

/// A `convert_<type>[_sat][_<rounding>]` function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conversion {
    /// The source is two's complement.
    pub from_signed: bool,
    /// The result is two's complement.
    pub to_signed: bool,
    /// Saturates.
    pub saturate: bool,
    /// Rounding, where the name gives one.
    pub round: Option<Rounding>,
}

impl Conversion {
    fn parse(name: &str, params: &str) -> Option<Self> {
        let mut parts = name.strip_prefix("convert_")?.split('_');
        let to_signed = !parts.next()?.starts_with('u');
        let mut out = Conversion {
            from_signed: !is_unsigned(params),
            to_signed,
            saturate: false,
            round: None,
        };
        for part in parts {
            match part {
                "sat" => out.saturate = true,
                "rte" => out.round = Some(Rounding::Rte),
                "rtz" => out.round = Some(Rounding::Rtz),
                "rtp" => out.round = Some(Rounding::Rtp),
                "rtn" => out.round = Some(Rounding::Rtn),
                _ => return None,
            }
        }
        Some(out)
    }
}

/// The OpenCL.std instruction for a function name and its mangled parameters.
fn standard(name: &str, params: &str) -> Option<rspirv::spirv::OpenclStd100Op> {
    let sign = if is_unsigned(params) { "u_" } else { "s_" };
    let candidates = match (name, is_float(params)) {
        ("max" | "min", true) => [format!("f{name}_common"), String::new()],
        ("clamp", true) => ["fclamp".to_owned(), String::new()],
        _ => [name.to_owned(), format!("{sign}{name}")],
    };
    candidates.iter().find_map(|c| ext_inst::by_name(c))
}

/// Name and parameter list of an Itanium-mangled function: `_Z13get_global_idj` is
/// `get_global_id` with `j`.
pub(crate) fn demangle(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let len: usize = rest.get(..digits)?.parse().ok()?;
    let rest = rest.get(digits..)?;
    Some((rest.get(..len).filter(|n| !n.is_empty())?, rest.get(len..)?))
}

/// The code of the first arithmetic parameter type, past pointers, qualifiers and vectors.
fn first_scalar(params: &str) -> Option<char> {
    let mut rest = params;
    loop {
        rest = rest.trim_start_matches(['P', 'V', 'K', 'r']);
        if let Some(vendor) = rest.strip_prefix('U') {
            let digits = vendor.bytes().take_while(u8::is_ascii_digit).count();
            let len: usize = vendor.get(..digits)?.parse().ok()?;
            rest = vendor.get(digits + len..)?;
        } else if let Some(vector) = rest.strip_prefix("Dv") {
            rest = vector.split_once('_')?.1;
        } else if let Some(half) = rest.strip_prefix("Dh") {
            let _ = half;
            return Some('f');
        } else if let Some(atomic) = rest.strip_prefix("7_Atomic") {
            rest = atomic;
        } else {
            return rest.chars().next();
        }
    }
}

pub(crate) fn is_unsigned(params: &str) -> bool {
    matches!(first_scalar(params), Some('h' | 't' | 'j' | 'm'))
}

fn is_float(params: &str) -> bool {
    matches!(first_scalar(params), Some('f' | 'd'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demangles_names_of_real_producers() {
        assert_eq!(demangle("_Z13get_global_idj"), Some(("get_global_id", "j")));
        assert_eq!(demangle("_Z10atomic_maxPU3AS1Vjj"), Some(("atomic_max", "PU3AS1Vjj")));
        assert_eq!(demangle("_Z99short"), None);
        assert_eq!(demangle("_Z"), None);
        assert_eq!(demangle("main"), None);
    }

    #[test]
    fn signedness_is_that_of_the_first_arithmetic_type() {
        assert!(is_unsigned("PU3AS1Vjj"));
        assert!(!is_unsigned("PU3AS1Vii"));
        assert!(is_unsigned("Dv4_hS_"));
        assert!(is_float("Dv16_fS_f") && is_float("Dv2_Dh"));
        assert!(!is_unsigned("") && !is_unsigned("U999AS") && !is_unsigned("Dv"));
    }

    #[test]
    fn conversions_are_read_from_their_names() {
        let c = Conversion::parse("convert_uchar4_sat_rte", "Dv4_f");
        let want = Conversion {
            from_signed: true,
            to_signed: false,
            saturate: true,
            round: Some(Rounding::Rte),
        };
        assert_eq!(c, Some(want));
        assert_eq!(
            Conversion::parse("convert_double_rtz", "m").map(|c| c.from_signed),
            Some(false)
        );
        assert_eq!(Conversion::parse("convert_int_fast", "f"), None);
    }
}
