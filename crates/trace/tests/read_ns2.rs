//! Lines of ns-2's packet traces, good and bad.

use ackclock_trace::columns::PacketEvent;
use ackclock_trace::read::gunzip::Unpacked;
use ackclock_trace::read::ns2_trace::{Progress, Reader, TraceError};
use ackclock_trace::read::packet_line::PacketLine;

const LINE: &str = "+ 0.030768 0 2 tcp 1040 ------- 1 0.0 4.1 17 4\n";

/// All lines of a text, what their kinds and flags are called, and how much was read.
fn read(text: &str) -> Result<(Vec<PacketLine>, Vec<String>, Progress), TraceError> {
    let mut reader = Reader::new(text.as_bytes());
    let mut lines = Vec::new();
    while let Some(line) = reader.next_line()? {
        lines.push(line);
    }
    let words =
        lines.iter().map(|line| format!("{} {}", reader.kinds().word(line.kind), reader.flags().word(line.flags)));
    Ok((lines.clone(), words.collect(), reader.progress()))
}

fn error(text: &str) -> String {
    read(text).expect_err("a damaged trace").to_string()
}

#[test]
fn a_plain_line() {
    let (lines, words, _) = read(LINE).expect("a good line");
    let line = lines[0];
    assert_eq!((line.event, line.time_s, line.from_node, line.to_node), (PacketEvent::Enqueue, 0.030768, 0, 2));
    assert_eq!((line.size_bytes, line.flow, line.source, line.destination), (1040, 1, (0, 0), (4, 1)));
    assert_eq!((line.sequence, line.packet, line.header), (17, 4, None));
    assert_eq!(words, ["tcp -------"]);
}

#[test]
fn all_events_and_both_ends_of_lines() {
    let text: String = "+-rdeh".chars().map(|letter| format!("{letter}{}", LINE[1..].replace('\n', "\r\n"))).collect();
    let words: Vec<_> = read(&text).expect("good lines").0.iter().map(|line| line.event.word()).collect();
    assert_eq!(words, ["enqueue", "dequeue", "receive", "drop", "error", "hop"]);
}

#[test]
fn a_tcp_header_behind() {
    let (lines, ..) = read("r 1 0 2 ack 60 C-----N 1 4.0 0.0 -1 9 1461 0x10 40 2\n").expect("a good line");
    let header = lines[0].header.expect("the columns are there");
    assert_eq!((header.acknowledgement, header.flags, header.header_bytes), (1461, 0x10, 40));
    assert_eq!(lines[0].sequence, -1);
}

#[test]
fn the_tagged_format_and_nams() {
    let rest = "-s 0 -d 2 -p tcp -e 1040 -c 1 -i 4 -a 1 -x {0.0 4.1 17 ------- null}\n";
    let plain = read(LINE).expect("a good line").0;
    assert_eq!(read(&format!("+ 0.030768 {rest}")).expect("a tagged line").0, plain);
    assert_eq!(read(&format!("+ -t 0.030768 {rest}")).expect("a line of nam's").0, plain);
}

#[test]
fn times_are_the_nearest_doubles() {
    let text: String =
        (0..20_000).map(|n| LINE.replace("0.030768", &format!("{}.{:06}", n * 7, n * 49 % 1_000_000))).collect();
    for (n, line) in read(&text).expect("good lines").0.iter().enumerate() {
        let time = format!("{}.{:06}", n * 7, n * 49 % 1_000_000);
        assert_eq!(line.time_s.to_bits(), time.parse::<f64>().expect("a number").to_bits(), "{time}");
    }
    for time in ["0.1", "1e-05", "9.99e-06", "123456.789012", "399.9999999999999", "1000000000000000.5", "0"] {
        let line = read(&LINE.replace("0.030768", time)).expect("a good line").0[0];
        assert_eq!(line.time_s.to_bits(), time.parse::<f64>().expect("a number").to_bits(), "{time}");
    }
}

#[test]
fn hierarchical_addresses_are_packed_as_in_ns2() {
    let line = read(&LINE.replace("0.0 4.1", "0.1.2.0 1.0.1.3")).expect("a good line").0[0];
    assert_eq!((line.source, line.destination), ((1 << 11 | 2, 0), (1 << 22 | 1, 3)));
}

#[test]
fn other_lines_are_counted() {
    let others = "0.00000  0  0  4  0  cwnd_ 1.000 \nv 1.0 eval {set sim_annotation {x}}\nE 1 0 4 TCP TIMEOUT 1 2 3\n\
                  a 1.5 0.3\nQ 1.5 3\n\nq -t 1 -s 0 -d 2 -l 0 -p 0\ntime: 0.1 saddr: 0\n";
    let (lines, _, progress) = read(&format!("{others}{LINE}{others}")).expect("a good trace");
    assert_eq!(lines.len(), 1);
    assert_eq!((progress.lines, progress.packets, progress.others), (17, 1, 16));
}

