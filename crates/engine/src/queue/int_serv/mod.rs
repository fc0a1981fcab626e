//! Controlled-load service (integrated services): admission control per flow, and strict priority of admitted flows
//! over best effort.
//!
//! Source: ns-2's manual, chapter on the integrated services, and ns-2.35's `Queue/SimpleIntServ`, `SALink`, `ADC/*`
//! and `Est/*`, by the decisions and estimates that ns-2 prints.
//! What it decides: requests are admitted by reserved or measured load. Packets of flows (flow id not 0) are sent
//! before best-effort packets (flow id 0). A full level drops its arrivals, except signalling packets.
//! Departures: none that ns-2's traces show.
//! Not implemented: more than two levels; `dobump_`.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

pub mod admission;
pub mod estimate;

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::header::Header;
use crate::packet::{PacketId, PacketKind};
use crate::params::Value;
use admission::{Admission, Algorithm, Request};
use estimate::{Estimate, Estimator};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "int_serv",
    about: "controlled load: admits flows by what is reserved or measured, and sends them first (Jamin et al. 1997)",
    make: || Box::new(IntServ::default()),
};

#[derive(Default)]
struct IntServ {
    /// The queues of the two levels, best effort first, and their limits, packets.
    levels: [Fifo; 2],
    limits: [i32; 2],
    admission: Admission,
    estimate: Estimate,
}

impl IntServ {
    /// Processes a signalling packet: decides requests and removes flows that leave.
    fn read(&mut self, packet: PacketId, context: &mut QueueContext) {
        let fields = context.packets[packet];
        let flow = (fields.src, fields.fid);
        let Some(&Header::Reservation(mut asked)) = context.packets.header(packet) else { return };
        match fields.kind {
            PacketKind::SaRequest if asked.is_admitted => {
                let request = Request { rate_bps: asked.rate_bps, bucket: asked.bucket };
                asked.is_admitted = self.admission.ask(flow, request, context.rate_bps, &mut self.estimate);
                context.packets.set_header(packet, Header::Reservation(asked));
            }
            PacketKind::SaConfirm if !asked.is_admitted => self.admission.leave(flow, &self.estimate),
            PacketKind::SaTeardown => self.admission.leave(flow, &self.estimate),
            _ => {}
        }
    }
}

impl Discipline for IntServ {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.estimate.advance(context.now.secs());
        self.read(packet, context);
        let fields = &context.packets[packet];
        let (level, is_signal) = (usize::from(fields.fid != 0), fields.kind.is_reservation());
        if level > 0 {
            self.estimate.count(fields.size);
        }
        if is_signal || self.levels[level].len() as i64 + 1 < i64::from(self.limits[level]) {
            self.levels[level].push(packet, context.packets);
        } else {
            context.dropped.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.levels.iter_mut().rev().find_map(|level| level.pop(context.packets))
    }

    /// No limit: signalling packets are always stored.
    fn limit(&self) -> QueueLimit {
        QueueLimit::Others
    }

    fn len_packets(&self) -> usize {
        self.levels.iter().map(Fifo::len).sum()
    }

    fn len_bytes(&self) -> i64 {
        self.levels.iter().map(Fifo::bytes).sum()
    }

    fn param(&self, name: &str) -> Option<Value> {
        match name {
            "qlimit0" => Some(Value::Int(self.limits[0].into())),
            "qlimit1" => Some(Value::Int(self.limits[1].into())),
            _ => self.admission.own_param(name).or_else(|| self.estimate.own_param(name)),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        match name {
            "qlimit0" => self.limits[0] = value.int() as i32,
            "qlimit1" => self.limits[1] = value.int() as i32,
            _ => return self.admission.set_own_param(name, value) || self.estimate.set_own_param(name, value),
        }
        true
    }

    /// `admits_by` and `estimates_by`: the names of ns-2's classes.
    fn command(&mut self, name: &str, _context: &mut QueueContext) -> Result<String, String> {
        match name.split_once(' ') {
            Some(("admits_by", kind)) => {
                self.admission.by = match kind {
                    "Param" => Algorithm::Param,
                    "MS" => Algorithm::MeasuredSum,
                    "HB" => Algorithm::Hoeffding,
                    "ACTP" => Algorithm::TangentAtPeak,
                    "ACTO" => Algorithm::TangentAtOrigin,
                    _ => {
                        return Err(format!(
                            "unknown admission control {kind}; expected one of Param, MS, HB, ACTP, ACTO"
                        ));
                    }
                };
            }
            Some(("estimates_by", kind)) => {
                self.estimate.by = match kind {
                    "Null" => Estimator::Null,
                    "PointSample" => Estimator::PointSample,
                    "ExpAvg" => Estimator::ExpAvg,
                    "TimeWindow" => Estimator::TimeWindow,
                    _ => {
                        return Err(format!(
                            "unknown estimator {kind}; expected one of Null, PointSample, ExpAvg, TimeWindow"
                        ));
                    }
                };
            }
            _ => return Err(format!("int_serv has no command {name}; it has admits_by and estimates_by")),
        }
        Ok(String::new())
    }
}
