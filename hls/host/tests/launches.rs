//! Index spaces and arguments by OpenCL's rules, and a whole run on a small device.

use abi::{Access, Arg, ArgKind, ElementType, KernelSignature, SubGroups};
use host::{
    BufferId, Device, Error, ErrorKind, LaunchArg, LaunchStats, NdRange, RawArg, Value, check_args,
    run,
};
use std::path::Path;

fn arg(index: u32, name: &str, type_name: &str, kind: ArgKind, size: u32) -> Arg {
    Arg {
        index,
        name: name.into(),
        type_name: type_name.into(),
        kind,
        element: ElementType::from_opencl_name(type_name),
        size,
        align: 4,
        offset: None,
        access: Access::None,
        port: None,
        restrict: false,
        local_capacity: (kind == ArgKind::LocalPtr).then_some(1024),
        packet_size: None,
        format: None,
        stream: None,
        channel: false,
    }
}

fn signature() -> KernelSignature {
    KernelSignature {
        name: "k".into(),
        address_bits: 64,
        args: vec![
            arg(0, "a", "float*", ArgKind::GlobalPtr, 8),
            arg(1, "n", "uint", ArgKind::Scalar, 4),
            arg(2, "v", "short3", ArgKind::Scalar, 8),
            arg(3, "p", "struct point", ArgKind::Scalar, 5),
            arg(4, "scratch", "int*", ArgKind::LocalPtr, 0),
        ],
        reqd_work_group_size: None,
        max_work_group_size: 256,
        sub_groups: None,
        work_group_size_hint: None,
        non_uniform: false,
        simd: 1,
        simd_group_rows: false,
        compute_units: 1,
        enqueued: false,
        enqueues: vec![],
    }
}

fn kind(range: NdRange, kernel: &KernelSignature) -> ErrorKind {
    range.resolve(kernel).expect_err("not allowed").kind
}

#[test]
fn index_spaces_are_checked() {
    let kernel = signature();
    let range = |global: &[u64]| NdRange::new(global);
    assert_eq!(kind(range(&[]), &kernel), ErrorKind::WorkDimension);
    assert_eq!(kind(range(&[1, 1, 1, 1]), &kernel), ErrorKind::WorkDimension);
    assert_eq!(kind(range(&[4]).with_local(&[2, 2]), &kernel), ErrorKind::WorkDimension);
    assert_eq!(kind(range(&[4, 4]).with_offset(&[1]), &kernel), ErrorKind::WorkDimension);
    assert_eq!(kind(range(&[4, 0]), &kernel), ErrorKind::GlobalWorkSize);
    assert_eq!(kind(range(&[1 << 32]), &kernel), ErrorKind::GlobalWorkSize);
    assert_eq!(kind(range(&[2]).with_offset(&[u64::MAX]), &kernel), ErrorKind::GlobalOffset);
    let last = u64::from(u32::MAX);
    assert_eq!(kind(range(&[2]).with_offset(&[last]), &kernel), ErrorKind::GlobalOffset);
    assert!(range(&[1]).with_offset(&[last]).resolve(&kernel).is_ok());
    assert_eq!(kind(range(&[4]).with_local(&[0]), &kernel), ErrorKind::WorkGroupSize);
    assert_eq!(kind(range(&[10]).with_local(&[4]), &kernel), ErrorKind::WorkGroupSize);
    assert_eq!(kind(range(&[512]).with_local(&[512]), &kernel), ErrorKind::WorkGroupSize);
    let huge = 1 << 40;
    assert_eq!(kind(range(&[4, 4]).with_local(&[huge, huge]), &kernel), ErrorKind::WorkGroupSize);
}

#[test]
fn remainder_groups_are_allowed_where_the_kernel_says_so() {
    let mut kernel = signature();
    kernel.non_uniform = true;
    let range = NdRange::new(&[10, 3]).with_local(&[4, 2]).with_offset(&[7, 0]);
    let range = range.resolve(&kernel).expect("allowed");
    assert_eq!(range.work_dim, 2);
    assert_eq!(range.global, [10, 3, 1]);
    assert_eq!(range.local, [4, 2, 1]);
    assert_eq!(range.num_groups, [3, 2, 1]);
    assert_eq!(range.offset, [7, 0, 0]);
    assert_eq!((range.work_items(), range.work_groups()), (30, 6));
}

