//! The types of a description, and how they are read.

pub mod apps;
pub mod declared;
pub mod deliveries;
pub mod described;
pub mod diffserv;
pub mod dscp;
pub mod leo_satellite;
pub mod loss;
pub mod nr;
pub mod processes;
pub mod scenario;
pub mod seed;
pub mod shape;
pub mod topology;
pub mod traffic;
pub mod typed;
pub mod wifi;
