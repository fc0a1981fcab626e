//! Policies and policers of a DiffServ edge: the code point with which a packet is marked.

use std::fmt::Write;

use super::limits::CODE_POINTS;
use crate::packet::Packet;
use crate::random::rng::Draws;

/// Matches any source or destination.
const ANY: i32 = -1;
/// Maximum number of policies.
const POLICIES: usize = 20;
/// Flow entries idle for longer than this are removed, s.
const FORGOTTEN_AFTER_S: f64 = 5.0;

/// The meter and policer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No metering: every packet keeps its code point.
    Null,
    /// Time sliding window, two colours.
    Tsw2,
    /// Time sliding window, three colours.
    Tsw3,
    /// Token bucket, two colours.
    TokenBucket,
    /// Single-rate three-colour marker (RFC 2697).
    SingleRate,
    /// Two-rate three-colour marker (RFC 2698).
    TwoRates,
    /// Flow size: the first bytes of each flow keep the code point.
    FlowSize,
}

impl Kind {
    fn named(word: &str) -> Result<Kind, String> {
        Ok(match word {
            "Null" | "Dumb" => Kind::Null,
            "TSW2CM" => Kind::Tsw2,
            "TSW3CM" => Kind::Tsw3,
            "TokenBucket" => Kind::TokenBucket,
            "srTCM" => Kind::SingleRate,
            "trTCM" => Kind::TwoRates,
            "SFD" => Kind::FlowSize,
            "EW" | "DEWP" => return Err(format!("ns-2 has the policy {word}; ackclock does not have it yet")),
            _ => {
                return Err(format!(
                    "no applicable policy {word}; there are Null, TSW2CM, TSW3CM, TokenBucket, srTCM, trTCM, SFD"
                ));
            }
        })
    }

    /// The number of numeric arguments after a policy's code point.
    fn numbers(self) -> usize {
        match self {
            Kind::Null => 0,
            Kind::Tsw2 | Kind::FlowSize => 1,
            Kind::Tsw3 | Kind::TokenBucket => 2,
            Kind::SingleRate => 3,
            Kind::TwoRates => 4,
        }
    }
}

/// The policy and meter state of a source-destination pair. Rates are in bytes/s.
#[derive(Clone, Copy, Debug)]
struct Policy {
    source: i32,
    destination: i32,
    kind: Kind,
    code_point: i32,
    /// Committed information rate; for [`Kind::FlowSize`] a size in bytes.
    rate: f64,
    peak_rate: f64,
    committed: f64,
    excess: f64,
    peak: f64,
    committed_left: f64,
    excess_left: f64,
    peak_left: f64,
    average: f64,
    window_s: f64,
    met_at_s: f64,
}

/// The code points to which packets out of profile are downgraded.
#[derive(Clone, Copy, Debug)]
struct Policer {
    kind: Kind,
    code_point: i32,
    worse: i32,
    worst: i32,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    fid: i32,
    seen_at_s: f64,
    bytes: i32,
    turn: i32,
}

/// All policies, policers and flow entries of an edge.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    policies: Vec<Policy>,
    policers: Vec<Policer>,
    flows: Vec<Flow>,
}

/// Parses a number as C's `atof` does.
pub fn real(text: &str) -> f64 {
    let is_part = |end: &usize| text.get(..*end).is_some_and(|part| part.parse::<f64>().is_ok());
    (1..=text.len()).rev().find(is_part).map_or(0.0, |end| text[..end].parse().unwrap_or(0.0))
}

/// Parses an integer as C's `atoi` does.
pub fn whole(text: &str) -> i32 {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    (sign * digits[..end].parse::<i64>().unwrap_or(0)) as i32
}

impl Policies {
    /// Adds a policy: `SOURCE DESTINATION KIND CODE-POINT NUMBER...`
    pub fn add_policy(&mut self, words: &[&str]) -> Result<(), String> {
        let &[source, destination, kind, code_point, ref numbers @ ..] = words else {
            return Err("a policy is a source, a destination, a kind, a code point, and the kind's numbers".into());
        };
        let kind = Kind::named(kind)?;
        if numbers.len() < kind.numbers() {
            return Err(format!("this policy needs {} numbers after the code point", kind.numbers()));
        }
        if self.policies.len() == POLICIES {
            return Err(format!("there is room for {POLICIES} policies"));
        }
        let number = |index: usize| numbers.get(index).map_or(0.0, |text| real(text));
        let rate = number(0) / 8.0;
        let mut policy = Policy {
            source: whole(source),
            destination: whole(destination),
            kind,
            code_point: whole(code_point),
            rate,
            peak_rate: 0.0,
            committed: 0.0,
            excess: 0.0,
            peak: 0.0,
            committed_left: 0.0,
            excess_left: 0.0,
            peak_left: 0.0,
            average: rate,
            window_s: 1.0,
            met_at_s: 0.0,
        };
        match kind {
            Kind::Null => {}
            Kind::Tsw2 => {
                if numbers.len() == 2 {
                    policy.window_s = number(1);
                }
            }
            Kind::Tsw3 => policy.peak_rate = number(1) / 8.0,
            Kind::TokenBucket => policy.committed = number(1),
            Kind::SingleRate => (policy.committed, policy.excess) = (number(1), number(2)),
            Kind::TwoRates => {
                (policy.committed, policy.peak_rate, policy.peak) = (number(1), number(2) / 8.0, number(3));
            }
            Kind::FlowSize => policy.rate = f64::from(whole(numbers[0])),
        }
        policy.committed_left = policy.committed;
        policy.excess_left = policy.excess;
        policy.peak_left = policy.peak;
        self.policies.push(policy);
        Ok(())
    }

