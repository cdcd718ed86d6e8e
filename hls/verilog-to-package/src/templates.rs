//! The embedded templates and files, and rendering.

use std::error::Error as _;

use serde::Serialize;
use tera::{Context, Tera};

use crate::PackError;

/// Contents by file name.
static EMBEDDED: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// The text of an embedded file.
pub(crate) fn file(name: &str) -> Result<&'static str, PackError> {
    let found = EMBEDDED.iter().find(|(n, _)| *n == name).map(|(_, text)| *text);
    found.ok_or_else(|| PackError::Template {
        name: name.to_owned(),
        message: "there is no such file".to_owned(),
    })
}

/// Renders the embedded template `<name>.tera` with `data`.
pub(crate) fn render(name: &str, data: &impl Serialize) -> Result<String, PackError> {
    render_text(name, file(&format!("{name}.tera"))?, data)
}

/// Renders a template given as text; values are escaped when `name` ends with `.xml`.
pub(crate) fn render_text(
    name: &str,
    text: &str,
    data: &impl Serialize,
) -> Result<String, PackError> {
    let bad = |error: tera::Error| {
        // the cause holds the line and the variable
        let cause = error.source().map_or_else(String::new, |cause| format!(": {cause}"));
        PackError::Template { name: name.to_owned(), message: format!("{error}{cause}") }
    };
    let mut tera = Tera::default();
    tera.autoescape_on(vec![".xml"]);
    tera.add_raw_template(name, text).map_err(bad)?;
    let context = Context::from_serialize(data).map_err(bad)?;
    tera.render(name, &context).map_err(bad)
}
