//! Connected pipes: what their instructions become, and what is refused. `connected_pipe.spvasm` has three kernels, as clang-22
//! compiles them: `forward` reads, writes and asks, `large` has packets of 132 bytes, `reserved` reserves. In `blocking_pipe.spvasm`
//! `pass` waits for two packets and hands them on, `beside` reserves too.

use abi::PipeDescriptor;
use interp::{Argument, Launch, Memory, Program};
use ir::Module;
use spirv_to_ir::{ConnectedPipe, Options, read};

/// Reads a kernel with some of its arguments connected, 9 packets deep.
fn connected(kernel: &str, pipes: &[(&str, &str)]) -> base::Result<Module> {
    connected_in("connected_pipe", kernel, pipes)
}

fn connected_in(file: &str, kernel: &str, pipes: &[(&str, &str)]) -> base::Result<Module> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/filetests/spirv-to-ir/");
    let path = format!("{folder}{file}.spv");
    let pipe = |(kernel, arg): &(&str, &str)| ConnectedPipe {
        kernel: (*kernel).into(),
        arg: (*arg).into(),
        depth: 9,
    };
    let options = Options {
        kernels: vec![kernel.into()],
        connected: pipes.iter().map(pipe).collect(),
        ..Options::default()
    };
    read(&std::fs::read(path).expect("the module"), &options)
}

#[track_caller]
fn refused(kernel: &str, pipes: &[(&str, &str)]) -> String {
    connected(kernel, pipes).expect_err("refused").to_string()
}

#[test]
fn instructions_become_operations_on_the_argument() {
    let module = connected("forward", &[("forward", "in"), ("forward", "1")]).expect("reads");
    ir::verify::verify_module(&module).expect("valid");
    let text = module.to_string();
    for part in [
        "pipe read 4 connected 9",
        "pipe write 4 connected 9",
        "pipe.take_packet 0",
        "pipe.read_reserved 0",
        "pipe.take_room 1",
        "pipe.write_reserved 1",
        "pipe.count 0",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains("atomic"), "no pipe in memory is left:\n{text}");

    let one = connected("forward", &[("forward", "out")]).expect("reads").to_string();
    assert!(one.contains("pipe.take_room 1") && one.contains("atomic"), "one of each:\n{one}");
    assert!(!one.contains("take_packet"), "{one}");
}

/// Unoptimised code keeps its arguments in variables.
#[test]
fn pipes_in_variables_are_followed() {
    let pipes = [("two", "first"), ("two", "second")];
    let module = connected_in("connected_pipe_unoptimised", "two", &pipes).expect("reads");
    ir::verify::verify_module(&module).expect("valid");
    let text = module.to_string();
    for part in ["pipe.write_reserved 0", "pipe.write_reserved 1"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains("atomic"), "no pipe in memory is left:\n{text}");
}

/// What a value can be comes to the instruction through phis, variables and calls.
#[test]
fn pipes_that_are_chosen_are_the_ones_that_are_used() {
    let pipes = [("chosen", "first"), ("chosen", "second")];
    for (connected, depth) in [(&pipes[..], 9), (&pipes[..1], 9), (&pipes[1..], 4), (&[], 4)] {
        let module = connected_in("connected_pipe_chosen", "chosen", connected).expect("reads");
        ir::verify::verify_module(&module).expect("valid");
        let text = module.to_string();
        assert_eq!(text.contains("atomic"), connected.len() < 2, "{text}");
        let (most, first, second) = exchange(&module, "chosen", &[], &[]);
        assert_eq!((first, second), (vec![0, 11, 2], vec![10, 1, 12]), "{connected:?}");
        assert_eq!(most, depth, "{connected:?}");
    }
}

/// Compilers make one call of two that differ in the pipe.
#[test]
fn merged_calls_are_taken_apart() {
    let pipes = [("divide", "a"), ("divide", "b")];
    for file in ["connected_pipe_merged_22", "connected_pipe_merged_15"] {
        for connected in [&pipes[..], &pipes[..1], &pipes[1..], &[]] {
            let module = connected_in(file, "divide", connected).expect("reads");
            ir::verify::verify_module(&module).expect("valid");
            let text = module.to_string();
            let takes = text.matches("pipe.take_room").count();
            assert_eq!(takes, connected.len(), "{file}: {text}");
            // The number there is 0, which is even.
            let (failed, a, b) = exchange(&module, "divide", &[], &[5]);
            assert_eq!((failed, a, b), (0, vec![], vec![5, 0]), "{file}: {connected:?}");
        }
    }
}

