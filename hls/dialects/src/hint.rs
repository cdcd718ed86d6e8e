//! What a dialect says of loops and kernels, as strings that travel in SPIR-V modules.

use std::fmt;

const LOOP: &str = "clhls.loop ";
const KERNEL: &str = "clhls.kernel ";

/// What the user says of a loop or a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Of a loop.
    Loop(LoopHint),
    /// Of a kernel.
    Kernel(KernelHint),
}

/// What the user says of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopHint {
    /// File of its `for`, `while` or `do`, as line markers name it.
    pub file: String,
    /// Line there, from 1.
    pub line: u32,
    /// Column in the text that is compiled, from 1, in bytes.
    pub column: u32,
    /// No iteration accesses memory that another one stores to.
    pub independent: bool,
    /// Where that holds of iterations less than so many apart only.
    pub distance: Option<u32>,
    /// Cycles from an iteration to the next, as asked for.
    pub interval: Option<u32>,
    /// Loops that are to become one: so many of the nest from this on; 0 = all.
    pub coalesce: Option<u32>,
    /// Iterations of a loop around this that are in it at a time, at most, where the dialect limits copies of arrays by that.
    pub max_concurrency: Option<u32>,
    /// Runs of this loop that take turns in it, at most.
    pub max_interleaving: Option<u32>,
    /// Iterations that may begin before it is known whether they do, at most.
    pub speculated: Option<u32>,
    /// Iterations do not overlap.
    pub no_pipeline: bool,
    /// Not merged with loops beside it.
    pub no_fusion: bool,
    /// Not unrolled.
    pub no_unroll: bool,
}

/// What the user says of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelHint {
    /// Its name.
    pub name: String,
    /// It runs all the time, without a host that launches it.
    pub autorun: bool,
    /// Work-items in one datapath.
    pub simd: Option<u32>,
    /// Copies of it: one to three numbers, one for each dimension.
    pub compute_units: Vec<u32>,
    /// Work-items of a work-group, at most.
    pub max_work_group: Option<u32>,
}

impl Hint {
    /// Reads the string form.
    pub fn parse(text: &str) -> Option<Hint> {
        if let Some(rest) = text.strip_prefix(LOOP) {
            return LoopHint::parse(rest).map(Hint::Loop);
        }
        KernelHint::parse(text.strip_prefix(KERNEL)?).map(Hint::Kernel)
    }
}

impl LoopHint {
    /// Whether it says anything.
    pub fn says_something(&self) -> bool {
        let place = LoopHint {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            ..LoopHint::default()
        };
        *self != place
    }

    fn numbers(&self) -> [(&'static str, Option<u32>); 6] {
        [
            ("distance", self.distance),
            ("ii", self.interval),
            ("coalesce", self.coalesce),
            ("max_concurrency", self.max_concurrency),
            ("max_interleaving", self.max_interleaving),
            ("speculated", self.speculated),
        ]
    }

    /// Takes one word; whether it is one of a loop.
    fn take(&mut self, word: &str) -> bool {
        match word {
            "ivdep" => self.independent = true,
            "no_pipeline" => self.no_pipeline = true,
            "no_fusion" => self.no_fusion = true,
            "no_unroll" => self.no_unroll = true,
            _ => {
                let Some((name, Ok(value))) = word.split_once('=').map(|(n, v)| (n, v.parse()))
                else {
                    return false;
                };
                let field = match name {
                    "distance" => &mut self.distance,
                    "ii" => &mut self.interval,
                    "coalesce" => &mut self.coalesce,
                    "max_concurrency" => &mut self.max_concurrency,
                    "max_interleaving" => &mut self.max_interleaving,
                    "speculated" => &mut self.speculated,
                    _ => return false,
                };
                *field = Some(value);
            }
        }
        true
    }

    /// From the right: names of files may have spaces and colons in them.
    fn parse(text: &str) -> Option<LoopHint> {
        let mut hint = LoopHint::default();
        let mut rest = text;
        while let Some((before, word)) = rest.rsplit_once(' ')
            && hint.take(word)
        {
            rest = before;
        }
        let (rest, column) = rest.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        hint.file = file.to_owned();
        hint.line = line.parse().ok()?;
        hint.column = column.parse().ok()?;
        Some(hint)
    }
}

impl KernelHint {
    /// Whether it says anything.
    pub fn says_something(&self) -> bool {
        *self != KernelHint { name: self.name.clone(), ..KernelHint::default() }
    }

