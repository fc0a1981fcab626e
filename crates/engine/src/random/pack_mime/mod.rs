//! PackMime-HTTP: random variables of a model of Web traffic on a link.
//!
//! Source: J. Cao, W. S. Cleveland, Y. Gao, K. Jeffay, F. D. Smith and M. C. Weigle, "Stochastic models for generating
//! synthetic HTTP source traffic", INFOCOM 2004, as ns-2.35's `RandomVariable/PackMimeHTTP*` has it.
//! What it decides: the marginal distributions (Weibull, gamma, empirical), and the correlation of successive values
//! (fractional noise, runs).
//! Departures: none.
//! Not implemented: the variables of the open-loop model (`PackMimeOL*`).
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

mod arima;
mod quantiles;
mod special;

use crate::math::Math;
use crate::params::{Params, Value};
use crate::random::rng::Stream;
use arima::Arima;
use special::{LOG_2, gamma, happens, log_gamma, logistic, normal, normal_probability, power, weibull};

/// The kinds of PackMime variables.
pub const KINDS: &[&str] = &[
    "pack_mime_flow_arrive",
    "pack_mime_file_size",
    "pack_mime_persist_rsp_size",
    "pack_mime_persistent",
    "pack_mime_num_pages",
    "pack_mime_single_obj",
    "pack_mime_objs_per_page",
    "pack_mime_time_btwn_pages",
    "pack_mime_time_btwn_objs",
    "pack_mime_server_delay",
    "pack_mime_xmit",
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    FlowArrive,
    FileSize,
    PersistentResponse,
    Persistent,
    Pages,
    SingleObject,
    Objects,
    BetweenPages,
    BetweenObjects,
    ServerDelay,
    Transmission,
}

/// The sum of noise with memory and white noise, with variance 1.
#[derive(Clone, Debug)]
struct Noise {
    arima: Arima,
    remembered: f64,
    fresh: f64,
}

impl Noise {
    /// `share` is the part of the variance without memory.
    fn new(d: f64, memory: usize, share: f64, stream: &mut Stream) -> Noise {
        let of_memory =
            (2.0 * log_gamma(1.0 - d) - log_gamma(1.0 - 2.0 * d)).natural_exp() / (2.0 + 2.0 * d / (1.0 - d));
        Noise {
            fresh: power(share, 0.5),
            remembered: power(of_memory * (1.0 - share), 0.5),
            arima: Arima::new(d, memory, stream),
        }
    }

    /// The next value, mapped to (0, 1) by the normal distribution function.
    fn next(&mut self, stream: &mut Stream) -> f64 {
        let value = self.arima.next(stream) * self.remembered + normal(stream) * self.fresh;
        normal_probability(value)
    }
}

/// Runs of responses of one kind: files, or replies that the cached file is valid.
#[derive(Clone, Copy, Debug, Default)]
struct Runs {
    is_file: bool,
    left: i32,
}

/// A log-normal distribution, whose location and variance are random.
#[derive(Clone, Copy, Debug)]
struct Place {
    middle: f64,
    variance: f64,
}

/// The parameters from which a [`Place`] is drawn.
struct Places {
    middle: f64,
    middle_variance: f64,
    shape: f64,
    error: f64,
}

const RESPONSES: Places = Places { middle: 10.62, middle_variance: 0.94, shape: 3.22, error: 2.43 };
const PAGE_GAPS: Places = Places { middle: 3.22, middle_variance: 0.73, shape: 1.85, error: 1.21 };
const OBJECT_GAPS: Places = Places { middle: -4.15, middle_variance: 3.12, shape: 2.35, error: 1.57 };

impl Places {
    fn draw(&self, stream: &mut Stream) -> Place {
        let middle = normal(stream) * self.middle_variance.sqrt() + self.middle;
        Place { middle, variance: gamma(stream, self.shape, 1.0 / self.shape) }
    }

    fn value(&self, place: Place, stream: &mut Stream) -> f64 {
        let off = place.variance.sqrt() * normal(stream) * self.error.sqrt();
        power(2.0, place.middle + off)
    }
}

/// The value of an inverse distribution function at `at`; interpolates linearly between its points.
fn look_up(points: &[(f64, f64)], at: f64) -> f64 {
    let last = points.len() - 1;
    let found = (0..last - 1).find(|&index| at < points[index + 1].0);
    let slope = |index: usize| (points[index + 1].1 - points[index].1) / (points[index + 1].0 - points[index].0);
    match found {
        Some(index) => points[index].1 + slope(index) * (at - points[index].0),
        None => points[last].1 + slope(last - 1) * (at - points[last].0),
    }
}

