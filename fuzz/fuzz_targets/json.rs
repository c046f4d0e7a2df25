//! The decoder `json`: see `checks.rs`, which the tests on stable share.

#![no_main]

#[path = "../../crates/guid-core/tests/decoders/checks.rs"]
#[expect(dead_code, reason = "a fuzzer brings its own inputs")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    (checks::decoder("json").check)(input);
});
