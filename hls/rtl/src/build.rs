//! Builds a module net by net.

use crate::names::legal;
use crate::{
    Connection, Direction, Expr, Instance, Module, Net, NetData, Param, Register, Rom, RomRead,
};
use base::entity::PrimaryMap;
use base::{FxHashMap, IndexMap};

/// A module under construction. Names are made legal and unique.
pub struct ModuleBuilder {
    module: Module,
    /// Names, and the last number that was put behind each to make another.
    used: FxHashMap<String, u32>,
}

impl ModuleBuilder {
    /// A module with `clk` and `rst`.
    pub fn new(name: &str, header: Vec<String>) -> Self {
        let module = Module {
            name: legal(name),
            header,
            nets: PrimaryMap::new(),
            assigns: vec![],
            registers: vec![],
            roms: vec![],
            instances: vec![],
            clocked: true,
            ap_ports: false,
        };
        let used = ["clk", "rst", "ap_clk", "ap_rst_n"]
            .map(|name| (name.to_owned(), 1))
            .into_iter()
            .collect();
        ModuleBuilder { module, used }
    }

    /// Makes it a kernel top: external clock and reset are `ap_clk` and `ap_rst_n`.
    pub fn set_ap_ports(&mut self) {
        self.module.ap_ports = true;
    }

    fn fresh(&mut self, name: &str) -> String {
        let base = legal(name);
        if !self.used.contains_key(&base) {
            self.used.insert(base.clone(), 1);
            return base;
        }
        // From the number that was the last one on: large kernels have thousands of nets of one name.
        let mut k = self.used[&base];
        let free = loop {
            k += 1;
            let candidate = format!("{base}_{k}");
            if !self.used.contains_key(&candidate) {
                break candidate;
            }
        };
        self.used.insert(base, k);
        self.used.insert(free.clone(), 1);
        free
    }

    fn add(&mut self, name: &str, width: u32, port: Option<Direction>) -> Net {
        let name = self.fresh(name);
        let width = width.max(1);
        self.module.nets.push(NetData { name, width, port, comment: String::new() })
    }

    /// An input port.
    pub fn input(&mut self, name: &str, width: u32) -> Net {
        self.add(name, width, Some(Direction::Input))
    }

    /// An output port; drive it with [`Self::assign`], a register or an instance.
    pub fn output(&mut self, name: &str, width: u32) -> Net {
        self.add(name, width, Some(Direction::Output))
    }

    /// A net.
    pub fn net(&mut self, name: &str, width: u32) -> Net {
        self.add(name, width, None)
    }

    /// A comment at the declaration of a net.
    pub fn comment(&mut self, net: Net, text: impl Into<String>) {
        self.module.nets[net].comment = text.into();
    }

    /// Name of a net.
    pub fn name(&self, net: Net) -> &str {
        &self.module.nets[net].name
    }

    /// The net called `name`.
    pub fn find(&self, name: &str) -> Option<Net> {
        self.module.nets.iter().find(|(_, d)| d.name == name).map(|(n, _)| n)
    }

    /// Width of a net.
    pub fn width(&self, net: Net) -> u32 {
        self.module.nets[net].width
    }

    /// Width of an expression.
    pub fn expr_width(&self, e: &Expr) -> u32 {
        crate::verify::width(&self.module, e)
    }

    /// Drives a net.
    pub fn assign(&mut self, net: Net, value: impl Into<Expr>) {
        self.module.assigns.push((net, value.into(), String::new()));
    }

    /// Drives a net, with a comment on the line.
    pub fn assign_noted(&mut self, net: Net, value: impl Into<Expr>, note: String) {
        self.module.assigns.push((net, value.into(), note));
    }

    /// A new net driven by an expression.
    pub fn wire(&mut self, name: &str, value: impl Into<Expr>) -> Net {
        let value = value.into();
        let width = self.expr_width(&value);
        let net = self.net(name, width);
        self.assign(net, value);
        net
    }

