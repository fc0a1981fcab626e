//! Window laws: how much a sender may have in flight. One file per law, one line in [`LAWS`].
//!
//! A law grows the window in congestion avoidance and says what is left of it after congestion. Slow start is the same
//! under every law and is the sender's; [`slow_start`] has its gentler form for large windows.
//!
//! Windows are in packets, as everywhere in one-way TCP.

pub mod average;
pub mod binomial;
pub mod constant_rate;
pub mod counting;
pub mod high_speed;
pub mod rtt_linear;
pub mod slow_start;
pub mod standard;

use crate::params;
use crate::params::cow_arc::CowArc;

/// What the laws can be told.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowLawParameters {
    /// Packets by which the window grows in a round trip.
    pub increase_num: f64,
    /// What is left of the window after congestion. The high-speed law writes its present factor here.
    pub decrease_num: f64,
    /// Constant of the constant-rate, averaging and round-trip laws.
    pub window_constant: f64,
    /// Exponent of the binomial increase.
    pub k_parameter: f64,
    /// Exponent of the binomial decrease.
    pub l_parameter: f64,
    /// High-speed law: the window, in packets, up to which it is the standard one.
    pub low_window: i32,
    /// High-speed law: the window, in packets, at a loss rate of `high_p`.
    pub high_window: i32,
    /// High-speed law: the loss rate that goes with `high_window`.
    pub high_p: f64,
    /// High-speed law: how much of the window is given up at `high_window`.
    pub high_decrease: f64,
    /// High-speed law: packets that the window may grow before the law is computed anew; 0 for each time.
    pub cwnd_range: i32,
    /// Limited slow start: the window, in packets, from which growth slows; 0 for never.
    pub max_ssthresh: i32,
}

params!(WindowLawParameters {
    increase_num,
    decrease_num,
    window_constant,
    k_parameter,
    l_parameter,
    low_window,
    high_window,
    high_p,
    high_decrease,
    cwnd_range,
    max_ssthresh,
});

impl Default for WindowLawParameters {
    fn default() -> WindowLawParameters {
        WindowLawParameters {
            increase_num: 1.0,
            decrease_num: 0.5,
            window_constant: 4.0,
            k_parameter: 0.0,
            l_parameter: 1.0,
            low_window: 38,
            high_window: 83_000,
            high_p: 0.000_000_1,
            high_decrease: 0.1,
            cwnd_range: 0,
            max_ssthresh: 0,
        }
    }
}

/// An ACK of new data in congestion avoidance.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// The window.
    pub cwnd: f64,
    /// The smoothed round-trip time in whole ticks, as seconds.
    pub srtt_s: f64,
    /// The window's running average.
    pub average: f64,
    /// Nothing but timeouts has cut the window so far.
    pub starting: bool,
}

/// Congestion: the window is to be cut.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// The congestion window.
    pub cwnd: f64,
    /// What may really be in flight.
    pub usable: f64,
    /// The same, in whole packets if the sender cuts whole packets.
    pub counted: f64,
}

/// A window law.
pub trait WindowLaw: Send + Sync {
    /// The window after this ACK.
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64;

    /// What is left of the window after congestion.
    fn shrink(&mut self, congestion: &Congestion, parameters: &mut CowArc<WindowLawParameters>) -> f64 {
        parameters.decrease_num * congestion.counted
    }

    /// The window was cut: what was saved up towards the next packet is void.
    fn was_cut(&mut self) {}

    /// The connection starts.
    fn reset(&mut self, parameters: &WindowLawParameters) {
        let _ = parameters;
    }
}

/// One law of the table.
pub struct Entry {
    /// Its id everywhere: `standard`.
    pub id: &'static str,
    /// Its number among ns-2's window options.
    pub option: i32,
    /// One line for lists and help.
    pub about: &'static str,
    /// Makes one.
    pub make: fn() -> Box<dyn WindowLaw>,
}

/// Every law that a sender can be given.
pub const LAWS: &[Entry] = &[
    counting::ENTRY,
    standard::ENTRY,
    constant_rate::ENTRY,
    average::SQUARED,
    average::PLAIN,
    rtt_linear::ENTRY,
    binomial::ENTRY,
    high_speed::ENTRY,
];

/// The law with this number.
pub fn numbered(option: i32) -> Option<Box<dyn WindowLaw>> {
    LAWS.iter().find(|entry| entry.option == option).map(|entry| (entry.make)())
}

/// Saves up parts of a packet, and gives a whole one to the window when they exceed it.
#[derive(Default)]
struct Savings(f64);

impl Savings {
    fn add(&mut self, amount: f64, cwnd: f64) -> f64 {
        let saved = amount + self.0;
        if saved > cwnd {
            self.0 = 0.0;
            cwnd + 1.0
        } else {
            self.0 = saved;
            cwnd
        }
    }

    fn void(&mut self) {
        self.0 = 0.0;
    }
}
