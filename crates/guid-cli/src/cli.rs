//! What can be typed: the arguments, their help, and examples.

mod sim;
mod explore;
mod shrink;
mod sweep;
mod history;
mod maelstrom;
mod crdt;
#[cfg(feature = "serve")]
mod serve;

use std::{ffi::OsString, io::ErrorKind};

use clap::{ArgGroup, Args, ColorChoice, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use guid_core::{Drift, NodeId};
use jiff::SignedDuration;

use crate::{bars::When, exit::Exit, form::Form};

#[cfg(feature = "serve")]
pub(crate) use self::serve::Serve;
#[cfg(feature = "nats")]
pub(crate) use self::sweep::{Nats, Queue};
pub(crate) use self::{
    crdt::{Crdt, CrdtCommand, Replay},
    explore::Explore,
    history::History,
    maelstrom::{Maelstrom, MaelstromCommand, Test},
    shrink::{ReplayRepro, Shrink},
    sim::{Check, Chosen, Order as SimOrder, Picture, Predict, Run, Sim, SimCommand},
    sweep::{Merge, Results as SweepResults, Sweep, Worker},
};

/// k-ordered unique IDs, and what wrong clocks do to them: make, inspect, sort, simulate.
#[derive(Debug, Parser)]
#[command(name = "guid", version, arg_required_else_help = true, after_help = EXITS)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXITS: &str = "\
Exit codes: 0 all is well, 1 a guarantee is violated, 2 it could not be told,
64 wrong usage, 65 wrong input, 74 reading or writing failed.";

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Globals {
    /// When to color the output; `NO_COLOR` in the environment turns `auto` off
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// When to draw bars below tables: of what is lost or misordered
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) bars: When,
    /// Say nothing on stderr; the exit code still tells
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make IDs
    #[command(after_help = NEW)]
    New(New),
    /// Show every fraction of IDs
    #[command(after_help = INSPECT)]
    Inspect(Inspect),
    /// Make the ID with given fractions
    #[command(after_help = COMPOSE)]
    Compose(Compose),
    /// Write IDs in another text form
    #[command(after_help = CONVERT)]
    Convert(Convert),
    /// Sort lines by the IDs they are
    #[command(after_help = SORT)]
    Sort(Sort),
    /// Simulate nodes with wrong clocks, and check what holds
    Sim(Box<Sim>),
    /// Judge what clients of a system saw: lost elements, IDs given twice, impossible sums
    #[command(after_help = history::HISTORY)]
    History(History),
    /// Test distributed programs in real time, any that speak Maelstrom's protocol; or be one
    Maelstrom(Maelstrom),
    /// Carry out histories of replicas, and compare what they show with what they must
    Crdt(Crdt),
    /// Serve the page: pick a scenario, turn its knobs, run it, look
    #[cfg(feature = "serve")]
    #[command(after_help = serve::SERVE)]
    Serve(Serve),
    /// Write the manual page of the program, or of one of its commands
    #[command(after_help = MAN)]
    Man {
        /// The command, as in `sim run` [default: the program]
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Write the completions of a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

const MAN: &str = "\
Examples:
  guid man > guid.1 && man ./guid.1
  guid man sim run > guid-sim-run.1";

const COMPLETIONS: &str = "\
Examples:
  guid completions bash > ~/.local/share/bash-completion/completions/guid
  guid completions zsh > ~/.zfunc/_guid    a folder of your fpath
  guid completions fish > ~/.config/fish/completions/guid.fish";

const NEW: &str = "\
Examples:
  guid new                                 one ID of a random node
  guid new -n 1000 --node-name worker-7    a thousand, of the node of a name
  guid new --drift 5m --text base32        a window that covers five minutes
  guid new --local --json                  a 64-bit ID, with every fraction";

const INSPECT: &str = "\
Examples:
  guid inspect Njj070....H7o_zz            a block to read, with the picture of the bits
  guid new -n 3 | guid inspect --json      one JSON object a line
  guid inspect --as lex-local 51EAB01377C14EEE
  guid inspect --svg Njj070....H7o_zz > bits.svg

Recognized by length: 16 canonical, 17 base62 (padded), 20 base32, 24 hexadecimal, 36 UUID;
of locals: `*` and 16 as in JSON, 11 base62 (padded), 13 base32. Others need --as.";

const COMPOSE: &str = "\
Examples:
  guid compose --code 3 --node 02000000 --unix-ns 1719822159109605709 --seq 8191
  guid compose < fractions.jsonl           lines such as
      {\"code\":3,\"node\":\"02000000\",\"unix_ns\":\"1719822159109605709\",\"seq\":8191}

The time is rounded down to the tick, 131072 ns: `unix_ns` of the result shows it.
Without arguments it reads one JSON object a line and writes one a line.";

const CONVERT: &str = "\
Examples:
  guid convert --to uuid Njj070....H7o_zz
  guid convert --to hex --json Njj070....H7o_zz
  guid new -n 3 | guid convert --to base32";

const SORT: &str = "\
Examples:
  guid sort < ids.txt                      by k-order, the order of the bytes
  guid sort --by time < ids.txt            by stamp, then node
  guid sort --json < ids.txt               one JSON object a line, with every fraction

The text forms may be mixed; lines are written as they came, equal IDs in the order they came.
Locals stand before the globals they would tie with: in k-order before all of them.";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("tolerance"), group = ArgGroup::new("who"))]
pub(crate) struct New {
    /// How many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) count: u64,
    /// The clock difference to tolerate, as in `5m` or `90s`: takes the smallest window over it
    #[arg(long, group = "tolerance", value_name = "DURATION", value_parser = drift_covering)]
    pub(crate) drift: Option<Drift>,
    /// The drift code, 0 to 7
    #[arg(long, group = "tolerance", value_parser = drift_code, allow_negative_numbers = true)]
    pub(crate) code: Option<Drift>,
    /// The node, 8 hexadecimal digits [default: a random one]
    #[arg(long, group = "who", value_name = "HEX")]
    pub(crate) node: Option<NodeId>,
    /// The node of a name
    #[arg(long, group = "who", value_name = "NAME", value_parser = node_of_name)]
    pub(crate) node_name: Option<NodeId>,
    /// The text form to write
    #[arg(long, value_name = "FORM", default_value = "lex")]
    pub(crate) text: NewForm,
    /// Make 64-bit IDs, which name no node
    #[arg(long)]
    pub(crate) local: bool,
    /// Write one JSON object a line, with every fraction
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `guid new` writes: forms that `guid inspect` recognizes. Its base62 is therefore padded.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NewForm {
    /// Canonical, 16 characters
    Lex,
    /// Crockford base32
    Base32,
    /// Base62, padded
    #[value(alias = "base62-padded")]
    Base62,
    /// Hexadecimal
    Hex,
    /// UUID version 8
    Uuid,
}

impl From<NewForm> for Form {
    fn from(form: NewForm) -> Self {
        match form {
            NewForm::Lex => Self::Lex,
            NewForm::Base32 => Self::Base32,
            NewForm::Base62 => Self::Base62Padded,
            NewForm::Hex => Self::Hex,
            NewForm::Uuid => Self::Uuid,
        }
    }
}

/// The IDs to work on, and how to read them.
#[derive(Debug, Args)]
pub(crate) struct Ids {
    /// The IDs; without any, one a line is read from standard input
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<OsString>,
    /// Read them in this form, instead of recognizing it by the length
    #[arg(long = "as", value_name = "FORM")]
    pub(crate) form: Option<Form>,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) ids: Ids,
    /// Write one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw the bits of all of them, below each other, as an SVG picture
    #[arg(long, conflicts_with = "json")]
    pub(crate) svg: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compose {
    /// The drift code, 0 to 7
    #[arg(long, value_parser = drift_code, requires_all = ["unix_ns", "seq"],
        allow_negative_numbers = true)]
    pub(crate) code: Option<Drift>,
    /// The node, 8 hexadecimal digits
    #[arg(long, value_name = "HEX", requires = "code")]
    pub(crate) node: Option<NodeId>,
    /// The time in nanoseconds since 1970
    #[arg(long, value_name = "N", requires_all = ["code", "seq"], allow_negative_numbers = true)]
    pub(crate) unix_ns: Option<u64>,
    /// The sequence, 0 to 16383
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=16_383),
        requires_all = ["code", "unix_ns"], allow_negative_numbers = true)]
    pub(crate) seq: Option<u16>,
    /// Make a 64-bit ID; a node is not needed and not kept
    #[arg(long, requires = "code")]
    pub(crate) local: bool,
    /// Write the text of the ID in this form
    #[arg(long, value_name = "FORM", conflicts_with = "json")]
    pub(crate) text: Option<Form>,
    /// Write one JSON object a line, with every fraction [default where lines are read]
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The form to write
    #[arg(long, value_name = "FORM")]
    pub(crate) to: Form,
    #[command(flatten)]
    pub(crate) ids: Ids,
    /// Write one JSON object a line: what came in, the form, and what it is in that form
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sort {
    /// The order
    #[arg(long, value_name = "ORDER", default_value = "k")]
    pub(crate) by: Order,
    /// Read the lines in this form, instead of recognizing it by the length
    #[arg(long = "as", value_name = "FORM")]
    pub(crate) form: Option<Form>,
    /// Write one JSON object a line, with every fraction
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Order {
    /// k-order: the order of the bytes
    K,
    /// Time order: stamp, then node
    Time,
}

/// Reads the arguments, or tells what is wrong with them (or the help that was asked for).
pub(crate) fn parse() -> Result<Cli, Exit> {
    Cli::try_parse().map_err(|error| {
        let printed = error.print();
        match (error.use_stderr(), printed) {
            (true, _) => Exit::Usage,
            (false, Ok(())) => Exit::Holds,
            // A reader that closed the pipe has what it wanted.
            (false, Err(error)) if error.kind() == ErrorKind::BrokenPipe => Exit::Holds,
            (false, Err(_)) => Exit::Io,
        }
    })
}

fn drift_covering(text: &str) -> Result<Drift, String> {
    let duration: SignedDuration =
        text.parse().map_err(|_| "expected a duration such as `90s`, `5m` or `1h`".to_owned())?;
    let unsigned = duration.try_into().map_err(|_| "a duration below zero".to_owned())?;
    Drift::covering(unsigned).map_err(|error| error.to_string())
}

fn drift_code(text: &str) -> Result<Drift, String> {
    let code: u8 = text.parse().map_err(|_| "expected a code from 0 to 7".to_owned())?;
    Drift::from_code(code).map_err(|error| error.to_string())
}

fn node_of_name(text: &str) -> Result<NodeId, String> {
    if text.is_empty() { Err("an empty name".to_owned()) } else { Ok(NodeId::from_name(text)) }
}
