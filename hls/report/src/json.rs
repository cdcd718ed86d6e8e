//! The text of `report.json`: a line for each item of a list, so that it reads and compares well.

use crate::Report;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{self, Write};

/// Levels that are spread over lines: report, kernels, kernel, its lists.
const SPREAD: usize = 4;

impl Report {
    /// The text of `report.json`, ending with a newline.
    pub fn to_json(&self) -> String {
        let mut text = vec![];
        let mut out = serde_json::Serializer::with_formatter(&mut text, Layout::default());
        self.serialize(&mut out).expect("a report has string keys and is written to memory");
        text.push(b'\n');
        String::from_utf8(text).expect("JSON is UTF-8")
    }

    /// Reads the text of `report.json`.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub fn parse(text: &str) -> Result<Report, String> {
        let report: Report = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if report.version == crate::REPORT_VERSION {
            return Ok(report);
        }
        Err(format!("version {} of the report is not {}", report.version, crate::REPORT_VERSION))
    }
}

/// Lines down to a depth, compact below.
#[derive(Default)]
struct Layout {
    depth: usize,
    pretty: PrettyFormatter<'static>,
}

macro_rules! by_depth {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, w: &mut W, $($arg: $ty),*) -> io::Result<()> {
            if self.depth <= SPREAD {
                self.pretty.$name(w, $($arg),*)
            } else {
                CompactFormatter.$name(w, $($arg),*)
            }
        })*
    };
}

/// What opens a list or object goes one level down before it is written, what closes one goes up after.
macro_rules! nested {
    ($($open:ident, $close:ident;)*) => {
        $(fn $open<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
            self.depth += 1;
            if self.depth <= SPREAD { self.pretty.$open(w) } else { CompactFormatter.$open(w) }
        }
        fn $close<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
            let inside = self.depth <= SPREAD;
            self.depth -= 1;
            if inside { self.pretty.$close(w) } else { CompactFormatter.$close(w) }
        })*
    };
}

impl Formatter for Layout {
    nested! {
        begin_array, end_array;
        begin_object, end_object;
    }
    by_depth! {
        begin_array_value(first: bool);
        end_array_value();
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }
}
