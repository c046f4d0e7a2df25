//! `[clock]`: how clocks are wrong.

use super::{ScenarioError, Section, hint, node};
use crate::{
    Astray, ClockModel, Discipline, Distribution, FixedClock, Gaps, Ntp, RATE_MOST_PPB, Sine,
    Suspensions, units,
};

const SECOND: u64 = 1_000_000_000;

/// The presets, in the order of the documentation.
const PRESETS: [&str; 13] = [
    "perfect",
    "datacenter-ptp",
    "cloud-ntp",
    "lan-ntp",
    "wan-ntp",
    "wan-ntp-far",
    "mobile-online",
    "truetime",
    "asymmetric-wan",
    "bad-vm",
    "quartz",
    "mobile",
    "sine",
];

/// Standard deviations of the statistical presets: half the pairs are closer than 0.954 of it,
/// which fits the medians of pair skew that were measured with chrony (18 µs, 133 µs, 585 µs, 5.4
/// ms, 12.3 ms).
fn preset(text: &str) -> Result<ClockModel, String> {
    match text {
        "perfect" => Ok(ClockModel::perfect()),
        "datacenter-ptp" => Ok(polled(SECOND, Distribution::normal(100.0))),
        "cloud-ntp" => Ok(ClockModel::disciplined(19_000.0)),
        "lan-ntp" => Ok(ClockModel::disciplined(140_000.0)),
        "wan-ntp" => Ok(ClockModel::disciplined(610_000.0)),
        // In 16 s no more than 8 ms can be slewed: these go from target to target in 128 s.
        "wan-ntp-far" => Ok(polled(128 * SECOND, Distribution::normal(4_800_000.0))),
        "mobile-online" => Ok(polled(128 * SECOND, Distribution::normal(12_900_000.0))),
        // Between two polls of its masters a clock is within a millisecond; what it says of itself
        // is up to seven.
        "truetime" => Ok(polled(30 * SECOND, distribution("uniform(-1ms, 1ms)"))),
        "asymmetric-wan" => Ok(asymmetric()),
        "bad-vm" => Ok(bad_vm()),
        "quartz" => Ok(quartz(10)),
        "mobile" => Ok(mobile()),
        "sine" => {
            let sine = Some(Sine::new(250_000_000, 60 * SECOND));
            Ok(ClockModel { sine, ..ClockModel::perfect() })
        }
        _ => Err(format!("found `{text}`{}", hint(text, &PRESETS))),
    }
}

fn distribution(text: &str) -> Distribution {
    text.parse().unwrap_or(Distribution::constant(0))
}

fn polled(every_ns: u64, target: Distribution) -> ClockModel {
    let discipline = Some(Discipline::new(every_ns, target));
    ClockModel { offset: target, discipline, ..ClockModel::perfect() }
}

/// Crystals nobody looks after: half are off by more than 78 ppm, and set within a second or two.
fn quartz(wander_ppb: u64) -> ClockModel {
    ClockModel {
        offset: Distribution::normal(1e9),
        rate: distribution("lognormal(78us, 0.8)"),
        rate_either_way: true,
        wander_ppb,
        ..ClockModel::perfect()
    }
}

/// Clients of a server that is 10 ms away, and whose answers take 30 ms.
fn asymmetric() -> ClockModel {
    let mut ntp = Ntp::new(distribution("10ms + exp(1ms)"));
    ntp.back = distribution("30ms + exp(1ms)");
    ClockModel {
        rate: Distribution::normal(30_000.0),
        wander_ppb: 1,
        ntp: Some(ntp),
        ..ClockModel::perfect()
    }
}

/// Guests whose clocks are set right without a jump, as fast as chrony does. Every ten minutes or
/// so one is suspended: for 0.1 s to 30 s, and half of the times for no longer than 0.2 s.
fn bad_vm() -> ClockModel {
    let mut ntp = Ntp::new(distribution("75us + exp(15us)"));
    (ntp.step_ns, ntp.slew_ppb) = (None, 83_333_000);
    let every = Distribution::exponential(600e9);
    ClockModel {
        rate: Distribution::normal(20_000.0),
        wander_ppb: 1,
        ntp: Some(ntp),
        suspensions: Some(Suspensions::new(every, distribution("pareto(100ms, 1)"), 30 * SECOND)),
        ..ClockModel::perfect()
    }
}

/// Phones: they ask for the time once an hour, unless they are out of reach, for two hours in six.
/// One in thirty is off by hours, and asks nobody.
fn mobile() -> ClockModel {
    let mut ntp = Ntp::new(distribution("40ms + exp(40ms)"));
    ntp.poll_ns = 3_600 * SECOND;
    let hours = |hours: f64| Distribution::exponential(hours * 3_600e9);
    ntp.gaps = Some(Gaps::new(hours(4.0), hours(2.0)));
    ClockModel {
        astray: Some(Astray::new(0.035, distribution("uniform(1h, 24h)"))),
        offset: Distribution::normal(1e9),
        rate: Distribution::normal(50_000.0),
        wander_ppb: 10,
        ntp: Some(ntp),
        ..ClockModel::perfect()
    }
}

