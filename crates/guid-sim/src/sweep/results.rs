//! The file of results of a sweep: a line that says of which, then an outcome a line.
//!
//! A file that was being written when its writer was killed ends within a line; what stands before
//! that line is good.

use std::io::{self, BufRead, Read};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Axis, Outcome, SCHEMA, Shard, seeds, settings};

/// The longest line that is read: an outcome with hundreds of checks is a tenth of it.
const LONGEST: u64 = 1 << 20;

/// The first line: which sweep the outcomes are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Header {
    /// The version of this form.
    pub guid_sweep: u32,
    /// The version of the program.
    pub version: String,
    /// The sweep's name, as in [`Sweep::id`](super::Sweep::id).
    pub sweep: String,
    /// The scenario's name.
    pub scenario: String,
    /// What is set at all points.
    pub set: Vec<(String, String)>,
    /// What is varied.
    pub vary: Vec<Axis>,
    /// The seeds, `A..B`.
    pub seeds: String,
    /// How many runs there are in all shards.
    pub jobs: u64,
    /// Which shard this is, if it is not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
}

/// Why a file of results cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line}: {message}")]
    Line {
        /// Which line, from one.
        line: u64,
        /// What is wrong and what was expected.
        message: String,
    },
}

/// Reads a file of results, an outcome at a time.
///
/// # Examples
///
/// ```
/// use guid_sim::sweep::{Results, Shard, Sweep};
///
/// let sweep = Sweep::new("scenario.duration = \"1s\"", &[], &[], Some(0..9))?;
/// let text = format!("{}\n{}\n{{\"job\":1,", sweep.header(Shard::WHOLE).line(), sweep.run(0).line());
///
/// let mut results = Results::new(text.as_bytes())?;
/// assert_eq!(results.header().sweep, sweep.id());
/// assert_eq!(results.next_outcome()?.unwrap().1, sweep.run(0));
/// assert!(results.next_outcome()?.is_none()); // its writer was killed within the next line
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Results<R> {
    reader: R,
    header: Header,
    shard: Shard,
    /// How many outcomes were read.
    place: u64,
    whole_bytes: u64,
}

impl Header {
    /// The header as a line, without its end.
    pub fn line(&self) -> String {
        // Strings and numbers: there is nothing that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The header of the whole sweep.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { shard: None, ..self.clone() }
    }

    fn parse(line: &str) -> Result<(Self, Shard), String> {
        let header: Self = serde_json::from_str(line)
            .map_err(|error| format!("expected the header of a sweep: {error}"))?;
        if header.guid_sweep != SCHEMA {
            let found = header.guid_sweep;
            return Err(format!("form {found} of results, expected form {SCHEMA}"));
        }
        let shard = header.shard.as_deref().map_or(Ok(Shard::WHOLE), str::parse)?;
        let seeds = seeds(&header.seeds).map_err(|why| format!("`seeds`: {why}"))?;
        let points = header
            .vary
            .iter()
            .try_fold(1_u64, |points, (_, values)| points.checked_mul(values.len() as u64));
        let jobs = points.and_then(|points| points.checked_mul(seeds.end - seeds.start));
        if jobs != Some(header.jobs) || jobs == Some(0) {
            return Err(format!("`jobs`: found {}, which seeds and grid do not make", header.jobs));
        }
        Ok((header, shard))
    }

    /// What is set at the point of a job, that point, and the seed.
    fn job(&self, job: u64) -> (Vec<(String, String)>, u64, u64) {
        let seeds = seeds(&self.seeds).unwrap_or(0..1);
        let each = seeds.end - seeds.start;
        let point = job / each;
        (settings(&self.vary, point), point, seeds.start + job % each)
    }
}

impl<R: BufRead> Results<R> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// See [`ResultsError`].
    pub fn new(mut reader: R) -> Result<Self, ResultsError> {
        let wrong = |message| ResultsError::Line { line: 1, message };
        let Some(line) = line(&mut reader, 1)? else {
            return Err(wrong(String::from("found nothing, expected the header of a sweep")));
        };
        let (header, shard) = Header::parse(&line).map_err(wrong)?;
        Ok(Self { reader, header, shard, place: 0, whole_bytes: line.len() as u64 + 1 })
    }

    /// Of which sweep the outcomes are.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Which shard of it this is.
    pub const fn shard(&self) -> Shard {
        self.shard
    }

    /// How long the file is up to here: all lines that are whole, in bytes.
    pub const fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    /// The next outcome, and its line; none at the end, or where the last line has no end.
    ///
    /// # Errors
    ///
    /// See [`ResultsError`]; one that is not the next of its shard is an error.
    pub fn next_outcome(&mut self) -> Result<Option<(String, Outcome)>, ResultsError> {
        let number = self.place + 2;
        let wrong = |message| ResultsError::Line { line: number, message };
        let Some(line) = line(&mut self.reader, number)? else { return Ok(None) };
        let outcome = Outcome::parse(&line).map_err(|error| wrong(error.to_string()))?;
        let (found, expected) = (outcome.job, self.shard.job(self.place));
        if found != expected || found >= self.header.jobs {
            return Err(wrong(format!("found job {found}, expected job {expected}")));
        }
        let (set, point, seed) = self.header.job(found);
        if (&outcome.set, outcome.point, outcome.seed) != (&set, point, seed) {
            let message = format!("job {found} is seed {seed} of point {point}: found another one");
            return Err(wrong(message));
        }
        self.place += 1;
        self.whole_bytes += line.len() as u64 + 1;
        Ok(Some((line, outcome)))
    }
}

/// The next line that has an end, without it.
fn line(reader: &mut impl BufRead, number: u64) -> Result<Option<String>, ResultsError> {
    let wrong = |message| ResultsError::Line { line: number, message };
    let mut bytes = Vec::new();
    reader.take(LONGEST).read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return match bytes.len() as u64 + 1 {
            LONGEST => Err(wrong(format!("longer than {LONGEST} bytes"))),
            _ => Ok(None),
        };
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| wrong(String::from("bytes that are not UTF-8 text")))
}
