//! Kind `run`: upstream's allocator over clock readings, and ours over the same.

use std::{cell::Cell, collections::BTreeSet};

use guid_core::{Guid, LocalGenerator, Seq, Stamp, Tick};

use crate::line::{Line, check_all, lines, unhex};

#[test]
fn ours_stays_strict_where_upstream_goes_back() {
    check_all("run", |line| {
        let theirs = upstream(line);
        let ours = ours(line);
        assert_eq!(ours.len(), theirs.len());
        assert!(ours.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(ours.iter().collect::<BTreeSet<_>>().len(), ours.len());
        // Where upstream is in order, over a start we can take over, ours are the same IDs.
        let in_order = line.list("/not_after").is_empty();
        if in_order && line.int("/first_seq") > 0 {
            assert_eq!(ours, theirs);
        }
    });
}

fn readings(line: &Line) -> Vec<u64> {
    line.texts("/t").map(|t| u64::from_str_radix(t, 16).expect("hexadecimal digits")).collect()
}

/// Upstream's IDs, each checked against its rule, and their faults against its account of them.
fn upstream(line: &Line) -> Vec<Guid> {
    let drift = line.drift("");
    let (node, first) = (line.node("/node"), line.int("/first_seq"));
    let seq = |i| u16::try_from((first + i) & 0x3fff).ok().and_then(|seq| Seq::new(seq).ok());
    let made = (0..).zip(readings(line)).map(|(i, t)| {
        Guid::new(drift, node, Stamp::new(Tick::from_unix_nanos(t), seq(i).expect("14 bits")))
    });
    let made: Vec<_> = made.collect();
    let ids: Vec<_> = line.texts("/ids").map(unhex).collect();
    let ids: Vec<_> = ids.iter().map(|id| Guid::try_from(&**id).expect("12 bytes")).collect();
    assert_eq!(made, ids);
    let not_after: Vec<_> = (1..ids.len()).filter(|&i| ids[i] <= ids[i - 1]).collect();
    assert_eq!(not_after, line.indices("/not_after"));
    let dups: Vec<_> = (0..ids.len()).filter(|&i| ids[..i].contains(&ids[i])).collect();
    assert_eq!(dups, line.indices("/dups"));
    ids
}

/// Ours, started so that the first sequence is the same if it can be.
fn ours(line: &Line) -> Vec<Guid> {
    let readings = readings(line);
    let at = Cell::new(0);
    let clock = || {
        let i = at.replace(at.get() + 1);
        readings[i]
    };
    let before_first = line.int("/first_seq").max(1) - 1;
    let last = Stamp::from_u64(before_first.cast_unsigned()).expect("14 bits");
    let mut ids =
        LocalGenerator::new(line.node("/node"), clock).with_drift(line.drift("")).with_last(last);
    readings.iter().map(|_| ids.next()).collect()
}

#[test]
fn upstream_goes_back_in_some_runs() {
    let runs = lines().filter(|line| line.text("/kind") == "run");
    let inverted = runs.filter(|line| !line.list("/not_after").is_empty()).count();
    assert_eq!(inverted, 21);
}
