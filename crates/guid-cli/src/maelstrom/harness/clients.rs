//! The clients: one a node, each asking for one thing at a time.

use serde_json::Value;

use super::{
    super::{
        Workload,
        protocol::{Message, is_definite},
    },
    record::{Kind, Operation, Record},
    requests::Request,
};

#[derive(Debug)]
pub(super) struct Clients {
    workload: Workload,
    each: Vec<Client>,
    /// How many requests were made.
    requests: u64,
    asking: bool,
}

#[derive(Debug)]
struct Client {
    /// In the history. A client that cannot know how its request ended goes on as somebody else.
    process: usize,
    /// The last one used.
    id: u64,
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    id: u64,
    request: Request,
    is_final: bool,
}

impl Clients {
    pub(super) fn new(workload: Workload, count: usize) -> Self {
        let client = |process| Client { process, id: 0, waiting: None };
        let each = (0..count).map(client).collect();
        Self { workload, each, requests: 0, asking: true }
    }

    /// No requests any more, but for the last reads.
    pub(super) const fn stop(&mut self) {
        self.asking = false;
    }

    pub(super) const fn are_asking(&self) -> bool {
        self.asking
    }

    pub(super) fn are_waiting(&self) -> bool {
        self.each.iter().any(|client| client.waiting.is_some())
    }

    /// Makes the next request of a client that is not waiting: its number, and the line to send.
    pub(super) fn ask(
        &mut self,
        index: usize,
        is_final: bool,
        time_ns: u64,
        record: &mut Record,
    ) -> Option<(u64, String)> {
        let client = &mut self.each[index];
        if client.waiting.is_some() {
            return None;
        }
        let request =
            if is_final { self.workload.read() } else { self.workload.request(self.requests) };
        self.requests += u64::from(!is_final);
        client.id += 1;
        let mut body = request.body.clone();
        body.insert("msg_id".to_owned(), client.id.into());
        let operation = request.operation(is_final);
        record.push(client.process, Kind::Invoke, &operation, time_ns);
        client.waiting = Some(Waiting { id: client.id, request, is_final });
        let (own, node) = (format!("c{}", index + 1), format!("n{}", index + 1));
        Some((client.id, Message::new(&own, &node, body).to_line()))
    }

    /// Takes in an answer, or says what is wrong with it. One that comes too late is passed over.
    pub(super) fn hear(
        &mut self,
        message: &Message,
        time_ns: u64,
        record: &mut Record,
    ) -> Result<(), String> {
        let Message { src, dest, body } = message;
        let wrong =
            |why: String| format!("{src} answered {dest}: {why}: {}", Value::from(body.clone()));
        let index = dest.strip_prefix('c').and_then(|number| number.parse::<usize>().ok());
        let client = index.and_then(|index| self.each.get_mut(index.wrapping_sub(1)));
        let client = client.ok_or_else(|| wrong("there is no such client".to_owned()))?;
        let id = body.get("in_reply_to").and_then(Value::as_u64);
        let id = id.ok_or_else(|| wrong("`in_reply_to` is no number of a request".to_owned()))?;
        if id > client.id {
            return Err(wrong("it was never asked that".to_owned()));
        }
        let Some(waiting) = client.waiting.take_if(|waiting| waiting.id == id) else {
            return Ok(());
        };
        if message.kind() == "error" {
            let code = body.get("code").and_then(Value::as_i64);
            let code = code.ok_or_else(|| wrong("an error without a `code`".to_owned()))?;
            client.end(&waiting, is_definite(code), time_ns, record);
            return Ok(());
        }
        match waiting.request.understand(body) {
            Ok(value) => {
                let asked = waiting.request.operation(waiting.is_final);
                let answered = Operation { value: &value, ..asked };
                record.push(client.process, Kind::Ok, &answered, time_ns);
                Ok(())
            }
            Err(why) => {
                client.end(&waiting, false, time_ns, record);
                Err(wrong(why))
            }
        }
    }

    /// Nobody answered in time.
    pub(super) fn give_up(&mut self, index: usize, id: u64, time_ns: u64, record: &mut Record) {
        let client = &mut self.each[index];
        if let Some(waiting) = client.waiting.take_if(|waiting| waiting.id == id) {
            client.end(&waiting, false, time_ns, record);
        }
    }
}

impl Client {
    /// A request that failed for certain, or may have been carried out. A read does nothing, so it
    /// always failed.
    fn end(&mut self, waiting: &Waiting, is_certain: bool, time_ns: u64, record: &mut Record) {
        let operation = waiting.request.operation(waiting.is_final);
        let is_read = ["read", "echo"].contains(&operation.function);
        let kind = if is_certain || is_read { Kind::Fail } else { Kind::Info };
        record.push(self.process, kind, &operation, time_ns);
        if kind == Kind::Info {
            self.process += CLIENTS_MAX;
        }
    }
}

/// More than there can be clients, so that a new number is nobody's.
const CLIENTS_MAX: usize = 64;
