//! Inlining of every call: hardware has no call stack.

use crate::edit;
use base::entity::SecondaryMap;
use base::{Diagnostic, FxHashMap, Loc, Result};
use ir::{
    Block, BlockCall, Func, Function, Inst, InstData, Module, Object, ObjectKind, Op, Table,
    Terminator, Value,
};

/// Replaces each call in each function by the callee's body, callees first. Variables of the
/// callee become variables of the caller, one for each call. Functions that are no kernels are
/// dropped afterwards. A recursive call is an error (`E0301`).
pub fn run(module: &mut Module) -> Result<()> {
    let order = callees_first(module)?;
    for f in order {
        inline_calls(module, f);
    }
    let all = std::mem::take(&mut module.functions);
    for (_, f) in all {
        if f.kernel.is_some() {
            module.functions.push(f);
        }
    }
    Ok(())
}

fn calls(func: &Function) -> Vec<(Func, Inst)> {
    let insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    insts
        .filter_map(|i| match func.insts[*i].op {
            Op::Call(f) => Some((f, *i)),
            _ => None,
        })
        .collect()
}

/// The functions that kernels reach, each after those it calls.
fn callees_first(module: &Module) -> Result<Vec<Func>> {
    #[derive(Clone, Copy, PartialEq, Default)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let mut state: SecondaryMap<Func, State> = SecondaryMap::new();
    let mut order = vec![];
    for (kernel, _) in module.kernels() {
        let mut stack = vec![(kernel, calls(&module.functions[kernel]), 0)];
        if state[kernel] != State::New {
            continue;
        }
        state[kernel] = State::Open;
        while let Some((f, list, next)) = stack.last_mut() {
            let Some(&(callee, inst)) = list.get(*next) else {
                state[*f] = State::Done;
                order.push(*f);
                stack.pop();
                continue;
            };
            *next += 1;
            match state[callee] {
                State::Done => {}
                State::Open => {
                    let loc = module.functions[*f].insts[inst].loc;
                    let name = &module.functions[callee].name;
                    return Err(Diagnostic::error("E0301", format!("`{name}` calls itself"))
                        .at(loc)
                        .note("hardware has no call stack; OpenCL C does not allow recursion")
                        .help("write the recursion as a loop, with an array as its stack")
                        .into());
                }
                State::New => {
                    state[callee] = State::Open;
                    stack.push((callee, calls(&module.functions[callee]), 0));
                }
            }
        }
    }
    Ok(order)
}

fn inline_calls(module: &mut Module, id: Func) {
    let mut todo: Vec<Block> = module.functions[id].layout.clone();
    let mut result_map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut any = false;
    while let Some(block) = todo.pop() {
        let func = &module.functions[id];
        let is_call = |i: &Inst| matches!(func.insts[*i].op, Op::Call(_));
        let Some(at) = func.blocks[block].insts.iter().position(is_call) else { continue };
        let call = func.blocks[block].insts[at];
        let Op::Call(callee) = func.insts[call].op else { continue };
        let body = module.functions[callee].clone();
        any = true;
        let func = &mut module.functions[id];
        todo.push(inline_one(func, block, at, &body, &mut result_map));
    }
    if any {
        let func = &mut module.functions[id];
        func.substitute(&result_map);
        edit::remove_unreachable(func);
    }
}

/// Puts `body` in place of the call at instruction `at` of `block`. Gives the block where the
/// caller goes on.
fn inline_one(
    func: &mut Function,
    block: Block,
    at: usize,
    body: &Function,
    result_map: &mut SecondaryMap<Value, Option<Value>>,
) -> Block {
    let call = func.blocks[block].insts[at];
    let rest = edit::split_block(func, block, at + 1);
    func.blocks[block].insts.pop();
    if let Some(result) = func.insts[call].result {
        let ty = func.ty(result);
        let param = func.add_param(rest, ty);
        result_map[result] = Some(param);
    }
    let mut copier = Copier::new(func, body, func.insts[call].loc);
    for (&p, &a) in body.blocks[body.entry()].params.iter().zip(&func.insts[call].args) {
        copier.values[p] = Some(a);
    }
    let entry = copier.copy_blocks(func, body, rest);
    func.blocks[block].term = Terminator::Jump(BlockCall::new(entry, []));
    rest
}

