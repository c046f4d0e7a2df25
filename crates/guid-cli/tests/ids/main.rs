//! The identity half of the command, as a program: what it prints, and how it ends.

mod program;
mod endings;
mod vectors;

use program::{guid, lines};
use serde_json::{Map, Value, json};

pub(crate) const ID: &str = "Njj070....H7o_zz";
const LOCAL: &str = "51EAB01377C14EEE";

/// Every key, in the order of the contract.
pub(crate) const JSON: &str = concat!(
    r#"{"input":"Njj070....H7o_zz","kind":"global","code":3,"window_ns":274877906944,"#,
    r#""tick":13121201775433,"seq":8191,"node":"02000000","unix_ns":"1719822159109554176","#,
    r#""time":"2024-07-01T08:22:39.109554176Z","stamp":"214977769888702463","#,
    r#""bytes":"62fbc1201000000488d25fff","lex":"Njj070....H7o_zz","#,
    r#""base32":"0RQVR4G100000J4D4QZZ","base62":"dq7YumjEa745gWTv","#,
    r#""base62_padded":"0dq7YumjEa745gWTv","hex":"62fbc1201000000488d25fff","#,
    r#""uuid":"62fbc120-1000-8000-8488-d25fff000000","local":"51EAB01377C14EEE"}"#,
    "\n",
);

const LOCAL_JSON: &str = concat!(
    r#"{"input":"*Njj07.....H7o_zz","kind":"local","code":3,"window_ns":274877906944,"#,
    r#""tick":13121201775433,"seq":8191,"unix_ns":"1719822159109554176","#,
    r#""time":"2024-07-01T08:22:39.109554176Z","stamp":"214977769888702463","#,
    r#""bytes":"62fbc12488d25fff","lex":"51EAB01377C14EEE","base32":"65YY14J4D4QZZ","#,
    r#""base62":"8UsxJwyLANj","base62_padded":"8UsxJwyLANj","hex":"62fbc12488d25fff"}"#,
    "\n",
);

const BLOCK: &str = "\
Njj070....H7o_zz
  kind          global, 96 bits
  time          2024-07-01T08:22:39.109554176Z
  unix ns       1719822159109554176
  drift         code 3, window 274.877906944 s
  tick          13121201775433
  sequence      8191
  node          02000000
  stamp         214977769888702463
  canonical     Njj070....H7o_zz
  base32        0RQVR4G100000J4D4QZZ
  base62        dq7YumjEa745gWTv
  base62 padded 0dq7YumjEa745gWTv
  hexadecimal   62fbc1201000000488d25fff
  UUID          62fbc120-1000-8000-8488-d25fff000000
  local         51EAB01377C14EEE
┌───┬─────────────────────────┬──────────────────────────────┬─────────────────────┬─────────────┐
│⟨d⟩│⟨t⟩ tick, upper          │⟨l⟩ node                      │⟨t⟩ tick, lower      │⟨s⟩ sequence │
│3  │6256676                  │02000000                      │1188681              │8191         │
│3  │26 bits                  │32 bits                       │21 bits              │14 bits      │
└───┴─────────────────────────┴──────────────────────────────┴─────────────────────┴─────────────┘
";

#[test]
fn inspect_tells_every_fraction() {
    guid(&["inspect", "--json", ID], "").is(0, JSON, "");
    guid(&["inspect", "--json"], ID).is(0, JSON, "");
    guid(&["inspect", "--json", "*Njj07.....H7o_zz"], "").is(0, LOCAL_JSON, "");
    guid(&["inspect", ID], "").is(0, BLOCK, "");
    guid(&["inspect", ID, ID], "").is(0, &format!("{BLOCK}\n{BLOCK}"), "");
}

/// At most 100 columns, whatever the code, and a border that closes.
#[test]
fn the_picture_fits() {
    for code in 0..8 {
        for local in [&[][..], &["--local", "--text=starred"]] {
            let code = code.to_string();
            let fields = ["compose", "--node=ffffffff", "--seq=16383", "--unix-ns"];
            let max = u64::MAX.to_string();
            let id = guid(&[&fields[..], &[&max, "--code", &code], local].concat(), "").stdout;
            let block = guid(&["inspect"], &id).ok();
            let picture: Vec<_> =
                block.lines().rev().take(5).map(|row| row.chars().count()).collect();
            assert!(picture.iter().all(|&columns| columns == picture[0]), "{block}");
            assert!(block.lines().all(|line| line.chars().count() <= 100), "{block}");
        }
    }
}

