//! Options of the compiler and linker, as `clBuildProgram` and its kin take them.

use driver::connect::Connection;
use driver::pipeline::{DEBUG, DENORMS_ARE_ZERO, Numerics, UNIFORM_GROUPS};
use spirv_to_ir::FixedFormat;

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
    /// Options of clhls.
    pub design: Design,
}

/// Options of `clhls build`, for the hardware of devices that have some.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Design {
    /// Pipes that are FIFOs.
    pub connections: Vec<Connection>,
    /// Images that have one format at every launch.
    pub formats: Vec<FixedFormat>,
    /// Work-items of a sub-group.
    pub sub_group_size: Option<u32>,
    /// Work-items side by side; 1 without it.
    pub simd: Option<u32>,
    /// Copies of the datapath; 1 without it.
    pub compute_units: Option<u32>,
    /// Most memory ports; 1 without it.
    pub memory_ports: Option<u32>,
    /// Capacity in bytes of each local-memory argument.
    pub local_bytes: Option<u64>,
    /// Bytes of the cache of each place that reads a read-only image.
    pub image_cache: Option<u64>,
}

/// What begins the options of clhls: those of `clhls build` follow, as `-clhls-connect=source.out=filter.in`.
const OF_CLHLS: &str = "-clhls-";

impl Design {
    /// Takes the option called `name`.
    ///
    /// # Errors
    /// What is wrong, for people.
    fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "connect" => self.connections.push(Connection::parse(value)?),
            "image-format" => self.formats.push(driver::image_format::parse(value)?),
            "sub-group-size" => self.sub_group_size = number(value, 1, 1024)?,
            "simd" => {
                let lanes = number(value, 1, 16u32)?;
                self.simd = lanes.filter(|n| n.is_power_of_two());
                self.simd.ok_or("expected 1, 2, 4, 8 or 16")?;
            }
            "compute-units" => self.compute_units = number(value, 1, 16)?,
            "memory-ports" => self.memory_ports = number(value, 1, 64)?,
            "local-bytes" => self.local_bytes = number(value, 1, 1 << 24)?,
            "image-cache" => self.image_cache = number(value, 0, 1 << 24)?,
            _ => {
                let names = "connect, image-format, sub-group-size, simd, compute-units, memory-ports, local-bytes and image-cache";
                return Err(format!("options of clhls are {names}"));
            }
        }
        Ok(())
    }

    /// Adds those of a program that is linked in.
    fn extend(&mut self, part: &Design) {
        // Parts of a program may have the same options.
        let new = part.connections.iter().filter(|c| !self.connections.contains(c));
        self.connections.extend(new.cloned().collect::<Vec<_>>());
        self.formats.extend(part.formats.iter().cloned());
        self.sub_group_size = self.sub_group_size.or(part.sub_group_size);
        self.simd = self.simd.or(part.simd);
        self.compute_units = self.compute_units.or(part.compute_units);
        self.memory_ports = self.memory_ports.or(part.memory_ports);
        self.local_bytes = self.local_bytes.or(part.local_bytes);
        self.image_cache = self.image_cache.or(part.image_cache);
    }
}

/// A number in a range.
///
/// # Errors
/// What is expected, for people.
fn number<T>(value: &str, least: T, most: T) -> Result<Option<T>, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let number = value.parse().ok().filter(|n| (&least..=&most).contains(&n));
    number.map(Some).ok_or_else(|| format!("expected a number from {least} to {most}"))
}

/// What options mean beside the compiler.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// What the reader of SPIR-V must know.
    pub numerics: Numerics,
    /// All work-groups of a launch must have the same size.
    pub uniform_groups: bool,
    /// How hardware is made.
    pub design: Design,
}

impl Terms {
    /// Adds those of a program that is linked in.
    pub fn add(&mut self, part: &Terms) {
        self.numerics.denorms_are_zero |= part.numerics.denorms_are_zero;
        self.numerics.unsafe_math |= part.numerics.unsafe_math;
        self.numerics.enqueue_errors |= part.numerics.enqueue_errors;
        self.numerics.uniform_groups |= part.numerics.uniform_groups;
        self.uniform_groups |= part.uniform_groups;
        self.design.extend(&part.design);
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
    /// Reads options.
    ///
    /// # Errors
    /// What is wrong with the first word that `step` does not know, for people.
    pub fn parse(text: &str, step: Step) -> Result<Self, String> {
        let mut options = Options::default();
        let mut words = words(text).into_iter();
        while let Some(word) = words.next() {
            if let Some(option) = word.strip_prefix(OF_CLHLS) {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                let added = options.design.add(name, value);
                added.map_err(|why| format!("the option `{word}`: {why}"))?;
                continue;
            }
            if NUMERICS.contains(&word.as_str()) {
                options.numerics.push(word.clone());
            }
            let known = match step {
                Step::Link => options.link_option(&word),
                _ => options.compile_option(&word, &mut words),
            };
            if !known {
                return Err(format!("the option `{word}` is not known"));
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
            design: self.design.clone(),
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
        assert_eq!(link("-D X"), Err("the option `-D` is not known".to_owned()));
    }

    #[test]
    fn options_of_clhls_are_those_of_its_command() {
        let text = "-clhls-connect=a.out=b.in:8 -clhls-sub-group-size=32 -DX -clhls-simd=4";
        let options = Options::parse(text, Step::Build).expect("known");
        assert_eq!(options.clang, ["-DX"]);
        let mut terms = options.terms();
        let design = &terms.design;
        assert_eq!(
            (design.sub_group_size, design.simd, design.compute_units),
            (Some(32), Some(4), None)
        );
        assert_eq!(design.connections[0].depth, Some(8));
        let part = Options::parse("-clhls-connect=c.out=d.in -clhls-simd=2", Step::Compile);
        terms.add(&part.expect("known").terms());
        assert_eq!((terms.design.connections.len(), terms.design.simd), (2, Some(4)));
        for (wrong, why) in [
            ("-clhls-connect=a", "expected KERNEL.ARG=stream"),
            ("-clhls-simd=17", "expected a number from 1 to 16"),
            ("-clhls-image-format=k.x=rgba:foo", "`rgba:foo` is not an image format"),
            ("-clhls-board=u250", "options of clhls are connect"),
        ] {
            let e = Options::parse(wrong, Step::Build).expect_err(wrong);
            assert!(e.contains(wrong) && e.contains(why), "{e}");
        }
    }
}
