//! The modules of a design as they are counted: once for all instances, but for those with constants at inputs, which synthesis makes
//! anew for each constant.

use base::FxHashMap;
use rtl::{Connection, Design, Expr, Instance, Module};
use std::collections::BTreeMap;

/// Constants at inputs, by port: bits and value.
pub(crate) type Inputs<'a> = BTreeMap<&'a str, (u32, u128)>;

/// A module as some instances have it.
pub(crate) struct View<'a> {
    pub(crate) module: &'a Module,
    /// Inputs that are the same constants in all of these instances.
    pub(crate) inputs: Inputs<'a>,
    /// Of each instance in the module, the view of what it instantiates; none for modules of the library.
    pub(crate) inner: Vec<Option<usize>>,
}

/// The views of a design's modules, each behind those of what it instantiates, and by a module's name the view that stands for it: the
/// one without constants, or the first one if there is none.
pub(crate) fn views(design: &Design) -> (Vec<View<'_>>, FxHashMap<&str, usize>) {
    let by_name: FxHashMap<&str, usize> =
        design.modules.iter().enumerate().map(|(k, m)| (m.name.as_str(), k)).collect();
    let mut wanted: Vec<Vec<Inputs>> = vec![vec![]; design.modules.len()];
    for instance in design.modules.iter().flat_map(|m| &m.instances) {
        if let Some(k) = by_name.get(instance.module.as_str()) {
            wanted[*k].push(inputs(instance));
        }
    }
    let mut views: Vec<View> = vec![];
    let mut found: Vec<BTreeMap<Inputs, usize>> = vec![];
    let mut first = FxHashMap::default();
    for (module, mut wanted) in design.modules.iter().zip(wanted) {
        if wanted.is_empty() {
            wanted.push(Inputs::default());
        }
        // A module stands behind those that it instantiates.
        let inner = |i: &Instance| {
            let inner = by_name.get(i.module.as_str()).and_then(|k| found.get(*k))?;
            inner.get(&inputs(i)).copied()
        };
        let inner: Vec<Option<usize>> = module.instances.iter().map(inner).collect();
        wanted.sort();
        wanted.dedup();
        let mut of_module = BTreeMap::new();
        for inputs in wanted {
            let k = views.len();
            first.entry(module.name.as_str()).or_insert(k);
            of_module.insert(inputs.clone(), k);
            views.push(View { module, inputs, inner: inner.clone() });
        }
        found.push(of_module);
    }
    (views, first)
}

/// The inputs of an instance that are constants.
fn inputs(instance: &Instance) -> Inputs<'_> {
    let constant = |(port, connection)| match connection {
        &Connection::Input(Expr::Const(width, value)) => Some((port, (width, value))),
        _ => None,
    };
    instance.ports.iter().map(|(port, c)| (port.as_str(), c)).filter_map(constant).collect()
}
