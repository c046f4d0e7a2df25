//! Running the program and looking at how it ended.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
    thread,
};

use serde_json::{Map, Value};

/// Lines that are no IDs and no fractions of one.
pub(crate) const GARBAGE: &[&[u8]] = &[
    b"",
    b" ",
    b"-1",
    b"-9223372036854775808",
    b"null",
    b"[]",
    b"{}",
    b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\x1b[31mNjj070....",
    b" Njj070....H7o_zz",
    b"Njj070....H7o_zz ",
    b"Njj070....H7o_z",
    b"\xef\xbb\xbfNjj070....H7o_zz",
    b"\xff\xfe\xfd",
    "世世世世世0".as_bytes(),
    "ＮＪＪ070....".as_bytes(),
    b"8ZZZZZZZZZZZZZZZZZZZ",
    b"zzzzzzzzzzzzzzzzz",
    b"62fbc120-1000-4000-8488-d25fff000000",
    b"{\"code\":3",
    b"{\"code\":3,\"node\":\"02000000\",\"unix_ns\":1e400,\"seq\":1}",
];

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guid"));
    command.args(arguments).env_remove("NO_COLOR");
    command
}

/// Runs `guid` on an input.
pub(crate) fn guid(arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.as_ref().to_vec();
    // A program that reads nothing closes the pipe: that is no failure of the test.
    let feeder = thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    output.into()
}

impl Ran {
    #[track_caller]
    pub(crate) fn is(&self, code: i32, stdout: &str, stderr: &str) {
        assert_eq!((self.code, &*self.stdout, &*self.stderr), (code, stdout, stderr));
    }

    /// Ended with this code, and said on stderr why.
    #[track_caller]
    pub(crate) fn ends(&self, code: i32) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stderr.starts_with("guid: "), "{self:?}");
    }

    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, &*self.stderr), (0, ""));
        self.stdout
    }

    #[track_caller]
    pub(crate) fn objects(&self) -> Vec<Map<String, Value>> {
        assert_eq!((self.code, &*self.stderr), (0, ""), "{}", self.stdout);
        self.lines_as_objects()
    }

    #[track_caller]
    pub(crate) fn lines_as_objects(&self) -> Vec<Map<String, Value>> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
    }
}

pub(crate) fn lines(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// Bytes that look random and are the same every time.
pub(crate) fn random_bytes(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..count).map(|_| next()).collect()
}
