//! Two sockets, back to back over a wire in virtual time; and a socket that is fed by hand.

use super::clock::{Duration, Instant};
use super::config::Config;
use super::segment::{EcnCodepoint, SackBlock, Segment, Timestamps, flag};
use super::seq::SeqNum;
use super::{Event, SendFlags, Socket, SocketError, SocketOption, TcpState};

const MS: u64 = 1_000_000;

/// Point in time, ms.
fn at(ms: u64) -> Instant {
    Instant(ms * MS)
}

/// Whether a segment is lost: the side that sends it, its number on this side, and the segment.
type Loss = fn(usize, usize, &Segment) -> bool;

/// Two sockets and the segments between them.
struct Wire {
    now: Instant,
    ends: [Socket; 2],
    delay: Duration,
    /// Segments under way: arrival, receiver, segment.
    flying: Vec<(Instant, usize, Segment)>,
    sent: [usize; 2],
    loss: Loss,
    /// Bytes that each application still has to send, and has read.
    to_send: [u64; 2],
    read: [u64; 2],
    events: [Vec<Event>; 2],
    /// The applications read.
    reads: bool,
    log: Vec<(u64, usize, Segment)>,
}

impl Wire {
    fn new(config: &Config, loss: Loss) -> Wire {
        let make = |iss| Socket::new(config.clone(), SeqNum(iss), iss);
        Wire {
            now: Instant(0),
            ends: [make(1_000), make(u32::MAX - 5_000)],
            delay: Duration::from_millis(10),
            flying: Vec::new(),
            sent: [0, 0],
            loss,
            to_send: [0, 0],
            read: [0, 0],
            events: [Vec::new(), Vec::new()],
            reads: true,
            log: Vec::new(),
        }
    }

    /// A connection from the first socket to the second.
    fn connected(config: &Config, loss: Loss) -> Wire {
        let mut wire = Wire::new(config, loss);
        wire.ends[1].listen().unwrap();
        wire.ends[0].connect(wire.now).unwrap();
        wire.run_until(at(30_000), |wire| wire.states() == [TcpState::Established; 2]);
        wire
    }

    fn states(&self) -> [TcpState; 2] {
        [self.ends[0].state(), self.ends[1].state()]
    }

    /// What the applications do, and what the sockets send.
    fn settle(&mut self) {
        for side in 0..2 {
            while let Some(event) = self.ends[side].poll_event() {
                self.events[side].push(event);
            }
            if self.reads {
                while let Ok(bytes @ 1..) = self.ends[side].receive(self.now, u64::MAX) {
                    self.read[side] += bytes;
                }
            }
            if self.to_send[side] > 0
                && let Ok(bytes) = self.ends[side].send(self.now, self.to_send[side], SendFlags::default())
            {
                self.to_send[side] -= bytes;
            }
            while let Some(segment) = self.ends[side].poll_transmit() {
                self.sent[side] += 1;
                self.log.push((self.now.as_millis(), side, segment));
                if !(self.loss)(side, self.sent[side], &segment) {
                    self.flying.push((self.now + self.delay, 1 - side, segment));
                }
            }
        }
    }

    /// Runs until `is_done`, or panics after `limit`.
    fn run_until(&mut self, limit: Instant, is_done: impl Fn(&Wire) -> bool) {
        self.settle();
        while !is_done(self) {
            let arrival = self.flying.iter().map(|flight| flight.0).min();
            let timers = self.ends.iter().filter_map(Socket::next_timeout);
            let Some(next) = timers.chain(arrival).min().filter(|&next| next <= limit) else {
                panic!("nothing more happens at {:?}: {:?}, {:?}", self.now, self.states(), self.log.last());
            };
            self.now = self.now.max(next);
            if let Some(index) = self.flying.iter().position(|flight| flight.0 <= self.now) {
                let (_, side, segment) = self.flying.remove(index);
                self.ends[side].on_segment(self.now, &segment);
            }
            for end in &mut self.ends {
                end.on_timeout(self.now);
            }
            self.settle();
        }
    }
}

fn no_loss(_: usize, _: usize, _: &Segment) -> bool {
    false
}

// RFC 9293, 3.5, figure 6; what Linux offers: MSS 1460, SACK, timestamps, scale 10.
#[test]
fn a_handshake_negotiates_what_linux_offers() {
    let wire = Wire::connected(&Config::default(), no_loss);
    assert_eq!(wire.now, at(30));
    let [syn, synack, ack] = [&wire.log[0].2, &wire.log[1].2, &wire.log[2].2];
    assert_eq!((syn.flags, syn.window), (flag::SYN, 64_240));
    assert_eq!((syn.options.mss, syn.options.window_scale), (Some(1460), Some(10)));
    assert_eq!((synack.flags, synack.window, synack.ack), (flag::SYN | flag::ACK, 65_160, SeqNum(1_001)));
    assert!(syn.options.sack_permitted && synack.options.sack_permitted);
    assert_eq!(synack.options.timestamps, Some(Timestamps { val: (u32::MAX - 5_000).wrapping_add(10), ecr: 1_000 }));
    // 64240 with a scale of 10: 62.7, rounded up.
    assert_eq!((ack.flags, ack.window), (flag::ACK, 63));
    assert_eq!(wire.events[0], [Event::Connected]);
    assert_eq!(wire.events[1], [Event::Connected]);
}

