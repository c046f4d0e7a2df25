//! Every example prints what stands beside it.
//!
//! `11_in_a_database` needs `SQLite`, and is compared by the package `databases`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p guid-examples` writes the files anew.

use std::{env, fs, path::Path, process::Command};

const ELSEWHERE: &str = "11_in_a_database";

#[test]
fn every_example_prints_what_stands_beside_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Tests live in `deps`, examples beside it, in whatever folder and profile this is.
    let built = env::current_exe().unwrap();
    let built = built.parent().unwrap().parent().unwrap().join("examples");
    let mut programs: Vec<_> = fs::read_dir(here)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| path.file_stem().is_some_and(|stem| stem != "lib" && stem != ELSEWHERE))
        .collect();
    programs.sort();
    assert!(programs.len() >= 15);
    for program in programs {
        let name = program.file_stem().unwrap();
        let output = Command::new(built.join(name)).output().unwrap();
        assert!(output.status.success(), "{name:?}: {output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let beside = program.with_extension("stdout");
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&beside, &printed).unwrap();
        }
        assert_eq!(printed, fs::read_to_string(&beside).unwrap(), "{name:?}");
    }
}
