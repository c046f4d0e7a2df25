//! Signals that end a test: nodes are killed and their folder goes, as at any other end.

use std::{
    error::Error,
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// A test was ended by a signal; nothing was judged.
#[derive(Debug)]
pub(crate) struct Interrupted {
    /// The number of the signal.
    pub(crate) signal: u8,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ended by signal {}: nothing was judged", self.signal)
    }
}

impl Error for Interrupted {}

/// The signal that came, zero if none did.
#[derive(Debug)]
pub(super) struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// From here on signals that would end us are only noted.
    #[cfg(unix)]
    pub(super) fn listen() -> io::Result<Self> {
        use signal_hook::{
            consts::{SIGHUP, SIGINT, SIGTERM},
            flag,
        };
        let seen = Arc::new(AtomicUsize::new(0));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            if !is_ignored(signal) {
                let number = usize::try_from(signal).unwrap_or_default();
                flag::register_usize(signal, Arc::clone(&seen), number)?;
            }
        }
        Ok(Self(seen))
    }

    #[cfg(not(unix))]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self(Arc::default()))
    }

    pub(super) fn check(&self) -> Result<(), Interrupted> {
        match u8::try_from(self.0.load(Ordering::Relaxed)) {
            Ok(0) | Err(_) => Ok(()),
            Ok(signal) => Err(Interrupted { signal }),
        }
    }
}

/// Whether who started us had this signal ignored, as `nohup` does.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // Where the system does not say so, nothing is.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}