// A lost SYN-ACK is sent again after 1 s (`TCP_TIMEOUT_INIT`) unless the SYN comes again before.
#[test]
fn a_lost_synack_is_sent_again() {
    let wire = Wire::connected(&Config::default(), |side, count, _| side == 1 && count == 1);
    let synacks = wire.log.iter().filter(|(_, _, segment)| segment.has(flag::SYN | flag::ACK)).count();
    assert_eq!(synacks, 2);
}

// `tcp_synack_retries` = 5: 1 + 2 + 4 + 8 + 16 + 32 s later the request is dropped, and the socket listens again.
#[test]
fn a_request_without_an_answer_is_dropped() {
    let mut socket = Socket::new(Config::default(), SeqNum(7), 0);
    socket.listen().unwrap();
    socket.on_segment(at(0), &Segment { seq: SeqNum(1), flags: flag::SYN, window: 1000, ..Segment::default() });
    let mut times = vec![];
    while socket.state() == TcpState::SynReceived {
        while socket.poll_transmit().is_some() {
            times.push(socket.next_timeout().unwrap().as_millis() / 1000);
        }
        socket.on_timeout(socket.next_timeout().unwrap());
    }
    assert_eq!(times, [1, 3, 7, 15, 31, 63]);
    assert_eq!(socket.state(), TcpState::Listen);
}

// RFC 9293, 3.5, figure 7.
#[test]
fn both_sides_may_open_at_once() {
    let mut wire = Wire::new(&Config::default(), no_loss);
    wire.ends[0].connect(at(0)).unwrap();
    wire.ends[1].connect(at(0)).unwrap();
    wire.run_until(at(30_000), |wire| wire.states() == [TcpState::Established; 2]);
    wire.to_send = [5_000, 7_000];
    wire.run_until(at(60_000), |wire| wire.read == [7_000, 5_000]);
}

#[test]
fn data_flows_in_both_directions_and_both_sides_close() {
    let mut wire = Wire::connected(&Config::default(), no_loss);
    wire.to_send = [1_000_000, 300_000];
    wire.run_until(at(60_000), |wire| wire.read == [300_000, 1_000_000]);
    wire.ends[0].close(wire.now);
    wire.run_until(at(90_000), |wire| wire.states() == [TcpState::FinWait2, TcpState::CloseWait]);
    wire.ends[1].close(wire.now);
    wire.run_until(at(90_000), |wire| wire.states() == [TcpState::TimeWait, TcpState::Closed]);
    wire.run_until(at(190_000), |wire| wire.states() == [TcpState::Closed; 2]);
    assert_eq!(wire.events[0].last(), Some(&Event::Closed));
    assert_eq!(wire.events[1].last(), Some(&Event::Closed));
}

// RFC 9293, 3.6, figure 13.
#[test]
fn both_sides_may_close_at_once() {
    let mut wire = Wire::connected(&Config::default(), no_loss);
    let now = wire.now;
    wire.ends[0].close(now);
    wire.ends[1].close(now);
    wire.run_until(at(60_000), |wire| wire.states() == [TcpState::Closing; 2]);
    wire.run_until(at(60_000), |wire| wire.states() == [TcpState::TimeWait; 2]);
    wire.run_until(at(190_000), |wire| wire.states() == [TcpState::Closed; 2]);
}

// RFC 2525, 2.17: data that was not read is lost, so the connection is reset.
#[test]
fn close_with_unread_data_resets() {
    let mut wire = Wire::connected(&Config::default(), no_loss);
    wire.reads = false;
    wire.to_send = [1_000, 0];
    wire.run_until(at(60_000), |wire| wire.ends[1].readable() == 1_000);
    wire.ends[1].close(wire.now);
    wire.run_until(at(60_000), |wire| wire.states() == [TcpState::Closed; 2]);
    assert_eq!(wire.events[0].last(), Some(&Event::Failed(SocketError::ConnectionReset)));
}

/// A server's connection after the handshake, whose peer is played by hand: its next byte is 1, our first is 101.
fn server(config: &Config) -> Socket {
    let mut socket = Socket::new(config.clone(), SeqNum(100), 0);
    socket.listen().unwrap();
    let mut syn = Segment { seq: SeqNum(0), flags: flag::SYN, window: 65_535, ..Segment::default() };
    syn.options.mss = Some(1000);
    syn.options.sack_permitted = true;
    socket.on_segment(at(0), &syn);
    socket.on_segment(at(100), &data(1, 0));
    while socket.poll_transmit().is_some() {}
    while socket.poll_event().is_some() {}
    socket
}

