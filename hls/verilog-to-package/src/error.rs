//! Why a design cannot be packed for a board.

/// An error of [`crate::pack`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PackError {
    /// The module has no kernel.
    #[error("module {module} has no kernel: nothing to pack")]
    NoKernel {
        /// The module.
        module: String,
    },
    /// The Verilog of a kernel is missing.
    #[error("kernel {kernel}: its Verilog file {file} is not among the files to pack")]
    NoFile {
        /// The kernel.
        kernel: String,
        /// The missing file.
        file: String,
    },
    /// A memory port is not as wide as the board's memory.
    #[error("kernel {kernel}: port {port} is {width} bits wide, the memory of {board} {expected}")]
    PortWidth {
        /// The kernel.
        kernel: String,
        /// The port.
        port: String,
        /// Its width, bits.
        width: u32,
        /// The board.
        board: String,
        /// The board's width, bits.
        expected: u32,
    },
    /// The board's clock generator cannot make the clock, or its shell does not work at it.
    #[error(
        "{board} cannot make a clock of {clock_mhz} MHz: its shell works from 10 to {max_mhz} MHz"
    )]
    Clock {
        /// The board.
        board: String,
        /// The clock asked for, MHz.
        clock_mhz: f64,
        /// The fastest, MHz.
        max_mhz: u32,
    },
    /// Kernels of one design want different clocks.
    #[error("the kernels want different clocks ({a} and {b} MHz): {board} has one clock for all")]
    Clocks {
        /// A clock, MHz.
        a: f64,
        /// Another clock, MHz.
        b: f64,
        /// The board.
        board: String,
    },
    /// A kernel has an AXI4-Stream, and the board's shell nothing to connect it to.
    #[error(
        "kernel {kernel}: pipe `{arg}` leads out of the design as a stream, and the shell of {board} has none; `--connect` can lead it to another kernel of the design"
    )]
    Stream {
        /// The kernel.
        kernel: String,
        /// The argument.
        arg: String,
        /// The board.
        board: String,
    },
    /// A board's data make no sense for its tools.
    #[error("board {board}: {message}")]
    Board {
        /// The board.
        board: String,
        /// What is wrong.
        message: String,
    },
    /// A template did not render: a mistake in a template of the compiler or of the board.
    #[error("template {name}: {message}")]
    Template {
        /// The template.
        name: String,
        /// What is wrong.
        message: String,
    },
}
