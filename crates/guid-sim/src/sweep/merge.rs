//! Shards put together again.

use std::io::BufRead;

use thiserror::Error;

use super::{Header, Outcome, Results, ResultsError};

/// Why files do not make a whole.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MergeError<E> {
    /// A file cannot be read.
    #[error("file {file}: {error}")]
    File {
        /// Which one, from one.
        file: usize,
        /// Why.
        error: ResultsError,
    },
    /// A file is of another sweep than the first one.
    #[error("file {0} is of another sweep than file 1: another scenario, grid, seeds or version")]
    OtherSweep(usize),
    /// A job is in two files, and came to different things.
    #[error(
        "job {job} came to one thing in file {first} and to another in file {second}: a run is not \
         deterministic, or its line was changed"
    )]
    Differs {
        /// Which job.
        job: u64,
        /// One file, from one.
        first: usize,
        /// The other one.
        second: usize,
    },
    /// A job is in no file.
    #[error("job {0} is in none of the files: a shard is missing, or was not finished")]
    Missing(u64),
    /// The caller had enough.
    #[error(transparent)]
    Caller(E),
}

/// Goes through the outcomes of a sweep that are spread over files, in the order of jobs, and hands
/// each over once. Memory is bounded by the number of files. Returns the header of the whole.
///
/// # Errors
///
/// See [`MergeError`]; files that overlap must agree.
///
/// # Examples
///
/// ```
/// use guid_sim::sweep::{Results, Sweep, merge};
///
/// let sweep = Sweep::new("scenario.duration = \"1s\"", &[], &[], Some(0..2))?;
/// let file = |shard: &str, job| {
///     let header = sweep.header(shard.parse().unwrap()).line();
///     format!("{header}\n{}\n", sweep.run(job).line())
/// };
/// let (one, two) = (file("1/2", 0), file("2/2", 1));
/// let files = vec![Results::new(two.as_bytes())?, Results::new(one.as_bytes())?];
///
/// let mut seeds = Vec::new();
/// merge(files, |_, outcome| {
///     seeds.push(outcome.seed);
///     Ok::<(), std::io::Error>(())
/// })?;
/// assert_eq!(seeds, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn merge<R: BufRead, E>(
    files: Vec<Results<R>>,
    mut take: impl FnMut(&str, &Outcome) -> Result<(), E>,
) -> Result<Option<Header>, MergeError<E>> {
    let Some(header) = files.first().map(|file| file.header().whole()) else { return Ok(None) };
    if let Some(other) = files.iter().position(|file| file.header().whole() != header) {
        return Err(MergeError::OtherSweep(other + 1));
    }
    let mut files: Vec<Front<R>> =
        files.into_iter().map(|file| Front { file, next: None }).collect();
    for (number, file) in files.iter_mut().enumerate() {
        file.advance(number)?;
    }
    for job in 0..header.jobs {
        let mut found: Option<(usize, String, Outcome)> = None;
        for (number, file) in files.iter_mut().enumerate() {
            let Some((line, outcome)) = file.next.take_if(|(_, outcome)| outcome.job == job) else {
                continue;
            };
            file.advance(number)?;
            match &found {
                None => found = Some((number, line, outcome)),
                Some((_, known, _)) if *known == line => {}
                Some((first, ..)) => {
                    let (first, second) = (first + 1, number + 1);
                    return Err(MergeError::Differs { job, first, second });
                }
            }
        }
        let (_, line, outcome) = found.ok_or(MergeError::Missing(job))?;
        take(&line, &outcome).map_err(MergeError::Caller)?;
    }
    Ok(Some(header))
}

/// A file, and the outcome it is at.
struct Front<R> {
    file: Results<R>,
    next: Option<(String, Outcome)>,
}

impl<R: BufRead> Front<R> {
    fn advance<E>(&mut self, number: usize) -> Result<(), MergeError<E>> {
        let next = self.file.next_outcome();
        self.next = next.map_err(|error| MergeError::File { file: number + 1, error })?;
        Ok(())
    }
}