    fn take(&mut self, word: &str) -> Option<()> {
        match word.split_once('=') {
            None if word == "autorun" => self.autorun = true,
            Some(("simd", n)) => self.simd = Some(n.parse().ok()?),
            Some(("max_work_group", n)) => self.max_work_group = Some(n.parse().ok()?),
            Some(("compute_units", list)) => {
                let numbers: Result<Vec<u32>, _> = list.split(',').map(str::parse).collect();
                self.compute_units = numbers.ok().filter(|n| n.len() <= 3)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn parse(text: &str) -> Option<KernelHint> {
        let mut words = text.split(' ');
        let name = words.next().filter(|n| !n.is_empty())?.to_owned();
        let mut hint = KernelHint { name, ..KernelHint::default() };
        for word in words {
            hint.take(word)?;
        }
        Some(hint)
    }

    /// Adds what another declaration of the same kernel says.
    pub(crate) fn add(&mut self, other: KernelHint) {
        self.autorun |= other.autorun;
        self.simd = other.simd.or(self.simd);
        self.max_work_group = other.max_work_group.or(self.max_work_group);
        if !other.compute_units.is_empty() {
            self.compute_units = other.compute_units;
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Loop(hint) => write!(f, "{LOOP}{hint}"),
            Hint::Kernel(hint) => write!(f, "{KERNEL}{hint}"),
        }
    }
}

impl fmt::Display for LoopHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)?;
        if self.independent {
            f.write_str(" ivdep")?;
        }
        for (name, value) in self.numbers() {
            if let Some(value) = value {
                write!(f, " {name}={value}")?;
            }
        }
        let words = [
            ("no_pipeline", self.no_pipeline),
            ("no_fusion", self.no_fusion),
            ("no_unroll", self.no_unroll),
        ];
        for (name, _) in words.iter().filter(|(_, said)| *said) {
            write!(f, " {name}")?;
        }
        Ok(())
    }
}

impl fmt::Display for KernelHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.autorun {
            f.write_str(" autorun")?;
        }
        if let Some(n) = self.simd {
            write!(f, " simd={n}")?;
        }
        if !self.compute_units.is_empty() {
            let units: Vec<String> = self.compute_units.iter().map(u32::to_string).collect();
            write!(f, " compute_units={}", units.join(","))?;
        }
        if let Some(n) = self.max_work_group {
            write!(f, " max_work_group={n}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back() {
        for text in [
            "clhls.loop a.cl:3:5 ivdep",
            "clhls.loop /a b/c:1:x.cl:30:15 ivdep distance=4 ii=2 coalesce=0 max_concurrency=1 \
             max_interleaving=2 speculated=3 no_pipeline no_fusion no_unroll",
            "clhls.loop a ivdep:3:5 ii=1",
            "clhls.loop :3:5",
            "clhls.kernel f autorun simd=4 compute_units=2,3,4 max_work_group=256",
            "clhls.kernel f compute_units=2",
        ] {
            let hint = Hint::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(hint.to_string(), text);
        }
    }

    #[test]
    fn other_strings_are_refused() {
        for text in [
            "",
            "clhls.loop",
            "clhls.loop a.cl:3",
            "clhls.loop a.cl:3:5 ii=x",
            "clhls.loop a.cl:3:5 whatever",
            "clhls.kernel ",
            "clhls.kernel f simd",
            "clhls.kernel f compute_units=1,2,3,4",
            "clhls.channel f",
        ] {
            assert_eq!(Hint::parse(text), None, "{text}");
        }
    }
}
