//! The command line as users call it, in one program: linked once, and its tests share the cores.

mod common;

mod bad_input;
mod channels;
mod cli;
mod compilers;
mod connected;
mod connected_choice;
mod connected_devices;
mod connected_waits;
mod design;
mod fit;
mod hangs;
mod image_format;
mod interrupted;
mod large;
mod launches;
mod launches_together;
mod out_of_bounds;
mod pipe_depths;
mod png;
mod prints;
mod profile;
mod reproducible;
mod simulated;
mod spirv_pipes;
mod sub_groups;
mod suggestions;
mod units;
