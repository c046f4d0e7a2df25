//! Golden values: what the Go library `fogfish/guid` v2 made, line by line.
//!
//! Two thousand lines, thirteen kinds, every one checked and counted. Where the library is right
//! we equal it bit for bit; where it is wrong the line says what it does, and the check asserts
//! what *we* do instead.
//!
//! Numbers are hexadecimal without a prefix, signed ones decimal in a string, `hi` and `lo` the
//! two words the library keeps an ID in (`hi` is zero for a local).

mod line;
mod value;
mod codec;
mod parse;
mod order;
mod time;
mod node;
mod run;

use std::collections::BTreeMap;

use line::{KINDS, LINES, lines};

#[test]
fn every_line_has_a_kind_that_is_checked() {
    let mut found = BTreeMap::new();
    for line in lines() {
        *found.entry(line.text("/kind").to_owned()).or_insert(0) += 1;
    }
    let expected: BTreeMap<_, _> = KINDS.map(|(kind, count)| (kind.to_owned(), count)).into();
    assert_eq!(found, expected);
    assert_eq!(found.values().sum::<usize>(), LINES);
}
