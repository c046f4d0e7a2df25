//! Reading a log line by line.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Column, ColumnScheme, Id, Kind, Line, Log, LogError, LogRules, Message, order};
use crate::{
    Event, EventKind, Memory, NodeIndex, Observe, Scheme,
    stamper::{read_id, recognize},
};

/// The most lines, IDs and messages of a log, taken together: about a gigabyte of memory (measured:
/// 360 MB for 1.5 million).
const MOST: usize = 4_000_000;
/// The most nodes.
const MOST_NODES: usize = 65_536;
/// The longest name of a node or a message, and the longest ID, in bytes.
const LONGEST: usize = 1_024;

/// Reads a log, one line at a time.
#[derive(Debug)]
pub struct LogReader {
    rules: LogRules,
    line: u64,
    header: Option<Header>,
    lines: Vec<Line>,
    columns: Vec<Column>,
    ids: usize,
    names: BTreeMap<String, NodeIndex>,
    messages: BTreeMap<String, u32>,
    of_messages: Vec<Message>,
    /// Lines that have both times, and lines that have one.
    both_times: (u64, u64),
}

#[derive(Debug)]
struct Header {
    scenario: String,
    observe: Option<Observe>,
    memory: Option<Memory>,
}

/// The fields of one line, and where they stand in it.
struct Fields<'a> {
    line: u64,
    text: &'a str,
    object: Map<String, Value>,
}

impl LogReader {
    /// Returns a reader that has read nothing.
    pub fn new(rules: LogRules) -> Self {
        Self {
            rules,
            line: 0,
            header: None,
            lines: Vec::new(),
            columns: Vec::new(),
            ids: 0,
            names: BTreeMap::new(),
            messages: BTreeMap::new(),
            of_messages: Vec::new(),
            both_times: (0, 0),
        }
    }

    /// Reads the next line; an empty one is passed over.
    ///
    /// # Errors
    ///
    /// See [`LogError`]. Nothing was taken in of a line that was refused.
    pub fn line(&mut self, text: &str) -> Result<(), LogError> {
        self.line += 1;
        // Editors of one system put this mark before the first line.
        let text = if self.line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        if text.trim().is_empty() {
            return Ok(());
        }
        let fields = Fields::new(self.line, text)?;
        if fields.object.contains_key("guid_sim") {
            if !self.lines.is_empty() || self.header.is_some() {
                return Err(fields.wrong("guid_sim", "a second header"));
            }
            self.header = Some(fields.header()?);
            return Ok(());
        }
        if self.lines.len() + self.ids + self.of_messages.len() >= MOST {
            let message = format!("more than {MOST} lines, IDs and messages: check a part of it");
            return Err(fields.error(1, message));
        }
        self.event(&fields)
    }

