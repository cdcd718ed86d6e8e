//! What is known: one line for each function and format, kept in a file.

use arith::Format;
use clhls_arith as arith;
use ir::MathFn;
use std::fmt::Write as _;
use std::io;

use crate::functions::bounds::bound;
use crate::kept;

/// The largest error of a function, or of those of its cases that have been run.
#[derive(Clone)]
pub struct Row {
    /// The function.
    pub f: MathFn,
    /// Its format.
    pub format: Format,
    /// Of its datapath.
    pub fingerprint: u64,
    /// Cases to be run.
    pub cases: u64,
    /// Cases that have been run: the first ones.
    pub done: u64,
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
        let Row { fingerprint, cases, all, worst, x, y, done, .. } = self;
        let known = format!("{fingerprint:016x}\t{cases}\t{all}\t{worst}\t{x:x}\t{y:x}");
        format!("{f}\t{format}\t{known}\t{done}\n")
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
            done: next()?.parse().ok()?,
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
        let text = kept::read(path)?;
        Ok(State { path: path.to_owned(), rows: text.lines().filter_map(Row::from_tsv).collect() })
    }

    /// What is known of all cases of a function: of the most, if it has been run with several numbers of them.
    pub fn row(&self, f: MathFn, format: Format) -> Option<&Row> {
        let finished = |r: &&Row| r.f == f && r.format == format && r.done == r.cases;
        self.rows.iter().filter(finished).max_by_key(|r| r.cases)
    }

    /// Whether so many cases of this datapath have been run.
    pub fn knows(&self, f: MathFn, format: Format, fingerprint: u64, cases: u64) -> bool {
        self.row(f, format).is_some_and(|r| r.fingerprint == fingerprint && r.cases >= cases)
    }

    /// What a run of so many cases of this datapath that was interrupted has found.
    pub fn interrupted(
        &self,
        f: MathFn,
        format: Format,
        fingerprint: u64,
        cases: u64,
    ) -> Option<&Row> {
        let same = |r: &&Row| r.f == f && r.format == format && r.cases == cases;
        self.rows.iter().filter(same).find(|r| r.fingerprint == fingerprint && r.done < cases)
    }

    /// Replaces the rows that say no more about the same function, and writes the file.
    pub fn put(&mut self, row: Row) -> io::Result<()> {
        let more = |r: &Row| r.fingerprint == row.fingerprint && r.cases > row.cases;
        self.rows.retain(|r| r.f != row.f || r.format != row.format || more(r));
        self.rows.push(row);
        self.rows.sort_by_key(|r| (r.format.width(), r.f, r.cases));
        let text: String = self.rows.iter().map(Row::to_tsv).collect();
        kept::replace(&self.path, &text)
    }

    /// The table as a page.
    pub fn page(&self, date: &str, sample: u64, audit: u64) -> String {
        let single = match sample {
            1 => String::new(),
            n => format!(
                " Other functions of one number in single precision were run on every {n}-th operand."
            ),
        };
        let mut page = format!(
            "# Largest errors of the mathematical functions\n\n\
             Written {date} by `cargo run --release -p clhls-arith --example ulp -- --sample {sample}`, which `make exhaustive` runs without a sample.\n\
             \"all\": every operand of the format was run.{single} The rest was run on\n\
             operands that mix corners and everyday numbers. Half and single precision are compared with double precision by the crate\n\
             `libm`, double precision with MPFR; single and double precision only where a result is not that of the crate `pxfm`, which rounds\n\
             correctly, and in one case of {audit}. `lgamma` of negative numbers counts units of 1 where its value is below 1.\n\n\
             | function | format | largest error, ulp | bound | at | cases | |\n|---|---|---|---|---|---|---|\n",
        );
        let finished = self.rows.iter().filter(|r| {
            self.row(r.f, r.format).is_some_and(|best| r.done == r.cases && best.cases == r.cases)
        });
        for row in finished {
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
