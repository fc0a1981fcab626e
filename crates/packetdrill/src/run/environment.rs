//! The machine that a script assumes: sysctls, the interface's offloads and its queue, as its shell commands set them.
//!
//! Sources: Documentation/networking/ip-sysctl.rst of Linux; what `defaults.sh` beside packetdrill's scripts sets.

use ackclock_engine::transport::tcp::socket::clock::Duration;
use ackclock_engine::transport::tcp::socket::config::{Config, EcnMode};

use super::shell;

/// Bytes of IPv4 and TCP headers without options.
const IPV4_HEADERS: u32 = 40;
/// Bytes of IPv6 and TCP headers without options.
const IPV6_HEADERS: u32 = 60;

/// Sysctls that no result of a simulated socket depends on.
const WITHOUT_EFFECT: &[&str] = &[
    "tcp_fastopen",
    "tcp_fastopen_key",
    "tcp_fastopen_blackhole_timeout_sec",
    "tcp_fack",
    "tcp_no_metrics_save",
    "tcp_metrics_save",
    "tcp_tw_reuse",
    "tcp_max_syn_backlog",
    "tcp_mem",
    "tcp_rfc1337",
    "ip_no_pmtu_disc",
];

/// The engine's name of a control of Linux.
pub(super) fn linux_control(name: &str) -> String {
    if name == "cubic" { "linux_cubic".to_owned() } else { name.to_owned() }
}

/// The machine under the socket.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    pub(super) config: Config,
    /// MTU of the interface, bytes.
    pub(super) mtu: u32,
    /// Whether packets are IPv6.
    pub(super) is_ipv6: bool,
    /// Whether segments are cut into packets before they reach the interface, since its offloads are off.
    pub(super) cuts_segments: bool,
}

impl Environment {
    /// The machine before any command: Linux's defaults, but a queue discipline without pacing.
    pub(super) fn new(is_ipv6: bool, mtu: u32) -> Environment {
        let config = Config { congestion_control: linux_control("cubic"), ..Config::default() };
        Environment { config, mtu, is_ipv6, cuts_segments: false }
    }

    /// The settings of a socket made now.
    pub(super) fn socket_config(&self) -> Config {
        let headers = if self.is_ipv6 { IPV6_HEADERS } else { IPV4_HEADERS };
        let mss = u16::try_from(self.mtu.saturating_sub(headers)).unwrap_or(u16::MAX);
        let mut config = Config { mss, ..self.config.clone() };
        if config.congestion_control == "cubic" {
            // Scripts mean Linux's, which counts whole packets.
            "linux_cubic".clone_into(&mut config.congestion_control);
        }
        config
    }

    /// Runs shell commands.
    ///
    /// # Errors
    /// The name of the first command or setting that a simulation does not have.
    pub(super) fn run(&mut self, text: &str) -> Result<(), String> {
        shell::commands(text).iter().try_for_each(|words| self.run_one(words))
    }

    fn run_one(&mut self, words: &[String]) -> Result<(), String> {
        let program = words[0].rsplit('/').next().unwrap_or_default();
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        match program {
            "defaults.sh" => self.set_defaults(),
            "sysctl" | "set_sysctls.py" => {
                arguments.iter().filter(|word| !word.starts_with('-')).try_for_each(|word| self.assign(word))?;
            }
            "tc" => return self.run_tc(&arguments),
            "ip" => return self.run_ip(&arguments),
            "ethtool" => {
                let turns_off = |offload: &str| arguments.windows(2).any(|pair| pair == [offload, "off"]);
                if arguments.first() != Some(&"-K") || !turns_off("tso") || !turns_off("gso") {
                    return Err(format!("the command {}", words.join(" ")));
                }
                self.cuts_segments = true;
            }
            "echo" => {
                // HyStart's default: both detections.
                let is_default = words.join(" ").starts_with("echo 3") && words.len() == 2;
                if !is_default {
                    return Err(format!("the command {}", words.join(" ")));
                }
            }
            _ if program.starts_with("sysctl_restore") => {}
            _ => return Err(format!("the program {program}")),
        }
        Ok(())
    }