#[test]
fn missing_work_group_sizes_are_chosen() {
    let mut kernel = signature();
    let local = |global: &[u64], kernel: &KernelSignature| {
        NdRange::new(global).resolve(kernel).map(|range| range.local)
    };
    assert_eq!(local(&[1024], &kernel), Ok([256, 1, 1]));
    assert_eq!(local(&[1001], &kernel), Ok([143, 1, 1])); // 7 * 11 * 13
    assert_eq!(local(&[48, 48], &kernel), Ok([48, 4, 1])); // 256 / 48 leaves room for 5
    assert_eq!(local(&[1021], &kernel), Ok([1, 1, 1])); // prime
    kernel.work_group_size_hint = Some([32, 1, 1]);
    assert_eq!(local(&[1024], &kernel), Ok([32, 1, 1]));
    assert_eq!(local(&[1001], &kernel), Ok([143, 1, 1]));
    kernel.reqd_work_group_size = Some([8, 8, 1]);
    assert_eq!(local(&[16, 16], &kernel), Ok([8, 8, 1]));
    let error = local(&[12, 16], &kernel).expect_err("8 does not divide 12");
    assert_eq!(error.kind, ErrorKind::WorkGroupSize);
    let range = NdRange::new(&[16, 16]).with_local(&[16, 4]);
    assert_eq!(
        range.resolve(&kernel).expect_err("not the required size").message,
        "kernel `k` requires the local size [8, 8, 1], not [16, 4]"
    );
}

/// 4 sub-groups of 16: 49 to 64 work-items.
#[test]
fn work_groups_have_the_sub_groups_that_the_kernel_asks_for() {
    let mut kernel = signature();
    kernel.sub_groups = Some(SubGroups { count: 4, size: 16 });
    kernel.max_work_group_size = 64;
    let local = |range: NdRange, kernel: &KernelSignature| {
        range.resolve(kernel).map(|range| range.local).map_err(|e| (e.kind, e.message))
    };
    let range = |global: &[u64]| NdRange::new(global);
    assert_eq!(local(range(&[128]).with_local(&[64]), &kernel), Ok([64, 1, 1]));
    assert_eq!(local(range(&[16, 8]).with_local(&[8, 8]), &kernel), Ok([8, 8, 1]));
    assert_eq!(local(range(&[256]), &kernel), Ok([64, 1, 1]));
    assert_eq!(local(range(&[150]), &kernel), Ok([50, 1, 1]));
    assert_eq!(local(range(&[6, 5, 4]), &kernel), Ok([6, 5, 2]));
    kernel.work_group_size_hint = Some([25, 2, 1]);
    assert_eq!(local(range(&[50, 4]), &kernel), Ok([25, 2, 1]));
    kernel.work_group_size_hint = Some([16, 2, 1]);
    assert_eq!(local(range(&[64, 2]), &kernel), Ok([64, 1, 1]), "32 work-items have too few");
    let asks =
        "kernel `k` requires work-groups of 4 sub-groups of 16 work-items (49 to 64 work-items)";
    let (kind, message) = local(range(&[96]).with_local(&[48]), &kernel).unwrap_err();
    let found = "with local size [48, 1, 1] and global size [96, 1, 1] there is one of 48 work-items, which has 3";
    assert_eq!(kind, ErrorKind::WorkGroupSize);
    assert_eq!(message, format!("{asks}; {found}"));
    let (_, message) = local(range(&[128]).with_local(&[32]), &kernel).unwrap_err();
    assert!(message.ends_with("which has 2; local size [64, 1, 1] has as many"), "{message}");
    let (kind, message) = local(range(&[97]), &kernel).unwrap_err();
    assert_eq!(kind, ErrorKind::WorkGroupSize);
    let why = "global size [97, 1, 1] cannot be divided into such work-groups";
    assert_eq!(message, format!("{asks}; {why}"));
    // The last work-group has as many, too.
    kernel.non_uniform = true;
    assert_eq!(local(range(&[113]).with_local(&[64]), &kernel), Ok([64, 1, 1]));
    assert!(local(range(&[112]).with_local(&[64]), &kernel).is_err(), "48 are left");
    assert_eq!(local(range(&[113]), &kernel), Ok([64, 1, 1]), "49 are left");
    assert_eq!(local(range(&[107]), &kernel), Ok([58, 1, 1]), "49 are left");
    assert!(local(range(&[97]), &kernel).is_err(), "49 + 48");
    // What is required goes before.
    kernel.reqd_work_group_size = Some([8, 8, 1]);
    assert_eq!(local(range(&[15, 15]), &kernel), Ok([8, 8, 1]), "7 x 7 are left");
    assert!(local(range(&[14, 15]), &kernel).is_err(), "6 x 7 are left");
}

