//! IDs of which nothing is known but their text: compared as text, or as numbers if all are.

use super::{Column, Log};
use crate::{
    Check, Number, Unit, Verdict, Witness, WitnessEvent,
    checker::{
        Case, Causal, Facts, Jumps, KOrder, Keyed, Monotone, Order, RECORDS_LIMIT, UNIQUE_LIMIT,
        Unique,
    },
    verdict::cause,
};

/// What sorts texts: as numbers if all are decimal, else by their bytes.
fn sorted<'a>(column: &'a Column) -> Vec<&'a str> {
    let mut texts: Vec<&str> = column.ids.iter().map(|id| &*id.text).collect();
    if texts.iter().all(|text| text.bytes().all(|byte| byte.is_ascii_digit())) {
        let number = |text: &'a str| {
            let digits = text.trim_start_matches('0');
            (digits.len(), digits, text)
        };
        texts.sort_unstable_by_key(|text| number(text));
    } else {
        texts.sort_unstable();
    }
    texts.dedup();
    texts
}

pub(super) fn check(log: &Log, column: &Column) -> Vec<Check> {
    let texts = sorted(column);
    let mut ranks: Vec<(&str, u128)> = texts.iter().copied().zip(0..).collect();
    ranks.sort_unstable();
    let mut keys: Vec<Option<u128>> = vec![None; log.lines.len()];
    for id in &column.ids {
        let found = ranks.binary_search_by_key(&&*id.text, |&(text, _)| text);
        keys[id.line] = found.ok().map(|at| ranks[at].1);
    }
    let keyed = |at: usize| keys[at].map(|key| log.lines[at].keyed(key));
    let (unique, monotone, causal) = in_causal_order(log, keyed);
    let mut k_order = KOrder::new(log.node_count(), 0, RECORDS_LIMIT);
    log.by_time().into_iter().filter_map(keyed).for_each(|keyed| k_order.event(&keyed));

    let text = |key: u128| {
        let text = usize::try_from(key).ok().and_then(|rank| texts.get(rank));
        text.map_or_else(String::new, |text| String::from(*text))
    };
    let facts =
        Facts { scheme: None, order: Order::Bytes, promises: false, jumps: &Jumps::default() };
    let witness = |case: Option<&Case>| {
        let case = case?;
        let [first, second] = [&case.first, &case.second]
            .map(|keyed| WitnessEvent::new(&keyed.event, text(keyed.key)));
        Some(Witness::new(first, second, cause(&facts, case)))
    };
    let mut uniqueness = Check::claim("unique", None, unique.duplicates, unique.of)
        .with_witness(witness(unique.first.as_ref()));
    if unique.overrun && unique.duplicates == 0 {
        uniqueness = uniqueness.claimed(Verdict::Unknown);
    }
    let rising = Check::claim("monotone", None, monotone.inversions, monotone.of)
        .with_witness(witness(monotone.first.as_ref()));
    let causality = Check::claim("happens-before", None, causal.violated, causal.of)
        .with_witness(witness(causal.first.as_ref()));
    let mut all = vec![uniqueness];
    if let Some(window) = log.rules.window_ns {
        all.push(order(log, window, &k_order, witness(k_order.widest.as_ref())));
        all.push(rising);
    } else {
        all.push(rising.unclaimed());
    }
    all.push(causality.unclaimed());
    all.push(Check::figure("k-radius", None, (k_order.displacement + 1) as f64, Unit::Count));
    for check in &mut all {
        check.scheme = Some(String::from("text"));
    }
    all
}

fn in_causal_order(
    log: &Log,
    keyed: impl Fn(usize) -> Option<Keyed>,
) -> (Unique, Monotone, Causal) {
    let nodes = log.node_count();
    let (mut unique, mut monotone) = (Unique::new(nodes, UNIQUE_LIMIT), Monotone::new(nodes));
    let mut causal = Causal::new(nodes);
    let mut carried = vec![None; log.messages.len()];
    for &at in &log.order {
        let line = &log.lines[at];
        let received = line.received.and_then(|message| carried[message as usize]);
        match keyed(at) {
            Some(keyed) => {
                unique.event(&keyed, keyed.key);
                monotone.event(&keyed);
                causal.event(&keyed, received.as_ref());
            }
            None => causal.learn(line.node(), received),
        }
        for &message in &line.sent {
            carried[message as usize] = causal.past(line.node());
        }
    }
    (unique, monotone, causal)
}

/// The claim that IDs a window and the skew apart are in order.
fn order(log: &Log, window: u64, k_order: &KOrder, widest: Option<Witness>) -> Check {
    let (spread, is_known) = log.skew();
    let bound = window as f64 + spread as f64;
    let gap = k_order.gap_ns as f64;
    let against = gap >= bound && k_order.disordered();
    let outcome = match (against, is_known && !k_order.overrun) {
        (true, true) => Verdict::Violated,
        (false, _) if !k_order.overrun => Verdict::Holds,
        _ => Verdict::Unknown,
    };
    let mut check = Check::figure("k-order", None, gap, Unit::Ns)
        .out_of(u64::from(against), log.lines.len() as u64)
        .with_witness(widest.filter(|_| against))
        .claimed(outcome);
    (check.expected, check.bound) = (Some(Number(bound)), true);
    check
}
