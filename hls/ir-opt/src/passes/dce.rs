//! Removal of what nothing uses: pure operations, loads, block parameters, stores to variables on the
//! chip that nothing reads.

use crate::edit;
use base::entity::SecondaryMap;
use ir::analysis::{Base, Cfg, Provenance};
use ir::{Block, Function, Inst, Object, Op, Space, Terminator, Value, ValueDef};

/// Removes dead code in all reachable blocks.
pub fn run(func: &mut Function) {
    edit::remove_unreachable(func);
    remove_write_only(func);
    while remove_redundant_params(func) {}
    let live = live_values(func);
    edit::retain_insts(func, |f, i| {
        let d = &f.insts[i];
        !d.op.is_removable() || d.result.is_some_and(|r| live[r])
    });
    // The parameters of the entry are the function's signature.
    let mut dead: SecondaryMap<Block, Vec<usize>> = SecondaryMap::new();
    for &block in func.layout.iter().skip(1) {
        let params = &func.blocks[block].params;
        dead[block] = (0..params.len()).filter(|k| !live[params[*k]]).collect();
    }
    edit::remove_params(func, &dead);
    remove_objects(func);
}

/// Removes memory objects that nothing names; the others keep their order.
fn remove_objects(func: &mut Function) {
    let mut used: SecondaryMap<Object, bool> = SecondaryMap::new();
    for b in &func.layout {
        for i in &func.blocks[*b].insts {
            if let Op::ObjAddr(o) = func.insts[*i].op {
                used[o] = true;
            }
        }
    }
    if func.objects.keys().all(|o| used[o]) {
        return;
    }
    let mut new: SecondaryMap<Object, Option<Object>> = SecondaryMap::new();
    let old = std::mem::take(&mut func.objects);
    for (o, data) in old {
        if used[o] {
            new[o] = Some(func.objects.push(data));
        }
    }
    for b in &func.layout {
        for i in &func.blocks[*b].insts {
            if let Op::ObjAddr(o) = &mut func.insts[*i].op {
                *o = new[*o].unwrap_or(*o);
            }
        }
    }
}

fn live_values(func: &Function) -> SecondaryMap<Value, bool> {
    let mut live: SecondaryMap<Value, bool> = SecondaryMap::new();
    live.resize(func.values.len());
    let mut stack: Vec<Value> = vec![];
    let mut jumps_to: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for &b in &func.layout {
        for &i in &func.blocks[b].insts {
            if !func.insts[i].op.is_removable() {
                stack.extend(func.insts[i].args.iter().copied());
            }
        }
        let term = &func.blocks[b].term;
        match term {
            Terminator::Branch { cond, .. } => stack.push(*cond),
            Terminator::Switch { value, .. } => stack.push(*value),
            Terminator::Return(Some(v)) => stack.push(*v),
            _ => {}
        }
        for t in term.targets() {
            jumps_to[t.block].push(b);
        }
    }
    while let Some(v) = stack.pop() {
        if std::mem::replace(&mut live[v], true) {
            continue;
        }
        match func.values[v].def {
            ValueDef::Inst(i) => stack.extend(func.insts[i].args.iter().copied()),
            ValueDef::Param(block, k) => {
                for from in &jumps_to[block] {
                    for t in func.blocks[*from].term.targets() {
                        if t.block == block {
                            stack.push(t.args[k as usize]);
                        }
                    }
                }
            }
        }
    }
    live
}

/// Parameters that always get the same value (or themselves) become that value.
fn remove_redundant_params(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let mut incoming: SecondaryMap<Value, Option<Incoming>> = SecondaryMap::new();
    for &b in &cfg.rpo {
        for t in func.blocks[b].term.targets() {
            for (&p, &a) in func.blocks[t.block].params.iter().zip(&t.args) {
                let known = incoming[p].get_or_insert(Incoming::None);
                known.add(p, a);
            }
        }
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut gone: SecondaryMap<Block, Vec<usize>> = SecondaryMap::new();
    let mut any = false;
    for &b in &cfg.rpo {
        for (k, &p) in func.blocks[b].params.iter().enumerate() {
            if let Some(Incoming::One(v)) = incoming[p] {
                // A chain that leads back to itself would be a cycle of parameters.
                if resolve(&map, v) != p {
                    map[p] = Some(v);
                    gone[b].push(k);
                    any = true;
                }
            }
        }
    }
    if any {
        edit::remove_params(func, &gone);
        func.substitute(&map);
    }
    any
}

fn resolve(map: &SecondaryMap<Value, Option<Value>>, mut v: Value) -> Value {
    while let Some(next) = map[v] {
        v = next;
    }
    v
}

#[derive(Clone, Copy)]
enum Incoming {
    None,
    One(Value),
    Many,
}

impl Incoming {
    fn add(&mut self, param: Value, arg: Value) {
        *self = match *self {
            _ if arg == param => return,
            Incoming::None => Incoming::One(arg),
            Incoming::One(v) if v == arg => return,
            _ => Incoming::Many,
        };
    }
}

/// Whether nobody but the kernel itself reads what is stored there.
fn is_own(space: Space) -> bool {
    matches!(space, Space::Private | Space::Local)
}

/// Removes stores to private and local variables from which nothing is read.
fn remove_write_only(func: &mut Function) {
    let cfg = Cfg::new(func);
    if !func.objects.values().any(|o| is_own(o.space)) {
        return;
    }
    let provenance = Provenance::new(func, &cfg);
    let mut read: SecondaryMap<Object, bool> = SecondaryMap::new();
    read.resize(func.objects.len());
    for &b in &cfg.rpo {
        for &i in &func.blocks[b].insts {
            let d = &func.insts[i];
            if d.op.is_effect() {
                // The address that is only written through does not count; an address that goes
                // into memory or to another function does.
                let skip = usize::from(matches!(d.op, Op::Store(_)));
                for base in d.args[skip..].iter().flat_map(|a| provenance.bases(*a)) {
                    if let Base::Object(o) = base {
                        read[o] = true;
                    }
                }
            }
        }
    }
    let removable = |f: &Function, i: Inst| match f.insts[i].op {
        Op::Store(flags) if !flags.volatile => {
            let ptr = f.insts[i].args[0];
            let mut bases = provenance.bases(ptr).peekable();
            bases.peek().is_some()
                && bases.all(|b| match b {
                    Base::Object(o) => is_own(f.objects[o].space) && !read[o],
                    _ => false,
                })
        }
        _ => false,
    };
    edit::retain_insts(func, |f, i| !removable(f, i));
}
