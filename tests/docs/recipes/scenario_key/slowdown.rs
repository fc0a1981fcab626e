//! A slower bottleneck carries less.

use ackclock_scenario::Scenario;

fn goodput_bps(link: &str) -> f64 {
    let text = format!(
        r#"
        duration = "2 s"
        topology = {{ kind = "chain", nodes = 2, link = {{ rate = "2 Mb/s", delay = "5 ms"{link} }} }}
        flows = [{{ source = "node1", destination = "node2", tcp = "reno" }}]
        "#
    );
    let results = Scenario::from_toml(&text).unwrap().run().unwrap();
    let (_, flows) = results.tables.iter().find(|(name, _)| *name == "flows").unwrap();
    flows.column("goodput_bps").unwrap().real(0).unwrap()
}

// The link is half as fast; slow start takes part of the 2 s.
#[test]
fn a_slowdown_divides_the_rate() {
    let share = goodput_bps(", slowdown = 2.0") / goodput_bps("");
    assert!((0.4..0.65).contains(&share), "{share}");
}
