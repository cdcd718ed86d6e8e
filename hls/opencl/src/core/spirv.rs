//! What the API must know of a SPIR-V module before anything reads it.

/// Magic number of SPIR-V.
const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;

const OP_TYPE_BOOL: u16 = 20;
const OP_TYPE_INT: u16 = 21;
const OP_TYPE_FLOAT: u16 = 22;
const OP_SPEC_CONSTANT_TRUE: u16 = 48;
const OP_SPEC_CONSTANT_FALSE: u16 = 49;
const OP_SPEC_CONSTANT: u16 = 50;
const OP_FUNCTION: u16 = 54;
const OP_DECORATE: u16 = 71;
const DECORATION_SPEC_ID: u32 = 1;

/// The words of a module in the host's byte order; none if it is no whole module.
fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || chunks.len() < HEADER_WORDS {
        return None;
    }
    let little: Vec<u32> = chunks.iter().map(|c| u32::from_le_bytes(*c)).collect();
    match little[0] {
        MAGIC => Some(little),
        first if first.swap_bytes() == MAGIC => {
            Some(little.iter().map(|w| w.swap_bytes()).collect())
        }
        _ => None,
    }
}

/// Opcode and operands of each instruction, up to the first that is cut off.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u16, &[u32])> {
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let count = (first >> 16) as usize;
        let operands = rest.get(1..count)?;
        rest = &rest[count..];
        Some((first as u16, operands))
    })
}

/// Whether bytes look like a SPIR-V module: the magic number and whole instructions.
pub fn is_module(bytes: &[u8]) -> bool {
    let Some(words) = words(bytes) else { return false };
    let length: usize = instructions(&words).map(|(_, operands)| operands.len() + 1).sum();
    HEADER_WORDS + length == words.len()
}

/// Size in bytes of the value of the specialisation constant with this id; none if there is none.
pub fn spec_constant_size(bytes: &[u8], id: u32) -> Option<usize> {
    let words = words(bytes)?;
    let before = || instructions(&words).take_while(|(op, _)| *op != OP_FUNCTION);
    let target = before().find_map(|(op, operands)| match operands {
        [target, DECORATION_SPEC_ID, value] if op == OP_DECORATE && *value == id => Some(*target),
        _ => None,
    })?;
    let constant = before().find(|(op, operands)| {
        let spec = [OP_SPEC_CONSTANT, OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE].contains(op);
        spec && operands.get(1) == Some(&target)
    })?;
    let ty = *constant.1.first()?;
    before().find_map(|(op, operands)| match (op, operands) {
        (OP_TYPE_BOOL, [result]) if *result == ty => Some(1),
        (OP_TYPE_INT | OP_TYPE_FLOAT, [result, width, ..]) if *result == ty => {
            Some(width.div_ceil(8) as usize)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0000, 0, 10, 0];
        words.extend(instructions.iter().flat_map(|i| i.iter()));
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn op(op: u16, count: u32) -> u32 {
        count << 16 | u32::from(op)
    }

    #[test]
    fn modules_have_a_magic_number_and_whole_instructions() {
        let good = module(&[&[op(OP_TYPE_BOOL, 2), 1]]);
        assert!(is_module(&good));
        assert!(!is_module(&good[..good.len() - 4]) && !is_module(&good[..good.len() - 1]));
        assert!(!is_module(b"") && !is_module(b"not SPIR-V at all..."));
        assert!(!is_module(&module(&[&[0]])));
    }

    #[test]
    fn specialisation_constants_have_the_size_of_their_type() {
        let bytes = module(&[
            &[op(OP_DECORATE, 4), 5, DECORATION_SPEC_ID, 7],
            &[op(OP_DECORATE, 4), 6, DECORATION_SPEC_ID, 8],
            &[op(OP_TYPE_INT, 4), 1, 16, 0],
            &[op(OP_TYPE_BOOL, 2), 2],
            &[op(OP_SPEC_CONSTANT, 4), 1, 5, 42],
            &[op(OP_SPEC_CONSTANT_TRUE, 3), 2, 6],
        ]);
        assert_eq!(spec_constant_size(&bytes, 7), Some(2));
        assert_eq!(spec_constant_size(&bytes, 8), Some(1));
        assert_eq!(spec_constant_size(&bytes, 9), None);
    }
}
