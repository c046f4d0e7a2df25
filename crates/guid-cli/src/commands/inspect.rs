//! `guid inspect`: every fraction of an ID.

use guid_core::Guid;

use crate::{
    cli::{Globals, Inspect},
    exit::Exit,
    form::{self, Form, Id},
    fractions::Fractions,
    lines,
    output::Output,
    picture,
};

pub(crate) fn run(inspect: &Inspect, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, inspect.json);
    let mut first = true;
    lines::each(&inspect.ids.ids, &mut output, |text, output| {
        let id = form::read(text, inspect.ids.form)?;
        if inspect.json {
            return Ok(output.json(&Fractions::new(id, Some(text)))?);
        }
        if !first {
            output.line("")?;
        }
        first = false;
        let [on, off] = output.emphasis();
        output.line(format_args!("{on}{text}{off}"))?;
        Ok(output.bytes(picture::block(id, &texts(id), [on, off]).as_bytes())?)
    })
}

/// Every text the ID has, by name.
fn texts(id: Id) -> Vec<(&'static str, String)> {
    let forms = [
        ("canonical", Form::Lex),
        ("base32", Form::Base32),
        ("base62", Form::Base62),
        ("base62 padded", Form::Base62Padded),
        ("hexadecimal", Form::Hex),
        ("UUID", Form::Uuid),
        ("in JSON", Form::Starred),
    ];
    let mut texts: Vec<_> = forms
        .into_iter()
        .filter_map(|(name, form)| Some((name, form::write(id, form).ok()?)))
        .collect();
    if let Id::Global(id) = id {
        texts.push(("local", local(id)));
    }
    texts
}

fn local(id: Guid) -> String {
    id.to_local().1.to_string()
}
