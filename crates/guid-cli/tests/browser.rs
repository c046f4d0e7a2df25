//! The report and the page in a browser: the pictures are there, everything works by keyboard,
//! nothing is complained about, and all of it can be read.
//!
//! It needs `chromium`, so it waits for the feature `test-browser`.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

#[path = "browser/chromium.rs"]
mod chromium;

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::json;

use crate::chromium::{Browser, Paper};

const LEGIBLE: &str = include_str!("browser/legible.js");

/// The address of the report of a run, in a file of the test's own.
fn report(test: &str, scenario: &str) -> String {
    let name = format!("{test}-{scenario}.html");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let arguments = ["sim", "run", scenario, "--quiet", "--report", path.to_str().unwrap()];
    let run = Command::new(env!("CARGO_BIN_EXE_guid")).args(arguments).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    format!("file://{}", path.display())
}

#[track_caller]
fn is_content(browser: &mut Browser) {
    // Whatever was logged has come by the time of an answer.
    browser.ask("1");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// The axes whose diagrams of the first part are shown.
fn shown(browser: &mut Browser) -> String {
    let diagrams = "[...document.querySelectorAll('#part-0 .diagram')]";
    let shown = ".filter((d) => d.getClientRects().length).map((d) => d.className).join()";
    let classes = browser.ask(&format!("{diagrams}{shown}"));
    classes.as_str().unwrap().replace("diagram scroll axis-", "")
}

#[test]
fn the_pictures_are_there_and_nothing_is_loaded() {
    let mut browser = Browser::start("pictures");
    for scenario in
        ["hello-clocks", "jepsen-strobe", "five-regions", "split-brain-cart", "lww-window-trap"]
    {
        let address = report("pictures", scenario);
        browser.open(&address, Paper::Light, 1280);
        browser.wait("document.documentElement.dataset.ready == 'yes'");
        for section in ["space-time", "schemes", "sort-strip", "misorder", "offsets"] {
            let drawn = format!("document.querySelectorAll('#{section} svg').length");
            assert!(browser.ask(&drawn).as_u64().unwrap() > 0, "{scenario}: {section}");
        }
        assert_eq!(browser.requests, [address], "{scenario}");
        is_content(&mut browser);
    }
    assert!(browser.ask("document.querySelectorAll('#lost svg').length > 0") == true);
}

#[test]
fn the_axis_and_the_order_are_chosen_by_pointer_keys_and_address() {
    let mut browser = Browser::start("axes");
    let address = report("axes", "hello-clocks");
    browser.open(&address, Paper::Light, 1280);
    assert_eq!(shown(&mut browser), "true");
    browser.ask("document.getElementById('axis-local').click()");
    assert_eq!(shown(&mut browser), "local");
    assert!(browser.ask("location.hash").as_str().unwrap().contains("axis=local"));
    browser.ask("document.getElementById('axis-local').focus()");
    browser.press(&["ArrowLeft", "ArrowLeft"]);
    assert_eq!(shown(&mut browser), "order");
    browser.open(&format!("{address}#axis=local&sorting=0"), Paper::Light, 1280);
    assert_eq!(shown(&mut browser), "local");
    // By Lamport's clock no arrow is wrong; by the bytes some are.
    let wrong = "[...document.querySelectorAll('#part-0 .axis-local [data-a] .m')]\
                 .filter((m) => getComputedStyle(m).strokeDasharray != 'none').length";
    assert_eq!(browser.ask(wrong), 0);
    browser.ask("document.getElementById('sorting-3').click()");
    assert!(browser.ask(wrong).as_u64().unwrap() > 5);
    is_content(&mut browser);
}

#[test]
fn past_and_future_are_shown_by_pointer_and_keys() {
    let mut browser = Browser::start("cone");
    browser.open(&report("cone", "hello-clocks"), Paper::Light, 1280);
    // Tab until a diagram has the focus: no control on the way keeps it.
    let on_diagram = "document.activeElement.classList.contains('axis-true')";
    for _ in 0..40 {
        if browser.ask(on_diagram) == true {
            break;
        }
        browser.press(&["Tab"]);
    }
    assert!(browser.ask(on_diagram) == true);
    assert_ne!(browser.ask("getComputedStyle(document.activeElement).outlineStyle"), "none");
    browser.press(&["ArrowDown", "ArrowDown", "ArrowDown"]);
    let about = browser.ask("document.querySelector('#part-0 .about').textContent");
    let about = about.as_str().unwrap();
    assert!(about.starts_with("event 4:"), "{about}");
    // The message went from n1 to n2 to n3: the fourth event is its second receipt.
    assert!(about.contains("3 in its past"), "{about}");
    let count = |class: &str| format!("document.querySelectorAll('#part-0 .e.{class}').length");
    assert_eq!(browser.ask(&count("past")), 3);
    assert_eq!(browser.ask(&count("here")), 1);
    browser.press(&["Escape"]);
    assert_eq!(browser.ask(&count("here")), 0);
    let at = browser.ask(
        "(() => { const e = document.querySelector('#part-0 .axis-true .e[data-i=\"2\"] .dot'); \
         e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); \
         return [r.x + r.width / 2, r.y + r.height / 2]; })()",
    );
    let point = json!({ "type": "mouseMoved", "x": at[0], "y": at[1] });
    browser.call("Input.dispatchMouseEvent", &point);
    browser.wait("document.querySelector('#part-0 .about').textContent.startsWith('event 3:')");
    is_content(&mut browser);
}

#[test]
fn what_is_dense_can_be_made_larger() {
    let mut browser = Browser::start("zoom");
    browser.open(&report("zoom", "hello-clocks"), Paper::Light, 1280);
    let width = "document.querySelector('#offsets svg').getBoundingClientRect().width";
    let before = browser.ask(width).as_f64().unwrap();
    browser.ask("document.querySelector('#offsets button[aria-label=larger]').click()");
    let after = browser.ask(width).as_f64().unwrap();
    assert!((after / before - 1.5).abs() < 0.01, "{before} {after}");
}

#[test]
fn everything_can_be_read_on_light_dark_and_printed_paper() {
    let mut browser = Browser::start("legible");
    for scenario in
        ["hello-clocks", "lww-window-trap", "jepsen-strobe", "five-regions", "split-brain-cart"]
    {
        let address = report("legible", scenario);
        for (paper, width) in [(Paper::Light, 1280), (Paper::Dark, 800), (Paper::Print, 800)] {
            for axis in ["order", "true", "local"] {
                browser.open(&format!("{address}#axis={axis}"), paper, width);
                let found = browser.ask(LEGIBLE);
                assert_eq!(found["wrong"], json!([]), "{scenario} {paper:?} {width} {axis}");
                assert!(
                    found["texts"].as_u64().unwrap() > 60,
                    "{scenario} {paper:?} {axis}: {found}"
                );
            }
        }
    }
}

#[test]
fn without_scripts_the_report_shows_true_time_and_can_be_switched() {
    let mut browser = Browser::start("plain");
    let address = report("plain", "hello-clocks");
    browser.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    browser.open(&address, Paper::Light, 1280);
    assert!(browser.ask("document.documentElement.dataset.ready === undefined") == true);
    assert_eq!(shown(&mut browser), "true");
    browser.ask("document.getElementById('axis-order').click()");
    assert_eq!(shown(&mut browser), "order");
    assert_eq!(browser.ask("document.querySelectorAll('button').length"), 0, "none that are dead");
}

/// A server of the test's own.
struct Server(Child, String);

impl Server {
    fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_guid"));
        let server = server.args(["serve", "--port", "0"]).stdout(Stdio::piped());
        let mut child = server.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("serving on ").unwrap().split(',').next().unwrap();
        Self(child, address.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn the_page_leads_from_the_list_by_the_knobs_to_a_report() {
    let server = Server::start();
    let mut browser = Browser::start("page");
    browser.open(&server.1, Paper::Dark, 800);
    assert_eq!(browser.ask(LEGIBLE)["wrong"], json!([]));
    browser.ask("document.querySelector('a[href$=lww-window-trap]').click()");
    browser.wait("location.pathname == '/scenario' && document.readyState == 'complete'");
    assert_eq!(browser.ask(LEGIBLE)["wrong"], json!([]));
    // The window is chosen from a list, and is what the next field's neighbours say it is.
    let windows =
        "[...document.querySelector('[name=\"set.ids.window\"]').options].map((o) => o.value)";
    assert_eq!(browser.ask(windows), json!(["", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"]));
    // A wrong value is said beside its field, by the keyboard alone.
    browser.ask("document.querySelector('[name=\"set.workload.think\"]').focus()");
    browser.call("Input.insertText", &json!({ "text": "2 parsecs" }));
    browser.press(&["Enter"]);
    browser.wait("location.pathname == '/run' && document.readyState == 'complete'");
    let beside = "document.querySelector('[aria-invalid] + .wrong').textContent";
    assert!(browser.ask(beside).as_str().unwrap().contains("expected a duration"));
    let field = "document.querySelector('[name=\"set.workload.think\"]')";
    browser.ask(&format!("{field}.focus(), {field}.select()"));
    browser.call("Input.insertText", &json!({ "text": "2s" }));
    browser.complaints.clear();
    browser.press(&["Enter"]);
    browser.wait("document.querySelectorAll('#lost svg').length > 0");
    assert_eq!(
        browser.ask("location.search"),
        "?scenario=lww-window-trap&set.workload.think=2s",
        "a link without empty fields"
    );
    let pinned = browser.ask("document.querySelector('nav a:last-child').getAttribute('href')");
    assert_eq!(pinned, "/run?scenario=lww-window-trap&seed=42&set.workload.think=2s");
    is_content(&mut browser);
}

#[test]
fn window_and_partition_are_turned_on_the_page() {
    let server = Server::start();
    let mut browser = Browser::start("knobs");
    let field = |key: &str| format!("document.querySelector('[name=\"set.{key}\"]')");
    let (window, partition) = (field("ids.window"), field("network.partition"));
    browser.open(&format!("{}scenario?scenario=split-brain-cart", server.1), Paper::Light, 1280);
    assert_eq!(browser.ask(LEGIBLE)["wrong"], json!([]));
    let choices = format!("[...{window}.options].map((option) => option.value)");
    let codes = json!(["", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"]);
    assert_eq!(browser.ask(&choices), codes);
    browser.ask(&format!("{window}.value = 'd7'"));
    browser.ask(&format!("{partition}.focus()"));
    browser.call("Input.insertText", &json!({ "text": "4s..2s" }));
    browser.press(&["Enter"]);
    browser.wait("location.pathname == '/run' && document.readyState == 'complete'");
    let beside = "document.querySelector('[aria-invalid] + .wrong').textContent";
    assert!(browser.ask(beside).as_str().unwrap().contains("expected two moments"));
    // What else was turned has stayed.
    assert_eq!(browser.ask(&format!("{window}.value")), "d7");
    browser.ask(&format!("{partition}.focus(), {partition}.select()"));
    browser.call("Input.insertText", &json!({ "text": "2s..4s" }));
    browser.complaints.clear();
    browser.press(&["Enter"]);
    browser.wait("document.querySelectorAll('#space-time svg').length > 0");
    let text = browser.ask("document.body.textContent");
    assert!(text.as_str().unwrap().contains("guid96:d7"));
    is_content(&mut browser);
}

/// A page of A4 between its margins, in pixels.
const A4: (u32, f64) = (718, 1031.0);

#[test]
fn what_is_printed_fits_its_pages() {
    let mut browser = Browser::start("print");
    for (scenario, most) in [("lww-window-trap", 10), ("jepsen-strobe", 10), ("five-regions", 12)] {
        let address = report("print", scenario);
        browser.open(&address, Paper::Print, A4.0);
        browser.wait("document.documentElement.dataset.ready == 'yes'");
        let pages = browser.pages();
        assert!((4..=most).contains(&pages), "{scenario}: {pages} pages");
        browser.ask("dispatchEvent(new Event('beforeprint'))");
        // A heading stands on one page with what it is of; what is longer than that is in pieces.
        let blocks = "[...document.querySelectorAll('.whole, .piece, details[open], svg')]\
                      .filter((one) => one.getClientRects().length && !one.querySelector('.piece'))\
                      .map((one) => one.getBoundingClientRect())";
        let tallest = browser.ask(&format!("Math.max(...{blocks}.map((box) => box.height))"));
        assert!(tallest.as_f64().unwrap() <= A4.1, "{scenario}: {tallest}");
        let widest = browser.ask(&format!("Math.max(...{blocks}.map((box) => box.right))"));
        assert!(widest.as_f64().unwrap() <= f64::from(A4.0) + 1.0, "{scenario}: {widest}");
        let said = "[...document.querySelectorAll('#part-0 .by')]\
                    .filter((one) => one.getClientRects().length).map((one) => one.textContent)";
        assert_eq!(browser.ask(said), json!(["Red is wrong by the order of guid96:d3 by bytes. "]));
    }
}

#[test]
fn a_diagram_in_pieces_has_every_event_and_every_word_whole() {
    let mut browser = Browser::start("pieces");
    browser.open(&report("pieces", "lww-window-trap"), Paper::Print, A4.0);
    let words = "[...document.querySelectorAll('#part-0 .axis-true > svg text')].length";
    let words = browser.ask(words).as_u64().unwrap();
    browser.ask("dispatchEvent(new Event('beforeprint'))");
    let pieces = browser.ask("document.querySelectorAll('#part-0 .piece').length");
    assert!(pieces.as_u64().unwrap() >= 2, "{pieces}");
    // Each word below the names of the nodes stands whole in one piece, and in none in part.
    let counted = browser.ask(
        "(() => { let whole = 0, cut = 0, names = 0;
          document.querySelectorAll('#part-0 .piece svg').forEach((svg) => {
            const view = svg.viewBox.baseVal;
            svg.querySelectorAll('text').forEach((text) => {
              const box = text.getBBox(), top = box.y - view.y, bottom = top + box.height;
              const matrix = text.transform.baseVal.length || text.closest('[transform]');
              if (matrix) return;
              if (bottom <= 0 || top >= view.height) return;
              if (top < -1 || bottom > view.height + 1) { cut += 1; return; }
              if (box.y < 40) names += 1; else whole += 1;
            });
          });
          return { whole, cut, names }; })()",
    );
    assert_eq!(counted["cut"], 0, "{counted}");
    let legend = browser
        .ask("document.querySelectorAll('#part-0 .axis-true > svg [transform] text').length");
    let once = counted["names"].as_u64().unwrap() / pieces.as_u64().unwrap();
    let whole = counted["whole"].as_u64().unwrap() + once + legend.as_u64().unwrap();
    assert_eq!(whole, words, "{counted}");
    browser.ask("dispatchEvent(new Event('afterprint'))");
    assert_eq!(browser.ask("document.querySelectorAll('.piece').length"), 0);
}

#[test]
fn tables_and_charts_can_be_of_some_schemes_alone() {
    let mut browser = Browser::start("filter");
    browser.open(&report("filter", "lww-window-trap"), Paper::Light, 1280);
    let shown = |what: &str| {
        format!(
            "[...document.querySelectorAll('{what}')].filter((e) => e.getClientRects().length)\
             .length"
        )
    };
    for what in ["#expected tr.of-1", "#misorder g.of-1", "#lost g.of-1", "#expected tr.of-0"] {
        assert!(browser.ask(&shown(what)).as_u64().unwrap() > 0, "{what}");
    }
    browser.ask("document.getElementById('scheme-1').click()");
    for what in ["#expected tr.of-1", "#misorder g.of-1", "#lost g.of-1"] {
        assert_eq!(browser.ask(&shown(what)), 0, "{what}");
    }
    assert!(browser.ask(&shown("#expected tr.of-0")).as_u64().unwrap() > 0);
}

#[test]
fn a_witness_is_colored_by_its_own_order() {
    let mut browser = Browser::start("own");
    browser.open(&report("own", "jepsen-strobe"), Paper::Light, 1280);
    let said = "[...document.querySelectorAll('details[open] .by')]\
                .filter((one) => one.getClientRects().length).map((one) => one.textContent)";
    let of = |scheme: &str| format!("Red is wrong by the order of {scheme}. ");
    let each = [of("guid96:d3 by bytes"), of("upstream by bytes")];
    assert_eq!(browser.ask(said), json!(each));
    browser.ask("document.getElementById('sorting-1').click()");
    assert_eq!(browser.ask(said), json!([of("guid96:d3 by time"), of("guid96:d3 by time")]));
}
