//! Accesses to device memory that may begin inside of a word of their size: modules that put them together from aligned
//! words stand in front of their units.

use crate::core::Shared;
use crate::memory::{DEVICE_ADDRESS_BITS, LoadClient, LoadShape, reported_site};
use crate::token::Stream;
use rtl::{Expr, ModuleBuilder, Net, Param};
use schedule::Access;

/// Number of no access: the units behind these modules do not tell the simulator what they touch.
pub const NO_SITE: u32 = 0x7fff_ffff;
/// Work-items that wait beside such an access in addition: what the module's stages hold.
pub const STAGES: u32 = 8;

/// Windows of accesses that a single work-item makes are so many times as large: such accesses often do not follow one another
/// (`vload3`, members of packed structures), and the wider the window, the fewer need two.
const WIDER: u32 = 4;

/// Bytes of the windows that an access with `lanes` bits of predicate is put together from, at a port of `bus_bytes`.
pub fn window(access: &Access, lanes: u32, bus_bytes: u32) -> u32 {
    match lanes {
        1 => (WIDER * access.bytes).min(bus_bytes).max(access.bytes),
        _ => access.bytes,
    }
}

/// Equal parts of an access at which it can begin, and a bit of predicate for each.
fn parts(b: &mut ModuleBuilder, access: &Access, pred: &Expr) -> (u32, Expr) {
    let given = b.expr_width(pred);
    let parts = given.max(access.bytes / access.align);
    let mask = crate::operation::net(b, pred.clone());
    let bits = (0..given).rev().map(|k| b.slice(mask, k, 1).repeat(parts / given));
    (parts, Expr::concat(bits.collect()))
}

/// Puts the loads of `client` together; gives the loads of aligned words of a shape's bytes that this takes. The client's unit
/// keeps up to `depth` requests.
pub fn load(
    b: &mut ModuleBuilder,
    sh: &Shared,
    access: &Access,
    flush: Net,
    client: LoadClient,
    (shape, depth): (LoadShape, u32),
) -> LoadClient {
    let window = shape.bytes;
    let name = format!("load{}", client.site);
    let (parts, pred) = parts(b, access, &client.pred);
    let valid = b.net(&format!("{name}_word_valid"), 1);
    let ready = b.net(&format!("{name}_word_ready"), 1);
    let address = b.net(&format!("{name}_word_addr"), DEVICE_ADDRESS_BITS);
    let answer = Stream::new(b, &format!("{name}_word"), 8 * window);
    b.instance("clhls_realign_load", &format!("u_{name}_realign"))
        .comment(format!(
            "loads of {} bytes at multiples of {} {}",
            access.bytes, access.align, client.place
        ))
        .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
        .param("DEVICE_BITS", sh.address_bits)
        .param("BYTES", access.bytes)
        .param("WINDOW", window)
        .param("PARTS", parts)
        .param("REUSE", access.reuse)
        .param("DEPTH", depth)
        .param("SITE", reported_site(client.site, shape.ahead))
        .param("TARGET", Param::Text(sh.target.to_owned()))
        .input("flush", flush)
        .input("s_valid", client.valid)
        .output("s_ready", client.ready)
        .input("s_addr", client.address)
        .input("s_pred", pred)
        .output("m_valid", client.answer.valid)
        .input("m_ready", client.answer.ready)
        .output("m_data", client.answer.data)
        .output("u_valid", valid)
        .input("u_ready", ready)
        .output("u_addr", address)
        .input("u_answer_valid", answer.valid)
        .output("u_answer_ready", answer.ready)
        .input("u_answer", answer.data)
        .done();
    LoadClient {
        valid: valid.into(),
        ready,
        address: address.into(),
        pred: Expr::bit(true),
        answer,
        site: client.site,
        place: client.place,
    }
}

/// A store in front of its unit.
pub struct StoreClient {
    /// A request is there.
    pub valid: Expr,
    /// Driven by the unit.
    pub ready: Net,
    /// 64 bits.
    pub address: Expr,
    /// What is written.
    pub data: Expr,
    /// Bytes that are written.
    pub strobes: Expr,
    /// Whether there is an access at all.
    pub pred: Expr,
    /// Answers: valid, driven by the unit, and ready.
    pub answer: (Net, Expr),
}

/// Where a store's requests come from, for [`store`].
pub struct StoreSource {
    /// Number of the access.
    pub site: u32,
    /// Idle cycles after which what was collected is written.
    pub line_wait: u32,
    /// Bytes of the windows.
    pub window: u32,
    /// Requests of the unit in flight.
    pub depth: u32,
    /// Source place, for a comment.
    pub place: String,
    /// High while the launch drains.
    pub flush: Net,
    /// Bits of the predicate.
    pub mask: Expr,
}

/// Collects the stores of `client`; gives the stores of aligned words that this takes, and the condition that nothing is kept.
pub fn store(
    b: &mut ModuleBuilder,
    sh: &Shared,
    access: &Access,
    source: StoreSource,
    client: StoreClient,
) -> (StoreClient, Expr) {
    let StoreSource { site, line_wait, window, depth, place, flush, mask } = source;
    let name = format!("store{site}");
    let (parts, mask) = parts(b, access, &mask);
    let idle = b.net(&format!("{name}_word_idle"), 1);
    let valid = b.net(&format!("{name}_word_valid"), 1);
    let ready = b.net(&format!("{name}_word_ready"), 1);
    let address = b.net(&format!("{name}_word_addr"), DEVICE_ADDRESS_BITS);
    let data = b.net(&format!("{name}_word_data"), 8 * window);
    let strobes = b.net(&format!("{name}_word_strb"), window);
    let pred = b.net(&format!("{name}_word_pred"), 1);
    let answer_valid = b.net(&format!("{name}_word_answer_valid"), 1);
    let answer_ready = b.net(&format!("{name}_word_answer_ready"), 1);
    b.instance("clhls_realign_store", &format!("u_{name}_realign"))
        .comment(format!(
            "stores of {} bytes at multiples of {} {place}",
            access.bytes, access.align
        ))
        .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
        .param("DEVICE_BITS", sh.address_bits)
        .param("BYTES", access.bytes)
        .param("WINDOW", window)
        .param("PARTS", parts)
        .param("ACK", access.ack)
        .param("DEPTH", depth)
        .param("LINE_WAIT", line_wait)
        .param("SITE", site)
        .param("TARGET", Param::Text(sh.target.to_owned()))
        .input("flush", flush)
        .output("idle", idle)
        .input("s_valid", client.valid)
        .output("s_ready", client.ready)
        .input("s_addr", client.address)
        .input("s_data", client.data)
        .input("s_mask", mask)
        .output("m_valid", client.answer.0)
        .input("m_ready", client.answer.1)
        .output("u_valid", valid)
        .input("u_ready", ready)
        .output("u_addr", address)
        .output("u_data", data)
        .output("u_strb", strobes)
        .output("u_pred", pred)
        .input("u_answer_valid", answer_valid)
        .output("u_answer_ready", answer_ready)
        .done();
    let words = StoreClient {
        valid: valid.into(),
        ready,
        address: address.into(),
        data: data.into(),
        strobes: strobes.into(),
        pred: pred.into(),
        answer: (answer_valid, answer_ready.into()),
    };
    (words, idle.into())
}