#[test]
fn chosen_work_groups_are_enough_for_all_compute_units() {
    let mut kernel = signature();
    let local = |global: &[u64], kernel: &KernelSignature| {
        NdRange::new(global).resolve(kernel).map(|range| range.local)
    };
    kernel.compute_units = 4;
    assert_eq!(local(&[8192], &kernel), Ok([256, 1, 1])); // 32 groups
    assert_eq!(local(&[1024], &kernel), Ok([64, 1, 1])); // 16 groups
    assert_eq!(local(&[256], &kernel), Ok([64, 1, 1])); // a group for each unit, not of 16
    assert_eq!(local(&[48, 48], &kernel), Ok([48, 3, 1])); // 144 = 2304 / 16
    assert_eq!(local(&[3], &kernel), Ok([1, 1, 1]));
    // Groups of one work-item are not worth it.
    assert_eq!(local(&[199], &kernel), Ok([199, 1, 1]));
    // Whole tokens come first.
    (kernel.simd, kernel.simd_group_rows) = (2, true);
    assert_eq!(local(&[5], &kernel), Ok([5, 1, 1]));
    assert_eq!(local(&[1024], &kernel), Ok([64, 1, 1]));
    kernel.work_group_size_hint = Some([256, 1, 1]);
    assert_eq!(local(&[1024], &kernel), Ok([256, 1, 1])); // as the programmer expects
}

#[test]
fn several_work_items_at_a_time_need_whole_tokens() {
    let mut kernel = signature();
    (kernel.simd, kernel.simd_group_rows) = (16, true);
    let local = |global: &[u64], kernel: &KernelSignature| {
        NdRange::new(global).resolve(kernel).map(|range| range.local)
    };
    assert_eq!(local(&[1024], &kernel), Ok([256, 1, 1]));
    assert_eq!(local(&[48, 48], &kernel), Ok([48, 4, 1]));
    assert_eq!(local(&[1008], &kernel), Ok([144, 1, 1])); // 7 * 144; 252 is no multiple of 16
    assert_eq!(local(&[77], &kernel), Ok([77, 1, 1])); // one work-group may be of any size
    assert_eq!(kind(NdRange::new(&[1001]), &kernel), ErrorKind::WorkGroupSize);
    kernel.non_uniform = true;
    assert_eq!(local(&[1001], &kernel), Ok([256, 1, 1]));
    kernel.non_uniform = false;
    let range = NdRange::new(&[64]);
    assert_eq!(kind(range.clone().with_local(&[8]), &kernel), ErrorKind::WorkGroupSize);
    assert_eq!(kind(range.clone().with_offset(&[8]), &kernel), ErrorKind::GlobalOffset);
    assert!(range.clone().with_offset(&[32]).with_local(&[32]).resolve(&kernel).is_ok());
    // the other dimensions are free
    let range = NdRange::new(&[32, 6]).with_local(&[16, 3]).with_offset(&[0, 5]);
    assert!(range.resolve(&kernel).is_ok());
}

fn good_args() -> Vec<LaunchArg> {
    vec![
        LaunchArg::Null,
        LaunchArg::Value(vec![0; 4]),
        LaunchArg::Value(vec![0; 8]),
        LaunchArg::Value(vec![0; 5]),
        LaunchArg::Local(1024),
    ]
}

