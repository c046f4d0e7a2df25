//! What golden lines are made of: the same short history for every type, and all that comes of it.
//!
//! Node 1 writes twice and node 7 twice, node 4294967295 once, none of them seeing the others; then
//! node 7 sees all and writes once more, mostly a removal. Two nodes share a stamp (10), two stamps
//! are neighbours (10 and 11), some are far away (2⁴⁰).

use guid_core::{ManualClock, NodeId, Stamp};
use guid_crdt::{
    Causal, Delta, Dot, DotStore, Gap, Message, MutateError, Nested, OrSet, Replica, Replicated,
    Saved, Versioned,
    wire::{self, Wire, WireStore},
};
use serde::{Serialize, de::DeserializeOwned};

/// A value: its type as one writes it, how it was made, its bytes, and its JSON.
pub(crate) struct Line {
    pub(crate) type_name: String,
    pub(crate) tag: [u8; 4],
    pub(crate) made: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) json: String,
    /// Reads bytes as this type, and tells what they say in JSON.
    pub(crate) read: fn(&[u8]) -> Option<String>,
}

/// What has bytes and JSON.
pub(crate) trait Told: Wire + Serialize + DeserializeOwned {}

impl<T: Wire + Serialize + DeserializeOwned> Told for T {}

/// Writes of one type, as the history has them.
pub(crate) type Writes<T> = [fn(&mut T, Dot) -> Result<<T as Replicated>::Delta, MutateError>; 6];

pub(crate) fn dot(node: u32, stamp: u64) -> Dot {
    Dot::new(NodeId::new(node), Stamp::from_u64(stamp).unwrap())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use core::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// The lines, as they are added.
#[derive(Default)]
pub(crate) struct Lines(pub(crate) Vec<Line>);

impl Lines {
    pub(crate) fn add<T: Told>(&mut self, type_name: String, made: &'static str, value: &T) {
        let read = |bytes: &[u8]| {
            let value: T = wire::decode(bytes).ok()?;
            Some(serde_json::to_string(&value).unwrap())
        };
        let (bytes, json) = (wire::encode(value).unwrap(), serde_json::to_string(value).unwrap());
        self.0.push(Line { type_name, tag: T::TAG, made, bytes, json, read });
    }

    /// Everything of a type: states, deltas, messages of each kind, saved replicas.
    pub(crate) fn all<T>(&mut self, name: &str, writes: Writes<T>) -> (T, Vec<T::Delta>)
    where
        T: Versioned<Version: Told, Delta: Told + Clone> + Told + Default,
    {
        let ([nothing, at_once, all], deltas) = history(writes);
        for (made, state) in
            [("nothing", &nothing), ("three nodes at once", &at_once), ("everything", &all)]
        {
            self.add(name.to_owned(), made, state);
        }
        for (made, delta) in [("first write", &deltas[0]), ("last write", &deltas[5])] {
            self.add(format!("Delta<{name}>"), made, delta);
        }
        self.messages(name, &nothing, &all, &deltas);
        self.saved(name, writes);
        (all, deltas)
    }

    fn messages<T>(&mut self, name: &str, nothing: &T, all: &T, deltas: &[T::Delta])
    where
        T: Versioned<Version: Told, Delta: Told + Clone> + Told,
    {
        let name = format!("Message<{name}>");
        let [unknown, behind] = gaps();
        for (made, state, deltas, gap) in
            [("nothing", nothing, &[][..], unknown), ("everything", all, &deltas[2..4], behind)]
        {
            let seen = || state.version();
            let messages = [
                Message::<T>::Greeting(seen()),
                Message::Deltas { deltas: deltas.to_vec(), seen: seen() },
                Message::State(state.clone()),
                Message::Gap { gap, seen: seen() },
            ];
            for message in &messages {
                self.add(name.clone(), made, message);
            }
        }
    }

    fn saved<T: Replicated + Told + Default>(&mut self, name: &str, writes: Writes<T>) {
        let name = format!("Saved<{name}>");
        let replica = || Replica::<T, _>::new(NodeId::new(7), ManualClock::new(1 << 40));
        self.add(name.clone(), "nothing", &replica().save());
        let mut written = replica();
        written.write(writes[2]).unwrap();
        written.write(writes[3]).unwrap();
        self.add(name, "two writes of a replica", &written.save());
    }

    /// Of a causal type also its state under no name, a delta without effect, and a group of two.
    pub(crate) fn causal<T>(&mut self, name: &str, writes: Writes<T>)
    where
        T: Versioned<Version: Told, Delta = Delta<T::Store>> + Told + Default + Nested,
        T::Store: WireStore + DotStore<Gone: WireStore + Default>,
        Causal<T::Store>: Told,
        Delta<T::Store>: Told,
    {
        let (all, mut deltas) = self.all(name, writes);
        let unnamed = format!("Causal<{name}>");
        self.add(unnamed.clone(), "nothing", T::default().causal());
        self.add(unnamed, "everything", all.causal());
        let mut state = all.causal().clone();
        let idle =
            state.mutate(dot(7, (1 << 40) + 9), T::Store::default(), Default::default()).unwrap();
        self.add(format!("Delta<{name}>"), "a write without effect", &idle);
        let [.., last] = &mut deltas[..] else { unreachable!("six writes") };
        last.join(&idle).unwrap();
        self.add(format!("Delta<{name}>"), "the last two writes as one", last);
    }
}

/// The states before, without the last write, and after; and the delta of each write.
fn history<T: Replicated + Default>(writes: Writes<T>) -> ([T; 3], Vec<T::Delta>) {
    let [mut one, mut seven, mut last] = [T::default(), T::default(), T::default()];
    let mut deltas = vec![
        writes[0](&mut one, dot(1, 10)).unwrap(),
        writes[1](&mut one, dot(1, 11)).unwrap(),
        writes[2](&mut seven, dot(7, 10)).unwrap(),
        writes[3](&mut seven, dot(7, 300)).unwrap(),
        writes[4](&mut last, dot(u32::MAX, 1 << 40)).unwrap(),
    ];
    seven.join(&one);
    seven.join(&last);
    let at_once = seven.clone();
    deltas.push(writes[5](&mut seven, dot(7, (1 << 40) + 1)).unwrap());
    ([T::default(), at_once, seven], deltas)
}

/// What is told of a delta whose node is not known, and of one that leaves some out.
fn gaps() -> [Gap; 2] {
    let mut set = OrSet::new();
    let deltas = [10, 20, 30].map(|stamp| set.insert(dot(7, stamp), 1).unwrap());
    let mut behind = OrSet::new();
    let unknown = behind.apply(&deltas[1]).unwrap_err();
    behind.apply(&deltas[0]).unwrap();
    [unknown, behind.apply(&deltas[2]).unwrap_err()]
}

/// A replica that has seen that its node writes elsewhere too.
pub(crate) fn collided() -> Saved<OrSet<String>> {
    let replica = |at| Replica::<OrSet<String>, _>::new(NodeId::new(7), ManualClock::new(at));
    let (mut here, mut twin) = (replica(1 << 40), replica(1 << 41));
    here.write(|set, dot| set.insert(dot, "tea".to_owned())).unwrap();
    twin.write(|set, dot| set.insert(dot, "ale".to_owned())).unwrap();
    assert!(here.join(twin.state()).is_err());
    here.save()
}
