//! Congestion controls from shared libraries of users', under the engine's TCP.
//!
//! A user's crate depends on `ackclock-control` and exports its controls. A [`library::Library`] is such a file, and a
//! [`control::LibraryControl`] one connection's control of it.
//!
//! The library is native code with all rights of the process: load only what you trust.

pub mod control;
pub mod library;
pub mod shared_object;
