//! Exit codes: a stable contract, and which error ends in which.

use std::{
    borrow::Cow,
    error::Error,
    fmt,
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use crate::maelstrom::harness::Interrupted;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All expectations hold, everything asked for was done.
    Holds,
    /// A guarantee was violated or an expectation not met.
    Violated,
    /// It could not be told whether the expectations hold.
    Unknown,
    /// The command line is wrong.
    Usage,
    /// Some of the input is wrong.
    BadInput,
    /// Reading or writing failed.
    Io,
    /// A signal ended it, of this number: as shells show it, 128 more.
    Signal(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::Unknown => 2,
            Exit::Usage => 64,
            Exit::BadInput => 65,
            Exit::Io => 74,
            Exit::Signal(number) => 128 | number,
        })
    }
}

/// An error of the command line that clap cannot see.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) Cow<'static, str>);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for UsageError {}

/// Tells the error on stderr and returns what it ends in. A reader that closed our output has what
/// it wanted: nothing is told, and all is well.
pub(crate) fn report(error: &anyhow::Error, quiet: bool) -> Exit {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    if io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe) {
        return Exit::Holds;
    }
    if !quiet {
        // Nobody is left to tell if this fails.
        writeln!(io::stderr(), "guid: {error:#}").ok();
    }
    if let Some(Interrupted { signal }) = error.downcast_ref() {
        return Exit::Signal(*signal);
    }
    match io {
        Some(_) => Exit::Io,
        None if error.is::<UsageError>() => Exit::Usage,
        None => Exit::BadInput,
    }
}
