//! The network as a program sees it, by numbers worked by hand.

use std::time::Duration;

use ackclock::engine::packet::{PacketId, PacketPool};
use ackclock::engine::params::Value;
use ackclock::engine::queue::{QueueContext, QueueLimit};
use ackclock::{Datagram, Delivery, Discipline, Ecn, Endpoint, Error, Flow, Link, Loss, Network, Simulation};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Two nodes with such a link each way, and an endpoint at each.
fn pair(link: Link) -> (Network, Endpoint, Endpoint) {
    let mut network = Network::new();
    let (left, right) = (network.node("left"), network.node("right"));
    network.duplex(left, right, link);
    let ends = (network.endpoint(left), network.endpoint(right));
    (network, ends.0, ends.1)
}

/// A datagram of 1250 bytes on the wire, with this number in front.
fn datagram(to: Endpoint, number: u8) -> Datagram {
    let mut payload = vec![0; 1222];
    payload[0] = number;
    Datagram::new(to, payload)
}

/// All that is delivered until a time.
fn run(simulation: &mut Simulation, until: Duration) -> Vec<Delivery> {
    let mut all = Vec::new();
    while simulation.now() < until {
        simulation.advance(until).unwrap();
        all.extend(simulation.deliveries());
    }
    all
}

// 1250 bytes take 1 ms at 10 Mb/s, and 20 ms of propagation. Each waits for those before it.
#[test]
fn datagrams_leave_one_after_another() {
    let (network, left, right) = pair(Link::new(10e6, ms(20)));
    let mut simulation = network.build().unwrap();
    for number in 0..10 {
        simulation.send(left, Duration::ZERO, datagram(right, number)).unwrap();
    }
    simulation.send(right, ms(5), datagram(left, 99)).unwrap();
    let all = run(&mut simulation, ms(100));
    let there: Vec<_> =
        all.iter().filter(|one| one.at == right).map(|one| (one.payload[0], one.time, one.from)).collect();
    assert_eq!(there, (0..10).map(|number| (number, ms(21 + u64::from(number)), left)).collect::<Vec<_>>());
    let back: Vec<_> =
        all.iter().filter(|one| one.at == left).map(|one| (one.payload[0], one.sent, one.time)).collect();
    assert_eq!(back, [(99, ms(5), ms(26))]);
    let report = simulation.endpoint_report(right);
    assert_eq!((report.received_packets, report.received_bytes, report.lost_packets), (10, 12_500, 0));
    assert_eq!(report.delay.max, ms(30));
}

