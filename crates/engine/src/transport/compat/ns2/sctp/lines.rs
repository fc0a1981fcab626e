//! What is written of traced variables: their values, or the agent's own lines.

use super::association::Sctp;
use super::destination::{Destination, Status};
use super::traced::{NAMES, Variable, number_of};
use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::params::Value;

/// What ns-2 writes for the count of fast retransmissions: it reads a number at the place of the variable's name. The
/// bytes there are a text in the program; this is the number in Debian's build.
const FR_COUNT_OF_NS2: f64 = 1_953_264_973.0;

/// The same for the count of repeated fast retransmissions.
const MFR_COUNT_OF_NS2: f64 = 1_819_626_799.0;

impl Sctp {
    /// A traced variable has changed.
    pub fn touch(&mut self, variable: Variable, net: &mut Network) {
        let traced = &mut self.traced;
        let count = match variable {
            Variable::Cwnd => &mut traced.cwnd,
            Variable::Rwnd => &mut traced.rwnd,
            Variable::Rto => {
                traced.rto += 1.0;
                return self.trace(variable as usize, net);
            }
            Variable::ErrorCount => &mut traced.error_count,
            Variable::FrCount => &mut traced.fr_count,
            Variable::TimeoutCount => &mut traced.timeout_count,
            Variable::RcdCount => &mut traced.rcd_count,
            Variable::MfrCount => &mut traced.mfr_count,
            Variable::PfToActiveNewData => &mut traced.count_pfto_active_new_data,
            Variable::PfToActiveRtxms => &mut traced.count_pfto_active_rtxms,
        };
        *count = count.wrapping_add(1);
        self.trace(variable as usize, net);
    }

    /// The trace at a reset shows the first values.
    pub fn trace_reset(&mut self, net: &mut Network) {
        self.touch(Variable::Cwnd, net);
        self.touch(Variable::Rwnd, net);
        self.touch(Variable::Rto, net);
        self.touch(Variable::ErrorCount, net);
        if std::mem::take(&mut self.traced.fr_count) != 0 {
            self.trace(Variable::FrCount as usize, net);
        }
        self.touch(Variable::TimeoutCount, net);
        self.touch(Variable::RcdCount, net);
        if std::mem::take(&mut self.traced.count_pfto_active_new_data) != 0 {
            self.trace(Variable::PfToActiveNewData as usize, net);
        }
        if std::mem::take(&mut self.traced.count_pfto_active_rtxms) != 0 {
            self.trace(Variable::PfToActiveRtxms as usize, net);
        }
    }

    /// Traces what the script has set, and one more variable.
    pub fn report_variables(&mut self, name: Option<&str>, net: &mut Network) {
        let asked = name.map(|name| name.strip_suffix("_lines").unwrap_or(name)).and_then(number_of);
        for number in 0..NAMES.len() {
            if std::mem::take(&mut self.traced.was_set[number]) || asked == Some(number) {
                self.trace(number, net);
            }
        }
    }

    fn trace(&mut self, number: usize, net: &mut Network) {
        if let Some(place) = self.traced.values[number] {
            let value = self.traced.own_param(NAMES[number]).unwrap_or(Value::Int(0));
            net.observer.variable(place, net.now(), NAMES[number], value);
        }
        if let Some(place) = self.traced.lines[number] {
            self.write_lines(place, NAMES[number], net);
        }
    }

    /// Writes the lines of a variable now.
    pub fn print(&mut self, name: &str, net: &mut Network) {
        if let Some(place) = self.traced.printed {
            self.write_lines(place, name, net);
        }
    }

    fn write_lines(&mut self, place: TraceId, name: &str, net: &mut Network) {
        let repeats = self.extensions.retransmits_again;
        if self.extensions.is_multipath {
            self.write_multipath_lines(place, name, net);
        } else if self.set.trace_all == 1 {
            let what = if repeats { "SCTP all again" } else { "SCTP all" };
            self.write_each(place, what, net, |sctp, destination| {
                let mut fields = sctp.window_fields(destination);
                if !repeats {
                    fields.insert(4, f64::from(sctp.receiver.rwnd as i32));
                }
                fields.extend([destination.rto, destination.srtt, destination.rttvar]);
                fields.extend(sctp.error_fields(destination));
                fields.push(f64::from(sctp.traced.fr_count));
                if repeats {
                    fields.push(f64::from(sctp.traced.mfr_count));
                }
                fields.extend([f64::from(destination.timeouts), f64::from(destination.routes_computed)]);
                if repeats && !sctp.extensions.has_timestamps {
                    fields.push(f64::from(sctp.avail_swnd as i32));
                }
                fields
            });
        } else {
            match name {
                "cwnd" => self.write_each(place, "SCTP cwnd", net, Sctp::window_fields),
                "rwnd" if !repeats => {
                    let windows = [f64::from(self.receiver.rwnd as i32), f64::from(self.peer_rwnd as i32)];
                    net.observer.happening(place, net.now(), "SCTP rwnd", &windows);
                }
                "rto" => self.write_each(place, "SCTP rto", net, |_, destination| {
                    vec![destination.rto, destination.srtt, destination.rttvar]
                }),
                "error_count" => self.write_each(place, "SCTP errors", net, Sctp::error_fields),
                "fr_count" => {
                    net.observer.happening(place, net.now(), "SCTP fast retransmissions", &[FR_COUNT_OF_NS2]);
                }
                "mfr_count" if repeats => {
                    net.observer.happening(place, net.now(), "SCTP fast retransmissions again", &[MFR_COUNT_OF_NS2]);
                }
                "timeout_count" => {
                    self.write_each(place, "SCTP timeouts", net, |_, destination| vec![f64::from(destination.timeouts)])
                }
                "rcd_count" => self.write_each(place, "SCTP routes", net, |_, destination| {
                    vec![f64::from(destination.routes_computed)]
                }),
                _ => self.write_unknown(place, net),
            }
        }
        net.observer.happening(place, net.now(), "SCTP end", &[]);
    }

