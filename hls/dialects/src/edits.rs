//! Changes of a text that keep its lines where they are.

use crate::token::{Kind, Source};
use std::fmt::Write;

struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// Changes to be made.
#[derive(Default)]
pub(crate) struct Edits {
    edits: Vec<Edit>,
    /// Whether what a compiler sees changes.
    pub matter: bool,
}

impl Edits {
    /// Puts `text` instead of the bytes from `start` to before `end`.
    pub fn replace(&mut self, start: usize, end: usize, text: String) {
        self.matter = true;
        self.edits.push(Edit { start, end, text });
    }

    /// Puts `text` before the byte at `at`.
    pub fn insert(&mut self, at: usize, text: String) {
        self.replace(at, at, text);
    }

    /// Puts spaces instead of the tokens from `first` to `last`, but not of directives among them.
    pub fn blank(&mut self, source: &Source, first: usize, last: usize) {
        let mut start = None;
        for index in first..=last {
            let Some(token) = source.token(index) else { break };
            if token.kind == Kind::Directive {
                if let Some(start) = start.take() {
                    self.blank_bytes(source, start, token.start);
                }
            } else if start.is_none() {
                start = Some(token.start);
            }
        }
        if let (Some(start), Some(token)) = (start, source.token(last)) {
            self.blank_bytes(source, start, token.end);
        }
    }

    /// Puts spaces instead of a directive.
    pub fn blank_directive(&mut self, source: &Source, index: usize) {
        if let Some(token) = source.token(index) {
            self.blank_bytes(source, token.start, token.end);
        }
    }

    /// Puts spaces instead of a directive that means nothing to a compiler any more.
    pub fn drop_directive(&mut self, source: &Source, index: usize) {
        let matter = self.matter;
        self.blank_directive(source, index);
        self.matter = matter;
    }

    fn blank_bytes(&mut self, source: &Source, start: usize, end: usize) {
        self.replace(start, end, blanks(source.text.get(start..end).unwrap_or("")));
    }

    /// The changed text, and how to find columns in it.
    pub fn apply(mut self, text: &str) -> (String, Shifts) {
        // Stable: what is inserted at one place keeps its order.
        self.edits.sort_by_key(|e| (e.start, e.end));
        let mut out = String::with_capacity(text.len());
        let mut shifts = Shifts(vec![]);
        let (mut done, mut line_start) = (0, 0);
        let push = |out: &mut String, line_start: &mut usize, part: &str| {
            if let Some(last) = part.rfind('\n') {
                *line_start = out.len() + last + 1;
            }
            out.push_str(part);
        };
        for edit in &self.edits {
            // Two changes of the same bytes: the first is the wider one's part at most.
            let Some(kept) = text.get(done..edit.start) else { continue };
            push(&mut out, &mut line_start, kept);
            push(&mut out, &mut line_start, &edit.text);
            done = edit.end.max(edit.start);
            shifts.0.push((done, out.len() - line_start));
        }
        out.push_str(text.get(done..).unwrap_or(""));
        (out, shifts)
    }
}

/// Spaces as wide as `text`, with its line breaks.
fn blanks(text: &str) -> String {
    text.bytes().map(|b| if matches!(b, b'\n' | b'\r') { char::from(b) } else { ' ' }).collect()
}

/// `text` made as wide as what it replaces where that is a part of one line, so that columns behind it stay.
pub(crate) fn as_wide(mut text: String, replaced: &str) -> String {
    let missing = replaced.len().saturating_sub(text.len());
    if replaced.contains('\n') {
        // The lines behind it keep their numbers.
        text.extend(replaced.chars().filter(|c| *c == '\n'));
    } else {
        let _ = write!(text, "{:missing$}", "");
    }
    text
}

/// Offsets behind changes, each with the width in bytes of what is before it in its line of the new text.
pub(crate) struct Shifts(Vec<(usize, usize)>);

impl Shifts {
    /// Column from 1 in the new text of what stands at offset `at` of the old text, in column `column` of a line there.
    pub fn column(&self, at: usize, column: u32) -> u32 {
        let behind = self.0.partition_point(|(offset, _)| *offset <= at);
        let last = behind.checked_sub(1).and_then(|i| self.0.get(i));
        let line_start = (at + 1).saturating_sub(column as usize);
        match last {
            Some((offset, width)) if *offset >= line_start => {
                u32::try_from(width + at - offset + 1).unwrap_or(u32::MAX)
            }
            _ => column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_move_with_what_is_before_them() {
        let text = "ab cd\nef gh";
        let mut edits = Edits::default();
        edits.replace(0, 2, "longer".into());
        edits.insert(6, "x\nyz".into());
        let (out, shifts) = edits.apply(text);
        assert_eq!(out, "longer cd\nx\nyzef gh");
        assert_eq!(shifts.column(3, 4), 8);
        assert_eq!(shifts.column(9, 4), 6);
    }

    #[test]
    fn lines_stay_where_they_are() {
        let source = Source::new("a b\n# 3 \"x\"\n c d");
        let mut edits = Edits::default();
        edits.blank(&source, 1, 3);
        assert_eq!(edits.apply(source.text).0, "a  \n# 3 \"x\"\n   d");
        assert_eq!(as_wide("x".into(), "abc"), "x  ");
        assert_eq!(as_wide("x".into(), "a\nbc"), "x\n");
    }
}
