//! Figures of numbers against numbers: agreement, errors, correlations, Cohen's κ.
//!
//! Numbers are compared at nine decimals ([`at_nine`]), so that means written as decimals tie. They are kept at twelve, as results are
//! written: the means of groups are made of these, since means of numbers that were rounded before would not tie at nine.

use super::cells::Tally;
use super::figure::{Figure, Reckoned, Sample, Undefined};
use super::rank::{kendall, spearman};

/// A number at nine decimals, as it is compared and ranked.
#[must_use]
pub fn at_nine(value: f64) -> f64 {
    rounded(value, 1e9)
}

/// A number at twelve decimals, as it is kept.
#[must_use]
pub fn at_twelve(value: f64) -> f64 {
    rounded(value, 1e12)
}

fn rounded(value: f64, scale: f64) -> f64 {
    let scaled = value * scale;
    // Beyond 2^53 a float has no such decimal; and −0 is 0.
    if scaled.abs() < 9e15 { scaled.round() / scale + 0.0 } else { value }
}

/// Two columns of numbers by distinct rows.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The distinct values of each column, ascending.
    pub(super) xs: Vec<f64>,
    pub(super) ys: Vec<f64>,
    /// Per row, which of these it has.
    pub(super) x: Vec<u32>,
    pub(super) y: Vec<u32>,
    /// The rows in the order of x, then y.
    pub(super) by_x: Vec<u32>,
}

impl Columns {
    /// From rows of (result, label), in any order.
    #[must_use]
    pub fn new(rows: impl ExactSizeIterator<Item = [f64; 2]> + Clone) -> Columns {
        let rows = rows.map(|[x, y]| [at_nine(x), at_nine(y)]);
        let (xs, ys) = (distinct(rows.clone().map(|[x, _]| x)), distinct(rows.clone().map(|[_, y]| y)));
        let code = |values: &[f64], value: f64| {
            u32::try_from(values.binary_search_by(|v| v.total_cmp(&value)).unwrap_or(0)).unwrap_or(0)
        };
        let x: Vec<u32> = rows.clone().map(|[x, _]| code(&xs, x)).collect();
        let y: Vec<u32> = rows.map(|[_, y]| code(&ys, y)).collect();
        let mut by_x: Vec<u32> = (0..u32::try_from(x.len()).unwrap_or(u32::MAX)).collect();
        by_x.sort_unstable_by_key(|row| (x.get(*row as usize), y.get(*row as usize)));
        Columns { xs, ys, x, y, by_x }
    }

    /// The values and the count of each row that is there.
    fn rows<'a>(&'a self, counts: &'a [u32]) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let value = |values: &[f64], code: u32| values.get(code as usize).copied().unwrap_or(0.0);
        self.x
            .iter()
            .zip(&self.y)
            .zip(counts)
            .filter(|(_, count)| **count > 0)
            .map(move |((x, y), count)| (value(&self.xs, *x), value(&self.ys, *y), f64::from(*count)))
    }
}

fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values.shrink_to_fit();
    values
}

/// Pearson's r of two columns that have, in place of their values, those of `x` and `y`.
pub(super) fn correlation(columns: &Columns, x: &[f64], y: &[f64], counts: &[u32]) -> Reckoned {
    let at = |values: &[f64], code: &u32| values.get(*code as usize).copied().unwrap_or(0.0);
    let rows = || {
        let pairs = columns.x.iter().zip(&columns.y).zip(counts).filter(|(_, count)| **count > 0);
        pairs.map(|((a, b), count)| (at(x, a), at(y, b), f64::from(*count)))
    };
    let Some((first_x, first_y, _)) = rows().next() else { return Err(Undefined::NoRows) };
    if rows().all(|(a, ..)| a == first_x) {
        return Err(Undefined::ConstantResults);
    }
    if rows().all(|(_, b, _)| b == first_y) {
        return Err(Undefined::ConstantLabels);
    }
    let total: f64 = rows().map(|(.., n)| n).sum();
    let (sum_x, sum_y) = rows().fold((0.0, 0.0), |(x, y), (a, b, n)| (x + a * n, y + b * n));
    let (mean_x, mean_y) = (sum_x / total, sum_y / total);
    let (mut both, mut of_x, mut of_y) = (0.0, 0.0, 0.0);
    for (a, b, n) in rows() {
        let (a, b) = (a - mean_x, b - mean_y);
        both += n * a * b;
        of_x += n * a * a;
        of_y += n * b * b;
    }
    Ok((both / (of_x.sqrt() * of_y.sqrt())).clamp(-1.0, 1.0))
}

/// Results and labels that are numbers.
#[derive(Debug)]
pub struct Points {
    columns: Columns,
    counts: Vec<u32>,
    means: Option<[f64; 2]>,
}

