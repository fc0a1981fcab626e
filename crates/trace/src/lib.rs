//! Trace formats, one file each; table columns; and the recorder that writes them during a simulation.

pub mod addresses;
pub mod analysis;
pub mod capture;
pub mod channel;
pub mod columns;
pub mod names;
pub mod ns2;
pub mod qlog;
pub mod read;
#[cfg(feature = "arrow")]
pub mod record_batch;
pub mod recorder;
pub mod recording;
#[cfg(feature = "arrow")]
pub mod table_files;
pub mod tables;
pub mod tabulate;
