//! Logarithms, exponentials, powers and cube roots.
//!
//! They are the C library's, as ns-2's are: the last digit of its numbers depends on them. With the feature
//! `portable-math` they are the crate libm's, which are the same on every machine and in a browser.

/// The functions of a double whose last digit is not the same on all machines.
pub trait Math {
    /// The natural logarithm.
    fn natural_log(self) -> f64;
    /// The logarithm to base 2.
    fn binary_log(self) -> f64;
    /// The exponential function.
    fn natural_exp(self) -> f64;
    /// To the power of `exponent`.
    fn power(self, exponent: f64) -> f64;
    /// The cube root.
    fn cube_root(self) -> f64;
}

#[cfg(not(feature = "portable-math"))]
impl Math for f64 {
    #[inline(always)]
    fn natural_log(self) -> f64 {
        self.ln()
    }

    #[inline(always)]
    fn binary_log(self) -> f64 {
        self.log2()
    }

    #[inline(always)]
    fn natural_exp(self) -> f64 {
        self.exp()
    }

    #[inline(always)]
    fn power(self, exponent: f64) -> f64 {
        self.powf(exponent)
    }

    #[inline(always)]
    fn cube_root(self) -> f64 {
        self.cbrt()
    }
}

#[cfg(feature = "portable-math")]
impl Math for f64 {
    fn natural_log(self) -> f64 {
        libm::log(self)
    }

    fn binary_log(self) -> f64 {
        libm::log2(self)
    }

    fn natural_exp(self) -> f64 {
        libm::exp(self)
    }

    fn power(self, exponent: f64) -> f64 {
        libm::pow(self, exponent)
    }

    fn cube_root(self) -> f64 {
        libm::cbrt(self)
    }
}
