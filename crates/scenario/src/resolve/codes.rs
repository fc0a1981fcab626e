//! The code that a description names, and what it sets of its parameters.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ackclock_engine::params::Value;

use crate::defaults::{Bench, Values, parameter_value};
use crate::error::{ScenarioError, nearest};
use crate::model::scenario::Scenario;
use crate::model::traffic::is_own;
use crate::outside::{Chosen, Code, Named, Origin, Outside, Role};
use crate::resolve::layout::DirectedLink;
use crate::tree::Tree;

/// The code that a description names, by the keys that name it.
#[derive(Debug)]
pub struct Codes(HashMap<String, (Origin, Code)>);

impl Codes {
    /// Asks for all of it: the user's classes of flows, then those of links, then compiled controls.
    ///
    /// # Errors
    /// For the first that is not there, with its whole key.
    pub fn find(scenario: &Scenario, links: &[DirectedLink], outside: &dyn Outside) -> Result<Codes, ScenarioError> {
        let flows = || scenario.flows.iter().enumerate();
        let own = |name: &str| is_own(name).then_some(Origin::Python);
        let controls = flows().filter_map(|(index, flow)| {
            let name = flow.control.as_deref()?;
            Some((name, format!("flows.{index}.control"), own(name)?, Role::Control))
        });
        let queues = links.iter().filter_map(|link| {
            let name = link.queue.kind.as_str();
            Some((name, format!("{}.kind", link.queue_key), own(name)?, Role::Queue))
        });
        let compiled = flows().filter_map(|(index, flow)| {
            let name = flow.tcp.as_deref()?;
            Some((name, format!("flows.{index}.tcp"), Origin::of_tcp(name)?, Role::Control))
        });
        let mut found = HashMap::new();
        for (name, key, origin, role) in controls.chain(queues).chain(compiled) {
            // Many links have the queue of one description.
            if let Entry::Vacant(place) = found.entry(key) {
                let code = outside.code(Named { name, key: place.key(), origin, role })?;
                place.insert((origin, code));
            }
        }
        Ok(Codes(found))
    }

    /// The code that a key names; `None` where it names what the engine has.
    pub fn at(&self, key: String) -> Option<Choice> {
        let (origin, code) = self.0.get(&key)?;
        let values = if *origin == Origin::Python { code.parameters.clone() } else { Values::default() };
        Some(Choice { code: code.clone(), chosen: Chosen { key, origin: *origin, values } })
    }
}

/// Code, and what a description sets of its parameters.
pub struct Choice {
    /// What is known of it.
    pub code: Code,
    /// What is set.
    pub chosen: Chosen,
}

impl Choice {
    /// The names of its parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.code.parameters.0.iter().map(|(name, _)| name.as_str())
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// For one that it does not have, or a wrong value, with the name as the key.
    pub fn set(&mut self, bench: &mut Bench, name: &str, given: &Tree) -> Result<(), ScenarioError> {
        let wrong = |expected: String| Err(ScenarioError::new(expected).key(name).value(given.clone()));
        let Some(default) = self.code.parameters.get(name) else {
            if !self.code.is_known {
                let value = parameter_value(bench, "", name, given).map_err(|error| error.key(name))?;
                self.chosen.values.set(name, value);
                return Ok(());
            }
            let known: Vec<&str> = self.names().collect();
            let unknown = ScenarioError::new(match self.chosen.origin {
                Origin::Python => format!("{} has no such parameter", self.code.name),
                Origin::Kernel | Origin::Library => "unknown parameter".into(),
            });
            return Err(unknown.key(name).value(given.clone()).near(nearest(name, &known)));
        };
        let found = parameter_value(bench, "", name, given).map_err(|error| error.key(name))?;
        let value = match (self.chosen.origin, default, found) {
            (Origin::Library, _, found) => Value::Real(found.real()),
            (Origin::Kernel, _, found) if is_whole(found) => Value::Int(found.int()),
            (Origin::Kernel, ..) => return wrong("expected a whole number".into()),
            (Origin::Python, Value::Flag(_), Value::Flag(flag)) => Value::Flag(flag),
            (Origin::Python, Value::Flag(_), _) => return wrong("expected true or false".into()),
            (Origin::Python, _, Value::Flag(_)) => return wrong("expected a number".into()),
            (Origin::Python, Value::Int(_), found) if is_whole(found) => Value::Int(found.int()),
            (Origin::Python, Value::Int(_), _) => return wrong("expected a whole number".into()),
            (Origin::Python, Value::Real(_), found) => Value::Real(found.real()),
        };
        self.chosen.values.set(name, value);
        Ok(())
    }
}

