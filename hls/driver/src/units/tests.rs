//! Choices that were worked out by hand.

use super::*;
use target::Library;

fn board(name: &str) -> Board {
    Library::builtin().board(name).expect("built in")
}

fn area(lut: f64) -> Area {
    Area { lut, ff: lut, ..Area::default() }
}

/// A kernel that computes 256 cycles for each beat, takes 5,000 LUTs and may take 100,000.
fn facts() -> Facts {
    Facts {
        single: None,
        work_groups: None,
        unit_cycles: 64.0,
        memory_cycles: 0.25,
        port_units: 1,
        one: area(5_000.0),
        room: area(100_000.0),
    }
}

#[test]
fn what_limits_most_decides() {
    use UnitsLimit::{Area, Memory, MemoryUnits, Most, WorkGroups};
    // 256 by memory, 20 by area, 60 by the places at the port.
    assert_eq!(choose(&facts()), (16, Most));
    assert_eq!(choose(&Facts { room: area(24_999.0), ..facts() }), (4, Area));
    assert_eq!(choose(&Facts { room: area(100.0), ..facts() }), (1, Area), "one there is");
    // 64 cycles of computing for 20 of the port: three ask for 60 of 64, four for more than there are.
    assert_eq!(choose(&Facts { memory_cycles: 20.0, ..facts() }), (3, Memory));
    assert_eq!(choose(&Facts { memory_cycles: 16.0, ..facts() }), (4, Memory), "to the last beat");
    assert_eq!(choose(&Facts { memory_cycles: 64.0, ..facts() }), (1, Memory));
    assert_eq!(choose(&Facts { memory_cycles: 200.0, ..facts() }), (1, Memory));
    assert_eq!(choose(&Facts { memory_cycles: 0.0, ..facts() }), (16, Most), "no memory at all");
    // 13 units each at a port with 60 places.
    assert_eq!(choose(&Facts { port_units: 13, ..facts() }), (4, MemoryUnits));
    assert_eq!(choose(&Facts { work_groups: Some(3), ..facts() }), (3, WorkGroups));
    assert_eq!(choose(&Facts { work_groups: Some(1), ..facts() }), (1, WorkGroups));
    assert_eq!(choose(&Facts { work_groups: Some(1 << 40), ..facts() }), (16, Most));
}

#[test]
fn kernels_that_copies_are_no_question_for_have_one() {
    let single = Some((UnitsLimit::Pipes, "so".to_owned()));
    assert_eq!(choose(&Facts { single, ..facts() }), (1, UnitsLimit::Pipes));
}

#[test]
fn the_scarcest_resource_decides_what_fits() {
    let one = Area { lut: 10.0, ff: 10.0, dsp: 7.0, bram: 0.0 };
    let room = Area { lut: 100.0, ff: 1000.0, dsp: 20.0, bram: 5.0 };
    assert_eq!(fitting(1, &one, &room), 2, "DSP tiles for two");
    // Four units that take 40 of 30 each on average.
    assert_eq!(fitting(4, &area(40.0), &area(30.0)), 3);
    assert_eq!(fitting(4, &area(29.0), &area(30.0)), 4);
}

#[test]
fn memory_is_as_fast_as_the_board_has_it() {
    let demand = Demand { unit_cycles: 1.0, beats: (2.0, 1.0) };
    let cycles = |name: &str, mhz: f64| memory_cycles(&demand, &board(name), mhz);
    assert_eq!(cycles("ulx3s", 75.0), 2.0, "block RAM reads and writes at a time");
    assert_eq!(cycles("ulx3s-sdram", 50.0), 12.0, "four cycles a beat, reads or writes");
    assert_eq!(cycles("u250", 300.0), 3.0, "a bank carries a beat a cycle in all");
    assert_eq!(cycles("u250", 150.0), 2.0, "at half the clock the port is what limits");
}

#[test]
fn copies_leave_room_on_every_board() {
    // 1,728,000 LUTs in four regions, 60 % of one; 12,288 DSP tiles, 70 %.
    let room = board("u250").room_for_copies();
    assert_eq!((room.lut, room.dsp.round()), (259_200.0, 2_150.0));
    // 83,640 LUTs less 2,000 of the shell, half of them.
    assert_eq!(board("ulx3s").room_for_copies().lut, 40_820.0);
}

#[test]
fn the_reason_has_its_figures() {
    let facts = Facts { memory_cycles: 16.0, ..facts() };
    let says = |limit, name: &str, taken: f64| reason(&facts, limit, &board(name), &area(taken));
    let memory = says(UnitsLimit::Memory, "u250", 0.0);
    assert!(memory.contains("memory bandwidth (one unit asks for 25 % of the port's)"), "{memory}");
    assert!(memory.ends_with("--compute-units N asks for another number"), "{memory}");
    let large = says(UnitsLimit::Area, "u250", 216_000.0);
    assert!(large.contains("area (LUT 50 % of a super logic region)"), "{large}");
    let small = says(UnitsLimit::Area, "ulx3s", 40_820.0);
    assert!(small.contains("area (LUT 50 % of the device)"), "{small}");
}
