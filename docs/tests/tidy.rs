//! Rules that the compiler does not know: every file says what it is, lines and files have an end.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Long enough for one idea; what is longer holds two.
const LINES: usize = 500;
const COLUMNS: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() && name != "target" && !name.starts_with('.') {
            files(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

fn all(ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root(), ending, &mut found);
    found.sort();
    assert!(!found.is_empty());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    found.into_iter().map(read).collect()
}

#[test]
fn every_source_file_opens_with_what_it_is() {
    for (path, text) in all(".rs") {
        assert!(text.starts_with("//!") || text.starts_with("/*!"), "{}", path.display());
    }
}

#[test]
fn lines_and_files_have_an_end() {
    for (path, text) in all(".rs") {
        let lines = text.lines().count();
        assert!(lines <= LINES, "{}: {lines} lines", path.display());
        for (number, line) in (1..).zip(text.lines()) {
            let columns = line.chars().count();
            // A row of a table and a golden value in a test are as long as they are.
            let row = line.trim_start().starts_with("//! |");
            let golden = line.contains("r#\"") || line.contains("\\\"") || !line.contains(' ');
            let golden = golden || line.trim_start().starts_with('"');
            assert!(columns <= COLUMNS || row || golden, "{}:{number}", path.display());
        }
    }
}

#[test]
fn no_module_file_is_called_mod() {
    let mut found = Vec::new();
    files(&root(), "mod.rs", &mut found);
    found.retain(|path| path.file_name().is_some_and(|name| name == "mod.rs"));
    assert!(found.is_empty(), "{found:?}");
}

/// The crates whose every public function shows itself at work.
const SHOWN: [&str; 2] = ["guid-core", "guid-crdt"];

/// The public functions of a file whose comment holds no example; `See ` points at one.
fn without_example(text: &str) -> Vec<usize> {
    let (mut shown, mut found) = (false, Vec::new());
    for (number, line) in (1..).zip(text.lines().map(str::trim_start)) {
        let function = ["pub fn ", "pub const fn "].iter().any(|start| line.starts_with(start));
        match line {
            _ if line.starts_with("///") => shown |= line.contains("```") || line.contains("See ["),
            _ if line.starts_with('#') => {}
            _ if function && !shown => found.push(number),
            _ => shown = false,
        }
    }
    found
}

#[test]
fn every_public_function_has_an_example() {
    for (path, text) in all(".rs") {
        let source = |name| path.starts_with(root().join("crates").join(name).join("src"));
        if SHOWN.into_iter().any(source) {
            let found = without_example(&text);
            assert!(found.is_empty(), "{}: lines {found:?}", path.display());
        }
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    for (path, text) in all(".md") {
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let outside = target.is_empty() || target.contains("://");
            let inside = path.parent().unwrap().join(target);
            assert!(outside || inside.exists(), "{}: {target}", path.display());
        }
    }
}