/// The figures of [`Points`], in their order.
pub const FIGURES: [Figure; 9] = [
    Figure::new("exact_agreement", "Exact Agreement"),
    Figure::new("within_one", "Within-1"),
    Figure::new("mae", "MAE"),
    Figure::new("rmse", "RMSE"),
    Figure::new("pearson", "Pearson r"),
    Figure::new("spearman", "Spearman ρ"),
    Figure::new("kendall", "Kendall τ-b"),
    Figure::new("kappa", "Cohen κ"),
    Figure::new("kappa_quadratic", "Cohen κ, quadratic"),
];

impl Points {
    /// From rows of (result, label).
    #[must_use]
    pub fn new(tally: Tally<[f64; 2]>) -> Points {
        let (rows, counts) = tally.finish();
        Points::of_rows(rows.iter().copied(), counts)
    }

    /// From rows in any order, each with its count.
    #[must_use]
    pub fn of_rows(rows: impl ExactSizeIterator<Item = [f64; 2]> + Clone, counts: Vec<u32>) -> Points {
        let add = |[x, y, total]: [f64; 3], ([a, b], n): ([f64; 2], &u32)| {
            [x + a * f64::from(*n), y + b * f64::from(*n), total + f64::from(*n)]
        };
        let [x, y, total] = rows.clone().zip(&counts).fold([0.0; 3], add);
        let means = (total > 0.0).then(|| [x / total, y / total]);
        Points { columns: Columns::new(rows), counts, means }
    }

    /// The labels with their numbers, ascending.
    #[must_use]
    pub fn labels(&self) -> Vec<(f64, u64)> {
        marginal(&self.columns.ys, &self.columns.y, &self.counts)
    }

    /// The means of results and labels; `None` without rows.
    #[must_use]
    pub fn means(&self) -> Option<[f64; 2]> {
        self.means
    }

    /// What a program that always says `constant` would have reached on these labels.
    #[must_use]
    pub fn constant(&self, constant: f64) -> Vec<Reckoned> {
        let labels = self.labels();
        let rows: Vec<[f64; 2]> = labels.iter().map(|(label, _)| [constant, *label]).collect();
        let counts = labels.iter().map(|(_, n)| u32::try_from(*n).unwrap_or(u32::MAX)).collect();
        let sample = Points::of_rows(rows.iter().copied(), counts);
        sample.reckon(sample.counts())
    }

    /// The confusion matrix: the values of both sides, and for each label how often each result came.
    ///
    /// `None`: more than `most` different values.
    #[must_use]
    pub fn confusion(&self, most: usize) -> Option<(Vec<f64>, Vec<Vec<u64>>)> {
        let values = distinct(self.columns.xs.iter().chain(&self.columns.ys).copied());
        if values.len() > most {
            return None;
        }
        let place = |value: f64| values.iter().position(|v| *v == value);
        let mut matrix = vec![vec![0_u64; values.len()]; values.len()];
        for (x, y, count) in self.columns.rows(&self.counts) {
            let cell = place(y).and_then(|y| matrix.get_mut(y)).zip(place(x)).and_then(|(row, x)| row.get_mut(x));
            if let Some(cell) = cell {
                *cell += count as u64;
            }
        }
        Some((values, matrix))
    }
}

/// How often each distinct value of a column is there.
fn marginal(values: &[f64], codes: &[u32], counts: &[u32]) -> Vec<(f64, u64)> {
    let mut each: Vec<(f64, u64)> = values.iter().map(|value| (*value, 0)).collect();
    for (code, count) in codes.iter().zip(counts) {
        if let Some((_, sum)) = each.get_mut(*code as usize) {
            *sum += u64::from(*count);
        }
    }
    each
}

impl Sample for Points {
    fn figures(&self) -> Vec<Figure> {
        FIGURES.to_vec()
    }

    fn counts(&self) -> &[u32] {
        &self.counts
    }

    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned> {
        let columns = &self.columns;
        let (mut total, mut exact, mut near, mut absolute, mut squared) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (x, y, n) in columns.rows(counts) {
            let distance = (x - y).abs();
            total += n;
            exact += if x == y { n } else { 0.0 };
            // Half a unit of the ninth decimal: 1.1 − 0.1 is a little more than 1 in floats.
            near += if distance <= 1.0 + 5e-10 { n } else { 0.0 };
            absolute += n * distance;
            squared += n * distance * distance;
        }
        if total == 0.0 {
            return vec![Err(Undefined::NoRows); FIGURES.len()];
        }
        vec![
            Ok(exact / total),
            Ok(near / total),
            Ok(absolute / total),
            Ok((squared / total).sqrt()),
            correlation(columns, &columns.xs, &columns.ys, counts),
            spearman(columns, counts),
            kendall(columns, counts),
            kappa(columns, counts, exact / total, total),
            quadratic(columns, counts, squared / total, total),
        ]
    }
}

