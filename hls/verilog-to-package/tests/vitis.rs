//! Packages for AMD boards: kernel.xml as XRT reads it, Tcl as tclsh reads it, make's plan, link.cfg.

mod common;

use std::process::Command;

use abi::{ArgKind, HiddenArg, HiddenSlot, Manifest, ProgramMemory, Site, SiteKind};
use base::FileSet;
use common::{arg, kernel, manifest, rtl, text};
use target::Library;
use verilog_to_package::{PackError, PackOptions, pack};

/// `kernel void saxpy(global float *y, constant float *x, float a, local float *scratch, float3 v, struct s)`
fn saxpy(board: &str, data_bits: u32) -> Manifest {
    let args = vec![
        arg(0, "y", "float*", ArgKind::GlobalPtr),
        arg(1, "x", "float*", ArgKind::ConstantPtr),
        arg(2, "a", "float", ArgKind::Scalar),
        arg(3, "scratch", "float*", ArgKind::LocalPtr),
        arg(4, "v", "float3", ArgKind::Scalar),
        arg(5, "s", "struct pair<int>", ArgKind::Scalar),
    ];
    let mut design = manifest("my module", vec![kernel("saxpy", args, board, data_bits)]);
    let second = design.kernels[0].memory_ports[0].clone();
    design.kernels[0]
        .memory_ports
        .push(abi::MemoryPort { name: "m_axi_gmem1".to_owned(), ..second });
    design.kernels[0].signature.args[1].port = Some("m_axi_gmem1".to_owned());
    design.verify().unwrap();
    design
}

fn pack_for(board: &str, design: &Manifest, options: &PackOptions) -> Result<FileSet, PackError> {
    let tops: Vec<&str> = design.kernels.iter().map(|k| k.top.as_str()).collect();
    pack(design, &rtl(&tops), &Library::builtin().board(board).unwrap(), options)
}

fn packed(board: &str, data_bits: u32) -> FileSet {
    pack_for(board, &saxpy(board, data_bits), &PackOptions::default()).unwrap()
}

/// XRT reads a number as decimal or hexadecimal.
fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// What XRT's reader demands: arguments in the order of their ids, without gaps; a qualifier it knows; a port that exists;
/// registers inside the range of the slave port, and none on another.
#[test]
fn kernel_xml_follows_the_rules_of_its_reader() {
    let files = packed("u250", 512);
    let document = roxmltree::Document::parse(text(&files, "package/saxpy/kernel.xml")).unwrap();
    let kernel = document.descendants().find(|n| n.has_tag_name("kernel")).unwrap();
    assert_eq!(kernel.attribute("name"), Some("saxpy"));
    assert_eq!(kernel.attribute("language"), Some("ip_c"));
    assert_eq!(kernel.attribute("hwControlProtocol"), Some("ap_ctrl_hs"));

    let ports: Vec<_> = document.descendants().filter(|n| n.has_tag_name("port")).collect();
    let names: Vec<_> = ports.iter().map(|p| p.attribute("name").unwrap()).collect();
    assert_eq!(names, ["s_axi_control", "m_axi_gmem0", "m_axi_gmem1"]);
    let range = number(ports[0].attribute("range").unwrap());
    assert!(range <= 0x10000);
    for port in &ports[1..] {
        assert_eq!(
            (port.attribute("mode"), port.attribute("dataWidth")),
            (Some("master"), Some("512"))
        );
    }

    let args: Vec<_> = document.descendants().filter(|n| n.has_tag_name("arg")).collect();
    let mut end = 0x10;
    for (index, arg) in args.iter().enumerate() {
        assert_eq!(arg.attribute("id"), Some(index.to_string().as_str()));
        let (offset, size) =
            (number(arg.attribute("offset").unwrap()), number(arg.attribute("size").unwrap()));
        assert!(offset >= end && offset + size <= range, "argument {index} at {offset:#x}");
        assert_eq!(arg.attribute("hostSize"), arg.attribute("size"));
        end = offset + size;
        match arg.attribute("addressQualifier") {
            Some("0") => assert_eq!(arg.attribute("port"), Some("s_axi_control")),
            Some("1") => assert!(arg.attribute("port").unwrap().starts_with("m_axi_") && size == 8),
            other => panic!("addressQualifier {other:?}"),
        }
    }
}

