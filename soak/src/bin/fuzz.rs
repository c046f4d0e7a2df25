//! Hostile bytes for every decoder of `wire`: no panic, no more memory than a small multiple.
//!
//! ```console
//! $ cargo run --release -p guid-crdt --example fuzz --features wire -- --count 50000000
//! ```
//!
//! States, deltas, messages, saved replicas and versions of every type come out of random
//! histories. Their bytes are damaged: bits, bytes, lengths that lie, pieces left out, doubled, or
//! taken from another; nine of ten get a checksum that fits, so that they reach what is behind it.
//! What is read must be written as the bytes that were read, and must do what its type does: be
//! joined, applied, handled, read and written to. What is allocated while reading is counted. The
//! same seed makes the same inputs.
//!
//! Ends with 0 if all was well; a panic names the input.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the run")]

#[path = "../../../crates/guid-crdt/tests/oracle/rng.rs"]
mod rng;
#[path = "../../../crates/guid-crdt/tests/oracle/spec.rs"]
#[expect(dead_code, reason = "the operations are used, their meaning is not")]
mod spec;
#[path = "../../../crates/guid-crdt/tests/oracle/types.rs"]
mod types;

use std::{env, panic, process::ExitCode, time::Duration};

use guid_core::{ManualClock, NodeId};
use guid_crdt::{
    Lattice, Message, Peer, Replica, Replicated, Saved, Versioned,
    wire::{self, Wire},
};
use rng::Rng;
use spec::{
    AwLwwMapSpec, BoundedSpec, DocSpec, DwFlagSpec, EwFlagSpec, FwwSpec, GCounterSpec, GSetSpec,
    LwwMapSpec, LwwSetSpec, LwwSpec, MaxSpec, MinSpec, MvSpec, OrMapSpec, OrSetSpec, PnCounterSpec,
    ResettableSpec, RwSetSpec, Spec, TwoPhaseSpec,
};

/// What may be allocated at once while an input is read: this many bytes for each of its bytes, and
/// some to begin with.
const PER_BYTE: u64 = 128;
/// Where maps nest: each has a tree node of its own, of up to 2.4 KB, also if one key of one letter
/// is all there is in it.
const PER_BYTE_NESTED: u64 = 512;
const BASE: u64 = 4096;
/// What serde sets aside for a list of bytes before it reads it, as in the values of a document.
const OF_SERDE: u64 = 1 << 20;
/// The longest input.
const LONGEST: usize = 4096;

/// A decoder, and bytes that it reads.
struct Target {
    name: &'static str,
    corpus: Vec<Vec<u8>>,
    /// Reads, and tells whether it was a value.
    read: fn(&[u8]) -> bool,
    /// Does with the value what can be done with it.
    uses: fn(&[u8]),
}

/// Reads a value; what was read must be written as the same bytes.
fn read<T: Wire>(bytes: &[u8]) -> bool {
    let Ok(value) = wire::decode::<T>(bytes) else { return false };
    assert_eq!(wire::encode(&value).unwrap(), bytes, "read, and written otherwise");
    true
}

fn target<T: Wire>(name: &'static str, values: &[T], uses: fn(&[u8])) -> Target {
    let corpus = values.iter().map(|value| wire::encode(value).unwrap()).collect();
    Target { name, corpus, read: read::<T>, uses }
}

fn replica<T: Replicated>(node: u32) -> Replica<T, ManualClock> {
    let replica = Replica::new(NodeId::new(node), ManualClock::new(1 << 40));
    replica.with_max_ahead(Duration::MAX)
}

/// Writes, reads and joins: any answer will do, and no panic.
fn try_out<S: Spec>(mut replica: Replica<S::State, ManualClock>) {
    let mut rng = Rng::new(3);
    for _ in 0..3 {
        let operation = S::random(&mut rng);
        drop(replica.write(|state, dot| S::mutate(state, dot, &operation)));
    }
    let state = replica.snapshot();
    drop((format!("{state:?}"), state.version(), replica.join(&state)));
    assert!(state.clone().joined(&state) == state, "a state joined with itself");
}

