//! [`Scalar`]: a value that is written as a whole.

/// What a register of a document holds, and a set has as element.
///
/// No floating point: a set needs an order, and copies need equal bytes.
///
/// # Examples
///
/// ```
/// use guid_crdt::Scalar;
///
/// assert_eq!(Scalar::from("ann").as_text(), Some("ann"));
/// assert!(Scalar::from(false) < Scalar::from(7));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Scalar {
    /// Nothing, written on purpose.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Scalar {
    /// The text, if it is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Scalar;
    ///
    /// assert_eq!(Scalar::from("tea").as_text(), Some("tea"));
    /// assert_eq!(Scalar::from(7).as_text(), None);
    /// ```
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_crdt::Scalar;
    ///
    /// assert_eq!(Scalar::from(7).as_int(), Some(7));
    /// ```
    pub const fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Scalar {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Scalar {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Scalar {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<u8>> for Scalar {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}
