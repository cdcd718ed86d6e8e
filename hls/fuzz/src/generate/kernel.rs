//! Functions, arguments and the kernel itself.

use super::Gen;
use super::scope::{Array, Callee, Place, Scope, Takes};
use super::stmt::{Flow, Return};
use crate::tree::{Decl, Function, Param, Program, Range, Stmt};
use crate::types::{INT, Ty, UINT, ULONG};
use abi::ScalarType;

impl Gen {
    pub(super) fn kernel(mut self) -> Program {
        self.task = self.once_in(4);
        self.choose_range();
        self.tables();
        for _ in 0..self.rng.below(3) {
            self.function();
        }
        let dims = self.range.global.len();
        self.scope = Scope::default();
        self.decls = self.id_decls(dims);
        self.params = vec![self.result_param()];
        self.add_ids(dims);
        self.table_arrays();
        self.arguments();
        self.variables();
        let shared = self.profile.statements;
        let flow = Flow {
            uniform: true,
            breaks: false,
            continues: false,
            returns: None,
            depth: if self.settings.small { 2 } else { 3 },
        };
        let mut body = self.stmts(shared, flow);
        if self.once_in(2) {
            let count = 1 + self.rng.below(4);
            let tail = Flow { uniform: false, returns: Some(Return::Kernel), ..flow };
            body.extend(self.stmts(count, tail));
        }
        body.extend(self.digest());
        Program {
            attributes: self.attributes(),
            name: self.name,
            halves: self.profile.halves,
            std: if self.settings.cl20 { "CL2.0" } else { "CL1.2" },
            helpers: self.helpers,
            globals: self.globals,
            functions: self.functions,
            params: self.params,
            decls: self.decls,
            body,
            range: self.range,
        }
    }

    /// Sizes of the launch; whether groups can work together.
    fn choose_range(&mut self) {
        if self.task {
            self.sync.groups = false;
            self.range = Range { global: vec![1], local: Some(vec![1]), offset: None };
            return;
        }
        let locals: &[&[u64]] = match self.rng.below(4) {
            0 | 1 => &[&[1], &[2], &[3], &[4], &[5], &[7], &[8], &[12]],
            2 => &[&[2, 2], &[3, 2], &[4, 3], &[5, 1], &[1, 3]],
            _ => &[&[2, 2, 2], &[3, 1, 2], &[1, 2, 3]],
        };
        let local = locals[self.rng.below(locals.len())].to_vec();
        let mut global: Vec<u64> = vec![];
        for (d, n) in local.iter().enumerate() {
            let groups = 1 + self.rng.below(if d == 0 { 3 } else { 2 }) as u64;
            global.push(n * groups);
        }
        self.sync.group_size = local.iter().product::<u64>() as u32;
        let ragged = self.settings.cl20 && self.once_in(2);
        if ragged {
            let d = self.rng.below(local.len());
            global[d] += self.rng.below(local[d] as usize) as u64;
        }
        self.sync.ragged = ragged;
        self.sync.group_count =
            global.iter().zip(&local).map(|(g, l)| g.div_ceil(*l)).product::<u64>() as u32;
        let offset = match self.once_in(4) {
            true => Some((0..local.len()).map(|_| self.rng.below(20) as u64).collect()),
            false => None,
        };
        self.sync.groups = ragged || !self.once_in(5);
        let local = if self.sync.groups { Some(local) } else { None };
        self.range = Range { global, local, offset };
    }

    fn items(&self) -> u64 {
        self.range.global.iter().product()
    }

    fn attributes(&mut self) -> String {
        let Some(local) = &self.range.local else { return String::new() };
        if self.sync.ragged || !self.task && self.rng.below(2) == 0 {
            return String::new();
        }
        let n = |d: usize| local.get(d).copied().unwrap_or(1);
        format!("__attribute__((reqd_work_group_size({}, {}, {})))\n", n(0), n(1), n(2))
    }

