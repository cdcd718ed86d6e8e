//! What work-items do together: atomics and barriers.

use super::Gen;
use super::scope::Place;
use super::stmt::Flow;
use crate::tree::{Decl, Expr, Param, Stmt};
use crate::types::{Ty, UINT};
use abi::ScalarType;

/// What the work-items of a kernel share.
#[derive(Clone, Default, Debug)]
pub(super) struct Shared {
    /// Whether groups have a size that is known here, so that they can work together.
    pub groups: bool,
    /// Work-items of the largest group.
    pub group_size: u32,
    pub group_count: u32,
    /// Whether some groups are smaller.
    pub ragged: bool,
    /// Counters that may be changed here.
    pub counters: Vec<Counter>,
}

/// Counters that are only changed by one operation.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub name: String,
    pub elem: ScalarType,
    pub kind: Commuting,
    pub len: u32,
}

/// Operations of which the order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Commuting {
    Sum,
    Min,
    Max,
    And,
    Or,
    Xor,
}

const COMMUTING: [Commuting; 8] = [
    Commuting::Sum,
    Commuting::Sum,
    Commuting::Sum,
    Commuting::Min,
    Commuting::Max,
    Commuting::And,
    Commuting::Or,
    Commuting::Xor,
];

impl Gen {
    /// Counters that all work-items change.
    pub(super) fn add_counters(&mut self) {
        let name = self.fresh("acc");
        let elem = self.rng.pick(&[ScalarType::I32, ScalarType::U32]);
        let len = self.rng.pick(&[1, 4, 8]);
        let seed = self.rng.below(1000);
        self.params.push(Param {
            name: name.clone(),
            text: format!("global {} *{name}", elem.opencl_name()),
            value: format!("rand:{}[{len}]:{seed}", elem.name()),
        });
        let kind = self.rng.pick(&COMMUTING);
        self.sync.counters.push(Counter { name, elem, kind, len });
    }

    /// An atomic operation: on a counter without a look at the result, or on what the work-item owns.
    pub(super) fn atomic(&mut self) -> Option<Stmt> {
        if !self.sync.counters.is_empty() && self.once_in(2) {
            let c = self.sync.counters[self.rng.below(self.sync.counters.len())].clone();
            let (index, value) = (self.value(UINT), self.value(Ty::scalar(c.elem)));
            let place = format!("&{}[$0 & {}u]", c.name, c.len - 1);
            let op = match c.kind {
                Commuting::Sum => self.rng.pick(&["add", "add", "sub", "inc", "dec"]),
                Commuting::Min => "min",
                Commuting::Max => "max",
                Commuting::And => "and",
                Commuting::Or => "or",
                Commuting::Xor => "xor",
            };
            return Some(match op {
                "inc" | "dec" => Stmt::simple(format!("atomic_{op}({place});"), vec![index]),
                _ => Stmt::simple(format!("atomic_{op}({place}, $1);"), vec![index, value]),
            });
        }
        let owned: Vec<_> = self
            .scope
            .arrays
            .iter()
            .filter(|a| a.writable && a.space == "global" && a.ty.lanes == 1)
            .filter(|a| matches!(a.ty.elem, ScalarType::I32 | ScalarType::U32))
            .cloned()
            .collect();
        if owned.is_empty() {
            return None;
        }
        let a = owned[self.rng.below(owned.len())].clone();
        let flow =
            Flow { uniform: false, breaks: false, continues: false, returns: None, depth: 0 };
        let result = self.target(flow, |t| t == a.ty)?;
        let mut exprs = vec![self.value(UINT), self.value(a.ty), self.value(a.ty)];
        let place = format!("&{}[$0 & {}u]", a.base, a.len - 1);
        let op = self.rng.pick(&[
            "add", "sub", "xchg", "min", "max", "and", "or", "xor", "inc", "dec", "cmpxchg",
        ]);
        let call = match op {
            "inc" | "dec" => format!("atomic_{op}({place})"),
            "cmpxchg" => format!("atomic_{op}({place}, $1, $2)"),
            _ => format!("atomic_{op}({place}, $1)"),
        };
        exprs.truncate(match op {
            "inc" | "dec" => 1,
            "cmpxchg" => 3,
            _ => 2,
        });
        Some(Stmt::simple(format!("{} = {call};", result.text), exprs))
    }

    /// Work-items give one another values across a barrier. The whole group comes here.
    pub(super) fn exchange(&mut self, flow: Flow) -> Option<Stmt> {
        if !self.sync.groups || flow.returns.is_some() {
            return None;
        }
        match self.rng.below(4) {
            0 if flow.depth > 0 => self.group_counters(flow),
            1 => self.passing(flow, true),
            _ => self.passing(flow, false),
        }
    }

