//! Step: schedule to RTL.
