//! The steps, carried out one after the other.

use serde_json::Value;

use super::{
    Miss, ReplayError,
    json::shortened,
    kind::Kind,
    script::{Expected, Op, Script, Step},
    stage::{ORDERED_MAX, Stage, Written},
};

/// A history under way.
pub(super) struct Run<'a> {
    pub(super) kind: &'a Kind,
    pub(super) script: &'a Script,
    pub(super) stage: Box<dyn Stage>,
    pub(super) account: Vec<String>,
    pub(super) misses: Vec<Miss>,
}

impl Run<'_> {
    /// Carries out all, and tells why it could not be told if it could not.
    pub(super) fn all(&mut self) -> Result<Option<String>, ReplayError> {
        let script = self.script;
        for (number, step) in (1..).zip(&script.steps) {
            let told = self.step(number, step).map_err(|message| ReplayError {
                at: 0,
                message: format!("step {number}: {message}"),
            })?;
            self.account.push(format!("{number:>3}  {told}"));
        }
        if !script.expect.is_empty() {
            let told = self.expect(None, &script.expect);
            self.account.push(format!("in the end {told}"));
        }
        let Some(any_order) = &script.any_order else { return Ok(None) };
        if any_order.of.len() > ORDERED_MAX {
            return Ok(Some(format!(
                "any_order: more than {ORDERED_MAX} states have too many orders"
            )));
        }
        let of = any_order.of.join(", ");
        match self.stage.joined(&any_order.of).map(|value| self.kind.normal(value)) {
            Ok(value) if value == any_order.value => {
                self.account.push(format!("in every order of {of}: {}", short(&value)));
            }
            Ok(value) => {
                let (found, expected) = (value.to_string(), any_order.value.to_string());
                self.misses.push(Miss::new(None, "any_order", found, expected));
            }
            Err(orders) => {
                let found = Value::from(orders).to_string();
                let expected = any_order.value.to_string();
                self.misses.push(Miss::new(None, "any_order", found, expected));
            }
        }
        Ok(None)
    }

    fn step(&mut self, number: u64, step: &Step) -> Result<String, String> {
        match step {
            Step::Op(op) => self.op(number, op),
            Step::Merge { from, to } => {
                self.stage.merge(from, to)?;
                Ok(self.shows(&format!("{to} merges {from}"), to))
            }
            Step::Sync(replicas) => {
                let told = format!("{} exchange states", shortened(&replicas.join(", ")));
                if !self.stage.sync(replicas)? {
                    let found = Value::from("they differ").to_string();
                    self.misses.push(Miss::new(Some(number), "sync", found, "true".to_owned()));
                }
                Ok(match replicas.first() {
                    Some(first) => self.shows(&told, first),
                    None => told,
                })
            }
            Step::Deliver { message, to } => {
                let held = self.stage.deliver(message, to)?;
                let held = held.map_or_else(String::new, |why| format!(" ({why})"));
                Ok(self.shows(&format!("{to} takes in {message}{held}"), to))
            }
            Step::Save { from, name } => {
                self.stage.save(from, name);
                Ok(format!("{name} is what {from} has now"))
            }
            Step::Expect(expected) => Ok(self.expect(Some(number), expected)),
        }
    }

    fn op(&mut self, number: u64, op: &Op) -> Result<String, String> {
        if let Some(rights) = op.rights {
            let found = self.stage.rights(&op.at);
            if found != rights {
                let what = format!("rights of {}", op.at);
                let miss = Miss::new(Some(number), &what, found.to_string(), rights.to_string());
                self.misses.push(miss);
            }
        }
        let seen = op.seen_by.as_ref().map_or_else(String::new, |name| format!(", seen {name}"));
        let told = format!("{}: {}{seen}", op.at, shortened(&op.action.to_string()));
        let written = self.stage.write(op, self.script.observed_clock)?;
        let missed = match &written {
            Written::Refused { is_unchanged: false, .. } => Some("refused, and changed"),
            Written::Refused { .. } if !op.is_refused => Some("refused"),
            Written::Refused { .. } => None,
            _ if op.is_refused => Some("done"),
            _ => None,
        };
        if let Some(found) = missed {
            let expected = if op.is_refused { "refused" } else { "done" };
            let quoted = |word: &str| Value::from(word).to_string();
            self.misses.push(Miss::new(Some(number), &told, quoted(found), quoted(expected)));
        }
        let told = match written {
            Written::Done => told,
            Written::Fetched => format!("{told} (after fetching what it has seen)"),
            Written::Lost => format!("{told} (lost: another write stands)"),
            Written::Refused { why, .. } => format!("{told} (refused: {why})"),
        };
        Ok(self.shows(&told, &op.at))
    }

    /// Compares, notes what differs, and tells whether anything does.
    fn expect(&mut self, step: Option<u64>, expected: &[Expected]) -> String {
        let before = self.misses.len();
        for Expected { name, values, text } in expected {
            let found = self.kind.normal(self.stage.value(name));
            if !values.contains(&found) {
                self.misses.push(Miss::new(step, name, found.to_string(), text.clone()));
            }
        }
        let told = expected.iter().map(|e| format!("{} is {}", e.name, shortened(&e.text)));
        let told = told.collect::<Vec<_>>().join(", ");
        let is_met = self.misses.len() == before;
        format!("{told}: {}", if is_met { "as expected" } else { "expected, and not so" })
    }

    fn shows(&self, told: &str, name: &str) -> String {
        let value = self.kind.normal(self.stage.value(name));
        format!("{told:<36}  {name} shows {}", short(&value))
    }
}

fn short(value: &Value) -> String {
    shortened(&value.to_string())
}