#[test]
fn arguments_are_checked() {
    let kernel = signature();
    assert_eq!(check_args(&kernel, &good_args()), Ok(()));
    let message = |index: usize, given: LaunchArg| {
        let mut args = good_args();
        args[index] = given;
        check_args(&kernel, &args).expect_err("wrong").message
    };
    assert_eq!(
        message(1, LaunchArg::Value(vec![0; 8])),
        "argument 1 `n` (uint) of kernel `k`: expected 4 bytes, got 8"
    );
    assert_eq!(
        message(0, LaunchArg::Value(vec![0; 8])),
        "argument 0 `a` (float*) of kernel `k`: expected a global buffer, got a value"
    );
    assert_eq!(
        message(4, LaunchArg::Local(1025)),
        "argument 4 `scratch` (int*) of kernel `k`: 1025 bytes of local memory, the hardware has 1024"
    );
    let error = check_args(&kernel, &good_args()[..3]).expect_err("too few");
    assert_eq!(error.message, "argument 3 `p` (struct point) of kernel `k` is missing");
    let mut more = good_args();
    more.push(LaunchArg::Null);
    assert_eq!(check_args(&kernel, &more).expect_err("too many").kind, ErrorKind::ArgIndex);
}

#[test]
fn pointers_begin_where_the_kernel_relies_on_it() {
    let at = |offset: u64| LaunchArg::Buffer { buffer: BufferId(0), offset };
    let refused = |kernel: &KernelSignature, offset: u64| {
        let mut args = good_args();
        args[0] = at(offset);
        let raw = |address| host::check_raw_arg(kernel, &kernel.args[0], &RawArg::Pointer(address));
        let (by_buffer, by_address) = (check_args(kernel, &args), raw(0x1000 + offset));
        assert_eq!(by_buffer.is_err(), by_address.is_err(), "{by_buffer:?}, {by_address:?}");
        by_buffer.err().map(|e| (e.kind, e.message))
    };
    let mut kernel = signature();
    assert_eq!(refused(&kernel, 4), None);
    kernel.args[0].align = 64; // it joins accesses
    let (kind, message) = refused(&kernel, 4).expect("not a multiple of 64");
    assert_eq!(kind, ErrorKind::ArgValue);
    let why = "the kernel was built to access neighbouring places together and takes pointers to multiples of 64 bytes in a buffer, not 4";
    assert!(message.ends_with(why), "{message}");
    assert_eq!(refused(&kernel, 128), None);
    kernel.args[0].align = 4;
    kernel.simd = 2;
    let (_, message) = refused(&kernel, 32).expect("not a multiple of 64");
    assert!(message.contains("for 2 work-items at a time"), "{message}");
}

/// A device whose only kernel adds `n` to each float and appends what it got to a log.
struct Adder {
    signature: KernelSignature,
    buffers: Vec<Option<Vec<u8>>>,
    values: Vec<Vec<u8>>,
}

