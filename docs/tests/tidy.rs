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

/// A block without a language is Rust to the compiler, and nothing to a reader's eye.
#[test]
fn every_block_of_a_page_says_what_it_is() {
    for (path, text) in all(".md") {
        let fences = text.lines().map(str::trim_start).filter(|line| line.starts_with("```"));
        for fence in fences.step_by(2) {
            assert!(fence != "```", "{}: a block without a language", path.display());
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

/// The links of a page to files.
fn linked(path: &Path, text: &str) -> Vec<PathBuf> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let inside = targets.filter(|target| !target.is_empty() && !target.contains("://"));
    inside.filter_map(|target| path.parent().unwrap().join(target).canonicalize().ok()).collect()
}

/// From the README, by links, to every page, chapter and picture.
#[test]
fn every_page_is_reached_from_the_readme() {
    let mut to_read = vec![root().join("README.md").canonicalize().unwrap()];
    let mut reached = std::collections::BTreeSet::new();
    while let Some(path) = to_read.pop() {
        if reached.insert(path.clone()) && path.extension().is_some_and(|ending| ending == "md") {
            to_read.extend(linked(&path, &fs::read_to_string(&path).unwrap()));
        }
    }
    let mut pages = Vec::new();
    for ending in [".md", ".svg"] {
        files(&root().join("docs"), ending, &mut pages);
    }
    for page in pages {
        assert!(reached.contains(&page.canonicalize().unwrap()), "{}", page.display());
    }
}

/// The book has every chapter, in order, under its own title.
#[test]
fn every_chapter_is_in_the_summary_of_the_book() {
    let folder = root().join("docs/guide");
    let mut chapters = Vec::new();
    files(&folder, ".md", &mut chapters);
    chapters.retain(|path| path.file_stem().is_some_and(|stem| stem != "SUMMARY"));
    chapters.retain(|path| path.file_stem().is_some_and(|stem| stem != "README"));
    chapters.sort();
    let listed = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let title = text.lines().next().unwrap().split_once(". ").unwrap().1.to_owned();
        format!("- [{title}]({})", path.file_name().unwrap().to_string_lossy())
    };
    let expected: Vec<String> = chapters.iter().map(listed).collect();
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let lines: Vec<&str> = summary.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(lines, expected);
    assert!(root().join("docs/book.toml").exists() && chapters.len() >= 12);
}

/// Every example is in the list of the README, in that of its crate, and taught somewhere.
#[test]
fn every_example_is_listed_and_taught() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let list = fs::read_to_string(root().join("examples/lib.rs")).unwrap();
    let docs = all(".md").into_iter().filter(|(path, _)| path.starts_with(root().join("docs")));
    let docs: String = docs.map(|(_, text)| text).collect();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(stem) = name.strip_suffix(".rs").filter(|&stem| stem != "lib") else { continue };
        assert!(readme.contains(&format!("](examples/{name})")), "{name}: README");
        assert!(list.contains(&format!("`{stem}`")), "{name}: examples/lib.rs");
        assert!(docs.contains(stem), "{name}: no page teaches it");
        assert!(root().join(format!("examples/{stem}.stdout")).exists(), "{name}: what it prints");
    }
}

/// The keys of a section of a manifest.
fn keys<'a>(manifest: &'a str, section: &str) -> Vec<&'a str> {
    let lines = manifest.split(section).nth(1).unwrap_or_default().lines().skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| Some(line.split_once(" = ")?.0)).collect()
}

/// The features in the README of a crate are those that it has, but for those of its tests.
#[test]
fn features_are_documented_and_exist() {
    for (path, manifest) in all("Cargo.toml") {
        let is_published = path.starts_with(root().join("crates"));
        let mut features = keys(&manifest, "\n[features]");
        features.retain(|&feature| feature != "default" && !feature.starts_with("test-"));
        if !is_published || features.is_empty() {
            continue;
        }
        features.sort_unstable();
        let readme = fs::read_to_string(path.with_file_name("README.md")).unwrap();
        let section = readme.split("\n## Features\n").nth(1).unwrap_or_default();
        let rows = section.split("\n## ").next().unwrap().lines();
        let cells = rows.filter_map(|row| row.strip_prefix("| `")?.split(" | ").next());
        let names = cells.flat_map(|cell| cell.split("`, `"));
        let mut documented: Vec<&str> = names.filter_map(|name| name.split('`').next()).collect();
        documented.sort_unstable();
        assert_eq!(documented, features, "{}", path.display());
    }
}

/// What a registry shows of a crate, and what docs.rs needs.
#[test]
fn published_crates_say_what_they_are() {
    for (path, manifest) in all("Cargo.toml") {
        if path.starts_with(root().join("crates")) {
            let package = keys(&manifest, "[package]");
            for key in
                ["description", "categories", "readme", "keywords.workspace", "license.workspace"]
            {
                assert!(package.contains(&key), "{}: {key}", path.display());
            }
            let docs = manifest.contains("[package.metadata.docs.rs]\nall-features = true\n");
            assert!(docs, "{}: docs.rs", path.display());
        }
    }
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The map of the code names every file at the top of each crate, and no other.
#[test]
fn the_map_of_the_code_is_whole() {
    let map = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    for name in ["guid-core", "guid-crdt", "guid-sim", "guid-cli"] {
        let section = map.split(&format!("\n## {name}\n")).nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let cells = section.lines().filter_map(|row| row.strip_prefix("| `")?.split(" | ").next());
        let cells: Vec<String> = cells.map(|cell| format!("`{cell}")).collect();
        let named: Vec<&str> = cells.iter().flat_map(|cell| quoted(cell)).collect();
        let source = root().join("crates").join(name).join("src");
        for file in &named {
            assert!(source.join(file).exists(), "ARCHITECTURE.md: {name}: there is no {file}");
        }
        for entry in fs::read_dir(source).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let is_root = ["lib.rs", "main.rs"].contains(&file.as_str());
            let is_named = is_root || !file.contains('.') || named.contains(&file.as_str());
            assert!(is_named, "ARCHITECTURE.md: {name}: what is {file}?");
        }
    }
}

/// The tests, the functions and the scenarios that LAWS.md names exist.
#[test]
fn laws_name_tests_that_exist() {
    let laws = fs::read_to_string(root().join("docs/LAWS.md")).unwrap();
    let predict = fs::read_to_string(root().join("crates/guid-sim/src/predict.rs")).unwrap();
    let rows = laws.lines().filter(|line| line.starts_with("| "));
    for row in rows {
        for name in quoted(row) {
            if let Some(function) = name.strip_prefix("predict::") {
                assert!(predict.contains(&format!("pub fn {function}(")), "{name}");
            } else if name.starts_with("guid-") && name.contains('/') {
                let path = root().join("crates").join(name);
                let exists = path.exists() || path.with_extension("rs").exists();
                assert!(exists, "LAWS.md: there is no {name}");
            }
        }
        for scenario in row.split("scenario `").skip(1).filter_map(|rest| rest.split('`').next()) {
            let path = root().join("scenarios").join(format!("{scenario}.toml"));
            assert!(path.exists(), "LAWS.md: there is no scenario {scenario}");
        }
    }
}
