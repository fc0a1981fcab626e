//! A simulation that keeps pace with the clock, and whose packets are real ones.
//!
//! [`ip`] reads and marks the headers of real packets; [`pace`] lets them in and out of a simulation as time goes on. All
//! links, queue disciplines and losses between are the engine's own. Where the devices come from is not known here: a
//! device is a file that gives and takes one IP packet at a time.

#![cfg(unix)]

pub mod ip;
pub mod pace;
