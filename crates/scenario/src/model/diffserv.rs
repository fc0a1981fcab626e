//! Differentiated services: the queues of a `ds_red_edge` or `ds_red_core`, and the policies of an edge.

use crate::error::{ScenarioError, choose};
use crate::model::described::described;
use crate::model::shape::words;
use crate::model::typed::{Number, Rate, Size, Time, Window};
use crate::tree::Tree;

/// How lengths are averaged, and ns-2's word for it.
const AVERAGES: [(&str, &str); 4] =
    [("coupled", "RIO-C"), ("decoupled", "RIO-D"), ("weighted", "WRED"), ("none", "DROP")];
/// Which queue is next, and ns-2's word for it.
const SCHEDULES: [(&str, &str); 4] =
    [("round_robin", "RR"), ("weighted", "WRR"), ("interleaved", "WIRR"), ("priority", "PRI")];

struct Meter {
    name: &'static str,
    /// ns-2's word.
    word: &'static str,
    /// The keys of its numbers, in ns-2's order.
    keys: &'static [&'static str],
    /// The keys of the code points that it gives besides the first.
    others: &'static [&'static str],
}

/// How an edge meters.
const METERS: [Meter; 7] = [
    Meter { name: "none", word: "Null", keys: &[], others: &[] },
    Meter { name: "sliding_window_2", word: "TSW2CM", keys: &["rate"], others: &["yellow"] },
    Meter { name: "sliding_window_3", word: "TSW3CM", keys: &["rate", "peak_rate"], others: &["yellow", "red"] },
    Meter { name: "token_bucket", word: "TokenBucket", keys: &["rate", "burst"], others: &["yellow"] },
    Meter { name: "single_rate", word: "srTCM", keys: &["rate", "burst", "excess_burst"], others: &["yellow", "red"] },
    Meter {
        name: "two_rates",
        word: "trTCM",
        keys: &["rate", "burst", "peak_rate", "peak_burst"],
        others: &["yellow", "red"],
    },
    Meter { name: "flow_size", word: "SFD", keys: &["burst"], others: &["yellow"] },
];

/// At most: queues, precedences of each, policies; code points are below this.
const MOST_QUEUES: usize = 8;
const MOST_PRECEDENCES: usize = 3;
const MOST_POLICIES: usize = 20;
const CODE_POINTS: i64 = 40;

described! {
    /// A drop precedence: the packets of `code_points`, with a RED of their own.
    ///
    /// From an average of `thresh` on they are dropped early, at `maxthresh` with probability `max_p`, above it all.
    /// `q_weight` is the weight of a sample in the average. A queue without an average drops beyond `thresh`.
    Precedence;
    /// The code points of its packets.
    code_points: Vec<i64>,
    /// The average from which on packets are dropped early.
    thresh: Window,
    /// The average above which all packets are dropped.
    maxthresh: Window,
    /// The probability of a drop at `maxthresh`.
    max_p: Number,
    /// The weight of a sample in the average.
    q_weight: Number = Number::new(0.002),
}

impl Precedence {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.maxthresh.value < self.thresh.value {
            let error = ScenarioError::new(format!("must not be below thresh, {}", self.thresh.text)).key("maxthresh");
            return Err(error.value(self.maxthresh.text.as_str()));
        }
        for (name, number) in [("max_p", self.max_p), ("q_weight", self.q_weight)] {
            if !(number.value > 0.0 && number.value <= 1.0) {
                return Err(ScenarioError::new("expected more than 0, at most 1").key(name).value(number.given()));
            }
        }
        let mut points = self.code_points.iter().enumerate();
        points.try_for_each(|(index, &point)| check_point(point, &format!("code_points.{index}")))
    }
}

described! {
    /// One of the queues, with its `precedences`, the first being the best.
    ///
    /// `average` is what early drops depend on: `coupled` (of a precedence and all better ones), `decoupled` (of the
    /// precedence alone), `weighted` (of the whole queue) or `none` (the current length). `weight` is its share in
    /// weighted schedules, `max_rate` the maximum rate in a priority schedule.
    PhysicalQueue renamed &[("most", "max_rate")];
    /// Its precedences.
    precedences: Vec<Precedence>,
    /// What early drops depend on: the length of a precedence and all better ones, of the precedence alone, of the whole queue, or the current length.
    average: String [words(AVERAGES.map(|(name, _)| name))] = "coupled".into(),
    /// Its share in weighted schedules.
    weight: Option<i64> = None,
    /// The maximum rate in a priority schedule.
    max_rate: Option<Rate> = None,
}

