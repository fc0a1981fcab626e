//! Mistakes of a program are statuses and texts, and the simulation can be used as before.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use ackclock_capi::AckclockStatus as Status;
use ackclock_capi::*;

const MS: u64 = 1_000_000;

fn last_error() -> String {
    // SAFETY: the text of this thread's last error.
    unsafe { CStr::from_ptr(ackclock_last_error()) }.to_str().unwrap().into()
}

fn refused(status: Status, text: &str, got: Status) {
    assert_eq!((got, &*last_error()), (status, text));
}

/// Two nodes, a link each way with an MTU of 1000 bytes, an endpoint at each; it ends after 100 ms.
fn network() -> *mut AckclockNetwork {
    let network = ackclock_network_new();
    let (mut node, mut end) = (0, 0);
    // SAFETY: handles of this thread, texts of C.
    unsafe {
        let link = ackclock_link_new(10e6, 20 * MS);
        assert_eq!(ackclock_link_mtu(link, 1000), Status::Ok);
        for (number, name) in [c"left", c"right", c"island"].into_iter().enumerate() {
            assert_eq!(ackclock_network_node(network, name.as_ptr(), &mut node), Status::Ok);
            assert_eq!(ackclock_network_endpoint(network, node, &mut end), Status::Ok);
            assert_eq!((node, end), (number as u32, number as u32));
        }
        let mut ids = [9; 2];
        assert_eq!(ackclock_network_duplex(network, 0, 1, link, ids.as_mut_ptr()), Status::Ok);
        assert_eq!(ids, [0, 1]);
        assert_eq!(ackclock_network_ends(network, 100 * MS), Status::Ok);
        ackclock_link_free(link);
    }
    network
}

fn simulation() -> *mut AckclockSimulation {
    let (network, mut made) = (network(), null_mut());
    // SAFETY: as above; the simulation does not need its description.
    unsafe {
        assert_eq!(ackclock_network_build(network, &mut made), Status::Ok);
        ackclock_network_free(network);
    }
    made
}

/// Sends this many zeros.
fn send(made: *mut AckclockSimulation, [from, to]: [u32; 2], at_ns: u64, bytes: usize) -> Status {
    let payload = vec![0; bytes];
    // SAFETY: a handle of this thread; the bytes live until the call returns.
    unsafe { ackclock_simulation_send(made, from, at_ns, to, ACKCLOCK_ECN_NOT_ECT, payload.as_ptr(), bytes) }
}

#[test]
fn null_is_refused_everywhere() {
    let (made, mut now) = (simulation(), 0);
    // SAFETY: NULL is what is tested.
    unsafe {
        refused(Status::Null, "the simulation is NULL", ackclock_simulation_advance(null_mut(), 0, &mut now));
        refused(Status::Null, "the network is NULL", ackclock_network_build(null(), &mut null_mut()));
        refused(Status::Null, "the network is NULL", ackclock_network_seed(null_mut(), 1));
        refused(Status::Null, "the link is NULL", ackclock_link_queue(null_mut(), c"red".as_ptr()));
        refused(Status::Null, "the flow is NULL", ackclock_flow_bytes(null_mut(), 1));
        refused(Status::Null, "the place for the time is NULL", ackclock_simulation_now(made, null_mut()));
        let got = ackclock_simulation_link_report(made, 0, null_mut());
        refused(Status::Null, "the place for the report is NULL", got);
        let got = ackclock_simulation_send(made, 0, 0, 1, 0, null(), 1);
        refused(Status::Null, "the payload is NULL", got);
        let link = ackclock_link_new(1e6, 0);
        refused(Status::Null, "the queue discipline is NULL", ackclock_link_queue(link, null()));
        assert!(ackclock_flow_tcp(null(), 0, 1).is_null());
        assert_eq!(last_error(), "the network is NULL");
        ackclock_link_free(link);
        ackclock_link_free(null_mut());
        ackclock_flow_free(null_mut());
        ackclock_network_free(null_mut());
        ackclock_simulation_free(null_mut());
        // An empty datagram needs no place, and the time need not be asked for.
        assert_eq!(ackclock_simulation_send(made, 0, 0, 1, 0, null(), 0), Status::Ok);
        assert_eq!(ackclock_simulation_advance(made, 50 * MS, null_mut()), Status::Ok);
        ackclock_simulation_free(made);
    }
}

