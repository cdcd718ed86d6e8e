//! What is supported, as data: capabilities, extensions, instructions, OpenCL.std.

use crate::decode::op_name;
use crate::ext_inst;
use crate::lower::table;
use rspirv::grammar::INSTRUCTION_TABLE;
use rspirv::spirv::{Capability, Op};

/// Whether a construct can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It works.
    Supported,
    /// It may be declared; what needs it is reported where it is used. Planned with the
    /// milestone named.
    Declared(&'static str),
    /// It is an error. Planned with the milestone named, or why not.
    Unsupported(&'static str),
}

/// One line of the support list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Name as in the specification.
    pub name: String,
    /// Whether it can be used.
    pub status: Status,
}

/// One table of the support list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Heading.
    pub title: &'static str,
    /// Lines in the order of the specification.
    pub rows: Vec<Row>,
}

/// Reason for what belongs to graphics.
pub(crate) const GRAPHICS: &str = "graphics, not part of OpenCL";
const IMAGES: &str = "images";
const GROUPS: &str = "sub-group functions";
const NUMERICS: &str = "numerics";
const ATOMICS: &str = "floating-point atomics";
const NOT_PLANNED: &str = "not planned";

use Status::{Declared, Supported, Unsupported};

/// Capabilities of kernels. Those not listed are unsupported.
const CAPABILITIES: &[(Capability, Status)] = &[
    (Capability::Kernel, Supported),
    (Capability::Addresses, Supported),
    (Capability::Linkage, Supported),
    (Capability::Matrix, Unsupported(GRAPHICS)),
    (Capability::Shader, Unsupported(GRAPHICS)),
    (Capability::Vector16, Supported),
    (Capability::Float16Buffer, Supported),
    (Capability::Float16, Supported),
    (Capability::Float64, Supported),
    (Capability::Int64, Supported),
    (Capability::Int16, Supported),
    (Capability::Int8, Supported),
    (Capability::Int64Atomics, Supported),
    (Capability::GenericPointer, Supported),
    (Capability::BitInstructions, Supported),
    (Capability::DotProduct, Supported),
    (Capability::DotProductInputAll, Supported),
    (Capability::DotProductInput4x8Bit, Supported),
    (Capability::DotProductInput4x8BitPacked, Supported),
    (Capability::ExpectAssumeKHR, Supported),
    (Capability::DenormPreserve, Supported),
    (Capability::SignedZeroInfNanPreserve, Supported),
    (Capability::RoundingModeRTE, Supported),
    (Capability::FloatControls2, Supported),
    (Capability::KernelAttributesINTEL, Supported),
    (Capability::FPGAKernelAttributesINTEL, Supported),
    (Capability::FPGALoopControlsINTEL, Supported),
    (Capability::FPGAMemoryAttributesINTEL, Supported),
    (Capability::UnstructuredLoopControlsINTEL, Supported),
    (Capability::ArbitraryPrecisionIntegersINTEL, Supported),
    (Capability::BFloat16TypeKHR, Supported),
    (Capability::BFloat16ConversionINTEL, Supported),
    (Capability::UniformDecoration, Supported),
    (Capability::Groups, Supported),
    (Capability::SubgroupDispatch, Supported),
    (Capability::NamedBarrier, Supported),
    (Capability::GroupNonUniform, Supported),
    (Capability::GroupNonUniformVote, Supported),
    (Capability::GroupNonUniformArithmetic, Supported),
    (Capability::GroupNonUniformBallot, Supported),
    (Capability::GroupNonUniformShuffle, Supported),
    (Capability::GroupNonUniformShuffleRelative, Supported),
    (Capability::GroupNonUniformClustered, Supported),
    (Capability::GroupNonUniformRotateKHR, Supported),
    (Capability::GroupUniformArithmeticKHR, Supported),
    (Capability::SubgroupShuffleINTEL, Supported),
    (Capability::SubgroupBufferBlockIOINTEL, Supported),
    (Capability::ImageBasic, Supported),
    (Capability::ImageReadWrite, Supported),
    (Capability::ImageMipmap, Supported),
    (Capability::LiteralSampler, Supported),
    (Capability::Sampled1D, Supported),
    (Capability::Image1D, Supported),
    (Capability::SampledBuffer, Supported),
    (Capability::ImageBuffer, Supported),
    (Capability::Pipes, Supported),
    (Capability::PipeStorage, Supported),
    (Capability::BlockingPipesALTERA, Supported),
    (Capability::DeviceEnqueue, Supported),
    (Capability::SubgroupBallotKHR, Supported),
    (Capability::AtomicFloat32AddEXT, Supported),
    (Capability::AtomicFloat64AddEXT, Supported),
    (Capability::AtomicFloat16AddEXT, Declared(ATOMICS)),
    (Capability::AtomicFloat32MinMaxEXT, Supported),
    (Capability::AtomicFloat64MinMaxEXT, Supported),
    (Capability::AtomicFloat16MinMaxEXT, Declared(ATOMICS)),
    (Capability::AsmINTEL, Declared(NOT_PLANNED)),
    (Capability::ShaderClockKHR, Declared(NOT_PLANNED)),
    (Capability::FunctionPointersINTEL, Declared(NOT_PLANNED)),
    (Capability::IndirectReferencesINTEL, Declared(NOT_PLANNED)),
    (Capability::VariableLengthArrayINTEL, Declared(NOT_PLANNED)),
    (Capability::OptNoneINTEL, Supported),
    (Capability::DenormFlushToZero, Supported),
    (Capability::RoundingModeRTZ, Unsupported(NUMERICS)),
];

