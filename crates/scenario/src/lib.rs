//! Descriptions of networks: reads a scenario file, resolves it to a simulation, runs it.
//!
//! ```
//! use ackclock_scenario::Scenario;
//!
//! let text = r#"
//!     duration = "5 s"
//!     [topology]
//!     kind = "dumbbell"
//!     bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { kind = "red", limit = "30 packets" } }
//!     [[flows]]
//!     pair = 1
//!     tcp = "cubic"
//! "#;
//! let results = Scenario::from_toml(text)?.run()?;
//! let goodput = results.table("flows").and_then(|flows| flows.column("goodput_bps")?.real(0));
//! assert!(goodput.is_some_and(|bps| bps > 0.5e6 && bps < 1e6));
//! # Ok::<(), ackclock_scenario::Error>(())
//! ```
//!
//! Python's classes of descriptions are written from what [`model`] declares. Python reads files by code of its own
//! (`python/ackclock/scenario`); a test runs every file of the repository through both and compares their tables number
//! by number. This crate opens no file and loads no code:
//! what a description names of such things its caller provides ([`outside`]), or it is refused by name.

// An error ends the reading of a description: what it weighs is paid once.
#![allow(clippy::result_large_err)]

mod app_parameters;
pub mod builder;
pub mod defaults;
pub mod error;
pub mod model;
pub mod outside;
pub mod read_toml;
pub mod refused;
pub mod resolve;
pub mod run;
pub mod schedule;
pub mod tree;
pub mod units;

pub use error::ScenarioError;
pub use model::scenario::Scenario;
pub use run::{Error, Results, Run};
