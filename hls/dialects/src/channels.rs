//! Channels and pipes at file scope.

use crate::Problem;
use crate::attributes::{Class, Fate, Specifier, class};
use crate::token::Kind;
use crate::walk::{Walk, fate};

/// Words that say nothing of a channel that its translation does not.
const QUALIFIERS: [&str; 8] =
    ["const", "volatile", "static", "extern", "global", "__global", "constant", "__constant"];

/// Attributes that say what a channel is.
const MEANT: [&str; 3] = ["depth", "io", "xcl_reqd_pipe_depth"];

/// One name of a declaration.
struct Declarator {
    name: usize,
    /// The last token of its dimensions, or the name.
    end: usize,
    attributes: Vec<Specifier>,
}

/// What is between two commas.
#[derive(Default)]
struct Part {
    /// Tokens, of brackets the opening ones.
    tokens: Vec<usize>,
    attributes: Vec<Specifier>,
}

/// A declaration.
#[derive(Default)]
struct Declaration {
    /// `channel` or `pipe`.
    keyword: usize,
    /// Words that go.
    dropped: Vec<usize>,
    /// What makes the type one of pointers.
    pointer: Option<usize>,
    /// Attributes before the first name, which are for all.
    attributes: Vec<Specifier>,
    declarators: Vec<Declarator>,
    /// The semicolon.
    end: usize,
}

impl<'a> Walk<'a> {
    /// Translates a declaration of channels or pipes that begins at the token `at`; gives its semicolon. `None`: it is something else.
    ///
    /// # Errors
    /// A depth or a port that cannot be told.
    pub fn channel_declaration(&mut self, at: usize) -> Result<Option<usize>, Problem> {
        let Some(mut declaration) = self.begin_declaration(at) else { return Ok(None) };
        let Some(parts) = self.parts_of(&mut declaration) else { return Ok(None) };
        if !self.declarators(&mut declaration, parts) {
            return Ok(None);
        }
        self.translate_declaration(&declaration)?;
        Ok(Some(declaration.end))
    }

    /// Reads up to the keyword.
    fn begin_declaration(&self, at: usize) -> Option<Declaration> {
        let mut declaration = Declaration::default();
        let mut next = at;
        loop {
            if let Some(specifier) = Specifier::read(self.source, next) {
                next = self.source.after(specifier.last);
                declaration.attributes.push(specifier);
            } else if QUALIFIERS.contains(&self.source.word(next)) {
                declaration.dropped.push(next);
                next = self.source.after(next);
            } else {
                break;
            }
        }
        let word = self.source.word(next);
        declaration.keyword = next;
        (word == "pipe" || (word == "channel" && self.channels)).then_some(declaration)
    }

    /// Cuts the rest at its commas. `None` where something stands in it that no declaration of channels has.
    fn parts_of(&self, declaration: &mut Declaration) -> Option<Vec<Part>> {
        let mut parts = vec![Part::default()];
        let mut at = self.source.after(declaration.keyword);
        loop {
            let part = parts.last_mut()?;
            if let Some(specifier) = Specifier::read(self.source, at) {
                at = self.source.after(specifier.last);
                part.attributes.push(specifier);
                continue;
            }
            let before = part.tokens.last().map_or("", |t| self.source.word(*t));
            let mut last = at;
            match self.source.word(at) {
                ";" => {
                    declaration.end = at;
                    return Some(parts);
                }
                "," => parts.push(Part::default()),
                bracket @ ("(" | "[" | "{") => {
                    if bracket == "(" && !matches!(before, "__typeof__" | "__typeof" | "typeof") {
                        return None;
                    }
                    last = self.source.closing(at)?;
                    part.tokens.push(at);
                }
                _ if self.source.is(at, Kind::Word) || self.source.word(at) == "*" => {
                    part.tokens.push(at);
                }
                _ => return None,
            }
            at = self.source.after(last);
        }
    }

