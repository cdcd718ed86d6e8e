//! Strings that travel in modules.

use crate::decode;
use rspirv::spirv::Op;

/// The module with strings of `OpModuleProcessed`, which [`crate::read`] heeds where they are hints of `clhls-dialects`. A module that cannot be read
/// stays as it is.
pub fn processed(module: Vec<u8>, strings: &[String]) -> Vec<u8> {
    if strings.is_empty() {
        return module;
    }
    let Ok(words) = decode::words(&module) else { return module };
    let Ok((_, insts)) = decode::decode(&words) else { return module };
    let place = insts.iter().find(|inst| is_behind(inst.op)).map_or(words.len(), |i| i.at / 4);
    let (before, behind) = words.split_at(place);
    let mut out = before.to_vec();
    for string in strings {
        put_text(&mut out, Op::ModuleProcessed, &[], string);
    }
    out.extend(behind);
    out.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Whether an instruction stands behind those that name things.
pub(crate) fn is_behind(op: Op) -> bool {
    let decorates = matches!(
        op,
        Op::Decorate
            | Op::MemberDecorate
            | Op::DecorationGroup
            | Op::DecorateId
            | Op::DecorateString
            | Op::ModuleProcessed
    );
    decorates || crate::support::is_type(op) || op == Op::Function
}

/// Adds an instruction.
pub(crate) fn put(out: &mut Vec<u32>, op: Op, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | op as u32);
    out.extend(operands);
}

/// Adds an instruction that ends with a string.
pub(crate) fn put_text(out: &mut Vec<u32>, op: Op, before: &[u32], text: &str) {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let word = |b: &[u8]| b.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b));
    let operands: Vec<u32> = before.iter().copied().chain(bytes.chunks(4).map(word)).collect();
    put(out, op, &operands);
}
