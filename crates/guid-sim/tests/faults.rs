//! What goes wrong and what comes of it: nodes that forget, are copied, come late, are cut off.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    io::Write,
    rc::Rc,
};

use guid_sim::{Report, Scenario, Start, Verdict};
use serde_json::Value;

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn run(text: &str) -> Report {
    Scenario::parse(text).unwrap().run(42).unwrap()
}

/// What a line of a trace says of an event.
#[derive(Clone, Debug)]
struct Event {
    node: u64,
    kind: String,
    true_ns: u64,
    json: Value,
}

fn trace(text: &str, seed: u64) -> Vec<Event> {
    let out = Shared::default();
    Scenario::parse(text).unwrap().run_traced(seed, Some(Box::new(out.clone()))).unwrap();
    let text = String::from_utf8(out.0.take()).unwrap();
    let events = text.lines().skip(1).map(|line| {
        let json: Value = serde_json::from_str(line).unwrap();
        Event {
            node: json["node"].as_u64().unwrap(),
            kind: String::from(json["kind"].as_str().unwrap()),
            true_ns: json["true_ns"].as_str().unwrap().parse().unwrap(),
            json,
        }
    });
    events.collect()
}

fn count(report: &Report, key: &str) -> u64 {
    report.get(key).unwrap().count
}

/// Mints 1,000 IDs a second on three nodes for ten seconds.
fn minting(faults: &str) -> String {
    format!(
        "[scenario]\nnodes = 3\nduration = \"10s\"\n[ids]\nschemes = [\"guid64\", \"hlc\"]\n\
         [workload]\nkind = \"ids\"\nrate = \"1000/s\"\n{faults}"
    )
}

#[test]
fn a_restart_from_a_snapshot_or_from_nothing_repeats_ids_and_one_that_remembers_does_not() {
    // The clock goes back to before the snapshot, so that only what is stored can help.
    let text = |storage: &str| {
        minting(&format!(
            "[[fault]]\nat = \"2s\"\nkind = \"snapshot\"\nnode = 1\n\
             [[fault]]\nat = \"19s\"\nkind = \"crash\"\nnode = 1\n\
             [[fault]]\nat = \"19.5s\"\nkind = \"clock-step\"\nnode = 1\nby = \"-18.5s\"\n\
             [[fault]]\nat = \"20s\"\nkind = \"restart\"\nnode = 1\nstorage = \"{storage}\""
        ))
        .replace("10s", "40s")
        .replace("1000/s", "200/s")
    };
    let behind = |storage| {
        let trace = trace(&text(storage), 42);
        let of_node = trace.iter().filter(|event| event.node == 1);
        let ids = of_node.filter_map(|event| {
            let id = event.json["ids"]["guid64"].as_str()?;
            Some((event.json["incarnation"].as_u64()?, String::from(id)))
        });
        let ids: Vec<(u64, String)> = ids.collect();
        let last = ids.iter().filter(|(incarnation, _)| *incarnation == 1).map(|(_, id)| id).max();
        ids.iter().filter(|(incarnation, id)| *incarnation == 2 && Some(id) <= last).count()
    };
    assert_eq!(behind("kept"), 0);
    assert!(behind("snapshot") > 1_000, "its mark was for the first 12 s");
    assert!(behind("lost") >= behind("snapshot"));
    let kept = run(&text("kept"));
    assert_eq!(count(&kept, "happens-before@guid64"), 0);
    assert!(count(&run(&text("lost")), "happens-before@guid64") > 1_000);
    assert!(count(&run(&text("lost")), "happens-before@hlc") > 1_000, "a lost clock starts over");
}

