//! Expressions of any type.

use super::Gen;
use super::scope::{Array, Callee, Takes};
use crate::tree::Expr;
use crate::types::{INT, Ty, UINT};
use abi::ScalarType;

const LANES: [u8; 5] = [2, 3, 4, 8, 16];

impl Gen {
    /// An expression of a type, of a depth that the program's profile says.
    pub(super) fn value(&mut self, ty: Ty) -> Expr {
        let depth = 1 + self.rng.below(self.profile.depth as usize) as u32;
        self.expr(ty, depth)
    }

    /// The same with one value for the whole group.
    pub(super) fn uniform_value(&mut self, ty: Ty) -> Expr {
        let before = std::mem::replace(&mut self.uniform, true);
        let e = self.value(ty);
        self.uniform = before;
        e
    }

    /// A condition.
    pub(super) fn condition(&mut self) -> Expr {
        let depth = self.profile.depth.min(1);
        self.comparison(INT, depth)
    }

    pub(super) fn expr(&mut self, ty: Ty, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        let any = match self.rng.below(14) {
            0 | 1 => Some(self.conversion(ty, depth - 1)),
            2 => Some(self.choice(ty, depth - 1)),
            3 => self.shape(ty, depth - 1),
            4 => self.call(ty, depth - 1),
            5 => self.load(ty, depth - 1),
            6 => Some(self.leaf(ty)),
            _ => None,
        };
        match any {
            Some(e) => e,
            None if ty.elem.is_float() => self.float_expr(ty, depth - 1),
            None => self.int_expr(ty, depth - 1),
        }
    }

    /// A variable, a number, or a variable of another type converted.
    pub(super) fn leaf(&mut self, ty: Ty) -> Expr {
        let uniform = self.uniform;
        let fits: Vec<String> = self
            .scope
            .places
            .iter()
            .filter(|p| p.ty == ty && (p.uniform || !uniform))
            .map(|p| p.text.clone())
            .collect();
        if !fits.is_empty() && !self.once_in(4) {
            let text = fits[self.rng.below(fits.len())].clone();
            return Expr::new(ty, text, vec![]);
        }
        if self.once_in(3) {
            let bits = self.rng.number() as u64;
            return Expr::literal(ty, bits);
        }
        if self.once_in(3)
            && let Some(e) = self.load(ty, 0)
        {
            return e;
        }
        match self.some_place() {
            Some(e) => self.made_to(e, ty),
            None => {
                let bits = self.rng.number() as u64;
                Expr::literal(ty, bits)
            }
        }
    }

    /// Any variable.
    fn some_place(&mut self) -> Option<Expr> {
        let uniform = self.uniform;
        let fits: Vec<(String, Ty)> = self
            .scope
            .places
            .iter()
            .filter(|p| p.uniform || !uniform)
            .map(|p| (p.text.clone(), p.ty))
            .collect();
        if fits.is_empty() {
            return None;
        }
        let (text, ty) = fits[self.rng.below(fits.len())].clone();
        Some(Expr::new(ty, text, vec![]))
    }

    /// An expression of any type as one of type `ty`: lanes cut or repeated, components converted.
    fn made_to(&mut self, e: Expr, ty: Ty) -> Expr {
        let from = e.ty;
        if from.lanes == ty.lanes {
            return self.convert(e, ty.elem);
        }
        let scalar = match from.lanes {
            1 => e,
            n => {
                let k = self.rng.below(n.into());
                Expr::new(from.lane(), format!("($0).s{k:x}"), vec![e])
            }
        };
        let scalar = self.convert(scalar, ty.elem);
        if ty.lanes == 1 {
            scalar
        } else {
            Expr::new(ty, format!("({})($0)", ty.name()), vec![scalar])
        }
    }

    fn conversion(&mut self, ty: Ty, depth: u32) -> Expr {
        if self.once_in(4)
            && let Some(e) = self.reinterpreted(ty, depth)
        {
            return e;
        }
        let elem = self.elem();
        let inner = self.expr(ty.with(elem), depth);
        self.convert(inner, ty.elem)
    }

    /// A conversion of components.
    pub(super) fn convert(&mut self, e: Expr, to: ScalarType) -> Expr {
        let (from, ty) = (e.ty, e.ty.with(to));
        if from == ty {
            return e;
        }
        let modes = ["", "", "_rte", "_rtz", "_rtp", "_rtn"];
        let name = ty.name();
        let text = match (from.elem.is_float(), to.is_float()) {
            (false, false) if ty.lanes == 1 && !self.once_in(3) => format!("({name})($0)"),
            (false, false) if self.once_in(3) => format!("convert_{name}_sat($0)"),
            (false, false) => format!("convert_{name}($0)"),
            (_, true) => format!("convert_{name}{}($0)", self.rng.pick(&modes)),
            (true, false) => {
                let inner = self.no_nan(from, "$0");
                format!("convert_{name}_sat{}({inner})", self.rng.pick(&modes))
            }
        };
        Expr::new(ty, text, vec![e])
    }

