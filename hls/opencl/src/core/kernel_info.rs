//! Names and types of kernel arguments as OpenCL C spells them.

use crate::sys::constants::*;
use abi::{Access, Arg, ArgKind};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What `clGetKernelArgInfo` tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgInfo {
    /// `CL_KERNEL_ARG_ADDRESS_QUALIFIER`
    pub address: u32,
    /// `CL_KERNEL_ARG_ACCESS_QUALIFIER`
    pub access: u32,
    /// `CL_KERNEL_ARG_TYPE_NAME`
    pub type_name: String,
    /// `CL_KERNEL_ARG_TYPE_QUALIFIER`
    pub qualifiers: u64,
    /// `CL_KERNEL_ARG_NAME`
    pub name: String,
}

impl ArgInfo {
    /// What the module itself tells of an argument; none if it does not tell its type.
    pub fn of_signature(arg: &Arg) -> Option<Self> {
        let address = match arg.kind {
            ArgKind::GlobalPtr => CL_KERNEL_ARG_ADDRESS_GLOBAL,
            ArgKind::ConstantPtr => CL_KERNEL_ARG_ADDRESS_CONSTANT,
            ArgKind::LocalPtr => CL_KERNEL_ARG_ADDRESS_LOCAL,
            ArgKind::Image | ArgKind::Pipe => CL_KERNEL_ARG_ADDRESS_GLOBAL,
            _ => CL_KERNEL_ARG_ADDRESS_PRIVATE,
        };
        let access = match (arg.kind, arg.access) {
            (ArgKind::Image | ArgKind::Pipe, Access::ReadOnly) => CL_KERNEL_ARG_ACCESS_READ_ONLY,
            (ArgKind::Image | ArgKind::Pipe, Access::WriteOnly) => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
            (ArgKind::Image, Access::ReadWrite) => CL_KERNEL_ARG_ACCESS_READ_WRITE,
            _ => CL_KERNEL_ARG_ACCESS_NONE,
        };
        let pipe = if arg.kind == ArgKind::Pipe { CL_KERNEL_ARG_TYPE_PIPE } else { 0 };
        let declared = !matches!(arg.kind, ArgKind::Image | ArgKind::Pipe);
        let restrict = if declared && arg.restrict { CL_KERNEL_ARG_TYPE_RESTRICT } else { 0 };
        let constant = arg.kind == ArgKind::ConstantPtr && arg.access == Access::ReadOnly;
        (!arg.type_name.is_empty()).then(|| ArgInfo {
            address,
            access,
            type_name: arg.type_name.clone(),
            qualifiers: pipe | restrict | if constant { CL_KERNEL_ARG_TYPE_CONST } else { 0 },
            name: arg.name.clone(),
        })
    }
}

/// Reads the `kernel_arg_...` metadata of LLVM IR in text form: the arguments of each kernel.
pub fn from_llvm(text: &str) -> BTreeMap<String, Vec<ArgInfo>> {
    let nodes: BTreeMap<&str, Vec<&str>> = text.lines().filter_map(node).collect();
    let kernel = |line: &str| {
        let name = line.split_once('@')?.1.split('(').next()?.trim_matches('"').to_owned();
        let list = |kind: &str| {
            let id = line.split_once(&format!("!{kind} "))?.1.split_whitespace().next()?;
            nodes.get(id)
        };
        let (space, access) = (list("kernel_arg_addr_space")?, list("kernel_arg_access_qual")?);
        let (types, qualifiers) = (list("kernel_arg_type")?, list("kernel_arg_type_qual")?);
        let names = list("kernel_arg_name")?;
        let arg = |k: usize| {
            Some(ArgInfo {
                address: address(space.get(k)?)?,
                access: access_qualifier(access.get(k)?),
                type_name: (*types.get(k)?).to_owned(),
                qualifiers: type_qualifiers(qualifiers.get(k)?),
                name: (*names.get(k)?).to_owned(),
            })
        };
        Some((name, (0..space.len()).map(arg).collect::<Option<Vec<_>>>()?))
    };
    text.lines().filter(|line| line.starts_with("define ")).filter_map(kernel).collect()
}

