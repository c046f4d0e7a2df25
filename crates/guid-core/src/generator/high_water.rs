//! High-water marks: what a fixed node must remember over a restart.
//!
//! # The idea
//!
//! A generator that starts again under its old node must not give out an old stamp, though the
//! clock may have gone back meanwhile. So it promises a *bound* in advance: no stamp above the
//! bound is used before a greater bound is stored. One write reserves some seconds; no ID waits for
//! a disk on its own account. After a restart the generator goes on above the bound.
//!
//! # References
//!
//! Kulkarni et al., "Logical Physical Clocks", OPODIS 2014, ask that a hybrid clock never goes
//! back, and leave restarts open. The bound in advance is how databases built on such clocks
//! answer.

mod file;
mod image;
mod memory;

use core::{error::Error, fmt};
use std::io;

use crate::{NodeId, Stamp};

pub use self::{file::FileHighWater, memory::MemoryHighWater};

/// A bound for the stamps of one node, kept where a restart finds it.
///
/// [`FileHighWater`] is one. A row in a database serves as well, if nobody else can write under
/// the node meanwhile: take a lease or a lock with it.
///
/// # Examples
///
/// ```
/// use guid_core::{HighWater, HighWaterError, NodeId, Stamp};
///
/// /// Survives nothing: for tests.
/// struct InMemory(Option<Stamp>);
///
/// impl HighWater for InMemory {
///     fn node(&self) -> NodeId {
///         NodeId::new(7)
///     }
///
///     fn load(&mut self) -> Result<Option<Stamp>, HighWaterError> {
///         Ok(self.0)
///     }
///
///     fn store(&mut self, bound: Stamp) -> Result<(), HighWaterError> {
///         self.0 = Some(bound);
///         Ok(())
///     }
/// }
/// ```
pub trait HighWater {
    /// The node whose bound this is.
    fn node(&self) -> NodeId;

    /// Returns the bound, or `None` if none was ever stored.
    ///
    /// # Errors
    ///
    /// It cannot be read, or cannot be trusted.
    fn load(&mut self) -> Result<Option<Stamp>, HighWaterError>;

    /// Stores a bound. Once this has returned, [`load`](Self::load) gives this bound or a greater
    /// one, whatever crashes: a file is synced, a transaction committed. Where it fails or crashes
    /// midway, `load` gives the former bound or this one.
    ///
    /// # Errors
    ///
    /// It is not certain that the bound is stored.
    fn store(&mut self, bound: Stamp) -> Result<(), HighWaterError>;
}

/// Why a high-water mark could not be opened, read or written, and what to do about it.
///
/// # Examples
///
/// ```
/// use guid_core::{FileHighWater, HighWaterError, NodeId};
///
/// let error = FileHighWater::open("no/such/file", NodeId::new(7)).unwrap_err();
/// assert_eq!(error, HighWaterError::Missing);
/// assert_eq!(
///     error.to_string(),
///     "no high-water file is there: create it if this node never made an ID, else restore it or \
///      take a new node",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HighWaterError {
    /// The file is damaged.
    Corrupt {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A file is there already, and was to be created.
    Exists,
    /// The mark belongs to another node.
    Foreign {
        /// Whose it is.
        found: NodeId,
        /// Who asked.
        expected: NodeId,
    },
    /// The operating system refused.
    Io {
        /// What was to be done.
        doing: &'static str,
        /// How it was refused.
        kind: io::ErrorKind,
        /// The system's own number, if it gave one.
        os: Option<i32>,
    },
    /// Another process holds the file, or another generator of this one.
    Locked,
    /// No file is there.
    Missing,
}

impl HighWaterError {
    /// Returns the error for an operation that the system refused; `doing` completes "while".
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::HighWaterError;
    ///
    /// let refused = std::io::Error::from(std::io::ErrorKind::StorageFull);
    /// assert_eq!(
    ///     HighWaterError::io("storing the bound", &refused).to_string(),
    ///     "high-water mark: no storage space while storing the bound",
    /// );
    /// ```
    pub fn io(doing: &'static str, error: &io::Error) -> Self {
        Self::Io { doing, kind: error.kind(), os: error.raw_os_error() }
    }
}

impl fmt::Display for HighWaterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Corrupt { why } => write!(
                f,
                "the high-water file is damaged ({why}): restore it if no ID was made since, else \
                 remove it and take a new node",
            ),
            Self::Exists => f.write_str("a high-water file is there already: open it instead"),
            Self::Foreign { found, expected } => write!(
                f,
                "the high-water mark belongs to node {found}, expected {expected}: give each node \
                 its own",
            ),
            Self::Io { doing, kind, os } => {
                write!(f, "high-water mark: {kind} while {doing}")?;
                os.map_or(Ok(()), |os| write!(f, " (os error {os})"))
            }
            Self::Locked => f.write_str(
                "the high-water file is in use: another process writes under this node; stop it \
                 or take another node",
            ),
            Self::Missing => f.write_str(
                "no high-water file is there: create it if this node never made an ID, else \
                 restore it or take a new node",
            ),
        }
    }
}

impl Error for HighWaterError {}
