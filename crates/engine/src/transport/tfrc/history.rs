//! The packet history of a TFRC receiver: a ring of the last packets by sequence number.

/// The state of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// Neither received nor lost yet.
    #[default]
    Unknown,
    /// Received.
    Received,
    /// Lost; a loss event begins with it.
    BeginsEvent,
    /// Lost, in a loss event that began before.
    InEvent,
    /// Received with a mark; a loss event begins with it.
    MarkBeginsEvent,
    /// Received with a mark, in a loss event that began before.
    Marked,
}

impl Fate {
    /// Whether a loss event begins with the packet.
    pub fn begins_event(self) -> bool {
        matches!(self, Fate::BeginsEvent | Fate::MarkBeginsEvent)
    }
}

/// The ring of the last packets.
#[derive(Debug)]
pub struct History {
    fates: Vec<Fate>,
    arrived_s: Vec<f64>,
    sent_s: Vec<f64>,
    /// The highest sequence number received; -1 before the first.
    pub highest: i32,
}

impl History {
    /// Makes a history of `size` packets; `first` is the first packet received.
    pub fn new(size: usize, first: i32) -> History {
        History {
            fates: vec![Fate::Unknown; size],
            arrived_s: vec![-1.0; size],
            sent_s: vec![-1.0; size],
            highest: first - 1,
        }
    }

    /// Number of packets in the ring.
    pub fn size(&self) -> usize {
        self.fates.len()
    }

    fn slot(&self, seqno: i32) -> usize {
        seqno.rem_euclid(self.fates.len() as i32) as usize
    }

    /// The state of a packet.
    pub fn fate(&self, seqno: i32) -> Fate {
        self.fates[self.slot(seqno)]
    }

    /// Sets the state of a packet.
    pub fn set_fate(&mut self, seqno: i32, fate: Fate) {
        let slot = self.slot(seqno);
        self.fates[slot] = fate;
    }

    /// Send time of a packet, real or interpolated, s.
    pub fn sent_s(&self, seqno: i32) -> f64 {
        self.sent_s[self.slot(seqno)]
    }

    /// Sets the arrival time (or the time of loss detection) and the send time of a packet, s.
    pub fn set_times(&mut self, seqno: i32, arrived_s: f64, sent_s: f64) {
        let slot = self.slot(seqno);
        self.arrived_s[slot] = arrived_s;
        self.sent_s[slot] = sent_s;
    }

    /// Interpolated send time of a packet between two others, s.
    pub fn sent_between(&self, seqno: i32, before: i32, after: i32) -> f64 {
        let interval = (self.sent_s(after) - self.sent_s(before)) / f64::from(after - before);
        self.sent_s(before) + f64::from(seqno - before) * interval
    }

    /// Number of unmarked packets received within `duration_s` before the last arrival.
    pub fn received_within(&self, duration_s: f64) -> i32 {
        let last = self.arrived_s[self.slot(self.highest)];
        let mut count = 0;
        for seqno in (1..=self.highest).rev() {
            if self.fate(seqno) == Fate::Received {
                if self.arrived_s[self.slot(seqno)] + duration_s <= last {
                    break;
                }
                count += 1;
            }
        }
        count
    }

    /// Removes the start marks of all loss events.
    pub fn forget_events(&mut self) {
        for seqno in (0..=self.highest).rev() {
            if self.fate(seqno).begins_event() {
                self.set_fate(seqno, Fate::InEvent);
            }
        }
    }
}
