//! SHA-256 of a short name, at compile time if need be.
//!
//! Here because this crate has no dependency by default and the Go library names its nodes by it;
//! used for nothing that an adversary could gain from.
//!
//! # References
//!
//! FIPS 180-4, sections 5.1.1 (padding), 5.3.3 (initial value) and 6.2 (the computation).

/// The round constants: 32 bits behind the point of the cube roots of the first 64 primes.
const K: [u32; 64] = fractions_of_roots::<64, 3>();

/// The initial value: 32 bits behind the point of the square roots of the first 8 primes.
const INITIAL: [u32; 8] = fractions_of_roots::<8, 2>();

/// The first 32 bits behind the point of the `POWER`-th roots of the first `N` primes, computed
/// rather than copied: nothing up our sleeves, and no table to mistype.
const fn fractions_of_roots<const N: usize, const POWER: u32>() -> [u32; N] {
    let mut fractions = [0; N];
    let (mut found, mut candidate) = (0, 2_u32);
    while found < N {
        if is_prime(candidate) {
            fractions[found] = root((candidate as u128) << (32 * POWER), POWER) as u32;
            found += 1;
        }
        candidate += 1;
    }
    fractions
}

const fn is_prime(n: u32) -> bool {
    let mut divisor = 2;
    while divisor * divisor <= n {
        if n.is_multiple_of(divisor) {
            return false;
        }
        divisor += 1;
    }
    true
}

/// The greatest integer whose `power` is at most `n`, bit by bit; the root fits 40 bits here.
const fn root(n: u128, power: u32) -> u64 {
    let mut root = 0_u64;
    let mut bit = 40;
    while bit > 0 {
        bit -= 1;
        let candidate = root | 1 << bit;
        if (candidate as u128).pow(power) <= n {
            root = candidate;
        }
    }
    root
}

const BLOCK: usize = 64;

pub(crate) const fn sha256(message: &[u8]) -> [u8; 32] {
    // One 0x80 byte and eight of length follow the message, then it is filled up to whole blocks.
    let blocks = (message.len() + 9).div_ceil(BLOCK);
    let mut state = INITIAL;
    let mut i = 0;
    while i < blocks {
        state = compress(state, &schedule(message, i * BLOCK, blocks * BLOCK));
        i += 1;
    }
    let mut digest = [0; 32];
    let mut i = 0;
    while i < 32 {
        digest[i] = state[i / 4].to_be_bytes()[i % 4];
        i += 1;
    }
    digest
}

/// The byte at `i` of the padded message of `total` bytes.
const fn padded(message: &[u8], i: usize, total: usize) -> u8 {
    if i < message.len() {
        message[i]
    } else if i == message.len() {
        0x80
    } else if i + 8 >= total {
        (message.len() as u64 * 8).to_be_bytes()[i + 8 - total]
    } else {
        0
    }
}

const fn schedule(message: &[u8], start: usize, total: usize) -> [u32; 64] {
    let mut w = [0_u32; 64];
    let mut i = 0;
    while i < BLOCK {
        w[i / 4] = w[i / 4] << 8 | padded(message, start + i, total) as u32;
        i += 1;
    }
    let mut t = 16;
    while t < 64 {
        let (a, b) = (w[t - 15], w[t - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        t += 1;
    }
    w
}

const fn compress(state: [u32; 8], w: &[u32; 64]) -> [u32; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    let mut t = 0;
    while t < 64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choose = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choose).wrapping_add(K[t]).wrapping_add(w[t]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(s0).wrapping_add(majority));
        t += 1;
    }
    let rounds = [a, b, c, d, e, f, g, h];
    let mut sum = state;
    let mut i = 0;
    while i < 8 {
        sum[i] = sum[i].wrapping_add(rounds[i]);
        i += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::sha256;

    fn head(digest: [u8; 32]) -> u64 {
        u64::from_be_bytes(digest[..8].try_into().unwrap())
    }

    /// The examples of FIPS 180-4, and the lengths at which the padding takes another block.
    #[test]
    fn known_digests() {
        assert_eq!(head(sha256(b"")), 0xe3b0_c442_98fc_1c14);
        assert_eq!(head(sha256(b"abc")), 0xba78_16bf_8f01_cfea);
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(head(sha256(two_blocks)), 0x248d_6a61_d206_38b8);
        assert_eq!(head(sha256(&[b'a'; 55])), 0x9f43_90f8_d30c_2dd9);
        assert_eq!(head(sha256(&[b'a'; 56])), 0xb354_39a4_ac6f_0948);
        assert_eq!(head(sha256(&[b'a'; 64])), 0xffe0_54fe_7ae0_cb6d);
        assert_eq!(head(sha256(&[b'a'; 1_000])), 0x41ed_ece4_2d63_e8d9);
    }
}
