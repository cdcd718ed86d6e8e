//! Reads SPIR-V files and says what came of each: `cargo run --example read FILE...`.

use base::SourceMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let bytes = match std::fs::read(&path) {
            Ok(b) => b,
            Err(e) => {
                eprintln!("{path}: {e}");
                failed = true;
                continue;
            }
        };
        let mut sources = SourceMap::default();
        let options = spirv_to_ir::Options::default();
        match spirv_to_ir::read_with_sources(&bytes, &options, &mut sources) {
            Ok(module) => {
                let insts: usize = module.functions.values().map(ir::Function::inst_count).sum();
                println!(
                    "{path}: {} kernels, {} functions, {insts} instructions",
                    module.kernels().count(),
                    module.functions.len()
                );
                if let Err(e) = ir::verify::verify_module(&module) {
                    eprintln!("{path}: {e}");
                    failed = true;
                }
            }
            Err(e) => {
                eprintln!("{path}:\n{}", e.render(&sources));
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
