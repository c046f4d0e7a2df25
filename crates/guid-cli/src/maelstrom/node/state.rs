//! The state file: all of a replica, replaced as a whole before anything is answered.

use std::{
    fs::{self, File},
    io::{ErrorKind, Write},
    path::PathBuf,
};

use anyhow::Context;
use guid_crdt::Saved;
use serde::{Serialize, de::DeserializeOwned};

pub(super) struct StateFile(PathBuf);

impl StateFile {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// What was saved last; nothing where no node of this name ever saved.
    pub(super) fn load<T: DeserializeOwned>(&self) -> anyhow::Result<Option<Saved<T>>> {
        let path = self.0.display();
        match fs::read(&self.0) {
            Ok(bytes) => {
                let saved = serde_json::from_slice(&bytes);
                Ok(Some(saved.with_context(|| format!("{path} is damaged"))?))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| path.to_string()),
        }
    }

    /// Saves under another name, and gives it the right one once it is on the disk.
    pub(super) fn save<T: Serialize>(&self, saved: &Saved<T>) -> anyhow::Result<()> {
        let new = self.0.with_extension("new");
        let mut file = File::create(&new).with_context(|| new.display().to_string())?;
        file.write_all(&serde_json::to_vec(saved)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.0)?;
        // The name is on the disk when the folder is.
        let folder = self.0.parent().context("a file has a folder")?;
        Ok(File::open(folder)?.sync_all()?)
    }
}
