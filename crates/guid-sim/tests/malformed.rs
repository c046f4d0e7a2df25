//! Ten thousand damaged scenario files: each is refused with its place, or it is a scenario, which
//! then runs within its limits. None panics, hangs or takes memory that it names.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use guid_sim::{BUILTIN, Purpose, Rng, RunError, Scenario, Streams};

/// What stands in the place of a value.
const VALUES: &[&str] = &[
    "0",
    "-1",
    "1",
    "18446744073709551616",
    "9223372036854775807",
    "1e308",
    "nan",
    "inf",
    "0x10",
    "true",
    "[]",
    "[[]]",
    "{}",
    "\"\"",
    "\"0s\"",
    "\"-5s\"",
    "\"106751d\"",
    "\"99999999d\"",
    "\"1e999/s\"",
    "\"1000000000/s\"",
    "\"exp(9d)\"",
    "\"pareto(9d, 0.0001)\"",
    "\"100%\"",
    "\"guid96:d9\"",
    "\"\u{1F600}\"",
    "2026-01-01",
    "[1, 1, 1]",
    "\"ring\"",
    "65536",
];
/// What is put between two characters.
const CHARACTERS: &[char] = &['"', '[', ']', '=', '9', '-', '\n', '.', 'é'];
/// What a digit becomes.
const DIGITS: &[&str] = &["7", "00", "999999"];

fn below(rng: &mut Rng, bound: usize) -> usize {
    usize::try_from(rng.below(bound.max(1) as u64)).unwrap()
}

fn one<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[below(rng, of.len())]
}

/// A place between two characters.
fn place(rng: &mut Rng, text: &str) -> usize {
    let at = below(rng, text.len() + 1);
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap()
}

/// One small damage.
fn damage(rng: &mut Rng, text: &str, other: &str) -> String {
    match rng.below(9) {
        kind @ 0..=5 => damage_line(kind, rng, text, other),
        6 => {
            let at = place(rng, text);
            let (before, after) = text.split_at(at);
            format!("{before}{}{after}", one(rng, CHARACTERS))
        }
        7 => {
            let (a, b) = (place(rng, text), place(rng, text));
            format!("{}{}", &text[..a.min(b)], &text[a.max(b)..])
        }
        _ => {
            let (before, after) = text.split_at(place(rng, text));
            match after.find(|c: char| c.is_ascii_digit()) {
                Some(at) => {
                    format!("{before}{}{}{}", &after[..at], one(rng, DIGITS), &after[at + 1..])
                }
                None => String::from(text),
            }
        }
    }
}

fn damage_line(kind: u64, rng: &mut Rng, text: &str, other: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    if lines.is_empty() {
        return String::from(other);
    }
    let line = below(rng, lines.len());
    match kind {
        0 => drop(lines.remove(line)),
        1 => lines.insert(line, lines[below(rng, lines.len())].clone()),
        2 => {
            let with = below(rng, lines.len());
            lines.swap(line, with);
        }
        3 => {
            let others: Vec<&str> = other.lines().collect();
            lines.insert(line, String::from(one(rng, &others)));
        }
        _ => {
            if let Some((key, _)) = lines[line].split_once('=') {
                lines[line] = format!("{key}= {}", one(rng, VALUES));
            }
        }
    }
    lines.join("\n")
}

#[test]
fn ten_thousand_damaged_files() {
    let mut rng = Streams::new(2026).of_world(Purpose::Workload);
    let (mut refused, mut read, mut given_up) = (0, 0, 0);
    for number in 0..10_000 {
        let [text, other] = [(); 2].map(|()| one(&mut rng, BUILTIN).text);
        let mut damaged = String::from(text);
        for _ in 0..=rng.below(3) {
            damaged = damage(&mut rng, &damaged, other);
        }
        if let Err(error) = Scenario::parse(&damaged) {
            refused += 1;
            let (line, column) = error.place.unwrap();
            let lines = damaged.lines().count() + 1;
            assert!((1..=lines).contains(&line) && column >= 1, "{error}\n{damaged}");
            assert!(!error.message.is_empty());
        } else {
            read += 1;
            // What reads also runs; not every one, and none for long.
            if number % 80 == 0 {
                given_up += u64::from(is_given_up(&damaged));
            }
        }
    }
    // The damage is neither always fatal nor always harmless.
    assert!(refused > 3_000 && read > 2_000 && given_up > 10, "{refused} {read} {given_up}");
}

