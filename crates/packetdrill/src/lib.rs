//! packetdrill scripts, run against the simulated TCP socket in virtual time.
//!
//! A script injects packets into a TCP at given times, calls its socket, and says which packets must come out, and when
//! (<https://github.com/google/packetdrill>). [`parse`] reads a script, [`run`] runs it. This crate has no input or output:
//! the caller reads files and prints.

mod lexer;
mod notation;
mod parser;
mod run;
pub mod script;

pub use lexer::ParseError;
pub use parser::{Definitions, parse};
pub use run::{Record, Report, Settings, Verdict, run};