/// The kernels whose `vec_type_hint` is of unsigned elements, which SPIR-V does not tell.
pub fn unsigned_hints(text: &str) -> BTreeSet<String> {
    let nodes: BTreeMap<&str, Vec<&str>> = text.lines().filter_map(node).collect();
    let unsigned = |line: &str| {
        let name = line.split_once('@')?.1.split('(').next()?.trim_matches('"').to_owned();
        let id = line.split_once("!vec_type_hint ")?.1.split_whitespace().next()?;
        let [ty, sign] = nodes.get(id)?.as_slice() else { return None };
        let integer = ty.contains("x i") || ty.starts_with('i');
        (integer && *sign == "i32 0").then_some(name)
    };
    text.lines().filter(|line| line.starts_with("define ")).filter_map(unsigned).collect()
}

/// `!5 = !{i32 1, !"int*"}` as `!5` and `i32 1`, `int*`.
fn node(line: &str) -> Option<(&str, Vec<&str>)> {
    let (id, rest) = line.split_once(" = ")?;
    let inside = rest.strip_prefix("!{")?.strip_suffix('}')?;
    let mut items = vec![];
    let mut rest = inside;
    while !rest.is_empty() {
        let (item, after) = match rest.strip_prefix("!\"") {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
        };
        items.push(item);
        rest = after.trim_start_matches([',', ' ']);
    }
    id.starts_with('!').then_some((id, items))
}

fn address(text: &str) -> Option<u32> {
    Some(match text.strip_prefix("i32 ")? {
        "0" => CL_KERNEL_ARG_ADDRESS_PRIVATE,
        "2" => CL_KERNEL_ARG_ADDRESS_CONSTANT,
        "3" => CL_KERNEL_ARG_ADDRESS_LOCAL,
        _ => CL_KERNEL_ARG_ADDRESS_GLOBAL,
    })
}

fn access_qualifier(text: &str) -> u32 {
    match text {
        "read_only" => CL_KERNEL_ARG_ACCESS_READ_ONLY,
        "write_only" => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        "read_write" => CL_KERNEL_ARG_ACCESS_READ_WRITE,
        _ => CL_KERNEL_ARG_ACCESS_NONE,
    }
}

fn type_qualifiers(text: &str) -> u64 {
    let bit = |word| match word {
        "const" => CL_KERNEL_ARG_TYPE_CONST,
        "restrict" => CL_KERNEL_ARG_TYPE_RESTRICT,
        "volatile" => CL_KERNEL_ARG_TYPE_VOLATILE,
        "pipe" => CL_KERNEL_ARG_TYPE_PIPE,
        _ => CL_KERNEL_ARG_TYPE_NONE,
    };
    text.split_whitespace().map(bit).fold(0, |all, bit| all | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_of_unsigned_elements_are_told_apart() {
        let text = "\
define spir_kernel void @a() #0 !vec_type_hint !3 !kernel_arg_name !9 {
define spir_kernel void @b() !vec_type_hint !4 {
define spir_kernel void @c() !vec_type_hint !5 {
!3 = !{<4 x i32> undef, i32 0}
!4 = !{<4 x i32> undef, i32 1}
!5 = !{<4 x float> undef, i32 0}
";
        assert_eq!(unsigned_hints(text), BTreeSet::from(["a".to_owned()]));
    }

    #[test]
    fn metadata_is_read() {
        let text = "\
define spir_kernel void @add(ptr addrspace(1) %a, float %s) #0 !kernel_arg_addr_space !5 !kernel_arg_access_qual !6 \
!kernel_arg_type !7 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 !kernel_arg_name !9 {
define spir_func void @f(i32 %x) {
!5 = !{i32 1, i32 0}
!6 = !{!\"none\", !\"none\"}
!7 = !{!\"float*\", !\"struct s, t\"}
!8 = !{!\"restrict const\", !\"\"}
!9 = !{!\"a\", !\"s\"}
";
        let all = from_llvm(text);
        let [a, s] = all["add"].as_slice() else { panic!("two arguments: {all:?}") };
        assert_eq!((a.address, a.type_name.as_str()), (CL_KERNEL_ARG_ADDRESS_GLOBAL, "float*"));
        assert_eq!(a.qualifiers, CL_KERNEL_ARG_TYPE_RESTRICT | CL_KERNEL_ARG_TYPE_CONST);
        assert_eq!((s.address, s.name.as_str()), (CL_KERNEL_ARG_ADDRESS_PRIVATE, "s"));
        assert_eq!(s.type_name, "struct s, t");
        assert_eq!(all.len(), 1);
    }
}
