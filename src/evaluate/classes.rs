//! Figures of words against words (true and false among them): accuracy, per class and in the mean, κ, φ.
//!
//! Classes are those that occur among results or labels. Where there are two, one is the positive class and precision,
//! recall and F1 are its; means over classes (macro) count each class alike, as scikit-learn does: recall over the classes
//! that have labels, precision of a class that is never predicted as 0.

use super::cells::Tally;
use super::figure::{Figure, Reckoned, Sample, Undefined};

/// Results and labels that are words.
#[derive(Debug)]
pub struct Classes {
    /// The classes' names, by code.
    names: Vec<String>,
    /// Rows of (result, label).
    rows: Vec<[u32; 2]>,
    counts: Vec<u32>,
    /// The code of the positive class, where there are two.
    positive: Option<usize>,
}

const WHOLE: [Figure; 7] = [
    Figure::new("accuracy", "Accuracy"),
    Figure::new("balanced_accuracy", "Balanced Accuracy"),
    Figure::new("macro_precision", "Precision, macro"),
    Figure::new("macro_recall", "Recall, macro"),
    Figure::new("macro_f1", "F1, macro"),
    Figure::new("kappa", "Cohen κ"),
    Figure::new("phi", "φ (Matthews)"),
];

/// Counts of one class.
#[derive(Clone, Copy, Default)]
struct Class {
    right: f64,
    predicted: f64,
    labelled: f64,
}

impl Class {
    fn precision(self) -> Reckoned {
        if self.predicted > 0.0 { Ok(self.right / self.predicted) } else { Err(Undefined::NonePredicted) }
    }

    fn recall(self) -> Reckoned {
        if self.labelled > 0.0 { Ok(self.right / self.labelled) } else { Err(Undefined::NoPositives) }
    }

    /// 2·TP / (2·TP + FP + FN): defined where the class occurs at all.
    fn f1(self) -> Reckoned {
        let whole = self.predicted + self.labelled;
        if whole > 0.0 { Ok(2.0 * self.right / whole) } else { Err(Undefined::NoPositives) }
    }
}

impl Classes {
    /// From rows of (result, label) as places in `names`; classes that do not occur are left out of every mean.
    #[must_use]
    pub fn new(names: Vec<String>, positive: Option<&str>, tally: Tally<[u32; 2]>) -> Classes {
        let (rows, counts) = tally.finish();
        Classes::of_rows(names, positive, rows, counts)
    }

    /// From rows in any order, each with its count.
    #[must_use]
    pub fn of_rows(names: Vec<String>, positive: Option<&str>, rows: Vec<[u32; 2]>, counts: Vec<u32>) -> Classes {
        let positive = match positive {
            Some(word) => names.iter().position(|name| name == word),
            None => names.iter().position(|name| name == "true"),
        };
        Classes { names, rows, counts, positive }
    }

    /// The class whose precision and recall are told, if any.
    #[must_use]
    pub fn positive(&self) -> Option<&str> {
        self.names.get(self.positive?).map(String::as_str)
    }

    /// The share of results, and of labels, that are the positive class; `None` where there is no such class, or no row.
    #[must_use]
    pub fn shares(&self) -> Option<[f64; 2]> {
        let positive = u32::try_from(self.positive?).ok()?;
        let total: f64 = self.counts.iter().map(|n| f64::from(*n)).sum();
        let share = |column: usize| {
            let rows = self.rows.iter().zip(&self.counts).filter(|(row, _)| row.get(column) == Some(&positive));
            rows.map(|(_, n)| f64::from(*n)).sum::<f64>() / total
        };
        (total > 0.0).then(|| [super::points::at_nine(share(0)), super::points::at_nine(share(1))])
    }

    /// The labels with their numbers, by name.
    #[must_use]
    pub fn labels(&self) -> Vec<(&str, u64)> {
        let mut each: Vec<(&str, u64)> = self.names.iter().map(|name| (name.as_str(), 0)).collect();
        for ([_, label], count) in self.rows.iter().zip(&self.counts) {
            if let Some((_, sum)) = each.get_mut(*label as usize) {
                *sum += u64::from(*count);
            }
        }
        each.retain(|(_, n)| *n > 0);
        each
    }

    /// What a program that always says `constant` would have reached on these labels.
    #[must_use]
    pub fn constant(&self, constant: &str) -> Option<Vec<Reckoned>> {
        let code = u32::try_from(self.names.iter().position(|name| name == constant)?).ok()?;
        let rows = self.rows.iter().map(|[_, label]| [code, *label]).collect();
        let sample = Classes { names: self.names.clone(), rows, counts: self.counts.clone(), positive: self.positive };
        Some(sample.reckon(sample.counts()))
    }

    /// The confusion matrix: for each label (by the names' order) how often each result came.
    #[must_use]
    pub fn confusion(&self) -> (Vec<&str>, Vec<Vec<u64>>) {
        let n = self.names.len();
        let mut matrix = vec![vec![0_u64; n]; n];
        for ([result, label], count) in self.rows.iter().zip(&self.counts) {
            if let Some(cell) = matrix.get_mut(*label as usize).and_then(|row| row.get_mut(*result as usize)) {
                *cell += u64::from(*count);
            }
        }
        (self.names.iter().map(String::as_str).collect(), matrix)
    }

