//! Modules, registers, memories and streams; knows no OpenCL.
