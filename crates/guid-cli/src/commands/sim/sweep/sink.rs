//! Where the results of a sweep go, in the order of jobs: a file of lines, a table, and totals.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::Path,
};

use anyhow::{Context, anyhow};
use guid_sim::sweep::{Axis, Header, Outcome, Results, Totals};

use crate::{cli, exit::UsageError};

/// Everything that takes results in.
pub(super) struct Sink {
    out: Option<BufWriter<File>>,
    csv: Option<BufWriter<File>>,
    vary: Vec<Axis>,
    pub(super) totals: Totals,
    /// How many outcomes a file that is gone on with held, and the last of them.
    pub(super) resumed: u64,
    last: Option<(u64, String)>,
}

impl Sink {
    /// Opens the files. What a file of the same sweep holds already is taken in; what stands behind
    /// its last whole line is cut off.
    pub(super) fn open(to: &cli::SweepResults, header: &Header) -> anyhow::Result<Self> {
        let csv = to.csv.as_deref().map(|path| create(path, &header.vary)).transpose()?;
        let (totals, vary) = (Totals::default(), header.vary.clone());
        let mut sink = Self { out: None, csv, vary, totals, resumed: 0, last: None };
        if let Some(path) = &to.out {
            let out = sink.resume(path, header).with_context(|| path.display().to_string())?;
            sink.out = Some(BufWriter::new(out));
        }
        Ok(sink)
    }

    fn resume(&mut self, path: &Path, header: &Header) -> anyhow::Result<File> {
        // A pipe has no beginning to go on from, and a device no end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(UsageError("expected a file, or the name of a new one".into()).into());
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(anyhow!("another sweep is writing it"));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let line = header.line() + "\n";
        // A header that was cut short: nothing was computed yet.
        let length = file.metadata()?.len();
        if length < line.len() as u64 && starts(&mut file, &line) {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(line.as_bytes())?;
            return Ok(file);
        }
        file.rewind()?;
        let mut results = Results::new(BufReader::new(&file))?;
        if results.header() != header {
            return Err(anyhow!(
                "holds results of another sweep (another scenario, grid, seeds, shard or version): \
                 name another file, or remove this one"
            ));
        }
        while let Some((line, outcome)) = results.next_outcome()? {
            self.count(&outcome)?;
            self.resumed += 1;
            self.last = Some((outcome.job, line));
        }
        let end = results.whole_bytes();
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(file)
    }

    /// The last outcome that a file held: to be computed again, and compared.
    pub(super) fn last(&self) -> Option<(u64, &str)> {
        self.last.as_ref().map(|(job, line)| (*job, line.as_str()))
    }

    /// Takes in the outcome that is next in order. It is in the file before this returns.
    pub(super) fn take(&mut self, line: &str, outcome: &Outcome) -> io::Result<()> {
        if let Some(out) = &mut self.out {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
        self.count(outcome)
    }

    fn count(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.totals.add(outcome);
        match &mut self.csv {
            Some(csv) => rows(outcome, &self.vary, csv),
            None => Ok(()),
        }
    }

    pub(super) fn finish(&mut self, to: &cli::SweepResults) -> anyhow::Result<()> {
        let path = to.csv.as_deref().unwrap_or(Path::new(""));
        let flushed = self.csv.as_mut().map_or(Ok(()), Write::flush);
        flushed.with_context(|| path.display().to_string())
    }
}

/// Whether the file is a beginning of the line, or empty.
fn starts(file: &mut File, line: &str) -> bool {
    io::read_to_string(file.take(line.len() as u64)).is_ok_and(|text| line.starts_with(&text))
}

fn create(path: &Path, vary: &[Axis]) -> anyhow::Result<BufWriter<File>> {
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let mut csv = BufWriter::new(file);
    let keys = vary.iter().map(|(key, _)| field(key) + ",").collect::<String>();
    writeln!(
        csv,
        "job,seed,{keys}events,trace_hash,check,verdict,count,of,measured,expected,z,error"
    )?;
    Ok(csv)
}

/// One row a check; one without a check for a run that was given up.
fn rows(outcome: &Outcome, vary: &[Axis], csv: &mut impl Write) -> io::Result<()> {
    let Outcome { job, seed, events, trace_hash, error, .. } = outcome;
    let value = |key: &String| outcome.set.iter().find(|(set, _)| set == key);
    let values = vary.iter().map(|(key, _)| value(key).map_or("", |(_, value)| value));
    let values = values.map(|value| field(value) + ",").collect::<String>();
    let run = format!("{job},{seed},{values}{events},{trace_hash}");
    if let Some(error) = error {
        writeln!(csv, "{run},,unknown,,,,,,{}", field(error))?;
    }
    for figure in &outcome.checks {
        let number = |number: Option<guid_sim::Number>| {
            number.map_or_else(String::new, |number| number.0.to_string())
        };
        let (check, verdict) = (field(&figure.check), figure.verdict);
        let [measured, expected, z] =
            [Some(figure.measured), figure.expected, figure.z].map(number);
        let (count, of) = (figure.count, figure.of);
        writeln!(csv, "{run},{check},{verdict},{count},{of},{measured},{expected},{z},")?;
    }
    Ok(())
}

/// A field as RFC 4180 has it: in quotes if it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
