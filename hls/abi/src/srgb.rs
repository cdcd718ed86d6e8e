//! Linear numbers to sRGB's nonlinear space, in 8 bits.
//!
//! c is 12.92 y below 0.0031308 and 1.055 y^(1/2.4) - 0.055 above; what is written is 255 c, within 0.6 (OpenCL C, "Conversion
//! rules for sRGBA and sBGRA images"). Between 2^-13, below which it is 0, and 1 an eighth of an octave is a straight line of 256
//! steps: `(intercept << 7) + slope * step`, in 65536ths with the half that rounds in it. The lines are fitted to the least greatest
//! error, which is 0.5531; linear values of 8-bit components come back as they were.

/// Bits of `slope` in an entry of [`LINES`], the low ones; `intercept` stands above.
pub const SLOPE_BITS: u32 = 13;
/// Bits of `intercept`.
pub const INTERCEPT_BITS: u32 = 17;
/// Bits of an f32 below those that choose the line.
pub const LINE_SHIFT: u32 = 20;
/// Bits of an f32 below those of the step.
pub const STEP_SHIFT: u32 = 12;
/// The bits of 2^-13.
pub const LEAST: u32 = 0x3900_0000;

/// The lines of the eighths of octaves from 2^-13 on.
#[rustfmt::skip]
pub const LINES: [u32; 104] = [
    0x003a000a, 0x003d600b, 0x0040600a, 0x0043a00a, 0x0046e00a, 0x004a200a, 0x004d400a, 0x0050800a,
    0x0053c017, 0x005a2017, 0x0060a017, 0x00670017, 0x006d8017, 0x0073e017, 0x007a8018, 0x0080c017,
    0x00874030, 0x00942030, 0x00a10030, 0x00ade030, 0x00baa032, 0x00c7a030, 0x00d48030, 0x00e16030,
    0x00ee8064, 0x01080064, 0x0121a064, 0x013b6064, 0x01552064, 0x016f2064, 0x0188a064, 0x01a26064,
    0x01bc00cc, 0x01efa0cb, 0x022360cb, 0x0256e0cb, 0x028a20ca, 0x02bd40c3, 0x02eec0b9, 0x031dc0b4,
    0x034b8155, 0x03a1413f, 0x03f1a12d, 0x043d611f, 0x04858112, 0x04ca4104, 0x050ba0fb, 0x054aa0f0,
    0x058781c8, 0x05f9a1b0, 0x06658193, 0x06cac180, 0x072ae16d, 0x0786415e, 0x07dde150, 0x0831c142,
    0x08832264, 0x091c623b, 0x09aba21c, 0x0a32e1fe, 0x0ab321e6, 0x0b2d61d1, 0x0ba241bd, 0x0c1221ac,
    0x0c7e6331, 0x0d4ae2fc, 0x0e0a22d3, 0x0ebea2ac, 0x0f69e28a, 0x100ce270, 0x10a8e253, 0x113e4240,
    0x11cfa440, 0x12e003fb, 0x13dfa3c1, 0x14d08392, 0x15b4e365, 0x168ea33e, 0x175ec31e, 0x182682ff,
    0x18e7e5b0, 0x1a53a552, 0x1ba8c504, 0x1cea64c2, 0x1e1b848a, 0x1f3dc459, 0x20540428, 0x215e43ff,
    0x2260e795, 0x2446471b, 0x260da6b3, 0x27bb065b, 0x2952260d, 0x2ad5e5ca, 0x2c48c58f, 0x2dac6556,
    0x2f056a21, 0x318d697d, 0x33ed28f4, 0x362a687d, 0x3849a815, 0x3a4f67ba, 0x3c3e276c, 0x3e194720,
];

/// The 8-bit component of a linear number. NaN gives 0.
pub fn nonlinear(y: f32) -> u8 {
    if y.is_nan() || y < f32::from_bits(LEAST) {
        return 0;
    }
    if y >= 1.0 {
        return 255;
    }
    let offset = y.to_bits() - LEAST;
    let line = LINES[(offset >> LINE_SHIFT) as usize];
    let (intercept, slope) = (line >> SLOPE_BITS, line & ((1 << SLOPE_BITS) - 1));
    let step = y.to_bits() >> STEP_SHIFT & 0xff;
    (((intercept << 7) + slope * step) >> 16) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 255 c of the specification.
    fn exact(y: f64) -> f64 {
        let y = y.clamp(0.0, 1.0);
        255.0 * if y < 0.003_130_8 { 12.92 * y } else { 1.055 * y.powf(1.0 / 2.4) - 0.055 }
    }

    /// Where the result may change, and just before: in between it does not, and the exact number rises.
    #[test]
    fn every_number_is_within_the_bound() {
        let mut worst: f64 = 0.0;
        let mut before = 0;
        for bits in (LEAST..0x3f80_0000).step_by(1 << STEP_SHIFT) {
            for bits in [bits, bits + (1 << STEP_SHIFT) - 1] {
                let y = f32::from_bits(bits);
                let x = nonlinear(y);
                assert!(x >= before, "{y} gives {x}, a smaller number {before}");
                before = x;
                worst = worst.max((f64::from(x) - exact(y.into())).abs());
            }
        }
        assert!(worst < 0.5532, "{worst}");
        assert!(exact(f32::from_bits(LEAST).into()) < 0.5);
    }

    #[test]
    fn the_ends_are_kept() {
        let given = [f32::NAN, f32::NEG_INFINITY, -0.0, 1e-40, 1.0, 2.0, f32::INFINITY];
        assert_eq!(given.map(nonlinear), [0, 0, 0, 0, 255, 255, 255]);
    }

    /// The inverse in f64 of each component comes back as the component.
    #[test]
    fn components_come_back() {
        for k in 0..=255u8 {
            let c = f64::from(k) / 255.0;
            let y = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            assert_eq!(nonlinear(y as f32), k);
        }
    }
}