impl PhysicalQueue {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        choose(&self.average, &AVERAGES.map(|(name, _)| name), "what early drops go by", "average")?;
        check_count(self.precedences.len(), MOST_PRECEDENCES, "precedences")?;
        if let Some(weight) = self.weight.filter(|&weight| weight < 1) {
            return Err(ScenarioError::new("expected a whole number, at least 1").key("weight").value(weight));
        }
        Ok(())
    }
}

described! {
    /// What an edge makes of the packets from `source` to `destination`, nodes by name; of any without them.
    ///
    /// The `meter` gives packets within the profile `code_point`, others `yellow` and, with three colours, `red`:
    /// `none` all the same; `sliding_window_2` and `_3` by an average rate over `window` against `rate` and
    /// `peak_rate`; `token_bucket` by a bucket of `burst` bytes filled at `rate`; `single_rate` (RFC 2697) with another
    /// of `excess_burst` bytes; `two_rates` (RFC 2698) with another of `peak_burst` bytes filled at `peak_rate`;
    /// `flow_size` gives the first `burst` bytes of each flow the better code point.
    Policy renamed &[
        ("excess", "excess_burst"), ("peak", "peak_burst"), ("worse", "yellow"), ("worst", "red"),
    ];
    /// How packets are metered.
    meter: String [words(METERS.map(|meter| meter.name))],
    /// The code point of packets within the profile.
    code_point: i64,
    /// The node that sends the packets; any without it.
    source: Option<String> = None,
    /// The node that they go to; any without it.
    destination: Option<String> = None,
    /// The committed rate.
    rate: Option<Rate> = None,
    /// The bucket that `rate` fills; of `flow_size`, the first bytes of a flow.
    burst: Option<Size> = None,
    /// Of `single_rate` (RFC 2697): the second bucket.
    excess_burst: Option<Size> = None,
    /// The rate above which packets are `red`, where there are three colours.
    peak_rate: Option<Rate> = None,
    /// Of `two_rates` (RFC 2698): the bucket that `peak_rate` fills.
    peak_burst: Option<Size> = None,
    /// Of `sliding_window_2`: the time over which the rate is averaged.
    window: Option<Time> = None,
    /// The code point of packets beyond the profile.
    yellow: Option<i64> = None,
    /// The code point of packets beyond the second profile.
    red: Option<i64> = None,
}

impl Policy {
    /// A key's value, if it is there.
    fn given(&self, key: &str) -> Option<Tree> {
        let text = |text: &String| Tree::Text(text.clone());
        match key {
            "rate" => self.rate.as_ref().map(|rate| text(&rate.text)),
            "peak_rate" => self.peak_rate.as_ref().map(|rate| text(&rate.text)),
            "burst" => self.burst.as_ref().map(|size| text(&size.text)),
            "excess_burst" => self.excess_burst.as_ref().map(|size| text(&size.text)),
            "peak_burst" => self.peak_burst.as_ref().map(|size| text(&size.text)),
            "code_point" => Some(Tree::Whole(self.code_point)),
            "yellow" => self.yellow.map(Tree::Whole),
            "red" => self.red.map(Tree::Whole),
            _ => None,
        }
    }

    /// A number of its meter in ns-2's words: bit/s or bytes.
    fn number(&self, key: &str) -> String {
        let rate = |rate: &Option<Rate>| rate.as_ref().map(|rate| real(rate.value));
        let size = |size: &Option<Size>| size.as_ref().map(|size| size.value.to_string());
        let found = match key {
            "rate" => rate(&self.rate),
            "peak_rate" => rate(&self.peak_rate),
            "burst" => size(&self.burst),
            "excess_burst" => size(&self.excess_burst),
            _ => size(&self.peak_burst),
        };
        found.expect("the meter's numbers are there")
    }

