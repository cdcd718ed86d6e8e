//! IR text (`.clir`): the parser. The grammar is in docs/ir.md; [`crate::print`] writes it.
//!
//! The parser checks syntax, literals and that names are defined; types and all other rules are
//! the verifier's ([`crate::verify`]), which does not panic on anything that is accepted here.

mod function;
mod lexer;

use crate::entities::Global;
use crate::module::{GlobalData, Module};
use crate::types::{FloatKind, Scalar, Space, Type};
use base::entity::EntityRef;
use base::source::SourceFile;
use base::{Diagnostic, Loc, SourceMap};
use lexer::{SYNTAX, Token};

/// Reads a module. Places in the error (code `E0010`) are in the text itself, as file 0 of
/// [`text_sources`].
pub fn parse_module(text: &str) -> base::Result<Module> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { tokens, at: 0 };
    Ok(parser.module()?)
}

/// The source map with which errors of [`parse_module`] on `text` are to be rendered.
pub fn text_sources(name: &str, text: &str) -> SourceMap {
    let mut sources = SourceMap::default();
    sources.files.push(SourceFile { name: name.into(), text: Some(text.into()) });
    sources
}

type Result<T> = std::result::Result<T, Diagnostic>;

struct Parser<'t> {
    tokens: Vec<(Token<'t>, Loc)>,
    at: usize,
}

impl<'t> Parser<'t> {
    fn module(&mut self) -> Result<Module> {
        self.expect_word("module")?;
        let name = self.string()?;
        self.expect_word("addr")?;
        let addr_bits = self.addr_bits()?;
        let mut module = Module::new(name, addr_bits);
        self.expect_word("cl")?;
        module.cl_version = self.number()?;
        while self.eat_word("source") {
            let name = self.string()?;
            let text = if self.eat_word("text") { Some(self.strings()?) } else { None };
            module.sources.files.push(SourceFile { name, text });
        }
        while self.eat_word("global") {
            let loc = self.loc();
            let global = self.global(module.globals.len())?;
            if !global.align.is_power_of_two() {
                return Err(error(loc, "an alignment is a power of two"));
            }
            module.globals.push(global);
        }
        for (_, global) in module.globals.iter() {
            if global.relocations.iter().any(|r| r.1.index() >= module.globals.len()) {
                let what = format!("`{}` points to a variable that does not exist", global.name);
                return Err(error(self.loc(), what));
            }
        }
        while *self.peek() != Token::End {
            let func = self.function(&module)?;
            module.functions.push(func);
        }
        Ok(module)
    }

    fn global(&mut self, index: usize) -> Result<GlobalData> {
        self.numbered('g', index)?;
        let name = self.string()?;
        let space = self.space()?;
        let (size, align) = self.size_align()?;
        let mut global = GlobalData {
            name,
            space,
            size,
            align,
            init: None,
            relocations: vec![],
            loc: self.place()?,
        };
        if self.eat_word("init") {
            let loc = self.loc();
            let digits = self.strings()?;
            global.init = Some(hex_bytes(&digits).ok_or_else(|| error(loc, "bad hex digits"))?);
        }
        while self.eat_word("reloc") {
            let offset = self.number()?;
            let target = Global::from_u32(self.entity('g')?);
            global.relocations.push((offset, target, self.number()?));
        }
        Ok(global)
    }

    fn size_align(&mut self) -> Result<(u64, u32)> {
        self.expect_word("size")?;
        let size = self.number()?;
        self.expect_word("align")?;
        Ok((size, self.number()?))
    }

    fn addr_bits(&mut self) -> Result<u32> {
        let loc = self.loc();
        match self.number()? {
            bits @ (32 | 64) => Ok(bits),
            _ => Err(error(loc, "an address has 32 or 64 bits")),
        }
    }

    // --- tokens ---