/// The arguments of `saxpy`, by hand from the layout rule: size in words, and one reserved word.
#[test]
fn kernel_xml_has_the_arguments_in_their_registers() {
    let files = packed("u250", 512);
    let document = roxmltree::Document::parse(text(&files, "package/saxpy/kernel.xml")).unwrap();
    let args = document.descendants().filter(|n| n.has_tag_name("arg"));
    let args: Vec<_> = args
        .map(|n| {
            ["name", "addressQualifier", "port", "size", "offset", "type"]
                .map(|a| n.attribute(a).unwrap())
        })
        .collect();
    let expected = [
        ["y", "1", "m_axi_gmem0", "0x8", "0x010", "float*"],
        ["x", "1", "m_axi_gmem1", "0x8", "0x01c", "float*"],
        ["a", "0", "s_axi_control", "0x4", "0x028", "float"],
        // the local pointer has no register
        ["v", "0", "s_axi_control", "0x10", "0x030", "float3"],
        ["s", "0", "s_axi_control", "0xc", "0x044", "struct pair<int>"],
        ["clhls_work_dim", "0", "s_axi_control", "0x4", "0x054", "uint"],
        ["clhls_global_size_x", "0", "s_axi_control", "0x4", "0x05c", "uint"],
    ];
    assert_eq!(args[..7], expected);
    assert_eq!(args.len(), 5 + 13);
}

