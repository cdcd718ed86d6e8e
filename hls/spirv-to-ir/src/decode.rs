//! Words to instructions.
//!
//! The grammar (names, operand kinds and counts) is rspirv's; the words are walked here,
//! because rspirv's parser rejects modules that producers write: it reads each operand of
//! `OpSpecConstantOp` exactly once, while access chains have any number, accepts only literals
//! of 8, 16, 32 and 64 bits, and fails on an enumerant newer than its grammar even where it is
//! to be ignored, as for decorations.

use crate::errors::{MALFORMED, NOT_SPIRV, R, TOO_LARGE, UNKNOWN_OPCODE, VERSION, error, fail};
use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};
use std::sync::OnceLock;

/// A SPIR-V result id.
pub(crate) type Id = u32;

/// Most ids a module may have (SPIR-V specification, "Universal Limits").
pub(crate) const MAX_BOUND: u32 = 0x40_0000;
/// Largest module read, in bytes: far beyond any kernel, small enough to bound memory.
const MAX_BYTES: usize = 64 << 20;
pub(crate) const HEADER_WORDS: usize = 5;

/// An instruction: where its words are, with result type and result id taken out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'a> {
    /// Operation.
    pub op: Op,
    /// Result type, where the operation has one.
    pub ty: Option<Id>,
    /// Result id, where the operation has one.
    pub result: Option<Id>,
    /// The operands after these.
    pub args: &'a [u32],
    /// Offset in the file, in bytes.
    pub at: usize,
}

impl Inst<'_> {
    /// Name as in the specification, such as `OpIAdd`.
    pub fn name(&self) -> String {
        op_name(self.op)
    }

    /// Operand word `k` after result type and result.
    pub fn arg(&self, k: usize) -> R<u32> {
        match self.args.get(k) {
            Some(w) => Ok(*w),
            None => Err(self.malformed(format!("operand {} is missing", k + 1))),
        }
    }

    /// The result type.
    pub fn ty(&self) -> R<Id> {
        self.ty.ok_or_else(|| self.malformed("no result type".into()))
    }

    /// The result id.
    pub fn result(&self) -> R<Id> {
        self.result.ok_or_else(|| self.malformed("no result id".into()))
    }

    /// The literal string that starts at operand word `k`, and the word after it.
    pub fn string(&self, k: usize) -> R<(String, usize)> {
        let mut bytes = vec![];
        for (n, w) in self.args.iter().enumerate().skip(k) {
            for b in w.to_le_bytes() {
                if b == 0 {
                    // A name is text for people: bytes that are not UTF-8 do no harm.
                    return Ok((String::from_utf8_lossy(&bytes).into_owned(), n + 1));
                }
                bytes.push(b);
            }
        }
        Err(self.malformed("a string does not end".into()))
    }

    /// A malformed-instruction error that names this instruction and its place in the file.
    pub fn malformed(&self, why: String) -> Box<base::Diagnostic> {
        let text = format!("{} at byte {:#x} is malformed: {why}", self.name(), self.at);
        error(MALFORMED, text)
    }
}

/// Name of an operation as in the specification.
pub(crate) fn op_name(op: Op) -> String {
    grammar_of(op as u32).map_or_else(|| format!("{op:?}"), |g| format!("Op{}", g.opname))
}

/// rspirv's grammar entry, indexed by opcode (its own look-up searches the whole table).
fn grammar_of(opcode: u32) -> Option<&'static Instruction<'static>> {
    static TABLE: OnceLock<Vec<Option<&'static Instruction<'static>>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = vec![];
        for inst in INSTRUCTION_TABLE.iter() {
            let k = inst.opcode as usize;
            if table.len() <= k {
                table.resize(k + 1, None);
            }
            table[k].get_or_insert(inst);
        }
        table
    });
    table.get(opcode as usize).copied().flatten()
}

/// Header fields that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// Ids are below this.
    pub bound: u32,
    /// The producer's number in Khronos' list of generators.
    pub generator: u32,
}

/// The words of a module in host order. Both byte orders are read, as the specification asks.
pub(crate) fn words(bytes: &[u8]) -> R<Vec<u32>> {
    if bytes.len() > MAX_BYTES {
        return fail(
            TOO_LARGE,
            format!("the module has {} bytes, the limit is {MAX_BYTES}", bytes.len()),
        );
    }
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let magic = match bytes.get(..4) {
        Some(b) => word(b),
        None => return fail(NOT_SPIRV, format!("a file of {} bytes is not SPIR-V", bytes.len())),
    };
    let swapped = magic == MAGIC_NUMBER.swap_bytes();
    if magic != MAGIC_NUMBER && !swapped {
        let mut e = error(
            NOT_SPIRV,
            format!("not SPIR-V: the file starts with {magic:#010x}, not {MAGIC_NUMBER:#010x}"),
        );
        if magic == u32::from_le_bytes(*b"BC\xc0\xde") {
            e = Box::new(e.help("this is LLVM bitcode: translate it with llvm-spirv"));
        }
        return Err(e);
    }
    if !bytes.len().is_multiple_of(4) {
        return fail(NOT_SPIRV, format!("the file ends inside a word: {} bytes", bytes.len()));
    }
    let words = bytes.chunks_exact(4).map(word);
    Ok(if swapped { words.map(u32::swap_bytes).collect() } else { words.collect() })
}

