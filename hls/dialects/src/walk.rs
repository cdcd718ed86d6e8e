//! One walk over the tokens of a text: directives, declarations at file scope, attributes, loops, calls.

use crate::attributes::{Class, Entry, Fate, Specifier, class};
use crate::constant::Macros;
use crate::edits::Edits;
use crate::hint::{Hint, KernelHint, LoopHint};
use crate::loops::Run;
use crate::token::{Kind, Source, UNNAMED};
use crate::{Note, Problem, Translation};
use std::collections::{BTreeMap, BTreeSet};

/// What translated texts begin with.
const PRELUDE: &str = include_str!("prelude.h");

/// Endings and beginnings of the names that the prelude defines for channels and accesses.
pub(crate) const CHANNEL_ENDINGS: [&str; 4] =
    ["_channel_intel", "_channel_altera", "_channel_nb_intel", "_channel_nb_altera"];
const ACCESSES: [&str; 9] = [
    "CLK_CHANNEL_MEM_FENCE",
    "__fpga_reg",
    "__pipelined_load",
    "__burst_coalesced_load",
    "__burst_coalesced_cached_load",
    "__prefetching_load",
    "__pipelined_store",
    "__burst_coalesced_store",
    "__burst_coalesced_cached_store",
];

/// The declaration or definition at file scope that the walk is in.
#[derive(Default)]
struct Declaration {
    /// Whether a part of it was read.
    begun: bool,
    kernel: bool,
    /// What stands before the first parentheses.
    name: Option<usize>,
    initialised: bool,
    /// Whether the walk is in a function's body.
    body: bool,
    /// Whether it says how large work-groups are.
    sized: bool,
    hint: KernelHint,
    /// `__attribute__`s with `max_global_work_dim`: what becomes of it depends on the others.
    waiting: Vec<Specifier>,
}

/// The state of a walk.
pub(crate) struct Walk<'a> {
    pub source: &'a Source<'a>,
    pub edits: Edits,
    pub macros: Macros,
    /// Pipes at file scope.
    pub pipes: BTreeSet<&'a str>,
    /// Whether `channel` is a keyword at file scope.
    pub channels: bool,
    /// Whether the text uses what the prelude has for channels, and for pipes.
    pub prelude: (bool, bool),
    /// Attributes, pragmas and labels before what may be a loop.
    pub run: Run,
    declaration: Declaration,
    /// Brackets that are open, of those that have a partner.
    depth: usize,
    /// The token before, without directives and attributes.
    last: Option<usize>,
    loops: Vec<(usize, LoopHint)>,
    kernels: Vec<KernelHint>,
    kernel_index: BTreeMap<String, usize>,
    notes: Vec<Note>,
    noted: BTreeSet<(String, usize)>,
}

/// Translates a text.
pub(crate) fn translate(text: &str) -> Result<Translation, Problem> {
    let source = Source::new(text);
    let mut walk = Walk::new(&source);
    walk.channels = (0..source.tokens.len()).any(|i| walk.enables_channels(i));
    walk.prelude.0 = walk.channels;
    walk.run()?;
    Ok(walk.finish())
}

