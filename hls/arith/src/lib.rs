//! Floating point, division and conversions, each written once as an integer datapath.
