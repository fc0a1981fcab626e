//! When flows start that start at random: [`Arrivals`], each transfer a flow of its own, and a `start_jitter`.

use ackclock_engine::math::Math;
use ackclock_engine::random::rng::Stream;

use crate::defaults::packet_bytes;
use crate::error::ScenarioError;
use crate::model::apps::{App, Ftp, Requests};
use crate::model::scenario::Scenario;
use crate::model::seed::Seed;
use crate::model::traffic::{Arrivals, Flow};
use crate::model::typed::{Data, Size};
use crate::units::{Amount, Unit};

/// The seed where the scenario has none: the one that ns-2's random numbers begin with.
pub const NS2_SEED: u32 = 12345;
/// More packets than that are no transfer that ends.
const MOST_PACKETS: f64 = 268_435_456.0;
const MOST_BYTES: f64 = 1_073_741_824.0;
/// More transfers of one described flow are a mistyped time.
const MOST_TRANSFERS: f64 = 100_000.0;

/// A transfer that comes: when, s, and what it is.
pub type Transfer = (f64, App);

/// Random numbers of one described flow, or of one of the flows that it stands for.
struct Draws(Stream);

impl Draws {
    fn exponential(&mut self, mean: f64) -> f64 {
        mean * self.0.exponential()
    }

    fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let least = mean * (shape - 1.0) / shape;
        let tail = self.0.unit().power(-1.0 / shape);
        least * tail
    }
}

/// For each of the `times` flows that a described flow stands for, calls `draw`; `index` is its number in the
/// description. Under a hashed seed each has a stream of its own. In ns-2's way all have one: a substream for each
/// described flow. The first substream is the run's own.
fn of_each<T>(
    scenario: &Scenario,
    times: usize,
    index: usize,
    (stream, purpose): (&str, &str),
    mut draw: impl FnMut(&mut Draws) -> T,
) -> Vec<T> {
    let ns2s = match scenario.seed {
        Some(Seed::Hashed(seed)) => {
            let names = (1..=times).map(|number| format!("{stream}/{number}/{purpose}"));
            return names.map(|name| draw(&mut Draws(Stream::hashed(seed, &name)))).collect();
        }
        Some(Seed::Ns2(seed)) => seed,
        None => NS2_SEED,
    };
    let mut substream = Stream::from_seed(ns2s);
    (0..=index).for_each(|_| substream.next_substream());
    let mut draws = Draws(substream);
    (0..times).map(|_| draw(&mut draws)).collect()
}

/// When each of the `times` flows that one described flow stands for starts, s.
pub fn jittered_starts(flow: &Flow, times: usize, index: usize, scenario: &Scenario, stream: &str) -> Vec<f64> {
    let (start_s, jitter_s) = (flow.start.value, flow.start_jitter.value);
    of_each(scenario, times, index, (stream, "start"), |draws| start_s + jitter_s * draws.0.unit())
}

/// The transfers that come of each of the `times` flows that one described flow stands for.
///
/// # Errors
/// Where they are more than anyone can mean.
pub fn transfers(
    flow: &Flow,
    arrivals: &Arrivals,
    times: usize,
    index: usize,
    scenario: &Scenario,
    stream: &str,
) -> Result<Vec<Vec<Transfer>>, ScenarioError> {
    let ends_s = flow.stop.as_ref().unwrap_or(&scenario.duration).value;
    let time_in_all_s = times as f64 * (ends_s - flow.start.value);
    let expected = time_in_all_s / arrivals.interval.value * arrivals.objects.value;
    if expected > MOST_TRANSFERS {
        let shown = general(expected);
        let too_many = format!("this makes about {shown} transfers; expected at most 100,000");
        return Err(ScenarioError::new(too_many).key("arrivals.interval").value(arrivals.interval.text.as_str()));
    }
    Ok(of_each(scenario, times, index, (stream, "arrivals"), |draws| {
        arriving(flow, arrivals, &scenario.defaults, ends_s, draws)
    }))
}

/// A number with two digits, as C's `%.2g`.
fn general(value: f64) -> String {
    let mut out = Vec::new();
    ackclock_trace::ns2::number::push_g(&mut out, value, 2);
    String::from_utf8(out).expect("numbers are ASCII")
}

fn arriving(flow: &Flow, arrivals: &Arrivals, defaults: &str, ends_s: f64, draws: &mut Draws) -> Vec<Transfer> {
    let packet = flow.packet_size.as_ref().map_or_else(|| packet_bytes(defaults), |size| size.value);
    let Amount { number, unit } = arrivals.size.value;
    let mean_packets = if unit == Unit::Packets { number } else { number / packet as f64 };
    let mut found = Vec::new();
    let mut page_s = flow.start.value + draws.exponential(arrivals.interval.value);
    while page_s < ends_s {
        for at_s in objects(arrivals, page_s, draws) {
            let size = draws.pareto(mean_packets, arrivals.shape.value).ceil();
            if at_s >= ends_s {
                continue;
            }
            found.push((
                at_s,
                match &flow.app {
                    App::Requests(requests) => {
                        let bytes = (size * packet as f64).min(MOST_BYTES) as i64;
                        let response = Size { text: format!("{bytes} B"), value: bytes };
                        App::Requests(Requests { response, ..requests.clone() })
                    }
                    _ => {
                        let packets = size.min(MOST_PACKETS);
                        let value = Amount { number: packets, unit: Unit::Packets };
                        App::Ftp(Ftp { size: Some(Data { text: format!("{packets} packets"), value }) })
                    }
                },
            ));
        }
        page_s += draws.exponential(arrivals.interval.value);
    }
    found
}

/// When the objects of a page that is asked for at an instant are asked for.
fn objects(arrivals: &Arrivals, page_s: f64, draws: &mut Draws) -> Vec<f64> {
    let mut found = vec![page_s];
    if arrivals.objects.value == 1.0 {
        return found;
    }
    let count = draws.pareto(arrivals.objects.value, arrivals.objects_shape.value).round_ties_even().max(1.0);
    let spacing_s = arrivals.spacing.value;
    for number in 1..count as usize {
        let apart_s = if spacing_s > 0.0 { draws.exponential(spacing_s) } else { 0.0 };
        found.push(found[number - 1] + apart_s);
    }
    found
}
