//! When runs begin: the phase of a window is drawn, so that runs of many seeds are what the closed
//! forms are about.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{cell::RefCell, io::Write, rc::Rc};

use guid_sim::{DEFAULT_START_NS, Scenario, Start, Trace, WorldConfig, predict};

const SEEDS: u64 = 60;

/// How a run shorter than its window goes: the code, how long new values are written, and how much
/// later they are overwritten, in seconds.
struct Short {
    code: u32,
    lasts: u64,
    think: u64,
}

impl Short {
    /// By how many standard errors the mean of the seeds is off the closed form.
    fn off(&self, start: &str) -> f64 {
        let Self { code, lasts, think } = self;
        let text = format!(
            "[scenario]\nnodes = 6\nduration = \"{lasts}s\"\nsettle = \"{think}s\"\n\
             start = \"{start}\"\n[ids]\nschemes = [\"guid96:d{code}\"]\n\
             [workload]\nkind = \"lww\"\nrate = \"2/s\"\nthink = \"{think}s\""
        );
        let scenario = Scenario::parse(&text).unwrap();
        let key = format!("lww-lost@guid96:d{code}");
        let lost = |seed| scenario.run(seed).unwrap().get(&key).unwrap().measured.0;
        let lost: Vec<f64> = (0..SEEDS).map(lost).collect();
        let seeds = f64::from(u32::try_from(SEEDS).unwrap());
        let mean = lost.iter().sum::<f64>() / seeds;
        let squares: f64 = lost.iter().map(|one| (one - mean) * (one - mean)).sum();
        let error = f64::sqrt(squares / (seeds - 1.0) / seeds);
        let window_ns = f64::from(2_u32.pow(code + 5)) * f64::from(1 << 30);
        let expected =
            predict::lww_lost(f64::from(u32::try_from(*think).unwrap()) * 1e9, window_ns);
        (mean - expected) / error
    }
}

const SHORT: [Short; 2] =
    [Short { code: 3, lasts: 30, think: 30 }, Short { code: 1, lasts: 20, think: 20 }];

#[test]
fn the_mean_of_many_short_runs_is_the_closed_form() {
    for short in &SHORT {
        let off = short.off("drawn");
        assert!(off.abs() <= 4.0, "drift code {}: {off} standard errors", short.code);
    }
}

/// And would not be, if all of them saw the same part of a window.
#[test]
fn runs_that_begin_at_one_moment_see_one_phase() {
    for short in &SHORT {
        let off = short.off("0s");
        assert!(off.abs() > 6.0, "drift code {}: {off} standard errors", short.code);
    }
}

#[test]
fn a_start_is_drawn_or_given_and_reported() {
    let started = |start: &str, seed| {
        let text = format!("[scenario]\nduration = \"1s\"\nstart = \"{start}\"");
        Scenario::parse(&text).unwrap().run(seed).unwrap().start_ns.parse::<u64>().unwrap()
    };
    assert_eq!([1, 2].map(|seed| started("2h", seed)), [DEFAULT_START_NS + 7_200_000_000_000; 2]);
    let window = 1_u64 << 42;
    let drawn = [1, 2].map(|seed| started("drawn", seed));
    assert_ne!(drawn[0], drawn[1]);
    assert!(drawn.iter().all(|&at| (DEFAULT_START_NS..DEFAULT_START_NS + window).contains(&at)));
    // The same in code: the seed of a configuration may change after it was made.
    let mut config = WorldConfig::new(3, 1);
    config.seed = 2;
    assert_eq!((config.start, config.start_ns()), (Start::Drawn, drawn[1]));
}

/// What a seed means beside its start does not depend on it.
#[test]
fn a_start_moves_a_run_and_changes_nothing_else() {
    let run = |start: &str| {
        let text = format!(
            "[scenario]\nduration = \"20s\"\nstart = \"{start}\"\n[ids]\nschemes = [\"lamport\"]\n\
             [clock]\npreset = \"lan-ntp\"\n[network]\nloss = \"5%\"\n\
             [swarm]\nkinds = [\"crash\", \"pause\"]\n[workload]\nkind = \"gossip\""
        );
        let mut report = Scenario::parse(&text).unwrap().run(7).unwrap();
        (report.start_ns, report.trace_hash) = Default::default();
        for check in &mut report.checks {
            check.witness = None;
        }
        report
    };
    assert_eq!(run("drawn"), run("0s"));
}

