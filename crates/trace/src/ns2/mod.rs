//! The traces that ns-2 writes, one file per format.

pub mod agent_stdout;
pub mod line_fragments;
pub mod nam;
pub mod number;
pub mod packet_trace;
pub mod sctp_trace;
pub mod variable_trace;
