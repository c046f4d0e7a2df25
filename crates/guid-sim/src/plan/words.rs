//! What happened, in words.

use std::fmt;

use guid_crdt::VectorClock;

use super::{Quantity, What, text::one_line};
use crate::{EventKind, NodeIndex, recorder::Storage};

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mint { times: 1 } => f.write_str("makes an ID"),
            Self::Mint { times } => write!(f, "makes {times} IDs"),
            Self::Write { register, overwrite: false } => write!(f, "writes register {register}"),
            Self::Write { register, overwrite: true } => {
                write!(f, "overwrites register {register}")
            }
            Self::Send { message, to } => write!(f, "sends message {message} to {to}"),
            Self::Receive { message } => write!(f, "receives message {message}"),
            Self::Crash => f.write_str("crashes"),
            Self::Restart { storage, .. } => {
                let with = match storage {
                    Storage::Kept => "with what it had stored",
                    Storage::Lost => "with nothing stored",
                    Storage::Snapshot => "with its last snapshot",
                };
                write!(f, "restarts {with}")
            }
            Self::Snapshot => f.write_str("takes a snapshot of what it has stored"),
            Self::Join { reuse } => start(f, "joins", "with the ID of", *reuse),
            Self::Clone { of } => start(f, "starts", "as a copy of", Some(*of)),
            Self::Aside(kind) => aside(f, *kind),
            Self::Claim { name, holds: true } => {
                write!(f, "claims: {}, which holds", one_line(name))
            }
            Self::Claim { name, holds: false } => {
                write!(f, "claims: {}, which does not hold", one_line(name))
            }
            Self::Read { client, seen } => {
                write!(f, "client {client} reads, where {} is known", known(seen))
            }
            Self::Update { client, seen, dot } => {
                let (node, stamp) = (dot.node(), dot.stamp().as_u64());
                let known = known(seen);
                write!(f, "client {client} writes {node}:{stamp}, where {known} is known")
            }
            Self::State { received, shown } => {
                write!(f, "has received {received:x} and shows {shown:x}")
            }
            Self::Count { name, by } => write!(f, "counts {by}: {}", one_line(name)),
            Self::Most { name, value } => write!(f, "measures {value}: {}", one_line(name)),
        }
    }
}

fn start(
    f: &mut fmt::Formatter<'_>,
    starts: &str,
    how: &str,
    of: Option<NodeIndex>,
) -> fmt::Result {
    match of {
        Some(of) => write!(f, "{starts} {how} {of}"),
        None => f.write_str(starts),
    }
}

fn aside(f: &mut fmt::Formatter<'_>, kind: EventKind) -> fmt::Result {
    match kind {
        EventKind::Lost { message } => write!(f, "message {message} is lost"),
        EventKind::ClockFault { by_ns: 0 } => f.write_str("its clock changes its rate"),
        EventKind::ClockFault { by_ns } => write!(f, "its clock jumps by {}", Quantity(by_ns)),
        other => f.write_str(other.name()),
    }
}

fn known(seen: &VectorClock) -> String {
    let entries = seen.iter().map(|(node, stamp)| format!("{node}:{}", stamp.as_u64()));
    let entries: Vec<String> = entries.collect();
    if entries.is_empty() { String::from("nothing") } else { entries.join(" ") }
}
