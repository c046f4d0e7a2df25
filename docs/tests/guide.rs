//! The guide keeps its word: each chapter has its parts, its programs are those of `examples`, and
//! what they print is what they print.
//!
//! Above a block of a chapter stands whose it is: `<!-- example: 01_first_ids -->`. A block `rust`
//! is the whole program, and runs as a doctest; a block `rs` is a part of it, word for word; a
//! block `text` is what it prints, where a line `...` stands for any lines.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn chapters() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("docs/guide")).unwrap();
    let mut chapters: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .filter(|path| path.file_stem().is_some_and(|stem| stem != "README" && stem != "SUMMARY"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    chapters.sort();
    chapters
}

/// The blocks that are an example's: the example, the language, the text.
fn of_examples(page: &str) -> Vec<(&str, &str, &str)> {
    let marked = page.split("\n<!-- example: ").skip(1).map(|rest| {
        let (name, rest) = rest.split_once(" -->\n").expect("a mark is a line");
        let (fence, rest) = rest.split_once('\n').expect("a block follows");
        let language = fence.strip_prefix("```").expect("a block follows");
        (name, language, rest.split("```").next().unwrap())
    });
    marked.collect()
}

/// Whether the lines fit, where `...` fits any number of lines.
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|at| fits(rest, &printed[at..])),
        Some((line, rest)) => printed.first() == Some(line) && fits(rest, &printed[1..]),
    }
}

#[test]
fn programs_and_what_they_print_are_those_of_the_examples() {
    for (chapter, page) in chapters() {
        let blocks = of_examples(&page);
        for &(name, language, text) in &blocks {
            let beside = |ending| {
                let path = root().join("examples").join(format!("{name}.{ending}"));
                fs::read_to_string(path)
                    .unwrap_or_else(|error| panic!("{chapter}: {name}: {error}"))
            };
            let held = match language {
                "rust" => beside("rs").ends_with(text) && text.contains("\nfn main()"),
                "rs" => beside("rs").contains(text),
                "text" => {
                    let (shown, printed) = (text.lines(), beside("stdout"));
                    fits(&shown.collect::<Vec<_>>(), &printed.lines().collect::<Vec<_>>())
                }
                other => panic!("{chapter}: {name}: a block `{other}`"),
            };
            assert!(held, "{chapter}: this is not {name}:\n{text}");
        }
        // What is compiled is the example, or stands under the solution.
        let before = page.split("<details>").next().unwrap();
        let unmarked = before.matches("\n```rust\n").count()
            - blocks.iter().filter(|block| block.1 == "rust").count();
        assert_eq!(unmarked, 0, "{chapter}: a program that is no example's");
    }
}

#[test]
fn every_chapter_has_its_parts() {
    let chapters = chapters();
    assert_eq!(chapters.len(), 13);
    for (number, (chapter, page)) in (1..).zip(&chapters) {
        assert!(chapter.starts_with(&format!("{number:02}-")), "{chapter}");
        assert!(page.starts_with(&format!("# {number}. ")), "{chapter}");
        let question = page.lines().nth(2).unwrap();
        assert!(question.starts_with('*') && question.ends_with("?*"), "{chapter}: {question}");
        let parts = ["## The law\n", "## Now break it\n", "<details>", "</details>", "## Papers\n"];
        let mut rest = page.as_str();
        for part in parts {
            let at = rest.find(part).unwrap_or_else(|| panic!("{chapter} lacks {part:?}"));
            rest = &rest[at..];
        }
        assert!(page.contains("](pictures/"), "{chapter} has no picture");
    }
}

#[test]
fn every_picture_is_drawn_by_a_test_and_shown() {
    let pages: String = chapters().into_iter().map(|(_, page)| page).collect();
    for entry in fs::read_dir(root().join("docs/guide/pictures")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let link = format!("](pictures/{name})");
        assert!(pages.contains(&link), "{name} is in no chapter");
    }
    // Above each stands the command, or the name of the test, that draws it.
    for before in pages.split("](pictures/").collect::<Vec<_>>().split_last().unwrap().1 {
        let lines: Vec<&str> = before.lines().collect();
        let mark = lines[lines.len() - 2];
        let is_marked = mark.starts_with("<!-- picture: ") || mark.starts_with("<!-- drawn by ");
        assert!(is_marked, "a picture without its command: {mark}");
    }
}

#[test]
fn every_page_is_compiled() {
    let lib = fs::read_to_string(root().join("docs/lib.rs")).unwrap();
    for (chapter, _) in chapters() {
        assert!(lib.contains(&format!("include_str!(\"guide/{chapter}\")")), "{chapter}");
    }
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(!is_page || lib.contains(&format!("include_str!(\"{name}\")")), "{name}");
    }
}
