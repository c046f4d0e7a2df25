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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::NodeId;
    ///
    /// assert_eq!(NodeId::new(0x0200_0000).to_string(), "02000000");
    /// ```
    pub const fn new(node: u32) -> Self {
        Self(node)
    }

    /// Returns the node of a name: the first four bytes of its SHA-256, as the Go library does.
    ///
    /// Equal names give equal nodes, and different names collide as random nodes do.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::NodeId;
    ///
    /// assert_eq!(NodeId::from_name("abc@go"), NodeId::new(0x5305_1caf));
    /// ```
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
        Self::from_var(std::env::var(Self::ENV))
    }

    /// The decision of [`from_env`](Self::from_env), apart from the environment it reads.
    #[cfg(feature = "std")]
    fn from_var(variable: Result<String, std::env::VarError>) -> Result<Self, NodeEnvError> {
        match variable {
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
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::NodeId;
    ///
    /// assert_eq!(NodeId::new(7).as_u32(), 7);
    /// ```
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
///
/// # Examples
///
/// ```
/// use guid_core::NodeEnvError;
///
/// assert_eq!(
///     NodeEnvError::Unset.to_string(),
///     "CONFIG_GUID_NODE_ID is not set: expected the name of this node",
/// );
/// ```
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

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::{env::VarError, ffi::OsString};

    #[test]
    fn a_variable_that_is_set_names_the_node() {
        assert_eq!(NodeId::from_var(Ok("abc@go".into())), Ok(NodeId::new(0x5305_1caf)));
    }

    /// The Go library takes e3b0c442, the hash of nothing, on every machine then.
    #[test]
    fn unset_and_empty_are_errors() {
        let unset = NodeId::from_var(Err(VarError::NotPresent)).unwrap_err();
        assert_eq!(unset, NodeEnvError::Unset);
        assert_eq!(
            unset.to_string(),
            "CONFIG_GUID_NODE_ID is not set: expected the name of this node",
        );
        assert_eq!(NodeId::from_var(Ok(String::new())), Err(NodeEnvError::Empty));
        let odd = VarError::NotUnicode(OsString::new());
        assert_eq!(NodeId::from_var(Err(odd)), Err(NodeEnvError::NotUnicode));
    }
}
