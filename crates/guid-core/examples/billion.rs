//! Makes a billion IDs on several threads, and looks at each: is one made twice, does one go back?
//!
//! ```text
//! cargo run --release -p guid-core --example billion -- [COUNT] [THREADS] [MODE]
//! ```
//!
//! | mode | the clock |
//! |---|---|
//! | `real` (default) | the system's |
//! | `frozen` | stands still |
//! | `back` | the system's, set back an hour half-way |
//! | `coarse` | the system's, in steps of 15.6 ms |
//! | `full` | one tick further each round, and the sequence begins at its end |
//! | `torn` | the system's, with the rule of libraries that read clock and sequence apart |
//!
//! The last mode is the control: there the same search finds what is wrong.
//!
//! # The idea
//!
//! Work goes in rounds, so that memory stays small. In a round each thread makes a list. A list
//! that rises has no duplicate within; the lists are merged, smallest first, and neighbours
//! compared. Everything in a round must be above everything in the rounds before.

use std::{
    env,
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use guid_core::{Clock, Drift, Generator, Guid, NodeId, Stamp, SystemClock, Tick};

/// IDs of a round, over all threads: 192 MB of them.
const ROUND: usize = 16_000_000;
const HOUR_NS: u64 = 3_600_000_000_000;
const COARSE_NS: u64 = 15_600_000;
const NODE: NodeId = NodeId::new(0x0200_0000);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Real,
    Frozen,
    Back,
    Coarse,
    Full,
    Torn,
}

/// A clock as the mode wants it. `shift` is set between rounds.
struct Wall {
    mode: Mode,
    start: u64,
    shift: AtomicU64,
}

impl Clock for &Wall {
    fn unix_nanos(&self) -> u64 {
        let (now, shift) = (SystemClock::new(), self.shift.load(Ordering::Relaxed));
        match self.mode {
            Mode::Real | Mode::Torn => now.unix_nanos(),
            Mode::Back => now.unix_nanos() - shift,
            Mode::Coarse => now.unix_nanos() / COARSE_NS * COARSE_NS,
            Mode::Frozen | Mode::Full => self.start + shift,
        }
    }
}

/// What makes the IDs: the generator, or the rule that tears.
struct Maker<'a> {
    ids: Generator<&'a Wall>,
    wall: &'a Wall,
    sequence: AtomicU64,
}

impl<'a> Maker<'a> {
    fn new(wall: &'a Wall) -> Self {
        let last = if wall.mode == Mode::Full { (1 << 14) - 1 } else { 0 };
        let last = Stamp::from_u64(last).expect("a sequence is a stamp of tick 0");
        let ids = Generator::on_clock(NODE, wall).with_last(last);
        Self { ids, wall, sequence: AtomicU64::new(0) }
    }

    fn list(&self, list: &mut [Guid]) {
        if self.wall.mode == Mode::Torn {
            list.fill_with(|| self.torn());
        } else {
            list.fill_with(|| self.ids.next());
        }
    }

    /// The clock first, then the next of a free-running sequence: two steps.
    fn torn(&self) -> Guid {
        let tick = self.wall.unix_nanos() / Tick::NANOS;
        let seq = self.sequence.fetch_add(1, Ordering::Relaxed) % (1 << 14);
        let stamp = Stamp::from_u64(tick << 14 | seq).expect("47 and 14 bits");
        Guid::new(Drift::default(), NODE, stamp)
    }
}

#[derive(Debug, Default)]
struct Found {
    ids: usize,
    duplicates: usize,
    inversions: usize,
    /// The greatest ID of the rounds before.
    greatest: Option<Guid>,
}

impl Found {
    /// Looks at the lists of a round. A list that does not rise is sorted after it was counted.
    fn look(&mut self, mut lists: Vec<&mut [Guid]>) {
        for list in &mut lists {
            self.ids += list.len();
            let falls = list.windows(2).filter(|pair| pair[0] > pair[1]).count();
            self.inversions += falls;
            if falls > 0 {
                list.sort_unstable();
            }
        }
        let before = self.greatest;
        let mut rest: Vec<&[Guid]> = lists.into_iter().map(|list| &*list).collect();
        let mut last = None;
        while let Some(least) = rest.iter_mut().filter(|l| !l.is_empty()).min_by_key(|l| l[0]) {
            let id = least[0];
            self.duplicates += usize::from(last == Some(id));
            // A thread of this round began after all threads of the rounds before had ended.
            self.inversions += usize::from(before > Some(id));
            self.duplicates += usize::from(last.is_none() && before == Some(id));
            last = Some(id);
            *least = &least[1..];
        }
        self.greatest = self.greatest.max(last);
    }
}

fn round(maker: &Maker<'_>, slots: &mut [Guid], threads: usize, found: &mut Found) -> u64 {
    let clock = SystemClock::new();
    let start = clock.unix_nanos();
    let mut lists: Vec<_> = slots.chunks_mut(slots.len().div_ceil(threads)).collect();
    thread::scope(|scope| {
        for list in &mut lists {
            scope.spawn(move || maker.list(list));
        }
    });
    let made = clock.unix_nanos().saturating_sub(start);
    found.look(lists);
    made
}

fn run(count: usize, threads: usize, mode: Mode) -> Found {
    let wall = Wall { mode, start: SystemClock::new().unix_nanos(), shift: AtomicU64::new(0) };
    let maker = Maker::new(&wall);
    let (mut found, mut making) = (Found::default(), 0);
    let mut slots = vec![Guid::ZERO; ROUND.min(count)];
    while found.ids < count {
        match mode {
            Mode::Back if found.ids >= count / 2 => wall.shift.store(HOUR_NS, Ordering::Relaxed),
            Mode::Full => drop(wall.shift.fetch_add(Tick::NANOS, Ordering::Relaxed)),
            _ => {}
        }
        let now = ROUND.min(count - found.ids);
        making += round(&maker, &mut slots[..now], threads, &mut found);
    }
    let lead = maker.ids.lead();
    let Found { ids, duplicates, inversions, .. } = found;
    println!(
        "{mode:?}: {ids} IDs on {threads} threads: {duplicates} duplicates, {inversions} inversions"
    );
    let tenths = u128::from(making) * 10 / (ids as u128).max(1);
    println!(
        "  {}.{} ns an ID; the last one leads the clock by {lead:?}",
        tenths / 10,
        tenths % 10
    );
    found
}

fn mode(name: &str) -> Option<Mode> {
    Some(match name {
        "real" => Mode::Real,
        "frozen" => Mode::Frozen,
        "back" => Mode::Back,
        "coarse" => Mode::Coarse,
        "full" => Mode::Full,
        "torn" => Mode::Torn,
        _ => return None,
    })
}

/// Count, threads, mode.
fn arguments() -> Option<(usize, usize, Mode)> {
    let mut arguments = env::args().skip(1);
    let mut number = |default| match arguments.next() {
        Some(text) => text.replace('_', "").parse().ok().filter(|number| *number > 0),
        None => Some(default),
    };
    let (count, threads) = (number(1_000_000_000)?, number(4)?);
    Some((count, threads, mode(arguments.next().as_deref().unwrap_or("real"))?))
}

fn main() -> ExitCode {
    let Some((count, threads, mode)) = arguments() else {
        eprintln!("usage: billion [COUNT] [THREADS] [real|frozen|back|coarse|full|torn]");
        return ExitCode::from(2);
    };
    let found = run(count, threads, mode);
    ExitCode::from(u8::from(found.duplicates + found.inversions > 0))
}