pub(super) fn read(mut section: Section<'_>, nodes: u32) -> Result<ClockModel, ScenarioError> {
    let mut model = section.get("preset", preset)?.unwrap_or_else(ClockModel::perfect);
    let sigma = section.get("offset-sigma", units::ns)?;
    if let Some(sigma) = sigma {
        spread(&mut model, sigma);
    }
    if let Some(sigma) = section.get("rate-sigma", units::ppb)? {
        let sigma = u64::try_from(sigma);
        let sigma = sigma.map_err(|_| section.wrong("rate-sigma", "expected no negative rate"))?;
        model.rate = Distribution::normal(approximate(sigma));
    }
    if let Some(wander) = section.get("wander", units::ppb)? {
        let wander = u64::try_from(wander).ok().filter(|&ppb| ppb <= RATE_MOST_PPB.unsigned_abs());
        let wrong = "expected a rate that is not negative, of 500ppm at most";
        model.wander_ppb = wander.ok_or_else(|| section.wrong("wander", wrong))?;
    }
    if let Some(granularity) = section.get("granularity", units::ns)? {
        model.granularity_ns = granularity.max(1);
    }
    model.sine = sine(&mut section, model.sine)?;
    model.ntp = ntp(section.section("ntp")?, model.ntp, nodes)?;
    for mut clock in section.sections("node")? {
        let node = clock.need("id", |text| node(text, nodes))?;
        let offset = clock.get("offset", units::signed_ns)?.unwrap_or(0);
        let ppb = clock.get("rate", units::ppb)?.unwrap_or(0);
        model.fixed.push(FixedClock::new(node, offset, ppb));
        clock.finish()?;
    }
    if sigma.is_some() && model.ntp.is_some() {
        let message = "expected none: polls decide how far off these clocks stay; \
                       `clock.ntp.forth` and `back` say how far, `[[clock.node]]` where one starts";
        return Err(section.wrong("offset-sigma", message));
    }
    if model.discipline.is_some() && model.ntp.is_some() {
        let message = "expected none: clocks of this preset are disciplined already";
        return Err(section.wrong("ntp", message));
    }
    section.finish()?;
    Ok(model)
}

/// Offsets have this deviation: at the start, and, where a statistical discipline steers them, for
/// good. A large one takes its time from target to target, since clocks slew at 500 ppm at most: by
/// four deviations of the way between two targets.
fn spread(model: &mut ClockModel, sigma_ns: u64) {
    /// 4 √2 σ at 500 ppm, in σ.
    const SLEWS: u64 = 11_314;
    model.offset = Distribution::normal(approximate(sigma_ns));
    if let Some(discipline) = &mut model.discipline {
        discipline.target = model.offset;
        discipline.every_ns = discipline.every_ns.max(sigma_ns.saturating_mul(SLEWS));
    }
}

fn sine(section: &mut Section<'_>, preset: Option<Sine>) -> Result<Option<Sine>, ScenarioError> {
    let amplitude = section.get("sine-amplitude", units::ns)?;
    let period = section.get("sine-period", units::ns)?;
    if preset.is_none() && amplitude.is_none() && period.is_none() {
        return Ok(None);
    }
    let preset = preset.unwrap_or(Sine::new(250_000_000, 60 * SECOND));
    let amplitude = amplitude.unwrap_or(preset.amplitude_ns);
    let period = period.unwrap_or(preset.period_ns);
    // Steeper than this a clock would have to run backwards: 2π A / P is its greatest rate.
    if u128::from(amplitude) * 13 > u128::from(period) {
        let message = "expected at least thirteen times the amplitude, so that clocks run forward";
        return Err(section.wrong("sine-period", message));
    }
    Ok(Some(Sine::new(amplitude, period)))
}

fn ntp(
    mut section: Section<'_>,
    preset: Option<Ntp>,
    nodes: u32,
) -> Result<Option<Ntp>, ScenarioError> {
    if !section.is_there() && preset.is_none() {
        return Ok(None);
    }
    let mut ntp = preset.unwrap_or(Ntp::new(distribution("75us + exp(15us)")));
    let way = str::parse::<Distribution>;
    if let Some(forth) = section.get("forth", way)? {
        (ntp.forth, ntp.back) = (forth, forth);
    }
    ntp.back = section.get("back", way)?.unwrap_or(ntp.back);
    for (key, way) in [("forth", ntp.forth), ("back", ntp.back)] {
        if way.least_ns() < 0 {
            return Err(section.wrong(key, "expected a latency that is never negative"));
        }
    }
    ntp.server = section.get("server", |text| node(text, nodes))?.or(ntp.server);
    ntp.poll_ns = section.get("poll", units::ns)?.unwrap_or(ntp.poll_ns);
    if ntp.poll_ns < 1_000_000 {
        return Err(section.wrong("poll", "expected a millisecond at least"));
    }
    if let Some(step) = section.get("step", step)? {
        ntp.step_ns = step;
    }
    if let Some(slew) = section.get("slew", units::ppb)? {
        ntp.slew_ppb = slew.max(1);
    }
    section.finish()?;
    Ok(Some(ntp))
}

fn step(text: &str) -> Result<Option<u64>, String> {
    if text == "never" { Ok(None) } else { units::ns(text).map(Some) }
}

#[expect(clippy::cast_precision_loss, reason = "a standard deviation needs no 53 bits")]
fn approximate(number: u64) -> f64 {
    number as f64
}
