//! What is known: one line for each function and format, kept in a file.

use arith::{Format, Operator, build_function};
use clhls_arith as arith;
use ir::MathFn;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::functions::bounds::bound;

/// The largest error of a function.
pub struct Row {
    /// The function.
    pub f: MathFn,
    /// Its format.
    pub format: Format,
    /// See [`fingerprint`].
    pub fingerprint: u64,
    /// Cases that were run.
    pub cases: u64,
    /// They are all operands, or every n-th one.
    pub all: bool,
    /// The error in ulp.
    pub worst: f64,
    /// Where it is.
    pub x: u128,
    /// The second operand.
    pub y: u128,
}

impl Row {
    /// For people.
    pub fn line(&self) -> String {
        let (name, bound) = (self.f.name(), bound(self.f, self.format));
        format!("{name}_{}: {:.4} ulp of {bound} in {} cases", self.format, self.worst, self.cases)
    }

    fn to_tsv(&self) -> String {
        let (f, format) = (self.f.name(), self.format);
        let Row { fingerprint, cases, all, worst, x, y, .. } = self;
        format!("{f}\t{format}\t{fingerprint:016x}\t{cases}\t{all}\t{worst}\t{x:x}\t{y:x}\n")
    }

    fn from_tsv(line: &str) -> Option<Row> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        Some(Row {
            f: MathFn::from_name(next()?)?,
            format: Format::from_name(next()?)?,
            fingerprint: u64::from_str_radix(next()?, 16).ok()?,
            cases: next()?.parse().ok()?,
            all: next()?.parse().ok()?,
            worst: next()?.parse().ok()?,
            x: u128::from_str_radix(next()?, 16).ok()?,
            y: u128::from_str_radix(next()?, 16).ok()?,
        })
    }
}

/// All rows, and the file that keeps them.
pub struct State {
    path: String,
    rows: Vec<Row>,
}

impl State {
    /// Reads the file; nothing where there is none.
    pub fn load(path: &str) -> io::Result<State> {
        let text = match std::fs::read_to_string(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            other => other?,
        };
        Ok(State { path: path.to_owned(), rows: text.lines().filter_map(Row::from_tsv).collect() })
    }

    /// The row of a function.
    pub fn row(&self, f: MathFn, format: Format) -> Option<&Row> {
        self.rows.iter().find(|r| r.f == f && r.format == format)
    }

    /// Whether so many cases of this datapath have been run.
    pub fn knows(&self, f: MathFn, format: Format, fingerprint: u64, cases: u64) -> bool {
        self.row(f, format).is_some_and(|r| r.fingerprint == fingerprint && r.cases >= cases)
    }

    /// Replaces a row, and writes the file.
    pub fn put(&mut self, row: Row) -> io::Result<()> {
        self.rows.retain(|r| r.f != row.f || r.format != row.format);
        self.rows.push(row);
        self.rows.sort_by_key(|r| (r.format.width(), r.f));
        if let Some(folder) = Path::new(&self.path).parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&self.path, self.rows.iter().map(Row::to_tsv).collect::<String>())
    }

    /// The table as a page.
    pub fn page(&self, date: &str, sample: u64) -> String {
        let mut page = format!(
            "# Largest errors of the mathematical functions\n\n\
             Written {date} by `cargo run --release -p clhls-arith --example ulp -- --sample {sample}`, which `make exhaustive` runs without a sample.\n\
             \"all\": every operand of the format was run. Other functions of one number in single precision were run on every n-th operand, the rest on\n\
             operands that mix corners and everyday numbers. Half and single precision are compared with double precision by the crate\n\
             `libm`, double precision with MPFR. `lgamma` of negative numbers counts units of 1 where its value is below 1.\n\n\
             | function | format | largest error, ulp | bound | at | cases | |\n|---|---|---|---|---|---|---|\n",
        );
        for row in &self.rows {
            let Row { format, worst, x, y, cases, .. } = row;
            let (name, bound) = (row.f.name(), bound(row.f, row.format));
            let bound = if bound.is_finite() { bound.to_string() } else { "none".to_owned() };
            let at = match row.f.args().len() {
                1 => format!("{x:#x}"),
                _ => format!("{x:#x}, {y:#x}"),
            };
            let every = row.all && *cases == 1 << format.width();
            let all = if every { "all" } else { "" };
            let _ = writeln!(
                page,
                "| {name} | {format} | {worst:.4} | {bound} | {at} | {cases} | {all} |"
            );
        }
        page
    }
}

/// Changes with the datapath: a hash of its IR (FNV-1a).
pub fn fingerprint(f: MathFn, format: Format) -> u64 {
    let function = build_function(Operator::Math(f, format), 64);
    let text = format!("{:?}", function);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
