//! What holds of the files of the project as a whole.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below the folders of the project that people write, as path and text.
fn files(endings: &[&str]) -> Vec<(String, String)> {
    let mut found = vec![];
    let folders =
        ["hls", "rtl-templates", "board-support", "testbenches", "scripts", "examples", "docs"];
    let mut open: Vec<PathBuf> = folders.iter().map(|f| root().join(f)).collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the project").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && name != "__pycache__" {
                open.push(path);
            } else if endings.iter().any(|e| name.ends_with(e))
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                let path = path.strip_prefix(root()).expect("below the root");
                found.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    assert!(found.len() > 10, "the project's files are not where this test looks for them");
    found
}

fn expect_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn files_fit_the_head() {
    let long = |(path, text): &(String, String)| {
        let lines = text.lines().count();
        (lines > 800).then(|| format!("{path}: {lines} lines"))
    };
    let found: Vec<String> =
        files(&[".rs", ".v", ".py", ".tera"]).iter().filter_map(long).collect();
    expect_none("files of more than 800 lines", &found);
}

/// Whether a line names a place of one machine.
fn names_a_machine(line: &str) -> bool {
    ["/home/", "/root/", "/Users/", "/work/"].iter().any(|p| {
        line.match_indices(p).any(|(at, _)| {
            // A path begins here: `a/work/b` is none.
            !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}*".contains(c))
        })
    })
}

#[test]
fn nothing_names_a_machine() {
    assert!(names_a_machine("read /home/me/x") && !names_a_machine("hls/work/group"));
    let mut found = vec![];
    for (path, text) in files(&[".rs", ".v", ".py", ".tera", ".md", ".toml", ".cl", "setup", "run"])
    {
        if path.ends_with("tests/tidy.rs") {
            continue;
        }
        let lines = text.lines().enumerate().filter(|(_, l)| names_a_machine(l));
        found.extend(lines.map(|(n, l)| format!("{path}:{}: {}", n + 1, l.trim())));
    }
    expect_none("paths of one machine", &found);
}

/// Codes such as `E0103` in a text, quoted or not.
fn codes(text: &str, quoted: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(['E', 'W']) {
        let Some(code) = text.get(at..at + 5) else { continue };
        let around = (text[..at].ends_with('"'), text[at + 5..].starts_with('"'));
        let digits = code[1..].bytes().all(|b| b.is_ascii_digit()) && code[1..].starts_with('0');
        if digits && (!quoted || around == (true, true)) {
            found.insert(code.to_owned());
        }
    }
    found
}

#[test]
fn every_error_code_is_documented() {
    let mut used = BTreeSet::new();
    for (path, text) in files(&[".rs"]) {
        if path.contains("/src/") {
            used.extend(codes(&text, true));
        }
    }
    let text = std::fs::read_to_string(root().join("docs/errors.md")).expect("docs/errors.md");
    let documented = codes(&text, false);
    let list = |a: &BTreeSet<String>, b: &BTreeSet<String>| -> Vec<String> {
        a.difference(b).cloned().collect()
    };
    expect_none("codes that docs/errors.md does not explain", &list(&used, &documented));
    expect_none("codes in docs/errors.md that nothing uses", &list(&documented, &used));
}

#[test]
fn links_of_documents_lead_somewhere() {
    let mut found = vec![];
    let mut documents = files(&[".md"]);
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        documents.push((name.into(), std::fs::read_to_string(root().join(name)).expect(name)));
    }
    for (path, text) in documents {
        let folder = root().join(&path).parent().expect("a folder").to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or(link);
            let elsewhere = file.is_empty() || link.contains("://") || link.contains(' ');
            if !elsewhere && !folder.join(file).exists() {
                found.push(format!("{path}: {link}"));
            }
        }
    }
    expect_none("links to files that do not exist", &found);
}

#[test]
fn every_document_is_listed() {
    let list = std::fs::read_to_string(root().join("docs/README.md")).expect("docs/README.md");
    let missing: Vec<String> = std::fs::read_dir(root().join("docs"))
        .expect("docs")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|n| n.ends_with(".md") && n != "README.md" && !list.contains(&format!("]({n})")))
        .collect();
    expect_none("documents that docs/README.md does not list", &missing);
}
