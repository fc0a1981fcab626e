//! Recordings: rows whose ends come late, losses that no line tells, curves and counters over several chunks.

use std::fs::File;
use std::io::Cursor;

use ackclock_trace::read::ns2_trace::Reader;
use ackclock_trace::recording::chunk::{self, ROWS, flag};
use ackclock_trace::recording::lines::Lines;
use ackclock_trace::recording::series::{Asked, What, series};
use ackclock_trace::recording::{Recording, counts, links};

/// A file that is gone when it is closed.
fn scratch(name: &str) -> File {
    let path = std::env::temp_dir().join(format!("ackclock-{}-{name}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a new file");
    std::fs::remove_file(path).expect("it is removed");
    file
}

fn read(name: &str, text: String) -> Recording<Cursor<Vec<u8>>> {
    let lines = Lines::File(Box::new(Reader::new(Cursor::new(text.into_bytes()))));
    let mut recording = Recording::new(lines, scratch(name));
    while recording.read_on(1000).expect("it can be read") {}
    recording
}

fn line(event: char, time_s: f64, uid: usize) -> String {
    format!("{event} {time_s:.6} 0 1 tcp 1000 ------- 1 0.0 1.0 {uid} {uid}\n")
}

/// `count` packets, 1 ms apart, that each take 8 ms to send and 10 ms to arrive, except packet 0, which waits for the end.
fn one_stays(count: usize) -> String {
    let mut events: Vec<(f64, usize, char)> = vec![(0.0, 0, '+')];
    for uid in 1..count {
        let at = uid as f64 * 1e-3;
        events.extend([(at, uid, '+'), (at, uid, '-'), (at + 18e-3, uid, 'r')]);
    }
    let end = count as f64 * 1e-3 + 1.0;
    events.extend([(end, 0, '-'), (end + 18e-3, 0, 'r')]);
    events.sort_by(|one, other| one.0.total_cmp(&other.0));
    events.into_iter().map(|(at, uid, event)| line(event, at, uid)).collect()
}

#[test]
fn a_row_that_ends_after_its_chunk_is_on_disk_is_mended_there() {
    let count = 6 * ROWS + 5;
    let recording = read("late", one_stays(count));
    let chunks = recording.rows().chunks();
    assert_eq!(chunks.len(), 7);
    assert_eq!(chunks.iter().map(|chunk| chunk.rows).sum::<usize>(), count);
    let first = recording.rows().chunk(0).expect("it can be read");
    let end = count as f64 * 1e-3 + 1.0;
    assert!((first[0].start_s - end).abs() < 1e-6 && (first[0].arrive_s - end - 18e-3).abs() < 1e-6);
    assert!((chunks[0].reach_s - first[0].arrive_s).abs() < 1e-9);
    assert!(chunks[1].reach_s < chunks[2].end_s);
    // At a time in the middle one packet waits, and it is the one of the first chunk.
    let (flows, links) = counts::counts(&recording, 300.0).expect("it can be read");
    assert_eq!((links[0].queue_packets, links[0].queue_bytes), (1, 1000));
    assert_eq!((flows[0].sent, flows[0].received), (300_001, 299_982));
    let asked =
        Asked { what: What::Queue, from_s: 300.0, to_s: 301.0, points: 1000, flow: None, link: None, interval_s: 1.0 };
    assert_eq!(series(&recording, &asked).expect("it can be read")[0].points, vec![(300.0, 1.0)]);
}

#[test]
fn chunks_that_are_asked_for_early_are_those_of_the_end() {
    let lines = Lines::File(Box::new(Reader::new(Cursor::new(one_stays(6 * ROWS).into_bytes()))));
    let mut recording = Recording::new(lines, scratch("early"));
    while recording.rows().chunks().len() < 2 {
        assert!(recording.read_on(1000).expect("it can be read"));
    }
    // As bytes: what has not happened is NaN, which equals nothing.
    let rows = |recording: &Recording<_>| -> Vec<[u8; chunk::BYTES]> {
        recording.rows().chunk(1).expect("it can be read").iter().map(chunk::Hop::to_bytes).collect()
    };
    let early = rows(&recording);
    while recording.read_on(1000).expect("it can be read") {}
    assert!(rows(&recording) == early && early.len() == ROWS);
    assert!(recording.rows().chunk(99).expect("it can be read").is_empty());
}

#[test]
fn what_leaves_and_never_arrives_is_lost() {
    let mut text = String::new();
    for uid in 0..20 {
        let at = uid as f64 * 0.1;
        text += &(line('+', at, uid) + &line('-', at, uid));
        if uid != 7 && uid != 19 {
            text += &line('r', at + 0.018, uid);
        }
    }
    text += "v remarks are passed over\n";
    let recording = read("lost", text);
    let hops = recording.rows().chunk(0).expect("it can be read");
    let lost: Vec<u32> = hops.iter().filter(|hop| hop.flags & flag::LOST != 0).map(|hop| hop.uid).collect();
    // The last one may still be under way.
    assert_eq!(lost, [7]);
    let (flows, _) = counts::counts(&recording, 99.0).expect("it can be read");
    assert_eq!((flows[0].sent, flows[0].received, flows[0].dropped), (20, 18, 1));
}

#[test]
fn a_link_that_never_queues_takes_its_rate_from_two_sizes() {
    let sized = |event: char, at: f64, uid: usize, bytes: usize| {
        format!("{event} {at:.6} 0 1 tcp {bytes} ------- 1 0.0 1.0 {uid} {uid}\n")
    };
    let mut text = String::new();
    for uid in 0..50 {
        let bytes = if uid % 5 == 0 { 40 } else { 1040 };
        let (at, takes) = (uid as f64 * 0.1, bytes as f64 * 8.0 / 1.5e6 + 0.020);
        text += &(sized('+', at, uid, bytes) + &sized('-', at, uid, bytes) + &sized('r', at + takes, uid, bytes));
    }
    let recording = read("sizes", text);
    let (rate, delay) = links::figures(&recording.links)[0];
    assert!((rate.expect("a rate") / 1.5e6 - 1.0).abs() < 2e-3, "{rate:?}");
    assert!((delay.expect("a delay") / 0.020 - 1.0).abs() < 2e-3, "{delay:?}");
}

#[test]
fn a_chunk_is_packed_column_by_column() {
    let recording = read("packed", line('+', 0.5, 3) + &line('-', 0.75, 3) + &line('r', 1.0, 3));
    let hops = recording.rows().chunk(0).expect("it can be read");
    let packed = chunk::packed(&hops, &[Some(32_000.0)]);
    assert_eq!(packed[..16], *b"ACKH\x01\0\0\0\x01\0\0\0\0\0\0\0");
    let real = |column: usize| f64::from_le_bytes(packed[16 + 8 * column..24 + 8 * column].try_into().expect("eight"));
    // 1000 bytes take 0.25 s at 32 kbit/s.
    assert_eq!((real(0), real(1), real(2), real(3)), (0.5, 0.75, 1.0, 1.0));
    assert!(real(4).is_nan());
    assert_eq!(packed.len(), 16 + 12 * 8);
    assert_eq!((packed[56], packed[64], packed[112 - 8]), (3, 0xe8, 3));
}
