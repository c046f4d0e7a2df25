//! The bytes of messages between peers.

use guid_crdt::{Doc, GCounter, Gap, LwwMap, Message, Peer, Versioned};

use super::*;

/// One of each kind, between a peer that knows something and others that know less.
fn messages() -> [Message<OrSet<String>>; 4] {
    let peer = |node| {
        let clock = ManualClock::new(1 << 40);
        Peer::new(Replica::<OrSet<String>, _>::new(NodeId::new(node), clock))
    };
    let (mut here, there) = (peer(7), peer(9));
    here.write(|set, dot| set.insert(dot, "tea".to_owned())).unwrap();
    here.write(|set, dot| set.insert(dot, "ale".to_owned())).unwrap();
    let greeting = here.greet();
    let deltas = here.handle(there.greet()).unwrap().reply.unwrap();
    assert!(matches!(&deltas, Message::Deltas { deltas, .. } if deltas.len() == 2));
    let mut forgetful = Peer::new(here.into_replica()).with_log_max(0);
    let state = forgetful.handle(there.greet()).unwrap().reply.unwrap();
    assert!(matches!(state, Message::State(_)));
    let mut behind = peer(9);
    let reply = forgetful.write(|set, dot| set.insert(dot, "rum".to_owned())).unwrap();
    let unconnected = Message::Deltas { deltas: vec![reply], seen: forgetful.state().version() };
    let gap = behind.handle(unconnected).unwrap().reply.unwrap();
    assert!(matches!(gap, Message::Gap { gap: Gap { have: None, .. }, .. }));
    [greeting, deltas, state, gap]
}

#[test]
fn messages_are_frozen() {
    let golden = [
        "6763016d6573676f7273740001828080808004070100c8cf9823",
        "6763016d6573676f7273740102018180808080040701000001037465610100000182808080800407000000000103616c650100000182808080800407010005490eb0",
        "6763016d6573676f72737402018280808080040701000203746561030103616c650101457e040a",
        "6763016d6573676f727374030700fd020000002000000000de69aef4",
    ];
    for (message, expected) in messages().iter().zip(golden) {
        let bytes = wire::encode(message).unwrap();
        assert_eq!(hex(&bytes), expected);
        let back: Message<OrSet<String>> = wire::decode(&bytes).unwrap();
        assert_eq!(wire::encode(&back).unwrap(), bytes);
    }
}

#[test]
fn hostile_messages_are_read_or_refused() {
    messages().iter().for_each(attack);
    attack(&Message::<GCounter>::Deltas { deltas: vec![GCounter::new()], seen: clock() });
    let map = LwwMap::written(dot(1, 10), 5_u8, Some(6_u8));
    attack(&Message::<LwwMap<u8, u8>>::Deltas {
        seen: map.version(),
        deltas: vec![map.clone(), map],
    });
    let mut doc = Doc::new();
    let delta = doc.edit(dot(1, 10), |doc| doc.set("title", "Plan")).unwrap();
    attack(&Message::<Doc>::Deltas { deltas: vec![delta], seen: doc.version() });
}

/// A message for a replica of another type is refused, though the frame is that of a message.
#[test]
fn a_message_names_its_type() {
    let [greeting, ..] = messages();
    let bytes = wire::encode(&greeting).unwrap();
    let error = wire::decode::<Message<MvRegister<String>>>(&bytes).unwrap_err();
    assert_eq!(error, WireError::Type { found: *b"orst", expected: *b"mvrg" });
    let body = [b"orst".as_slice(), &[4]].concat();
    let error = wire::decode::<Message<OrSet<String>>>(&frame::<Message<OrSet<String>>>(&body));
    assert_eq!(error.unwrap_err(), WireError::Malformed("no message has this number"));
}
