//! Image files in and out of `clhls run`: their bytes come from this file, byte by byte, not from the encoder that the command has.

use crate::common::{Outcome, outcome, program, text};
use driver::{DONE, FAILED};
use std::path::Path;

/// Writes `picture` flipped, with red and blue exchanged, and its brightness as bytes.
const SOURCE: &str = "
kernel void flip(read_only image2d_t from, write_only image2d_t to, global uchar *red) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const float4 color = read_imagef(from, at);
  const int last = get_image_width(from) - 1;
  write_imagef(to, (int2)(last - at.x, at.y), color.zyxw);
  red[at.y * (last + 1) + at.x] = convert_uchar_sat_rte(255.0f * color.x);
}
";

/// What a PNG file says of its texels: `color` as PNG numbers it, and bytes of a texel.
struct Kind {
    color: u8,
    channels: usize,
}

const GREY: Kind = Kind { color: 0, channels: 1 };
const RGB: Kind = Kind { color: 2, channels: 3 };
const RGBA: Kind = Kind { color: 6, channels: 4 };

/// The check sum of PNG's chunks, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |c: u32| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 };
    let byte = |c: u32, b: &u8| (0..8).fold(c ^ u32::from(*b), |c, _| bit(c));
    !bytes.iter().fold(u32::MAX, byte)
}

/// A PNG file of 8 bits a channel, without compression: a stored block of deflate.
fn png(width: u8, height: u8, kind: &Kind, texels: &[u8]) -> Vec<u8> {
    let row = usize::from(width) * kind.channels;
    // filter 0 in front of each row
    let raw: Vec<u8> = texels.chunks(row).flat_map(|row| [&[0][..], row].concat()).collect();
    let (mut a, mut b) = (1u32, 0u32);
    for byte in &raw {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    let length = u16::try_from(raw.len()).expect("a small picture");
    let mut data = vec![0x78, 1, 1];
    data.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
    data.extend(&raw);
    data.extend((b << 16 | a).to_be_bytes());
    let header = [0, 0, 0, width, 0, 0, 0, height, 8, kind.color, 0, 0, 0];
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, body) in [(b"IHDR", &header[..]), (b"IDAT", &data), (b"IEND", &[])] {
        let chunk = [&name[..], body].concat();
        file.extend(u32::try_from(body.len()).expect("small").to_be_bytes());
        file.extend(&chunk);
        file.extend(crc32(&chunk).to_be_bytes());
    }
    file
}

fn run(folder: &Path, device: &str, options: &[String]) -> Outcome {
    let mut command = program();
    command.args(["run", text(&folder.join("flip.cl")), "-q", "--device", device]).args(options);
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.env("CLHLS_SIM_MODEL", "quick").current_dir(folder);
    outcome(&command.output().expect("ran"))
}

/// The texels that `flip` makes of a picture.
fn flipped(width: usize, kind: &Kind, texels: &[u8]) -> Vec<u8> {
    let rows = texels.chunks(width * kind.channels);
    let texel = |t: &[u8]| match t {
        [l] => [*l, *l, *l, 255],
        [r, g, b] => [*b, *g, *r, 255],
        t => [t[2], t[1], t[0], t[3]],
    };
    rows.flat_map(|row| row.chunks(kind.channels).rev().flat_map(texel).collect::<Vec<_>>())
        .collect()
}

#[test]
fn pictures_come_from_files_and_go_to_files() {
    let dir = tempfile::tempdir().expect("scratch");
    let folder = dir.path();
    std::fs::write(folder.join("flip.cl"), SOURCE).expect("written");
    let (width, height) = (5usize, 3usize);
    let kinds = [("emu", RGBA), ("emu", RGB), ("native", RGB), ("emu", GREY), ("sim", RGBA)];
    for (device, kind) in kinds {
        let what = format!("{} channels on {device}", kind.channels);
        let count = width * height * kind.channels;
        let texels: Vec<u8> = (0..count).map(|k| (k * 37 + 11) as u8).collect();
        std::fs::write(folder.join("from.png"), png(5, 3, &kind, &texels)).expect("written");
        let values =
            ["from=@from.png", "to=image:rgba:unorm8:zeros:u8[3,5,4]", "red=zeros:u8[3,5]"];
        let mut options = vec!["--global".to_owned(), "5,3".to_owned()];
        options.extend(values.iter().flat_map(|v| ["--arg".to_owned(), (*v).to_owned()]));
        options.extend(["--out", "to=to.png", "--out", "red=red.png"].map(str::to_owned));
        let o = run(folder, device, &options);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{what}");
        let made = image::open(folder.join("to.png")).expect("a picture");
        assert_eq!(made.color(), image::ColorType::Rgba8, "{what}");
        assert_eq!((made.width(), made.height()), (5, 3), "{what}");
        assert_eq!(made.into_bytes(), flipped(width, &kind, &texels), "{what}");
        let red = image::open(folder.join("red.png")).expect("a picture");
        assert_eq!(red.color(), image::ColorType::L8, "{what}");
        let wanted: Vec<u8> = texels.chunks(kind.channels).map(|texel| texel[0]).collect();
        assert_eq!(red.into_bytes(), wanted, "{what}");
    }
}

#[test]
fn what_is_no_picture_is_refused() {
    let dir = tempfile::tempdir().expect("scratch");
    let folder = dir.path();
    std::fs::write(folder.join("flip.cl"), SOURCE).expect("written");
    let good = png(5, 3, &RGBA, &[9; 60]);
    for (name, bytes) in [("none.png", &b"no picture"[..]), ("half.png", &good[..good.len() / 2])] {
        std::fs::write(folder.join(name), bytes).expect("written");
        let from = format!("from=@{name}");
        let image = "to=image:rgba:unorm8:zeros:u8[3,5,4]";
        let values =
            ["--global", "5,3", "--arg", &from, "--arg", image, "--arg", "red=zeros:u8[15]"];
        let o = run(folder, "emu", &values.map(str::to_owned));
        assert!(o.code != DONE && o.err.contains(name), "{name}: {}", o.err);
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_the_run() {
    let dir = tempfile::tempdir().expect("scratch");
    let folder = dir.path();
    std::fs::write(folder.join("flip.cl"), SOURCE).expect("written");
    for (to, out, told) in [
        ("image:rgba:float:zeros:f32[3,5,4]", "to=to.png", "f32[3,5,4]"),
        ("image:rgba:float:zeros:f32[3,5,4]", "1=to.png", "f32[3,5,4]"),
        ("image:rgba:float:zeros:f32[3,5,4];", "to.1=to.png", "f32[3,5,4]"),
        ("image:rgba:unorm8:zeros:u8[3,5,4]", "red=to.png", "u8[15]"),
    ] {
        let (to, red) = (format!("to={to}"), "red=zeros:u8[15]");
        let from = "from=image:rgba:unorm8:zeros:u8[3,5,4]";
        // A run would take for ever, and be ended with another error.
        let values = ["--global", "5,3", "--step-limit", "1", "--arg", from, "--arg", &to];
        let options = [&values[..], &["--arg", red, "--out", out]].concat();
        let o = run(folder, "emu", &options.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let what = format!(
            "error[E0613]: --out {out}: a .png file holds bytes, u8[HEIGHT,WIDTH,CHANNELS] with 1 to 4 channels, and this is {told}"
        );
        assert!(o.code == FAILED && o.err.contains(&what), "{}", o.err);
        assert!(!folder.join("to.png").exists(), "{out}");
    }
}