#[test]
fn a_clone_repeats_the_ids_of_its_original_and_reuse_does_as_other_phases_allow() {
    let clone = "[[fault]]\nat = \"5s\"\nkind = \"clone\"\nnode = 3\nof = 1\n";
    // A counter that is copied is counted up by both: the slower one repeats all of its IDs.
    let text = minting(clone).replace("\"guid64\", \"hlc\"", "\"counter\", \"guid64\"");
    let report = run(&text);
    let made = trace(&text, 42).iter().filter(|event| event.node == 3).count();
    let repeated = count(&report, "unique@counter");
    assert!(repeated + 500 > made as u64 && repeated > 4_000, "{repeated} of {made}");
    let witness = report.get("unique@counter").unwrap().witness.as_ref().unwrap();
    assert!(witness.cause.contains("share one node ID"), "{}", witness.cause);
    // Without a clone nothing repeats, and a late node has no events before it joins.
    let join = "[[fault]]\nat = \"5s\"\nkind = \"join\"\nnode = 3\n";
    let text = minting(join);
    assert_eq!(run(&text).verdict, Verdict::Holds);
    let trace = trace(&text, 42);
    let first = trace.iter().find(|event| event.node == 3).unwrap();
    let joined = Start::Drawn.of_seed(42) + 5_000_000_000;
    assert_eq!((first.kind.as_str(), first.true_ns), ("join", joined));
}

#[test]
fn a_node_id_that_is_used_again_after_a_clock_set_back_repeats_ids() {
    // Node 1 dies at 5 s; node 2 joins under its ID, its clock 5 s behind.
    let text = |reuse: &str| {
        format!(
            "[scenario]\nnodes = 2\nduration = \"10s\"\n\
             [ids]\nschemes = [\"counter\", \"upstream\"]\n\
             [[clock.node]]\nid = 2\noffset = \"-5s\"\n\
             [workload]\nkind = \"ids\"\nrate = \"10000/s\"\narrival = \"even\"\n\
             [[fault]]\nat = \"5s\"\nkind = \"crash\"\nnode = 1\n\
             [[fault]]\nat = \"5s\"\nkind = \"join\"\nnode = 2\n{reuse}"
        )
    };
    // Both start at the same reading with the same sequence, at the same rate: all 50,000 repeat.
    let reused = run(&text("reuse = 1"));
    assert!(count(&reused, "unique@upstream").abs_diff(50_000) <= 1);
    assert!(count(&reused, "unique@counter").abs_diff(50_000) <= 1);
    assert_eq!(count(&run(&text("")), "unique@upstream"), 0);
}

/// Messages of a cart, by sender and receiver, between 10 s and 20 s.
fn heard(fault: &str) -> BTreeMap<(u64, u64), usize> {
    let text = format!(
        "[scenario]\nnodes = 5\nduration = \"20s\"\n[ids]\nschemes = []\n\
         [workload]\nkind = \"cart\"\nrate = \"1/h\"\ngossip = \"50ms\"\n\
         [[fault]]\nat = \"9s\"\n{fault}"
    );
    let trace = trace(&text, 42);
    let start = Start::Drawn.of_seed(42) + 10_000_000_000;
    let mut heard = BTreeMap::new();
    for event in trace.iter().filter(|e| e.kind == "receive" && e.true_ns > start) {
        let from = event.json["from"].as_u64().unwrap();
        *heard.entry((from, event.node)).or_default() += 1;
    }
    heard
}

#[test]
fn partitions_of_every_shape_cut_what_they_say() {
    let pairs = |fault: &str| heard(fault).into_keys().collect::<Vec<_>>();
    let all: Vec<(u64, u64)> =
        (1..=5).flat_map(|a| (1..=5).filter(move |&b| a != b).map(move |b| (a, b))).collect();
    let except = |cut: &dyn Fn(u64, u64) -> bool| -> Vec<(u64, u64)> {
        all.iter().copied().filter(|&(a, b)| !cut(a, b)).collect()
    };
    assert_eq!(pairs("kind = \"release\""), all);
    assert_eq!(pairs("kind = \"partition\"\ngroups = [[3]]"), except(&|a, b| a == 3 || b == 3));
    assert_eq!(
        pairs("kind = \"one-way\"\nfrom = [1, 2]\nto = [5]"),
        except(&|a, b| a <= 2 && b == 5)
    );
    assert_eq!(pairs("kind = \"one-way\"\nfrom = [4]"), except(&|a, _| a == 4));
    assert_eq!(
        pairs("kind = \"bridge\"\nnode = 3\nside = [1, 2]"),
        except(&|a, b| a != 3 && b != 3 && (a < 3) != (b < 3))
    );
    assert_eq!(pairs("kind = \"ring\""), except(&|a, b| ![1, 4].contains(&a.abs_diff(b))));
    assert_eq!(pairs("kind = \"hold\"\nnode = 2"), except(&|_, b| b == 2));
}

