//! What comes in: arguments or lines, each text or a reason why it is none.
//!
//! Lines are streamed and bounded: whatever is fed in, memory stays small and the rest goes on.

use std::{
    ffi::OsString,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    str,
};

use anyhow::Context;
use guid_core::ParseError;

use crate::{exit::Exit, output::Output};

/// The longest line that is read, in bytes.
const LINE_MAX: usize = 65_536;
/// How much is told back of a line that is not told whole, and of any line to people.
pub(crate) const TOLD_MAX: usize = 256;

/// How long lines may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The longest line that is read, in bytes.
    pub(crate) longest: usize,
    /// The longest that is told back whole where it is refused.
    pub(crate) whole: usize,
    /// What a line is to be.
    pub(crate) what: &'static str,
}

/// Of IDs and their fractions.
const OF_IDS: Limit = Limit { longest: LINE_MAX, whole: LINE_MAX, what: "an ID or its fractions" };

/// Why an input is refused, and the byte where that shows.
#[derive(Debug)]
pub(crate) struct Bad {
    pub(crate) at: usize,
    pub(crate) why: String,
}

impl Bad {
    pub(crate) fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }
}

impl From<ParseError> for Bad {
    fn from(error: ParseError) -> Self {
        Self::new(error.offset().unwrap_or(0), error.to_string())
    }
}

/// Why the work on one input stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The input is wrong; the next one may not be.
    Bad(Bad),
    /// The output failed, and so does the command.
    Output(io::Error),
}

impl From<Bad> for Stop {
    fn from(bad: Bad) -> Self {
        Self::Bad(bad)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Where an input stood.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Argument(usize),
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(number) => write!(f, "argument {number}"),
            Self::Line(number) => write!(f, "line {number}"),
        }
    }
}

/// Does the work on every argument, or on every line of standard input if there is none. A refused
/// input is told, and the rest goes on.
pub(crate) fn each(
    arguments: &[OsString],
    output: &mut Output,
    mut work: impl FnMut(&str, &mut Output) -> Result<(), Stop>,
) -> anyhow::Result<Exit> {
    if arguments.is_empty() {
        return each_line(io::stdin().lock(), output, work);
    }
    for (i, argument) in arguments.iter().enumerate() {
        let input = argument.as_encoded_bytes();
        one(Place::Argument(i + 1), input, OF_IDS, output, |_, text, output| work(text, output))?;
    }
    Ok(output.finish()?)
}

/// The same on the lines of a reader.
pub(crate) fn each_line(
    reader: impl Read,
    output: &mut Output,
    mut work: impl FnMut(&str, &mut Output) -> Result<(), Stop>,
) -> anyhow::Result<Exit> {
    let work = |_, text: &str, output: &mut Output| work(text, output);
    each_line_of("standard input", reader, OF_IDS, output, work)
}

/// The same on the lines of a reader with a name, as long as they may be. The work is told their
/// places.
pub(crate) fn each_line_of(
    name: &str,
    reader: impl Read,
    limit: Limit,
    output: &mut Output,
    mut work: impl FnMut(Place, &str, &mut Output) -> Result<(), Stop>,
) -> anyhow::Result<Exit> {
    let mut lines = Lines::new(reader, limit);
    loop {
        // Whoever feeds us line by line sees an answer before the next line.
        if lines.would_wait() {
            output.flush()?;
        }
        let Some((place, line)) = lines.next().with_context(|| name.to_owned())? else {
            break;
        };
        one(place, line, limit, output, &mut work)?;
    }
    Ok(output.finish()?)
}

fn one(
    place: Place,
    input: &[u8],
    limit: Limit,
    output: &mut Output,
    mut work: impl FnMut(Place, &str, &mut Output) -> Result<(), Stop>,
) -> io::Result<()> {
    let text = text(input, limit).map_err(Stop::Bad);
    match text.and_then(|text| work(place, text, output)) {
        Ok(()) => Ok(()),
        Err(Stop::Output(error)) => Err(error),
        Err(Stop::Bad(bad)) => output.refuse(place, input, limit, &bad),
    }
}