    /// `as_` from another type of the same size.
    fn reinterpreted(&mut self, ty: Ty, depth: u32) -> Option<Expr> {
        let mut all = vec![];
        let size = ty.elem.bits() * u32::from(ty.lanes);
        for elem in ScalarType::INTEGERS.into_iter().chain([
            ScalarType::F16,
            ScalarType::F32,
            ScalarType::F64,
        ]) {
            let lanes = size / elem.bits();
            let same = elem.bits() == ty.elem.bits();
            let sensible = same || ty.lanes != 3 && matches!(lanes, 1 | 2 | 4 | 8 | 16);
            let fits = self.profile.has(elem) && self.reinterprets(elem) && elem != ty.elem;
            if sensible && fits && (same || lanes <= u32::from(self.profile.lanes)) {
                all.push(Ty { elem, lanes: if same { ty.lanes } else { lanes as u8 } });
            }
        }
        if all.is_empty() {
            return None;
        }
        let from = self.rng.pick(&all);
        let inner = self.expr(from, depth);
        let name = ty.name();
        let text = match (from.elem.is_float(), ty.elem.is_float()) {
            (_, true) if from.lanes == ty.lanes && !from.elem.is_float() => {
                let bits = ty.with(ty.elem.unsigned()).name();
                format!("{}(as_{bits}($0))", self.bits_helper(ty))
            }
            (true, _) => {
                let inner = self.no_nan(from, "$0");
                self.no_nan(ty, &format!("as_{name}({inner})"))
            }
            (false, _) => self.no_nan(ty, &format!("as_{name}($0)")),
        };
        Some(Expr::new(ty, text, vec![inner]))
    }

    /// One of two values.
    fn choice(&mut self, ty: Ty, depth: u32) -> Expr {
        let truth = ty.truth();
        let c = self.comparison(truth, depth);
        let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
        let name = ty.name();
        let text = match (ty.lanes, self.rng.below(3)) {
            (1, _) => format!("({name})($0 ? $1 : $2)"),
            (_, 0) => "select($2, $1, $0)".to_owned(),
            _ => "($0 ? $1 : $2)".to_owned(),
        };
        Expr::new(ty, text, vec![c, a, b])
    }

    /// Lanes put together, chosen or moved.
    fn shape(&mut self, ty: Ty, depth: u32) -> Option<Expr> {
        if self.profile.lanes == 1 {
            return None;
        }
        let most = self.profile.lanes;
        let shuffles = [2, 4, 8, 16].contains(&ty.lanes);
        let number = |n: u8, k: usize| k % usize::from(n);
        match (ty.lanes, self.rng.below(4)) {
            (n, 0) if n > 1 => {
                let mut parts = vec![];
                let mut left = n;
                while left > 0 {
                    let fits: Vec<u8> =
                        [1, 1, 2, 3, 4, 8].into_iter().filter(|k| *k <= left && *k < n).collect();
                    let lanes = self.rng.pick(&fits);
                    left -= lanes;
                    parts.push(self.expr(Ty { lanes, ..ty }, depth.min(1)));
                }
                let list: Vec<String> = (0..parts.len()).map(|k| format!("${k}")).collect();
                Some(Expr::new(ty, format!("({})({})", ty.name(), list.join(", ")), parts))
            }
            (n, 1) if shuffles && n <= 8 => {
                let from = Ty { lanes: self.rng.pick(&[2, 4, 8]).min(most).max(2), ..ty };
                let mask = ty.with(ty.elem.unsigned());
                let mask = self.expr(mask, depth.min(1));
                let (a, b) = (self.expr(from, depth.min(1)), self.expr(from, depth.min(1)));
                match self.once_in(2) {
                    true => Some(Expr::new(ty, "shuffle($0, $1)", vec![a, mask])),
                    false => Some(Expr::new(ty, "shuffle2($0, $1, $2)", vec![a, b, mask])),
                }
            }
            (n, _) => {
                let wide: Vec<u8> = LANES.into_iter().filter(|l| *l <= most.max(2)).collect();
                let from = Ty { lanes: self.rng.pick(&wide), ..ty };
                let inner = self.expr(from, depth);
                let lanes: String = (0..n)
                    .map(|_| format!("{:x}", number(from.lanes, self.rng.below(16))))
                    .collect();
                let halves = [("lo", 0), ("hi", 1), ("even", 0), ("odd", 1)];
                if from.lanes == 2 * n && self.once_in(3) {
                    let (name, _) = self.rng.pick(&halves);
                    return Some(Expr::new(ty, format!("($0).{name}"), vec![inner]));
                }
                Some(Expr::new(ty, format!("($0).s{lanes}"), vec![inner]))
            }
        }
    }

