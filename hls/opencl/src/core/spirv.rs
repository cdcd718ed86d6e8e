//! What the API must know of a SPIR-V module before anything reads it.

use std::collections::{BTreeMap, BTreeSet};

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
const DECORATION_BUILT_IN: u32 = 11;
const DECORATION_LINKAGE_ATTRIBUTES: u32 = 41;
const LINKAGE_EXPORT: u32 = 0;
const LINKAGE_IMPORT: u32 = 1;
/// Of SPV_KHR_linkonce_odr: all definitions of the name are equal, any of them will do.
const LINKAGE_LINK_ONCE_ODR: u32 = 2;

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

/// Names and kinds of linkage that a module declares, with the place of the kind among its words.
fn linkages(words: &[u32]) -> Vec<(&[u32], u32, usize)> {
    let mut at = HEADER_WORDS;
    let mut found = vec![];
    for (op, operands) in instructions(words) {
        at += operands.len() + 1;
        if let [_, DECORATION_LINKAGE_ATTRIBUTES, name @ .., kind] = operands
            && op == OP_DECORATE
        {
            found.push((name, *kind, at - 1));
        }
    }
    found
}

/// Modules for a linker that knows imports and exports only: of names that are imported, that no module exports and that
/// some define with LinkOnceODR, the first of these definitions becomes an export.
pub fn export_once(modules: &[&[u8]]) -> Vec<Vec<u8>> {
    let as_given = || modules.iter().map(|m| m.to_vec()).collect();
    let Some(mut all) = modules.iter().map(|m| words(m)).collect::<Option<Vec<_>>>() else {
        return as_given();
    };
    let mut imported = BTreeSet::new();
    let mut exported = BTreeSet::new();
    for (name, kind, _) in all.iter().flat_map(|words| linkages(words)) {
        match kind {
            LINKAGE_IMPORT => imported.insert(name.to_vec()),
            LINKAGE_EXPORT => exported.insert(name.to_vec()),
            _ => false,
        };
    }
    let mut changed = false;
    for words in &mut all {
        let found = linkages(words).into_iter();
        let wanted = found.filter(|(name, kind, _)| {
            let once = *kind == LINKAGE_LINK_ONCE_ODR && imported.contains(*name);
            once && exported.insert(name.to_vec())
        });
        let places: Vec<usize> = wanted.map(|(_, _, place)| place).collect();
        for place in places {
            words[place] = LINKAGE_EXPORT;
            changed = true;
        }
    }
    if !changed {
        return as_given();
    }
    all.iter().map(|words| words.iter().flat_map(|w| w.to_le_bytes()).collect()).collect()
}

/// Whether modules import more than they export together and the reader of the linked module knows: built-in variables,
/// and built-in functions, which compilers leave as imports of mangled names.
pub fn lacks_definitions(modules: &[Vec<u8>]) -> bool {
    let Some(all) = modules.iter().map(|m| words(m)).collect::<Option<Vec<_>>>() else {
        return true;
    };
    let exports = all.iter().flat_map(|words| linkages(words)).filter(|l| l.1 == LINKAGE_EXPORT);
    let exported: BTreeSet<&[u32]> = exports.map(|(name, ..)| name).collect();
    all.iter().any(|words| {
        let variables = built_in_variables(words);
        linkages(words).into_iter().any(|(name, kind, place)| {
            // the operands before the name are the target and the decoration
            let target = words[place - name.len() - 2];
            let mangled = name.first().is_some_and(|first| first.to_le_bytes().starts_with(b"_Z"));
            let known = mangled || variables.contains(&target) || exported.contains(name);
            kind == LINKAGE_IMPORT && !known
        })
    })
}

/// Variables that stand for values such as the global id.
fn built_in_variables(words: &[u32]) -> BTreeSet<u32> {
    let decorations = instructions(words).filter(|(op, operands)| {
        *op == OP_DECORATE && operands.get(1) == Some(&DECORATION_BUILT_IN)
    });
    decorations.filter_map(|(_, operands)| operands.first().copied()).collect()
}

/// What modules import, under names that no module exports, so that a linker leaves it alone.
pub struct HiddenImports {
    /// The modules with these names.
    pub modules: Vec<Vec<u8>>,
    /// Words of a name and those of the name that it stands for.
    names: BTreeMap<Vec<u32>, Vec<u32>>,
}

/// Hides imports that some module exports; none if there are none, or too many.
pub fn hide_imports(modules: &[Vec<u8>]) -> Option<HiddenImports> {
    let mut all = modules.iter().map(|m| words(m)).collect::<Option<Vec<_>>>()?;
    let of_kind = |kind: u32| {
        let linkages = all.iter().flat_map(|words| linkages(words));
        linkages.filter(move |l| l.1 == kind).map(|(name, ..)| name.to_vec())
    };
    let exported: BTreeSet<Vec<u32>> = of_kind(LINKAGE_EXPORT).collect();
    let mut names = BTreeMap::new();
    for words in &mut all {
        let imports = linkages(words).into_iter().filter(|(_, kind, _)| *kind == LINKAGE_IMPORT);
        let imports = imports.map(|(name, _, place)| (name.to_vec(), place));
        for (name, place) in imports.collect::<Vec<_>>() {
            let first = place - name.len();
            if !exported.contains(&name) {
                continue;
            }
            let other = unused_name(names.len(), name.len())?;
            words[first..place].copy_from_slice(&other);
            names.insert(other, name);
        }
    }
    let bytes = |words: Vec<u32>| words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let modules = all.into_iter().map(bytes).collect();
    (!names.is_empty()).then_some(HiddenImports { modules, names })
}

