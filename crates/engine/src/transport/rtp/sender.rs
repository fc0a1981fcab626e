//! A sender of video over RTP: the data unit queue, pacing, and SCReAM's feedback.
//!
//! Source: SCReAM (`scream.rs`), "Overview" (the data unit queue) and "Sender Transmission Control".
//! What it decides: which data unit leaves next, and when.
//! Departures: after a second without feedback, one data unit leaves whatever the send window is, so that a path that was
//! down is found again. The draft says nothing of it.
//! Not implemented: skipped or discarded frames, retransmissions, forward error correction.
//! Checked against: tests/spec/test_rtp_call.py.

use std::collections::VecDeque;

use super::feedback::Report;
use super::overhead::UDP_IP_BYTES;
use super::scream::{Constants, Scream};
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError};
use crate::packet::header::{Header, RtpHeader};
use crate::packet::segment::EcnCodepoint;
use crate::packet::{PacketId, PacketKind};
use crate::params::{Params, Value};
use crate::transport::agent::{Agent, Endpoint};

const SEND: u8 = 0;
/// After this time without feedback the window does not hold a data unit back, s.
const SILENCE_S: f64 = 1.0;
/// A larger frame is a mistyped rate.
const MOST_FRAME_BYTES: i64 = 1 << 24;

/// A data unit that waits.
struct DataUnit {
    size: i32,
    header: RtpHeader,
}

#[derive(Params)]
pub(super) struct Sender {
    end: Endpoint,
    #[param(flatten)]
    constants: Constants,
    /// Whether its packets are ECN-capable.
    #[param(state)]
    ecn: bool,
    /// The encoder's nominal time between frames, s.
    #[param(state)]
    frame_period: f64,
    /// Frames that it has got from the encoder.
    #[param(state)]
    captured_frames: i64,
    /// Their bytes.
    #[param(state)]
    captured_bytes: i64,
    scream: Scream,
    queue: VecDeque<DataUnit>,
    /// When the pacing lets the next data unit leave, s.
    next_s: f64,
    /// When the last feedback came, or the last data unit left without any, s.
    heard_s: f64,
    send_timer: TimerId,
}

impl Sender {
    pub(super) fn make(id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        let constants = Constants::default();
        Box::new(Sender {
            end: Endpoint::new(id, PacketKind::Rtp, 1000 + UDP_IP_BYTES),
            scream: Scream::new(constants.clone()),
            constants,
            ecn: false,
            frame_period: 1.0 / 30.0,
            captured_frames: 0,
            captured_bytes: 0,
            queue: VecDeque::new(),
            next_s: 0.0,
            heard_s: 0.0,
            send_timer: net.add_timer(TimerOwner::Agent(id.0, SEND)),
        })
    }

    /// A frame comes from the encoder.
    fn take_frame(&mut self, bytes: i64, net: &mut Network) {
        let now_s = net.now().secs();
        let media_qdelay = self.queue.front().map_or(0.0, |unit| now_s - unit.header.captured_s);
        self.scream.on_frame(bytes as f64, media_qdelay, self.frame_period);
        let mss = self.constants.mss as i64;
        let mut left = bytes;
        while left > 0 {
            let size = left.min(mss);
            left -= size;
            let header = RtpHeader {
                frame: self.captured_frames as u32,
                frame_bytes: bytes as u32,
                captured_s: now_s,
                is_last: left == 0,
            };
            self.queue.push_back(DataUnit { size: size as i32, header });
        }
        self.captured_frames += 1;
        self.captured_bytes += bytes;
        self.send_more(net);
    }

    /// Sends what window and pacing allow, and sets the timer for the next data unit.
    fn send_more(&mut self, net: &mut Network) {
        let now_s = net.now().secs();
        while let Some(unit) = self.queue.front() {
            let is_silent = now_s - self.heard_s >= SILENCE_S;
            if now_s < self.next_s {
                net.set_timer(self.send_timer, self.next_s - now_s);
                return;
            }
            if f64::from(unit.size) > self.scream.send_wnd() {
                if !is_silent {
                    net.set_timer(self.send_timer, self.heard_s + SILENCE_S - now_s);
                    return;
                }
                self.heard_s = now_s;
            }
            if let Some(unit) = self.queue.pop_front() {
                self.send(&unit, net);
            }
        }
    }

    fn send(&mut self, unit: &DataUnit, net: &mut Network) {
        let (now_s, size) = (net.now().secs(), f64::from(unit.size));
        self.next_s = now_s + self.scream.t_pace(size);
        let seq = self.scream.on_sent(size, now_s);
        if self.scream.bytes_in_flight() <= size {
            self.heard_s = now_s;
        }
        let id = self.end.make_packet(net);
        let packet = &mut net.packets[id];
        packet.size = unit.size + UDP_IP_BYTES;
        packet.seqno = seq as i32;
        packet.payload = unit.size;
        packet.ts = now_s;
        packet.set_ecn(match (self.ecn, self.constants.l4s) {
            (false, _) => EcnCodepoint::NotEct,
            (true, false) => EcnCodepoint::Ect0,
            (true, true) => EcnCodepoint::Ect1,
        });
        net.packets.set_header(id, Header::Rtp(unit.header));
        self.end.send(net, id);
    }
}

impl Agent for Sender {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let now_s = net.now().secs();
        let report = net.packets.payload(id).and_then(|bytes| Report::of_bytes(bytes, now_s));
        net.free(id);
        if let Some(report) = report {
            self.heard_s = now_s;
            self.scream.on_feedback(&report, now_s);
            self.send_more(net);
        }
    }

    fn timer(&mut self, _which: u8, net: &mut Network) {
        self.send_more(net);
    }

    /// A frame of this many bytes.
    fn send_bytes(&mut self, bytes: Option<i64>, _flags: &str, net: &mut Network) {
        let wrong = match bytes {
            None => "RTP has frames, and no endless stream".into(),
            Some(_) if self.constants.mss < 1.0 => "SCReAM needs data units of at least 1 byte".into(),
            Some(bytes) if bytes > MOST_FRAME_BYTES => {
                format!("a video frame has {bytes} bytes; expected at most {MOST_FRAME_BYTES}")
            }
            Some(bytes) => return self.take_frame(bytes, net),
        };
        net.fail(SimulationError::Broken(wrong));
    }

    fn reset(&mut self, _net: &mut Network) {
        self.scream = Scream::new(self.constants.clone());
    }

    /// Also the algorithm's state: `target_bitrate` (bit/s), `ref_wnd` (bytes), `s_rtt`, `qdelay_avg` and `qdelay_target`
    /// (s).
    fn param(&self, name: &str) -> Option<Value> {
        let real = match name {
            "target_bitrate" => self.scream.target_bitrate(),
            "ref_wnd" => self.scream.ref_wnd(),
            "s_rtt" => self.scream.s_rtt(),
            "qdelay_avg" => self.scream.qdelay_avg(),
            "qdelay_target" => self.scream.qdelay_target(),
            _ => return self.own_param(name).or_else(|| self.end.param(name)),
        };
        Some(Value::Real(real))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_frame_is_an_error() {
        for (bytes, said) in [(None, "no endless stream"), (Some(MOST_FRAME_BYTES + 1), "16777217 bytes")] {
            let mut net = Network::default();
            Sender::make(AgentId(0), &mut net).send_bytes(bytes, "", &mut net);
            let error = format!("{:?}", net.error);
            assert!(error.contains(said), "{error}");
        }
    }
}
