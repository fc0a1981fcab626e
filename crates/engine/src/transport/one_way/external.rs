//! The adapter to an external, user-defined congestion control.

use super::ack::ReceivedAck;
use super::cold_state::ExternalControl;
use super::connection::{Connection, LastCut};
use super::traced::Note;
use crate::packet::flag;
use crate::transport::external_control::{ControlEvent, ControlState, ExternalCongestionOps};

impl Connection {
    /// Lets `control` set the window from now on.
    pub fn set_control(&mut self, control: Box<dyn ExternalCongestionOps>) {
        let outside = ExternalControl { control, now_s: 0.0, srtt_s: None, min_rtt_s: None, error: None };
        self.rare.get_or_insert_default().outside = Some(outside);
    }

    /// The external control, if any.
    #[inline]
    pub(super) fn outside(&self) -> Option<&ExternalControl> {
        self.rare.as_ref()?.outside.as_ref()
    }

    /// The external control for mutation, if any.
    #[inline]
    pub(super) fn outside_mut(&mut self) -> Option<&mut ExternalControl> {
        self.rare.as_mut()?.outside.as_mut()
    }

    /// Notifies the control of a connection reset.
    pub(super) fn outside_starts(&mut self, now_s: f64) {
        if let Some(outside) = self.outside_mut() {
            (outside.now_s, outside.srtt_s, outside.min_rtt_s) = (now_s, None, None);
            self.ask_outside(ControlEvent::Start);
        }
    }

    /// Notifies the control of an ACK of new data. The ACK of the SYN sets the initial window with any control.
    #[cold]
    pub(super) fn outside_acknowledged(&mut self, ack: &ReceivedAck) {
        let Some(outside) = self.outside_mut() else { return };
        let rtt_s = (ack.flags & flag::NO_TIMESTAMP == 0).then_some(outside.now_s - ack.ts_echo);
        if let Some(rtt_s) = rtt_s {
            outside.sample(rtt_s);
        }
        if self.last_ack > 0 || !self.config.delay_growth {
            let packets = *self.ack - self.previous_ack;
            let marked = ack.echoes_mark();
            let marked_packets = i32::from(marked);
            self.ask_outside(ControlEvent::Ack {
                packets,
                marked,
                marked_packets,
                rtt_s,
                delivery_per_s: None,
                is_app_limited: false,
            });
        }
    }

    /// Lets the control cut the window on congestion.
    #[cold]
    pub(super) fn outside_cuts(&mut self) {
        self.count_cut();
        self.ncwndcuts1.set(*self.ncwndcuts1 + 1, &mut self.log);
        let slow_start = *self.cwnd < f64::from(*self.ssthresh);
        self.ask_outside(match self.last_cut {
            LastCut::Timeout => ControlEvent::Timeout,
            LastCut::Mark => ControlEvent::Mark,
            LastCut::None | LastCut::Duplicates | LastCut::Recovered => ControlEvent::Loss,
        });
        self.first_cut = false;
        if *self.cwnd == 1.0 || slow_start {
            self.happened("SLOW_START");
        }
    }

    fn ask_outside(&mut self, sign: ControlEvent) {
        let Some(mut outside) = self.rare.as_mut().and_then(|rare| rare.outside.take()) else { return };
        if outside.error.is_none() {
            let mut state = ControlState {
                now_s: outside.now_s,
                cwnd: *self.cwnd,
                ssthresh: *self.ssthresh,
                window: self.real_window(),
                in_flight: *self.maxseq - *self.ack,
                mss_bytes: self.end.packet_size,
                srtt_s: outside.srtt_s,
                min_rtt_s: outside.min_rtt_s,
                is_limited: true,
                pacing_per_s: None,
            };
            match outside.control.decide(sign, &mut state) {
                Ok(()) => {
                    self.cwnd.set(state.cwnd, &mut self.log);
                    self.ssthresh.set(state.ssthresh.max(2), &mut self.log);
                    self.limit_window();
                }
                Err(what) => {
                    outside.error = Some(what);
                    self.log.note(Note::ControlFailed);
                }
            }
        }
        self.rare.get_or_insert_default().outside = Some(outside);
    }
}
