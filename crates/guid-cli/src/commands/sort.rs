//! `guid sort`: lines in the order of the IDs they are.

use std::io;

use crate::{
    cli::{Globals, Sort},
    exit::Exit,
    form,
    fractions::Fractions,
    lines,
    output::Output,
};

pub(crate) fn run(sort: &Sort, globals: Globals) -> anyhow::Result<Exit> {
    let mut output = Output::new(globals, sort.json);
    let mut sorted = Vec::new();
    lines::each_line(io::stdin().lock(), &mut output, |text, _| {
        sorted.push((form::read(text, sort.form)?, text.to_owned()));
        Ok(())
    })?;
    // Stable: equal IDs, in whatever forms, stay as they came.
    sorted.sort_by_key(|&(id, _)| id.key(sort.by));
    for (id, line) in sorted {
        if sort.json {
            output.json(&Fractions::new(id, Some(&line)))?;
        } else {
            output.line(line)?;
        }
    }
    Ok(output.finish()?)
}
