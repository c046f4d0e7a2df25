//! What the pages show is what the program prints, and their pictures are what it draws.
//!
//! A line `...` of a block stands for any lines; `$ guid` and `$ cargo run --release --` are this
//! program. Other commands are not run here. An argument `FILE` is a file that holds the block
//! `json` which the page shows before the command. A picture has its command above it:
//!
//! ```text
//! <!-- picture: guid sim picture NAME --kind offsets -->
//! ![what it shows](pictures/name.svg)
//! ```
//!
//! `UPDATE_GOLDEN=1 cargo test -p guid-cli --test pages` writes the blocks and draws the pictures
//! anew; then look at what changed, and at the prose that speaks of it.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The page whose commands write files and read them again: `tests/explore.rs` holds it.
const ELSEWHERE: &str = "EXPLORE.md";

/// The README, the pages of `docs` and the chapters of the guide.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "docs/guide"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        pages.extend(entries.map(|entry| entry.unwrap().path()));
    }
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.retain(|path| path.file_name().is_some_and(|name| name != ELSEWHERE));
    pages.sort();
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    pages.into_iter().map(read).collect()
}

/// What a command line for this program prints, at the root of the repository.
fn printed(arguments: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_guid");
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A command of a page for this program, what it is shown to print, and what stands in `FILE`.
struct Shown<'a> {
    arguments: Vec<&'a str>,
    /// The command with what is shown below it, as the page has it.
    text: &'a str,
    lines: Vec<&'a str>,
    file: &'a str,
}

fn shown(page: &str) -> Vec<Shown<'_>> {
    let mut found = Vec::new();
    for (at, fence) in page.match_indices("```console\n") {
        let block = page[at + fence.len()..].split("```").next().unwrap();
        let before = page[..at].rsplit("```json\n").next().unwrap();
        let file = before.split("```").next().unwrap();
        for command in block.split("$ ").skip(1) {
            let mut lines = command.lines();
            let line = lines.next().unwrap_or_default();
            let ours = ["cargo run --release -- ", "guid "];
            if let Some(arguments) = ours.iter().find_map(|start| line.strip_prefix(start)) {
                let arguments = arguments.split(' ').collect();
                found.push(Shown { arguments, text: command, lines: lines.collect(), file });
            }
        }
    }
    found
}

/// Whether the lines fit, where `...` fits any number of lines.
fn fits(shown: &[&str], printed: &[&str]) -> Result<(), String> {
    match shown.split_first() {
        None if printed.is_empty() => Ok(()),
        None => Err(format!("more is printed: {:?}", printed[0])),
        Some((&"...", rest)) => {
            let at = (0..=printed.len()).find(|&at| match rest.first() {
                None => at == printed.len(),
                Some(next) => printed.get(at) == Some(next),
            });
            let at = at.ok_or_else(|| format!("not printed: {:?}", rest.first()))?;
            fits(rest, &printed[at..])
        }
        Some((line, rest)) if printed.first() == Some(line) => fits(rest, &printed[1..]),
        Some((line, _)) => Err(format!("shown {line:?}, printed {:?}", printed.first())),
    }
}

/// The lines with what is printed in their place, as many and around the same `...`. After a `...`
/// goes on what begins with the same word.
fn anew<'a>(shown: &[&'a str], printed: &[&'a str]) -> Vec<&'a str> {
    if !shown.contains(&"...") {
        return printed.to_vec();
    }
    let parts: Vec<&[&str]> = shown.split(|&line| line == "...").collect();
    let (mut lines, mut at) = (Vec::new(), 0);
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            lines.push("...");
            let word = |line: &str| line.split_whitespace().next().map(str::to_owned);
            let begins = |line: &&str| part.first().is_some_and(|first| word(first) == word(line));
            at += printed[at..].iter().position(begins).unwrap_or(0);
            if number + 1 == parts.len() {
                at = at.max(printed.len().saturating_sub(part.len()));
            }
        }
        let end = (at + part.len()).min(printed.len());
        lines.extend(&printed[at..end]);
        at = end;
    }
    lines
}

#[test]
fn pages_show_what_is_printed() {
    let file = env::temp_dir().join(format!("guid-pages-{}.json", std::process::id()));
    let (mut count, mut failures) = (0, Vec::new());
    for (path, page) in pages() {
        let mut written = page.clone();
        for Shown { arguments, text, lines, file: content } in shown(&page) {
            fs::write(&file, content).unwrap();
            let named =
                |&argument| if argument == "FILE" { file.to_str().unwrap() } else { argument };
            let printed = printed(&arguments.iter().map(named).collect::<Vec<_>>());
            let printed: Vec<&str> = printed.lines().collect();
            if let Err(error) = fits(&lines, &printed) {
                failures.push(format!("{}: {arguments:?}: {error}", path.display()));
                let command = text.lines().next().unwrap();
                let lines = anew(&lines, &printed).join("\n");
                let gap = if text.ends_with("\n\n") { "\n" } else { "" };
                written = written.replacen(text, &format!("{command}\n{lines}\n{gap}"), 1);
            }
            count += 1;
        }
        if written != page && env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, written).unwrap();
        }
    }
    fs::remove_file(file).ok();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 10, "{count} commands are shown");
}

/// The pictures of a page: the arguments that draw each, and its file.
fn pictures(page: &str) -> Vec<(&str, &str)> {
    let marked = page.split("\n<!-- picture: guid ").skip(1).map(|rest| {
        let (arguments, rest) = rest.split_once(" -->\n").expect("a mark is a line");
        let file = rest.lines().next().and_then(|line| line.split("](").nth(1));
        (arguments, file.and_then(|file| file.strip_suffix(')')).expect("a picture follows"))
    });
    marked.collect()
}

#[test]
fn pictures_are_what_is_drawn() {
    let (mut count, mut failures) = (0, Vec::new());
    for (path, page) in pages() {
        for (arguments, file) in pictures(&page) {
            let drawn = printed(&arguments.split(' ').collect::<Vec<_>>());
            assert!(drawn.starts_with("<svg") && drawn.len() < 60_000, "{file}: {}", drawn.len());
            let file = path.parent().unwrap().join(file);
            if env::var_os("UPDATE_GOLDEN").is_some() {
                fs::write(&file, &drawn).unwrap();
            }
            if fs::read_to_string(&file).unwrap_or_default() != drawn {
                failures.push(format!("{}: not what `guid {arguments}` draws", file.display()));
            }
            count += 1;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 8, "{count} pictures");
}