    fn meter(&self) -> &'static Meter {
        METERS.iter().find(|meter| meter.name == self.meter).expect("the meter is known")
    }

    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        choose(&self.meter, &METERS.map(|meter| meter.name), "how packets are metered", "meter")?;
        let needs = [self.meter().keys, self.meter().others].concat();
        for name in ["rate", "burst", "excess_burst", "peak_rate", "peak_burst", "yellow", "red"] {
            match (needs.contains(&name), self.given(name)) {
                (true, None) => {
                    let missing = format!("the key is missing; the meter {} needs it", self.meter);
                    return Err(ScenarioError::new(missing).key(name));
                }
                (false, Some(value)) => {
                    let listed = if needs.is_empty() { "".into() } else { format!("; expected {}", needs.join(", ")) };
                    let wrong = format!("the meter {} has no such key{listed}", self.meter);
                    return Err(ScenarioError::new(wrong).key(name).value(value));
                }
                _ => {}
            }
        }
        if let Some(window) = self.window.as_ref().filter(|_| self.meter != "sliding_window_2") {
            let wrong = ScenarioError::new("only the meter sliding_window_2 has a window");
            return Err(wrong.key("window").value(window.text.as_str()));
        }
        for (name, point) in self.points() {
            check_point(point, name)?;
        }
        Ok(())
    }

    /// The code points that it gives, by their keys.
    fn points(&self) -> impl Iterator<Item = (&'static str, i64)> {
        let all = [("code_point", Some(self.code_point)), ("yellow", self.yellow), ("red", self.red)];
        all.into_iter().filter_map(|(name, point)| point.map(|point| (name, point)))
    }

    fn words(&self, index: usize, nodes: &[String]) -> Result<String, ScenarioError> {
        let mut told = vec!["addPolicyEntry".to_owned()];
        for (name, node) in [("source", &self.source), ("destination", &self.destination)] {
            let Some(node) = node else {
                told.push("-1".into());
                continue;
            };
            choose(node, nodes, "a node", &format!("policies.{index}.{name}"))?;
            told.push(nodes.iter().position(|known| known == node).expect("the node is known").to_string());
        }
        told.extend([self.meter().word.to_owned(), self.code_point.to_string()]);
        told.extend(self.meter().keys.iter().map(|key| self.number(key)));
        told.extend(self.window.as_ref().map(|window| real(window.value)));
        Ok(told.join(" "))
    }
}

described! {
    /// The `queues` of a `ds_red_core` or `ds_red_edge`, and an edge's `policies`.
    ///
    /// `schedule` selects the next queue: `round_robin`, `weighted` or `interleaved` (by their weights), or `priority`
    /// (the first that has packets). `packet_size` is the mean packet size, for idle times. A packet whose source and
    /// destination no policy names, or whose code point no precedence has, ends the run with an error.
    DiffServ;
    /// Its queues.
    queues: Vec<PhysicalQueue>,
    /// Which queue is next.
    schedule: String [words(SCHEDULES.map(|(name, _)| name))] = "round_robin".into(),
    /// The mean packet size, for idle times.
    packet_size: Option<Size> = None,
    /// What an edge makes of packets.
    policies: Vec<Policy> = Vec::new(),
}

