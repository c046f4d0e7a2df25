//! Wrong clocks for programs that know nothing of it: `libfaketime` between them and libc.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, ensure};
use guid_core::{Clock, Guid};
use serde_json::json;

use super::super::{
    LibcClock, Workload,
    protocol::{Body, Message},
};

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

    /// Sets a clock and looks whether it shows: a library that does nothing would show what we do
    /// to nodes to be harmless.
    pub(super) fn try_out(&self, folder: &Path) -> anyhow::Result<()> {
        let day = TRIAL.as_nanos();
        let ahead = shown(self, folder)?.map(|shown| shown.saturating_sub(LibcClock.unix_nanos()));
        let library = self.0.display();
        ensure!(
            ahead.is_some_and(|ahead| 2 * u128::from(ahead) > day),
            "--skew has no effect here: {library} is there, and clocks stay as they are"
        );
        Ok(fs::remove_dir_all(folder)?)
    }

    /// Whether a process, or one that it started, has loaded the library; none where the system
    /// does not say.
    pub(super) fn is_loaded(group: u32) -> Option<bool> {
        let processes = fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path());
        let mut own = processes.filter(|path| group_of(path) == Some(group)).peekable();
        own.peek()?;
        let name = Path::new(NAME).file_name()?.to_str()?;
        let maps = |path: PathBuf| fs::read_to_string(path.join("maps")).unwrap_or_default();
        Some(own.any(|path| maps(path).contains(name)))
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

/// How far a clock is set to see whether it can be.
const TRIAL: Duration = Duration::from_secs(86_400);

/// Runs our own node under a clock that is a day ahead, and looks at the ID it makes.
fn shown(skew: &Skew, folder: &Path) -> anyhow::Result<Option<u64>> {
    fs::create_dir_all(folder)?;
    Skew::set(folder, i64::try_from(TRIAL.as_nanos())?)?;
    let mut command = Command::new(env::current_exe().context("finding ourselves")?);
    command.args(["maelstrom", "node", Workload::UniqueIds.name()]).env_remove("GUID_STATE_DIR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    skew.apply(&mut command, folder)?;
    let mut child = command.spawn()?;
    let init = json!({"type": "init", "msg_id": 1, "node_id": "n1", "node_ids": ["n1"]});
    let lines = [init, json!({"type": "generate", "msg_id": 2})];
    let mut stdin = child.stdin.take().context("a pipe")?;
    for body in lines {
        writeln!(stdin, "{}", json!({"src": "c1", "dest": "n1", "body": body}))?;
    }
    drop(stdin);
    let said = child.wait_with_output()?.stdout;
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().last().and_then(|line| Message::<Body>::parse(line).ok());
    let id = last.and_then(|last| last.body.get("id")?.as_str()?.parse::<Guid>().ok());
    Ok(id.map(|id| id.stamp().unix_nanos()))
}

/// The group of a process, by its folder: the third field behind the name, which is in brackets.
fn group_of(process: &Path) -> Option<u32> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}
