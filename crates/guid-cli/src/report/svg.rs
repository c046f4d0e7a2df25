//! A drawing while it is made, and a picture when it is done: inside a page, or alone.

use std::fmt::Write;

/// What every picture looks like, on light and dark paper.
pub(crate) const STYLE: &str = include_str!("picture.css");

/// The room above a picture that stands alone, for its title and a line of its caption, and for
/// each line more.
const HEAD: f64 = 52.0;
const LINE: f64 = 17.0;

pub(super) type Point = (f64, f64);

/// A text as it may stand in a document.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // Neither control characters nor the two that are no characters may stand there.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The beginning of a text that would not fit into so many characters.
pub(super) fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// How wide a text is, about: letters of 12 pixels take seven.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().map(|_| 7.0).sum()
}

/// What is drawn.
#[derive(Debug, Default)]
pub(super) struct Drawing(String);

impl Drawing {
    pub(super) fn raw(&mut self, text: &str) {
        self.0 += text;
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        self.0.write_fmt(text).unwrap_or_default();
        self.0.push('\n');
    }

    pub(super) fn line(&mut self, (x1, y1): Point, (x2, y2): Point, class: &str) {
        self.put(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" class="{class}"/>"#
        ));
    }

    pub(super) fn text(&mut self, (x, y): Point, class: &str, text: &str) {
        let text = escaped(text);
        self.put(format_args!(r#"<text x="{x:.1}" y="{y:.1}" class="{class}">{text}</text>"#));
    }

    pub(super) fn circle(&mut self, (x, y): Point, r: f64, class: &str) {
        self.put(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" class="{class}"/>"#));
    }

    pub(super) fn square(&mut self, (x, y): Point, half: f64, class: &str) {
        let (x, y, side) = (x - half, y - half, 2.0 * half);
        self.put(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{side:.1}" height="{side:.1}" class="{class}"/>"#
        ));
    }

    /// A path through points, closed or open.
    pub(super) fn path(&mut self, points: &[Point], closed: bool, class: &str) {
        if points.is_empty() {
            return;
        }
        let mut d = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let to = if i == 0 { 'M' } else { 'L' };
            d += &format!("{to}{x:.1} {y:.1}");
        }
        let end = if closed { "z" } else { "" };
        self.put(format_args!(r#"<path d="{d}{end}" class="{class}"/>"#));
    }

    pub(super) fn diamond(&mut self, (x, y): Point, half: f64, class: &str) {
        let points = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)];
        self.path(&points, true, class);
    }

    pub(super) fn cross(&mut self, (x, y): Point) {
        self.path(&[(x - 4.0, y - 4.0), (x + 4.0, y + 4.0)], false, "cross");
        self.path(&[(x - 4.0, y + 4.0), (x + 4.0, y - 4.0)], false, "cross");
    }

    /// An arrow that ends a little before its end, so that what stands there is seen.
    pub(super) fn arrow(&mut self, from: Point, to: Point, class: &str) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let end = (to.0 - ux * 5.0, to.1 - uy * 5.0);
        let neck = (end.0 - ux * 8.0, end.1 - uy * 8.0);
        self.line(from, neck, &format!("m {class}"));
        let head =
            [end, (neck.0 - uy * 3.6, neck.1 + ux * 3.6), (neck.0 + uy * 3.6, neck.1 - ux * 3.6)];
        self.path(&head, true, &format!("tip {class}"));
    }

    /// Begins a group of a class.
    pub(super) fn group(&mut self, class: &str) {
        self.put(format_args!("<g class=\"{class}\">"));
    }

    /// Begins a group, with a title that shows where one points at it.
    pub(super) fn open(&mut self, attributes: &str, title: &str) {
        let title = escaped(title);
        self.put(format_args!("<g {attributes}><title>{title}</title>"));
    }

    pub(super) fn close(&mut self) {
        self.raw("</g>\n");
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    pub(super) fn done(self, size: Point, title: String, caption: String) -> Picture {
        let (width, height) = size;
        Picture { title, caption, width, height, cuts: Vec::new(), body: self.0 }
    }
}

