//! Which pipes come to where in a function, before it is lowered: through phis, selections and variables, in which unoptimised code
//! keeps its arguments.

use super::pipe_value::{Limit, PipeValue, Shape};
use super::{Leaves, Lower, Val};
use crate::constants::Const;
use crate::decode::{Id, Inst};
use crate::errors::{R, UNSUPPORTED, error};
use crate::types::Kind;
use base::{FxHashMap, FxHashSet};
use ir::{MemFlags, Object, ObjectData, ObjectKind, Space, Type, Value};
use rspirv::spirv::{Op, StorageClass};
use std::rc::Rc;

/// Most steps from a pointer back to its variable.
const MOST_STEPS: u32 = 64;

/// What is known of the pipes of a function that are more than descriptors.
#[derive(Default)]
pub(crate) struct PipeFlow {
    /// Of values, and of variables by what they hold.
    shapes: FxHashMap<Id, Rc<Shape>>,
    /// Variables whose address goes elsewhere than to loads and stores.
    escaped: FxHashSet<Id>,
    /// What variables hold beside descriptors.
    held: FxHashMap<Id, Held>,
}

/// Memory beside a variable of a pipe: values of a [`PipeValue`] that are not its descriptor.
#[derive(Clone, Copy, Default)]
struct Held {
    which: Option<Object>,
    limit: Option<Object>,
}

/// The way of pipes through a function, as a graph.
#[derive(Default)]
struct Graph {
    shapes: FxHashMap<Id, Shape>,
    /// Where what comes to an id goes on to.
    next: FxHashMap<Id, Vec<Id>>,
    /// Ids of which more is known than their successors know.
    open: Vec<Id>,
}

impl Graph {
    fn start(&mut self, id: Id, shape: &Shape) {
        self.shapes.entry(id).or_default().join(shape);
        self.open.push(id);
    }

    fn edge(&mut self, from: Id, to: Id) {
        self.next.entry(from).or_default().push(to);
    }

    fn solve(&mut self) {
        while let Some(id) = self.open.pop() {
            let Some(shape) = self.shapes.get(&id).cloned() else { continue };
            for &to in self.next.get(&id).into_iter().flatten() {
                if self.shapes.entry(to).or_default().join(&shape) {
                    self.open.push(to);
                }
            }
        }
    }
}

impl PipeFlow {
    /// What a phi, a selection or a variable can be, if that is more than a descriptor.
    pub fn shape(&self, id: Id) -> Option<Rc<Shape>> {
        self.shapes.get(&id).cloned()
    }
}

