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
    // Terms further than twelve deviations from the mean are nothing beside the others.
    let near = 12.0 * libm::sqrt(arrivals + 144.0 * WRAP);
    let furthest = libm::ceil((arrivals + near) / WRAP) + 8.0;
    let mut density = 0.0;
    let mut wraps = libm::floor((arrivals - near) / WRAP).max(1.0);
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

/// How many IDs a clone and its original make twice in `seconds`, at Poisson arrivals of
/// `per_second` each: they go on in step, and after k IDs of each their moments are √(2k)/r apart,
/// so the sum of r τ / √(4πk) is r^1.5 τ √(T/π).
///
/// # Examples
///
/// ```
/// use guid_sim::predict::{clone_duplicates, shared_node_duplicates};
///
/// assert!((clone_duplicates(10_000.0, 20.0) - 330.7).abs() < 0.1);
/// assert!(20.0 * shared_node_duplicates(10_000.0, 10_000.0) < 16.1); // those that are not in step
/// ```
pub fn clone_duplicates(per_second: f64, seconds: f64) -> f64 {
    let rate = per_second * libm::sqrt(per_second);
    rate * 131_072e-9 * libm::sqrt(seconds / std::f64::consts::PI)
}

/// The standard deviation of [`clone_duplicates`], in means: what two walks that began together
/// meet is distributed as |N(0, 1)|, whose deviation is √(π/2 − 1) of its mean.
pub const CLONE_DEVIATION: f64 = 0.7555;

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

/// The standard deviation of [`contacts_met`]: those not met are n at (1 − 1/n)^m each, and pairs
/// of them at (1 − 2/n)^m.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::contacts_met_deviation;
///
/// assert!((contacts_met_deviation(256.0, 256.0) - 4.99).abs() < 0.01);
/// ```
pub fn contacts_met_deviation(nodes: f64, contacts: f64) -> f64 {
    let one = libm::pow(1.0 - 1.0 / nodes, contacts);
    let two = libm::pow((1.0 - 2.0 / nodes).max(0.0), contacts);
    let variance = nodes * one + nodes * (nodes - 1.0) * two - (nodes * one) * (nodes * one);
    libm::sqrt(variance.max(0.0))
}

/// How long a commit waits whose time may be wrong by `uncertainty_ns`: it took the latest time
/// that it might be, and waits until the earliest has passed that: twice the uncertainty.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::commit_wait;
///
/// assert_eq!(commit_wait(7e6), 14e6);
/// ```
pub fn commit_wait(uncertainty_ns: f64) -> f64 {
    2.0 * uncertainty_ns
}

/// How many IDs the Go library's rule makes twice while a clock shows one reading for `still_ns`,
/// frozen or coarse: there are 2^14 for a tick, whatever the rate.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::still_duplicates;
///
/// assert_eq!(still_duplicates(1_000_000.0, 15.6e6), 0.0); // 15,600 IDs
/// assert_eq!(still_duplicates(2_000_000.0, 15.6e6), 14_816.0); // of 31,200
/// ```
pub fn still_duplicates(per_second: f64, still_ns: f64) -> f64 {
    (per_second * still_ns / 1e9 - 16_384.0).max(0.0)
}

/// I(e): so many inversions two nodes make in a nanosecond, for IDs made at one a nanosecond each;
/// `ahead_ns` is how far the clock of the *greater* node is ahead. At rates λ and λ' it is λ λ' I.
///
/// e + W/2 for e ≥ 0; W/2 + e + e²/W down to e = −W; −e − W/2 below. The least is W/4, where the
/// greater node is behind by half a window.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::inversions;
///
/// let at = [5.0, 0.0, -5.0, -10.0, -15.0].map(|e| inversions(e, 10.0));
/// assert_eq!(at, [10.0, 5.0, 2.5, 5.0, 10.0]);
/// ```
pub fn inversions(ahead_ns: f64, window_ns: f64) -> f64 {
    let (e, w) = (ahead_ns, window_ns);
    if e >= 0.0 {
        e + w / 2.0
    } else if e > -w {
        w / 2.0 + e + e * e / w
    } else {
        -e - w / 2.0
    }
}

/// The misorder of pairs `gap_ns` apart of random nodes, whose clocks are off by a normal error of
/// this deviation, each its own: ½ − (F(gap + W) − F(gap − W)) / 4W, where F(μ) is the mean of
/// |μ + the difference of two errors|.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::misorder_at_random;
///
/// // Ticks of 131 us, clocks off by 0.6 ms, a gap of 1 ms.
/// assert!((misorder_at_random(1e6, 131_072.0, 0.6e6) - 0.12023).abs() < 1e-4);
/// // A large window does not notice.
/// assert!((misorder_at_random(1e9, 274_877_906_944.0, 250e6) - 0.49818).abs() < 1e-5);
/// ```
pub fn misorder_at_random(gap_ns: f64, window_ns: f64, sigma_ns: f64) -> f64 {
    let s = sigma_ns * std::f64::consts::SQRT_2;
    let mean = |mu: f64| {
        if s == 0.0 {
            return mu.abs();
        }
        let x = mu / s;
        s * libm::sqrt(2.0 / std::f64::consts::PI) * libm::exp(-x * x / 2.0)
            + mu * libm::erf(x / std::f64::consts::SQRT_2)
    };
    0.5 - (mean(gap_ns + window_ns) - mean(gap_ns - window_ns)) / (4.0 * window_ns)
}

/// How often a skew turns the comparison of a pair round, of random nodes, while both the gap and
/// the gap less the skew are within a window: |e| / 2W.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::flipped;
///
/// assert!((flipped(1e6, 274_877_906_944.0) * 1e6 - 1.819).abs() < 0.001); // 1.8 in a million
/// ```
pub fn flipped(skew_ns: f64, window_ns: f64) -> f64 {
    skew_ns.abs() / (2.0 * window_ns)
}

/// The standard deviation of [`step_back_duplicates`] over steps: repeats come in runs, so it is
/// about 1.2 times the mean of one step, measured.
///
/// # Examples
///
/// ```
/// use guid_sim::predict::step_back_deviation;
///
/// assert!((step_back_deviation(10_000.0, 1.6384e9) - 80.2).abs() < 0.2);
/// ```
pub fn step_back_deviation(per_second: f64, step_ns: f64) -> f64 {
    1.2 * step_back_duplicates(per_second, step_ns)
}

/// The standard deviation of what two nodes under one ID repeat in a while: their sequences meet
/// seldom, with a chance of 1.6 √(2 r t) / 2¹⁴, and then repeat many in a run. Mean times √(2 /
/// that chance).
///
/// # Examples
///
/// ```
/// use guid_sim::predict::{shared_node_deviation, shared_node_duplicates};
///
/// let mean = 20.0 * shared_node_duplicates(10_000.0, 10_000.0); // 16 in 20 s
/// assert!((shared_node_deviation(10_000.0, 20.0) / mean - 5.7).abs() < 0.1);
/// ```
pub fn shared_node_deviation(per_second: f64, seconds: f64) -> f64 {
    let mean = shared_node_duplicates(per_second, per_second) * seconds;
    let meet = (1.6 * libm::sqrt(2.0 * per_second * seconds) / 16_384.0).min(1.0);
    mean * libm::sqrt(2.0 / meet)
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
