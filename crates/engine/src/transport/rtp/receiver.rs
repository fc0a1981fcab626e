//! A receiver of video over RTP: whole frames, and feedback to the sender.
//!
//! Source: RFC 8888 (the reports); SCReAM, "Receiver Requirements on Feedback Intensity" (when they are sent).
//! What it decides: when a report is sent, and which data units it covers. It is due after 16 data units, at the last data
//! unit of a frame, and 40 ms after a data unit that no report has covered. It covers the last 64 data units, so that
//! three lost reports in a row lose nothing (RFC 8888, section 3.1, lets reports overlap).
//! Departures: none.
//! Not implemented: a limit of the rate of RTCP (RFC 3550, section 6.2).
//! Checked against: tests/spec/test_rtp_call.py.

use std::collections::{BTreeMap, VecDeque};

use super::feedback::{Arrival, Report};
use super::overhead::UDP_IP_BYTES;
use crate::event::timer::{TimerId, TimerOwner};
use crate::measure::frames::{Frame, FrameStats};
use crate::net::Network;
use crate::net::node::AgentId;
use crate::packet::header::{Header, RtpHeader};
use crate::packet::{PacketId, PacketKind};
use crate::params::{Params, Value};
use crate::transport::agent::{Agent, Endpoint};

/// A report is due after this many data units.
const UNITS_PER_REPORT: u32 = 16;
/// The longest time from a data unit to the next report, s.
const REPORT_INTERVAL_S: f64 = 0.04;
/// How many data units a report covers.
const COVERED: usize = 64;
/// Frames that are older than the newest whole one by this many are given up.
const OPEN_FRAMES: u32 = 1000;

#[derive(Params)]
pub(super) struct Receiver {
    end: Endpoint,
    /// A frame is late if it is whole later than this after its capture, s.
    #[param(state)]
    deadline: f64,
    /// The sequence number of the first of `arrivals`.
    begin_seq: i32,
    /// The last data units, up to the highest that arrived.
    arrivals: VecDeque<Option<Arrival>>,
    /// Data units since the last report.
    since_report: u32,
    /// The bytes that are missing of each frame.
    open: BTreeMap<u32, u32>,
    frames: FrameStats,
    report_timer: TimerId,
}

impl Receiver {
    pub(super) fn make(id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        Box::new(Receiver {
            end: Endpoint::new(id, PacketKind::Rtcp, UDP_IP_BYTES),
            deadline: 0.15,
            begin_seq: 0,
            arrivals: VecDeque::new(),
            since_report: 0,
            open: BTreeMap::new(),
            frames: FrameStats::default(),
            report_timer: net.add_timer(TimerOwner::Agent(id.0, 0)),
        })
    }

    /// Notes the arrival of a data unit; false if it came before.
    fn note(&mut self, seqno: i32, arrival: Arrival) -> bool {
        let Ok(index) = usize::try_from(seqno - self.begin_seq) else { return false };
        while self.arrivals.len() <= index {
            self.arrivals.push_back(None);
        }
        let is_new = self.arrivals[index].replace(arrival).is_none();
        while self.arrivals.len() > COVERED {
            self.arrivals.pop_front();
            self.begin_seq += 1;
        }
        is_new
    }

    /// Takes a part of a frame.
    fn assemble(&mut self, header: RtpHeader, bytes: u32, now_s: f64) {
        let missing = self.open.entry(header.frame).or_insert(header.frame_bytes);
        *missing = missing.saturating_sub(bytes);
        if *missing > 0 {
            return;
        }
        self.open.remove(&header.frame);
        let (captured_s, delay_s) = (header.captured_s, now_s - header.captured_s);
        self.frames.add(Frame { number: header.frame, bytes: header.frame_bytes, captured_s, delay_s }, self.deadline);
        let oldest = self.frames.after_highest.saturating_sub(OPEN_FRAMES);
        while self.open.first_key_value().is_some_and(|(&frame, _)| frame < oldest) {
            self.open.pop_first();
        }
    }

    fn report(&mut self, net: &mut Network) {
        let units = self.arrivals.iter().copied().collect();
        let report = Report { begin_seq: self.begin_seq as u16, units, timestamp_s: net.now().secs() };
        let bytes = report.to_bytes();
        let id = self.end.make_packet(net);
        net.packets[id].size = UDP_IP_BYTES + bytes.len() as i32;
        net.packets.set_payload(id, bytes);
        self.since_report = 0;
        net.stop_timer(self.report_timer);
        self.end.send(net, id);
    }
}

impl Agent for Receiver {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let now_s = net.now().secs();
        let packet = net.packets[id];
        let header = net.packets.header(id).copied();
        net.free(id);
        let Some(Header::Rtp(header)) = header else { return };
        if !self.note(packet.seqno, Arrival { at_s: now_s, ecn: packet.ecn() }) {
            return;
        }
        self.assemble(header, packet.payload as u32, now_s);
        self.since_report += 1;
        if header.is_last || self.since_report >= UNITS_PER_REPORT {
            self.report(net);
        } else if !net.timer_runs(self.report_timer) {
            net.set_timer(self.report_timer, REPORT_INTERVAL_S);
        }
    }

    fn timer(&mut self, _which: u8, net: &mut Network) {
        self.report(net);
    }

    fn frames(&mut self) -> Option<&mut FrameStats> {
        Some(&mut self.frames)
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }
}
