//! The top module of a simulation: a wrapper that gives every kernel the same port names and widths.
//!
//! Nothing but wires. It exists because the mandated port name `interrupt` is a reserved word in
//! Verilator's C++, because ids of any width become 16 bits, and because the AXI checkers and the
//! function that reads the kernel's channels have their place in it.

use crate::Error;
use std::fmt::Write;

/// Name of the AXI protocol checker; instantiated if a source of this module's file name is given.
pub const CHECKER_MODULE: &str = "clhls_axi_checker";

/// An AXI4 master of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Prefix of its signals: `m_axi_gmem0`.
    pub name: String,
    /// Data width, a power of two from 32 to 1024.
    pub data_bits: u32,
    /// Width of the id signals, 1 to 16.
    pub id_bits: u32,
}

/// An AXI4-Stream of the kernel: TVALID, TREADY, TDATA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamPort {
    /// Prefix of its signals: `axis_in`.
    pub name: String,
    /// Bytes of a packet, at least 1.
    pub bytes: u32,
    /// Whether the kernel is the one that writes.
    pub writes: bool,
    /// Module of the unit behind the port, an instance `u_<name>` of the kernel; `None` if it has none that simtop knows.
    pub unit: Option<PipeUnit>,
}

/// Units of the RTL library behind AXI4-Streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeUnit {
    /// `clhls_pipe_reader`
    Reader,
    /// `clhls_pipe_writer`
    Writer,
    /// `clhls_pipe_reserving_reader`
    ReservingReader,
    /// `clhls_pipe_reserving_writer`
    ReservingWriter,
}

impl PipeUnit {
    /// The unit whose module has this name.
    pub fn of_module(name: &str) -> Option<Self> {
        Some(match name {
            "clhls_pipe_reader" => Self::Reader,
            "clhls_pipe_writer" => Self::Writer,
            "clhls_pipe_reserving_reader" => Self::ReservingReader,
            "clhls_pipe_reserving_writer" => Self::ReservingWriter,
            _ => return None,
        })
    }

    /// Expressions on the signals of an instance: an operation is refused in this cycle, and packets that it holds. A question for
    /// the number of packets counts as refused: who asks does nothing else.
    fn signals(self, instance: &str) -> (String, String) {
        let clients = format!("{instance}.u_clients");
        let window = format!("{instance}.u_window");
        let held = match self {
            Self::Reader => format!("{instance}.level_q"),
            Self::Writer => format!("{clients}.count"),
            Self::ReservingReader => format!("{instance}.held_q"),
            Self::ReservingWriter => format!("{instance}.count_q"),
        };
        let refused = match self {
            Self::Reader | Self::Writer => format!("(|{clients}.asker) & ~{clients}.took"),
            Self::ReservingReader | Self::ReservingWriter => format!(
                "({window}.reserve_q & ~{window}.fits) | (|({window}.asker & ~{window}.reserves & ~{window}.commits))"
            ),
        };
        (refused, held)
    }
}

/// Signals of a channel inside the kernel, as hierarchical names below its top module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSignals {
    /// 1 while the channel has something to give.
    pub valid: Option<String>,
    /// 1 while its reader takes it.
    pub ready: Option<String>,
    /// 1 while it has room.
    pub space: Option<String>,
    /// 1 while work-items wait in front of it, at a barrier.
    pub waiting: Option<String>,
}

/// A file of Verilog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// File name: `<module>.v`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Library files are read only if a module of their name is instantiated.
    pub library: bool,
}

/// A kernel to simulate.
#[derive(Debug, Clone)]
pub struct Design {
    /// Its module.
    pub kernel: String,
    /// Its AXI4 masters.
    pub ports: Vec<Port>,
    /// Its AXI4-Streams.
    pub streams: Vec<StreamPort>,
    /// Its channels, for the detection and report of hangs.
    pub channels: Vec<ChannelSignals>,
    /// The Verilog.
    pub sources: Vec<Source>,
    /// Whether to count what passes through channels, and accesses.
    pub profile: bool,
}

impl Design {
    pub(crate) fn has_checker(&self) -> bool {
        let file = format!("{CHECKER_MODULE}.v");
        self.sources.iter().any(|source| source.name == file)
    }

    pub(crate) fn verify(&self) -> Result<(), Error> {
        let fail = |problem: String| Err(Error::Design(problem));
        for port in &self.ports {
            if !port.data_bits.is_power_of_two() || !(32..=1024).contains(&port.data_bits) {
                return fail(format!(
                    "port {} has {} data bits, possible are powers of two from 32 to 1024",
                    port.name, port.data_bits
                ));
            }
            if !(1..=16).contains(&port.id_bits) {
                return fail(format!(
                    "port {} has {} id bits, possible are 1 to 16",
                    port.name, port.id_bits
                ));
            }
        }
        for source in &self.sources {
            let plain = source.name.ends_with(".v")
                && source.name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
                && !source.name.starts_with(['.', '-']);
            if !plain {
                return fail(format!("`{}` is not the name of a Verilog file", source.name));
            }
        }
        Ok(())
    }
}

