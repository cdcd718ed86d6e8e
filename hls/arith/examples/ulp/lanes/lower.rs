//! From the IR of an operator to steps.

use super::kernels::Banks;
use super::{Action, Class, Place, Program, Step, Tables};
use ir::{Function, InstData, IntCC, Op, Terminator, Value};
use std::collections::BTreeMap;

/// The program of a function of one block whose values are integers.
pub fn lower(func: &Function) -> Program {
    let block = &func.blocks[func.entry()];
    let mut lowering = Lowering::new(func);
    let inputs: Vec<u32> = block
        .params
        .iter()
        .map(|param| {
            let register = lowering.register(Class::of(func.bits(*param)));
            lowering.registers[param.as_u32() as usize] = Some(register);
            register
        })
        .collect();
    for inst in &block.insts {
        lowering.inst(&func.insts[*inst]);
    }
    let Terminator::Return(Some(result)) = &block.term else {
        unreachable!("an operator returns its results");
    };
    let result = lowering.of(*result);
    lowering.finish(&inputs, result)
}

/// Steps whose operands are registers, each written once.
struct Lowering<'f> {
    func: &'f Function,
    steps: Vec<Step>,
    tables: Tables,
    /// Class of each register.
    classes: Vec<Class>,
    /// Register of each value.
    registers: Vec<Option<u32>>,
    constants: BTreeMap<(Class, u128), u32>,
    /// Constant that each register is.
    known: BTreeMap<u32, u128>,
    extended: BTreeMap<(u32, Class), u32>,
}

impl<'f> Lowering<'f> {
    fn new(func: &'f Function) -> Self {
        Lowering {
            func,
            steps: vec![],
            tables: Tables::default(),
            classes: vec![],
            registers: vec![None; func.values.len()],
            constants: BTreeMap::new(),
            known: BTreeMap::new(),
            extended: BTreeMap::new(),
        }
    }

    fn register(&mut self, class: Class) -> u32 {
        self.classes.push(class);
        self.classes.len() as u32 - 1
    }

    fn of(&self, v: Value) -> u32 {
        self.registers[v.as_u32() as usize].expect("values are defined before their uses")
    }

    fn constant(&mut self, class: Class, value: u128) -> u32 {
        if let Some(known) = self.constants.get(&(class, value)) {
            return *known;
        }
        let register = self.register(class);
        self.constants.insert((class, value), register);
        self.known.insert(register, value);
        register
    }

    /// Appends a step; its result.
    fn step(
        &mut self,
        action: Action,
        operands: [u32; 3],
        by: u32,
        class: Class,
        bits: u32,
    ) -> u32 {
        let [mut a, mut b, c] = operands;
        let known = |register| self.known.get(&register).copied();
        if action.is_commutative() && known(b).is_none() && known(a).is_some() {
            (a, b) = (b, a);
        }
        let constant = if action.is_binary() { known(b) } else { None };
        let from = if action == Action::Select { b } else { a };
        let from = self.classes[from as usize];
        let d = self.register(class);
        let (by, width) = (by as u8, bits as u8);
        self.steps.push(Step { action, from, to: class, d, a, b, c, constant, by, width });
        d
    }

    /// The same number in a class that is at least as wide.
    fn extend(&mut self, register: u32, class: Class) -> u32 {
        let from = self.classes[register as usize];
        if from == class {
            return register;
        }
        if let Some(value) = self.known.get(&register).copied() {
            return self.constant(class, value);
        }
        if let Some(known) = self.extended.get(&(register, class)) {
            return *known;
        }
        let bits = [32, 64, 128][from as usize];
        let extended = self.step(Action::Slice, [register; 3], 0, class, bits);
        self.extended.insert((register, class), extended);
        extended
    }

