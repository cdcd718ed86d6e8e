//! Preprocessed text as tokens, each with its place in the user's files.

use std::collections::BTreeMap;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Identifier or keyword.
    Word,
    Number,
    /// String literal with its quotes.
    Text,
    /// Character literal with its quotes.
    Character,
    /// One character: none that matter here have two.
    Punctuation,
    /// A line that begins with `#`, with its continuations and without the end of the last line.
    Directive,
}

/// Part of a text that means something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
    /// Index of the file in [`Source::files`].
    pub file: usize,
    /// Line of that file, from 1.
    pub line: u32,
    /// Column in its line of the text, from 1, in bytes as clang counts them.
    pub column: usize,
    /// Index of the bracket that belongs to this one.
    pub partner: Option<usize>,
}

/// A text with its tokens.
pub(crate) struct Source<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    /// Names of files, as line markers give them.
    pub files: Vec<String>,
    /// Whether a line marker stands before everything else.
    pub begins_with_marker: bool,
}

/// The name of a text without line markers.
pub(crate) const UNNAMED: &str = "<input>";

impl<'a> Source<'a> {
    /// Cuts `text` into tokens.
    pub fn new(text: &'a str) -> Source<'a> {
        Lexer::new(text).run()
    }

    /// The token at `index`.
    pub fn token(&self, index: usize) -> Option<&Token> {
        self.tokens.get(index)
    }

    /// Text of the token at `index`; empty behind the last.
    pub fn word(&self, index: usize) -> &'a str {
        self.token(index).and_then(|t| self.text.get(t.start..t.end)).unwrap_or("")
    }

    /// Whether the token at `index` is of this kind.
    pub fn is(&self, index: usize, kind: Kind) -> bool {
        self.token(index).is_some_and(|t| t.kind == kind)
    }

    /// Index of the bracket that belongs to the one at `index`, when that opens a pair.
    pub fn closing(&self, index: usize) -> Option<usize> {
        self.token(index)?.partner.filter(|p| *p > index)
    }

    /// Index of the next token behind `index` that is no directive.
    pub fn after(&self, index: usize) -> usize {
        let mut next = index.saturating_add(1);
        while self.is(next, Kind::Directive) {
            next += 1;
        }
        next
    }

    /// Where the token at `index` stands: file, line, column; the last known place behind the end.
    pub fn place(&self, index: usize) -> (String, u32, u32) {
        let Some(token) = self.token(index).or(self.tokens.last()) else {
            return (UNNAMED.to_owned(), 1, 1);
        };
        let file = self.files.get(token.file).map_or(UNNAMED, String::as_str).to_owned();
        (file, token.line, u32::try_from(token.column).unwrap_or(u32::MAX))
    }

    /// The words from token `first` to before `end`, without directives.
    pub fn words(&self, first: usize, end: usize) -> Vec<&'a str> {
        (first..end).filter(|i| !self.is(*i, Kind::Directive)).map(|i| self.word(i)).collect()
    }
}

