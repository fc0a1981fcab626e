//! A player's buffer, and what a viewer gets: the start-up delay, rebuffering, bitrates.

/// A segment that has arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Its number, from 0.
    pub number: u32,
    /// The bitrate that was chosen for it, bit/s.
    pub bitrate_bps: f64,
    /// Its size, bytes.
    pub bytes: i64,
    /// When it was requested, s.
    pub requested_s: f64,
    /// When its last byte arrived, s.
    pub arrived_s: f64,
    /// How much video was in the buffer when it was requested, s.
    pub buffer_s: f64,
}

/// A buffer of video that is played as soon as a segment is in it.
#[derive(Clone, Debug, Default)]
pub struct Playback {
    /// Seconds of video in a segment.
    segment_s: f64,
    /// Video in the buffer at `at_s`, s.
    level_s: f64,
    at_s: f64,
    /// When the viewer chose the video, s.
    began_s: f64,
    is_waiting: bool,
    is_over: bool,
    /// From then until playing began, s; `None` if it did not begin.
    pub startup_delay_s: Option<f64>,
    /// Video played, s.
    pub played_s: f64,
    /// Time in which the buffer was empty after playing had begun, s.
    pub rebuffering_s: f64,
    /// How often it became empty.
    pub rebufferings: u64,
    /// How many segments have another bitrate than the one before.
    pub switches: u64,
    /// All segments, in their order.
    pub segments: Vec<Segment>,
}

impl Playback {
    /// A viewer who chooses a video of such segments at `began_s`.
    pub fn new(segment_s: f64, began_s: f64) -> Playback {
        Playback { segment_s, began_s, at_s: began_s, ..Playback::default() }
    }

    /// The video in the buffer at `now_s`, s.
    pub fn level_s(&mut self, now_s: f64) -> f64 {
        self.advance(now_s);
        self.level_s
    }

    /// A segment has arrived, now.
    pub fn add(&mut self, segment: Segment) {
        self.advance(segment.arrived_s);
        self.startup_delay_s.get_or_insert(segment.arrived_s - self.began_s);
        self.level_s += self.segment_s;
        self.is_waiting = false;
        let before = self.segments.last().map(|before| before.bitrate_bps);
        self.switches += u64::from(before.is_some_and(|before| before != segment.bitrate_bps));
        self.segments.push(segment);
    }

    /// No segment will come any more: an empty buffer is the end of the video.
    pub fn complete(&mut self) {
        self.is_over = true;
    }

    /// The viewer leaves at `now_s`, and what is in the buffer is not played.
    pub fn leave(&mut self, now_s: f64) {
        self.advance(now_s);
        self.level_s = 0.0;
        self.is_over = true;
    }

    /// The mean bitrate of the segments, bit/s.
    pub fn bitrate_mean_bps(&self) -> Option<f64> {
        let sum: f64 = self.segments.iter().map(|segment| segment.bitrate_bps).sum();
        (!self.segments.is_empty()).then(|| sum / self.segments.len() as f64)
    }

    /// The part of the time since playing began in which the buffer was empty.
    pub fn rebuffering_ratio(&self) -> Option<f64> {
        let watched_s = self.played_s + self.rebuffering_s;
        (watched_s > 0.0).then(|| self.rebuffering_s / watched_s)
    }

    fn advance(&mut self, now_s: f64) {
        let passed_s = now_s - self.at_s;
        self.at_s = now_s;
        if self.startup_delay_s.is_none() {
            return;
        }
        let played_s = passed_s.min(self.level_s);
        self.level_s -= played_s;
        self.played_s += played_s;
        let empty_s = passed_s - played_s;
        if empty_s > 0.0 && !self.is_over {
            self.rebuffering_s += empty_s;
            self.rebufferings += u64::from(!self.is_waiting);
            self.is_waiting = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(number: u32, bitrate_bps: f64, arrived_s: f64) -> Segment {
        Segment { number, bitrate_bps, bytes: 1, requested_s: 0.0, arrived_s, buffer_s: 0.0 }
    }

    /// Segments of 2 s that arrive at 1, 2, 7 and 9.5 s after the choice: the buffer is empty from 5 to 7 and from 9 to 9.5.
    #[test]
    fn a_late_segment_is_waited_for() {
        let mut playback = Playback::new(2.0, 10.0);
        for (number, (bitrate_bps, at_s)) in
            [(1e6, 11.0), (2e6, 12.0), (2e6, 17.0), (1e6, 19.5)].into_iter().enumerate()
        {
            playback.add(segment(number as u32, bitrate_bps, at_s));
        }
        assert_eq!(playback.level_s(20.0), 1.5);
        assert_eq!(playback.startup_delay_s, Some(1.0));
        assert_eq!((playback.played_s, playback.rebuffering_s, playback.rebufferings), (6.5, 2.5, 2));
        assert_eq!(playback.rebuffering_ratio(), Some(2.5 / 9.0));
        assert_eq!((playback.switches, playback.bitrate_mean_bps()), (2, Some(1.5e6)));
    }

    #[test]
    fn the_end_of_the_video_is_no_rebuffering() {
        let mut playback = Playback::new(2.0, 0.0);
        playback.add(segment(0, 1e6, 1.0));
        playback.complete();
        assert_eq!(playback.level_s(9.0), 0.0);
        assert_eq!((playback.played_s, playback.rebuffering_s), (2.0, 0.0));
    }

    #[test]
    fn who_leaves_plays_and_waits_no_more() {
        let mut playback = Playback::new(2.0, 0.0);
        playback.add(segment(0, 1e6, 1.0));
        playback.leave(1.5);
        assert_eq!(playback.level_s(9.0), 0.0);
        assert_eq!((playback.played_s, playback.rebuffering_s), (0.5, 0.0));
    }

    #[test]
    fn nothing_is_played_without_a_segment() {
        let mut playback = Playback::new(2.0, 0.0);
        assert_eq!(playback.level_s(9.0), 0.0);
        assert_eq!(
            (playback.startup_delay_s, playback.rebuffering_ratio(), playback.bitrate_mean_bps()),
            (None, None, None)
        );
    }
}
