//! `guid maelstrom test`: runs a program as many nodes, disturbs them, and judges what their
//! clients saw.
//!
//! # The idea
//!
//! A loop over things that are due, as in a simulator, but in real time: a message is delivered
//! when its latency has passed, a client asks when its turn has come, somebody is killed. Between
//! nodes messages are late, lost and cut off; between clients and nodes they are not, so what a
//! client sees is the node's doing.
//!
//! Afterwards the nodes are healed and left alone, every client reads once more, and the history
//! goes to the checkers of `guid history`. What breaks the protocol is a fault of its own.

mod findings;
mod folder;
mod signals;
mod network;
mod process;
mod record;
mod requests;
mod skew;
mod clients;

use std::{
    env, fs,
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    time::{Duration, Instant},
};

use anyhow::Context;
use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use serde_json::json;

use self::{
    clients::Clients,
    folder::Folder,
    network::{Agenda, Due, Network},
    process::{From, Heard, Node, UNREAD},
    record::Record,
    signals::Signals,
    skew::Skew,
};
pub(crate) use self::{findings::Findings, signals::Interrupted};
use super::{
    Workload,
    protocol::{Body, Message, body},
};
use crate::{cli::Test, lines::without_controls};

/// How many lines of nodes wait to be heard; who says more waits, as at any pipe that is full.
const UNHEARD: usize = 256;
/// How long a node may take to answer `init`.
const INIT: Duration = Duration::from_secs(10);
/// How soon a signal is noticed.
const NOTICE: Duration = Duration::from_millis(50);
/// Who sets nodes up.
const SETUP: &str = "c0";
/// Of faults the first ones are told; one is enough to be wrong.
const FAULTS: usize = 5;

#[expect(clippy::disallowed_methods, reason = "programs run in real time")]
fn now() -> Instant {
    Instant::now()
}

pub(crate) fn run(test: &Test, progress: &dyn Fn(&str)) -> anyhow::Result<Findings> {
    let signals = Signals::listen()?;
    let skew = test.skew.map(|_| Skew::find()).transpose()?;
    let folder = Folder::open(test.folder.as_deref())?;
    let mut harness = Harness::new(test, folder, signals);
    harness.add_nodes(skew.as_ref())?;
    harness.set_up().and_then(|()| harness.main(progress))?;
    Ok(harness.findings())
}

struct Harness<'a> {
    test: &'a Test,
    signals: Signals,
    started: Instant,
    /// Before their folder: nodes are killed before it goes.
    nodes: Vec<Node>,
    folder: Folder,
    /// Where nodes are heard, and the end that they are given.
    heard: Receiver<(From, Heard)>,
    ears: SyncSender<(From, Heard)>,
    agenda: Agenda,
    network: Network,
    clients: Clients,
    record: Record,
    faults: Vec<String>,
    random: Xoshiro256PlusPlus,
    kills: u64,
    steps: u64,
    /// Which nodes have answered `init` since they were started.
    ready: Vec<bool>,
    /// Who was said not to read.
    deaf: Vec<bool>,
}

impl<'a> Harness<'a> {
    fn new(test: &'a Test, folder: Folder, signals: Signals) -> Self {
        let count = usize::from(test.nodes);
        let (ears, heard) = mpsc::sync_channel(UNHEARD);
        Self {
            test,
            signals,
            started: now(),
            nodes: Vec::with_capacity(count),
            folder,
            heard,
            ears,
            agenda: Agenda::default(),
            network: Network::new(test.latency, test.loss),
            clients: Clients::new(test.workload, count),
            record: Record::default(),
            faults: Vec::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(test.seed),
            kills: 0,
            steps: 0,
            ready: vec![false; count],
            deaf: vec![false; count],
        }
    }

    fn add_nodes(&mut self, skew: Option<&Skew>) -> anyhow::Result<()> {
        if let Some(skew) = skew {
            skew.try_out(&self.folder.path().join("clock-trial"))?;
        }
        let program = program(self.test)?;
        for n in 1..=self.test.nodes {
            let (name, folder) = (format!("n{n}"), self.folder.path());
            self.nodes.push(Node::new(name, program.clone(), folder, skew.cloned())?);
        }
        Ok(())
    }

