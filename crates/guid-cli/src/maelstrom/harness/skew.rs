//! Wrong clocks for programs that know nothing of it: `libfaketime` between them and libc.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;

/// The library that answers for the clock.
#[derive(Clone, Debug)]
pub(super) struct Skew(PathBuf);

const NAME: &str = "faketime/libfaketimeMT.so.1";
/// The file in a node's folder that says what its clock shows.
const FILE: &str = "clock";

impl Skew {
    /// Finds the library where systems keep it.
    pub(super) fn find() -> anyhow::Result<Self> {
        let under = |folder: &str| {
            let inside = fs::read_dir(folder).into_iter().flatten().flatten();
            inside.map(|entry| entry.path().join(NAME))
        };
        let mut places =
            under("/usr/lib").chain(under("/usr/lib64")).chain(under("/usr/local/lib"));
        let found = places.find(|place| place.exists());
        found.map(Self).context("--skew needs libfaketime, which is not here (Debian: faketime)")
    }

    /// Puts it before a program.
    pub(super) fn apply(&self, command: &mut Command, folder: &Path) -> anyhow::Result<()> {
        if !folder.join(FILE).exists() {
            Self::set(folder, 0)?;
        }
        command.env("LD_PRELOAD", &self.0).env("FAKETIME_TIMESTAMP_FILE", folder.join(FILE));
        // Look at the file at every reading; leave timers alone.
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        Ok(())
    }

    /// Sets the clock of the program of a folder, running or not.
    pub(super) fn set(folder: &Path, offset_ns: i64) -> anyhow::Result<()> {
        let (sign, ns) = (if offset_ns < 0 { '-' } else { '+' }, offset_ns.unsigned_abs());
        let text = format!("{sign}{}.{:09}\n", ns / 1_000_000_000, ns % 1_000_000_000);
        // At once: half a number is another number.
        let new = folder.join("clock.new");
        fs::write(&new, text)?;
        Ok(fs::rename(new, folder.join(FILE))?)
    }
}
