//! A TCP agent that a program outside steers, once per monitor interval.

use std::any::Any;

use super::TcpAgent;
use crate::transport::agent::Agent;
use crate::transport::tcp::cc::Control;
use crate::transport::tcp::monitor::{Held, Monitor, Monitored};
use crate::transport::tcp::socket::Totals;

fn tcp(agent: &mut dyn Agent) -> Option<&mut TcpAgent> {
    (agent as &mut dyn Any).downcast_mut()
}

/// Reports the RTT samples of a TCP agent from now on, with its own control, or with `held` in its place. `None` unless
/// `agent` is one.
pub fn monitor(agent: &mut dyn Agent, held: Option<Held>) -> Option<Monitor> {
    let agent = tcp(agent)?;
    let control: Box<dyn Control> = match held {
        Some(held) => {
            agent.control_values.clear();
            Box::new(held)
        }
        None => agent.socket.take_control(),
    };
    let monitor = Monitor::default();
    agent.socket.set_own_control(Box::new(Monitored { control, monitor: monitor.clone() }));
    agent.has_external_control = true;
    Some(monitor)
}

/// Sets the window, packets, and the pacing rate, packets/s, of a TCP agent, from its next packet on; `None` leaves what there
/// is.
///
/// # Panics
/// If `agent` is not TCP.
pub fn steer(agent: &mut dyn Agent, cwnd: Option<f64>, pacing_per_s: Option<f64>) {
    tcp(agent).expect("it was monitored").socket.steer(cwnd, pacing_per_s);
}

/// Totals and state of a TCP agent's sending half.
///
/// # Panics
/// If `agent` is not TCP.
pub fn totals(agent: &mut dyn Agent) -> Totals {
    tcp(agent).expect("it was monitored").socket.totals()
}
