//! Directives, and what stands before a loop: pragmas, attributes, labels.

use crate::attributes::{Class, Entry, Fate, Specifier, class};
use crate::edits::as_wide;
use crate::hint::LoopHint;
use crate::token::{Kind, words};
use crate::walk::{CHANNEL_ENDINGS, Walk, fate};

/// Something before a loop that clang looks at.
enum Item {
    /// A pragma that clang knows: its token, what is behind `#pragma`, and whether that is not what the text has.
    Pragma { at: usize, text: String, changed: bool },
    /// The name and the colon of a label.
    Label(usize, usize),
    /// An `__attribute__` with `opencl_unroll_hint`, whose change waits until the label is known.
    Unroll(Specifier),
}

/// What stands before what may be a loop.
#[derive(Default)]
pub(crate) struct Run {
    items: Vec<Item>,
    hint: LoopHint,
    /// Where `hint` begins, and the name of that.
    said: Option<(usize, String)>,
    /// The colon of the last label.
    pub colon: Option<usize>,
}

impl Run {
    /// Adds a label.
    pub fn label(&mut self, name: usize, colon: usize) {
        self.items.push(Item::Label(name, colon));
        self.colon = Some(colon);
    }

    /// Adds an `__attribute__` that asks for unrolling.
    pub fn unrolled(&mut self, specifier: Specifier) {
        self.items.push(Item::Unroll(specifier));
    }

    fn says(&mut self, at: usize, name: &str) {
        self.said.get_or_insert_with(|| (at, name.to_owned()));
    }
}

/// A directive: its keyword, and what is behind it.
fn parts(text: &str) -> (String, String) {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let text = text.trim_start_matches('#').trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (keyword, rest) = text.split_at(end);
    (keyword.to_owned(), rest.trim().to_owned())
}

/// Words between the parentheses behind the word `name`.
fn group<'a>(words: &[&'a str], name: &str) -> Option<Vec<&'a str>> {
    let mut rest = words.iter().skip_while(|w| **w != name).skip(1);
    if rest.next() != Some(&"(") {
        return None;
    }
    let (mut inside, mut nested) = (vec![], 1_usize);
    for word in rest {
        match *word {
            "(" => nested += 1,
            ")" => nested -= 1,
            _ => {}
        }
        if nested == 0 {
            return Some(inside);
        }
        inside.push(*word);
    }
    None
}

