//! Decorations of ids and of structure members. Those that change nothing here are dropped.

use crate::decode::{Id, Inst};
use crate::errors::R;
use base::FxHashMap;
use ir::{FastMath, Rounding};
use rspirv::spirv::{Decoration, FPRoundingMode, FunctionParameterAttribute, Op};

/// What parameters are decorated with that stand for channels.
pub(crate) const CHANNEL: &str = "clhls.channel";

/// What decorations say of one id or member.
#[derive(Clone, Default, Debug)]
pub(crate) struct Decorations {
    pub alignment: Option<u32>,
    /// No access through the pointer lies further from where it points, in bytes.
    pub max_byte_offset: Option<u32>,
    pub array_stride: Option<u32>,
    pub offset: Option<u32>,
    pub spec_id: Option<u32>,
    pub builtin: Option<u32>,
    /// Name and whether it is an import.
    pub linkage: Option<(String, bool)>,
    pub rounding: Option<Rounding>,
    pub fast_math: u32,
    pub packed: bool,
    pub saturated: bool,
    pub no_contraction: bool,
    pub volatile: bool,
    pub restrict: bool,
    pub by_value: bool,
    pub no_write: bool,
    pub no_read: bool,
    /// A parameter that stands for a channel.
    pub channel: bool,
}

impl Decorations {
    fn add(&mut self, inst: &Inst, at: usize) -> R<()> {
        let Some(kind) = Decoration::from_u32(inst.arg(at)?) else { return Ok(()) };
        let literal = || inst.arg(at + 1);
        match kind {
            Decoration::Alignment => self.alignment = Some(literal()?),
            Decoration::MaxByteOffset => self.max_byte_offset = Some(literal()?),
            Decoration::ArrayStride => self.array_stride = Some(literal()?),
            Decoration::Offset => self.offset = Some(literal()?),
            Decoration::SpecId => self.spec_id = Some(literal()?),
            Decoration::BuiltIn => self.builtin = Some(literal()?),
            Decoration::CPacked => self.packed = true,
            Decoration::SaturatedConversion => self.saturated = true,
            Decoration::NoContraction => self.no_contraction = true,
            Decoration::Volatile => self.volatile = true,
            Decoration::Restrict => self.restrict = true,
            Decoration::NonWritable => self.no_write = true,
            Decoration::NonReadable => self.no_read = true,
            Decoration::FPFastMathMode => self.fast_math |= literal()?,
            Decoration::FPRoundingMode => self.rounding = Some(rounding(inst, literal()?)?),
            Decoration::FuncParamAttr => self.parameter(literal()?),
            Decoration::LinkageAttributes => {
                let (name, next) = inst.string(at + 1)?;
                self.linkage = Some((name, inst.arg(next)? == 1));
            }
            Decoration::UserSemantic => self.channel |= inst.string(at + 1)?.0 == CHANNEL,
            _ => {}
        }
        Ok(())
    }

    fn parameter(&mut self, attribute: u32) {
        match FunctionParameterAttribute::from_u32(attribute) {
            Some(FunctionParameterAttribute::ByVal) => self.by_value = true,
            Some(FunctionParameterAttribute::NoAlias) => self.restrict = true,
            Some(FunctionParameterAttribute::NoWrite) => self.no_write = true,
            Some(FunctionParameterAttribute::NoReadWrite) => {
                self.no_write = true;
                self.no_read = true;
            }
            _ => {}
        }
    }

    /// The IR's fast-math permissions.
    pub fn fast_math(&self) -> FastMath {
        let pairs = [
            (0x1, FastMath::NO_NAN),
            (0x2, FastMath::NO_INF),
            (0x4, FastMath::NO_SIGNED_ZERO),
            (0x8, FastMath::ALLOW_RECIP),
            // "Fast" includes all other permissions; for contraction see `Spv::contracted`.
            (0x10, 31),
            (0x10000, FastMath::CONTRACT),
            (0x20000, FastMath::FAST),
            (0x40000, FastMath::FAST),
        ];
        let bits = pairs.iter().filter(|(s, _)| self.fast_math & s != 0).fold(0, |a, (_, f)| a | f);
        FastMath(if self.no_contraction { bits & !FastMath::CONTRACT } else { bits })
    }
}

/// A SPIR-V rounding mode.
pub(crate) fn rounding(inst: &Inst, mode: u32) -> R<Rounding> {
    match FPRoundingMode::from_u32(mode) {
        Some(FPRoundingMode::RTE) => Ok(Rounding::Rte),
        Some(FPRoundingMode::RTZ) => Ok(Rounding::Rtz),
        Some(FPRoundingMode::RTP) => Ok(Rounding::Rtp),
        Some(FPRoundingMode::RTN) => Ok(Rounding::Rtn),
        None => Err(inst.malformed(format!("rounding mode {mode} is unknown"))),
    }
}

/// All decorations of a module.
#[derive(Default, Debug)]
pub(crate) struct DecorationMap {
    ids: FxHashMap<Id, Decorations>,
    members: FxHashMap<(Id, u32), Decorations>,
    none: Decorations,
}

impl DecorationMap {
    /// Decorations of an id.
    pub fn of(&self, id: Id) -> &Decorations {
        self.ids.get(&id).unwrap_or(&self.none)
    }

    /// Decorations of a structure member, if any.
    pub fn member(&self, id: Id, member: u32) -> Option<&Decorations> {
        self.members.get(&(id, member))
    }

    /// Takes in one annotation instruction.
    pub fn read(&mut self, inst: &Inst) -> R<()> {
        match inst.op {
            Op::Decorate | Op::DecorateString => {
                self.ids.entry(inst.arg(0)?).or_default().add(inst, 1)
            }
            Op::MemberDecorate | Op::MemberDecorateString => {
                let key = (inst.arg(0)?, inst.arg(1)?);
                self.members.entry(key).or_default().add(inst, 2)
            }
            Op::GroupDecorate => {
                let group = self.of(inst.arg(0)?).clone();
                for id in &inst.args[1..] {
                    self.ids.insert(*id, merged(self.of(*id), &group));
                }
                Ok(())
            }
            Op::GroupMemberDecorate => {
                let group = self.of(inst.arg(0)?).clone();
                for pair in inst.args[1..].chunks_exact(2) {
                    let slot = self.members.entry((pair[0], pair[1])).or_default();
                    *slot = merged(slot, &group);
                }
                Ok(())
            }
            // DecorateId operands are ids; only AlignmentId and MaxByteOffsetId exist for
            // kernels, and both are hints.
            _ => Ok(()),
        }
    }
}

fn merged(a: &Decorations, b: &Decorations) -> Decorations {
    Decorations {
        alignment: b.alignment.or(a.alignment),
        max_byte_offset: b.max_byte_offset.or(a.max_byte_offset),
        array_stride: b.array_stride.or(a.array_stride),
        offset: b.offset.or(a.offset),
        spec_id: b.spec_id.or(a.spec_id),
        builtin: b.builtin.or(a.builtin),
        linkage: b.linkage.clone().or_else(|| a.linkage.clone()),
        rounding: b.rounding.or(a.rounding),
        fast_math: a.fast_math | b.fast_math,
        packed: a.packed | b.packed,
        saturated: a.saturated | b.saturated,
        no_contraction: a.no_contraction | b.no_contraction,
        volatile: a.volatile | b.volatile,
        restrict: a.restrict | b.restrict,
        by_value: a.by_value | b.by_value,
        no_write: a.no_write | b.no_write,
        no_read: a.no_read | b.no_read,
        channel: a.channel | b.channel,
    }
}
