//! `guid inspect`: every fraction of an ID.

use guid_core::Guid;

use crate::{
    cli::{Globals, Inspect},
    exit::Exit,
    form::{self, Form, Id},
    fractions::Fractions,
    lines::{self, Bad},
    output::Output,
    picture,
};

/// What one picture holds.
const DRAWN_MAX: usize = 64;

pub(crate) fn run(inspect: &Inspect, globals: Globals) -> anyhow::Result<Exit> {
    if inspect.svg {
        return draw(inspect, globals);
    }
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

/// One picture of all of them.
fn draw(inspect: &Inspect, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, false);
    let mut drawn = Vec::new();
    let exit = lines::each(&inspect.ids.ids, &mut output, |text, _| {
        let id = form::read(text, inspect.ids.form)?;
        if drawn.len() == DRAWN_MAX {
            return Err(Bad::new(0, format!("one more than a picture holds: {DRAWN_MAX}")).into());
        }
        drawn.push((text.to_owned(), id));
        Ok(())
    })?;
    output.bytes(picture::svg(&drawn).as_bytes())?;
    output.flush()?;
    Ok(exit)
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
