//! Kernels that run at the same time: `clhls run --beside`, and the pipes between them.

use crate::cli::{Sizes, sizes};
use abi::{Arg, KernelSignature, Link, LinkEnd};
use host::{Array, NdRange, PipeValue, Request, Value};
use std::path::Path;

/// Packets of a pipe between two kernels that is in memory and has no depth, or whose kernels run one after the other, as those of programs
/// that enqueue do: the one that writes has to come to its end. What the kernels are told is the depth of the connection.
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

/// Gives the launches their common pipes, whatever pipes they are given; ends of which only one is launched keep theirs. `links`: with
/// their depths, where these are known and the launches run at the same time.
pub(crate) fn join(
    requests: &mut [Request],
    links: &[(Link, Option<u32>)],
    kernels: &[KernelSignature],
) {
    for (number, (link, depth)) in links.iter().enumerate() {
        let ends = [&link.writer, &link.reader].map(|end| place(end, requests, kernels));
        let both = ends.iter().all(Option::is_some);
        let given =
            |end: &Option<Place<'_>>| end.as_ref().and_then(|e| e.given.map(|k| (e.request, k)));
        let shape = ends.iter().find_map(|end| {
            let (request, k) = given(end)?;
            match &requests[request].args[k].1 {
                Value::Pipe(pipe) => Some(pipe.packets.clone()),
                _ => None,
            }
        });
        for end in ends.into_iter().flatten() {
            if !both && end.given.is_some() {
                continue;
            }
            let size = u64::from(end.arg.packet_size.unwrap_or(1));
            let bytes = Array { scalar: abi::ScalarType::U8, shape: vec![0, size], bytes: vec![] };
            // Packets look as the user writes them, if they have the size.
            let fits = |a: &Array| {
                let lanes: u64 = a.shape.iter().skip(1).product();
                lanes * u64::from(a.scalar.bytes()) == size
            };
            let mut packets = shape.clone().filter(fits).unwrap_or(bytes);
            packets.bytes.clear();
            packets.shape[0] = 0;
            let name = Some(format!("link {number}"));
            let max_packets = depth.unwrap_or(IN_MEMORY);
            let pipe = Value::Pipe(PipeValue { name, max_packets, packets, object: None });
            let args = &mut requests[end.request].args;
            match end.given {
                // What is no pipe is refused as at any other argument.
                Some(k) if matches!(args[k].1, Value::Pipe(_)) => args[k].1 = pipe,
                Some(_) => {}
                None => args.push((end.arg.name.clone(), pipe)),
            }
        }
    }
}

/// An end of a link at a launch.
struct Place<'k> {
    request: usize,
    arg: &'k Arg,
    /// The value that it is given, by its number.
    given: Option<usize>,
}

fn place<'k>(
    end: &LinkEnd,
    requests: &[Request],
    kernels: &'k [KernelSignature],
) -> Option<Place<'k>> {
    let signature = kernels.iter().find(|k| k.name == end.kernel)?;
    let arg = signature.args.get(end.arg as usize)?;
    let request = requests.iter().position(|r| r.kernel == end.kernel)?;
    let is_it = |(name, _): &(String, Value)| *name == arg.name || name.parse() == Ok(arg.index);
    let given = requests[request].args.iter().position(is_it);
    Some(Place { request, arg, given })
}

/// An order of launches in which those that write a pipe come before those that read it, where there is one.
pub(crate) fn order(requests: &[Request], links: &[Link]) -> Vec<usize> {
    let mut rank = vec![0; requests.len()];
    let number = |end: &LinkEnd| requests.iter().position(|r| r.kernel == end.kernel);
    for _ in 0..requests.len() {
        for link in links.iter().filter(|link| !link.is_of_one_kernel()) {
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
