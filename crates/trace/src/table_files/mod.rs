//! Tables in files, one file per format.

pub mod arrow;
pub mod csv;
pub mod parquet;
