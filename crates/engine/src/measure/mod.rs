//! What is counted and observed: monitors of queues and flows, and the trait of observers.

pub mod flow;
pub mod histogram;
pub mod monitor;
pub mod observe;
pub mod tagger;