#[test]
fn what_only_one_pipe_can_be_needs_no_choice() {
    let connected = [("undefined", "second")];
    let module = connected_in("connected_pipe_chosen", "undefined", &connected).expect("reads");
    ir::verify::verify_module(&module).expect("valid");
    assert!(!module.to_string().contains("atomic"), "{module}");
    let (_, first, second) = exchange(&module, "undefined", &[], &[]);
    assert_eq!((first, second), (vec![], vec![4]));
}

#[test]
fn variables_of_connected_pipes_that_others_may_change_are_refused() {
    let connected = [("escapes", "first")];
    let error = connected_in("connected_pipe_chosen", "escapes", &connected).expect_err("refused");
    let text = error.to_string();
    let what = "whose address is used other than to load and store the pipe";
    assert!(text.contains("error[E0110]: connected pipe") && text.contains(what), "{text}");
}

#[test]
fn blocks_do_not_capture_connected_pipes() {
    let error = connected_in("enqueue_captured", "k", &[("k", "in")]).expect_err("refused");
    let text = error.to_string();
    assert!(
        text.contains("error[E0110]: connected pipe") && text.contains("%in")
            || text.contains("`in`"),
        "{text}"
    );
    assert!(text.contains("a block can capture pipes in memory only"), "{text}");
}

/// In the interpreter the pipe's object stands for the FIFO.
#[test]
fn the_interpreter_moves_packets_between_objects() {
    let module = connected("forward", &[("forward", "in"), ("forward", "out")]).expect("reads");
    // written, one packet left to read, a depth of nine
    let (n, from, to) = exchange(&module, "forward", &[1, 2], &[0x0909_0909]);
    assert_eq!(n, 10);
    assert_eq!((from, to), (vec![2], vec![0x0909_0909, 1]));
}

/// Runs a kernel whose first arguments are pipes for four numbers, the one that it reads with these in it and the one
/// that it writes, and whose third, if it has one, is a number: the number, and what is in the pipes afterwards.
fn exchange(module: &Module, kernel: &str, from: &[u32], to: &[u32]) -> (u32, Vec<u32>, Vec<u32>) {
    let mut memory = Memory::new();
    let program = Program::new(module, &mut memory).expect("loads");
    let limit = program.address_limit();
    let mut pipe = |packets: &[u32]| {
        let bytes: Vec<u8> = packets.iter().flat_map(|n| n.to_le_bytes()).collect();
        let pipe = PipeDescriptor::new(4, 4).expect("there are such pipes");
        let object = pipe.object(&bytes).expect("fits");
        let address = memory.allocate("pipe", object, 128, limit).expect("room");
        PipeDescriptor { address, ..pipe }
    };
    let pipes = [pipe(from), pipe(to)];
    let n = memory.allocate("n", vec![0; 4], 4, limit).expect("room");
    let mut args: Vec<Argument> =
        pipes.iter().map(|p| Argument::Value(p.to_bytes().to_vec())).collect();
    let kernels = module.functions.values().filter_map(|f| f.kernel.as_ref());
    if kernels.map(|k| k.args.len()).max() == Some(3) {
        args.push(Argument::Pointer(n));
    }
    let launch = Launch {
        kernel: kernel.into(),
        work_dim: 1,
        global: [1; 3],
        local: None,
        offset: [0; 3],
        args,
    };
    program.run(&mut memory, &launch, &interp::Options::default()).expect("runs");
    let numbers = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
    };
    let [from, to] = pipes.map(|pipe| {
        let object = memory.buffer(pipe.address).expect("there");
        numbers(&pipe.packets(object).expect("an object of this pipe"))
    });
    (numbers(memory.buffer(n).expect("there"))[0], from, to)
}

