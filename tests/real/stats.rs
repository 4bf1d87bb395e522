//! Statistics over results, as the data sets define them (all over columns of equal length).

/// Pearson's r.
pub fn pearson(x: &[f64], y: &[f64]) -> f64 {
    let (mx, my) = (mean(x), mean(y));
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(a, b)| f(a - mx, b - my)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

pub fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

pub fn rmse(x: &[f64], y: &[f64]) -> f64 {
    (x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / x.len() as f64).sqrt()
}

/// Rounded to 9 decimals, so that equal means written as decimals tie.
fn rounded(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| (v * 1e9).round() / 1e9).collect()
}

/// Ranks from 1, ties with their mean rank.
fn ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let mut ranks = vec![0.0; x.len()];
    let mut at = 0;
    while at < order.len() {
        let end = (at..order.len()).take_while(|i| x[order[*i]] == x[order[at]]).last().unwrap() + 1;
        for i in &order[at..end] {
            ranks[*i] = (at + 1 + end) as f64 / 2.0;
        }
        at = end;
    }
    ranks
}

/// Spearman's ρ: Pearson's r of the ranks.
pub fn spearman(x: &[f64], y: &[f64]) -> f64 {
    pearson(&ranks(&rounded(x)), &ranks(&rounded(y)))
}

/// Kendall's τ-b.
pub fn kendall(x: &[f64], y: &[f64]) -> f64 {
    let (x, y) = (rounded(x), rounded(y));
    let (mut concordant, mut discordant, mut tied_x, mut tied_y, mut pairs) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for i in 0..x.len() {
        for j in i + 1..x.len() {
            pairs += 1.0;
            let (a, b) = (x[i].total_cmp(&x[j]), y[i].total_cmp(&y[j]));
            if a.is_eq() {
                tied_x += 1.0;
            }
            if b.is_eq() {
                tied_y += 1.0;
            }
            if a.is_ne() && b.is_ne() {
                if a == b { concordant += 1.0 } else { discordant += 1.0 }
            }
        }
    }
    (concordant - discordant) / f64::sqrt((pairs - tied_x) * (pairs - tied_y))
}

/// Cohen's κ of two label columns.
pub fn kappa(x: &[String], y: &[String]) -> f64 {
    let n = x.len() as f64;
    let labels: std::collections::BTreeSet<&String> = x.iter().chain(y).collect();
    let share = |column: &[String], label: &String| column.iter().filter(|v| *v == label).count() as f64 / n;
    let agreement = x.iter().zip(y).filter(|(a, b)| a == b).count() as f64 / n;
    let chance: f64 = labels.iter().map(|l| share(x, l) * share(y, l)).sum();
    (agreement - chance) / (1.0 - chance)
}

/// Wilson's 95 % interval of `events` in `total`.
pub fn wilson(events: f64, total: f64) -> [f64; 2] {
    let z = 1.959_963_984_540_054_f64;
    let (p, d) = (events / total, 1.0 + z * z / total);
    let centre = (p + z * z / (2.0 * total)) / d;
    let half = z * (p * (1.0 - p) / total + z * z / (4.0 * total * total)).sqrt() / d;
    [centre - half, centre + half]
}

#[test]
fn textbook_values() {
    let (x, y) = ([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]);
    assert!((spearman(&x, &y) - 0.8).abs() < 1e-12);
    assert!((kendall(&x, &y) - 2.0 / 3.0).abs() < 1e-12);
    assert!((kendall(&[1.0, 1.0, 2.0], &[1.0, 2.0, 3.0]) - 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);
}