    /// An element of an array.
    pub(super) fn load(&mut self, ty: Ty, depth: u32) -> Option<Expr> {
        let uniform = self.uniform;
        let fits: Vec<Array> =
            self.scope.arrays.iter().filter(|a| a.uniform || !uniform).cloned().collect();
        if fits.is_empty() {
            return None;
        }
        let same: Vec<&Array> = fits.iter().filter(|a| a.ty == ty).collect();
        // vload of the components of a scalar array
        let parts: Vec<&Array> = fits
            .iter()
            .filter(|a| a.ty == ty.lane() && ty.lanes > 1 && a.len >= u32::from(ty.lanes))
            .collect();
        // bytes of private and owned arrays of integers
        let bytes: Vec<&Array> = fits
            .iter()
            .filter(|a| !a.ty.elem.is_float() && a.ty.lanes == 1 && a.ty.elem.bits() > 8)
            .collect();
        let halves: Vec<&Array> =
            fits.iter().filter(|a| a.ty == Ty::scalar(ScalarType::F16)).collect();
        let index = self.expr(UINT, depth);
        if !parts.is_empty() && self.once_in(2) {
            let a = parts[self.rng.below(parts.len())];
            let lanes = ty.lanes;
            // from any element, or by multiples of the lanes
            let text = if self.once_in(2) {
                let places = a.len + 1 - u32::from(lanes);
                format!("vload{lanes}(0, {} + $0 % {places}u)", a.base)
            } else {
                let mask = (a.len / ty.lanes_in_memory()).max(1) - 1;
                format!("vload{lanes}($0 & {mask}u, {})", a.base)
            };
            return Some(Expr::new(ty, text, vec![index]));
        }
        if ty == Ty::scalar(ScalarType::U8) && !bytes.is_empty() && self.once_in(2) {
            let a = bytes[self.rng.below(bytes.len())];
            let mask = a.len * a.ty.bytes() - 1;
            let constant = if a.writable { "" } else { "const " };
            let text = format!("(({} {constant}uchar *){})[$0 & {mask}u]", a.space, a.base);
            return Some(Expr::new(ty, text, vec![index]));
        }
        if ty.elem == ScalarType::F32 && ty.lanes == 1 && !halves.is_empty() && self.once_in(2) {
            let a = halves[self.rng.below(halves.len())];
            let text = self.no_nan(ty, &format!("vload_half($0 & {}u, {})", a.len - 1, a.base));
            return Some(Expr::new(ty, text, vec![index]));
        }
        if !same.is_empty() {
            let a = same[self.rng.below(same.len())];
            let text = format!("{}[$0 & {}u]", a.base, a.len - 1);
            return Some(Expr::new(ty, text, vec![index]));
        }
        let a = &fits[self.rng.below(fits.len())];
        if a.ty.elem == ScalarType::F16 && !self.profile.halves {
            return None;
        }
        let inner = Expr::new(a.ty, format!("{}[$0 & {}u]", a.base, a.len - 1), vec![index]);
        Some(self.made_to(inner, ty))
    }

    /// A call of a function made before that changes nothing.
    fn call(&mut self, ty: Ty, depth: u32) -> Option<Expr> {
        let uniform = self.uniform;
        let callee = self.callee(|takes| match takes {
            Takes::Value(_) => true,
            Takes::Array(..) => false,
            Takes::Table(..) => !uniform,
        })?;
        let inner = self.call_of(&callee, depth.min(1))?;
        Some(self.made_to(inner, ty))
    }

    /// A function that may be called as often as the place runs.
    pub(super) fn callee(&mut self, fits: impl Fn(&Takes) -> bool) -> Option<Callee> {
        let budget = self.most_runs() / self.runs.max(1);
        let all: Vec<Callee> = self
            .callees
            .iter()
            .filter(|c| c.cost <= budget && c.takes.iter().all(&fits))
            .cloned()
            .collect();
        if all.is_empty() {
            return None;
        }
        let callee = all[self.rng.below(all.len())].clone();
        self.seen_runs = self.seen_runs.max(self.runs * callee.cost);
        Some(callee)
    }

    /// A call with arguments; none if there is no array that it takes.
    pub(super) fn call_of(&mut self, callee: &Callee, depth: u32) -> Option<Expr> {
        let (mut words, mut args) = (vec![], vec![]);
        for takes in &callee.takes {
            match takes {
                Takes::Value(t) => {
                    words.push(format!("${}", args.len()));
                    args.push(self.expr(*t, depth));
                }
                Takes::Array(t, len) => words.push(self.array_like(|a| {
                    a.ty == *t && a.len >= *len && a.space == "__private" && a.writable
                })?),
                Takes::Table(t, len, space) => {
                    words.push(
                        self.array_like(|a| a.ty == *t && a.len >= *len && a.space == *space)?,
                    );
                }
            }
        }
        let text = format!("{}({})", callee.name, words.join(", "));
        Some(Expr::new(callee.gives, text, args))
    }

    fn array_like(&mut self, fits: impl Fn(&Array) -> bool) -> Option<String> {
        let all: Vec<String> =
            self.scope.arrays.iter().filter(|a| fits(a)).map(|a| a.base.clone()).collect();
        if all.is_empty() { None } else { Some(all[self.rng.below(all.len())].clone()) }
    }
}
