//! [`AwLwwMap`]: a put survives removes that have not seen it; of several the latest stands.
//!
//! **Meaning:** of the puts of a key that no visible put or remove of the key (and no clear) has
//! seen, the one with the greatest dot is its value.
//!
//! Clocks decide between concurrent puts and nothing else: a wrong clock cannot make a remove win,
//! and a removed key leaves nothing behind.
//!
//! **Growth:** an entry for each key that is there, and each concurrent put of it. **Complexity:**
//! logarithmic in the keys.
//!
//! # References
//!
//! Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, section 7.4: the register
//! of concurrent values, one a key, read by the last of them.

use core::borrow::Borrow;

use crate::{Causal, Delta, Dot, DotFun, DotMap, DotStore, MutateError, nested::causal_type};

/// The store of an [`AwLwwMap`]: for each key its puts.
type Puts<K, V> = DotMap<K, DotFun<V>>;

/// A map in which a concurrent put wins over a remove, and the later put over the earlier.
///
/// # Examples
///
/// ```
/// use guid_core::{NodeId, Stamp};
/// use guid_crdt::{AwLwwMap, Dot, Lattice};
///
/// let dot = |node, stamp| Stamp::from_u64(stamp).map(|stamp| Dot::new(NodeId::new(node), stamp));
/// let mut a = AwLwwMap::new();
/// a.put(dot(1, 10)?, "colour", "red")?;
/// let mut b = a.clone();
/// b.put(dot(2, 20)?, "colour", "blue")?;
/// a.remove(dot(1, 30)?, "colour")?; // later, and has not seen blue
/// assert_eq!(a.joined(&b).get("colour"), Some(&"blue"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwLwwMap<K: Ord + Clone, V: Ord + Clone>(pub(crate) Causal<Puts<K, V>>);

causal_type!([K: Ord + Clone, V: Ord + Clone] AwLwwMap<K, V>: DotMap<K, DotFun<V>>, b"awlm");

impl<K: Ord + Clone, V: Ord + Clone> AwLwwMap<K, V> {
    /// Writes a value in place of those seen here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{AwLwwMap, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = AwLwwMap::new();
    /// map.put(dot(1), "k", 1)?;
    /// map.put(dot(2), "k", 2)?;
    /// assert_eq!(map.get("k"), Some(&2));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    #[doc(alias = "insert")]
    pub fn put(&mut self, dot: Dot, key: K, value: V) -> Result<Delta<Puts<K, V>>, MutateError> {
        let seen = self.0.store().get(&key).map(|puts| (key.clone(), puts.paths()));
        let added = DotMap::from_iter([(key, DotFun::one(dot, value))]);
        self.0.mutate(dot, added, seen.into_iter().collect())
    }

    /// Removes a key, as far as its puts were seen here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{AwLwwMap, Dot, Lattice};
    /// # let dot = |node, n| Dot::new(NodeId::new(node), Stamp::from_u64(n).unwrap_or_default());
    /// let mut a = AwLwwMap::new();
    /// a.put(dot(1, 1), "k", 1)?;
    /// let mut b = a.clone();
    /// a.remove(dot(1, 9), "k")?; // later, but it has not seen
    /// b.put(dot(2, 2), "k", 2)?; // this put, which stays
    /// assert_eq!(a.joined(&b).get("k"), Some(&2));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn remove<Q>(&mut self, dot: Dot, key: &Q) -> Result<Delta<Puts<K, V>>, MutateError>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let seen = self.0.store().get_key_value(key);
        let seen = seen.map(|(key, puts)| (key.clone(), puts.paths()));
        self.0.mutate(dot, DotMap::new(), seen.into_iter().collect())
    }

    /// Removes every key, as far as its puts were seen here, and returns the delta.
    ///
    /// # Errors
    ///
    /// The dot is not after what is known of its node; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{AwLwwMap, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = AwLwwMap::new();
    /// map.put(dot(1), "k", 1)?;
    /// map.clear(dot(2))?;
    /// assert!(map.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn clear(&mut self, dot: Dot) -> Result<Delta<Puts<K, V>>, MutateError> {
        let all = self.0.store().paths();
        self.0.mutate(dot, DotMap::new(), all)
    }

    /// The value of a key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{AwLwwMap, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = AwLwwMap::new();
    /// map.put(dot(1), "k", 1)?;
    /// assert_eq!((map.get("k"), map.get("other")), (Some(&1), None));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        last(self.0.store().get(key)?)
    }

    /// The keys and their values, in the order of the keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{AwLwwMap, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = AwLwwMap::new();
    /// map.put(dot(1), "b", 1)?;
    /// map.put(dot(2), "a", 2)?;
    /// assert!(map.iter().eq([(&"a", &2), (&"b", &1)]));
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.store().iter().filter_map(|(key, puts)| Some((key, last(puts)?)))
    }

    /// How many keys there are.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{AwLwwMap, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = AwLwwMap::new();
    /// map.put(dot(1), "b", 1)?;
    /// map.put(dot(2), "a", 2)?;
    /// assert_eq!(map.len(), 2);
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.0.store().len()
    }

    /// Whether there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use guid_core::{NodeId, Stamp};
    /// # use guid_crdt::{AwLwwMap, Dot};
    /// # let dot = |n| Dot::new(NodeId::new(1), Stamp::from_u64(n).unwrap_or_default());
    /// let mut map = AwLwwMap::new();
    /// assert!(map.is_empty());
    /// map.put(dot(1), "k", 1)?;
    /// assert!(!map.is_empty());
    /// # Ok::<(), guid_crdt::MutateError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.store().is_empty()
    }
}

/// The value of the latest put.
fn last<V>(puts: &DotFun<V>) -> Option<&V> {
    puts.iter().next_back().map(|(_, value)| value)
}
