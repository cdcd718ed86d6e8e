//! Values against the test vectors of `docs/launches.md`, which NumPy computed.

use abi::ScalarType;
use host::{Array, ErrorKind, Value};
use sha2::{Digest, Sha256};
use std::path::Path;

fn array(text: &str) -> Array {
    match Value::parse(text, Path::new(".")) {
        Ok(Value::Array(array)) => array,
        other => panic!("{text}: {other:?}"),
    }
}

fn error(text: &str) -> String {
    let error = Value::parse(text, Path::new(".")).expect_err(text);
    assert_eq!(error.kind, ErrorKind::Value);
    error.message
}

/// The elements as the page prints them: integers in decimal, floats as bit patterns.
fn printed(array: &Array) -> String {
    let size = array.scalar.bytes() as usize;
    let element = |bytes: &[u8]| {
        let mut wide = [0; 16];
        wide[..size].copy_from_slice(bytes);
        let bits = u128::from_le_bytes(wide);
        if array.scalar.is_float() {
            return format!("{bits:#0width$x}", width = 2 + 2 * size);
        }
        let negative = array.scalar.is_signed() && bits >> (8 * size - 1) != 0;
        let value = bits as i128 - if negative { 1i128 << (8 * size) } else { 0 };
        value.to_string()
    };
    array.bytes.chunks(size).map(element).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_vectors_of_the_documentation_hold() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/launches.md");
    let page = std::fs::read_to_string(path).expect("docs/launches.md");
    let mut checked = 0;
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, value, elements, digest, _] = cells[..] else { continue };
        let value = value.trim_matches('`');
        if digest.len() != 64 || !value.contains("[4]") {
            continue;
        }
        assert_eq!(printed(&array(value)), elements, "{value}");
        let long = array(&value.replace("[4]", "[1000]"));
        let hash: String =
            Sha256::digest(&long.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, digest, "{value} with 1000 elements");
        checked += 1;
    }
    assert!(checked >= 19, "only {checked} vectors found in docs/launches.md");
}

#[test]
fn shapes_and_data_are_kept() {
    let zeros = array("zeros:i16[2,3]");
    assert_eq!((zeros.shape.as_slice(), zeros.bytes.len()), (&[2, 3][..], 12));
    let data = array("data:i16[3]:-1,0x10,65535");
    assert_eq!(data.bytes, [0xff, 0xff, 0x10, 0x00, 0xff, 0xff]);
    let iota = array("iota:u8[300]");
    assert_eq!(&iota.bytes[254..258], [254, 255, 0, 1]);
}