fn use_state<S: Spec>(bytes: &[u8])
where
    S::State: Wire,
{
    let Ok(state) = wire::decode::<S::State>(bytes) else { return };
    let mut replica = replica(3);
    replica.join(&state).ok();
    try_out::<S>(replica);
}

fn use_delta<S: Spec>(bytes: &[u8])
where
    S::State: Versioned<Delta: Wire>,
{
    let Ok(delta) = wire::decode::<<S::State as Replicated>::Delta>(bytes) else { return };
    let mut replica = replica(3);
    replica.apply(&delta).ok();
    try_out::<S>(replica);
}

fn use_message<S: Spec>(bytes: &[u8])
where
    S::State: Versioned<Version: Wire, Delta: Wire> + Wire,
{
    let Ok(message) = wire::decode::<Message<S::State>>(bytes) else { return };
    let mut peer = Peer::new(replica(3));
    if let Ok(handled) = peer.handle(message)
        && let Some(reply) = handled.reply
    {
        assert!(wire::encode(&reply).is_ok(), "an answer that has no bytes");
    }
    try_out::<S>(peer.into_replica());
}

fn use_saved<S: Spec>(bytes: &[u8])
where
    S::State: Wire,
{
    let Ok(saved) = wire::decode::<Saved<S::State>>(bytes) else { return };
    try_out::<S>(Replica::restore(saved, ManualClock::new(1 << 40)).with_max_ahead(Duration::MAX));
}

