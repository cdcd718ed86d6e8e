//! Design files: `--design FILE.toml`.
//!
//! Each key of a file becomes the option that it stands for, in front of those of the command line: so it means the same, and is
//! checked by the same code. docs/design-file.md describes the keys.

use crate::cli::{Cli, Command, InputArgs};
use crate::connect::Connection;
use crate::failure::{Failure, Result, io};
use clap::{ArgMatches, CommandFactory, Parser};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Code of errors in a design file.
const CODE: &str = "E0616";

/// What a key's value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A text.
    Text,
    /// The path of a file or folder, from the design file's.
    Path,
    /// A number.
    Number,
    /// A number or a word.
    NumberOrText,
    /// `true` gives the option.
    Flag,
    /// A list of texts, each of which gives the option.
    Texts,
}

/// Keys that are options: the key, the option, the field that has its value, and what it is.
const KEYS: [(&str, &str, &str, Kind); 17] = [
    ("kernels", "--kernel", "kernel", Kind::Texts),
    ("board", "--board", "board", Kind::Text),
    ("board-dir", "--board-dir", "board_dir", Kind::Path),
    ("clock", "--clock", "clock", Kind::Number),
    ("level", "-O", "level", Kind::Number),
    ("simd", "--simd", "simd", Kind::Number),
    ("compute-units", "--compute-units", "compute_units", Kind::NumberOrText),
    ("memory-ports", "--memory-ports", "memory_ports", Kind::Number),
    ("image-cache", "--image-cache", "image_cache", Kind::Number),
    ("local-bytes", "--local-bytes", "local_bytes", Kind::Number),
    ("platform", "--platform", "platform", Kind::Text),
    ("cl-std", "--cl-std", "cl_std", Kind::Text),
    ("compiler", "--compiler", "compiler", Kind::Text),
    ("clang", "--clang", "clang", Kind::Texts),
    ("denorms-are-zero", "--denorms-are-zero", "denorms_are_zero", Kind::Flag),
    ("unsafe-math", "--unsafe-math", "unsafe_math", Kind::Flag),
    ("sub-group-size", "--sub-group-size", "sub_group_size", Kind::Number),
];
/// Keys that are tables.
const TABLES: [&str; 4] = ["connect", "stream", "image-formats", "spec-constants"];

/// An option from a design file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    line: usize,
    key: String,
    /// The field of the command line that it is for.
    field: &'static str,
    /// The option with its value.
    option: String,
    /// What an error about it names, all names of one of these.
    names: Vec<Vec<String>>,
}

