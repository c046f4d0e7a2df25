//! A database: IDs through a `PostgreSQL` server, by both clients; columns sort as the IDs do, also
//! under the linguistic collation that servers have by default.

use guid_core::{
    Drift, Guid, LocalId, NodeId, Stamp,
    database::{AsText, AsUuid},
    guid,
};
use postgres::{Client, NoTls};
use sqlx::{Connection, PgConnection, Row};

const TABLE: &str = "CREATE TEMPORARY TABLE ids (id BYTEA, uuid UUID, text TEXT, local BIGINT)";

fn address() -> String {
    std::env::var("GUID_POSTGRES").expect("GUID_POSTGRES, the address of a server: see lib.rs")
}

/// IDs whose orders differ: windows, nodes and stamps cross, out of order; codes 0 to 3.
fn ids() -> Vec<Guid> {
    let mut ids = vec![Guid::ZERO];
    for drift in [Drift::D0, Drift::D1, Drift::D2, Drift::D3] {
        for node in [u32::MAX, 0, 0x0200_0000] {
            for nanos in [u64::MAX, 1 << 60, 1 << 36, 1 << 35] {
                ids.push(Guid::new(drift, NodeId::new(node), Stamp::from_unix_nanos(nanos)));
            }
        }
    }
    ids
}

fn client() -> Client {
    let mut db = Client::connect(&address(), NoTls).expect("a server");
    db.batch_execute(TABLE).expect("a table");
    db
}

fn with_sqlx(test: impl AsyncFnOnce(&mut PgConnection) -> Result<(), sqlx::Error>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let run = async {
        let mut db = PgConnection::connect(&address()).await?;
        sqlx::query(TABLE).execute(&mut db).await?;
        test(&mut db).await
    };
    runtime.expect("a runtime").block_on(run).expect("no query fails");
}

#[test]
fn by_postgres_types_columns_come_back_and_sort() {
    let mut db = client();
    let mut sorted = ids();
    for &id in &sorted {
        let (query, local) = ("INSERT INTO ids VALUES ($1, $2, $3, $4)", id.to_local().1);
        db.execute(query, &[&id, &id, &&*id.to_base32(), &local]).expect("a row");
    }
    sorted.sort();
    for column in ["id", "uuid", "text"] {
        let query = format!("SELECT id, uuid, local FROM ids ORDER BY {column}");
        let rows = db.query(&query, &[]).expect("rows");
        assert_eq!(rows.len(), sorted.len());
        for (row, &id) in rows.iter().zip(&sorted) {
            assert_eq!((row.get::<_, Guid>(0), row.get::<_, Guid>(1)), (id, id), "by {column}");
            assert_eq!(row.get::<_, LocalId>(2), id.to_local().1);
        }
    }
    let rows = db.query("SELECT local FROM ids ORDER BY local", &[]).expect("rows");
    let locals: Vec<LocalId> = rows.iter().map(|row| row.get(0)).collect();
    assert!(locals.is_sorted());
}

#[test]
fn by_sqlx_columns_come_back_and_sort() {
    with_sqlx(async |db| {
        let mut sorted = ids();
        for &id in &sorted {
            let query = sqlx::query("INSERT INTO ids VALUES ($1, $2, $3, $4)");
            let query = query.bind(id).bind(AsUuid(id)).bind(AsText(id)).bind(id.to_local().1);
            query.execute(&mut *db).await?;
        }
        sorted.sort();
        for column in ["id", "uuid", "text"] {
            let query = format!("SELECT id, uuid, text, local FROM ids ORDER BY {column}");
            let rows = sqlx::query(&query).fetch_all(&mut *db).await?;
            assert_eq!(rows.len(), sorted.len());
            for (row, &id) in rows.iter().zip(&sorted) {
                assert_eq!(row.get::<Guid, _>("id"), id, "by {column}");
                assert_eq!(row.get::<AsUuid, _>("uuid"), AsUuid(id));
                assert_eq!(row.get::<AsText, _>("text"), AsText(id));
                assert_eq!(row.get::<LocalId, _>("local"), id.to_local().1);
            }
        }
        Ok(())
    });
}

/// What the server itself says stands in the columns.
#[test]
fn columns_hold_what_the_documentation_says() {
    let mut db = client();
    let id = guid!("Njj070....H7o_zz");
    let local = id.to_local().1;
    db.execute("INSERT INTO ids VALUES ($1, $2, '', $3)", &[&id, &id, &local]).expect("a row");
    let query = "SELECT encode(id, 'hex'), uuid::TEXT, local::TEXT FROM ids";
    let row = db.query_one(query, &[]).expect("a row");
    assert_eq!(row.get::<_, &str>(0), "62fbc1201000000488d25fff");
    assert_eq!(row.get::<_, &str>(1), "62fbc120-1000-8000-8488-d25fff000000");
    assert_eq!(row.get::<_, &str>(2), 0x62fb_c124_88d2_5fff_u64.to_string());
}

/// The canonical text is for ASCII order: a linguistic collation puts it out of place, which is
/// why the text of columns is base32.
#[test]
fn a_linguistic_collation_breaks_the_canonical_text_and_not_base32() {
    let mut db = client();
    let mut sorted = ids();
    for id in &sorted {
        let query = "INSERT INTO ids (id, text) VALUES ($1, $2)";
        db.execute(query, &[id, &&*id.to_lex()]).expect("a row");
    }
    sorted.sort();
    let mut by = |order: &str| {
        let query = format!("SELECT id FROM ids ORDER BY {order}");
        let rows = db.query(&query, &[]).expect("rows");
        rows.iter().map(|row| row.get(0)).collect::<Vec<Guid>>()
    };
    assert_eq!(by("text COLLATE \"C\""), sorted);
    assert_ne!(by("text COLLATE \"en-x-icu\""), sorted);
}

#[test]
fn what_is_no_id_is_refused() {
    let mut db = client();
    let query = "SELECT '\\x00'::BYTEA, '00112233-4455-6677-8899-aabbccddeeff'::UUID, -1::BIGINT";
    let row = db.query_one(query, &[]).expect("a row");
    assert!(row.try_get::<_, Guid>(0).is_err());
    assert!(row.try_get::<_, Guid>(1).is_err());
    assert!(row.try_get::<_, LocalId>(2).is_err());
    let first_of_code_4 = LocalId::new(Drift::D4, Stamp::MIN);
    let error = db.query("SELECT $1::BIGINT", &[&first_of_code_4]).unwrap_err();
    assert!(format!("{error:?}").contains("signed 64-bit column"), "{error:?}");
}
