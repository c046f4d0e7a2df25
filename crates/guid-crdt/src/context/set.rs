//! The algebra of sorted lists of spans: union, intersection, difference, inclusion.
//!
//! Each runs through both lists once, as two fingers moving along them.
//!
//! # Invariants
//!
//! In: spans sorted by (node, first), disjoint, not touching. Out: the same.

use guid_core::{NodeId, Stamp};

use super::Span;

/// Whether both lists have one span a node, from the beginning, and the same nodes.
pub(super) fn are_prefixes_of_the_same_nodes(left: &[Span], right: &[Span]) -> bool {
    let alike = |(a, b): (&Span, &Span)| a.node() == b.node() && a.is_prefix() && b.is_prefix();
    left.len() == right.len() && left.iter().zip(right).all(alike)
}

/// Whether the left list is within the right, and the right within the left; in one walk, if each
/// span begins where its neighbour in the other list does. Then a dot beyond the end of its
/// neighbour is in no other span: those of one list never touch.
///
/// A stretch at a time is compared without a branch; it stops where neither is within the other.
pub(super) fn within_each_other(left: &[Span], right: &[Span]) -> Option<(bool, bool)> {
    const STRETCH: usize = 16;
    if left.len() != right.len() {
        return None;
    }
    let (mut within, mut contains) = (true, true);
    for (left, right) in left.chunks(STRETCH).zip(right.chunks(STRETCH)) {
        let mut begin_alike = true;
        for (a, b) in left.iter().zip(right) {
            begin_alike &= a.node() == b.node() && a.first() == b.first();
            within &= a.upto() <= b.upto();
            contains &= b.upto() <= a.upto();
        }
        if !begin_alike {
            return None;
        }
        if !within && !contains {
            break;
        }
    }
    Some((within, contains))
}

/// The dots in either list.
pub(super) fn union(left: &[Span], right: &[Span]) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::with_capacity(left.len().max(right.len()));
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let take_left = match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) => (a.node(), a.first()) <= (b.node(), b.first()),
            (a, _) => a.is_some(),
        };
        let span = if take_left { left[i] } else { right[j] };
        i += usize::from(take_left);
        j += usize::from(!take_left);
        match out.last_mut() {
            Some(last) if last.touches(span) => *last = last.hull(span),
            _ => out.push(span),
        }
    }
    out
}

/// The dots in both lists.
pub(super) fn intersection(left: &[Span], right: &[Span]) -> Vec<Span> {
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(&a), Some(&b)) = (left.get(i), right.get(j)) {
        if a.node() == b.node() {
            out.extend(Span::new(a.node(), a.first().max(b.first()), a.upto().min(b.upto())));
        }
        // What ends first can meet nothing further on.
        let a_ends = (a.node(), a.upto()) <= (b.node(), b.upto());
        i += usize::from(a_ends);
        j += usize::from(!a_ends);
    }
    out
}

/// The dots in the left list and not in the right.
pub(super) fn difference(left: &[Span], right: &[Span]) -> Vec<Span> {
    let mut out = Vec::new();
    let mut j = 0;
    for &span in left {
        while right.get(j).is_some_and(|cut| ends_before(*cut, span.node(), span.first())) {
            j += 1;
        }
        // A cut can reach into the next span too, so a finger of its own runs ahead.
        let mut rest = Some(span);
        let mut k = j;
        while let (Some(now), Some(&cut)) = (rest, right.get(k)) {
            if (cut.node(), cut.first()) > (now.node(), now.upto()) {
                break;
            }
            let before = cut.after().and_then(|end| Span::new(now.node(), now.first(), end));
            out.extend(before);
            rest = Span::between(now.node(), cut.upto(), now.upto());
            k += 1;
        }
        out.extend(rest);
    }
    out
}

/// Whether every dot of the left list is in the right.
pub(super) fn is_within(left: &[Span], right: &[Span]) -> bool {
    let mut j = 0;
    left.iter().all(|&span| {
        while right.get(j).is_some_and(|other| ends_before(*other, span.node(), span.first())) {
            j += 1;
        }
        // Spans of one list never touch, so a span is within one span or within none.
        right.get(j).is_some_and(|other| {
            other.node() == span.node()
                && other.first() <= span.first()
                && span.upto() <= other.upto()
        })
    })
}

fn ends_before(span: Span, node: NodeId, stamp: Stamp) -> bool {
    (span.node(), span.upto()) < (node, stamp)
}
