//! The commands that configure and query the queues of [`super`]; their syntax is ns-2's.

use std::fmt::Write;

use super::physical::{Average, Precedences};
use super::policy::{Policies, real, whole};
use super::schedule::Kind;
use super::{Behaviour, CODE_POINTS, Counts, DsRed, PRECEDENCES, QUEUES};

fn index(text: &str, below: usize, what: &str) -> Result<usize, String> {
    let number = whole(text);
    usize::try_from(number)
        .ok()
        .filter(|&number| number < below)
        .ok_or_else(|| format!("{what} is {number}; it must be from 0 to {}", below - 1))
}

fn queue(text: &str) -> Result<usize, String> {
    index(text, QUEUES, "a queue's number")
}

fn precedence(text: &str) -> Result<usize, String> {
    index(text, PRECEDENCES, "a precedence")
}

impl DsRed {
    /// Runs a command and returns its output.
    pub(super) fn obey(&mut self, words: &[&str], now_s: f64) -> Result<String, String> {
        match *words {
            ["link"] => self.has_link = true,
            ["shrink-queue"] => {}
            ["configQ", of, at, low, high, most, ref weight @ ..] => {
                let thresholds = (f64::from(whole(low)), f64::from(whole(high)));
                let weight = weight.first().map_or(0.002, |text| real(text));
                self.queues[queue(of)?].configure(precedence(at)?, thresholds, real(most), weight, now_s);
            }
            ["addPHBEntry", code_point, to, at] => {
                let code_point = index(code_point, CODE_POINTS, "a code point")? as i32;
                if self.behaviours.len() == CODE_POINTS {
                    return Err("the table of code points is full".into());
                }
                let behaviour = Behaviour { code_point, queue: queue(to)?, precedence: precedence(at)? };
                self.behaviours.push(behaviour);
            }
            ["meanPktSize", bytes] => self.queues.iter_mut().for_each(|queue| queue.set_mean_bytes(whole(bytes))),
            ["setNumPrec", number] => {
                let number = index(number, PRECEDENCES + 1, "the number of precedences")?;
                self.queues.iter_mut().for_each(|queue| queue.precedences = Precedences(number));
            }
            ["setSchedularMode", kind] => {
                self.schedule.kind = match kind {
                    "RR" => Kind::RoundRobin,
                    "WRR" => Kind::Weighted,
                    "WIRR" => Kind::Interleaved,
                    "PRI" => Kind::Priority,
                    _ => return Ok(format!("Error: Scheduler type {kind} does not exist\n")),
                };
            }
            ["setMREDMode", kind, ref which @ ..] => {
                let kind = match kind {
                    "RIO-C" => Average::Coupled,
                    "RIO-D" => Average::Decoupled,
                    "WRED" => Average::Weighted,
                    "DROP" => Average::None,
                    _ => return Ok(format!("Error: MRED mode {kind} does not exist\n")),
                };
                match which.first() {
                    Some(which) => self.queues[queue(which)?].kind = kind,
                    None => self.queues.iter_mut().for_each(|queue| queue.kind = kind),
                }
            }
            ["addQueueWeights", of, weight] => self.schedule.shares[queue(of)?].weight = whole(weight),
            ["addQueueRate", of, rate] => {
                self.schedule.shares[queue(of)?].most_rate = f64::from(whole(rate)) / 8.0;
            }
            ["getAverage", of] => return Ok(format!("{:.6}", self.queues[queue(of)?].average())),
            ["getCurrent", of] => return Ok(format!("{:.6}", self.queues[queue(of)?].len() as f64)),
            ["getAverageV", of, at] => {
                return Ok(format!("{:.6}", self.queues[queue(of)?].average_of(precedence(at)?)));
            }
            ["getCurrentV", of, at] => {
                return Ok(format!("{:.6}", f64::from(self.queues[queue(of)?].length_of(precedence(at)?))));
            }
            ["getStat", what, ref code_point @ ..] => return self.statistic(what, code_point),
            ["printStats"] => return Ok(self.statistics()),
            ["printWRRcount"] => return Ok(self.turns()),
            ["printPHBTable"] => return Ok(self.behaviour_lines()),
            _ => return self.obey_as_edge(words),
        }
        Ok(String::new())
    }

    fn obey_as_edge(&mut self, words: &[&str]) -> Result<String, String> {
        let unknown = || format!("this queue has no command {}", words.join(" "));
        let policies: &mut Policies = self.policies.as_mut().ok_or_else(unknown)?;
        match *words {
            ["addPolicyEntry", ref rest @ ..] => policies.add_policy(rest)?,
            ["addPolicerEntry", ref rest @ ..] => policies.add_policer(rest)?,
            ["getCBucket", source, destination] => {
                return Ok(format!("{:.6}", policies.bucket(whole(source), whole(destination))?));
            }
            ["printPolicyTable"] => return Ok(policies.policy_lines()),
            ["printPolicerTable"] => return Ok(policies.policer_lines()),
            _ => return Err(unknown()),
        }
        Ok(String::new())
    }

    fn statistic(&self, what: &str, code_point: &[&str]) -> Result<String, String> {
        let counts = match code_point.first() {
            Some(text) => &self.by_code_point[index(text, CODE_POINTS, "a code point")?],
            None => &self.all,
        };
        let number = match what {
            "pkts" => counts.packets,
            "drops" => counts.drops,
            "edrops" => counts.early_drops,
            _ => -1,
        };
        Ok(format!("{:.6}", number as f64))
    }

    fn statistics(&self) -> String {
        let mut out = String::from(
            "\nPackets Statistics\n=======================================\n \
             CP  TotPkts   TxPkts   ldrops   edrops\n --  -------   ------   ------   ------\n",
        );
        let mut line = |name: &str, counts: &Counts| {
            let Counts { packets, drops, early_drops } = *counts;
            let sent = packets - drops - early_drops;
            writeln!(out, "{name:>3} {packets:8} {sent:8} {drops:8} {early_drops:8}")
                .expect("a string takes what is written to it");
        };
        line("All", &self.all);
        for (code_point, counts) in self.by_code_point.iter().enumerate().filter(|(_, counts)| counts.packets != 0) {
            line(&code_point.to_string(), counts);
        }
        out
    }

    fn turns(&self) -> String {
        let shares = self.schedule.shares.iter().take(self.used()).enumerate();
        shares.map(|(index, share)| format!("{index}: 0 {} {}.\n", share.packets, share.weight)).collect()
    }

    fn behaviour_lines(&self) -> String {
        let mut out = String::from("PHB Table:\n");
        for Behaviour { code_point, queue, precedence } in &self.behaviours {
            writeln!(out, "Code Point {code_point} is associated with Queue {queue}, Precedence {precedence}")
                .expect("a string takes what is written to it");
        }
        out.push('\n');
        out
    }
}
