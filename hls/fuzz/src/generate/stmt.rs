//! Statements.

use super::Gen;
use super::scope::{Array, Place};
use crate::tree::{Decl, Expr, Jumps, Stmt};
use crate::types::{INT, Ty, UINT, ULONG};
use abi::ScalarType;

/// What may stand at some place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Whether the whole group comes along.
    pub uniform: bool,
    pub breaks: bool,
    pub continues: bool,
    /// What a `return` is, with `$0` the condition.
    pub returns: Option<Return>,
    /// How much deeper it may go.
    pub depth: u32,
}

/// How a function is left early.
#[derive(Clone, Copy, Debug)]
pub(super) enum Return {
    /// A kernel, which stores its result before.
    Kernel,
    /// A function, with a value.
    Value(Ty),
}

const BOTH: Jumps = Jumps { breaks: true, continues: true };

impl Gen {
    pub(super) fn stmts(&mut self, count: usize, flow: Flow) -> Vec<Stmt> {
        (0..count).map(|_| self.stmt(flow)).collect()
    }

    fn some_stmts(&mut self, flow: Flow) -> Vec<Stmt> {
        let count = 1 + self.rng.below(if self.settings.small { 2 } else { 4 });
        self.stmts(count, flow)
    }

    fn stmt(&mut self, flow: Flow) -> Stmt {
        let made = match self.rng.below(24) {
            0..=6 => None,
            7 | 8 => self.store(),
            9 => self.component(flow),
            10 => self.jump(flow),
            11 => self.early_return(flow),
            12 => self.atomic(),
            13 => self.calling(flow),
            14 | 15 if flow.depth > 0 => Some(self.branch(flow)),
            16 | 17 if flow.depth > 0 => self.repeat(flow),
            18 if flow.depth > 0 => Some(self.switch(flow)),
            19 if flow.depth > 0 => self.gotos(flow),
            20..=22 if flow.uniform => self.exchange(flow),
            _ => None,
        };
        made.unwrap_or_else(|| self.assignment(flow))
    }

    /// A variable that may be written here.
    pub(super) fn target(&mut self, flow: Flow, fits: impl Fn(Ty) -> bool) -> Option<Place> {
        let all: Vec<Place> = self
            .scope
            .places
            .iter()
            .filter(|p| p.writable && (flow.uniform || !p.uniform || self.task) && fits(p.ty))
            .cloned()
            .collect();
        if all.is_empty() { None } else { Some(all[self.rng.below(all.len())].clone()) }
    }

    /// A value for a place.
    fn value_for(&mut self, place: &Place) -> Expr {
        if place.uniform { self.uniform_value(place.ty) } else { self.value(place.ty) }
    }

    fn assignment(&mut self, flow: Flow) -> Stmt {
        let Some(place) = self.target(flow, |_| true) else {
            return Stmt::simple(";", vec![]);
        };
        let value = self.value_for(&place);
        let wraps =
            !place.ty.elem.is_float() && !place.ty.elem.is_signed() && place.ty.elem.bits() >= 32;
        let op = if wraps && self.once_in(3) { self.rng.pick(&["+", "-", "*", "^"]) } else { "" };
        Stmt::simple(format!("{} {op}= $0;", place.text), vec![value])
    }

    /// One or some components of a vector.
    fn component(&mut self, flow: Flow) -> Option<Stmt> {
        let place = self.target(flow, |t| t.lanes > 1)?;
        let n = usize::from(place.ty.lanes);
        let first = self.rng.below(n);
        let pair = n > 2 && self.once_in(2);
        let second = (first + 1 + self.rng.below(n - 1)) % n;
        let (lanes, text) = match pair {
            true => (2, format!("{first:x}{second:x}")),
            false => (1, format!("{first:x}")),
        };
        let part = Place { ty: Ty { lanes, ..place.ty }, ..place.clone() };
        let value = self.value_for(&part);
        Some(Stmt::simple(format!("{}.s{text} = $0;", place.text), vec![value]))
    }

