//! What each command does. One file a command.

mod new;
mod inspect;
mod compose;
mod convert;
mod sort;
mod sim;
mod history;
mod maelstrom;
mod crdt;
#[cfg(feature = "serve")]
mod serve;
mod man;

use clap::CommandFactory;

pub(crate) use self::sim::table;

use crate::{
    cli::{Cli, Command},
    exit::Exit,
    output::Output,
};

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> anyhow::Result<Exit> {
    let globals = cli.globals;
    match cli.command {
        Command::New(new) => new::run(&new, globals),
        Command::Inspect(inspect) => inspect::run(&inspect, globals),
        Command::Compose(compose) => compose::run(&compose, globals),
        Command::Convert(convert) => convert::run(&convert, globals),
        Command::Sort(sort) => sort::run(&sort, globals),
        Command::Sim(sim) => sim::run(&sim, globals),
        Command::History(history) => history::run(&history, globals),
        Command::Maelstrom(maelstrom) => maelstrom::run(&maelstrom, globals),
        Command::Crdt(crdt) => crdt::run(&crdt, globals),
        #[cfg(feature = "serve")]
        Command::Serve(asked) => serve::run(&asked, globals),
        Command::Man { command } => man::run(&command, globals),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "guid", &mut script);
            let mut output = Output::new(globals, false);
            output.bytes(&script)?;
            Ok(output.finish()?)
        }
    }
}