#[test]
fn a_plan_holds_the_start_that_was_drawn() {
    let text = "[scenario]\nduration = \"20s\"\n[workload]\nkind = \"chain\"";
    let (report, plan) = Scenario::parse(text).unwrap().plan(3).unwrap();
    let replayed = plan.replay();
    assert_eq!(report.start_ns, Start::Drawn.of_seed(3).to_string());
    assert_eq!((replayed.start_ns, replayed.trace_hash), (report.start_ns, report.trace_hash));
}

#[test]
fn a_given_start_shows_in_what_is_predicted() {
    let form = |start: &str| {
        let text = format!("[scenario]\nstart = \"{start}\"\n[workload]\nkind = \"chain\"");
        let all = Scenario::parse(&text).unwrap().predict(1);
        all.into_iter().find(|one| one.name == "edge-order").unwrap().form
    };
    assert!(form("0s").ends_with("while the start is given"), "{}", form("0s"));
    assert!(!form("drawn").contains("given"), "{}", form("drawn"));
}

#[test]
fn a_start_that_is_none_is_refused_with_its_place() {
    for (start, found) in [("soon", "found `soon`"), ("100001d", "at most 100000d")] {
        let text = format!("[scenario]\nstart = \"{start}\"");
        let error = Scenario::parse(&text).unwrap_err();
        assert_eq!(error.place, Some((2, 9)), "{error}");
        assert!(error.message.contains(found) && error.message.contains("drawn"), "{error}");
    }
}

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

/// A trace says when its run began, of which text it is, and what was set to something else.
#[test]
fn a_trace_says_where_it_comes_from() {
    let header = |text: &str, set: &[(&str, &str)]| {
        let set: Vec<(String, String)> =
            set.iter().map(|&(path, value)| (path.into(), value.into())).collect();
        let out = Shared::default();
        let scenario = Scenario::parse_with(text, &set).unwrap();
        scenario.run_traced(3, Some(Box::new(out.clone()))).unwrap();
        Trace::parse(&String::from_utf8(out.0.take()).unwrap()).unwrap().header
    };
    let text = "[scenario]\nduration = \"1s\"";
    let plain = header(text, &[]);
    assert_eq!(plain.start_ns, Some(Start::Drawn.of_seed(3)));
    assert!(plain.set.is_empty() && plain.scenario_hash.is_some());
    let set = header(text, &[("network.loss", "1%"), ("scenario.start", "0s")]);
    assert_eq!(set.set, ["network.loss=1%", "scenario.start=0s"]);
    assert_eq!(
        (set.scenario_hash, set.start_ns),
        (plain.scenario_hash.clone(), Some(DEFAULT_START_NS))
    );
    assert_ne!(header(&format!("{text} # other"), &[]).scenario_hash, plain.scenario_hash);
}

/// Clocks that are far apart, and runs so short that few of them see a boundary of a window: where
/// one falls decides, and no run calls itself wrong for it.
#[test]
fn a_boundary_in_a_short_run_is_no_violation() {
    for (sigma, duration) in [("500ms", "20s"), ("2s", "40s"), ("0ms", "20s")] {
        let text = format!(
            "[scenario]\nnodes = 4\nduration = \"{duration}\"\n[clock]\noffset-sigma = \"{sigma}\"\n\
             [network]\npreset = \"mobile\"\n[workload]\nkind = \"gossip\"\n\
             [ids]\nschemes = [\"guid96:d3\", \"guid96:d1\"]\n[check]\ngaps = [\"1s\"]\n"
        );
        let scenario = Scenario::parse(&text).unwrap();
        for seed in 0..300 {
            let report = scenario.run(seed).unwrap();
            for check in &report.checks {
                let z = check.z.map_or(0.0, |z| z.0);
                assert!(z.abs() <= 4.0, "{sigma}, seed {seed}: {} has z {z}", check.key());
            }
        }
    }
}
