//! nam's topology and other lines that are not packet lines: nodes, links, queues and annotations of nam, and traced
//! variables.

use std::collections::BTreeMap;

/// A node in nam.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// circle, box or hexagon.
    pub shape: String,
    /// The label beside it.
    pub label: String,
}

/// A link in nam, from the first node to the second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wire {
    /// Its rate, bit/s.
    pub rate_bps: f64,
    /// Its delay, s.
    pub delay_s: f64,
    /// Its direction in the drawing: right, left-up, 30deg ...; empty if not set.
    pub orient: String,
}

/// An agent's variable: node and port of the agent, node and port of its peer, and the name.
pub type Variable = ((i32, i32), (i32, i32), String);

/// nam's topology and the traced variables.
#[derive(Clone, Debug, Default)]
pub struct NamTopology {
    /// Nodes by number.
    pub nodes: BTreeMap<i32, Node>,
    /// Links by their nodes.
    pub wires: BTreeMap<(i32, i32), Wire>,
    /// Orientation of queues, by the link's nodes: an angle in half turns.
    pub queues: BTreeMap<(i32, i32), f64>,
    /// Colours by flow id.
    pub colours: BTreeMap<i32, String>,
    /// Annotations with their times, s.
    pub remarks: Vec<(f64, String)>,
    /// Values of variables with their times, s.
    pub variables: BTreeMap<Variable, Vec<(f64, f64)>>,
}

impl NamTopology {
    /// Processes a line; other lines are ignored.
    pub fn take(&mut self, line: &[u8]) {
        let Ok(text) = std::str::from_utf8(line) else { return };
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let known = match words.first() {
            Some(&"n") => self.node(&Switches(&words[1..])),
            Some(&"l") => self.wire(&Switches(&words[1..])),
            Some(&"q") => self.queue(&Switches(&words[1..])),
            Some(&"c") => self.colour(&Switches(&words[1..])),
            Some(&"f") => self.feature(&Switches(&words[1..])),
            Some(&"v") => self.remark(&words[1..]),
            _ => self.variable(&words),
        };
        // A malformed nam line is not an error: playback does not depend on it.
        let _ = known;
    }

    fn node(&mut self, line: &Switches) -> Option<()> {
        let node = self.nodes.entry(line.number("-s")?).or_default();
        if let Some(shape) = line.word("-v") {
            node.shape = shape.to_owned();
        }
        if let Some(label) = line.word("-b") {
            node.label = label.trim_matches('"').to_owned();
        }
        Some(())
    }

    fn wire(&mut self, line: &Switches) -> Option<()> {
        let wire = self.wires.entry((line.number("-s")?, line.number("-d")?)).or_default();
        wire.rate_bps = line.real("-r").unwrap_or(wire.rate_bps);
        wire.delay_s = line.real("-D").unwrap_or(wire.delay_s);
        if let Some(orient) = line.word("-o").or(line.word("-O")) {
            wire.orient = orient.to_owned();
        }
        Some(())
    }

    fn queue(&mut self, line: &Switches) -> Option<()> {
        self.queues.insert((line.number("-s")?, line.number("-d")?), line.real("-a")?);
        Some(())
    }

    fn colour(&mut self, line: &Switches) -> Option<()> {
        self.colours.insert(line.number("-i")?, line.word("-n")?.to_owned());
        Some(())
    }

    /// nam's line of an agent's variable has nodes without ports.
    fn feature(&mut self, line: &Switches) -> Option<()> {
        let (from, to) = (line.number("-s")?, line.number("-d")?);
        let (agent, name) = (line.word("-a").unwrap_or_default(), line.word("-n")?);
        let of = ((from, -1), (to, -1), format!("{name} {agent}"));
        self.variables.entry(of).or_default().push((line.real("-t")?, line.real("-v")?));
        Some(())
    }

    fn remark(&mut self, words: &[&str]) -> Option<()> {
        let [_, _, _, "sim_annotation", at, text @ ..] = words else { return None };
        self.remarks.push((real(at)?, text.join(" ")));
        Some(())
    }

    /// ns-2's line of a traced variable: time, node and port of the agent and of its peer, name, value.
    fn variable(&mut self, words: &[&str]) -> Option<()> {
        let [time, from, from_port, to, to_port, name, value] = words else { return None };
        let whole = |word: &str| word.parse::<i32>().ok();
        let of = ((whole(from)?, whole(from_port)?), (whole(to)?, whole(to_port)?), (*name).to_owned());
        self.variables.entry(of).or_default().push((real(time)?, real(value)?));
        Some(())
    }
}

/// A finite number.
fn real(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Pairs of a switch and its value.
struct Switches<'a>(&'a [&'a str]);

impl<'a> Switches<'a> {
    fn word(&self, switch: &str) -> Option<&'a str> {
        let at = self.0.iter().position(|word| *word == switch)?;
        self.0.get(at + 1).copied()
    }

    fn real(&self, switch: &str) -> Option<f64> {
        real(self.word(switch)?)
    }

    fn number<T: std::str::FromStr>(&self, switch: &str) -> Option<T> {
        self.word(switch)?.parse().ok()
    }
}
