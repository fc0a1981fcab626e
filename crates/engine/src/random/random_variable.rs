//! Random variables: distributions with parameters and a random stream.
//!
//! Source: ns-2.35's `RandomVariable/*`; the gamma distribution after G. Marsaglia and W. W. Tsang, "A simple method
//! for generating gamma variables", ACM Transactions on Mathematical Software 26(3), 2000.
//! What it decides: how many uniform numbers a value needs, and the order of the operations on them.
//! Departures: none. Two special cases of ns-2 are kept: the hyperexponential distribution always draws from the
//! default stream. So does a gamma distribution with a shape below 1, after its first number.
//! Not implemented: values from a trace file.
//! Checked against: ns-2.35 (the numbers of the tests below, and tests/oracle/ns2).

use crate::math::Math;
use crate::params::{Params, Value};
use crate::random::pack_mime;
use crate::random::rng::Stream;

/// Index of a random variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableId(pub u32);

/// The kinds of random variables, without those of [`pack_mime::KINDS`].
pub const KINDS: &[&str] = &[
    "uniform",
    "exponential",
    "erlang",
    "gamma",
    "pareto",
    "pareto_ii",
    "normal",
    "log_normal",
    "constant",
    "hyper_exponential",
    "weibull",
    "empirical",
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Uniform,
    Exponential,
    Erlang,
    Gamma,
    Pareto,
    ParetoII,
    Normal,
    LogNormal,
    Constant,
    HyperExponential,
    Weibull,
    Empirical,
    PackMime,
}

/// A distribution, its parameters, and the stream it draws from.
#[derive(Clone, Debug, Params)]
pub struct RandomVariable {
    kind: Kind,
    /// Number of its stream: 0 is the default stream, n the n-th in [`Streams::made`](crate::random::rng::Streams::made).
    pub stream: u32,
    #[param(state)]
    min: f64,
    #[param(state)]
    max: f64,
    #[param(state)]
    avg: f64,
    #[param(state)]
    std: f64,
    #[param(state)]
    shape: f64,
    #[param(state)]
    scale: f64,
    #[param(state)]
    cov: f64,
    #[param(state)]
    val: f64,
    #[param(state)]
    alpha: f64,
    #[param(state)]
    beta: f64,
    #[param(state)]
    lambda: f64,
    #[param(state)]
    k: i32,
    #[param(state)]
    min_cdf: f64,
    #[param(state)]
    max_cdf: f64,
    /// 0: none; 1: linear; 2: linear, rounded up.
    #[param(state)]
    interpolation: i32,
    #[param(state)]
    max_entry: i32,
    /// Increasing cumulative probabilities, and their values.
    table: Vec<(f64, f64)>,
    web: Option<Box<pack_mime::Variable>>,
}

impl RandomVariable {
    /// A random variable with the default parameters of its kind and the default stream; `None` for an unknown kind.
    pub fn new(kind: &str) -> Option<RandomVariable> {
        let mut variable = RandomVariable {
            kind: Kind::Uniform,
            stream: 0,
            min: 0.0,
            max: 1.0,
            avg: 1.0,
            std: 1.0,
            shape: 1.5,
            scale: 1.0,
            cov: 4.0,
            val: 1.0,
            alpha: 1.0,
            beta: 1.0,
            lambda: 1.0,
            k: 1,
            min_cdf: 0.0,
            max_cdf: 1.0,
            interpolation: 0,
            max_entry: 32,
            table: Vec::new(),
            web: None,
        };
        variable.kind = match kind {
            "uniform" => Kind::Uniform,
            "exponential" => Kind::Exponential,
            "erlang" => Kind::Erlang,
            "gamma" => Kind::Gamma,
            "pareto" => Kind::Pareto,
            "pareto_ii" => {
                (variable.avg, variable.shape) = (10.0, 1.2);
                Kind::ParetoII
            }
            "normal" => {
                variable.avg = 0.0;
                Kind::Normal
            }
            "log_normal" => Kind::LogNormal,
            "constant" => Kind::Constant,
            "hyper_exponential" => Kind::HyperExponential,
            "weibull" => {
                variable.shape = 1.0;
                Kind::Weibull
            }
            "empirical" => Kind::Empirical,
            _ => {
                variable.web = Some(Box::new(pack_mime::Variable::new(kind)?));
                Kind::PackMime
            }
        };
        Some(variable)
    }

