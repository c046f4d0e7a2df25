//! Reading TOML strictly: every key is asked for by name, and what nobody asked for is an error.

use std::cell::RefCell;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::ScenarioError;

/// Parses the text, with the place of every key.
pub(crate) fn table(text: &str) -> Result<Spanned<DeTable<'_>>, ScenarioError> {
    DeTable::parse(text)
        .map_err(|error| error_at(text, error.span().map_or(0, |span| span.start), error.message()))
}

pub(crate) fn error_at(text: &str, at: usize, message: impl Into<String>) -> ScenarioError {
    let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let (line, column) =
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
    ScenarioError { place: Some((line, column)), message: message.into() }
}

/// The nearest of the known words, if one is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |candidate: &&str| strsim::damerau_levenshtein(word, candidate);
    let nearest = known.into_iter().min_by_key(distance)?;
    (distance(&nearest) <= nearest.len().max(word.len()).div_ceil(2)).then_some(nearest)
}

/// `: did you mean …?`, or what there is.
pub(crate) fn hint(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => format!(": expected one of {}", known.join(", ")),
    }
}

/// A value of a scenario that can be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Knob {
    /// Where it stands: `network.loss`.
    pub path: String,
    /// What the file has there, a list separated by commas; `None` where it says nothing.
    pub value: Option<String>,
}

/// A value as an override would be written; `None` of what cannot be written so.
fn shown(value: &Spanned<DeValue<'_>>) -> Option<String> {
    let scalar = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => Some(String::from(number.as_str())),
        DeValue::Float(number) => Some(String::from(number.as_str())),
        DeValue::Boolean(yes) => Some(yes.to_string()),
        _ => None,
    };
    let value = value.get_ref();
    let Some(array) = value.as_array() else { return scalar(value) };
    let items: Option<Vec<String>> = array.iter().map(|item| scalar(item.get_ref())).collect();
    Some(items?.join(", "))
}

/// The text, and the values that replace some of its own.
pub(crate) struct Reader<'a> {
    text: &'a str,
    overrides: &'a [(String, String)],
    /// Everything that was asked for and can be replaced.
    asked: RefCell<Vec<Knob>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str, overrides: &'a [(String, String)]) -> Self {
        Self { text, overrides, asked: RefCell::new(Vec::new()) }
    }

    fn error(&self, at: impl Into<Option<usize>>, message: impl Into<String>) -> ScenarioError {
        match at.into() {
            Some(at) => error_at(self.text, at, message),
            None => ScenarioError { place: None, message: message.into() },
        }
    }

    /// Everything that can be replaced, in the order in which it is read.
    pub(super) fn knobs(self) -> Vec<Knob> {
        self.asked.into_inner()
    }

    /// Refuses overrides of keys that nobody asked for.
    pub(crate) fn finish(&self) -> Result<(), ScenarioError> {
        let asked = self.asked.borrow();
        let known: Vec<&str> = asked.iter().map(|knob| knob.path.as_str()).collect();
        match self.overrides.iter().find(|(path, _)| !known.contains(&path.as_str())) {
            Some((path, _)) => {
                // A key whose section was left out or mistaken is nearer than its letters say.
                let last = |path: &'_ str| path.rsplit('.').next().map(str::to_owned);
                let same = known.iter().find(|known| last(known) == last(path));
                let hint = match same {
                    Some(known) => format!(": did you mean `{known}`?"),
                    None => hint(path, &known),
                };
                Err(self.error(None, format!("no key `{path}` to set{hint}")))
            }
            None => Ok(()),
        }
    }
}

/// A table of the file that is being read.
pub(crate) struct Section<'a> {
    reader: &'a Reader<'a>,
    /// `workload`, or `clock.node` for each element of an array.
    path: String,
    table: Option<&'a DeTable<'a>>,
    /// Where the section starts, for what is missing.
    at: usize,
    asked: Vec<&'static str>,
    /// Whether values can be replaced: not those of one table of many.
    settable: bool,
}

/// A place in the file, for what is only found wrong later.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    reader: &'a Reader<'a>,
    at: usize,
}

impl Place<'_> {
    pub(crate) fn error(&self, message: String) -> ScenarioError {
        self.reader.error(self.at, message)
    }
}

/// An entry of a table whose keys are data.
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) text: String,
    pub(crate) at: Option<usize>,
}

/// A scalar as text, and its place unless it is an override.
struct Scalar<'a> {
    text: &'a str,
    at: Option<usize>,
}

impl<'a> Section<'a> {
    pub(crate) fn root(reader: &'a Reader<'a>, table: &'a DeTable<'a>) -> Self {
        let (path, asked) = (String::new(), Vec::new());
        Self { reader, path, table: Some(table), at: 0, asked, settable: true }
    }

