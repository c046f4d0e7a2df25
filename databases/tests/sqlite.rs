//! A database: IDs through `SQLite` in memory, where the columns sort as the IDs do.

use guid_core::{
    Drift, Guid, LocalId, NodeId, Stamp,
    database::{AsText, AsUuid},
    guid,
};
use sqlx::{Connection, Row, SqliteConnection};

/// The future of a query runs on a runtime of one thread, made for the test.
fn with_database(test: impl AsyncFnOnce(&mut SqliteConnection) -> Result<(), sqlx::Error>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let run = async {
        let mut db = SqliteConnection::connect("sqlite::memory:").await?;
        sqlx::query("CREATE TABLE ids (id BLOB PRIMARY KEY, text TEXT, uuid BLOB, local INTEGER)")
            .execute(&mut db)
            .await?;
        test(&mut db).await
    };
    runtime.block_on(run).expect("no query fails");
}

/// IDs whose orders differ: windows, nodes and stamps cross, out of order; codes 0 to 3.
fn ids() -> Vec<Guid> {
    let mut ids = vec![Guid::ZERO];
    for drift in [Drift::D0, Drift::D1, Drift::D2, Drift::D3] {
        for node in [u32::MAX, 0, 0x0200_0000] {
            for nanos in [u64::MAX, 1 << 60, 1 << 36, 1 << 35] {
                let stamp = Stamp::from_unix_nanos(nanos);
                ids.push(Guid::new(drift, NodeId::new(node), stamp));
            }
        }
    }
    ids
}

async fn insert(db: &mut SqliteConnection, id: Guid) -> Result<(), sqlx::Error> {
    let (_, local) = id.to_local();
    let query = sqlx::query("INSERT INTO ids VALUES (?, ?, ?, ?)");
    query.bind(id).bind(AsText(id)).bind(AsUuid(id)).bind(local).execute(db).await?;
    Ok(())
}

#[test]
fn every_column_comes_back_and_sorts_as_the_ids() {
    with_database(async |db| {
        let mut sorted = ids();
        for &id in &sorted {
            insert(db, id).await?;
        }
        sorted.sort();
        for column in ["id", "text", "uuid"] {
            let query = format!("SELECT id, text, uuid, local FROM ids ORDER BY {column}");
            let rows = sqlx::query(&query).fetch_all(&mut *db).await?;
            assert_eq!(rows.len(), sorted.len());
            for (row, &id) in rows.iter().zip(&sorted) {
                assert_eq!(row.get::<Guid, _>("id"), id);
                assert_eq!(row.get::<AsText, _>("text"), AsText(id));
                assert_eq!(row.get::<AsUuid, _>("uuid"), AsUuid(id));
                assert_eq!(row.get::<LocalId, _>("local"), id.to_local().1);
            }
        }
        let rows = sqlx::query("SELECT local FROM ids ORDER BY local").fetch_all(&mut *db).await?;
        let locals: Vec<LocalId> = rows.iter().map(|row| row.get(0)).collect();
        assert!(locals.is_sorted());
        Ok(())
    });
}

/// What stands in the columns, read without this crate.
#[test]
fn columns_hold_what_the_documentation_says() {
    with_database(async |db| {
        insert(db, guid!("Njj070....H7o_zz")).await?;
        let query = "SELECT hex(id), text, hex(uuid), local FROM ids";
        let row: (String, String, String, i64) = sqlx::query_as(query).fetch_one(db).await?;
        assert_eq!(row.0, "62FBC1201000000488D25FFF");
        assert_eq!(row.1, "0RQVR4G100000J4D4QZZ");
        assert_eq!(row.2, "62FBC120100080008488D25FFF000000");
        assert_eq!(row.3, 0x62fb_c124_88d2_5fff);
        Ok(())
    });
}

/// As a signed number it would sort before all others.
#[test]
fn a_local_of_code_4_is_refused_both_ways() {
    with_database(async |db| {
        let last = LocalId::new(Drift::D3, Stamp::MAX);
        let row = sqlx::query("SELECT ?").bind(last).fetch_one(&mut *db).await?;
        assert_eq!(row.get::<LocalId, _>(0), last);

        let first = LocalId::new(Drift::D4, Stamp::MIN);
        let error = sqlx::query("SELECT ?").bind(first).execute(&mut *db).await.unwrap_err();
        let expected = "drift code of a signed 64-bit column 4 is out of range: expected at most 3";
        assert!(error.to_string().contains(expected), "{error}");

        let row = sqlx::query("SELECT -1").fetch_one(&mut *db).await?;
        assert!(row.try_get::<LocalId, _>(0).is_err());
        Ok(())
    });
}

#[test]
fn what_is_no_id_is_refused() {
    with_database(async |db| {
        let query = "SELECT x'00', 'IL', x'00112233445566778899aabbccddeeff', 'x'";
        let row = sqlx::query(query).fetch_one(db).await?;
        assert!(row.try_get::<Guid, _>(0).is_err());
        assert!(row.try_get::<AsText, _>(1).is_err());
        assert!(row.try_get::<AsUuid, _>(2).is_err());
        assert!(row.try_get::<LocalId, _>(3).is_err());
        Ok(())
    });
}
