//! Sizes of local variables that clang-22 loses.
//!
//! An array in local memory that the kernel only hands to built-in functions (`async_work_group_copy`, `vstore_half`), from
//! its first element on, becomes a variable of one element in clang-22's SPIR-V (docs/producers.md). The module does not
//! tell what it was; LLVM's IR of the same source does. The size gets into the module as the decoration `MaxByteOffset`.

use std::collections::{BTreeMap, BTreeSet};

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;

const OP_NAME: u16 = 5;
const OP_ENTRY_POINT: u16 = 15;
const OP_TYPE_ARRAY: u16 = 28;
const OP_TYPE_STRUCT: u16 = 30;
const OP_TYPE_POINTER: u16 = 32;
const OP_VARIABLE: u16 = 59;
const OP_LOAD: u16 = 61;
const OP_STORE: u16 = 62;
const OP_DECORATE: u16 = 71;
const OP_ATOMIC_LOAD: u16 = 227;
const OP_ATOMIC_XOR: u16 = 242;
const CLASS_WORKGROUP: u32 = 4;
const DECORATION_MAX_BYTE_OFFSET: u32 = 45;

/// Opcode, operands and place of the end of each instruction, up to the first that is cut off.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u16, &[u32], usize)> {
    let mut at = HEADER_WORDS;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let operands = words.get(at + 1..at + (first >> 16) as usize)?;
        at += operands.len() + 1;
        Some((first as u16, operands, at))
    })
}

fn words(module: &[u8]) -> Option<Vec<u32>> {
    let (chunks, rest) = module.as_chunks::<4>();
    let words: Vec<u32> = chunks.iter().map(|c| u32::from_le_bytes(*c)).collect();
    (rest.is_empty() && words.first() == Some(&MAGIC)).then_some(words)
}

/// Local variables of one element that are used otherwise than by loads, stores and atomic operations.
fn suspects(words: &[u32]) -> BTreeSet<u32> {
    let (mut aggregates, mut pointees) = (BTreeSet::new(), BTreeMap::new());
    let (mut small, mut handed_on) = (BTreeSet::new(), BTreeSet::new());
    for (op, operands, _) in instructions(words) {
        match (op, operands) {
            (OP_TYPE_ARRAY | OP_TYPE_STRUCT, [id, ..]) => {
                aggregates.insert(*id);
            }
            (OP_TYPE_POINTER, [id, CLASS_WORKGROUP, pointee]) => {
                pointees.insert(*id, *pointee);
            }
            (OP_VARIABLE, [ty, id, CLASS_WORKGROUP, ..]) => {
                if pointees.get(ty).is_some_and(|pointee| !aggregates.contains(pointee)) {
                    small.insert(*id);
                }
            }
            (OP_NAME | OP_ENTRY_POINT | OP_LOAD | OP_STORE | OP_DECORATE, _)
            | (OP_ATOMIC_LOAD..=OP_ATOMIC_XOR, _) => {}
            _ if small.is_empty() => {}
            // a literal that is taken for an id costs a look at LLVM's IR and no more
            _ => handed_on.extend(operands.iter().filter(|id| small.contains(id))),
        }
    }
    handed_on
}

/// Whether a module has local variables that may be larger than it says.
pub fn are_unsure(module: &[u8]) -> bool {
    words(module).is_some_and(|words| !suspects(&words).is_empty())
}

/// The module with the sizes that its local variables have in `llvm`, the text form of LLVM's IR for the same source.
pub fn corrected(module: &[u8], llvm: &str) -> Vec<u8> {
    let Some(mut words) = words(module) else { return module.to_vec() };
    let (suspects, sizes) = (suspects(&words), local_sizes(llvm));
    let mut found = vec![];
    let mut place = None;
    for (op, operands, end) in instructions(&words) {
        match (op, operands) {
            (OP_NAME, [id, name @ ..]) if suspects.contains(id) => {
                if let Some(size) = sizes.get(&text(name)).filter(|size| **size > 0) {
                    found.extend([(4 << 16) | u32::from(OP_DECORATE), *id]);
                    found.extend([
                        DECORATION_MAX_BYTE_OFFSET,
                        (size - 1).try_into().unwrap_or(u32::MAX),
                    ]);
                }
            }
            (OP_DECORATE, _) => place = Some(end),
            _ => {}
        }
    }
    let Some(place) = place else { return module.to_vec() };
    words.splice(place..place, found);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A string of SPIR-V.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Bytes of the variables in local memory, by name.
fn local_sizes(llvm: &str) -> BTreeMap<String, u64> {
    let mut structures = BTreeMap::new();
    let mut sizes = BTreeMap::new();
    for line in llvm.lines() {
        if let Some((name, body)) = line.split_once(" = type ") {
            structures.insert(name, body);
        } else if let Some((name, rest)) = line.split_once(" = ")
            && let Some(name) = name.strip_prefix('@')
            && let Some((_, ty)) = rest.split_once("addrspace(3) global ")
            && let Some(layout) = (Types { structures: &structures, rest: ty }).layout(0)
        {
            sizes.insert(name.trim_matches('"').to_owned(), layout.size);
        }
    }
    sizes
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    size: u64,
    align: u64,
}

/// Most levels of types within types.
const DEPTH: u32 = 32;

/// Reads types of LLVM's IR, laid out as for `spirv64`.
struct Types<'a> {
    /// What `%struct.s = type ...` says.
    structures: &'a BTreeMap<&'a str, &'a str>,
    rest: &'a str,
}

