//! `guid convert`: IDs in another text form.

use serde::Serialize;

use crate::{
    cli::{Convert, Globals},
    exit::Exit,
    form::{self, Form},
    lines,
    output::Output,
};

/// An ID in another form, in JSON.
#[derive(Serialize)]
struct Converted<'a> {
    input: &'a str,
    form: Form,
    text: &'a str,
}

pub(crate) fn run(convert: &Convert, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, convert.json);
    lines::each(&convert.ids.ids, &mut output, |text, output| {
        let id = form::read(text, convert.ids.form)?;
        let written = form::write(id, convert.to)?;
        if convert.json {
            let converted = Converted { input: text, form: convert.to, text: &written };
            return Ok(output.json(&converted)?);
        }
        Ok(output.line(written)?)
    })
}