// 1000 bytes on the wire take 0.8 ms at 10 Mb/s, and 20 ms of propagation.
#[test]
fn a_simulation_goes_on_after_what_it_refuses() {
    let (made, mut now) = (simulation(), 0);
    // SAFETY: handles of this thread.
    unsafe {
        assert_eq!(ackclock_simulation_advance(made, 10 * MS, &mut now), Status::Ok);
        let text = "0.009 s is in the past: the simulation is at 0.01 s";
        refused(Status::Past, text, send(made, [0, 1], 9 * MS, 10));
        refused(Status::Past, text, ackclock_simulation_advance(made, 9 * MS, &mut now));
        let text = "a datagram of 973 bytes exceeds the MTU of the link left -> right: at most 972 bytes fit";
        refused(Status::TooLarge, text, send(made, [0, 1], 10 * MS, 973));
        refused(Status::NoRoute, "no path leads from left to island", send(made, [0, 2], 10 * MS, 10));
        let text = "unknown endpoint 3; the network has 3 of them, counted from 0";
        refused(Status::UnknownEndpoint, text, send(made, [0, 3], 10 * MS, 10));
        let got = ackclock_simulation_send(made, 0, 10 * MS, 1, 4, null(), 0);
        refused(Status::InvalidArgument, "the ECN field is 4; expected 0 to 3", got);

        assert_eq!(send(made, [0, 1], 10 * MS, 972), Status::Ok);
        assert_eq!(ackclock_simulation_next_event(made, &mut now), Status::Ok);
        assert_eq!(now, 10 * MS);
        assert_eq!(ackclock_simulation_advance(made, 90 * MS, &mut now), Status::Ok);
        assert_eq!(now, 10 * MS + 20 * MS + 800_000);
        let (mut arrived, mut count) = (null(), 0);
        assert_eq!(ackclock_simulation_deliveries(made, &mut arrived, &mut count), Status::Ok);
        let one = *arrived;
        assert_eq!((count, one.at, one.from, one.sent_ns, one.time_ns), (1, 1, 0, 10 * MS, now));
        assert_eq!((one.payload_bytes, *one.payload.add(971), one.ecn), (972, 0, ACKCLOCK_ECN_NOT_ECT));

        refused(Status::Over, "the simulation is over: it ended at 0.1 s", send(made, [0, 1], 100 * MS, 10));
        assert_eq!(ackclock_simulation_advance(made, ACKCLOCK_NEVER, &mut now), Status::Ok);
        assert_eq!(now, 100 * MS, "the end");
        let got = ackclock_simulation_advance(made, ACKCLOCK_NEVER, &mut now);
        refused(Status::Over, "the simulation is over: it ended at 0.1 s", got);
        assert_eq!(ackclock_simulation_next_event(made, &mut now), Status::Ok);
        assert_eq!(now, ACKCLOCK_NEVER);
        let mut report = std::mem::zeroed();
        assert_eq!(ackclock_simulation_endpoint_report(made, 1, &mut report), Status::Ok);
        assert_eq!((report.received_packets, report.received_bytes, report.delay.max_ns), (1, 1000, 20_800_000));
        let got = ackclock_simulation_endpoint_report(made, 3, &mut report);
        refused(Status::UnknownEndpoint, text, got);
        let mut link = std::mem::zeroed();
        assert_eq!(ackclock_simulation_link_report(made, 0, &mut link), Status::Ok);
        assert_eq!((link.sent_packets, link.sent_bytes, link.dropped_packets), (1, 1000, 0));
        let text = "unknown link 2; the network has 2 of them, counted from 0";
        refused(Status::InvalidArgument, text, ackclock_simulation_link_report(made, 2, &mut link));
        ackclock_simulation_free(made);
    }
}

#[test]
fn what_a_description_says_wrong_is_named() {
    let (network, mut made) = (network(), null_mut());
    // SAFETY: handles of this thread, texts of C.
    unsafe {
        let text = "unknown node 3; the network has 3 of them, counted from 0";
        assert!(ackclock_flow_udp(network, 3, 0, 1e6).is_null());
        assert_eq!(last_error(), text);
        let link = ackclock_link_new(10e6, MS);
        refused(Status::InvalidArgument, text, ackclock_network_link(network, 0, 3, link, null_mut()));
        let got = ackclock_link_param(link, c"limit".as_ptr(), f64::NAN);
        refused(Status::InvalidArgument, "the value of limit is NaN; expected a number", got);
        let got = ackclock_link_loss_param(link, c"rate".as_ptr(), 0.5);
        refused(Status::InvalidArgument, "the link has no loss to set rate of", got);
        let wrong = CString::new(vec![0xff]).unwrap();
        let got = ackclock_link_queue(link, wrong.as_ptr());
        refused(Status::InvalidArgument, "the queue discipline is not UTF-8: \"\u{fffd}\"", got);

        assert_eq!(ackclock_link_queue(link, c"fq_codle".as_ptr()), Status::Ok);
        assert_eq!(ackclock_network_link(network, 0, 1, link, null_mut()), Status::Ok);
        let text = "link left -> right: unknown queue discipline \"fq_codle\"; did you mean \"fq_codel\"?";
        refused(Status::Build, text, ackclock_network_build(network, &mut made));
        assert!(made.is_null());
        ackclock_link_free(link);
        ackclock_network_free(network);
    }
}