    fn event(&mut self, fields: &Fields<'_>) -> Result<(), LogError> {
        let node = self.node(fields)?;
        let (true_ns, local_ns) = fields.times()?;
        let kind = fields.object.get("kind").and_then(Value::as_str);
        let (received, sent) = self.of_messages(fields, kind)?;
        let ids = fields.ids()?;
        let at = self.lines.len();
        let mut read = Vec::new();
        for (key, name, text) in ids {
            let column = self.column(name.as_deref(), &text, fields, key)?;
            if let ColumnScheme::Known(scheme) = column {
                // A name of a node that is not known yet does not matter here.
                let refused = |why| fields.wrong(key, &format!("{why} (as {scheme})"));
                read_id(scheme, &text, NodeIndex::new(0)).map_err(refused)?;
            }
            read.push((column, text.into_boxed_str()));
        }
        let twice = (1..read.len()).find(|&i| read[..i].iter().any(|(c, _)| *c == read[i].0));
        if twice.is_some() {
            return Err(fields.wrong("ids", "two IDs of one scheme"));
        }
        let incarnation = fields.number("incarnation")?.unwrap_or(1);
        let number = match &self.header {
            Some(_) => fields.number("event")?.unwrap_or(self.line),
            None => self.line,
        };
        let kind_of_event = fields.write()?;

        // From here on nothing is refused.
        let node = node.unwrap_or_else(|name| self.new_node(name));
        self.both_times.0 += u64::from(true_ns.is_some() && local_ns.is_some());
        self.both_times.1 += 1;
        let local = local_ns.or(true_ns).unwrap_or(0);
        let event = Event {
            number,
            node,
            incarnation,
            true_ns: true_ns.unwrap_or(local),
            local_ns: local,
            kind: kind_of_event,
        };
        let received = received.map(|name| self.message(name));
        if let Some(message) = received {
            self.of_messages[message as usize].receives += 1;
        }
        let sent: Vec<u32> = sent.into_iter().map(|name| self.message(name)).collect();
        for &message in &sent {
            self.of_messages[message as usize].sent = Some(at);
        }
        for (scheme, text) in read {
            let column = self.columns.iter_mut().find(|column| column.scheme == scheme);
            let id = Id { line: at, text };
            match column {
                Some(column) => column.ids.push(id),
                None => self.columns.push(Column { scheme, ids: vec![id] }),
            }
            self.ids += 1;
        }
        let kind = match kind {
            Some("restart") => Kind::Restart,
            Some(
                "clock-fault" | "clone" | "crash" | "heal" | "hold" | "join" | "lost" | "partition"
                | "pause" | "release" | "resume",
            ) => Kind::Other,
            _ => Kind::Plain,
        };
        self.lines.push(Line { event, received, sent, kind });
        Ok(())
    }

    /// The node of a line: known, or its name.
    fn node(&self, fields: &Fields<'_>) -> Result<Result<NodeIndex, String>, LogError> {
        let name = fields.name("node")?.ok_or_else(|| fields.missing("node"))?;
        match self.names.get(&name) {
            Some(&node) => Ok(Ok(node)),
            None if self.names.len() == MOST_NODES => {
                Err(fields.wrong("node", &format!("more than {MOST_NODES} nodes")))
            }
            None => Ok(Err(name)),
        }
    }

    fn new_node(&mut self, name: String) -> NodeIndex {
        let node = NodeIndex::new(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.insert(name, node);
        node
    }

    fn message(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.of_messages.len()).unwrap_or(u32::MAX);
        let message = *self.messages.entry(name).or_insert(next);
        if message == next {
            self.of_messages.push(Message { sent: None, receives: 0 });
        }
        message
    }

    /// The names of the message that was received and of those that were sent.
    fn of_messages(
        &self,
        fields: &Fields<'_>,
        kind: Option<&str>,
    ) -> Result<(Option<String>, Vec<String>), LogError> {
        // A trace of ours has `message` and says in `kind` which way it went.
        let message = if kind == Some("send") || kind == Some("receive") {
            fields.name("message")?
        } else {
            None
        };
        let (mut received, mut sent) = (fields.name("receive")?, fields.names("send")?);
        match kind {
            Some("receive") => received = received.or(message),
            Some("send") => sent.extend(message),
            _ => {}
        }
        let key = if kind == Some("send") { "message" } else { "send" };
        let mut here = BTreeSet::new();
        for name in &sent {
            let earlier = self.messages.get(name).map(|&m| self.of_messages[m as usize].sent);
            if earlier.flatten().is_some() || !here.insert(name) {
                return Err(fields.wrong(key, &format!("message {name:?} is sent twice")));
            }
            if received.as_ref() == Some(name) {
                let message = format!("message {name:?} is sent and received on one line");
                return Err(fields.wrong(key, &message));
            }
        }
        Ok((received, sent))
    }

