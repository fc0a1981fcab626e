//! A player of video beside Sabre, the simulator of BOLA's first author: for the same times of downloads, the same choices.
//!
//! tests/oracle/sabre/record.py says how Sabre's answers were made.

use ackclock_engine::app::conversation::{Ask, Conversation, Side};
use ackclock_engine::app::video::{Player, Settings};

const SESSIONS: &str = include_str!("../../../tests/oracle/sabre/sessions.txt");
/// The film's bitrates, kb/s, and the length of its segments, s: Sabre's `bbb.json`.
const BITRATES_KBPS: [f64; 10] = [230.0, 331.0, 477.0, 688.0, 991.0, 1427.0, 2056.0, 2962.0, 5027.0, 6000.0];
const SEGMENT_S: f64 = 3.0;

/// The word after another one, as a number.
fn after(line: &str, word: &str) -> f64 {
    let mut words = line.split(' ').skip_while(|&each| each != word);
    words.nth(1).expect("the word is there").parse().expect("it is a number")
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(' ').filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn sabre_chooses_the_same_bitrates() {
    let mut sessions = 0;
    for block in SESSIONS.trim().split("\n\n") {
        let mut lines = block.lines();
        let head = lines.next().expect("a session has a head");
        let totals = numbers(lines.next().expect("and totals"));
        let downloads: Vec<Vec<f64>> = lines.map(numbers).collect();
        let mut player = Player::new(Settings {
            bitrates_bps: BITRATES_KBPS.map(|rate| 1000.0 * rate).to_vec(),
            segment_s: SEGMENT_S,
            buffer_s: after(head, "buffer"),
            gamma_p: after(head, "gamma_p"),
            segments: Some(downloads.len() as u32),
            request_bytes: 300,
        });
        let mut now_s = 0.0;
        for download in &downloads {
            if let Ask::After(wait_s) = player.ask(now_s) {
                now_s += wait_s;
                assert_eq!(player.ask(now_s), Ask::Now(300));
            }
            let bytes = player.response_bytes();
            now_s += download[0] / 1000.0;
            player.receive(Side::Client, bytes, now_s);
        }
        // Sabre plays what is left in the buffer.
        let playback = player.playback(now_s + 1000.0).expect("a player plays");
        assert_eq!(playback.segments.len(), 199);
        for (segment, download) in playback.segments.iter().zip(&downloads) {
            let place = format!("{head}, segment {}", segment.number);
            assert_eq!(segment.bitrate_bps, 1000.0 * BITRATES_KBPS[download[2] as usize], "{place}");
            assert!((1000.0 * segment.buffer_s - download[1]).abs() < 1e-3, "{place}");
        }
        assert!((1000.0 * playback.rebuffering_s - totals[0]).abs() < 1e-2, "{head}: {}", playback.rebuffering_s);
        assert_eq!(playback.rebufferings, totals[1] as u64, "{head}");
        let changes = playback.segments.windows(2).map(|pair| (pair[1].bitrate_bps - pair[0].bitrate_bps).abs());
        assert_eq!(changes.sum::<f64>() / 1000.0, totals[2], "{head}");
        assert_eq!(playback.played_s.round(), 199.0 * SEGMENT_S);
        sessions += 1;
    }
    assert_eq!(sessions, 3);
}