    fn time_ns(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Starts all nodes, and waits until they know who they are.
    fn set_up(&mut self) -> anyhow::Result<()> {
        for index in 0..self.nodes.len() {
            self.start(index)?;
        }
        self.started = now();
        let end = now() + INIT;
        while !self.ready.iter().all(|&ready| ready) && self.faults.is_empty() && now() < end {
            self.turn(end)?;
        }
        for index in 0..self.nodes.len() {
            if !self.ready[index] && self.faults.is_empty() {
                let name = &self.nodes[index].name;
                self.fault(&format!("{name} did not answer `init` in {} s", INIT.as_secs()));
            }
        }
        Ok(())
    }

    fn main(&mut self, progress: &dyn Fn(&str)) -> anyhow::Result<()> {
        if !self.faults.is_empty() {
            return Ok(());
        }
        self.started = now();
        let end = self.started + self.test.time;
        for client in 0..self.nodes.len() {
            self.plan_request(client);
        }
        if self.test.partition || self.test.kill || self.test.skew.is_some() {
            self.agenda.add(self.started + self.test.every / 2, Due::Disturb);
        }
        progress("requests");
        while now() < end {
            self.turn(end)?;
        }
        self.clients.stop();
        progress("healing");
        self.heal()?;
        let settled = now() + self.test.settle;
        while now() < settled || self.clients.are_waiting() {
            self.turn(settled.max(now() + Duration::from_millis(20)))?;
        }
        if self.test.workload.is_read_at_the_end() {
            progress("last reads");
            for client in 0..self.nodes.len() {
                self.ask(client, true);
            }
            while self.clients.are_waiting() {
                self.turn(now() + Duration::from_millis(20))?;
            }
        }
        Ok(())
    }

    /// Does what is due, or takes in what is heard, or waits for either until `until`.
    fn turn(&mut self, until: Instant) -> anyhow::Result<()> {
        self.signals.check()?;
        while let Some(due) = self.agenda.next_due(now()) {
            self.carry_out(due)?;
        }
        let until = self.agenda.next_at().map_or(until, |at| at.min(until));
        let until = until.min(now() + NOTICE);
        match self.heard.recv_timeout(until.saturating_duration_since(now())) {
            Ok((from, heard)) => self.hear(from, heard),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(()),
        }
    }

    fn carry_out(&mut self, due: Due) -> anyhow::Result<()> {
        match due {
            Due::Deliver { from, to, message } => {
                // What is cut off is dropped when it arrives, as in Maelstrom.
                if self.network.reaches(from, to) {
                    self.say(to, message.to_line());
                }
            }
            Due::Request(client) => {
                self.ask(client, false);
                self.plan_request(client);
            }
            Due::Timeout { client, id } => {
                let time = self.time_ns();
                self.clients.give_up(client, id, time, &mut self.record);
            }
            Due::Disturb => self.disturb()?,
            Due::Undo => self.heal()?,
            Due::Start(index) => self.start(index)?,
        }
        Ok(())
    }

    fn plan_request(&mut self, client: usize) {
        let clients = f64::from(self.test.nodes);
        let pause =
            Duration::from_secs_f64(exponential(&mut self.random) * clients / self.test.rate);
        self.agenda.add(now() + pause, Due::Request(client));
    }

    fn ask(&mut self, client: usize, is_final: bool) {
        let time = self.time_ns();
        if let Some((id, line)) = self.clients.ask(client, is_final, time, &mut self.record) {
            self.say(client, line);
            self.agenda.add(now() + self.test.timeout, Due::Timeout { client, id });
        }
    }

    fn start(&mut self, index: usize) -> anyhow::Result<()> {
        if self.nodes[index].is_running() {
            return Ok(());
        }
        self.ready[index] = false;
        self.nodes[index].start(index, &self.ears)?;
        let names: Vec<&String> = self.nodes.iter().map(|node| &node.name).collect();
        let mut init = body("init");
        init.insert("msg_id".to_owned(), 1.into());
        init.insert("node_id".to_owned(), names[index].as_str().into());
        init.insert("node_ids".to_owned(), json!(names));
        self.tell(index, init);
        Ok(())
    }

    fn tell(&mut self, index: usize, body: Body) {
        let line = Message::new(SETUP, &self.nodes[index].name, body).to_line();
        self.say(index, line);
    }

    fn say(&mut self, index: usize, line: String) {
        if !self.nodes[index].say(line) && !self.deaf[index] {
            self.deaf[index] = true;
            let name = &self.nodes[index].name;
            self.fault(&format!("{name} does not read what it is told: {UNREAD} lines wait"));
        }
    }

    fn hear(&mut self, (index, start): From, heard: Heard) -> anyhow::Result<()> {
        if self.nodes[index].start_number() != start || !self.nodes[index].is_running() {
            return Ok(());
        }
        match heard {
            Heard::End(why) => {
                let status = self.nodes[index].kill();
                let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
                let why = if why.is_empty() { why } else { format!(": {why}") };
                let (name, stderr) = (&self.nodes[index].name, self.nodes[index].stderr());
                let said = last_words(&stderr);
                self.fault(&format!("{name} ended by itself{status}{why}{said}"));
            }
            Heard::Line(line) => match Message::parse(&line) {
                Ok(message) => return self.route(index, message),
                Err(error) => {
                    let name = &self.nodes[index].name;
                    let line: String = line.chars().take(200).collect();
                    self.fault(&format!("{name} wrote a line that is no message: {error}: {line}"));
                }
            },
        }
        Ok(())
    }

    /// Hands a message of a node on: to another node over the network, to a client at once.
    fn route(&mut self, index: usize, message: Message) -> anyhow::Result<()> {
        let Message { src, dest, .. } = &message;
        let name = &self.nodes[index].name;
        if src != name {
            self.fault(&format!("{name} wrote a message of {src}"));
        } else if let Some(to) = self.nodes.iter().position(|node| node.name == *dest) {
            if let Some(delay) = self.network.send(index, to, &mut self.random) {
                self.agenda.add(now() + delay, Due::Deliver { from: index, to, message });
            }
        } else if dest == SETUP {
            self.is_set_up(index, &message)?;
        } else {
            let time = self.time_ns();
            let heard = self.clients.hear(&message, time, &mut self.record);
            if let Err(fault) = heard {
                self.fault(&fault);
            }
        }
        Ok(())
    }

    fn is_set_up(&mut self, index: usize, message: &Message) -> anyhow::Result<()> {
        match message.kind() {
            "init_ok" => {
                self.nodes[index].check_clock()?;
                self.ready[index] = true;
                if self.test.workload == Workload::Broadcast {
                    self.tell(index, self.topology());
                }
            }
            "topology_ok" => {}
            _ => {
                let name = &self.nodes[index].name;
                let said = json!(message.body);
                self.fault(&format!("{name} answered `init` with {said}, expected `init_ok`"));
            }
        }
        Ok(())
    }

    /// Everybody is everybody's neighbour.
    fn topology(&self) -> Body {
        let names: Vec<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
        let others = |own: &str| names.iter().filter(|&&name| name != own).collect::<Vec<_>>();
        let topology = names.iter().map(|&name| (name.to_owned(), json!(others(name))));
        let mut body = body("topology");
        body.insert("msg_id".to_owned(), 2.into());
        body.insert("topology".to_owned(), topology.collect());
        body
    }

    fn disturb(&mut self) -> anyhow::Result<()> {
        let time = self.time_ns();
        if self.test.partition {
            let side = self.network.split(self.nodes.len(), &mut self.random);
            self.record.note("partition", &json!(side), time);
        }
        if self.test.kill {
            let index = self.random.random_range(0..self.nodes.len());
            if self.nodes[index].is_running() {
                self.nodes[index].kill();
                self.kills += 1;
                self.record.note("kill", &json!(self.nodes[index].name), time);
                self.agenda.add(now() + self.test.every / 2, Due::Start(index));
            }
        }
        if let Some(most) = self.test.skew {
            let most = i64::try_from(most.as_nanos()).unwrap_or(i64::MAX / 2);
            for node in &self.nodes {
                let offset = self.random.random_range(-most..=most);
                node.set_clock(offset)?;
                self.record.note("clock", &json!({"node": node.name, "offset_ns": offset}), time);
                self.steps += 1;
            }
        }
        if self.clients.are_asking() {
            self.agenda.add(now() + self.test.every / 2, Due::Undo);
            self.agenda.add(now() + self.test.every, Due::Disturb);
        }
        Ok(())
    }

    /// Ends what goes on; clocks stay as they are.
    fn heal(&mut self) -> anyhow::Result<()> {
        if self.network.heal() {
            let time = self.time_ns();
            self.record.note("heal", &json!(null), time);
        }
        if !self.clients.are_asking() {
            self.agenda.forget_faults();
            for index in 0..self.nodes.len() {
                self.start(index)?;
            }
        }
        Ok(())
    }

    fn fault(&mut self, fault: &str) {
        if self.faults.len() < FAULTS {
            // Nodes say what they like; a terminal would obey some of it.
            self.faults.push(without_controls(fault));
        }
    }

    /// Judges what was seen. Whatever comes out, what was seen is kept.
    fn findings(mut self) -> Findings {
        self.nodes.clear();
        let checker = self.test.workload.checker();
        let (outcome, unjudged) = match self.record.judge(checker) {
            Ok(outcome) => (Some(outcome), None),
            Err(error) => (None, Some(without_controls(&format!("{error:#}")))),
        };
        if !self.faults.is_empty() {
            self.folder.keep();
        }
        let Record { ok, failed, unknown, .. } = self.record;
        let (sent, lost) = self.network.counts();
        Findings {
            outcome,
            unjudged,
            faults: self.faults,
            ok,
            failed,
            unknown,
            sent,
            lost,
            kills: self.kills,
            partitions: self.network.splits(),
            steps: self.steps,
            history: self.record.to_line(checker),
            folder: self.folder.path().to_owned(),
        }
    }
}

/// The program of a node, and its arguments.
fn program(test: &Test) -> anyhow::Result<Vec<std::ffi::OsString>> {
    if let Some(bin) = &test.bin {
        return Ok([bin].into_iter().chain(&test.args).cloned().collect());
    }
    let own = env::current_exe().context("finding ourselves")?;
    let args = ["maelstrom", "node", test.workload.name()].map(Into::into);
    Ok([own.into()].into_iter().chain(args).collect())
}

/// The end of what a node said on stderr.
fn last_words(stderr: &std::path::Path) -> String {
    let said = fs::read(stderr).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    match said.trim_end().lines().last() {
        Some(line) => format!(": {}", line.chars().take(200).collect::<String>()),
        None => String::new(),
    }
}

/// A draw of mean 1.
fn exponential(random: &mut impl Rng) -> f64 {
    -(1.0 - random.random::<f64>()).ln()
}