    /// Linear ids, and the digest of everything.
    fn id_decls(&self, dims: usize) -> Vec<Decl> {
        let linear = |id: &dyn Fn(usize) -> String, size: &str| {
            let mut text = id(dims - 1);
            for d in (0..dims - 1).rev() {
                text = format!("({text}) * {size}({d}) + {}", id(d));
            }
            text
        };
        let gid = linear(
            &|d| format!("(get_global_id({d}) - get_global_offset({d}))"),
            "get_global_size",
        );
        let lid = linear(&|d| format!("get_local_id({d})"), "get_local_size");
        let grp = linear(&|d| format!("get_group_id({d})"), "get_num_groups");
        let sizes: Vec<String> = (0..dims).map(|d| format!("get_local_size({d})")).collect();
        let decl = |name: &str, text: String| Decl { name: name.into(), text };
        vec![
            decl("gid", format!("const uint gid = (uint)({gid});")),
            decl("lid", format!("const uint lid = (uint)({lid});")),
            decl("grp", format!("const uint grp = (uint)({grp});")),
            decl("lsz", format!("const uint lsz = (uint)({});", sizes.join(" * "))),
            decl("h", "ulong h = 1UL;".into()),
        ]
    }

    fn result_param(&self) -> Param {
        Param {
            name: "res".into(),
            text: "global ulong *res".into(),
            value: format!("zeros:u64[{}]", self.items()),
        }
    }

    /// Tables in constant memory.
    fn tables(&mut self) {
        for _ in 0..self.rng.below(2) {
            let (ty, len) = (self.ty(), self.rng.pick(&[4u32, 8, 16]));
            let name = self.fresh_global("c");
            let text = self.initialised("constant ", &name, ty, len);
            self.globals.push(Decl { name: name.clone(), text });
            let space = "constant";
            self.tables.push(Array { base: name, ty, len, uniform: true, writable: false, space });
        }
    }

    /// The tables, which functions and kernel see.
    fn table_arrays(&mut self) {
        self.scope.arrays.extend(self.tables.clone());
    }

    fn initialised(&mut self, before: &str, name: &str, ty: Ty, len: u32) -> String {
        let list: Vec<String> = (0..len)
            .map(|_| {
                let bits = self.rng.number() as u64;
                ty.literal(bits)
            })
            .collect();
        format!("{before}{} {name}[{len}] = {{ {} }};", ty.name(), list.join(", "))
    }

    /// A function of values and arrays.
    fn function(&mut self) {
        let outer = std::mem::take(&mut self.scope);
        let decls = std::mem::take(&mut self.decls);
        let task = std::mem::replace(&mut self.task, false);
        let shared = std::mem::take(&mut self.sync);
        self.table_arrays();
        let name = self.fresh_global("f");
        let (mut takes, mut words) = (vec![], vec![]);
        for _ in 0..1 + self.rng.below(3) {
            let (p, ty) = (self.fresh("p"), self.ty());
            words.push(format!("{} {p}", ty.name()));
            takes.push(Takes::Value(ty));
            self.scope.places.push(Place { text: p, ty, uniform: false, writable: true });
        }
        let gives = self.ty();
        if self.once_in(3) {
            let (p, ty, len) = (self.fresh("q"), self.array_ty(), 8);
            // without a name of an address space it is generic in OpenCL C 2.0
            let space = if self.settings.cl20 { "" } else { "__private" };
            words.push(format!("{space} {} *{p}", ty.name()).trim().to_owned());
            takes.push(Takes::Array(ty, len));
            self.scope.arrays.push(Array {
                base: p,
                ty,
                len,
                uniform: false,
                writable: true,
                space,
            });
        } else if self.once_in(3) {
            let (p, ty, len) = (self.fresh("q"), self.array_ty(), 8);
            words.push(format!("global const {} *{p}", ty.name()));
            takes.push(Takes::Table(ty, len, "global"));
            let space = "global";
            self.scope.arrays.push(Array {
                base: p,
                ty,
                len,
                uniform: false,
                writable: false,
                space,
            });
        }
        for _ in 0..1 + self.rng.below(3) {
            let ty = self.ty();
            let text = self.variable("v", ty);
            self.scope.places.push(Place { text, ty, uniform: false, writable: true });
        }
        self.runs = 4;
        self.seen_runs = 1;
        let flow = Flow {
            uniform: false,
            breaks: false,
            continues: false,
            returns: Some(Return::Value(gives)),
            depth: 2,
        };
        let count = 1 + self.rng.below(5);
        let body = self.stmts(count, flow);
        let result = self.value(gives);
        let keep_apart = if self.once_in(3) { "__attribute__((noinline)) " } else { "" };
        let head = format!("{keep_apart}{} {name}({})", gives.name(), words.join(", "));
        let cost = self.seen_runs.max(1);
        self.runs = 1;
        let decls = std::mem::replace(&mut self.decls, decls);
        self.functions.push(Function { name: name.clone(), head, decls, body, result });
        self.callees.push(Callee { name, takes, gives, cost });
        self.scope = outer;
        self.task = task;
        self.sync = shared;
    }

