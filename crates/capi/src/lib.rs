//! The network in virtual time for C and C++: the functions of the crate `ackclock`, with its names.
//!
//! A network is described (`ackclock_network_*`, `ackclock_link_*`, `ackclock_flow_*`), made
//! (`ackclock_network_build`) and moved (`ackclock_simulation_*`). Parts are numbers, as in Rust. `include/ackclock.h` is
//! the interface as C reads it.
//!
//! # Safety
//!
//! Every function takes pointers of C, which nothing can check but for NULL. A handle is NULL, or was made by this library
//! and not freed yet; one thread at a time uses it. A text ends with a zero. A place for a result can be written.
//!
//! No panic crosses the boundary: it becomes `ACKCLOCK_STATUS_PANIC`, and what it has left half done is used no more.

mod boundary;
mod capture;
mod description;
mod external_flow;
mod flow;
mod link;
mod network;
mod parts;
mod registry;
mod reports;
mod scenario;
mod simulation;
mod status;
mod tables;

pub use capture::*;
pub use description::*;
pub use external_flow::*;
pub use flow::*;
pub use link::*;
pub use network::*;
pub use parts::*;
pub use registry::*;
pub use reports::*;
pub use scenario::*;
pub use simulation::*;
pub use status::*;
pub use tables::*;
