//! DiffServ code points by name (RFC 2474, 2597, 3246, 5865, 8622).

use crate::error::{ScenarioError, nearest};
use crate::model::typed::Name;

/// Names and code points. AFxy is 8 x + 2 y, CSx is 8 x.
fn code_points() -> Vec<(String, i64)> {
    let mut all = vec![("DF".to_owned(), 0), ("LE".to_owned(), 1)];
    all.extend((0..8).map(|number| (format!("CS{number}"), 8 * number)));
    all.extend((1..5).flat_map(|class| (1..4).map(move |drop| (format!("AF{class}{drop}"), 8 * class + 2 * drop))));
    all.extend([("VA".to_owned(), 44), ("EF".to_owned(), 46)]);
    all
}

/// The code point of a name, or a number from 0 to 63 itself.
///
/// # Errors
/// For anything else.
pub fn code_point(dscp: &Name) -> Result<i64, ScenarioError> {
    match dscp {
        Name::Whole(number) if (0..64).contains(number) => Ok(*number),
        Name::Whole(number) => Err(ScenarioError::new("expected a DSCP, 0 to 63").value(*number)),
        Name::Text(name) => {
            let known = code_points();
            if let Some((_, point)) = known.iter().find(|(known, _)| known == name) {
                return Ok(*point);
            }
            let names: Vec<_> = known.into_iter().map(|(name, _)| name).collect();
            let expected = format!("expected a DSCP, 0 to 63, or a name: {}", names.join(", "));
            Err(ScenarioError::new(expected).value(name.as_str()).near(nearest(name, &names)))
        }
    }
}
