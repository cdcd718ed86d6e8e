//! Atomic accesses: the operation codes of the RTL library and the unit for device memory.

use crate::core::Shared;
use crate::memory::{AtomicClient, Memories, ReadUnit, port_of, write_nets};
use ir::{AtomicOp, KernelArgKind};
use rtl::{Expr, ModuleBuilder, Param};
use schedule::{AccessKind, MemoryKind};

/// Operation code of `clhls_atomic_alu`.
pub fn code(op: AtomicOp) -> u32 {
    match op {
        AtomicOp::Add => 0,
        AtomicOp::Sub => 1,
        AtomicOp::And => 2,
        AtomicOp::Or => 3,
        AtomicOp::Xor => 4,
        AtomicOp::Xchg => 5,
        AtomicOp::CmpXchg => 6,
        AtomicOp::UMin => 7,
        AtomicOp::UMax => 8,
        AtomicOp::SMin => 9,
        AtomicOp::SMax => 10,
        AtomicOp::Load => 11,
        AtomicOp::Store => 12,
    }
}

/// Operation code of an access to an on-chip memory.
pub fn access_code(kind: AccessKind) -> u32 {
    match kind {
        AccessKind::Load => code(AtomicOp::Load),
        AccessKind::Store => code(AtomicOp::Store),
        AccessKind::Atomic(op) => code(op),
        AccessKind::Pipe(_) => unreachable!("pipes are no RAM: schedule::verify"),
    }
}

/// Fields of an atomic request from bit 0 upwards: predicate, operation, data, expected value,
/// address.
pub struct RequestLayout {
    address_bits: u32,
    data_bits: u32,
}

impl RequestLayout {
    /// Layout for an address width and bytes of data.
    pub fn new(address_bits: u32, bytes: u32) -> Self {
        RequestLayout { address_bits, data_bits: 8 * bytes }
    }

    /// A request. `operands` are those of the IR instruction.
    pub fn pack(&self, op: AtomicOp, address: Expr, operands: &[Expr], pred: Expr) -> Expr {
        let zero = Expr::Const(self.data_bits, 0);
        let values = op.value_operands();
        let data = if values >= 1 { operands[1].clone() } else { zero.clone() };
        let expected = if values >= 2 { operands[2].clone() } else { zero };
        Expr::Concat(vec![address, expected, data, Expr::Const(4, u128::from(code(op))), pred])
    }

    fn field(&self, b: &ModuleBuilder, c: &AtomicClient, which: Field) -> Expr {
        let (lo, width) = match which {
            Field::Pred => (0, 1),
            Field::Op => (1, 4),
            Field::Data => (5, self.data_bits),
            Field::Expected => (5 + self.data_bits, self.data_bits),
            Field::Address => (5 + 2 * self.data_bits, self.address_bits),
        };
        b.slice(c.request.data, lo, width)
    }
}

#[derive(Clone, Copy)]
enum Field {
    Pred,
    Op,
    Data,
    Expected,
    Address,
}

/// Bits of the operations that occur, for the unit's `OPS` parameter.
pub fn operations(codes: impl Iterator<Item = u32>) -> Param {
    let bits = codes.fold(0u64, |x, c| x | 1 << c);
    Param::Bits(16, vec![bits])
}

/// Makes one atomic unit for each operand size that occurs, with all its clients, and one for pipes, whose objects are apart
/// from all other memory. What may work on either has none of its own: then there is none for pipes.
///
/// How much a unit may keep to itself depends on the kernel's other accesses to device memory
/// ([`Sharing`]).
pub fn build(b: &mut ModuleBuilder, sh: &Shared, m: &mut Memories) {
    let mut clients = std::mem::take(&mut m.atomics);
    let is_atomic = |a: &&schedule::Access| matches!(a.kind, AccessKind::Atomic(_));
    if sh.s.accesses.values().filter(is_atomic).any(|a| is_device(sh, a) && a.argument.is_none()) {
        clients.iter_mut().for_each(|c| c.pipe = false);
    }
    for pipe in [false, true] {
        let of = |bytes: u32| -> Vec<&AtomicClient> {
            clients.iter().filter(|c| c.bytes == bytes && c.pipe == pipe).collect()
        };
        let units: Vec<_> =
            [4, 8].map(|n| (n, of(n))).into_iter().filter(|u| !u.1.is_empty()).collect();
        let sharing = match units.len() {
            1 => sharing(sh, pipe),
            _ => Sharing::Written,
        };
        for (bytes, clients) in &units {
            unit(b, sh, m, clients, *bytes, sharing);
        }
    }
}

fn is_device(sh: &Shared, access: &schedule::Access) -> bool {
    matches!(sh.s.memories[access.memory].kind, MemoryKind::Device { .. })
}

/// Whether an access works on a pipe's object.
pub fn on_pipe(sh: &Shared, access: &schedule::Access) -> bool {
    let kernel = sh.s.func.kernel.as_ref();
    let arg = access.argument.and_then(|k| kernel?.args.get(k as usize));
    arg.is_some_and(|a| matches!(a.kind, KernelArgKind::Pipe(_)))
}

/// Lines of the cache of an atomic unit, each of a beat of the bus: as many as block RAMs have in any case. On a bus of 64 bytes a
/// histogram of 8192 counters fits.
const CACHE_LINES: u32 = 512;
/// Lines that a miss fetches.
const CACHE_BLOCK: u32 = 8;

/// What the rest of the kernel may do with memory that has atomic operations; the discriminant is
/// the unit's `EXCLUSIVE` parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Sharing {
    /// Stores may change it: no cache.
    Written = 0,
    /// Loads may read it: a cache that writes through.
    Read = 1,
    /// Nothing else touches it: a cache that writes back.
    Alone = 2,
}

