//! What can go wrong with families and boards.

/// An error about a family, a board or their files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// No such board.
    #[error("unknown board `{name}`{}; `clhls boards` lists all: {}", did_you_mean(.nearest), .known.join(", "))]
    UnknownBoard {
        /// The name asked for.
        name: String,
        /// Names that look like it, nearest first.
        nearest: Vec<String>,
        /// All names.
        known: Vec<String>,
    },
    /// No such family.
    #[error("unknown device family `{name}`{}; known: {}", did_you_mean(.nearest), .known.join(", "))]
    UnknownFamily {
        /// The name asked for.
        name: String,
        /// Names that look like it, nearest first.
        nearest: Vec<String>,
        /// All names.
        known: Vec<String>,
    },
    /// The family has no such speed grade.
    #[error("family `{family}` has no speed grade `{grade}`; known: {}", .known.join(", "))]
    UnknownGrade {
        /// The family.
        family: String,
        /// The grade asked for.
        grade: String,
        /// All grades of the family.
        known: Vec<String>,
    },
    /// A data file does not parse or does not make sense.
    #[error("{path}: {message}")]
    BadFile {
        /// The file, relative to the library's root.
        path: String,
        /// What is wrong with it.
        message: String,
    },
    /// A file of an external folder could not be read.
    #[error("{path}: {message}")]
    Io {
        /// The file or folder.
        path: String,
        /// The system's message.
        message: String,
    },
}

/// `, did you mean ...?` or nothing.
fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    let names: Vec<String> = nearest.iter().map(|n| format!("`{n}`")).collect();
    format!(", did you mean {}?", names.join(" or "))
}

/// The names that differ from `name` by at most a third of its letters, rounded up, nearest first, then by name.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let limit = name.chars().count().div_ceil(3).max(1);
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .map(|k| (distance(&name.to_lowercase(), k), k))
        .filter(|(d, _)| *d <= limit)
        .collect();
    found.sort();
    found.into_iter().take(3).map(|(_, k)| k.to_owned()).collect()
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance() {
        // textbook examples
        for (a, b, d) in
            [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "abc", 0), ("flaw", "lawn", 2)]
        {
            assert_eq!(distance(a, b), d, "{a} {b}");
        }
    }

    #[test]
    fn nearest_names_come_in_order() {
        let known = ["u250", "u280", "ulx3s", "u50"];
        assert_eq!(nearest("U250", known), ["u250", "u280", "u50"]);
        assert_eq!(nearest("ulx3", known), ["ulx3s"]);
        assert!(nearest("zynq", known).is_empty());
    }
}
