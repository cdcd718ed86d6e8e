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
    /// Properties as given, with the final zero; none if there was no list.
    pub properties: Option<Vec<u64>>,
}

object!(Sampler, CL_INVALID_SAMPLER);

impl Sampler {
    /// A sampler.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`
    pub fn new(
        context: Arc<Context>,
        normalized: u32,
        addressing: u32,
        filter: u32,
        properties: Option<Vec<u64>>,
    ) -> Status<Self> {
        let known = (CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT).contains(&addressing)
            && (CL_FILTER_NEAREST..=CL_FILTER_LINEAR).contains(&filter)
            && normalized <= 1;
        let repeats = addressing >= CL_ADDRESS_REPEAT;
        if !known || repeats && normalized == 0 {
            return Err(CL_INVALID_VALUE);
        }
        let (header, normalized) = (Header::new(), normalized == 1);
        Ok(Sampler { header, context, normalized, addressing, filter, properties })
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
        mode | filter | if self.normalized { sampler::NORMALIZED } else { 0 }
    }
}
