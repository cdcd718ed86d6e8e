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
        match &self.large_family {
            Some(family) if self.large.borrow().contains(kernel) => family,
            _ => &self.board.family,
        }
    }

    /// Makes large kernels of finished hardware again with more room for nets. What was made stays where it would not fit the board, or where a
    /// loop's interval would be longer.
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
        let is_large = |area: &Area| self.board.family.for_large(area.lut).is_some();
        let large =
            made.areas.iter().filter(|(name, area)| is_large(area) && !over.contains(*name));
        let large: BTreeSet<String> = large.map(|(name, _)| name.clone()).collect();
        if large.is_empty() {
            return Ok(made);
        }
        self.step("leave room for long nets");
        let remarks = self.remarks.borrow().clone();
        self.large.replace(large.clone());
        let roomy = self.attempt_silently(module, optimised);
        let kept: BTreeSet<String> = match &roomy {
            Ok(roomy) => {
                large.iter().filter(|k| self.keeps_pace(k, &made, roomy)).cloned().collect()
            }
            // The clock leaves no time for more room.
            Err(_) => BTreeSet::new(),
        };
        let made = match roomy {
            Ok(roomy) if kept == large => roomy,
            _ => {
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

    /// Whether a kernel fits the board with more room for nets and no loop of it pays for that.
    fn keeps_pace(&self, kernel: &str, made: &Hardware, roomy: &Hardware) -> bool {
        let fits = roomy.over(self.board).iter().all(|(name, _)| name != kernel);
        let of = |hardware: &Hardware| {
            hardware.schedules.iter().find(|s| s.func.name == kernel).map(intervals)
        };
        let (Some(before), Some(after)) = (of(made), of(roomy)) else { return false };
        let same = before.keys().eq(after.keys());
        fits && same && before.values().zip(after.values()).all(|(b, a)| *a <= *b * LONGER)
    }

    fn remark_room(&self, made: &Hardware, kept: &BTreeSet<String>) {
        for (_, kernel) in made.module.kernels().filter(|(_, f)| kept.contains(&f.name)) {
            let lut = made.areas.get(&kernel.name).map_or(0.0, |a| a.lut);
            let (usual, room) = (&self.board.family, self.family_of(&kernel.name));
            let what = format!(
                "`{}` takes about {lut:.0} LUTs: {:.0} % of the clock period are left for long nets instead of {:.0} %",
                kernel.name,
                100.0 * room.routing_margin,
                100.0 * usual.routing_margin,
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
