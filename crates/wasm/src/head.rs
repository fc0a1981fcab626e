//! What a page must know of a run before it can draw.

use std::collections::HashMap;

use ackclock_engine::queue;
use ackclock_trace::recording::links;
use ackclock_trace::recording::series::What;
use serde_json::{Value, json};

use crate::layout::placed;
use crate::player::Player;

impl Player {
    /// The head of the recording (docs/http-api.md).
    pub fn head(&self) -> Value {
        let (begin_s, end_s) = self.recording.span_s.unwrap_or((0.0, 0.0));
        let kinds = self.recording.kinds();
        let flows: Vec<Value> = (self.recording.flows.iter().zip(self.flow_names()).enumerate())
            .map(|(id, (flow, name))| {
                let carried: Vec<&str> = flow.kinds.iter().map(|&kind| &*kinds[usize::from(kind)]).collect();
                json!({
                    "id": id, "name": name, "flow_id": flow.id, "source": flow.source.0,
                    "destination": flow.destination.0, "kinds": carried,
                })
            })
            .collect();
        let chunks: Vec<Value> = (self.recording.rows().chunks().iter().enumerate())
            .map(|(n, chunk)| {
                let reach_s = chunk.reach_s.is_finite().then_some(chunk.reach_s);
                json!({"n": n, "begin_s": chunk.begin_s, "end_s": chunk.end_s, "reach_s": reach_s, "rows": chunk.rows})
            })
            .collect();
        json!({
            "id": "", "name": "", "kind": "run", "begin_s": begin_s, "end_s": end_s.max(self.results.network.duration_s),
            "complete": true, "read_fraction": 1.0, "nodes": self.nodes(), "links": self.links(), "flows": flows,
            "kinds": kinds, "chunks": chunks, "remarks": [], "series": What::ALL.map(|(_, word, _)| word), "notes": [],
            "damage": null,
        })
    }

    fn nodes(&self) -> Vec<Value> {
        let found = &self.recording.links;
        let mut numbers: Vec<i32> = found.iter().flat_map(|link| [link.from_node, link.to_node]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let index: HashMap<i32, usize> = numbers.iter().copied().zip(0..).collect();
        let both = |a: i32, b: i32| Some((*index.get(&a)?, *index.get(&b)?)).filter(|(a, b)| a != b);
        let pairs: Vec<_> = found.iter().filter_map(|link| both(link.from_node, link.to_node)).collect();
        let flows = self.recording.flows.iter();
        let ends: Vec<_> = flows.filter_map(|flow| both(flow.source.0, flow.destination.0)).collect();
        let places = placed(numbers.len(), &pairs, &ends);
        let node = |(number, [x, y]): (&i32, [f64; 2])| json!({"id": number, "name": self.node_name(*number), "x": x, "y": y, "shape": "circle"});
        numbers.iter().zip(places).map(node).collect()
    }

    fn links(&self) -> Vec<Value> {
        let figures = links::figures(&self.recording.links);
        let found = self.recording.links.iter().zip(figures).enumerate();
        found
            .map(|(id, (link, (rate_bps, delay_s)))| {
                json!({
                    "id": id, "from": link.from_node, "to": link.to_node, "rate_bps": rate_bps, "delay_s": delay_s,
                    "estimated": false, "orient": null, "queue_position": null,
                    "limit_packets": self.limit_packets(link.from_node, link.to_node),
                })
            })
            .collect()
    }

    /// How many packets a link's queue holds, where it counts packets.
    fn limit_packets(&self, from: i32, to: i32) -> Option<i64> {
        let links = &self.results.network.links;
        let link = links.iter().find(|link| (link.source as i32, link.target as i32) == (from, to))?;
        if link.parameters.get("queue_in_bytes").is_some_and(|flag| flag.flag()) {
            return None;
        }
        let usual = || queue::make(&link.queue.kind)?.param("limit");
        link.parameters.get("limit").or_else(usual).map(|limit| limit.int())
    }
}
