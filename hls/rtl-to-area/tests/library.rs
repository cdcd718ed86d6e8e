//! The formulas of library modules against what yosys makes of the modules alone.
//!
//! The expected figures are of yosys 0.70, `synth_ecp5 -nowidelut`, 2026-11-28 at the latest: LUT4s, two for each
//! CCU2C and six for each TRELLIS_DPR16X4; TRELLIS_FF; DP16KD; every module with TARGET "ecp5".

use rtl::{Design, ModuleBuilder};

/// How far an estimate may be off: the share of the figure, and a number besides for small modules.
const SHARE: f64 = 0.35;
const BESIDES: f64 = 16.0;

fn check(module: &str, params: &[(&str, u32)], lut: f64, ff: f64, bram: f64) {
    check_within(SHARE, module, params, lut, ff, bram);
}

fn check_within(share: f64, module: &str, params: &[(&str, u32)], lut: f64, ff: f64, bram: f64) {
    let mut top = ModuleBuilder::new("top", vec![]);
    let mut instance = top.instance(module, "u");
    for (name, value) in params {
        instance = instance.param(name, *value);
    }
    instance.done();
    let family = target::Library::builtin().family("ecp5", "6").unwrap();
    let design = Design { modules: vec![top.finish()] };
    let area = clhls_rtl_to_area::Estimate::new(&design, &family).of("top");
    for (what, estimate, measured) in [("LUT", area.lut, lut), ("FF", area.ff, ff)] {
        assert!(
            (estimate - measured).abs() <= share * measured + BESIDES,
            "{module} {params:?}: {estimate} {what} estimated, {measured} measured"
        );
    }
    assert_eq!(area.bram, bram, "{module} {params:?}: block RAMs");
    assert_eq!(area.dsp, 0.0, "{module} {params:?}: DSP tiles");
}

/// Units as they stand in kernels for ulx3s, of their netlists there (yosys 0.70, 2026-11-28): the constants were fitted to these, so they
/// have to be close.
#[test]
fn units_inside_of_kernels() {
    let unit = [("BUS_BYTES", 8), ("DEVICE_BITS", 32), ("DEPTH", 64)];
    let load = |bytes| [&unit[..], &[("BYTES", bytes), ("DEPTH_BEATS", 32)]].concat();
    check_within(0.12, "clhls_load", &load(4), 451.0, 343.0, 2.0);
    check_within(0.12, "clhls_load", &load(1), 473.0, 361.0, 2.0);
    check_within(0.12, "clhls_load", &load(8), 507.0, 394.0, 2.0);
    let store = |bytes, ack| [&unit[..], &[("BYTES", bytes), ("ACK", ack)]].concat();
    check_within(0.12, "clhls_store", &store(4, 0), 483.0, 814.0, 2.0);
    check_within(0.12, "clhls_store", &store(8, 0), 481.0, 919.0, 2.0);
    check_within(0.12, "clhls_store", &store(4, 1), 629.0, 869.0, 2.0);
    // Compare and exchange, and load, for two clients.
    let atomic = [("N", 2), ("EXCLUSIVE", 2), ("LINES", 512), ("BLOCK", 8), ("OPS", 0x1800)];
    check_within(0.12, "clhls_atomic", &[&unit[..2], &atomic[..]].concat(), 1684.0, 868.0, 2.0);
    let realigned = [("DEVICE_BITS", 32), ("WINDOW", 8), ("PARTS", 2), ("BYTES", 8)];
    check_within(
        0.12,
        "clhls_realign_store",
        &[&realigned[..], &[("ACK", 0)]].concat(),
        634.0,
        864.0,
        0.0,
    );
    check_within(
        0.12,
        "clhls_realign_load",
        &[&realigned[..], &unit[2..]].concat(),
        520.0,
        563.0,
        0.0,
    );
    // Of a kernel that asks for no index.
    check_within(0.12, "clhls_dispatcher", &[("SLOTS", 1)], 807.0, 463.0, 0.0);
    // Of a word of 59 bits, in ten kernels between 396 and 518.
    let barrier = [("WIDTH", 59), ("SLOTS", 4), ("SLOT_BITS", 2), ("LID_BITS", 8)];
    check_within(0.12, "clhls_barrier", &barrier, 400.0, 262.0, 4.0);
    let adds = [&unit[..2], &[("N", 1), ("OPS", 1)]].concat();
    check_within(0.12, "clhls_atomic", &adds, 234.0, 282.0, 0.0);
    check_within(0.25, "clhls_queue", &[("WIDTH", 32), ("EARLY", 1)], 97.0, 13.0, 0.0);
    check_within(0.25, "clhls_queue", &[("WIDTH", 64), ("EARLY", 1)], 150.0, 13.0, 0.0);
}

#[test]
fn queues_and_delays() {
    check("clhls_skid", &[("WIDTH", 100)], 105.0, 204.0, 0.0);
    check("clhls_fifo", &[("WIDTH", 32), ("DEPTH", 2)], 37.0, 68.0, 0.0);
    check("clhls_fifo", &[("WIDTH", 64), ("DEPTH", 17)], 183.0, 81.0, 0.0);
    check("clhls_fifo", &[("WIDTH", 64), ("DEPTH", 32)], 101.0, 97.0, 2.0);
    check("clhls_queue", &[("WIDTH", 64)], 121.0, 12.0, 0.0);
    check("clhls_fifo", &[("WIDTH", 96), ("DEPTH", 128)], 139.0, 139.0, 3.0);
    check("clhls_delay", &[("WIDTH", 48), ("LATENCY", 12)], 78.0, 52.0, 0.0);
}

