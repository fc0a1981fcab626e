//! Where nodes are drawn: neighbours near each other, flows to the right, as `ackclock view` does.

use std::collections::{BTreeMap, BTreeSet};

type Place = [f64; 2];

/// With more nodes than this a circle must do.
const MOST_NODES: usize = 600;
/// What stays free at the edges.
const MARGIN: f64 = 0.08;

/// x and y of each of `count` nodes, 0 to 1, y downwards. `pairs` are linked nodes, `flows` sources and destinations.
pub fn placed(count: usize, pairs: &[(usize, usize)], flows: &[(usize, usize)]) -> Vec<Place> {
    let places = spread(count, pairs, flows);
    fitted(to_the_right(places, flows))
}

fn distance(one: Place, other: Place) -> f64 {
    ((one[0] - other[0]).powi(2) + (one[1] - other[1]).powi(2)).sqrt()
}

/// Hops between nodes; those that no way joins are as far apart as any, and a little more.
fn hops(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<f64>> {
    let mut beside = vec![BTreeSet::new(); count];
    for &(a, b) in pairs {
        beside[a].insert(b);
        beside[b].insert(a);
    }
    let mut all = vec![vec![f64::INFINITY; count]; count];
    let mut most: f64 = 0.0;
    for (start, row) in all.iter_mut().enumerate() {
        row[start] = 0.0;
        let (mut ring, mut far) = (vec![start], 0.0);
        while !ring.is_empty() {
            far += 1.0;
            let mut next = Vec::new();
            for there in ring.iter().flat_map(|&here| beside[here].iter().copied()) {
                if row[there].is_infinite() {
                    row[there] = far;
                    most = most.max(far);
                    next.push(there);
                }
            }
            ring = next;
        }
    }
    all.iter_mut().flatten().filter(|hops| hops.is_infinite()).for_each(|hops| *hops = most + 1.0);
    all
}

/// A column for each number of hops from who sends and does not receive; in a column the nodes by number.
fn columns(hops: &[Vec<f64>], flows: &[(usize, usize)]) -> Vec<Place> {
    let receivers: BTreeSet<usize> = flows.iter().map(|&(_, to)| to).collect();
    let mut sources: BTreeSet<usize> =
        flows.iter().map(|&(from, _)| from).filter(|from| !receivers.contains(from)).collect();
    if sources.is_empty() {
        sources.insert(flows.first().map_or(0, |&(from, _)| from));
    }
    let mut of_level: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let level = |node: usize| sources.iter().map(|&source| hops[source][node]).fold(f64::INFINITY, f64::min);
    for node in 0..hops.len() {
        of_level.entry(level(node) as usize).or_default().push(node);
    }
    let mut places = vec![[0.0; 2]; hops.len()];
    for (level, own) in of_level {
        for (index, &node) in own.iter().enumerate() {
            // A little askew: points on one line would stay on it.
            let x = level as f64 + 0.01 * (7.0 * node as f64).sin();
            places[node] = [x, index as f64 - (own.len() as f64 - 1.0) / 2.0];
        }
    }
    places
}

/// Distances on paper as near as can be to hops: stress majorisation (Gansner, Koren and North 2004, equation 6).
fn spread(count: usize, pairs: &[(usize, usize)], flows: &[(usize, usize)]) -> Vec<Place> {
    if !(3..=MOST_NODES).contains(&count) {
        let turn = |node: usize| std::f64::consts::PI * (1.0 + 2.0 * node as f64 / count.max(1) as f64);
        return (0..count).map(|node| [turn(node).cos(), turn(node).sin()]).collect();
    }
    let hops = hops(count, pairs);
    let mut places = columns(&hops, flows);
    for _ in 0..200 {
        let mut new = vec![[0.0; 2]; count];
        let mut moved: f64 = 0.0;
        for node in 0..count {
            let (mut sum, mut total) = ([0.0; 2], 0.0);
            for other in (0..count).filter(|&other| other != node) {
                let weight = 1.0 / (hops[node][other] * hops[node][other]);
                let apart = distance(places[node], places[other]);
                let pull = if apart > 1e-9 { hops[node][other] / apart } else { 0.0 };
                for axis in 0..2 {
                    sum[axis] += weight * (places[other][axis] + pull * (places[node][axis] - places[other][axis]));
                }
                total += weight;
            }
            new[node] = sum.map(|sum| sum / total);
            for axis in 0..2 {
                moved = moved.max((new[node][axis] - places[node][axis]).abs());
            }
        }
        if moved < 1e-3 {
            break;
        }
        places = new;
    }
    places
}

/// Turned so that flows go to the right on the whole.
fn to_the_right(places: Vec<Place>, flows: &[(usize, usize)]) -> Vec<Place> {
    let (mut x, mut y) = (0.0, 0.0);
    for &(from, to) in flows {
        x += places[to][0] - places[from][0];
        y += places[to][1] - places[from][1];
    }
    let length = (x * x + y * y).sqrt();
    if length < 1e-9 {
        return places;
    }
    places.into_iter().map(|[a, b]| [(a * x + b * y) / length, (b * x - a * y) / length]).collect()
}

/// Into the unit square, each way stretched, but none to more than three times the other.
fn fitted(places: Vec<Place>) -> Vec<Place> {
    let of =
        |axis: usize, start: f64, pick: fn(f64, f64) -> f64| places.iter().map(|place| place[axis]).fold(start, pick);
    let low = [0, 1].map(|axis| of(axis, f64::INFINITY, f64::min));
    let high = [0, 1].map(|axis| of(axis, f64::NEG_INFINITY, f64::max));
    let spans = [0, 1].map(|axis| (high[axis] - low[axis]).max(1e-9));
    let room = 1.0 - 2.0 * MARGIN;
    let scale = spans.map(|span| (room / span).min(3.0 * room / spans[0].max(spans[1])));
    let put = |place: &Place, axis: usize| {
        let at = 0.5 + (place[axis] - (low[axis] + high[axis]) / 2.0) * scale[axis];
        (at * 1e4).round() / 1e4
    };
    places.iter().map(|place| [put(place, 0), put(place, 1)]).collect()
}