struct Copier {
    values: SecondaryMap<Value, Option<Value>>,
    insts: FxHashMap<Inst, Inst>,
    blocks: SecondaryMap<Block, Option<Block>>,
    objects: SecondaryMap<Object, Option<Object>>,
    tables: SecondaryMap<Table, Option<Table>>,
    /// Place of the call.
    call: Loc,
}

impl Copier {
    /// Copies objects and tables. A module variable stays one object; tables with the same
    /// contents are shared.
    fn new(func: &mut Function, body: &Function, call: Loc) -> Self {
        let mut c = Copier {
            values: SecondaryMap::new(),
            insts: FxHashMap::default(),
            blocks: SecondaryMap::new(),
            objects: SecondaryMap::new(),
            tables: SecondaryMap::new(),
            call,
        };
        for (o, data) in body.objects.iter() {
            let same = match data.kind {
                ObjectKind::Variable => None,
                _ => func.objects.iter().find(|(_, d)| d.kind == data.kind).map(|(k, _)| k),
            };
            c.objects[o] = Some(same.unwrap_or_else(|| {
                let mut data = data.clone();
                if data.kind == ObjectKind::Variable {
                    data.name = format!("{}.{}", body.name, data.name);
                }
                func.objects.push(data)
            }));
        }
        for (t, data) in body.tables.iter() {
            let same = func.tables.iter().find(|(_, d)| *d == data).map(|(k, _)| k);
            c.tables[t] = Some(same.unwrap_or_else(|| func.tables.push(data.clone())));
        }
        c
    }

    /// Copies all blocks; returns become jumps to `rest`. Gives the copy of the entry.
    fn copy_blocks(&mut self, func: &mut Function, body: &Function, rest: Block) -> Block {
        for &b in &body.layout {
            let copy = func.add_block();
            self.blocks[b] = Some(copy);
            if b != body.entry() {
                for &p in &body.blocks[b].params {
                    self.values[p] = Some(func.add_param(copy, body.ty(p)));
                }
            }
        }
        for &b in &body.layout {
            for &i in &body.blocks[b].insts {
                let data = &body.insts[i];
                let copy = func.make_inst(
                    self.op(data.op),
                    data.args.iter().copied(),
                    data.result.map(|r| body.ty(r)),
                    self.place(data),
                );
                func.insts[copy].fast_math = data.fast_math;
                func.insts[copy].after = data.after.iter().map(|e| self.insts[e]).collect();
                self.insts.insert(i, copy);
                if let (Some(old), Some(new)) = (data.result, func.insts[copy].result) {
                    self.values[old] = Some(new);
                }
                if let Some(copy_block) = self.blocks[b] {
                    func.blocks[copy_block].insts.push(copy);
                }
            }
        }
        for &b in &body.layout {
            self.finish_block(func, body, b, rest);
        }
        self.blocks[body.entry()].unwrap_or(rest)
    }

    /// Where an instruction is. Accesses of functions that are made for their callers, such as those of pipes, are where these
    /// are called: messages and reports name them by their place.
    fn place(&self, data: &InstData) -> Loc {
        if data.loc.is_known() || !data.op.is_effect() { data.loc } else { self.call }
    }

    /// Renames operands, which can be defined in blocks later in the layout.
    fn finish_block(&self, func: &mut Function, body: &Function, b: Block, rest: Block) {
        let Some(copy) = self.blocks[b] else { return };
        for k in 0..func.blocks[copy].insts.len() {
            let inst = func.blocks[copy].insts[k];
            for a in func.insts[inst].args.iter_mut() {
                *a = self.values[*a].unwrap_or(*a);
            }
        }
        let data = &body.blocks[b];
        let mut term = match &data.term {
            Terminator::Return(v) => Terminator::Jump(BlockCall::new(rest, *v)),
            other => other.clone(),
        };
        term.map_uses(|v| self.values[v].unwrap_or(v));
        if !matches!(data.term, Terminator::Return(_)) {
            for t in term.targets_mut() {
                t.block = self.blocks[t.block].unwrap_or(t.block);
            }
        }
        func.blocks[copy].term = term;
        func.blocks[copy].term_loc = data.term_loc;
        func.blocks[copy].hint = data.hint;
    }

    fn op(&self, op: Op) -> Op {
        match op {
            Op::ObjAddr(o) => Op::ObjAddr(self.objects[o].unwrap_or(o)),
            Op::Lookup(t) => Op::Lookup(self.tables[t].unwrap_or(t)),
            other => other,
        }
    }
}
