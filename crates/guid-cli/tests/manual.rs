//! `guid man` has a page for every command, and `guid inspect --svg` draws every bit once.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::process::{Command, Output};

fn guid(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_guid")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The commands below a page, as `guid\-sim\-run(1)` under the heading names them.
fn below(page: &str) -> Vec<String> {
    let section = page.split(".SH SUBCOMMANDS\n").nth(1).unwrap_or_default();
    let section = section.split("\n.SH ").next().unwrap();
    let names = section.lines().filter_map(|line| line.strip_suffix("(1)"));
    names.map(|name| name.replace("\\-", "-").rsplit('-').next().unwrap().to_owned()).collect()
}

fn pages(command: &[&str], found: &mut Vec<String>) {
    let page = stdout(&guid(&[&["man"], command].concat()));
    let name = [&["guid"], command].concat().join("-");
    assert!(page.contains(&format!(".TH {name} 1 ")), "{command:?}: {page}");
    found.push(name);
    for name in below(&page).iter().filter(|name| *name != "help") {
        pages(&[command, &[name]].concat(), found);
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let mut found = Vec::new();
    pages(&[], &mut found);
    for name in ["guid", "guid-new", "guid-sim-run", "guid-sim-export", "guid-crdt-replay"] {
        assert!(found.iter().any(|page| page == name), "{name}: {found:?}");
    }
}

/// Commands that have nothing below them, in words.
fn leaves(command: &[&str], found: &mut Vec<Vec<String>>) {
    let page = stdout(&guid(&[&["man"], command].concat()));
    let names = below(&page);
    if names.is_empty() {
        found.push(command.iter().map(|&word| word.to_owned()).collect());
    }
    for name in names.iter().filter(|name| *name != "help") {
        leaves(&[command, &[name]].concat(), found);
    }
}

/// What these write has a form of its own, or is for no program at all.
const NOT_JSON: [&str; 9] = [
    "completions",
    "maelstrom node",
    "man",
    "serve",
    "sim export",
    "sim new",
    "sim picture",
    "sim show",
    "sim worker",
];

#[test]
fn every_command_has_examples_and_what_prints_data_has_json() {
    let mut found = Vec::new();
    leaves(&[], &mut found);
    assert!(found.len() >= 20, "{found:?}");
    for command in found {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = stdout(&guid(&[&words[..], &["--help"]].concat()));
        let command = command.join(" ");
        assert!(help.contains("Example:\n") || help.contains("Examples:\n"), "{command}: {help}");
        let shown = help.split("Example").nth(1).unwrap();
        assert!(shown.contains(&format!("guid {command}")), "{command}: {shown}");
        assert_eq!(help.contains("--json"), !NOT_JSON.contains(&&command[..]), "{command}: {help}");
    }
}

/// Lines stay lines, and none begins with what roff takes for a request.
#[test]
fn examples_stand_in_the_page_as_they_are_typed() {
    let page = stdout(&guid(&["man", "inspect"]));
    let notes = page.split(".SH NOTES\n.nf\n").nth(1).unwrap();
    let notes = notes.strip_suffix("\n.fi\n").unwrap();
    assert!(notes.contains("\n  guid new \\-n 3 | guid inspect \\-\\-json"), "{notes}");
    assert!(notes.lines().all(|line| !line.starts_with(['.', '\''])), "{notes}");
}

#[test]
fn a_command_that_is_none_is_told_with_those_that_are() {
    let output = guid(&["man", "sim", "rn"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(64), 0));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("guid: no command `rn` in `sim`: expected run, "), "{told}");
}

/// The widths of the fields, in bits, of each ID of a picture.
fn bits(svg: &str) -> Vec<usize> {
    let boxes =
        svg.lines().filter_map(|line| line.strip_prefix("<rect x=\"")?.split_once("\" y=\""));
    let width =
        |rest: &str| rest.split("width=\"").nth(1)?.split('"').next()?.parse::<usize>().ok();
    let mut rows: Vec<(&str, usize)> = Vec::new();
    for (_, rest) in boxes {
        let y = rest.split('"').next().unwrap();
        match rows.last_mut() {
            Some((row, bits)) if *row == y => *bits += width(rest).unwrap() / 9,
            _ => rows.push((y, width(rest).unwrap() / 9)),
        }
    }
    rows.into_iter().map(|(_, bits)| bits).collect()
}

#[test]
fn a_picture_has_every_bit_of_every_id() {
    let svg = stdout(&guid(&["inspect", "--svg", "Njj070....H7o_zz", "*Njj071....H7o_zz"]));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(bits(&svg), [96, 64]);
    for value in ["02000000", "6256676", "1188681", "8191"] {
        assert!(svg.contains(&format!(">{value}</text>")), "{value}");
    }
}

/// What is typed is text in the picture, whatever it is; what is no ID is refused, the rest drawn.
#[test]
fn a_picture_of_nonsense_is_refused_and_stays_a_picture() {
    let output = guid(&["inspect", "--svg", "<script>&</script>", "Njj070....H7o_zz"]);
    assert_eq!(output.status.code(), Some(65), "{output:?}");
    let svg = String::from_utf8(output.stdout).unwrap();
    assert_eq!(bits(&svg), [96]);
    assert!(!svg.contains("<script>"));
    let many = vec!["Njj070....H7o_zz"; 70];
    let output = guid(&[&["inspect", "--svg"][..], &many].concat());
    assert_eq!(output.status.code(), Some(65));
    assert_eq!(bits(&String::from_utf8(output.stdout).unwrap()).len(), 64);
    assert_eq!(guid(&["inspect", "--svg", "--json", "x"]).status.code(), Some(64));
}
