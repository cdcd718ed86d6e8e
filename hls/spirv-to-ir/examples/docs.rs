//! Writes docs/support.md, and this crate's part of docs/errors.md, into the folder given.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "docs".into());
    let folder = Path::new(&folder);
    std::fs::write(folder.join("support.md"), spirv_to_ir::support::markdown())?;
    let path = folder.join("errors.md");
    let old = std::fs::read_to_string(&path).unwrap_or_else(|_| "# Error codes\n".into());
    let (begin, end) = (spirv_to_ir::ERRORS_BEGIN, spirv_to_ir::ERRORS_END);
    let new = match (old.find(begin), old.find(end)) {
        (Some(a), Some(b)) => {
            format!("{}{}{}", &old[..a], spirv_to_ir::errors_markdown(), &old[b + end.len()..])
        }
        _ => format!("{old}\n{}\n", spirv_to_ir::errors_markdown()),
    };
    std::fs::write(path, new)
}
