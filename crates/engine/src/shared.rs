//! A value that many have in common until one of them changes it: the parameters of senders, of which most are alike.
//!
//! Whoever may change one gets a copy of its own. Once it is changed, [`Known::share`] finds out whether it has become what
//! others have, too; from then on there is one of it, which stays in the caches however many senders read it.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// How many different values are looked at for one that is alike.
const MOST_KNOWN: usize = 8;

/// A value of one's own, or one in common.
#[derive(Clone, Debug, Default)]
pub struct Shared<T>(Arc<T>);

impl<T> Deref for Shared<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// To be changed, it becomes one's own.
impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

/// The values in use that were met last.
#[derive(Debug)]
pub(crate) struct Known<T>(VecDeque<Shared<T>>);

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known(VecDeque::new())
    }
}

impl<T: Clone + PartialEq> Known<T> {
    /// From now on `value` is had in common with those that are equal, if one of them is known.
    pub(crate) fn share(&mut self, value: &mut Shared<T>) {
        if self.0.iter().any(|known| Arc::ptr_eq(&known.0, &value.0)) {
            return;
        }
        if let Some(known) = self.0.iter().find(|known| ***known == **value) {
            *value = known.clone();
            return;
        }
        if self.0.len() == MOST_KNOWN {
            self.0.pop_front();
        }
        self.0.push_back(value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_ones_own_until_others_make_it_too() {
        let mut known = Known::default();
        let (mut one, mut other) = (Shared::<[i32; 2]>::default(), Shared::default());
        known.share(&mut one);
        known.share(&mut other);
        assert!(Arc::ptr_eq(&one.0, &other.0));
        one[0] = 7;
        assert_eq!((*one, *other), ([7, 0], [0, 0]));
        other[0] = 7;
        known.share(&mut one);
        known.share(&mut other);
        assert!(Arc::ptr_eq(&one.0, &other.0));
    }

    #[test]
    fn what_was_met_long_ago_is_forgotten() {
        let mut known = Known::default();
        for number in 0..100 {
            let mut value = Shared::<i32>::default();
            *value = number;
            known.share(&mut value);
        }
        assert_eq!(known.0.len(), MOST_KNOWN);
    }
}
