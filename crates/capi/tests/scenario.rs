//! Networks of scenario files, and what is wrong with one.

use std::ffi::CStr;
use std::ptr::null_mut;

use ackclock_capi::AckclockStatus as Status;
use ackclock_capi::*;

const TEXT: &CStr = c"
duration = \"1 s\"
external_nodes = [\"node1\", \"node2\"]
topology = { kind = \"chain\", nodes = 2, link = { rate = \"10 Mb/s\", delay = \"20 ms\" } }
";

fn last_error() -> String {
    // SAFETY: the text of this thread's last error.
    unsafe { CStr::from_ptr(ackclock_last_error()) }.to_str().unwrap().into()
}

// 1222 bytes and 28 of headers take 1 ms at 10 Mb/s, and 20 ms of propagation.
#[test]
fn a_datagram_crosses_a_scenarios_link() {
    let (mut nodes, mut ends, mut link) = ([9; 2], [9; 2], 9);
    let (mut made, mut now_ns) = (null_mut(), 0);
    // SAFETY: handles of this thread, texts of C, places that live until the calls return.
    unsafe {
        let network = ackclock_network_from_scenario(TEXT.as_ptr());
        assert!(!network.is_null(), "{}", last_error());
        for (place, name) in [c"node1", c"node2"].into_iter().enumerate() {
            assert_eq!(ackclock_network_find_node(network, name.as_ptr(), &mut nodes[place]), Status::Ok);
            assert_eq!(ackclock_network_endpoint(network, nodes[place], &mut ends[place]), Status::Ok);
        }
        let mut again = 9;
        assert_eq!(ackclock_network_find_node(network, c"node1".as_ptr(), &mut again), Status::Ok);
        assert_eq!(again, nodes[0]);
        assert_eq!(ackclock_network_find_link(network, nodes[0], nodes[1], &mut link), Status::Ok);
        assert_eq!(ackclock_network_find_node(network, c"nodd1".as_ptr(), &mut again), Status::Build);
        assert_eq!(last_error(), "network: unknown node \"nodd1\"; did you mean \"node1\"?");
        assert_eq!(ackclock_network_build(network, &mut made), Status::Ok);
        ackclock_network_free(network);
        let bytes = [0; 1222];
        let sent =
            ackclock_simulation_send(made, ends[0], 0, ends[1], ACKCLOCK_ECN_NOT_ECT, bytes.as_ptr(), bytes.len());
        assert_eq!(sent, Status::Ok);
        assert_eq!(ackclock_simulation_advance(made, 500_000_000, &mut now_ns), Status::Ok);
        assert_eq!(now_ns, 21_000_000);
        ackclock_simulation_free(made);
    }
}

#[test]
fn a_mistake_has_its_line_and_key() {
    let text = c"duration = \"1 s\"\nexternal_nodes = [\"node1\", \"nodd2\"]\ntopology = { kind = \"chain\", nodes = 2, link = { rate = \"1 Mb/s\", delay = \"1 ms\" } }";
    // SAFETY: a text of C.
    let network = unsafe { ackclock_network_from_scenario(text.as_ptr()) };
    assert!(network.is_null());
    let expected = "line 2: external_nodes.1 = \"nodd2\": expected a node: node1, node2; nearest known: node2";
    assert_eq!(last_error(), expected);
}