#[test]
fn every_form_is_recognized() {
    for text in [
        "Njj070....H7o_zz",
        "0RQVR4G100000J4D4QZZ",
        "0rqvr4g100000j4d4qzz",
        "0dq7YumjEa745gWTv",
        "62fbc1201000000488d25fff",
        "62FBC1201000000488D25FFF",
        "62fbc120-1000-8000-8488-d25fff000000",
    ] {
        guid(&["convert", "--to=lex", text], "").is(0, &format!("{ID}\n"), "");
    }
    for text in ["*Njj071....H7o_zz", "65YY14J4D4QZZ", "8UsxJwyLANj"] {
        guid(&["convert", "--to=lex", text], "").is(0, &format!("{LOCAL}\n"), "");
    }
}

#[test]
fn other_forms_are_read_when_named() {
    let read = |form, text| guid(&["convert", "--to=lex", "--as", form, text], "").ok();
    assert_eq!(read("base62", "dq7YumjEa745gWTv"), format!("{ID}\n"));
    assert_eq!(read("base62-padded", "0dq7YumjEa745gWTv"), format!("{ID}\n"));
    assert_eq!(read("base62", "8UsxJwyLANj"), format!("{LOCAL}\n"));
    assert_eq!(read("lex-local", LOCAL), format!("{LOCAL}\n"));
    assert_eq!(read("hex-local", "62fbc12488d25fff"), format!("{LOCAL}\n"));
    guid(&["inspect", "--as=base62", "0dq7YumjEa745gWTv"], "").ends(65);
    guid(&["inspect", "--as=hex", ID], "").ends(65);
}

/// As a 64-bit column shows locals. Twenty digits would be base32, so they have to be named.
#[test]
fn decimal_numbers_are_refused() {
    guid(&["inspect", "7132174577862303743"], "").ends(65);
    let error = "guid: argument 1: a decimal number, or base32: say --as base32 if it is: \
                 \"10000000000000000000\"\n";
    guid(&["inspect", "10000000000000000000"], "").is(65, "", error);
    guid(&["convert", "--to=lex", "--as=base32", "10000000000000000000"], "").is(
        0,
        "V...............\n",
        "",
    );
}

#[test]
fn convert_writes_every_form_it_has() {
    let to = |form, id| guid(&["convert", "--to", form, id], "");
    for (form, text) in [
        ("base32", "0RQVR4G100000J4D4QZZ"),
        ("base62", "dq7YumjEa745gWTv"),
        ("base62-padded", "0dq7YumjEa745gWTv"),
        ("hex", "62fbc1201000000488d25fff"),
        ("uuid", "62fbc120-1000-8000-8488-d25fff000000"),
    ] {
        to(form, ID).is(0, &format!("{text}\n"), "");
    }
    to("starred", "65YY14J4D4QZZ").is(0, "*Njj07.....H7o_zz\n", "");
    to("hex-local", "65YY14J4D4QZZ").is(0, "62fbc12488d25fff\n", "");
    to("uuid", "65YY14J4D4QZZ").ends(65);
    to("starred", ID).ends(65);
    to("base62", "................").ends(65);
}

#[test]
fn compose_takes_arguments_or_objects() {
    let typed = ["compose", "--code=3", "--node=02000000", "--unix-ns=1719822159109605709"];
    let seq = ["--seq=8191"];
    guid(&[&typed[..], &seq].concat(), "").is(0, &format!("{ID}\n"), "");
    guid(&[&typed[..], &seq, &["--local"]].concat(), "").is(0, &format!("{LOCAL}\n"), "");
    guid(&[&typed[..], &seq, &["--text=hex"]].concat(), "").is(0, "62fbc1201000000488d25fff\n", "");

    let object = r#"{"code":3,"node":"02000000","unix_ns":"1719822159109605709","seq":8191}"#;
    let composed = guid(&["compose"], object).objects();
    // Rounded down to the tick, and said so.
    assert_eq!(composed[0]["unix_ns"], "1719822159109554176");
    assert_eq!((&composed[0]["input"], &composed[0]["lex"]), (&json!(object), &json!(ID)));
    guid(&["compose", "--text=lex"], object).is(0, &format!("{ID}\n"), "");

    // A number will do where it is exact, and a local needs no node.
    let object = r#"{"local":true,"seq":8191,"unix_ns":1719822159109605709,"code":3}"#;
    assert_eq!(guid(&["compose"], object).objects()[0]["lex"], LOCAL);
}

