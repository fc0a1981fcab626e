//! The interface of a window rule of ns-2's one-way senders: growth in congestion avoidance, decrease after congestion.
//!
//! The rules are in [`crate::transport::compat::ns2::window_law`]. A connection receives the table of rules as a
//! function ([`Laws`]), so that it does not depend on them.

use crate::params::Params;
use crate::params::cow_arc::CowArc;

/// Parameters of the window rules.
#[derive(Clone, Debug, PartialEq, Params)]
pub struct WindowLawParameters {
    /// Window growth per round trip, packets.
    #[param("")]
    pub increase_num: f64,
    /// The share of the window that remains after congestion. HighSpeed TCP writes its current factor here.
    #[param("")]
    pub decrease_num: f64,
    /// Constant of the constant-rate, averaging and round-trip rules.
    #[param("")]
    pub window_constant: f64,
    /// Exponent of the binomial increase.
    #[param("")]
    pub k_parameter: f64,
    /// Exponent of the binomial decrease.
    #[param("")]
    pub l_parameter: f64,
    /// HighSpeed TCP: the window, in packets, up to which it is the standard one.
    #[param("packets")]
    pub low_window: i32,
    /// HighSpeed TCP: the window, in packets, at a loss rate of `high_p`.
    #[param("packets")]
    pub high_window: i32,
    /// HighSpeed TCP: the loss rate that goes with `high_window`.
    #[param("")]
    pub high_p: f64,
    /// HighSpeed TCP: the share by which the window is reduced at `high_window`.
    #[param("")]
    pub high_decrease: f64,
    /// HighSpeed TCP: packets of window growth after which the factors are recomputed; 0 for every time.
    #[param("packets")]
    pub cwnd_range: i32,
    /// Limited slow start: the window, in packets, above which growth slows; 0 for never.
    #[param("packets")]
    pub max_ssthresh: i32,
}

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

/// The input for an ACK of new data in congestion avoidance.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// The window.
    pub cwnd: f64,
    /// The smoothed round-trip time in whole ticks, as seconds.
    pub srtt_s: f64,
    /// The moving average of the window.
    pub average: f64,
    /// No cut so far except by timeouts.
    pub starting: bool,
}

/// The input for a window cut.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// The congestion window.
    pub cwnd: f64,
    /// The effective window: with inflation, and limited by the receiver.
    pub usable: f64,
    /// The effective window, in whole packets if cuts are in whole packets.
    pub counted: f64,
}

/// A window rule.
pub trait WindowLaw: Send + Sync {
    /// The window after this ACK.
    fn grow(&mut self, growth: &Growth, parameters: &WindowLawParameters) -> f64;

    /// The window after congestion.
    fn shrink(&mut self, congestion: &Congestion, parameters: &mut CowArc<WindowLawParameters>) -> f64 {
        parameters.decrease_num * congestion.counted
    }

    /// Called after a cut: clears the fraction of a packet saved for growth.
    fn was_cut(&mut self) {}

    /// Called when a connection starts.
    fn reset(&mut self, parameters: &WindowLawParameters) {
        let _ = parameters;
    }
}

/// Creates the window rule with a number (`windowOption_`); `None` for an unknown number.
pub type Laws = fn(i32) -> Option<Box<dyn WindowLaw>>;

/// A line of the table of window rules.
pub struct WindowOption {
    /// The id: `standard`.
    pub id: &'static str,
    /// ns-2's number, the value of `windowOption_`.
    pub option: i32,
    /// One-line description for lists and help.
    pub about: &'static str,
    /// Constructor.
    pub make: fn() -> Box<dyn WindowLaw>,
}