/// A design file that was read.
pub(crate) struct Design {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Command {
    /// What a command says of its input, if it has one.
    fn input(&self) -> Option<&InputArgs> {
        match self {
            Command::Build(args) => Some(&args.input),
            Command::Run(args) => Some(&args.input),
            Command::Check(args) => Some(&args.input),
            _ => None,
        }
    }
}

/// The command line with what its design file says, and that file, if it names one.
///
/// # Errors
/// `E0601` if the file cannot be read, `E0616` for what is wrong in it.
pub(crate) fn expand(cli: Cli, args: &[OsString]) -> Result<(Cli, Option<Design>)> {
    let Some(input) = cli.command.input() else { return Ok((cli, None)) };
    let Some(path) = &input.design else { return Ok((cli, None)) };
    let text = std::fs::read_to_string(path).map_err(|e| io("read", path, &e))?;
    let mut design = Design::parse(path, &text)?;
    let wrong = |e: clap::Error| Failure::new(CODE, reason(&e));
    let matches = Cli::command().try_get_matches_from(args).map_err(wrong)?;
    let Some((name, given)) = matches.subcommand() else { return Ok((cli, None)) };
    design.keep_for(name, given, input);
    design.check(name)?;
    let place = args.iter().position(|a| a == name).map_or(args.len(), |at| at + 1);
    let options = design.entries.iter().map(|e| OsString::from(&e.option));
    let all: Vec<OsString> =
        args[..place].iter().cloned().chain(options).chain(args[place..].iter().cloned()).collect();
    let cli = Cli::try_parse_from(all)
        .map_err(|e| Failure::new(CODE, format!("{}: {}", design.path.display(), reason(&e))))?;
    Ok((cli, Some(design)))
}

/// The first line of what the command line's parser says.
fn reason(e: &clap::Error) -> String {
    let text = e.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

impl Design {
    fn parse(path: &Path, text: &str) -> Result<Self> {
        let file = File { path, text };
        let table = DeTable::parse(text).map_err(|e| {
            let line = e.span().map_or(1, |span| file.line(span.start));
            file.error(line, "", e.message())
        })?;
        let mut entries = vec![];
        for (key, value) in table.get_ref().iter() {
            file.key(&mut entries, key, value)?;
        }
        // In the order of the file: tables of one kind come together else.
        entries.sort_by_key(|e| e.line);
        Ok(Design { path: path.to_owned(), entries })
    }

    /// Leaves what the command has no use for, and what its own options decide.
    fn keep_for(&mut self, command: &str, given: &ArgMatches, input: &InputArgs) {
        use clap::parser::ValueSource::CommandLine;
        let shape = Cli::command();
        let known = |field: &str| {
            let command = shape.find_subcommand(command);
            command.is_some_and(|c| c.get_arguments().any(|a| a.get_id() == field))
        };
        self.entries.retain(|entry| {
            let field = entry.field;
            // `run` runs one kernel, whichever are built.
            if !known(field) || (field == "kernel" && command != "build") {
                return false;
            }
            match field {
                "clang" => true,
                "connections" => {
                    let own = Connection::parse(entry.value());
                    !input.connections.iter().any(|c| own.as_ref().is_ok_and(|own| c.is_at(own)))
                }
                "formats" => {
                    let same = |f: &spirv_to_ir::FixedFormat| {
                        entry.names == [[f.kernel.clone(), f.arg.clone()]]
                    };
                    !input.formats.iter().any(same)
                }
                "spec_constants" => {
                    !input.spec_constants.iter().any(|c| entry.names == [[c.constant.clone()]])
                }
                _ => given.value_source(field) != Some(CommandLine),
            }
        });
    }

    /// Whether each value is one that its option takes.
    fn check(&self, command: &str) -> Result<()> {
        for entry in &self.entries {
            let mut args = vec!["clhls", command, &entry.option, "input"];
            if command == "run" {
                args.extend(["--global", "1"]);
            }
            if let Err(e) = Cli::try_parse_from(args) {
                let Entry { line, key, .. } = entry;
                let what = format!("{}:{line}: key `{key}`: {}", self.path.display(), reason(&e));
                return Err(Failure::new(CODE, what));
            }
        }
        Ok(())
    }

    /// Says which key of the file a failure is about: those whose option it quotes, or else that of which it has most names.
    pub(crate) fn explain(&self, mut failure: Failure) -> Failure {
        for d in &mut failure.diagnostics.0 {
            let text = format!("{} {}", d.message, d.notes.join(" "));
            let quoted: Vec<&Entry> = self.entries.iter().filter(|e| e.is_quoted(&text)).collect();
            let named = self.entries.iter().filter_map(|e| Some((e.named(&text)?, e)));
            let named = named.max_by_key(|(names, _)| *names).map(|(_, entry)| entry);
            let all = if quoted.is_empty() { named.into_iter().collect() } else { quoted };
            for Entry { line, key, .. } in all {
                d.notes.push(format!("{}:{line}: key `{key}` says so", self.path.display()));
            }
        }
        failure
    }
}

impl Entry {
    /// Whether a message has the connection that it is, as an option.
    fn is_quoted(&self, text: &str) -> bool {
        let Ok(connection) = Connection::parse(self.value()) else { return false };
        let option = connection.to_string();
        let goes_on = |c: char| c.is_alphanumeric() || "_.:".contains(c);
        let ends = |at: usize| {
            // A colon is part of the option only if something follows it.
            let rest = &text[at + option.len()..];
            !rest.trim_start_matches(':').starts_with(goes_on)
        };
        self.field == "connections" && text.match_indices(&option).any(|(at, _)| ends(at))
    }

    /// How many names a message has of it: in quotes, or as `KERNEL.ARG`.
    fn named(&self, text: &str) -> Option<usize> {
        let word = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let all = |names: &&Vec<String>| {
            let dotted = names.join(".");
            let whole = names.len() > 1 && text.split(|c| !word(c)).any(|w| w == dotted);
            whole || names.iter().all(|name| text.contains(&format!("`{name}`")))
        };
        self.names.iter().filter(all).map(Vec::len).max()
    }

    /// The value behind `--option=`.
    fn value(&self) -> &str {
        self.option.split_once('=').map_or("", |(_, value)| value)
    }
}

/// Kernel and argument of `KERNEL.ARG`.
fn names_of(end: &str) -> Vec<String> {
    end.splitn(2, '.').map(str::to_owned).collect()
}

/// The text of a design file.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn line(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|b| *b == b'\n').count()
    }

