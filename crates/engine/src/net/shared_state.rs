//! State that agents of one kind share in a simulation, such as the kernel's tunables of all Linux senders.
//!
//! The network stores it without knowing what it is: the type is the agents' own.

use std::any::Any;

/// One value per type. A simulation has few, so they are in a list.
#[derive(Default)]
pub struct SharedState(Vec<Box<dyn Any + Send + Sync>>);

impl SharedState {
    /// The value of this type; the first call makes it.
    pub fn of<T: Any + Default + Send + Sync>(&mut self) -> &mut T {
        let known = self.0.iter().position(|value| value.is::<T>());
        let index = known.unwrap_or_else(|| {
            self.0.push(Box::new(T::default()));
            self.0.len() - 1
        });
        self.0[index].downcast_mut().expect("the list was searched for this type")
    }
}

#[cfg(test)]
mod tests {
    use super::SharedState;

    #[test]
    fn each_type_has_one_value() {
        let mut shared = SharedState::default();
        *shared.of::<u32>() = 7;
        *shared.of::<f64>() = 0.5;
        assert_eq!((*shared.of::<u32>(), *shared.of::<f64>(), *shared.of::<i64>()), (7, 0.5, 0));
    }
}
