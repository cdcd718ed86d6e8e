//! Argument values matched with a kernel's signature.

use crate::device::{describe, format_mismatch, packet_mismatch};
use crate::value::number;
use crate::{Array, Error, ErrorKind, PipeValue, Value};
use abi::{Arg, ArgKind, ImageDescriptor, KernelSignature, PipeDescriptor, ScalarType};

/// A value in the form its argument needs.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundArg {
    /// Contents of the buffer behind a pointer to global or constant memory.
    Buffer(Array),
    /// An image: its descriptor without the texels' address, and the texels of each mip level.
    Image(ImageDescriptor, Vec<Array>),
    /// A pipe: its descriptor without the object's address, and the value.
    Pipe(PipeDescriptor, PipeValue),
    /// Size in bytes of the memory behind a local pointer.
    Local(u64),
    /// A value, as its bytes in memory.
    Value(Vec<u8>),
}

/// Matches values with the arguments of a kernel by name or number.
///
/// # Errors
/// [`ErrorKind::ArgIndex`] for a name or number the kernel does not have,
/// [`ErrorKind::KernelArgs`] for an argument that is missing or given twice, and the errors of [`bind`].
pub fn bind_all(
    kernel: &KernelSignature,
    values: &[(String, Value)],
) -> Result<Vec<BoundArg>, Error> {
    let mut bound: Vec<Option<BoundArg>> = vec![None; kernel.args.len()];
    for (name, value) in values {
        let arg = kernel.arg(name).ok_or_else(|| unknown(kernel, name))?;
        let slot = &mut bound[arg.index as usize];
        if slot.is_some() {
            return Err(Error::new(
                ErrorKind::KernelArgs,
                format!("{} is given twice", describe(kernel, arg)),
            ));
        }
        *slot = Some(bind(kernel, arg, value)?);
    }
    let missing: Vec<&Arg> = kernel
        .args
        .iter()
        .zip(&bound)
        .filter_map(|(arg, bound)| bound.is_none().then_some(arg))
        .collect();
    if let Some(first) = missing.first() {
        let more: String = missing[1..]
            .iter()
            .map(|arg| format!(", `{}` ({})", arg.name, arg.describe_type()))
            .collect();
        let verb = if missing.len() == 1 { "is" } else { "are" };
        return Err(Error::new(
            ErrorKind::KernelArgs,
            format!("{}{more} {verb} missing", describe(kernel, first)),
        ));
    }
    Ok(bound.into_iter().flatten().collect())
}

fn unknown(kernel: &KernelSignature, name: &str) -> Error {
    let known: Vec<String> =
        kernel.args.iter().map(|arg| format!("`{}` ({})", arg.name, arg.describe_type())).collect();
    let has = if known.is_empty() { "no arguments".into() } else { known.join(", ") };
    Error::new(
        ErrorKind::ArgIndex,
        format!("kernel `{}` has no argument `{name}`; it has {has}", kernel.name),
    )
}