/// A segment of the peer with `payload` bytes from `seq`.
fn data(seq: u32, payload: u32) -> Segment {
    let flags = flag::ACK | if payload > 0 { flag::PSH } else { 0 };
    Segment { seq: SeqNum(seq), ack: SeqNum(101), flags, window: 65_535, payload, ..Segment::default() }
}

/// ACK numbers of all that is to be sent.
fn acks(socket: &mut Socket) -> Vec<u32> {
    std::iter::from_fn(|| socket.poll_transmit()).map(|segment| segment.ack.0).collect()
}

// Linux: the first 16 segments (or window / 2 rcv_mss) are acknowledged at once; then every second full segment, and a
// single one after 40 ms (`TCP_ATO_MIN`).
#[test]
fn acks_are_quick_at_first_and_delayed_then() {
    let mut socket = server(&Config::default());
    let mut seq = 1;
    let mut count = 0;
    let unpushed = |seq| Segment { flags: flag::ACK, ..data(seq, 1000) };
    for round in 0..100 {
        socket.on_segment(at(200 + round), &unpushed(seq));
        seq += 1000;
        let _ = socket.receive(at(200 + round), u64::MAX);
        if acks(&mut socket).is_empty() {
            break;
        }
        count += 1;
    }
    assert!(count >= 16, "{count}");
    let timer = socket.next_timeout().unwrap();
    assert!(timer <= at(200 + count + 40) && timer > at(200 + count), "{timer:?}");
    socket.on_segment(at(200 + count + 1), &unpushed(seq));
    let _ = socket.receive(at(200 + count + 1), u64::MAX);
    assert_eq!(acks(&mut socket), [seq + 1000]);
}

// RFC 8257, 3.2: a change of CE is acknowledged immediately; a delayed ACK before it covers the packets without the
// change alone (`dctcp_ece_ack_update`, `prior_rcv_nxt`). Segments of 1000 bytes; the first 16 ACKs are quick.
#[test]
fn dctcp_acknowledges_a_change_of_marks_apart() {
    let config = Config { congestion_control: "dctcp".to_owned(), max_quickacks: 0, ..Config::default() };
    let mut socket = server(&config);
    socket.ecn.mode = super::ecn_feedback::EcnFeedback::Rfc3168;
    let mut send = |number: u32, ecn| {
        let segment = Segment { flags: flag::ACK, ecn, ..data(1 + 1000 * number, 1000) };
        socket.on_segment(at(200 + u64::from(number)), &segment);
        let _ = socket.receive(at(200 + u64::from(number)), u64::MAX);
        let sent = std::iter::from_fn(|| socket.poll_transmit());
        sent.map(|segment| (segment.ack.0, segment.has(flag::ECE))).collect::<Vec<_>>()
    };
    for number in 0..4 {
        let _ = send(number, EcnCodepoint::Ect0);
    }
    assert_eq!(send(4, EcnCodepoint::Ect0), []);
    assert_eq!(send(5, EcnCodepoint::Ce), [(5001, false), (6001, true)]);
    assert_eq!(send(6, EcnCodepoint::Ect0), [(7001, false)]);
}

// RFC 5681, 4.2: data after a gap is acknowledged at once, and the segment that fills it too.
#[test]
fn gaps_are_reported_at_once() {
    let mut socket = server(&Config::default());
    socket.on_segment(at(200), &data(1001, 1000));
    let ack = socket.poll_transmit().unwrap();
    let block = ack.options.sack_blocks()[0];
    assert_eq!((ack.ack, block.start, block.end), (SeqNum(1), SeqNum(1001), SeqNum(2001)));
    socket.on_segment(at(201), &data(1001, 1000));
    let dsack = socket.poll_transmit().unwrap();
    assert_eq!(dsack.options.sack_blocks().len(), 2, "RFC 2883, 4: the duplicate first, then the block that has it");
    socket.on_segment(at(202), &data(1, 1000));
    assert_eq!(acks(&mut socket), [2001]);
    assert_eq!(socket.readable(), 2000);
}

