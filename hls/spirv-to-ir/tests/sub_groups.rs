//! Functions of sub-groups that no OpenCL C producer here writes, in the interpreter, against their definitions.

use interp::{Argument, Launch, Memory, Program};
use spirv_to_ir::{Options, read};

/// Numbers of a work-item.
const COLUMNS: usize = 14;
/// Work-items, of one group: the last sub-group is smaller.
const COUNT: usize = 20;

/// What the kernel of sub_groups.spvasm writes.
fn computed(sub_group_size: u32) -> Vec<i32> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/sub_groups.spv"
    );
    let options = Options { sub_group_size: Some(sub_group_size), ..Options::default() };
    let module = read(&std::fs::read(path).unwrap(), &options).unwrap();
    ir::verify::verify_module(&module).unwrap();
    let mut memory = Memory::new();
    let program = Program::new(&module, &mut memory).unwrap();
    let bytes = vec![0; 4 * COLUMNS * COUNT];
    let out = memory.allocate("out", bytes, 4, program.address_limit()).unwrap();
    let size = [COUNT as u32, 1, 1];
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: size,
        local: Some(size),
        offset: [0; 3],
        args: vec![Argument::Pointer(out)],
    };
    program.run(&mut memory, &launch, &interp::Options::default()).unwrap();
    let bytes = memory.buffer(out).unwrap();
    bytes.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// The numbers of work-item `at`; none where a definition leaves the result open.
fn defined(at: usize, size: usize) -> [Option<i32>; COLUMNS] {
    let x = |at: usize| 10 * at as i32 + at as i32 % 3;
    let y = |at: usize| x(at) + 1000;
    let first = at / size * size;
    let end = (first + size).min(COUNT);
    let id = at - first;
    let there = |id: usize| (first + id < end).then(|| x(first + id));
    let members = first..end;
    let cluster = at / 4 * 4;
    [
        there((id + 3) % size),
        there(id / 4 * 4 + (id + 5) % 4),
        there(2),
        there(id ^ 3),
        // The two values lie side by side: before the own place in the second is the first's end.
        match id < 2 {
            true => (first + id + size - 2 < end).then(|| x(first + id + size - 2)),
            false => Some(y(at - 2)),
        },
        match id + 2 < size {
            true => there(id + 2),
            false => Some(y(first + id + 2 - size)),
        },
        Some(members.clone().map(|k| (x(k) % 2) << (k - first)).sum()),
        Some(x(first)),
        Some(x(first + 1)),
        there(id ^ 1),
        there(id ^ 1).map(|x| -x),
        Some(members.clone().all(|k| x(k) / 100 == x(first) / 100).into()),
        Some(members.map(|k| -x(k)).sum()),
        Some(x((cluster + 3).min(COUNT - 1))),
    ]
}

#[test]
fn functions_of_sub_groups_compute_what_their_extensions_say() {
    for size in [8, 16, 32] {
        let out = computed(size);
        for at in 0..COUNT {
            let want = defined(at, size as usize);
            let have = &out[COLUMNS * at..][..COLUMNS];
            for (column, want) in want.iter().enumerate() {
                let fits = want.is_none_or(|w| w == have[column]);
                assert!(fits, "sub-groups of {size}, work-item {at}, column {column}: {have:?}");
            }
        }
    }
}

/// What a kernel of sub_groups_per_group.spvasm writes: the sub-groups of the work-group, of a whole one, the work-item's own.
fn counted(
    kernel: &str,
    options: &Options,
    (global, local): (u32, Option<u32>),
) -> Result<Vec<[i32; 3]>, String> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/sub_groups_per_group.spv"
    );
    let module = read(&std::fs::read(path).unwrap(), options).map_err(|e| e.to_string())?;
    let mut memory = Memory::new();
    let program = Program::new(&module, &mut memory).unwrap();
    let bytes = vec![0; 4 * global as usize];
    let out = memory.allocate("out", bytes, 4, program.address_limit()).unwrap();
    let launch = Launch {
        kernel: kernel.into(),
        work_dim: 1,
        global: [global, 1, 1],
        local: local.map(|n| [n, 1, 1]),
        offset: [0; 3],
        args: vec![Argument::Pointer(out)],
    };
    let options = interp::Options::default();
    program.run(&mut memory, &launch, &options).map_err(|e| e.to_string())?;
    let numbers = memory.buffer(out).unwrap().chunks(4);
    let numbers = numbers.map(|b| i32::from_le_bytes(b.try_into().unwrap()));
    Ok(numbers.map(|n| [n / 10_000, n / 100 % 100, n % 100]).collect())
}