    fn error(&self, line: usize, key: &str, what: impl AsRef<str>) -> Failure {
        let key = if key.is_empty() { String::new() } else { format!("key `{key}`: ") };
        let text = format!("{}:{line}: {key}{}", self.path.display(), what.as_ref());
        Failure::new(CODE, text)
    }

    /// The entries of a key of the file.
    fn key(
        &self,
        entries: &mut Vec<Entry>,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<()> {
        let (name, line) = (key.get_ref().as_ref(), self.line(key.span().start));
        match name {
            "connect" | "stream" => return self.pipes(entries, name, line, value),
            "image-formats" => {
                for (end, format) in self.named_ends(name, line, value)? {
                    let text = self.text_of(name, self.line(format.span().start), format)?;
                    entries.push(Entry {
                        line: self.line(format.span().start),
                        key: name.into(),
                        field: "formats",
                        option: format!("--image-format={end}={text}"),
                        names: vec![names_of(&end)],
                    });
                }
                return Ok(());
            }
            "spec-constants" => {
                let Some(table) = value.get_ref().as_table() else {
                    return Err(self.error(line, name, "expected a table of constants and values"));
                };
                for (constant, value) in table.iter() {
                    let line = self.line(constant.span().start);
                    let text = self.scalar(name, line, value)?;
                    let constant = constant.get_ref().to_string();
                    let option = format!("--spec-constant={constant}={text}");
                    let (key, field) = (name.to_owned(), "spec_constants");
                    entries.push(Entry { line, key, field, option, names: vec![vec![constant]] });
                }
                return Ok(());
            }
            _ => {}
        }
        let Some((_, option, field, kind)) = KEYS.into_iter().find(|(key, ..)| *key == name) else {
            let keys = KEYS.iter().map(|(key, ..)| *key).chain(TABLES);
            let known: Vec<&str> = keys.collect();
            let e = self.error(line, name, "there is no such key");
            return Err(e.help(format!("keys are {}", known.join(", "))));
        };
        for text in self.values(name, line, value, kind)? {
            let names = if matches!(field, "kernel" | "board" | "platform") {
                vec![vec![text.clone()]]
            } else {
                vec![]
            };
            let option =
                if kind == Kind::Flag { option.to_owned() } else { format!("{option}={text}") };
            entries.push(Entry { line, key: name.into(), field, option, names });
        }
        Ok(())
    }

    /// The values of an option as text, each for itself.
    fn values(
        &self,
        key: &str,
        line: usize,
        value: &Spanned<DeValue<'_>>,
        kind: Kind,
    ) -> Result<Vec<String>> {
        let wrong = |what: &str| Err(self.error(line, key, format!("expected {what}")));
        Ok(match (kind, value.get_ref()) {
            (Kind::Flag, DeValue::Boolean(given)) => given.then(String::new).into_iter().collect(),
            (Kind::Flag, _) => return wrong("true or false"),
            (Kind::Texts, DeValue::Array(list)) => {
                let text =
                    |v: &Spanned<DeValue<'_>>| self.text_of(key, self.line(v.span().start), v);
                list.iter().map(text).collect::<Result<_>>()?
            }
            (Kind::Texts, _) => return wrong("a list of texts"),
            (Kind::Text, _) => vec![self.text_of(key, line, value)?],
            (Kind::Path, _) => {
                let text = self.text_of(key, line, value)?;
                let folder = self.path.parent().unwrap_or(Path::new(""));
                vec![folder.join(text).display().to_string()]
            }
            (Kind::Number, DeValue::Integer(_) | DeValue::Float(_)) => {
                vec![self.scalar(key, line, value)?]
            }
            (Kind::Number, _) => return wrong("a number"),
            (Kind::NumberOrText, DeValue::Integer(_) | DeValue::String(_)) => {
                vec![self.scalar(key, line, value)?]
            }
            (Kind::NumberOrText, _) => return wrong("a number or a text"),
        })
    }

    fn text_of(&self, key: &str, line: usize, value: &Spanned<DeValue<'_>>) -> Result<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        text.ok_or_else(|| self.error(line, key, "expected a text, in quotes"))
    }

    /// A number, text or truth value as an option has it.
    fn scalar(&self, key: &str, line: usize, value: &Spanned<DeValue<'_>>) -> Result<String> {
        Ok(match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Boolean(given) => given.to_string(),
            DeValue::Float(number) => number.as_str().to_owned(),
            DeValue::Integer(number) => {
                let read = i128::from_str_radix(number.as_str(), number.radix());
                let number = read.map_err(|_| self.error(line, key, "the number is too large"))?;
                number.to_string()
            }
            _ => return Err(self.error(line, key, "expected a number, a text, true or false")),
        })
    }

