//! Measurements: monitors of queues and flows, and the observer trait for traces.

pub mod flow;
pub mod histogram;
pub mod monitor;
pub mod observe;
pub mod tagger;
