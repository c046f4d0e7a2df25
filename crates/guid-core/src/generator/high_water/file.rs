//! A high-water mark in a file that one process holds.
//!
//! # Invariants
//!
//! * A file that has its name is whole: it is written under another name first and linked then.
//! * The lock is on the file itself, not beside it: other names of the file are locked with it.
//!   The system drops it when the process ends, however it ends.
//! * A file that lost its name while it was open takes no store: another may be there by now, with
//!   a lock of its own. (On Unix; elsewhere an open file keeps its name.)
//! * A store that returned is on the disk, twice. One that failed is tried anew by the next: the
//!   slots are written again, not just synced again.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{HighWater, HighWaterError, image};
use crate::{NodeId, Stamp};

/// A bound in a file of 8 KiB that is locked while it is open.
///
/// The lock is the advisory lock of the operating system, between processes of one machine (on a
/// network file system, between machines only where that system says so). A forked child holds it
/// too: with the feature `fork` its generator refuses. The file must be on storage that outlives
/// the process: in a container, on a volume. Where it is missing, [`open`](Self::open) says so
/// instead of beginning anew. Where it is removed while it is open, the next store says so (on
/// Unix): until then, at most ten seconds, whoever creates it again repeats the node.
///
/// # Examples
///
/// ```
/// use guid_core::{DurableGenerator, FileHighWater, HighWaterError, NodeId};
///
/// # let folder = std::env::temp_dir().join(format!("guid-doc-file-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("node-7");
/// let node = NodeId::new(7);
/// let mark = FileHighWater::create(&path, node)?; // once; later `open`
/// assert_eq!(FileHighWater::open(&path, node).unwrap_err(), HighWaterError::Locked);
///
/// let ids = DurableGenerator::new(mark)?;
/// let before = ids.next()?;
/// drop(ids); // or kill -9
///
/// let ids = DurableGenerator::new(FileHighWater::open(&path, node)?)?;
/// assert!(ids.next()? > before);
/// # drop(ids);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileHighWater {
    file: File,
    node: NodeId,
    /// Whether the file system counts the names of the file.
    counts_names: bool,
}

impl FileHighWater {
    /// Creates the file of a node that never made an ID, and locks it.
    ///
    /// # Errors
    ///
    /// A file is there already, or the system refuses to make one; also a file system that knows no
    /// hard links.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{FileHighWater, HighWaterError, NodeId};
    ///
    /// # let folder = std::env::temp_dir().join(format!("guid-doc-create-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("node-7");
    /// drop(FileHighWater::create(&path, NodeId::new(7))?);
    /// let again = FileHighWater::create(&path, NodeId::new(7));
    /// assert_eq!(again.unwrap_err(), HighWaterError::Exists);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(path: impl AsRef<Path>, node: NodeId) -> Result<Self, HighWaterError> {
        create(path.as_ref(), node)?;
        Self::open(path, node)
    }

    /// Opens the file of a node and locks it.
    ///
    /// # Errors
    ///
    /// It is missing, in use, damaged, or another node's: [`HighWaterError`] says what to do.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{FileHighWater, HighWaterError, NodeId};
    ///
    /// # let folder = std::env::temp_dir().join(format!("guid-doc-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("node-7");
    /// let missing = FileHighWater::open(&path, NodeId::new(7));
    /// assert_eq!(missing.unwrap_err(), HighWaterError::Missing);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>, node: NodeId) -> Result<Self, HighWaterError> {
        let opened = OpenOptions::new().read(true).write(true).open(path);
        let file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => HighWaterError::Missing,
            _ => HighWaterError::io("opening the file", &error),
        })?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => HighWaterError::Locked,
            TryLockError::Error(error) => HighWaterError::io("locking the file", &error),
        })?;
        let counts_names = !has_no_name(&file);
        let mut mark = Self { file, node, counts_names };
        mark.read()?;
        Ok(mark)
    }

    /// Opens the file of a node, or creates it where none is. Take [`open`](Self::open) where a
    /// missing file is a fault: a volume that is not mounted looks like a node that is new.
    ///
    /// # Errors
    ///
    /// See [`open`](Self::open) and [`create`](Self::create).
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_core::{FileHighWater, HighWaterError, NodeId};
    ///
    /// # let folder = std::env::temp_dir().join(format!("guid-doc-either-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("node-7");
    /// drop(FileHighWater::open_or_create(&path, NodeId::new(7))?);
    /// assert!(FileHighWater::open_or_create(&path, NodeId::new(7)).is_ok());
    /// assert!(FileHighWater::open_or_create(&path, NodeId::new(8)).is_err()); // another node's
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_or_create(path: impl AsRef<Path>, node: NodeId) -> Result<Self, HighWaterError> {
        let path = path.as_ref();
        match Self::open(path, node) {
            Err(HighWaterError::Missing) => {}
            opened => return opened,
        }
        // Another process may have been faster: its file is as good as ours.
        match create(path, node) {
            Ok(()) | Err(HighWaterError::Exists) => Self::open(path, node),
            Err(error) => Err(error),
        }
    }

    fn read(&mut self) -> Result<Stamp, HighWaterError> {
        // One byte more than there should be is enough to see that the length is wrong.
        let mut bytes = Vec::with_capacity(image::LEN + 1);
        let read = self
            .file
            .seek(SeekFrom::Start(0))
            .and_then(|_| (&self.file).take(image::LEN as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| HighWaterError::io("reading the bound", &error))?;
        image::read(&bytes, self.node)
    }

    fn write(&mut self, bound: Stamp) -> io::Result<()> {
        let slot = image::slot(self.node, bound);
        for at in image::SLOTS_AT {
            self.file.seek(SeekFrom::Start(at as u64))?;
            self.file.write_all(&slot)?;
            // The length never changes: the data alone need to reach the disk.
            self.file.sync_data()?;
        }
        Ok(())
    }
}