#[test]
fn what_was_held_back_arrives_at_the_release_and_nothing_is_lost() {
    let text = "[scenario]\nnodes = 2\nduration = \"10s\"\nsettle = \"1s\"\n\
        [workload]\nkind = \"lww\"\nrate = \"20/s\"\n\
        [[fault]]\nat = \"2s\"\nkind = \"hold\"\n[[fault]]\nat = \"8s\"\nkind = \"release\"";
    let trace = trace(text, 42);
    let at = |second: u64| Start::Drawn.of_seed(42) + second * 1_000_000_000;
    let received: Vec<u64> =
        trace.iter().filter(|e| e.kind == "receive").map(|e| e.true_ns).collect();
    assert!(received.iter().all(|&ns| ns < at(2) || ns >= at(8)));
    assert!(received.iter().filter(|&&ns| ns == at(8)).count() > 200);
    let sent = trace.iter().filter(|e| e.kind == "send" && e.true_ns < at(10)).count();
    assert!(received.len() >= sent);
}

/// Faults draw from streams of their own: what a node does, and when, is the same without them.
#[test]
fn a_fault_that_is_switched_on_draws_nothing_from_the_workload() {
    let text = |rest: &str| {
        format!(
            "[scenario]\nnodes = 4\nduration = \"20s\"\n[ids]\nschemes = [\"hlc\"]\n\
             [workload]\nkind = \"cart\"\nrate = \"5/s\"\n{rest}"
        )
    };
    // What node 1 does and whom it tells is drawn from its own stream, whatever it hears.
    let writes = |rest: &str| {
        let trace = trace(&text(rest), 9);
        let own = trace
            .iter()
            .filter(|event| event.node == 1 && ["mint", "send"].contains(&&*event.kind));
        own.map(|event| (event.true_ns, event.json["to"].clone())).collect::<Vec<_>>()
    };
    let plain = writes("");
    assert!(plain.len() > 150);
    for rest in [
        "[[fault]]\nat = \"5s\"\nkind = \"crash\"\nnode = 2\n[[fault]]\nat = \"6s\"\nkind = \"restart\"\nnode = 2",
        "[[fault]]\nat = \"5s\"\nkind = \"partition\"\ngroups = [[1], [2, 3]]",
        "[[fault]]\nat = \"5s\"\nkind = \"clock-step\"\nnode = 1\nby = \"-3s\"",
        "[[fault]]\nat = \"5s\"\nkind = \"clone\"\nnode = 3\nof = 1",
        "[[fault]]\nat = \"5s\"\nkind = \"hold\"",
        "[network]\nloss = \"10%\"\nduplicate = \"10%\"\nreorder = \"10%\"\nin-order = true",
        "[clock.ntp]\nserver = 1\npoll = \"1s\"",
        "[swarm]\nkinds = [\"clock-step\", \"partition\"]",
    ] {
        assert_eq!(writes(rest), plain, "{rest}");
    }
}

#[test]
fn a_swarm_draws_other_faults_for_every_seed_and_the_same_ones_for_the_same() {
    let text = "[scenario]\nnodes = 4\nduration = \"20s\"\nsettle = \"5s\"\n\
        [ids]\nschemes = [\"guid96:d3\", \"guid64\"]\n\
        [swarm]\nkinds = [\"clock-step\", \"clock-strobe\", \"crash\", \"partition\", \"pause\"]\n\
        longest = \"2s\"\n[workload]\nkind = \"lww\"\nrate = \"5/s\"";
    let kinds = |seed| {
        let trace = trace(text, seed);
        let kinds = ["clock-fault", "crash", "partition", "pause"];
        kinds.map(|kind| trace.iter().filter(|event| event.kind == kind).count())
    };
    assert_eq!(kinds(3), kinds(3));
    let seeds: Vec<[usize; 4]> = (0..12).map(kinds).collect();
    for kind in 0..4 {
        let with = seeds.iter().filter(|counts| counts[kind] > 0).count();
        // On by the toss of a coin, and once more of the clocks' two kinds.
        assert!((2..=11).contains(&with), "kind {kind}: {with} of 12");
    }
    // Whatever goes wrong, IDs are unique and rise, and causes come first.
    for seed in 0..12 {
        let report = Scenario::parse(text).unwrap().run(seed).unwrap();
        for scheme in ["guid96:d3", "guid64"] {
            for name in ["unique", "monotone", "happens-before"] {
                assert_eq!(count(&report, &format!("{name}@{scheme}")), 0, "{name}, seed {seed}");
            }
        }
    }
}

