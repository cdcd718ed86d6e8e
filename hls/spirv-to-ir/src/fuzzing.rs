//! The body of the fuzz target, also run by `cargo test`: whatever the bytes, reading ends with
//! a module that the verifier accepts or with messages.

use crate::{Options, read};

/// Reads `bytes`; true when they are a module.
///
/// # Panics
/// When reading panics, when a module does not verify, or when an error says nothing: each a
/// defect that the fuzzer is to find.
pub fn check(bytes: &[u8]) -> bool {
    match read(bytes, &Options::default()) {
        Ok(module) => {
            if let Err(e) = ir::verify::verify_module(&module) {
                panic!("the module read does not verify:\n{e}");
            }
            true
        }
        Err(e) => {
            assert!(!e.0.is_empty(), "an error without a message");
            false
        }
    }
}

/// A changed copy of a module: one to four changes of words, chosen by `seed` alone.
pub fn mutate(module: &[u8], seed: u64) -> Vec<u8> {
    let mut random = SplitMix(seed);
    let mut words: Vec<u32> =
        module.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    for _ in 0..=random.below(4) {
        if words.len() < 6 {
            break;
        }
        let at = random.below(words.len());
        let other = random.below(words.len());
        match random.below(8) {
            0 => words[at] ^= 1 << random.below(32),
            1 => words[at] = words[other],
            2 => words[at] = random.below(64) as u32,
            3 => words[at] = words[at].wrapping_add(1),
            4 => words[at] = words[at].wrapping_sub(1),
            5 => words[at] = random.next() as u32,
            6 => {
                words.remove(at);
            }
            // A whole instruction moves or is doubled.
            _ => {
                let len = (words[at] >> 16).clamp(1, 64) as usize;
                let copy: Vec<u32> = words[at..(at + len).min(words.len())].to_vec();
                words.splice(other..other, copy);
            }
        }
    }
    if random.below(16) == 0 {
        words.truncate(random.below(words.len() + 1));
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The splitmix64 generator.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        base::random::splitmix64(&mut self.0)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}
