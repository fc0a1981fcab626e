//! The two ends of a described flow, or those of each pair.

use std::collections::HashMap;

use crate::error::{ScenarioError, choose};
use crate::model::scenario::Scenario;
use crate::model::topology::Topology;
use crate::model::traffic::Flow;

/// The numbers of the nodes that send and receive: one pair of ends, or one for each pair of a dumbbell.
///
/// # Errors
/// The key within the flow that names no node or no pair.
pub fn ends(
    flow: &Flow,
    scenario: &Scenario,
    numbers: &HashMap<String, usize>,
    nodes: &[String],
) -> Result<Vec<(usize, usize)>, ScenarioError> {
    if let Some(pair) = flow.pair {
        let Topology::Dumbbell(bell) = &scenario.topology else {
            let expected = "only a dumbbell has pairs; expected source and destination";
            return Err(ScenarioError::new(expected).key("pair").value(pair));
        };
        let most = bell.pairs;
        if !(0..=most).contains(&pair) {
            let expected = format!("expected a pair, 1 to {most}, or 0 for each");
            return Err(ScenarioError::new(expected).key("pair").value(pair));
        }
        let pairs = if pair == 0 { 1..=most } else { pair..=pair };
        return Ok(pairs.map(|pair| (numbers[&format!("left{pair}")], numbers[&format!("right{pair}")])).collect());
    }
    let (Some(source), Some(destination)) = (&flow.source, &flow.destination) else {
        unreachable!("the flow was checked")
    };
    for (key, name) in [("source", source), ("destination", destination)] {
        if !numbers.contains_key(name) {
            choose(name, nodes, "a node", key)?;
        }
    }
    if source == destination {
        let expected = "a flow goes from one node to another";
        return Err(ScenarioError::new(expected).key("destination").value(destination.as_str()));
    }
    Ok(vec![(numbers[source], numbers[destination])])
}
