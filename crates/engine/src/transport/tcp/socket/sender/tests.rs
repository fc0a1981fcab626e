//! Transfers over a lossy bottleneck in virtual time: everything arrives, and the counters of packets always agree with the
//! scoreboard.

use std::collections::VecDeque;

use super::super::clock::{Duration, Instant};
use super::super::config::Config;
use super::super::segment::Segment;
use super::super::seq::SeqNum;
use super::super::{SendFlags, Socket, TcpState};
use super::CaState;
use super::skb::tag;

/// A sender, a receiver, and a bottleneck with a drop-tail queue between them.
struct Transfer {
    now: Instant,
    sender: Socket,
    receiver: Socket,
    /// Segments and ACKs under way, by arrival.
    data: VecDeque<(Instant, Segment)>,
    acks: VecDeque<(Instant, Segment)>,
    /// When the bottleneck is idle again.
    idle_at: Instant,
    random: u64,
    /// One in so many segments is lost, and one in so many is late.
    loss: u64,
    late: u64,
    left: u64,
    read: u64,
    was: [bool; 5],
}

const DELAY: Duration = Duration::from_millis(20);
/// Time of a packet at the bottleneck, and the queue's length in packets.
const SERVICE: Duration = Duration::from_micros(500);
const QUEUE: u64 = 60;

impl Transfer {
    fn new(config: &Config, bytes: u64, loss: u64, late: u64) -> Transfer {
        let make = |iss| Socket::new(config.clone(), SeqNum(iss), 7);
        let mut transfer = Transfer {
            now: Instant(1_000_000),
            sender: make(u32::MAX - 100_000), // the numbers wrap on the way
            receiver: make(5),
            data: VecDeque::new(),
            acks: VecDeque::new(),
            idle_at: Instant(0),
            random: 42,
            loss: u64::MAX,
            late: u64::MAX,
            left: bytes,
            read: 0,
            was: [false; 5],
        };
        transfer.receiver.listen().unwrap();
        transfer.sender.connect(transfer.now).unwrap();
        while transfer.sender.state() != TcpState::Established {
            transfer.step();
        }
        (transfer.loss, transfer.late) = (loss, late);
        transfer
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33).is_multiple_of(count)
    }

    fn collect(&mut self) {
        if self.left > 0
            && let Ok(bytes) = self.sender.send(self.now, self.left, SendFlags::default())
        {
            self.left -= bytes;
        }
        while let Ok(bytes @ 1..) = self.receiver.receive(self.now, u64::MAX) {
            self.read += bytes;
        }
        while let Some(segment) = self.sender.poll_transmit() {
            let is_full = self.idle_at.since(self.now).0 > QUEUE * SERVICE.0;
            if is_full || self.one_in(self.loss) {
                continue;
            }
            let service = Duration(SERVICE.0 * u64::from(segment.packets()));
            self.idle_at = self.idle_at.max(self.now) + service;
            let extra = if self.one_in(self.late) { Duration::from_millis(3) } else { Duration::ZERO };
            let arrival = self.idle_at + DELAY + extra;
            let place = self.data.partition_point(|&(at, _)| at <= arrival);
            self.data.insert(place, (arrival, segment));
        }
        while let Some(ack) = self.receiver.poll_transmit() {
            self.acks.push_back((self.now + DELAY, ack));
        }
    }

    fn step(&mut self) {
        self.collect();
        let arrivals = [self.data.front().map(|&(at, _)| at), self.acks.front().map(|&(at, _)| at)];
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
        let next = arrivals.into_iter().chain(timers).flatten().min().expect("something happens");
        self.now = self.now.max(next);
        if self.data.front().is_some_and(|&(at, _)| at <= self.now) {
            let (_, segment) = self.data.pop_front().unwrap();
            self.receiver.on_segment(self.now, &segment);
        } else if self.acks.front().is_some_and(|&(at, _)| at <= self.now) {
            let (_, segment) = self.acks.pop_front().unwrap();
            self.sender.on_segment(self.now, &segment);
        }
        self.sender.on_timeout(self.now);
        self.receiver.on_timeout(self.now);
        self.was[self.sender.snd.ca_state as usize] = true;
    }

    /// The counters are those of the scoreboard.
    fn check(&self) {
        let snd = &self.sender.snd;
        let count = |tags: u8| -> u32 {
            (0..snd.rtx_queue.len())
                .map(|index| snd.rtx_queue[index])
                .filter(|skb| skb.has(tags))
                .map(|skb| skb.pcount)
                .sum()
        };
        let all: u32 = (0..snd.rtx_queue.len()).map(|index| snd.rtx_queue[index].pcount).sum();
        assert_eq!(snd.packets_out, all);
        assert_eq!((snd.lost_out, snd.retrans_out), (count(tag::LOST), count(tag::SACKED_RETRANS)));
        assert!(!snd.sack_ok || snd.sacked_out == count(tag::SACKED_ACKED));
        assert!(snd.sacked_out + snd.lost_out <= snd.packets_out);
        let mut end = snd.snd_una;
        for index in 0..snd.rtx_queue.len() {
            let skb = snd.rtx_queue[index];
            assert!(skb.seq == end || index == 0, "a gap before {:?}", skb.seq);
            end = skb.end_seq;
        }
        assert!(snd.rtx_queue.is_empty() || end == snd.snd_nxt);
    }

    fn finish(&mut self, bytes: u64) {
        while self.read < bytes {
            self.step();
            self.check();
        }
        while !self.sender.all_acked() {
            self.step();
        }
        let snd = &self.sender.snd;
        assert_eq!((snd.packets_out, snd.sacked_out, snd.lost_out, snd.retrans_out), (0, 0, 0, 0));
        assert_eq!(snd.wmem_queued, 0);
    }
}

fn config(control: &str, gso_max_segs: u32) -> Config {
    Config {
        congestion_control: control.to_owned(),
        gso_max_segs,
        wmem: [4096, 4_000_000, 4_000_000],
        ..Config::default()
    }
}

#[test]
fn everything_arrives_whatever_is_lost() {
    const BYTES: u64 = 3_000_000;
    for control in ["reno", "cubic", "linux_cubic", "bbr", "bbr3", "dctcp", "prague", "copa", "ledbat"] {
        for (sack, timestamps, segments) in [(true, true, 1), (true, false, 44), (false, false, 1), (false, true, 8)] {
            let config = Config { sack, timestamps, ..config(control, segments) };
            let mut transfer = Transfer::new(&config, BYTES, 60, 40);
            transfer.finish(BYTES);
            assert!(transfer.was[CaState::Recovery as usize], "{control}");
        }
    }
}

#[test]
fn a_bulk_transfer_fills_the_bottleneck() {
    // 20,000 packets of 0.5 ms are 10 s; the queue's drops cost little.
    const BYTES: u64 = 20_000 * 1448;
    for control in ["reno", "linux_cubic"] {
        let mut transfer = Transfer::new(&config(control, 1), BYTES, u64::MAX, u64::MAX);
        transfer.finish(BYTES);
        let took_s = transfer.now.as_secs_f64();
        assert!((10.0..10.8).contains(&took_s), "{control} took {took_s} s");
    }
}
