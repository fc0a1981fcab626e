//! Trace formats, one file each, columns, and the recorder that writes them while a simulation runs.

pub mod channel;
pub mod columns;
pub mod nam;
pub mod ns2_tr;
pub mod number;
pub mod parquet_file;
pub mod recorder;
pub mod tables;
pub mod variables;
