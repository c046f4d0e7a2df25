//! `guid convert`: IDs in another text form.

use crate::{
    cli::{Convert, Globals},
    exit::Exit,
    form, lines,
    output::Output,
};

pub(crate) fn run(convert: &Convert, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, false);
    lines::each(&convert.ids.ids, &mut output, |text, output| {
        let id = form::read(text, convert.ids.form)?;
        Ok(output.line(form::write(id, convert.to)?)?)
    })
}