    /// `KERNEL.ARG` with their values, in whichever of TOML's ways they are written.
    fn named_ends<'v>(
        &self,
        key: &str,
        line: usize,
        value: &'v Spanned<DeValue<'v>>,
    ) -> Result<Vec<(String, &'v Spanned<DeValue<'v>>)>> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.error(line, key, "expected a table of arguments, as KERNEL.ARG"));
        };
        let mut ends = vec![];
        for (name, value) in table.iter() {
            match value.get_ref().as_table() {
                Some(args) => {
                    let of = |(arg, value)| {
                        let arg: &Spanned<std::borrow::Cow<'_, str>> = arg;
                        (format!("{}.{}", name.get_ref(), arg.get_ref()), value)
                    };
                    ends.extend(args.iter().map(of));
                }
                None => ends.push((name.get_ref().to_string(), value)),
            }
        }
        Ok(ends)
    }

    /// `[[connect]]` with `from`, `to` and `depth`, or `[[stream]]` with `arg`, `name` and `depth`.
    fn pipes(
        &self,
        entries: &mut Vec<Entry>,
        key: &str,
        line: usize,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<()> {
        let DeValue::Array(list) = value.get_ref() else {
            return Err(self.error(line, key, format!("expected tables: [[{key}]]")));
        };
        let [first, second] = if key == "connect" { ["from", "to"] } else { ["arg", "name"] };
        for item in list.iter() {
            let line = self.line(item.span().start);
            let Some(table) = item.get_ref().as_table() else {
                return Err(self.error(line, key, format!("expected tables: [[{key}]]")));
            };
            let (mut end, mut other, mut depth) = (None, None, None);
            for (name, value) in table.iter() {
                let line = self.line(name.span().start);
                let inner = format!("{key}.{}", name.get_ref());
                match name.get_ref().as_ref() {
                    n if n == first => end = Some(self.text_of(&inner, line, value)?),
                    n if n == second => other = Some(self.text_of(&inner, line, value)?),
                    "depth" => match value.get_ref() {
                        DeValue::Integer(_) => depth = Some(self.scalar(&inner, line, value)?),
                        _ => return Err(self.error(line, &inner, "expected a number")),
                    },
                    _ => {
                        let e = self.error(line, &inner, "there is no such key");
                        return Err(e.help(format!("keys are {first}, {second}, depth")));
                    }
                }
            }
            let Some(end) = end else {
                return Err(self.error(line, key, format!("`{first}` is missing")));
            };
            let mut names = vec![names_of(&end)];
            names.extend(other.iter().filter(|_| key == "connect").map(|to| names_of(to)));
            let to = match (key, other) {
                ("connect", Some(to)) => to,
                ("connect", None) => return Err(self.error(line, key, "`to` is missing")),
                (_, Some(name)) => format!("stream:{name}"),
                (_, None) => "stream".to_owned(),
            };
            let depth = depth.map_or(String::new(), |d| format!(":{d}"));
            entries.push(Entry {
                line,
                key: key.to_owned(),
                field: "connections",
                option: format!("--connect={end}={to}{depth}"),
                names,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
board = "u250"
clock = 200
kernels = ["source", "sink"]
clang = ["-DN=16"]
unsafe-math = true
denorms-are-zero = false
compute-units = "auto"

[[connect]]
from = "source.out"
to = "sink.in"
depth = 64

[[stream]]
arg = "sink.out"
name = "m_axis_video"

[image-formats]
"blur.from" = "rgba:unorm8"
blur.to = "r:float"

[spec-constants]
4 = 0x10
half = 0.5
"#;

    #[test]
    fn keys_become_the_options_that_they_stand_for() {
        let design =
            Design::parse(Path::new("d.toml"), GOOD).map_err(|e| e.render()).expect("sound");
        let options: Vec<&str> = design.entries.iter().map(|e| e.option.as_str()).collect();
        assert_eq!(
            options,
            [
                "--board=u250",
                "--clock=200",
                "--kernel=source",
                "--kernel=sink",
                "--clang=-DN=16",
                "--unsafe-math",
                "--compute-units=auto",
                "--connect=source.out=sink.in:64",
                "--connect=sink.out=stream:m_axis_video",
                "--image-format=blur.from=rgba:unorm8",
                "--image-format=blur.to=r:float",
                "--spec-constant=4=16",
                "--spec-constant=half=0.5",
            ]
        );
        assert_eq!(design.entries.last().map(|e| e.line), Some(25));
        assert!(design.check("build").is_ok());
    }

    #[test]
    fn what_is_wrong_is_told_with_file_line_and_key() {
        for (text, told) in [
            ("board = 3", "d.toml:1: key `board`: expected a text"),
            ("\nclok = 3", "d.toml:2: key `clok`: there is no such key"),
            ("clock = \"fast\"", "d.toml:1: key `clock`: expected a number"),
            ("[[connect]]\nfrom = \"a.b\"", "d.toml:1: key `connect`: `to` is missing"),
            (
                "[[stream]]\narg = \"a.b\"\nto = \"c\"",
                "d.toml:3: key `stream.to`: there is no such key",
            ),
            ("connect = 3", "d.toml:1: key `connect`: expected tables"),
            ("unsafe-math = 1", "d.toml:1: key `unsafe-math`: expected true or false"),
            ("kernels = \"a\"", "d.toml:1: key `kernels`: expected a list"),
            ("board = \"u250\"\nboard = \"unit\"", "d.toml:2: "),
            ("board = ", "d.toml:1: "),
        ] {
            let e = Design::parse(Path::new("d.toml"), text).err().expect(text).render();
            assert!(e.contains("error[E0616]") && e.contains(told), "{text}: {e}");
        }
        for (text, told) in [
            ("level = 9", "d.toml:1: key `level`: invalid value '9'"),
            ("\n[[stream]]\narg = \"ab\"", "d.toml:2: key `stream`: invalid value"),
            ("cl-std = \"CL9\"", "d.toml:1: key `cl-std`: invalid value"),
        ] {
            let design =
                Design::parse(Path::new("d.toml"), text).map_err(|e| e.render()).expect(text);
            let e = design.check("build").expect_err(text).render();
            assert!(e.contains(told), "{text}: {e}");
        }
    }
}
