//! The instructions that stand in blocks, each with how it is lowered. This table is both the
//! dispatcher and what `clhls support` prints.

use super::Lower;
use super::group::Combine;
use super::pipe::Direction::{Read, Write};
use super::sub_group::{Find, Source};
use crate::decode::{Inst, op_name};
use crate::errors::{R, UNSUPPORTED, unsupported};
use crate::support;
use ir::{AtomicOp, FloatCC, IntCC, Op as I};
use rspirv::spirv::Op;
use std::sync::OnceLock;

/// Lowers one instruction.
pub(crate) type Handler =
    for<'a, 'f, 'l, 'x, 'y> fn(&'x mut Lower<'a, 'f, 'l>, &'y Inst<'a>) -> R<()>;

/// The handler of an instruction, or the error that says when it will have one.
pub(super) fn handler(op: Op) -> R<Handler> {
    static BY_OPCODE: OnceLock<Vec<Option<Handler>>> = OnceLock::new();
    let table = BY_OPCODE.get_or_init(|| {
        let mut table: Vec<Option<Handler>> = vec![];
        for (op, handler) in INSTRUCTIONS {
            let k = *op as usize;
            if table.len() <= k {
                table.resize(k + 1, None);
            }
            table[k] = Some(*handler);
        }
        table
    });
    match table.get(op as usize).copied().flatten() {
        Some(h) => Ok(h),
        None => Err(unsupported(UNSUPPORTED, op_name(op), support::milestone(op))),
    }
}

const LT: FloatCC = FloatCC::LT;
const EQ: FloatCC = FloatCC::EQ;
const GT: FloatCC = FloatCC::GT;
const UN: FloatCC = FloatCC::UN;

