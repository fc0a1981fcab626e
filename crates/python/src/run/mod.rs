//! A described run: its schedule, its tables, its captures, and runs in real time.

pub mod captures;
pub mod channels;
pub mod descriptions;
#[cfg(unix)]
pub mod emulation;
pub mod merged_runs;
pub mod networks;
pub mod outside;
pub mod scenarios;
pub mod schedule;
pub mod steered_runs;
pub mod table_views;
pub mod tables;
pub mod tracing;
pub mod watched_agents;