/// Signals of an AXI4 master: name, width, and whether the kernel drives them.
const AXI_SIGNALS: [(&str, Width, bool); 37] = [
    ("awid", Width::Id, true),
    ("awaddr", Width::Bits(64), true),
    ("awlen", Width::Bits(8), true),
    ("awsize", Width::Bits(3), true),
    ("awburst", Width::Bits(2), true),
    ("awlock", Width::Unused(1), true),
    ("awcache", Width::Unused(4), true),
    ("awprot", Width::Unused(3), true),
    ("awqos", Width::Unused(4), true),
    ("awvalid", Width::Bits(1), true),
    ("awready", Width::Bits(1), false),
    ("wdata", Width::Data, true),
    ("wstrb", Width::Strobes, true),
    ("wlast", Width::Bits(1), true),
    ("wvalid", Width::Bits(1), true),
    ("wready", Width::Bits(1), false),
    ("bid", Width::Id, false),
    ("bresp", Width::Bits(2), false),
    ("bvalid", Width::Bits(1), false),
    ("bready", Width::Bits(1), true),
    ("arid", Width::Id, true),
    ("araddr", Width::Bits(64), true),
    ("arlen", Width::Bits(8), true),
    ("arsize", Width::Bits(3), true),
    ("arburst", Width::Bits(2), true),
    ("arlock", Width::Unused(1), true),
    ("arcache", Width::Unused(4), true),
    ("arprot", Width::Unused(3), true),
    ("arqos", Width::Unused(4), true),
    ("arvalid", Width::Bits(1), true),
    ("arready", Width::Bits(1), false),
    ("rid", Width::Id, false),
    ("rdata", Width::Data, false),
    ("rresp", Width::Bits(2), false),
    ("rlast", Width::Bits(1), false),
    ("rvalid", Width::Bits(1), false),
    ("rready", Width::Bits(1), true),
];

/// Width of a signal of an AXI4 master.
#[derive(Clone, Copy)]
enum Width {
    /// Always the same.
    Bits(u32),
    /// Always the same, and of no interest to the memory.
    Unused(u32),
    /// The port's id width inside, 16 bits outside.
    Id,
    /// The data width.
    Data,
    /// One bit for each byte of data.
    Strobes,
}

/// Width of the id signals of simtop.
const ID_BITS: u32 = 16;

/// Width of the checker's `code`.
const CODE_BITS: u32 = 5;

/// Signals of the AXI4-Lite slave: name, width, and whether the kernel drives them.
const AXIL_SIGNALS: [(&str, u32, bool); 17] = [
    ("awaddr", 12, false),
    ("awvalid", 1, false),
    ("awready", 1, true),
    ("wdata", 32, false),
    ("wstrb", 4, false),
    ("wvalid", 1, false),
    ("wready", 1, true),
    ("bresp", 2, true),
    ("bvalid", 1, true),
    ("bready", 1, false),
    ("araddr", 12, false),
    ("arvalid", 1, false),
    ("arready", 1, true),
    ("rdata", 32, true),
    ("rresp", 2, true),
    ("rvalid", 1, true),
    ("rready", 1, false),
];

/// The text of `simtop.sv`.
pub fn simtop(design: &Design) -> String {
    let mut ports = vec![
        "  input  wire clk".to_owned(),
        "  input  wire rst_n".to_owned(),
        "  output wire irq".to_owned(),
    ];
    let mut body = String::new();
    if design.has_checker() {
        body += CHECKER_START;
    }
    let mut pins = vec![
        "    .ap_clk(clk)".to_owned(),
        "    .ap_rst_n(rst_n)".to_owned(),
        "    .interrupt(irq)".to_owned(),
    ];
    for (name, bits, driven) in AXIL_SIGNALS {
        ports.push(port_declaration(&format!("axil_{name}"), bits, driven));
        pins.push(format!("    .s_axi_control_{name}(axil_{name})"));
    }
    for (index, port) in design.ports.iter().enumerate() {
        master(index, port, design.has_checker(), &mut ports, &mut pins, &mut body);
    }
    for (index, stream) in design.streams.iter().enumerate() {
        stream_port(index, stream, &mut ports, &mut pins, &mut body);
    }
    let mut text =
        String::from("// Wrapper of a kernel for simulation.\n`default_nettype none\n\n");
    let _ = writeln!(text, "module clhls_simtop (\n{}\n);\n", ports.join(",\n"));
    text += &body;
    let _ = writeln!(text, "\n  {} dut (\n{}\n  );", design.kernel, pins.join(",\n"));
    text += &channel_function(&design.channels);
    if design.profile {
        text += &profile_counters(&design.channels);
    }
    text += "\nendmodule\n\n`default_nettype wire\n";
    text
}

