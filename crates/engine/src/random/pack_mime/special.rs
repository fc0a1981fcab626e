//! Special functions and random variates for [`super`].
//!
//! Source: W. H. Press et al., "Numerical Recipes", for the logarithm of the gamma function; J. L. Leva, "A fast normal
//! random number generator", ACM Transactions on Mathematical Software 18(4), 1992 (its first form); J. H. Ahrens and
//! U. Dieter, "Computer methods for sampling from the exponential and normal distributions", Communications of the ACM
//! 15(10), 1972, and "Generating gamma variates by a modified rejection technique", the same 25(1), 1982.

use std::hint::black_box;

use crate::math::Math;
use crate::random::rng::Stream;

/// The value of ln 2 in the fits.
#[allow(clippy::approx_constant)]
pub const LOG_2: f64 = 0.693_147_180_6;

#[cfg(feature = "portable-math")]
use libm as system;

#[cfg(not(feature = "portable-math"))]
#[allow(unsafe_code)]
mod system {
    // SAFETY: both are functions of the C library without side effects. They must be the system's, as `ln` and `exp`
    // are, because the last digit of ns-2's numbers depends on them. The Rust versions of the crate libm (0.2.16)
    // differ from glibc in the last bit: for one `erf` in 50 and one `erfc` in 7 (3,000,000 points from 0 to 6).
    unsafe extern "C" {
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
    }
}

/// `base` to the power of `exponent` by the C library's `pow`. [`black_box`] prevents a replacement by another
/// function.
pub fn power(base: f64, exponent: f64) -> f64 {
    black_box(base).power(black_box(exponent))
}

/// The logistic function to base 2.
pub fn logistic(x: f64) -> f64 {
    power(2.0, x) / (1.0 + power(2.0, x))
}

/// The distribution function of the standard normal distribution.
pub fn normal_probability(x: f64) -> f64 {
    if x == 0.0 {
        0.5
    } else if x > 0.0 {
        (1.0 + system::erf(x / std::f64::consts::SQRT_2)) / 2.0
    } else {
        system::erfc(-x / std::f64::consts::SQRT_2) / 2.0
    }
}

/// The logarithm of the gamma function.
pub fn log_gamma(x: f64) -> f64 {
    const SERIES: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.120_865_097_386_617_9e-2,
        -0.539_523_938_495_3e-5,
    ];
    let mut rest = x + 5.5;
    rest -= (x + 0.5) * rest.natural_log();
    let (mut sum, mut at) = (1.000_000_000_190_015, x);
    for term in SERIES {
        at += 1.0;
        sum += term / at;
    }
    -rest + (2.506_628_274_631_000_5 * sum / x).natural_log()
}

/// A standard normal variate.
pub fn normal(stream: &mut Stream) -> f64 {
    const WIDTH: f64 = 1.715_527_769_921_413_5;
    loop {
        let mut u = stream.unit();
        while u == 0.0 {
            u = stream.unit();
        }
        let x = WIDTH * (stream.unit() - 0.5) / u;
        let y = x * x / 4.0;
        if !(y > 1.0 - u && (y > 1.0 / u - 1.0 || y > -u.natural_log())) {
            return x;
        }
    }
}

/// A Weibull variate.
pub fn weibull(stream: &mut Stream, shape: f64, scale: f64) -> f64 {
    power(-stream.unit().natural_log(), 1.0 / shape) * scale
}

/// A Bernoulli trial with this probability.
pub fn happens(stream: &mut Stream, probability: f64) -> bool {
    stream.unit() <= probability
}

/// An exponential variate with mean 1.
fn exponential(stream: &mut Stream) -> f64 {
    // Partial sums of ln(2)^k / k!.
    const SUMS: [f64; 16] = [
        std::f64::consts::LN_2,
        0.933_373_687_519_045_9,
        0.988_877_796_183_867_5,
        0.998_495_925_291_496,
        0.999_829_281_106_138_9,
        0.999_983_316_410_072_7,
        0.999_998_569_143_876_7,
        0.999_999_890_692_555_8,
        0.999_999_992_473_415_9,
        0.999_999_999_528_327_5,
        0.999_999_999_972_881_4,
        0.999_999_999_998_559_8,
        0.999_999_999_999_929,
        0.999_999_999_999_996_8,
        0.999_999_999_999_999_9,
        1.0,
    ];
    let mut whole = 0.0;
    let mut u = stream.unit();
    loop {
        u += u;
        if u > 1.0 {
            break;
        }
        whole += SUMS[0];
    }
    u -= 1.0;
    if u <= SUMS[0] {
        return whole + u;
    }
    let mut least = stream.unit();
    for sum in &SUMS[1..] {
        least = least.min(stream.unit());
        if u <= *sum {
            break;
        }
    }
    whole + least * SUMS[0]
}

/// A gamma variate; the shape must be at least 1.
pub fn gamma(stream: &mut Stream, shape: f64, scale: f64) -> f64 {
    const Q: [f64; 7] = [0.041_666_69, 0.020_831_48, 0.008_011_91, 0.001_441_21, -7.388e-5, 2.4511e-4, 2.424e-4];
    const A: [f64; 7] = [0.333_333_3, -0.250_003, 0.200_006_2, -0.166_292_1, 0.142_365_7, -0.136_717_7, 0.123_379_5];
    const E: [f64; 5] = [1.0, 0.499_989_7, 0.166_829, 0.040_775_3, 0.010_293];
    const ROOT_32: f64 = 5.656_854;
    fn polynomial(terms: &[f64], x: f64) -> f64 {
        let (last, rest) = terms.split_last().expect("a polynomial has terms");
        rest.iter().rev().fold(*last, |sum, term| sum * x + term)
    }

    let spread = shape - 0.5;
    let deviation = spread.sqrt();
    let squeeze = ROOT_32 - deviation * 12.0;
    let t = normal(stream);
    let root = deviation + 0.5 * t;
    let square = root * root;
    if t >= 0.0 {
        return scale * square;
    }
    let u = stream.unit();
    if squeeze * u <= t * t * t {
        return scale * square;
    }
    let q0 = polynomial(&Q, 1.0 / shape) * (1.0 / shape);
    let (bias, width, c) = if shape <= 3.686 {
        (0.463 + deviation + 0.178 * spread, 1.235, 0.195 / deviation - 0.079 + 0.16 * deviation)
    } else if shape <= 13.022 {
        (1.654 + 0.0076 * spread, 1.68 / deviation + 0.275, 0.062 / deviation + 0.024)
    } else {
        (1.77, 0.75, 0.1515 / deviation)
    };
    let quotient = |t: f64| {
        let v = t / (deviation + deviation);
        if v.abs() <= 0.25 {
            q0 + 0.5 * t * t * polynomial(&A, v) * v
        } else {
            q0 - deviation * t + 0.25 * t * t + (spread + spread) * (1.0 + v).natural_log()
        }
    };
    if root > 0.0 && (1.0 - u).natural_log() <= quotient(t) {
        return scale * square;
    }
    loop {
        let e = exponential(stream);
        let u = 2.0 * stream.unit() - 1.0;
        let t = if u < 0.0 { bias - width * e } else { bias + width * e };
        if t < -0.718_744_837_717_19 {
            continue;
        }
        let q = quotient(t);
        if q <= 0.0 {
            continue;
        }
        let w = if q <= 0.5 { polynomial(&E, q) * q } else { q.natural_exp() - 1.0 };
        if c * u.abs() <= w * (e - 0.5 * t * t).natural_exp() {
            let root = deviation + 0.5 * t;
            return scale * root * root;
        }
    }
}