    fn some_array(&mut self, fits: impl Fn(&Array) -> bool) -> Option<Array> {
        let all: Vec<Array> = self.scope.arrays.iter().filter(|a| fits(a)).cloned().collect();
        if all.is_empty() { None } else { Some(all[self.rng.below(all.len())].clone()) }
    }

    /// Into an array that the work-item owns.
    fn store(&mut self) -> Option<Stmt> {
        let a = self.some_array(|a| a.writable)?;
        let mut index = self.value(UINT);
        if self.once_in(3) {
            let n = u64::from(self.rng.bits() as u32);
            index = Expr::literal(UINT, n);
        }
        let (base, mask) = (&a.base, a.len - 1);
        if a.ty == Ty::scalar(ScalarType::F16) && (!self.profile.halves || self.once_in(2)) {
            let mode = self.rng.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
            let from =
                Ty::scalar(if self.profile.doubles { ScalarType::F64 } else { ScalarType::F32 });
            if !self.profile.has(from.elem) {
                return None;
            }
            let value = self.value(from);
            let number = self.no_nan(from, "$1");
            let text = format!("vstore_half{mode}({number}, $0 & {mask}u, {base});");
            return Some(Stmt::simple(text, vec![index, value]));
        }
        let lanes = self.rng.pick(&[1, 2, 3, 4, 8]);
        if a.ty.lanes == 1 && lanes > 1 && u32::from(lanes) <= a.len && lanes <= self.profile.lanes
        {
            let ty = Ty { lanes, ..a.ty };
            let mask = (a.len / ty.lanes_in_memory()).max(1) - 1;
            if a.len >= ty.lanes_in_memory() {
                let value = self.value(ty);
                let number = self.no_nan(ty, "$1");
                let text = format!("vstore{lanes}({number}, $0 & {mask}u, {base});");
                return Some(Stmt::simple(text, vec![index, value]));
            }
        }
        if a.ty.lanes == 1 && !a.ty.elem.is_float() && a.ty.elem.bits() > 8 && self.once_in(5) {
            let mask = a.len * a.ty.bytes() - 1;
            let value = self.value(Ty::scalar(ScalarType::U8));
            let text = format!("(({} uchar *){base})[$0 & {mask}u] = $1;", a.space);
            return Some(Stmt::simple(text, vec![index, value]));
        }
        let value = self.value(a.ty);
        let number = self.no_nan(a.ty, "$1");
        Some(Stmt::simple(format!("{base}[$0 & {mask}u] = {number};"), vec![index, value]))
    }

    fn jump(&mut self, flow: Flow) -> Option<Stmt> {
        let mut all = vec![];
        if flow.breaks {
            all.push(("break", Jumps { breaks: true, continues: false }));
        }
        if flow.continues {
            all.push(("continue", Jumps { breaks: false, continues: true }));
        }
        if all.is_empty() {
            return None;
        }
        let (word, jumps) = self.rng.pick(&all);
        let c = self.condition_for(flow);
        Some(Stmt { jumps, ..Stmt::simple(format!("if ($0) {word};"), vec![c]) })
    }

    fn early_return(&mut self, flow: Flow) -> Option<Stmt> {
        let returns = flow.returns?;
        let c = self.condition_for(flow);
        Some(match returns {
            Return::Kernel => {
                let value = self.value(ULONG);
                Stmt::simple("if ($0) { res[gid] = h ^ $1; return; }", vec![c, value])
            }
            Return::Value(ty) => {
                let value = self.value(ty);
                Stmt::simple("if ($0) return $1;", vec![c, value])
            }
        })
    }

    /// A condition that keeps the flow what it is.
    fn condition_for(&mut self, flow: Flow) -> Expr {
        let before = std::mem::replace(&mut self.uniform, flow.uniform && !self.task);
        let c = self.condition();
        self.uniform = before;
        c
    }

