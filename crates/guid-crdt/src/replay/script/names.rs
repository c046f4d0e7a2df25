//! What the names in a line stand for: replicas with their nodes, saved states, messages.

use std::collections::{BTreeMap, BTreeSet};

use guid_core::NodeId;

use super::super::json::{Json, Read, hint};

#[derive(Default)]
pub(in super::super) struct Names {
    /// Numbers that the line gives, whether the replica was used yet or not.
    given: BTreeMap<String, u32>,
    replicas: BTreeMap<String, u32>,
    saved: BTreeSet<String>,
    messages: BTreeSet<String>,
    next: u32,
}

impl Names {
    /// The numbers that `nodes` gives.
    pub(super) fn read(nodes: Option<Json<'_>>) -> Read<Self> {
        let mut names = Self { next: 1, ..Self::default() };
        let entries = nodes.map(|nodes| nodes.object("`nodes`", "an object: replica to number"));
        for (replica, number) in entries.transpose()?.unwrap_or_default() {
            let node = number.natural("a node", u32::MAX.into())?;
            let node = u32::try_from(node).unwrap_or(u32::MAX);
            if let Some((twin, _)) = names.given.iter().find(|&(_, &given)| given == node) {
                let message = format!("`{replica}` and `{twin}` are one node: each needs its own");
                return Err(number.error(message));
            }
            names.given.insert(replica, node);
        }
        Ok(names)
    }

    /// The node of a replica that was used.
    pub(super) fn node(&self, replica: &str) -> NodeId {
        NodeId::new(self.replicas.get(replica).copied().unwrap_or(0))
    }

    /// The replicas and their nodes.
    pub(in super::super) fn replicas(&self) -> impl Iterator<Item = (&str, NodeId)> {
        self.replicas.iter().map(|(name, &node)| (name.as_str(), NodeId::new(node)))
    }

    /// A replica, which is empty if it was not used before.
    pub(super) fn replica(&mut self, name: Json<'_>) -> Read<String> {
        let word = name.text("a replica")?;
        if self.saved.contains(&word) {
            return Err(name.error(format!("`{word}` is a saved state: expected a replica")));
        }
        self.use_replica(&word);
        Ok(word)
    }

    fn use_replica(&mut self, word: &str) {
        if self.replicas.contains_key(word) {
            return;
        }
        let given = self.given.get(word).copied();
        let node = given.unwrap_or_else(|| {
            // Lines are far too short for the numbers to end.
            while self.given.values().any(|&taken| taken == self.next) {
                self.next += 1;
            }
            self.next += 1;
            self.next - 1
        });
        self.replicas.insert(word.to_owned(), node);
    }

    /// A replica or a saved state.
    pub(super) fn state(&mut self, name: Json<'_>) -> Read<String> {
        let word = name.text("a replica or a saved state")?;
        self.use_state(&word);
        Ok(word)
    }

    /// The same, of a name that is a key.
    pub(super) fn use_state(&mut self, word: &str) {
        if !self.saved.contains(word) {
            self.use_replica(word);
        }
    }

    /// A name to save under.
    pub(super) fn save(&mut self, name: Json<'_>) -> Read<String> {
        let word = name.text("a name")?;
        if self.replicas.contains_key(&word) || self.given.contains_key(&word) {
            return Err(name.error(format!("`{word}` is a replica: expected another name")));
        }
        self.saved.insert(word.clone());
        Ok(word)
    }

    /// A state or context that was saved.
    pub(super) fn saved(&self, name: Json<'_>) -> Read<String> {
        known(name, &self.saved, "context")
    }

    /// A name for a message.
    pub(super) fn keep(&mut self, name: Json<'_>) -> Read<String> {
        let word = name.text("a name")?;
        self.messages.insert(word.clone());
        Ok(word)
    }

    /// A message that was kept.
    pub(super) fn message(&self, name: Json<'_>) -> Read<String> {
        known(name, &self.messages, "message")
    }
}

fn known(name: Json<'_>, names: &BTreeSet<String>, what: &str) -> Read<String> {
    let word = name.text("a name")?;
    if names.contains(&word) {
        return Ok(word);
    }
    let list: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = if list.is_empty() { String::new() } else { hint(&word, &list) };
    Err(name.error(format!("no {what} is called `{word}` yet{hint}")))
}
