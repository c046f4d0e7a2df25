//! Splitting an ID into cells of n bits, and folding it back.
//!
//! Exact: widths that do not divide the ID are refused, where the Go library loses the low bits.

use core::iter::FusedIterator;

use crate::{Guid, LocalId, layout};

/// The cells of an ID, the highest bits first: made by [`Guid::split`] and [`LocalId::split`].
///
/// # Examples
///
/// ```
/// use guid_core::Guid;
///
/// let mut cells = Guid::MAX.split(8).unwrap();
/// assert_eq!(cells.len(), 12);
/// assert_eq!(cells.next(), Some(0xff));
/// ```
#[derive(Clone, Debug)]
pub struct Cells {
    bits: u128,
    width: u32,
    /// How many bits are still to come.
    left: u32,
}

impl Iterator for Cells {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.left = self.left.checked_sub(self.width)?;
        Some(layout::cell(self.bits, self.left, self.width))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let cells = (self.left / self.width) as usize;
        (cells, Some(cells))
    }
}

impl ExactSizeIterator for Cells {}
impl FusedIterator for Cells {}

const fn cells(bits: u128, size: u32, width: u32) -> Option<Cells> {
    if width == 0 || width > 8 || !size.is_multiple_of(width) {
        return None;
    }
    Some(Cells { bits, width, left: size })
}

fn fold(cells: &[u8], size: u32, width: u32) -> Option<u128> {
    let fits = (1..=8).contains(&width) && size.is_multiple_of(width);
    if !fits || cells.len() != (size / width) as usize {
        return None;
    }
    cells.iter().try_fold(0, |bits, &cell| {
        (u32::from(cell) < 1 << width).then_some(bits << width | u128::from(cell))
    })
}

impl Guid {
    /// Returns the 96 bits in cells of `width` bits, the highest first.
    ///
    /// `None` unless the width is 1, 2, 3, 4, 6 or 8: those divide 96 and fit a byte.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// let id: Guid = "Njj070....H7o_zz".parse()?;
    /// let cells: Vec<u8> = id.split(6).unwrap().collect();
    /// assert_eq!(cells.len(), 16);
    /// assert_eq!(Guid::fold(&cells, 6), Some(id));
    /// assert!(id.split(5).is_none());
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub const fn split(self, width: u32) -> Option<Cells> {
        cells(self.bits(), 96, width)
    }

    /// Returns the ID with these cells, if there are exactly as many as the width asks for and
    /// each fits it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::Guid;
    ///
    /// assert_eq!(Guid::fold(&[0xff; 12], 8), Some(Guid::MAX));
    /// assert_eq!(Guid::fold(&[0xff; 11], 8), None); // a cell is missing
    /// assert_eq!(Guid::fold(&[0xff; 16], 6), None); // no cell of 6 bits
    /// ```
    pub fn fold(cells: &[u8], width: u32) -> Option<Self> {
        fold(cells, 96, width).map(Self::from_bits)
    }
}

impl LocalId {
    /// Returns the 64 bits in cells of `width` bits, the highest first.
    ///
    /// `None` unless the width is 1, 2, 4 or 8: those divide 64 and fit a byte.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// let id: LocalId = "51EAB01377C14EEE".parse()?;
    /// let cells: Vec<u8> = id.split(4).unwrap().collect();
    /// assert_eq!(LocalId::fold(&cells, 4), Some(id));
    /// assert!(id.split(6).is_none());
    /// # Ok::<(), guid_core::ParseError>(())
    /// ```
    pub const fn split(self, width: u32) -> Option<Cells> {
        cells(self.as_u64() as u128, 64, width)
    }

    /// Returns the ID with these cells, if there are exactly as many as the width asks for and
    /// each fits it.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::LocalId;
    ///
    /// assert_eq!(LocalId::fold(&[0xff; 8], 8), Some(LocalId::MAX));
    /// ```
    pub fn fold(cells: &[u8], width: u32) -> Option<Self> {
        u64::try_from(fold(cells, 64, width)?).ok().map(Self::from_u64)
    }
}
