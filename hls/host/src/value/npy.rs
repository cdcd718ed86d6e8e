//! NumPy files.

use super::{Array, bad};
use crate::Error;
use abi::ScalarType;
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, WriteOptions, WriterBuilder};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

impl Array {
    /// Reads an array from a NumPy file: C order, little endian, integers or floats.
    ///
    /// # Errors
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) naming the file.
    pub fn read_npy(path: &Path) -> Result<Self, Error> {
        let fail = |problem: String| bad(format!("{}: {problem}", path.display()));
        let file = File::open(path).map_err(|error| fail(error.to_string()))?;
        let mut reader = BufReader::new(file);
        let header = NpyHeader::from_reader(&mut reader)
            .map_err(|error| fail(format!("not a NumPy file: {error}")))?;
        let dtype = header.dtype();
        let scalar = scalar_of(&dtype).ok_or_else(|| {
            fail(format!(
                "dtype {} is not supported, only little-endian integers and floats",
                dtype.descr()
            ))
        })?;
        let shape = header.shape().to_vec();
        if header.order() != Order::C && shape.len() > 1 {
            return Err(fail("Fortran order is not supported, save with order='C'".into()));
        }
        let size = shape
            .iter()
            .try_fold(u64::from(scalar.bytes()), |size, &n| size.checked_mul(n))
            .ok_or_else(|| fail("the shape is too large".into()))?;
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|error| fail(error.to_string()))?;
        if bytes.len() as u64 != size {
            return Err(fail(format!("{} bytes of data, the shape needs {size}", bytes.len())));
        }
        Ok(Self { scalar, shape, bytes })
    }

    /// Writes the array as a NumPy file.
    ///
    /// # Errors
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) naming the file.
    pub fn write_npy(&self, path: &Path) -> Result<(), Error> {
        std::fs::write(path, self.to_npy())
            .map_err(|error| bad(format!("{}: {error}", path.display())))
    }

    /// The contents of the array's NumPy file.
    pub fn to_npy(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len() + 128);
        self.write_to(&mut bytes).expect("memory can be written");
        bytes
    }

    fn write_to(&self, mut writer: &mut Vec<u8>) -> std::io::Result<()> {
        let dtype = dtype_of(self.scalar);
        WriteOptions::new_header_only()
            .dtype(dtype)
            .shape(&self.shape)
            .writer(&mut writer)
            .write_header_only()?;
        writer.write_all(&self.bytes)
    }
}

fn dtype_of(scalar: ScalarType) -> DType {
    let order = if scalar.bytes() == 1 { '|' } else { '<' };
    let kind = match scalar {
        _ if scalar.is_float() => 'f',
        _ if scalar.is_signed() => 'i',
        _ => 'u',
    };
    let code = format!("{order}{kind}{}", scalar.bytes());
    DType::Plain(code.parse().expect("a valid NumPy type code"))
}

fn scalar_of(dtype: &DType) -> Option<ScalarType> {
    let DType::Plain(ty) = dtype else { return None };
    let kind = match ty.type_char() {
        TypeChar::Int => 'i',
        TypeChar::Uint => 'u',
        TypeChar::Float => 'f',
        _ => return None,
    };
    let bytes = ty.num_bytes()?;
    if ty.endianness() == Endianness::Big && bytes > 1 {
        return None;
    }
    ScalarType::from_name(&format!("{kind}{}", 8 * bytes))
}
