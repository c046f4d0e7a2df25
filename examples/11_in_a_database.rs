//! IDs and a replica in an `SQLite` file: keys that sort by time, a scan of a stretch of it, and a
//! state that is stored with its mark in one transaction, before anybody hears of the write.
//!
//! `cargo run -p guid-databases --example 11_in_a_database`: it belongs to the package `databases`,
//! so that plain `cargo test` does not compile `SQLite`.

use std::{env, error::Error, fs, path::Path};

use guid_core::{Drift, Guid, LocalGenerator, ManualClock, NodeId, Stamp, Tick};
use guid_crdt::{OrSet, Replica, Saved, wire};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

const NOON: u64 = 1_767_268_800_000_000_000;
const MINUTE: u64 = 60_000_000_000;

type Tags = OrSet<String>;

async fn open(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut db = SqliteConnection::connect_with(&options).await?;
    for table in [
        "CREATE TABLE IF NOT EXISTS notes (id BLOB PRIMARY KEY, text TEXT) WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS replica (id INTEGER PRIMARY KEY, saved BLOB, mark INTEGER)",
    ] {
        sqlx::query(table).execute(&mut db).await?;
    }
    Ok(db)
}

/// Thirty notes, two minutes apart, by two nodes in turn; and those of six minutes.
async fn notes(db: &mut SqliteConnection) -> Result<(), Box<dyn Error>> {
    let clock = ManualClock::new(NOON);
    let mut nodes = [9, 1].map(|node| LocalGenerator::new(NodeId::new(node), &clock));
    for i in 0..30 {
        let id = nodes[i % 2].next();
        let insert = sqlx::query("INSERT INTO notes VALUES (?, ?)");
        insert.bind(id).bind(format!("note of 12:{:02}", 2 * i)).execute(&mut *db).await?;
        clock.advance(2 * MINUTE);
    }

    // The index is read from window to window; what lies beside the stretch is filtered here.
    let (from, to) = (NOON + 30 * MINUTE, NOON + 36 * MINUTE);
    let scan = Guid::scan(Drift::default(), from, to);
    let query = sqlx::query_as("SELECT id, text FROM notes WHERE id BETWEEN ? AND ? ORDER BY id");
    let rows: Vec<(Guid, String)> =
        query.bind(scan.start()).bind(scan.end()).fetch_all(&mut *db).await?;
    println!("{} of 30 rows read, by the index; in time order:", rows.len());
    let stretch = Tick::from_unix_nanos(from)..=Tick::from_unix_nanos(to);
    let mut rows: Vec<_> =
        rows.into_iter().filter(|(id, _)| stretch.contains(&id.tick())).collect();
    rows.sort_by(|(a, _), (b, _)| a.time_cmp(b));
    for (id, text) in rows {
        println!("  {id}  {text}");
    }
    Ok(())
}

/// Writes, and stores state and mark together: who comes back has all that was ever sent.
async fn add(
    db: &mut SqliteConnection,
    tags: &mut Replica<Tags, ManualClock>,
    tag: &str,
) -> Result<(), Box<dyn Error>> {
    tags.write(|tags, dot| tags.insert(dot, tag.to_owned()))?;
    let saved = wire::encode(&tags.save())?;
    let mark = tags.issued().map_or(0, Stamp::as_u64).cast_signed();
    let store = sqlx::query("INSERT OR REPLACE INTO replica VALUES (1, ?, ?)");
    store.bind(saved).bind(mark).execute(db).await?; // one statement: both or neither
    Ok(()) // and only now the delta may be sent
}

async fn load(db: &mut SqliteConnection) -> Result<Replica<Tags, ManualClock>, Box<dyn Error>> {
    let query = sqlx::query_as("SELECT saved, mark FROM replica");
    let Some((saved, mark)) = query.fetch_optional(db).await? else {
        return Ok(Replica::new(NodeId::new(7), ManualClock::new(NOON)));
    };
    let (saved, mark): (Vec<u8>, i64) = (saved, mark);
    let saved: Saved<Tags> = wire::decode(&saved)?;
    let mark = Stamp::from_u64(mark.cast_unsigned())?;
    Ok(Replica::restore_after(saved, Some(mark), ManualClock::new(NOON))?)
}

async fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut db = open(path).await?;
    notes(&mut db).await?;

    let mut tags = load(&mut db).await?;
    for tag in ["urgent", "home"] {
        add(&mut db, &mut tags, tag).await?;
    }
    db.close().await?; // the process ends here

    let mut db = open(path).await?;
    let mut tags = load(&mut db).await?;
    println!("back again:      {:?}", tags.state().iter().collect::<Vec<_>>());
    add(&mut db, &mut tags, "garden").await?;
    println!("and it goes on:  {:?}", tags.state().iter().collect::<Vec<_>>());
    Ok(db.close().await?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::temp_dir().join(format!("guid-example-{}.sqlite", std::process::id()));
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let result = runtime.block_on(run(&path));
    fs::remove_file(path)?;
    result
}
