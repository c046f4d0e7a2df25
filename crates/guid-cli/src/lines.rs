//! What comes in: arguments or lines, each text or a reason why it is none.
//!
//! Lines are streamed and bounded: whatever is fed in, memory stays small and the rest goes on.

use std::{
    ffi::OsString,
    fmt,
    io::{self, BufRead, BufReader, Read},
    str,
};

use anyhow::Context;
use guid_core::ParseError;

use crate::{exit::Exit, output::Output};

/// The longest line that is read, in bytes.
const LINE_MAX: usize = 65_536;
/// How much of a longer line is told back, and of any line to people.
pub(crate) const TOLD_MAX: usize = 256;

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
        one(Place::Argument(i + 1), input, output, &mut work)?;
    }
    Ok(output.finish()?)
}

/// The same on the lines of a reader.
pub(crate) fn each_line(
    reader: impl Read,
    output: &mut Output,
    mut work: impl FnMut(&str, &mut Output) -> Result<(), Stop>,
) -> anyhow::Result<Exit> {
    let mut lines = Lines::new(reader);
    loop {
        // Whoever feeds us line by line sees an answer before the next line.
        if lines.would_wait() {
            output.flush()?;
        }
        let Some((place, line)) = lines.next().context("standard input")? else { break };
        one(place, line, output, &mut work)?;
    }
    Ok(output.finish()?)
}

fn one(
    place: Place,
    input: &[u8],
    output: &mut Output,
    work: &mut impl FnMut(&str, &mut Output) -> Result<(), Stop>,
) -> io::Result<()> {
    let done = text(input).map_err(Stop::Bad).and_then(|text| work(text, output));
    match done {
        Ok(()) => Ok(()),
        Err(Stop::Output(error)) => Err(error),
        Err(Stop::Bad(bad)) => {
            let told = if input.len() > LINE_MAX { &input[..TOLD_MAX] } else { input };
            output.refuse(place, &String::from_utf8_lossy(told), &bad)
        }
    }
}

/// The text of the bytes, or where they stop being text.
fn text(input: &[u8]) -> Result<&str, Bad> {
    if input.len() > LINE_MAX {
        let why = format!("a line of more than {LINE_MAX} bytes: expected an ID or its fractions");
        return Err(Bad::new(0, why));
    }
    str::from_utf8(input)
        .map_err(|error| Bad::new(error.valid_up_to(), "bytes that are not UTF-8 text"))
}

/// Lines of a reader, without their ends (LF or CR LF); of one that is too long, the beginning.
struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> Lines<R> {
    fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(LINE_MAX, reader), line: Vec::new(), number: 0 }
    }

    /// Whether the next line has to be asked for outside.
    fn would_wait(&self) -> bool {
        self.reader.buffer().is_empty()
    }

    fn next(&mut self) -> io::Result<Option<(Place, &[u8])>> {
        self.line.clear();
        // One byte over the longest line, and its end: enough to see that it is too long.
        let bound = LINE_MAX as u64 + 2;
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
        } else if self.line.len() > LINE_MAX {
            self.reader.skip_until(b'\n')?;
        }
        Ok(Some((Place::Line(self.number), &self.line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(input);
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
            assert_eq!(text(&lines[0]).is_ok(), fits, "{length}");
            assert_eq!(lines[1], b"next");
        }
    }

    #[test]
    fn what_is_no_text_is_placed() {
        assert_eq!(text(b"ab\xffc").unwrap_err().at, 2);
        assert_eq!(text("aé".as_bytes()).unwrap(), "aé");
    }
}