// RFC 5961, 3.2: a RST resets only with the exact sequence number; in the window it gets a challenge ACK, twice a second
// at most (`tcp_invalid_ratelimit`).
#[test]
fn an_inexact_reset_is_challenged() {
    let mut socket = server(&Config::default());
    let rst = |seq| Segment { flags: flag::RST, ..data(seq, 0) };
    socket.on_segment(at(1000), &rst(500));
    socket.on_segment(at(1100), &rst(500));
    assert_eq!(acks(&mut socket), [1]);
    socket.on_segment(at(1600), &rst(500));
    assert_eq!(acks(&mut socket), [1]);
    socket.on_segment(at(1700), &rst(100_000_000));
    assert_eq!(acks(&mut socket), [], "beyond the window: no answer");
    socket.on_segment(at(1800), &rst(1));
    assert_eq!(socket.state(), TcpState::Closed);
    assert_eq!(socket.poll_event(), Some(Event::Failed(SocketError::ConnectionReset)));
    assert_eq!(socket.receive(at(1900), 1), Err(SocketError::ConnectionReset));
}

// RFC 1122, 4.2.3.6: 75 s apart, 9 probes, after 2 hours; each is one byte below what was acknowledged.
#[test]
fn keepalive_gives_up_after_its_probes() {
    let mut socket = server(&Config::default());
    socket.set_option(at(100), SocketOption::KeepAlive(true)).unwrap();
    let mut probes = vec![];
    while socket.state() == TcpState::Established {
        let now = socket.next_timeout().unwrap();
        socket.on_timeout(now);
        while let Some(segment) = socket.poll_transmit() {
            probes.push((now.as_millis() / 1000, segment));
        }
    }
    let reset = probes.pop().unwrap();
    assert!(reset.1.has(flag::RST) && reset.0 == 7200 + 9 * 75, "{reset:?}");
    assert!(probes.iter().all(|(_, segment)| segment.seq == SeqNum(100) && segment.flags == flag::ACK));
    assert_eq!((probes.len(), probes[0].0, probes[1].0), (9, 7200, 7275));
    assert_eq!(socket.poll_event(), Some(Event::Failed(SocketError::TimedOut)));
}

// Every seventh segment of each side is lost: all bytes arrive, in both directions, and both sides close.
#[test]
fn lost_segments_are_repaired() {
    let mut wire = Wire::connected(&Config::default(), |_, count, _| count % 7 == 6);
    wire.to_send = [500_000, 200_000];
    wire.run_until(at(3_000_000), |wire| wire.read == [200_000, 500_000]);
    wire.ends[0].close(wire.now);
    wire.ends[1].close(wire.now);
    let is_over = |state| matches!(state, TcpState::TimeWait | TcpState::Closed);
    wire.run_until(at(4_000_000), |wire| wire.states().into_iter().all(is_over));
}

// RFC 9293, 3.8.6.1: a closed window is probed, and the transfer goes on when the application reads.
#[test]
fn a_closed_window_is_probed() {
    let mut wire = Wire::connected(&Config::default(), no_loss);
    wire.reads = false;
    wire.to_send = [1_000_000, 0];
    wire.run_until(at(60_000), |wire| wire.log.last().is_some_and(|(_, side, last)| *side == 1 && last.window == 0));
    let sent = wire.sent[0];
    wire.run_until(at(60_000), |wire| wire.sent[0] > sent + 1);
    wire.reads = true;
    wire.run_until(at(200_000), |wire| wire.read[1] == 1_000_000);
}

// Whatever arrives, nothing panics, and the counters hold.
#[test]
fn garbage_never_panics() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |limit: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32 % limit
    };
    for _ in 0..200 {
        let mut socket = server(&Config::default());
        let mut now = 1_000;
        for _ in 0..200 {
            now += u64::from(next(100));
            let near = |next: &mut dyn FnMut(u32) -> u32, base: u32| match next(4) {
                0 => base,
                1 => base.wrapping_add(next(5_000)),
                2 => base.wrapping_sub(next(5_000)),
                _ => next(u32::MAX),
            };
            let seq = near(&mut next, socket.rcv.rcv_nxt.0);
            let ack = near(&mut next, socket.snd.snd_nxt.0);
            let flags = if next(3) == 0 { next(512) as u16 } else { flag::ACK };
            let flags = if next(20) > 0 { flags & !(flag::RST | flag::SYN | flag::FIN) } else { flags };
            let mut segment = Segment { seq: SeqNum(seq), ack: SeqNum(ack), flags, ..Segment::default() };
            segment.window = next(65_536) as u16;
            segment.payload = if next(2) == 0 { next(3_000) } else { 0 };
            for _ in 0..next(5) {
                let start = SeqNum(near(&mut next, socket.snd.snd_una.0));
                segment.options.push_sack(SackBlock { start, end: start.add(next(4_000)) });
            }
            socket.on_segment(at(now), &segment);
            let _ = socket.send(at(now), u64::from(next(4_000)), SendFlags::default());
            let _ = socket.receive(at(now), u64::from(next(4_000)));
            if socket.next_timeout().is_some_and(|time| time <= at(now)) {
                socket.on_timeout(at(now));
            }
            while socket.poll_transmit().is_some() {}
            assert!(socket.rcv.readable() <= 1 << 26, "the queue is bounded by the buffer");
        }
    }
}
