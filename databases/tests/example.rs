//! The example that keeps IDs and a replica in a file prints what stands beside it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p guid-databases --test example` writes that anew.

use std::{env, fs, path::Path, process::Command};

#[test]
fn the_example_prints_what_stands_beside_it() {
    let built = env::current_exe().expect("tests know where they are");
    let folder = built.parent().and_then(Path::parent).expect("tests live in `deps`");
    let output = Command::new(folder.join("examples/11_in_a_database")).output();
    let output = output.expect("examples are built with tests");
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).expect("it prints text");
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/11_in_a_database.stdout");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&beside, &printed).expect("a file can be written");
    }
    assert_eq!(printed, fs::read_to_string(beside).expect("it stands beside the program"));
}
