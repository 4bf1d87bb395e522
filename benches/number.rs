//! Exact numbers beside `num-rational`: the same sums, products and comparisons over typical judgments and weights.
//!
//! `cargo bench --bench number`. `Ratio<i64>` is the fastest fraction there is where nothing overflows (ours checks, and
//! goes over to big fractions); `BigRational` is what exactness costs without a small path.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark may fail")]

use divan::{Bencher, black_box};
use num_bigint::BigInt;
use num_rational::{BigRational, Ratio};
use rubric_lang::number::{Number, geometric_mean};

fn main() {
    divan::main();
}

/// 1,000 judgments: whole numbers, tenths, hundredths, thirds.
fn parts() -> Vec<(i64, i64)> {
    (0_i64..1_000).map(|i| (i * 7 % 100 + 1, [1, 10, 100, 3][(i % 4) as usize])).collect()
}

fn numbers() -> Vec<Number> {
    parts().into_iter().map(|(n, d)| Number::ratio(n, d).expect("a denominator above 0")).collect()
}

fn ratios() -> Vec<Ratio<i64>> {
    parts().into_iter().map(|(n, d)| Ratio::new(n, d)).collect()
}

fn bigs() -> Vec<BigRational> {
    parts().into_iter().map(|(n, d)| BigRational::new(BigInt::from(n), BigInt::from(d))).collect()
}

mod sum {
    use super::*;

    #[divan::bench]
    fn number(bencher: Bencher<'_, '_>) {
        let list = numbers();
        bencher.bench(|| black_box(&list).iter().sum::<Number>());
    }

    #[divan::bench]
    fn ratio_i64(bencher: Bencher<'_, '_>) {
        let list = ratios();
        bencher.bench(|| black_box(&list).iter().sum::<Ratio<i64>>());
    }

    #[divan::bench]
    fn big_rational(bencher: Bencher<'_, '_>) {
        let list = bigs();
        bencher.bench(|| black_box(&list).iter().sum::<BigRational>());
    }
}

/// A weighted mean of pairs: two products, two sums and a quotient.
mod weighted {
    use super::*;

    #[divan::bench]
    fn number(bencher: Bencher<'_, '_>) {
        let list = numbers();
        let two = Number::int(2);
        bencher.bench(|| {
            black_box(&list).windows(2).filter_map(|w| (&(&w[0] * &two) + &w[1]).checked_div(&Number::int(3))).max()
        });
    }

    #[divan::bench]
    fn ratio_i64(bencher: Bencher<'_, '_>) {
        let list = ratios();
        let (two, three) = (Ratio::from_integer(2), Ratio::from_integer(3));
        bencher.bench(|| black_box(&list).windows(2).map(|w| (w[0] * two + w[1]) / three).max());
    }

    #[divan::bench]
    fn big_rational(bencher: Bencher<'_, '_>) {
        let list = bigs();
        let (two, three) = (BigRational::from_integer(2.into()), BigRational::from_integer(3.into()));
        bencher.bench(|| black_box(&list).windows(2).map(|w| (&w[0] * &two + &w[1]) / &three).max());
    }
}

mod sort {
    use super::*;

    #[divan::bench]
    fn number(bencher: Bencher<'_, '_>) {
        bencher.with_inputs(numbers).bench_values(|mut list| {
            list.sort();
            list
        });
    }

    #[divan::bench]
    fn ratio_i64(bencher: Bencher<'_, '_>) {
        bencher.with_inputs(ratios).bench_values(|mut list| {
            list.sort();
            list
        });
    }
}

/// Reading and printing, per number of the list.
mod text {
    use super::*;

    #[divan::bench]
    fn read(bencher: Bencher<'_, '_>) {
        let texts: Vec<String> = numbers().iter().map(ToString::to_string).collect();
        bencher.bench(|| black_box(&texts).iter().filter_map(|t| Number::from_decimal(t).ok()).max());
    }

    #[divan::bench]
    fn print(bencher: Bencher<'_, '_>) {
        let list = numbers();
        bencher.bench(|| black_box(&list).iter().map(|n| n.to_string().len()).sum::<usize>());
    }
}

#[divan::bench(args = [3, 30, 300, 3_000])]
fn geometric(bencher: Bencher<'_, '_>, count: usize) {
    let list: Vec<Number> = numbers().into_iter().cycle().take(count).collect();
    bencher.bench(|| geometric_mean(black_box(&list)));
}
