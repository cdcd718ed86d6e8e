//! Samplers.

use super::Status;
use super::context::Context;
use super::object::{Header, object};
use crate::sys::constants::*;
use abi::image::sampler;
use std::sync::Arc;

/// A sampler.
#[derive(Debug)]
#[repr(C)]
pub struct Sampler {
    header: Header,
    /// The context.
    pub context: Arc<Context>,
    /// `CL_SAMPLER_NORMALIZED_COORDS`
    pub normalized: bool,
    /// `CL_SAMPLER_ADDRESSING_MODE`
    pub addressing: u32,
    /// `CL_SAMPLER_FILTER_MODE`
    pub filter: u32,
    /// `CL_SAMPLER_MIP_FILTER_MODE`
    pub mip_filter: u32,
    /// `CL_SAMPLER_LOD_MIN` and `CL_SAMPLER_LOD_MAX`
    pub lods: [f32; 2],
    /// Properties as given, with the final zero; none if there was no list.
    pub properties: Option<Vec<u64>>,
}

object!(Sampler, CL_INVALID_SAMPLER);

/// What a sampler is to be like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modes {
    /// `CL_SAMPLER_NORMALIZED_COORDS`
    pub normalized: u32,
    /// `CL_SAMPLER_ADDRESSING_MODE`
    pub addressing: u32,
    /// `CL_SAMPLER_FILTER_MODE`
    pub filter: u32,
    /// `CL_SAMPLER_MIP_FILTER_MODE`
    pub mip_filter: u32,
    /// `CL_SAMPLER_LOD_MIN` and `CL_SAMPLER_LOD_MAX`
    pub lods: [f32; 2],
}

impl Default for Modes {
    fn default() -> Self {
        Modes {
            normalized: CL_TRUE,
            addressing: CL_ADDRESS_CLAMP,
            filter: CL_FILTER_NEAREST,
            mip_filter: CL_FILTER_NEAREST,
            lods: [0.0, f32::MAX],
        }
    }
}

impl Sampler {
    /// A sampler.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`
    pub fn new(context: Arc<Context>, modes: Modes, properties: Option<Vec<u64>>) -> Status<Self> {
        let Modes { normalized, addressing, filter, mip_filter, lods } = modes;
        let filters = CL_FILTER_NEAREST..=CL_FILTER_LINEAR;
        let known = (CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT).contains(&addressing)
            && [filter, mip_filter].iter().all(|f| filters.contains(f))
            && normalized <= 1;
        let repeats = addressing >= CL_ADDRESS_REPEAT;
        // also if one of them is no number
        let ordered = lods[0] <= lods[1];
        if !known || !ordered || repeats && normalized == 0 {
            return Err(CL_INVALID_VALUE);
        }
        let (header, normalized) = (Header::new(), normalized == 1);
        Ok(Sampler {
            header,
            context,
            normalized,
            addressing,
            filter,
            mip_filter,
            lods,
            properties,
        })
    }

    /// What kernels get for it.
    pub fn word(&self) -> u32 {
        let mode = match self.addressing {
            CL_ADDRESS_CLAMP_TO_EDGE => sampler::CLAMP_TO_EDGE,
            CL_ADDRESS_CLAMP => sampler::CLAMP,
            CL_ADDRESS_REPEAT => sampler::REPEAT,
            CL_ADDRESS_MIRRORED_REPEAT => sampler::MIRRORED_REPEAT,
            _ => sampler::NONE,
        };
        let linear = self.filter == CL_FILTER_LINEAR;
        let filter = if linear { sampler::LINEAR } else { sampler::NEAREST };
        let mips = if self.mip_filter == CL_FILTER_LINEAR { sampler::MIP_LINEAR } else { 0 };
        let lods = sampler::lod_limits(self.lods[0], self.lods[1]);
        mode | filter | mips | lods | if self.normalized { sampler::NORMALIZED } else { 0 }
    }
}
