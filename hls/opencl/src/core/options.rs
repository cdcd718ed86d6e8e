//! Options of the compiler and linker, as `clBuildProgram` and its kin take them.

use driver::pipeline::{DEBUG, DENORMS_ARE_ZERO, Numerics, UNIFORM_GROUPS};

/// Options of a compilation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// For clang: macros, folders, what changes arithmetic, warnings.
    pub clang: Vec<String>,
    /// `-cl-std`: `CL1.2`, `CL3.0`...
    pub standard: Option<String>,
    /// `-cl-opt-disable`
    pub unoptimised: bool,
    /// `-create-library`
    pub library: bool,
    /// Options that change arithmetic, or what functions give, but do not reach the module.
    pub numerics: Vec<String>,
}

/// What options mean beside the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// What the reader of SPIR-V must know.
    pub numerics: Numerics,
    /// All work-groups of a launch must have the same size.
    pub uniform_groups: bool,
}

impl Terms {
    /// Adds those of a program that is linked in.
    pub fn add(&mut self, part: Terms) {
        self.numerics.denorms_are_zero |= part.numerics.denorms_are_zero;
        self.numerics.unsafe_math |= part.numerics.unsafe_math;
        self.numerics.enqueue_errors |= part.numerics.enqueue_errors;
        self.numerics.uniform_groups |= part.numerics.uniform_groups;
        self.uniform_groups |= part.uniform_groups;
    }
}

/// Which function takes the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `clBuildProgram`
    Build,
    /// `clCompileProgram`
    Compile,
    /// `clLinkProgram`
    Link,
}

/// Options without a value that clang takes as they are.
const FOR_CLANG: [&str; 13] = [
    "-cl-single-precision-constant",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-strict-aliasing",
    UNIFORM_GROUPS,
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-kernel-arg-info",
    "-w",
    "-Werror",
    "-Wall",
];

/// Options that the linker takes, too.
const FOR_LINKER: [&str; 7] = [
    DENORMS_ARE_ZERO,
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-no-subgroup-ifp",
    "-cl-kernel-arg-info",
];

/// Versions of OpenCL C: those that devices report, and 2.0 with what of it there is.
const STANDARDS: [&str; 5] = ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"];

/// What the reader of modules must know.
const NUMERICS: [&str; 5] = [
    DENORMS_ARE_ZERO,
    DEBUG,
    UNIFORM_GROUPS,
    "-cl-unsafe-math-optimizations",
    "-cl-fast-relaxed-math",
];

impl Options {
    /// Reads options; the error is the word that is not known there.
    ///
    /// # Errors
    /// The first word that `step` does not know.
    pub fn parse(text: &str, step: Step) -> Result<Self, String> {
        let mut options = Options::default();
        let mut words = words(text).into_iter();
        while let Some(word) = words.next() {
            if NUMERICS.contains(&word.as_str()) {
                options.numerics.push(word.clone());
            }
            let known = match step {
                Step::Link => options.link_option(&word),
                _ => options.compile_option(&word, &mut words),
            };
            if !known {
                return Err(word);
            }
        }
        Ok(options)
    }

    fn link_option(&mut self, word: &str) -> bool {
        self.library |= word == "-create-library";
        FOR_LINKER.contains(&word) || ["-create-library", "-enable-link-options"].contains(&word)
    }

    fn compile_option(&mut self, word: &str, rest: &mut impl Iterator<Item = String>) -> bool {
        if let Some(standard) = word.strip_prefix("-cl-std=") {
            self.standard = Some(standard.to_owned());
            return STANDARDS.contains(&standard);
        }
        match word {
            "-D" | "-I" => {
                let Some(value) = rest.next() else { return false };
                self.clang.extend([word.to_owned(), value]);
            }
            "-cl-opt-disable" => self.unoptimised = true,
            // clang does not know the last one, which asks for less than there is
            DENORMS_ARE_ZERO | DEBUG | "-cl-no-subgroup-ifp" => {}
            _ if word.starts_with("-D") || word.starts_with("-I") => self.clang.push(word.into()),
            _ if word.starts_with("-W") || FOR_CLANG.contains(&word) => {
                self.clang.push(word.into());
            }
            _ => return false,
        }
        true
    }

    /// What they mean beside the compiler.
    pub fn terms(&self) -> Terms {
        Terms {
            numerics: Numerics::of_options(self.numerics.iter().map(String::as_str)),
            uniform_groups: self.clang.iter().any(|option| option == UNIFORM_GROUPS),
        }
    }
}

/// Words separated by spaces; quotes keep spaces, a backslash keeps what follows it.
fn words(text: &str) -> Vec<String> {
    let mut all = vec![];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            _ if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            _ if c.is_whitespace() && quote.is_none() => all.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(
            words(r#" -D A=1  "-DB=x y" -DC=\"s\" '' "#),
            ["-D", "A=1", "-DB=x y", "-DC=\"s\"", ""]
        );
    }

    #[test]
    fn options_are_checked() {
        let parse = |text| Options::parse(text, Step::Build);
        let options = parse("-D N=3 -Iinclude -cl-std=CL3.0 -cl-fast-relaxed-math").expect("known");
        assert_eq!(options.clang, ["-D", "N=3", "-Iinclude", "-cl-fast-relaxed-math"]);
        assert_eq!(options.standard.as_deref(), Some("CL3.0"));
        let terms = options.terms();
        assert!(terms.numerics.unsafe_math && !terms.numerics.denorms_are_zero);
        assert!(!terms.uniform_groups);
        let options = parse("-cl-no-subgroup-ifp -cl-uniform-work-group-size").expect("known");
        assert_eq!((options.clang.len(), options.terms().uniform_groups), (1, true));
        for wrong in ["-foo", "-cl-std=CL9.9", "-D", "-create-library", "x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let link = |text| Options::parse(text, Step::Link);
        assert!(link("-create-library -enable-link-options").expect("known").library);
        assert_eq!(link("-D X"), Err("-D".to_owned()));
    }
}