/// [`look_up`] in binary logarithms: of the probability of a larger value, and of the value.
fn look_up_logarithm(points: &[(f64, f64)], probability: f64) -> f64 {
    (LOG_2 * look_up(points, (1.0 - probability).natural_log() / LOG_2)).natural_exp()
}

/// `type` of the client's side, or of requests.
const NEAR: i32 = 0;
/// Memory of the noise of sizes, values.
const MEMORY_OF_SIZES: usize = 5000;
/// Memory of the noise of other variables, values.
const MEMORY: usize = 1000;

/// A PackMime random variable.
#[derive(Clone, Debug, Params)]
pub struct Variable {
    kind: Kind,
    /// New connections per second on the link.
    #[param(state)]
    rate: f64,
    /// 0 for the client's side, 1 for the server's side.
    r#type: i32,
    #[param(state)]
    probability: f64,
    #[param(state)]
    shape: f64,
    #[param(state)]
    scale: f64,
    r#const: f64,
    #[param(state)]
    mean: f64,
    noise: Option<Noise>,
    runs: Option<Runs>,
    place: Option<Place>,
}

impl Variable {
    /// A variable with the default parameters of its kind; `None` for an unknown kind.
    pub fn new(kind: &str) -> Option<Variable> {
        let (kind, probability, shape, scale) = match kind {
            "pack_mime_flow_arrive" => (Kind::FlowArrive, 0.0, 0.0, 0.0),
            "pack_mime_file_size" => (Kind::FileSize, 0.0, 0.0, 0.0),
            "pack_mime_persist_rsp_size" => (Kind::PersistentResponse, 0.0, 0.0, 0.0),
            "pack_mime_persistent" => (Kind::Persistent, 0.09, 0.0, 0.0),
            "pack_mime_num_pages" => (Kind::Pages, 0.82, 1.0, 0.417),
            "pack_mime_single_obj" => (Kind::SingleObject, 0.69, 0.0, 0.0),
            "pack_mime_objs_per_page" => (Kind::Objects, 0.0, 1.0, 1.578),
            "pack_mime_time_btwn_pages" => (Kind::BetweenPages, 0.0, 0.0, 0.0),
            "pack_mime_time_btwn_objs" => (Kind::BetweenObjects, 0.0, 0.0, 0.0),
            "pack_mime_server_delay" => (Kind::ServerDelay, 0.0, 0.63, 305.0),
            "pack_mime_xmit" => (Kind::Transmission, 0.0, 0.0, 0.0),
            _ => return None,
        };
        Some(Variable {
            kind,
            rate: 0.0,
            r#type: NEAR,
            probability,
            shape,
            scale,
            r#const: -1.0,
            mean: -1.0,
            noise: None,
            runs: None,
            place: None,
        })
    }

