//! Piecewise linear, rising functions of a width.

use serde::Deserialize;

/// A function of a width given by points `(width, value)`: the first value below the first point, straight lines between
/// points, the last line's slope beyond the last point. Never falls ([`Curve::check`]).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Curve {
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// Why this is not a curve, if it is not: no points, widths not ascending, a value negative, falling or not finite.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.points.is_empty() {
            return Err("a curve needs at least one point [width, value]".to_owned());
        }
        if let Some(bad) = self
            .points
            .iter()
            .find(|p| !p.0.is_finite() || !p.1.is_finite() || p.0 < 0.0 || p.1 < 0.0)
        {
            return Err(format!(
                "[{}, {}] is not a point of a curve: both must be finite, none negative",
                bad.0, bad.1
            ));
        }
        match self.points.windows(2).find(|w| w[1].0 <= w[0].0 || w[1].1 < w[0].1) {
            Some(w) => Err(format!(
                "[{}, {}] after [{}, {}]: widths must ascend and values must not fall",
                w[1].0, w[1].1, w[0].0, w[0].1
            )),
            None => Ok(()),
        }
    }

    /// The value at `x`. The curve has been checked.
    pub(crate) fn at(&self, x: u32) -> f64 {
        let x = f64::from(x);
        let last = self.points.len() - 1;
        let next = self.points.partition_point(|p| p.0 < x);
        match next {
            0 => self.points[0].1,
            _ if last == 0 => self.points[0].1,
            _ => {
                let hi = next.min(last);
                let (a, b) = (self.points[hi - 1], self.points[hi]);
                a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> Curve {
        Curve { points: points.to_vec() }
    }

    #[test]
    fn interpolates_and_extends() {
        let c = curve(&[(2.0, 1.0), (4.0, 2.0), (8.0, 6.0)]);
        let expect =
            [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.5), (4, 2.0), (6, 4.0), (8, 6.0), (10, 8.0)];
        for (x, y) in expect {
            assert_eq!(c.at(x), y, "at {x}");
        }
        assert_eq!(curve(&[(1.0, 3.0)]).at(1), 3.0);
        assert_eq!(curve(&[(1.0, 3.0)]).at(64), 3.0);
    }

    #[test]
    fn refuses_what_is_not_a_rising_function() {
        assert!(curve(&[(1.0, 1.0), (2.0, 1.0)]).check().is_ok());
        for bad in [
            &[][..],
            &[(1.0, -1.0)],
            &[(1.0, f64::NAN)],
            &[(1.0, 2.0), (1.0, 3.0)],
            &[(1.0, 2.0), (2.0, 1.0)],
        ] {
            assert!(curve(bad).check().is_err(), "{bad:?}");
        }
    }
}
