//! `guid man`: the manual pages, made of what `--help` says.

use std::io::Write;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::{
    cli::{Cli, Globals},
    exit::Exit,
    output::Output,
};

pub(crate) fn run(names: &[String], globals: Globals) -> anyhow::Result<Exit> {
    let mut command = Cli::command();
    command.build();
    for name in names {
        let known: Vec<_> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let Some(found) = command.find_subcommand(name) else {
            let expected =
                if known.is_empty() { "nothing more".to_owned() } else { known.join(", ") };
            let error = anyhow::anyhow!("no command `{name}` in `{command}`: expected {expected}");
            Output::new(globals, false).complain(&error)?;
            return Ok(Exit::Usage);
        };
        command = found.clone();
    }
    let mut output = Output::new(globals, false);
    output.bytes(&page(command)?)?;
    Ok(output.finish()?)
}

/// The page of a command: its examples and exit codes as they stand, line by line.
fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let notes = command.get_after_help().map(ToString::to_string);
    let has_commands = command.has_subcommands();
    let man = Man::new(command).source(concat!("guid ", env!("CARGO_PKG_VERSION"))).manual("guid");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(notes) = notes {
        writeln!(page, ".SH NOTES\n.nf\n{}\n.fi", roff(&notes))?;
    }
    Ok(page)
}

/// The text with what roff takes for a request or an escape made plain.
fn roff(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        if line.starts_with('.') { format!("\\&{line}") } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}
