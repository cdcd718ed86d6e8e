//! Tokens of IR text.

use base::{Diagnostic, Loc};

/// Code of all syntax errors of IR text.
pub(super) const SYNTAX: &str = "E0010";

/// A token; text is borrowed from the input.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'t> {
    /// Letters, digits, `_` and `.`, not starting with a digit.
    Word(&'t str),
    /// Starts with a digit, or `-` and a letter or digit; checked when its type is known.
    Number(&'t str),
    /// A string literal without its quotes, escapes replaced.
    Str(String),
    /// One of `( ) { } [ ] , : = @ ->`.
    Mark(&'t str),
    /// End of the text.
    End,
}

impl Token<'_> {
    /// For messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(t) | Token::Number(t) | Token::Mark(t) => format!("`{t}`"),
            Token::Str(_) => "a string".into(),
            Token::End => "the end of the text".into(),
        }
    }
}

/// Splits IR text into tokens, each with its place in file 0. The last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Loc)>, Diagnostic> {
    let mut out = vec![];
    for (n, line) in text.lines().enumerate() {
        line_tokens(line, n as u32 + 1, &mut out)?;
    }
    let lines = text.lines().count().max(1) as u32;
    out.push((Token::End, Loc { file: 0, line: lines, column: 0 }));
    Ok(out)
}

fn line_tokens<'t>(
    line: &'t str,
    number: u32,
    out: &mut Vec<(Token<'t>, Loc)>,
) -> Result<(), Diagnostic> {
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let column = (line.len() - rest.len()) as u32 + 1;
        let loc = Loc { file: 0, line: number, column };
        let Some(first) = rest.chars().next().filter(|c| *c != ';') else { return Ok(()) };
        let second = rest[first.len_utf8()..].chars().next();
        let length = match first {
            '"' => {
                let (text, length) = string(rest, loc)?;
                out.push((Token::Str(text), loc));
                length
            }
            '-' if second == Some('>') => {
                out.push((Token::Mark("->"), loc));
                2
            }
            '0'..='9' | '-' | '+' => {
                let length = number_length(rest);
                out.push((Token::Number(&rest[..length]), loc));
                length
            }
            '(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=' | '@' => {
                out.push((Token::Mark(&rest[..1]), loc));
                1
            }
            c if is_word(c) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                out.push((Token::Word(&rest[..length]), loc));
                length
            }
            other => {
                let what = format!("unexpected character {other:?}");
                return Err(Diagnostic::error(SYNTAX, what).at(loc));
            }
        };
        rest = &rest[length..];
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// Length of the number at the start: a sign is part of it in front and after an exponent's `e`
/// of a decimal number.
fn number_length(text: &str) -> usize {
    let hex = text.trim_start_matches(['-', '+']).starts_with("0x");
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let sign = matches!(c, '-' | '+');
        let exponent_sign = sign && !hex && matches!(previous, 'e' | 'E');
        if at > 0 && !is_word(c) && !exponent_sign {
            return at;
        }
        previous = c;
    }
    text.len()
}

/// The string literal at the start of `text`, and its length with quotes.
fn string(text: &str, loc: Loc) -> Result<(String, usize), Diagnostic> {
    let error = |what: &str| Diagnostic::error(SYNTAX, what).at(loc);
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((out, at + 1)),
            '\\' => match chars.next().map(|e| e.1) {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(c @ ('"' | '\\')) => out.push(c),
                Some('u') => {
                    let digits: String = chars
                        .by_ref()
                        .map(|d| d.1)
                        .skip_while(|c| *c == '{')
                        .take_while(|c| *c != '}')
                        .take(9)
                        .collect();
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    out.push(code.ok_or_else(|| error("bad escape in string"))?);
                }
                _ => return Err(error("bad escape in string")),
            },
            c => out.push(c),
        }
    }
    Err(error("string without end"))
}