impl<'a> Walk<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        Walk {
            source,
            edits: Edits::default(),
            macros: Macros::default(),
            pipes: BTreeSet::new(),
            channels: false,
            prelude: (false, false),
            run: Run::default(),
            declaration: Declaration::default(),
            depth: 0,
            last: None,
            loops: vec![],
            kernels: vec![],
            kernel_index: BTreeMap::new(),
            notes: vec![],
            noted: BTreeSet::new(),
        }
    }

    fn run(&mut self) -> Result<(), Problem> {
        let mut at = 0;
        while let Some(token) = self.source.token(at) {
            if token.kind == Kind::Directive {
                self.directive(at);
                at += 1;
                continue;
            }
            if self.depth == 0 && !self.declaration.begun {
                if let Some(end) = self.channel_declaration(at)? {
                    self.end_run();
                    self.last = Some(end);
                    at = end + 1;
                    continue;
                }
                self.declaration.begun = true;
            }
            if let Some(specifier) = Specifier::read(self.source, at) {
                at = specifier.last + 1;
                self.specifier(specifier);
                continue;
            }
            self.token(at, token.kind)?;
            at += 1;
        }
        self.end_run();
        self.end_of_header();
        Ok(())
    }

    /// The text with its changes, and what was collected.
    fn finish(mut self) -> Translation {
        let matter = self.edits.matter;
        let (text, shifts) = std::mem::take(&mut self.edits).apply(self.source.text);
        let mut hints: Vec<Hint> = self.kernels.into_iter().map(Hint::Kernel).collect();
        for (at, mut hint) in self.loops {
            let start = self.source.token(at).map_or(0, |t| t.start);
            hint.column = shifts.column(start, hint.column);
            hints.push(Hint::Loop(hint));
        }
        let text = (matter || self.prelude != (false, false)).then(|| {
            let prelude = prelude(self.prelude);
            let marked = prelude.is_empty() || self.source.begins_with_marker;
            let marker = if marked { String::new() } else { format!("# 1 \"{UNNAMED}\"\n") };
            prelude + &marker + &text
        });
        Translation { text, hints, notes: self.notes }
    }

    /// Tells the user something about the token at `at`; once for each `kind` and file.
    pub fn note(&mut self, at: usize, kind: &str, text: String) {
        let index = self.source.token(at).map_or(0, |t| t.file);
        if self.noted.insert((kind.to_owned(), index)) {
            let (file, line, _) = self.source.place(at);
            self.notes.push(Note { file, line, text });
        }
    }

    /// What is wrong at a token.
    pub fn problem(&self, at: usize, message: String, help: &str) -> Problem {
        let (file, line, column) = self.source.place(at);
        Problem { file, line, column, message, help: help.to_owned() }
    }

    /// Remembers what is said of the loop whose keyword is the token at `at`.
    pub fn loop_hint(&mut self, at: usize, mut hint: LoopHint) {
        (hint.file, hint.line, hint.column) = self.source.place(at);
        if self.source.word(at) == "do" {
            let text = "what is said of a do loop is not used: write a for or while loop";
            self.note(at, "do", text.to_owned());
        }
        self.loops.push((at, hint));
    }

    fn token(&mut self, at: usize, kind: Kind) -> Result<(), Problem> {
        let word = self.source.word(at);
        match kind {
            Kind::Word => {
                if matches!(word, "for" | "while" | "do") {
                    self.run_before_loop(at);
                } else if self.is_label(at) {
                    self.run.label(at, self.source.after(at));
                } else {
                    self.end_run();
                    self.word(at, word)?;
                }
            }
            // the rest of a label
            Kind::Punctuation if word == ":" && self.run.colon == Some(at) => {}
            Kind::Punctuation => {
                self.end_run();
                self.punctuation(at, word);
            }
            _ => self.end_run(),
        }
        self.last = Some(at);
        Ok(())
    }

    fn word(&mut self, at: usize, word: &'a str) -> Result<(), Problem> {
        if self.depth == 0 && matches!(word, "kernel" | "__kernel") {
            self.declaration.kernel = true;
        }
        if CHANNEL_ENDINGS.iter().any(|e| word.ends_with(e)) || ACCESSES.contains(&word) {
            self.prelude.0 = true;
        }
        self.pipe_operation(at, word)
    }

    /// Whether the word at `at` is a label of a statement: one before which a statement ends, and a colon behind it.
    fn is_label(&self, at: usize) -> bool {
        let before = self.last.map_or("", |l| self.source.word(l));
        let begins = matches!(before, ";" | "{" | "}" | ")" | ":" | "else" | "do");
        let named = !matches!(self.source.word(at), "default" | "case");
        self.depth > 0 && begins && named && self.source.word(self.source.after(at)) == ":"
    }

    fn punctuation(&mut self, at: usize, word: &str) {
        let partner = self.source.token(at).and_then(|t| t.partner);
        match (word, partner) {
            ("(" | "[" | "{", Some(_)) => {
                if self.depth == 0 {
                    self.opens_at_file_scope(word);
                }
                self.depth += 1;
            }
            (")" | "]" | "}", Some(_)) => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && word == "}" && self.declaration.body {
                    self.declaration = Declaration::default();
                }
            }
            (";", _) if self.depth == 0 => {
                self.end_of_header();
                self.declaration = Declaration::default();
            }
            ("=", _) if self.depth == 0 => self.declaration.initialised = true,
            _ => {}
        }
    }

    fn opens_at_file_scope(&mut self, bracket: &str) {
        let declaration = &mut self.declaration;
        match bracket {
            "(" if declaration.name.is_none() => declaration.name = self.last,
            "{" if declaration.name.is_some() && !declaration.initialised => {
                declaration.body = true;
                self.end_of_header();
            }
            _ => {}
        }
    }

    /// What a function's attributes come to, when all of them are known.
    fn end_of_header(&mut self) {
        let declaration = std::mem::take(&mut self.declaration);
        let (kernel, mut sized) = (declaration.kernel, declaration.sized);
        for specifier in &declaration.waiting {
            let mut fates = vec![];
            for entry in &specifier.entries {
                let one = class(&entry.name) == Class::Dimensions
                    && self.arguments(entry).as_deref() == Some(&[0]);
                fates.push(if one && kernel && !sized {
                    sized = true;
                    Fate::Replace("reqd_work_group_size(1, 1, 1)".to_owned())
                } else {
                    fate(&entry.name)
                });
            }
            self.settle(specifier, &fates);
        }
        if let (true, Some(name)) = (kernel, declaration.name)
            && declaration.hint.says_something()
        {
            self.kernel_hint(self.source.word(name), declaration.hint);
        }
        self.declaration =
            Declaration { begun: true, body: declaration.body, ..Default::default() };
    }

    fn kernel_hint(&mut self, name: &str, hint: KernelHint) {
        let next = self.kernels.len();
        let index = *self.kernel_index.entry(name.to_owned()).or_insert(next);
        match self.kernels.get_mut(index) {
            Some(known) => known.add(hint),
            None => self.kernels.push(KernelHint { name: name.to_owned(), ..hint }),
        }
    }

    /// Takes what an `__attribute__` says, and what clang does not know out of it.
    fn specifier(&mut self, specifier: Specifier) {
        let at_header = self.depth == 0 && !self.declaration.body;
        let (mut waits_for_header, mut waits_for_loop) = (false, false);
        for entry in &specifier.entries {
            match class(&entry.name) {
                Class::Foreign | Class::Silent => {}
                Class::Unused => self.note_unused(entry),
                Class::PipelineLoop => self.pipeline_loop(entry),
                Class::Unroll => waits_for_loop = self.depth > 0,
                Class::GroupSize => self.declaration.sized |= at_header,
                Class::Dimensions => waits_for_header |= at_header,
                Class::Kernel if at_header => self.kernel_attribute(entry),
                Class::Kernel => self.note_unused(entry),
            }
        }
        if waits_for_header {
            self.declaration.waiting.push(specifier);
        } else if waits_for_loop {
            self.run.unrolled(specifier);
        } else {
            self.settle_known(&specifier);
        }
    }

    pub fn note_unused(&mut self, entry: &Entry) {
        let text = format!("the attribute {} is not used", entry.name);
        self.note(entry.first, &entry.name, text);
    }

    /// Numbers between an attribute's parentheses.
    pub fn arguments(&self, entry: &Entry) -> Option<Vec<u32>> {
        entry.arguments(self.source).iter().map(|a| self.macros.count(a)).collect()
    }

    fn kernel_attribute(&mut self, entry: &Entry) {
        let numbers = self.arguments(entry);
        let hint = &mut self.declaration.hint;
        match (entry.name.as_str(), numbers.as_deref()) {
            ("autorun", _) => hint.autorun = true,
            ("num_simd_work_items", Some(&[n])) => hint.simd = Some(n),
            ("num_compute_units", Some(units)) if (1..=3).contains(&units.len()) => {
                hint.compute_units = units.to_vec();
            }
            ("max_work_group_size", Some(sizes)) if (1..=3).contains(&sizes.len()) => {
                let most = sizes.iter().try_fold(1_u32, |most, n| most.checked_mul(*n));
                hint.max_work_group = most;
            }
            _ => {
                let name = &entry.name;
                let text = format!("{name} is not used: what it is given are not its numbers");
                self.note(entry.first, &format!("{name} without numbers"), text);
            }
        }
    }

    /// Does what is usual with an `__attribute__`: what clang does not know goes.
    pub fn settle_known(&mut self, specifier: &Specifier) {
        let fates: Vec<Fate> = specifier.entries.iter().map(|e| fate(&e.name)).collect();
        self.settle(specifier, &fates);
    }

    /// Changes an `__attribute__`, given what becomes of each entry.
    pub fn settle(&mut self, specifier: &Specifier, fates: &[Fate]) {
        if fates.iter().all(|f| *f == Fate::Drop) {
            if !fates.is_empty() {
                self.edits.blank(self.source, specifier.first, specifier.last);
            }
            return;
        }
        for (entry, fate) in specifier.entries.iter().zip(fates) {
            match fate {
                Fate::Keep => {}
                // A list may end in a comma.
                Fate::Drop => {
                    let last = entry.comma.unwrap_or(entry.last);
                    self.edits.blank(self.source, entry.first, last);
                }
                Fate::Replace(text) => {
                    let start = self.source.token(entry.first).map_or(0, |t| t.start);
                    self.edits.insert(start, text.clone());
                    self.edits.blank(self.source, entry.first, entry.last);
                }
            }
        }
    }
}

/// What becomes of an attribute where nothing else is said.
pub(crate) fn fate(name: &str) -> Fate {
    match class(name) {
        Class::Foreign | Class::Unroll | Class::GroupSize => Fate::Keep,
        _ => Fate::Drop,
    }
}

/// What is put before a text that uses channels, or pipes.
fn prelude((channels, pipes): (bool, bool)) -> String {
    if !channels && !pipes {
        return String::new();
    }
    let mut text = "# 1 \"<clhls>\"\n".to_owned();
    for (used, name) in [(channels, "CLHLS_CHANNELS"), (pipes, "CLHLS_PIPES")] {
        if used {
            text += &format!("#define {name}\n");
        }
    }
    text + PRELUDE
}
