//! Networks of scenarios: the same tables as the scenario alone, with endpoints of a program beside its flows.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ackclock::{Column, Datagram, Ecn, Error, Link, Network, Scenario, Simulation, Table};

const TEXT: &str = r#"
    duration = "3 s"
    seed = 7
    external_nodes = ["left1", "right2"]
    routing = "session"
    [topology]
    kind = "dumbbell"
    pairs = 2
    bottleneck = { rate = "5 Mb/s", delay = "10 ms", queue = { kind = "fq_codel" }, loss = { rate = 0.001 } }
    access = { rate = "100 Mb/s", delay = "1 ms" }
    [[flows]]
    pair = 1
    tcp = "cubic"
    app = { kind = "ftp", size = "300 kB" }
    [[flows]]
    pair = 2
    app = { kind = "requests", times = 5 }
    tcp = "tcp"
    [[changes]]
    at = "1 s"
    link = "router1-router2"
    rate = "2 Mb/s"
    [record]
    changes = true
    packets = true
"#;

fn end(simulation: &mut Simulation) {
    while simulation.now() < Duration::from_secs(3) {
        simulation.advance(Duration::from_secs(3)).unwrap();
    }
}

fn shown(tables: &[(&'static str, Table)]) -> Vec<String> {
    tables.iter().map(|(name, table)| format!("{name} {table:?}")).collect()
}

// The oracle is the run of the scenario by itself. Endpoints that send nothing change nothing.
#[test]
fn a_scenario_gives_its_own_tables() {
    let mut scenario = Scenario::from_toml(TEXT).unwrap();
    let mut network = Network::from_scenario(&scenario).unwrap();
    let left = network.find_node("left1").unwrap();
    network.endpoint(left);
    let mut simulation = network.build().unwrap();
    end(&mut simulation);
    let found = simulation.take_tables();
    assert_eq!(simulation.advance(Duration::from_secs(4)), Err(Error::Over { end: Duration::from_secs(3) }));
    scenario.external_nodes.clear();
    let expected = scenario.run().unwrap();
    assert_eq!(shown(&found), shown(&expected.tables));
    assert!(network.flow_names().eq(expected.network.flows.iter().map(|flow| flow.name.as_str())));
    assert!(simulation.take_tables().is_empty());
}

// 100 datagrams of 1000 bytes, of which the program says that 90 000 bytes were of use, in 0.5 s.
#[test]
fn a_flow_of_endpoints_has_a_row() {
    let mut network = Network::from_scenario(&Scenario::from_toml(TEXT).unwrap()).unwrap().seed(3);
    let ends = ["left1", "right2"].map(|name| network.find_node(name).unwrap());
    let [here, there] = ends.map(|node| network.endpoint(node));
    let flow = network.external_flow("mine", here, there);
    let mut simulation = network.build().unwrap();
    for number in 0..100u64 {
        simulation.send(here, Duration::from_millis(5 * number), Datagram::new(there, vec![1; 1000])).unwrap();
    }
    while simulation.now() < Duration::from_millis(500) {
        simulation.advance(Duration::from_millis(500)).unwrap();
    }
    simulation.note_delivered(flow, 90_000);
    simulation.note_completion(flow);
    end(&mut simulation);
    let tables = simulation.take_tables();
    let (_, flows) = tables.iter().find(|(name, _)| *name == "flows").unwrap();
    let value = |name: &str| flows.column(name).unwrap().real(2).unwrap();
    assert_eq!((flows.len(), value("sent_packets"), value("sent_bytes")), (3, 100.0, 102_800.0));
    assert_eq!((value("completion_s"), value("delivered_bytes")), (0.5, 90_000.0));
    assert_eq!(value("goodput_bps"), 90_000.0 * 8.0 / 0.5);
    assert_eq!(value("received_packets"), 100.0 - value("dropped_packets"));
    // Each is numbered once, where it enters the first link.
    let (_, packets) = tables.iter().find(|(name, _)| *name == "packets").unwrap();
    let column = |name: &str| packets.column(name).unwrap();
    let own = (0..packets.len()).filter(|&row| {
        let is_first = column("from_node").real(row) == column("source_node").real(row);
        let Column::Words(events) = column("event") else { panic!("events are words") };
        column("flow").real(row) == Some(3.0) && is_first && events.get(row) == "enqueue"
    });
    let numbers: Vec<_> = own.filter_map(|row| column("sequence").real(row)).collect();
    assert_eq!(numbers, (0..100).map(f64::from).collect::<Vec<_>>());
}

#[test]
fn a_scenario_takes_no_parts_but_endpoints() {
    let scenario = Scenario::from_toml(TEXT).unwrap();
    let mut network = Network::from_scenario(&scenario).unwrap();
    let (left, right) = (network.find_node("left1").unwrap(), network.find_node("right1").unwrap());
    let error = network.find_node("rihgt1").unwrap_err();
    assert_eq!(error.to_string(), "network: unknown node \"rihgt1\"; did you mean \"right1\"?");
    network.duplex(left, right, Link::new(1e6, Duration::from_millis(1)));
    let error = network.build().err().expect("a link was added");
    assert_eq!(
        error.to_string(),
        "network of a scenario: links were added; expected them in the scenario, and only endpoints here"
    );
    let mut network = Network::from_scenario(&scenario).unwrap();
    let (one, other) = (network.endpoint(left), network.endpoint(right));
    network.external_flow("there", one, other);
    network.external_flow("back", other, one);
    let error = network.build().err().expect("an endpoint has two flows");
    let expected = "external flow back: one of its endpoints has a flow already; expected two of its own";
    assert_eq!(error.to_string(), expected);
}

/// A writer whose bytes can be read later.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

// The headers are of RFC 791, RFC 768 and RFC 3168, worked by hand; the block is of the draft on pcapng, section 4.3.
#[test]
fn a_capture_has_the_bytes() {
    let mut network = Network::new();
    let (left, right) = (network.node("left"), network.node("right"));
    network.duplex(left, right, Link::new(10e6, Duration::from_millis(20)));
    let (here, there) = (network.endpoint(left), network.endpoint(right));
    let mut simulation = network.build().unwrap();
    let written = Shared::default();
    simulation.capture(there, written.clone());
    simulation.send(here, Duration::ZERO, Datagram::new(there, *b"hello").ecn(Ecn::Ect1)).unwrap();
    let now = simulation.advance(Duration::from_secs(1)).unwrap();
    simulation.end_captures().unwrap();
    let bytes = written.0.lock().unwrap().clone();
    let from = simulation.address(here);
    assert_eq!(from.to_string(), "10.0.0.0:49152");
    // Behind the heads of the block: nanoseconds, lengths, Ethernet of 14 bytes.
    let at = bytes.windows(5).position(|part| part == b"hello").unwrap();
    let frame = &bytes[at - 42..at + 5];
    assert_eq!(frame[12..18], [8, 0, 0x45, 1, 0, 33]);
    assert_eq!(frame[23..24], [17]);
    assert_eq!((&frame[26..30], &frame[30..34]), (&[10, 0, 0, 0][..], &[10, 0, 0, 1][..]));
    assert_eq!(frame[34..40], [0xc0, 0, 0xc0, 0, 0, 13]);
    let head = &bytes[at - 42 - 28..at - 42];
    let word = |index: usize| u32::from_le_bytes(head[4 * index..4 * index + 4].try_into().unwrap());
    assert_eq!((word(0), word(5), word(6)), (6, 47, 47));
    assert_eq!(u64::from(word(3)) << 32 | u64::from(word(4)), now.as_nanos() as u64);
    // The ones' complement sum of the pseudo-header, the UDP header and the data is all ones (RFC 768).
    let pseudo = [&frame[26..34], &[0, 17, 0, 13], &frame[34..], &[0]].concat();
    let sum: u32 = pseudo.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
}
