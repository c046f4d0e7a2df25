//! Closed forms: what theory expects of a measurement.
//!
//! Notation: W is the window inside which a scheme may misorder, δ the *apparent* gap of two
//! events A then B (the gap their stamps show), q the probability that A's node is the greater.
//!
//! # References
//!
//! `docs/LAWS.md` derives each form and names the test that measures it.

/// The probability that B, stamped δ after A, gets the smaller ID, for a uniform phase of the
/// window: the node decides inside a window, and a pair is inside one with probability 1 − |δ|/W.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::misorder;
///
/// let window = 274_877_906_944.0; // drift code 3
/// assert_eq!(misorder(0.0, window, 0.5), 0.5);
/// assert!((misorder(1e9, window, 0.5) - 0.49818).abs() < 1e-5);
/// assert_eq!(misorder(window, window, 1.0), 0.0); // a whole window apart: always right
/// ```
pub fn misorder(delta_ns: f64, window_ns: f64, q: f64) -> f64 {
    let inside = 1.0 - (delta_ns.abs() / window_ns).min(1.0);
    if delta_ns >= 0.0 { q * inside } else { (1.0 - inside) + q * inside }
}

/// The probability that last-writer-wins by k-order loses an overwrite of a fresh value, made by a
/// random other node `delta_ns` later: ½ (1 − clamp(δ/W)).
///
/// # Examples
///
/// ```
/// use guid_sim::predict::lww_lost;
///
/// assert!((lww_lost(30e9, 274_877_906_944.0) - 0.4454).abs() < 1e-4);
/// ```
pub fn lww_lost(delta_ns: f64, window_ns: f64) -> f64 {
    0.5 * (1.0 - (delta_ns / window_ns).clamp(-1.0, 1.0))
}

/// How many IDs the Go library's rule repeats after one step back by `step_ns` at Poisson arrivals
/// of `per_second`: rSτ · Σₖ φ((S − nₖ/r)/(√nₖ/r)) · r/√nₖ with nₖ = 2¹⁴k.
///
/// The clock returns to a tick of the past; the ID repeats if a multiple of 2¹⁴ was made since.
/// The count of arrivals in S is normal to good approximation.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::step_back_duplicates;
///
/// let at = |step| step_back_duplicates(10_000.0, step);
/// assert!((at(1.6384e9) - 66.9).abs() < 0.1);
/// assert!((at(1.62e9) - 23.6).abs() < 0.1);
/// assert!(at(1.0e9) < 0.01);
/// ```
pub fn step_back_duplicates(per_second: f64, step_ns: f64) -> f64 {
    const TICK: f64 = 131_072e-9;
    const WRAP: f64 = 16_384.0;
    let step = step_ns / 1e9;
    let arrivals = per_second * step;
    let furthest = libm::ceil(arrivals / WRAP) + 8.0;
    let mut density = 0.0;
    let mut wraps = 1.0;
    while wraps <= furthest {
        let (mean, deviation) = (WRAP * wraps / per_second, libm::sqrt(WRAP * wraps) / per_second);
        let x = (step - mean) / deviation;
        density += libm::exp(-x * x / 2.0) / libm::sqrt(2.0 * std::f64::consts::PI) / deviation;
        wraps += 1.0;
    }
    arrivals * TICK * density
}

/// How many IDs per second two live nodes under one node ID make twice, at Poisson arrivals of
/// `a` and `b` per second and sequences whose phases are independent: a b τ / 2¹⁴.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::shared_node_duplicates;
///
/// assert!((shared_node_duplicates(10_000.0, 10_000.0) - 0.8).abs() < 0.001);
/// ```
pub fn shared_node_duplicates(a: f64, b: f64) -> f64 {
    a * b * 131_072e-9 / 16_384.0
}

/// The part of a node's neighbouring IDs that the Go library's rule puts out of order, at Poisson
/// arrivals of `per_second`: the sequence wraps inside a tick, (1 − (1 − e^(−rτ)) / rτ) / 2¹⁴.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::wrap_inversions;
///
/// assert!((wrap_inversions(10_000.0) * 1e6 - 27.0).abs() < 0.1); // 27 per million
/// assert!((wrap_inversions(1_000_000.0) * 1e6 - 60.6).abs() < 0.1);
/// ```
pub fn wrap_inversions(per_second: f64) -> f64 {
    let arrivals = per_second * 131_072e-9;
    (1.0 - (1.0 - libm::exp(-arrivals)) / arrivals) / 16_384.0
}

/// The probability that two of `nodes` random 32-bit node IDs are the same: 1 − e^(−n (n − 1) /
/// 2³³).
///
/// # Examples
///
/// ```
/// use guid_sim::predict::shared_id;
///
/// assert!((shared_id(65_536.0) - 0.393).abs() < 0.001);
/// assert!((shared_id(77_163.0) - 0.5).abs() < 0.001);
/// ```
pub fn shared_id(nodes: f64) -> f64 {
    1.0 - libm::exp(-nodes * (nodes - 1.0) / (2.0 * 4_294_967_296.0))
}

/// How many of `nodes` others a node has met after `contacts` with random ones:
/// N (1 − (1 − 1/N)^m). So many entries its vector clock has besides its own.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::contacts_met;
///
/// assert!((contacts_met(256.0, 256.0) - 162.0).abs() < 0.1);
/// ```
pub fn contacts_met(nodes: f64, contacts: f64) -> f64 {
    nodes * (1.0 - libm::pow(1.0 - 1.0 / nodes, contacts))
}

/// By how much a time protocol leaves a clock ahead whose polls take `forth_ns` to the server and
/// `back_ns` from it: (forth − back) / 2.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::poll_bias;
///
/// assert_eq!(poll_bias(10e6, 30e6), -10e6); // 10 ms behind
/// ```
pub fn poll_bias(forth_ns: f64, back_ns: f64) -> f64 {
    (forth_ns - back_ns) / 2.0
}

/// How far ahead of its clock a node runs that goes on to the next window at every message from a
/// greater node: one window a round trip, less the time that passes. Where in its window the first
/// one comes takes up to a window more off.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::bump_lead;
///
/// // Ten round trips a second for a minute, windows of 34.36 s.
/// assert!((bump_lead(60e9, 100e6, 34.36e9) / 1e9 - 20_556.0).abs() < 1.0);
/// ```
pub fn bump_lead(duration_ns: f64, round_trip_ns: f64, window_ns: f64) -> f64 {
    duration_ns / round_trip_ns * window_ns - duration_ns
}

/// How far a count is from what was expected of it, in standard deviations: the sum of
/// probabilities is the expectation, that of p (1 − p) the variance. `None` when nothing was random
/// and the count is as expected.
pub(crate) fn z_score(count: f64, expected: f64, variance: f64) -> Option<f64> {
    // Outcomes that are certain still leave room for the phase: one half event of deviation.
    let deviation = libm::sqrt(variance.max(0.25));
    (expected > 0.0 || count > 0.0).then(|| (count - expected) / deviation)
}