#[test]
fn program_scope_variables_are_a_buffer() {
    let mut design = saxpy("u250", 512);
    design.program_memory = Some(ProgramMemory {
        size: 4,
        align: 4,
        init: Some(vec![1, 2, 3, 4]),
        relocations: vec![],
        prints: None,
        enqueue: None,
    });
    let kernel = &mut design.kernels[0];
    kernel.lay_out(true).unwrap();
    let site = Site {
        id: 1,
        kind: SiteKind::Load,
        port: Some("m_axi_gmem1".to_owned()),
        source: String::new(),
        bytes: 4,
        argument: None,
    };
    kernel.sites.push(site);
    let slot = *kernel.hidden.last().unwrap();
    assert_eq!(slot, HiddenSlot { name: HiddenArg::ProgramBase, offset: 0xbc, size: 8 });
    design.verify().unwrap();
    let files = pack_for("u250", &design, &PackOptions::default()).unwrap();
    let xml = text(&files, "package/saxpy/kernel.xml");
    assert!(xml.contains(r#"<arg name="clhls_program_base" addressQualifier="1" id="18" port="m_axi_gmem1" size="0x8" offset="0x0bc""#), "{xml}");
}

/// The script runs through in a Tcl interpreter; the calls Vivado needs are there, in order.
#[test]
fn package_tcl_runs_and_calls_vivado_in_order() {
    let files = packed("u250", 512);
    let dir = tempfile::tempdir().unwrap();
    common::write(&files, dir.path());
    let stub = dir.path().join("stub.tcl");
    std::fs::write(&stub, include_str!("data/vivado_stub.tcl")).unwrap();
    let out = Command::new("tclsh")
        .arg(&stub)
        .arg(dir.path().join("package/saxpy/package.tcl"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let calls = String::from_utf8(out.stdout).unwrap();

    let steps = [
        "create_project -force saxpy",
        "add_files -norecurse",
        "set_property top saxpy",
        "ipx::package_project -root_dir",
        "ipx::unload_core",
        "ipx::edit_ip_in_project -upgrade true",
        "ipx::remove_user_parameter",
        "ipx::associate_bus_interfaces -busif s_axi_control -clock ap_clk",
        "ipx::associate_bus_interfaces -busif m_axi_gmem0 -clock ap_clk",
        "ipx::associate_bus_interfaces -busif m_axi_gmem1 -clock ap_clk",
        "ipx::add_memory_map -quiet s_axi_control",
        "ipx::add_address_block -quiet reg0",
        "ipx::add_register -quiet CTRL",
        "set_property address_offset 0x000",
        "ipx::add_register -quiet y ",
        "set_property address_offset 0x010",
        "set_property size 64",
        "ipx::add_register_parameter -quiet ASSOCIATED_BUSIF",
        "set_property value m_axi_gmem0",
        "ipx::add_register -quiet x ",
        "set_property value m_axi_gmem1",
        "ipx::add_register -quiet a ",
        "set_property address_offset 0x028",
        "set_property size 32",
        "ipx::add_register -quiet clhls_global_offset_z",
        "set_property slave_memory_map_ref s_axi_control",
        "set_property sdx_kernel true",
        "set_property sdx_kernel_type rtl",
        "ipx::create_xgui_files",
        "ipx::update_checksums",
        "ipx::check_integrity -kernel",
        "ipx::save_core",
        "close_project -delete",
        "package_xo -xo_path",
    ];
    let mut rest = calls.as_str();
    for step in steps {
        let at = rest
            .find(step)
            .unwrap_or_else(|| panic!("`{step}` is missing, or too early, in\n{calls}"));
        rest = &rest[at + step.len()..];
    }
    assert_eq!(
        calls.matches("ASSOCIATED_BUSIF").count(),
        2,
        "only pointers go through a memory port"
    );
    assert!(calls.contains("rtl/saxpy.v"));
    assert!(calls.contains("-part xcu250-figd2104-2L-e"));
}

#[test]
fn link_cfg_puts_ports_on_banks() {
    let connectivity =
        |board: &str, bits: u32| text(&packed(board, bits), "package/link.cfg").to_owned();
    assert_eq!(
        connectivity("u250", 512).lines().skip(1).collect::<Vec<_>>(),
        [
            "kernel_frequency=50",
            "",
            "[connectivity]",
            "nk=saxpy:1:saxpy_1",
            "sp=saxpy_1.m_axi_gmem0:DDR[0]",
            "sp=saxpy_1.m_axi_gmem1:DDR[1]",
            "slr=saxpy_1:SLR0",
        ]
    );
    assert!(connectivity("u280", 512).contains("m_axi_gmem1:HBM[1]"));
    // one bank for both ports, and no region to choose
    assert!(connectivity("kv260", 128).contains("m_axi_gmem1:HP0"));
    assert!(!connectivity("kv260", 128).contains("slr="));
}

/// `make -n`: what would be run, for the stock platform, another one, and a board that has none.
#[test]
fn the_makefile_plans_the_vendors_steps() {
    let make = |board: &str, bits: u32, options: &PackOptions, args: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        common::write(&pack_for(board, &saxpy(board, bits), options).unwrap(), dir.path());
        let out = Command::new("make")
            .arg("-n")
            .args(args)
            .current_dir(dir.path().join("package"))
            .output()
            .unwrap();
        (
            out.status.success(),
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let stock = PackOptions::default();
    let (ok, plan, error) = make("u250", 512, &stock, &[]);
    assert!(ok, "{error}");
    let steps = [
        "cd saxpy && vivado -mode batch -source package.tcl",
        "v++ -l -t hw --platform xilinx_u250_gen3x16_xdma_4_1_202210_1 --config link.cfg",
        "-o my_module.hw.link.xclbin saxpy/saxpy.xo",
        "v++ -p my_module.hw.link.xclbin -t hw",
        "-o my_module.hw.xclbin",
    ];
    let mut rest = plan.as_str();
    for step in steps {
        rest = &rest[rest.find(step).unwrap_or_else(|| panic!("`{step}` is missing in\n{plan}"))..];
    }
    let (ok, plan, _) = make("u250", 512, &stock, &["TARGET=hw_emu"]);
    assert!(
        ok && plan.contains("v++ -l -t hw_emu") && plan.contains("emconfigutil --platform"),
        "{plan}"
    );

    let (ok, _, error) = make("kv260", 128, &stock, &[]);
    assert!(!ok && error.contains("make PLATFORM=/path/to/platform.xpfm"), "{error}");
    let mine = PackOptions { platform: Some("/opt/p/mine.xpfm".to_owned()) };
    let (ok, plan, error) = make("kv260", 128, &mine, &[]);
    assert!(ok && plan.contains("--platform /opt/p/mine.xpfm"), "{plan}{error}");
}

#[test]
fn several_kernels_have_a_folder_each() {
    let mut design = saxpy("u250", 512);
    let mut other = design.kernels[0].clone();
    other.signature.name = "other".to_owned();
    other.top = "other".to_owned();
    design.kernels.push(other);
    let files = pack_for("u250", &design, &PackOptions::default()).unwrap();
    assert!(text(&files, "package/other/kernel.xml").contains("name=\"other\""));
    assert!(text(&files, "package/Makefile").contains("XO     := saxpy/saxpy.xo other/other.xo\n"));
    assert_eq!(text(&files, "sim/files.f"), "../rtl/other.v\n../rtl/saxpy.v\n");

    design.kernels[1].clock_mhz = 75.0;
    let error = pack_for("u250", &design, &PackOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the kernels want different clocks (50 and 75 MHz): u250 has one clock for all"
    );
}

/// A board without tools gets the file list and the host functions only.
#[test]
fn the_unit_board_has_no_package() {
    let design = common::vadd("unit", 64);
    let files = pack_for("unit", &design, &PackOptions::default()).unwrap();
    assert!(files.iter().all(|(path, _)| path.starts_with("sim/") || path.starts_with("host/")));
    assert_eq!(text(&files, "sim/files.f"), "../rtl/vadd.v\n");
}

#[test]
fn the_same_design_gives_the_same_bytes() {
    assert_eq!(packed("u250", 512), packed("u250", 512));
}
