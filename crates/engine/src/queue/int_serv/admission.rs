//! Measurement-based admission control: whether a link admits another flow.
//!
//! Source: Jamin, Shenker and Danzig 1997 (see [`super::estimate`]), as ns-2.35's `ADC/*` decide.

use std::collections::BTreeMap;

use super::estimate::Estimate;
use crate::math::Math;
use crate::packet::Address;
use crate::params::Params;

/// The admission control algorithms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Parameter-based: the sum of the reserved rates.
    #[default]
    Param,
    /// Measured sum.
    MeasuredSum,
    /// Hoeffding bounds.
    Hoeffding,
    /// Acceptance region: tangent at the peak.
    TangentAtPeak,
    /// Acceptance region: tangent at the origin.
    TangentAtOrigin,
}

/// A flow's request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Token rate, bit/s.
    pub rate_bps: f64,
    /// Bucket depth, bits.
    pub bucket: f64,
}

/// The admission control of a link.
#[derive(Clone, Debug, Params)]
pub struct Admission {
    /// The algorithm.
    pub by: Algorithm,
    /// Target utilization of the link, as a fraction.
    #[param(state)]
    utilization: f64,
    /// Hoeffding bounds: the probability that the load exceeds the link's rate.
    #[param(state)]
    epsilon: f64,
    /// Tangents: the space parameter, s/bit.
    #[param(state)]
    s: f64,
    /// Whether a refusal blocks further admissions until a flow leaves.
    #[param(state)]
    backoff: bool,
    /// The number of admitted flows.
    #[param(state)]
    flows: i32,
    admitted: BTreeMap<(i32, i32, i32), Request>,
    reserved: f64,
    peaks: f64,
    squared_peaks: f64,
    backs_off: bool,
}

impl Default for Admission {
    fn default() -> Admission {
        Admission {
            by: Algorithm::Param,
            utilization: 0.95,
            epsilon: 0.7,
            s: 0.002,
            backoff: true,
            flows: 0,
            admitted: BTreeMap::new(),
            reserved: 0.0,
            peaks: 0.0,
            squared_peaks: 0.0,
            backs_off: false,
        }
    }
}

impl Admission {
    /// Decides a flow's request on a link of this rate; returns whether it is admitted. `flow` is its source and flow
    /// id.
    pub fn ask(&mut self, flow: (Address, i32), request: Request, link_bps: f64, estimate: &mut Estimate) -> bool {
        let peak = request.rate_bps + request.bucket / estimate.period_s();
        let load = estimate.load();
        let heeds_refusals = !matches!(self.by, Algorithm::Param | Algorithm::MeasuredSum);
        let fits = match self.by {
            Algorithm::Param => self.reserved + request.rate_bps < self.utilization * link_bps,
            Algorithm::MeasuredSum => load + request.rate_bps < self.utilization * link_bps,
            Algorithm::Hoeffding => {
                load + peak + ((1.0 / self.epsilon).natural_log() * self.squared_peaks / 2.0).sqrt() <= link_bps
            }
            Algorithm::TangentAtPeak => {
                let tilt = (-peak * self.s).natural_exp();
                self.peaks * (1.0 - tilt) + tilt * load <= link_bps
            }
            Algorithm::TangentAtOrigin => (peak * self.s).natural_exp() * load <= link_bps,
        };
        if !fits || (self.backs_off && heeds_refusals) {
            self.backs_off = self.backoff;
            return false;
        }
        self.admitted.insert((flow.0.node, flow.0.port, flow.1), request);
        self.flows += 1;
        self.reserved += request.rate_bps;
        self.peaks += peak;
        self.squared_peaks += peak * peak;
        match self.by {
            Algorithm::MeasuredSum => estimate.expect(request.rate_bps),
            Algorithm::Hoeffding => estimate.expect(peak),
            _ => {}
        }
        true
    }

    /// A flow leaves, if it was admitted here.
    pub fn leave(&mut self, flow: (Address, i32), estimate: &Estimate) {
        if let Some(request) = self.admitted.remove(&(flow.0.node, flow.0.port, flow.1)) {
            let peak = request.rate_bps + request.bucket / estimate.period_s();
            self.flows -= 1;
            self.reserved -= request.rate_bps;
            self.peaks -= peak;
            self.squared_peaks -= peak * peak;
            self.backs_off = false;
        }
    }
}
