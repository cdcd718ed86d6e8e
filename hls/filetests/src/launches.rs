//! `launches.toml` (docs/launches.md): reads it and runs its launches on a device.

use host::{Array, Device, LaunchStats, NdRange, PipeValue, Request, Value};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// A launch file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchFile {
    /// `-cl-std` of the producers.
    #[serde(default = "default_std")]
    pub cl_std: String,
    /// Further clang options, separated by blanks.
    #[serde(default)]
    pub options: String,
    /// The producers that can compile it, where not all can.
    #[serde(default)]
    pub producers: Option<Vec<String>>,
    /// Capacity of local-pointer arguments, by argument name.
    #[serde(default)]
    pub local_bytes: BTreeMap<String, u64>,
    /// The kernels that hardware is made of, where that is not all of them.
    #[serde(default)]
    pub hardware: Option<Vec<String>>,
    /// Work-items of a sub-group: `--sub-group-size`.
    #[serde(default)]
    pub sub_group_size: Option<u32>,
    /// Pipes that are FIFOs beside the kernel, as `--connect` has them; native code has them in memory.
    #[serde(default)]
    pub connect: Vec<String>,
    /// Formats that images have at every launch, as of `--image-format`.
    #[serde(default)]
    pub image_format: Vec<String>,
    /// Pipes that launches share, by name: `CAPACITY:VALUE`.
    #[serde(default)]
    pub pipes: BTreeMap<String, String>,
    /// The launches.
    #[serde(rename = "launch")]
    launches: Vec<RawLaunch>,
}

fn default_std() -> String {
    "CL1.2".into()
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLaunch {
    name: String,
    kernel: String,
    global: Vec<u64>,
    local: Option<Vec<u64>>,
    offset: Option<Vec<u64>>,
    args: BTreeMap<String, String>,
    #[serde(default)]
    expect: BTreeMap<String, String>,
    #[serde(default)]
    any_order: Vec<String>,
    follows: Option<String>,
    beside: Option<String>,
    #[serde(default)]
    ulp: Ulp,
    #[serde(default, rename = "origin")]
    _origin: String,
}

/// Units in the last place by which floats may differ from what is expected.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Ulp {
    /// In all buffers.
    All(u32),
    /// By buffer; 0 in those that are not named.
    Buffers(BTreeMap<String, u32>),
}

impl Default for Ulp {
    fn default() -> Self {
        Self::All(0)
    }
}

impl Ulp {
    /// Those of a buffer.
    pub fn of(&self, buffer: &str) -> u32 {
        match self {
            Self::All(n) => *n,
            Self::Buffers(by_name) => by_name.get(buffer).copied().unwrap_or(0),
        }
    }
}

/// A launch.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// Name, unique in its file.
    pub name: String,
    /// The kernel function.
    pub kernel: String,
    /// Work-items in each dimension.
    pub global: Vec<u64>,
    /// Work-items of a work-group.
    pub local: Option<Vec<u64>>,
    /// First global id.
    pub offset: Option<Vec<u64>>,
    /// Argument name and VALUE.
    pub args: Vec<(String, String)>,
    /// Buffer name and expected contents.
    pub expect: Vec<(String, String)>,
    /// Pipes whose packets may come in any order.
    pub any_order: Vec<String>,
    /// The launch before, which leaves pipes for this one.
    pub follows: Option<Box<Launch>>,
    /// The launch before runs at the same time, where the device can.
    pub beside: bool,
    /// Pipes of the launch file, by name.
    pub pipes: BTreeMap<String, String>,
    /// How exact floats must be.
    pub ulp: Ulp,
}

impl Launch {
    /// The kernels of the launch and of those that it follows.
    pub fn kernels(&self) -> Vec<String> {
        let mut kernels = self.follows.as_ref().map_or_else(Vec::new, |before| before.kernels());
        if !kernels.contains(&self.kernel) {
            kernels.push(self.kernel.clone());
        }
        kernels
    }

