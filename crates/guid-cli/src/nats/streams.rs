//! The streams of a server, and what they are to be.

use std::time::Duration;

use async_nats::jetstream::{
    consumer::{AckPolicy, pull},
    stream::{Config, DiscardPolicy, RetentionPolicy, StorageType},
};

use super::{ANNOUNCED, WORKERS};

/// For how long results are kept for a collector that is begun again.
const ABANDONED: Duration = Duration::from_secs(30 * 86_400);

/// The stream of what is swept.
pub(super) fn announcements() -> Config {
    Config {
        max_messages_per_subject: 1,
        max_age: ANNOUNCED,
        subjects: vec!["guid.sweep.*".to_owned()],
        ..stream("guid-sweep")
    }
}

fn stream(name: &str) -> Config {
    Config {
        name: name.to_owned(),
        storage: StorageType::File,
        // Full is an error that somebody sees, never the loss of what is old.
        discard: DiscardPolicy::New,
        ..Config::default()
    }
}

/// The stream of a sweep's jobs, or of its results.
pub(super) fn own_stream(kind: &str, sweep: &str) -> Config {
    let retention = match kind {
        "jobs" => RetentionPolicy::WorkQueue,
        _ => RetentionPolicy::Limits,
    };
    Config {
        retention,
        subjects: vec![subject(kind, sweep)],
        // Of a sweep that nobody ever goes on with.
        max_age: ABANDONED,
        ..stream(&format!("guid-{kind}-{sweep}"))
    }
}

pub(super) fn subject(kind: &str, sweep: &str) -> String {
    format!("guid.{kind}.{sweep}")
}

/// The consumer that all workers share.
pub(super) fn workers(ack_wait: Duration) -> pull::Config {
    pull::Config {
        durable_name: Some(WORKERS.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_ack_pending: -1,
        ..pull::Config::default()
    }
}
