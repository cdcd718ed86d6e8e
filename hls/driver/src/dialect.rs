//! Sources in the dialects of FPGA vendors: what compilers of OpenCL C get instead (docs/dialects.md).

use crate::failure::{Failure, Result};
use base::{Diagnostic, SourceMap};
use dialects::{Hint, Problem};
use std::path::Path;

/// Headers that compilers include by themselves, and do again when they get what they have preprocessed.
const OWN_HEADERS: [&str; 2] = ["opencl-c-base.h", "opencl-c.h"];

/// Options of a compiler for what [`translated`] takes. Macros are needed where pragmas name them, in which they are not expanded.
pub const PREPROCESS: [&str; 2] = ["-E", "-dD"];

/// What is compiled instead of a source.
#[derive(Debug, Default)]
pub struct Translated {
    /// OpenCL C, preprocessed; none where the source itself is.
    pub text: Option<String>,
    /// What to put into the module: see [`spirv_to_ir::processed`].
    pub hints: Vec<String>,
    /// For people.
    pub warnings: Vec<String>,
}

/// Whether a source may be in a dialect. What it includes is not known: [`translated`] looks at that.
pub fn is_possible(text: &str) -> bool {
    dialects::is_likely(text) || text.contains("#include") || text.contains("# include")
}

/// Translates what a compiler's preprocessor gives for a source. `folder`: the source's, which names of files in modules are
/// relative to.
///
/// # Errors
/// `E0617` for what the dialect has and clhls has not.
pub fn translated(preprocessed: &str, folder: &Path) -> Result<Translated> {
    if !dialects::is_likely(preprocessed) {
        return Ok(Translated::default());
    }
    let own = without_own_headers(preprocessed);
    let made = dialects::translate(&own).map_err(|problem| failure(&problem))?;
    let relative = |file: &str| {
        let inside = Path::new(file).strip_prefix(folder).ok();
        inside.map_or(file.to_owned(), |path| path.display().to_string())
    };
    let mut warnings = vec![];
    for note in &made.notes {
        let what = format!("{}:{}: {}", relative(&note.file), note.line, note.text);
        warnings.push(Diagnostic::warning("W0617", what).render(&SourceMap::default()));
    }
    let mut hints = vec![];
    for hint in made.hints {
        hints.push(match hint {
            Hint::Loop(mut hint) => {
                hint.file = relative(&hint.file);
                Hint::Loop(hint).to_string()
            }
            Hint::Kernel(hint) => {
                warnings.extend(unheeded(&hint));
                Hint::Kernel(hint).to_string()
            }
        });
    }
    Ok(Translated { text: made.text, hints, warnings })
}

/// What is said of a kernel that the user has to say in another way.
fn unheeded(hint: &dialects::KernelHint) -> Option<String> {
    let warning = |what: String, help: &str| {
        Some(Diagnostic::warning("W0617", what).help(help).render(&SourceMap::default()))
    };
    let name = &hint.name;
    if hint.autorun {
        let what = format!("kernel `{name}` is autorun: here the host starts it, once");
        return warning(what, "start it with the kernels that need it, and have it end with them");
    }
    let copies: u32 = hint.compute_units.iter().fold(1, |n, k| n.saturating_mul(*k));
    if copies > 1 {
        let what = format!("kernel `{name}` asks for {copies} compute units, which clhls chooses");
        return warning(what, "--compute-units has a number for all kernels of a design");
    }
    None
}

fn failure(problem: &Problem) -> Failure {
    let Problem { file, line, column, message, help } = problem;
    let failure = Failure::new("E0617", format!("{file}:{line}:{column}: {message}"));
    if help.is_empty() { failure } else { failure.help(help.clone()) }
}

/// The text without the headers that the compiler includes again, and with line markers that stand for themselves.
fn without_own_headers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut own = false;
    for line in text.split_inclusive('\n') {
        let Some((file, flags)) = marker(line) else {
            if !own {
                out.push_str(line);
            }
            continue;
        };
        own = OWN_HEADERS.iter().any(|name| file.ends_with(name));
        if !own {
            let end = line.len() - flags.len();
            out.push_str(line[..end].trim_end());
            // of a system's header, whose warnings nobody wants
            out.push_str(if flags.split_whitespace().any(|f| f == "3") { " 3\n" } else { "\n" });
        }
    }
    out
}

/// The file that a line marker names, and what stands behind it.
fn marker(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("# ")?;
    let (number, rest) = rest.split_once(" \"")?;
    let (file, flags) = rest.rsplit_once('"')?;
    number.bytes().all(|b| b.is_ascii_digit()).then_some((file, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_compiler_are_left_out_and_markers_stand_alone() {
        let text = "# 1 \"a \\\"b.cl\"\n# 1 \"<built-in>\" 1\n# 1 \"/usr/opencl-c-base.h\" 1 3\ntypedef int x;\n\
                    # 2 \"<built-in>\" 2\n# 1 \"/usr/f.h\" 1 3\nint y;\n# 1 \"a.cl\" 2\n# pragma x\nint z;";
        let own = "# 1 \"a \\\"b.cl\"\n# 1 \"<built-in>\"\n# 2 \"<built-in>\"\n# 1 \"/usr/f.h\" 3\nint y;\n\
                   # 1 \"a.cl\"\n# pragma x\nint z;";
        assert_eq!(without_own_headers(text), own);
    }
}
