//! Gates in front of segments whose accesses iterations of a loop may make out of order, but for those to one address.

use crate::core::Core;
use crate::onchip;
use crate::operation::net;
use crate::token::{Layout, Stream};
use ir::{Block, Inst};
use rtl::{Expr, Net};
use schedule::{InTurn, Place};

impl Core<'_> {
    /// What comes to a segment, through a gate if accesses of it are held there.
    pub fn hazard_gate(&mut self, block: Block, k: u32, s: Stream, layout: &Layout) -> Stream {
        let schedule = self.sh.s;
        let here = |i: Inst| {
            let inside = schedule.func.blocks[block].insts.contains(&i);
            inside
                && matches!(schedule.place[i], Some(Place::Segment { segment, .. }) if segment == k)
        };
        let pairs = schedule.in_turn.iter().filter(|t| here(t.first));
        let pairs: Vec<(InTurn, u32)> =
            pairs.filter_map(|t| Some((*t, t.window(schedule)?))).collect();
        if pairs.is_empty() {
            return s;
        }
        let key_bits = pairs.iter().map(|(t, _)| t.key(schedule)).map(|(low, high)| high - low);
        let key_bits = key_bits.max().unwrap_or(1);
        let (mut on, mut keys) = ([vec![], vec![]], [vec![], vec![]]);
        for (t, _) in &pairs {
            for (side, inst) in [t.first, t.second].into_iter().enumerate() {
                let (low, high) = t.key(schedule);
                let (happens, key) = self.hazard(inst, s.data, layout, (low, high));
                on[side].push(happens);
                let above = key_bits - (high - low);
                keys[side].push(match above {
                    0 => key,
                    _ => Expr::concat(vec![Expr::Const(above, 0), key]),
                });
            }
        }
        let windows: Vec<u16> =
            pairs.iter().map(|(_, w)| u16::try_from(*w).unwrap_or(u16::MAX)).collect();
        let all = |mut list: Vec<Expr>| {
            list.reverse();
            Expr::concat(list)
        };
        let [first, second] = on.map(all);
        let [first_key, second_key] = keys.map(all);
        let name = format!("{block}_s{k}_safe");
        let b = &mut self.b;
        let passed = Stream::new(b, &name, layout.width());
        let of = |t: &InTurn| schedule.memories[schedule.accesses[&t.first].memory].name.clone();
        let mut names: Vec<String> = pairs.iter().map(|(t, _)| of(t)).collect();
        names.dedup();
        b.instance("clhls_hazard_gate", &format!("u_{name}"))
            .comment(format!(
                "an iteration waits for earlier ones at its addresses in {}",
                names.join(", ")
            ))
            .param("WIDTH", layout.width())
            .param("PAIRS", pairs.len() as u32)
            .param("KEY", key_bits)
            .param("WINDOW", onchip::words_of_16(&windows))
            .input("s_valid", s.valid)
            .output("s_ready", s.ready)
            .input("s_data", s.data)
            .input("s_first", first)
            .input("s_first_key", first_key)
            .input("s_second", second)
            .input("s_second_key", second_key)
            .output("m_valid", passed.valid)
            .input("m_ready", passed.ready)
            .output("m_data", passed.data)
            .done();
        passed
    }

    /// Whether a token makes an access, and the bits of its address that tell what it is of.
    fn hazard(
        &mut self,
        inst: Inst,
        token: Net,
        layout: &Layout,
        (low, high): (u32, u32),
    ) -> (Expr, Expr) {
        let data = &self.sh.s.func.insts[inst];
        let happens = match data.op.predicated() {
            Some(true) => self.value(data.args[data.args.len() - 1], token, layout),
            _ => Expr::bit(true),
        };
        let address = self.value(data.args[0], token, layout);
        let address = net(&mut self.b, address);
        (happens, self.b.slice(address, low, high - low))
    }
}
