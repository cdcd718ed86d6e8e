//! Argument values as text: the VALUE grammar of `docs/launches.md`.

mod generate;
mod npy;
pub mod number;

use crate::enqueue::DEFAULT_QUEUE;
use crate::image_value::{ImageValue, parse_sampler};
use crate::pipe_value::PipeValue;
use crate::{Error, ErrorKind};
use abi::ScalarType;
use std::path::Path;

/// An n-dimensional array: the contents of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Type of the elements.
    pub scalar: ScalarType,
    /// Elements in each dimension, the last one fastest; empty for a single element.
    pub shape: Vec<u64>,
    /// The elements in memory order, little endian.
    pub bytes: Vec<u8>,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Contents of a buffer.
    Array(Array),
    /// `bytes:HEX`: raw bytes, of a buffer or of an argument by value.
    Bytes(Vec<u8>),
    /// A scalar, or the components of a vector, as text: the argument's type says how to read it.
    Numbers(Vec<String>),
    /// `local:BYTES`: size of the memory behind a local pointer.
    Local(u64),
    /// `image:ORDER:TYPE:VALUE` or `@image.png`: an image.
    Image(ImageValue),
    /// `sampler:...`: a sampler's word ([`abi::image::sampler`]).
    Sampler(u32),
    /// `pipe:CAPACITY:VALUE`: a pipe.
    Pipe(PipeValue),
    /// `queue`: the default queue on the device; `queue:none`: no queue.
    Queue(u32),
}

pub(crate) fn bad(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

impl Value {
    /// Parses a value. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`ErrorKind::Value`]: not a value, or a file that cannot be read.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Error> {
        if let Some(file) = text.strip_prefix('@') {
            if let Some(image) = ImageValue::parse_files(file, folder) {
                return image.map(Self::Image);
            }
            let path = folder.join(file);
            let extension = path.extension().and_then(|extension| extension.to_str());
            return match extension {
                Some("npy") => Array::read_npy(&path).map(Self::Array),
                _ => Err(bad(format!("`{text}`: expected a .npy or .png file"))),
            };
        }
        let Some((form, rest)) = text.split_once(':') else {
            return if text == "queue" { Ok(Self::Queue(DEFAULT_QUEUE)) } else { numbers(text) };
        };
        match form {
            "bytes" => hex(rest).map(Self::Bytes),
            "local" => rest
                .parse()
                .map(Self::Local)
                .map_err(|_| bad(format!("`{text}`: expected a number of bytes after `local:`"))),
            "image" => ImageValue::parse(rest, folder)
                .map(Self::Image)
                .map_err(|e| bad(format!("`{text}`: {}", e.message))),
            "queue" if rest == "none" => Ok(Self::Queue(0)),
            "sampler" => parse_sampler(rest).map(Self::Sampler),
            "pipe" => PipeValue::parse(rest, folder)
                .map(Self::Pipe)
                .map_err(|e| bad(format!("`{text}`: {}", e.message))),
            _ => generate::parse(form, rest)
                .map(Self::Array)
                .map_err(|error| bad(format!("`{text}`: {}", error.message))),
        }
    }

    /// In words, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Array(array) => format!("a buffer of {}", array.scalar),
            Self::Bytes(bytes) => format!("{} raw bytes", bytes.len()),
            Self::Numbers(texts) if texts.len() == 1 => format!("the number {}", texts[0]),
            Self::Numbers(texts) => format!("{} numbers", texts.len()),
            Self::Local(_) => "a local memory size".into(),
            Self::Image(_) => "an image".into(),
            Self::Sampler(_) => "a sampler".into(),
            Self::Pipe(_) => "a pipe".into(),
            Self::Queue(_) => "a queue".into(),
        }
    }
}

fn numbers(text: &str) -> Result<Value, Error> {
    let texts: Vec<String> = text.split(',').map(str::to_owned).collect();
    match texts.iter().find(|text| !number::is_number(text)) {
        Some(wrong) => Err(bad(format!(
            "`{wrong}` is not a number; a value is a number, `@FILE.npy`, `zeros:T[N]`, `fill:`, `iota:`, \
             `rand:`, `data:`, `bytes:HEX` or `local:BYTES` (docs/launches.md)"
        ))),
        None => Ok(Value::Numbers(texts)),
    }
}

fn hex(text: &str) -> Result<Vec<u8>, Error> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    match digits {
        Some(digits) if digits.len().is_multiple_of(2) => {
            Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
        }
        _ => Err(bad(format!("`bytes:{text}`: expected pairs of hexadecimal digits"))),
    }
}
