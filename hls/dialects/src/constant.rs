//! Integer constant expressions, and the macros that are left where `clang -E -dD` made the text.

use crate::token::words;
use std::collections::BTreeMap;

/// Parentheses and signs within each other.
const MOST_NESTED: usize = 100;

/// Macros within each other.
const MOST_MACROS: usize = 20;

/// Bytes of what a macro comes to: it is about numbers.
const LONGEST: usize = 4096;

/// Macros without parameters. A pragma is not preprocessed, so a number in it may be the name of one.
#[derive(Default)]
pub(crate) struct Macros(BTreeMap<String, String>);

impl Macros {
    /// Takes note of a directive: `define` or `undef`, and what is behind it.
    pub fn directive(&mut self, keyword: &str, rest: &str) {
        let end = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let (Some(name), Some(body)) = (rest.get(..end), rest.get(end..)) else { return };
        if keyword == "define" && !body.starts_with('(') {
            self.0.insert(name.to_owned(), body.trim().to_owned());
        } else {
            self.0.remove(name);
        }
    }

    /// `text` with macros replaced; `None` where there are none in it.
    pub fn expand(&self, text: &str) -> Option<String> {
        if !words(text).iter().any(|w| self.0.contains_key(*w)) {
            return None;
        }
        let mut out = String::new();
        self.expand_into(text, 0, &mut out);
        Some(out)
    }

    fn expand_into(&self, text: &str, nested: usize, out: &mut String) {
        for word in words(text) {
            if out.len() > LONGEST {
                return;
            }
            match self.0.get(word).filter(|_| nested < MOST_MACROS) {
                Some(body) => self.expand_into(body, nested + 1, out),
                None => {
                    // Only between what would become one word: `>>` stays a shift.
                    let joins = |c: char| c.is_alphanumeric() || c == '_';
                    if out.ends_with(joins) && word.starts_with(joins) {
                        out.push(' ');
                    }
                    out.push_str(word);
                }
            }
        }
    }

    /// Value of an expression, as C computes it with 64 bits.
    pub fn value(&self, expression: &[&str]) -> Option<i64> {
        let text = expression.join(" ");
        let text = self.expand(&text).unwrap_or(text);
        let words = words(&text);
        let mut reader = Reader { words: &words, at: 0, nested: 0 };
        let value = reader.shift()?;
        (reader.at == words.len()).then_some(value)
    }

    /// The same for what counts something.
    pub fn count(&self, expression: &[&str]) -> Option<u32> {
        u32::try_from(self.value(expression)?).ok()
    }
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    nested: usize,
}

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let taken = self.words.get(self.at) == Some(&word);
        self.at += usize::from(taken);
        taken
    }

    fn takes_twice(&mut self, word: &str) -> bool {
        let taken = self.words.get(self.at..self.at + 2) == Some(&[word, word]);
        self.at += if taken { 2 } else { 0 };
        taken
    }

    fn shift(&mut self) -> Option<i64> {
        let mut value = self.sum()?;
        loop {
            if self.takes_twice("<") {
                let by = self.sum()?;
                let factor = 1_i64.checked_shl(u32::try_from(by).ok()?).filter(|f| *f > 0)?;
                value = value.checked_mul(factor)?;
            } else if self.takes_twice(">") {
                value = value.checked_shr(u32::try_from(self.sum()?).ok()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        loop {
            if self.takes("+") {
                value = value.checked_add(self.product()?)?;
            } else if self.takes("-") {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.operand()?;
        loop {
            if self.takes("*") {
                value = value.checked_mul(self.operand()?)?;
            } else if self.takes("/") {
                value = value.checked_div(self.operand()?)?;
            } else if self.takes("%") {
                value = value.checked_rem(self.operand()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn operand(&mut self) -> Option<i64> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return None;
        }
        let value = if self.takes("(") {
            let value = self.shift()?;
            self.takes(")").then_some(value)
        } else if self.takes("-") {
            self.operand()?.checked_neg()
        } else if self.takes("+") {
            self.operand()
        } else {
            let word = self.words.get(self.at)?;
            self.at += 1;
            number(word)
        };
        self.nested -= 1;
        value
    }
}

/// Value of an integer literal.
fn number(word: &str) -> Option<i64> {
    let lower = word.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    if let Some(digits) = digits.strip_prefix("0x") {
        i64::from_str_radix(digits, 16).ok()
    } else if let Some(digits) = digits.strip_prefix("0b") {
        i64::from_str_radix(digits, 2).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8).ok()
    } else {
        digits.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<i64> {
        let mut macros = Macros::default();
        macros.directive("define", "W 16");
        macros.directive("define", "TWICE (2 * W)");
        macros.directive("define", "LOOP LOOP");
        macros.directive("define", "F(x) x");
        macros.value(&words(text))
    }

    #[test]
    fn expressions_have_values() {
        assert_eq!(value("1 + 2 * 3 - -4"), Some(11));
        assert_eq!(value("(1u << 10) >> 3"), Some(128));
        assert_eq!(value("0x10UL / 3 % 4"), Some(1));
        assert_eq!(value("TWICE/W"), Some(2));
        assert_eq!(value("010"), Some(8));
    }

    #[test]
    fn what_is_none_has_no_value() {
        for text in
            ["", "1 +", "x", "1 / 0", "1 << 64", "(1", "1)", "LOOP", "F", "1 2", "'a'", "1.5"]
        {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&"(".repeat(100_000)), None);
        assert_eq!(value("9223372036854775807 + 1"), None);
    }
}
