//! Which suites found no difference, one line each, kept in a file.

use clhls_arith::Operator;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use crate::{Suite, fingerprint, kept};

/// A suite that found no difference.
pub struct Row {
    /// Its name.
    pub name: String,
    /// See [`fingerprint`].
    pub fingerprint: u64,
    /// Cases that were compared.
    pub cases: u64,
    /// Cases that there are, of which every n-th may have been compared.
    pub of: u64,
    /// What the results were compared with.
    pub reference: String,
}

impl Row {
    fn to_tsv(&self) -> String {
        let Row { name, fingerprint, cases, of, reference } = self;
        format!("{name}\t{fingerprint:016x}\t{cases}\t{of}\t{reference}\n")
    }

    fn from_tsv(line: &str) -> Option<Row> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        Some(Row {
            name: next()?.to_owned(),
            fingerprint: u64::from_str_radix(next()?, 16).ok()?,
            cases: next()?.parse().ok()?,
            of: next()?.parse().ok()?,
            reference: next()?.to_owned(),
        })
    }
}

/// All rows, and the file that keeps them.
pub struct Record {
    path: String,
    rows: BTreeMap<String, Row>,
}

impl Record {
    /// Reads the file; nothing where there is none.
    pub fn load(path: &str) -> io::Result<Record> {
        let text = kept::read(path)?;
        let rows = text.lines().filter_map(Row::from_tsv).map(|row| (row.name.clone(), row));
        Ok(Record { path: path.to_owned(), rows: rows.collect() })
    }

    /// Whether so many cases of this datapath have been compared.
    pub fn knows(&self, name: &str, fingerprint: u64, cases: u64) -> bool {
        self.rows.get(name).is_some_and(|r| r.fingerprint == fingerprint && r.cases >= cases)
    }

    /// Replaces the row of a suite, and writes the file.
    pub fn put(&mut self, row: Row) -> io::Result<()> {
        self.rows.insert(row.name.clone(), row);
        let text: String = self.rows.values().map(Row::to_tsv).collect();
        kept::replace(&self.path, &text)
    }

    /// What is known of these suites as a page.
    pub fn page(&self, date: &str, suites: &[Suite]) -> String {
        let current = |s: &&Suite| {
            let fingerprint = fingerprint(&s.name);
            self.rows.get(&s.name).is_some_and(|r| r.fingerprint == fingerprint)
        };
        let (known, open): (Vec<&Suite>, Vec<&Suite>) = suites.iter().partition(current);
        let rows: Vec<&Row> = known.iter().map(|s| &self.rows[&s.name]).collect();
        let cases: u64 = rows.iter().map(|row| row.cases).sum();
        let mut page = format!(
            "# Arithmetic operators against independent references\n\n\
             Written {date} by `cargo run -p clhls-arith --release --example exhaustive`, which `make exhaustive` runs; what the operators compute\n\
             is in `docs/arith.md`. Random suites mix corners with everyday numbers, all others cover every operand, or every n-th where a row says so.\n\n\
             {} of {} suites compared at their present datapaths, {cases} cases, no difference.\n\n",
            known.len(),
            suites.len(),
        );
        if !open.is_empty() {
            let names: Vec<&str> = open.iter().map(|s| s.name.as_str()).collect();
            let _ = writeln!(page, "To be run: {}.\n", names.join("; "));
        }
        page += "| suite | cases | reference |\n|---|---|---|\n";
        for Row { name, cases, of, reference, .. } in rows {
            let sample = if cases < of { format!(" of {of}") } else { String::new() };
            let _ = writeln!(page, "| {name} | {cases}{sample} | {reference} |");
        }
        page
    }
}

/// Changes with the datapath of the operator that a suite's name begins with.
pub fn fingerprint(suite: &str) -> u64 {
    let name = suite.split(',').next().unwrap_or(suite);
    let op = Operator::all().into_iter().find(|op| op.to_string() == name);
    fingerprint::fingerprint(op.unwrap_or_else(|| panic!("{suite}: not named by an operator")))
}
