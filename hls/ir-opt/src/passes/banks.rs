//! Arrays on the chip divided into banks, so that accesses that provably go to different ones take a port each.
//!
//! ```text
//! __local float a[16][16];                            __local float a_bank0[16], a_bank1[16], ...;
//! a[y][x] = ..;                                       a_bank0[y] = .. if x == 0; a_bank1[y] = .. if x == 1; ...
//! sum += a[y][0] * .. + a[y][1] * .. + ...;           sum += a_bank0[y] * .. + a_bank1[y] * .. + ...;
//! ```
//!
//! Addresses are divided block-cyclically: with blocks of `g` bytes and `n` banks, byte `a` of the array is in bank `a / g mod n`, at
//! `a / (g n) * g + a mod g`. So columns, rows and low bits of an index all can choose the bank (the vendors' tools call these cyclic and
//! block partitions of a dimension). An access whose bank is known goes there. A load of which it is not takes the word from all banks and
//! selects; such a store happens in each bank under the condition that it is the right one.
//!
//! Replicas (`ir-to-schedule/src/replicas.rs`) give loads a port each but leave one for all stores, and each is as large as the
//! array. Banks are taken where they shorten what the ports are asked for ([`demand`]). A small array of a single work-item whose loads wait
//! for its stores is divided into words, which `sroa` makes registers.

mod demand;
mod layout;

use crate::Context;
use crate::edit::{self, Step};
use crate::known::Ranges;
use crate::linear::Addresses;
use base::entity::SecondaryMap;
use base::{Diagnostic, IndexMap, IndexSet};
use demand::Demand;
use ir::analysis::Cfg;
use ir::{
    Block, Builder, Function, GlobalData, Inst, IntCC, MemFlags, Object, ObjectKind, Op, Space,
    Value,
};
use layout::{Layout, Linear, Place};

/// Most banks of an array.
const MOST_BANKS: u64 = 32;
/// Most accesses to single banks that those whose bank is not known become, together.
const MOST_SPREAD: usize = 160;

/// One load or store of an array.
struct Access {
    inst: Inst,
    block: Block,
    /// Where it is in the array.
    offset: Linear,
    bytes: u32,
    /// Whether the sum that `offset` is may differ from the offset, by a multiple of the size of the address space.
    wraps: bool,
    is_store: bool,
    predicated: bool,
}

/// Divides the arrays for which that pays.
pub fn run(func: &mut Function, context: &Context<'_>) {
    if func.kernel.is_none() || context.options.whole_arrays.contains(&func.name) {
        return;
    }
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let plans = plans(func, &ranges);
    if plans.is_empty() {
        return;
    }
    context.divided.set(true);
    let mut banks: IndexMap<Object, Vec<Object>> = IndexMap::default();
    let mut placed: SecondaryMap<Inst, Option<(Object, Layout, Place)>> = SecondaryMap::new();
    for plan in plans {
        remark(func, context, &plan);
        banks.insert(plan.object, objects(func, context, &plan));
        for (inst, place) in plan.places {
            placed[inst] = Some((plan.object, plan.layout, place));
        }
    }
    edit::rewrite(func, |b, inst| match placed.get(inst).cloned().flatten() {
        Some((object, layout, place)) => divide(b, inst, &banks[&object], layout, &place),
        None => Step::Keep,
    });
    super::dce::run(func);
    // Banks of a word are values.
    super::sroa::run(func);
}

/// How an array is divided.
struct Plan {
    object: Object,
    layout: Layout,
    /// Where each access goes.
    places: Vec<(Inst, Place)>,
}

fn plans(func: &Function, ranges: &Ranges) -> Vec<Plan> {
    let arrays = arrays(func, ranges);
    if arrays.is_empty() {
        return vec![];
    }
    let demand = Demand::new(func, ranges);
    let plan = |(object, list): (&Object, &Vec<Access>)| {
        let (layout, places) = choose(func, &demand, *object, list)?;
        let places = list.iter().map(|a| a.inst).zip(places).collect();
        Some(Plan { object: *object, layout, places })
    };
    arrays.iter().filter_map(plan).collect()
}

