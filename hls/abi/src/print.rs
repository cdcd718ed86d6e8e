//! What kernels print: the buffer that they write records to, and what a record means.
//!
//! A module whose kernels use `printf` has two variables more: [`BUFFER`], in device memory, and [`TABLE`], whose initial
//! bytes are the formats. The buffer begins with a counter of 64 bits: how many bytes of records work-items have reserved.
//! Records begin at [`RECORDS`]; each takes a multiple of 8 bytes. A work-item reserves the room of a record by adding to
//! the counter. Where the end lies behind the buffer's it writes nothing, and `printf` gives -1. So text that is lost is
//! seen by a counter beyond the buffer's end; the records before that are whole. The host reads the records after the
//! launch, in order, and clears what was written.
//!
//! A record is the number of its format plus 1 (an `u32`), then its values, each at a multiple of the size of its elements.
//! A string that is no literal is a `u32`, its length; its bytes stand behind all values. Everything is little endian.

use serde::{Deserialize, Serialize};

/// Name of the variable that records are written to.
pub const BUFFER: &str = "__clhls_printf";
/// Name of the variable whose initial bytes are the formats, as JSON.
pub const TABLE: &str = "__clhls_printf_formats";
/// Bytes of the buffer before the first record.
pub const RECORDS: u64 = 64;
/// Bytes of the buffer: as much as OpenCL asks of a device.
pub const BUFFER_BYTES: u64 = 1 << 20;

/// Where a program's prints are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintBuffer {
    /// Where the buffer begins in the program memory, in bytes.
    pub offset: u64,
    /// Bytes of the buffer.
    pub size: u64,
    /// What records mean, by number.
    pub formats: Vec<PrintFormat>,
}

/// A call of `printf`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PrintFormat {
    /// The format string.
    pub format: String,
    /// Its arguments.
    pub args: Vec<PrintArg>,
}

/// An argument of `printf`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrintArg {
    /// A number, pointer or vector in the record.
    Value {
        /// Bytes of an element: 1, 2, 4 or 8.
        bytes: u32,
        /// Elements.
        lanes: u32,
        /// Floating point, of IEEE 754.
        float: bool,
    },
    /// A literal, which the record does not repeat.
    Text(String),
    /// A string whose bytes stand in the record.
    String,
}

impl PrintFormat {
    /// Where in a record each argument stands (0 for literals), and where the bytes of strings begin.
    pub fn places(&self) -> (Vec<u32>, u32) {
        let mut at = 4;
        let place = |arg: &PrintArg| {
            let (bytes, count) = match arg {
                PrintArg::Value { bytes, lanes, .. } => (*bytes, *lanes),
                PrintArg::Text(_) => return 0,
                PrintArg::String => (4, 1),
            };
            let place = u32::next_multiple_of(at, bytes.max(1));
            at = place + bytes * count;
            place
        };
        let places = self.args.iter().map(place).collect();
        (places, at)
    }
}

/// The conversion characters of a format string that take an argument, in order: `d` and `s` of `"%4d%% %s"`.
pub fn conversions(format: &str) -> Vec<char> {
    pieces(format).into_iter().filter_map(|p| p.conversion.filter(|c| *c != '%')).collect()
}

/// A part of a format string: text, or a conversion with what stands between `%` and its letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'f> {
    /// The text, or flags, width, precision, vector and length of the conversion.
    pub text: &'f str,
    /// The letter of the conversion.
    pub conversion: Option<char>,
}

/// Takes a format string apart. A conversion that is cut off is text.
pub fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = vec![];
    let mut rest = format;
    while !rest.is_empty() {
        let Some(start) = rest.find('%') else {
            pieces.push(Piece { text: rest, conversion: None });
            break;
        };
        if start > 0 {
            pieces.push(Piece { text: &rest[..start], conversion: None });
        }
        let inside = &rest[start + 1..];
        let modifier = |c: char| "+- #0123456789.vhlL".contains(c);
        let Some((end, letter)) = inside.char_indices().find(|(_, c)| !modifier(*c)) else {
            pieces.push(Piece { text: &rest[start..], conversion: None });
            break;
        };
        pieces.push(Piece { text: &inside[..end], conversion: Some(letter) });
        rest = &inside[end + letter.len_utf8()..];
    }
    pieces
}

/// The initial bytes of [`TABLE`].
pub fn table(formats: &[PrintFormat]) -> Vec<u8> {
    serde_json::to_vec(formats).unwrap_or_default()
}

/// The variable called [`BUFFER`] among a module's variables (what names one, its name, its initial bytes), and the formats
/// that the one called [`TABLE`] holds; none if kernels print nothing.
pub fn find<'a, V>(
    variables: impl Iterator<Item = (V, &'a str, Option<&'a [u8]>)>,
) -> Option<(V, Vec<PrintFormat>)> {
    let (mut buffer, mut formats) = (None, None);
    for (variable, name, init) in variables {
        match name {
            BUFFER => buffer = Some(variable),
            TABLE => formats = serde_json::from_slice(init?).ok(),
            _ => {}
        }
    }
    Some((buffer?, formats?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let of = |text, conversion| Piece { text, conversion };
        assert_eq!(
            pieces("a %-5.2v4hlf%% %s"),
            [
                of("a ", None),
                of("-5.2v4hl", Some('f')),
                of("", Some('%')),
                of(" ", None),
                of("", Some('s'))
            ]
        );
        assert_eq!(pieces("50%"), [of("50", None), of("%", None)]);
        assert_eq!(conversions("%4d%% %s%"), ['d', 's']);
    }

    #[test]
    fn values_stand_at_multiples_of_their_elements() {
        let value = |bytes, lanes| PrintArg::Value { bytes, lanes, float: false };
        let args = vec![
            value(1, 3),
            PrintArg::String,
            value(8, 2),
            PrintArg::Text("x".into()),
            value(2, 1),
        ];
        let format = PrintFormat { format: String::new(), args };
        // 4..7, 8..12, 16..32, none, 32..34
        assert_eq!(format.places(), (vec![4, 8, 16, 0, 32], 34));
    }

    #[test]
    fn the_table_holds_the_formats() {
        let formats = vec![PrintFormat { format: "%d\n".into(), args: vec![PrintArg::String] }];
        let bytes = table(&formats);
        let variables = [(1, "a", None), (2, TABLE, Some(&bytes[..])), (3, BUFFER, None)];
        assert_eq!(find(variables.into_iter()), Some((3, formats)));
        assert_eq!(find([(3, BUFFER, None)].into_iter()), None);
    }
}
