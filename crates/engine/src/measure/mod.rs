//! Measurements: statistics of links and endpoints, monitors of queues and flows, and the observer trait for traces.

pub mod connection;
pub mod distribution;
pub mod endpoint_stats;
pub mod flow;
pub mod frames;
pub mod histogram;
pub mod link_stats;
pub mod monitor;
pub mod observe;
pub mod playback;
pub mod tagger;
