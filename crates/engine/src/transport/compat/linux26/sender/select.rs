//! Commands of ns-2.35's Linux sender: selection of the congestion control and its tunables by name.

use super::{Linux, kernel_of};
use crate::net::Network;
use crate::transport::compat::linux26::cc::{self, CONTROLS, Override, Tunables};
use crate::transport::one_way::connection::Connection;

/// A jiffy, s.
const JIFFY: f64 = 1.0 / 1000.0;

impl Linux {
    /// The commands `congestion_control NAME`, `tunable LAW NAME` and `own_tunable LAW NAME`; the latter two set a
    /// value if one is given.
    pub(super) fn choose(
        &mut self,
        tcp: &mut Connection,
        name: &str,
        arguments: &[&str],
        net: &mut Network,
    ) -> Option<Result<String, String>> {
        Some(match (name, arguments) {
            ("congestion_control", [law]) => self.install(law, tcp, net),
            ("tunable", [law, name]) => find(law, name).map(|place| kernel_of(net).tunables.get(place).to_string()),
            ("tunable", [law, name, value]) => find(law, name).and_then(|place| {
                kernel_of(net).tunables.set(place, whole(value)?);
                Ok(String::new())
            }),
            ("own_tunable", [law, name]) => find(law, name).map(|place| {
                let own = self.overrides.iter().find(|one| one.place == place);
                own.map_or_else(|| kernel_of(net).tunables.get(place), |one| one.value).to_string()
            }),
            ("own_tunable", [law, name, value]) => find(law, name).and_then(|place| {
                let value = whole(value)?;
                match self.overrides.iter_mut().find(|one| one.place == place) {
                    Some(one) => one.value = value,
                    // The newest is first, as in ns-2: the order matters where tunables overlap.
                    None => self.overrides.insert(0, Override::new(place, value)),
                }
                Ok(String::new())
            }),
            _ => return None,
        })
    }

    fn install(&mut self, law: &str, tcp: &mut Connection, net: &mut Network) -> Result<String, String> {
        let number = cc::named(law).ok_or_else(|| {
            let known: Vec<&str> = CONTROLS.iter().map(|entry| entry.id).collect();
            format!("unknown congestion control {law}; expected one of {}", known.join(", "))
        })?;
        if self.chosen == Some(number) {
            return Ok(String::new());
        }
        if self.chosen.is_some() {
            self.save(tcp);
        } else {
            self.load_once(tcp);
            self.load(tcp);
            tcp.config.tcp_tick = JIFFY;
        }
        let entry = &CONTROLS[number];
        let mut law = (entry.make)();
        if self.law_is_ready {
            self.socket.look_at(kernel_of(net), Some(number));
            law.init(&mut self.socket);
        }
        self.law = Some(law);
        self.chosen = Some(number);
        if entry.wants_sending_times {
            tcp.config.bug_fix_ts = true;
        }
        self.save(tcp);
        tcp.flush(net);
        Ok(String::new())
    }
}

fn find(law: &str, name: &str) -> Result<cc::TunableId, String> {
    Tunables::find(law, name).ok_or_else(|| format!("{law} has no parameter {name}"))
}

fn whole(text: &str) -> Result<i32, String> {
    text.parse().map_err(|_| format!("a parameter takes a whole number, not {text}"))
}