#[test]
fn scalars_and_raw_bytes_are_parsed() {
    let parse = |text| Value::parse(text, Path::new("."));
    assert_eq!(parse("3"), Ok(Value::Numbers(vec!["3".into()])));
    assert_eq!(parse("1,-2.5"), Ok(Value::Numbers(vec!["1".into(), "-2.5".into()])));
    assert_eq!(parse("bytes:00fFa0"), Ok(Value::Bytes(vec![0x00, 0xff, 0xa0])));
    assert_eq!(parse("local:1024"), Ok(Value::Local(1024)));
    let Ok(Value::Pipe(pipe)) = parse("pipe:4:data:i16[2,3]:1,2,3,4,5,6") else {
        panic!("a pipe for four packets that holds two")
    };
    let descriptor = pipe.descriptor().expect("such pipes exist");
    assert_eq!((descriptor.max_packets, descriptor.packet_size), (4, 6));
    let object = pipe.bytes(descriptor).expect("they fit");
    assert_eq!(pipe.packets_in(descriptor, &object), Some(pipe.packets.clone()));
    for wrong in ["pipe:p", "pipe:4", "pipe:1:zeros:i32[2]", "pipe:0:zeros:i32[0]", "pipe:4:3"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn images_and_samplers_are_parsed() {
    let parse = |text| Value::parse(text, Path::new("."));
    let Ok(Value::Image(image)) = parse("image:bgra:unorm8:zeros:u8[5,7,4]") else {
        panic!("an image");
    };
    // By the table of OpenCL's host API: CL_BGRA, CL_UNORM_INT8.
    assert_eq!((image.format.order.number(), image.format.data_type.number()), (0x10B6, 0x10D2));
    let (descriptor, levels) = image.levels("image2d_t").expect("a plane");
    assert_eq!(levels, std::slice::from_ref(&image.texels));
    assert_eq!((descriptor.width, descriptor.height, descriptor.depth), (7, 5, 1));
    assert_eq!((descriptor.row_pitch, descriptor.slice_pitch), (28, 140));
    let (layers, _) = image.levels("image1d_array_t").expect("rows of an array");
    assert_eq!((layers.width, layers.height, layers.depth), (7, 1, 5));
    assert_eq!((layers.row_pitch, layers.slice_pitch), (28, 28));
    let wrong = image.levels("image3d_t").expect_err("no volume");
    assert!(wrong.contains("[depth, height, width] of 4-byte texels"), "{wrong}");
    // By cl.h of OpenCL C: CLK_NORMALIZED_COORDS_TRUE, CLK_ADDRESS_REPEAT, CLK_FILTER_LINEAR.
    assert_eq!(parse("sampler:normalized,repeat,linear"), Ok(Value::Sampler(1 | 6 | 0x20)));
    assert_eq!(parse("sampler:unnormalized,clamp,nearest"), Ok(Value::Sampler(4 | 0x10)));
    assert!(error("sampler:linear").contains("expected `normalized` or `unnormalized`"));
    // Modes that repeat the image: CL_INVALID_VALUE without normalized coordinates.
    for mode in ["repeat", "mirrored_repeat"] {
        for rest in ["linear", "nearest,mip_linear", "linear,mip_nearest,0..2"] {
            let wrong = error(&format!("sampler:unnormalized,{mode},{rest}"));
            assert!(wrong.contains(&format!("`{mode}` is for normalized coordinates")), "{wrong}");
        }
    }
    assert!(error("sampler:unnormalized,repeat,cubic").contains("then `nearest` or `linear`"));
    assert!(
        error("image:bgra:float:zeros:f32[1,1,4]").contains("`bgra:float` is not an image format")
    );
    assert!(error("image:r:uint8:3").contains("expected the texels"));
}

#[test]
fn images_have_mip_levels() {
    let parse = |text| match Value::parse(text, Path::new(".")) {
        Ok(Value::Image(image)) => image,
        other => panic!("{text}: {other:?}"),
    };
    let image = parse("image:rg:uint8:zeros:u8[5,7,2];fill:u8[2,3,2]:9;");
    let (descriptor, levels) = image.levels("image2d_t").expect("three levels");
    assert_eq!((descriptor.width, descriptor.height, descriptor.levels), (7, 5, 3));
    assert_eq!(
        levels.iter().map(|l| l.shape.clone()).collect::<Vec<_>>(),
        [vec![5, 7, 2], vec![2, 3, 2], vec![1, 1, 2]]
    );
    // 7 texels, a gap of one, 3 texels, another gap, 1 texel
    assert_eq!((descriptor.row_pitch, descriptor.slice_pitch), (2 * 14, 5 * 2 * 14));
    let layers = parse("image:r:uint8:zeros:u8[5,4];;");
    let (descriptor, levels) = layers.levels("image1d_array_t").expect("rows of an array");
    assert_eq!((descriptor.width, descriptor.depth, descriptor.levels), (4, 5, 3));
    assert_eq!((&levels[1].shape, &levels[2].shape), (&vec![5, 2], &vec![5, 1]));
    let wrong = parse("image:r:uint8:zeros:u8[4,4];zeros:u8[2,1]").levels("image2d_t");
    assert_eq!(wrong.expect_err("a size"), "mip level 1 is an array u8[2, 2]; got u8[2, 1]");
    let wrong = parse("image:r:uint8:zeros:u8[2,4];;;").levels("image2d_t").expect_err("levels");
    assert!(wrong.contains("at most 3 mip levels; got 4"), "{wrong}");
    let wrong = parse("image:r:uint8:zeros:u8[4];").levels("image1d_buffer_t");
    assert!(wrong.expect_err("levels").contains("at most 1"));
    let sampler = |text| Value::parse(text, Path::new("."));
    let word = sampler("sampler:normalized,none,nearest,mip_linear,0.5..2");
    assert_eq!(word, Ok(Value::Sampler(0x51 | 0x80 << 8 | (0xFFF - 0x200) << 20)));
    assert_eq!(sampler("sampler:normalized,none,nearest,mip_nearest"), Ok(Value::Sampler(0x11)));
    assert!(sampler("sampler:normalized,none,nearest,mip_linear,2").is_err());
    assert!(sampler("sampler:normalized,none,nearest,mip_linear,0..2,3").is_err());
}

#[test]
fn image_files_are_written_and_read() {
    let folder = tempfile::tempdir().expect("scratch");
    let Ok(Value::Array(texels)) = Value::parse("rand:u8[3,5,4]:1", Path::new(".")) else {
        panic!("an array");
    };
    std::fs::write(folder.path().join("im.png"), texels.to_png().expect("bytes")).expect("scratch");
    let Ok(Value::Image(image)) = Value::parse("@im.png", folder.path()) else {
        panic!("an image");
    };
    assert_eq!(image.texels, texels);
    let Ok(Value::Image(image)) = Value::parse("@im.png;;zeros:u8[1,1,4]", folder.path()) else {
        panic!("an image with levels");
    };
    assert_eq!((image.mips.len(), &image.texels), (2, &texels));
    let numbers = Value::parse("zeros:f32[3,5,4]", Path::new("."));
    assert!(matches!(numbers, Ok(Value::Array(a)) if a.to_png().is_err()));
}

#[test]
fn what_is_not_a_value_is_explained() {
    assert!(error("banana").starts_with("`banana` is not a number"));
    assert!(error("rand:f31[4]:1").contains("unknown element type `f31`"));
    assert!(error("rand:f32[4]").contains("the seed must follow"));
    assert!(error("rand:f32[4]:x").contains("seed `x`"));
    assert!(error("rand:u8[4]:1:5..5").contains("empty"));
    assert!(error("rand:u8[4]:1:0..300").contains("does not fit u8"));
    assert!(error("data:u8[2]:1").contains("1 numbers for 2 elements"));
    assert!(error("fill:u8[2]:256").contains("256 does not fit u8"));
    assert!(error("zeros:f32(4)").contains("expected a type and a shape"));
    assert!(error("zeros:f32[4294967296,4294967296]").contains("more elements"));
    assert!(error("zeros:u64[4294967296,65536]").contains("memory"));
    assert!(error("cats:f32[4]").contains("`cats:` is not a form"));
    assert!(error("bytes:abc").contains("pairs of hexadecimal digits"));
    assert!(error("@missing.npy").contains("missing.npy"));
    assert!(error("local:x").contains("number of bytes"));
}

#[test]
fn npy_files_keep_type_and_shape() {
    let dir = tempfile::tempdir().expect("a scratch directory");
    for scalar in ScalarType::ALL {
        let path = dir.path().join(format!("{scalar}.npy"));
        let before = array(&format!("rand:{scalar}[3,5]:1"));
        before.write_npy(&path).expect("writable");
        let after = array(&format!("@{}", path.display()));
        assert_eq!(after, before);
    }
}

/// A file as NumPy writes it: `np.save(f, np.array([[1, 2], [3, 4]], '<i2'))`.
fn numpy_file(descr: &str, fortran: bool) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': (2, 2), }}");
    header.push_str(&" ".repeat(128 - 10 - 1 - header.len()));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend([1, 0, 2, 0, 3, 0, 4, 0]);
    file
}

#[test]
fn foreign_npy_files_are_read_or_refused() {
    let dir = tempfile::tempdir().expect("a scratch directory");
    let path = dir.path().join("a.npy");
    let read = |file: Vec<u8>| {
        std::fs::write(&path, file).expect("writable");
        Array::read_npy(&path)
    };
    let array = read(numpy_file("<i2", false)).expect("a good file");
    assert_eq!((array.scalar, array.shape.as_slice()), (ScalarType::I16, &[2, 2][..]));
    assert_eq!(array.bytes, [1, 0, 2, 0, 3, 0, 4, 0]);
    let message = |file| read(file).expect_err("a bad file").message;
    assert!(message(numpy_file("<i2", true)).contains("Fortran order"));
    assert!(message(numpy_file(">i2", false)).contains("dtype '>i2'"));
    assert!(message(numpy_file("<c8", false)).contains("dtype"));
    assert!(message(numpy_file("<i4", false)).contains("8 bytes of data, the shape needs 16"));
    assert!(message(b"hello".to_vec()).contains("not a NumPy file"));
    let mut short = numpy_file("<i2", false);
    short.truncate(40);
    assert!(message(short).contains("not a NumPy file"));
}