#[test]
fn long_files_go_through_a_buffer() {
    let text: String = (0..50_000).map(|number| LINE.replace(" 4\n", &format!(" {number}\n"))).collect();
    let (lines, _, progress) = read(&text).expect("a good trace");
    assert!(lines.iter().enumerate().all(|(number, line)| line.packet == number as i64));
    assert_eq!((progress.lines, progress.bytes), (50_000, text.len() as u64));
}

#[test]
fn a_file_that_is_cut_short() {
    let text = format!("{LINE}{}", &LINE[..20]);
    let said = error(&text);
    assert!(said.starts_with("line 2: the file ends within the line, after `+ 0.030768 0 2 tcp 1`"), "{said}");
    assert!(said.ends_with("read before it: 1 lines, 47 bytes, 1 packet events"), "{said}");
}

#[test]
fn damaged_lines() {
    for (bad, expected) in [
        ("+ 0.03 0 2 tcp 1040 -------\n", "expected the flow id, a whole number, the line ends"),
        ("+ 0.03 0 2 tcp 10x0 ------- 1 0.0 4.1 17 4\n", "expected the size in bytes, a whole number, found `10x0`"),
        ("+ soon 0 2 tcp 1040 ------- 1 0.0 4.1 17 4\n", "expected the time in seconds, found `soon`"),
        ("r 1.0 _3_ AGT --- 0 tcp\n", "expected the node that the link leaves, a number, found `_3_`"),
        ("+ 0.03 0 2 tcp 1040 ------- 1 0 4.1 17 4\n", "expected the source as node.port, found `0`"),
        ("+ 0.03 -s 0 -d 2 -p tcp -e 4 -i 4 -x {0.0 1.0 1 ------- null}\n", "expected -a, the flow id, in `"),
    ] {
        let said = error(&format!("{LINE}{bad}{LINE}"));
        assert!(said.starts_with(&format!("line 2: {expected}")), "{said}");
    }
}

#[test]
fn foreign_files() {
    assert!(error("").starts_with("line 1: the file is empty"));
    let said = error("<html>\n<body>\n");
    assert!(said.starts_with("line 1: not an ns-2 packet trace: no line is a packet event: `<html>`"));
    assert!(error(&"x".repeat(1 << 20)).starts_with("line 1: longer than 262144 bytes"));
}

#[test]
fn gzipped_files() {
    use std::io::{Read, Write};
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let text = LINE.repeat(1000);
    packed.write_all(text.as_bytes()).expect("a vector takes it");
    let packed = packed.finish().expect("a vector takes it");

    let mut unpacked = String::new();
    Unpacked::new(&packed[..]).expect("readable").read_to_string(&mut unpacked).expect("a good file");
    assert_eq!(unpacked, text);

    let mut reader = Reader::new(Unpacked::new(&packed[..packed.len() - 20]).expect("readable"));
    let error = loop {
        match reader.next_line() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("a file cut short has an end"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("the gzipped file is cut short"), "{error}");
}

#[test]
fn what_is_known_of_a_packet_changes_no_line() {
    // Few packets, many lines, and whatever may change from one line of a packet to the next.
    let lines: Vec<String> = (0..4000u32)
        .map(|number| {
            let mixed = number.wrapping_mul(2_654_435_761) >> 16;
            let packet = mixed % 7 + if mixed % 3 == 0 { 100_000_000 } else { 0 };
            let flags = ["-------", "E------", "C-----N"][(mixed / 5 % 3) as usize];
            let (size, sequence) = (40 + mixed % 2 * 1000, mixed % 11);
            let end = ["", " 1461 0x10 40 2", " ", "\r"][(mixed / 7 % 4) as usize];
            format!("r {number}.5 {} 2 tcp {size} {flags} 1 0.0 4.{} {sequence} {packet}{end}\n", number % 5, mixed % 2)
        })
        .collect();
    let (together, words, _) = read(&lines.concat()).expect("good lines");
    assert_eq!(together.len(), lines.len());
    for ((line, found), called) in lines.iter().zip(together).zip(words) {
        let (alone, its_words, _) = read(line).expect("a good line");
        assert_eq!(PacketLine { kind: 0, flags: 0, ..found }, alone[0], "{line}");
        assert_eq!(called, its_words[0], "{line}");
    }
}