fn port_declaration(name: &str, bits: u32, output: bool) -> String {
    let direction = if output { "output wire" } else { "input  wire" };
    if bits == 1 {
        format!("  {direction} {name}")
    } else {
        format!("  {direction} [{}:0] {name}", bits - 1)
    }
}

/// Adds the signals of stream number `index`. Its data has a width of whole machine words outside, the upper bits of which are
/// nothing.
fn stream_port(
    index: usize,
    stream: &StreamPort,
    ports: &mut Vec<String>,
    pins: &mut Vec<String>,
    body: &mut String,
) {
    let words = match stream.bytes {
        0..=8 => stream.bytes.next_power_of_two(),
        bytes => bytes.next_multiple_of(4),
    };
    let name = &stream.name;
    for (signal, driven) in [("tvalid", stream.writes), ("tready", !stream.writes)] {
        ports.push(port_declaration(&format!("s{index}_{signal}"), 1, driven));
        pins.push(format!("    .{name}_{signal}(s{index}_{signal})"));
    }
    ports.push(port_declaration(&format!("s{index}_tdata"), 8 * words, stream.writes));
    let bits = 8 * stream.bytes;
    pins.push(format!("    .{name}_tdata(s{index}_tdata[{}:0])", bits - 1));
    for (signal, bits) in [("waits", 1), ("refused", 1), ("held", 32)] {
        ports.push(port_declaration(&format!("s{index}_{signal}"), bits, true));
    }
    let (waits, refused, held) = match stream.unit {
        Some(unit) => {
            let instance = format!("dut.u_{name}");
            let (refused, held) = unit.signals(&instance);
            (format!("|{instance}.c_valid"), refused, format!("32'({held})"))
        }
        None => ("1'b0".to_owned(), "1'b0".to_owned(), "32'd0".to_owned()),
    };
    for (signal, value) in [("waits", waits), ("refused", refused), ("held", held)] {
        let _ = writeln!(body, "  assign s{index}_{signal} = {value};");
    }
    if stream.writes && words > stream.bytes {
        let rest = 8 * words - bits;
        let _ = writeln!(body, "  assign s{index}_tdata[{}:{bits}] = {rest}'d0;", 8 * words - 1);
    }
}

/// Adds the signals of master number `index`.
fn master(
    index: usize,
    port: &Port,
    checker: bool,
    ports: &mut Vec<String>,
    pins: &mut Vec<String>,
    body: &mut String,
) {
    let name = &port.name;
    for (signal, width, driven) in AXI_SIGNALS {
        let outside = format!("p{index}_{signal}");
        let bits = match width {
            Width::Bits(bits) => bits,
            Width::Data => port.data_bits,
            Width::Strobes => port.data_bits / 8,
            Width::Unused(bits) => {
                let _ = writeln!(body, "  wire [{}:0] {outside};", bits - 1);
                pins.push(format!("    .{name}_{signal}({outside})"));
                continue;
            }
            Width::Id => {
                ports.push(port_declaration(&outside, ID_BITS, driven));
                pins.push(format!("    .{name}_{signal}({outside}_i)"));
                let _ = writeln!(body, "  wire [{}:0] {outside}_i;", port.id_bits - 1);
                let _ = if driven {
                    writeln!(body, "  assign {outside} = {ID_BITS}'({outside}_i);")
                } else {
                    writeln!(body, "  assign {outside}_i = {outside}[{}:0];", port.id_bits - 1)
                };
                continue;
            }
        };
        ports.push(port_declaration(&outside, bits, driven));
        pins.push(format!("    .{name}_{signal}({outside})"));
    }
    ports.push(port_declaration(&format!("p{index}_check_error"), 1, true));
    ports.push(port_declaration(&format!("p{index}_check_code"), CODE_BITS, true));
    if checker {
        checker_instance(index, port, body);
    } else {
        let _ = writeln!(body, "  assign p{index}_check_error = 1'b0;");
        let _ = writeln!(body, "  assign p{index}_check_code = {CODE_BITS}'d0;");
    }
}

