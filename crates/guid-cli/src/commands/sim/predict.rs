//! `guid sim predict`: what theory expects, without a run.

use std::io;

use guid_sim::Prediction;
use serde::Serialize;

use super::{load::load, table};
use crate::{
    cli::{Globals, Predict},
    exit::Exit,
    output::Output,
};

#[derive(Serialize)]
struct Predicted<'a> {
    schema: u32,
    scenario: &'a str,
    seed: u64,
    predictions: &'a [Prediction],
}

pub(crate) fn run(predict: &Predict, globals: Globals) -> anyhow::Result<Exit> {
    let scenario = load(&predict.chosen)?;
    let seed = predict.seed.unwrap_or(scenario.seed());
    let predictions = scenario.predict(seed);
    let mut output = Output::new(globals, predict.json);
    if predict.json {
        let (scenario, predictions) = (scenario.name(), &predictions[..]);
        output.json(&Predicted { schema: 1, scenario, seed, predictions })?;
        return Ok(output.finish()?);
    }
    table::title(scenario.name(), scenario.summary(), &mut output)?;
    output.line(format_args!("seed {seed}, not run\n"))?;
    rows(&predictions, &mut output)?;
    Ok(output.finish()?)
}

/// One row a prediction, those of one name together.
fn rows(predictions: &[Prediction], output: &mut Output) -> io::Result<()> {
    let first = |one: &Prediction| predictions.iter().position(|other| other.name == one.name);
    let mut sorted: Vec<&Prediction> = predictions.iter().collect();
    sorted.sort_by_key(|one| (table::place(&one.name), first(one)));
    let mut rows = vec![["guarantee", "scheme", "expected", "by"].map(str::to_owned)];
    let mut last = "";
    for one in sorted {
        let sign = if one.bound { "≤ " } else { "" };
        let expected = one.expected.map(|number| sign.to_owned() + &number.show(one.unit));
        // A name stands once, beside the first of its schemes.
        let name = if one.name == last { String::new() } else { one.name.clone() };
        last = &one.name;
        let scheme = one.scheme.clone().unwrap_or_default();
        rows.push([name, scheme, expected.unwrap_or_else(|| "-".to_owned()), one.form.clone()]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let [name, scheme, number] = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    for (i, [a, b, c, d]) in rows.iter().enumerate() {
        let [on, off] = if i == 0 { output.emphasis() } else { ["", ""] };
        let line = format!("{on}{a:<name$}  {b:<scheme$}  {c:>number$}  {d}{off}");
        output.line(line.trim_end())?;
    }
    Ok(())
}
