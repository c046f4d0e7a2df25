//! Which scenario is meant: a file, or one that ships.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, anyhow};
use guid_sim::{Scenario, ScenarioError};

use super::named;
use crate::cli::Chosen;

/// The largest scenario file.
const LARGEST: u64 = 1 << 20;

/// The scenario, with what is set in it.
pub(super) fn load(chosen: &Chosen) -> anyhow::Result<Scenario> {
    let text = text(chosen)?;
    Scenario::parse_with(&text, &chosen.overrides).map_err(|error| placed(chosen, error))
}

/// The text of a file if the name looks like one or is one, else of a scenario that ships.
pub(super) fn text(chosen: &Chosen) -> anyhow::Result<String> {
    let name = &chosen.scenario;
    let path = Path::new(name);
    let is_file = path.extension().is_some_and(|extension| extension == "toml")
        || path.components().count() > 1
        || path.exists() && guid_sim::Builtin::named(name).is_err();
    if is_file { file(name) } else { Ok(named(name)?.text.to_owned()) }
}

/// The text of a file that is small enough to be a scenario.
pub(super) fn file(name: &str) -> anyhow::Result<String> {
    let bytes = read(Path::new(name)).with_context(|| name.to_owned())?;
    if bytes.len() as u64 > LARGEST {
        return Err(anyhow!("{name}: larger than {LARGEST} bytes: expected a scenario"));
    }
    String::from_utf8(bytes).map_err(|error| {
        anyhow!("{name}: bytes that are not UTF-8 text at {}", error.utf8_error().valid_up_to())
    })
}

/// The file, as far as a scenario can reach; one byte more shows that it is none.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Says which file an error is in, or that it is in none.
pub(super) fn placed(chosen: &Chosen, error: ScenarioError) -> anyhow::Error {
    let source = if error.place.is_some() { chosen.scenario.clone() } else { "--set".to_owned() };
    anyhow::Error::new(error).context(source)
}
