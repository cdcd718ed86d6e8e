//! Tokens: what travels with a work-item, as one bit vector.

use ir::{Function, Value};
use rtl::{Expr, ModuleBuilder, Net};
use schedule::Occupancy;

/// Fields of a token from bit 0 upwards: slot, linear local id, values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    slot_bits: u32,
    lid_bits: u32,
    values: Vec<(Value, u32, u32)>,
    width: u32,
    /// Position of the bit that tells the first iteration of a pipelined loop.
    first: Option<u32>,
}

/// The fields of a token that are not values of the IR.
#[derive(Clone, Debug)]
pub struct Ids {
    /// Work-group slot.
    pub slot: Expr,
    /// Linear local id.
    pub lid: Expr,
    /// First iteration.
    pub first: Expr,
}

impl Layout {
    /// The layout of a token that carries `values`, in the given order.
    pub fn new(func: &Function, occupancy: &Occupancy, values: &[Value]) -> Self {
        let mut lo = occupancy.slot_bits + occupancy.lid_bits;
        let mut fields = vec![];
        for &v in values {
            let bits = func.bits(v);
            fields.push((v, lo, bits));
            lo += bits;
        }
        Layout {
            slot_bits: occupancy.slot_bits,
            lid_bits: occupancy.lid_bits,
            values: fields,
            width: lo,
            first: None,
        }
    }

    /// The same with a bit for the first iteration of a loop.
    pub fn with_first(mut self, yes: bool) -> Self {
        if yes && self.first.is_none() {
            self.first = Some(self.width);
            self.width += 1;
        }
        self
    }

    /// Whether tokens tell the first iteration.
    pub fn has_first(&self) -> bool {
        self.first.is_some()
    }

    /// The fields of a token that are not values.
    pub fn ids(&self, b: &ModuleBuilder, net: Net) -> Ids {
        let first = self.first.map_or(Expr::bit(true), |lo| b.slice(net, lo, 1));
        Ids { slot: self.slot(b, net), lid: self.lid(b, net), first }
    }

    /// Bits, at least 1: a token without fields is one zero bit.
    pub fn width(&self) -> u32 {
        self.width.max(1)
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.values.iter().map(|(v, _, _)| *v)
    }

    /// Work-group slot in the token `net`; constant 0 when there is one slot.
    pub fn slot(&self, b: &ModuleBuilder, net: Net) -> Expr {
        if self.slot_bits == 0 { Expr::bit(false) } else { b.slice(net, 0, self.slot_bits) }
    }

    /// Linear local id in the token `net`; constant 0 when tokens carry none.
    pub fn lid(&self, b: &ModuleBuilder, net: Net) -> Expr {
        if self.lid_bits == 0 {
            Expr::bit(false)
        } else {
            b.slice(net, self.slot_bits, self.lid_bits)
        }
    }

    /// A value's field in the token `net`.
    pub fn field(&self, b: &ModuleBuilder, net: Net, value: Value) -> Option<Expr> {
        let (_, lo, bits) = self.values.iter().find(|(v, _, _)| *v == value)?;
        Some(b.slice(net, *lo, *bits))
    }

    /// A token from its fields.
    pub fn pack(&self, ids: Ids, mut value: impl FnMut(Value) -> Expr) -> Expr {
        let mut parts: Vec<Expr> = self.values.iter().rev().map(|(v, _, _)| value(*v)).collect();
        if self.first.is_some() {
            parts.insert(0, ids.first);
        }
        if self.lid_bits > 0 {
            parts.push(ids.lid);
        }
        if self.slot_bits > 0 {
            parts.push(ids.slot);
        }
        if parts.is_empty() { Expr::bit(false) } else { Expr::concat(parts) }
    }
}

/// A stream of tokens.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// A token is there.
    pub valid: Net,
    /// The reader takes it; a net that the reader drives.
    pub ready: Net,
    /// The token.
    pub data: Net,
}

impl Stream {
    /// A new stream of `width` bits; writer and reader are to be connected.
    pub fn new(b: &mut ModuleBuilder, name: &str, width: u32) -> Stream {
        Stream {
            valid: b.net(&format!("{name}_valid"), 1),
            ready: b.net(&format!("{name}_ready"), 1),
            data: b.net(&format!("{name}_data"), width),
        }
    }
}