impl DiffServ {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        choose(&self.schedule, &SCHEDULES.map(|(name, _)| name), "which queue is next", "schedule")?;
        check_count(self.queues.len(), MOST_QUEUES, "queues")?;
        if self.policies.len() > MOST_POLICIES {
            return Err(ScenarioError::new(format!("expected at most {MOST_POLICIES} policies")).key("policies"));
        }
        let known = self.code_points()?;
        for (index, policy) in self.policies.iter().enumerate() {
            if let Some((name, point)) = policy.points().find(|(_, point)| !known.contains(point)) {
                let listed = known.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                let error = ScenarioError::new(format!("expected a code point of a queue: {listed}"));
                return Err(error.key(format!("policies.{index}.{name}")).value(point));
            }
            let like = self.policies.iter().find(|like| is_same_meter(like, policy)).expect("it is like itself");
            for (name, theirs, own) in [("yellow", like.yellow, policy.yellow), ("red", like.red, policy.red)] {
                if let (Some(theirs), Some(own)) = (theirs, own)
                    && theirs != own
                {
                    let expected = format!("another policy of this meter and code point has {theirs}");
                    let key = format!("policies.{index}.{name}");
                    return Err(ScenarioError::new(expected).key(key).value(own));
                }
            }
        }
        Ok(())
    }

    /// The code points of all precedences, sorted.
    fn code_points(&self) -> Result<Vec<i64>, ScenarioError> {
        let mut known = Vec::new();
        for (index, queue) in self.queues.iter().enumerate() {
            for (place, precedence) in queue.precedences.iter().enumerate() {
                for &point in &precedence.code_points {
                    if known.contains(&point) {
                        let key = format!("queues.{index}.precedences.{place}.code_points");
                        return Err(ScenarioError::new("duplicate code point").key(key).value(point));
                    }
                    known.push(point);
                }
            }
        }
        known.sort_unstable();
        Ok(known)
    }

    /// The commands, in ns-2's words, of such a queue of this `kind`, whose parameter `num_queues` is the number of
    /// queues. `nodes` are the network's, by number.
    ///
    /// # Errors
    /// For a kind that has no such queues, policies elsewhere than at an edge or none there, or an unknown node.
    pub fn words(&self, kind: &str, nodes: &[String]) -> Result<Vec<String>, ScenarioError> {
        if !matches!(kind, "ds_red_edge" | "ds_red_core") {
            let wrong = format!("a {kind} queue has none; ds_red_edge and ds_red_core have");
            return Err(ScenarioError::new(wrong));
        }
        if !self.policies.is_empty() && kind != "ds_red_edge" {
            return Err(ScenarioError::new("only an edge, ds_red_edge, has policies").key("policies"));
        }
        if self.policies.is_empty() && kind == "ds_red_edge" {
            return Err(ScenarioError::new("an edge needs at least one policy").key("policies"));
        }
        let mut told = Vec::new();
        told.extend(self.packet_size.as_ref().map(|size| format!("meanPktSize {}", size.value)));
        let precedences = self.queues.iter().map(|queue| queue.precedences.len()).max().unwrap_or_default();
        told.push(format!("setNumPrec {precedences}"));
        told.push(format!("setSchedularMode {}", word(&SCHEDULES, &self.schedule)));
        for (number, queue) in self.queues.iter().enumerate() {
            told.push(format!("setMREDMode {} {number}", word(&AVERAGES, &queue.average)));
            told.extend(queue.weight.map(|weight| format!("addQueueWeights {number} {weight}")));
            told.extend(queue.max_rate.as_ref().map(|rate| format!("addQueueRate {number} {:.0}", rate.value)));
            for (place, own) in queue.precedences.iter().enumerate() {
                told.extend(own.code_points.iter().map(|point| format!("addPHBEntry {point} {number} {place}")));
                let (low, high) = (own.thresh.value as i64, own.maxthresh.value as i64);
                let (max_p, q_weight) = (real(own.max_p.value), real(own.q_weight.value));
                told.push(format!("configQ {number} {place} {low} {high} {max_p} {q_weight}"));
            }
        }
        for (index, policy) in self.policies.iter().enumerate() {
            told.push(policy.words(index, nodes)?);
        }
        for (index, policy) in self.policies.iter().enumerate() {
            if self.policies[..index].iter().any(|earlier| is_same_meter(earlier, policy)) {
                continue;
            }
            let points: Vec<_> = policy.points().map(|(_, point)| point.to_string()).collect();
            told.push(format!("addPolicerEntry {} {}", policy.meter().word, points.join(" ")));
        }
        Ok(told)
    }
}

fn is_same_meter(one: &Policy, other: &Policy) -> bool {
    (&one.meter, one.code_point) == (&other.meter, other.code_point)
}

fn word(words: &[(&'static str, &'static str)], name: &str) -> &'static str {
    words.iter().find(|(known, _)| *known == name).expect("the word is known").1
}

/// A number that is read back as the same one.
fn real(number: f64) -> String {
    format!("{number:?}")
}

fn check_point(point: i64, key: &str) -> Result<(), ScenarioError> {
    if (0..CODE_POINTS).contains(&point) {
        return Ok(());
    }
    let expected = format!("expected a code point, 0 to {}", CODE_POINTS - 1);
    Err(ScenarioError::new(expected).key(key).value(point))
}

fn check_count(count: usize, most: usize, what: &str) -> Result<(), ScenarioError> {
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(ScenarioError::new(format!("expected 1 to {most} {what}, not {count}")).key(what))
}
