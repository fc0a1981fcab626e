//! The sender side of Quick-Start (RFC 4782): the first packet requests a rate, and the sender starts at the approved
//! rate.
//!
//! Source: RFC 4782, as in ns-2.35's one-way senders.
//! What it decides: the requested rate, the window for the approved rate, and when Quick-Start ends.
//! Departures: none from ns-2, which paces the first window by whole ticks of the round-trip time.

use super::ack::ReceivedAck;
use super::cold_state::QuickStart;
use super::connection::Connection;
use super::segment::reason;
use super::window::{Cause, NewThreshold, NewWindow};
use crate::net::Network;
use crate::packet::PacketId;
use crate::packet::header::{Header, QuickStartKind, QuickStartOption};
use crate::random::rng::Source;

impl Connection {
    #[inline]
    fn quick_start(&self) -> Option<&QuickStart> {
        self.rare.as_ref().map(|rare| &rare.quick_start)
    }

    #[inline]
    fn quick_start_mut(&mut self) -> Option<&mut QuickStart> {
        self.rare.as_mut().map(|rare| &mut rare.quick_start)
    }

    /// Adds a rate request to the first packet, if there is enough data to send.
    pub(super) fn ask_for_rate(&mut self, packet: PacketId, net: &mut Network) {
        let wanted = self.wanted_rate();
        if wanted <= 0 {
            return;
        }
        self.remark(net, "Quick-Start request", &[f64::from(wanted)]);
        let hops = net.rng.of(Source::Sending(self.end.id.0)).integer(256) as i32;
        let rate_code = net.quick_start.code(f64::from(wanted * 1024));
        let option = QuickStartOption { kind: QuickStartKind::Request, hops, rate_code };
        net.packets.set_header(packet, Header::QuickStart(option));
        let quick_start = &mut self.rare.get_or_insert_default().quick_start;
        quick_start.difference = (net.packets[packet].ttl - hops) % 256;
        quick_start.has_asked = true;
    }

    /// The rate to request, kbytes/s.
    fn wanted_rate(&self) -> i32 {
        let config = &self.config;
        let packets = *self.seqno - *self.maxseq - 1;
        if config.qs_request_mode != 1 || config.qs_rtt <= 0 {
            return config.rate_request;
        }
        if packets < config.qs_thresh {
            return 0;
        }
        let kbytes = packets.wrapping_mul(self.whole_packet()) / 1024;
        config.rate_request.min(kbytes.wrapping_mul(1000) / config.qs_rtt)
    }

    /// Packet size with headers, bytes.
    fn whole_packet(&self) -> i32 {
        self.end.packet_size + self.header_bytes()
    }

    /// Ends the Quick-Start window on its first ACK, and reads the answer to a request.
    #[inline]
    pub fn handle_quick_start(&mut self, ack: &ReceivedAck, net: &mut Network) {
        if self.rare.is_some() {
            self.hear_of_quick_start(ack, net);
        }
    }

    fn hear_of_quick_start(&mut self, ack: &ReceivedAck, net: &mut Network) {
        if self.is_in_quick_start() && ack.seqno > self.last_ack {
            self.end_quick_start(net);
        }
        if self.quick_start().is_some_and(|quick_start| quick_start.has_asked) {
            self.take_answer(ack, net);
        }
    }

    fn end_quick_start(&mut self, net: &mut Network) {
        let last_sent = *self.maxseq;
        let Some(quick_start) = self.quick_start_mut() else { return };
        quick_start.is_going_on = false;
        quick_start.window = 0;
        quick_start.last_sent = last_sent;
        let used = f64::from(*self.maxseq - self.last_ack);
        if used > 1.0 && used < *self.cwnd {
            let window = self.initial_window(net).max(used);
            self.cwnd.set(window, &mut self.log);
        }
    }

    fn take_answer(&mut self, ack: &ReceivedAck, net: &mut Network) {
        let Some(quick_start) = self.quick_start_mut() else { return };
        quick_start.has_asked = false;
        quick_start.is_going_on = false;
        let Some(&Header::QuickStart(option)) = net.packets.header(ack.packet) else { return };
        let is_answer = option.kind == QuickStartKind::Answer;
        if !is_answer || option.hops != quick_start.difference || option.rate_code <= 0 {
            return;
        }
        let rate = net.quick_start.rate(option.rate_code);
        let round_trip_s = net.now().secs() - ack.ts_echo;
        let window = (rate * round_trip_s / f64::from(self.whole_packet())) as i32;
        let size = f64::from(self.whole_packet());
        let fields = [rate, f64::from(option.rate_code), f64::from(window), round_trip_s, size];
        self.remark(net, "Quick-Start answer", &fields);
        if f64::from(window) > self.initial_window(net) {
            let quick_start = &mut self.rare.get_or_insert_default().quick_start;
            quick_start.window = window;
            quick_start.is_going_on = true;
        }
    }

    /// Whether the sender is sending the Quick-Start window.
    #[inline]
    pub fn is_in_quick_start(&self) -> bool {
        self.quick_start().is_some_and(|quick_start| quick_start.is_going_on)
    }

    /// The Quick-Start window, packets, if any.
    pub(super) fn quick_start_window(&self) -> Option<i32> {
        self.quick_start().map(|quick_start| quick_start.window).filter(|&window| window != 0)
    }

    /// Leaves Quick-Start.
    pub(super) fn give_quick_start_up(&mut self) {
        if let Some(quick_start) = self.quick_start_mut() {
            quick_start.is_going_on = false;
        }
    }

    /// In Quick-Start, delays the next packet by RTT / `window` plus a random time up to `dither_s`. Returns whether a
    /// delay was set.
    #[inline]
    pub fn pace_quick_start(&mut self, window: f64, dither_s: f64, net: &mut Network) -> bool {
        let waits = self.is_in_quick_start();
        if waits {
            let mut wait_s = f64::from(*self.rtt.rtt) * self.config.tcp_tick / window;
            if dither_s != 0.0 {
                wait_s += net.rng.of(Source::Sending(self.end.id.0)).uniform_below(dither_s);
            }
            self.delay_sending_by(wait_s, net);
        }
        waits
    }

    /// Forgets the last packet of the Quick-Start window once it is acknowledged.
    pub fn finish_quick_start(&mut self) {
        let acked = *self.ack;
        if let Some(quick_start) = self.quick_start_mut()
            && acked >= quick_start.last_sent
        {
            quick_start.last_sent = 0;
        }
    }

    /// If a packet of the Quick-Start window was lost, restarts slow start and retransmits it. Returns whether that was
    /// so.
    pub fn lost_in_quick_start(&mut self, net: &mut Network) -> bool {
        if !self.config.tcp_qs_recovery {
            return false;
        }
        let Some(quick_start) = self.quick_start_mut().filter(|quick_start| quick_start.last_sent != 0) else {
            return false;
        };
        quick_start.last_sent = 0;
        self.cut(NewThreshold::Keep, NewWindow::Initial, Cause::Congestion);
        self.output(self.last_ack + 1, reason::DUPLICATES, net);
        true
    }

    fn remark(&self, net: &mut Network, what: &'static str, fields: &[f64]) {
        if let Some(place) =
            self.quick_start().filter(|_| self.config.print_request).and_then(|quick_start| quick_start.remarks)
        {
            let now = net.now();
            net.observer.happening(place, now, what, fields);
        }
    }
}