/// Extensions of the SPIR-V registry that kernels may name.
const EXTENSIONS: &[(&str, Status)] = &[
    ("SPV_KHR_no_integer_wrap_decoration", Supported),
    ("SPV_KHR_linkonce_odr", Supported),
    ("SPV_KHR_expect_assume", Supported),
    ("SPV_KHR_bit_instructions", Supported),
    ("SPV_KHR_integer_dot_product", Supported),
    ("SPV_KHR_float_controls", Supported),
    ("SPV_KHR_float_controls2", Supported),
    ("SPV_KHR_bfloat16", Supported),
    ("SPV_INTEL_bfloat16_conversion", Supported),
    ("SPV_KHR_non_semantic_info", Supported),
    ("SPV_KHR_relaxed_extended_instruction", Supported),
    ("SPV_KHR_storage_buffer_storage_class", Supported),
    ("SPV_INTEL_arbitrary_precision_integers", Supported),
    ("SPV_ALTERA_arbitrary_precision_integers", Supported),
    ("SPV_INTEL_fpga_loop_controls", Supported),
    ("SPV_INTEL_kernel_attributes", Supported),
    ("SPV_INTEL_fpga_memory_attributes", Supported),
    ("SPV_INTEL_unstructured_loop_controls", Supported),
    ("SPV_INTEL_blocking_pipes", Supported),
    ("SPV_ALTERA_blocking_pipes", Supported),
    ("SPV_INTEL_optnone", Supported),
    ("SPV_EXT_optnone", Supported),
    ("SPV_EXT_relaxed_printf_string_address_space", Supported),
    ("SPV_INTEL_subgroups", Supported),
    ("SPV_KHR_shader_ballot", Supported),
    ("SPV_KHR_subgroup_rotate", Supported),
    ("SPV_KHR_uniform_group_instructions", Supported),
    ("SPV_EXT_shader_atomic_float_add", Supported),
    ("SPV_EXT_shader_atomic_float_min_max", Supported),
    ("SPV_EXT_shader_atomic_float16_add", Declared(ATOMICS)),
    ("SPV_INTEL_inline_assembly", Declared(NOT_PLANNED)),
    ("SPV_INTEL_function_pointers", Declared(NOT_PLANNED)),
    ("SPV_INTEL_variable_length_array", Declared(NOT_PLANNED)),
    ("SPV_KHR_shader_clock", Declared(NOT_PLANNED)),
    ("SPV_KHR_untyped_pointers", Unsupported("untyped pointers")),
];

/// Status of a capability.
pub(crate) fn capability(capability: Capability) -> Status {
    CAPABILITIES
        .iter()
        .find(|(c, _)| *c == capability)
        .map_or(Unsupported(NOT_PLANNED), |(_, s)| *s)
}

/// Status of an extension, if it is known.
pub(crate) fn extension(name: &str) -> Option<Status> {
    EXTENSIONS.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)
}

/// Whether an instruction declares a type.
pub(crate) fn is_type(op: Op) -> bool {
    op_name(op).starts_with("OpType") && op != Op::TypeForwardPointer
}

