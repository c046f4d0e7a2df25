//! `guid serve`: the page, until somebody ends it.

use crate::{
    cli::{Globals, Serve},
    exit::Exit,
    output::Output,
    serve,
};

pub(crate) fn run(asked: &Serve, globals: Globals) -> anyhow::Result<Exit> {
    serve::until_stopped(asked, |address| {
        let mut output = Output::new(globals, false);
        output.line(format_args!("serving on http://{address}/, until ctrl-c"))?;
        if !address.ip().is_loopback() && !globals.quiet {
            let others =
                anyhow::anyhow!("{address} is open to others: runs are bounded, not secret");
            output.complain(&others)?;
        }
        output.flush()
    })?;
    Ok(Exit::Holds)
}
