//! Copy-on-write sharing of equal values, such as the parameters of identical senders.
//!
//! A write access makes a private copy. [`Interner::intern`] then replaces it by a shared value if an equal one is
//! known. A shared value stays in the processor's caches, however many senders read it.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Maximum number of values per type that are compared.
const MAX_KNOWN: usize = 8;

/// A shared or private value; it is copied on write.
#[derive(Clone, Debug, Default)]
pub struct CowArc<T>(Arc<T>);

impl<T> Deref for CowArc<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Makes the value private before a write.
impl<T: Clone> DerefMut for CowArc<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

/// The most recent values of each type.
#[derive(Default)]
pub(crate) struct Interner(Vec<Box<dyn Any + Send + Sync>>);

impl Interner {
    /// Replaces `value` by an equal known one; otherwise remembers it.
    pub(crate) fn intern<T: Clone + PartialEq + Send + Sync + 'static>(&mut self, value: &mut CowArc<T>) {
        let known = self.of_type::<T>();
        if known.iter().any(|known| Arc::ptr_eq(&known.0, &value.0)) {
            return;
        }
        if let Some(known) = known.iter().find(|known| ***known == **value) {
            *value = known.clone();
            return;
        }
        if known.len() == MAX_KNOWN {
            known.pop_front();
        }
        known.push_back(value.clone());
    }

    fn of_type<T: Send + Sync + 'static>(&mut self) -> &mut VecDeque<CowArc<T>> {
        let place = self.0.iter().position(|values| values.is::<VecDeque<CowArc<T>>>()).unwrap_or_else(|| {
            self.0.push(Box::new(VecDeque::<CowArc<T>>::new()));
            self.0.len() - 1
        });
        self.0[place].downcast_mut().expect("it was asked what it is")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_ones_own_until_others_make_it_too() {
        let mut known = Interner::default();
        let (mut one, mut other) = (CowArc::<[i32; 2]>::default(), CowArc::default());
        known.intern(&mut one);
        known.intern(&mut other);
        assert!(Arc::ptr_eq(&one.0, &other.0));
        one[0] = 7;
        assert_eq!((*one, *other), ([7, 0], [0, 0]));
        other[0] = 7;
        known.intern(&mut one);
        known.intern(&mut other);
        assert!(Arc::ptr_eq(&one.0, &other.0));
    }

    #[test]
    fn what_was_met_long_ago_is_forgotten() {
        let mut known = Interner::default();
        for number in 0..100 {
            let mut value = CowArc::<i32>::default();
            *value = number;
            known.intern(&mut value);
        }
        assert_eq!(known.of_type::<i32>().len(), MAX_KNOWN);
    }
}