/// Every supported instruction of a block, in the order of the specification's sections.
pub(crate) const INSTRUCTIONS: &[(Op, Handler)] = &[
    // Miscellaneous
    (Op::Nop, |l, i| l.nothing(i)),
    (Op::Undef, |l, i| {
        let zero = l.zero(i.ty()?)?;
        l.set_all(i, zero)
    }),
    (Op::SizeOf, |l, i| l.size_of(i)),
    (Op::ExpectKHR, |l, i| l.copy_object(i)),
    (Op::AssumeTrueKHR, |l, i| l.nothing(i)),
    (Op::ExtInst, |l, i| l.ext_inst(i)),
    (Op::ExtInstWithForwardRefsKHR, |l, i| l.ext_inst(i)),
    // Memory
    (Op::Variable, |l, i| l.variable(i)),
    (Op::Load, |l, i| l.load(i)),
    (Op::Store, |l, i| l.store(i)),
    (Op::CopyMemory, |l, i| l.copy_memory(i)),
    (Op::CopyMemorySized, |l, i| l.copy_memory_sized(i)),
    (Op::AccessChain, |l, i| l.access_chain(i, false)),
    (Op::InBoundsAccessChain, |l, i| l.access_chain(i, false)),
    (Op::PtrAccessChain, |l, i| l.access_chain(i, true)),
    (Op::InBoundsPtrAccessChain, |l, i| l.access_chain(i, true)),
    (Op::GenericPtrMemSemantics, |l, i| l.generic_semantics(i)),
    (Op::PtrEqual, |l, i| l.pointer_compare(i, IntCC::Eq)),
    (Op::PtrNotEqual, |l, i| l.pointer_compare(i, IntCC::Ne)),
    (Op::PtrDiff, |l, i| l.pointer_difference(i)),
    // Functions
    (Op::FunctionCall, |l, i| l.function_call(i)),
    // Images
    (Op::SampledImage, |l, i| l.sampled_image(i)),
    (Op::ImageSampleExplicitLod, |l, i| l.image_sample(i)),
    (Op::ImageFetch, |l, i| l.image_read(i)),
    (Op::ImageRead, |l, i| l.image_read(i)),
    (Op::ImageWrite, |l, i| l.image_write(i)),
    (Op::Image, |l, i| l.image_of(i)),
    (Op::ImageQueryFormat, |l, i| l.image_format(i)),
    (Op::ImageQueryOrder, |l, i| l.image_order(i)),
    (Op::ImageQuerySizeLod, |l, i| l.image_size(i)),
    (Op::ImageQuerySize, |l, i| l.image_size(i)),
    (Op::ImageQueryLevels, |l, i| l.image_levels(i)),
    // Conversions
    (Op::ConvertFToU, |l, i| l.float_to_int(i, false)),
    (Op::ConvertFToS, |l, i| l.float_to_int(i, true)),
    (Op::ConvertSToF, |l, i| l.int_to_float(i, true)),
    (Op::ConvertUToF, |l, i| l.int_to_float(i, false)),
    (Op::UConvert, |l, i| l.int_convert(i, false)),
    (Op::SConvert, |l, i| l.int_convert(i, true)),
    (Op::FConvert, |l, i| l.float_convert(i)),
    (Op::ConvertPtrToU, |l, i| l.pointer_to_int(i)),
    (Op::SatConvertSToU, |l, i| l.sat_convert(i, true)),
    (Op::SatConvertUToS, |l, i| l.sat_convert(i, false)),
    (Op::ConvertFToBF16INTEL, |l, i| l.float_to_bfloat16(i)),
    (Op::ConvertBF16ToFINTEL, |l, i| l.bfloat16_to_float(i)),
    (Op::ConvertUToPtr, |l, i| l.int_to_pointer(i)),
    (Op::PtrCastToGeneric, |l, i| l.cast_space(i)),
    (Op::GenericCastToPtr, |l, i| l.cast_space(i)),
    (Op::GenericCastToPtrExplicit, |l, i| l.cast_space(i)),
    (Op::Bitcast, |l, i| l.bitcast(i)),
    // Composites
    (Op::VectorExtractDynamic, |l, i| l.extract_dynamic(i)),
    (Op::VectorInsertDynamic, |l, i| l.insert_dynamic(i)),
    (Op::VectorShuffle, |l, i| l.vector_shuffle(i)),
    (Op::CompositeConstruct, |l, i| l.composite_construct(i)),
    (Op::CompositeExtract, |l, i| l.composite_extract(i)),
    (Op::CompositeInsert, |l, i| l.composite_insert(i)),
    (Op::CopyObject, |l, i| l.copy_object(i)),
    (Op::CopyLogical, |l, i| l.copy_object(i)),
    // Integer arithmetic
    (Op::SNegate, |l, i| l.negate(i)),
    (Op::IAdd, |l, i| l.int_binary(i, I::Add)),
    (Op::ISub, |l, i| l.int_binary(i, I::Sub)),
    (Op::IMul, |l, i| l.int_binary(i, I::Mul)),
    (Op::UDiv, |l, i| l.int_binary(i, I::UDiv)),
    (Op::SDiv, |l, i| l.int_binary(i, I::SDiv)),
    (Op::UMod, |l, i| l.int_binary(i, I::URem)),
    (Op::SRem, |l, i| l.int_binary(i, I::SRem)),
    (Op::SMod, |l, i| l.s_mod(i)),
    (Op::IAddCarry, |l, i| l.carry(i, false)),
    (Op::ISubBorrow, |l, i| l.carry(i, true)),
    (Op::UMulExtended, |l, i| l.mul_extended(i, false)),
    (Op::SMulExtended, |l, i| l.mul_extended(i, true)),
    (Op::SDot, |l, i| l.int_dot(i, (true, true), false)),
    (Op::UDot, |l, i| l.int_dot(i, (false, false), false)),
    (Op::SUDot, |l, i| l.int_dot(i, (true, false), false)),
    (Op::SDotAccSat, |l, i| l.int_dot(i, (true, true), true)),
    (Op::UDotAccSat, |l, i| l.int_dot(i, (false, false), true)),
    (Op::SUDotAccSat, |l, i| l.int_dot(i, (true, false), true)),
    // Floating-point arithmetic
    (Op::FNegate, |l, i| l.float_negate(i)),
    (Op::FAdd, |l, i| l.float_binary(i, I::FAdd)),
    (Op::FSub, |l, i| l.float_binary(i, I::FSub)),
    (Op::FMul, |l, i| l.float_binary(i, I::FMul)),
    (Op::FDiv, |l, i| l.float_divide(i)),
    (Op::FRem, |l, i| l.float_binary(i, I::FRem)),
    (Op::FMod, |l, i| l.float_mod(i)),
    (Op::VectorTimesScalar, |l, i| l.vector_times_scalar(i)),
    (Op::Dot, |l, i| l.dot(i)),
    // Bits
    (Op::ShiftRightLogical, |l, i| l.shift(i, I::LShr)),
    (Op::ShiftRightArithmetic, |l, i| l.shift(i, I::AShr)),
    (Op::ShiftLeftLogical, |l, i| l.shift(i, I::Shl)),
    (Op::BitwiseOr, |l, i| l.int_binary(i, I::Or)),
    (Op::BitwiseXor, |l, i| l.int_binary(i, I::Xor)),
    (Op::BitwiseAnd, |l, i| l.int_binary(i, I::And)),
    (Op::Not, |l, i| l.int_unary(i, I::Not)),
    (Op::BitFieldInsert, |l, i| l.field_insert(i)),
    (Op::BitFieldSExtract, |l, i| l.field_extract(i, true)),
    (Op::BitFieldUExtract, |l, i| l.field_extract(i, false)),
    (Op::BitReverse, |l, i| l.int_unary(i, I::BitReverse)),
    (Op::BitCount, |l, i| l.bit_count(i)),
    // Relational and logical
    (Op::Any, |l, i| l.reduce(i, I::Or)),
    (Op::All, |l, i| l.reduce(i, I::And)),
    (Op::IsNan, |l, i| l.classify(i, IntCC::Ugt)),
    (Op::IsInf, |l, i| l.classify(i, IntCC::Eq)),
    (Op::IsFinite, |l, i| l.classify(i, IntCC::Ult)),
    (Op::IsNormal, |l, i| l.is_normal(i)),
    (Op::SignBitSet, |l, i| l.sign_bit(i)),
    (Op::LessOrGreater, |l, i| l.float_compare(i, LT.or(GT))),
    (Op::Ordered, |l, i| l.ordered(i, true)),
    (Op::Unordered, |l, i| l.ordered(i, false)),
    (Op::LogicalEqual, |l, i| l.logical_equal(i)),
    (Op::LogicalNotEqual, |l, i| l.logical(i, I::Xor)),
    (Op::LogicalOr, |l, i| l.logical(i, I::Or)),
    (Op::LogicalAnd, |l, i| l.logical(i, I::And)),
    (Op::LogicalNot, |l, i| l.int_unary(i, I::Not)),
    (Op::Select, |l, i| l.select(i)),
    (Op::IEqual, |l, i| l.int_compare(i, IntCC::Eq)),
    (Op::INotEqual, |l, i| l.int_compare(i, IntCC::Ne)),
    (Op::UGreaterThan, |l, i| l.int_compare(i, IntCC::Ugt)),
    (Op::SGreaterThan, |l, i| l.int_compare(i, IntCC::Sgt)),
    (Op::UGreaterThanEqual, |l, i| l.int_compare(i, IntCC::Uge)),
    (Op::SGreaterThanEqual, |l, i| l.int_compare(i, IntCC::Sge)),
    (Op::ULessThan, |l, i| l.int_compare(i, IntCC::Ult)),
    (Op::SLessThan, |l, i| l.int_compare(i, IntCC::Slt)),
    (Op::ULessThanEqual, |l, i| l.int_compare(i, IntCC::Ule)),
    (Op::SLessThanEqual, |l, i| l.int_compare(i, IntCC::Sle)),
    (Op::FOrdEqual, |l, i| l.float_compare(i, EQ)),
    (Op::FUnordEqual, |l, i| l.float_compare(i, EQ.or(UN))),
    (Op::FOrdNotEqual, |l, i| l.float_compare(i, LT.or(GT))),
    (Op::FUnordNotEqual, |l, i| l.float_compare(i, LT.or(GT).or(UN))),
    (Op::FOrdLessThan, |l, i| l.float_compare(i, LT)),
    (Op::FUnordLessThan, |l, i| l.float_compare(i, LT.or(UN))),
    (Op::FOrdGreaterThan, |l, i| l.float_compare(i, GT)),
    (Op::FUnordGreaterThan, |l, i| l.float_compare(i, GT.or(UN))),
    (Op::FOrdLessThanEqual, |l, i| l.float_compare(i, LT.or(EQ))),
    (Op::FUnordLessThanEqual, |l, i| l.float_compare(i, LT.or(EQ).or(UN))),
    (Op::FOrdGreaterThanEqual, |l, i| l.float_compare(i, GT.or(EQ))),
    (Op::FUnordGreaterThanEqual, |l, i| l.float_compare(i, GT.or(EQ).or(UN))),
    // Control flow
    // Made with the blocks, before any of them is lowered.
    (Op::Phi, |l, i| l.nothing(i)),
    (Op::LoopMerge, |l, i| l.loop_hint(i, 2)),
    (Op::LoopControlINTEL, |l, i| l.loop_hint(i, 0)),
    (Op::SelectionMerge, |l, i| l.nothing(i)),
    (Op::Branch, |l, i| l.branch(i)),
    (Op::BranchConditional, |l, i| l.branch_conditional(i)),
    (Op::Switch, |l, i| l.switch(i)),
    (Op::Return, |l, i| l.return_void(i)),
    (Op::ReturnValue, |l, i| l.return_value(i)),
    (Op::Unreachable, |l, i| l.unreachable(i)),
    (Op::LifetimeStart, |l, i| l.lifetime_start(i)),
    (Op::LifetimeStop, |l, i| l.nothing(i)),
    // Atomics and barriers
    (Op::AtomicLoad, |l, i| l.atomic_load(i)),
    (Op::AtomicStore, |l, i| l.atomic_store(i)),
    (Op::AtomicExchange, |l, i| l.atomic(i, AtomicOp::Xchg)),
    (Op::AtomicCompareExchange, |l, i| l.atomic_compare(i)),
    (Op::AtomicCompareExchangeWeak, |l, i| l.atomic_compare(i)),
    (Op::AtomicIIncrement, |l, i| l.atomic_step(i, AtomicOp::Add)),
    (Op::AtomicIDecrement, |l, i| l.atomic_step(i, AtomicOp::Sub)),
    (Op::AtomicIAdd, |l, i| l.atomic(i, AtomicOp::Add)),
    (Op::AtomicISub, |l, i| l.atomic(i, AtomicOp::Sub)),
    (Op::AtomicSMin, |l, i| l.atomic(i, AtomicOp::SMin)),
    (Op::AtomicUMin, |l, i| l.atomic(i, AtomicOp::UMin)),
    (Op::AtomicSMax, |l, i| l.atomic(i, AtomicOp::SMax)),
    (Op::AtomicUMax, |l, i| l.atomic(i, AtomicOp::UMax)),
    (Op::AtomicAnd, |l, i| l.atomic(i, AtomicOp::And)),
    (Op::AtomicOr, |l, i| l.atomic(i, AtomicOp::Or)),
    (Op::AtomicXor, |l, i| l.atomic(i, AtomicOp::Xor)),
    (Op::AtomicFlagTestAndSet, |l, i| l.flag_test_and_set(i)),
    (Op::AtomicFlagClear, |l, i| l.flag_clear(i)),
    (Op::ControlBarrier, |l, i| l.control_barrier(i)),
    (Op::MemoryBarrier, |l, i| l.memory_barrier(i)),
    // Groups
    (Op::GroupAsyncCopy, |l, i| l.group_async_copy(i)),
    (Op::GroupWaitEvents, |l, i| l.group_wait_events(i)),
    (Op::GroupAll, |l, i| l.group_vote(i, true)),
    (Op::GroupAny, |l, i| l.group_vote(i, false)),
    (Op::GroupBroadcast, |l, i| l.group_broadcast(i)),
    (Op::GroupIAdd, |l, i| l.group_arithmetic(i, Combine::Add)),
    (Op::GroupFAdd, |l, i| l.group_arithmetic(i, Combine::FAdd)),
    (Op::GroupFMin, |l, i| l.group_arithmetic(i, Combine::FMin)),
    (Op::GroupUMin, |l, i| l.group_arithmetic(i, Combine::UMin)),
    (Op::GroupSMin, |l, i| l.group_arithmetic(i, Combine::SMin)),
    (Op::GroupFMax, |l, i| l.group_arithmetic(i, Combine::FMax)),
    (Op::GroupUMax, |l, i| l.group_arithmetic(i, Combine::UMax)),
    (Op::GroupSMax, |l, i| l.group_arithmetic(i, Combine::SMax)),
    (Op::GroupIMulKHR, |l, i| l.group_arithmetic(i, Combine::Mul)),
    (Op::GroupFMulKHR, |l, i| l.group_arithmetic(i, Combine::FMul)),
    (Op::GroupBitwiseAndKHR, |l, i| l.group_arithmetic(i, Combine::And)),
    (Op::GroupBitwiseOrKHR, |l, i| l.group_arithmetic(i, Combine::Or)),
    (Op::GroupBitwiseXorKHR, |l, i| l.group_arithmetic(i, Combine::Xor)),
    (Op::GroupLogicalAndKHR, |l, i| l.group_arithmetic(i, Combine::LogicalAnd)),
    (Op::GroupLogicalOrKHR, |l, i| l.group_arithmetic(i, Combine::LogicalOr)),
    (Op::GroupLogicalXorKHR, |l, i| l.group_arithmetic(i, Combine::LogicalXor)),
    // Sub-groups
    (Op::GroupNonUniformElect, |l, i| l.elect(i)),
    (Op::GroupNonUniformAll, |l, i| l.non_uniform_vote(i, true)),
    (Op::GroupNonUniformAny, |l, i| l.non_uniform_vote(i, false)),
    (Op::GroupNonUniformAllEqual, |l, i| l.all_equal(i)),
    (Op::GroupNonUniformBroadcast, |l, i| l.non_uniform_broadcast(i, 1)),
    (Op::GroupNonUniformBroadcastFirst, |l, i| l.broadcast_first(i, 1)),
    (Op::GroupNonUniformBallot, |l, i| l.ballot(i, 1)),
    (Op::GroupNonUniformInverseBallot, |l, i| l.inverse_ballot(i)),
    (Op::GroupNonUniformBallotBitExtract, |l, i| l.ballot_bit(i)),
    (Op::GroupNonUniformBallotBitCount, |l, i| l.ballot_count(i)),
    (Op::GroupNonUniformBallotFindLSB, |l, i| l.ballot_find(i, Find::Lowest)),
    (Op::GroupNonUniformBallotFindMSB, |l, i| l.ballot_find(i, Find::Highest)),
    (Op::GroupNonUniformShuffle, |l, i| l.shuffle(i, 1, Source::Id)),
    (Op::GroupNonUniformShuffleXor, |l, i| l.shuffle(i, 1, Source::Xor)),
    (Op::GroupNonUniformShuffleUp, |l, i| l.shuffle(i, 1, Source::Up)),
    (Op::GroupNonUniformShuffleDown, |l, i| l.shuffle(i, 1, Source::Down)),
    (Op::GroupNonUniformRotateKHR, |l, i| l.rotate_members(i)),
    (Op::GroupNonUniformIAdd, |l, i| l.non_uniform_arithmetic(i, Combine::Add)),
    (Op::GroupNonUniformFAdd, |l, i| l.non_uniform_arithmetic(i, Combine::FAdd)),
    (Op::GroupNonUniformIMul, |l, i| l.non_uniform_arithmetic(i, Combine::Mul)),
    (Op::GroupNonUniformFMul, |l, i| l.non_uniform_arithmetic(i, Combine::FMul)),
    (Op::GroupNonUniformSMin, |l, i| l.non_uniform_arithmetic(i, Combine::SMin)),
    (Op::GroupNonUniformUMin, |l, i| l.non_uniform_arithmetic(i, Combine::UMin)),
    (Op::GroupNonUniformFMin, |l, i| l.non_uniform_arithmetic(i, Combine::FMin)),
    (Op::GroupNonUniformSMax, |l, i| l.non_uniform_arithmetic(i, Combine::SMax)),
    (Op::GroupNonUniformUMax, |l, i| l.non_uniform_arithmetic(i, Combine::UMax)),
    (Op::GroupNonUniformFMax, |l, i| l.non_uniform_arithmetic(i, Combine::FMax)),
    (Op::GroupNonUniformBitwiseAnd, |l, i| l.non_uniform_arithmetic(i, Combine::And)),
    (Op::GroupNonUniformBitwiseOr, |l, i| l.non_uniform_arithmetic(i, Combine::Or)),
    (Op::GroupNonUniformBitwiseXor, |l, i| l.non_uniform_arithmetic(i, Combine::Xor)),
    (Op::GroupNonUniformLogicalAnd, |l, i| l.non_uniform_arithmetic(i, Combine::LogicalAnd)),
    (Op::GroupNonUniformLogicalOr, |l, i| l.non_uniform_arithmetic(i, Combine::LogicalOr)),
    (Op::GroupNonUniformLogicalXor, |l, i| l.non_uniform_arithmetic(i, Combine::LogicalXor)),
    (Op::SubgroupBallotKHR, |l, i| l.ballot(i, 0)),
    (Op::SubgroupFirstInvocationKHR, |l, i| l.broadcast_first(i, 0)),
    (Op::SubgroupReadInvocationKHR, |l, i| l.non_uniform_broadcast(i, 0)),
    (Op::SubgroupShuffleINTEL, |l, i| l.shuffle(i, 0, Source::Id)),
    (Op::SubgroupShuffleXorINTEL, |l, i| l.shuffle(i, 0, Source::Xor)),
    (Op::SubgroupShuffleUpINTEL, |l, i| l.shuffle_two(i, Source::Up)),
    (Op::SubgroupShuffleDownINTEL, |l, i| l.shuffle_two(i, Source::Down)),
    (Op::NamedBarrierInitialize, |l, i| l.named_barrier(i)),
    (Op::MemoryNamedBarrier, |l, i| l.wait_named(i)),
    // Pipes
    (Op::ReadPipe, |l, i| l.pipe_transfer(i, Read)),
    (Op::WritePipe, |l, i| l.pipe_transfer(i, Write)),
    (Op::ReadPipeBlockingALTERA, |l, i| l.pipe_blocking(i, Read)),
    (Op::WritePipeBlockingALTERA, |l, i| l.pipe_blocking(i, Write)),
    (Op::ReservedReadPipe, |l, i| l.pipe_reserved(i, Read)),
    (Op::ReservedWritePipe, |l, i| l.pipe_reserved(i, Write)),
    (Op::ReserveReadPipePackets, |l, i| l.pipe_reserve(i, Read)),
    (Op::ReserveWritePipePackets, |l, i| l.pipe_reserve(i, Write)),
    (Op::CommitReadPipe, |l, i| l.pipe_commit(i, Read)),
    (Op::CommitWritePipe, |l, i| l.pipe_commit(i, Write)),
    (Op::IsValidReserveId, |l, i| l.pipe_id_is_valid(i)),
    (Op::GetNumPipePackets, |l, i| l.pipe_packets(i)),
    (Op::GetMaxPipePackets, |l, i| l.pipe_most_packets(i)),
    (Op::GroupReserveReadPipePackets, |l, i| l.pipe_group_reserve(i, Read)),
    (Op::GroupReserveWritePipePackets, |l, i| l.pipe_group_reserve(i, Write)),
    (Op::GroupCommitReadPipe, |l, i| l.pipe_group_commit(i, Read)),
    (Op::GroupCommitWritePipe, |l, i| l.pipe_group_commit(i, Write)),
    (Op::CreatePipeFromPipeStorage, |l, i| l.copy_object(i)),
];