    /// Adds a policer: `KIND CODE-POINT WORSE [WORST]`
    pub fn add_policer(&mut self, words: &[&str]) -> Result<(), String> {
        let &[kind, code_point, ref others @ ..] = words else {
            return Err("a policer is a kind, a code point, and the code points it downgrades to".into());
        };
        let kind = Kind::named(kind)?;
        if self.policers.len() == CODE_POINTS {
            return Err(format!("there is room for {CODE_POINTS} policers"));
        }
        let code_point = whole(code_point);
        let other = |index: usize| others.get(index).map_or(0, |text| whole(text));
        if kind != Kind::Null && others.is_empty() {
            return Err("this policer needs a code point to downgrade to".into());
        }
        let worse = if kind == Kind::Null { code_point } else { other(0) };
        self.policers.push(Policer { kind, code_point, worse, worst: other(1) });
        Ok(())
    }

    fn find(&self, source: i32, destination: i32) -> Option<usize> {
        let is = |wanted: i32, number: i32| wanted == number || wanted == ANY;
        self.policies.iter().position(|policy| is(policy.source, source) && is(policy.destination, destination))
    }

    /// The code point for a packet; updates the meter.
    pub fn mark(&mut self, packet: &Packet, now_s: f64, rng: &mut Draws) -> Result<i32, String> {
        let (source, destination) = (packet.src.node, packet.dst.node);
        let index = self
            .find(source, destination)
            .ok_or_else(|| format!("no policy for packets from node {source} to node {destination}"))?;
        let policy = &mut self.policies[index];
        let policer = self
            .policers
            .iter()
            .find(|policer| policer.kind == policy.kind && policer.code_point == policy.code_point)
            .ok_or_else(|| format!("no policer for initial code point {}", policy.code_point))?;
        policy.meter(packet, now_s);
        let Policer { code_point, worse, worst, .. } = *policer;
        if policy.kind == Kind::FlowSize {
            let policy = *policy;
            return Ok(self.mark_flow(&policy, (code_point, worse, worst), packet, now_s, rng));
        }
        Ok(policy.judge((code_point, worse, worst), f64::from(packet.size), rng))
    }

    fn mark_flow(
        &mut self,
        policy: &Policy,
        (good, worse, how): (i32, i32, i32),
        packet: &Packet,
        now_s: f64,
        rng: &mut Draws,
    ) -> i32 {
        let known = self.flows.iter().position(|flow| flow.fid == packet.fid);
        let before = known.unwrap_or(self.flows.len());
        let mut place = 0;
        self.flows.retain(|flow| {
            place += 1;
            place > before || flow.seen_at_s + FORGOTTEN_AFTER_S >= now_s
        });
        let index = match self.flows.iter().position(|flow| flow.fid == packet.fid) {
            Some(index) => index,
            None => {
                self.flows.push(Flow { fid: packet.fid, seen_at_s: now_s, bytes: 0, turn: 0 });
                self.flows.len() - 1
            }
        };
        let flow = &mut self.flows[index];
        flow.seen_at_s = now_s;
        flow.bytes = flow.bytes.wrapping_add(packet.size);
        if f64::from(flow.bytes) <= policy.rate {
            return good;
        }
        let keeps = match how {
            0 => false,
            1 => rng.uniform(0.0, 1.0) > 1.0 - policy.rate / f64::from(flow.bytes),
            _ => {
                flow.turn = if flow.turn == 5 { 0 } else { flow.turn + 1 };
                flow.turn == 0
            }
        };
        if keeps { good } else { worse }
    }

    /// Tokens in the committed bucket of a pair's policy, bytes.
    pub fn bucket(&self, source: i32, destination: i32) -> Result<f64, String> {
        let flow = format!("the policy from node {source} to node {destination}");
        let policy = self.find(source, destination).map(|index| &self.policies[index]);
        match policy.ok_or_else(|| format!("{flow} does not exist"))? {
            policy if matches!(policy.kind, Kind::TokenBucket | Kind::SingleRate | Kind::TwoRates) => {
                Ok(policy.committed_left)
            }
            _ => Err(format!("{flow} has no committed bucket")),
        }
    }