/// Instructions outside blocks that are read.
const MODULE_LEVEL: &[Op] = &[
    Op::SourceContinued,
    Op::Source,
    Op::SourceExtension,
    Op::Name,
    Op::MemberName,
    Op::String,
    Op::Line,
    Op::NoLine,
    Op::ModuleProcessed,
    Op::Extension,
    Op::ExtInstImport,
    Op::MemoryModel,
    Op::EntryPoint,
    Op::ExecutionMode,
    Op::ExecutionModeId,
    Op::Capability,
    Op::TypeVoid,
    Op::TypeBool,
    Op::TypeInt,
    Op::TypeFloat,
    Op::TypeVector,
    Op::TypeArray,
    Op::TypeStruct,
    Op::TypePointer,
    Op::TypeForwardPointer,
    Op::TypeFunction,
    Op::TypeImage,
    Op::TypeSampler,
    Op::TypeSampledImage,
    Op::TypePipe,
    Op::TypeReserveId,
    Op::TypePipeStorage,
    Op::TypeEvent,
    Op::TypeQueue,
    Op::TypeDeviceEvent,
    Op::TypeNamedBarrier,
    Op::ConstantTrue,
    Op::ConstantFalse,
    Op::Constant,
    Op::ConstantComposite,
    Op::ConstantNull,
    Op::ConstantSampler,
    Op::ConstantPipeStorage,
    Op::SpecConstantTrue,
    Op::SpecConstantFalse,
    Op::SpecConstant,
    Op::SpecConstantComposite,
    Op::SpecConstantOp,
    Op::Function,
    Op::FunctionParameter,
    Op::FunctionEnd,
    Op::Label,
    Op::Decorate,
    Op::MemberDecorate,
    Op::DecorationGroup,
    Op::GroupDecorate,
    Op::GroupMemberDecorate,
    Op::DecorateId,
    Op::DecorateString,
    Op::MemberDecorateString,
];

/// When an instruction that is not supported comes, or why it does not.
pub(crate) fn milestone(op: Op) -> &'static str {
    let name = op_name(op);
    let has = |part: &str| name.contains(part);
    if has("Image") || has("Sampler") {
        IMAGES
    } else if has("AtomicF") {
        ATOMICS
    } else if has("AMD") {
        NOT_PLANNED
    } else if has("Group") || has("Async") {
        GROUPS
    } else if has("FunctionPointer") || has("Asm") || has("VariableLengthArray") || has("Clock") {
        NOT_PLANNED
    } else if has("Untyped") {
        "untyped pointers"
    } else {
        NOT_PLANNED
    }
}

/// Whether an instruction can stand in an OpenCL kernel, by the capabilities it needs.
fn for_kernels(op: Op) -> bool {
    let Some(g) = INSTRUCTION_TABLE.iter().find(|g| g.opcode == op) else { return false };
    g.capabilities.is_empty()
        || g.capabilities.iter().any(|c| !matches!(capability(*c), Unsupported(_)))
}

/// Everything, in the order in which `clhls support` prints it.
pub fn sections() -> Vec<Section> {
    let capabilities =
        CAPABILITIES.iter().map(|(c, s)| Row { name: format!("{c:?}"), status: *s }).collect();
    let extensions =
        EXTENSIONS.iter().map(|(n, s)| Row { name: (*n).to_owned(), status: *s }).collect();
    vec![
        Section { title: "Capabilities", rows: capabilities },
        Section { title: "Extensions", rows: extensions },
        Section { title: "Instructions", rows: instructions() },
        Section { title: "OpenCL.std", rows: opencl_std() },
    ]
}

fn instructions() -> Vec<Row> {
    let mut seen = base::FxHashSet::default();
    let mut rows = vec![];
    for g in INSTRUCTION_TABLE.iter().filter(|g| seen.insert(g.opcode)) {
        let op = g.opcode;
        let handled = table::INSTRUCTIONS.iter().any(|(o, _)| *o == op);
        let status = match handled || MODULE_LEVEL.contains(&op) {
            true => Supported,
            false if !for_kernels(op) => continue,
            false => Unsupported(milestone(op)),
        };
        rows.push(Row { name: op_name(op), status });
    }
    rows
}

fn opencl_std() -> Vec<Row> {
    ext_inst::numbers()
        .map(|op| {
            let status = match ext_inst::handler(op) {
                Some(_) => Supported,
                None => Unsupported(ext_inst::MILESTONE),
            };
            Row { name: ext_inst::name(op), status }
        })
        .collect()
}

/// The support list as Markdown: docs/support.md.
pub fn markdown() -> String {
    let mut out = String::from(
        "# What of SPIR-V is supported\n\nGenerated from the tables of `hls/spirv-to-ir`; `clhls support` prints the same. \
         \"declared\": the name may be\ndeclared, an instruction that needs it is an error where it is used. Anything not listed is an error that names it.\n\n\
         Named barriers of sub-groups are not made in loops if they are waited at where only some work-items of a work-group may come (error E0308).\n",
    );
    for section in sections() {
        out.push_str(&format!("\n## {}\n\n| name | status |\n|---|---|\n", section.title));
        for row in section.rows {
            let status = match row.status {
                Supported => "yes".to_owned(),
                Declared(m) => format!("declared; milestone: {m}"),
                Unsupported(m) => format!(
                    "no; {}",
                    if m == NOT_PLANNED || m == GRAPHICS {
                        m.to_owned()
                    } else {
                        format!("milestone: {m}")
                    }
                ),
            };
            out.push_str(&format!("| {} | {status} |\n", row.name));
        }
    }
    out
}
