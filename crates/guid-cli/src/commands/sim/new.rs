//! `guid sim new`: a scenario to start from.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
};

use anyhow::Context;

use crate::{
    cli::Globals,
    exit::{Exit, UsageError},
    output::Output,
};

const TEMPLATE: &str = include_str!("template.toml");
/// What the template is called in its own text.
const NAME: &str = "my-scenario";

pub(crate) fn run(name: Option<&str>, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, false);
    let Some(name) = name else {
        output.bytes(TEMPLATE.as_bytes())?;
        return Ok(output.finish()?);
    };
    let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) {
        let why = format!("the name {name:?}: expected letters, digits, `-`, `_` and `.`");
        return Err(UsageError(why.into()).into());
    }
    let name = name.strip_suffix(".toml").unwrap_or(name);
    let path = format!("{name}.toml");
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = match file {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let why = format!("{path} is there already: it is left as it is");
            return Err(UsageError(why.into()).into());
        }
        file => file.with_context(|| path.clone())?,
    };
    let text = TEMPLATE.replacen(NAME, name, 1);
    file.write_all(text.as_bytes()).with_context(|| path.clone())?;
    output.line(format_args!("{path} is written: guid sim run {path}"))?;
    Ok(output.finish()?)
}