    /// Finds the names. Whether each part has one, and the first a type before it.
    fn declarators(&self, declaration: &mut Declaration, parts: Vec<Part>) -> bool {
        for (index, part) in parts.into_iter().enumerate() {
            let Part { mut tokens, attributes } = part;
            let mut end = None;
            let name = loop {
                let Some(token) = tokens.pop() else { return false };
                end = end.or(Some(self.source.closing(token).unwrap_or(token)));
                if self.source.word(token) != "[" {
                    break token;
                }
            };
            let typed = !tokens.is_empty();
            if !self.source.is(name, Kind::Word) || typed != (index == 0) {
                return false;
            }
            let (common, own) = attributes.into_iter().partition(|a: &Specifier| a.first < name);
            declaration.attributes.extend::<Vec<Specifier>>(common);
            let star = tokens.iter().copied().find(|t| self.source.word(*t) == "*");
            declaration.pointer = declaration.pointer.or(star);
            let qualifier = |t: &usize| QUALIFIERS.contains(&self.source.word(*t));
            declaration.dropped.extend(tokens.iter().copied().filter(qualifier));
            let end = end.unwrap_or(name);
            declaration.declarators.push(Declarator { name, end, attributes: own });
        }
        true
    }

    fn translate_declaration(&mut self, declaration: &Declaration) -> Result<(), Problem> {
        let source = self.source;
        let pipe = source.word(declaration.keyword) == "pipe";
        if let Some(star) = declaration.pointer {
            let message = "pointers cannot go through channels and pipes".to_owned();
            return Err(self.problem(star, message, "send an index, and add it to the buffer"));
        }
        let mut names = vec![];
        for declarator in &declaration.declarators {
            let own = declarator.attributes.iter().rev();
            let attributes: Vec<&Specifier> = own.chain(&declaration.attributes).collect();
            names.push(self.symbol(source.word(declarator.name), &attributes)?);
        }
        self.replace_token(declaration.keyword, "extern __constant");
        for &word in &declaration.dropped {
            self.edits.blank(source, word, word);
        }
        for specifier in &declaration.attributes {
            self.settle_channel(specifier);
        }
        for (declarator, name) in declaration.declarators.iter().zip(names) {
            let end = source.token(declarator.end).map_or(0, |t| t.end);
            self.edits.insert(end, format!(" __asm__(\"{name}\")"));
            for specifier in &declarator.attributes {
                self.settle_channel(specifier);
            }
            if pipe {
                self.pipes.insert(source.word(declarator.name));
            }
        }
        self.prelude.1 |= pipe;
        Ok(())
    }

    /// The assembler name of a channel: what attributes say first holds.
    fn symbol(&self, name: &str, attributes: &[&Specifier]) -> Result<String, Problem> {
        let (mut depth, mut port) = (None, None);
        for entry in attributes.iter().flat_map(|s| &s.entries) {
            let arguments = entry.arguments(self.source);
            let first = arguments.first();
            match entry.name.as_str() {
                "depth" | "xcl_reqd_pipe_depth" if depth.is_none() => {
                    depth = first.and_then(|a| self.macros.count(a));
                    if depth.is_none() {
                        let message = format!("the depth of {name} is not a number");
                        let help = "it is computed from whole numbers with + - * / % << >> and parentheses";
                        return Err(self.problem(entry.first, message, help));
                    }
                }
                "io" if port.is_none() => {
                    port = first.and_then(|a| port_name(a));
                    if port.is_none() {
                        let message = format!("the port of {name} has no name");
                        return Err(self.problem(entry.first, message, "io(\"NAME\")"));
                    }
                }
                _ => {}
            }
        }
        let port = port.map_or(String::new(), |p| format!(".io.{p}"));
        Ok(format!("clhls.channel.{name}.{}{port}", depth.unwrap_or(0)))
    }

    fn settle_channel(&mut self, specifier: &Specifier) {
        let mut fates = vec![];
        for entry in &specifier.entries {
            let meant = MEANT.contains(&entry.name.as_str());
            if !meant && class(&entry.name) == Class::Unused {
                self.note_unused(entry);
            }
            fates.push(if meant { Fate::Drop } else { fate(&entry.name) });
        }
        self.settle(specifier, &fates);
    }

    /// Puts `text` instead of the token at `at`.
    pub fn replace_token(&mut self, at: usize, text: &str) {
        if let Some(token) = self.source.token(at) {
            self.edits.replace(token.start, token.end, text.to_owned());
        }
    }
}

/// A port's name out of its string literals, in characters that symbols may have.
fn port_name(words: &[&str]) -> Option<String> {
    let mut name = String::new();
    for word in words {
        let inside = word.strip_prefix('"')?.strip_suffix('"')?;
        name.extend(inside.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
    }
    (!name.is_empty()).then_some(name)
}
