//! Operations on pipes at program scope.

use crate::Problem;
use crate::token::Kind;
use crate::walk::Walk;

/// Functions of OpenCL C (`_block`: of Xilinx), and what the prelude calls them for a pipe at program scope.
const OPERATIONS: [(&str, &str); 6] = [
    ("write_pipe_block", "clhls_pipe_write_block"),
    ("read_pipe_block", "clhls_pipe_read_block"),
    ("write_pipe", "clhls_pipe_write"),
    ("read_pipe", "clhls_pipe_read"),
    ("get_pipe_num_packets", "clhls_pipe_count"),
    ("get_pipe_max_packets", "clhls_pipe_most"),
];

const RESERVATIONS: [&str; 4] =
    ["reserve_read_pipe", "reserve_write_pipe", "commit_read_pipe", "commit_write_pipe"];

impl<'a> Walk<'a> {
    /// Translates the word at `at` where it is a call with a pipe at program scope.
    ///
    /// # Errors
    /// Reservations of such a pipe.
    pub fn pipe_operation(&mut self, at: usize, word: &'a str) -> Result<(), Problem> {
        let name = word.trim_start_matches("work_group_").trim_start_matches("sub_group_");
        let reserves = RESERVATIONS.contains(&name);
        let operation = OPERATIONS.iter().find(|(n, _)| *n == word);
        if operation.is_none() && !reserves {
            return Ok(());
        }
        // The prelude has the blocking ones of parameters under their names.
        self.prelude.1 |= word.ends_with("_block");
        let open = self.source.after(at);
        if self.source.word(open) != "(" || !self.first_is_pipe(open) {
            return Ok(());
        }
        match operation {
            Some((_, new)) if self.argument_count(open) < 4 => self.replace_token(at, new),
            _ => {
                let message =
                    "reservations of a pipe at program scope are not supported".to_owned();
                let help = "make it a kernel argument and connect it with --connect";
                return Err(self.problem(at, message, help));
            }
        }
        Ok(())
    }

    /// Whether the first name behind the parenthesis at `open` is that of a pipe at program scope.
    fn first_is_pipe(&self, open: usize) -> bool {
        let mut at = self.source.after(open);
        while matches!(self.source.word(at), "(" | "&" | "*") {
            at = self.source.after(at);
        }
        self.source.is(at, Kind::Word) && self.pipes.contains(self.source.word(at))
    }

    /// Arguments between the parenthesis at `open` and its partner.
    fn argument_count(&self, open: usize) -> usize {
        let Some(close) = self.source.closing(open) else { return 0 };
        let (mut count, mut at) = (1, open + 1);
        while at < close {
            count += usize::from(self.source.word(at) == ",");
            at = self.source.closing(at).unwrap_or(at) + 1;
        }
        count
    }
}