    fn run_tc(&mut self, arguments: &[&str]) -> Result<(), String> {
        if arguments.contains(&"limit") {
            return Err("a queue that drops packets (tc … limit)".to_owned());
        }
        match arguments {
            ["qdisc", "delete" | "del", ..] => self.config.pacing = false,
            ["qdisc", "replace" | "add", "dev", _, "root", "pfifo"] => self.config.pacing = false,
            ["qdisc", "replace" | "add", "dev", _, "root", "fq"] => self.config.pacing = true,
            _ => return Err(format!("the command tc {}", arguments.join(" "))),
        }
        Ok(())
    }

    fn run_ip(&mut self, arguments: &[&str]) -> Result<(), String> {
        let unknown = || format!("the command ip {}", arguments.join(" "));
        match arguments {
            ["tcp_metrics", "flush", ..] => {}
            ["link", "set", "dev", _, settings @ ..] | ["link", "set", _, settings @ ..] if !settings.is_empty() => {
                for pair in settings.chunks(2) {
                    let value = pair.get(1).and_then(|value| value.parse().ok()).ok_or_else(unknown)?;
                    match pair[0] {
                        "gso_max_segs" => self.config.gso_max_segs = value,
                        "gso_max_size" | "gso_ipv4_max_size" => self.config.gso_max_size = value,
                        "mtu" => self.mtu = value,
                        _ => return Err(unknown()),
                    }
                }
            }
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// `net.ipv4.tcp_sack=1` or `/proc/sys/net/ipv4/tcp_sack=1`.
    fn assign(&mut self, assignment: &str) -> Result<(), String> {
        let Some((path, value)) = assignment.split_once('=') else {
            return Err(format!("the sysctl {assignment}"));
        };
        let path = path.strip_prefix("/proc/sys/").unwrap_or(path).replace('/', ".");
        let name = path.rsplit('.').next().unwrap_or_default();
        // Off, or for clients that ask for it.
        if name == "tcp_fastopen" && !["0", "1", "0x0", "0x1"].contains(&value) {
            return Err("fast open".to_owned());
        }
        if WITHOUT_EFFECT.contains(&name) {
            return Ok(());
        }
        let refused = || format!("the sysctl {name}={value}");
        let list: Vec<i64> = value.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if name == "tcp_congestion_control" {
            self.config.congestion_control = linux_control(value);
            return Ok(());
        }
        let number = *list.first().ok_or_else(refused)?;
        self.set(name, number, &list).ok_or_else(refused)
    }

    /// `None` if there is no such setting, or not with this value.
    fn set(&mut self, name: &str, number: i64, list: &[i64]) -> Option<()> {
        let config = &mut self.config;
        let unsigned = u32::try_from(number).ok()?;
        let byte = u8::try_from(number).unwrap_or(u8::MAX);
        let is_set = number != 0;
        let triple = || {
            <[u32; 3]>::try_from(list.iter().filter_map(|value| u32::try_from(*value).ok()).collect::<Vec<_>>()).ok()
        };
        match name {
            "tcp_sack" => config.sack = is_set,
            "tcp_dsack" => config.dsack = is_set,
            "tcp_timestamps" => config.timestamps = is_set,
            "tcp_window_scaling" => config.window_scaling = is_set,
            "tcp_ecn" => {
                config.ecn = match number {
                    0 => EcnMode::Off,
                    1 => EcnMode::On,
                    2 => EcnMode::Passive,
                    3 => EcnMode::AccEcn,
                    4 => EcnMode::AccEcnServer,
                    5 => EcnMode::AccEcnPassive,
                    _ => return None,
                };
            }
            "tcp_ecn_fallback" => config.ecn_fallback = is_set,
            "tcp_ecn_option" => config.ecn_option = byte,
            "tcp_ecn_option_beacon" => config.ecn_option_beacon = byte,
            "tcp_recovery" => config.recovery = byte,
            "tcp_early_retrans" => config.early_retrans = byte,
            "tcp_frto" => config.frto = byte,
            "tcp_reordering" => config.reordering = unsigned,
            "tcp_max_reordering" => config.max_reordering = unsigned,
            "tcp_slow_start_after_idle" => config.slow_start_after_idle = is_set,
            "tcp_rmem" => config.rmem = triple()?,
            "tcp_wmem" => config.wmem = triple()?,
            "tcp_moderate_rcvbuf" => config.moderate_rcvbuf = is_set,
            "tcp_workaround_signed_windows" => config.workaround_signed_windows = is_set,
            "tcp_shrink_window" => config.shrink_window = is_set,
            "tcp_min_tso_segs" => config.min_tso_segs = unsigned,
            "tcp_tso_win_divisor" => config.tso_win_divisor = unsigned,
            "tcp_tso_rtt_log" => config.tso_rtt_log = byte,
            "tcp_pacing_ss_ratio" => config.pacing_ss_ratio = unsigned,
            "tcp_pacing_ca_ratio" => config.pacing_ca_ratio = unsigned,
            "tcp_rto_min_us" => config.rto_min = Duration::from_micros(u64::from(unsigned)),
            "tcp_rto_max_ms" => config.rto_max = Duration::from_millis(u64::from(unsigned)),
            "tcp_syn_retries" => config.syn_retries = byte,
            "tcp_synack_retries" => config.synack_retries = byte,
            "tcp_syn_linear_timeouts" => config.syn_linear_timeouts = byte,
            "tcp_retries1" => config.retries1 = byte,
            "tcp_retries2" => config.retries2 = byte,
            "tcp_orphan_retries" => config.orphan_retries = byte,
            "tcp_fin_timeout" => config.fin_timeout = Duration::from_secs(u64::from(unsigned)),
            "tcp_keepalive_time" => config.keepalive_time = Duration::from_secs(u64::from(unsigned)),
            "tcp_keepalive_intvl" => config.keepalive_interval = Duration::from_secs(u64::from(unsigned)),
            "tcp_keepalive_probes" => config.keepalive_probes = byte,
            "tcp_min_rtt_wlen" => config.min_rtt_window = Duration::from_secs(u64::from(unsigned)),
            "tcp_invalid_ratelimit" => config.invalid_ratelimit = Duration::from_millis(u64::from(unsigned)),
            "tcp_notsent_lowat" => config.notsent_lowat = unsigned,
            "tcp_retrans_collapse" => config.retrans_collapse = is_set,
            "tcp_thin_linear_timeouts" => config.thin_linear_timeouts = is_set,
            "tcp_comp_sack_nr" => config.comp_sack_nr = byte,
            "tcp_comp_sack_delay_ns" => config.comp_sack_delay = Duration::from_nanos(u64::from(unsigned)),
            // A buffer's half is window at first, as Linux's default 1 says.
            "tcp_adv_win_scale" if number == 1 => {}
            // Timers are exact, and the interface takes every segment at once.
            "tcp_comp_sack_slack_ns" | "tcp_autocorking" => {}
            // Cookies are sent when the queue of requests is full, which it never is; 2 sends them always.
            "tcp_syncookies" if number < 2 => {}
            "tcp_mtu_probing" if number == 0 => {}
            _ => return None,
        }
        Some(())
    }

    /// What `defaults.sh` beside packetdrill's scripts sets.
    fn set_defaults(&mut self) {
        self.config.rmem = [4096, 540_000, 15 << 20];
        self.config.wmem = [4096, 256 << 10, 4_194_304];
        self.config.timestamps = true;
        self.config.syn_retries = 5;
        self.config.synack_retries = 5;
        self.config.frto = 2;
        self.config.sack = true;
        self.config.dsack = true;
        self.config.reordering = 3;
        self.config.congestion_control = linux_control("cubic");
        self.config.slow_start_after_idle = false;
        self.config.early_retrans = 4;
        self.config.recovery = 1;
        self.config.tso_win_divisor = 3;
        self.config.ecn = EcnMode::Off;
        self.config.ecn_option = 2;
        self.config.pacing_ss_ratio = 200;
        self.config.pacing_ca_ratio = 120;
        self.config.notsent_lowat = u32::MAX;
        self.config.pacing = false;
    }
}
