//! What is done with a trace file or a table of unknown origin: everything that the commands, the library and the page do
//! with one, and what must hold of each answer. Used by libFuzzer's targets beside it, and by crates/trace/tests/corpus.rs,
//! which needs neither libFuzzer nor a nightly compiler.

use std::fs::File;
use std::io::Write;

use ackclock_trace::analysis::series::{self, What};
use ackclock_trace::analysis::stats::Stats;
use ackclock_trace::analysis::throughput::{Connection, throughput};
use ackclock_trace::analysis::{Filter, FlowKey};
use ackclock_trace::capture::from_trace::{Where, to_pcapng};
use ackclock_trace::read::gunzip::Unpacked;
use ackclock_trace::read::ns2_trace::{Reader, TraceError};
use ackclock_trace::read::packet_table::PacketTable;
use ackclock_trace::recording::lines::Lines;
use ackclock_trace::recording::series::{Asked, series as curves};
use ackclock_trace::recording::table_lines::TableLines;
use ackclock_trace::recording::{Recording, chunk, counts, links};
use ackclock_trace::table_files::csv;
use ackclock_trace::table_files::parquet;

/// A file of bytes as the reader of a trace sees it, gzipped or not.
fn reader(file: &[u8]) -> Option<Reader<Unpacked<&[u8]>>> {
    Unpacked::new(file).ok().map(Reader::new)
}

/// A trace by the trace tools: its lines, figures, series, table, capture.
pub fn tr(file: &[u8]) {
    let Some(connection) = lines(file) else { return };
    let all = Filter::default();
    let table: Vec<_> = PacketTable::new(reader(file).expect("it was read before"), all.clone())
        .collect::<Result<_, _>>()
        .expect("it was read before");
    for part in &table {
        csv::write_rows(&mut std::io::sink(), part).expect("each column has a spelling");
    }
    let mut of = reader(file).expect("it was read before");
    let stats = match Stats::read(&mut of, &all) {
        Ok(stats) => stats,
        // Which node has which address is not in the trace: such a file has its packets, and no figures.
        Err(error) => {
            assert!(error.to_string().contains("addresses in levels"), "it was read before: {error}");
            return;
        }
    };
    stats.flows(of.kinds());
    stats.links();
    for what in What::ALL {
        let series = reader(file).map(|mut of| series::read(&mut of, &all, what, connection.interval_s));
        assert!(matches!(series, Some(Ok(_) | Err(TraceError::Line(..)))));
    }
    let _ = throughput(&mut reader(file).expect("it was read before"), &connection);
    for place in [Where::Senders, Where::Node(connection.node), Where::Link(0, 1)] {
        let mut capture = Vec::new();
        let count = to_pcapng(&mut reader(file).expect("it was read before"), place, |_, _| true, &mut capture)
            .expect("it was read before");
        assert_eq!(packet_blocks(&capture), count);
    }
}

/// Reads all lines; the connection of the first. What was read must be the whole file, or there must be an error.
fn lines(file: &[u8]) -> Option<Connection> {
    let (mut first, mut ends_s) = (None, (f64::INFINITY, 0.0f64));
    let mut reader = reader(file)?;
    let read = loop {
        match reader.next_line() {
            Ok(Some(line)) => {
                assert!(line.time_s.is_finite());
                ends_s = (ends_s.0.min(line.time_s), ends_s.1.max(line.time_s));
                let kind = reader.kinds().word(line.kind).to_owned();
                let FlowKey { source, destination, .. } = FlowKey::of(&line);
                first.get_or_insert(Connection { node: destination.0, source, destination, kind, interval_s: 0.5 });
            }
            Ok(None) => break true,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                break false;
            }
        }
    };
    let progress = reader.progress();
    assert_eq!(progress.lines, progress.packets + progress.others);
    if !read {
        let mut of_parts = Reader::of_parts(Unpacked::new(file).expect("it was unpacked before"));
        while let Ok(Some(_)) = of_parts.next_line() {}
        assert_eq!(of_parts.progress(), progress, "a reader of parts reads what one of wholes has read");
        return None;
    }
    if !file.starts_with(&[0x1f, 0x8b]) {
        assert_eq!(progress.bytes, file.len() as u64);
        assert_eq!(progress.lines, file.iter().filter(|&&byte| byte == b'\n').count() as u64);
    }
    // Not a million intervals: they are allowed, and take their time.
    first.map(|first| Connection { interval_s: ((ends_s.1 - ends_s.0) / 1000.0).clamp(0.5, 1e300), ..first })
}

/// The packets in a capture, whose blocks must fill it and say their length at both ends.
fn packet_blocks(mut capture: &[u8]) -> u64 {
    let number = |bytes: &[u8]| u32::from_le_bytes(*bytes.first_chunk().expect("four bytes"));
    let mut count = 0;
    while !capture.is_empty() {
        let (kind, length) = (number(capture), number(&capture[4..]));
        let (block, rest) = capture.split_at(length as usize);
        assert!(length.is_multiple_of(4) && number(&block[block.len() - 4..]) == length);
        count += u64::from(kind == 6);
        capture = rest;
    }
    count
}

/// A trace, with nam's scenery or without, as the page plays it.
pub fn nam(file: &[u8]) {
    let Some(of) = reader(file) else { return };
    play(Recording::new(Lines::File(Box::new(of)), rows()));
}

/// A table of a saved run: read, and if it is one of packets, played.
pub fn table(file: &[u8]) {
    let Ok((_, parts)) = parquet::read_bytes(file) else { return };
    if let Some(lines) = TableLines::new(parts) {
        play(Recording::<&[u8]>::new(Lines::Table(Box::new(lines)), rows()));
    }
}

/// An empty file without a name.
fn rows() -> File {
    let path =
        std::env::temp_dir().join(format!("ackclock-fuzz-{}-{:?}", std::process::id(), std::thread::current().id()));
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path).expect("a new file");
    std::fs::remove_file(path).expect("it is removed");
    file.flush().expect("nothing was written");
    file
}

fn play<R: std::io::Read>(mut recording: Recording<R>) {
    while let Ok(true) = recording.read_on(100) {}
    assert!(recording.is_complete);
    let figures = links::figures(&recording.links);
    let rates: Vec<Option<f64>> = figures.iter().map(|(rate, _)| *rate).collect();
    for number in 0..recording.rows().chunks().len() {
        let hops = recording.rows().chunk(number).expect("it is on disk");
        assert!(chunk::packed(&hops, &rates).starts_with(b"ACKH"));
    }
    let (from_s, to_s) = recording.span_s.unwrap_or_default();
    let interval_s = ((to_s - from_s) / 200.0).max(1e-6);
    if (to_s - from_s) / interval_s < 1e6 {
        for (what, ..) in ackclock_trace::recording::series::What::ALL {
            let asked = Asked { what, from_s, to_s, points: 50, flow: None, link: None, interval_s };
            curves(&recording, &asked).expect("it can be read");
        }
    }
    let (flows, at_links) = counts::counts(&recording, to_s).expect("it can be read");
    assert_eq!((flows.len(), at_links.len()), (recording.flows.len(), recording.links.len()));
    assert!(flows.iter().all(|flow| flow.again <= flow.sent && flow.marked <= flow.received));
    counts::packet(&recording, 0).expect("it can be read");
}
