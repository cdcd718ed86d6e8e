//! Step: kernel IR to schedule.
