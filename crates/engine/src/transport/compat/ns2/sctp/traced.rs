//! Traced variables. In ns-2 they count their changes; the lines of the agent's own trace have what is meant by them.

use crate::measure::observe::TraceId;
use crate::params::Params;

/// A traced variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Congestion windows.
    Cwnd,
    /// Receiver window.
    Rwnd,
    /// Retransmission timeouts.
    Rto,
    /// Timeouts in a row.
    ErrorCount,
    /// Fast retransmissions.
    FrCount,
    /// Timeouts.
    TimeoutCount,
    /// Routes computed.
    RcdCount,
    /// Repeated fast retransmissions.
    MfrCount,
    /// Possibly failed destinations that were used again for new data.
    PfToActiveNewData,
    /// The same for retransmissions.
    PfToActiveRtxms,
}

/// Names of the variables, in the order of [`Variable`].
pub const NAMES: [&str; 10] = [
    "cwnd",
    "rwnd",
    "rto",
    "error_count",
    "fr_count",
    "timeout_count",
    "rcd_count",
    "mfr_count",
    "count_pfto_active_new_data",
    "count_pfto_active_rtxms",
];

/// How often each variable has changed, and who wants to know.
#[derive(Clone, Debug, Default, Params)]
pub struct Traced {
    /// Changes of `cwnd`.
    #[param(state)]
    pub cwnd: i32,
    /// Changes of `rwnd`.
    #[param(state)]
    pub rwnd: i32,
    /// Changes of the timeouts.
    #[param(state)]
    pub rto: f64,
    /// Changes of `error_count`.
    #[param(state)]
    pub error_count: i32,
    /// Changes of `fr_count`.
    #[param(state)]
    pub fr_count: i32,
    /// Changes of `timeout_count`.
    #[param(state)]
    pub timeout_count: i32,
    /// Changes of `rcd_count`.
    #[param(state)]
    pub rcd_count: i32,
    /// Changes of `mfr_count`.
    #[param(state)]
    pub mfr_count: i32,
    /// Changes of `count_pfto_active_new_data`.
    #[param(state)]
    pub count_pfto_active_new_data: i32,
    /// Changes of `count_pfto_active_rtxms`.
    #[param(state)]
    pub count_pfto_active_rtxms: i32,
    /// Where the value of a variable is written.
    pub values: [Option<TraceId>; 10],
    /// Where the agent writes its own lines for a variable.
    pub lines: [Option<TraceId>; 10],
    /// Where it writes lines on demand.
    pub printed: Option<TraceId>,
    /// Variables that the script has set.
    pub was_set: [bool; 10],
    /// Where what ns-2 prints on stdout is written.
    pub stdout: Option<TraceId>,
}

impl Traced {
    /// Adds a place for a variable; names that end in `_lines` are for the agent's own lines. Whether the name is known.
    pub fn watch(&mut self, name: &str, place: TraceId) -> bool {
        match name {
            "remarks" => self.stdout = Some(place),
            "print_lines" => self.printed = Some(place),
            _ => {
                let bare = name.strip_suffix("_lines");
                let Some(number) = number_of(bare.unwrap_or(name)) else { return false };
                let (kept, other) = if bare.is_some() {
                    (&mut self.lines, &mut self.values)
                } else {
                    (&mut self.values, &mut self.lines)
                };
                (kept[number], other[number]) = (Some(place), None);
            }
        }
        true
    }

    /// Notes that the script has set a variable.
    pub fn note_set(&mut self, name: &str) {
        if let Some(number) = number_of(name) {
            self.was_set[number] = true;
        }
    }
}

/// The place of a name in [`NAMES`].
pub fn number_of(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}
