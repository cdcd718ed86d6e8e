//! Step: Verilog to what a board's tools need.
