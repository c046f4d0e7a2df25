//! A folder that is gone after the test.

use std::{env, fs, path::PathBuf, process};

pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Each test names its own.
    pub(crate) fn new(test: &str) -> Self {
        let path = env::temp_dir().join(format!("guid-core-{test}-{}", process::id()));
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
