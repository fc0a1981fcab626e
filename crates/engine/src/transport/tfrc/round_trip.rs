//! A TFRC sender's round-trip times: one in TCP's coarse ticks, for the timeout; one fine, for the equation.

/// The estimates. All times in seconds, but for those in ticks.
#[derive(Debug, Default)]
pub struct TfrcRttEstimator {
    /// The fine estimate; 0 before there is one.
    pub smoothed_s: f64,
    /// The last round trip.
    pub last_s: f64,
    /// The mean of the square roots of round trips.
    pub mean_root: f64,
    /// The timeout that the equation is to use.
    pub timeout_s: f64,
    srtt_ticks: i32,
    rttvar_ticks: i32,
}

/// How round trips are smoothed.
#[derive(Debug)]
pub struct Smoothing {
    /// The weight of what is known in the fine estimate.
    pub df: f64,
    /// The clock's tick, s.
    pub tcp_tick: f64,
    /// Fraction bits of the coarse mean.
    pub t_srtt_bits: i32,
    /// Fraction bits of the coarse deviation.
    pub t_rttvar_bits: i32,
    /// The timeout has the deviation times 2 to this power.
    pub rttvar_exp: i32,
    /// The coarse mean at first, s.
    pub srtt_init: i32,
    /// The coarse deviation at first, s.
    pub rttvar_init: i32,
    /// The least timeout, s.
    pub minrto: f64,
}

impl Smoothing {
    fn ticks(&self, seconds: i32) -> i32 {
        (f64::from(seconds) / self.tcp_tick) as i32
    }
}

impl TfrcRttEstimator {
    /// As at the start of a flow.
    pub fn new(by: &Smoothing) -> TfrcRttEstimator {
        TfrcRttEstimator {
            smoothed_s: 0.0,
            last_s: 1.0,
            mean_root: 1.0,
            timeout_s: 0.0,
            srtt_ticks: by.ticks(by.srtt_init) << by.t_srtt_bits,
            rttvar_ticks: by.ticks(by.rttvar_init) << by.t_rttvar_bits,
        }
    }

    /// Takes in a round trip of so many seconds.
    pub fn take(&mut self, round_trip_s: f64, by: &Smoothing) {
        self.take_in_ticks(((round_trip_s / by.tcp_tick + 0.5) as i32).max(1), by);
        let scale = by.rttvar_exp + (by.t_srtt_bits - by.t_rttvar_bits);
        let ticks = ((self.rttvar_ticks << scale) + self.srtt_ticks) >> by.t_srtt_bits;
        self.timeout_s = (f64::from(ticks) * by.tcp_tick).max(by.minrto);
        if self.smoothed_s > 0.0 {
            self.smoothed_s = by.df * self.smoothed_s + (1.0 - by.df) * round_trip_s;
            self.mean_root = by.df * self.mean_root + (1.0 - by.df) * round_trip_s.sqrt();
        } else {
            self.smoothed_s = round_trip_s;
            self.mean_root = round_trip_s.sqrt();
        }
        self.last_s = round_trip_s;
    }

    /// Jacobson's estimator in whole numbers, whose differences have 16 bits.
    fn take_in_ticks(&mut self, sample: i32, by: &Smoothing) {
        if self.srtt_ticks == 0 {
            self.srtt_ticks = sample << by.t_srtt_bits;
            self.rttvar_ticks = sample << (by.t_rttvar_bits - 1);
            return;
        }
        let error = (sample - (self.srtt_ticks >> by.t_srtt_bits)) as i16;
        self.srtt_ticks = (self.srtt_ticks + i32::from(error)).max(1);
        let growth = (i32::from(error.wrapping_abs()) - (self.rttvar_ticks >> by.t_rttvar_bits)) as i16;
        self.rttvar_ticks = (self.rttvar_ticks + i32::from(growth)).max(1);
    }

    /// A rate as this round's is to be: less where the last round trip was longer than the mean.
    pub fn tilt(&self, rate: f64) -> f64 {
        rate * self.mean_root / self.last_s.sqrt()
    }
}
