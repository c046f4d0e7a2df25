//! What the boundaries of windows decided that fell into a run, each by itself.
//!
//! Messages come in bursts: a boundary that falls into one decides all of it, and most decide
//! nothing. How much they differ is what a figure of few boundaries may be off.

/// How many boundaries are still open at a time. Of more, one may be counted in parts.
const OPEN: usize = 8;

/// A tally of boundaries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crossings {
    open: [(u64, f64); OPEN],
    sum: f64,
    squares: f64,
}

impl Crossings {
    /// A boundary falls into a gap, and adds so much to the count.
    pub(super) fn add(&mut self, boundary: u64, decides: f64) {
        let open = &mut self.open[boundary as usize % OPEN];
        if open.0 != boundary {
            self.sum += open.1;
            self.squares += open.1 * open.1;
            *open = (boundary, 0.0);
        }
        open.1 += decides;
    }

    /// Σ (F − mean)² over so many boundaries, of which those that were not met decide nothing.
    pub(super) fn scatter(&self, mean: f64, boundaries: f64) -> f64 {
        let (mut sum, mut squares) = (self.sum, self.squares);
        for (_, decides) in self.open {
            sum += decides;
            squares += decides * decides;
        }
        (squares - 2.0 * mean * sum + boundaries * mean * mean).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_boundary_is_one_figure_however_many_gaps_it_falls_into() {
        let mut crossings = Crossings::default();
        // Three gaps of boundary 5, one of 6, and two of 13, in whose place 5 was.
        for (boundary, decides) in [(5, 1.0), (6, -1.0), (5, 1.0), (5, 1.0), (13, 1.0), (13, 1.0)] {
            crossings.add(boundary, decides);
        }
        assert!((crossings.scatter(0.0, 3.0) - 14.0).abs() < 1e-12); // 9 + 1 + 4
        // About the mean of four, one of which decided nothing: 4 + 4 + 1 + 1.
        assert!((crossings.scatter(1.0, 4.0) - 10.0).abs() < 1e-12);
    }
}
