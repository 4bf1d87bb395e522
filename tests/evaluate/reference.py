"""What scipy, scikit-learn, krippendorff and statsmodels say of the data that tests/evaluate/data.rs makes.

Usage: reference.py FOLDER; prints one JSON object, {case: {figure: value}}. `tests/evaluate/golden.json` is its output.
"""

import json
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import krippendorff
import numpy as np
from scipy import stats
from sklearn import metrics
from statsmodels.stats import inter_rater

folder = Path(sys.argv[1])


def lines(name):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def rows(case):
    labels = {line["id"]: line["label"] for line in lines(f"{case}.labels.jsonl")}
    results = lines(f"{case}.results.jsonl")
    tags = [line.get("tags", {}).get("system") for line in results]
    return [line["readouts"]["pointwise"] for line in results], [labels[line["id"]] for line in results], tags


def points(x, y):
    x, y = np.array(x, float), np.array(y, float)
    tenths = [str(v) for v in np.rint(x * 10).astype(int)], [str(v) for v in np.rint(y * 10).astype(int)]
    ix, iy = np.rint(x * 10).astype(int), np.rint(y * 10).astype(int)
    scale = list(range(min(ix.min(), iy.min()), max(ix.max(), iy.max()) + 1))
    return {
        "exact_agreement": metrics.accuracy_score(tenths[1], tenths[0]),
        "within_one": float(np.mean(np.abs(ix - iy) <= 10)),
        "mae": metrics.mean_absolute_error(y, x),
        "rmse": metrics.root_mean_squared_error(y, x),
        "pearson": stats.pearsonr(x, y).statistic,
        "spearman": stats.spearmanr(x, y).statistic,
        "kendall": stats.kendalltau(x, y).statistic,
        "kappa": metrics.cohen_kappa_score(*tenths),
        "kappa_quadratic": metrics.cohen_kappa_score(ix, iy, labels=scale, weights="quadratic"),
    }


def classes(x, y, positive=None):
    x, y = [str(v) for v in x], [str(v) for v in y]
    out = {
        "accuracy": metrics.accuracy_score(y, x),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, x),
        "macro_precision": metrics.precision_score(y, x, average="macro", zero_division=0),
        "macro_recall": metrics.recall_score(y, x, average="macro", zero_division=0),
        "macro_f1": metrics.f1_score(y, x, average="macro", zero_division=0),
        "kappa": metrics.cohen_kappa_score(x, y),
        "phi": metrics.matthews_corrcoef(y, x),
    }
    for name in [positive] if positive else sorted(set(y)):
        for key, of in [("precision", metrics.precision_score), ("recall", metrics.recall_score), ("f1", metrics.f1_score)]:
            if key == "precision" and name not in x:
                continue
            out[f"{key} of {name}"] = of(y, x, labels=[name], average="macro", zero_division=0)
    return out


def raters(case, levels):
    values = defaultdict(dict)
    for line in lines(f"{case}.labels.jsonl"):
        values[line["id"]][line["by"]] = line["label"]
    names = sorted({by for unit in values.values() for by in unit})
    domain = sorted({v for unit in values.values() for v in unit.values()})
    counts = [[list(unit.values()).count(v) for v in domain] for unit in values.values()]
    data = [[unit.get(by, np.nan) if "interval" in levels else unit.get(by, "") for unit in values.values()] for by in names]
    out = {}
    for level in levels:
        if "interval" in levels:
            out[f"alpha_{level}"] = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
        else:
            out[f"alpha_{level}"] = krippendorff.alpha(
                value_counts=counts, value_domain=domain, level_of_measurement=level
            )
    whole = [row for row in counts if sum(row) == len(names)]
    out["fleiss_kappa"] = inter_rater.fleiss_kappa(np.array(whole), method="fleiss")
    return out


def groups(x, y, tags):
    by = defaultdict(list)
    for a, b, tag in zip(x, y, tags):
        by[tag].append((a, b))
    means = np.array([np.mean(group, axis=0) for group in by.values()])
    means = np.round(means, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        within = [stats.spearmanr(*zip(*group)).statistic for group in by.values()]
    defined = [r for r in within if not np.isnan(r)]
    return {
        "within spearman": float(np.mean(defined)),
        "skipped spearman": len(within) - len(defined),
        "between pearson": stats.pearsonr(means[:, 0], means[:, 1]).statistic,
        "between spearman": stats.spearmanr(means[:, 0], means[:, 1]).statistic,
        "between kendall": stats.kendalltau(means[:, 0], means[:, 1]).statistic,
    }


def bootstrap(x, y):
    data = (np.array(x, float), np.array(y, float))
    out = {}
    for key, of in [
        ("mae", lambda a, b: np.mean(np.abs(a - b))),
        ("spearman", lambda a, b: stats.spearmanr(a, b).statistic),
    ]:
        found = stats.bootstrap(
            data, of, paired=True, vectorized=False, n_resamples=4000, method="percentile", rng=np.random.default_rng(1)
        ).confidence_interval
        out[f"low {key}"], out[f"high {key}"] = found.low, found.high
    return out


scale, tenths = rows("scale"), rows("tenths")
truth, words = rows("truth"), rows("words")
print(
    json.dumps(
        {
            "scale": {**points(*scale[:2]), **bootstrap(*scale[:2])},
            "tenths": {**points(*tenths[:2]), **groups(*tenths)},
            "truth": classes(*[["true" if v else "false" for v in column] for column in truth[:2]], positive="true"),
            "words": classes(*words[:2]),
            "raters": raters("raters", ["nominal", "ordinal", "interval"]),
            "wordraters": raters("wordraters", ["nominal"]),
        },
        indent=1,
        default=float,
    )
)