    /// A call of any function, whose arrays it may change.
    fn calling(&mut self, flow: Flow) -> Option<Stmt> {
        let callee = self.callee(|_| true)?;
        let place = self.target(flow, |t| t == callee.gives)?;
        if place.uniform && !self.task {
            return None;
        }
        let call = self.call_of(&callee, 1)?;
        // calls among the arguments change nothing, so their order does not matter
        Some(Stmt::simple(format!("{} = $0;", place.text), vec![call]))
    }

    /// What is inside of something that only some of the group may come through.
    fn inside(&self, flow: Flow, together: bool) -> Flow {
        let depth = flow.depth - 1;
        match together || self.task || !flow.uniform {
            true => Flow { depth, ..flow },
            false => Flow { uniform: false, breaks: false, continues: false, depth, ..flow },
        }
    }

    /// Whether the group is to stay together.
    fn together(&mut self, flow: Flow) -> bool {
        flow.uniform && (self.task || self.once_in(2))
    }

    fn condition_of(&mut self, flow: Flow, together: bool) -> Expr {
        self.condition_for(Flow { uniform: together, ..flow })
    }

    fn branch(&mut self, flow: Flow) -> Stmt {
        let together = self.together(flow);
        let c = self.condition_of(flow, together);
        let inner = self.inside(flow, together);
        let mut blocks = vec![self.some_stmts(inner)];
        let mut text = "if ($0) @0".to_owned();
        if self.once_in(2) {
            blocks.push(self.some_stmts(inner));
            text.push_str(" else @1");
        }
        Stmt { text, exprs: vec![c], blocks, ..Stmt::default() }
    }

    /// A counter, which nothing else writes.
    fn counter(&mut self, uniform: bool) -> String {
        let name = self.fresh("i");
        self.decls.push(Decl { name: name.clone(), text: format!("int {name} = 0;") });
        let place = Place { text: name.clone(), ty: INT, uniform, writable: false };
        self.scope.places.push(place);
        name
    }

    fn repeat(&mut self, flow: Flow) -> Option<Stmt> {
        let task = self.task;
        let trips = 1 + self.rng.below(if task { 16 } else { 7 }) as u32;
        if self.runs * trips.max(8) > self.most_runs() {
            return None;
        }
        let together = self.together(flow);
        let i = self.counter(together || task);
        let c = self.condition_of(flow, together);
        let before = std::mem::replace(&mut self.uniform, together && !task);
        let bound = self.value(UINT);
        self.uniform = before;
        let stride = 2 + self.rng.below(3);
        let unroll = self.rng.pick(&[
            "",
            "",
            "#pragma unroll 2\n",
            "#pragma unroll 4\n",
            "#pragma unroll\n",
        ]);
        let (text, exprs, trips) = match self.rng.below(7) {
            0 | 1 => (format!("{unroll}for ({i} = 0; {i} < {trips}; {i}++) @0"), vec![], trips),
            2 => (format!("for ({i} = 0; {i} < (int)($0 & 7u); {i}++) @0"), vec![bound], 7),
            3 => (format!("{i} = 0;\nwhile ($0 && {i}++ < {trips}) @0"), vec![c], trips),
            4 => (format!("{i} = 0;\ndo @0 while ($0 && ++{i} < {trips});"), vec![c], trips),
            5 => {
                (format!("for ({i} = {trips}; {i} > (int)($0 & 3u); {i}--) @0"), vec![bound], trips)
            }
            _ => {
                let end = trips * stride as u32;
                (format!("{unroll}for ({i} = 0; {i} < {end}; {i} += {stride}) @0"), vec![], trips)
            }
        };
        let inner = self.inside(flow, together);
        let inner = Flow { breaks: true, continues: true, ..inner };
        let outer = self.runs;
        self.runs = outer * trips;
        self.seen_runs = self.seen_runs.max(self.runs);
        let body = self.some_stmts(inner);
        self.runs = outer;
        Some(Stmt { text, exprs, blocks: vec![body], catches: BOTH, ..Stmt::default() })
    }

