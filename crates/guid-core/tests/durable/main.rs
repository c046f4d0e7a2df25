//! A fixed node over restarts: no ID twice, order kept, whatever fails or is killed.

mod folder;
mod restarts;
mod stalls;
mod file;
mod processes;