    fn classes(&self, counts: &[u32]) -> Vec<Class> {
        let mut classes = vec![Class::default(); self.names.len()];
        for ([result, label], count) in self.rows.iter().zip(counts) {
            let n = f64::from(*count);
            if let Some(class) = classes.get_mut(*result as usize) {
                class.predicted += n;
                class.right += if result == label { n } else { 0.0 };
            }
            if let Some(class) = classes.get_mut(*label as usize) {
                class.labelled += n;
            }
        }
        classes
    }
}

impl Sample for Classes {
    fn figures(&self) -> Vec<Figure> {
        let mut figures = WHOLE.to_vec();
        let each = |name: &str| {
            [
                Figure::new("precision", "Precision").of(name),
                Figure::new("recall", "Recall").of(name),
                Figure::new("f1", "F1").of(name),
            ]
        };
        match self.positive() {
            Some(name) => figures.extend(each(name)),
            None => self.names.iter().for_each(|name| figures.extend(each(name))),
        }
        figures
    }

    fn counts(&self) -> &[u32] {
        &self.counts
    }

    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned> {
        let classes = self.classes(counts);
        let total: f64 = classes.iter().map(|class| class.labelled).sum();
        let shown: Vec<Class> = match self.positive.and_then(|at| classes.get(at)) {
            Some(class) => vec![*class],
            None => classes.clone(),
        };
        if total == 0.0 {
            return vec![Err(Undefined::NoRows); WHOLE.len() + 3 * shown.len()];
        }
        let right: f64 = classes.iter().map(|class| class.right).sum();
        let accuracy = right / total;
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let there: Vec<Class> = classes.iter().copied().filter(|c| c.predicted + c.labelled > 0.0).collect();
        let of = |f: fn(Class) -> Reckoned| mean(there.iter().map(|class| f(*class).unwrap_or(0.0)).collect());
        let recalls: Vec<f64> = there.iter().filter_map(|class| class.recall().ok()).collect();
        let chance: f64 = there.iter().map(|class| (class.predicted / total) * (class.labelled / total)).sum();
        let kappa = if chance >= 1.0 { Err(Undefined::OneValue) } else { Ok((accuracy - chance) / (1.0 - chance)) };
        let mut out = vec![
            Ok(accuracy),
            Ok(mean(recalls)),
            Ok(of(Class::precision)),
            Ok(of(Class::recall)),
            Ok(of(Class::f1)),
            kappa,
            phi(&there, right, total),
        ];
        for class in shown {
            out.extend([class.precision(), class.recall(), class.f1()]);
        }
        out
    }
}

/// Matthews' correlation for any number of classes (Gorodkin, 2004); of two classes it is φ.
fn phi(classes: &[Class], right: f64, total: f64) -> Reckoned {
    let sum = |f: &dyn Fn(&Class) -> f64| classes.iter().map(f).sum::<f64>();
    let both = right * total - sum(&|c| c.predicted * c.labelled);
    let of_results = total * total - sum(&|c| c.predicted * c.predicted);
    let of_labels = total * total - sum(&|c| c.labelled * c.labelled);
    if of_results == 0.0 {
        return Err(Undefined::ConstantResults);
    }
    if of_labels == 0.0 {
        return Err(Undefined::ConstantLabels);
    }
    Ok(both / (of_results.sqrt() * of_labels.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(cells: &[([u32; 2], u32)]) -> Classes {
        let names = vec!["false".to_owned(), "true".to_owned()];
        let (rows, counts) = cells.iter().copied().unzip();
        Classes::of_rows(names, None, rows, counts)
    }

    fn value(sample: &Classes, key: &str) -> Reckoned {
        let at = sample.figures().iter().position(|figure| figure.key == key).unwrap();
        sample.reckon(sample.counts())[at]
    }

    #[test]
    fn two_by_two_by_hand() {
        // 20 right no, 10 right yes, 5 false yes, 15 missed yes.
        let sample = sample(&[([0, 0], 20), ([1, 1], 10), ([1, 0], 5), ([0, 1], 15)]);
        let close = |key: &str, expected: f64| {
            let found = value(&sample, key).unwrap();
            assert!((found - expected).abs() < 1e-12, "{key} {found} {expected}");
        };
        close("accuracy", 0.6);
        close("balanced_accuracy", (0.8 + 0.4) / 2.0);
        close("precision", 10.0 / 15.0);
        close("recall", 0.4);
        close("f1", 0.5);
        close("macro_f1", (0.5 + 40.0 / 60.0) / 2.0);
        close("phi", (20.0 * 10.0 - 5.0 * 15.0) / (15.0_f64 * 35.0 * 25.0 * 25.0).sqrt());
        close("kappa", (0.6 - 0.5) / 0.5);
        assert_eq!(sample.positive(), Some("true"));
        assert_eq!(sample.confusion().1, [[20, 5], [15, 10]]);
    }

    #[test]
    fn without_positives_a_figure_is_undefined_and_not_zero() {
        let none = sample(&[([0, 0], 4), ([1, 0], 1)]);
        assert_eq!(value(&none, "recall"), Err(Undefined::NoPositives));
        assert_eq!(value(&none, "phi"), Err(Undefined::ConstantLabels));
        let never = sample(&[([0, 0], 4), ([0, 1], 1)]);
        assert_eq!(value(&never, "precision"), Err(Undefined::NonePredicted));
        assert_eq!(value(&sample(&[]), "accuracy"), Err(Undefined::NoRows));
    }
}