    /// The scheme of an ID, by its key or the rules or its form.
    fn column(
        &self,
        name: Option<&str>,
        text: &str,
        fields: &Fields<'_>,
        key: &str,
    ) -> Result<ColumnScheme, LogError> {
        let said = name.or(self.rules.scheme.as_deref());
        if let Some(said) = said {
            if said == "text" {
                return Ok(ColumnScheme::Text);
            }
            let scheme = said.parse::<Scheme>().map(ColumnScheme::Known);
            return scheme.map_err(|why| fields.wrong(key, &format!("{why}, or text")));
        }
        // What the first one was, the others are.
        if let Some(first) = self.columns.first() {
            return Ok(first.scheme);
        }
        Ok(recognize(text).map_or(ColumnScheme::Text, ColumnScheme::Known))
    }

    /// Ends the log.
    ///
    /// # Errors
    ///
    /// Messages that were received, by the log, before they were sent. See [`LogError`].
    pub fn finish(self) -> Result<Log, LogError> {
        let header = self.header.as_ref();
        let observe = header.and_then(|header| header.observe).or(self.rules.observe);
        let mut lines = self.lines;
        let mut nodes: Vec<(NodeIndex, String)> =
            self.names.into_iter().map(|(name, node)| (node, name)).collect();
        nodes.sort();
        let mut nodes: Vec<String> = nodes.into_iter().map(|(_, name)| name).collect();
        renumber(&mut nodes, &mut lines);
        let order = order::causal(&lines, &self.of_messages, nodes.len())?;
        Ok(Log {
            name: header.map(|header| header.scenario.clone()),
            nodes,
            order,
            lines,
            columns: self.columns,
            messages: self.of_messages,
            observe: observe.unwrap_or(Observe::Follow),
            fresh_node: header.is_some_and(|header| header.memory == Some(Memory::FreshNode)),
            has_both_times: self.both_times.0 == self.both_times.1,
            rules: self.rules,
        })
    }
}

/// Nodes whose names are the numbers from one on are counted by their names.
fn renumber(nodes: &mut Vec<String>, lines: &mut [Line]) {
    // `01` and `1` are two names.
    let number = |name: &String| name.parse::<u32>().ok().filter(|n| n.to_string() == *name);
    let numbers: Option<Vec<u32>> = nodes.iter().map(number).collect();
    let Some(numbers) = numbers else { return };
    let most = numbers.iter().copied().max().unwrap_or(0);
    if numbers.contains(&0) || most as usize > MOST_NODES {
        return;
    }
    for line in lines {
        line.event.node = NodeIndex::new(numbers[line.event.node.at()] - 1);
    }
    *nodes = (1..=most).map(|number| number.to_string()).collect();
}