/// A name of a number of words that no source has: a control character and two digits.
fn unused_name(number: usize, length: usize) -> Option<Vec<u32>> {
    let digit = |value: usize| b"0123456789abcdefghijklmnopqrstuvwxyz".get(value).copied();
    let mut bytes = vec![[b'_'; 4]; length];
    bytes.first_mut()?[..3].copy_from_slice(&[1, digit(number / 36)?, digit(number % 36)?]);
    bytes.last_mut()?[3] = 0;
    Some(bytes.into_iter().map(u32::from_le_bytes).collect())
}

impl HiddenImports {
    /// A linked module with the names as they were.
    pub fn shown(&self, module: &[u8]) -> Option<Vec<u8>> {
        let mut words = words(module)?;
        let found = linkages(&words).into_iter();
        let found = found.filter_map(|(name, _, place)| Some((self.names.get(name)?, place)));
        for (name, place) in found.map(|(name, place)| (name.clone(), place)).collect::<Vec<_>>() {
            words[place - name.len()..place].copy_from_slice(&name);
        }
        Some(words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }
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

    fn linkage(name: u32, kind: u32) -> [u32; 5] {
        [op(OP_DECORATE, 5), 1, DECORATION_LINKAGE_ATTRIBUTES, name, kind]
    }

    #[test]
    fn one_of_equal_definitions_is_exported_where_another_module_imports_it() {
        const IMPORT: u32 = LINKAGE_IMPORT;
        const EXPORT: u32 = LINKAGE_EXPORT;
        const ONCE: u32 = LINKAGE_LINK_ONCE_ODR;
        let [a, b, c] = [0x61, 0x62, 0x63];
        let of = |kinds: &[(u32, u32)]| {
            let all: Vec<[u32; 5]> =
                kinds.iter().map(|(name, kind)| linkage(*name, *kind)).collect();
            module(&all.iter().map(|i| &i[..]).collect::<Vec<_>>())
        };
        let given = [
            of(&[(a, IMPORT), (b, IMPORT), (c, ONCE)]),
            of(&[(a, ONCE), (b, EXPORT), (c, ONCE)]),
            of(&[(a, ONCE), (b, ONCE)]),
        ];
        let wanted =
            [given[0].clone(), of(&[(a, EXPORT), (b, EXPORT), (c, ONCE)]), given[2].clone()];
        let slices: Vec<&[u8]> = given.iter().map(Vec::as_slice).collect();
        assert_eq!(export_once(&slices), wanted);
        assert_eq!(export_once(&[b"none", &given[0]]), [b"none".to_vec(), given[0].clone()]);
    }

    #[test]
    fn imports_that_are_exported_are_hidden_and_shown_again() {
        let [a, long] = [0x61, 0x6161_6161];
        let importing = module(&[
            &linkage(a, LINKAGE_IMPORT),
            &[op(OP_DECORATE, 6), 2, DECORATION_LINKAGE_ATTRIBUTES, long, a, LINKAGE_IMPORT],
            &[op(OP_DECORATE, 4), 3, DECORATION_BUILT_IN, 28],
            &[op(OP_DECORATE, 5), 3, DECORATION_LINKAGE_ATTRIBUTES, 0x62, LINKAGE_IMPORT],
        ]);
        let exporting = module(&[
            &linkage(a, LINKAGE_EXPORT),
            &[op(OP_DECORATE, 6), 2, DECORATION_LINKAGE_ATTRIBUTES, long, a, LINKAGE_EXPORT],
        ]);
        let given = [importing.clone(), exporting.clone()];
        let hidden = hide_imports(&given).expect("two imports");
        let words = words(&hidden.modules[0]).expect("a module");
        let names: Vec<Vec<u8>> = linkages(&words)
            .iter()
            .map(|(name, ..)| name.iter().flat_map(|w| w.to_le_bytes()).collect())
            .collect();
        assert_eq!(names, [&b"\x0100\0"[..], b"\x0101____\0", b"b\0\0\0"]);
        assert_eq!(hidden.shown(&hidden.modules[0]), Some(importing));
        assert_eq!(hidden.modules[1], exporting);
        assert!(!lacks_definitions(&given));
        let missing = module(&[&linkage(0x63, LINKAGE_IMPORT)]);
        assert!(hide_imports(std::slice::from_ref(&missing)).is_none());
        let [importing, exporting] = given;
        assert!(lacks_definitions(&[importing, exporting, missing]));
        let mangled = module(&[&linkage(u32::from_le_bytes(*b"_Z1\0"), LINKAGE_IMPORT)]);
        assert!(!lacks_definitions(&[mangled]));
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
