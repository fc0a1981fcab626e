//! Captures made of traces: their blocks, headers and checksums.

use ackclock_trace::capture::from_trace::{Where, to_pcapng};
use ackclock_trace::read::ns2_trace::Reader;

const TRACE: &str = "\
+ 0.1 0 2 tcp 40 ------- 1 0.0 4.1 0 0
r 0.2 2 0 ack 40 ------- 1 4.1 0.0 0 1
+ 0.2 0 2 tcp 1040 ------N 1 0.0 4.1 1 2
+ 0.2 2 4 tcp 1040 ---AE-N 1 0.0 4.1 1 2
r 0.3 2 0 ack 40 C------ 1 4.1 0.0 1 3
+ 0.4 0 2 cbr 501 ------- 2 0.2 4.2 0 4
";

fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte))
}

/// Time in ns, length on the wire and headers of each packet.
fn packets(place: Where) -> Vec<(usize, usize, Vec<u8>)> {
    let mut file = Vec::new();
    let count = to_pcapng(&mut Reader::new(TRACE.as_bytes()), place, |_, _| true, &mut file).expect("a good trace");
    let mut packets = Vec::new();
    let mut rest = &file[..];
    while !rest.is_empty() {
        let length = number(&rest[4..8]);
        assert_eq!(number(&rest[length - 4..length]), length, "a block ends with its length");
        if number(&rest[..4]) == 6 {
            let time = number(&rest[12..16]) << 32 | number(&rest[16..20]);
            packets.push((time, number(&rest[24..28]), rest[28..28 + number(&rest[20..24])].to_vec()));
        }
        rest = &rest[length..];
    }
    assert_eq!(packets.len() as u64, count);
    packets
}

/// The ones' complement sum of 16-bit words: 0xFFFF where a checksum among them is right.
fn sum(parts: &[&[u8]]) -> u32 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let total: u32 = words.map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |&low| low.into())).sum();
    (total & 0xFFFF) + (total >> 16)
}

fn big(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

#[test]
fn sequence_numbers_are_bytes_and_the_first_packet_is_a_syn() {
    let seen: Vec<_> = packets(Where::Senders)
        .iter()
        .take(4)
        .map(|(time, length, frame)| (*time, *length, big(&frame[38..42]), big(&frame[42..46]), frame[47]))
        .collect();
    let expected = [
        (100_000_000, 54, 0, 0, 2),
        (200_000_000, 54, 0, 1, 16 | 2),
        (200_000_000, 1054, 1, 1, 16),
        (300_000_000, 54, 1, 1001, 16 | 64),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn places_see_what_passes_them() {
    assert_eq!(packets(Where::Senders).len(), 5);
    assert_eq!(packets(Where::Node(0)).len(), 5);
    assert_eq!(packets(Where::Node(2)).len(), 1);
    assert_eq!(packets(Where::Node(2))[0].2[15], 3, "marked on the way");
    assert_eq!(packets(Where::Link(0, 2)).len(), 0, "nothing was dequeued");
}

#[test]
fn checksums_are_right() {
    for (_, length, frame) in packets(Where::Senders) {
        let (ip, transport) = frame[14..].split_at(20);
        assert_eq!(sum(&[ip]), 0xFFFF);
        let of_transport = ((length - 34) as u16).to_be_bytes();
        assert_eq!(sum(&[&ip[12..20], &[0, ip[9]], &of_transport, transport]), 0xFFFF);
        assert_eq!(big(&ip[2..4]) as usize, length - 14);
    }
}