impl<'a> Types<'a> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'a str {
        let name = |c: char| c.is_ascii_alphanumeric() || "%._$-\"".contains(c);
        let end = self.rest.find(|c| !name(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// The type that comes next; none if it is of a kind that kernels do not keep in local memory.
    fn layout(&mut self, depth: u32) -> Option<Layout> {
        if depth > DEPTH {
            return None;
        }
        if self.take("<{") {
            return self.members(depth, true, "}>");
        }
        if self.take("{") {
            return self.members(depth, false, "}");
        }
        let array = self.take("[");
        if array || self.take("<") {
            let count: u64 = self.word().parse().ok()?;
            self.take(" x ").then_some(())?;
            let element = self.layout(depth + 1)?;
            self.take(if array { "]" } else { ">" }).then_some(())?;
            if array {
                return Some(Layout { size: count.checked_mul(element.size)?, ..element });
            }
            let size = count.checked_next_power_of_two()?.checked_mul(element.size)?;
            return Some(Layout { size, align: size });
        }
        let word = self.word();
        let bytes = match word {
            "half" | "bfloat" => 2,
            "float" => 4,
            "double" => 8,
            "ptr" => {
                if self.take(" addrspace(") {
                    self.word();
                    self.take(")");
                }
                8
            }
            _ if word.starts_with('%') => {
                let body = self.structures.get(word)?;
                return Types { structures: self.structures, rest: body }.layout(depth + 1);
            }
            _ => {
                let bits: u64 = word.strip_prefix('i')?.parse().ok()?;
                bits.div_ceil(8).checked_next_power_of_two()?
            }
        };
        Some(Layout { size: bytes, align: bytes })
    }

    fn members(&mut self, depth: u32, packed: bool, end: &str) -> Option<Layout> {
        let mut all = Layout { size: 0, align: 1 };
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',']);
            if self.take(end) {
                let size = all.size.checked_next_multiple_of(all.align)?;
                return Some(Layout { size, ..all });
            }
            let member = self.layout(depth + 1)?;
            let align = if packed { 1 } else { member.align };
            let start = all.size.checked_next_multiple_of(align)?;
            all = Layout { size: start.checked_add(member.size)?, align: all.align.max(align) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_sizes_of_opencl() {
        let llvm = "%struct.s = type { i8, [5 x float], <3 x i16> }\n\
                    @k.halves = internal addrspace(3) global [4096 x i16] undef, align 2\n\
                    @k.vectors = internal unnamed_addr addrspace(3) global [3 x [2 x <3 x float>]] undef, align 16\n\
                    @k.structs = internal addrspace(3) global [7 x %struct.s] undef, align 8\n\
                    @k.packed = internal addrspace(3) global <{ i8, i32, ptr addrspace(1) }> undef, align 1\n\
                    @\"k.name-2\" = internal addrspace(3) global double undef, align 8\n\
                    @k.queue = internal addrspace(3) global target(\"spirv.Queue\") undef\n\
                    @constant = addrspace(2) constant [2 x i32] [i32 1, i32 2], align 4\n";
        let want = [
            ("k.halves", 8192),
            ("k.name-2", 8),
            ("k.packed", 13),
            ("k.structs", 224),
            ("k.vectors", 96),
        ];
        let want: BTreeMap<String, u64> = want.map(|(name, size)| (name.to_owned(), size)).into();
        assert_eq!(local_sizes(llvm), want);
    }

    fn module(text: &[(u16, &[u32])]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x1_0400, 0, 9, 0];
        for (op, operands) in text {
            words.push(((operands.len() as u32 + 1) << 16) | u32::from(*op));
            words.extend(*operands);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn variables_that_functions_get_are_decorated() {
        let name = u32::from_le_bytes(*b"k.t\0");
        let decoration: (u16, &[u32]) = (OP_DECORATE, &[6, 44, 4]);
        let types: [(u16, &[u32]); 3] = [
            (22, &[4, 32]),
            (OP_TYPE_POINTER, &[5, CLASS_WORKGROUP, 4]),
            (OP_VARIABLE, &[5, 6, CLASS_WORKGROUP]),
        ];
        let build = |added: &[(u16, &[u32])], uses: (u16, &[u32])| {
            let head = [(OP_NAME, &[6, name][..]), decoration];
            module(&[&head[..], added, &types, &[uses]].concat())
        };
        let copy: (u16, &[u32]) = (259, &[7, 8, 2, 6, 1, 1, 1, 1]);
        let llvm = "@k.t = internal addrspace(3) global [256 x float] undef, align 4\n";
        let before = build(&[], copy);
        assert!(are_unsure(&before));
        let want = build(&[(OP_DECORATE, &[6, DECORATION_MAX_BYTE_OFFSET, 1023])], copy);
        assert_eq!(corrected(&before, llvm), want);
        // a scalar that is loaded is what it seems
        let scalar = build(&[], (OP_LOAD, &[4, 7, 6]));
        assert!(!are_unsure(&scalar));
        assert_eq!(corrected(&scalar, llvm), scalar);
    }
}
