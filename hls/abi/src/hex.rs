//! Serde adaptor: optional bytes as a string of lower-case hexadecimal digits.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub(crate) fn serialize<S: Serializer>(
    bytes: &Option<Vec<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match bytes {
        None => serializer.serialize_none(),
        Some(bytes) => {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            serializer.serialize_some(&text)
        }
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<u8>>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return Err(D::Error::custom("odd number of hexadecimal digits"));
    }
    digits
        .chunks(2)
        .map(|pair| {
            let high = (pair[0] as char).to_digit(16)?;
            let low = (pair[1] as char).to_digit(16)?;
            Some((high * 16 + low) as u8)
        })
        .collect::<Option<Vec<u8>>>()
        .map(Some)
        .ok_or_else(|| D::Error::custom("not a hexadecimal digit"))
}
