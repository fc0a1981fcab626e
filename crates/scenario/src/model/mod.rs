//! The types of a description, and how they are read.

pub mod diffserv;
pub mod dscp;
pub mod loss;
pub mod scenario;
pub mod seed;
pub mod topology;
pub mod traffic;
pub mod typed;