/// Connected or in memory, the same happens where the packets are there.
#[test]
fn blocking_reads_and_writes_wait_at_fifos_and_repeat_the_attempt_in_memory() {
    let both = |kernel| [(kernel, "in"), (kernel, "out")];
    for pipes in [&both("pass")[..], &both("pass")[..1], &[]] {
        let module = connected_in("blocking_pipe", "pass", pipes).expect("reads");
        ir::verify::verify_module(&module).expect("valid");
        let text = module.to_string();
        let waits = text.matches("= pipe.read 0").count() + text.matches("= pipe.write 1").count();
        assert_eq!(waits, 2 * pipes.len(), "{text}");
        assert_eq!(text.contains("atomic"), pipes.len() < 2, "{text}");
        let (_, from, to) = exchange(&module, "pass", &[5, 6, 7], &[]);
        assert_eq!((from, to), (vec![7], vec![6, 6]));
    }
    for pipes in [&both("beside")[..], &[]] {
        let module = connected_in("blocking_pipe", "beside", pipes).expect("reads");
        ir::verify::verify_module(&module).expect("valid");
        let (_, from, to) = exchange(&module, "beside", &[5, 6, 7, 8], &[1]);
        assert_eq!((from, to), (vec![8], vec![1, 6, 7]));
    }
}

#[test]
fn reservations_become_positions() {
    let module = connected("reserved", &[("reserved", "in")]).expect("reads");
    ir::verify::verify_module(&module).expect("valid");
    let text = module.to_string();
    for part in ["= pipe.reserve_packets 0 v", "= pipe.read_at 0 v", "= pipe.commit_read 0 v"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    // Packets that are read one by one have positions, too, where others are reserved.
    let beside = connected_in("blocking_pipe", "beside", &[("beside", "in"), ("beside", "out")]);
    let text = beside.expect("reads").to_string();
    assert!(!text.contains("pipe.read 0") && text.contains("pipe.write 1"), "{text}");
}

#[test]
fn what_cannot_be_connected_is_named() {
    let e = refused("forward", &[("forward", "n")]);
    assert!(e.contains("E0119") && e.contains("`n` is connected, but it is no pipe"), "{e}");
    let e = refused("forward", &[("forward", "inn")]);
    assert!(e.contains("E0119") && e.contains("kernel `forward` has no argument `inn`"), "{e}");
    let e = refused("forward", &[("backward", "in")]);
    assert!(e.contains("E0119") && e.contains("there is no kernel `backward`"), "{e}");
    let e = refused("large", &[("large", "in")]);
    assert!(e.contains("packets of 132 bytes") && e.contains("at most 128"), "{e}");
}

#[test]
fn connections_of_kernels_that_are_not_read_have_no_meaning() {
    let module = connected("forward", &[("forward", "in"), ("large", "in")]).expect("reads");
    assert!(module.to_string().contains("connected 9"));
    // Not even a wrong argument: nobody has read the kernel.
    assert!(connected("forward", &[("large", "nothing")]).is_ok());
}

#[test]
fn a_device_without_fifos_has_pipes_in_memory_that_are_told_the_depth() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/connected_pipe.spv"
    );
    // `forward` asks how many packets `out` holds.
    let pipe = |kernel: &str, depth| {
        let arg = if kernel == "forward" { "out" } else { "in" };
        ConnectedPipe { kernel: kernel.into(), arg: arg.into(), depth }
    };
    let read_with = |pipe: ConnectedPipe| {
        let kernels = vec![pipe.kernel.clone()];
        let options =
            Options { kernels, connected: vec![pipe], fifos_in_memory: true, ..Options::default() };
        read(&std::fs::read(path).expect("the module"), &options)
    };
    for kernel in ["forward", "reserved"] {
        let module = read_with(pipe(kernel, 9)).expect("reads");
        ir::verify::verify_module(&module).expect("valid");
        let text = module.to_string();
        assert!(text.contains(" 4 limit 9 size"), "{text}");
        assert!(!text.contains("= pipe.") && text.contains("const 9"), "{text}");
        // What clhls would choose is not known here.
        let text = read_with(pipe(kernel, 0)).expect("reads").to_string();
        assert!(text.contains(" 4 limit 0 size") && !text.contains("const 9"), "{text}");
    }
    let e = read_with(pipe("large", 9)).expect_err("too large for hardware").to_string();
    assert!(e.contains("packets of 132 bytes"), "{e}");
}
