//! Programs as trees of statements and expressions, which print themselves as OpenCL C.
//!
//! A node is a template and its parts: `$0`, `$1` ... are expressions, `@0`, `@1` ... blocks. Whatever stands in for an
//! expression of some type leaves the program defined, and so does a program without some of its statements: that
//! is what the generator promises for every template, and what the reducer lives on.

use crate::types::Ty;
use std::collections::BTreeSet;
use std::fmt::Write;

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// Its exact type.
    pub ty: Ty,
    /// Its template.
    pub text: String,
    /// `$0`, `$1` ...
    pub args: Vec<Expr>,
}

impl Expr {
    /// An expression of parts.
    pub fn new(ty: Ty, text: impl Into<String>, args: Vec<Expr>) -> Expr {
        Expr { ty, text: text.into(), args }
    }

    /// A number.
    pub fn literal(ty: Ty, bits: u64) -> Expr {
        Expr::new(ty, ty.literal(bits), vec![])
    }

    fn print(&self, out: &mut String) {
        fill(&self.text, out, |kind, n, out| {
            if kind == '$' {
                self.args[n].print(out);
            }
        });
    }

    /// Calls `f` for it and everything in it, whole before parts.
    pub fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        f(self);
        self.args.iter_mut().for_each(|a| a.visit_mut(f));
    }
}

/// Which jumps out of its middle a statement has or takes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Jumps {
    /// `break`
    pub breaks: bool,
    /// `continue`
    pub continues: bool,
}

/// A statement, or several that stay together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stmt {
    /// Its template; `@0` ... stand for blocks with their braces.
    pub text: String,
    /// `$0`, `$1` ...
    pub exprs: Vec<Expr>,
    /// `@0`, `@1` ...
    pub blocks: Vec<Vec<Stmt>>,
    /// Jumps that it does itself.
    pub jumps: Jumps,
    /// Jumps of its blocks that end in it.
    pub catches: Jumps,
}

impl Stmt {
    /// A statement without blocks.
    pub fn simple(text: impl Into<String>, exprs: Vec<Expr>) -> Stmt {
        Stmt { text: text.into(), exprs, ..Stmt::default() }
    }

    /// Jumps that leave it.
    pub fn leaving(&self) -> Jumps {
        let mut all = Jumps::default();
        for inner in self.blocks.iter().flatten().map(Stmt::leaving) {
            all.breaks |= inner.breaks && !self.catches.breaks;
            all.continues |= inner.continues && !self.catches.continues;
        }
        Jumps {
            breaks: all.breaks || self.jumps.breaks,
            continues: all.continues || self.jumps.continues,
        }
    }

    fn print(&self, indent: usize, out: &mut String) {
        for line in self.text.lines() {
            pad(indent, out);
            fill(line, out, |kind, n, out| match kind {
                '$' => self.exprs[n].print(out),
                _ => {
                    out.push_str("{\n");
                    self.blocks[n].iter().for_each(|s| s.print(indent + 1, out));
                    pad(indent, out);
                    out.push('}');
                }
            });
            out.push('\n');
        }
    }
}

fn pad(indent: usize, out: &mut String) {
    (0..indent).for_each(|_| out.push_str("    "));
}

/// Copies a template; `hole` writes what its holes stand for.
fn fill(template: &str, out: &mut String, mut hole: impl FnMut(char, usize, &mut String)) {
    let mut rest = template;
    while let Some(at) = rest.find(['$', '@']) {
        out.push_str(&rest[..at]);
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let kind = rest.as_bytes()[at] as char;
        hole(kind, rest[at + 1..at + 1 + digits].parse().unwrap_or(0), out);
        rest = &rest[at + 1 + digits..];
    }
    out.push_str(rest);
}

/// A declaration that is printed where something uses its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decl {
    /// What it declares.
    pub name: String,
    /// The whole of it.
    pub text: String,
}

/// A function that kernels call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Everything before the body.
    pub head: String,
    /// Its variables.
    pub decls: Vec<Decl>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// What it returns at its end.
    pub result: Expr,
}

/// An argument of the kernel, left out where nothing uses it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub text: String,
    /// What a launch gives it (docs/launches.md).
    pub value: String,
}

/// An index space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// Work-items in each dimension.
    pub global: Vec<u64>,
    /// Those of a work-group, if the launch says.
    pub local: Option<Vec<u64>>,
    /// First global id.
    pub offset: Option<Vec<u64>>,
}

/// A kernel with all it needs, and a launch of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The kernel's name; names of everything else at file scope begin with it, or with `h_`.
    pub name: String,
    /// `-cl-std`
    pub std: &'static str,
    /// Whether it computes in `half`, which is an extension.
    pub halves: bool,
    /// Functions that are the same in every program that has them, in an order in which they can be declared.
    pub helpers: Vec<Decl>,
    /// Types and tables.
    pub globals: Vec<Decl>,
    /// Functions; each calls those before it only.
    pub functions: Vec<Function>,
    /// What stands before `kernel`.
    pub attributes: String,
    /// Arguments.
    pub params: Vec<Param>,
    /// Variables of the kernel.
    pub decls: Vec<Decl>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// How it is launched.
    pub range: Range,
}

/// What is left of a program where nothing is printed that nobody uses.
struct Used<'p> {
    functions: Vec<&'p Function>,
    texts: Vec<String>,
    params: Vec<&'p Param>,
    kernel: String,
    words: BTreeSet<String>,
}