    /// The value of a parameter, `None` for an unknown name.
    pub fn param(&self, name: &str) -> Option<Value> {
        match name {
            "type" => Some(Value::Int(i64::from(self.r#type))),
            "const" => Some(Value::Real(self.r#const)),
            _ => self.own_param(name),
        }
    }

    /// Sets a parameter; false for an unknown name.
    pub fn set_param(&mut self, name: &str, value: Value) -> bool {
        match name {
            "type" => self.r#type = value.int() as i32,
            "const" => self.r#const = value.real(),
            _ => return self.set_own_param(name, value),
        }
        true
    }

    /// Draws the location and variance again: now for gaps, with the next value for responses.
    pub fn restart(&mut self, stream: &mut Stream) {
        self.place = match self.kind {
            Kind::BetweenPages => Some(PAGE_GAPS.draw(stream)),
            Kind::BetweenObjects => Some(OBJECT_GAPS.draw(stream)),
            _ => None,
        };
    }

    /// The next value.
    pub fn draw(&mut self, stream: &mut Stream) -> f64 {
        match self.kind {
            Kind::FlowArrive => self.flow_gap(stream),
            Kind::FileSize if self.r#type == NEAR => self.request(stream),
            Kind::FileSize => self.response(stream),
            Kind::PersistentResponse => {
                let place = *self.place.get_or_insert_with(|| RESPONSES.draw(stream));
                RESPONSES.value(place, stream)
            }
            Kind::Persistent | Kind::SingleObject => f64::from(u8::from(happens(stream, self.probability))),
            Kind::Pages if happens(stream, self.probability) => 1.0,
            Kind::Pages => {
                let pages = weibull(stream, self.shape, self.scale) + 1.0;
                if pages == 1.0 { 2.0 } else { pages }
            }
            Kind::Objects => weibull(stream, self.shape, self.scale) + 1.0,
            Kind::BetweenPages => {
                let place = *self.place.get_or_insert_with(|| PAGE_GAPS.draw(stream));
                PAGE_GAPS.value(place, stream)
            }
            Kind::BetweenObjects => {
                let place = *self.place.get_or_insert_with(|| OBJECT_GAPS.draw(stream));
                OBJECT_GAPS.value(place, stream)
            }
            // The inverse of a rate of at least 10 per second.
            Kind::ServerDelay => {
                let rate = weibull(stream, self.shape, self.scale);
                1.0 / if rate < 10.0 { 10.0 } else { rate }
            }
            Kind::Transmission => self.delay(stream),
        }
    }

    /// Logarithm of the connection rate.
    fn load(&self) -> f64 {
        self.rate.natural_log()
    }

    fn flow_gap(&mut self, stream: &mut Stream) -> f64 {
        let load = self.load();
        let rate = self.rate;
        let noise =
            self.noise.get_or_insert_with(|| Noise::new(0.33, MEMORY, logistic(0.333 + 0.414 * load / LOG_2), stream));
        let shape = logistic(0.352 + 0.388 * load / LOG_2);
        let scale = 1.0 / (rate * log_gamma(1.0 + 1.0 / shape).natural_exp());
        let probability = noise.next(stream);
        power(-(1.0 - probability).natural_log(), 1.0 / shape) * scale
    }

    fn request(&mut self, stream: &mut Stream) -> f64 {
        const SMALL: f64 = 0.5;
        let load = self.load();
        let noise = self
            .noise
            .get_or_insert_with(|| Noise::new(0.31, MEMORY_OF_SIZES, logistic(0.123 + 0.494 * load / LOG_2), stream));
        let probability = noise.next(stream);
        let bytes = if probability > SMALL {
            look_up_logarithm(quantiles::LARGE_REQUEST, (probability - SMALL) / (1.0 - SMALL))
        } else {
            look_up(quantiles::SMALL_REQUEST, probability / SMALL)
        };
        bytes.trunc()
    }

    fn response(&mut self, stream: &mut Stream) -> f64 {
        let load = self.load();
        // Initialises the noise as for requests, but does not use it.
        let runs = self.runs.get_or_insert_with(|| {
            Arima::skip(MEMORY_OF_SIZES, stream);
            Runs::default()
        });
        if runs.left <= 0 {
            runs.is_file = !runs.is_file;
            let (shape, scale) = if runs.is_file {
                (logistic(1.293 + 0.316 * load / LOG_2), 3.11)
            } else {
                (logistic(0.718 + 0.357 * load / LOG_2), 0.775)
            };
            runs.left = weibull(stream, shape, scale).ceil() as i32;
        }
        runs.left -= 1;
        let drawn = stream.unit();
        let bytes = if runs.is_file {
            look_up_logarithm(quantiles::FILE_RESPONSE, drawn)
        } else {
            look_up(quantiles::CACHED_RESPONSE, drawn)
        };
        bytes.trunc()
    }

    /// A one-way delay, ms.
    fn delay(&mut self, stream: &mut Stream) -> f64 {
        let load = self.load();
        let is_near = self.r#type == NEAR;
        let (d, constant, slope) = if is_near { (0.31, -0.445, 0.554) } else { (0.32, -0.053, 0.396) };
        let noise =
            self.noise.get_or_insert_with(|| Noise::new(d, MEMORY, logistic(constant + slope * load / LOG_2), stream));
        let at = -(1.0 - noise.next(stream)).natural_log() / 10.0f64.natural_log();
        let (points, exponent, usual) =
            if is_near { (quantiles::NEAR_DELAY, 5.0, 0.058) } else { (quantiles::FAR_DELAY, 3.0, 0.027) };
        let delay = power(look_up(points, at), exponent);
        if self.mean < 0.0 {
            return delay / 2.0;
        }
        if self.r#const < 0.0 {
            self.r#const = self.mean / usual;
        }
        delay / 2.0 * self.r#const
    }
}
