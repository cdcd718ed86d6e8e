//! Launches that share pipes in memory and wait for one another, interpreted and as native code.

use driver::emu::Emulator;
use driver::native;
use host::{Array, Device, NdRange, PipeValue, Request, Value};
use interp::{Options, Order};

/// `pass` reads a packet, hands on one more, reads a packet and hands it on.
fn module() -> ir::Module {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/blocking_pipe.spv"
    );
    let bytes = std::fs::read(path).expect("there");
    spirv_to_ir::read(&bytes, &spirv_to_ir::Options::default()).expect("sound")
}

const ORDERS: [Order; 3] =
    [Order::Sequential, Order::Shuffled { seed: 3 }, Order::Interleaved { seed: 4 }];

/// The interpreter in several orders, and native code.
fn devices(most_polls: u64) -> Vec<(String, Box<dyn Device>)> {
    let mut all: Vec<(String, Box<dyn Device>)> = vec![];
    for order in ORDERS {
        let options = Options { step_limit: None, order, most_polls };
        let device = Emulator::new(module(), options).expect("sound");
        all.push((format!("emu, {order:?}"), Box::new(device)));
    }
    let mut device = native::device(module()).expect("sound");
    device.set_most_polls(most_polls);
    all.push(("native".into(), Box::new(device)));
    all
}

fn pipe(name: &str, packets: &[i32]) -> Value {
    let bytes = packets.iter().flat_map(|p| p.to_le_bytes()).collect();
    let shape = vec![packets.len() as u64];
    let packets = Array { scalar: abi::ScalarType::I32, shape, bytes };
    Value::Pipe(PipeValue { name: Some(name.into()), max_packets: 2, packets, object: None })
}

fn is_pipe(value: &Value, name: &str) -> bool {
    matches!(value, Value::Pipe(pipe) if pipe.name.as_deref() == Some(name))
}

/// `pass` from one pipe, with these packets, to another.
fn pass((from, packets): (&str, &[i32]), to: &str) -> Request {
    let range = NdRange { global: vec![1], local: None, offset: None };
    let args = vec![("in".to_owned(), pipe(from, packets)), ("out".to_owned(), pipe(to, &[]))];
    Request { kernel: "pass".into(), range, args }
}

#[test]
fn a_ring_of_launches_hands_packets_on() {
    for (name, mut device) in devices(interp::MOST_POLLS) {
        // Round the ring of pipes: 7 becomes 8, 9 and 10 on its first way and stays that on its second.
        let ring = [pass(("a", &[7]), "b"), pass(("b", &[]), "c"), pass(("c", &[]), "a")];
        for first in 0..3 {
            let mut launches = ring.to_vec();
            launches.rotate_left(first);
            // What a pipe holds at first is what the first launch says that has it.
            let args = launches.iter_mut().flat_map(|l| &mut l.args);
            args.filter(|(_, value)| is_pipe(value, "a")).for_each(|(_, v)| *v = pipe("a", &[7]));
            let results = host::run_together(&mut *device, &launches)
                .unwrap_or_else(|e| panic!("{name}, {first}: {e}"));
            let last = launches.iter().position(|l| is_pipe(&l.args[1].1, "a")).expect("one");
            let (arg, left) = &results[last].buffers[1];
            assert_eq!(
                (arg.as_str(), &left.bytes[..]),
                ("out", &10i32.to_le_bytes()[..]),
                "{name}"
            );
        }
    }
}

#[test]
fn a_ring_without_a_packet_hangs_and_says_so() {
    for (name, mut device) in devices(500) {
        let launches = [pass(("a", &[]), "b"), pass(("b", &[]), "a")];
        let e = host::run_together(&mut *device, &launches).expect_err("hangs").message;
        for part in [
            "kernel `pass` tries again and again to get packets of pipe `in`, which holds 0 of 2 packets",
            "500 operations were refused",
            "kernel `pass` writes it as `out` at k.cl:4:5",
        ] {
            assert!(e.contains(part), "{name}: {part}: {e}");
        }
    }
}

#[test]
fn a_launch_that_has_ended_keeps_no_other_one_from_hanging() {
    for (name, mut device) in devices(500) {
        // Nobody writes `c`; the other launch has what it needs.
        let launches = [pass(("c", &[]), "d"), pass(("a", &[1, 5]), "b")];
        let e = host::run_together(&mut *device, &launches).expect_err("hangs").message;
        for part in ["pipe `in`, which holds 0 of 2 packets", "no other kernel of this launch has"]
        {
            assert!(e.contains(part), "{name}: {part}: {e}");
        }
    }
}
