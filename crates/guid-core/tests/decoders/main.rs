//! Every decoder under inputs that nobody chose: random bytes, and texts with a few of them
//! changed.
//!
//! What must hold is in [`checks`], shared with the fuzzer in `fuzz/`. Here the same functions run
//! on a fixed seed and a fixed number of inputs, so a failure comes back by running the test again.
//! A hundred million of them, in a minute:
//!
//! ```sh
//! GUID_INPUTS=6250000 cargo test -p guid-core --release --features serde,uid --test decoders
//! ```

mod checks;
mod inputs;

use checks::{DECODERS, decoder};
use inputs::Inputs;

/// For each decoder, unless `GUID_INPUTS` says how many. Together they take some seconds, and catch
/// a decoder that slices or overflows anywhere; the fuzzer goes on where this stops.
const INPUTS: usize = 200_000;

fn count() -> usize {
    let given = std::env::var("GUID_INPUTS").ok();
    given.map_or(INPUTS, |count| count.parse().expect("GUID_INPUTS is a number"))
}

/// Runs one decoder; it must have read some of the inputs and refused some, or it was not tested.
#[track_caller]
fn run(name: &str) {
    let decoder = decoder(name);
    let mut inputs = Inputs::new(name, decoder.text);
    let count = count();
    let read = (0..count).filter(|_| (decoder.check)(inputs.next())).count();
    let some = count / 200; // one in two hundred at least, either way
    assert!(some < read && read < count - some, "{name}: {read} of {count} inputs were read");
    println!("{name}: {read} of {count} inputs were read");
}

macro_rules! decoders {
    ($($test:ident: $name:literal,)+) => {
        $(#[test]
        fn $test() {
            run($name);
        })+

        #[test]
        fn every_decoder_is_run() {
            let run = [$($name),+];
            assert_eq!(DECODERS.map(|decoder| decoder.name), run);
        }
    };
}

decoders! {
    lex: "lex",
    lex_local: "lex-local",
    base32: "base32",
    base32_local: "base32-local",
    base62: "base62",
    base62_local: "base62-local",
    base62_padded: "base62-padded",
    base62_padded_local: "base62-padded-local",
    hex: "hex",
    hex_local: "hex-local",
    uuid: "uuid",
    starred: "starred",
    json: "json",
    json_local: "json-local",
    uid: "uid",
    uid_local: "uid-local",
}
