//! Trace formats, one file each, columns, and the recorder that writes them while a simulation runs.

pub mod addresses;
pub mod analysis;
pub mod arrow_file;
pub mod channel;
pub mod columns;
pub mod convert;
pub mod csv;
pub mod fields;
pub mod frames;
pub mod known_packets;
pub mod nam;
pub mod names;
pub mod ns2_tr;
pub mod number;
pub mod packet_table;
pub mod parquet_file;
pub mod pcapng;
pub mod phrase;
pub mod read_ns2;
pub mod recorder;
pub mod recording;
pub mod remarks;
pub mod runs;
pub mod tables;
pub mod unpack;
pub mod variables;