#[test]
fn control() {
    check("clhls_pipe_ctl", &[("LATENCY", 6)], 10.0, 13.0, 0.0);
    check("clhls_pipe_ctl", &[("LATENCY", 6), ("EXITS", 5)], 54.0, 39.0, 0.0);
    check("clhls_axil_control", &[("ARG_WORDS", 28)], 451.0, 1077.0, 1.0);
    check("clhls_merge", &[("N", 2), ("WIDTH", 120)], 246.0, 242.0, 0.0);
    check("clhls_arbiter", &[("N", 4)], 10.0, 3.0, 0.0);
}

/// Measured with yosys 0.23: clients that reserve, move, commit and count.
#[test]
fn pipe_ends_with_reservations() {
    let four = [("N", 4), ("BITS", 32), ("DEPTH", 16)];
    check("clhls_pipe_reserving_reader", &four, 570.0, 284.0, 2.0);
    check("clhls_pipe_reserving_writer", &four, 610.0, 335.0, 2.0);
}

/// Measured with yosys 0.23.
#[test]
fn hazard_gates() {
    check("clhls_hazard_gate", &[("WIDTH", 80), ("KEY", 8), ("WINDOW", 9)], 70.0, 161.0, 0.0);
    check("clhls_hazard_gate", &[("WIDTH", 200), ("KEY", 10), ("WINDOW", 17)], 169.0, 393.0, 0.0);
}

#[test]
fn memory_units() {
    let bus = [("BUS_BYTES", 8), ("BYTES", 4)];
    check("clhls_load", &bus, 622.0, 634.0, 3.0);
    check("clhls_store", &bus, 770.0, 992.0, 3.0);
    let cached = [("BUS_BYTES", 8), ("DEPTH", 64), ("DEPTH_BEATS", 32), ("DEVICE_BITS", 32)];
    check_within(0.12, "clhls_load_cached", &cached, 692.0, 577.0, 5.0);
    let wide = [&cached[..], &[("BYTES", 16)]].concat();
    check_within(0.12, "clhls_load_cached", &wide, 1013.0, 977.0, 9.0);
    check("clhls_atomic", &[bus[0], bus[1], ("N", 1)], 740.0, 531.0, 0.0);
    check("clhls_fetch", &[("N", 16), ("WIDTH", 32)], 20.0, 588.0, 0.0);
    check("clhls_fetch", &[("N", 4), ("WIDTH", 64)], 12.0, 328.0, 0.0);
    check("clhls_ram_2rw", &[("WIDTH", 32), ("DEPTH", 2048)], 0.0, 0.0, 4.0);
    let local = [("PORTS", 2), ("WORDS", 1024), ("WORD_BYTES", 4)];
    check("clhls_local_mem", &local, 388.0, 112.0, 2.0);
    let bytes = [("PORTS", 6), ("WORDS", 8192), ("SUBWORD", 1)];
    check("clhls_local_mem", &bytes, 1096.0, 556.0, 16.0);
    let atomic = [("PORTS", 3), ("WORDS", 1024), ("ATOMIC", 1)];
    check("clhls_local_mem", &atomic, 1102.0, 756.0, 2.0);
    let counts = [&atomic[..], &[("OPS", 0x1801)]].concat();
    check("clhls_local_mem", &counts, 845.0, 626.0, 2.0);
    let narrow = [("PORTS", 6), ("WORD_BYTES", 16), ("WORDS", 128), ("ATOMIC", 1), ("NARROW", 4)];
    let narrow = [&narrow[..], &[("OPS", 0x1801)]].concat();
    check("clhls_local_mem", &narrow, 4351.0, 2391.0, 4.0);
    // LUTs with those of distributed RAM and carry chains
    let replicas = [("PORTS", 3), ("WORDS", 1024), ("COLLIDES", 1)];
    check("clhls_replicated_mem", &replicas, 402.0, 364.0, 4.0);
    check("clhls_replicated_mem", &[replicas[0], replicas[1], ("COLLIDES", 0)], 371.0, 238.0, 4.0);
    let five = [("PORTS", 6), ("REPLICAS", 5), ("WORDS", 1024), ("COLLIDES", 0)];
    check("clhls_replicated_mem", &five, 797.0, 442.0, 10.0);
    let timed = |clients| [("CLIENTS", clients), ("WORDS", 1024), ("WORD_BYTES", 4)];
    check("clhls_timed_mem", &timed(2), 86.0, 0.0, 2.0);
    check("clhls_timed_mem", &timed(8), 258.0, 0.0, 2.0);
    let [clients, words, bytes] = timed(12);
    check("clhls_timed_mem", &[clients, words, bytes, ("STAGED", 1)], 430.0, 86.0, 2.0);
    let [clients, words, bytes] = timed(4);
    let parts = [clients, words, bytes, ("REPLICAS", 2), ("PARTS", 1)];
    check("clhls_timed_mem", &parts, 158.0, 126.0, 4.0);
    let realigned = [("DEVICE_BITS", 32), ("WINDOW", 64), ("BYTES", 64), ("ACK", 0), ("PARTS", 2)];
    check("clhls_realign_store", &realigned, 2843.0, 4404.0, 0.0);
    let bytes = [&realigned[..4], &[("PARTS", 16)]].concat();
    check("clhls_realign_store", &bytes, 4589.0, 5137.0, 0.0);
    // with 32 address bits
    check("clhls_axi_read_mux", &[("N", 16), ("DATA_BYTES", 8)], 699.0, 541.0, 0.0);
    check("clhls_axi_write_mux", &[("N", 8), ("DATA_BYTES", 8)], 1136.0, 797.0, 0.0);
    let barrier = [("WIDTH", 64), ("SLOTS", 4), ("SLOT_BITS", 2), ("LID_BITS", 8)];
    check("clhls_barrier", &barrier, 497.0, 351.0, 4.0);
}