#[test]
fn compose_refuses_what_does_not_fit_and_names_it() {
    let good = json!({"code": 3, "node": "02000000", "unix_ns": "1", "seq": 1});
    let cases = [
        ("code", json!(8)),
        ("code", json!(-1)),
        ("code", json!("3")),
        ("node", json!("2000000")),
        ("node", json!("0x200000")),
        ("node", json!(33_554_432)),
        ("unix_ns", json!("18446744073709551616")),
        ("unix_ns", json!(18_446_744_073_709_551_616_f64)),
        ("unix_ns", json!("-1")),
        ("unix_ns", json!("+1")),
        ("unix_ns", json!(" 1")),
        ("unix_ns", json!("")),
        ("unix_ns", json!(-1)),
        ("unix_ns", json!(1.5)),
        ("unix_ns", json!(null)),
        ("seq", json!(16_384)),
        ("seq", json!(-1)),
        ("seq", json!([1])),
        ("local", json!(0)),
        ("local", json!("false")),
        ("unknown", json!(1)),
    ];
    let lines: Vec<_> = cases.iter().map(|(key, value)| with(&good, key, value)).collect();
    let ran = guid(&["compose"], lines.join("\n"));
    assert_eq!(ran.code, 65);
    for ((key, value), told) in cases.iter().zip(ran.lines_as_objects()) {
        let error = told["error"].as_str().expect("an error");
        assert!(error.contains(&format!("`{key}`")), "{key} {value}: {told:?}");
    }
    for key in ["code", "node", "unix_ns", "seq"] {
        let mut object = good.clone();
        object.as_object_mut().expect("an object").remove(key);
        let told = &guid(&["compose"], object.to_string()).lines_as_objects()[0];
        assert_eq!(told["error"], format!("missing field `{key}`"));
    }
    let twice = r#"{"code":3,"code":3,"node":"02000000","unix_ns":1,"seq":1}"#;
    assert_eq!(guid(&["compose"], twice).lines_as_objects()[0]["error"], "duplicate field `code`");
}

fn with(object: &Value, key: &str, value: &Value) -> String {
    let mut object = object.clone();
    object[key] = value.clone();
    object.to_string()
}

#[test]
fn new_ids_rise_and_bear_what_was_asked_for() {
    let ids = guid(&["new", "-n1000", "--node=deadbeef", "--drift=5m", "--json"], "").objects();
    assert_eq!(ids.len(), 1000);
    let texts: Vec<_> = ids.iter().map(|id| id["lex"].as_str()).collect();
    assert!(texts.is_sorted_by(|a, b| a < b));
    for id in &ids {
        assert_eq!((&id["node"], &id["code"]), (&json!("deadbeef"), &json!(4)));
        assert_eq!(id.get("input"), None);
    }
    guid(&["new", "-n0"], "").is(0, "", "");
    let named = guid(&["new", "--node-name=abc@go", "--json"], "").objects();
    assert_eq!((&named[0]["node"], &named[0]["code"]), (&json!("53051caf"), &json!(3)));
    let local = guid(&["new", "--local", "--json", "--code=0"], "").objects();
    assert_eq!((&local[0]["kind"], &local[0]["code"]), (&json!("local"), &json!(0)));
}

#[test]
fn what_new_writes_inspect_recognizes() {
    for form in ["lex", "base32", "base62", "hex", "uuid"] {
        let ids = guid(&["new", "-n20", "--node=deadbeef", "--text", form], "").ok();
        for id in guid(&["inspect", "--json"], &ids).objects() {
            assert_eq!(
                (&id["kind"], &id["node"]),
                (&json!("global"), &json!("deadbeef")),
                "{form}"
            );
        }
    }
}