/// The arrays of which all accesses are known, with these.
fn arrays(func: &Function, ranges: &Ranges) -> IndexMap<Object, Vec<Access>> {
    let mut found: IndexMap<Object, Vec<Access>> = IndexMap::default();
    let mut kept: IndexSet<Object> = IndexSet::default();
    let cfg = Cfg::new(func);
    let mut object_of: SecondaryMap<Value, Option<Object>> = SecondaryMap::new();
    object_of.resize(func.values.len());
    for &block in &cfg.rpo {
        let addresses = Addresses::new(func, ranges, block);
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let pointer = data.args.first().and_then(|p| object_of[*p]);
            let access =
                pointer.and_then(|o| Some((o, access(func, ranges, &addresses, block, inst)?)));
            // An array may stand at any multiple of its alignment.
            let access = access.filter(|(o, a)| func.objects[*o].align >= a.bytes);
            if let (Some(result), Op::PtrAdd) = (data.result, data.op) {
                object_of[result] = pointer;
            }
            if let (Some(result), Op::ObjAddr(o)) = (data.result, data.op) {
                object_of[result] = Some(o).filter(|o| can_be_divided(func, *o));
            }
            let traced = access.is_some() || data.op == Op::PtrAdd;
            let others = data.args.iter().skip(usize::from(traced));
            kept.extend(others.filter_map(|v| object_of[*v]));
            if let Some((o, access)) = access {
                found.entry(o).or_default().push(access);
            }
        }
        func.blocks[block].term.for_each_use(|v| kept.extend(object_of[v]));
    }
    found.retain(|o, _| !kept.contains(o));
    found
}

/// Arrays in local and private memory whose size is known.
fn can_be_divided(func: &Function, object: Object) -> bool {
    let data = &func.objects[object];
    let on_chip = matches!(data.space, Space::Local | Space::Private);
    on_chip && data.size > 0 && !matches!(data.kind, ObjectKind::LocalArg(_))
}

/// A plain load or store of a word.
fn access(
    func: &Function,
    ranges: &Ranges,
    addresses: &Addresses<'_>,
    block: Block,
    inst: Inst,
) -> Option<Access> {
    let data = &func.insts[inst];
    let (flags, is_store) = match data.op {
        Op::Load(flags) => (flags, false),
        Op::Store(flags) => (flags, true),
        _ => return None,
    };
    let bytes = func.accessed_bytes(inst);
    let word = bytes.is_power_of_two() && flags.align() >= bytes && !flags.volatile;
    let address = addresses.of(data.args[0]);
    let whole = matches!(func.def_op(address.root), Some(Op::ObjAddr(_)));
    let offset = Linear::new(func, ranges, block, &address).filter(|_| word && whole)?;
    let (wraps, predicated) = (!offset.never_wraps(func.addr_bits), flags.predicated);
    Some(Access { inst, block, offset, bytes, wraps, is_store, predicated })
}

/// The layout with which the ports are asked for least, and where the accesses go, if that is worth it.
fn choose(
    func: &Function,
    demand: &Demand,
    object: Object,
    list: &[Access],
) -> Option<(Layout, Vec<Place>)> {
    if list.len() < 2 || list.iter().all(|a| a.is_store) || list.iter().all(|a| !a.is_store) {
        return None;
    }
    let data = &func.objects[object];
    let undivided = demand.undivided(list, data);
    let mut best: Option<(demand::Cost, Layout, Vec<Place>)> = None;
    for layout in layout::candidates(list, data.size) {
        let places = list.iter().map(|a| layout.place(a)).collect::<Option<Vec<Place>>>();
        let Some(places) = places else { continue };
        let unknown = places.iter().filter(|p| p.bank.is_none()).count();
        let pays = match layout.is_words(data.size) {
            // Values that a work-item takes along are dearer than RAMs, but for a single one.
            true => {
                let single = demand.task && data.space == Space::Private;
                single && places.iter().all(Place::is_constant)
            }
            // Ports of all banks for most accesses cost as much as another compute unit, and bring less.
            false => 2 * unknown <= places.len(),
        };
        if !pays || unknown * layout.banks as usize > MOST_SPREAD {
            continue;
        }
        let cost = demand.divided(list, data, &layout, &places);
        if cost.is_worth(&undivided) && best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, layout, places));
        }
    }
    best.map(|(_, layout, places)| (layout, places))
}

