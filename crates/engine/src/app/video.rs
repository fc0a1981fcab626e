//! Adaptive video: a player that requests segment after segment, each at a bitrate that BOLA chooses.
//!
//! Source: K. Spiteri, R. Urgaonkar and R. K. Sitaraman, "BOLA: near-optimal bitrate adaptation for online videos",
//! IEEE INFOCOM 2016 (arXiv 1601.06748): BOLA-BASIC, with utilities `ln(S_m / S_1)` of segments of `S_m` bits.
//! What it decides: the bitrate of the next segment, from the level of the buffer alone, and when it is requested: once it has
//! room in the buffer.
//! Departures: none.
//! Not implemented: BOLA-FINITE (a smaller `V` near the ends of a video), BOLA-O and BOLA-U (which hold back oscillations),
//! abandoned and replaced segments; sizes of segments that vary at a bitrate.
//! Checked against: Sabre, the first author's simulator: the same bitrates, levels of the buffer and rebuffering for the same
//! times of downloads (tests/oracle/sabre).

use super::conversation::{Ask, Conversation, Side, Step};
use crate::measure::playback::{Playback, Segment};

/// A video, and how its player chooses.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The bitrates that there are, ascending, bit/s.
    pub bitrates_bps: Vec<f64>,
    /// Seconds of video in a segment.
    pub segment_s: f64,
    /// The most video in the buffer, s; more than a segment.
    pub buffer_s: f64,
    /// `gamma p`: how much rebuffering counts beside the utility.
    pub gamma_p: f64,
    /// How many segments the video has; `None` for no end.
    pub segments: Option<u32>,
    /// Bytes of a request.
    pub request_bytes: i64,
}

/// BOLA-BASIC.
#[derive(Clone, Debug)]
pub struct Bola {
    bitrates_bps: Vec<f64>,
    /// `ln(S_m / S_1)`.
    utilities: Vec<f64>,
    gamma_p: f64,
    /// `V p`, s, of a buffer that is full when the highest bitrate is worth nothing more.
    v_p_s: f64,
}

impl Bola {
    /// `V = (Q_max - 1) / (v_M + gamma p)`, with `Q_max` in segments.
    pub fn new(settings: &Settings) -> Bola {
        let bitrates_bps = settings.bitrates_bps.clone();
        let utilities: Vec<f64> = bitrates_bps.iter().map(|rate| (rate / bitrates_bps[0]).ln()).collect();
        let highest = utilities.last().copied().unwrap_or_default();
        let v_p_s = (settings.buffer_s - settings.segment_s) / (highest + settings.gamma_p);
        Bola { bitrates_bps, utilities, gamma_p: settings.gamma_p, v_p_s }
    }

    /// The bitrate, by its number, that maximises `(V v_m + V gamma p - Q) / S_m` at this level of the buffer.
    pub fn choose(&self, level_s: f64) -> usize {
        let score = |m: usize| (self.v_p_s * (self.utilities[m] + self.gamma_p) - level_s) / self.bitrates_bps[m];
        (1..self.bitrates_bps.len()).fold(0, |best, m| if score(m) > score(best) { m } else { best })
    }
}

/// The player, and the server that it asks.
#[derive(Clone, Debug)]
pub struct Player {
    settings: Settings,
    bola: Bola,
    playback: Option<Playback>,
    /// The segment that was asked for.
    asked: Option<Segment>,
    next: u32,
    has_waited: bool,
    is_stopped: bool,
    requested_bytes: i64,
    responded_bytes: i64,
}

impl Player {
    /// A player before its first request.
    pub fn new(settings: Settings) -> Player {
        let bola = Bola::new(&settings);
        Player {
            settings,
            bola,
            playback: None,
            asked: None,
            next: 0,
            has_waited: false,
            is_stopped: false,
            requested_bytes: 0,
            responded_bytes: 0,
        }
    }

    fn is_last(&self) -> bool {
        self.settings.segments.is_some_and(|segments| self.next >= segments)
    }

    /// The bitrate of the segment that is requested at this level.
    fn request(&mut self, level_s: f64, now_s: f64) {
        let bitrate_bps = self.settings.bitrates_bps[self.bola.choose(level_s)];
        let bytes = (bitrate_bps * self.settings.segment_s / 8.0).round().max(1.0) as i64;
        let number = self.next;
        self.next += 1;
        self.asked =
            Some(Segment { number, bitrate_bps, bytes, requested_s: now_s, arrived_s: f64::NAN, buffer_s: level_s });
    }
}

impl Conversation for Player {
    fn ask(&mut self, now_s: f64) -> Ask {
        if self.is_stopped || self.is_last() {
            return Ask::Never;
        }
        let segment_s = self.settings.segment_s;
        let playback = self.playback.get_or_insert_with(|| Playback::new(segment_s, now_s));
        let level_s = playback.level_s(now_s);
        let excess_s = level_s + segment_s - self.settings.buffer_s;
        if excess_s > 0.0 && !self.has_waited {
            self.has_waited = true;
            return Ask::After(excess_s);
        }
        self.has_waited = false;
        self.request(level_s, now_s);
        Ask::Now(self.settings.request_bytes)
    }