    /// A type of elements of arrays that functions and kernel have in common.
    fn array_ty(&mut self) -> Ty {
        let all = [INT, UINT, ULONG, Ty::scalar(ScalarType::I16), Ty::scalar(ScalarType::U8), INT];
        self.rng.pick(&all)
    }

    fn arguments(&mut self) {
        for _ in 0..1 + self.rng.below(3) {
            self.input();
        }
        for _ in 0..self.rng.below(3) {
            self.scalar_argument();
        }
        if !self.task {
            for _ in 0..self.rng.below(3) {
                self.add_counters();
            }
        }
        for _ in 0..1 + self.rng.below(2) {
            self.output();
        }
        for _ in 0..self.rng.below(3) {
            let ty = if self.once_in(2) { self.array_ty() } else { self.ty() };
            let len = self.rng.pick(&[8u32, 8, 16]);
            let name = self.fresh("a");
            let text = self.initialised("", &name, ty, len);
            self.decls.push(Decl { name: name.clone(), text });
            let (uniform, writable) = (self.task, true);
            let space = "__private";
            self.scope.arrays.push(Array { base: name, ty, len, uniform, writable, space });
        }
    }

    /// What a buffer holds at the start; no NaNs.
    fn contents(&mut self, ty: Ty, len: u64) -> String {
        let seed = self.rng.below(100_000);
        let count = len * u64::from(ty.lanes_in_memory());
        let range = match ty.elem.is_float() {
            true => self.rng.pick(&["", ":-100..100", ":0..1000000"]),
            false => self.rng.pick(&["", "", ":0..5", ":bits"]),
        };
        format!("rand:{}[{count}]:{seed}{range}", ty.elem.name())
    }

    fn input(&mut self) {
        let name = self.fresh("in");
        let ty = match self.rng.below(8) {
            0..=2 => self.ty(),
            3 if self.profile.floats => Ty::scalar(ScalarType::F16),
            _ => self.array_ty(),
        };
        let len = self.rng.pick(&[8u32, 16, 32]);
        let (space, restrict) =
            (self.rng.pick(&["global", "global", "constant"]), self.rng.pick(&["", " restrict "]));
        let constant = if space == "global" { "const " } else { "" };
        let text = format!("{space} {constant}{} *{restrict}{name}", ty.name());
        let value = self.contents(ty, len.into());
        self.params.push(Param { name: name.clone(), text, value });
        self.scope.arrays.push(Array {
            base: name,
            ty,
            len,
            uniform: true,
            writable: false,
            space,
        });
    }

    fn scalar_argument(&mut self) {
        let (name, ty) = (self.fresh("n"), self.ty());
        if ty.elem == ScalarType::F16 {
            return;
        }
        let mut numbers = vec![];
        for _ in 0..ty.lanes {
            let n = self.rng.number() as u64;
            let bits = ty.elem.bits();
            numbers.push(match ty.elem.is_float() {
                true => format!("{}.{}", (n % 200) as i64 - 100, n % 10),
                false if n.is_multiple_of(3) => format!("{}", n % 40),
                false => format!("{:#x}", n & (u64::MAX >> (65 - bits))),
            });
        }
        self.params.push(Param {
            name: name.clone(),
            text: format!("{} {name}", ty.name()),
            value: numbers.join(","),
        });
        self.scope.places.push(Place { text: name, ty, uniform: true, writable: false });
    }

