//! TCP: a socket as Linux has it, the agent that runs it in a simulation, and its congestion controls.

pub mod agent;
mod agent_settings;
mod agent_trace;
pub mod cc;
pub mod controls;
mod external_adapter;
mod gro;
pub mod linux26_adapter;
pub mod monitor;
pub mod socket;
