//! Progress of long commands: a line that changes on a terminal, plain lines elsewhere.

use indicatif::ProgressBar;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Tells the user what is being done.
pub struct Progress<'a> {
    bar: Option<ProgressBar>,
    err: &'a mut dyn Write,
    quiet: bool,
}

impl<'a> Progress<'a> {
    /// Progress on `err`; a changing line when standard error is a terminal; none when quiet.
    pub fn new(err: &'a mut dyn Write, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(ProgressBar::new_spinner);
        if let Some(bar) = &bar {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Progress { bar, err, quiet }
    }

    /// Shows warnings, which stay; also when quiet.
    pub fn warn(&mut self, warnings: &[String]) {
        for text in warnings {
            match &self.bar {
                Some(bar) => bar.println(text.trim_end()),
                // a reader that is gone is no reason to stop
                None => drop(writeln!(self.err, "{}", text.trim_end())),
            }
        }
    }

    /// A step begins.
    pub fn step(&mut self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            None if self.quiet => {}
            None => drop(writeln!(self.err, "clhls: {what}")),
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