    /// The policy table, as `printPolicyTable` prints it.
    pub fn policy_lines(&self) -> String {
        let mut out = format!("Policy Table({}):\n", self.policies.len());
        for policy in &self.policies {
            let Policy { source, destination, code_point, committed, excess, peak, .. } = *policy;
            let (rate, peak_rate) = (policy.rate * 8.0, policy.peak_rate * 8.0);
            let flow = format!("Flow ({source} to {destination})");
            let line = match policy.kind {
                Kind::Null => format!("{flow}: Null policer, initial code point {code_point}"),
                Kind::Tsw2 => {
                    format!("{flow}: TSW2CM policer, initial code point {code_point}, CIR {rate:.1} bps.")
                }
                Kind::Tsw3 => format!(
                    "{flow}: TSW3CM policer, initial code point {code_point}, CIR {rate:.1} bps, PIR {peak_rate:.1} bytes."
                ),
                Kind::TokenBucket => format!(
                    "{flow}: Token Bucket policer, initial code  point {code_point}, CIR {rate:.1} bps, CBS {committed:.1} bytes."
                ),
                Kind::SingleRate => format!(
                    "{flow}: srTCM policer, initial code point {code_point}, CIR {rate:.1} bps, CBS {committed:.1} bytes, \
                     EBS {excess:.1} bytes."
                ),
                // ns-2 prints the two nodes in reverse order here.
                Kind::TwoRates => format!(
                    "Flow ({destination} to {source}): trTCM policer, initial code point {code_point}, CIR {rate:.1} bps, \
                     CBS {committed:.1} bytes, PIR {peak_rate:.1} bps, PBS {peak:.1} bytes."
                ),
                Kind::FlowSize => {
                    format!("{flow}: SFD policer, initial code point {code_point}, TH {} bytes.", policy.rate as i32)
                }
            };
            out.push_str(&line);
            out.push('\n');
        }
        out.push('\n');
        out
    }

    /// The policer table, as `printPolicerTable` prints it.
    pub fn policer_lines(&self) -> String {
        let mut out = String::from("Policer Table:\n");
        for &Policer { kind, code_point, worse, worst } in &self.policers {
            let (name, has_three) = match kind {
                Kind::Null => ("Null", false),
                Kind::Tsw2 => ("TSW2CM", false),
                Kind::Tsw3 => ("TSW3CM", true),
                Kind::TokenBucket => ("Token Bucket", false),
                Kind::SingleRate => ("srTCM", true),
                Kind::TwoRates => ("trTCM", true),
                Kind::FlowSize => ("SFD", false),
            };
            let start = format!("{name} policer code point {code_point} is policed to");
            let line = if has_three {
                writeln!(out, "{start} yellow code point {worse} and red code point {worst}.")
            } else {
                writeln!(out, "{start} code point {worse}.")
            };
            line.expect("a string takes what is written to it");
        }
        out.push('\n');
        out
    }
}

/// Adds `tokens` to a bucket of this size; returns the overflow.
fn fill(left: &mut f64, tokens: f64, size: f64) -> f64 {
    if *left + tokens <= size {
        *left += tokens;
        return 0.0;
    }
    let over = tokens - (size - *left);
    *left = size;
    over
}

impl Policy {
    /// Updates rates and buckets at an arrival.
    fn meter(&mut self, packet: &Packet, now_s: f64) {
        let tokens = self.rate * (now_s - self.met_at_s);
        match self.kind {
            Kind::Null | Kind::FlowSize => {}
            Kind::Tsw2 | Kind::Tsw3 => {
                let bytes = self.average * self.window_s + f64::from(packet.size);
                self.average = bytes / (now_s - self.met_at_s + self.window_s);
            }
            Kind::TokenBucket => {
                fill(&mut self.committed_left, tokens, self.committed);
            }
            Kind::SingleRate => {
                let over = fill(&mut self.committed_left, tokens, self.committed);
                fill(&mut self.excess_left, over, self.excess);
            }
            Kind::TwoRates => {
                fill(&mut self.committed_left, tokens, self.committed);
                fill(&mut self.peak_left, self.peak_rate * (now_s - self.met_at_s), self.peak);
            }
        }
        self.met_at_s = now_s;
    }

    /// The code point for a packet of `size` bytes.
    fn judge(&mut self, (good, worse, worst): (i32, i32, i32), size: f64, rng: &mut Draws) -> i32 {
        match self.kind {
            Kind::Null | Kind::FlowSize => good,
            Kind::Tsw2 => {
                let is_over = self.average > self.rate && rng.uniform(0.0, 1.0) <= 1.0 - self.rate / self.average;
                if is_over { worse } else { good }
            }
            Kind::Tsw3 => {
                let drawn = self.average * (1.0 - rng.uniform(0.0, 1.0));
                if drawn > self.peak_rate {
                    worst
                } else if drawn > self.rate {
                    worse
                } else {
                    good
                }
            }
            Kind::TokenBucket if self.committed_left - size >= 0.0 => {
                self.committed_left -= size;
                good
            }
            Kind::TokenBucket => worse,
            Kind::SingleRate if self.committed_left - size >= 0.0 => {
                self.committed_left -= size;
                good
            }
            Kind::SingleRate if self.excess_left - size >= 0.0 => {
                self.excess_left -= size;
                worse
            }
            Kind::TwoRates if self.peak_left - size >= 0.0 => {
                self.peak_left -= size;
                if self.committed_left - size < 0.0 {
                    return worse;
                }
                self.committed_left -= size;
                good
            }
            Kind::SingleRate | Kind::TwoRates => worst,
        }
    }
}
