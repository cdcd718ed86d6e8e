//! The C interface of a built model (`shim/clhls_sim.h`), loaded at run time.

use crate::Error;
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

/// `CLHLS_SIM_VERSION`
const VERSION: u32 = 3;

/// `clhls_options`
#[repr(C)]
pub(crate) struct Options {
    pub seed: u64,
    pub read_latency: u32,
    pub write_latency: u32,
    pub bandwidth: u32,
    pub stall: u32,
    pub max_outstanding: u32,
    pub reorder: u32,
    pub interleave: u32,
}

/// `clhls_region`
#[repr(C)]
pub(crate) struct CRegion {
    pub base: u64,
    pub size: u64,
    pub mapped: u64,
    pub data: *mut u8,
}

/// `clhls_fault`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct CFault {
    pub kind: u32,
    pub code: u32,
    pub site: i32,
    pub port: i32,
    pub address: u64,
    pub bytes: u32,
    pub is_write: u32,
    pub cycle: u64,
}

/// `clhls_port_stats`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct CPortStats {
    pub read_bursts: u64,
    pub write_bursts: u64,
    pub read_beats: u64,
    pub write_beats: u64,
    pub reads_outstanding: u32,
    pub writes_outstanding: u32,
    pub blocked: u32,
    pub reserved: u32,
}

/// `clhls_sim`
pub(crate) type Sim = c_void;

/// Declares the table of functions and how it is loaded: each field is the symbol `clhls_sim_<field>`.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of a loaded model; the pointers are valid as long as `library` is loaded.
        pub(crate) struct Functions {
            $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
            /// Those of a model that is built for profiling.
            pub profile: Option<Profile>,
            #[allow(dead_code, reason = "keeps the code behind the pointers in memory")]
            library: libloading::Library,
        }

        impl Functions {
            pub(crate) fn load(path: &Path) -> Result<Self, Error> {
                let fail = |error: libloading::Error| Error::Load {
                    path: path.to_owned(),
                    problem: error.to_string(),
                };
                // SAFETY: the library is one that `build` made: its initialisers are Verilator's.
                let library = unsafe { libloading::Library::new(path) }.map_err(fail)?;
                type Version = unsafe extern "C" fn() -> u32;
                // SAFETY: the symbol has this type in every version of clhls_sim.h.
                let version = unsafe { library.get::<Version>(b"clhls_sim_version") }.map_err(fail)?;
                // SAFETY: it has no preconditions.
                let found = unsafe { version() };
                if found != VERSION {
                    return Err(Error::Load {
                        path: path.to_owned(),
                        problem: format!("it has interface version {found}, not {VERSION}"),
                    });
                }
                let profile = Profile::find(&library);
                Ok(Self {
                    profile,
                    // SAFETY: the symbols have these types in version VERSION of clhls_sim.h.
                    $($name: *unsafe { library.get(concat!("clhls_sim_", stringify!($name)).as_bytes()) }
                        .map_err(fail)?,)*
                    library,
                })
            }
        }
    };
}

functions! {
    new: fn(*const Options) -> *mut Sim;
    free: fn(*mut Sim);
    message: fn(*const Sim) -> *const c_char;
    reset: fn(*mut Sim, u32) -> c_int;
    set_regions: fn(*mut Sim, *const CRegion, usize) -> c_int;
    axil_write: fn(*mut Sim, u32, u32, *mut u32) -> c_int;
    axil_read: fn(*mut Sim, u32, *mut u32, *mut u32) -> c_int;
    run: fn(*mut Sim, u64, u64, u64) -> c_int;
    progress: fn(*const Sim) -> u64;
    polls: fn(*const Sim) -> u64;
    forget_polls: fn(*mut Sim);
    stream_polls: fn(*const Sim, u32) -> u64;
    pipe_polls: fn(*const Sim, u32) -> u64;
    pipe_reservations: fn(*const Sim, u32) -> u64;
    watch_pipes: fn(*mut Sim, *const u64, usize);
    stream_unit: fn(*const Sim, u32) -> u32;
    interrupt: fn(*const Sim) -> c_int;
    cycles: fn(*const Sim) -> u64;
    ports: fn(*const Sim) -> u32;
    port_stats: fn(*const Sim, u32, *mut CPortStats);
    faults: fn(*const Sim, *mut CFault, usize) -> usize;
    stream_put: fn(*mut Sim, u32, *const u8, usize, usize);
    stream_get: fn(*const Sim, u32, *mut u8, usize) -> usize;
    stream_pop: fn(*mut Sim, u32, *mut u8, usize) -> c_int;
    stream_push: fn(*mut Sim, u32, *const u8, usize, usize) -> c_int;
    stream_blocked: fn(*const Sim, u32) -> c_int;
    step: fn(*mut Sim) -> c_int;
    stuck: fn(*mut Sim, u64) -> c_int;
    channel: fn(*mut Sim, u32) -> c_int;
    trace_open: fn(*mut Sim, *const c_char) -> c_int;
    trace_close: fn(*mut Sim) -> c_int;
}

/// The functions of `shim/clhls_profile.cpp`, which not all models have.
#[derive(Clone, Copy)]
pub(crate) struct Profile {
    pub clear: unsafe extern "C" fn(),
    pub channel: unsafe extern "C" fn(*mut Sim, u32, u32) -> u64,
    pub access: unsafe extern "C" fn(c_int, u32) -> u64,
    pub cache: unsafe extern "C" fn(c_int, u32) -> u64,
}

impl Profile {
    fn find(library: &libloading::Library) -> Option<Self> {
        // SAFETY: the symbols have these types in clhls_profile.cpp.
        unsafe {
            Some(Self {
                clear: *library.get(b"clhls_profile_clear").ok()?,
                channel: *library.get(b"clhls_profile_channel").ok()?,
                access: *library.get(b"clhls_profile_access").ok()?,
                cache: *library.get(b"clhls_profile_cache").ok()?,
            })
        }
    }
}