/// The checker starts half way through the first reset: before, registers may hold anything.
fn checker_instance(index: usize, port: &Port, body: &mut String) {
    let pins: String = AXI_SIGNALS
        .into_iter()
        .filter_map(|(signal, width, _)| {
            let name = format!("p{index}_{signal}");
            match (signal, width) {
                (_, Width::Unused(_)) => None,
                (_, Width::Id) => Some(format!(",\n    .{signal}({name}_i)")),
                ("awvalid" | "wvalid" | "arvalid", _) => {
                    Some(format!(",\n    .{signal}({name} & armed)"))
                }
                _ => Some(format!(",\n    .{signal}({name})")),
            }
        })
        .collect();
    // As many bursts of each unit as none has in flight, unless it asks without end.
    let outstanding = (64u32 << port.id_bits).max(1023);
    let _ = writeln!(
        body,
        "\n  {CHECKER_MODULE} #(\n    .DATA_BYTES({}), .ID_BITS({}), .MAX_READS({outstanding}), .MAX_WRITES({outstanding})\n  ) \
         check{index} (\n    .clk(clk), .rst(~rst_n){pins},\n    \
         .error(p{index}_check_error), .code(p{index}_check_code)\n  );",
        port.data_bits / 8,
        port.id_bits
    );
}

/// When the checkers start: see [`checker_instance`].
const CHECKER_START: &str = "  reg [3:0] age = 4'd0;
  wire armed = &age;
  always @(posedge clk) if (!armed) age <= age + 4'd1;
";

/// A function that the clock loop calls when the ports have been silent for long. A function, and not
/// ports, so that simulation pays for it only then.
fn channel_function(channels: &[ChannelSignals]) -> String {
    if channels.is_empty() {
        return String::new();
    }
    let signal = |path: &Option<String>| match path {
        Some(path) => format!("dut.{path}"),
        None => "1'b0".to_owned(),
    };
    let mut text = String::from(
        "\n  export \"DPI-C\" function clhls_channel_state;\n  \
         function int clhls_channel_state(input int index);\n    case (index)\n",
    );
    for (index, channel) in channels.iter().enumerate() {
        let _ = writeln!(
            text,
            "      {index}: return {{28'd0, {}, {}, {}, {}}};",
            signal(&channel.waiting),
            signal(&channel.valid),
            signal(&channel.ready),
            signal(&channel.space)
        );
    }
    text += "      default: return 0;\n    endcase\n  endfunction\n";
    text
}

/// Counters of each channel, and the function that reads them: tokens, stalled cycles, first and last cycle with a token.
fn profile_counters(channels: &[ChannelSignals]) -> String {
    let mut text = String::from("\n  longint unsigned profile_now = 0;\n");
    let n = channels.len().max(1);
    for what in ["tokens", "stalled", "first", "last"] {
        let _ = writeln!(text, "  longint unsigned profile_{what} [{n}] = '{{default: 0}};");
    }
    text += "  always @(posedge clk) begin\n    profile_now <= profile_now + 1;\n";
    for (k, channel) in channels.iter().enumerate() {
        let (Some(valid), Some(ready)) = (&channel.valid, &channel.ready) else { continue };
        let _ = writeln!(
            text,
            "    if (rst_n & dut.{valid} & dut.{ready}) begin
      profile_tokens[{k}] <= profile_tokens[{k}] + 1;
      if (profile_tokens[{k}] == 0) profile_first[{k}] <= profile_now;
      profile_last[{k}] <= profile_now;
    end else if (rst_n & dut.{valid}) profile_stalled[{k}] <= profile_stalled[{k}] + 1;"
        );
    }
    text += "  end\n\n  export \"DPI-C\" function clhls_profile_count;\n  \
             function longint clhls_profile_count(input int channel, input int what);\n    case (what)\n";
    for (k, what) in ["tokens", "stalled", "first", "last"].iter().enumerate() {
        let _ = writeln!(text, "      {k}: return profile_{what}[channel];");
    }
    text + "      default: return 0;\n    endcase\n  endfunction\n"
}

/// The C++ header that tells the shim the shape of simtop.
pub(crate) fn shape_header(design: &Design, random_state: bool) -> String {
    let ports: String = design
        .ports
        .iter()
        .enumerate()
        .map(|(index, port)| format!(" X({index}, {})", port.data_bits / 8))
        .collect();
    let streams = design.streams.iter().enumerate();
    let streams: String = streams
        .map(|(index, s)| format!(" X({index}, {}, {})", s.bytes, u8::from(s.writes)))
        .collect();
    format!(
        "#define CLHLS_FOR_EACH_PORT(X){ports}\n#define CLHLS_FOR_EACH_STREAM(X){streams}\n#define CLHLS_CHANNELS {}\n#define CLHLS_RANDOM_STATE {}\n",
        design.channels.len(),
        u8::from(random_state)
    )
}
