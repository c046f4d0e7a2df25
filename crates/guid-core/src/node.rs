//! [`NodeId`]: who allocates IDs, the fraction ⟨l⟩.
//!
//! A node ID is 32 bits wide, so chance alone makes two of n random ones equal with probability
//! 1 − e^(−n(n−1)/2³³): 1 % at 9,292 nodes, 39.35 % at 65,536, 50 % at 77,164. Below a thousand
//! nodes draw them; above, hand them out.

use core::{fmt, str::FromStr};

use crate::{error::ParseError, sha256::sha256, text::hex};

/// The allocator of an ID.
///
/// # Examples
///
/// ```
/// use guid_core::NodeId;
///
/// const NODE: NodeId = NodeId::from_name("abc@go");
/// assert_eq!(NODE, NodeId::new(0x5305_1caf));
/// assert_eq!(NODE.to_string(), "53051caf");
/// assert_eq!("53051caf".parse(), Ok(NODE));
/// ```
#[doc(alias = "location")]
#[doc(alias = "actor")]
#[doc(alias = "site")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// Returns the node with this number.
    pub const fn new(node: u32) -> Self {
        Self(node)
    }

    /// Returns the node of a name: the first four bytes of its SHA-256, as the Go library does.
    ///
    /// Equal names give equal nodes, and different names collide as random nodes do.
    pub const fn from_name(name: &str) -> Self {
        let [a, b, c, d, ..] = sha256(name.as_bytes());
        Self(u32::from_be_bytes([a, b, c, d]))
    }

    /// Returns the node named by the environment variable `CONFIG_GUID_NODE_ID`.
    ///
    /// # Errors
    ///
    /// The variable is unset, empty, or not Unicode. (The Go library takes the same constant node
    /// everywhere then, silently.)
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::NodeId;
    ///
    /// match NodeId::from_env() {
    ///     Ok(node) => println!("configured as {node}"),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Self, NodeEnvError> {
        match std::env::var(Self::ENV) {
            Ok(name) if name.is_empty() => Err(NodeEnvError::Empty),
            Ok(name) => Ok(Self::from_name(&name)),
            Err(std::env::VarError::NotPresent) => Err(NodeEnvError::Unset),
            Err(std::env::VarError::NotUnicode(_)) => Err(NodeEnvError::NotUnicode),
        }
    }

    /// The environment variable that [`from_env`](Self::from_env) reads.
    #[cfg(feature = "std")]
    pub const ENV: &str = "CONFIG_GUID_NODE_ID";

    /// Returns a node drawn from the operating system's randomness.
    ///
    /// # Errors
    ///
    /// The operating system has no randomness to give (early boot, or a broken sandbox).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::NodeId;
    ///
    /// let node = NodeId::random()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "rand")]
    pub fn random() -> std::io::Result<Self> {
        use rand::TryRng;
        rand::rngs::SysRng.try_next_u32().map(Self).map_err(std::io::Error::other)
    }

    /// The number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}

/// Eight hexadecimal digits.
impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(hex::encode::<4, 8>(self.0.to_be_bytes()).as_str())
    }
}

/// Reads eight hexadecimal digits, in either case.
impl FromStr for NodeId {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Ok(Self(u32::from_be_bytes(hex::decode(text, "8 hexadecimal digits")?)))
    }
}

/// Why [`NodeId::from_env`] has no node to give.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeEnvError {
    /// The variable is set to nothing.
    Empty,
    /// The variable holds bytes that are not Unicode.
    NotUnicode,
    /// The variable is not set.
    Unset,
}

#[cfg(feature = "std")]
impl fmt::Display for NodeEnvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Empty => "is empty",
            Self::NotUnicode => "is not Unicode",
            Self::Unset => "is not set",
        };
        write!(f, "{} {what}: expected the name of this node", NodeId::ENV)
    }
}

#[cfg(feature = "std")]
impl core::error::Error for NodeEnvError {}