    /// The instruction that defines a value.
    fn definition(&self, v: Value) -> Option<&'f InstData> {
        self.func.def_inst(v).map(|inst| &self.func.insts[inst])
    }

    fn inst(&mut self, data: &'f InstData) {
        let result = data.result.expect("operators have no effects");
        let width = self.func.bits(result);
        let class = Class::of(width);
        let bits = |k: usize| self.func.bits(data.args[k]);
        let args: Vec<u32> = match data.op {
            Op::Const(_) => vec![],
            _ => data.args.iter().map(|v| self.of(*v)).collect(),
        };
        let operands = |args: &[u32]| [0, 1, 2].map(|k| args[k.min(args.len() - 1)]);
        let mut plain = |action, by| self.step(action, operands(&args), by, class, width);
        let register = match data.op {
            Op::Const(value) => self.constant(class, value),
            Op::Add => plain(Action::Add, 0),
            Op::Sub => plain(Action::Sub, 0),
            Op::And => plain(Action::And, 0),
            Op::Or => plain(Action::Or, 0),
            Op::Xor => plain(Action::Xor, 0),
            Op::Not => plain(Action::Not, 0),
            Op::Shl => plain(Action::Shl, 0),
            Op::LShr => plain(Action::LShr, 0),
            Op::AShr => plain(Action::AShr, 0),
            Op::Select => plain(Action::Select, 0),
            Op::ICmp(IntCC::Eq) => plain(Action::Eq, 0),
            Op::ICmp(IntCC::Ult) => plain(Action::Ult, 0),
            Op::ICmp(IntCC::Slt) => plain(Action::Slt, bits(0)),
            Op::Clz => plain(Action::Clz, bits(0)),
            Op::Popcount => plain(Action::Popcount, 0),
            Op::Slice { lo } => self.slice(data, u32::from(lo), width),
            Op::Mul => self.product(data, width),
            Op::Zext => self.extend(args[0], class),
            Op::Sext => {
                let wide = self.extend(args[0], class);
                self.step(Action::Sext, [wide; 3], bits(0), class, width)
            }
            Op::Concat => {
                let (high, low) = (self.extend(args[0], class), self.extend(args[1], class));
                self.step(Action::Concat, [high, low, low], bits(1), class, width)
            }
            Op::Lookup(table) => {
                let words = self.func.tables[table].entries.iter().copied();
                self.lookup(args[0], words, width)
            }
            other => unreachable!("{other:?} is in no operator"),
        };
        self.registers[result.as_u32() as usize] = Some(register);
    }

    /// Parts of a table's words are words of a table of parts.
    fn slice(&mut self, data: &InstData, low: u32, width: u32) -> u32 {
        let class = Class::of(width);
        if let Some(InstData { op: Op::Lookup(table), args, .. }) = self.definition(data.args[0]) {
            let ones = u128::MAX >> (128 - width);
            let words = self.func.tables[*table].entries.iter();
            let words = words.map(|word| word >> low & ones);
            return self.lookup(self.of(args[0]), words, width);
        }
        let whole = self.of(data.args[0]);
        self.step(Action::Slice, [whole; 3], low, class, width)
    }

    fn lookup(&mut self, index: u32, words: impl Iterator<Item = u128>, width: u32) -> u32 {
        let tables = &mut self.tables;
        let class = Class::of(width);
        let table = match class {
            Class::Narrow => {
                tables.narrow.push(words.map(|word| word as u32).collect());
                tables.narrow.len()
            }
            Class::Word => {
                tables.word.push(words.map(|word| word as u64).collect());
                tables.word.len()
            }
            Class::Wide => {
                tables.wide.push(words.collect());
                tables.wide.len()
            }
        };
        // The second operand is no register here.
        let result = self.step(Action::Lookup, [index; 3], 0, class, width);
        self.steps.last_mut().expect("just appended").b = table as u32 - 1;
        result
    }

    /// Wide products mostly are of two words, which is cheaper.
    fn product(&mut self, data: &'f InstData, width: u32) -> u32 {
        let class = Class::of(width);
        let (x, y) = (data.args[0], data.args[1]);
        if class == Class::Wide {
            if let (Some(x), Some(y)) = (self.unsigned_word(x), self.unsigned_word(y)) {
                return self.step(Action::UnsignedProduct, [x, y, y], 0, class, width);
            }
            if self.is_signed_word(x) && self.is_signed_word(y) {
                let (x, y) = (self.signed_word(x), self.signed_word(y));
                return self.step(Action::SignedProduct, [x, y, y], 0, class, width);
            }
        }
        let (x, y) = (self.of(x), self.of(y));
        self.step(Action::Mul, [x, y, y], 0, class, width)
    }

    /// The word that a wide value is an extension of.
    fn unsigned_word(&mut self, v: Value) -> Option<u32> {
        let data = self.definition(v)?;
        match data.op {
            Op::Const(value) if value <= u128::from(u64::MAX) => {
                Some(self.constant(Class::Word, value))
            }
            Op::Zext if self.func.bits(data.args[0]) <= 64 => {
                Some(self.extend(self.of(data.args[0]), Class::Word))
            }
            _ => None,
        }
    }

    fn is_signed_word(&self, v: Value) -> bool {
        let source = |data: &InstData| data.op == Op::Sext && self.func.bits(data.args[0]) <= 64;
        self.definition(v).is_some_and(source)
    }

    /// The word that a wide value is a sign extension of, in all of its 64 bits.
    fn signed_word(&mut self, v: Value) -> u32 {
        let source = self.definition(v).expect("a sign extension").args[0];
        let word = self.extend(self.of(source), Class::Word);
        self.step(Action::Sext, [word; 3], self.func.bits(source), Class::Word, 64)
    }

    /// Drops what nothing uses, and gives registers places that are used again.
    fn finish(mut self, inputs: &[u32], result: u32) -> Program {
        self.remove_dead(result);
        let mut last_use = vec![usize::MAX; self.classes.len()];
        for (k, step) in self.steps.iter().enumerate() {
            operands(step).into_iter().for_each(|r| last_use[r as usize] = k);
        }
        last_use[result as usize] = usize::MAX;
        let mut places = Places::default();
        let mut place_of: Vec<u32> = vec![0; self.classes.len()];
        let is_read = |r: &u32| *r == result || last_use[*r as usize] != usize::MAX;
        self.constants.retain(|_, register| is_read(register));
        for ((class, _), register) in &self.constants {
            last_use[*register as usize] = usize::MAX;
            place_of[*register as usize] = places.take(*class);
        }
        for register in inputs {
            place_of[*register as usize] = places.take(self.classes[*register as usize]);
        }
        for (k, step) in self.steps.iter_mut().enumerate() {
            // The result's place is none of the operands'.
            place_of[step.d as usize] = places.take(step.to);
            for register in operands(step).map(|r| r as usize) {
                if last_use[register] == k {
                    last_use[register] = usize::MAX;
                    places.give(self.classes[register], place_of[register]);
                }
            }
            step.d = place_of[step.d as usize];
            step.a = place_of[step.a as usize];
            if step.action != Action::Lookup {
                step.b = place_of[step.b as usize];
            }
            step.c = place_of[step.c as usize];
        }
        let place = |r: u32| Place { class: self.classes[r as usize], index: place_of[r as usize] };
        let mut banks = Banks::new(places.counts);
        for ((_, value), register) in &self.constants {
            banks.fill(place(*register), *value);
        }
        let inputs = inputs.iter().map(|r| place(*r)).collect();
        let result = place(result);
        Program { steps: self.steps, tables: self.tables, inputs, result, banks }
    }

    fn remove_dead(&mut self, result: u32) {
        let mut used = vec![false; self.classes.len()];
        used[result as usize] = true;
        let mut live = vec![];
        for step in self.steps.iter().rev() {
            if used[step.d as usize] {
                operands(step).into_iter().for_each(|r| used[r as usize] = true);
                live.push(*step);
            }
        }
        live.reverse();
        self.steps = live;
    }
}

/// The registers that a step reads, some more than once.
fn operands(step: &Step) -> [u32; 3] {
    match step.action {
        Action::Lookup => [step.a; 3],
        Action::Select => [step.a, step.b, step.c],
        _ if step.constant.is_some() || !step.action.is_binary() => [step.a; 3],
        _ => [step.a, step.b, step.b],
    }
}

/// Places that are not in use.
#[derive(Default)]
struct Places {
    free: [Vec<u32>; 3],
    counts: [usize; 3],
}

impl Places {
    fn take(&mut self, class: Class) -> u32 {
        let class = class as usize;
        self.free[class].pop().unwrap_or_else(|| {
            self.counts[class] += 1;
            self.counts[class] as u32 - 1
        })
    }

    fn give(&mut self, class: Class, index: u32) {
        self.free[class as usize].push(index);
    }
}