/// What they have to write, by the definition of sub-groups: runs of `size` work-items of a work-group of `local`.
fn runs(count: i32, size: u32, global: u32, local: u32) -> Vec<[i32; 3]> {
    (0..global).map(|id| [count, count, (id % local / size) as i32]).collect()
}

#[test]
fn kernels_get_the_number_of_sub_groups_that_they_ask_for() {
    let plain = Options::default();
    assert_eq!(counted("k", &plain, (96, Some(48))).unwrap(), runs(3, 16, 96, 48));
    // the last work-group has 33 work-items: three sub-groups, too
    assert_eq!(counted("k", &plain, (81, Some(48))).unwrap(), runs(3, 16, 81, 48));
    // 36 is the largest from 33 to 48 that divides 72
    assert_eq!(counted("k", &plain, (72, None)).unwrap(), runs(3, 16, 72, 36));
    // none divides 83; 48 leaves 35
    assert_eq!(counted("k", &plain, (83, None)).unwrap(), runs(3, 16, 83, 48));
    assert_eq!(counted("m", &plain, (64, Some(32))).unwrap(), runs(2, 16, 64, 32));
    let eights = Options { sub_group_size: Some(8), ..Options::default() };
    assert_eq!(counted("k", &eights, (48, Some(24))).unwrap(), runs(3, 8, 48, 24));
    let five = Options { spec_constants: vec![(7, 5)], ..Options::default() };
    assert_eq!(counted("m", &five, (80, None)).unwrap(), runs(5, 16, 80, 80));
    let asks = "kernel `k` requires work-groups of 3 sub-groups of 16 work-items";
    for ((global, local), why) in [
        (
            (64, Some(32)),
            "local size [32, 1, 1] of global size [64, 1, 1] gives one of 32 work-items",
        ),
        ((98, Some(49)), "allowed"), // at most 48
        ((80, Some(48)), "gives one of 32 work-items"),
        ((32, None), "global size [32, 1, 1] cannot be divided into such work-groups"),
        ((97, None), "cannot be divided"),
    ] {
        let error = counted("k", &plain, (global, local)).unwrap_err();
        assert!(error.contains(why), "{global} {local:?}: {error}");
        assert!(error.contains(asks) || why == "allowed", "{error}");
    }
    let none = Options { spec_constants: vec![(7, 0)], ..Options::default() };
    let error = counted("m", &none, (64, None)).unwrap_err();
    assert!(error.contains("E0103") && error.contains("a work-group has 0 sub-groups"), "{error}");
}

/// Where another size of sub-groups gives as many, the message says so.
#[test]
fn sub_groups_that_work_groups_cannot_have_are_refused_with_a_remedy() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/filetests/spirv-to-ir/");
    let error = |name: &str, options: &Options| {
        let bytes = std::fs::read(format!("{folder}{name}.spv")).unwrap();
        read(&bytes, options).map(drop).map_err(|e| e.0[0].help.clone().unwrap_or_default())
    };
    let plain = Options::default();
    let help = error("bad_sub_groups_local_size", &plain).unwrap_err();
    assert!(help.contains("with sub-groups of 8 work-items they are 4"), "{help}");
    let eights = Options { sub_group_size: Some(8), ..Options::default() };
    assert_eq!(error("bad_sub_groups_local_size", &eights), Ok(()));
    let help = error("bad_sub_groups_task", &plain).unwrap_err();
    assert!(help.contains("ask for another number of sub-groups"), "{help}");
}