/// Splits a module into its instructions and checks their shapes.
pub(crate) fn decode(words: &[u32]) -> R<(Header, Vec<Inst<'_>>)> {
    let Some(header) = words.get(..HEADER_WORDS) else {
        return fail(NOT_SPIRV, "the file ends inside the SPIR-V header");
    };
    let (major, minor) = (header[1] >> 16 & 0xff, header[1] >> 8 & 0xff);
    if major != 1 || minor > 6 || header[1] & 0xff00_00ff != 0 {
        return fail(
            VERSION,
            format!(
                "SPIR-V version {major}.{minor} ({:#010x}) is not supported, 1.0 to 1.6 are",
                header[1]
            ),
        );
    }
    let bound = header[3];
    if bound > MAX_BOUND {
        return fail(
            TOO_LARGE,
            format!("the module declares {bound} ids, the limit is {MAX_BOUND}"),
        );
    }
    let mut insts = vec![];
    let mut at = HEADER_WORDS;
    while let Some(&first) = words.get(at) {
        let count = (first >> 16) as usize;
        let Some(body) = words.get(at + 1..at + count.max(1)).filter(|_| count > 0) else {
            let text = format!(
                "the instruction at byte {:#x} has {count} words, the file ends before",
                at * 4
            );
            return fail(MALFORMED, text);
        };
        insts.push(instruction(first & 0xffff, body, at * 4, bound)?);
        at += count;
    }
    Ok((Header { bound, generator: header[2] >> 16 }, insts))
}

fn instruction(opcode: u32, body: &[u32], at: usize, bound: u32) -> R<Inst<'_>> {
    let Some(grammar) = grammar_of(opcode) else {
        return fail(
            UNKNOWN_OPCODE,
            format!("unknown instruction number {opcode} at byte {at:#x}"),
        );
    };
    let mut inst = Inst { op: grammar.opcode, ty: None, result: None, args: body, at };
    if is_blocking_pipe(inst.op) {
        let why = || format!("it has {} operand words, 4 expected", body.len());
        return if body.len() == 4 { Ok(inst) } else { Err(inst.malformed(why())) };
    }
    let mut operands = grammar.operands.iter();
    for operand in operands.clone().take(2) {
        let slot = match operand.kind {
            OperandKind::IdResultType => &mut inst.ty,
            OperandKind::IdResult => &mut inst.result,
            _ => break,
        };
        operands.next();
        let Some((&id, rest)) = inst.args.split_first() else {
            return Err(inst.malformed("it ends before its result".into()));
        };
        if id == 0 || id >= bound {
            return Err(inst.malformed(format!("id {id} is not below the declared bound {bound}")));
        }
        *slot = Some(id);
        inst.args = rest;
    }
    let least = operands.clone().filter(|o| o.quantifier == OperandQuantifier::One).count();
    let fixed = operands.clone().all(|o| {
        use OperandKind::*;
        let one_word = matches!(o.kind, IdRef | IdScope | IdMemorySemantics | LiteralInteger);
        one_word && o.quantifier == OperandQuantifier::One
    });
    // AccessChain and friends inside OpSpecConstantOp are checked where they are evaluated. clang-22 writes the operands of
    // the type after the null constant of an event.
    let fixed = fixed && inst.op != Op::ConstantNull;
    if inst.args.len() < least || fixed && inst.args.len() > least {
        let why = format!("it has {} operand words, {least} expected", inst.args.len());
        return Err(inst.malformed(why));
    }
    Ok(inst)
}

/// Whether it is one of SPV_INTEL_blocking_pipes: pipe, pointer, size and alignment, as the extension says and producers write. The
/// grammar takes the first two for a result.
fn is_blocking_pipe(op: Op) -> bool {
    matches!(op, Op::ReadPipeBlockingALTERA | Op::WritePipeBlockingALTERA)
}

/// The instruction inside `OpSpecConstantOp`, in the shape of an ordinary one.
pub(crate) fn spec_op<'a>(inst: &Inst<'a>) -> R<Inst<'a>> {
    let opcode = inst.arg(0)?;
    let Some(grammar) = grammar_of(opcode) else {
        return Err(inst.malformed(format!("unknown operation {opcode}")));
    };
    Ok(Inst { op: grammar.opcode, args: &inst.args[1..], ..*inst })
}
