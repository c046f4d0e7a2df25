//! What a knob is, and what may stand there: a line beside its field, and a list where there are
//! few values.

use guid_core::Drift;

/// What is turned first, in this order: what every question about skew begins with.
pub(super) const FIRST: [&str; 5] =
    ["ids.window", "clock.offset-sigma", "workload.think", "network.loss", "network.partition"];

/// Keys, and a line about each; those of all keys are in `docs/SCENARIOS.md`.
const HINTS: [(&str, &str); 41] = [
    ("scenario.nodes", "how many nodes, up to 2000 here"),
    ("scenario.duration", "how long new work begins: 30s, 5min"),
    ("scenario.settle", "how much longer messages may arrive: 10s"),
    ("scenario.max-events", "the run is given up beyond so many events"),
    ("ids.schemes", "with commas: guid96:d0 to d7, guid64, upstream, hlc, uuid7, ulid, vector, …"),
    ("ids.observe", "what received IDs do to the clock: follow, off, reject 60s"),
    ("ids.restart", "how sources come back: high-water, amnesia, fresh-node"),
    ("ids.shared-node", "nodes that bear one node ID, with commas: 1,2"),
    ("ids.window", "inside it IDs sort by node: for every scheme that has one"),
    ("clock.preset", "perfect, cloud-ntp, lan-ntp, wan-ntp, quartz, mobile, truetime, …"),
    ("clock.offset-sigma", "skew: how far clocks are off at the start, one deviation: 50ms, 2s"),
    ("clock.rate-sigma", "how wrong crystals are, one deviation: 35ppm"),
    ("clock.wander", "how much rates wander in a second: 1ppb"),
    ("clock.sine-amplitude", "clocks swing around true time, by so much: 250ms"),
    ("clock.sine-period", "how long a swing takes: 60s"),
    ("clock.granularity", "clocks show multiples of this: 1ms"),
    ("network.preset", "same-host, same-az, lan, cross-az, wifi, mobile, satellite"),
    ("network.latency", "how long a message takes: 5ms, or a distribution"),
    ("network.loss", "the part of messages that is lost: 5%, 0.05"),
    ("network.partition", "two halves do not hear each other from .. to, in the run: 20s..40s"),
    ("network.duplicate", "the part that arrives twice: 1%"),
    ("network.reorder", "the part that is held up: 1%"),
    ("network.in-order", "whether messages keep their order: true, false"),
    ("workload.kind", "ids, chain, lww, cart, gossip, counter, register, commit, …"),
    ("workload.rate", "how often, for each node: 2/s, 600/min"),
    ("workload.think", "between seeing a value and writing over it: 1s, 5min"),
    ("workload.arrival", "poisson or even"),
    ("workload.gossip", "how often replicas tell each other: 200ms"),
    ("workload.ship", "what replicas send: state, delta, op"),
    ("workload.type", "the kind of counter: g, pn, resettable, bounded"),
    ("workload.session", "sticky, roam, carry"),
    ("workload.mint-every", "an ID of its own every so often: 100ms"),
    ("workload.writers", "the nodes that write, with commas: 1,3"),
    ("workload.write-every", "how often they do: 5s"),
    ("workload.contacts", "how many there are"),
    ("workload.ids", "how many node IDs are drawn at once"),
    ("check.gaps", "pairs so far apart are compared: 1s,60s"),
    ("check.disorder", "whether displacement and inversions are measured: true, false"),
    ("swarm.kinds", "clock-step, clock-strobe, crash, partition, pause"),
    ("swarm.most", "how many of each kind at most"),
    ("swarm.longest", "how long one lasts at most: 10s"),
];

/// What there is to say of a knob, if anything.
pub(super) fn hint(path: &str) -> Option<&'static str> {
    HINTS.iter().find(|(key, _)| *key == path).map(|&(_, hint)| hint)
}

/// The values of a knob that has few, each with what it is called; none of one that has many.
pub(super) fn choices(path: &str) -> Vec<(String, String)> {
    let plain = |values: &[&str]| {
        values.iter().map(|&value| (value.to_owned(), value.to_owned())).collect()
    };
    match path {
        "ids.window" => Drift::ALL.into_iter().map(window).collect(),
        "ids.restart" => plain(&["high-water", "amnesia", "fresh-node"]),
        "network.in-order" | "check.disorder" => plain(&["true", "false"]),
        "workload.arrival" => plain(&["poisson", "even"]),
        "workload.ship" => plain(&["state", "delta", "op"]),
        "workload.session" => plain(&["sticky", "roam", "carry"]),
        "workload.type" => plain(&["g", "pn", "resettable", "bounded"]),
        _ => Vec::new(),
    }
}

fn window(drift: Drift) -> (String, String) {
    let code = format!("d{}", drift.code());
    let says = format!("{code}: {:.0} s", drift.window().as_secs_f64());
    (code, says)
}

#[cfg(test)]
mod tests {
    use guid_sim::{BUILTIN, Scenario};

    use super::*;

    const KINDS: [&str; 8] =
        ["ids", "chain", "lww", "cart", "gossip", "counter", "register", "contacts"];

    /// Whatever can be chosen is a value of that knob, of a scenario that has it.
    #[test]
    fn choices_are_values() {
        let mut chosen = 0;
        for kind in KINDS {
            let text = format!("[workload]\nkind = \"{kind}\"");
            for knob in Scenario::knobs(&text).unwrap() {
                for (value, _) in choices(&knob.path) {
                    let set = [(knob.path.clone(), value)];
                    Scenario::parse_with(&text, &set).unwrap();
                    chosen += 1;
                }
            }
        }
        assert!(chosen > 100, "{chosen}");
    }

    /// Every key that has a hint is a knob of some scenario.
    #[test]
    fn hints_are_of_knobs_that_there_are() {
        let kinds = KINDS.map(|kind| format!("workload.kind = \"{kind}\""));
        let shipped = BUILTIN.iter().map(|builtin| builtin.text);
        let texts = shipped.chain(kinds.iter().map(String::as_str));
        let knobs = texts.flat_map(|text| Scenario::knobs(text).unwrap());
        let known: Vec<String> = knobs.map(|knob| knob.path).collect();
        let unknown = |(key, _): &&(&str, &str)| !known.iter().any(|known| known == key);
        let unknown: Vec<&str> = HINTS.iter().filter(unknown).map(|(key, _)| *key).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(FIRST.iter().all(|key| hint(key).is_some()));
    }
}
