//! Files that keep what long runs have found.

use std::io;
use std::path::Path;

/// The text of a file; empty where there is none.
pub fn read(path: &str) -> io::Result<String> {
    match std::fs::read_to_string(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        other => other,
    }
}

/// Writes a file, with its folder: never half of it, whenever the run is interrupted.
pub fn replace(path: &str, text: &str) -> io::Result<()> {
    if let Some(folder) = Path::new(path).parent() {
        std::fs::create_dir_all(folder)?;
    }
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        // Such as /dev/null, which must not be replaced.
        return std::fs::write(path, text);
    }
    let new = format!("{path}.new");
    std::fs::write(&new, text)?;
    std::fs::rename(&new, path)
}
