//! Downsampling of a curve for plots, which preserves its shape.

/// Returns at most about `most` points: the first, the min, the max and the last of each of several equal time spans.
/// Returns all points if there are at most `most`. Points must be sorted by time.
pub fn thin(points: Vec<(f64, f64)>, most: usize) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return points };
    if points.len() <= most {
        return points;
    }
    let (begin_s, spans) = (first.0, (most / 4).max(1));
    let width_s = (last.0 - begin_s) / spans as f64;
    let span = |time_s: f64| if width_s > 0.0 { (((time_s - begin_s) / width_s) as usize).min(spans - 1) } else { 0 };
    let mut kept = Vec::with_capacity(4 * spans);
    for group in points.chunk_by(|one, next| span(one.0) == span(next.0)) {
        let values = || group.iter().map(|point| point.1).enumerate();
        let least = values().min_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(index, _)| index);
        let greatest = values().max_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(index, _)| index);
        let mut wanted = [0, least, greatest, group.len() - 1];
        wanted.sort_unstable();
        let mut before = None;
        for index in wanted {
            if before != Some(index) {
                kept.push(group[index]);
            }
            before = Some(index);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_left_as_they_are() {
        let points = vec![(0.0, 1.0), (1.0, 5.0), (2.0, 2.0)];
        assert_eq!(thin(points.clone(), 3), points);
    }

    #[test]
    fn peaks_and_ends_stay() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|n| (f64::from(n), f64::from(n % 7))).collect();
        points[4321].1 = 99.0;
        points[7777].1 = -99.0;
        let thinned = thin(points.clone(), 100);
        assert!(thinned.len() <= 100);
        assert!(thinned.contains(&points[4321]) && thinned.contains(&points[7777]));
        assert_eq!((thinned.first(), thinned.last()), (points.first(), points.last()));
        assert!(thinned.is_sorted_by(|one, next| one.0 < next.0));
    }
}
