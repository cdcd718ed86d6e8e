//! The coefficient tables are what their program writes.

#[allow(dead_code)]
#[path = "../examples/tables/main.rs"]
mod generator;

#[test]
fn tables_are_as_generated() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tables");
    let mut names = vec![];
    for (name, text) in generator::files() {
        let path = format!("{dir}/{name}.txt");
        let written = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(written == text, "{path} is not what `--example tables` writes");
        names.push(format!("{name}.txt"));
    }
    for entry in std::fs::read_dir(dir).expect("the tables") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        assert!(names.contains(&name), "nothing writes tables/{name}");
    }
}