    fn peek(&self) -> &Token<'t> {
        &self.tokens[self.at].0
    }

    fn loc(&self) -> Loc {
        self.tokens[self.at].1
    }

    /// Takes a token; the last one, `End`, stays.
    fn next(&mut self) -> Token<'t> {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        Err(error(self.loc(), format!("expected {wanted}, found {}", self.peek().describe())))
    }

    fn word(&self) -> Option<&'t str> {
        match self.peek() {
            Token::Word(w) => Some(w),
            _ => None,
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == Some(word);
        if found {
            self.next();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    fn eat_mark(&mut self, mark: &str) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    fn expect_mark(&mut self, mark: &str) -> Result<()> {
        if self.eat_mark(mark) { Ok(()) } else { self.unexpected(&format!("`{mark}`")) }
    }

    fn string(&mut self) -> Result<String> {
        match self.peek() {
            Token::Str(_) => match self.next() {
                Token::Str(s) => Ok(s),
                _ => self.unexpected("a string"),
            },
            _ => self.unexpected("a string"),
        }
    }

    /// One or more strings, joined.
    fn strings(&mut self) -> Result<String> {
        let mut all = self.string()?;
        while let Token::Str(_) = self.peek() {
            all.push_str(&self.string()?);
        }
        Ok(all)
    }

    /// A decimal or hexadecimal integer that fits `T`.
    fn number<T: TryFrom<i128>>(&mut self) -> Result<T> {
        let parsed = match self.peek() {
            Token::Number(text) => integer(text).and_then(|n| T::try_from(n).ok()),
            _ => None,
        };
        match parsed {
            Some(n) => {
                self.next();
                Ok(n)
            }
            None => self.unexpected("an integer in range"),
        }
    }

    /// The number of a name such as `v7`.
    fn entity(&mut self, letter: char) -> Result<u32> {
        match self.word().and_then(|w| entity_number(w, letter)) {
            Some(n) => {
                self.next();
                Ok(n)
            }
            None => self.unexpected(&format!("`{letter}` and a number")),
        }
    }

    /// A name such as `g3` that must have this number: entities of these kinds stand in order.
    fn numbered(&mut self, letter: char, index: usize) -> Result<()> {
        let wanted = format!("{letter}{index}");
        if self.eat_word(&wanted) { Ok(()) } else { self.unexpected(&format!("`{wanted}`")) }
    }

    fn space(&mut self) -> Result<Space> {
        match Space::ALL.into_iter().find(|s| self.word() == Some(s.name())) {
            Some(space) => {
                self.next();
                Ok(space)
            }
            None => self.unexpected("an address space"),
        }
    }

    fn ty(&mut self) -> Result<Type> {
        match self.word().and_then(type_from_name) {
            Some(ty) => {
                self.next();
                Ok(ty)
            }
            None => self.unexpected("a type"),
        }
    }

    /// `@file:line:column`, or nothing.
    fn place(&mut self) -> Result<Loc> {
        if !self.eat_mark("@") {
            return Ok(Loc::UNKNOWN);
        }
        let file = self.number()?;
        self.expect_mark(":")?;
        let line = self.number()?;
        self.expect_mark(":")?;
        Ok(Loc { file, line, column: self.number()? })
    }

    /// Items separated by commas up to `close`.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = vec![];
        if self.eat_mark(close) {
            return Ok(all);
        }
        loop {
            all.push(item(self)?);
            if self.eat_mark(close) {
                return Ok(all);
            }
            self.expect_mark(",")?;
        }
    }
}

fn error(loc: Loc, what: impl Into<String>) -> Diagnostic {
    Diagnostic::error(SYNTAX, what).at(loc)
}

/// A type's name, as [`Type`]'s `Display` writes it.
pub fn type_from_name(name: &str) -> Option<Type> {
    if let Some(scalar) = scalar_from_name(name) {
        return Some(Type { scalar, lanes: 1 });
    }
    let rest = name.strip_prefix('v')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let lanes = rest[..digits].parse().ok().filter(|n| matches!(n, 2u8 | 3 | 4 | 8 | 16))?;
    Some(Type { scalar: scalar_from_name(&rest[digits..])?, lanes })
}

fn scalar_from_name(name: &str) -> Option<Scalar> {
    let floats = [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64];
    if let Some(kind) = floats.into_iter().find(|k| k.name() == name) {
        return Some(Scalar::Float(kind));
    }
    if let Some(space) = name.strip_prefix("ptr.") {
        return Space::ALL.into_iter().find(|s| s.name() == space).map(Scalar::Ptr);
    }
    let width = name.strip_prefix('i').filter(|w| !w.starts_with(['0', '+']))?;
    width.parse().ok().filter(|w| (1..=128).contains(w)).map(Scalar::Int)
}

fn entity_number(word: &str, letter: char) -> Option<u32> {
    let digits = word.strip_prefix(letter)?;
    // u32::MAX is the entity type's reserved value
    let plain = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
    digits.parse().ok().filter(|n| plain && *n != u32::MAX)
}

/// A signed integer within i128, decimal or `0x`.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let n = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -n } else { n })
}

/// The bits of a constant of type `ty`, or none when it does not fit.
fn constant(text: &str, ty: Type, addr_bits: u32) -> Option<u128> {
    let width = ty.lane_bits(addr_bits);
    let limit = u128::MAX >> (128 - width);
    if let Some(hex) = text.strip_prefix("0x") {
        let plain = hex.starts_with(|c: char| c.is_ascii_hexdigit());
        return u128::from_str_radix(hex, 16).ok().filter(|n| plain && *n <= limit);
    }
    match ty.scalar {
        Scalar::Float(FloatKind::F32) => text.parse::<f32>().ok().map(|x| x.to_bits().into()),
        Scalar::Float(FloatKind::F64) => text.parse::<f64>().ok().map(|x| x.to_bits().into()),
        Scalar::Float(_) => None,
        _ => match integer(text) {
            Some(n) if n < 0 => {
                let lowest = -1i128 << (width - 1);
                (n >= lowest).then_some(n as u128 & limit)
            }
            Some(n) => Some(n as u128).filter(|n| *n <= limit),
            None => text.parse().ok().filter(|n| *n <= limit),
        },
    }
}

fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|k| u8::from_str_radix(&digits[k..k + 2], 16).ok()).collect()
}
