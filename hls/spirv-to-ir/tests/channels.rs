//! Channels become parameters. `channels.spvasm` is what clang-22 makes of two kernels: `writer` calls `put`, which tries to write
//! `c[2][1]` again and again, `reader` reads that channel and `back`, which leads out, and asks how much is in `back`.

use base::SourceMap;
use spirv_to_ir::{Channel, ConnectedPipe, Options, channels, fuzzing, processed, read};

fn fixture() -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/filetests/spirv-to-ir/");
    std::fs::read(format!("{folder}channels.spv")).expect("the module")
}

#[test]
fn channels_are_named_with_their_kernels() {
    let found = channels(&fixture(), &mut SourceMap::default()).expect("sound").expect("channels");
    let end = |kernel: &str, arg: &str| vec![(kernel.to_owned(), arg.to_owned())];
    let wanted = [
        Channel {
            name: "c_2_1".into(),
            depth: Some(8),
            port: None,
            writers: end("writer", "c_2_1"),
            readers: end("reader", "c_2_1"),
        },
        Channel {
            name: "back".into(),
            depth: None,
            port: Some("video_in".into()),
            writers: vec![],
            readers: end("reader", "back"),
        },
    ];
    assert_eq!(found.channels, wanted);
}

#[test]
fn kernels_get_parameters_and_hand_them_on() {
    let found = channels(&fixture(), &mut SourceMap::default()).expect("sound").expect("channels");
    let pipe = |kernel: &str, arg: &str, depth| ConnectedPipe {
        kernel: kernel.into(),
        arg: arg.into(),
        depth,
    };
    let options = Options {
        connected: vec![
            pipe("writer", "c_2_1", 8),
            pipe("reader", "c_2_1", 8),
            pipe("reader", "back", 4),
        ],
        ..Options::default()
    };
    let module = read(&found.bytes, &options).expect("reads");
    ir::verify::verify_module(&module).expect("valid");
    let text = module.to_string();
    for part in [
        "arg 1 \"c_2_1\" \"\" pipe write 8 connected 8 channel",
        "arg 1 \"c_2_1\" \"\" pipe read 8 connected 8 channel",
        "arg 2 \"back\" \"\" pipe read 4 connected 4 channel",
        "pipe.take_room 1",
        "pipe.read 1",
        "pipe.read 2",
        "pipe.count 2",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    // What is not connected is a pipe in memory, as everywhere.
    let memory = read(&found.bytes, &Options::default()).expect("reads").to_string();
    assert!(memory.contains("pipe read 8 channel") && !memory.contains("pipe.read"), "{memory}");
}

#[test]
fn modules_without_channels_stay_as_they_are() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/filetests/spirv-to-ir/");
    let bytes = std::fs::read(format!("{folder}connected_pipe.spv")).expect("the module");
    assert!(channels(&bytes, &mut SourceMap::default()).expect("sound").is_none());
    assert_eq!(processed(bytes.clone(), &[]), bytes);
}

#[test]
fn hints_do_not_change_what_a_module_means() {
    let found = channels(&fixture(), &mut SourceMap::default()).expect("sound").expect("channels");
    let hints = ["clhls.loop a.cl:1:2 ivdep".to_owned(), "of somebody else".to_owned()];
    let with = processed(found.bytes.clone(), &hints);
    assert!(with.len() > found.bytes.len());
    let text = |bytes: &[u8]| read(bytes, &Options::default()).expect("reads").to_string();
    assert_eq!(text(&with), text(&found.bytes));
}

#[test]
fn mutated_modules_do_not_panic() {
    let (bytes, mut replaced) = (fixture(), 0);
    for seed in 0..3000 {
        let case = fuzzing::mutate(&bytes, seed);
        if let Ok(Some(found)) = channels(&case, &mut SourceMap::default()) {
            replaced += 1;
            // an error is as good as a module
            let _ = read(&found.bytes, &Options::default());
        }
    }
    assert!(replaced > 100, "only {replaced} modules of 3000 had channels still");
}