/// The decoders of a type, and values that random histories reach.
fn targets_of<S: Spec>(name: &'static str) -> Vec<Target>
where
    S::State: Versioned<Version: Wire, Delta: Wire> + Wire,
{
    let mut rng = Rng::new(7);
    let (mut states, mut deltas, mut messages, mut saves) = (vec![], vec![], vec![], vec![]);
    for length in 0..16 {
        let mut peers = [1, 0xffff_0001]
            .map(|node| Peer::new(replica::<S::State>(node)).with_log_max(length % 4));
        for _ in 0..length {
            let operation = S::random(&mut rng);
            let at = rng.below(2);
            deltas.push(peers[at].write(|state, dot| S::mutate(state, dot, &operation)).unwrap());
        }
        let greeting = peers[1].greet();
        let answer = peers[0].handle(greeting.clone()).unwrap().reply;
        messages.push(greeting);
        messages.extend(answer.clone());
        if let Some(answer) = answer {
            messages.extend(peers[1].handle(answer).unwrap().reply);
        }
        for peer in peers {
            states.push(peer.state().clone());
            saves.push(peer.into_replica().save());
        }
    }
    let versions: Vec<_> = states.iter().map(Versioned::version).collect();
    vec![
        target::<S::State>(name, &states, use_state::<S>),
        target::<<S::State as Replicated>::Delta>(name, &deltas, use_delta::<S>),
        target::<Message<S::State>>(name, &messages, use_message::<S>),
        target::<Saved<S::State>>(name, &saves, use_saved::<S>),
        target::<<S::State as Versioned>::Version>(name, &versions, |_| {}),
    ]
}

macro_rules! targets {
    ($($name:ident: $spec:ty),* $(,)?) => {
        fn targets() -> Vec<Target> {
            let mut all = Vec::new();
            $(all.extend(targets_of::<$spec>(stringify!($name)));)*
            all
        }
    };
}

types::every_type!(targets);

/// Does one kind of damage.
fn damage(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    if bytes.is_empty() {
        bytes.push(rng.next().to_le_bytes()[0]);
        return;
    }
    let at = rng.below(bytes.len());
    let piece = |rng: &mut Rng, of: &[u8]| {
        let from = rng.below(of.len() + 1);
        of[from..(from + rng.below(12)).min(of.len())].to_vec()
    };
    match rng.below(8) {
        0 => bytes[at] ^= 1 << rng.below(8),
        1 => bytes[at] = rng.next().to_le_bytes()[0],
        2 => bytes[at] = bytes[at].wrapping_add(1),
        3 => drop(bytes.remove(at)),
        4 => bytes.truncate(at),
        5 => {
            let lies: [&[u8]; 4] =
                [&[0xff; 9], &[0xff, 0xff, 0xff, 0xff, 0x0f], &[0x80, 0x40], &[0]];
            drop(bytes.splice(at..=at, lies[rng.below(4)].iter().copied()));
        }
        6 => {
            let piece = piece(rng, other);
            drop(bytes.splice(at..at, piece));
        }
        _ => {
            let piece = piece(rng, &bytes.clone());
            drop(bytes.splice(at..at, piece));
        }
    }
}

/// The bytes of a value, damaged; mostly with a frame and a checksum that fit.
fn input(target: &Target, rng: &mut Rng) -> Vec<u8> {
    let whole = &target.corpus[rng.below(target.corpus.len())];
    let other = &target.corpus[rng.below(target.corpus.len())];
    if rng.chance(10) {
        let mut bytes = whole.clone();
        damage(&mut bytes, other, rng);
        return bytes;
    }
    let (header, body) = whole.split_at(7);
    let mut body = body[..body.len() - 4].to_vec();
    for _ in 0..=rng.below(4) {
        damage(&mut body, &other[7..other.len() - 4], rng);
    }
    body.truncate(LONGEST);
    let mut bytes = [header, &body].concat();
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn argument(name: &str, default: u64) -> Option<u64> {
    let mut arguments = env::args().skip_while(|argument| argument != name).skip(1);
    arguments.next().map_or(Some(default), |value| value.parse().ok())
}

fn main() -> ExitCode {
    let (Some(seed), Some(count)) = (argument("--seed", 1), argument("--count", 1_000_000)) else {
        eprintln!("usage: fuzz [--seed N] [--count N]");
        return ExitCode::from(64);
    };
    let targets = targets();
    let names: Vec<_> = targets.iter().map(|target| target.name).collect();
    println!("{} decoders of {} types", names.len(), names.chunk_by(|a, b| a == b).count());
    let (mut values, mut most, mut bytes_in) = (0_u64, [0_u64; 2], 0_u64);
    for number in 0..count {
        // A seed for each, so that one that fails can be made alone.
        let mut rng = Rng::new(seed.wrapping_add(number));
        let target = &targets[rng.below(targets.len())];
        let bytes = input(target, &mut rng);
        let (length, mut is_value) = (bytes.len() as u64, false);
        let run = panic::AssertUnwindSafe(|| {
            let used = allocation_counter::measure(|| is_value = (target.read)(&bytes)).bytes_max;
            if is_value {
                (target.uses)(&bytes);
            }
            used
        });
        let Ok(used) = panic::catch_unwind(run) else {
            println!("panic: {} --seed {} --count 1", target.name, seed.wrapping_add(number));
            return ExitCode::FAILURE;
        };
        let nests = target.name == "doc" || target.name.starts_with("or_map");
        let allowed = length * if nests { PER_BYTE_NESTED } else { PER_BYTE } + BASE;
        let allowed = if target.name == "doc" { allowed + OF_SERDE } else { allowed };
        assert!(
            used <= allowed,
            "{used} bytes for {length}: {} --seed {} --count 1",
            target.name,
            seed.wrapping_add(number)
        );
        values += u64::from(is_value);
        let per_byte = used.saturating_sub(BASE) / length.max(1);
        most[usize::from(nests)] = most[usize::from(nests)].max(per_byte);
        bytes_in += length;
        if (number + 1) % 10_000_000 == 0 {
            println!("{} inputs, {values} of them values", number + 1);
        }
    }
    println!(
        "{count} inputs from seed {seed}, {bytes_in} bytes: {values} were values, the others refused"
    );
    let [flat, nested] = most;
    println!("no panic; allocated for each byte read, beyond {BASE}: at most {flat} bytes, where");
    println!("maps nest {nested}");
    ExitCode::SUCCESS
}
