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
