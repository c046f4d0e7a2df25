//! `guid compose`: the ID with given fractions, from arguments or from JSON objects.

mod object;

use std::io;

use guid_core::{Drift, Guid, LocalId, NodeId, Seq, Stamp, Tick};

use crate::{
    cli::{Compose, Globals},
    exit::{Exit, UsageError},
    form::{self, Form, Id},
    fractions::Fractions,
    lines::{self, Stop},
    output::Output,
};

/// The fractions to compose. Every one is in its range.
#[derive(Clone, Copy, Debug)]
struct Parts {
    drift: Drift,
    unix_ns: u64,
    seq: Seq,
    /// `None` makes a local.
    node: Option<NodeId>,
}

impl Parts {
    /// The time is rounded down to the tick.
    fn compose(self) -> Id {
        let stamp = Stamp::new(Tick::from_unix_nanos(self.unix_ns), self.seq);
        match self.node {
            Some(node) => Id::Global(Guid::new(self.drift, node, stamp)),
            None => Id::Local(LocalId::new(self.drift, stamp)),
        }
    }
}

pub(crate) fn run(compose: &Compose, globals: Globals) -> anyhow::Result<Exit> {
    // JSON in, JSON out; a person who types the fractions wants the ID.
    let arguments = from_arguments(compose)?;
    let json = compose.json || (arguments.is_none() && compose.text.is_none());
    let form = compose.text.unwrap_or(Form::Lex);
    let mut output = Output::new(globals, json);
    let write = |parts: Parts, input: Option<&str>, output: &mut Output| -> Result<(), Stop> {
        let id = parts.compose();
        if json {
            output.json(&Fractions::new(id, input))?;
        } else {
            output.line(form::write(id, form)?)?;
        }
        Ok(())
    };
    let Some(parts) = arguments else {
        return lines::each_line(io::stdin().lock(), &mut output, |line, output| {
            write(object::read(line)?, Some(line), output)
        });
    };
    match write(parts, None, &mut output) {
        Ok(()) => Ok(output.finish()?),
        Err(Stop::Output(error)) => Err(error.into()),
        Err(Stop::Bad(bad)) => Err(anyhow::anyhow!(bad.why)),
    }
}

/// What was typed, if anything was; that the parts come together is seen to by clap.
fn from_arguments(compose: &Compose) -> Result<Option<Parts>, UsageError> {
    let (Some(drift), Some(unix_ns), Some(seq)) = (compose.code, compose.unix_ns, compose.seq)
    else {
        return Ok(None);
    };
    let seq = Seq::new(seq).map_err(|_| UsageError("--seq is over 16383".into()))?;
    let node = match (compose.local, compose.node) {
        (true, _) => None,
        (false, Some(node)) => Some(node),
        (false, None) => {
            return Err(UsageError("--node is missing: a local has none, say --local".into()));
        }
    };
    Ok(Some(Parts { drift, unix_ns, seq, node }))
}
