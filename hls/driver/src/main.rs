//! The `clhls` binary.

use driver::{DEFECT, Streams, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        eprintln!(
            "clhls: defect: {info}\nThis is a bug of clhls; please report it with the input."
        );
    }));
    let result = std::panic::catch_unwind(|| {
        let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
        run(std::env::args_os(), &mut Streams { out: &mut out, err: &mut err })
    });
    ExitCode::from(result.unwrap_or(DEFECT))
}
