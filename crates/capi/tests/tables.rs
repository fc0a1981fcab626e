//! Tables, captures and flows of a program's endpoints are those of the library in Rust.

use std::ffi::{CStr, CString};
use std::io::Write;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ackclock::{Column, Datagram, Network, Scenario};
use ackclock_capi::AckclockStatus as Status;
use ackclock_capi::*;

const TEXT: &CStr = c"
duration = \"2 s\"
external_nodes = [\"node1\", \"node2\"]
topology = { kind = \"chain\", nodes = 2, link = { rate = \"10 Mb/s\", delay = \"20 ms\" } }
flows = [{ source = \"node1\", destination = \"node2\", tcp = \"cubic\" }]
record = { packets = true }
";
const BYTES: [u8; 1000] = [7; 1000];

fn last_error() -> String {
    // SAFETY: the text of this thread's last error.
    unsafe { CStr::from_ptr(ackclock_last_error()) }.to_str().unwrap().into()
}

fn refused(status: Status, text: &str, got: Status) {
    assert_eq!((got, &*last_error()), (status, text));
}

/// Where a capture in Rust goes.
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

/// The scenario with two endpoints, a flow between them and ten datagrams, of which 9000 bytes were of use in 1 s: tables
/// and capture by the library in Rust.
fn by_rust() -> (Vec<(&'static str, ackclock::Table)>, Vec<u8>) {
    let mut network = Network::from_scenario(&Scenario::from_toml(TEXT.to_str().unwrap()).unwrap()).unwrap();
    let nodes = ["node1", "node2"].map(|name| network.find_node(name).unwrap());
    let [here, there] = nodes.map(|node| network.endpoint(node));
    let flow = network.external_flow("mine", here, there);
    let (mut simulation, captured) = (network.build().unwrap(), Shared::default());
    simulation.capture(there, captured.clone());
    for number in 0..10 {
        simulation.send(here, Duration::from_millis(10 * number), Datagram::new(there, BYTES)).unwrap();
    }
    while simulation.now() < Duration::from_secs(1) {
        simulation.advance(Duration::from_secs(1)).unwrap();
    }
    simulation.note_delivered(flow, 9000);
    simulation.note_completion(flow);
    simulation.advance(Duration::from_secs(2)).unwrap();
    simulation.end_captures().unwrap();
    let captured = captured.0.lock().unwrap().clone();
    (simulation.take_tables(), captured)
}

/// The same by the library in C, up to the end; the capture goes to this file.
unsafe fn by_c(capture: &CStr) -> *mut AckclockSimulation {
    let (mut nodes, mut ends, mut flow) = ([9; 2], [9; 2], 9);
    let (mut made, mut now_ns) = (null_mut(), 0);
    // SAFETY: handles of this thread, texts of C, places that live until the calls return.
    unsafe {
        let network = ackclock_network_from_scenario(TEXT.as_ptr());
        assert!(!network.is_null(), "{}", last_error());
        for (place, name) in [c"node1", c"node2"].into_iter().enumerate() {
            assert_eq!(ackclock_network_find_node(network, name.as_ptr(), &mut nodes[place]), Status::Ok);
            assert_eq!(ackclock_network_endpoint(network, nodes[place], &mut ends[place]), Status::Ok);
        }
        let got = ackclock_network_external_flow(network, c"mine".as_ptr(), ends[0], 2, &mut flow);
        refused(Status::InvalidArgument, "unknown endpoint 2; the network has 2 of them, counted from 0", got);
        let got = ackclock_network_external_flow(network, c"mine".as_ptr(), ends[0], ends[1], &mut flow);
        assert_eq!((got, flow), (Status::Ok, 0));
        assert_eq!(ackclock_network_build(network, &mut made), Status::Ok);
        ackclock_network_free(network);
        assert_eq!(ackclock_simulation_capture(made, ends[1], capture.as_ptr()), Status::Ok, "{}", last_error());
        for number in 0..10 {
            let at_ns = number * 10_000_000;
            let got = ackclock_simulation_send(made, ends[0], at_ns, ends[1], 0, BYTES.as_ptr(), BYTES.len());
            assert_eq!(got, Status::Ok);
        }
        while now_ns < 1_000_000_000 {
            assert_eq!(ackclock_simulation_advance(made, 1_000_000_000, &mut now_ns), Status::Ok);
        }
        assert_eq!(ackclock_simulation_note_delivered(made, flow, 9000), Status::Ok);
        assert_eq!(ackclock_simulation_note_completion(made, flow), Status::Ok);
        let got = ackclock_simulation_note_delivered(made, 1, 0);
        refused(Status::InvalidArgument, "unknown external flow 1; the network has 1 of them, counted from 0", got);
        assert_eq!(ackclock_simulation_advance(made, 2_000_000_000, null_mut()), Status::Ok);
        assert_eq!(ackclock_simulation_end_captures(made), Status::Ok);
    }
    made
}

#[test]
fn tables_and_captures_are_those_of_the_library_in_rust() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("from-c.pcapng");
    let (expected, captured) = by_rust();
    let mut tables = null_mut();
    // SAFETY: handles of this thread, texts of C, places that live until the calls return.
    unsafe {
        let made = by_c(&CString::new(file.to_str().unwrap()).unwrap());
        assert_eq!(ackclock_simulation_take_tables(made, &mut tables), Status::Ok);
        ackclock_simulation_free(made);
        assert_eq!(std::fs::read(&file).unwrap(), captured);
        for (number, (name, table)) in expected.iter().enumerate() {
            let (mut found, mut rows) = (99, 0);
            let c_name = CString::new(*name).unwrap();
            assert_eq!(CStr::from_ptr(ackclock_tables_name(tables, number)), &*c_name);
            assert_eq!(ackclock_tables_find(tables, c_name.as_ptr(), &mut found), Status::Ok);
            assert_eq!(ackclock_tables_rows(tables, number, &mut rows), Status::Ok);
            assert_eq!((found, rows), (number, table.len()));
            for (place, (name, column)) in table.columns.iter().enumerate() {
                let c_name = CString::new(*name).unwrap();
                assert_eq!(CStr::from_ptr(ackclock_tables_column_name(tables, number, place)), &*c_name);
                assert_eq!(ackclock_tables_find_column(tables, number, c_name.as_ptr(), &mut found), Status::Ok);
                assert_eq!(found, place);
                for row in 0..rows {
                    let (mut value, mut word) = (0.0, null());
                    assert_eq!(ackclock_tables_number(tables, number, place, row, &mut value), Status::Ok);
                    assert_eq!(value.to_bits(), column.real(row).unwrap_or(f64::NAN).to_bits(), "{name}, row {row}");
                    assert_eq!(ackclock_tables_word(tables, number, place, row, &mut word), Status::Ok);
                    match column {
                        Column::Words(words) => assert_eq!(CStr::from_ptr(word).to_str().unwrap(), words.get(row)),
                        _ => assert!(word.is_null()),
                    }
                }
            }
            assert!(ackclock_tables_column_name(tables, number, table.columns.len()).is_null());
        }
        assert!(ackclock_tables_name(tables, expected.len()).is_null());
        ackclock_tables_free(tables);
    }
}

// Ten datagrams of 1000 bytes and 28 of headers; 9000 bytes of use until the second 1.
#[test]
fn a_flow_of_endpoints_has_its_figures() {
    let file = CString::new(format!("{}/figures.pcapng", env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let (mut tables, mut flows, mut column, mut value) = (null_mut(), 9, 9, 0.0);
    // SAFETY: as above.
    unsafe {
        let made = by_c(&file);
        assert_eq!(ackclock_simulation_take_tables(made, &mut tables), Status::Ok);
        assert_eq!(ackclock_tables_find(tables, c"flows".as_ptr(), &mut flows), Status::Ok);
        let figures = [(c"sent_bytes", 10_280.0), (c"delivered_bytes", 9000.0), (c"completion_s", 1.0)];
        for (name, expected) in figures {
            assert_eq!(ackclock_tables_find_column(tables, flows, name.as_ptr(), &mut column), Status::Ok);
            assert_eq!(ackclock_tables_number(tables, flows, column, 1, &mut value), Status::Ok);
            assert_eq!(value, expected, "{name:?}");
        }
        let got = ackclock_tables_number(tables, flows, column, 2, &mut value);
        refused(Status::InvalidArgument, "unknown row 2; the table has 2 of them, counted from 0", got);
        let got = ackclock_tables_number(tables, 99, 0, 0, &mut value);
        assert_eq!(got, Status::InvalidArgument);
        let got = ackclock_tables_find(tables, c"flow".as_ptr(), &mut flows);
        assert_eq!(got, Status::InvalidArgument);
        assert!(last_error().starts_with("unknown table \"flow\"; expected one of: flows, "), "{}", last_error());
        ackclock_tables_free(tables);
        // They are taken.
        assert_eq!(ackclock_simulation_take_tables(made, &mut tables), Status::Ok);
        assert!(ackclock_tables_name(tables, 0).is_null());
        ackclock_tables_free(tables);
        refused(Status::Null, "the handle of the tables is NULL", ackclock_tables_rows(null(), 0, &mut flows));
        let got = ackclock_simulation_capture(made, 0, c"/no/folder/x.pcapng".as_ptr());
        assert_eq!(got, Status::File);
        assert!(last_error().starts_with("/no/folder/x.pcapng: "), "{}", last_error());
        ackclock_simulation_free(made);
    }
}