// ns-2's drop-tail with a limit of 10 holds 9 while another one is sent: 10 of 12 arrive.
#[test]
fn what_does_not_fit_is_dropped() {
    let mut network = Network::new();
    let (from, to) = (network.node("a"), network.node("b"));
    let link = network.link(from, to, Link::new(10e6, ms(20)).param("limit", 10));
    let ends = [network.endpoint(from), network.endpoint(to)];
    let mut simulation = network.build().unwrap();
    for number in 0..12 {
        simulation.send(ends[0], Duration::ZERO, datagram(ends[1], number)).unwrap();
    }
    let all = run(&mut simulation, ms(100));
    assert_eq!(all.iter().map(|one| one.payload[0]).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    let report = simulation.link_report(link);
    assert_eq!((report.sent_packets, report.sent_bytes, report.dropped_packets), (10, 12_500, 2));
    // 0, 1, ... 9 ms in the queue; busy for 10 of 100 ms.
    assert_eq!((report.queueing_delay.mean, report.queueing_delay.max), (Duration::from_micros(4500), ms(9)));
    assert!((report.utilisation - 0.1).abs() < 1e-9, "{}", report.utilisation);
    assert_eq!(simulation.endpoint_report(ends[0]).lost_packets, 2);
}

// FQ-CoDel marks what has waited for longer than ce_threshold (5.5 ms here) and is ECN-capable: from the seventh on.
#[test]
fn marks_arrive() {
    let link = Link::new(10e6, ms(20)).queue("fq_codel").param("ecn", true).param("ce_threshold", 0.0055);
    let (network, left, right) = pair(link);
    for (ecn, expected) in [(Ecn::Ect0, Ecn::Ce), (Ecn::Ect1, Ecn::Ce), (Ecn::NotEct, Ecn::NotEct), (Ecn::Ce, Ecn::Ce)]
    {
        let mut simulation = network.build().unwrap();
        for number in 0..10 {
            simulation.send(left, Duration::ZERO, datagram(right, number).ecn(ecn)).unwrap();
        }
        let all: Vec<_> = run(&mut simulation, ms(100)).iter().map(|one| one.ecn).collect();
        assert_eq!(all[..6], [ecn; 6]);
        assert_eq!(all[6..], [expected; 4]);
    }
}

#[test]
fn losses_are_counted_at_their_sender() {
    let (network, left, right) = pair(Link::new(10e6, ms(20)).loss(Loss::packets(&[1, 3])));
    let mut simulation = network.build().unwrap();
    for number in 0..5 {
        simulation.send(left, ms(2 * u64::from(number)), datagram(right, number)).unwrap();
    }
    let all = run(&mut simulation, ms(100));
    assert_eq!(all.iter().map(|one| one.payload[0]).collect::<Vec<_>>(), [0, 2, 4]);
    assert_eq!(simulation.endpoint_report(left).lost_packets, 2);
}

// Of 20,000 packets a twentieth is lost: 1,000, within four standard deviations of the binomial distribution (31).
#[test]
fn random_losses_follow_from_the_seed() {
    let lost = |seed| {
        let (network, left, right) = pair(Link::new(1e9, ms(1)).loss(Loss::random(0.05)));
        let mut simulation = network.seed(seed).build().unwrap();
        for number in 0..20_000 {
            simulation.send(left, Duration::from_micros(20 * number), datagram(right, 0)).unwrap();
        }
        run(&mut simulation, ms(1000)).iter().map(|one| one.time).collect::<Vec<_>>()
    };
    let first = lost(1);
    assert!((20_000 - first.len()).abs_diff(1000) < 4 * 31, "{}", first.len());
    assert_eq!(first, lost(1));
    assert_ne!(first, lost(2));
}

#[test]
fn wrong_calls_are_refused_and_it_goes_on() {
    let mut network = Network::new().ends(ms(50));
    let nodes = ["client", "router", "server", "island"].map(|name| network.node(name));
    network.duplex(nodes[0], nodes[1], Link::new(10e6, ms(1)));
    network.duplex(nodes[1], nodes[2], Link::new(10e6, ms(1)).mtu(1400));
    let [client, _, server, island] = nodes.map(|node| network.endpoint(node));
    let mut simulation = network.build().unwrap();
    assert_eq!(simulation.advance(ms(10)), Ok(ms(10)));

    let past = Error::Past { at: ms(9), now: ms(10) };
    assert_eq!(simulation.send(client, ms(9), datagram(server, 0)), Err(past.clone()));
    assert_eq!(simulation.advance(ms(9)), Err(past.clone()));
    assert_eq!(past.to_string(), "0.009 s is in the past: the simulation is at 0.01 s");

    let large = simulation.send(client, ms(10), Datagram::new(server, vec![0; 1373])).unwrap_err();
    let expected = "a datagram of 1373 bytes exceeds the MTU of the link router -> server: at most 1372 bytes fit";
    assert_eq!(large.to_string(), expected);
    let lost = simulation.send(client, ms(10), Datagram::new(island, [])).unwrap_err();
    assert_eq!(lost.to_string(), "no path leads from client to island");
    let mut other = network.clone();
    let stranger = other.endpoint(nodes[0]);
    assert_eq!(simulation.send(stranger, ms(10), datagram(server, 0)), Err(Error::UnknownEndpoint));
    assert_eq!(simulation.send(client, ms(50), datagram(server, 0)), Err(Error::Over { end: ms(50) }));

    simulation.send(client, ms(10), Datagram::new(server, vec![0; 1372])).unwrap();
    simulation.send(client, ms(49), Datagram::new(server, vec![1; 1372])).unwrap();
    // 1400 bytes take 1.12 ms on each of two links of 1 ms.
    assert_eq!(
        run(&mut simulation, ms(50)).iter().map(|one| one.time).collect::<Vec<_>>(),
        [Duration::from_micros(14_240)]
    );
    assert_eq!(simulation.advance(ms(60)), Err(Error::Over { end: ms(50) }));
    assert_eq!(simulation.advance(ms(60)).unwrap_err().to_string(), "the simulation is over: it ended at 0.05 s");
    assert_eq!(simulation.endpoint_report(server).received_packets, 1);
}

#[test]
fn wrong_descriptions_are_named() {
    let build = |link: Link, flow: &dyn Fn(Flow) -> Flow| {
        let (mut network, ..) = pair(link);
        let nodes = [network.node("a"), network.node("b")];
        network.duplex(nodes[0], nodes[1], Link::new(1e6, ms(1)));
        network.flow(flow(Flow::tcp(nodes[0], nodes[1])));
        network.build().err().map(|error| error.to_string())
    };
    let link = || Link::new(1e6, ms(1));
    let same = |flow: Flow| flow;
    let expected = [
        (build(link().queue("fq_codle"), &same), "unknown queue discipline \"fq_codle\"; did you mean \"fq_codel\"?"),
        (build(link().param("limits", 5), &same), "unknown parameter of drop_tail \"limits\"; did you mean \"limit\"?"),
        (build(link().param("limit", 0), &same), "the limit of its queue is 0; expected at least 1"),
        (build(Link::new(0.0, ms(1)), &same), "a link's rate is 0 bit/s; it must be positive"),
        (build(Link::new(f64::NAN, ms(1)), &same), "its rate is NaN bit/s; expected a positive number"),
        (build(link().mtu(28), &same), "its MTU is 28 bytes; expected more than the headers' 28"),
        (build(link().loss(Loss::random(1.5)), &same), "its loss rate is 1.5; expected 0 to 1"),
        (
            build(link().loss(Loss::model("unifrom")), &same),
            "unknown error model \"unifrom\"; did you mean \"uniform\"?",
        ),
    ];
    for (found, expected) in expected {
        assert_eq!(found, Some(format!("link left -> right: {expected}")));
    }
    let found = build(link(), &|flow| flow.control("cubik"));
    assert_eq!(found.unwrap(), "flow 0, a -> b: unknown congestion control \"cubik\"; did you mean \"cubic\"?");
    let found = build(link(), &|flow| flow.param("segsice", 1000));
    assert_eq!(found.unwrap(), "flow 0, a -> b: unknown parameter \"segsice\"; did you mean \"segsize\"?");
    let found = build(link(), &|flow| flow.starts(ms(20)).stops(ms(10)));
    assert_eq!(found.unwrap(), "flow 0, a -> b: it stops at 10ms, before it starts at 20ms");
    // Flows of their own network: left and right with a link in one direction, and a node without links.
    let of = |flow: &dyn Fn([ackclock::NodeId; 3]) -> Flow| {
        let mut network = Network::new();
        let nodes = ["left", "right", "alone"].map(|name| network.node(name));
        network.link(nodes[0], nodes[1], link());
        network.flow(flow(nodes));
        network.build().err().map(|error| error.to_string())
    };
    let wrong = [
        (of(&|[left, ..]| Flow::tcp(left, left)), "flow 0, left -> left: it begins and ends at one node; expected two"),
        (of(&|[left, _, alone]| Flow::udp(left, alone, 1e6)), "flow 0: no path leads from left to alone"),
        (of(&|[left, right, _]| Flow::tcp(left, right)), "flow 0: no path leads from right to left"),
        (
            of(&|[left, right, _]| Flow::udp(left, right, 1e6).control("reno")),
            "flow 0, left -> right: a congestion control is TCP's; a UDP flow sends at its rate",
        ),
        (
            of(&|[left, right, _]| Flow::udp(left, right, 1e6).bytes(1)),
            "flow 0, left -> right: a number of bytes is TCP's; a UDP flow sends at its rate",
        ),
        (of(&|[left, right, _]| Flow::udp(left, right, 1e6)), ""),
    ];
    for (found, expected) in wrong {
        assert_eq!(found.unwrap_or_default(), expected);
    }
    let (mut network, ..) = pair(link());
    network.node("left");
    assert_eq!(network.build().err().unwrap().to_string(), "node left: another node has this name");
}

// A step from event to event and one step over all see the same.
#[test]
fn nothing_happens_before_the_next_event() {
    let (network, left, right) = pair(Link::new(10e6, ms(20)).queue("fq_codel").loss(Loss::random(0.02)));
    let send = |simulation: &mut Simulation| {
        for number in 0..200 {
            simulation.send(left, Duration::from_micros(900 * u64::from(number)), datagram(right, number)).unwrap();
        }
    };
    let (mut once, mut stepped) = (network.build().unwrap(), network.build().unwrap());
    send(&mut once);
    send(&mut stepped);
    let expected = run(&mut once, ms(400));
    let mut all = Vec::new();
    while let Some(at) = stepped.next_event() {
        if at > stepped.now() {
            stepped.advance(at - Duration::from_nanos(1)).unwrap();
            assert_eq!(stepped.deliveries().count(), 0);
        }
        stepped.advance(at).unwrap();
        all.extend(stepped.deliveries());
    }
    assert_eq!(all, expected);
    assert!(all.len() > 180);
}

// The loop of the test above ends at the end of a simulation, although a flow goes on.
#[test]
fn there_is_no_event_after_the_end() {
    let (mut network, ..) = pair(Link::new(10e6, ms(20)));
    let nodes = [network.node("a"), network.node("b")];
    network.duplex(nodes[0], nodes[1], Link::new(1e6, ms(1)));
    network.flow(Flow::tcp(nodes[0], nodes[1]));
    let mut simulation = network.ends(ms(50)).build().unwrap();
    while let Some(at) = simulation.next_event() {
        simulation.advance(at).unwrap();
    }
    assert_eq!(simulation.now(), ms(50));
    assert!(matches!(simulation.advance(ms(60)), Err(Error::Over { .. })));
}

// 10 segments of 1448 bytes in a round trip of 100 ms, which the queue does not lengthen: 1.16 Mb/s.
#[test]
fn a_flow_with_a_window_has_the_rate_of_its_window() {
    let mut network = Network::new();
    let (left, right) = (network.node("left"), network.node("right"));
    network.duplex(left, right, Link::new(1e9, ms(50)));
    let windowed = network.flow(Flow::tcp(left, right).control("reno").receiver_param("window", 10));
    let short = network.flow(Flow::tcp(left, right).bytes(14_480).starts(ms(1000)));
    let udp = network.flow(Flow::udp(right, left, 2e6).starts(ms(500)).stops(ms(1500)));
    let mut simulation = network.build().unwrap();
    simulation.advance(ms(10_000)).unwrap();
    let rate_bps = simulation.flow_report(windowed).goodput_bps;
    assert!((rate_bps / 1.1584e6 - 1.0).abs() < 0.03, "{rate_bps}");
    // Handshake, then an initial window of ten segments: two round trips.
    let report = simulation.flow_report(short);
    assert_eq!(report.delivered_bytes, 14_480);
    let completed = report.completed.unwrap();
    assert!(completed > ms(1200) && completed < ms(1202), "{completed:?}");
    let report = simulation.flow_report(udp);
    assert!(report.sent_packets.abs_diff(200) <= 1, "{}", report.sent_packets);
    assert_eq!(report.lost_packets, 0);
}

#[test]
fn the_cheapest_path_is_taken() {
    let mut network = Network::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
    let [direct, _] = network.duplex(a, c, Link::new(10e6, ms(1)).cost(3.0));
    network.duplex(a, b, Link::new(10e6, ms(10)));
    network.duplex(b, c, Link::new(10e6, ms(10)));
    let (here, there) = (network.endpoint(a), network.endpoint(c));
    let neighbour = network.endpoint(a);
    let mut simulation = network.build().unwrap();
    simulation.send(here, Duration::ZERO, datagram(there, 1)).unwrap();
    simulation.send(here, Duration::ZERO, datagram(neighbour, 2)).unwrap();
    let all: Vec<_> = run(&mut simulation, ms(50)).iter().map(|one| (one.payload[0], one.time)).collect();
    assert_eq!(all, [(2, Duration::ZERO), (1, ms(22))]);
    assert_eq!(simulation.link_report(direct).sent_packets, 0);
}

/// A discipline that fails at its third packet.
#[derive(Default)]
struct Broken(u32, Vec<PacketId>);

impl Discipline for Broken {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.0 += 1;
        self.1.push(packet);
        if self.0 == 3 {
            *context.error = Some("the third packet is too many".into());
        }
    }

    fn dequeue(&mut self, _context: &mut QueueContext) -> Option<PacketId> {
        self.1.pop()
    }

    fn len_packets(&self) -> usize {
        self.1.len()
    }

    fn len_bytes(&self) -> i64 {
        1250 * self.1.len() as i64
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Others
    }

    fn param(&self, _name: &str) -> Option<Value> {
        None
    }

    fn set_param(&mut self, _name: &str, _value: Value) -> bool {
        false
    }

    fn store(&mut self, _packet: PacketId, _packets: &PacketPool) -> bool {
        false
    }
}

#[test]
fn a_simulation_that_failed_says_so_for_ever() {
    let (network, left, right) = pair(Link::new(10e6, ms(20)).own_queue(|| Box::<Broken>::default()));
    let mut simulation = network.build().unwrap();
    for number in 0..3 {
        simulation.send(left, ms(u64::from(number)), datagram(right, number)).unwrap();
    }
    let failed = Error::Failed("the third packet is too many".into());
    assert_eq!(simulation.advance(ms(50)), Err(failed.clone()));
    assert_eq!(simulation.advance(ms(50)), Err(failed.clone()));
    assert_eq!(simulation.send(left, ms(50), datagram(right, 4)), Err(failed));
}

#[test]
fn a_simulation_can_go_to_another_thread() {
    fn can_move<T: Send>() {}
    can_move::<Simulation>();
}
