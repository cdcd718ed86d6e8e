//! Connected pipes: what their instructions become, and what is refused. `connected_pipe.spvasm` has three kernels, as clang-22
//! compiles them: `forward` reads, writes and asks, `large` has packets of 132 bytes, `reserved` reserves.

use abi::PipeDescriptor;
use interp::{Argument, Launch, Memory, Program};
use ir::Module;
use spirv_to_ir::{ConnectedPipe, Options, read};

/// Reads a kernel with some of its arguments connected, 9 packets deep.
fn connected(kernel: &str, pipes: &[(&str, &str)]) -> base::Result<Module> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/connected_pipe.spv"
    );
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

/// In the interpreter the pipe's object stands for the FIFO.
#[test]
fn the_interpreter_moves_packets_between_objects() {
    let module = connected("forward", &[("forward", "in"), ("forward", "out")]).expect("reads");
    let mut memory = Memory::new();
    let program = Program::new(&module, &mut memory).expect("loads");
    let limit = program.address_limit();
    let mut pipe = |packets: &[u8]| {
        let pipe = PipeDescriptor::new(4, 4).expect("there are such pipes");
        let object = pipe.object(packets).expect("fits");
        let address = memory.allocate("pipe", object, 128, limit).expect("room");
        PipeDescriptor { address, ..pipe }
    };
    let (from, to) = (pipe(&[1, 2, 3, 4, 5, 6, 7, 8]), pipe(&[9, 9, 9, 9]));
    let n = memory.allocate("n", vec![0; 4], 4, limit).expect("room");
    let launch = Launch {
        kernel: "forward".into(),
        work_dim: 1,
        global: [1; 3],
        local: None,
        offset: [0; 3],
        args: vec![
            Argument::Value(from.to_bytes().to_vec()),
            Argument::Value(to.to_bytes().to_vec()),
            Argument::Pointer(n),
        ],
    };
    program.run(&mut memory, &launch, &interp::Options::default()).expect("runs");
    // written, one packet left to read, a depth of nine
    assert_eq!(memory.buffer(n), Some(&10u32.to_le_bytes()[..]));
    let packets = |pipe: PipeDescriptor| pipe.packets(memory.buffer(pipe.address).expect("there"));
    assert_eq!(packets(from).as_deref(), Some(&[5, 6, 7, 8][..]));
    assert_eq!(packets(to).as_deref(), Some(&[9, 9, 9, 9, 1, 2, 3, 4][..]));
}

#[test]
fn what_cannot_be_connected_is_named() {
    let e = refused("forward", &[("forward", "n")]);
    assert!(e.contains("E0119") && e.contains("`n` is connected, but it is no pipe"), "{e}");
    let e = refused("forward", &[("forward", "inn")]);
    assert!(e.contains("E0119") && e.contains("kernel `forward` has no argument `inn`"), "{e}");
    let e = refused("forward", &[("backward", "in")]);
    assert!(e.contains("E0119") && e.contains("no kernel `backward` is read"), "{e}");
    let e = refused("large", &[("large", "in")]);
    assert!(e.contains("packets of 132 bytes") && e.contains("at most 128"), "{e}");
    let e = refused("reserved", &[("reserved", "in")]);
    assert!(
        e.contains("reservations of packets of connected pipe") && e.contains("issue 6"),
        "{e}"
    );
}
