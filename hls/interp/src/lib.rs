//! Reference interpreter of the IR over an NDRange: the golden model.
