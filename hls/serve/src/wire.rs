//! What XRT's emulation messages need of the wire format of protocol buffers.

/// A value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// A number, of whatever size.
    Number(u64),
    /// Text, bytes or a message.
    Bytes(&'a [u8]),
}

/// The fields of a message, by number.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    fields: Vec<(u64, Value<'a>)>,
}

impl<'a> Message<'a> {
    /// Parses a message; `None` if it is none.
    pub(crate) fn parse(mut rest: &'a [u8]) -> Option<Self> {
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let key = varint(&mut rest)?;
            let value = match key & 7 {
                0 => Value::Number(varint(&mut rest)?),
                1 => Value::Number(little_endian(take(&mut rest, 8)?)),
                2 => {
                    let length = varint(&mut rest)?;
                    Value::Bytes(take(&mut rest, usize::try_from(length).ok()?)?)
                }
                5 => Value::Number(little_endian(take(&mut rest, 4)?)),
                _ => return None,
            };
            fields.push((key >> 3, value));
        }
        Some(Self { fields })
    }

    /// A number; 0 if it is missing.
    pub(crate) fn number(&self, field: u64) -> u64 {
        let found = self.fields.iter().rev().find_map(|(number, value)| match value {
            Value::Number(value) if *number == field => Some(*value),
            _ => None,
        });
        found.unwrap_or(0)
    }

    /// Bytes; none if they are missing.
    pub(crate) fn bytes(&self, field: u64) -> &'a [u8] {
        let found = self.fields.iter().rev().find_map(|(number, value)| match value {
            Value::Bytes(value) if *number == field => Some(*value),
            _ => None,
        });
        found.unwrap_or_default()
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn put_varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Adds a number to a message.
pub(crate) fn put_number(to: &mut Vec<u8>, field: u64, value: u64) {
    put_varint(to, field << 3);
    put_varint(to, value);
}

/// Adds bytes to a message.
pub(crate) fn put_bytes(to: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put_varint(to, field << 3 | 2);
    put_varint(to, bytes.len() as u64);
    to.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's documentation: `a: 150` is 08 96 01, `b: "testing"` is 12 07 and the text.
    #[test]
    fn documented_examples() {
        let mut bytes = Vec::new();
        put_number(&mut bytes, 1, 150);
        put_bytes(&mut bytes, 2, b"testing");
        assert_eq!(bytes, b"\x08\x96\x01\x12\x07testing");
        let message = Message::parse(&bytes).expect("a message");
        assert_eq!((message.number(1), message.bytes(2)), (150, &b"testing"[..]));
        assert_eq!((message.number(3), message.bytes(1)), (0, &b""[..]));
        // fixed64 and fixed32
        let fixed = Message::parse(b"\x09\x0e\0\0\0\0\0\0\x80\x15\x14\0\0\0").expect("a message");
        assert_eq!((fixed.number(1), fixed.number(2)), (0x8000_0000_0000_000e, 20));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for bytes in [&b"\x08"[..], b"\x12\x07test", b"\x0b", b"\x09\0\0", &[0xff; 11]] {
            assert!(Message::parse(bytes).is_none(), "{bytes:x?}");
        }
    }
}
