//! Packets that the agent sends: their headers, new data, SACKs.

use super::association::{Message, Sctp, State};
use super::destination::Status;
use crate::net::Network;
use crate::packet::PacketKind;
use crate::packet::sctp::{Chunk, Chunks, DATA_HEADER, Data, Timestamp, padded};

/// A packet that is being filled.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    /// Its chunks.
    pub chunks: Chunks,
    /// Bytes of its chunks.
    pub bytes: u32,
}

impl Outgoing {
    /// A packet with a chunk.
    pub fn with(chunk: Chunk) -> Outgoing {
        let mut packet = Outgoing::default();
        packet.push(chunk);
        packet
    }

    /// Appends a chunk.
    pub fn push(&mut self, chunk: Chunk) {
        self.bytes += chunk.bytes();
        self.chunks.all.push(chunk);
    }
}

impl Sctp {
    /// Sends a packet to a destination, from the interface that leads to it.
    pub fn send_packet(&mut self, outgoing: Outgoing, destination: usize, net: &mut Network) {
        if destination >= self.destinations.len() {
            self.fail("it was not connected to its peer; ns-2 ends here", net);
            return;
        }
        self.set_source(destination, net);
        self.end.peer = self.destinations[destination].address;
        let packet = self.end.make_packet(net);
        net.packets[packet].size = (outgoing.bytes + self.set.headers()) as i32;
        net.packets.set_chunks(packet, outgoing.chunks);
        let lifetime_s = self.set.route_cache_lifetime;
        let target = &mut self.destinations[destination];
        if self.set.route_calc_delay == 0.0 {
            self.end.send(net, packet);
        } else if target.is_route_known {
            net.set_timer(target.timers.route_flush, lifetime_s);
            self.end.send(net, packet);
        } else {
            target.waiting.push(packet);
            if !net.timer_runs(target.timers.route_calc) {
                net.set_timer(target.timers.route_calc, self.set.route_calc_delay);
            }
        }
    }

    /// Puts the extensions' chunks in front of others.
    pub fn bundle(&mut self, packet: &mut Outgoing, net: &Network) {
        if !self.extensions.has_timestamps {
            return;
        }
        let sends_data =
            (self.send_new_data || self.marked_pending) && !self.receiver.sack_needed && !self.forward_tsn_needed;
        let sent_s = sends_data.then(|| net.now().secs() as f32);
        let echo_s = self.echo_to_send.take();
        // Without either, ns-2 leaves the type 0, which is that of DATA.
        packet.push(match (sent_s, echo_s) {
            (None, None) => Chunk::Data(Data { length: 12, ..Data::default() }),
            _ => Chunk::Timestamp(Timestamp { sent_s, echo_s }),
        });
        packet.chunks.untraced = 1;
    }

    /// Sends SACK.
    pub fn send_sack(&mut self, net: &mut Network) {
        let mut packet = Outgoing::default();
        self.bundle(&mut packet, net);
        packet.push(self.make_sack());
        self.reply(packet, net);
    }

    /// Sends a packet to the address that the last one came from.
    pub fn reply(&mut self, packet: Outgoing, net: &mut Network) {
        match self.reply {
            Some(destination) => self.send_packet(packet, destination, net),
            None => self.fail("a packet came from an address that is none of its peer's; ns-2 ends here", net),
        }
    }

    /// Sends FORWARD TSN.
    pub fn send_forward_tsn(&mut self, net: &mut Network) {
        let mut packet = Outgoing::default();
        self.bundle(&mut packet, net);
        packet.push(Chunk::ForwardTsn(self.advanced_peer_ack_point));
        self.send_packet(packet, self.new_tx, net);
    }

    /// Size of the next DATA chunk, with padding; 0 if there is no data.
    fn next_chunk_size(&self) -> u32 {
        match self.messages.front() {
            _ if self.is_endless => padded(self.set.data_chunk_size as u32),
            Some(message) => padded(message.bytes + DATA_HEADER),
            None => 0,
        }
    }

    fn has_data(&self) -> bool {
        self.is_endless || !self.messages.is_empty()
    }

    /// The next DATA chunk, which is then outstanding.
    fn make_data(&mut self, net: &mut Network) -> Option<Chunk> {
        let (message, length) = if self.is_endless {
            let stream = self.next_stream % (self.set.num_out_streams as u16).max(1);
            self.next_stream = self.next_stream.wrapping_add(1);
            let length = self.set.data_chunk_size as u32;
            let bytes = length.saturating_sub(DATA_HEADER);
            (Message { stream, reliability: 0, is_unordered: self.set.unordered == 1, bytes }, length)
        } else {
            let message = self.messages.pop_front()?;
            (message, message.bytes + DATA_HEADER)
        };
        let reliability = if self.is_endless { self.set.reliability } else { i32::from(message.reliability) };
        let Some(stream) = self.out_streams.get_mut(usize::from(message.stream)) else {
            self.fail("data is for a stream that there was not at the reset; ns-2 writes outside its memory", net);
            return None;
        };
        let ssn = if message.is_unordered { 0 } else { stream.next_ssn };
        if !message.is_unordered {
            stream.next_ssn = stream.next_ssn.wrapping_add(1);
        }
        self.next_tsn += 1;
        let data = Data {
            tsn: self.next_tsn,
            stream: message.stream,
            ssn,
            length: length as u16,
            is_unordered: message.is_unordered,
        };
        self.keep(data, reliability, net);
        let size = padded(length);
        self.destinations[self.new_tx].outstanding += i32::from(data.length);
        self.peer_rwnd = less_signed(self.peer_rwnd, size);
        if !self.destinations[self.new_tx].t3_runs {
            self.start_t3(self.new_tx, net);
        }
        if self.set.initial_swnd != 0 {
            self.avail_swnd = less_signed(self.avail_swnd, size);
        }
        Some(Chunk::Data(data))
    }

