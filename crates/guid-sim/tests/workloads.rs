//! Values shared by every way of shipping, counters of every kind, and clients with and without
//! session guarantees.

#![expect(clippy::unwrap_used, clippy::float_cmp, reason = "a test may, and counts are exact")]

use std::time::Duration;

use guid_crdt::{Dot, MutateError, OrSet, Replicated};
use guid_sim::{
    Distribution, Fault, NetworkModel, NodeIndex, Report, Rng, Scenario, Verdict, WorldConfig,
    workload::{Share, Sharing, SharingConfig, Ship},
};

/// A network that loses, repeats and reorders; a partition; a clock set back.
const BAD: &str = "[scenario]\nnodes = 5\nduration = \"30s\"\nsettle = \"20s\"\n\
    [ids]\nschemes = [\"hlc\"]\n[clock]\noffset-sigma = \"300ms\"\n\
    [network]\nlatency = \"5ms + exp(20ms)\"\nloss = \"10%\"\nduplicate = \"10%\"\n\
    [[fault]]\nat = \"8s\"\nkind = \"partition\"\ngroups = [[1, 2]]\n\
    [[fault]]\nat = \"15s\"\nkind = \"heal\"\n\
    [[fault]]\nat = \"12s\"\nkind = \"clock-step\"\nnode = 3\nby = \"-20s\"\n";

fn run(workload: &str, seed: u64) -> Report {
    let scenario = Scenario::parse(&format!("{BAD}[workload]\n{workload}")).unwrap();
    scenario.run(seed).unwrap()
}

fn measured(report: &Report, key: &str) -> f64 {
    report.get(key).unwrap_or_else(|| panic!("{key}")).measured.0
}

#[test]
fn counters_and_news_converge_by_every_way_of_shipping() {
    for what in ["g", "pn", "resettable", "bounded", "gossip"] {
        for ship in ["state", "delta", "op"] {
            let kind = match what {
                "gossip" => String::from("kind = \"gossip\""),
                counter => format!("kind = \"counter\"\ntype = \"{counter}\""),
            };
            for seed in 0..3 {
                let report = run(&format!("{kind}\nship = \"{ship}\""), seed);
                for name in ["converged", "strong-eventual-consistency", "share-holds"] {
                    let check = report.get(name).unwrap();
                    assert_eq!(check.verdict, Verdict::Holds, "{what} by {ship}: {check:?}");
                    assert!(check.of >= 5);
                }
                assert!(report.get("writes-refused").is_none(), "{what} by {ship}");
            }
        }
    }
}

#[test]
fn sessions_at_home_and_those_that_carry_what_they_rely_on_hold() {
    let names = ["read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads"];
    let of = |session: &str, seed| {
        let text = format!("kind = \"register\"\nrate = \"2/s\"\nsession = \"{session}\"");
        run(&text, seed)
    };
    let mut broken = [0; 4];
    for seed in 0..6 {
        for session in ["sticky", "carry"] {
            let report = of(session, seed);
            for name in names {
                let check = report.get(name).unwrap();
                assert_eq!(check.count, 0, "{session}: {check:?}");
                assert!(check.of > 50, "{session}: {check:?}");
            }
        }
        let roams = of("roam", seed);
        for (total, name) in broken.iter_mut().zip(names) {
            let check = roams.get(name).unwrap();
            *total += check.count;
            assert_eq!(check.witness.is_some(), check.count > 0);
            assert_eq!(check.count > 0, check.verdict == Verdict::Violated);
        }
        assert!(of("carry", seed).get("sessions-sent-away").unwrap().measured.0 > 0.0);
        assert!(measured(&roams, "converged") == 0.0);
    }
    assert!(broken.iter().all(|&count| count > 10), "{broken:?}");
}

#[test]
fn read_modify_write_without_a_transaction_loses_steps() {
    let quiet =
        "[scenario]\nnodes = 4\nduration = \"60s\"\nsettle = \"5s\"\n[ids]\nschemes = [\"hlc\"]\n";
    let run = |nodes: &str| {
        let text =
            format!("{quiet}[workload]\nkind = \"register\"\nrate = \"3/s\"\ngossip = \"50ms\"");
        let overrides = [(String::from("scenario.nodes"), String::from(nodes))];
        Scenario::parse_with(&text, &overrides).unwrap().run(1).unwrap()
    };
    let alone = run("1");
    assert_eq!(measured(&alone, "register-value"), measured(&alone, "register-writes"));
    let four = run("4");
    assert!(measured(&four, "register-value") < 0.8 * measured(&four, "register-writes"));
}

/// A timer that sets itself again at once makes no event: the run ends all the same.
#[test]
fn a_run_that_does_nothing_very_often_is_given_up() {
    let text = "[scenario]\nnodes = 1\nduration = \"5s\"\nmax-events = 1000\n\
                [workload]\nkind = \"register\"\nrate = \"1000000000/s\"\nthink = \"106751d\"";
    let error = Scenario::parse(text).unwrap().run(1).unwrap_err().to_string();
    assert!(error.contains("given up after 16016 timers and messages"), "{error}");
}

/// A set to which each node adds and from which it removes; it knows what it did itself.
#[derive(Debug, Default)]
struct Cart {
    own: Vec<u64>,
}

impl Share for Cart {
    type State = OrSet<u64>;

    fn change(
        &mut self,
        state: &mut OrSet<u64>,
        dot: Dot,
        rng: &mut Rng,
    ) -> Result<<OrSet<u64> as Replicated>::Delta, MutateError> {
        if rng.below(3) == 0 && !self.own.is_empty() {
            let gone = self.own.remove(usize::try_from(rng.below(self.own.len() as u64)).unwrap());
            return state.remove(dot, &gone);
        }
        let item = rng.next_u64();
        self.own.push(item);
        state.insert(dot, item)
    }

    fn show(&self, state: &OrSet<u64>) -> String {
        format!("{:?}", state.iter().collect::<Vec<_>>())
    }

    fn holds(&self, state: &OrSet<u64>) -> bool {
        self.own.iter().all(|item| state.contains(item))
    }
}

#[test]
fn a_causal_type_of_ones_own_by_every_way_of_shipping() {
    let second = Duration::from_secs(1);
    for ship in [Ship::State, Ship::Delta, Ship::Op] {
        let world = |seed| {
            let mut network = NetworkModel::new(Distribution::exponential(30e6));
            (network.loss, network.duplicate) = (0.1, 0.1);
            let groups = vec![vec![NodeIndex::new(0), NodeIndex::new(1)]];
            WorldConfig::new(4, seed)
                .lasting(30 * second)
                .with_network(network)
                .with_fault(5 * second, Fault::Partition { groups })
                .with_fault(10 * second, Fault::Heal)
        };
        let config = SharingConfig::new(ship, 15 * second);
        let passed =
            guid_sim::test(world).seeds(0..10).run(|_| Sharing::new(Cart::default(), config));
        assert_eq!(passed.seeds, 10, "{ship:?}");
    }
}
