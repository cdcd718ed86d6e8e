//! Kernels that run at the same time: `clhls run --beside`, and the pipes between them.

use crate::cli::{Sizes, sizes};
use abi::{KernelSignature, Link, LinkEnd};
use host::{Array, NdRange, PipeValue, Request, Value};
use std::path::Path;

/// Packets of a pipe between two kernels where they run one after the other: on emu, which has it in memory.
const IN_MEMORY: u32 = 1 << 16;

/// A kernel that runs beside the one that the command line is about.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Its name.
    pub kernel: String,
    global: Sizes,
    local: Option<Sizes>,
    args: Vec<(String, String)>,
}

impl Beside {
    /// Parses `KERNEL global=N [local=N] NAME=VALUE..`.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "expected KERNEL global=X[,Y[,Z]] [local=..] NAME=VALUE.., separated by blanks";
        let mut words = text.split_whitespace();
        let kernel = words.next().filter(|k| !k.contains('=')).ok_or(form)?.to_owned();
        let (mut global, mut local, mut args) = (None, None, vec![]);
        for word in words {
            let (name, value) = word.split_once('=').ok_or(form)?;
            match name {
                "global" => global = Some(sizes(value)?),
                "local" => local = Some(sizes(value)?),
                _ => args.push((name.to_owned(), value.to_owned())),
            }
        }
        Ok(Beside { kernel, global: global.ok_or(form)?, local, args })
    }

    /// The launch.
    ///
    /// # Errors
    /// If a value is none.
    pub(crate) fn request(&self) -> Result<Request, host::Error> {
        let mut args = vec![];
        for (name, text) in &self.args {
            let value = Value::parse(text, Path::new("")).map_err(|e| {
                let what = format!("--beside {}: {name}: {}", self.kernel, e.message);
                host::Error::new(e.kind, what)
            })?;
            args.push((name.clone(), value));
        }
        let local = self.local.clone().map(|s| s.0);
        let range = NdRange { global: self.global.0.clone(), local, offset: None };
        Ok(Request { kernel: self.kernel.clone(), range, args })
    }
}

/// Gives the launches their common pipes, where the user gives none.
pub(crate) fn join(requests: &mut [Request], links: &[Link], kernels: &[KernelSignature]) {
    for (number, link) in links.iter().enumerate() {
        for end in [&link.writer, &link.reader] {
            let signature = kernels.iter().find(|k| k.name == end.kernel);
            let arg = signature.and_then(|k| k.args.get(end.arg as usize));
            let request = requests.iter_mut().find(|r| r.kernel == end.kernel);
            let (Some(arg), Some(request)) = (arg, request) else { continue };
            let given =
                |(name, _): &(String, Value)| *name == arg.name || name.parse() == Ok(arg.index);
            if !request.args.iter().any(given) {
                let size = u64::from(arg.packet_size.unwrap_or(1));
                let packets =
                    Array { scalar: abi::ScalarType::U8, shape: vec![0, size], bytes: vec![] };
                let name = Some(format!("link {number}"));
                let pipe = PipeValue { name, max_packets: IN_MEMORY, packets, object: None };
                request.args.push((arg.name.clone(), Value::Pipe(pipe)));
            }
        }
    }
}

/// An order of launches in which those that write a pipe come before those that read it, where there is one.
pub(crate) fn order(requests: &[Request], links: &[Link]) -> Vec<usize> {
    let mut rank = vec![0; requests.len()];
    let number = |end: &LinkEnd| requests.iter().position(|r| r.kernel == end.kernel);
    for _ in 0..requests.len() {
        for link in links {
            if let (Some(from), Some(to)) = (number(&link.writer), number(&link.reader)) {
                rank[to] = rank[to].max(rank[from] + 1);
            }
        }
    }
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|k| rank[*k]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_beside_are_read_or_refused_with_the_reason() {
        let b = Beside::parse("source global=4,2 in=iota:i32[8] local=2").expect("sound");
        assert_eq!((b.kernel.as_str(), b.global.0.as_slice()), ("source", &[4, 2][..]));
        assert_eq!(b.args, [("in".to_owned(), "iota:i32[8]".to_owned())]);
        for bad in
            ["", "source", "global=1", "source in=3", "source global=1 in", "source global=x"]
        {
            assert!(Beside::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn who_writes_comes_first() {
        let range = NdRange { global: vec![1], local: None, offset: None };
        let request =
            |kernel: &str| Request { kernel: kernel.into(), range: range.clone(), args: vec![] };
        let requests = ["c", "a", "d", "b"].map(request);
        let end = |kernel: &str| LinkEnd { kernel: kernel.into(), arg: 0 };
        let links = [("a", "b"), ("b", "c"), ("c", "d")]
            .map(|(w, r)| Link { writer: end(w), reader: end(r) });
        assert_eq!(order(&requests, &links), [1, 3, 0, 2]);
    }
}
