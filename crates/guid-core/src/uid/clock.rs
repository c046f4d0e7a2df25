//! [`VectorClock`]: what a node has seen of every node, as the original keeps it.
//!
//! # Invariants
//!
//! Sorted by node, and no node twice (the original's join keeps both then). A tick descends from
//! what was there before, whatever the wall clock says (the original's does not when the clock went
//! back or the sequence wrapped, and the event is lost at the next join).

use alloc::{collections::BTreeMap, vec::Vec};
use core::{cmp::Ordering, error::Error, fmt};

use super::{Distance, Moment, Node};
use crate::Seq;

/// The last event seen of one node.
///
/// # Examples
///
/// ```
/// use guid_core::{Seq, uid::{Entry, Moment, Node}};
///
/// let entry = Entry::new(Node::atom("a@host"), Moment::new(1_600, 0, 1_024)?, Seq::new(3)?);
/// assert_eq!(entry.node().name(), Some("a@host"));
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    node: Node,
    event: (Moment, Seq),
}

impl Entry {
    /// Returns the entry of a node, a moment and a sequence.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Entry, Moment, Node}};
    ///
    /// let moment = Moment::new(1_600, 0, 1_024)?;
    /// let entry = Entry::new(Node::atom("a@host"), moment, Seq::new(3)?);
    /// assert_eq!(entry.clone(), entry);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn new(node: Node, moment: Moment, seq: Seq) -> Self {
        Self { node, event: (moment, seq) }
    }

    /// The node.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Entry, Moment, Node}};
    ///
    /// let moment = Moment::new(1_600, 0, 1_024)?;
    /// let entry = Entry::new(Node::atom("a@host"), moment, Seq::new(3)?);
    /// assert_eq!(entry.node(), &Node::atom("a@host"));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn node(&self) -> &Node {
        &self.node
    }

    /// When: the moment.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Entry, Moment, Node}};
    ///
    /// let moment = Moment::new(1_600, 0, 1_024)?;
    /// let entry = Entry::new(Node::atom("a@host"), moment, Seq::new(3)?);
    /// assert_eq!(entry.moment(), moment);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn moment(&self) -> Moment {
        self.event.0
    }

    /// When: the sequence.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Entry, Moment, Node}};
    ///
    /// let moment = Moment::new(1_600, 0, 1_024)?;
    /// let entry = Entry::new(Node::atom("a@host"), moment, Seq::new(3)?);
    /// assert_eq!(entry.seq(), Seq::new(3)?);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub const fn seq(&self) -> Seq {
        self.event.1
    }
}

/// An event that a clock does not cover: made by [`VectorClock::missing`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Missing {
    /// The event.
    pub entry: Entry,
    /// How far it lies after what the clock has of its node; `None` where it has nothing.
    pub after: Option<Distance>,
}

/// A vector clock of Erlang IDs. `partial_cmp` is causality: `None` for concurrent clocks.
///
/// # Examples
///
/// ```
/// use guid_core::{Seq, uid::{Moment, Node, VectorClock}};
///
/// let now = (Moment::new(1_600, 0, 0)?, Seq::new(0)?);
/// let (mut a, mut b) = (VectorClock::new(), VectorClock::new());
/// a.tick(Node::atom("a@host"), now);
/// b.tick(Node::atom("b@host"), now);
/// assert_eq!(a.partial_cmp(&b), None); // concurrent
/// b.join(&a);
/// assert!(a < b && b.descends(&a));
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VectorClock(BTreeMap<Node, (Moment, Seq)>);

impl VectorClock {
    /// Returns the clock that has seen nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::uid::VectorClock;
    ///
    /// assert_eq!(VectorClock::new().entries().count(), 0);
    /// ```
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Returns the clock of these entries.
    ///
    /// # Errors
    ///
    /// A node that occurs twice.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Entry, Moment, Node, VectorClock}};
    ///
    /// let entry = Entry::new(Node::atom("a@host"), Moment::new(1_600, 0, 0)?, Seq::new(0)?);
    /// assert!(VectorClock::try_from_entries([entry.clone()]).is_ok());
    /// assert!(VectorClock::try_from_entries([entry.clone(), entry]).is_err());
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn try_from_entries(entries: impl IntoIterator<Item = Entry>) -> Result<Self, TwiceError> {
        let mut clock = Self::new();
        for Entry { node, event } in entries {
            if clock.0.contains_key(&node) {
                return Err(TwiceError { node });
            }
            clock.0.insert(node, event);
        }
        Ok(clock)
    }

