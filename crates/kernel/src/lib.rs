//! Congestion controls of the Linux kernel, compiled from its source, under the engine's TCP.
//!
//! `ackclock kernel build` compiles a file such as net/ipv4/tcp_cubic.c to a shared object. A [`module::Module`] is such
//! a file, and [`control::KernelControl`] one connection's copy of it: each connection loads its own, so that variables of
//! the file are not shared, and a simulation gives the same results each time.
//!
//! The shared object is native code with all rights of the process. Whoever loads it trusts it.

pub mod control;
pub mod interface;
mod library;
pub mod module;