/// Cohen's κ over the values as classes.
fn kappa(columns: &Columns, counts: &[u32], agreement: f64, total: f64) -> Reckoned {
    let of_x = marginal(&columns.xs, &columns.x, counts);
    let of_y = marginal(&columns.ys, &columns.y, counts);
    let mut chance = 0.0;
    let mut rest = of_y.iter().peekable();
    for (value, n) in &of_x {
        while rest.next_if(|(other, _)| other < value).is_some() {}
        if let Some((_, m)) = rest.next_if(|(other, _)| other == value) {
            chance += (*n as f64 / total) * (*m as f64 / total);
        }
    }
    if chance >= 1.0 {
        return Err(Undefined::OneValue);
    }
    Ok((agreement - chance) / (1.0 - chance))
}

/// Cohen's κ with squared distances of the values: 1 − E(x − y)² / E(x′ − y′)², where x′ and y′ are drawn independently.
fn quadratic(columns: &Columns, counts: &[u32], squared: f64, total: f64) -> Reckoned {
    let (sum_x, sum_y) = columns.rows(counts).fold((0.0, 0.0), |(x, y), (a, b, n)| (x + a * n, y + b * n));
    let (mean_x, mean_y) = (sum_x / total, sum_y / total);
    let spread = columns.rows(counts).map(|(x, y, n)| n * ((x - mean_x).powi(2) + (y - mean_y).powi(2)));
    let chance = spread.sum::<f64>() / total + (mean_x - mean_y).powi(2);
    if chance == 0.0 {
        return Err(Undefined::OneValue);
    }
    Ok(1.0 - squared / chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reckon(rows: &[[f64; 2]]) -> Vec<Reckoned> {
        let mut tally = Tally::default();
        rows.iter().for_each(|row| tally.add(*row));
        let points = Points::new(tally);
        points.reckon(points.counts())
    }

    fn close(found: &[Reckoned], expected: [f64; 9]) {
        for ((found, expected), figure) in found.iter().zip(expected).zip(FIGURES) {
            assert!((found.unwrap() - expected).abs() < 1e-12, "{figure}: {found:?} {expected}");
        }
    }

    #[test]
    fn by_hand() {
        // x 1 2 3 4 against y 1 3 2 4: two agree, all are within one.
        let found = reckon(&[[1.0, 1.0], [2.0, 3.0], [3.0, 2.0], [4.0, 4.0]]);
        close(&found, [0.5, 1.0, 0.5, 0.5_f64.sqrt(), 0.8, 0.8, 2.0 / 3.0, 1.0 / 3.0, 0.8]);
    }

    #[test]
    fn the_order_of_rows_and_repeating_them_changes_nothing() {
        let rows = [[1.0, 2.0], [2.0, 2.0], [5.0, 4.0], [2.0, 1.0], [1.0, 1.0]];
        let mut back: Vec<[f64; 2]> = rows.to_vec();
        back.reverse();
        let split = Points::of_rows(back.iter().chain(&rows).copied().collect::<Vec<_>>().iter().copied(), vec![1; 10]);
        let twice = reckon(&[rows, rows].concat());
        for (a, b) in split.reckon(split.counts()).iter().zip(twice) {
            assert!((a.unwrap() - b.unwrap()).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_undefined_is_said() {
        let constant = reckon(&[[3.0, 1.0], [3.0, 2.0]]);
        assert_eq!(constant[4..7], [Err(Undefined::ConstantResults); 3]);
        assert_eq!(reckon(&[[1.0, 3.0], [2.0, 3.0]])[5], Err(Undefined::ConstantLabels));
        assert_eq!(reckon(&[[2.0, 2.0], [2.0, 2.0]])[7..], [Err(Undefined::OneValue); 2]);
        assert_eq!(reckon(&[]), vec![Err(Undefined::NoRows); 9]);
    }

    #[test]
    fn means_of_groups_are_made_of_numbers_that_were_not_rounded_before() {
        // Each third is a little more at nine decimals than it is; twice 1.666666667 and once 0.666666667 are not 4.
        let thirds = [[1.666_666_666_667, 1.0], [1.666_666_666_667, 1.0], [0.666_666_666_667, 1.0]];
        let mut tally = Tally::default();
        thirds.iter().for_each(|row| tally.add(*row));
        let [mean, _] = Points::new(tally).means().unwrap();
        assert_eq!(at_nine(mean), at_nine(4.0 / 3.0));
        let whole = [[1.333_333_333_333, 1.0]];
        assert_eq!(at_nine(Points::of_rows(whole.iter().copied(), vec![1]).means().unwrap()[0]), at_nine(mean));
    }

    #[test]
    fn means_written_as_decimals_tie() {
        assert_eq!(at_nine(10.0 / 3.0), at_nine(3.333_333_333_333));
        assert_eq!(at_nine(-0.0).to_bits(), 0.0_f64.to_bits());
    }
}
