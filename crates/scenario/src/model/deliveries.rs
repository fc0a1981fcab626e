//! Recordings of when a link can send: a whole number of milliseconds a line, as mahimahi has them.

use crate::error::ScenarioError;
use crate::model::shape::{Parts, Shape};
use crate::model::typed::Read;
use crate::outside::Outside;
use crate::tree::Tree;

/// Bytes that each opportunity of a recording lets go.
const OPPORTUNITY_BYTES: f64 = 1504.0;
/// The largest recording that is read: a minute at 2 Gb/s.
pub const MAX_BYTES: usize = 64 << 20;
/// The longest number: 2**53 ms, beyond which seconds are not exact.
const MAX_DIGITS: usize = 16;

/// The instants at which a link can send, ms; the last one is the period's length.
#[derive(Clone, Debug, PartialEq)]
pub struct Deliveries {
    /// What was read, or what is wrong with the file: the link's other keys are read first.
    found: Result<Vec<i64>, Box<ScenarioError>>,
    /// The file, if they were read from one.
    file: Option<String>,
}

impl Deliveries {
    /// Instants that were drawn.
    pub fn drawn(at_ms: Vec<i64>) -> Deliveries {
        Deliveries { found: Ok(at_ms), file: None }
    }

    /// The recording in a file, from its bytes; messages call it `file`.
    pub fn of_file(file: String, bytes: &[u8]) -> Deliveries {
        Deliveries { found: numbers(bytes, &file), file: Some(file) }
    }

    /// The instants, ms. None for a recording that [`check`](Deliveries::check) refuses.
    pub fn at_ms(&self) -> &[i64] {
        self.found.as_deref().unwrap_or_default()
    }

    /// Whether they are a recording.
    ///
    /// # Errors
    /// With the key within the link.
    pub fn check(&self) -> Result<(), ScenarioError> {
        let at_ms = self.found.as_ref().map_err(|error| error.as_ref().clone().under("deliveries"))?;
        let wrong = |expected: String| {
            let given = || Tree::of_wholes(at_ms);
            let given = self.file.clone().map_or_else(given, Tree::Text);
            Err(ScenarioError::new(expected).key("deliveries").value(given))
        };
        for (number, pair) in (2..).zip(at_ms.windows(2)) {
            if pair[1] < pair[0] {
                return wrong(format!("opportunity {number} is at {} ms, before the one before it", pair[1]));
            }
        }
        if at_ms.first().is_none_or(|&first| first < 0) || at_ms.last() == Some(&0) {
            return wrong("expected opportunities from 0 ms on, the last of them after 0 ms".into());
        }
        Ok(())
    }

    /// What a link can send on average, bit/s.
    pub fn mean_rate_bps(&self) -> f64 {
        let at_ms = self.at_ms();
        let period_ms = at_ms.last().copied().unwrap_or_default();
        at_ms.len() as f64 * OPPORTUNITY_BYTES * 8.0 / (period_ms as f64 / 1000.0)
    }
}

impl Read for Deliveries {
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<Deliveries, ScenarioError> {
        match tree {
            Tree::Text(name) => Ok(match outside.recording(name) {
                Ok((file, bytes)) => Deliveries::of_file(file, &bytes),
                Err(error) => Deliveries { found: Err(Box::new(error)), file: None },
            }),
            Tree::List(_) => Vec::read(tree, outside).map(Deliveries::drawn),
            _ => Err(ScenarioError::new(format!("expected {}", Deliveries::expected())).value(tree.clone())),
        }
    }

    fn expected() -> String {
        "a text or a list (a whole number)".into()
    }

    fn shape(_: &mut Parts) -> Shape {
        Shape::AnyOf(vec![Shape::Text, Shape::List(Box::new(Shape::Whole))])
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(Tree::of_wholes(self.at_ms()))
    }
}

/// The numbers of a file, a line each. An error shows nothing of a line but a number: the file may be no recording at
/// all, but somebody's secret.
fn numbers(bytes: &[u8], file: &str) -> Result<Vec<i64>, Box<ScenarioError>> {
    let wrong = |expected: String| Err(Box::new(ScenarioError::new(expected).value(file)));
    if bytes.len() > MAX_BYTES {
        return wrong(format!("expected a recording of at most {MAX_BYTES} bytes; this file has more"));
    }
    let mut found = Vec::new();
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for (number, line) in (1..).zip(lines.split(|&byte| byte == b'\n')) {
        if bytes.is_empty() {
            break;
        }
        // A vertical tab is space as well, which Rust's own trimming leaves.
        let is_space = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0b;
        let word = String::from_utf8_lossy(line);
        let word = word.trim_matches(|letter: char| u8::try_from(letter).is_ok_and(is_space));
        let is_whole = !word.is_empty() && word.len() <= MAX_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit());
        match word.parse() {
            Ok(at_ms) if is_whole => found.push(at_ms),
            _ => {
                let shown = if is_number(word) { format!(", not {word}") } else { String::new() };
                return wrong(format!(
                    "expected a whole number of milliseconds in line {number} of the recording{shown}"
                ));
            }
        }
    }
    Ok(found)
}

/// Whether a word may be shown: a sign, then digits and points.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