/// All that a link and a flow can be told reaches the library: packets 1 and 2 of the TCP flow are lost on the way, and its
/// 50,000 bytes still arrive.
#[test]
fn links_and_flows_are_what_was_said() {
    let (network, mut made) = (ackclock_network_new(), null_mut());
    // SAFETY: handles of this thread, texts of C.
    unsafe {
        let (mut left, mut right, mut there, mut tcp, mut udp) = (0, 0, 0, 0, 0);
        assert_eq!(ackclock_network_seed(network, 7), Status::Ok);
        assert_eq!(ackclock_network_node(network, c"left".as_ptr(), &mut left), Status::Ok);
        assert_eq!(ackclock_network_node(network, c"right".as_ptr(), &mut right), Status::Ok);
        let link = ackclock_link_new(10e6, 10 * MS);
        assert_eq!(ackclock_network_link(network, right, left, link, null_mut()), Status::Ok);
        assert_eq!(ackclock_link_queue(link, c"codel".as_ptr()), Status::Ok);
        assert_eq!(ackclock_link_param(link, c"ecn".as_ptr(), 1.0), Status::Ok);
        let listed = [3, 4];
        assert_eq!(ackclock_link_loss_packets(link, listed.as_ptr(), 2), Status::Ok);
        assert_eq!(ackclock_link_loss_model(link, c"uniform".as_ptr()), Status::Ok);
        assert_eq!(ackclock_link_loss_param(link, c"rate".as_ptr(), 0.0), Status::Ok);
        assert_eq!(ackclock_network_link(network, left, right, link, &mut there), Status::Ok);
        assert_eq!(there, 1);
        let flow = ackclock_flow_tcp(network, left, right);
        assert_eq!(ackclock_flow_control(flow, c"reno".as_ptr()), Status::Ok);
        assert_eq!(ackclock_flow_bytes(flow, 50_000), Status::Ok);
        assert_eq!(ackclock_flow_param(flow, c"segsize".as_ptr(), 1000.0), Status::Ok);
        assert_eq!(ackclock_flow_receiver_param(flow, c"window".as_ptr(), 100.0), Status::Ok);
        assert_eq!(ackclock_network_flow(network, flow, &mut tcp), Status::Ok);
        let rate = ackclock_flow_udp(network, right, left, 1e6);
        assert_eq!(ackclock_flow_starts(rate, 1000 * MS), Status::Ok);
        assert_eq!(ackclock_flow_stops(rate, 2000 * MS), Status::Ok);
        assert_eq!(ackclock_network_flow(network, rate, &mut udp), Status::Ok);
        assert_eq!(ackclock_network_build(network, &mut made), Status::Ok, "{}", last_error());
        assert_eq!(ackclock_simulation_advance(made, 3000 * MS, null_mut()), Status::Ok);
        let mut report = std::mem::zeroed();
        assert_eq!(ackclock_simulation_flow_report(made, tcp, &mut report), Status::Ok);
        assert_eq!((report.delivered_bytes, report.lost_packets), (50_000, 2));
        assert!(report.completed_ns < 1000 * MS, "{report:?}");
        assert_eq!(ackclock_simulation_flow_report(made, udp, &mut report), Status::Ok);
        // 1 Mb/s for a second in packets of 1250 bytes: one every 10 ms.
        assert!((100..=101).contains(&report.sent_packets), "{report:?}");
        assert_eq!(report.completed_ns, ACKCLOCK_NEVER);
        let mut link_report = std::mem::zeroed();
        assert_eq!(ackclock_simulation_link_report(made, there, &mut link_report), Status::Ok);
        assert_eq!(link_report.lost_packets, 2);
        ackclock_simulation_free(made);
        for flow in [flow, rate] {
            ackclock_flow_free(flow);
        }
        ackclock_link_free(link);
        ackclock_network_free(network);
    }
}
