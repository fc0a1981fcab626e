//! How scripts are run: packetdrill's command line options.

use ackclock_engine::transport::tcp::socket::clock::Duration;

use crate::script::ScriptOption;

/// Settings of a run; those in a script's first lines replace them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `--tolerance_usecs`: by how much a time may differ, microseconds.
    pub tolerance_usecs: i64,
    /// `--tolerance_percent`: the same in percent of the time since the previous event; the larger one counts.
    pub tolerance_percent: f64,
    /// `--mss`: inbound packets with more payload are segments of this size that the interface has joined, bytes.
    pub mss: Option<u32>,
    /// `--mtu`, bytes.
    pub mtu: u32,
    /// `--ip_version=ipv6`.
    pub is_ipv6: bool,
    /// `--tcp_ts_tick_usecs`: microseconds in a tick of the timestamps; 0 does not check them.
    pub ts_tick_usecs: i64,
    /// `--tcp_ts_ecr_scaled`: echoes of timestamps that no packet had are interpolated.
    pub ts_ecr_scaled: bool,
    /// `--strict_segments`: segments are not joined to what the script shows.
    pub strict_segments: bool,
    /// `--hz`: timer ticks per second of the kernel that the script was written for.
    pub hz: u32,
    /// `--tick_phase_usecs`: timers expire at the ticks of a kernel, of which one is so many microseconds after the start.
    pub tick_phase: Option<Duration>,
    /// `--seed`: of the random numbers that a congestion control draws.
    pub seed: Option<u64>,
    /// A run ends with an error after this many timers.
    pub max_steps: u64,
    /// A run ends with an error after this virtual time.
    pub max_time: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            tolerance_usecs: 4000,
            tolerance_percent: 12.5,
            mss: None,
            mtu: 1500,
            is_ipv6: false,
            ts_tick_usecs: 0,
            ts_ecr_scaled: false,
            strict_segments: false,
            hz: 250,
            tick_phase: None,
            seed: None,
            max_steps: 1_000_000,
            max_time: Duration::from_secs(86_400),
        }
    }
}

impl Settings {
    /// Takes over a script's options.
    ///
    /// # Errors
    /// The name of an option that a simulation does not have.
    pub(super) fn apply(&mut self, options: &[ScriptOption]) -> Result<(), String> {
        options.iter().try_for_each(|option| self.set(option.name.as_str(), option.value.as_deref()))
    }

    /// Sets one option; `value` is the text after the equals sign.
    ///
    /// # Errors
    /// The option's name, if a simulation does not have it, or the value if it is not a valid one.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let text = value.unwrap_or_default();
        let refused = || format!("the option --{name}={text}");
        let number = || text.parse::<i64>().map_err(|_| refused());
        let bytes = || text.parse::<u32>().ok().filter(|bytes| *bytes > 0).ok_or_else(refused);
        match name {
            "tolerance_usecs" => self.tolerance_usecs = number()?,
            "tolerance_percent" => self.tolerance_percent = text.parse().map_err(|_| refused())?,
            "mss" => self.mss = Some(bytes()?),
            "mtu" => self.mtu = bytes()?,
            "hz" => self.hz = bytes()?,
            "tick_phase_usecs" => self.tick_phase = Some(Duration::from_micros(u64::from(bytes()?))),
            "seed" => self.seed = Some(text.parse().map_err(|_| refused())?),
            "tcp_ts_tick_usecs" => self.ts_tick_usecs = number()?,
            "tcp_ts_ecr_scaled" => self.ts_ecr_scaled = true,
            "strict_segments" => self.strict_segments = true,
            "ip_version" => match text {
                "ipv4" | "ipv4-mapped-ipv6" => self.is_ipv6 = false,
                "ipv6" => self.is_ipv6 = true,
                _ => return Err(refused()),
            },
            // Addresses, ports, programs and what is printed: a simulation has one connection and no Python.
            "local_ip" | "remote_ip" | "gateway_ip" | "netmask_ip" | "bind_port" | "connect_port" | "speed"
            | "debug" | "verbose" | "dry_run" | "send_omit_free" | "code_command" | "code_format" | "code_sockopt"
            | "define" => {}
            _ => return Err(format!("the option --{name}")),
        }
        Ok(())
    }
}
