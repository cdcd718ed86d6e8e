//! The text of `printf`: records that kernels wrote, as the format strings say (OpenCL C, "The printf function").

mod float;
mod format;

use abi::print::{PrintArg, PrintFormat, RECORDS};
use format::Argument;

/// What the kernels of a launch printed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// Text, of whatever encoding the program's strings have.
    pub text: Vec<u8>,
    /// Bytes of records for which the buffer had no room: the end of the text is missing.
    pub lost: u64,
}

impl Printed {
    /// A sentence about what is missing, if something is.
    pub fn warning(&self) -> Option<String> {
        let lost = self.lost;
        let size = abi::print::BUFFER_BYTES;
        (lost > 0).then(|| {
            format!("what kernels print does not fit the buffer of {size} bytes; {lost} bytes of records are lost")
        })
    }
}

/// Takes the text out of a buffer, and clears the buffer for the next launch.
pub fn take(formats: &[PrintFormat], buffer: &mut [u8]) -> Printed {
    let Some(records) = buffer.len().checked_sub(RECORDS as usize) else {
        return Printed::default();
    };
    let reserved = number(buffer, 0, 8);
    let used = usize::try_from(reserved).unwrap_or(usize::MAX).min(records);
    let mut printed = Printed { text: vec![], lost: reserved.saturating_sub(records as u64) };
    let mut rest = &buffer[RECORDS as usize..][..used];
    while let Some(size) = record(formats, rest, &mut printed.text) {
        rest = rest.get(size..).unwrap_or_default();
    }
    if printed.lost > 0 {
        // of the record that did not fit, too
        printed.lost += rest.len() as u64;
    }
    buffer[..RECORDS as usize + used].fill(0);
    printed
}

/// Formats the first of the records; its size. None at the end, or where nothing was written.
fn record(formats: &[PrintFormat], bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let index = number(bytes, 0, 4).checked_sub(1)?;
    let format = formats.get(usize::try_from(index).ok()?)?;
    let (places, mut end) = format.places();
    let mut args = vec![];
    for (arg, &place) in format.args.iter().zip(&places) {
        args.push(match arg {
            PrintArg::Value { bytes: size, lanes, float } => {
                let lane = |k: u32| number(bytes, (place + k * size) as usize, *size as usize);
                Argument::Lanes {
                    lanes: (0..*lanes).map(lane).collect(),
                    bytes: *size,
                    float: *float,
                }
            }
            PrintArg::Text(text) => Argument::Text(text.as_bytes().to_vec()),
            PrintArg::String => {
                let length = number(bytes, place as usize, 4) as u32;
                let start = end as usize;
                end = end.checked_add(length)?;
                Argument::Text(bytes.get(start..end as usize)?.to_vec())
            }
        });
    }
    format::print(&format.format, &args, out);
    Some((end as usize).next_multiple_of(8))
}

/// A little-endian number; bytes past the end are 0.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let byte = |k: usize| u64::from(bytes.get(at + k).copied().unwrap_or(0));
    (0..size).map(|k| byte(k) << (8 * k)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer with records of 16 bytes: a number of a format and an int.
    fn buffer(records: &[(u32, u32)], reserved: u64, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        bytes[..8].copy_from_slice(&reserved.to_le_bytes());
        for (k, (format, value)) in records.iter().enumerate() {
            let at = RECORDS as usize + 8 * k;
            bytes[at..at + 4].copy_from_slice(&(format + 1).to_le_bytes());
            bytes[at + 4..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn formats() -> Vec<PrintFormat> {
        let args = vec![PrintArg::Value { bytes: 4, lanes: 1, float: false }];
        let format = |f: &str| PrintFormat { format: f.into(), args: args.clone() };
        vec![format("<%d>"), format("[%u]\n")]
    }

    #[test]
    fn records_become_text_in_their_order_and_the_buffer_is_cleared() {
        let mut bytes = buffer(&[(0, 5), (1, u32::MAX), (0, u32::MAX)], 24, 256);
        let printed = take(&formats(), &mut bytes);
        assert_eq!(String::from_utf8_lossy(&printed.text), "<5>[4294967295]\n<-1>");
        assert_eq!(printed.warning(), None);
        assert!(bytes.iter().all(|b| *b == 0));
    }

    #[test]
    fn what_does_not_fit_is_told() {
        // room for two records; a third was begun
        let mut bytes = buffer(&[(0, 1), (0, 2)], 32, RECORDS as usize + 20);
        let printed = take(&formats(), &mut bytes);
        assert_eq!(printed.text, b"<1><2>");
        assert_eq!(printed.lost, 16);
        assert!(printed.warning().is_some());
    }

    #[test]
    fn strings_stand_behind_the_values() {
        let args = vec![PrintArg::String, PrintArg::Value { bytes: 1, lanes: 2, float: false }];
        let formats = vec![PrintFormat { format: "%s %v2hhd.".into(), args }];
        let mut bytes = buffer(&[(0, 3)], 16, 128);
        bytes[RECORDS as usize + 8..][..5].copy_from_slice(b"\xff\x07abc"[..5].as_ref());
        assert_eq!(take(&formats, &mut bytes).text, b"abc -1,7.");
    }

    /// Numbers as the C library (glibc 2.36) prints them.
    #[test]
    fn numbers_are_printed_as_the_c_library_does() {
        let print = |format: &str, bits: u64, bytes: u32, float: bool| {
            let arg = Argument::Lanes { lanes: vec![bits], bytes, float };
            let mut out = vec![];
            format::print(format, &[arg], &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        let ints = [
            ("%#o", 0, "0"),
            ("%#08o", 63, "00000077"),
            ("%#.3x", 10, "0x00a"),
            ("%#x", 0, "0"),
            ("%-+7d|", 42, "+42    |"),
            ("% 05d", 42, " 0042"),
            ("%+.0d", 0, "+"),
            ("%05.2d", 7, "   07"),
            ("%hhu", 0x1ff, "255"),
            ("%hd", 0x8000, "-32768"),
        ];
        for (format, value, want) in ints {
            assert_eq!(print(format, value, 4, false), want, "{format}");
        }
        let doubles = [
            ("%g", 100_000.0, "100000"),
            ("%g", 999_999.5, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.000_012_34, "1.234e-05"),
            ("%#g", 1.5, "1.50000"),
            ("%.0f", 0.5, "0"),
            ("%.0f", 1.5, "2"),
            ("%.20f", 0.1, "0.10000000000000000555"),
            ("%010.2e", -12345.678, "-01.23e+04"),
            ("%a", 1.0, "0x1p+0"),
            ("%.0a", 1.999, "0x2p+0"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%012A", -0.1, "-0X1.999999999999AP-4"),
            ("%08f", f64::INFINITY, "     inf"),
            ("%+E", -f64::INFINITY, "-INF"),
        ];
        for (format, value, want) in doubles {
            assert_eq!(print(format, value.to_bits(), 8, true), want, "{format}");
        }
        // half: the smallest number, 1 / 3 and the largest
        for (bits, want) in [(1, "5.96046e-08"), (0x3555, "0.333252"), (0x7bff, "65504")] {
            assert_eq!(print("%g", bits, 2, true), want);
        }
    }
}
