//! The lattice picture of the guide: all states of a small set, and the ways of two replicas
//! through them, taken by real replicas.
//!
//! `UPDATE_GOLDEN=1 cargo test -p guid-docs --test lattice` draws it anew.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::{env, fmt::Write, fs, path::Path};

use guid_core::{ManualClock, NodeId};
use guid_crdt::{GSet, Lattice, Replica};

const ELEMENTS: [char; 3] = ['a', 'b', 'c'];

type Set = GSet<char>;

/// Where a state stands: below, what contains less.
fn place(set: &Set) -> (usize, usize) {
    let has = |at: usize| set.contains(&ELEMENTS[at]);
    let column = match (set.iter().count(), has(0), has(2)) {
        (0 | 3, ..) => 1,
        (1, first, third) => 1 + usize::from(third) - usize::from(first),
        (_, true, false) => 0,
        (_, first, _) => 2 - usize::from(first),
    };
    (120 + column * 180, 340 - set.iter().count() * 90)
}

fn name(set: &Set) -> String {
    let elements: String = set.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
    if elements.is_empty() { "⊥ = { }".into() } else { format!("{{{elements}}}") }
}

/// All states, least first.
fn states() -> Vec<Set> {
    let chosen = |bits: usize| {
        let elements = (0..3).filter(move |at| bits >> at & 1 == 1).map(|at| ELEMENTS[at]);
        elements.fold(Set::new(), |mut set, element| set.insert(element).joined(&set))
    };
    (0..8).map(chosen).collect()
}

/// Two replicas: each adds, they meet, one adds on. What each went through.
fn ways() -> [Vec<Set>; 2] {
    let replica = |node| Replica::<Set, _>::new(NodeId::new(node), ManualClock::new(9 << 30));
    let (mut ann, mut ben) = (replica(1), replica(2));
    let mut ways = [vec![ann.snapshot()], vec![ben.snapshot()]];
    ann.write(|set, _| Ok(set.insert('a'))).unwrap();
    ways[0].push(ann.snapshot());
    ben.write(|set, _| Ok(set.insert('c'))).unwrap();
    ways[1].push(ben.snapshot());
    ann.write(|set, _| Ok(set.insert('b'))).unwrap();
    ways[0].push(ann.snapshot());
    ben.join(ann.state()).unwrap();
    ways[1].push(ben.snapshot());
    ann.join(ben.state()).unwrap();
    ways[0].push(ann.snapshot());
    ways
}

const STYLE: &str = "\
<style>
  svg { --paper: #ffffff; --ink: #1b1f24; --soft: #5b6673; --line: #c3cad3; --ann: #3d6ea8;
        --ben: #b5280b; background: var(--paper); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171b; --ink: #eceff3; --soft: #a0abb8; --line: #46505c; --ann: #82b3e8;
          --ben: #ff9a70; }
  }
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: var(--ink); }
  .state { text-anchor: middle; } .soft { fill: var(--soft); font-size: 11px; }
  .box { fill: var(--paper); stroke: var(--line); }
  .order { stroke: var(--line); stroke-width: 1; }
  .ann { stroke: var(--ann); stroke-width: 2.4; fill: none; }
  .ben { stroke: var(--ben); stroke-width: 2.4; fill: none; stroke-dasharray: 7 3; }
  .tipann { fill: var(--ann); } .tipben { fill: var(--ben); }
</style>
";

/// The tip of an arrow.
fn tip(class: &str) -> String {
    format!(
        "<marker id=\"{class}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"10\" \
         markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path d=\"M0 1 L10 5 L0 9 z\" class=\"tip{class}\"/></marker>\n"
    )
}

fn line(svg: &mut String, class: &str, shift: usize, [from, to]: [&Set; 2]) {
    let ((x1, y1), (x2, y2)) = (place(from), place(to));
    let (x1, x2) = (x1 + shift - 6, x2 + shift - 6);
    let tip =
        if class == "order" { String::new() } else { format!(" marker-end=\"url(#{class})\"") };
    let (y1, y2) = (y1 - 16, y2 + 17);
    writeln!(svg, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"{class}\"{tip}/>")
        .unwrap();
}

/// Whether one state is right below the other.
fn is_next(below: &Set, above: &Set) -> bool {
    below.compare(above).is_within() && below.iter().count() + 1 == above.iter().count()
}

fn drawn() -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 390\" width=\"760\" \
         height=\"390\" role=\"img\">\n<title>The lattice of sets of a, b and c</title>\n\
         {STYLE}<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n\
         <defs>\n{}{}</defs>\n",
        tip("ann"),
        tip("ben"),
    );
    let states = states();
    for below in &states {
        for above in states.iter().filter(|above| is_next(below, above)) {
            line(&mut svg, "order", 6, [below, above]);
        }
    }
    for (way, (class, shift)) in ways().iter().zip([("ann", 0), ("ben", 12)]) {
        for step in way.windows(2) {
            line(&mut svg, class, shift, [&step[0], &step[1]]);
        }
    }
    for state in &states {
        let ((x, y), text) = (place(state), name(state));
        let (left, top, base) = (x - 46, y - 15, y + 5);
        writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"92\" height=\"30\" rx=\"6\" class=\"box\"/>"
        )
        .unwrap();
        writeln!(svg, "<text x=\"{x}\" y=\"{base}\" class=\"state\">{text}</text>").unwrap();
    }
    for (y, class, text) in
        [(150, "ann", "Ann adds a, then b, and joins"), (180, "ben", "Ben adds c, and joins")]
    {
        writeln!(svg, "<line x1=\"540\" y1=\"{y}\" x2=\"574\" y2=\"{y}\" class=\"{class}\" marker-end=\"url(#{class})\"/>").unwrap();
        writeln!(svg, "<text x=\"582\" y=\"{}\" class=\"soft\">{text}</text>", y + 4).unwrap();
    }
    writeln!(svg, "<line x1=\"540\" y1=\"210\" x2=\"574\" y2=\"210\" class=\"order\"/>").unwrap();
    writeln!(svg, "<text x=\"582\" y=\"214\" class=\"soft\">one more element</text>").unwrap();
    svg.push_str("</svg>\n");
    svg
}

#[test]
fn the_lattice_of_the_guide_is_the_one_that_replicas_go_through() {
    let [ann, ben] = ways();
    for way in [&ann, &ben] {
        assert!(way.windows(2).all(|step| step[0].compare(&step[1]).is_within()), "never down");
    }
    assert_eq!(ann.last(), ben.last());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("guide/pictures/lattice.svg");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, drawn()).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == drawn(), "UPDATE_GOLDEN=1 draws it anew");
}