fn is_whole(value: Value) -> bool {
    value.real() == value.real().trunc()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of compiled controls.
    #[derive(Debug)]
    struct Compiled;

    impl Outside for Compiled {
        fn code(&self, named: Named) -> Result<Code, ScenarioError> {
            let parameters = match named.origin {
                Origin::Kernel => [("fast_convergence", Value::Int(1)), ("beta", Value::Int(717))],
                _ => [("gain", Value::Real(0.5)), ("beta", Value::Real(0.7))],
            };
            let parameters = Values(parameters.map(|(name, value)| (name.to_owned(), value)).into());
            Ok(Code { name: named.name.into(), parameters, is_known: !named.name.contains("unseen") })
        }
    }

    fn chosen(tcp: &str, parameters: &str) -> Result<Chosen, ScenarioError> {
        let text = format!(
            "duration = \"1 s\"\n\
             topology = {{ kind = \"dumbbell\", bottleneck = {{ rate = \"1 Mb/s\", delay = \"1 ms\" }} }}\n\
             flows = [{{ pair = 1, tcp = \"{tcp}\", parameters = {{ {parameters} }} }}]"
        );
        let scenario = Scenario::from_toml_with(&text, &Compiled)?;
        let network = crate::resolve::network::resolve(&scenario, &Compiled)?;
        Ok(network.flows[0].terms.code.clone().expect("the control is code"))
    }

    // The kernel's module parameters are whole numbers (include/linux/moduleparam.h: int, uint, ulong, bool); those of
    // crates/control are doubles. The sender's own parameters stay the sender's.
    #[test]
    fn a_compiled_control_has_the_parameters_that_are_set() {
        let kernel = chosen("kernel:cubic", "beta = 600, ecn = true").unwrap();
        assert_eq!((kernel.origin, kernel.values.0), (Origin::Kernel, vec![("beta".into(), Value::Int(600))]));
        let library = chosen("./libmine.so:Mine", "gain = 1").unwrap();
        assert_eq!((library.origin, library.values.0), (Origin::Library, vec![("gain".into(), Value::Real(1.0))]));
        let unseen = chosen("kernel:unseen", "anything = 2").unwrap();
        assert_eq!(unseen.values.get("anything"), Some(Value::Int(2)));
    }

    #[test]
    fn a_parameter_that_a_compiled_control_has_not_is_named() {
        let wrong = |tcp, parameters| chosen(tcp, parameters).unwrap_err().to_string();
        assert_eq!(
            wrong("kernel:cubic", "betta = 1"),
            "line 3: flows.0.parameters.betta = 1: unknown parameter; nearest known: beta"
        );
        assert_eq!(
            wrong("kernel:cubic", "beta = 0.5"),
            "line 3: flows.0.parameters.beta = 0.5: expected a whole number"
        );
        assert_eq!(
            wrong("cubi:c", ""),
            "line 3: flows.0.tcp = \"cubi:c\": expected a TCP variant: cubic, reno, \
            new_reno, sack, bbr, bbr3, vegas, dctcp, tcp, linux, tahoe, prague, ... (`ackclock list` has all); \
            nearest known: cubic"
        );
    }
}
