//! Whether this process is a child that was forked off after a generator was made.
//!
//! Without the feature `fork` nobody looks, and the answer is no.

/// Remembers in which process it was made: one relaxed load tells.
///
/// Children of `fork` are seen, however deep; those of a bare `clone` system call are not.
#[derive(Debug)]
pub(crate) struct ForkGuard {
    #[cfg(feature = "fork")]
    guard: forkguard::Guard,
}

impl ForkGuard {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(feature = "fork")]
            guard: forkguard::new(),
        }
    }

    #[inline]
    #[cfg_attr(not(feature = "fork"), expect(clippy::unused_self, reason = "nobody looks then"))]
    pub(crate) fn forked(&self) -> bool {
        // The guard of the crate forgets a fork once it has told of it; a copy of it forgets alone.
        #[cfg(feature = "fork")]
        return self.guard.clone().detected_fork();
        #[cfg(not(feature = "fork"))]
        false
    }
}