    /// A register of an expression, without reset: the expression one cycle later.
    pub fn delay(&mut self, name: &str, next: impl Into<Expr>) -> Net {
        let next = next.into();
        let width = self.expr_width(&next);
        let q = self.net(name, width);
        self.register(q, next, None, None);
        q
    }

    /// A register.
    pub fn register(&mut self, q: Net, next: Expr, enable: Option<Expr>, reset: Option<u128>) {
        self.module.registers.push(Register { q, next, enable, reset });
    }

    /// `width` bits of a net from `lo`.
    pub fn slice(&self, net: Net, lo: u32, width: u32) -> Expr {
        if lo == 0 && width == self.width(net) {
            Expr::Net(net)
        } else {
            Expr::Slice { net, lo, width }
        }
    }

    /// A read-only memory; gives the data net. Two equal ones become one with two ports where that saves block RAM.
    pub fn rom(
        &mut self,
        name: &str,
        width: u32,
        entries: Vec<u128>,
        addr: Expr,
        latency: u32,
        enable: Option<Expr>,
    ) -> Net {
        let name = self.fresh(name);
        let data = self.net(&format!("{name}_data"), width);
        let read = RomRead { name: name.clone(), addr, data };
        let rom = Rom { name, width, entries, reads: vec![], latency, enable };
        let addr_width = |e: &Expr| crate::verify::width(&self.module, e);
        let equal = |r: &Rom| {
            r.reads.len() == 1
                && (r.width, r.latency) == (width, latency)
                && addr_width(&r.reads[0].addr) == addr_width(&read.addr)
                && r.enable == rom.enable
                && r.entries == rom.entries
        };
        let other = self.module.roms.iter().position(equal).filter(|_| rom.is_shared());
        match other {
            Some(k) => self.module.roms[k].reads.push(read),
            None => self.module.roms.push(Rom { reads: vec![read], ..rom }),
        }
        data
    }

    /// Starts an instance; finish it with [`InstanceBuilder::done`].
    pub fn instance(&mut self, module: &str, name: &str) -> InstanceBuilder<'_> {
        let name = self.fresh(name);
        let instance = Instance {
            module: module.to_owned(),
            name,
            params: IndexMap::default(),
            ports: IndexMap::default(),
            clocked: true,
            reset: true,
            comment: String::new(),
        };
        InstanceBuilder { owner: self, instance }
    }

    /// The finished module.
    pub fn finish(self) -> Module {
        self.module
    }
}

/// An instance under construction.
pub struct InstanceBuilder<'m> {
    owner: &'m mut ModuleBuilder,
    instance: Instance,
}

impl InstanceBuilder<'_> {
    /// Sets a parameter.
    pub fn param(mut self, name: &str, value: impl Into<Param>) -> Self {
        self.instance.params.insert(name.to_owned(), value.into());
        self
    }

    /// Drives an input port.
    pub fn input(mut self, name: &str, value: impl Into<Expr>) -> Self {
        self.instance.ports.insert(name.to_owned(), Connection::Input(value.into()));
        self
    }

    /// Takes an output port to a net.
    pub fn output(mut self, name: &str, net: Net) -> Self {
        self.instance.ports.insert(name.to_owned(), Connection::Output(Some(net)));
        self
    }

    /// Leaves an output port open.
    pub fn open(mut self, name: &str) -> Self {
        self.instance.ports.insert(name.to_owned(), Connection::Output(None));
        self
    }

    /// A comment line above the instance.
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.instance.comment = text.into();
        self
    }

    /// The module under construction, to look at its nets.
    pub fn builder(&self) -> &ModuleBuilder {
        self.owner
    }

    /// The module has no reset.
    pub fn without_reset(mut self) -> Self {
        self.instance.reset = false;
        self
    }

    /// Adds the instance.
    pub fn done(self) {
        self.owner.module.instances.push(self.instance);
    }
}
