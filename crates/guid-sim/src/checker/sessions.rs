//! Session guarantees: what a client may rely on, whichever replicas it talks to.
//!
//! A client reads and writes at replicas. What a replica has taken in is a version vector, so what
//! a client may rely on is two of them: what it wrote, and what its reads saw.
//!
//! * read your writes: a read is of a replica that has all that the client wrote
//! * monotonic reads: … all that its earlier reads saw
//! * monotonic writes: a write is made at a replica that has all that the client wrote before
//! * writes follow reads: … all that its earlier reads saw
//!
//! # References
//!
//! Terry et al., "Session Guarantees for Weakly Consistent Replicated Data", PDIS 1994, section 3.

use std::collections::BTreeMap;

use guid_core::{NodeId, Stamp};
use guid_crdt::{Dot, VectorClock};

use super::{Case, Cause, Keyed};
use crate::Event;

/// How many clients are watched.
const MOST_CLIENTS: usize = 1 << 16;

/// The names of the checks, in the order of [`Sessions::guarantees`].
pub(crate) const GUARANTEES: [&str; 4] =
    ["read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads"];

/// One guarantee: how often it was broken, of how often it was relied on, and the first time.
#[derive(Debug, Default)]
pub(crate) struct Guarantee {
    pub(crate) against: u64,
    pub(crate) of: u64,
    pub(crate) first: Option<Case>,
}

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    clients: BTreeMap<u64, Client>,
    pub(crate) guarantees: [Guarantee; 4],
    pub(crate) overrun: bool,
}

#[derive(Debug, Default)]
struct Client {
    wrote: Relied,
    read: Relied,
}

/// A version vector, with the operation that each of its entries comes from.
#[derive(Debug, Default)]
struct Relied(BTreeMap<NodeId, (Stamp, Event)>);

impl Relied {
    fn add(&mut self, node: NodeId, stamp: Stamp, event: Event) {
        let known = self.0.entry(node).or_insert((stamp, event));
        if stamp > known.0 {
            *known = (stamp, event);
        }
    }

    /// The first operation on which what a replica has does not bear.
    fn missing(&self, seen: &VectorClock) -> Option<Event> {
        let entries = self.0.iter().map(|(&node, &(stamp, event))| (node, stamp, event));
        let missing = entries.filter(|&(node, stamp, _)| seen.get(node) < Some(stamp));
        missing.map(|(.., event)| event).min_by_key(|event| event.number)
    }
}

impl Guarantee {
    fn judge(&mut self, relied: &Relied, seen: &VectorClock, event: Event, cause: &'static str) {
        if relied.0.is_empty() {
            return;
        }
        self.of += 1;
        if let Some(earlier) = relied.missing(seen) {
            self.against += 1;
            let keyed = |event| Keyed { key: 0, event };
            self.first.get_or_insert(Case {
                first: keyed(earlier),
                second: keyed(event),
                cause: Cause::Said(cause),
            });
        }
    }
}

impl Sessions {
    /// A client reads at a replica that has taken in this.
    pub(crate) fn read(&mut self, client: u64, seen: &VectorClock, event: Event) {
        let Some(client) = client_of(&mut self.clients, client, &mut self.overrun) else { return };
        let [own, reads, ..] = &mut self.guarantees;
        own.judge(&client.wrote, seen, event, "a read of a replica that lacks the client's write");
        reads.judge(
            &client.read,
            seen,
            event,
            "a read of a replica that lacks what was read before",
        );
        for (node, stamp) in seen.iter() {
            client.read.add(node, stamp, event);
        }
    }

    /// A client writes at a replica that had taken in this before; the write is this dot.
    pub(crate) fn write(&mut self, client: u64, seen: &VectorClock, dot: Dot, event: Event) {
        let Some(client) = client_of(&mut self.clients, client, &mut self.overrun) else { return };
        let [.., writes, follow] = &mut self.guarantees;
        writes.judge(&client.wrote, seen, event, "a write at a replica that lacks the one before");
        follow.judge(&client.read, seen, event, "a write at a replica that lacks what was read");
        client.wrote.add(dot.node(), dot.stamp(), event);
    }
}

