//! Runner of testbenches/filetests (development only).