impl Program {
    /// Calls `f` for every list of statements, outer ones first.
    pub fn visit_lists(&mut self, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
        fn list(stmts: &mut Vec<Stmt>, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
            f(stmts);
            stmts.iter_mut().flat_map(|s| &mut s.blocks).for_each(|b| list(b, f));
        }
        list(&mut self.body, f);
        self.functions.iter_mut().rev().for_each(|x| list(&mut x.body, f));
    }

    /// Calls `f` for every expression, whole before parts.
    pub fn visit_exprs(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.visit_lists(&mut |list| {
            list.iter_mut().flat_map(|s| &mut s.exprs).for_each(|e| e.visit_mut(f));
        });
        self.functions.iter_mut().for_each(|x| x.result.visit_mut(f));
    }

    /// The program as a file.
    pub fn source(&self) -> String {
        module(std::slice::from_ref(self))
    }

    /// Its arguments as a launch gives them.
    pub fn arguments(&self) -> Vec<(String, String)> {
        self.used().params.iter().map(|p| (p.name.clone(), p.value.clone())).collect()
    }

    /// What the kernel and its functions come to, without what nothing uses.
    fn used(&self) -> Used<'_> {
        let mut words = BTreeSet::new();
        let kernel = body(&self.decls, &self.body, "", &mut words);
        let params = self.params.iter().filter(|p| words.contains(&p.name)).collect::<Vec<_>>();
        params.iter().for_each(|p| words.extend(identifiers(&p.text)));
        words.extend(identifiers(&self.attributes));
        let (mut functions, mut texts) = (vec![], vec![]);
        for f in self.functions.iter().rev().filter(|f| !f.name.is_empty()) {
            if words.contains(&f.name) {
                let mut result = String::from("    return ");
                f.result.print(&mut result);
                result.push_str(";\n");
                let mut inner = BTreeSet::new();
                let text = body(&f.decls, &f.body, &result, &mut inner);
                words.extend(inner);
                words.extend(identifiers(&f.head));
                functions.push(f);
                texts.push(text);
            }
        }
        functions.reverse();
        texts.reverse();
        Used { functions, texts, params, kernel, words }
    }
}

/// Declarations and statements of a function, and the words in them.
fn body(decls: &[Decl], stmts: &[Stmt], end: &str, words: &mut BTreeSet<String>) -> String {
    let mut text = String::new();
    stmts.iter().for_each(|s| s.print(1, &mut text));
    text.push_str(end);
    words.extend(identifiers(&text));
    let mut kept = vec![];
    for decl in decls.iter().rev().filter(|d| !d.name.is_empty()) {
        if words.contains(&decl.name) {
            words.extend(identifiers(&decl.text));
            kept.push(decl);
        }
    }
    let mut out = String::new();
    for decl in kept.iter().rev() {
        let _ = writeln!(out, "    {}", decl.text);
    }
    out + &text
}

/// Whatever could be a name in a text.
fn identifiers(text: &str) -> impl Iterator<Item = String> + '_ {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !inside(c)).filter(|w| !w.is_empty()).map(str::to_owned)
}

/// Several programs of one language version as a file.
pub fn module(programs: &[Program]) -> String {
    let used: Vec<Used<'_>> = programs.iter().map(Program::used).collect();
    let mut words: BTreeSet<&str> =
        used.iter().flat_map(|u| u.words.iter().map(String::as_str)).collect();
    let mut helpers: Vec<&Decl> = vec![];
    for helper in programs.iter().flat_map(|p| p.helpers.iter().rev()) {
        if words.contains(helper.name.as_str()) && !helpers.iter().any(|h| h.name == helper.name) {
            words.extend(helper.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
            helpers.push(helper);
        }
    }
    // those that others call come first
    helpers.sort_by_key(|h| (helper_rank(&h.name), h.name.clone()));
    let mut bodies = String::new();
    for (program, used) in programs.iter().zip(&used) {
        // types before tables, both in order; a type may be used by another
        let mut wanted: BTreeSet<String> = used.words.clone();
        let mut kept = vec![];
        for decl in program.globals.iter().rev() {
            if wanted.contains(&decl.name) {
                wanted.extend(identifiers(&decl.text));
                kept.push(decl);
            }
        }
        kept.iter().rev().for_each(|d| {
            let _ = writeln!(bodies, "{}\n", d.text);
        });
        for (f, text) in used.functions.iter().zip(&used.texts) {
            let _ = writeln!(bodies, "{}\n{{\n{text}}}\n", f.head);
        }
        let params: Vec<&str> = used.params.iter().map(|p| p.text.as_str()).collect();
        let params = params.join(", ");
        let (before, name) = (&program.attributes, &program.name);
        let _ = writeln!(bodies, "{before}kernel void {name}({params})\n{{\n{}}}\n", used.kernel);
    }
    let mut out = String::new();
    if programs.iter().any(|p| p.halves) {
        out.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    }
    out.push_str("#pragma OPENCL FP_CONTRACT OFF\n\n");
    helpers.iter().for_each(|h| {
        let _ = writeln!(out, "{}\n", h.text);
    });
    out.push_str(bodies.trim_end());
    out.push('\n');
    out
}

/// Helpers of lower rank are called by those of higher.
fn helper_rank(name: &str) -> u32 {
    u32::from(!name.starts_with("h_num_")) + u32::from(name.starts_with("h_mix_"))
}