fn client_of<'a>(
    clients: &'a mut BTreeMap<u64, Client>,
    client: u64,
    overrun: &mut bool,
) -> Option<&'a mut Client> {
    if clients.len() >= MOST_CLIENTS && !clients.contains_key(&client) {
        *overrun = true;
        return None;
    }
    Some(clients.entry(client).or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{EventKind, NodeIndex, Purpose, Streams};

    fn event(number: u64) -> Event {
        let (node, kind) = (NodeIndex::new(0), EventKind::Mint);
        Event { number, node, incarnation: 1, true_ns: number, local_ns: number, kind }
    }

    /// An operation as the definition has it: the set of writes that the replica had.
    struct Op {
        client: u64,
        wrote: Option<(u32, u64)>,
        had: BTreeSet<(u32, u64)>,
    }

    /// The guarantees by their definition, over all pairs of operations of one client.
    fn by_definition(ops: &[Op]) -> [(u64, u64); 4] {
        let mut counts = [(0, 0); 4];
        for (j, op) in ops.iter().enumerate() {
            let before = || ops[..j].iter().filter(|earlier| earlier.client == op.client);
            let writes: Vec<(u32, u64)> = before().filter_map(|earlier| earlier.wrote).collect();
            let reads = || before().filter(|earlier| earlier.wrote.is_none());
            let saw: BTreeSet<(u32, u64)> = reads().flat_map(|r| r.had.iter().copied()).collect();
            let shift = if op.wrote.is_some() { 2 } else { 0 };
            if !writes.is_empty() {
                counts[shift].1 += 1;
                counts[shift].0 += u64::from(writes.iter().any(|write| !op.had.contains(write)));
            }
            if !saw.is_empty() {
                counts[shift + 1].1 += 1;
                counts[shift + 1].0 += u64::from(!saw.is_subset(&op.had));
            }
        }
        counts
    }

    #[test]
    fn the_counts_are_those_of_the_definition_on_random_histories() {
        let mut rng = Streams::new(42).of_world(Purpose::Workload);
        let mut broken = [0; 4];
        for _ in 0..3_000 {
            // Three replicas, each with a prefix of every other's writes; two clients.
            let mut written = [0_u64; 3];
            let mut has = [[0_u64; 3]; 3];
            let (mut sessions, mut ops) = (Sessions::default(), Vec::new());
            for number in 1..=12 {
                let replica = usize::try_from(rng.below(3)).unwrap();
                let from = usize::try_from(rng.below(3)).unwrap();
                if rng.below(2) == 0 {
                    // What one has, another takes in.
                    let theirs = has[from];
                    for (own, their) in has[replica].iter_mut().zip(theirs) {
                        *own = their.max(*own);
                    }
                }
                let (client, writes) = (rng.below(2), rng.below(2) == 0);
                let mut seen = VectorClock::new();
                let mut had = BTreeSet::new();
                for (node, &upto) in (0..).zip(&has[replica]) {
                    had.extend((1..=upto).map(|stamp| (node, stamp)));
                    if upto > 0 {
                        let stamp = Stamp::from_u64(upto).unwrap();
                        seen.record(Dot::new(NodeId::new(node), stamp));
                    }
                }
                let wrote = writes.then(|| {
                    written[replica] += 1;
                    has[replica][replica] = written[replica];
                    (u32::try_from(replica).unwrap(), written[replica])
                });
                match wrote {
                    Some((node, stamp)) => {
                        let stamp = Stamp::from_u64(stamp).unwrap();
                        let dot = Dot::new(NodeId::new(node), stamp);
                        sessions.write(client, &seen, dot, event(number));
                    }
                    None => sessions.read(client, &seen, event(number)),
                }
                ops.push(Op { client, wrote, had });
            }
            let found: Vec<(u64, u64)> =
                sessions.guarantees.iter().map(|g| (g.against, g.of)).collect();
            assert_eq!(found, by_definition(&ops));
            for (total, guarantee) in broken.iter_mut().zip(&sessions.guarantees) {
                *total += guarantee.against;
                assert_eq!(guarantee.first.is_some(), guarantee.against > 0);
            }
        }
        assert!(broken.iter().all(|&count| count > 1_000), "each was broken often: {broken:?}");
    }

    #[test]
    fn the_witness_is_the_first_that_is_missing() {
        let dot = |stamp| Dot::new(NodeId::new(7), Stamp::from_u64(stamp).unwrap());
        let (nothing, mut sessions) = (VectorClock::new(), Sessions::default());
        sessions.write(1, &nothing, dot(5), event(10));
        sessions.read(2, &nothing, event(11)); // somebody else
        sessions.read(1, &nothing, event(12));
        sessions.read(1, &nothing, event(13));
        let own = &sessions.guarantees[0];
        assert_eq!((own.against, own.of), (2, 2));
        let case = own.first.unwrap();
        assert_eq!((case.first.event.number, case.second.event.number), (10, 12));
    }
}
