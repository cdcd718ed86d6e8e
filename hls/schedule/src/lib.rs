//! Schedules: segments, cycles, channels, initiation intervals; verify() and text form.
