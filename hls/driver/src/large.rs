//! Leaves more of the clock period to nets in large kernels: their cells spread over the device, and hardware that fills the period by the
//! delays of smaller designs comes out slower than the clock that was asked for (`[large]` in `delays.toml`).

use crate::failure::Result;
use crate::fit::Hardware;
use crate::pipeline::{Optimised, Pipeline};
use base::Diagnostic;
use ir::{Block, Module};
use schedule::KernelSchedule;
use std::collections::{BTreeMap, BTreeSet};
use target::{Area, Family};

/// How much longer an interval may get: less than what the clock gains.
const LONGER: f64 = 1.05;

impl Pipeline<'_> {
    /// The device's family as a kernel is scheduled for it.
    pub(crate) fn family_of(&self, kernel: &str) -> &Family {
        let level = self.large.borrow().get(kernel).copied();
        level.and_then(|k| self.large_families.get(k)).unwrap_or(&self.board.family)
    }

    /// Makes large kernels of finished hardware again with more room for nets. What was made stays where it would not fit the board, where
    /// fewer copies of it would, or where a loop's interval would be longer.
    ///
    /// # Errors
    /// Those of the steps from ir-opt to rtl-to-area.
    pub(crate) fn leave_room(
        &self,
        made: Hardware,
        module: &Module,
        optimised: &mut Option<Optimised>,
    ) -> Result<Hardware> {
        let over: BTreeSet<String> = made.over(self.board).into_iter().map(|o| o.0).collect();
        let is_large = |area: &Area| self.board.family.is_large(area.lut);
        let large =
            made.areas.iter().filter(|(name, area)| is_large(area) && !over.contains(*name));
        let mut open: BTreeSet<String> = large.map(|(name, _)| name.clone()).collect();
        if open.is_empty() {
            return Ok(made);
        }
        self.step("leave room for long nets");
        let remarks = self.remarks.borrow().clone();
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        let mut last = None;
        for level in 0..self.large_families.len() {
            let tried = open.iter().map(|k| (k.clone(), level));
            self.large.replace(kept.clone().into_iter().chain(tried).collect());
            // A fast clock may leave no time for more room.
            let Ok(roomy) = self.attempt_silently(module, optimised) else { continue };
            open.retain(|kernel| {
                let keeps = self.keeps_pace(kernel, &made, &roomy);
                keeps.then(|| kept.insert(kernel.clone(), level));
                !keeps
            });
            last = Some(roomy);
            if open.is_empty() {
                break;
            }
        }
        let made = match last.filter(|_| open.is_empty()) {
            Some(roomy) => roomy,
            None => {
                self.large.replace(kept.clone());
                // Dumps show the last try, which must then be made.
                let again = !kept.is_empty() || self.options.dump;
                if again { self.attempt_silently(module, optimised)? } else { made }
            }
        };
        self.remarks.replace(remarks);
        self.remark_room(&made, &kept);
        Ok(made)
    }

    /// Whether a kernel fits the board with more room for nets, as often as before, and no loop of it pays for that.
    fn keeps_pace(&self, kernel: &str, made: &Hardware, roomy: &Hardware) -> bool {
        let fits = roomy.over(self.board).iter().all(|(name, _)| name != kernel);
        let of = |hardware: &Hardware| {
            hardware.schedules.iter().find(|s| s.func.name == kernel).map(intervals)
        };
        let (Some(before), Some(after)) = (of(made), of(roomy)) else { return false };
        let units = |hardware: &Hardware| self.units_of(hardware).get(kernel).copied();
        let as_many = units(roomy) >= units(made);
        let same = before.keys().eq(after.keys());
        fits && as_many
            && same
            && before.values().zip(after.values()).all(|(b, a)| *a <= *b * LONGER)
    }

    fn remark_room(&self, made: &Hardware, kept: &BTreeMap<String, usize>) {
        for (_, kernel) in made.module.kernels().filter(|(_, f)| kept.contains_key(&f.name)) {
            let lut = made.areas.get(&kernel.name).map_or(0.0, |a| a.lut);
            let percent = |family: &Family| 100.0 * family.routing_margin;
            let (usual, room) =
                (percent(&self.board.family), percent(self.family_of(&kernel.name)));
            let period = if room > usual {
                format!(
                    "{room:.0} % of the clock period instead of {usual:.0} % are left for them, and more where "
                )
            } else {
                "more time is left for them where ".to_owned()
            };
            let what = format!(
                "`{}` takes about {lut:.0} LUTs, so its nets are long: {period}they lead to many operations or to multipliers",
                kernel.name,
            );
            let remark = Diagnostic::remark("W0321", what).at(kernel.loc);
            self.remarks.borrow_mut().push((kernel.name.clone(), remark));
        }
    }
}

/// Cycles between iterations of each loop.
fn intervals(schedule: &KernelSchedule) -> BTreeMap<Block, f64> {
    schedule.loops.iter().map(|l| (l.header, f64::from(l.ii))).collect()
}
