//! One node: a process with a pipe in and a pipe out, which may be killed and started again.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{self, SyncSender, TrySendError},
    thread,
};

use anyhow::Context;

use super::skew::Skew;

/// Longer than this no line is read: a node that never ends one must not eat the memory.
const LONGEST: u64 = 64 << 20;

/// So many lines wait for a node that does not read.
pub(super) const UNREAD: usize = 1 << 14;

/// What came out of a node.
pub(super) enum Heard {
    Line(String),
    /// Its output ended, and why if reading failed.
    End(String),
}

/// Which node, and which start of it: what an earlier start said late is passed over.
pub(super) type From = (usize, u32);

pub(super) struct Node {
    pub(super) name: String,
    program: Vec<OsString>,
    folder: PathBuf,
    skew: Option<Skew>,
    running: Option<(Child, SyncSender<String>)>,
    start: u32,
}

impl Node {
    pub(super) fn new(
        name: String,
        program: Vec<OsString>,
        folder: &Path,
        skew: Option<Skew>,
    ) -> anyhow::Result<Self> {
        let folder = folder.join(&name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        // Relative paths are the tester's, not the node's.
        let folder = folder.canonicalize()?;
        Ok(Self { name, program, folder, skew, running: None, start: 0 })
    }

    pub(super) fn stderr(&self) -> PathBuf {
        self.folder.join("stderr.txt")
    }

    pub(super) const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub(super) const fn start_number(&self) -> u32 {
        self.start
    }

    /// Starts it; what it says arrives at `heard`.
    pub(super) fn start(
        &mut self,
        index: usize,
        heard: &SyncSender<(From, Heard)>,
    ) -> anyhow::Result<()> {
        self.start += 1;
        let stderr = OpenOptions::new().create(true).append(true).open(self.stderr())?;
        let mut child = self.command(stderr)?.spawn().with_context(|| {
            let program = self.program.first().map(|program| program.to_string_lossy());
            format!("starting {}", program.unwrap_or_default())
        })?;
        let stdout = child.stdout.take().context("a pipe")?;
        let (from, heard) = ((index, self.start), heard.clone());
        // It ends with the output of the process.
        thread::spawn(move || {
            let mut lines = BufReader::new(stdout);
            let end = loop {
                match next_line(&mut lines) {
                    Ok(Some(line)) => {
                        if heard.send((from, Heard::Line(line))).is_err() {
                            return;
                        }
                    }
                    Ok(None) => break String::new(),
                    Err(error) => break format!("{error:#}"),
                }
            };
            // Nobody listens at the end of the test.
            heard.send((from, Heard::End(end))).ok();
        });
        let stdin = child.stdin.take().context("a pipe")?;
        self.running = Some((child, writer(stdin)));
        Ok(())
    }

    fn command(&self, stderr: File) -> anyhow::Result<Command> {
        let (program, args) = self.program.split_first().context("a program")?;
        let mut command = Command::new(program);
        group(&mut command);
        command.args(args).env("GUID_STATE_DIR", &self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        if let Some(skew) = &self.skew {
            skew.apply(&mut command, &self.folder)?;
        }
        Ok(command)
    }

    /// Hands it a line; a node that is down misses it. False if it does not read what it is told.
    pub(super) fn say(&self, line: String) -> bool {
        let said = self.running.as_ref().map(|(_, stdin)| stdin.try_send(line));
        !matches!(said, Some(Err(TrySendError::Full(_))))
    }

    /// Whether its clock can be set: see [`Skew::is_loaded`].
    pub(super) fn check_clock(&self) -> anyhow::Result<()> {
        let (Some((child, _)), Some(_)) = (&self.running, &self.skew) else { return Ok(()) };
        anyhow::ensure!(
            Skew::is_loaded(child.id()) != Some(false),
            "--skew has no effect on {}: its program does not load libfaketime (is it linked \
             statically?)",
            self.name
        );
        Ok(())
    }

    pub(super) fn set_clock(&self, offset_ns: i64) -> anyhow::Result<()> {
        self.skew.as_ref().map_or(Ok(()), |_| Skew::set(&self.folder, offset_ns))
    }

    /// Kills it with -9, and whatever it started: a node may be a script that runs a program.
    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        let (mut child, _) = self.running.take()?;
        // It may have ended by itself: there is nothing to kill then.
        kill_group(&child);
        child.kill().ok();
        child.wait().ok()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Gives it a group of its own, to be killed as one.
#[cfg(unix)]
fn group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn group(_: &mut Command) {}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Its members may have ended by themselves.
    kill_process_group(Pid::from_child(child), Signal::KILL).ok();
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

/// Writes in a thread of its own: a node that stops reading must not stop the test.
fn writer(mut stdin: ChildStdin) -> SyncSender<String> {
    let (lines, to_write) = mpsc::sync_channel::<String>(UNREAD);
    // It ends when the node does, or is forgotten.
    thread::spawn(move || {
        for mut line in to_write {
            line.push('\n');
            if stdin.write_all(line.as_bytes()).is_err() {
                break;
            }
        }
    });
    lines
}

fn next_line(lines: &mut impl BufRead) -> anyhow::Result<Option<String>> {
    let mut line = Vec::new();
    let read = lines.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    anyhow::ensure!(u64::try_from(read)? < LONGEST, "a line of more than 64 MiB");
    Ok(Some(String::from_utf8(line).context("a line that is not UTF-8")?.trim_end().to_owned()))
}