    /// What a device needs, and the pipes of the file that the arguments are. `left` are pipes that other launches have left.
    fn request(
        &self,
        folder: &Path,
        left: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(Request, Vec<Option<String>>), String> {
        let (mut args, mut pipes) = (vec![], vec![]);
        for (name, text) in &self.args {
            let value = self.value(text, folder, left);
            let (value, pipe) = value.map_err(|e| format!("{name}: {e}"))?;
            args.push((name.clone(), value));
            pipes.push(pipe);
        }
        let range = NdRange {
            global: self.global.clone(),
            local: self.local.clone(),
            offset: self.offset.clone(),
        };
        Ok((Request { kernel: self.kernel.clone(), range, args }, pipes))
    }

    /// The value of an argument, and the pipe of the file that it is. `left` are pipes that other launches have left.
    fn value(
        &self,
        text: &str,
        folder: &Path,
        left: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(Value, Option<String>), String> {
        let name = text.strip_prefix("pipe:").filter(|rest| !rest.contains(':'));
        let Some(name) = name else {
            return Ok((Value::parse(text, folder).map_err(|e| e.to_string())?, None));
        };
        let stated = self.pipes.get(name).ok_or(format!("the file states no pipe `{name}`"))?;
        let value = Value::parse(&format!("pipe:{stated}"), folder).map_err(|e| e.to_string())?;
        let Value::Pipe(pipe) = value else { return Err(format!("`{name}` is no pipe")) };
        let (shared, object) = (Some(name.to_owned()), left.get(name).cloned());
        Ok((Value::Pipe(PipeValue { name: shared.clone(), object, ..pipe }), shared))
    }
}

impl LaunchFile {
    /// Reads a launch file.
    ///
    /// # Errors
    /// What is wrong with it, naming the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let text = std::fs::read_to_string(path).map_err(|e| fail(&e))?;
        let file: LaunchFile = toml::from_str(&text).map_err(|e| fail(&e))?;
        let mut names: Vec<&str> = file.launches.iter().map(|l| l.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
            return Err(fail(&format!("two launches are called `{}`", twice[0])));
        }
        for (k, launch) in file.launches.iter().enumerate() {
            let Some(before) = launch.follows.as_ref().or(launch.beside.as_ref()) else { continue };
            if !file.launches[..k].iter().any(|l| l.name == *before) {
                let what =
                    format!("launch `{}` follows `{before}`, which is none before it", launch.name);
                return Err(fail(&what));
            }
        }
        Ok(file)
    }

    /// The launches in order.
    pub fn launches(&self) -> impl Iterator<Item = Launch> + '_ {
        self.launches.iter().map(|l| self.launch(l))
    }

    fn launch(&self, l: &RawLaunch) -> Launch {
        // Launches follow only those before them: this ends.
        let before = l.follows.as_ref().or(l.beside.as_ref());
        let before = before.and_then(|name| self.launches.iter().find(|b| b.name == *name));
        let l = l.clone();
        Launch {
            name: l.name,
            kernel: l.kernel,
            global: l.global,
            local: l.local,
            offset: l.offset,
            args: l.args.into_iter().collect(),
            expect: l.expect.into_iter().collect(),
            any_order: l.any_order,
            beside: l.beside.is_some(),
            follows: before.map(|before| Box::new(self.launch(before))),
            pipes: self.pipes.clone(),
            ulp: l.ulp,
        }
    }

    /// Leaves out the launches of kernels that hardware is not made of, and those that follow such.
    pub fn keep_hardware(&mut self) {
        let Some(kernels) = self.hardware.clone() else { return };
        let all: Vec<(String, Vec<String>)> =
            self.launches().map(|l| (l.name.clone(), l.kernels())).collect();
        self.launches.retain(|l| {
            let needs = all.iter().find(|(name, _)| *name == l.name).map(|(_, needs)| needs);
            needs.is_some_and(|needs| needs.iter().all(|kernel| kernels.contains(kernel)))
        });
    }

    /// Bytes of on-chip memory that every local-pointer argument of the file fits in.
    pub fn local_capacity(&self) -> u64 {
        let given = self.launches.iter().flat_map(|l| l.args.values());
        let used = given.filter_map(|v| v.strip_prefix("local:")?.parse().ok());
        used.chain(self.local_bytes.values().copied()).max().unwrap_or(0)
    }
}

/// Loads the program of a device anew, runs a launch and gives the bytes of all buffers.
///
/// # Errors
/// What is wrong, for people.
pub fn buffers(
    device: &mut dyn Device,
    launch: &Launch,
    folder: &Path,
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let result = run(device, launch, folder)?.result;
    let ordered = |(name, array): (String, Array)| match launch.any_order.contains(&name) {
        true => (name, sorted(array).bytes),
        false => (name, array.bytes),
    };
    Ok(result.buffers.into_iter().map(ordered).collect())
}

/// The packets of a pipe in an order of their own.
fn sorted(mut packets: Array) -> Array {
    let count = packets.shape.first().copied().unwrap_or(0).max(1);
    let size = packets.bytes.len() / count as usize;
    if size > 0 {
        let mut all: Vec<&[u8]> = packets.bytes.chunks_exact(size).collect();
        all.sort_unstable();
        packets.bytes = all.concat();
    }
    packets
}

