//! The report of a run: one HTML file that opens anywhere, and its pictures one by one.
//!
//! What is drawn is a sample ([`guid_sim::sample`]), so a report of a long run is no larger than
//! that of a short one. The same scenario and seed give the same bytes: there is no date in it, and
//! nothing that is loaded from elsewhere.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "places on paper: a tenth of a pixel is all they are good for"
)]

mod svg;
mod scene;
mod space_time;
mod schemes;
mod strip;
mod chart;
mod offsets;
mod misorder;
mod lost;
mod parts;
mod tables;
mod page;
mod sweep;
mod clients;

use anyhow::anyhow;
use guid_sim::sample::{Part, Sample};

#[cfg(feature = "serve")]
pub(crate) use self::page::STYLE;
use self::scene::Scene;
pub(crate) use self::{
    clients::{Tested, clients},
    page::{About, page},
    scene::{Axis, main_sorting, name as sorting_name},
    space_time::Wrong,
    svg::Picture,
    sweep::sweep,
};

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// Nodes side by side, messages as arrows
    SpaceTime,
    /// The same events in the order of each scheme's IDs
    Schemes,
    /// True order on top, the order of the IDs below
    SortStrip,
    /// Misorder against the gap, over the closed form
    Misorder,
    /// How far clocks are off, over time
    Offsets,
    /// Lost updates and siblings, over time
    Lost,
}

/// How a picture is drawn, where there is a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) axis: Axis,
    /// The order that is looked at.
    pub(crate) sorting: usize,
}

/// Draws one picture of a run; of a part of it where it shows single events.
pub(crate) fn picture(
    kind: Kind,
    view: View,
    sample: &Sample,
    part: &Part,
) -> anyhow::Result<Picture> {
    let scene = Scene::new(sample, part);
    let drawn = match kind {
        Kind::SpaceTime => Ok(space_time::draw(&scene, view.axis, Wrong::Of(view.sorting))),
        Kind::Schemes => Ok(schemes::draw(&scene)),
        Kind::SortStrip => Ok(strip::draw(&scene, view.sorting)),
        Kind::Offsets => Ok(offsets::draw(sample).map_err(|error| chart::told(&*error))?),
        Kind::Misorder => misorder::draw(sample).map_err(|error| chart::told(&*error))?,
        Kind::Lost => lost::draw(sample).map_err(|error| chart::told(&*error))?,
    };
    drawn.map_err(|why| anyhow!("nothing to draw: {why}"))
}

/// The part in which most events sort below an earlier one.
pub(crate) fn worst(sample: &Sample, sorting: usize) -> Option<&Part> {
    let disorder = |part: &&Part| Scene::new(sample, part).disorder(sorting);
    // Of equals the first.
    sample.parts.iter().rev().max_by_key(disorder)
}

/// The part whose IDs are sorted in the strip: that where a window ends, if one does.
pub(crate) fn stripped(sample: &Sample, sorting: usize) -> Option<&Part> {
    let has_ids = |part: &&Part| part.boundary && !part.events.is_empty();
    sample.parts.iter().find(has_ids).or_else(|| worst(sample, sorting))
}

/// The class of all that is about a scheme, so that it can be hidden.
fn scheme_class(sample: &Sample, scheme: &str) -> String {
    let at = sample.schemes.iter().position(|one| one.to_string() == scheme);
    at.map_or_else(String::new, |at| format!("of-{at}"))
}

/// What to type to see the same run.
pub(crate) fn replay(scenario: &str, seed: u64, overrides: &[(String, String)]) -> String {
    let mut command = format!("guid sim run {} --seed {seed}", quoted(scenario));
    for (key, value) in overrides {
        command += &format!(" --set {}", quoted(&format!("{key}={value}")));
    }
    command
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