    fn own_names(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Uniform => &["min", "max"],
            Kind::Exponential => &["avg"],
            Kind::Erlang => &["lambda", "k"],
            Kind::Gamma => &["alpha", "beta"],
            Kind::Pareto | Kind::ParetoII => &["avg", "shape"],
            Kind::Normal | Kind::LogNormal => &["avg", "std"],
            Kind::Constant => &["val"],
            Kind::HyperExponential => &["avg", "cov"],
            Kind::Weibull => &["scale", "shape"],
            Kind::Empirical => &["min_cdf", "max_cdf", "interpolation", "max_entry"],
            Kind::PackMime => &[],
        }
    }

    /// The value of a parameter, `None` for an unknown name.
    pub fn param(&self, name: &str) -> Option<Value> {
        match &self.web {
            Some(web) => web.param(name),
            None if self.own_names().contains(&name) => self.own_param(name),
            None => None,
        }
    }

    /// Sets a parameter; false for an unknown name.
    pub fn set_param(&mut self, name: &str, value: Value) -> bool {
        match &mut self.web {
            Some(web) => web.set_param(name, value),
            None => self.own_names().contains(&name) && self.set_own_param(name, value),
        }
    }

    /// Sets the table of an empirical distribution: increasing cumulative probabilities with their values.
    pub fn set_table(&mut self, table: Vec<(f64, f64)>) {
        self.table = table;
    }

    /// Draws again the values that a random variable draws only once. `default` and `made` are the simulation's streams.
    pub(super) fn restart(&mut self, default: &mut Stream, made: &mut [Stream]) {
        let own = match self.stream {
            0 => default,
            number => &mut made[number as usize - 1],
        };
        if let Some(web) = &mut self.web {
            web.restart(own);
        }
    }

    /// The next value. `default` and `made` are the simulation's streams, `spare` is the second normal variate of a
    /// pair.
    pub(super) fn next(&mut self, default: &mut Stream, made: &mut [Stream], spare: &mut Option<f64>) -> f64 {
        let own = match self.stream {
            0 => &mut *default,
            number => &mut made[number as usize - 1],
        };
        match self.kind {
            Kind::HyperExponential => self.draw(default, spare),
            Kind::Gamma if self.alpha < 1.0 => {
                let first = own.uniform_below(1.0);
                let rest = gamma(1.0 + self.alpha, self.beta, default, spare);
                rest * first.power(1.0 / self.alpha)
            }
            _ => self.draw(own, spare),
        }
    }

    fn draw(&mut self, own: &mut Stream, spare: &mut Option<f64>) -> f64 {
        if let Some(web) = &mut self.web {
            return web.draw(own);
        }
        match self.kind {
            Kind::Uniform => own.uniform(self.min, self.max),
            Kind::Exponential => own.exponential_mean(self.avg),
            Kind::Erlang => (0..self.k).fold(0.0, |sum, _| sum + own.exponential_mean(self.lambda)),
            Kind::Gamma => gamma(self.alpha, self.beta, own, spare),
            Kind::Pareto => own.pareto(self.avg * (self.shape - 1.0) / self.shape, self.shape),
            Kind::ParetoII => {
                let scale = self.avg * (self.shape - 1.0);
                scale * ((1.0 / own.unit().power(1.0 / self.shape)) - 1.0)
            }
            Kind::Normal => own.normal(spare, self.avg, self.std),
            Kind::LogNormal => own.normal(spare, self.avg, self.std).natural_exp(),
            Kind::Constant => self.val,
            Kind::HyperExponential => {
                let draw = own.unit();
                const SHARE: f64 = 0.95;
                let spread = ((self.cov * self.cov - 1.0) / (2.0 * SHARE * (1.0 - SHARE))).sqrt();
                let mean = if draw < SHARE {
                    self.avg - spread * (1.0 - SHARE) * self.avg
                } else {
                    self.avg + spread * SHARE * self.avg
                };
                own.exponential_mean(mean)
            }
            // As in ns-2, scale and shape are exchanged.
            Kind::Weibull => (-own.unit().natural_log()).power(1.0 / self.scale) * self.shape,
            Kind::Empirical => self.look_up(own),
            Kind::PackMime => unreachable!("its values are drawn by the model"),
        }
    }

    fn look_up(&self, own: &mut Stream) -> f64 {
        let Some(&(first, _)) = self.table.first() else { return 0.0 };
        let draw = own.uniform(self.min_cdf, self.max_cdf);
        if draw <= first {
            return self.table[0].1;
        }
        let (mut low, mut high) = (1, self.table.len() - 1);
        while low < high {
            let middle = usize::midpoint(low, high);
            if draw > self.table[middle].0 {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(&(x2, y2)) = self.table.get(low) else { return self.table[0].1 };
        if self.interpolation == 0 || draw >= x2 {
            return y2;
        }
        let (x1, y1) = self.table[low - 1];
        let value = y1 + (draw - x1) * (y2 - y1) / (x2 - x1);
        if self.interpolation == 2 { value.ceil() } else { value }
    }
}

fn gamma(alpha: f64, beta: f64, stream: &mut Stream, spare: &mut Option<f64>) -> f64 {
    let d = alpha - 1.0 / 3.0;
    let c = (1.0 / 3.0) / d.sqrt();
    loop {
        let (x, v) = loop {
            let x = stream.normal(spare, 0.0, 1.0);
            let v = 1.0 + c * x;
            if v > 0.0 {
                break (x, v);
            }
        };
        let v = v * v * v;
        let u = stream.uniform_below(1.0);
        if u < 1.0 - 0.0331 * x * x * x * x || u.natural_log() < 0.5 * x * x + d * (1.0 - v + v.natural_log()) {
            return beta * d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::params::Value;
    use crate::random::rng::Streams;

    /// A kind, its parameters, and the output of ns-2.
    type Case = (&'static str, &'static [(&'static str, f64)], &'static str);

    /// Five values in the format of ns-2 (`%6e`). The stream has seed 7; before, the default stream got seed 11.
    fn five(streams: &mut Streams, kind: &str, settings: &[(&str, f64)]) -> String {
        let own = streams.seeded(7);
        streams.made.push(own);
        streams.default = streams.seeded(11);
        let id = streams.add_variable(kind).expect("the kind is known");
        let stream = streams.made.len() as u32;
        let variable = &mut streams.variables[id.0 as usize];
        variable.stream = stream;
        for &(name, value) in settings {
            assert!(variable.set_param(name, Value::Real(value)), "{name}");
        }
        if kind == "empirical" {
            variable.set_table(vec![(0.2, 1.0), (0.5, 3.0), (1.0, 10.0)]);
        }
        let values: Vec<String> = (0..5)
            .map(|_| {
                let text = format!("{:.6e}", streams.draw(id));
                let (digits, exponent) = text.split_once('e').expect("the format has an exponent");
                let exponent: i32 = exponent.parse().expect("the exponent is a number");
                format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
            })
            .collect();
        values.join(" ")
    }

    // ns-2.35, for each line: `set r [new RNG]; $r seed 7; $defaultRNG seed 11; set v [new RandomVariable/...];
    // $v use-rng $r`, its parameters, five times `$v value`; one process for all but the last two lines.
    #[test]
    fn values_are_those_of_ns2() {
        let mut streams = Streams::default();
        let cases: &[Case] = &[
            (
                "uniform",
                &[("min", 2.0), ("max", 5.0)],
                "2.007036e+00 4.673448e+00 2.298219e+00 3.850497e+00 2.264546e+00",
            ),
            ("exponential", &[("avg", 3.0)], "1.816589e+01 3.457303e-01 6.925620e+00 1.449474e+00 7.285056e+00"),
            (
                "erlang",
                &[("lambda", 2.0), ("k", 3.0)],
                "1.695816e+01 6.864546e+00 4.869714e+00 5.437642e+00 7.684822e+00",
            ),
            (
                "gamma",
                &[("alpha", 2.5), ("beta", 1.5)],
                "1.760012e+00 3.804639e+00 1.678659e+00 4.784693e+00 2.809135e+00",
            ),
            (
                "gamma",
                &[("alpha", 0.5), ("beta", 1.5)],
                "1.172904e-05 1.059203e+00 1.209698e-02 6.194329e-01 1.315126e-02",
            ),
            (
                "pareto",
                &[("avg", 2.0), ("shape", 1.2)],
                "5.180403e+01 3.669330e-01 2.282271e+00 4.985853e-01 2.521904e+00",
            ),
            (
                "pareto_ii",
                &[("avg", 2.0), ("shape", 1.2)],
                "6.176483e+01 4.031956e-02 2.338726e+00 1.983024e-01 2.626285e+00",
            ),
            (
                "normal",
                &[("avg", 1.0), ("std", 2.0)],
                "-1.495168e-01 -6.329943e-01 1.476259e+00 -6.011818e-01 1.365741e+00",
            ),
            (
                "log_normal",
                &[("avg", 1.0), ("std", 0.5)],
                "1.807151e+00 3.061989e+00 1.821581e+00 2.978546e+00 1.756958e+00",
            ),
            ("constant", &[("val", 4.0)], "4.000000e+00 4.000000e+00 4.000000e+00 4.000000e+00 4.000000e+00"),
            (
                "hyper_exponential",
                &[("avg", 2.0), ("cov", 3.0)],
                "2.344044e+00 3.374043e-02 2.542020e-01 2.053620e-02 3.889838e+00",
            ),
            (
                "weibull",
                &[("scale", 2.0), ("shape", 3.0)],
                "7.382253e+00 1.018426e+00 4.558164e+00 2.085287e+00 4.674951e+00",
            ),
            (
                "empirical",
                &[("interpolation", 1.0)],
                "1.000000e+00 8.476089e+00 1.000000e+00 4.635653e+00 1.000000e+00",
            ),
            (
                "empirical",
                &[("interpolation", 2.0)],
                "1.000000e+00 9.000000e+00 1.000000e+00 5.000000e+00 1.000000e+00",
            ),
        ];
        for (kind, settings, expected) in cases {
            assert_eq!(five(&mut streams, kind, settings), *expected, "{kind} {settings:?}");
        }
    }
}
