//! A deterministic simulator of nodes with wrong clocks and a bad network, which checks ordering
//! guarantees.
//!
//! *What do skewed clocks do to a distributed system?* Here is a world in which they are wrong in
//! known ways. Nodes run real code ([`Process`]) against a local clock, a lossy network, crashes;
//! every event is stamped by several schemes at once, side by side on one execution; checkers judge
//! what each scheme promises, and print beside what was measured what theory expects.
//!
//! ```
//! use guid_sim::{Builtin, Verdict};
//!
//! let scenario = Builtin::named("hello-clocks").unwrap().scenario()?;
//! let report = scenario.run(scenario.seed())?;
//! assert_eq!(report.verdict, Verdict::Holds);
//! assert_eq!(scenario.run(scenario.seed())?.trace_hash, report.trace_hash); // every time
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is promised
//!
//! The same configuration, seed and code give the same trace, byte for byte, on every platform: one
//! thread, integers in the state, no hash-map iteration, no wall clock, no randomness but the
//! seed's. A run prints a rolling hash of all that happened; two runs that differ, differ there.
//!
//! # Modules, in reading order
//!
//! * [`Process`] and [`Ctx`]: the code of a node; [`simulate`] runs it
//! * [`test()`]: the same in many worlds, from an ordinary `#[test]`
//! * [`NodeClock`]: clocks, piecewise linear in integers; [`NetworkModel`]; [`Fault`]
//! * [`Streams`], [`Distribution`]: randomness, one stream a node and purpose
//! * [`Scheme`]: what stamps the events; [`UpstreamSource`]: the Go library's rule as it is
//! * [`Report`], [`Check`]: what was found; [`predict`], [`Prediction`]: what theory says
//! * [`Plan`], [`Failure`], [`Repro`]: a run as a list, and the least that fails the same way
//! * [`Trace`], [`Format`]: everything that happened, read back and written for other tools
//! * [`Log`]: what another system wrote down, judged the same way
//! * [`sample`]: what pictures of a run are made of
//! * [`Scenario`]: a run as a file; [`workload`]: the processes that ship
//! * [`explore`]: worlds so small that all their runs can be looked at
//! * [`sweep`]: a scenario at many points of a grid, with many seeds, on one machine or many
//! * [`history`]: the same question asked from outside: what clients saw, and what that shows
//!
//! # What this crate does not do
//!
//! It opens no socket and reads no clock; but for [`test()`] and [`sweep`], which run seeds side by
//! side, it starts no thread, and knows no file and no environment. It does not simulate the inside
//! of a machine (schedulers, memory, disks): a process handles one thing at a time, at once.

#![warn(clippy::print_stdout, clippy::print_stderr)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "keys are packed from parts that fit, and counts of events fit a double"
)]

mod node;
mod process;
mod world;
mod config;
mod clock;
mod network;
mod region;
mod fault;
mod queue;
mod random;
mod sampler;
mod event;
mod scheme;
mod stamper;
mod lane;
mod identity;
mod recorder;
mod plan;
mod shrink;
mod repro;
mod trace;
mod export;
mod checker;
pub mod predict;
mod report;
mod verdict;
mod scenario;
mod forecast;
mod explain;
mod trial;
pub mod sample;
mod log;
pub mod history;
pub mod explore;
pub mod sweep;
pub mod workload;
pub mod units;

pub use self::{
    clock::{
        Astray, ClockModel, Discipline, FixedClock, Gaps, LocalClock, NodeClock, Ntp,
        RATE_MOST_PPB, Sine, Suspensions,
    },
    config::{DEFAULT_START_NS, Start, WorldConfig},
    event::{Event, EventKind},
    export::Format,
    fault::{Fault, PausedClock, ScheduledFault},
    forecast::Prediction,
    log::{Log, LogError, LogReader, LogReport, LogRules, Undecided},
    network::{Link, NetworkModel},
    node::NodeIndex,
    plan::{Plan, PlanError},
    process::{Ctx, Overwrite, Process, SessionOp},
    random::{Purpose, Rng, Streams},
    region::Region,
    report::{Check, Hop, Number, Path, Report, Unit, Verdict, Witness, WitnessEvent, meaning},
    repro::{Happened, Replayed, Repro},
    sampler::Distribution,
    scenario::{BUILTIN, Builtin, Dropped, Expectation, Expected, Knob, Scenario, ScenarioError},
    scheme::{Memory, Observe, Scheme},
    shrink::{Effort, Failure, NothingToShow, Progress, Shows, ShrinkError, Shrunk},
    stamper::UpstreamSource,
    trace::{Trace, TraceError, TraceEvent, TraceHash, TraceHeader},
    trial::{Passed, Test, TestFailure, Worlds, test},
    world::{RunError, simulate},
};

/// The README's example runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
