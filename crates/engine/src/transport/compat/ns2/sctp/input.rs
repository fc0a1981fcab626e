//! Packets that arrive.

use super::association::{Sctp, State};
use super::output::Outgoing;
use crate::net::Network;
use crate::packet::PacketId;
use crate::packet::sctp::{Chunk, Timestamp};

impl Sctp {
    /// Handles a packet: its chunks in order, then what they ask to be sent.
    pub fn take_packet(&mut self, packet: PacketId, net: &mut Network) {
        if self.state == State::Uninitialized {
            self.start_over(net);
        }
        let source = net.packets[packet].src;
        let Some(chunks) = net.packets.take_chunks(packet) else {
            self.fail("a packet came that is not SCTP's; ns-2 reads outside its memory", net);
            return;
        };
        self.reply = self.destination_at(source);
        self.receiver.start_of_packet = true;
        let mut answer = Outgoing::default();
        for chunk in &chunks.all {
            self.take_chunk(chunk, &mut answer, net);
        }
        if answer.bytes > 0 {
            self.reply(answer, net);
        }
        if self.receiver.sack_needed {
            self.send_sack(net);
            self.receiver.sack_needed = false;
        }
        if self.forward_tsn_needed {
            self.send_forward_tsn(net);
            self.forward_tsn_needed = false;
        }
        let may_send = !self.marked_pending || self.extensions.is_multipath;
        if self.send_new_data && may_send && !self.destinations.is_empty() {
            self.send_much(net);
            self.send_new_data = false;
        }
    }

    fn take_chunk(&mut self, chunk: &Chunk, answer: &mut Outgoing, net: &mut Network) {
        match self.state {
            State::Uninitialized => {}
            State::Closed => self.take_while_closed(chunk, answer, net),
            State::CookieWait => self.take_in_cookie_wait(chunk, answer, net),
            State::CookieEchoed => self.take_in_cookie_echoed(net),
            State::Established => self.take_while_established(chunk, answer, net),
        }
    }

    fn take_while_established(&mut self, chunk: &Chunk, answer: &mut Outgoing, net: &mut Network) {
        match chunk {
            Chunk::Data(data) => {
                self.plan_sack(data.tsn, net);
                self.take_data(*data, net);
                // A gap is reported at once (RFC 4960, section 6.7).
                let may_wait = self.extensions.is_multipath && self.cmt.set.use_cmt_del_ack != 0;
                if !self.receiver.blocks.is_empty() && !may_wait {
                    self.sack_at_once(net);
                }
            }
            Chunk::Sack(sack) | Chunk::NonRenegableSack(sack) => {
                self.take_sack(sack, matches!(chunk, Chunk::NonRenegableSack(_)), net);
                if self.advanced_peer_ack_point > self.cum_ack_point {
                    self.forward_tsn_needed = true;
                }
                self.send_new_data = true;
            }
            Chunk::ForwardTsn(cumulative) => self.take_forward_tsn(*cumulative, net),
            Chunk::Heartbeat(heartbeat) => answer.push(Chunk::HeartbeatAck(*heartbeat)),
            Chunk::HeartbeatAck(heartbeat) => self.take_heartbeat_ack(*heartbeat, net),
            // The peer may not have received COOKIE ACK.
            Chunk::CookieEcho => answer.push(Chunk::CookieAck),
            Chunk::Init(_) => self.print_unexpected("SCTP unexpected INIT", &[], net),
            Chunk::InitAck(_) => self.print_unexpected("SCTP unexpected INIT ACK", &[], net),
            Chunk::CookieAck => self.print_unexpected("SCTP unexpected COOKIE ACK", &[], net),
            Chunk::Timestamp(timestamp) if self.extensions.has_timestamps => self.take_timestamp(*timestamp),
            Chunk::Timestamp(_) => self.print_unexpected("SCTP unexpected chunk", &[16.0], net),
        }
    }

    /// The first of the timestamps since the last SACK is echoed.
    fn take_timestamp(&mut self, timestamp: Timestamp) {
        if self.echo_to_send.is_none() {
            self.echo_to_send = timestamp.sent_s;
        }
        if let Some(echo_s) = timestamp.echo_s {
            self.echo_received = echo_s;
        }
    }

    fn print_unexpected(&self, what: &'static str, fields: &[f64], net: &mut Network) {
        if let Some(place) = self.traced.stdout {
            net.observer.happening(place, net.now(), what, fields);
        }
    }
}