    /// The lines of CMT, which differ.
    fn write_multipath_lines(&mut self, place: TraceId, name: &str, net: &mut Network) {
        let status = |destination: &Destination| f64::from(destination.status as u8);
        match name {
            _ if self.set.trace_all == 1 => self.write_each(place, "SCTP CMT all", net, |sctp, destination| {
                let mut fields = sctp.window_fields(destination);
                fields.extend([destination.rto, destination.srtt, destination.rttvar]);
                fields.extend([sctp.association_errors, destination.errors].map(f64::from));
                fields.push(status(destination));
                let traced = &sctp.traced;
                fields.extend([traced.fr_count, destination.timeouts, destination.routes_computed].map(f64::from));
                fields.extend([traced.count_pfto_active_new_data, traced.count_pfto_active_rtxms].map(f64::from));
                fields
            }),
            "cwnd" => self.write_each(place, "SCTP cwnd", net, Sctp::window_fields),
            "rto" => self.write_each(place, "SCTP CMT rto", net, |_, destination| {
                vec![destination.rto, destination.srtt, destination.rttvar, f64::from(destination.timeouts)]
            }),
            "error_count" => self.write_each(place, "SCTP CMT errors", net, |sctp, destination| {
                vec![f64::from(sctp.association_errors), f64::from(destination.errors), status(destination)]
            }),
            "timeout_count" => {
                self.write_each(place, "SCTP timeouts", net, |_, destination| vec![f64::from(destination.timeouts)])
            }
            _ => {
                let traced = &self.traced;
                let (what, count) = match name {
                    "fr_count" => ("SCTP fast retransmissions", traced.fr_count),
                    "count_pfto_active_new_data" => ("SCTP CMT new data", traced.count_pfto_active_new_data),
                    "count_pfto_active_rtxms" => ("SCTP CMT retransmissions", traced.count_pfto_active_rtxms),
                    _ => return self.write_unknown(place, net),
                };
                net.observer.happening(place, net.now(), what, &[f64::from(count)]);
            }
        }
    }

    fn write_unknown(&self, place: TraceId, net: &mut Network) {
        let (here, peer) = (self.end.here, self.end.peer);
        let ends = [here.node, here.port, peer.node, peer.port].map(f64::from);
        net.observer.happening(place, net.now(), "SCTP unknown", &ends);
    }

    /// Writes a line for an event at a destination, which CMT traces.
    pub fn trace_event(&mut self, what: &'static str, number: usize, fields: &[f64], net: &mut Network) {
        self.set_source(number, net);
        if let Some(place) = self.traced.printed {
            let (here, peer) = (self.end.here, self.destinations[number].address);
            let mut all = [here.node, here.port, peer.node, peer.port].map(f64::from).to_vec();
            all.extend(fields);
            net.observer.happening(place, net.now(), what, &all);
            net.observer.happening(place, net.now(), "SCTP end", &[]);
        }
    }

    /// A line for each destination. As ns-2, the agent's address is from then on the one towards the last of them.
    fn write_each(
        &mut self,
        place: TraceId,
        what: &'static str,
        net: &mut Network,
        fields: impl Fn(&Sctp, &Destination) -> Vec<f64>,
    ) {
        for number in 0..self.destinations.len() {
            self.set_source(number, net);
            let destination = &self.destinations[number];
            let (here, peer) = (self.end.here, destination.address);
            let mut all = [here.node, here.port, peer.node, peer.port].map(f64::from).to_vec();
            all.extend(fields(self, destination));
            net.observer.happening(place, net.now(), what, &all);
        }
    }

    fn window_fields(&self, destination: &Destination) -> Vec<f64> {
        let &Destination { cwnd, partial_bytes_acked, outstanding, ssthresh, .. } = destination;
        [cwnd, partial_bytes_acked, outstanding, ssthresh, self.peer_rwnd as i32].map(f64::from).to_vec()
    }

    fn error_fields(&self, destination: &Destination) -> Vec<f64> {
        let is_primary = std::ptr::eq(destination, &self.destinations[self.primary]);
        let is_active = destination.status != Status::Inactive;
        let flags = [is_active, is_primary].map(|flag| f64::from(u8::from(flag)));
        vec![f64::from(self.association_errors), f64::from(destination.errors), flags[0], flags[1]]
    }
}
