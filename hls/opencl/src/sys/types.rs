//! The C types of the API that are no plain numbers.

/// A handle of an object as the program that uses the API has it: an address, or anything else by mistake. Only
/// [`crate::core::object`] turns it into an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Handle(pub usize);

impl Handle {
    /// The handle of nothing.
    pub const NULL: Handle = Handle(0);

    /// Whether it is the handle of nothing.
    pub fn is_null(self) -> bool {
        self.0 == 0
    }
}

macro_rules! handles {
    ($($name:ident)*) => {
        $(#[doc = concat!("`", stringify!($name), "`")]
        #[allow(non_camel_case_types, reason = "the name of the API")]
        pub type $name = Handle;)*
    };
}

handles! {
    cl_platform_id cl_device_id cl_context cl_command_queue cl_mem cl_program cl_kernel cl_event cl_sampler
}

/// `cl_image_format`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name of the API")]
pub struct cl_image_format {
    /// Order of the channels.
    pub image_channel_order: u32,
    /// Type of each channel.
    pub image_channel_data_type: u32,
}

/// `cl_image_desc`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name of the API")]
pub struct cl_image_desc {
    /// Kind of image.
    pub image_type: u32,
    /// Pixels in a row.
    pub image_width: usize,
    /// Rows.
    pub image_height: usize,
    /// Slices.
    pub image_depth: usize,
    /// Images of an array.
    pub image_array_size: usize,
    /// Bytes from row to row; 0: as many as needed.
    pub image_row_pitch: usize,
    /// Bytes from slice to slice; 0: as many as needed.
    pub image_slice_pitch: usize,
    /// Always 0.
    pub num_mip_levels: u32,
    /// Always 0.
    pub num_samples: u32,
    /// Memory object that the image is made of.
    pub mem_object: cl_mem,
}

/// `cl_name_version`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct NameVersion {
    /// Major, minor and patch number in 10, 10 and 12 bits.
    pub version: u32,
    /// Name, ended by zeros.
    pub name: [u8; 64],
}

impl NameVersion {
    /// A name, at most 63 bytes, with a version.
    pub fn new(name: &str, major: u32, minor: u32, patch: u32) -> Self {
        let mut bytes = [0; 64];
        let length = name.len().min(63);
        bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
        NameVersion { version: version(major, minor, patch), name: bytes }
    }
}

/// `CL_MAKE_VERSION`
pub const fn version(major: u32, minor: u32, patch: u32) -> u32 {
    major << 22 | minor << 12 | patch
}