/// A launch that has run.
struct Ran {
    result: host::RunResult,
    args: Vec<(String, Value)>,
    /// The pipes of the file as they were left.
    left: BTreeMap<String, Vec<u8>>,
}

/// Runs those that a launch follows and the launch itself, each with the program freshly loaded; those that run beside one
/// another together.
fn run(device: &mut dyn Device, launch: &Launch, folder: &Path) -> Result<Ran, String> {
    let mut group = vec![launch];
    let mut first = launch;
    while let (true, Some(before)) = (first.beside, &first.follows) {
        first = before;
        group.insert(0, first);
    }
    let mut left = match &first.follows {
        Some(before) => {
            run(device, before, folder).map_err(|e| format!("{}: {e}", before.name))?.left
        }
        None => BTreeMap::new(),
    };
    device.reload_program().map_err(|e| e.to_string())?;
    let (mut requests, mut shared) = (vec![], vec![]);
    for launch in group {
        let (request, pipes) = launch.request(folder, &left)?;
        requests.push(request);
        shared.push(pipes);
    }
    let mut results = host::run_together(device, &requests).map_err(|e| e.to_string())?;
    for ((request, pipes), result) in requests.iter().zip(shared).zip(&results) {
        for ((arg, _), pipe) in request.args.iter().zip(pipes) {
            let object = result.pipes.iter().find(|(name, _)| name == arg);
            left.extend(pipe.zip(object.map(|(_, object)| object.clone())));
        }
    }
    let (result, request) = (results.pop(), requests.pop());
    let (Some(result), Some(request)) = (result, request) else { return Err("no launch".into()) };
    Ok(Ran { result, args: request.args, left })
}

/// Runs a launch with the program freshly loaded and compares the buffers. File names are relative to `folder`.
///
/// # Errors
/// What is wrong, for people.
pub fn run_launch(
    device: &mut dyn Device,
    launch: &Launch,
    folder: &Path,
) -> Result<LaunchStats, String> {
    let Ran { result, args, .. } = run(device, launch, folder)?;
    if let Some((name, _)) =
        launch.expect.iter().find(|(name, _)| !result.buffers.iter().any(|b| b.0 == *name))
    {
        return Err(format!("`{name}` is expected, but is no buffer of the kernel"));
    }
    let mut wrong = vec![];
    for (name, got) in &result.buffers {
        let expected = launch.expect.iter().find(|(n, _)| n == name);
        let outcome = match expected {
            Some((_, text)) if launch.any_order.contains(name) => {
                compare_packets(got, text, folder)
            }
            Some((_, text)) => compare_text(got, text, folder, launch.ulp.of(name)),
            None => match args.iter().find(|(n, _)| n == name).map(|a| &a.1) {
                Some(Value::Array(before)) if before.bytes != got.bytes => {
                    Err("is changed, which the launch file does not say".into())
                }
                Some(Value::Pipe(pipe)) if before(pipe).is_none_or(|b| b.bytes != got.bytes) => {
                    Err("is changed, which the launch file does not say".into())
                }
                _ => Ok(()),
            },
        };
        wrong.extend(outcome.err().map(|e| format!("buffer `{name}` {e}")));
    }
    match wrong.is_empty() {
        true => Ok(result.stats),
        false => Err(wrong.join("\n")),
    }
}

/// The packets in a pipe before the launch.
fn before(pipe: &PipeValue) -> Option<Array> {
    match &pipe.object {
        None => Some(pipe.packets.clone()),
        Some(object) => pipe.packets_in(pipe.descriptor().ok()?, object),
    }
}

/// The same packets in whatever order.
fn compare_packets(got: &Array, text: &str, folder: &Path) -> Result<(), String> {
    match Value::parse(text, folder).map_err(|e| e.to_string())? {
        Value::Array(want) => compare(&sorted(got.clone()), &sorted(want), 0),
        other => Err(format!("cannot be {}", other.describe())),
    }
}