    /// Takes note of an event of `node` at a reading of the clock, and returns it: later than every
    /// event of that node in this clock.
    ///
    /// # Panics
    ///
    /// At the end of time, in some 35,000 years.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Moment, Node, VectorClock}};
    ///
    /// let mut clock = VectorClock::new();
    /// let (node, seq) = (Node::atom("a@host"), Seq::new(16_383)?);
    /// clock.tick(node.clone(), (Moment::new(1_600, 7, 0)?, seq));
    /// let before = clock.clone();
    /// // The wall clock went back, and the sequence is at its end: it carries.
    /// let entry = clock.tick(node, (Moment::new(1_600, 6, 0)?, seq));
    /// assert_eq!((entry.moment(), entry.seq()), (Moment::new(1_600, 7, 1_024)?, Seq::new(0)?));
    /// assert!(clock.descends(&before) && !before.descends(&clock));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn tick(&mut self, node: Node, (moment, seq): (Moment, Seq)) -> Entry {
        let now = (moment.as_kept(), seq);
        let after_last = self.0.get(&node).map(|&last| after(last).expect("time goes on"));
        let event = after_last.map_or(now, |next| next.max(now));
        self.0.insert(node.clone(), event);
        Entry { node, event }
    }

    /// Takes in what another clock has seen: the least upper bound.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Moment, Node, VectorClock}};
    ///
    /// let now = (Moment::new(1_600, 0, 0)?, Seq::new(0)?);
    /// let (mut a, mut b) = (VectorClock::new(), VectorClock::new());
    /// a.tick(Node::atom("a@host"), now);
    /// b.tick(Node::atom("b@host"), now);
    /// b.join(&a);
    /// assert_eq!(b.entries().count(), 2);
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    #[doc(alias = "merge")]
    pub fn join(&mut self, other: &Self) {
        for (node, &theirs) in &other.0 {
            let ours = self.0.entry(node.clone()).or_insert(theirs);
            *ours = (*ours).max(theirs);
        }
    }

    fn covers(&self, node: &Node, event: (Moment, Seq)) -> bool {
        self.0.get(node).is_some_and(|&seen| event <= seen)
    }

    /// Whether this clock has seen everything that `other` has.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Moment, Node, VectorClock}};
    ///
    /// let now = (Moment::new(1_600, 0, 0)?, Seq::new(0)?);
    /// let (mut a, mut b) = (VectorClock::new(), VectorClock::new());
    /// a.tick(Node::atom("a@host"), now);
    /// b.join(&a);
    /// assert!(b.descends(&a) && a.descends(&b));
    /// b.tick(Node::atom("b@host"), now);
    /// assert!(!a.descends(&b));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn descends(&self, other: &Self) -> bool {
        other.0.iter().all(|(node, &event)| self.covers(node, event))
    }

    /// The same, not counting the events of `peer`.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Moment, Node, VectorClock}};
    ///
    /// let now = (Moment::new(1_600, 0, 0)?, Seq::new(0)?);
    /// let (mut a, mut b) = (VectorClock::new(), VectorClock::new());
    /// a.tick(Node::atom("a@host"), now);
    /// b.join(&a);
    /// b.tick(Node::atom("b@host"), now);
    /// assert!(a.descends_except(&b, &Node::atom("b@host")));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn descends_except(&self, other: &Self, peer: &Node) -> bool {
        other.0.iter().all(|(node, &event)| node == peer || self.covers(node, event))
    }

    /// The events that `other` has seen and this clock has not.
    ///
    /// The original's `diff/2` gives a distance in place of the event where it knows the node; here
    /// the event is given always, and the distance beside it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Moment, Node, VectorClock}};
    ///
    /// let mut ours = VectorClock::new();
    /// ours.tick(Node::atom("a@host"), (Moment::new(1_600, 0, 0)?, Seq::new(0)?));
    /// let mut theirs = ours.clone();
    /// theirs.tick(Node::atom("a@host"), (Moment::new(1_600, 2, 0)?, Seq::new(0)?));
    /// let missing = ours.missing(&theirs);
    /// assert_eq!(missing.len(), 1);
    /// assert_eq!(missing[0].after.map(|distance| distance.micros()), Some(2_000_000));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    #[doc(alias = "diff")]
    pub fn missing(&self, other: &Self) -> Vec<Missing> {
        let uncovered = other.0.iter().filter(|&(node, &event)| !self.covers(node, event));
        uncovered
            .map(|(node, &event)| Missing {
                entry: Entry { node: node.clone(), event },
                after: self.0.get(node).map(|&seen| Distance::between(event, seen)),
            })
            .collect()
    }

    /// The entries, in the order of the nodes.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{Seq, uid::{Moment, Node, VectorClock}};
    ///
    /// let now = (Moment::new(1_600, 0, 0)?, Seq::new(0)?);
    /// let (mut a, mut b) = (VectorClock::new(), VectorClock::new());
    /// a.tick(Node::atom("a@host"), now);
    /// b.join(&a);
    /// assert!(a.entries().eq(b.entries()));
    /// # Ok::<(), guid_core::RangeError>(())
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.0.iter().map(|(node, &event)| Entry { node: node.clone(), event })
    }
}

/// The next event that an ID can tell from this one; `None` at the end of time.
fn after((moment, seq): (Moment, Seq)) -> Option<(Moment, Seq)> {
    match Seq::new(seq.as_u16() + 1) {
        Ok(seq) => Some((moment, seq)),
        Err(_) => moment.next_kept().map(|moment| (moment, Seq::default())),
    }
}

impl PartialOrd for VectorClock {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.descends(other), other.descends(self)) {
            (true, true) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Greater),
            (false, true) => Some(Ordering::Less),
            (false, false) => None,
        }
    }
}

/// A node that occurs twice in what should be a vector clock.
///
/// # Examples
///
/// ```
/// use guid_core::{Seq, uid::{Entry, Moment, Node, VectorClock}};
///
/// let entry = Entry::new(Node::atom("a@host"), Moment::new(1_600, 0, 0)?, Seq::new(0)?);
/// let error = VectorClock::try_from_entries([entry.clone(), entry]).unwrap_err();
/// assert_eq!(error.to_string(), "node a@host occurs twice in a vector clock");
/// # Ok::<(), guid_core::RangeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TwiceError {
    node: Node,
}

impl fmt::Display for TwiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} occurs twice in a vector clock", self.node)
    }
}

impl Error for TwiceError {}