    fn switch(&mut self, flow: Flow) -> Stmt {
        let together = self.together(flow);
        let elem = self.int_elem();
        let before = std::mem::replace(&mut self.uniform, together && !self.task);
        let value = self.value(Ty::scalar(elem));
        self.uniform = before;
        let inner = Flow { breaks: true, ..self.inside(flow, together) };
        let mask = self.rng.pick(&["& 3", "& 7", ""]);
        let promoted = if elem.bits() < 32 { "(int)" } else { "" };
        let mut text = format!("switch ({promoted}$0 {mask}) {{\n");
        let mut blocks = vec![];
        let mut number = 0;
        for _ in 0..2 + self.rng.below(3) {
            for _ in 0..1 + self.rng.below(2) {
                text.push_str(&format!("case {number}: "));
                number += 1 + self.rng.below(2);
            }
            text.push_str(&format!("@{}", blocks.len()));
            // without a break the next case follows
            text.push_str(if self.once_in(4) { "\n" } else { " break;\n" });
            blocks.push(self.some_stmts(inner));
        }
        if self.once_in(2) {
            text.push_str(&format!("default: @{}\n", blocks.len()));
            blocks.push(self.some_stmts(inner));
        }
        text.push('}');
        let catches = Jumps { breaks: true, continues: false };
        Stmt { text, exprs: vec![value], blocks, catches, ..Stmt::default() }
    }

    /// Jumps by name: out of the middle of loops, backwards, and into a loop.
    fn gotos(&mut self, flow: Flow) -> Option<Stmt> {
        if let Some(label) = self.labels.last().cloned()
            && self.once_in(2)
        {
            let c = self.condition();
            return Some(Stmt::simple(format!("if ($0) goto {label};"), vec![c]));
        }
        let inner = match self.task {
            true => Flow { depth: flow.depth - 1, ..flow },
            false => {
                let narrow = flow.uniform;
                let breaks = flow.breaks && !narrow;
                let continues = flow.continues && !narrow;
                Flow { uniform: false, breaks, continues, depth: flow.depth - 1, ..flow }
            }
        };
        let (label, other) = (self.fresh("L"), self.fresh("M"));
        match self.rng.below(3) {
            0 => {
                self.labels.push(label.clone());
                let mut body = self.some_stmts(inner);
                let c = self.condition();
                body.push(Stmt::simple(format!("if ($0) goto {label};"), vec![c]));
                body.extend(self.some_stmts(inner));
                self.labels.pop();
                let text = format!("@0\n{label}: ;");
                Some(Stmt { text, blocks: vec![body], ..Stmt::default() })
            }
            kind => {
                let trips = 1 + self.rng.below(4) as u32;
                if self.runs * (trips + 1) > self.most_runs() {
                    return None;
                }
                let i = self.counter(self.task);
                let (c, again) = (self.condition(), self.condition());
                let outer = self.runs;
                self.runs = outer * (trips + 1);
                self.seen_runs = self.seen_runs.max(self.runs);
                // a label further out is fine, one inside is not there yet
                let mut blocks = vec![self.some_stmts(inner)];
                let (text, exprs) = if kind == 1 {
                    let text = format!(
                        "{i} = 0;\n{label}: ;\n@0\nif ($0 && {i}++ < {trips}) goto {label};"
                    );
                    (text, vec![again])
                } else {
                    blocks.push(self.some_stmts(inner));
                    let text = format!(
                        "{i} = 0;\nif ($0) goto {other};\n{label}: ;\n@0\n{other}: ;\n@1\nif ($1 && {i}++ < {trips}) goto {label};"
                    );
                    (text, vec![c, again])
                };
                self.runs = outer;
                Some(Stmt { text, exprs, blocks, ..Stmt::default() })
            }
        }
    }
}