fn compare_text(got: &Array, text: &str, folder: &Path, ulp: u32) -> Result<(), String> {
    if let Some(want) = text.strip_prefix("sha256:") {
        let hash: String =
            Sha256::digest(&got.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        return match hash == want {
            true => Ok(()),
            false => Err(format!("has SHA-256 {hash}, expected {want}")),
        };
    }
    match Value::parse(text, folder).map_err(|e| e.to_string())? {
        Value::Array(want) => compare(got, &want, ulp),
        Value::Bytes(want) if want == got.bytes => Ok(()),
        Value::Bytes(_) => Err("has other bytes than expected".into()),
        other => Err(format!("cannot be {}", other.describe())),
    }
}

/// Bit by bit, except that NaNs are equal, and finite floats up to `ulp` units apart.
fn compare(got: &Array, want: &Array, ulp: u32) -> Result<(), String> {
    if (got.scalar, &got.shape) != (want.scalar, &want.shape) {
        return Err(format!(
            "is {}{:?}, expected {}{:?}",
            got.scalar, got.shape, want.scalar, want.shape
        ));
    }
    let size = want.scalar.bytes() as usize;
    let pairs = got.bytes.chunks_exact(size).zip(want.bytes.chunks_exact(size));
    let near = |a: &[u8], b: &[u8]| match (ordered(a), ordered(b)) {
        // Two zeros that differ do so in their signs.
        (Some(x), Some(y)) => x != y && x.abs_diff(y) <= ulp.into(),
        _ => is_nan(a) && is_nan(b),
    };
    let differs = |(a, b): &(&[u8], &[u8])| a != b && !(want.scalar.is_float() && near(a, b));
    let wrong: Vec<_> = pairs.enumerate().filter(|(_, p)| differs(p)).collect();
    let Some((first, (a, b))) = wrong.first() else { return Ok(()) };
    let hex = |bytes: &[u8]| bytes.iter().rev().map(|x| format!("{x:02x}")).collect::<String>();
    Err(format!(
        "differs in {} of {} elements, first at {first}: got 0x{}, expected 0x{}",
        wrong.len(),
        want.bytes.len() / size,
        hex(a),
        hex(b)
    ))
}

/// A finite float as an integer that counts the floats from 0 to it.
fn ordered(bytes: &[u8]) -> Option<i64> {
    let bits = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    let width = 8 * bytes.len() as u32;
    let magnitude = bits & (u64::MAX >> (65 - width));
    let infinity = match width {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    let count = magnitude as i64;
    let negative = bits >> (width - 1) & 1 == 1;
    (magnitude < infinity).then_some(if negative { -count } else { count })
}

/// Whether little-endian bytes are a NaN of their width.
fn is_nan(bytes: &[u8]) -> bool {
    let bits = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    match bytes.len() {
        2 => bits & 0x7fff > 0x7c00,
        4 => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits).is_nan(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(text: &str) -> Array {
        match Value::parse(text, Path::new("")) {
            Ok(Value::Array(a)) => a,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn comparison_is_bitwise_but_for_nan() {
        let a = array("data:f32[3]:1,nan,0");
        assert!(compare(&a, &a, 0).is_ok());
        let mut quiet = a.clone();
        quiet.bytes[4] = 1;
        assert!(compare(&quiet, &a, 0).is_ok(), "another NaN");
        let e = compare(&array("data:f32[3]:1,nan,-0.0"), &a, 0).unwrap_err();
        assert_eq!(
            e,
            "differs in 1 of 3 elements, first at 2: got 0x80000000, expected 0x00000000"
        );
        assert!(compare(&array("zeros:i32[3]"), &a, 0).unwrap_err().starts_with("is i32[3]"));
    }

    #[test]
    fn floats_may_be_some_units_apart() {
        let a = array("data:f32[3]:1,-0.0,inf");
        let b = array("data:f32[3]:1.0000002,1e-45,inf");
        assert!(compare(&b, &a, 2).is_ok());
        assert!(compare(&b, &a, 1).unwrap_err().contains("1 of 3"), "1.0000002 is two units off");
        let largest = array("data:f32[1]:3.4028235e38");
        assert!(compare(&largest, &array("data:f32[1]:inf"), 4).is_err(), "no infinity");
        assert!(compare(&array("data:i32[1]:1"), &array("data:i32[1]:2"), 4).is_err(), "no float");
    }

    #[test]
    fn hashes_are_of_the_raw_bytes() {
        // printf '\x01\x00\x02\x00' | sha256sum
        let want = "sha256:7b11c1133330cd161071bf23a0c9b6ce5320a8f3a0f83620035a72be46df4104";
        let e = compare_text(&array("data:u16[2]:1,2"), want, Path::new(""), 0);
        assert!(e.is_ok(), "{e:?}");
        assert!(compare_text(&array("data:u16[2]:1,3"), want, Path::new(""), 0).is_err());
    }
}
