//! Receive offload between a whole sender and receiver: how many ACKs answer a transfer.

#[path = "../examples/networks/mod.rs"]
mod networks;

use std::any::Any;

use ackclock_engine::measure::observe::{Observer, Passing, TraceId};
use ackclock_engine::net::link::{Hook, HookPoint};
use ackclock_engine::net::node::AgentId;
use ackclock_engine::params::Value;
use ackclock_engine::time::Time;
use networks::{Dumbbell, Shape};

/// Packets of data that the bottleneck delivers, and ACKs on the way back.
#[derive(Default)]
struct Count {
    data: u32,
    acks: u32,
}

impl Observer for Count {
    fn packet(&mut self, _: TraceId, _: Time, passing: Passing) {
        if passing.packet.payload > 0 {
            self.data += 1;
        } else {
            self.acks += 1;
        }
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// Data packets for each ACK of a flow of Reno through 100 Mb/s, whose receiver collects packets for `gro_s`.
fn data_per_ack(gro_s: f64) -> f64 {
    let shape = Shape {
        flows: 1,
        rate_bps: 100e6,
        delay_s: 0.01,
        limit: 100_000,
        more_links: 0,
        sender: "tcp:reno",
        queue: "drop_tail",
    };
    let mut dumbbell = Dumbbell::new(&shape, 1);
    let receiver = AgentId(dumbbell.senders[0].0 + 1);
    let net = &mut dumbbell.simulation.net;
    net.observer = Box::new(Count::default());
    for link in 0..2 {
        net.links[link].add_hook(HookPoint::Received, None, Hook::Trace(TraceId(link as u32)));
    }
    assert!(dumbbell.simulation.agents[receiver.0 as usize].set_param("gro", Value::Real(gro_s)));
    dumbbell.run(2.0, &[0.0]);
    let count = dumbbell.simulation.net.observer.as_any_mut().downcast_ref::<Count>().expect("it was put there");
    assert!(count.data > 10_000, "{} packets", count.data);
    f64::from(count.data) / f64::from(count.acks)
}

// RFC 5681, 4.2: an ACK for every second segment at least; more while the window opens, since Linux then acknowledges quickly.
// Linux acknowledges at once when more than one full segment waits (`__tcp_ack_snd_check`), and a merged segment is one
// arrival: so one ACK each. A packet of 1500 bytes takes 120 us, so that 1 ms collects 1 + 8 packets at most. Each poll with data
// is answered by at least one ACK, so nine is the maximum; timestamps, of 1 ms, split some polls, and slow start fills few.
#[test]
fn a_merged_segment_gets_one_ack() {
    let (alone, merged) = (data_per_ack(0.0), data_per_ack(0.001));
    assert!(alone <= 2.0, "{alone} packets for each ACK");
    assert!(merged > 2.0 && merged <= 9.0, "{merged} packets for each ACK");
}
