//! Progress of long commands: a line that changes on a terminal, plain lines elsewhere.

use indicatif::ProgressBar;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Tells the user what is being done.
pub struct Progress<'a> {
    bar: Option<ProgressBar>,
    /// Where plain lines go; none when quiet.
    lines: Option<&'a mut dyn Write>,
}

impl<'a> Progress<'a> {
    /// Progress on `err`; a changing line when standard error is a terminal.
    pub fn new(err: &'a mut dyn Write, quiet: bool) -> Self {
        if quiet {
            return Progress { bar: None, lines: None };
        }
        if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            return Progress { bar: Some(bar), lines: None };
        }
        Progress { bar: None, lines: Some(err) }
    }

    /// Shows warnings, which stay.
    pub fn warn(&mut self, warnings: &[String]) {
        for text in warnings {
            if let Some(bar) = &self.bar {
                bar.println(text.trim_end());
            }
            if let Some(lines) = &mut self.lines {
                let _ = writeln!(lines, "{}", text.trim_end());
            }
        }
    }

    /// A step begins.
    pub fn step(&mut self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
        }
        if let Some(lines) = &mut self.lines {
            // a reader that is gone is no reason to stop
            let _ = writeln!(lines, "clhls: {what}");
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