/// A picture.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    /// What it is, in a line.
    pub(crate) title: String,
    /// What there is to be seen, in a sentence or two.
    pub(crate) caption: String,
    width: f64,
    height: f64,
    /// Where it may be cut between two pages: no word and no mark stands there.
    cuts: Vec<f64>,
    body: String,
}

impl Picture {
    /// The same picture, which may be cut at these heights.
    pub(super) fn with_cuts(self, cuts: Vec<f64>) -> Self {
        Self { cuts, ..self }
    }

    /// The picture inside a page, whose style it needs.
    pub(crate) fn inline(&self) -> String {
        let (width, height, title) = (self.width, self.height, escaped(&self.title));
        let cuts: Vec<String> = self.cuts.iter().map(|cut| format!("{cut:.0}")).collect();
        let cuts = match &cuts[..] {
            [] => String::new(),
            cuts => format!(" data-cuts=\"{}\"", cuts.join(" ")),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\"{cuts}>\n\
             {}</svg>",
            self.body
        )
    }

    /// The picture as a file of its own.
    pub(crate) fn alone(&self) -> String {
        let letters = (self.width / 7.0) as usize;
        let lines = wrapped(&self.caption, letters);
        let head = HEAD + LINE * lines.len().saturating_sub(1) as f64;
        let (width, height) = (self.width, self.height + head);
        let (title, caption) = (escaped(&self.title), escaped(&self.caption));
        let mut said = Drawing::default();
        for (place, line) in lines.iter().enumerate() {
            said.text((12.0, 42.0 + LINE * place as f64), "soft", line);
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title>\n<desc>{caption}</desc>\n<style>\n{STYLE}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n\
             <text x=\"12\" y=\"24\" class=\"title\">{}</text>\n{}\
             <g transform=\"translate(0 {head:.0})\">\n{}</g>\n</svg>\n",
            escaped(&short(&self.title, letters)),
            said.into_text(),
            self.body
        )
    }
}

/// A text in lines of so many letters at most, broken between words.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let word = short(word, letters);
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A sign of a legend, with its words.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) sign: String,
    pub(super) says: String,
    /// The class of what it stands for, so that both can be hidden together.
    pub(super) class: String,
}

impl Item {
    pub(super) fn new(sign: impl FnOnce(&mut Drawing), says: impl Into<String>) -> Self {
        let mut drawn = Drawing::default();
        sign(&mut drawn);
        Self { sign: drawn.into_text(), says: says.into(), class: String::new() }
    }

    pub(super) fn of(self, class: String) -> Self {
        Self { class, ..self }
    }
}

/// A legend of signs with their words, in rows as wide as they may be; how high it is.
pub(super) fn legend(drawing: &mut Drawing, (left, top): Point, width: f64, items: &[Item]) -> f64 {
    let (mut x, mut y) = (left, top);
    for Item { sign, says: word, class } in items {
        let wide = 44.0 + width_of(word) + 18.0;
        if x > left && x + wide > left + width {
            (x, y) = (left, y + 20.0);
        }
        let class = if class.is_empty() { String::new() } else { format!("class=\"{class}\" ") };
        drawing.raw(&format!("<g {class}transform=\"translate({x:.1} {y:.1})\">{sign}"));
        drawing.text((44.0, 4.0), "", word);
        drawing.close();
        x += wide;
    }
    y - top + 20.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caption_is_broken_between_words_and_nothing_of_it_is_lost() {
        let text = "Filled: measured, hollow: expected of these pairs.";
        for letters in 10..60 {
            let lines = wrapped(text, letters);
            assert_eq!(lines.join(" "), text);
            assert!(lines.iter().all(|line| line.chars().count() <= letters));
        }
        assert_eq!(wrapped("unbreakable", 5), ["unbr…"]);
    }
}
