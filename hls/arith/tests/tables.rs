//! The coefficient tables are what their program writes.

#[expect(dead_code, reason = "shared with the example, whose main writes the files")]
#[path = "../examples/tables/main.rs"]
mod generator;

use rug::Integer;

const DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tables");

fn written(name: &str) -> String {
    let path = format!("{DIR}/{name}.txt");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Some segments of each table; no table without its function.
#[test]
fn segments_are_as_generated() {
    const STEP: u32 = 29;
    let mut names = vec![];
    for (name, text) in generator::windows_of_two_over_pi() {
        assert!(written(name) == text, "{name} is not what `--example tables` writes");
        names.push(format!("{name}.txt"));
    }
    for spec in generator::tables() {
        let text = written(spec.name);
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.len() - (1 << spec.index_bits);
        for segment in (0..1 << spec.index_bits).step_by(STEP as usize) {
            let row: Vec<String> =
                generator::row(&spec, segment).iter().map(Integer::to_string).collect();
            let line = lines[first + segment as usize];
            assert_eq!(line, row.join(" "), "{}, segment {segment}", spec.name);
        }
        names.push(format!("{}.txt", spec.name));
    }
    for entry in std::fs::read_dir(DIR).expect("the tables") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        assert!(names.contains(&name), "nothing writes tables/{name}");
    }
}

#[test]
#[ignore = "takes some minutes in a debug build"]
fn tables_are_as_generated() {
    for (name, text) in generator::files(|_| true) {
        assert!(written(name) == text, "{name} is not what `--example tables` writes");
    }
}
