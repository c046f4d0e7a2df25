//! Commands that pages show and nobody runs here: a shell reads them, and this program knows every
//! word of those that are for it.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Every page of the repository, with its place.
fn pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "docs/guide"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        pages.extend(entries.map(|entry| entry.unwrap().path()));
    }
    for krate in fs::read_dir(root.join("crates")).unwrap() {
        pages.push(krate.unwrap().path().join("README.md"));
    }
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.retain(|path| path.exists());
    pages.sort();
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    pages.into_iter().map(read).collect()
}

/// The blocks of a page in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn blocks_of_commands_are_read_by_a_shell() {
    let mut count = 0;
    for (path, page) in pages() {
        for block in blocks(&page, "sh") {
            let read = Command::new("sh").args(["-n", "-c", block]).output().unwrap();
            assert!(read.status.success(), "{}: {block}: {read:?}", path.display());
            count += 1;
        }
    }
    assert!(count >= 5, "{count} blocks");
}

/// The words of a command for this program, up to where another begins; as far as they have none
/// that only a shell understands.
fn words(line: &str) -> Option<Vec<&str>> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let ends = [" | ", " > ", " < ", " && ", "  ", " #"];
    let end = ends.iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
    let words: Vec<&str> = line[..end].strip_prefix("guid ")?.split(' ').collect();
    // Names in capitals stand for what a reader puts there.
    let stands_for = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase() || c == '.');
    let plain = |word: &&str| !word.contains(['\'', '"', '$', '…', '[', '|']) && !stands_for(word);
    words.iter().all(plain).then_some(words)
}

/// Asked for its help, a command runs nothing, and yet refuses what it does not know.
#[test]
fn commands_that_pages_show_are_known() {
    let (mut count, mut failures) = (0, Vec::new());
    for (path, page) in pages() {
        for block in blocks(&page, "sh").into_iter().chain(blocks(&page, "text")) {
            for mut words in block.lines().filter_map(words) {
                // The queue is a feature, and what stands after `--` is for another program.
                if words.iter().any(|word| ["--nats", "worker"].contains(word)) {
                    continue;
                }
                let end = words.iter().position(|&word| word == "--").unwrap_or(words.len());
                words.insert(end, "--help");
                let guid = Command::new(env!("CARGO_BIN_EXE_guid")).args(&words).output().unwrap();
                if !guid.status.success() {
                    let said = String::from_utf8_lossy(&guid.stderr).into_owned();
                    failures.push(format!("{}: {words:?}: {said}", path.display()));
                }
                count += 1;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 20, "{count} commands");
}
