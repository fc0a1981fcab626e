//! Emulation: real packets pass through a simulation that runs in real time.
//!
//! [`ip`] parses and marks the headers of real packets. [`pace`] injects packets into a simulation, and takes them out,
//! in real time. All links, queue disciplines and losses are the engine's. This crate does not open devices: a device
//! is a file from which one reads, and to which one writes, one IP packet at a time.

#![cfg(unix)]

pub mod ip;
pub mod pace;
