//! Kinds `id` and `decode`: fractions to bytes and texts, and bytes to fractions.

use guid_core::{Cells, Guid, LocalId};

use crate::{
    line::{Line, check_all, lines, unhex},
    value::{assert_global, assert_global_parts, assert_local, assert_local_parts, number},
};

#[test]
fn fractions_give_the_bytes_and_texts_of_upstream() {
    check_all("id", |line| {
        let (drift, node, stamp) = (line.drift("/in"), line.node("/in/node"), line.stamp("/in"));
        let (global, local) = (Guid::new(drift, node, stamp), LocalId::new(drift, stamp));
        assert_global(line, "/g", global);
        assert_global_parts(line, "/g_parts", global);
        assert_local(line, "/l", local);
        assert_local_parts(line, "/l_parts", local);

        assert_eq!((global.drift(), global.node(), global.stamp()), (drift, node, stamp));
        assert_eq!((local.drift(), local.stamp()), (drift, stamp));
        assert_eq!(global.to_local(), (node, local));
        assert_eq!(local.to_global(line.node("/node2")).to_u128(), number(line, "/from_l"));

        check_json(line, global, local);
        check_split(line, global, local);
        check_round_trips(line, global, local);
    });
}

/// A local's JSON carries the node of a process-wide clock upstream. We read whichever and drop it.
fn check_json(line: &Line, global: Guid, local: LocalId) {
    assert_eq!(line.text("/g_json"), format!("\"{global}\""));
    let process = line.node("/l_json_clock_node");
    assert_eq!(line.text("/l_json"), format!("\"*{}\"", local.to_global(process)));
    let theirs = line.text("/l_json").trim_matches('"');
    assert_eq!(LocalId::from_starred(theirs), Ok(local));
    assert_eq!(LocalId::from_starred(&local.to_starred()), Ok(local));
}

/// Where the width divides the ID the cells are upstream's; where it does not, upstream loses the
/// low bits and we refuse.
fn check_split(line: &Line, global: Guid, local: LocalId) {
    let width = u32::try_from(line.int("/split/n")).expect("1 to 8");
    let check = |cells: Option<Cells>, size: u32, pointer| {
        let exact = size.is_multiple_of(width).then(|| unhex(line.text(pointer)));
        assert_eq!(cells.map(Iterator::collect::<Vec<u8>>), exact);
        exact
    };
    if let Some(cells) = check(global.split(width), 96, "/split/g") {
        assert_eq!(Guid::fold(&cells, width), Some(global));
    }
    if let Some(cells) = check(local.split(width), 64, "/split/l") {
        assert_eq!(LocalId::fold(&cells, width), Some(local));
    }
}

fn check_round_trips(line: &Line, global: Guid, local: LocalId) {
    let theirs = line.at("/roundtrip").as_object().expect("an object");
    assert_eq!(theirs.len(), 8);
    assert!(theirs.values().all(|came_back| came_back.as_bool() == Some(true)));
    assert_eq!(Guid::from_bytes(global.to_bytes()), global);
    assert_eq!(line.text("/g/str").parse(), Ok(global));
    assert_eq!(Guid::from_base62(line.text("/g/b62")), Ok(global));
    assert_eq!(LocalId::from_bytes(local.to_bytes()), local);
    assert_eq!(line.text("/l/str").parse(), Ok(local));
    assert_eq!(LocalId::from_base62(line.text("/l/b62")), Ok(local));
}

#[test]
fn any_bytes_decode() {
    check_all("decode", |line| match *unhex(line.text("/bytes")).as_slice() {
        ref bytes if bytes.len() == 8 => {
            let local = LocalId::try_from(bytes).expect("8 bytes");
            assert_local(line, "/val", local);
            assert_local_parts(line, "/parts", local);
            assert_eq!(u128::from(local.as_u64()), number(line, "/to_l"));
            assert_eq!(local.to_global(line.node("/node2")).to_u128(), number(line, "/from_l"));
        }
        ref bytes => {
            let global = Guid::try_from(bytes).expect("12 bytes");
            assert_eq!(global.to_bytes().as_slice(), bytes);
            if line.flag("/bytes_roundtrip") {
                check_global(line, global);
            } else {
                check_low(global);
            }
        }
    });
}

fn check_global(line: &Line, global: Guid) {
    assert_global(line, "/val", global);
    assert_global_parts(line, "/parts", global);
    assert_eq!(u128::from(global.to_local().1.as_u64()), number(line, "/to_l"));
    assert_eq!(global.to_u128(), number(line, "/from_l"));
}

/// Twelve bytes that begin with four zeros become a local upstream, and eight bytes when written.
/// Here they stay what they are: drift code 0, in the first window of time (code and upper tick are
/// the four zero bytes), then 32 bits of node, 18 of tick, 14 of sequence.
fn check_low(global: Guid) {
    let number = u64::try_from(global.to_u128()).expect("four zero bytes in front");
    assert_eq!(global.drift().code(), 0);
    assert_eq!(u64::from(global.seq().as_u16()), number % (1 << 14));
    assert_eq!(global.tick().as_u64(), number / (1 << 14) % (1 << 18));
    assert_eq!(u64::from(global.node().as_u32()), number / (1 << 32));
    assert_eq!(global.to_local().1.to_global(global.node()), global);
    assert_eq!(global.to_string().parse(), Ok(global));
}

#[test]
fn both_outcomes_of_decoding_occur() {
    let mut count = [0, 0];
    for line in lines().filter(|line| line.text("/kind") == "decode") {
        count[usize::from(line.flag("/bytes_roundtrip"))] += 1;
    }
    assert_eq!(count, [10, 120]);
}