impl Device for Adder {
    fn name(&self) -> &'static str {
        "adder"
    }
    fn kernels(&self) -> Vec<&KernelSignature> {
        vec![&self.signature]
    }
    fn allocate(&mut self, size: u64) -> Result<BufferId, Error> {
        self.buffers.push(Some(vec![0xcc; size as usize]));
        Ok(BufferId(self.buffers.len() as u32 - 1))
    }
    fn free(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.buffers[buffer.0 as usize].take().expect("freed once");
        Ok(())
    }
    fn write(&mut self, buffer: BufferId, _: u64, data: &[u8]) -> Result<(), Error> {
        self.buffers[buffer.0 as usize].as_mut().expect("alive").copy_from_slice(data);
        Ok(())
    }
    fn read(&mut self, buffer: BufferId, _: u64, data: &mut [u8]) -> Result<(), Error> {
        data.copy_from_slice(self.buffers[buffer.0 as usize].as_ref().expect("alive"));
        Ok(())
    }
    fn launch(
        &mut self,
        kernel: &str,
        range: &NdRange,
        args: &[LaunchArg],
    ) -> Result<LaunchStats, Error> {
        let signature = self.kernel(kernel)?;
        check_args(signature, args)?;
        let range = range.resolve(signature)?;
        for arg in args {
            match arg {
                LaunchArg::Buffer { buffer, .. } => {
                    let bytes = self.buffers[buffer.0 as usize].as_mut().expect("alive");
                    for word in bytes.chunks_exact_mut(4) {
                        let value = f32::from_le_bytes(word.try_into().expect("four bytes"));
                        word.copy_from_slice(&(value + 1.0).to_le_bytes());
                    }
                }
                LaunchArg::Value(bytes) => self.values.push(bytes.clone()),
                _ => {}
            }
        }
        Ok(LaunchStats { work_items: range.work_items() as u64, ..LaunchStats::default() })
    }
    fn reload_program(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

fn values(texts: &[(&str, &str)]) -> Vec<(String, Value)> {
    texts
        .iter()
        .map(|(name, text)| {
            ((*name).to_owned(), Value::parse(text, Path::new(".")).expect("a value"))
        })
        .collect()
}

type Texts = Vec<(&'static str, &'static str)>;

const GOOD: [(&str, &str); 5] = [
    ("a", "data:f32[2,1]:1,2.5"),
    ("n", "7"),
    ("2", "1,-1,3"),
    ("p", "bytes:0102030405"),
    ("scratch", "local:64"),
];

#[test]
fn a_run_binds_launches_and_reads_back() {
    let mut device = Adder { signature: signature(), buffers: Vec::new(), values: Vec::new() };
    let result = run(&mut device, "k", &NdRange::new(&[2]), &values(&GOOD)).expect("runs");
    assert_eq!(result.stats.work_items, 2);
    let (name, array) = &result.buffers[0];
    assert_eq!((name.as_str(), array.shape.as_slice()), ("a", &[2, 1][..]));
    assert_eq!(array.bytes, [2.0f32.to_le_bytes(), 3.5f32.to_le_bytes()].concat());
    assert_eq!(
        device.values,
        [vec![7, 0, 0, 0], vec![1, 0, 255, 255, 3, 0, 0, 0], vec![1, 2, 3, 4, 5]]
    );
    assert!(device.buffers.iter().all(Option::is_none), "all buffers are freed");
}

#[test]
fn wrong_arguments_are_named() {
    let mut device = Adder { signature: signature(), buffers: Vec::new(), values: Vec::new() };
    let mut message = |change: &dyn Fn(&mut Texts)| {
        let mut texts = GOOD.to_vec();
        change(&mut texts);
        let error = run(&mut device, "k", &NdRange::new(&[2]), &values(&texts));
        error.expect_err("wrong").message
    };
    assert_eq!(
        message(&|texts| texts[0].0 = "x"),
        "kernel `k` has no argument `x`; it has `a` (float*), `n` (uint), `v` (short3), \
         `p` (struct point), `scratch` (int*)"
    );
    assert_eq!(
        message(&|texts| texts.truncate(3)),
        "argument 3 `p` (struct point) of kernel `k`, `scratch` (int*) are missing"
    );
    assert_eq!(
        message(&|texts| texts[1].0 = "a"),
        "argument 0 `a` (float*) of kernel `k` is given twice"
    );
    assert_eq!(
        message(&|texts| texts[0].1 = "zeros:i32[4]"),
        "argument 0 `a` (float*) of kernel `k`: expected a buffer of f32, got one of i32 \
         (a buffer of u8 is raw memory and fits all)"
    );
    assert_eq!(
        message(&|texts| texts[0].1 = "3"),
        "argument 0 `a` (float*) of kernel `k`: expected a buffer (`@FILE.npy`, `zeros:f32[N]`, ...), \
         got the number 3"
    );
    assert_eq!(
        message(&|texts| texts[1].1 = "1.5"),
        "argument 1 `n` (uint) of kernel `k`: `1.5` is not an integer, the type is u32"
    );
    assert_eq!(
        message(&|texts| texts[1].1 = "4294967296"),
        "argument 1 `n` (uint) of kernel `k`: 4294967296 does not fit u32"
    );
    assert_eq!(
        message(&|texts| texts[2].1 = "1,2"),
        "argument 2 `v` (short3) of kernel `k`: expected 3 numbers (i16) joined with commas, got 2 numbers"
    );
    assert_eq!(
        message(&|texts| texts[3].1 = "bytes:01"),
        "argument 3 `p` (struct point) of kernel `k`: expected 5 bytes, got 1"
    );
    assert_eq!(
        message(&|texts| texts[3].1 = "1"),
        "argument 3 `p` (struct point) of kernel `k`: expected 5 raw bytes (`bytes:HEX`), got a number"
    );
    let error = run(&mut device, "j", &NdRange::new(&[1]), &[]).expect_err("no such kernel");
    assert_eq!(error.message, "no kernel `j` in the program; it has: k");
}