/// A mix of faults is over before a run settles: what has to heal has healed.
#[test]
fn a_swarm_is_over_before_the_run_settles() {
    let text = "[scenario]\nnodes = 4\nduration = \"5s\"\nsettle = \"20s\"\n\
        [ids]\nschemes = []\n\
        [swarm]\nkinds = [\"clock-step\", \"clock-strobe\", \"crash\", \"partition\", \"pause\"]\n\
        longest = \"1min\"\n[workload]\nkind = \"gossip\"";
    let mut seen = 0;
    for seed in 0..40 {
        let end = Start::Drawn.of_seed(seed) + 5_000_000_000;
        let (mut down, mut cut, mut paused) = (BTreeSet::new(), false, BTreeSet::new());
        for event in trace(text, seed) {
            match event.kind.as_str() {
                "crash" => drop(down.insert(event.node)),
                "restart" => drop(down.remove(&event.node)),
                "partition" => cut = true,
                "heal" => cut = false,
                "pause" => drop(paused.insert(event.node)),
                "resume" => drop(paused.remove(&event.node)),
                "clock-fault" => {}
                _ => continue,
            }
            seen += 1;
            assert!(event.true_ns <= end, "seed {seed}: a {} while it settles", event.kind);
        }
        assert!(down.is_empty() && !cut && paused.is_empty(), "seed {seed}: {down:?} {paused:?}");
    }
    assert!(seen > 400, "{seen}");
}

/// What a node showed before it crashed for good is not held against those that go on.
#[test]
fn nodes_that_are_down_are_not_asked_whether_they_converged() {
    let text = |crashes: &[u32]| {
        let crash =
            |node: &u32| format!("[[fault]]\nat = \"5s\"\nkind = \"crash\"\nnode = {node}\n");
        let crashes: String = crashes.iter().map(crash).collect();
        format!(
            "[scenario]\nnodes = 4\nduration = \"10s\"\nsettle = \"10s\"\n\
             [workload]\nkind = \"gossip\"\n{crashes}"
        )
    };
    let run = |crashes: &[u32]| {
        let report = run(&text(crashes));
        let converged = report.get("converged").unwrap();
        let down = report.get("nodes-down").map(|down| down.measured.0);
        (converged.verdict, converged.count, converged.of, down)
    };
    assert_eq!(run(&[]), (Verdict::Holds, 0, 4, None));
    assert_eq!(run(&[2]), (Verdict::Holds, 0, 3, Some(1.0)));
    assert_eq!(run(&[2, 3, 4]), (Verdict::Unknown, 0, 1, Some(3.0)));
}

/// A copy remembers what its original did: as vector clocks say, and with nobody else alive under
/// its name they are right.
#[test]
fn a_copy_comes_after_what_its_original_did() {
    let text = "[scenario]\nnodes = 3\nduration = \"10s\"\n\
        [ids]\nschemes = [\"vector\", \"hlc\"]\n[workload]\nkind = \"gossip\"\n\
        [[fault]]\nat = \"5s\"\nkind = \"crash\"\nnode = 1\n\
        [[fault]]\nat = \"5100ms\"\nkind = \"clone\"\nnode = 3\nof = 1";
    let report = run(text);
    let iff = report.get("vector-iff@vector").unwrap();
    assert!(iff.count == 0 && iff.of > 5_000, "{iff:?}");
    assert_eq!(count(&report, "happens-before@hlc"), 0);
}
