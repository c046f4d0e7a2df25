//! Inputs from a seed: the text of a random ID as it is, changed a little, or bytes of any kind.

/// A stream of inputs.
pub(crate) struct Inputs {
    state: u64,
    text: fn([u8; 12]) -> String,
    input: Vec<u8>,
}

/// Bytes that are digits somewhere, nearly so, or part of a longer character.
const BYTES: &[u8] = b".09AEFGIJLOUVZ_aefgilouz*-+/\" \0\x7f`[{\xc3\xa9\xf0\x9f\x98\x80\xff";

impl Inputs {
    /// The stream of a decoder: its name is the seed.
    pub(crate) fn new(name: &str, text: fn([u8; 12]) -> String) -> Self {
        let state = name.bytes().fold(0, |state: u64, byte| state.rotate_left(7) ^ u64::from(byte));
        Self { state, text, input: Vec::new() }
    }

    /// `SplitMix64`.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `end`; the bias of a remainder does no harm here.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.random() % (end as u64)).expect("below a length")
    }

    fn byte(&mut self) -> u8 {
        if self.below(4) == 0 {
            self.random().to_le_bytes()[0]
        } else {
            BYTES[self.below(BYTES.len())]
        }
    }

    /// The next input.
    pub(crate) fn next(&mut self) -> &[u8] {
        if self.below(8) == 0 {
            let length = self.below(42);
            self.input = (0..length).map(|_| self.byte()).collect();
        } else {
            self.input = (self.text)(self.id()).into_bytes();
            for _ in 0..self.below(4) {
                self.change();
            }
        }
        &self.input
    }

    /// The bytes of an ID; its first ones are often 0 or ff, where numbers begin and end.
    fn id(&mut self) -> [u8; 12] {
        let [a, b] = [self.random().to_le_bytes(), self.random().to_le_bytes()];
        let mut id = [a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2], b[3]];
        let (length, fill) = (self.below(24), [0, 0xff][self.below(2)]);
        if length <= id.len() {
            id[..length].fill(fill);
        }
        id
    }

    /// Replaces, puts in, takes out or swaps.
    fn change(&mut self) {
        if self.input.is_empty() {
            return;
        }
        let (at, byte) = (self.below(self.input.len()), self.byte());
        match self.below(6) {
            0 => self.input.insert(at, byte),
            1 => {
                self.input.remove(at);
            }
            2 => self.input.swap(0, at),
            3 => self.input[at] ^= 0x20,
            _ => self.input[at] = byte,
        }
    }
}