impl Walk<'_> {
    /// Whether the token at `at` is the pragma that makes `channel` a keyword, or an operation on channels: the vendor's compiler took these
    /// without the pragma, too.
    pub fn enables_channels(&self, at: usize) -> bool {
        let operates = || {
            let word = self.source.word(at);
            let operation = |w: &str| CHANNEL_ENDINGS.contains(&w);
            ["read", "write"].iter().filter_map(|w| word.strip_prefix(w)).any(operation)
        };
        if self.source.is(at, Kind::Word) {
            return operates();
        }
        self.source.is(at, Kind::Directive) && {
            let (keyword, rest) = parts(self.source.word(at));
            keyword == "pragma" && names_channels(&words(&rest)) && rest.ends_with("enable")
        }
    }

    /// Takes what a directive says.
    pub fn directive(&mut self, at: usize) {
        let (keyword, rest) = parts(self.source.word(at));
        match keyword.as_str() {
            "define" | "undef" => {
                self.macros.directive(&keyword, &rest);
                self.edits.drop_directive(self.source, at);
            }
            "pragma" => self.pragma(at, &rest),
            _ => {}
        }
    }

    fn pragma(&mut self, at: usize, rest: &str) {
        let words = words(rest);
        let name = words.first().copied().unwrap_or("");
        if names_channels(&words) {
            self.edits.blank_directive(self.source, at);
        } else if matches!(name, "unroll" | "nounroll")
            || words.get(..2) == Some(&["clang", "loop"])
        {
            self.pragma_of_clang(at, name, rest);
        } else if self.pragma_of_loop(at, name, words.get(1..).unwrap_or(&[])) {
            self.edits.blank_directive(self.source, at);
        }
    }

    /// A pragma that clang knows. It may not know the macros in it any more.
    fn pragma_of_clang(&mut self, at: usize, name: &str, rest: &str) {
        if name == "nounroll" {
            self.run.says(at, name);
            self.run.hint.no_unroll = true;
        }
        let expanded = self.macros.expand(rest);
        let changed = expanded.is_some();
        let text = expanded.unwrap_or_else(|| rest.to_owned());
        self.run.items.push(Item::Pragma { at, text, changed });
    }

    /// A pragma of the dialects; whether it is one.
    fn pragma_of_loop(&mut self, at: usize, name: &str, rest: &[&str]) -> bool {
        match name {
            "ivdep" => self.independent(at, rest),
            "disable_loop_pipelining" => self.run.hint.no_pipeline = true,
            "nofusion" => self.run.hint.no_fusion = true,
            "loop_coalesce" if rest.is_empty() => self.run.hint.coalesce = Some(0),
            "ii"
            | "loop_coalesce"
            | "max_concurrency"
            | "max_interleaving"
            | "speculated_iterations" => self.numbered(at, name, rest),
            _ => return false,
        }
        if self.run.hint.says_something() {
            self.run.says(at, name);
        }
        true
    }

    fn independent(&mut self, at: usize, rest: &[&str]) {
        if rest.contains(&"array") {
            let text = "ivdep of one array is not used: it says nothing of the other accesses";
            return self.note(at, "ivdep of one array", text.to_owned());
        }
        match group(rest, "safelen").map(|n| self.macros.count(&n)) {
            None if rest.is_empty() => self.run.hint.independent = true,
            Some(Some(n)) if n > 0 => {
                self.run.hint.independent = true;
                self.run.hint.distance = Some(n);
            }
            _ => {
                let text = "ivdep is not used: what is behind it is not safelen(N)".to_owned();
                self.note(at, "ivdep of something", text);
            }
        }
    }

    fn numbered(&mut self, at: usize, name: &str, rest: &[&str]) {
        let value = self.macros.count(rest);
        // Concurrency without a limit, and no speculation, are 0.
        let zero = matches!(name, "max_concurrency" | "speculated_iterations");
        let Some(value) = value.filter(|n| *n > 0 || zero) else {
            let text = format!("{name} is not used: {:?} is not a number for it", rest.join(" "));
            return self.note(at, &format!("{name} without a number"), text);
        };
        let hint = &mut self.run.hint;
        let field = match name {
            "ii" => &mut hint.interval,
            "loop_coalesce" => &mut hint.coalesce,
            "max_concurrency" => &mut hint.max_concurrency,
            "max_interleaving" => &mut hint.max_interleaving,
            _ => &mut hint.speculated,
        };
        *field = Some(value);
    }

    /// `xcl_pipeline_loop` asks for an interval only where it names one.
    pub fn pipeline_loop(&mut self, entry: &Entry) {
        match self.arguments(entry).as_deref() {
            Some([] | [0]) => {}
            Some(&[interval]) => {
                self.run.hint.interval = Some(interval);
                self.run.says(entry.first, &entry.name);
            }
            _ => self.note_unused(entry),
        }
    }

    /// What comes is no loop.
    pub fn end_run(&mut self) {
        if self.run.items.is_empty() && self.run.said.is_none() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        self.settle_items(&run.items);
        if let Some((at, name)) = run.said {
            let text = format!("{name} is not used: it is not directly before a loop");
            self.note(at, &format!("{name} without a loop"), text);
        }
    }

    /// What comes is the keyword of a loop.
    pub fn run_before_loop(&mut self, at: usize) {
        let run = std::mem::take(&mut self.run);
        if run.items.iter().any(|i| matches!(i, Item::Label(..))) {
            self.labelled(&run.items);
        } else {
            self.settle_items(&run.items);
        }
        if run.hint.says_something() {
            self.loop_hint(at, run.hint);
        }
    }

    fn settle_items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Label(..) => {}
                Item::Unroll(specifier) => self.settle_known(specifier),
                Item::Pragma { at, text, changed: true } => {
                    self.replace_directive(*at, format!("#pragma {text}"));
                }
                Item::Pragma { .. } => {}
            }
        }
    }

    fn replace_directive(&mut self, at: usize, text: String) {
        if let Some(token) = self.source.token(at) {
            let text = as_wide(text, self.source.word(at));
            self.edits.replace(token.start, token.end, text);
        }
    }

    /// Puts labels before everything else: clang takes an attribute beside a label for one of the label, and wants a loop behind a pragma.
    /// Behind a label it takes `_Pragma` only.
    fn labelled(&mut self, items: &[Item]) {
        let mut labels = String::new();
        let first = items.iter().position(|i| !matches!(i, Item::Label(..)));
        for item in items.iter().skip(first.unwrap_or(items.len())) {
            if let Item::Label(name, colon) = item {
                labels += &format!("{}: ", self.source.word(*name));
                self.edits.blank(self.source, *name, *colon);
            }
        }
        for item in items {
            match item {
                Item::Label(..) => {}
                Item::Unroll(specifier) => {
                    self.unroll_as_pragma(specifier, &std::mem::take(&mut labels));
                }
                Item::Pragma { at, text, .. } if !labels.is_empty() => {
                    let text = std::mem::take(&mut labels) + &operator(text);
                    self.replace_directive(*at, text);
                }
                Item::Pragma { .. } => self.settle_items(std::slice::from_ref(item)),
            }
        }
    }

    fn unroll_as_pragma(&mut self, specifier: &Specifier, labels: &str) {
        let mut text = labels.to_owned();
        let mut fates = vec![];
        for entry in &specifier.entries {
            if class(&entry.name) == Class::Unroll {
                let (first, end) = entry.arguments.unwrap_or((0, 0));
                let number = self.source.words(first, end).join(" ");
                text += &operator(format!("unroll {number}").trim_end());
                fates.push(Fate::Drop);
            } else {
                fates.push(fate(&entry.name));
            }
        }
        let (Some(first), Some(last)) =
            (self.source.token(specifier.first), self.source.token(specifier.last))
        else {
            return;
        };
        let replaced = self.source.text.get(first.start..last.end).unwrap_or("");
        if fates.iter().all(|f| *f == Fate::Drop) && !replaced.contains('#') {
            self.edits.replace(first.start, last.end, as_wide(text, replaced));
        } else {
            self.edits.insert(first.start, text + " ");
            self.settle(specifier, &fates);
        }
    }
}

/// A pragma as an operator.
fn operator(text: &str) -> String {
    format!("_Pragma(\"{}\")", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn names_channels(words: &[&str]) -> bool {
    words.get(..2) == Some(&["OPENCL", "EXTENSION"])
        && words.get(2).is_some_and(|w| matches!(*w, "cl_intel_channels" | "cl_altera_channels"))
}
