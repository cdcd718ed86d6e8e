//! The boards, and boards from outside.

use std::fs;

use target::{Flow, Library, OpKind, TargetError};

#[test]
fn every_board_is_complete() {
    let library = Library::builtin();
    let expected = [
        "kv260",
        "u250",
        "u280",
        "u50",
        "u55c",
        "ulx3s",
        "ulx3s-sdram",
        "unit",
        "unit512",
        "vck5000",
    ];
    assert_eq!(library.boards(), expected);
    for name in expected {
        let board = library.board(name).unwrap();
        assert_eq!(board.name, name);
        assert!(board.memory.data_bits.is_power_of_two());
        let period = 1000.0 / f64::from(board.default_clock_mhz);
        assert!(
            board.family.min_period_ns() <= period,
            "{name}: RAM and DSP tiles must work at the default clock"
        );
    }
}

#[test]
fn facts_of_single_boards() {
    let library = Library::builtin();
    let u250 = library.board("u250").unwrap();
    assert_eq!(u250.flow, Flow::Vitis);
    assert_eq!(u250.memory.bank_name(2), "DDR[2]");
    assert_eq!(u250.memory.global_bytes, 64 << 30);
    assert_eq!(u250.platform.as_deref(), Some("xilinx_u250_gen3x16_xdma_4_1_202210_1"));
    assert_eq!(library.board("kv260").unwrap().platform, None);
    let ulx3s = library.board("ulx3s").unwrap();
    assert_eq!(
        (ulx3s.flow, ulx3s.family.name.as_str(), ulx3s.family.grade.as_str()),
        (Flow::Ecp5, "ecp5", "6")
    );
    assert!(ulx3s.files.contains_key("ulx3s.lpf"));
    // inherits tables and files
    let sdram = library.board("ulx3s-sdram").unwrap();
    assert_eq!((sdram.memory.global_bytes, sdram.memory.data_bits), (32 << 20, 64));
    assert_eq!((&sdram.part, &sdram.files), (&ulx3s.part, &ulx3s.files));
}

#[test]
fn an_unknown_board_is_answered_with_the_nearest() {
    let error = Library::builtin().board("ux3s").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown board `ux3s`, did you mean `ulx3s`?; `clhls boards` lists all: kv260, u250, u280, u50, u55c, ulx3s, ulx3s-sdram, unit, unit512, vck5000"
    );
    let error = Library::builtin().family("ecp5", "9").unwrap_err();
    assert_eq!(error.to_string(), "family `ecp5` has no speed grade `9`; known: 6, 7, 8");
}

#[test]
fn a_board_from_outside_inherits_and_overrides() {
    let dir = tempfile::tempdir().unwrap();
    let board = dir.path().join("lab1");
    fs::create_dir(&board).unwrap();
    let text = include_str!("../../../board-support/unit/board.toml")
        .replace("\"unit\"", "\"lab1\"")
        .replace("data_bits = 64", "data_bits = 256");
    fs::write(board.join("board.toml"), text).unwrap();
    fs::write(
        board.join("delays.toml"),
        "inherits = \"unit\"\nname = \"lab1\"\n[delay_ns]\nadd = [[1, 2.5]]\n",
    )
    .unwrap();
    for path in [dir.path(), board.as_path()] {
        let library = Library::builtin().with_dir(path).unwrap();
        let lab = library.board("lab1").unwrap();
        assert_eq!(lab.memory.data_bits, 256);
        assert_eq!(lab.family.delay_ns(OpKind::Add, 8), 2.5);
        assert_eq!(lab.family.delay_ns(OpKind::And, 8), 1.0);
        assert!(library.board("u250").is_ok());
    }
}

#[test]
fn wrong_files_are_named() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Library::builtin().with_dir(dir.path()), Err(TargetError::Io { .. })));
    let good = include_str!("../../../board-support/unit/board.toml");
    let cases = [
        (
            good.replace("data_bits = 64", "data_bits = 48"),
            "lab/board.toml: memory.data_bits is 48: AXI4 needs a power of two from 32 to 1024",
        ),
        (
            good.replace("flow = \"none\"", "flow = \"ecp5\""),
            "lab/board.toml: a table [ecp5] is needed",
        ),
        (good.replace("ports = 1", "ports = 2"), "lab/board.toml: memory.banks must contain {n}"),
        (good.replace("part =", "prat ="), "unknown field `prat`"),
        (
            good.replace("\"unit\"", "\"unti\""),
            "unknown device family `unti`, did you mean `unit`?",
        ),
    ];
    for (text, message) in cases {
        let lab = dir.path().join("lab");
        fs::create_dir_all(&lab).unwrap();
        fs::write(lab.join("board.toml"), text).unwrap();
        let error =
            Library::builtin().with_dir(dir.path()).unwrap().board("lab").unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn families_in_a_circle_and_falling_delays_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("inherits = \"lab\"\n", "inherits in a circle"),
        ("inherits = \"unit\"\n[delay_ns]\nadd = [[1, 2.0], [2, 1.0]]\n", "values must not fall"),
    ];
    for (text, message) in cases {
        let lab = dir.path().join("lab");
        fs::create_dir_all(&lab).unwrap();
        fs::write(lab.join("delays.toml"), text).unwrap();
        let error = Library::builtin()
            .with_dir(dir.path())
            .unwrap()
            .family("lab", "1")
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}
