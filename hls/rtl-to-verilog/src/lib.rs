//! Step: RTL to Verilog-2005 text.
