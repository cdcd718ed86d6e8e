//! The page of a report: one file without anything from elsewhere.

use crate::Report;

const PAGE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
/// The scripts, in the order in which they stand in the page.
const SCRIPTS: [&str; 5] = [
    include_str!("../page/base.js"),
    include_str!("../page/source.js"),
    include_str!("../page/schedule.js"),
    include_str!("../page/dataflow.js"),
    include_str!("../page/tables.js"),
];

impl Report {
    /// The text of `report.html`. It opens from a file and needs no network.
    pub fn to_html(&self) -> String {
        let data = serde_json::to_string(self).expect("a report has string keys");
        let (head, tail) = PAGE.split_once("{{data}}").unwrap_or((PAGE, ""));
        let head = head.replace("{{style}}", STYLE).replace("{{title}}", &escape(&self.module));
        let tail = tail.replace("{{script}}", &SCRIPTS.concat());
        [head, inside_script(&data), tail].concat()
    }
}

/// Text of a page.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON that ends no script element and begins no comment in it: `<` stands in strings only.
fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}
