//! The bytes of a high-water file.
//!
//! # The picture
//!
//! ```text
//! slot  = │ "guid-hw1" │ node: 4 │ zero: 4 │ bound: 8 │ check: 8 │      32 bytes, big-endian
//! image = │ slot A │ zero up to 4096 │ slot B │ zero up to 8192 │
//! ```
//!
//! Both slots say the same. A store writes A, syncs, writes B, syncs. The slots lie 4 KiB apart, so
//! that no write of one tears the other on a disk that writes by sectors or pages.
//!
//! # Invariants
//!
//! * Whatever a crash cuts off, the image has a whole slot, and the greatest bound of its whole
//!   slots is at least the last one whose store returned: A is written while B is whole and old, B
//!   while A is whole and new.
//! * So a damaged slot is no loss: while both are whole they agree, and where they do not, no ID
//!   beyond the older bound was made. An image without a whole slot is refused.

use super::HighWaterError;
use crate::{NodeId, Stamp, sha256::sha256};

pub(super) const LEN: usize = 8192;
pub(super) const SLOTS_AT: [usize; 2] = [0, 4096];
pub(super) const SLOT_LEN: usize = 32;
const MAGIC: &[u8; 8] = b"guid-hw1";
const CHECKED: usize = 24;

/// The bytes of a slot.
pub(super) fn slot(node: NodeId, bound: Stamp) -> [u8; SLOT_LEN] {
    let mut slot = [0; SLOT_LEN];
    slot[..8].copy_from_slice(MAGIC);
    slot[8..12].copy_from_slice(&node.as_u32().to_be_bytes());
    slot[16..24].copy_from_slice(&bound.as_u64().to_be_bytes());
    let check = check(&slot);
    slot[CHECKED..].copy_from_slice(&check);
    slot
}

/// The image of a new file.
pub(super) fn image(node: NodeId, bound: Stamp) -> Vec<u8> {
    let mut image = vec![0; LEN];
    for at in SLOTS_AT {
        image[at..at + SLOT_LEN].copy_from_slice(&slot(node, bound));
    }
    image
}

/// The bound that an image holds for a node.
pub(super) fn read(image: &[u8], node: NodeId) -> Result<Stamp, HighWaterError> {
    if image.len() != LEN {
        return Err(HighWaterError::Corrupt { why: "its length is not 8192 bytes" });
    }
    let slots = SLOTS_AT.into_iter().filter_map(|at| read_slot(&image[at..at + SLOT_LEN]));
    let newest = slots.max_by_key(|(_, bound)| *bound);
    let (found, bound) = newest.ok_or(HighWaterError::Corrupt { why: "no slot is whole" })?;
    if found == node { Ok(bound) } else { Err(HighWaterError::Foreign { found, expected: node }) }
}

/// Node and bound of a slot, if it is whole.
fn read_slot(slot: &[u8]) -> Option<(NodeId, Stamp)> {
    let slot: &[u8; SLOT_LEN] = slot.try_into().ok()?;
    let [_, _, _, _, _, _, _, _, a, b, c, d, _, _, _, _, bound @ .., _, _, _, _, _, _, _, _] = slot;
    let whole = slot[..8] == *MAGIC && slot[CHECKED..] == check(slot);
    let bound = Stamp::from_u64(u64::from_be_bytes(*bound)).ok()?;
    whole.then_some((NodeId::new(u32::from_be_bytes([*a, *b, *c, *d])), bound))
}

/// The first bytes of the SHA-256 of what comes before the check.
fn check(slot: &[u8; SLOT_LEN]) -> [u8; SLOT_LEN - CHECKED] {
    let [a, b, c, d, e, f, g, h, ..] = sha256(&slot[..CHECKED]);
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeId = NodeId::new(0x0200_0000);

    fn stamp(number: u64) -> Stamp {
        Stamp::from_u64(number).unwrap()
    }

    #[test]
    fn an_image_reads_back() {
        for bound in [Stamp::MIN, stamp(0x0102_0304_0506_0708), Stamp::MAX] {
            assert_eq!(read(&image(NODE, bound), NODE), Ok(bound));
        }
    }

    /// The bytes are a promise to files of earlier versions.
    #[test]
    fn the_bytes_are_frozen() {
        let slot = slot(NODE, stamp(0x0102_0304_0506_0708));
        assert_eq!(slot[..8], *b"guid-hw1");
        assert_eq!(slot[8..24], [2, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(slot[24..], FROZEN_CHECK);
    }

    /// By another implementation of SHA-256.
    const FROZEN_CHECK: [u8; 8] = [0x39, 0x83, 0x00, 0x57, 0x49, 0xd5, 0x4d, 0x1d];

    /// Every state that a crash in a store can leave: slot A cut at every byte while B is old, or
    /// B cut at every byte while A is new. Garbage may stand where a write was cut, too.
    #[test]
    fn a_store_cut_at_any_byte_leaves_the_old_bound_or_the_new() {
        let (old, new) = (stamp(1_000), stamp(2_000));
        let written = slot(NODE, new);
        let mut image = image(NODE, old);
        for at in SLOTS_AT {
            let before = image.clone();
            for cut in 0..=SLOT_LEN {
                for garbage in [None, Some(0), Some(0xa5)] {
                    let mut torn = before.clone();
                    torn[at..at + cut].copy_from_slice(&written[..cut]);
                    if let (Some(byte), true) = (garbage, cut < SLOT_LEN) {
                        torn[at + cut] = byte;
                    }
                    let bound = read(&torn, NODE).unwrap();
                    assert!(bound == old || bound == new, "{bound:?} cut at {at} + {cut}");
                    // Once A is whole and new, it is never forgotten.
                    assert!(at == SLOTS_AT[0] || bound == new);
                }
            }
            image[at..at + SLOT_LEN].copy_from_slice(&written);
        }
        assert_eq!(read(&image, NODE), Ok(new));
    }

    /// One slot may rot: the other says the same. Two may not.
    #[test]
    fn a_damaged_slot_is_no_loss_and_two_are_refused() {
        let sound = image(NODE, stamp(1_000));
        for byte in 0..SLOT_LEN {
            for bit in 0..8 {
                let mut one = sound.clone();
                one[byte] ^= 1 << bit;
                assert_eq!(read(&one, NODE), Ok(stamp(1_000)));
                one[4096 + byte] ^= 1 << bit;
                assert!(matches!(read(&one, NODE), Err(HighWaterError::Corrupt { .. })));
            }
        }
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let sound = image(NODE, stamp(1_000));
        let other = NodeId::new(1);
        let foreign = HighWaterError::Foreign { found: NODE, expected: other };
        assert_eq!(read(&sound, other), Err(foreign));
        for len in [0, 1, 32, 4096, LEN - 1] {
            assert!(matches!(read(&sound[..len], NODE), Err(HighWaterError::Corrupt { .. })));
        }
        assert!(matches!(read(&[0; LEN], NODE), Err(HighWaterError::Corrupt { .. })));
    }
}