    fn response_bytes(&self) -> i64 {
        self.asked.map_or(0, |segment| segment.bytes)
    }

    fn receive(&mut self, by: Side, bytes: i64, now_s: f64) -> Option<(Step, f64)> {
        let (counted, whole, step) = match by {
            Side::Server => (&mut self.requested_bytes, self.settings.request_bytes, Step::Answer),
            Side::Client => (&mut self.responded_bytes, self.asked?.bytes, Step::Ask),
        };
        *counted += bytes;
        if *counted < whole {
            return None;
        }
        *counted -= whole;
        if by == Side::Server {
            return Some((step, 0.0));
        }
        let segment = Segment { arrived_s: now_s, ..self.asked.take()? };
        if self.is_stopped {
            return Some((Step::Close, 0.0));
        }
        let is_last = self.is_last();
        if let Some(playback) = &mut self.playback {
            playback.add(segment);
            if is_last {
                playback.complete();
            }
        }
        Some((if is_last { Step::Close } else { step }, 0.0))
    }

    fn stop(&mut self, now_s: f64) -> bool {
        self.is_stopped = true;
        if let Some(playback) = &mut self.playback {
            playback.leave(now_s);
        }
        self.asked.is_none()
    }

    fn is_over(&self) -> bool {
        self.is_last() && self.asked.is_none()
    }

    fn playback(&mut self, now_s: f64) -> Option<Playback> {
        // Who never asked has chosen nothing yet.
        let mut playback = self.playback.clone().unwrap_or_else(|| Playback::new(self.settings.segment_s, now_s));
        playback.level_s(now_s);
        Some(playback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            bitrates_bps: vec![1e6, 2.5e6, 5e6],
            segment_s: 2.0,
            buffer_s: 20.0,
            gamma_p: 5.0,
            segments: Some(3),
            request_bytes: 300,
        }
    }

    /// Two bitrates are worth the same at the level `V p (gamma p + (S_2 v_1 - S_1 v_2) / (S_2 - S_1))`: solve
    /// `(V v_1 + V gamma p - Q) / S_1 = (V v_2 + V gamma p - Q) / S_2` for Q.
    #[test]
    fn bitrates_change_where_two_are_worth_the_same() {
        let bola = Bola::new(&settings());
        let v_p_s = 18.0 / (5_f64.ln() + 5.0);
        let first_s = v_p_s * (5.0 - 2.5_f64.ln() / 1.5);
        let second_s = v_p_s * (5.0 + (5.0 * 2.5_f64.ln() - 2.5 * 5_f64.ln()) / 2.5);
        assert!(first_s < second_s && second_s < 18.0);
        for (at_s, below) in [(first_s, 0), (second_s, 1)] {
            assert_eq!([bola.choose(at_s - 1e-9), bola.choose(at_s + 1e-9)], [below, below + 1]);
        }
        assert_eq!([bola.choose(0.0), bola.choose(18.0)], [0, 2]);
    }

    #[test]
    fn a_video_of_three_segments() {
        let mut player = Player::new(settings());
        for number in 0..3 {
            let asked_s = f64::from(number);
            assert_eq!(player.ask(asked_s), Ask::Now(300));
            assert_eq!(player.receive(Side::Server, 299, asked_s), None);
            assert_eq!(player.receive(Side::Server, 1, asked_s), Some((Step::Answer, 0.0)));
            // 1 Mb/s for 2 s are 250,000 bytes.
            assert_eq!(player.response_bytes(), 250_000);
            assert_eq!(player.receive(Side::Client, 249_999, asked_s + 0.5), None);
            let then = if number < 2 { Step::Ask } else { Step::Close };
            assert!(!player.is_over());
            assert_eq!(player.receive(Side::Client, 1, asked_s + 1.0), Some((then, 0.0)));
        }
        assert!(player.is_over());
        assert_eq!(player.ask(3.0), Ask::Never);
        let playback = player.playback(60.0).unwrap();
        assert_eq!((playback.played_s, playback.rebuffering_s, playback.startup_delay_s), (6.0, 0.0, Some(1.0)));
    }

    #[test]
    fn a_full_buffer_is_waited_for() {
        let mut player = Player::new(Settings { buffer_s: 5.0, segments: None, ..settings() });
        for _ in 0..2 {
            assert_eq!(player.ask(1.0), Ask::Now(300));
            let bytes = player.response_bytes();
            assert_eq!(player.receive(Side::Client, bytes, 1.0), Some((Step::Ask, 0.0)));
        }
        // 4 s are in the buffer, and a segment of 2 s needs room in 5 s.
        assert_eq!(player.ask(1.0), Ask::After(1.0));
        assert_eq!(player.ask(2.0), Ask::Now(300));
    }

    #[test]
    fn who_leaves_asks_no_more() {
        let mut player = Player::new(settings());
        assert_eq!(player.ask(0.0), Ask::Now(300));
        assert!(!player.stop(1.0), "a segment is on its way");
        let bytes = player.response_bytes();
        assert_eq!(player.receive(Side::Client, bytes, 2.0), Some((Step::Close, 0.0)));
        assert_eq!(player.ask(2.0), Ask::Never);
        assert!(player.stop(3.0));
        assert!(player.playback(4.0).unwrap().segments.is_empty());
    }
}
