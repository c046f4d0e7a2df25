//! `guid new`: IDs from the system clock.

use anyhow::Context;
use guid_core::{LocalGenerator, NodeId, Seq, Stamp, SystemClock, Tick};

use crate::{
    cli::{Globals, New, NewForm},
    exit::{Exit, UsageError},
    form::{self, Form, Id},
    fractions::Fractions,
    output::Output,
};

pub(crate) fn run(new: &New, globals: Globals) -> anyhow::Result<Exit> {
    if new.local && matches!(new.text, NewForm::Uuid) {
        return Err(UsageError("--text uuid is for global IDs: expected no --local".into()).into());
    }
    let node = match new.node.or(new.node_name) {
        Some(node) => node,
        None => NodeId::random().context("a random node")?,
    };
    let drift = new.drift.or(new.code).unwrap_or_default();
    let mut ids =
        LocalGenerator::new(node, SystemClock::new()).with_drift(drift).with_last(random_start()?);
    let mut output = Output::new(globals, new.json);
    let form = Form::from(new.text);
    for _ in 0..new.count {
        let id = ids.next();
        let id = if new.local { Id::Local(id.to_local().1) } else { Id::Global(id) };
        if new.json {
            output.json(&Fractions::new(id, None))?;
        } else {
            let text = form::write(id, form).expect("forms an ID may lack are refused above");
            output.line(text)?;
        }
    }
    Ok(output.finish()?)
}

/// Where the sequence starts: anywhere, so that two runs on one node in one tick rarely meet.
fn random_start() -> anyhow::Result<Stamp> {
    let random = NodeId::random().context("a random sequence")?.as_u32();
    let seq = u16::try_from(random % (u32::from(Seq::MAX.as_u16()) + 1))?;
    Ok(Stamp::new(Tick::default(), Seq::new(seq)?))
}
