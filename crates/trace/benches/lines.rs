//! What a line of a trace costs to write and to read.
//!
//!     cargo bench -p ackclock-trace [-- FILTER]

use std::hint::black_box;

use ackclock_engine::packet::{Address, Packet, PacketKind};
use ackclock_trace::addresses::Addresses;
use ackclock_trace::ns2::line_fragments::Clock;
use ackclock_trace::ns2::nam;
use ackclock_trace::ns2::number::{push_g, push_microseconds};
use ackclock_trace::ns2::packet_trace;
use ackclock_trace::read::ns2_trace::Reader;
use criterion::{Criterion, Throughput};

const LINES: u64 = 10_000;

/// A text of so many lines, ns-2's or nam's.
fn text(is_nam: bool) -> Vec<u8> {
    let mut packet = Packet::default();
    (packet.size, packet.fid, packet.kind) = (1040, 7, PacketKind::Tcp);
    (packet.src, packet.dst) = (Address { node: 3, port: 0 }, Address { node: 4, port: 1 });
    let (mut out, mut scratch) = (Vec::new(), Vec::new());
    let addresses = Addresses::default();
    let (ends, flow) = (packet_trace::ends(0, 1), packet_trace::flow(&packet, &addresses));
    let (nams_ends, nams_flow) = (nam::ends(0, 1), nam::flow(&packet, &addresses));
    for number in 0..LINES as i32 {
        (packet.uid, packet.seqno) = (number, number / 3);
        let time = Clock::new(|out| push_microseconds(out, f64::from(number) * 83.2e-6));
        let op = b"+-r"[number as usize % 3];
        if is_nam {
            let about = nam::about(&nams_flow, &packet, (nam::Srm::Present, None), &mut scratch);
            nam::push_line(&mut out, op, &time, &nams_ends, &about, (&packet, nam::Srm::Present), false);
        } else {
            let about = packet_trace::about(&flow, &packet, &mut scratch);
            packet_trace::push_line(&mut out, op, &time, &ends, &about, &packet, None);
        }
    }
    out
}

fn writers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("write");
    group.throughput(Throughput::Elements(LINES));
    group.bench_function("ns-2", |bencher| bencher.iter(|| black_box(text(false))));
    group.bench_function("nam", |bencher| bencher.iter(|| black_box(text(true))));
    group.throughput(Throughput::Elements(1));
    let mut out = Vec::new();
    group.bench_function("a number", |bencher| {
        bencher.iter(|| {
            out.clear();
            push_g(&mut out, black_box(17.305_678_901_2), 17);
        });
    });
}

fn readers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(LINES));
    for (name, is_nam) in [("ns-2", false), ("nam", true)] {
        let text = text(is_nam);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut reader = Reader::new(&text[..]);
                let mut count = 0;
                while reader.next_line().expect("a good line").is_some() {
                    count += 1;
                }
                assert_eq!(count, LINES);
            });
        });
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    writers(&mut criterion);
    readers(&mut criterion);
    criterion.final_summary();
}
