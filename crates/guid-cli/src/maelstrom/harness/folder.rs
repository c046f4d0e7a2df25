//! The folder of a test: what nodes keep, and what they say on stderr.
//!
//! # Invariants
//!
//! * It is empty when a test begins: a node that found what another test left would go on with it.
//! * One that nobody named goes when the test does, however it ends, unless it is kept.

use std::{
    env,
    fs::{self, DirBuilder},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process,
};

use anyhow::Context;
use guid_core::NodeId;

use crate::exit::UsageError;

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    goes: bool,
}

impl Folder {
    /// The folder that was named, if it is empty or not there yet; else a new one.
    pub(super) fn open(named: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = named else {
            let path = new().with_context(|| env::temp_dir().display().to_string())?;
            return Ok(Self { path, goes: true });
        };
        let name = || path.display().to_string();
        fs::create_dir_all(path).with_context(name)?;
        if fs::read_dir(path).with_context(name)?.next().is_some() {
            let why = format!(
                "--folder {} is not empty: nodes would go on with what another test left there",
                path.display()
            );
            return Err(UsageError(why.into()).into());
        }
        Ok(Self { path: path.to_owned(), goes: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) const fn keep(&mut self) {
        self.goes = false;
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.goes {
            // What a node started may be writing still, for a moment; then there is nobody to tell.
            let _gone = (0..3).any(|_| fs::remove_dir_all(&self.path).is_ok());
        }
    }
}

/// A folder that was not there before, for us alone.
fn new() -> io::Result<PathBuf> {
    loop {
        // Random, though it is no node that it is for.
        let name = format!("guid-maelstrom-{}-{}", process::id(), NodeId::random()?);
        let path = env::temp_dir().join(name);
        match private().create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
}

#[cfg(unix)]
fn private() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}
