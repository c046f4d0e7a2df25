//! The states that were met: a hash each, and how each was reached first.
//!
//! # Invariants
//!
//! * Entries are numbered in the order they came; a parent has a smaller number than its child.
//! * At most half of the places are taken, so probing ends.

/// How a state was reached first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The number of the state before.
    pub(super) parent: u32,
    /// Which of the actions there led here.
    pub(super) action: u32,
}

/// A set of hashes with open addressing: the keys are hashes already, and it is never iterated.
#[derive(Debug)]
pub(super) struct Seen {
    /// The number of a state plus one, by the low bits of its hash; zero where there is none.
    places: Vec<u32>,
    hashes: Vec<u128>,
    origins: Vec<Origin>,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self { places: vec![0; 1 << 10], hashes: Vec::new(), origins: Vec::new() }
    }

    pub(super) fn has(&self, hash: u128) -> bool {
        self.places[self.place(hash)] != 0
    }

    /// Takes a state in; its number if it is new.
    pub(super) fn insert(&mut self, hash: u128, origin: Origin) -> Option<u32> {
        if self.hashes.len() * 2 >= self.places.len() {
            self.grow();
        }
        let place = self.place(hash);
        if self.places[place] != 0 {
            return None;
        }
        let number = self.hashes.len() as u32;
        self.places[place] = number + 1;
        self.hashes.push(hash);
        self.origins.push(origin);
        Some(number)
    }

    /// Where a hash stands, or would.
    fn place(&self, hash: u128) -> usize {
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.places[place] {
                0 => return place,
                number if self.hashes[number as usize - 1] == hash => return place,
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.places = vec![0; self.places.len() * 2];
        for number in 0..self.hashes.len() {
            let place = self.place(self.hashes[number]);
            self.places[place] = number as u32 + 1;
        }
    }

    /// Which action was taken at each step of the way to a state.
    pub(super) fn way_to(&self, mut number: u32) -> Vec<usize> {
        let mut way = Vec::new();
        while number != 0 {
            let Origin { parent, action } = self.origins[number as usize];
            way.push(action as usize);
            number = parent;
        }
        way.reverse();
        way
    }
}

/// A hash of 128 bits: two lanes, each of which mixes every word in full, so that what is alike in
/// both after any two words that differ is chance. For telling states apart, not against anybody.
///
/// The rolling hash of traces is quicker, and weaker where few bits differ: a state that is taken
/// for another is never looked at, so here each word is mixed until every bit depends on every bit.
///
/// # References
///
/// The mixers: Stafford, variant 13, as in `SplitMix64`; Appleby, `MurmurHash3`, 64 bits.
pub(super) fn digest(bytes: &[u8]) -> u128 {
    let (mut a, mut b) = (bytes.len() as u64, !(bytes.len() as u64));
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        a = stafford(a ^ word);
        b = appleby(b ^ word.wrapping_mul(0xd134_2543_de82_ef95));
    }
    u128::from(a) << 64 | u128::from(b)
}

const fn stafford(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

const fn appleby(mut z: u64) -> u64 {
    z = z.wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ z >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    z = (z ^ z >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    z ^ z >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_new_once_and_the_way_to_it_is_kept() {
        let mut seen = Seen::new();
        let root = Origin { parent: 0, action: 0 };
        assert_eq!(seen.insert(7, root), Some(0));
        for n in 1..5_000_u32 {
            // All in one place at first, so that probing and growing are at work.
            let hash = u128::from(n) << 64 | 7;
            assert_eq!(seen.insert(hash, Origin { parent: n - 1, action: n % 5 }), Some(n));
            assert_eq!(seen.insert(hash, root), None);
        }
        assert_eq!((seen.has(7), seen.has(8), seen.insert(7, root)), (true, false, None));
        assert_eq!(seen.way_to(6), [1, 2, 3, 4, 0, 1]);
    }

    /// Structured inputs, on which weak hashes collide: few bits set, in either of two words.
    #[test]
    fn near_words_hash_apart_in_both_lanes() {
        let mut halves: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
        let words = || (0..64).flat_map(|i| (0..=i).map(move |j| 1_u64 << i | 1 << j));
        for first in words().step_by(7) {
            for second in words().step_by(5) {
                let hash = digest(&[first.to_le_bytes(), second.to_le_bytes()].concat());
                halves[0].push((hash >> 64) as u64);
                halves[1].push(hash as u64);
            }
        }
        for mut half in halves {
            let all = half.len();
            half.sort_unstable();
            half.dedup();
            assert_eq!(half.len(), all); // 2¹⁷ of 2⁶⁴: by chance once in 2³⁰
        }
    }

    #[test]
    fn length_and_every_byte_matter() {
        let inputs: [&[u8]; 6] =
            [&[], &[0], &[0, 0], &[0; 8], &[0; 9], &[0, 0, 0, 0, 0, 0, 0, 0, 1]];
        let mut hashes = inputs.map(digest).to_vec();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), inputs.len());
    }
}