    /// Whether the section stands in the file, or a value of it is set beside it.
    pub(crate) fn is_there(&self) -> bool {
        let within = |path: &str| path.strip_prefix(&self.path).is_some_and(|p| p.starts_with('.'));
        self.table.is_some()
            || self.settable && self.reader.overrides.iter().any(|(path, _)| within(path))
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { String::from(key) } else { format!("{}.{key}", self.path) }
    }

    fn title(&self) -> String {
        if self.path.is_empty() { String::from("the file") } else { format!("[{}]", self.path) }
    }

    fn ask(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.asked.push(key);
        self.table?.get(key)
    }

    /// Asks for a value that can be replaced.
    fn ask_value(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        let value = self.ask(key);
        if self.settable {
            let knob = Knob { path: self.path_of(key), value: value.and_then(shown) };
            self.reader.asked.borrow_mut().push(knob);
        }
        value
    }

    fn replaced(&self, key: &str) -> Option<Scalar<'a>> {
        if !self.settable {
            return None;
        }
        let path = self.path_of(key);
        // The last one counts, as for options of a command.
        let found = self.reader.overrides.iter().rev().find(|(name, _)| *name == path);
        found.map(|(_, text)| Scalar { text, at: None })
    }

    fn error(&self, at: impl Into<Option<usize>>, message: impl Into<String>) -> ScenarioError {
        self.reader.error(at, message)
    }

    /// Where the section begins.
    pub(crate) fn place(&self) -> Place<'a> {
        Place { reader: self.reader, at: self.at }
    }

    /// An error about a key's value, or about the section if it stands nowhere.
    pub(crate) fn wrong(&self, key: &str, message: &str) -> ScenarioError {
        let at = self.table.and_then(|table| table.get(key)).map_or(self.at, |v| v.span().start);
        let at = if self.replaced(key).is_some() { None } else { Some(at) };
        self.error(at, format!("`{}`: {message}", self.path_of(key)))
    }

    /// Reads a scalar with a function that knows its form.
    pub(crate) fn get<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ScenarioError> {
        let value = self.ask_value(key);
        let scalar = match (self.replaced(key), value) {
            (Some(replaced), _) => replaced,
            (None, Some(value)) => self.scalar(key, value)?,
            (None, None) => return Ok(None),
        };
        let parsed = parse(scalar.text);
        parsed.map(Some).map_err(|e| self.error(scalar.at, format!("`{}`: {e}", self.path_of(key))))
    }

    /// Reads a scalar that must be there.
    pub(crate) fn need<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, ScenarioError> {
        let found = self.get(key, parse)?;
        found.ok_or_else(|| self.error(self.at, format!("{} lacks `{key}`", self.title())))
    }

    fn scalar(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Result<Scalar<'a>, ScenarioError> {
        let at = value.span().start;
        let text = match value.get_ref() {
            DeValue::String(text) => text,
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Integer(number) => {
                let message = format!(
                    "`{}`: found a number of base {}, expected a decimal one",
                    self.path_of(key),
                    number.radix()
                );
                return Err(self.error(at, message));
            }
            DeValue::Float(number) => number.as_str(),
            DeValue::Boolean(true) => "true",
            DeValue::Boolean(false) => "false",
            other => {
                let found = other.type_str();
                let message = format!(
                    "`{}`: found a value of type {found}, expected one value",
                    self.path_of(key)
                );
                return Err(self.error(at, message));
            }
        };
        Ok(Scalar { text, at: Some(at) })
    }

    /// Reads a list of scalars; an override separates them by commas.
    pub(crate) fn list<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<Vec<T>>, ScenarioError> {
        let value = self.ask_value(key);
        let wrap =
            |at: Option<usize>, error| self.error(at, format!("`{}`: {error}", self.path_of(key)));
        if let Some(replaced) = self.replaced(key) {
            let items = replaced.text.split(',').map(|item| parse(item.trim()));
            return items.collect::<Result<_, _>>().map(Some).map_err(|e| wrap(replaced.at, e));
        }
        let Some(value) = value else { return Ok(None) };
        let array = self.array(key, value)?;
        let items = array.iter().map(|item| {
            let scalar = self.scalar(key, item)?;
            parse(scalar.text).map_err(|error| wrap(scalar.at, error))
        });
        items.collect::<Result<_, _>>().map(Some)
    }

    /// Reads a list of lists of scalars.
    pub(crate) fn lists<T>(
        &mut self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<Vec<Vec<T>>>, ScenarioError> {
        let Some(value) = self.ask(key) else { return Ok(None) };
        let inner = |item: &'a Spanned<DeValue<'a>>| {
            let array = self.array(key, item)?;
            let items = array.iter().map(|item| {
                let scalar = self.scalar(key, item)?;
                parse(scalar.text)
                    .map_err(|e| self.error(scalar.at, format!("`{}`: {e}", self.path_of(key))))
            });
            items.collect::<Result<Vec<T>, _>>()
        };
        self.array(key, value)?.iter().map(inner).collect::<Result<_, _>>().map(Some)
    }

    fn array(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Result<&'a [Spanned<DeValue<'a>>], ScenarioError> {
        let found = value.get_ref();
        found.as_array().map(|array| &array[..]).ok_or_else(|| {
            let message = format!(
                "`{}`: found a value of type {}, expected a list",
                self.path_of(key),
                found.type_str()
            );
            self.error(value.span().start, message)
        })
    }

    fn table_of(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Result<&'a DeTable<'a>, ScenarioError> {
        value.get_ref().as_table().ok_or_else(|| {
            let message = format!("`{}` is not a table", self.path_of(key));
            self.error(value.span().start, message)
        })
    }

    /// The table under a key; empty if it is not there.
    pub(crate) fn section(&mut self, key: &'static str) -> Result<Self, ScenarioError> {
        let value = self.ask(key);
        let table = value.map(|value| self.table_of(key, value)).transpose()?;
        let at = value.map_or(self.at, |value| value.span().start);
        let (path, asked, settable) = (self.path_of(key), Vec::new(), self.settable);
        Ok(Self { reader: self.reader, path, table, at, asked, settable })
    }

    /// The tables of an array of tables.
    pub(crate) fn sections(&mut self, key: &'static str) -> Result<Vec<Self>, ScenarioError> {
        let Some(value) = self.ask(key) else { return Ok(Vec::new()) };
        let path = self.path_of(key);
        let items = self.array(key, value)?.iter().map(|item| {
            let table = Some(self.table_of(key, item)?);
            let at = item.span().start;
            let (path, asked, settable) = (path.clone(), Vec::new(), false);
            Ok(Self { reader: self.reader, path, table, at, asked, settable })
        });
        items.collect()
    }

    /// Every key of the table with its value and its place, for tables whose keys are data; those
    /// that are set beside the file have no place.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, ScenarioError> {
        let of_file = self.table.into_iter().flatten().map(|(key, value)| {
            let text = String::from(self.scalar(key.get_ref(), value)?.text);
            Ok(Entry { key: key.get_ref().clone().into_owned(), text, at: Some(key.span().start) })
        });
        let mut entries = of_file.collect::<Result<Vec<Entry>, ScenarioError>>()?;
        let prefix = format!("{}.", self.path);
        for (path, text) in self.reader.overrides {
            if let Some(key) = path.strip_prefix(&prefix) {
                let knob = Knob { path: path.clone(), value: None };
                self.reader.asked.borrow_mut().push(knob);
                entries.retain(|entry| entry.key != key);
                entries.push(Entry { key: String::from(key), text: text.clone(), at: None });
            }
        }
        Ok(entries)
    }

    /// Every key of the table with its list of scalars, for tables whose keys are data, in the
    /// order of the file; only keys that are wanted.
    pub(super) fn lists_of_entries(
        &self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<String>)>, ScenarioError> {
        let list = |key: &str, value| {
            let items = self.array(key, value)?.iter();
            let items = items.map(|item| Ok(String::from(self.scalar(key, item)?.text)));
            items.collect::<Result<Vec<String>, ScenarioError>>()
        };
        let all = self.table.into_iter().flatten();
        let entries = all.filter(|(key, _)| wanted(key.get_ref())).map(|(key, value)| {
            let (at, key) = (key.span().start, key.get_ref());
            Ok((at, String::from(key.as_ref()), list(key, value)?))
        });
        let mut entries = entries.collect::<Result<Vec<_>, ScenarioError>>()?;
        entries.sort_unstable_by_key(|&(at, ..)| at);
        Ok(entries.into_iter().map(|(_, key, values)| (key, values)).collect())
    }

    /// An error about an entry of a table whose keys are data.
    pub(crate) fn wrong_entry(&self, at: Option<usize>, message: String) -> ScenarioError {
        self.error(at, message)
    }

    /// Refuses keys that nobody asked for.
    pub(crate) fn finish(self) -> Result<(), ScenarioError> {
        self.finish_besides(|_| false)
    }

    /// Refuses keys that nobody asked for, but for those that are data.
    pub(super) fn finish_besides(
        self,
        is_data: impl Fn(&str) -> bool,
    ) -> Result<(), ScenarioError> {
        let Some(table) = self.table else { return Ok(()) };
        let unknown = table
            .keys()
            .filter(|key| !self.asked.contains(&key.get_ref().as_ref()))
            .filter(|key| !is_data(key.get_ref()))
            .map(|key| (key.get_ref(), key.span().start))
            .min_by_key(|&(_, at)| at);
        match unknown {
            Some((key, at)) => {
                let hint = hint(key, &self.asked);
                Err(self.error(at, format!("unknown key `{key}` in {}{hint}", self.title())))
            }
            None => Ok(()),
        }
    }
}