    /// Each work-item writes one element, and then reads any.
    fn passing(&mut self, flow: Flow, global: bool) -> Option<Stmt> {
        let task = self.task;
        let target = self.target(flow, |_| true)?;
        let ty = target.ty;
        if global && (ty.lanes == 3 || ty.elem == ScalarType::F16 && !self.profile.halves) {
            return None;
        }
        let size = self.sync.group_size;
        let name = self.fresh(if global { "gx" } else { "l" });
        let (t, bytes) = (ty.name(), u64::from(size) * u64::from(ty.bytes()));
        if global {
            let count = size * self.sync.group_count * ty.lanes_in_memory();
            self.params.push(Param {
                name: name.clone(),
                text: format!("global {t} *{name}"),
                value: format!("zeros:{}[{count}]", ty.elem.name()),
            });
        } else if self.once_in(3) {
            self.params.push(Param {
                name: name.clone(),
                text: format!("local {t} *{name}"),
                value: format!("local:{bytes}"),
            });
        } else {
            let text = format!("local {t} {name}[{size}];");
            self.decls.insert(0, Decl { name: name.clone(), text });
        }
        let base = if global { format!("grp * {size}u + ") } else { String::new() };
        let factor = self.factor();
        let fence = if global { "CLK_GLOBAL_MEM_FENCE" } else { "CLK_LOCAL_MEM_FENCE" };
        let shift = self.uniform_value(UINT);
        let value = self.value(ty);
        let number = self.no_nan(ty, "$1");
        let index = match target.uniform && !task {
            true => self.uniform_value(UINT),
            false => self.value(UINT),
        };
        let text = format!(
            "barrier({fence});\n{name}[{base}(lid * {factor}u + ($0 & 63u)) % lsz] = {number};\nbarrier({fence});\n{} = {name}[{base}$2 % lsz];",
            target.text
        );
        Some(Stmt::simple(text, vec![shift, value, index]))
    }

    /// A factor by which local ids can be multiplied so that they stay different modulo the size.
    fn factor(&mut self) -> u32 {
        let size = self.sync.group_size;
        if self.sync.ragged {
            return 1;
        }
        let all: Vec<u32> = (1..=size.max(2)).filter(|f| gcd(*f, size) == 1).collect();
        self.rng.pick(&all)
    }

    /// Counters of the group: set, changed atomically, read.
    fn group_counters(&mut self, flow: Flow) -> Option<Stmt> {
        let elem = self.rng.pick(&[ScalarType::I32, ScalarType::U32]);
        let ty = Ty::scalar(elem);
        let target = self.target(flow, |t| t == ty)?;
        let (name, i) = (self.fresh("la"), self.fresh("j"));
        let len = self.rng.pick(&[1u32, 4, 8]);
        self.decls.push(Decl { name: i.clone(), text: format!("uint {i} = 0;") });
        let text = format!("local {} {name}[{len}];", elem.opencl_name());
        self.decls.insert(0, Decl { name: name.clone(), text });
        let first = self.value(ty);
        let index = match target.uniform && !self.task {
            true => self.uniform_value(UINT),
            false => self.value(UINT),
        };
        let kind = self.rng.pick(&COMMUTING);
        let before = std::mem::take(&mut self.sync.counters);
        self.sync.counters.push(Counter { name: name.clone(), elem, kind, len });
        let inner =
            Flow { uniform: false, breaks: false, continues: false, depth: flow.depth - 1, ..flow };
        let count = 1 + self.rng.below(3);
        let mut body = self.stmts(count, inner);
        body.extend(self.atomic());
        self.sync.counters = before;
        let fence = "barrier(CLK_LOCAL_MEM_FENCE);";
        let text = format!(
            "{fence}\nfor ({i} = lid; {i} < {len}u; {i} += lsz) {name}[{i}] = $0;\n{fence}\n@0\n{fence}\n{} = {name}[$1 & {}u];",
            target.text,
            len - 1
        );
        let exprs = vec![first, index];
        Some(Stmt { text, exprs, blocks: vec![body], ..Stmt::default() })
    }

    /// What every work-item knows of itself and its group.
    pub(super) fn add_ids(&mut self, dims: usize) {
        let place = |text: &str, uniform| Place {
            text: text.to_owned(),
            ty: UINT,
            uniform,
            writable: false,
        };
        let task = self.task;
        self.scope.places.push(place("gid", task));
        for d in 0..dims {
            self.scope.places.push(place(&format!("((uint)get_global_id({d}))"), task));
            self.scope.places.push(place(&format!("((uint)get_global_size({d}))"), true));
            if self.sync.groups {
                self.scope.places.push(place(&format!("((uint)get_group_id({d}))"), true));
                self.scope.places.push(place(&format!("((uint)get_local_id({d}))"), task));
            }
        }
        if self.sync.groups {
            self.scope.places.push(place("lid", task));
            self.scope.places.push(place("lsz", true));
            self.scope.places.push(place("grp", true));
        }
    }

    /// An expression that is a variable.
    pub(super) fn place_value(place: &Place) -> Expr {
        Expr::new(place.ty, place.text.clone(), vec![])
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
