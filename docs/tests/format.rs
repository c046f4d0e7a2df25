//! What FORMAT.md and WIRE.md say in tables is what the code does.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::collections::BTreeMap;

use guid_core::{Drift, Guid, LocalId, NodeId, Seq, Stamp, Tick};
use guid_crdt::{
    AddBias, AwLwwMap, BoundedCounter, CausalContext, Doc, DwFlag, EwFlag, FwwRegister, GCounter,
    GSet, LwwMap, LwwRegister, LwwSet, Max, Message, Min, MvRegister, OrMap, OrSet, PnCounter,
    ResettableCounter, RwSet, Saved, TwoPhaseSet, VectorClock, wire::Wire,
};

const FORMAT: &str = include_str!("../FORMAT.md");
const WIRE: &str = include_str!("../WIRE.md");

/// The cells of the rows that begin like this, without their backticks.
fn rows<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let section = page.split(heading).nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.skip(1).map(|row| row.split(" | ").map(|cell| cell.trim_matches('`')).collect()).collect()
}

#[test]
fn the_vectors_of_the_format_are_what_the_code_makes() {
    let rows = rows(FORMAT, "## Vectors");
    assert!(rows.len() >= 6);
    for row in rows {
        let [code, node, tick, seq, bytes, lex, base32, base62, uuid, local] = row[..] else {
            panic!("{row:?}")
        };
        let drift = Drift::from_code(code.parse().unwrap()).unwrap();
        let node = NodeId::new(u32::from_str_radix(node, 16).unwrap());
        let tick = Tick::new(tick.parse().unwrap()).unwrap();
        let stamp = Stamp::new(tick, Seq::new(seq.parse().unwrap()).unwrap());
        let id = Guid::new(drift, node, stamp);
        assert_eq!(id.to_hex().as_str(), bytes);
        assert_eq!(id.to_lex().as_str(), lex);
        assert_eq!(id.to_base32().as_str(), base32);
        assert_eq!(id.to_base62_padded().as_str(), base62);
        assert_eq!(id.to_uuid().as_str(), uuid);
        assert_eq!(id.to_local().1.to_lex().as_str(), local);
        assert_eq!(lex.parse::<Guid>(), Ok(id));
        assert_eq!(Guid::from_hex(bytes), Ok(id));
        assert_eq!(Guid::from_base32(base32), Ok(id));
        assert_eq!(Guid::from_base62_padded(base62), Ok(id));
        assert_eq!(Guid::from_uuid(uuid), Ok(id));
        assert_eq!(local.parse::<LocalId>(), Ok(id.to_local().1));
    }
}

fn tag<T: Wire>(tags: &mut BTreeMap<&str, String>, name: &'static str) {
    tags.insert(name, T::TAG.escape_ascii().to_string());
}

/// Every type that has bytes, by the name in the page.
fn tags() -> BTreeMap<&'static str, String> {
    let mut tags = BTreeMap::new();
    tag::<LwwRegister<u8>>(&mut tags, "LwwRegister");
    tag::<FwwRegister<u8>>(&mut tags, "FwwRegister");
    tag::<MvRegister<u8>>(&mut tags, "MvRegister");
    tag::<Max<u8>>(&mut tags, "Max");
    tag::<Min<u8>>(&mut tags, "Min");
    tag::<GCounter>(&mut tags, "GCounter");
    tag::<PnCounter>(&mut tags, "PnCounter");
    tag::<ResettableCounter>(&mut tags, "ResettableCounter");
    tag::<BoundedCounter>(&mut tags, "BoundedCounter");
    tag::<EwFlag>(&mut tags, "EwFlag");
    tag::<DwFlag>(&mut tags, "DwFlag");
    tag::<OrSet<u8>>(&mut tags, "OrSet");
    tag::<RwSet<u8>>(&mut tags, "RwSet");
    tag::<GSet<u8>>(&mut tags, "GSet");
    tag::<TwoPhaseSet<u8>>(&mut tags, "TwoPhaseSet");
    tag::<LwwSet<u8, AddBias>>(&mut tags, "LwwSet");
    tag::<LwwMap<u8, u8>>(&mut tags, "LwwMap");
    tag::<AwLwwMap<u8, u8>>(&mut tags, "AwLwwMap");
    tag::<OrMap<u8, OrSet<u8>>>(&mut tags, "OrMap");
    tag::<Doc>(&mut tags, "Doc");
    tag::<VectorClock>(&mut tags, "VectorClock");
    tag::<CausalContext>(&mut tags, "CausalContext");
    tag::<Message<OrSet<u8>>>(&mut tags, "Message");
    tag::<Saved<OrSet<u8>>>(&mut tags, "Saved");
    tags
}

#[test]
fn the_tags_of_the_page_are_those_of_the_types() {
    let mut shown = BTreeMap::new();
    for row in rows(WIRE, "## The frame") {
        for pair in row.chunks(2) {
            let [tag, name] = pair else { panic!("{row:?}") };
            shown.insert(name.split('`').next().unwrap(), (*tag).to_owned());
        }
    }
    assert_eq!(shown, tags());
}