/// The text of the bytes, or where they stop being text.
fn text(input: &[u8], limit: Limit) -> Result<&str, Bad> {
    let Limit { longest, what, .. } = limit;
    if input.len() > longest {
        let why = format!("a line of more than {longest} bytes: expected {what}");
        return Err(Bad::new(0, why));
    }
    str::from_utf8(input)
        .map_err(|error| Bad::new(error.valid_up_to(), "bytes that are not UTF-8 text"))
}

/// The file to read, or standard input for `-` and none; and how to call it.
pub(crate) fn open(file: Option<&Path>) -> anyhow::Result<(String, Box<dyn Read>)> {
    match file {
        Some(path) if path != Path::new("-") => {
            let name = path.display().to_string();
            let file = File::open(path).with_context(|| name.clone())?;
            Ok((name, Box::new(file)))
        }
        _ => Ok(("standard input".to_owned(), Box::new(io::stdin().lock()))),
    }
}

/// The beginning of a text, without what a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    const WIDTH: usize = 80;
    let dots = if text.chars().nth(WIDTH).is_some() { "…" } else { "" };
    let told: String = text.chars().take(WIDTH).collect();
    without_controls(&told) + dots
}

/// The text without what a terminal would obey.
pub(crate) fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Lines of a reader, without their ends (LF or CR LF); of one that is too long, the beginning.
struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    number: u64,
}

impl<R: Read> Lines<R> {
    fn new(reader: R, limit: Limit) -> Self {
        let reader = BufReader::with_capacity(LINE_MAX, reader);
        Self { reader, line: Vec::new(), longest: limit.longest, number: 0 }
    }

    /// Whether the next line has to be asked for outside.
    fn would_wait(&self) -> bool {
        self.reader.buffer().is_empty()
    }

    fn next(&mut self) -> io::Result<Option<(Place, &[u8])>> {
        self.line.clear();
        // One byte over the longest line, and its end: enough to see that it is too long.
        let bound = self.longest as u64 + 2;
        self.reader.by_ref().take(bound).read_until(b'\n', &mut self.line)?;
        if self.line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        if self.line.ends_with(b"\n") {
            self.line.pop();
            if self.line.ends_with(b"\r") {
                self.line.pop();
            }
        } else if self.line.len() > self.longest {
            self.reader.skip_until(b'\n')?;
        }
        Ok(Some((Place::Line(self.number), &self.line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(input, OF_IDS);
        let mut all = Vec::new();
        while let Some((_, line)) = lines.next().unwrap() {
            all.push(line.to_vec());
        }
        all
    }

    #[test]
    fn ends_of_lines_are_taken_off() {
        assert_eq!(lines(b""), Vec::<Vec<u8>>::new());
        assert_eq!(lines(b"a\nb"), [b"a", b"b"]);
        assert_eq!(lines(b"a\r\nb\r\n"), [b"a", b"b"]);
        assert_eq!(lines(b"\n\na\rb\n"), [&b""[..], b"", b"a\rb"]);
    }

    #[test]
    fn a_line_is_bounded_and_the_next_one_is_whole() {
        for (length, fits) in [(LINE_MAX, true), (LINE_MAX + 1, false), (5 * LINE_MAX, false)] {
            let mut input = vec![b'x'; length];
            input.extend_from_slice(b"\nnext\n");
            let lines = lines(&input);
            assert_eq!(lines.len(), 2, "{length}");
            assert!(lines[0].len() <= LINE_MAX + 2);
            assert_eq!(text(&lines[0], OF_IDS).is_ok(), fits, "{length}");
            assert_eq!(lines[1], b"next");
        }
    }

    #[test]
    fn what_is_no_text_is_placed() {
        assert_eq!(text(b"ab\xffc", OF_IDS).unwrap_err().at, 2);
        assert_eq!(text("aé".as_bytes(), OF_IDS).unwrap(), "aé");
    }
}