    /// Fills a packet with new data.
    fn fill_with_data(&mut self, packet: &mut Outgoing, net: &mut Network) {
        let mut bytes = 0;
        while self.has_data() {
            let size = self.next_chunk_size();
            if bytes + size > self.max_data || size > self.peer_rwnd {
                break;
            }
            let Some(chunk) = self.make_data(net) else { return };
            packet.push(chunk);
            bytes += size;
        }
    }

    /// Sends new data until the congestion window or the peer's window is full (RFC 4960, section 6.1).
    pub fn send_much(&mut self, net: &mut Network) {
        if self.extensions.is_multipath {
            self.send_to_all(net);
        } else {
            self.send_to_new_tx(net);
        }
        self.burst_length = 0;
    }

    /// Sends new data to the present destination; whether anything was sent.
    pub fn send_to_new_tx(&mut self, net: &mut Network) -> bool {
        let mut has_sent = false;
        while self.has_data() && self.destinations[self.new_tx].outstanding < self.destinations[self.new_tx].cwnd {
            let size = self.next_chunk_size();
            let mut packet = Outgoing::default();
            if size <= self.peer_rwnd {
                if self.new_data_exceeds_burst() || (self.set.initial_swnd != 0 && size > self.avail_swnd) {
                    break;
                }
                self.bundle(&mut packet, net);
                self.fill_with_data(&mut packet, net);
            } else if self.total_outstanding() == 0 {
                // A probe of the closed window.
                self.bundle(&mut packet, net);
                let Some(chunk) = self.make_data(net) else { break };
                packet.push(chunk);
            } else {
                break;
            }
            if packet.chunks.all.len() == packet.chunks.untraced {
                self.fail("a chunk is larger than a packet may be; ns-2 goes on without end", net);
                break;
            }
            self.send_packet(packet, self.new_tx, net);
            has_sent = true;
        }
        if has_sent {
            let now = net.now().secs();
            let destination = &mut self.destinations[self.new_tx];
            net.set_timer(destination.timers.degrade, destination.rto);
            if self.set.heartbeat_interval != 0 {
                destination.idle_since = now;
            }
        }
        has_sent
    }

    /// Starts an agent that was never started; whether its parameters allow that.
    fn is_ready(&mut self, net: &mut Network) -> bool {
        if self.state == State::Uninitialized {
            self.start_over(net);
        }
        self.state != State::Uninitialized
    }

    /// The application has a message, or data without end. The first one opens the association.
    pub fn send_message(&mut self, bytes: Option<i64>, net: &mut Network) {
        if !self.is_ready(net) {
            return;
        }
        self.is_endless = bytes.is_none();
        if let Some(bytes) = bytes {
            self.cut_message(bytes, net);
        }
        self.send_message_now(net);
    }

    /// An application that does not know SCTP uses one stream; its messages are cut to packets.
    fn cut_message(&mut self, bytes: i64, net: &mut Network) {
        self.set.num_out_streams = 1;
        self.set.num_unrel_streams = i32::from(self.set.num_unrel_streams > 0);
        let most = i64::from(self.max_data - DATA_HEADER);
        if bytes <= 0 {
            self.fail("it was given a message without bytes; ns-2 reads outside its memory", net);
            return;
        }
        let mut left = bytes;
        while left > 0 {
            let part = left.min(most);
            self.messages.push_back(Message {
                stream: 0,
                reliability: self.set.reliability as u16,
                is_unordered: self.set.unordered == 1,
                bytes: part as u32,
            });
            left -= part;
        }
    }

    /// A message of an application that knows SCTP. The streams are those of the last reset.
    pub fn send_on_stream(&mut self, streams: [i32; 2], message: Message, net: &mut Network) {
        if !self.is_ready(net) {
            return;
        }
        self.is_endless = false;
        [self.set.num_out_streams, self.set.num_unrel_streams] = streams;
        if streams[1] > streams[0] {
            let reason = format!("number of unreliable streams ({}) > total ({})", streams[1], streams[0]);
            self.fail(&reason, net);
        } else if message.bytes > self.max_data - DATA_HEADER {
            let reason = format!("message size ({}) too big: chunks are not fragmented", message.bytes);
            self.fail(&reason, net);
        } else {
            self.messages.push_back(message);
            self.send_message_now(net);
        }
    }

    fn send_message_now(&mut self, net: &mut Network) {
        match self.state {
            State::Closed => {
                self.end.kind = PacketKind::Sctp;
                self.open(net);
            }
            State::Established if self.is_endless => {
                self.fail("data without end was asked for twice; ns-2 ends here", net);
            }
            State::Established if self.send_new_data && !self.marked_pending => {
                self.send_much(net);
                self.send_new_data = false;
            }
            _ => {}
        }
    }

    /// Whether destinations are not confirmed yet.
    pub fn has_unconfirmed(&self) -> bool {
        self.destinations.iter().any(|destination| destination.status == Status::Unconfirmed)
    }
}

/// What is left of a window, at least 0. As in ns-2, one of 2^31 bytes or more counts as negative.
fn less_signed(window: u32, size: u32) -> u32 {
    if size as i32 <= window as i32 { window - size } else { 0 }
}