/// The words of a piece of text, for directives.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let source = Source::new(text);
    (0..source.tokens.len()).map(|i| source.word(i)).collect()
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    file: usize,
    /// Whether only white space stands before this in the line.
    fresh: bool,
    tokens: Vec<Token>,
    open: Vec<usize>,
    files: Vec<String>,
    /// Index of each file: markers come back to files after each include.
    known: BTreeMap<String, usize>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        Lexer {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
            line_start: 0,
            file: 0,
            fresh: true,
            tokens: vec![],
            open: vec![],
            files: vec![UNNAMED.to_owned()],
            known: BTreeMap::from([(UNNAMED.to_owned(), 0)]),
        }
    }

    fn run(mut self) -> Source<'a> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.newline();
                }
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                b'\\' if self.continued() > 0 => self.skip_to(self.at + self.continued()),
                b'/' if self.peek(1) == Some(b'/') => self.skip_to(self.line_end(self.at)),
                b'/' if self.peek(1) == Some(b'*') => self.comment(),
                b'#' if self.fresh => self.directive(),
                _ => self.token(byte),
            }
        }
        let begins_with_marker = self.tokens.first().is_some_and(|t| {
            t.kind == Kind::Directive
                && marker(self.text.get(t.start..t.end).unwrap_or("")).is_some()
        });
        Source { text: self.text, tokens: self.tokens, files: self.files, begins_with_marker }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn newline(&mut self) {
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
        self.fresh = true;
    }

    /// Length of a backslash and the end of line behind it; 0 where there is none.
    fn continued(&self) -> usize {
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (Some(b'\\'), Some(b'\n'), _) => 2,
            (Some(b'\\'), Some(b'\r'), Some(b'\n')) => 3,
            _ => 0,
        }
    }

    /// Moves on to `end`, counting lines; what follows does not begin a line.
    fn skip_to(&mut self, end: usize) {
        let end = end.min(self.bytes.len());
        while self.at < end {
            self.at += 1;
            if self.bytes.get(self.at - 1) == Some(&b'\n') {
                let fresh = self.fresh;
                self.newline();
                self.fresh = fresh;
            }
        }
    }

    fn comment(&mut self) {
        let rest = self.bytes.get(self.at + 2..).unwrap_or(&[]);
        let end = rest.windows(2).position(|w| w == b"*/");
        self.skip_to(end.map_or(self.bytes.len(), |e| self.at + e + 4));
    }

    /// Offset of the end of the line that `from` is in, with its continuations.
    fn line_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(found) =
            self.bytes.get(at..).and_then(|b| b.iter().position(|c| *c == b'\n'))
        {
            let end = at + found;
            let before = self.bytes.get(from..end).unwrap_or(&[]);
            let before = before.strip_suffix(b"\r").unwrap_or(before);
            if before.last() != Some(&b'\\') {
                return from + before.len();
            }
            at = end + 1;
        }
        self.bytes.len()
    }

    fn directive(&mut self) {
        let (start, end) = (self.at, self.line_end(self.at));
        self.push(Kind::Directive, start, end);
        self.skip_to(end);
        self.fresh = false;
        let Some((line, file)) = self.text.get(start..end).and_then(marker) else { return };
        // The line break that ends the marker brings the line that it names.
        self.line = line.saturating_sub(1);
        if let Some(file) = file {
            let next = self.files.len();
            self.file = *self.known.entry(file.clone()).or_insert(next);
            if self.file == next {
                self.files.push(file);
            }
        }
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let column = start - self.line_start + 1;
        let (file, line) = (self.file, self.line);
        self.tokens.push(Token { kind, start, end, file, line, column, partner: None });
    }

    fn token(&mut self, byte: u8) {
        self.fresh = false;
        let start = self.at;
        let (kind, end) = match byte {
            b'"' => (Kind::Text, self.literal_end(byte)),
            b'\'' => (Kind::Character, self.literal_end(byte)),
            b'.' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => {
                (Kind::Number, self.number_end())
            }
            _ if byte.is_ascii_digit() => (Kind::Number, self.number_end()),
            _ if in_word(byte) => (Kind::Word, self.word_end()),
            _ => (Kind::Punctuation, start + 1),
        };
        self.push(kind, start, end);
        if kind == Kind::Punctuation {
            self.bracket(byte);
        }
        self.skip_to(end);
    }

    /// Offset behind a literal in quotes, or of the end of its line.
    fn literal_end(&self, quote: u8) -> usize {
        let mut at = self.at + 1;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 1 + usize::from(self.bytes.get(at + 1).is_some_and(u8::is_ascii)),
                b'\n' => return at,
                _ if byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    fn number_end(&self) -> usize {
        let mut at = self.at;
        while let Some(&byte) = self.bytes.get(at) {
            let sign = matches!(byte, b'+' | b'-')
                && matches!(self.bytes.get(at - 1), Some(b'e' | b'E' | b'p' | b'P'))
                && at > self.at
                && !self.hexadecimal_e(at);
            if !in_word(byte) && byte != b'.' && !sign {
                break;
            }
            at += 1;
        }
        at
    }

    /// Whether the letter before `at` is a digit: `0xe+1` is a sum here, as people mean it.
    fn hexadecimal_e(&self, at: usize) -> bool {
        let hexadecimal = matches!(self.bytes.get(self.at + 1), Some(b'x' | b'X'));
        hexadecimal && matches!(self.bytes.get(at - 1), Some(b'e' | b'E'))
    }

    fn word_end(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        self.at + rest.iter().position(|b| !in_word(*b)).unwrap_or(rest.len())
    }

    /// Finds pairs of brackets; those that do not fit together have no partner.
    fn bracket(&mut self, byte: u8) {
        let index = self.tokens.len() - 1;
        let opening = match byte {
            b'(' | b'[' | b'{' => return self.open.push(index),
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => return,
        };
        let Some(&top) = self.open.last() else { return };
        let fits = self.tokens.get(top).and_then(|t| self.bytes.get(t.start)) == Some(&opening);
        if !fits {
            return;
        }
        self.open.pop();
        for (one, other) in [(top, index), (index, top)] {
            if let Some(token) = self.tokens.get_mut(one) {
                token.partner = Some(other);
            }
        }
    }
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The line that a marker (`# 12 "file.cl" 2`, `#line 12 "file.cl"`) gives the line behind it, and its file.
fn marker(directive: &str) -> Option<(u32, Option<String>)> {
    let rest = directive.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let line = rest.get(..digits)?.parse().ok()?;
    let quoted = rest.get(digits..)?.trim_start();
    let file = quoted.strip_prefix('"').map(|quoted| {
        let mut name = String::new();
        let mut characters = quoted.chars();
        while let Some(c) = characters.next().filter(|c| *c != '"') {
            name.push(if c == '\\' { characters.next().unwrap_or(c) } else { c });
        }
        name
    });
    Some((line, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_tokens() {
        let source = Source::new("a1+=\"x\\\"y\" 'c' 0x1fUL .5e-3f // no\n/* no */ é");
        let found: Vec<&str> = (0..source.tokens.len()).map(|i| source.word(i)).collect();
        assert_eq!(found, ["a1", "+", "=", "\"x\\\"y\"", "'c'", "0x1fUL", ".5e-3f", "é"]);
    }

    #[test]
    fn places_follow_markers() {
        let source =
            Source::new("# 7 \"a b.h\" 1\n\n  x\n#line 3 \"c\\\\d\"\ny #\n#pragma a \\\n b\nz");
        let place = |word: &str| {
            let at = (0..source.tokens.len()).find(|i| source.word(*i) == word).expect(word);
            source.place(at)
        };
        assert_eq!(place("x"), ("a b.h".into(), 8, 3));
        assert_eq!(place("y"), ("c\\d".into(), 3, 1));
        assert_eq!(place("#pragma a \\\n b"), ("c\\d".into(), 4, 1));
        assert_eq!(place("z"), ("c\\d".into(), 6, 1));
        assert!(source.begins_with_marker);
    }

    #[test]
    fn brackets_find_their_partners() {
        let source = Source::new("( [ ) ] { ( ) }");
        let partners: Vec<Option<usize>> = source.tokens.iter().map(|t| t.partner).collect();
        let expected = [None, Some(3), None, Some(1), Some(7), Some(6), Some(5), Some(4)];
        assert_eq!(partners, expected);
    }
}