impl<'a> Fields<'a> {
    fn new(line: u64, text: &'a str) -> Result<Self, LogError> {
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(Self { line, text, object }),
            Ok(_) => {
                let message = String::from("found JSON that is no object, expected an object");
                Err(LogError { line, column: 1, message })
            }
            Err(error) => {
                // Its own place is on the one line it was given.
                let told = error.to_string();
                let message = told.split(" at line ").next().unwrap_or_default().to_owned();
                let message = format!("no JSON object: {message}");
                Err(LogError { line, column: error.column().max(1), message })
            }
        }
    }

    fn error(&self, column: usize, message: String) -> LogError {
        LogError { line: self.line, column, message }
    }

    /// An error about the value of a key, at the key.
    fn wrong(&self, key: &str, message: &str) -> LogError {
        let at = self.text.find(&format!("\"{key}\"")).unwrap_or(0);
        self.error(at + 1, format!("`{key}`: {message}"))
    }

    fn missing(&self, key: &str) -> LogError {
        self.error(1, format!("`{key}` is missing"))
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// A number, or a number as text, as those of 64 bits are written.
    fn number<N: TryFrom<u64>>(&self, key: &str) -> Result<Option<N>, LogError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        let number = number.and_then(|number| N::try_from(number).ok());
        let wrong = || self.wrong(key, &format!("found {}, expected a whole number", cut(value)));
        number.map(Some).ok_or_else(wrong)
    }

    /// True time and local time, as far as they are there.
    fn times(&self) -> Result<(Option<u64>, Option<u64>), LogError> {
        let time = |key| match self.number::<u64>(key)? {
            Some(ns) if ns >= 1 << 63 => {
                Err(self.wrong(key, &format!("found {ns}, expected less than 2^63 ns")))
            }
            found => Ok(found),
        };
        let (mut true_ns, local_ns) = (time("true_ns")?, time("local_ns")?);
        let either = time("time_ns")?;
        if true_ns.is_none() && local_ns.is_none() {
            true_ns = Some(either.ok_or_else(|| self.missing("time_ns"))?);
        }
        Ok((true_ns, local_ns))
    }

    fn of_name(&self, key: &str, value: &Value) -> Result<String, LogError> {
        let name = match value {
            Value::String(text) if text.len() > LONGEST => {
                return Err(self.wrong(key, &format!("a text of more than {LONGEST} bytes")));
            }
            Value::String(text) if !text.is_empty() => text.clone(),
            Value::Number(number) if number.is_u64() => number.to_string(),
            _ => {
                let found = cut(value);
                let message = format!("found {found}, expected a text or a whole number");
                return Err(self.wrong(key, &message));
            }
        };
        Ok(name)
    }

    fn name(&self, key: &str) -> Result<Option<String>, LogError> {
        self.get(key).map(|value| self.of_name(key, value)).transpose()
    }

    /// One name, or a list of them.
    fn names(&self, key: &str) -> Result<Vec<String>, LogError> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| self.of_name(key, item)).collect(),
            Some(value) => Ok(vec![self.of_name(key, value)?]),
        }
    }

    /// The key it stands under, the scheme if its name is said, and the text of each ID.
    #[expect(clippy::type_complexity, reason = "three texts, used in one place")]
    fn ids(&self) -> Result<Vec<(&'static str, Option<String>, String)>, LogError> {
        let mut ids = Vec::new();
        if let Some(id) = self.name("id")? {
            ids.push(("id", None, id));
        }
        match self.get("ids") {
            None => {}
            Some(Value::Object(of_schemes)) => {
                for (scheme, id) in of_schemes {
                    ids.push(("ids", Some(scheme.clone()), self.of_name("ids", id)?));
                }
            }
            Some(value) => {
                let found = cut(value);
                let message = format!("found {found}, expected an object of texts by scheme");
                return Err(self.wrong("ids", &message));
            }
        }
        Ok(ids)
    }

    /// A write to a register, or anything else.
    fn write(&self) -> Result<EventKind, LogError> {
        let Some(register) = self.number("register")? else { return Ok(EventKind::Mint) };
        match self.get("overwrite") {
            Some(&Value::Bool(overwrite)) => Ok(EventKind::Write { register, overwrite }),
            None => Ok(EventKind::Write { register, overwrite: false }),
            Some(value) => {
                let message = format!("found {}, expected true or false", cut(value));
                Err(self.wrong("overwrite", &message))
            }
        }
    }

    fn header(&self) -> Result<Header, LogError> {
        if self.number::<u64>("guid_sim")? != Some(1) {
            return Err(self.wrong("guid_sim", "expected 1"));
        }
        let scenario = self.name("scenario")?.unwrap_or_else(|| String::from("unnamed"));
        let parse = |key: &'static str| self.name(key);
        let observe = parse("observe")?.map(|text| text.parse::<Observe>()).transpose();
        let memory = parse("restart")?.map(|text| text.parse::<Memory>()).transpose();
        Ok(Header {
            scenario,
            observe: observe.map_err(|why| self.wrong("observe", &why))?,
            memory: memory.map_err(|why| self.wrong("restart", &why))?,
        })
    }
}

/// The beginning of a value, for an error.
fn cut(value: &Value) -> String {
    const SHOWN: usize = 40;
    let text = value.to_string();
    let dots = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    text.chars().take(SHOWN).chain(dots.chars()).collect()
}