/// Brings a value into the form that an argument needs.
///
/// Buffers must have elements of the argument's size and sort (integer or floating point; signs may
/// differ); buffers of `u8` are raw memory and fit every pointer.
///
/// # Errors
/// [`ErrorKind::ArgValue`], [`ErrorKind::ArgSize`] or [`ErrorKind::Value`] (a number that does not fit
/// its type), naming the argument and what was expected.
pub fn bind(kernel: &KernelSignature, arg: &Arg, value: &Value) -> Result<BoundArg, Error> {
    let fail = |kind, problem: String| {
        Err(Error::new(kind, format!("{}: {problem}", describe(kernel, arg))))
    };
    match (arg.kind, value) {
        (ArgKind::GlobalPtr | ArgKind::ConstantPtr, Value::Array(array)) => {
            match element_mismatch(arg, array) {
                Some(problem) => fail(ErrorKind::ArgValue, problem),
                None => Ok(BoundArg::Buffer(array.clone())),
            }
        }
        (ArgKind::GlobalPtr | ArgKind::ConstantPtr, Value::Bytes(bytes)) => {
            Ok(BoundArg::Buffer(Array {
                scalar: ScalarType::U8,
                shape: vec![bytes.len() as u64],
                bytes: bytes.clone(),
            }))
        }
        (ArgKind::LocalPtr, &Value::Local(size)) => Ok(BoundArg::Local(size)),
        (ArgKind::Scalar, Value::Bytes(bytes)) if bytes.len() == arg.size as usize => {
            Ok(BoundArg::Value(bytes.clone()))
        }
        (ArgKind::Scalar, Value::Bytes(bytes)) => {
            fail(ErrorKind::ArgSize, format!("expected {} bytes, got {}", arg.size, bytes.len()))
        }
        (ArgKind::Scalar, Value::Numbers(texts)) => match by_value(arg, texts) {
            Ok(bytes) => Ok(BoundArg::Value(bytes)),
            Err(error) => fail(error.kind, error.message),
        },
        (ArgKind::Image, Value::Image(image)) => match image.levels(&arg.type_name) {
            Ok((descriptor, levels)) => match format_mismatch(arg, descriptor) {
                Some(problem) => fail(ErrorKind::ArgValue, problem),
                None => Ok(BoundArg::Image(descriptor, levels)),
            },
            Err(problem) => fail(ErrorKind::ArgValue, problem),
        },
        (ArgKind::Sampler, Value::Sampler(word)) => {
            Ok(BoundArg::Value(word.to_le_bytes().to_vec()))
        }
        (ArgKind::Queue, Value::Queue(number)) => {
            let mut bytes = number.to_le_bytes().to_vec();
            bytes.resize(arg.size as usize, 0);
            Ok(BoundArg::Value(bytes))
        }
        (ArgKind::Pipe, Value::Pipe(pipe)) => match pipe.descriptor() {
            Ok(descriptor) => match packet_mismatch(arg, descriptor) {
                Some(problem) => fail(ErrorKind::ArgValue, problem),
                None => Ok(BoundArg::Pipe(descriptor, pipe.clone())),
            },
            Err(problem) => fail(ErrorKind::ArgValue, problem),
        },
        _ => fail(
            ErrorKind::ArgValue,
            format!("expected {}, got {}", expected_form(arg), value.describe()),
        ),
    }
}

fn expected_form(arg: &Arg) -> String {
    match arg.kind {
        ArgKind::LocalPtr => "the size of its local memory (`local:BYTES`)".into(),
        ArgKind::Image => "an image (`@FILE.png`, `image:rgba:unorm8:VALUE`, ...)".into(),
        ArgKind::Pipe => "a pipe (`pipe:CAPACITY:VALUE`)".into(),
        ArgKind::Queue => "a queue on the device (`queue`, `queue:none`)".into(),
        ArgKind::Sampler => "a sampler (`sampler:normalized,clamp,linear`, ...)".into(),
        ArgKind::Scalar => match arg.element {
            Some(element) if element.lanes == 1 => format!("a number ({})", element.scalar),
            Some(element) => {
                format!("{} numbers ({}) joined with commas", element.lanes, element.scalar)
            }
            None => format!("{} raw bytes (`bytes:HEX`)", arg.size),
        },
        _ => {
            let ty = arg.element.map_or(ScalarType::U8, |element| element.scalar);
            format!("a buffer (`@FILE.npy`, `zeros:{ty}[N]`, ...)")
        }
    }
}

fn element_mismatch(arg: &Arg, array: &Array) -> Option<String> {
    let wanted = arg.element?.scalar;
    let given = array.scalar;
    let fits = given == ScalarType::U8
        || (given.bytes() == wanted.bytes() && given.is_float() == wanted.is_float());
    (!fits).then(|| {
        format!("expected a buffer of {wanted}, got one of {given} (a buffer of u8 is raw memory and fits all)")
    })
}

fn by_value(arg: &Arg, texts: &[String]) -> Result<Vec<u8>, Error> {
    let Some(element) = arg.element else {
        return Err(Error::new(
            ErrorKind::ArgValue,
            format!("expected {}, got a number", expected_form(arg)),
        ));
    };
    if texts.len() != element.lanes as usize {
        return Err(Error::new(
            ErrorKind::ArgValue,
            format!("expected {}, got {} numbers", expected_form(arg), texts.len()),
        ));
    }
    let mut bytes = Vec::with_capacity(element.bytes() as usize);
    for text in texts {
        bytes.extend(number::parse(text, element.scalar)?);
    }
    bytes.resize(element.bytes() as usize, 0); // the fourth lane of a vector of three
    Ok(bytes)
}
