//! What a TFRC receiver remembers of packets: the last so many, by sequence number.

/// What became of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// Not known yet.
    #[default]
    Unknown,
    /// It came.
    Received,
    /// It is lost, and a loss event begins with it.
    BeginsEvent,
    /// It is lost, in a loss event that began before.
    InEvent,
    /// It came with a mark, and a loss event begins with it.
    MarkBeginsEvent,
    /// It came with a mark, in a loss event that began before.
    Marked,
}

impl Fate {
    /// Whether a loss event begins with the packet.
    pub fn begins_event(self) -> bool {
        matches!(self, Fate::BeginsEvent | Fate::MarkBeginsEvent)
    }
}

/// The last packets.
#[derive(Debug)]
pub struct History {
    fates: Vec<Fate>,
    arrived_s: Vec<f64>,
    sent_s: Vec<f64>,
    /// The highest sequence number that came; -1 before there is one.
    pub highest: i32,
}

impl History {
    /// One that remembers so many packets, of which the first to come is this.
    pub fn new(size: usize, first: i32) -> History {
        History {
            fates: vec![Fate::Unknown; size],
            arrived_s: vec![-1.0; size],
            sent_s: vec![-1.0; size],
            highest: first - 1,
        }
    }

    /// How many packets it remembers.
    pub fn size(&self) -> usize {
        self.fates.len()
    }

    fn slot(&self, seqno: i32) -> usize {
        seqno.rem_euclid(self.fates.len() as i32) as usize
    }

    /// What became of a packet.
    pub fn fate(&self, seqno: i32) -> Fate {
        self.fates[self.slot(seqno)]
    }

    /// That became of a packet.
    pub fn set_fate(&mut self, seqno: i32, fate: Fate) {
        let slot = self.slot(seqno);
        self.fates[slot] = fate;
    }

    /// When a packet was sent, or seems to have been, s.
    pub fn sent_s(&self, seqno: i32) -> f64 {
        self.sent_s[self.slot(seqno)]
    }

    /// When a packet came or was missed, and when it was sent, s.
    pub fn set_times(&mut self, seqno: i32, arrived_s: f64, sent_s: f64) {
        let slot = self.slot(seqno);
        self.arrived_s[slot] = arrived_s;
        self.sent_s[slot] = sent_s;
    }

    /// When a packet between two others was sent, if they were sent at equal intervals, s.
    pub fn sent_between(&self, seqno: i32, before: i32, after: i32) -> f64 {
        let interval = (self.sent_s(after) - self.sent_s(before)) / f64::from(after - before);
        self.sent_s(before) + f64::from(seqno - before) * interval
    }

    /// How many of the last packets in a row came, unmarked, within that time of the last.
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

    /// No loss event has begun so far.
    pub fn forget_events(&mut self) {
        for seqno in (0..=self.highest).rev() {
            if self.fate(seqno).begins_event() {
                self.set_fate(seqno, Fate::InEvent);
            }
        }
    }
}
