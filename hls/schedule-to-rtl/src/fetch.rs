//! Loads of a launch's constants, before its first work-item: those that read the same for all work-items.

use crate::core::Shared;
use crate::fixed::Fixed;
use crate::memory::{DEVICE_ADDRESS_BITS, LoadClient, LoadShape, Memories, port_of, site};
use crate::operation::net;
use crate::token::Stream;
use base::IndexMap;
use ir::analysis::root;
use ir::{Inst, Value};
use rtl::{Binary, Expr, ModuleBuilder, Net};
use schedule::Place;

/// A load and the distance of its address from a common one.
struct Word {
    inst: Inst,
    offset: i128,
}

/// Makes the units that load what is [`Place::Fetched`], which begin at the pulse `start`. Gives the pulse at which all of
/// it is there, or `start` where there is nothing to load.
pub fn build(
    b: &mut ModuleBuilder,
    sh: &Shared,
    fixed: &Fixed,
    memories: &mut Memories,
    start: Net,
) -> Option<Net> {
    let mut groups: IndexMap<(LoadShape, Value), Vec<Word>> = IndexMap::default();
    for (&inst, access) in &sh.s.accesses {
        if sh.s.place[inst] != Some(Place::Fetched) {
            continue;
        }
        let shape = LoadShape {
            port: port_of(sh, access),
            bytes: access.bytes,
            read_only: true,
            cache_lines: 0,
            words: false,
            parts: 1,
            in_loop: None,
            ahead: false,
        };
        let (base, offset) = root(&sh.s.func, sh.s.func.insts[inst].args[0]);
        groups.entry((shape, base)).or_default().push(Word { inst, offset });
    }
    if groups.is_empty() {
        return None;
    }
    let done: Vec<Expr> = groups
        .into_iter()
        .map(|((shape, base), words)| {
            let base = fixed.expr(base);
            unit(b, sh, fixed, memories, (shape, base, &words), start).into()
        })
        .collect();
    let all = b.wire("fetched", Expr::all(done));
    let before = b.net("fetched_before", 1);
    b.register(before, all.into(), None, Some(0));
    Some(b.wire("fetched_now", Expr::all([all.into(), Expr::Net(before).not()])))
}

/// One load unit for words at distances from one address; gives the level that says that they are there.
fn unit(
    b: &mut ModuleBuilder,
    sh: &Shared,
    fixed: &Fixed,
    memories: &mut Memories,
    (shape, base, words): (LoadShape, Expr, &[Word]),
    start: Net,
) -> Net {
    let (n, width) = (words.len() as u32, 8 * shape.bytes);
    let first = site(sh, words[0].inst);
    let name = format!("fetch{first}");
    let index = b.net(&format!("{name}_index"), rtl::bits_for(n.into()));
    let address = address(b, &name, base, words, index);
    let request = Stream::new(b, &format!("{name}_request"), DEVICE_ADDRESS_BITS);
    let answer = Stream::new(b, &format!("{name}_answer"), width);
    let done = b.net(&format!("{name}_done"), 1);
    let all = b.net(&format!("{name}_words"), n * width);
    b.instance("clhls_fetch", &format!("u_{name}"))
        .comment(format!("{n} loads of {} bytes, once a launch", shape.bytes))
        .param("N", n)
        .param("WIDTH", width)
        .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
        .input("start", start)
        .output("done", done)
        .output("index", index)
        .input("address", address)
        .output("u_valid", request.valid)
        .input("u_ready", request.ready)
        .output("u_addr", request.data)
        .input("u_answer_valid", answer.valid)
        .output("u_answer_ready", answer.ready)
        .input("u_answer", answer.data)
        .output("words", all)
        .done();
    for (k, word) in words.iter().enumerate() {
        let Some(result) = sh.s.func.insts[word.inst].result else { continue };
        if let Expr::Net(value) = fixed.expr(result) {
            let bits = b.slice(all, k as u32 * width, b.width(value));
            b.assign(value, bits);
        }
    }
    let client = LoadClient {
        valid: request.valid.into(),
        ready: request.ready,
        address: request.data.into(),
        pred: Expr::bit(true),
        answer,
        site: first,
        place: sh.place_of(words[0].inst),
    };
    memories.load_unit(b, sh, shape, vec![client]);
    done
}

/// The address of word `index`: a table of distances from the lowest one.
fn address(b: &mut ModuleBuilder, name: &str, base: Expr, words: &[Word], index: Net) -> Expr {
    let lowest = words.iter().map(|w| w.offset).min().unwrap_or(0);
    let distances: Vec<u128> = words.iter().map(|w| w.offset.abs_diff(lowest)).collect();
    let most = distances.iter().max().copied().unwrap_or(0) as u64;
    let bits = rtl::bits_for(most.saturating_add(1));
    let distance = b.rom(&format!("{name}_distance"), bits, distances, index.into(), 0, None);
    let base = net(b, base);
    let wide = |e: Expr, have: u32| match DEVICE_ADDRESS_BITS.checked_sub(have) {
        Some(more) if more > 0 => Expr::Concat(vec![Expr::Const(more, 0), e]),
        _ => e,
    };
    let base = wide(base.into(), b.width(base));
    let low = Expr::Const(DEVICE_ADDRESS_BITS, u128::from(lowest as u64));
    let distance = wide(distance.into(), bits);
    Expr::bin(Binary::Add, Expr::bin(Binary::Add, base, low), distance)
}
