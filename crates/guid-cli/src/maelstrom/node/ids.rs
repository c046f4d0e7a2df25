//! The workload `unique-ids`: a generator of a node that nobody else is.

use std::path::Path;

use anyhow::Context;
use guid_core::{DurableGenerator, FileHighWater, Generator, Guid, NodeId};

use super::{
    super::{
        LibcClock,
        protocol::{Code, RawBody, Refusal, raw, raw_body},
    },
    Message, Names, Service, kind, not_supported,
};

/// With a file the node is the one of its name, and its high-water mark outlives it. Without one
/// the node is random, so that who comes back is somebody else.
pub(super) enum UniqueIds {
    Durable(DurableGenerator<FileHighWater, LibcClock>),
    Fresh(Generator<LibcClock>),
}

impl UniqueIds {
    pub(super) fn open(names: &Names, state: Option<&Path>) -> anyhow::Result<Self> {
        let Some(folder) = state else {
            return Ok(Self::Fresh(Generator::on_clock(NodeId::random()?, LibcClock)));
        };
        let path = folder.join(format!("{}.high-water", names.own));
        let node = NodeId::from_name(&names.own);
        let mark = FileHighWater::open_or_create(&path, node);
        let mark = mark.with_context(|| path.display().to_string())?;
        Ok(Self::Durable(DurableGenerator::on_clock(mark, LibcClock)?))
    }

    fn next(&self) -> anyhow::Result<Guid> {
        Ok(match self {
            Self::Durable(ids) => ids.next()?,
            Self::Fresh(ids) => ids.next(),
        })
    }
}

impl Service for UniqueIds {
    fn request(&mut self, request: &RawBody, _: &mut Vec<Message>) -> Result<RawBody, Refusal> {
        if kind(request).as_deref() != Some("generate") {
            return Err(not_supported(request));
        }
        let id = self.next();
        let id = id.map_err(|error| Refusal(Code::TemporarilyUnavailable, format!("{error:#}")))?;
        let mut reply = raw_body("generate_ok");
        reply.insert("id".to_owned(), raw(&id.to_lex().as_str()));
        Ok(reply)
    }
}