/// Of the atomic operations on pipes, or of all others.
fn sharing(sh: &Shared, pipe: bool) -> Sharing {
    let is_atomic = |a: &&schedule::Access| matches!(a.kind, AccessKind::Atomic(_));
    let all = sh.s.accesses.values().filter(|a| is_device(sh, a));
    let (mut atomics, others): (Vec<&schedule::Access>, Vec<_>) = all.partition(is_atomic);
    atomics.retain(|a| on_pipe(sh, a) == pipe);
    // A pointer that is `restrict` reaches what no pointer of another origin does.
    let restrict = |k: u32| {
        let kernel = sh.s.func.kernel.as_ref();
        kernel.and_then(|i| i.args.get(k as usize)).is_some_and(|a| a.restrict)
    };
    let apart = |a: &schedule::Access, b: &schedule::Access| match (a.argument, b.argument) {
        // What is atomic in a pipe's object has no line in common with packets, nor has the object with other memory.
        _ if on_pipe(sh, a) || on_pipe(sh, b) => true,
        (Some(x), Some(y)) => x != y && (restrict(x) || restrict(y)),
        _ => false,
    };
    let disturbs = |a: &&&schedule::Access| atomics.iter().any(|b| !apart(a, b));
    if others.iter().filter(|a| a.kind == AccessKind::Store).any(|a| disturbs(&a)) {
        return Sharing::Written;
    }
    if others.iter().filter(|a| !a.read_only).any(|a| disturbs(&a)) {
        return Sharing::Read;
    }
    Sharing::Alone
}

fn unit(
    b: &mut ModuleBuilder,
    sh: &Shared,
    m: &mut Memories,
    clients: &[&AtomicClient],
    bytes: u32,
    sharing: Sharing,
) {
    let layout = RequestLayout::new(64, bytes);
    let of_pipes = if clients.iter().any(|c| c.pipe) { "_pipes" } else { "" };
    let name = format!("atomics{bytes}{of_pipes}");
    let n = clients.len() as u32;
    let all = |f: &dyn Fn(&AtomicClient) -> Expr| {
        Expr::concat(clients.iter().rev().map(|c| f(c)).collect())
    };
    let nets = [
        b.net(&format!("{name}_ar_valid"), 1),
        b.net(&format!("{name}_ar_ready"), 1),
        b.net(&format!("{name}_ar_line"), 64 - m.bus_bytes.ilog2()),
        b.net(&format!("{name}_ar_len"), 8),
        b.net(&format!("{name}_r_valid"), 1),
    ];
    // All atomic accesses of a kernel have one port.
    let is_atomic = |a: &&schedule::Access| matches!(a.kind, AccessKind::Atomic(_));
    let mut atomics = sh.s.accesses.values().filter(is_atomic);
    let port = atomics.find(|a| is_device(sh, a)).map_or(0, |a| port_of(sh, a));
    let writer = write_nets(b, &name, port, m.bus_bytes);
    let idle = b.net(&format!("{name}_idle"), 1);
    let ready = b.net(&format!("{name}_ready"), n);
    let valid = b.net(&format!("{name}_answers"), n);
    let data = b.net(&format!("{name}_data"), n * 8 * bytes);
    let codes = sh.s.accesses.values().filter_map(|a| match a.kind {
        AccessKind::Atomic(op) => Some(code(op)),
        _ => None,
    });
    let fields = [Field::Op, Field::Address, Field::Data, Field::Expected, Field::Pred]
        .map(|f| all(&|c| layout.field(b, c, f)));
    let [op, address, value, expected, pred] = fields;
    let (valids, readies) = (all(&|c| c.request.valid.into()), all(&|c| c.answer.ready.into()));
    let w = &writer.nets;
    b.instance("clhls_atomic", &format!("u_{name}"))
        .param("N", n)
        .param("ADDR_BITS", 64)
        .param("DEVICE_BITS", sh.address_bits)
        .param("BYTES", bytes)
        .param("BUS_BYTES", m.bus_bytes)
        .param("EXCLUSIVE", sharing as u32)
        .param("LINES", CACHE_LINES)
        .param("BLOCK", CACHE_BLOCK)
        .param("OPS", operations(codes))
        .param("SITE", clients.first().map_or(0, |c| c.site))
        .param("TARGET", Param::Text(sh.target.to_owned()))
        .input("flush", m.flush_stores)
        .output("idle", idle)
        .input("s_valid", valids)
        .output("s_ready", ready)
        .input("s_op", op)
        .input("s_addr", address)
        .input("s_data", value)
        .input("s_compare", expected)
        .input("s_pred", pred)
        .output("m_valid", valid)
        .input("m_ready", readies)
        .output("m_data", data)
        .output("ar_valid", nets[0])
        .input("ar_ready", nets[1])
        .output("ar_line", nets[2])
        .output("ar_len", nets[3])
        .input("r_valid", nets[4])
        .input("r_data", m.r_data[port as usize])
        .output("aw_valid", w[0])
        .input("aw_ready", w[1])
        .output("aw_line", w[2])
        .output("aw_len", w[3])
        .output("w_valid", w[4])
        .input("w_ready", w[5])
        .output("w_data", w[6])
        .output("w_strb", w[7])
        .output("w_last", w[8])
        .input("b_valid", w[9])
        .done();
    for (k, c) in clients.iter().enumerate() {
        let k = k as u32;
        let (r, v) = (b.slice(ready, k, 1), b.slice(valid, k, 1));
        b.assign(c.request.ready, r);
        b.assign(c.answer.valid, v);
        let d = b.slice(data, k * 8 * bytes, 8 * bytes);
        b.assign(c.answer.data, d);
    }
    m.readers.push(ReadUnit { port, nets });
    m.writers.push(writer);
    m.idle.push(idle.into());
}
