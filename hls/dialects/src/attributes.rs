//! `__attribute__((...))`: which entries a list has, and what the dialects' mean.

use crate::token::{Kind, Source};

/// One `__attribute__((...))`.
pub(crate) struct Specifier {
    /// Index of its first token.
    pub first: usize,
    /// Index of its last token.
    pub last: usize,
    pub entries: Vec<Entry>,
}

/// One attribute of such a list.
pub(crate) struct Entry {
    /// Name without underscores around it.
    pub name: String,
    /// Index of its first token.
    pub first: usize,
    /// Index of its last token, without the comma behind it.
    pub last: usize,
    /// Tokens between the parentheses behind the name: index of the first, and index behind the last.
    pub arguments: Option<(usize, usize)>,
    /// The comma behind it.
    pub comma: Option<usize>,
}

/// What becomes of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Keep,
    Drop,
    Replace(String),
}

/// What an attribute is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Not of these dialects: clang knows it or says so.
    Foreign,
    /// Says nothing that matters here.
    Silent,
    /// Not used, which the user is told.
    Unused,
    /// `xcl_pipeline_loop`.
    PipelineLoop,
    /// `opencl_unroll_hint`, which clang knows.
    Unroll,
    /// What clang knows of work-groups.
    GroupSize,
    /// `max_global_work_dim`.
    Dimensions,
    /// What kernel hints say.
    Kernel,
}

/// Attributes that nothing is done with, which the user is told.
const UNUSED: [&str; 26] = [
    "bank_bits",
    "bankwidth",
    "blocking",
    "buffer_location",
    "depth",
    "doublepump",
    "force_pow2_depth",
    "io",
    "local_mem_size",
    "max_private_copies",
    "max_replicates",
    "memory",
    "merge",
    "no_global_offset",
    "numbanks",
    "numreadports",
    "numwriteports",
    "private_copies",
    "register",
    "scheduler_target_fmax_mhz",
    "simple_dual_port",
    "singlepump",
    "stall_enable",
    "stall_free",
    "static_array_reset",
    "use_stall_enable_clusters",
];

/// Attributes of kernels that hints say.
const KERNEL: [&str; 4] =
    ["autorun", "num_simd_work_items", "num_compute_units", "max_work_group_size"];

/// Attributes whose purpose nothing here has.
const SILENT: [&str; 5] = [
    "task",
    "uses_global_work_offset",
    "xcl_loop_tripcount",
    "xcl_pipeline_workitems",
    "xcl_zero_global_work_offset",
];

/// What the attribute of this name, without underscores around it, is about.
pub(crate) fn class(name: &str) -> Class {
    match name {
        "xcl_pipeline_loop" => Class::PipelineLoop,
        "opencl_unroll_hint" => Class::Unroll,
        "reqd_work_group_size" => Class::GroupSize,
        "max_global_work_dim" => Class::Dimensions,
        _ if KERNEL.contains(&name) => Class::Kernel,
        _ if SILENT.contains(&name) => Class::Silent,
        _ if UNUSED.contains(&name) || name.starts_with("xcl_") => Class::Unused,
        _ => Class::Foreign,
    }
}

/// `name` without `__` around it.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

impl Specifier {
    /// Reads what begins at the token `first`; `None` where that is no attribute, or one without an end.
    pub fn read(source: &Source, first: usize) -> Option<Specifier> {
        if !matches!(source.word(first), "__attribute__" | "__attribute") {
            return None;
        }
        let outer = source.after(first);
        let inner = source.after(outer);
        if source.word(outer) != "(" || source.word(inner) != "(" {
            return None;
        }
        let (last, inner_end) = (source.closing(outer)?, source.closing(inner)?);
        if source.after(inner_end) != last {
            return None;
        }
        let mut entries = vec![];
        let mut at = source.after(inner);
        while at < inner_end {
            let entry = Entry::read(source, at, inner_end);
            at = source.after(entry.comma.unwrap_or(entry.last));
            if !entry.name.is_empty() {
                entries.push(entry);
            }
        }
        Some(Specifier { first, last, entries })
    }
}

impl Entry {
    /// Reads up to the next comma, or to before the token `end`.
    fn read(source: &Source, first: usize, end: usize) -> Entry {
        let name = bare(if source.is(first, Kind::Word) { source.word(first) } else { "" });
        let mut entry =
            Entry { name: name.to_owned(), first, last: first, arguments: None, comma: None };
        let mut at = first;
        while at < end {
            if source.word(at) == "," {
                entry.comma = Some(at);
                break;
            }
            let close = source.closing(at);
            if entry.arguments.is_none() && at == source.after(first) && source.word(at) == "(" {
                entry.arguments = close.map(|c| (at + 1, c));
            }
            at = close.unwrap_or(at);
            entry.last = at;
            at = source.after(at);
        }
        entry
    }

    /// Its arguments, each as words; none where it has no parentheses or nothing between them.
    pub fn arguments<'a>(&self, source: &Source<'a>) -> Vec<Vec<&'a str>> {
        let Some((first, end)) = self.arguments.filter(|(first, end)| first < end) else {
            return vec![];
        };
        let mut arguments = vec![vec![]];
        let mut nested = 0_usize;
        for word in source.words(first, end) {
            match word {
                "(" => nested += 1,
                ")" => nested = nested.saturating_sub(1),
                "," if nested == 0 => {
                    arguments.push(vec![]);
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(word);
            }
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_entries() {
        let source = Source::new("__attribute__ (( a, __depth__(1, (2, 3)),, b c(1) ))x");
        let read = Specifier::read(&source, 0).expect("an attribute");
        let names: Vec<&str> = read.entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["a", "depth", "b"]);
        assert_eq!(source.word(read.last + 1), "x");
        let depth = read.entries.get(1).expect("depth");
        assert_eq!(depth.arguments(&source), [vec!["1"], vec!["(", "2", ",", "3", ")"]]);
    }

    #[test]
    fn what_has_no_end_is_none() {
        for text in ["__attribute__((a)", "__attribute__(a)", "__attribute__((a) b)", "attribute"] {
            assert!(Specifier::read(&Source::new(text), 0).is_none(), "{text}");
        }
    }
}