fn few_events(text: &str, events: &str) -> Scenario {
    let few = [(String::from("scenario.max-events"), String::from(events))];
    Scenario::parse_with(text, &few).unwrap()
}

/// Runs a scenario until it has made some events.
fn is_given_up(text: &str) -> bool {
    match few_events(text, "3000").run(1) {
        Err(error) if error.is_limit() => true,
        Err(RunError::NoSuchCheck(_)) | Ok(_) => false,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Numbers at the ends of what may be asked for: each run ends, or is given up.
#[test]
fn absurd_scenarios_end() {
    for text in ABSURD {
        is_given_up(text);
    }
}

const ABSURD: &[&str] = &[
    "[scenario]\nnodes = 65536\nduration = \"1ms\"\n[ids]\nschemes = []",
    "[scenario]\nduration = \"0s\"",
    "[scenario]\nduration = \"106751d\"\nsettle = \"106751d\"\n\
     [workload]\nkind = \"ids\"\nrate = \"0.001/h\"",
    "[workload]\nkind = \"chain\"\nthink = \"0s\"\nmint-every = \"0s\"",
    "[network]\nlatency = \"0s\"\n[workload]\nkind = \"chain\"\nthink = \"0s\"",
    "[network]\nlatency = \"pareto(9d, 0.0001)\"\nreorder = \"100%\"\nduplicate = \"100%\"\n\
     [workload]\nkind = \"lww\"",
    "[network]\ncapacity = \"0.0001/h\"\nin-order = true\n\
     [workload]\nkind = \"lww\"\nrate = \"1000000000/s\"",
    "[workload]\nkind = \"cart\"\ngossip = \"0s\"\nrate = \"1000000000/s\"\nwriters = [1]\n\
     write-every = \"0s\"",
    "[scenario]\nnodes = 1\n[workload]\nkind = \"lww\"",
    "[scenario]\nnodes = 1\n[workload]\nkind = \"contacts\"\nevery = \"0s\"\n\
     contacts = 18446744073709551615",
    "[scenario]\nnodes = 1\n[[fault]]\nat = \"0\"\nkind = \"ring\"",
    "[workload]\nkind = \"commit\"\nrate = \"1000000000/s\"",
    "[workload]\nkind = \"drawings\"\nids = 0\ndrawings = 18446744073709551615",
    "[clock]\noffset-sigma = \"100000d\"\nrate-sigma = \"500000ppm\"\nwander = \"500ppm\"",
    "[clock]\ngranularity = \"106751d\"\n[ids]\nschemes = [\"ulid\", \"snowflake\", \"hlc\"]",
    "[clock.ntp]\npoll = \"1ms\"\nforth = \"10d\"\nslew = \"500000ppm\"",
    "[clock]\nsine-amplitude = \"1ns\"\nsine-period = \"13ns\"",
    "[[fault]]\nat = \"0\"\nkind = \"clock-slew\"\nnode = 1\nby = \"-106751d\"\nrate = \"1ppb\"",
    "[[fault]]\nat = \"0\"\nkind = \"clock-strobe\"\nnode = 1\nby = \"106751d\"\nevery = \"0s\"\n\
     for = \"106751d\"",
    "[[fault]]\nat = \"0\"\nkind = \"pause\"\nnode = 1\nfor = \"106751d\"\nclock = \"stops\"",
    "[[fault]]\nat = \"0\"\nkind = \"clone\"\nnode = 1\nof = 1",
    "[[fault]]\nat = \"0\"\nkind = \"join\"\nnode = 1\nreuse = 1",
    "[scenario]\nduration = \"1s\"\n[swarm]\nkinds = [\"crash\", \"crash\", \"clock-strobe\"]\n\
     most = 1000\nlongest = \"106751d\"",
];