/// Makes the objects of the banks.
fn objects(func: &mut Function, context: &Context<'_>, plan: &Plan) -> Vec<Object> {
    let whole = func.objects[plan.object].clone();
    let size = plan.layout.bank_bytes(whole.size);
    let bank = |k: u64| {
        let name = format!("{}_bank{k}", whole.name);
        let kind = match whole.kind {
            ObjectKind::Global(_) => ObjectKind::Global(context.add_global(GlobalData {
                name: name.clone(),
                space: whole.space,
                size,
                align: whole.align,
                init: None,
                relocations: vec![],
                loc: whole.loc,
            })),
            kind => kind,
        };
        ir::ObjectData { name, size, kind, ..whole.clone() }
    };
    (0..plan.layout.banks).map(|k| func.objects.push(bank(k))).collect()
}

fn remark(func: &Function, context: &Context<'_>, plan: &Plan) {
    let data = &func.objects[plan.object];
    let Layout { block, banks, .. } = plan.layout;
    let size = plan.layout.bank_bytes(data.size);
    let what = if plan.layout.is_words(data.size) {
        format!("the {banks} words of `{}` are registers", data.name)
    } else {
        format!(
            "`{}` is divided into {banks} banks of {size} bytes, {block} bytes of it to each in turn",
            data.name
        )
    };
    let remark = Diagnostic::remark("W0319", what)
        .at(data.loc)
        .help("an array has two ports, for the accesses of all loops; banks have two each");
    context.remarks.borrow_mut().push(remark);
}

/// Lets an access go to its bank, or to all.
fn divide(
    b: &mut Builder<'_>,
    inst: Inst,
    banks: &[Object],
    layout: Layout,
    place: &Place,
) -> Step {
    let offset = place.offset(b, layout, b.func.objects[banks[0]].size);
    let data = b.func.insts[inst].clone();
    let at = |b: &mut Builder<'_>, bank: usize| {
        let object = b.obj_addr(banks[bank]);
        b.ptr_add(object, offset)
    };
    let flags = |f: MemFlags| MemFlags {
        align_log2: f.align_log2.min(layout.block.trailing_zeros() as u8),
        ..f
    };
    if let Some(bank) = place.bank {
        let pointer = at(b, bank as usize);
        b.func.insts[inst].args[0] = pointer;
        let op = &mut b.func.insts[inst].op;
        *op = match *op {
            Op::Load(f) => Op::Load(flags(f)),
            Op::Store(f) => Op::Store(flags(f)),
            op => op,
        };
        return Step::Keep;
    }
    let number = place.number(b, layout);
    match data.op {
        Op::Load(f) => {
            let Some(result) = data.result else { return Step::Keep };
            let ty = b.func.ty(result);
            let words: Vec<Value> = (0..banks.len())
                .map(|k| {
                    let pointer = at(b, k);
                    let predicate = data.args.get(1).copied();
                    b.value(Op::Load(flags(f)), [pointer].into_iter().chain(predicate), ty)
                })
                .collect();
            Step::Value(select(b, number, &words))
        }
        Op::Store(f) => {
            for k in 0..banks.len() {
                let pointer = at(b, k);
                let this = b.constant(b.func.ty(number), k as u128);
                let mut here = b.icmp(IntCC::Eq, number, this);
                if let Some(&predicate) = data.args.get(2) {
                    here = b.binary(Op::And, here, predicate);
                }
                let f = MemFlags { predicated: true, ..flags(f) };
                b.inst(Op::Store(f), [pointer, data.args[1], here], None);
            }
            Step::Gone
        }
        _ => Step::Keep,
    }
}

/// `words[number]`, as a tree that looks at one bit in each layer, the lowest first.
fn select(b: &mut Builder<'_>, number: Value, words: &[Value]) -> Value {
    let mut layer = words.to_vec();
    let mut bit = 0;
    while layer.len() > 1 {
        let is_odd = b.value(Op::Slice { lo: bit }, [number], ir::Type::BOOL);
        layer = layer
            .chunks(2)
            .map(|pair| match pair {
                [even, odd] => b.select(is_odd, *odd, *even),
                rest => rest[0],
            })
            .collect();
        bit += 1;
    }
    layer[0]
}
