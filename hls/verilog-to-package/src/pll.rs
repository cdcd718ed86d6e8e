//! Dividers of the ECP5's phase-locked loop.

use serde::Serialize;

/// Settings of an EHXPLLL with its feedback on the first output: output = input / `input_div` * `feedback_div`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pll {
    /// CLKI_DIV.
    pub input_div: u32,
    /// CLKFB_DIV.
    pub feedback_div: u32,
    /// CLKOP_DIV: the oscillator inside runs this many times as fast as the output.
    pub output_div: u32,
    /// CLKOP_CPHASE: puts the output's edge on the feedback's.
    pub phase: u32,
}

/// Slowest and fastest comparison of input and feedback, MHz (ECP5 data sheet, sysCLOCK PLL timing).
const COMPARE_MHZ: (f64, f64) = (3.125, 400.0);
/// Slowest and fastest oscillator, MHz.
const OSCILLATOR_MHZ: (f64, f64) = (400.0, 800.0);
/// Slowest and fastest output, MHz.
const OUTPUT_MHZ: (f64, f64) = (10.0, 400.0);

impl Pll {
    /// Output frequency for an input frequency, MHz.
    pub fn output_mhz(&self, input_mhz: f64) -> f64 {
        input_mhz * f64::from(self.feedback_div) / f64::from(self.input_div)
    }
}

/// The settings whose output is nearest to `output_mhz` from below; among those the smallest input divider, and an
/// oscillator near 600 MHz. `None` when the loop cannot make such a frequency.
pub fn ecp5_pll(input_mhz: f64, output_mhz: f64) -> Option<Pll> {
    if !(OUTPUT_MHZ.0..=OUTPUT_MHZ.1).contains(&output_mhz) {
        return None;
    }
    let mut best: Option<(f64, Pll)> = None;
    for input_div in 1..=128u32 {
        let compare = input_mhz / f64::from(input_div);
        if !(COMPARE_MHZ.0..=COMPARE_MHZ.1).contains(&compare) {
            continue;
        }
        // a hair above, so that exact ratios do not round down
        let feedback_div = (output_mhz / compare * (1.0 + 1e-9)).floor() as u32;
        let output = compare * f64::from(feedback_div);
        if !(1..=80).contains(&feedback_div)
            || best.is_some_and(|(b, _)| output <= b * (1.0 + 1e-9))
        {
            continue;
        }
        let output_div = ((600.0 / output).round() as u32).clamp(1, 128);
        if (OSCILLATOR_MHZ.0..=OSCILLATOR_MHZ.1).contains(&(output * f64::from(output_div))) {
            best =
                Some((output, Pll { input_div, feedback_div, output_div, phase: output_div / 2 }));
        }
    }
    best.map(|(_, pll)| pll)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Project Trellis' `ecppll -i 25 -o <MHz>` answers.
    #[test]
    fn agrees_with_ecppll() {
        for (output, input_div, feedback_div, output_div) in
            [(50.0, 1, 2, 12), (80.0, 5, 16, 7), (100.0, 1, 4, 6), (66.0, 8, 21, 9)]
        {
            let pll = ecp5_pll(25.0, output).unwrap();
            assert_eq!((pll.input_div, pll.feedback_div), (input_div, feedback_div), "{output}");
            // either of two oscillator frequencies may be nearest to 600 MHz
            assert!(pll.output_div.abs_diff(output_div) <= 1, "{output}: {pll:?}");
        }
    }

    #[test]
    fn never_above_the_clock_asked_for_and_within_limits() {
        for mhz in 10..=400 {
            let pll = ecp5_pll(25.0, f64::from(mhz)).unwrap();
            let output = pll.output_mhz(25.0);
            assert!(
                output <= f64::from(mhz) + 1e-6 && output > 0.88 * f64::from(mhz),
                "{mhz}: {output}"
            );
            let oscillator = output * f64::from(pll.output_div);
            assert!((400.0..=800.0).contains(&oscillator), "{mhz}: oscillator at {oscillator}");
        }
        assert_eq!(ecp5_pll(25.0, 5.0), None);
        assert_eq!(ecp5_pll(25.0, 500.0), None);
    }
}