impl HighWater for FileHighWater {
    fn node(&self) -> NodeId {
        self.node
    }

    fn load(&mut self) -> Result<Option<Stamp>, HighWaterError> {
        self.read().map(Some)
    }

    fn store(&mut self, bound: Stamp) -> Result<(), HighWaterError> {
        if self.counts_names && has_no_name(&self.file) {
            return Err(HighWaterError::Missing);
        }
        self.write(bound).map_err(|error| HighWaterError::io("storing the bound", &error))
    }
}

/// Whether the file was removed, or replaced by another. `false` also where nobody can tell.
#[cfg_attr(not(unix), expect(unused_variables, reason = "nobody can tell"))]
fn has_no_name(file: &File) -> bool {
    #[cfg(unix)]
    return file.metadata().is_ok_and(|found| std::os::unix::fs::MetadataExt::nlink(&found) == 0);
    #[cfg(not(unix))]
    false
}

/// Makes a file that is whole from the moment it has its name.
fn create(path: &Path, node: NodeId) -> Result<(), HighWaterError> {
    let refused = |error: &io::Error| HighWaterError::io("creating the file", error);
    let (draft, mut file) = draft_of(path).map_err(|error| refused(&error))?;
    let linked = file
        .write_all(&image::image(node, Stamp::MIN))
        .and_then(|()| file.sync_all())
        // A link, unlike a rename, replaces nothing: of two who create, one succeeds.
        .and_then(|()| fs::hard_link(&draft, path))
        .and_then(|()| sync_folder_of(path));
    // A draft that stays behind, after a crash here, has another name and harms nobody.
    fs::remove_file(&draft).ok();
    linked.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => HighWaterError::Exists,
        _ => refused(&error),
    })
}

/// A new file beside `path`, nobody else's: in containers, two processes can have one number.
fn draft_of(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut attempt = 0_u32;
    loop {
        let mut draft = path.as_os_str().to_owned();
        draft.push(format!(".draft-{}-{attempt}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&draft) {
            Ok(file) => return Ok((draft.into(), file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1_000 => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// A name is on the disk once its folder is. Elsewhere than on Unix folders cannot be opened, and
/// the file system keeps names by a journal.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