impl Lower<'_, '_, '_> {
    /// Follows the pipes of the parameters through the blocks at `order`.
    pub(super) fn follow_pipes(&mut self, order: &[usize]) -> R<()> {
        if !self.vals.values().any(|val| matches!(val, Val::Pipe(_))) {
            return Ok(());
        }
        let spv = self.spv;
        let mut graph = Graph::default();
        for &(id, _) in self.raw.params.iter().filter(|(_, ty)| self.is_pipe_type(*ty)) {
            match self.vals.get(&id) {
                Some(Val::Pipe(pipe)) => graph.start(id, &pipe.shape),
                _ => graph.start(id, &Shape::memory(Limit::Object)),
            }
        }
        let mut escaped = FxHashSet::default();
        for &k in order {
            for inst in &spv.insts[self.raw.blocks[k].insts.clone()] {
                self.follow(inst, &mut graph)?;
                escaped.extend(self.escaping(inst));
            }
        }
        graph.solve();
        let known = graph.shapes.into_iter().filter(|(_, shape)| !shape.is_plain());
        let shapes: FxHashMap<Id, Rc<Shape>> =
            known.map(|(id, shape)| (id, Rc::new(shape))).collect();
        self.link.spend(shapes.len())?;
        self.pipes = PipeFlow { shapes, escaped, held: FxHashMap::default() };
        Ok(())
    }

    /// Adds what an instruction does with pipes.
    fn follow(&self, inst: &Inst, graph: &mut Graph) -> R<()> {
        let mut from_to = |from: Id, to: Id| {
            match self.spv.consts.get(from).map(|c| &c.value) {
                // undefined, or none
                Some(Const::Zero) => return,
                Some(_) => graph.start(from, &Shape::memory(Limit::Object)),
                None => {}
            }
            graph.edge(from, to);
        };
        if inst.op == Op::Store {
            let (pointer, object) = (inst.arg(0)?, inst.arg(1)?);
            if let Some(variable) = self.pipe_variable(pointer)
                && self.is_pipe(object)
            {
                from_to(object, variable);
            }
        }
        let Some(result) = inst.result.filter(|id| self.is_pipe(*id)) else { return Ok(()) };
        match inst.op {
            Op::Phi => inst.args.iter().step_by(2).for_each(|from| from_to(*from, result)),
            Op::Select => inst.args.iter().skip(1).for_each(|from| from_to(*from, result)),
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => from_to(inst.arg(0)?, result),
            Op::Load => match self.pipe_variable(inst.arg(0)?) {
                Some(variable) => from_to(variable, result),
                None => graph.start(result, &Shape::memory(Limit::Object)),
            },
            _ => graph.start(result, &Shape::memory(Limit::Object)),
        }
        Ok(())
    }

    fn is_pipe_type(&self, ty: Id) -> bool {
        self.spv.types.get(ty).is_ok_and(|t| matches!(t.kind, Kind::Pipe { .. }))
    }

    fn is_pipe(&self, id: Id) -> bool {
        self.spv.type_of(id).is_ok_and(|ty| self.is_pipe_type(ty))
    }

    /// The variable of the function that a pointer is the address of, if that is seen at once.
    fn pipe_variable(&self, mut pointer: Id) -> Option<Id> {
        for _ in 0..MOST_STEPS {
            let inst = self.spv.def_inst(pointer)?;
            pointer = match inst.op {
                Op::Bitcast | Op::CopyObject | Op::PtrCastToGeneric | Op::GenericCastToPtr => {
                    *inst.args.first()?
                }
                Op::Variable => {
                    let own = inst.args.first() == Some(&(StorageClass::Function as u32));
                    return own.then_some(pointer);
                }
                _ => return None,
            };
        }
        None
    }

    /// The variables whose address an instruction may use otherwise than to load and store the pipe in it.
    fn escaping(&self, inst: &Inst) -> Vec<Id> {
        let pointers = match inst.op {
            Op::Store => inst.args.get(1..2),
            Op::CopyMemory | Op::CopyMemorySized => inst.args.get(..2),
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::ConvertPtrToU => inst.args.get(..1),
            Op::FunctionCall | Op::Phi | Op::Select | Op::EnqueueKernel | Op::ReturnValue => {
                Some(inst.args)
            }
            _ => None,
        };
        pointers.unwrap_or_default().iter().filter_map(|id| self.pipe_variable(*id)).collect()
    }

    /// Gives a variable memory for what its pipe has beside a descriptor.
    pub(super) fn hold_pipe(&mut self, variable: Id) {
        let Some(shape) = self.pipes.shape(variable) else { return };
        let which = (shape.ways() > 1).then(|| self.word_beside(variable));
        let limit = shape.has_limit().then(|| self.word_beside(variable));
        self.pipes.held.insert(variable, Held { which, limit });
    }

    fn word_beside(&mut self, variable: Id) -> Object {
        self.b.func.objects.push(ObjectData {
            name: format!("pipe_of_{variable}"),
            space: Space::Private,
            size: 4,
            align: 4,
            kind: ObjectKind::Variable,
            loc: self.b.loc,
        })
    }

    /// `OpLoad` of a pipe that is more than a descriptor, if it is one.
    pub(super) fn load_pipe(&mut self, inst: &Inst) -> R<bool> {
        let result = inst.result()?;
        let Some(variable) = self.pipe_variable(inst.arg(0)?) else { return Ok(false) };
        let Some(shape) = self.pipes.shape(variable).filter(|_| self.is_pipe(result)) else {
            return Ok(false);
        };
        let held = self.pipes.held.get(&variable).copied().unwrap_or_default();
        let mut leaves = Leaves::new();
        leaves.extend(held.which.map(|word| self.load_word(word)));
        if shape.has_memory() {
            let pointer = self.pointer(inst, 0)?;
            leaves.extend(self.load_leaves(pointer, inst.ty()?, Default::default())?);
        }
        leaves.extend(held.limit.map(|word| self.load_word(word)));
        self.vals.insert(result, Val::Pipe(PipeValue::of_leaves(shape, leaves)));
        Ok(true)
    }

    /// `OpStore` of a pipe that is more than a descriptor, if it is one.
    pub(super) fn store_pipe(&mut self, inst: &Inst) -> R<bool> {
        let object = inst.arg(1)?;
        let Some(variable) = self.pipe_variable(inst.arg(0)?) else { return Ok(false) };
        let Some(shape) = self.pipes.shape(variable).filter(|_| self.is_pipe(object)) else {
            return Ok(false);
        };
        if self.pipes.escaped.contains(&variable) {
            let [pipe, variable] = [object, variable].map(|id| self.spv.describe(id));
            let what = format!(
                "connected pipe {pipe} is kept in {variable}, whose address is used other than to load and store the pipe"
            );
            return Err(error(UNSUPPORTED, what));
        }
        let ty = self.spv.type_of(object)?;
        let leaves = self.pipe_as(object, &shape, ty)?;
        let pipe = PipeValue::of_leaves(shape.clone(), leaves);
        let held = self.pipes.held.get(&variable).copied().unwrap_or_default();
        for (word, value) in [(held.which, pipe.which()), (held.limit, pipe.limit())] {
            if let (Some(word), Some(value)) = (word, value) {
                let at = self.b.obj_addr(word);
                self.b.store(at, value, MemFlags::aligned(4));
            }
        }
        if shape.has_memory() {
            let pointer = self.pointer(inst, 0)?;
            self.store_leaves(inst, pointer, ty, pipe.descriptor(), Default::default())?;
        }
        Ok(true)
    }

    fn load_word(&mut self, word: Object) -> Value {
        let at = self.b.obj_addr(word);
        self.b.load(Type::I32, at, MemFlags::aligned(4))
    }
}