    /// A buffer of which each work-item owns a part.
    fn output(&mut self) {
        let (name, own) = (self.fresh("out"), self.fresh("o"));
        let mut ty = match self.rng.below(8) {
            0..=2 => self.ty(),
            3 if self.profile.floats => Ty::scalar(ScalarType::F16),
            _ => self.array_ty(),
        };
        if ty.lanes == 3 {
            ty.lanes = 4;
        }
        let len = self.rng.pick(&[2u32, 4, 8]);
        let t = ty.name();
        let value = self.contents(ty, u64::from(len) * self.items());
        self.params.push(Param { name: name.clone(), text: format!("global {t} *{name}"), value });
        let text = format!("global {t} *{own} = {name} + gid * {len}u;");
        self.decls.push(Decl { name: own.clone(), text });
        let (uniform, writable) = (self.task, true);
        let space = "global";
        self.scope.arrays.push(Array { base: own, ty, len, uniform, writable, space });
    }

    fn variables(&mut self) {
        for _ in 0..2 + self.rng.below(4) {
            let ty = self.ty();
            let text = self.variable("v", ty);
            let uniform = self.task;
            self.scope.places.push(Place { text, ty, uniform, writable: true });
        }
        for _ in 0..1 + self.rng.below(2) {
            let ty = if self.once_in(2) { INT } else { self.ty() };
            let text = self.variable("u", ty);
            self.scope.places.push(Place { text, ty, uniform: true, writable: true });
        }
        if self.once_in(3) {
            self.structure();
        }
    }

    /// A variable of a structure.
    fn structure(&mut self) {
        let (ty, name) = (self.fresh_global("S"), self.fresh("s"));
        let (mut fields, mut first) = (String::new(), vec![]);
        for _ in 0..2 + self.rng.below(3) {
            let (field, t) = (self.fresh("m"), self.ty());
            fields.push_str(&format!(" {} {field};", t.name()));
            let bits = self.rng.number() as u64;
            first.push(t.literal(bits));
            let (text, uniform) = (format!("{name}.{field}"), self.task);
            self.scope.places.push(Place { text, ty: t, uniform, writable: true });
        }
        let (field, t) = (self.fresh("m"), self.array_ty());
        fields.push_str(&format!(" {} {field}[4];", t.name()));
        first.push(format!("{{ {}, {} }}", t.literal(1), t.literal(2)));
        let (base, uniform, writable) = (format!("{name}.{field}"), self.task, true);
        let space = "__private";
        self.scope.arrays.push(Array { base, ty: t, len: 4, uniform, writable, space });
        self.globals.push(Decl { name: ty.clone(), text: format!("struct {ty} {{{fields} }};") });
        let text = format!("struct {ty} {name} = {{ {} }};", first.join(", "));
        self.decls.push(Decl { name, text });
    }

    /// Everything that variables hold comes into the result.
    fn digest(&mut self) -> Vec<Stmt> {
        let places: Vec<Place> = self.scope.places.iter().filter(|p| p.writable).cloned().collect();
        let mut all = vec![];
        for place in &places {
            let mix = self.mix_helper(place.ty);
            let text = format!("h = h * 31UL + {mix}($0);");
            all.push(Stmt::simple(text, vec![Self::place_value(place)]));
        }
        let arrays: Vec<Array> =
            self.scope.arrays.iter().filter(|a| a.space == "__private").cloned().collect();
        for a in arrays {
            let mix = self.mix_helper(a.ty);
            let i = self.fresh("i");
            self.decls.push(Decl { name: i.clone(), text: format!("int {i} = 0;") });
            let n = a.len;
            let text =
                format!("for ({i} = 0; {i} < {n}; {i}++) h = h * 31UL + {mix}({}[{i}]);", a.base);
            all.push(Stmt::simple(text, vec![]));
        }
        all.push(Stmt::simple("res[gid] = h;", vec![]));
        all
    }
}
