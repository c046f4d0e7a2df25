//! A replica that loses nothing it has acknowledged, whenever its process is killed.
//!
//! Without arguments: what is stored, and what is refused. With a folder it writes numbers until it
//! is killed, and prints each once it is safe; with `--list` too, it prints what it has. A test
//! kills it again and again.

use std::{
    env,
    error::Error,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use guid_core::{FileHighWater, HighWater, NodeId, SystemClock};
use guid_crdt::{
    OrSet, OrSetDelta, Replica, Saved, StaleState,
    wire::{self, Wire},
};

type Numbers = OrSet<u64>;

/// A replica, its log, and the mark of its last write.
struct Kept {
    replica: Replica<Numbers, SystemClock>,
    log: File,
    mark: FileHighWater,
}

impl Kept {
    /// Comes back with all that was stored, or begins anew.
    fn open(folder: &Path, node: NodeId) -> Result<Self, Box<dyn Error>> {
        fs::create_dir_all(folder)?;
        // The mark is locked: a second process that opens it is refused (I2).
        let mut mark = FileHighWater::open_or_create(folder.join("mark"), node)?;
        let path = folder.join("state");
        let saved = match fs::read(&path) {
            Ok(bytes) => replay(&bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Replica::new(node, SystemClock::new()).save()
            }
            Err(error) => return Err(error.into()),
        };
        // What was sent is in the state, or the state is an old one (I3).
        let replica = Replica::restore_after(saved, mark.load()?, SystemClock::new())?;
        let log = begin(&path, &replica.save())?;
        Ok(Self { replica, log, mark })
    }

    /// Adds a number; once this returns, it is safe.
    fn insert(&mut self, number: u64) -> Result<(), Box<dyn Error>> {
        let delta = self.replica.write(|set, dot| set.insert(dot, number))?;
        append(&mut self.log, &delta)?; // first the write ...
        if let Some(stamp) = self.replica.issued() {
            self.mark.store(stamp)?; // ... then the mark ...
        }
        Ok(()) // ... and only then somebody hears of it
    }

    fn next(&self) -> u64 {
        self.replica.state().iter().next_back().map_or(0, |last| last + 1)
    }
}

/// Begins a log anew: the whole state, in a file that takes the place of the old one at once.
fn begin(path: &Path, saved: &Saved<Numbers>) -> Result<File, Box<dyn Error>> {
    let new = path.with_extension("new");
    let mut log = File::create(&new)?;
    append(&mut log, saved)?;
    fs::rename(&new, path)?;
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(log)
}

/// Appends a value: its length, then its bytes, which bear a checksum.
fn append(log: &mut File, value: &impl Wire) -> Result<(), Box<dyn Error>> {
    let bytes = wire::encode(value)?;
    let length = u32::try_from(bytes.len())?.to_le_bytes();
    log.write_all(&[&length[..], &bytes].concat())?;
    Ok(log.sync_data()?)
}

/// Reads a log: a saved replica, and the deltas after it. The last may be cut: it was not safe.
fn replay(bytes: &[u8]) -> Result<Saved<Numbers>, Box<dyn Error>> {
    let (first, mut rest) = record(bytes).ok_or("the state is cut: put the latest one back")?;
    let mut saved: Saved<Numbers> = wire::decode(first)?;
    while let Some((delta, next)) = record(rest) {
        match wire::decode::<OrSetDelta<u64>>(delta) {
            Ok(delta) => saved.apply(&delta)?,
            Err(_) if next.is_empty() => break, // written in part, and never acknowledged
            Err(error) => return Err(error.into()),
        };
        rest = next;
    }
    Ok(saved)
}

fn record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => shown(),
        [folder] => writes(Path::new(folder)),
        [folder, _] => {
            let kept = Kept::open(Path::new(folder), NodeId::new(7))?;
            kept.replica.state().iter().for_each(|number| println!("{number}"));
            Ok(())
        }
        _ => Err("usage: 07_keeping_a_replica [FOLDER [--list]]".into()),
    }
}

/// Until it is killed: what is printed is safe.
fn writes(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut kept = Kept::open(folder, NodeId::new(7))?;
    let mut out = io::stdout().lock();
    for number in kept.next().. {
        kept.insert(number)?;
        writeln!(out, "{number}")?;
        out.flush()?;
    }
    Ok(())
}

fn shown() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = env::temp_dir().join(format!("guid-keeping-{}", std::process::id()));
    let node = NodeId::new(7);
    let mut kept = Kept::open(&folder, node)?;
    (0..3).try_for_each(|number| kept.insert(number))?;
    let backup = fs::read(folder.join("state"))?;
    (3..5).try_for_each(|number| kept.insert(number))?;

    let twin = Kept::open(&folder, node).err().ok_or("a second process writes under our node")?;
    println!("while it runs:      {twin}");

    drop(kept); // the process ends here, or is killed
    let kept = Kept::open(&folder, node)?;
    println!("back again:         {:?}", kept.replica.state().iter().collect::<Vec<_>>());
    drop(kept);

    fs::write(folder.join("state"), backup)?; // yesterday's file, put back by hand
    let error = Kept::open(&folder, node).err().ok_or("an old state was taken for the latest")?;
    let stale: &StaleState = error.downcast_ref().ok_or("another error")?;
    println!("an old state:       refused, {}", advice(&stale.to_string()));

    let saved = replay(&fs::read(folder.join("state"))?)?;
    let old = Replica::restore(saved, SystemClock::new());
    let fresh = old.renew(NodeId::new(8), SystemClock::new());
    println!("under a new node:   {:?}", fresh.state().iter().collect::<Vec<_>>());
    Ok(fs::remove_dir_all(&folder)?)
}

/// The error after its stamps, which differ from run to run.
fn advice(error: &str) -> &str {
    error.rsplit(": ").next().unwrap_or(error)
}
