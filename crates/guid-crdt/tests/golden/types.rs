//! The writes of each type, in the history that all golden lines come from.

use guid_core::{NodeId, Stamp};
use guid_crdt::{
    AwLwwMap, BoundedCounter, CausalContext, Doc, DwFlag, EwFlag, FwwRegister, GCounter, GSet,
    LwwMap, LwwRegister, LwwSet, Max, Min, MvRegister, OrMap, OrSet, PnCounter, ResettableCounter,
    RwSet, Scalar, Span, TwoPhaseSet, VectorClock,
};

use super::history::{Line, Lines, collided, dot};

/// Calls a method of [`Lines`] for a type, with the name of the type.
macro_rules! lines_of {
    ($lines:ident.$of:ident: $type:ty, $($write:expr),* $(,)?) => {
        $lines.$of::<$type>(stringify!($type), [$($write),*])
    };
}

/// Every golden line.
pub(crate) fn lines() -> Vec<Line> {
    let mut lines = Lines::default();
    registers(&mut lines);
    counters(&mut lines);
    flags(&mut lines);
    sets(&mut lines);
    maps(&mut lines);
    documents(&mut lines);
    contexts(&mut lines);
    lines.add("Saved<OrSet<String>>".to_owned(), "its node writes elsewhere too", &collided());
    lines.0
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn registers(lines: &mut Lines) {
    lines_of!(lines.all: LwwRegister<String>,
        |r, dot| r.set(dot, text("tea")),
        |r, dot| r.set(dot, text("")),
        |r, dot| r.set(dot, text("ale")),
        |r, dot| r.set(dot, text("Käse, 茶")),
        |r, dot| r.set(dot, "long ".repeat(60)), // 300 bytes: a length of three
        |r, dot| r.set(dot, text("earlier")),
    );
    // A second write is refused where the first was seen; then there is nothing to tell.
    lines_of!(lines.all: FwwRegister<u16>,
        |r, dot| r.set(dot, 7),
        |r, _| Ok(r.clone()),
        |r, dot| r.set(dot, 300),
        |r, _| Ok(r.clone()),
        |r, dot| r.set(dot, 250),
        |r, _| Ok(r.clone()),
    );
    lines_of!(lines.causal: MvRegister<u64>,
        |r, dot| r.set(dot, 1),
        |r, dot| r.set(dot, 250),
        |r, dot| r.set(dot, 251),
        |r, dot| r.set(dot, 1 << 16),
        |r, dot| r.set(dot, 1 << 32),
        |r, dot| r.set(dot, u64::MAX),
    );
    lines_of!(lines.all: Max<i64>,
        |m, _| Ok(m.raise(-1)),
        |m, _| Ok(m.raise(i64::MIN)),
        |m, _| Ok(m.raise(0)),
        |m, _| Ok(m.raise(125)),
        |m, _| Ok(m.raise(126)),
        |m, _| Ok(m.raise(5)),
    );
    lines_of!(lines.all: Min<(u8, Option<String>)>,
        |m, _| Ok(m.lower((9, None))),
        |m, _| Ok(m.lower((8, Some(text("tea"))))),
        |m, _| Ok(m.lower((251, None))),
        |m, _| Ok(m.lower((7, None))),
        |m, _| Ok(m.lower((7, Some(text("ale"))))),
        |m, _| Ok(m.lower((6, Some(text("ale"))))),
    );
}

fn counters(lines: &mut Lines) {
    lines_of!(lines.all: GCounter,
        |c, dot| c.add(dot, 1),
        |c, dot| c.add(dot, 300),
        |c, dot| c.add(dot, 2),
        |c, dot| c.add(dot, 0),
        |c, dot| c.add(dot, u64::MAX),
        |c, dot| c.add(dot, 5),
    );
    lines_of!(lines.all: PnCounter,
        |c, dot| c.add(dot, 1),
        |c, dot| c.add(dot, -300),
        |c, dot| c.add(dot, 2),
        |c, dot| c.add(dot, -2),
        |c, dot| c.add(dot, i64::MIN),
        |c, dot| c.add(dot, 5),
    );
    lines_of!(lines.all: BoundedCounter,
        |c, dot| c.add(dot, 900),
        |c, dot| c.transfer(dot, NodeId::new(7), 400),
        |c, dot| c.add(dot, 2),
        |c, dot| c.take(dot, 1),
        |c, dot| c.add(dot, 1 << 40),
        |c, dot| c.transfer(dot, NodeId::new(u32::MAX), 5),
    );
    lines_of!(lines.causal: ResettableCounter,
        |c, dot| c.add(dot, 1),
        |c, dot| c.add(dot, -300),
        |c, dot| c.add(dot, 2),
        |c, dot| c.reset(dot),
        |c, dot| c.add(dot, i64::MAX),
        |c, dot| c.add(dot, 5),
    );
}

fn flags(lines: &mut Lines) {
    lines_of!(lines.causal: EwFlag,
        |f, dot| f.enable(dot),
        |f, dot| f.enable(dot),
        |f, dot| f.enable(dot),
        |f, dot| f.disable(dot),
        |f, dot| f.enable(dot),
        |f, dot| f.enable(dot),
    );
    lines_of!(lines.causal: DwFlag,
        |f, dot| f.enable(dot),
        |f, dot| f.disable(dot),
        |f, dot| f.enable(dot),
        |f, dot| f.enable(dot),
        |f, dot| f.disable(dot),
        |f, dot| f.enable(dot),
    );
}

fn sets(lines: &mut Lines) {
    lines_of!(lines.causal: OrSet<String>,
        |s, dot| s.insert_all(dot, ["tea", "Käse"].map(text)),
        |s, dot| s.insert(dot, text("ale")),
        |s, dot| s.insert(dot, text("tea")),
        |s, dot| s.insert_all(dot, ["tea", "", "茶"].map(text)),
        |s, dot| s.insert(dot, text("tea")),
        |s, dot| s.remove(dot, "Käse"),
    );
    lines_of!(lines.causal: RwSet<String>,
        |s, dot| s.insert(dot, text("tea")),
        |s, dot| s.insert(dot, text("ale")),
        |s, dot| s.remove(dot, text("tea")),
        |s, dot| s.insert(dot, text("gin")),
        |s, dot| s.insert(dot, text("tea")),
        |s, dot| s.remove(dot, text("ale")),
    );
    lines_of!(lines.all: LwwSet<String>,
        |s, dot| s.insert(dot, text("tea")),
        |s, dot| s.insert(dot, text("ale")),
        |s, dot| s.remove(dot, text("tea")),
        |s, dot| s.insert(dot, text("gin")),
        |s, dot| s.insert(dot, text("tea")),
        |s, dot| s.remove(dot, text("ale")),
    );
    lines_of!(lines.all: GSet<(i32, String)>,
        |s, _| Ok(s.insert((1, text("tea")))),
        |s, _| Ok(s.insert((-1, text("ale")))),
        |s, _| Ok(s.insert((1, text("ale")))),
        |s, _| Ok(s.insert((-300, text("茶")))),
        |s, _| Ok(s.insert((1, text("tea")))),
        |s, _| Ok(s.insert((70_000, text("")))),
    );
    lines_of!(lines.all: TwoPhaseSet<char>,
        |s, _| Ok(s.insert('a')),
        |s, _| Ok(s.insert('ß')),
        |s, _| Ok(s.insert('茶')),
        |s, _| Ok(s.remove('茶')),
        |s, _| Ok(s.insert('🍵')),
        |s, _| Ok(s.remove('a')),
    );
}

fn maps(lines: &mut Lines) {
    lines_of!(lines.all: LwwMap<String, i64>,
        |m, dot| m.put(dot, text("tea"), 3),
        |m, dot| m.put(dot, text("ale"), -3),
        |m, dot| m.put(dot, text("tea"), 300),
        |m, dot| m.put(dot, text("gin"), 0),
        |m, dot| m.remove(dot, text("rum")),
        |m, dot| m.remove(dot, text("ale")),
    );
    lines_of!(lines.causal: AwLwwMap<u32, String>,
        |m, dot| m.put(dot, 2, text("two")),
        |m, dot| m.put(dot, 300, text("three hundred")),
        |m, dot| m.put(dot, 2, text("zwei")),
        |m, dot| m.put(dot, 1, text("eins")),
        |m, dot| m.put(dot, 70_000, text("many")),
        |m, dot| m.remove(dot, &300),
    );
    lines_of!(lines.causal: OrMap<String, OrSet<u8>>,
        |m, dot| m.update(dot, text("b"), |s| s.insert(dot, 9)),
        |m, dot| m.update(dot, text("a"), |s| s.insert_all(dot, [5, 4])),
        |m, dot| m.update(dot, text("b"), |s| s.insert(dot, 9)),
        |m, dot| m.update(dot, text("b"), |s| s.insert(dot, 8)),
        |m, dot| m.update(dot, text("c"), |s| s.insert(dot, 255)),
        |m, dot| m.remove(dot, "a"),
    );
    lines_of!(lines.causal: OrMap<u16, OrMap<bool, MvRegister<String>>>,
        |m, dot| m.update(dot, 300, |m| m.update(dot, true, |r| r.set(dot, text("x")))),
        |m, dot| m.update(dot, 7, |m| m.update(dot, false, |r| r.set(dot, text("y")))),
        |m, dot| m.update(dot, 300, |m| m.update(dot, true, |r| r.set(dot, text("z")))),
        |m, dot| m.update(dot, 300, |m| m.update(dot, false, |r| r.set(dot, text("")))),
        |m, dot| m.update(dot, 0, |m| m.update(dot, true, |r| r.set(dot, text("w")))),
        |m, dot| m.update(dot, 300, |m| m.remove(dot, &true)),
    );
}

fn documents(lines: &mut Lines) {
    lines_of!(lines.causal: Doc,
        |doc, dot| doc.edit(dot, |doc| {
            doc.set("title", "Plan");
            doc.add("votes", 2);
            doc.enable("open");
            doc.map("author", |author| author.map("name", |name| name.set("first", "Ann")));
        }),
        |doc, dot| doc.edit(dot, |doc| {
            doc.insert("tags", Scalar::Null);
            doc.insert("tags", true);
            doc.insert("tags", -7);
            doc.insert("tags", "tea");
            doc.insert("tags", vec![0, 255]);
        }),
        |doc, dot| doc.edit(dot, |doc| {
            doc.set("title", "Entwurf");
            doc.add("title", -3); // the kind is part of the path
        }),
        |doc, dot| doc.edit(dot, |doc| {
            doc.map("author", |author| author.map("name", |name| name.set("last", Scalar::Null)));
            doc.insert("tags", "tea");
        }),
        |doc, dot| doc.edit(dot, |doc| doc.set("größe", i64::MIN)),
        |doc, dot| doc.edit(dot, |doc| {
            doc.delete("votes");
            doc.map("author", |author| author.map("name", |name| name.set("first", "Bob")));
        }),
    );
}

fn contexts(lines: &mut Lines) {
    let name = || "CausalContext".to_owned();
    lines.add(name(), "nothing", &CausalContext::new());
    let exact = [dot(3, 10), dot(3, 12), dot(4, 0), dot(9, 1), dot(9, 2)].map(Span::exact);
    let upto = [Span::up_to(NodeId::new(1), Stamp::MAX), Span::up_to(NodeId::new(9), Stamp::MIN)];
    let gaps: CausalContext = exact.into_iter().chain(upto).collect();
    lines.add(name(), "with gaps, and stamps 0 and 2^61 - 1", &gaps);
    let name = || "VectorClock".to_owned();
    lines.add(name(), "nothing", &VectorClock::new());
    let clock = VectorClock::from_iter([dot(0, 0), dot(7, 300), dot(u32::MAX, 1 << 60)]);
    lines.add(name(), "three nodes", &clock);
    // A register that was written at the beginning of time.
    let first = LwwRegister::written(dot(0, 0), "first".to_owned());
    lines.add("LwwRegister<String>".to_owned(), "written at stamp 0 of node 0", &first);
}