#[test]
fn ids_come_back_through_their_fractions() {
    for kind in [&[][..], &["--local", "--text=base32"]] {
        let ids = guid(&[&["new", "-n1000"], kind].concat(), "").ok();
        let inspected = guid(&["inspect", "--json"], &ids).objects();
        let fractions: Vec<_> = inspected.iter().map(fractions).collect();
        let composed = guid(&["compose"], fractions.join("\n")).objects();
        assert_eq!(composed.len(), 1000);
        for (before, after) in inspected.iter().zip(&composed) {
            let all_but_input = |id: &Map<_, _>| {
                let mut id = id.clone();
                id.remove("input");
                id
            };
            assert_eq!(all_but_input(before), all_but_input(after));
        }
    }
}

/// The keys that `compose` takes.
fn fractions(id: &Map<String, Value>) -> String {
    let mut taken = json!({"local": id["kind"] == "local"});
    for key in ["code", "node", "unix_ns", "seq"] {
        if let Some(value) = id.get(key) {
            taken[key] = value.clone();
        }
    }
    taken.to_string()
}

/// k-order is by window, then node, then time; time order by stamp. The lines keep their forms.
#[test]
fn sort_orders_the_ids_and_keeps_the_lines() {
    let make = |node, unix_ns, text| {
        let fields = ["compose", "--code=3", "--seq=0", "--node", node, "--unix-ns", unix_ns];
        guid(&[&fields[..], &["--text", text]].concat(), "").ok().trim_end().to_owned()
    };
    let early = make("00000009", "1000000000", "lex");
    let later = make("00000001", "2000000000", "uuid");
    let latest = make("00000005", "900000000000", "base32");
    let input = lines(&[&latest, &early, &later]);
    guid(&["sort"], &input).is(0, &lines(&[&later, &early, &latest]), "");
    guid(&["sort", "--by=k"], &input).is(0, &lines(&[&later, &early, &latest]), "");
    guid(&["sort", "--by=time"], &input).is(0, &lines(&[&early, &later, &latest]), "");
    // One ID in three forms: equal, so as they came.
    let same = lines(&["62FBC1201000000488D25FFF", ID, "0dq7YumjEa745gWTv"]);
    guid(&["sort"], &same).is(0, &same, "");
    // A local is before every global in k-order, among them in time order.
    let mixed = lines(&[&latest, "65YY14J4D4QZZ", ID]);
    guid(&["sort"], &mixed).is(0, &lines(&["65YY14J4D4QZZ", &latest, ID]), "");
    guid(&["sort", "--by=time"], &mixed).is(0, &lines(&[&latest, "65YY14J4D4QZZ", ID]), "");
}

/// A refused line is an object among the others, as of `inspect`.
#[test]
fn convert_and_sort_write_json() {
    let input = lines(&[ID, "x"]);
    let ran = guid(&["convert", "--to", "base62-padded", "--json"], &input);
    let objects = ran.lines_as_objects();
    let converted = json!({ "input": ID, "form": "base62-padded", "text": "0dq7YumjEa745gWTv" });
    assert_eq!((ran.code, &*ran.stderr), (65, ""));
    assert_eq!(Value::Object(objects[0].clone()), converted);
    assert_eq!((&objects[1]["input"], &objects[1]["at"]), (&json!("x"), &json!(0)));

    let later = "Njj071....H7o_zz";
    let sorted = guid(&["sort", "--json"], lines(&[later, ID]));
    assert!(sorted.stdout.starts_with(JSON), "{}", sorted.stdout);
    let order: Vec<Value> = sorted.objects().iter().map(|one| one["input"].clone()).collect();
    assert_eq!(order, [ID, later]);
    assert_eq!(guid(&["sort", "--json"], "x").code, 65);
}

#[test]
fn ten_thousand_lines_pass() {
    let ids = guid(&["new", "-n10000"], "").ok();
    let inspected = guid(&["inspect", "--json"], &ids).objects();
    assert_eq!(inspected.len(), 10_000);
    let fractions: Vec<_> = inspected.iter().map(fractions).collect();
    let composed = guid(&["compose", "--text=lex"], fractions.join("\n")).ok();
    assert_eq!(composed, ids);
}
