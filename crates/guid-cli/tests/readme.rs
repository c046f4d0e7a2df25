//! What the README shows is what the program prints.
//!
//! A line `...` of a block stands for any lines; `$ guid` and `$ cargo run --release --` are this
//! program. Other commands are not run here.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The commands of the README for this program, and what they are shown to print.
fn shown() -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
    let blocks = README.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let commands = blocks.flat_map(|block| block.split("$ ").skip(1)).filter_map(|command| {
        let mut lines = command.lines();
        let line = lines.next()?;
        let arguments =
            line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("guid "))?;
        Some((arguments.split(' ').collect(), lines.collect()))
    });
    commands.collect()
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

#[test]
fn the_readme_shows_what_is_printed() {
    let shown = shown();
    assert!(shown.len() >= 2, "{shown:?}");
    for (arguments, lines) in shown {
        let output = Command::new(env!("CARGO_BIN_EXE_guid"))
            .args(&arguments)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed: Vec<&str> = printed.lines().collect();
        fits(&lines, &printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    }
}
