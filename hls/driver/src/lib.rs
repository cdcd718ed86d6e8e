//! The clhls command.
