"""Klein, Kamvar, Manning (2002): constrained complete link beside COP-KMeans, under random and asked-for pairs."""

import warnings

import numpy as np

from papers.engine import Cell, seed_of
from papers.figures import curves
from papers.results import Claim, listed, needed, verdict
from papers.sets import load_set, one_hot

TITLE = "Constrained complete link: from instance-level to space-level constraints"
REFERENCE = (
    "Klein, Kamvar, Manning (2002), From Instance-level Constraints to Space-level Constraints: Making the Most of "
    "Prior Knowledge in Data Clustering, Proceedings of the 19th International Conference on Machine Learning, 307-314."
)
SETTINGS = (
    "Accuracy is the constrained Rand index: only pairs of samples that the given constraints leave open count. "
    "Features as they are; soybean by Hamming distance (one column a value for COP-KMeans). The synthetic sets, 200 "
    "samples each, are made after the names of the paper's, whose sizes and proportions are not given; they are drawn "
    "anew for each run. Crabs are classed by species. Rows are shuffled in each run, which decides ties. "
    '`ConstrainedCompleteLink` as it comes, and as in the paper ("violate"); COP-KMeans with 10 starts, '
    'and "greedy": one start, samples in the order of X, as in the paper, but where that is a dead end it goes on.'
)
REAL = ("soybean", "iris", "crabs")
MADE = ("circles", "cell walls", "xor", "storm clouds")
SIZES = (0, 10, 20, 40, 80, 160, 300)
MORE = {"soybean": (600, 1200)}  # 562 samples in 15 classes
RANDOM = {"complete link": None, "must-links only": 1.0, "cannot-links only": 0.0, "half of each": 0.5}
ALL = ("complete link", "complete link, violate", "COP-KMeans", "COP-KMeans, greedy", "complete link, active")
RUNS = {False: 20, True: 2}
MEASURE = "constrained Rand index"


def needs(quick):
    return (*REAL[1:], *MADE) if quick else (*REAL, *MADE)


def cells(quick, runs, names):
    for run in range(runs):
        for name in names:
            for m in (0, 40, 160) if quick else (*SIZES, *MORE.get(name, ())):
                for method in ALL:
                    yield Cell("complete_link", "random", name, method, m, run)
                for method in ("must-links only", "cannot-links only", "half of each"):
                    if m:
                        yield Cell("complete_link", "mixes", name, method, m, run)


def run(cell, seed):
    from tripletree.algorithms.supervision import sample_class_pairs
    from tripletree.cluster import ConstrainedCompleteLink, COPKMeans, labels_oracle
    from tripletree.evaluation.scores import constrained_rand_index, rand_index

    X, y = _samples(cell, seed)
    k, metric = len(set(y.tolist())), "hamming" if cell.set == "soybean" else "euclidean"
    draw = seed_of(seed, cell.paper, cell.set, cell.m, cell.run)
    pairs = sample_class_pairs(y, cell.m, must_share=RANDOM.get(cell.method), random_state=draw)
    more = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # cannot-links violated: it is what the paper does
        if cell.method.startswith("COP-KMeans"):
            samples = one_hot(X) if metric == "hamming" else X
            options = {"n_init": 1, "assignment": "input"} if cell.method.endswith("greedy") else {}
            model = COPKMeans(k, random_state=seed_of(seed, *cell), **options).fit(samples, pairs=pairs)
            more = {"dead end": float(model.n_dead_ends_ > 0)}
        elif cell.method == "complete link, active":
            model = ConstrainedCompleteLink(k, metric=metric, n_queries=cell.m).fit(X, oracle=labels_oracle(y))
            pairs = model.pairs_
        else:
            policy = "violate" if cell.method.endswith("violate") else "avoid"
            model = ConstrainedCompleteLink(k, metric=metric, on_infeasible=policy).fit(X, pairs=pairs)
    accuracy = constrained_rand_index(y, model.labels_, pairs=pairs)
    return [{MEASURE: accuracy, "Rand index": rand_index(y, model.labels_), **more}]


def _samples(cell, seed):
    rng = np.random.default_rng(seed_of(seed, cell.paper, cell.set, cell.run))
    if cell.set in MADE:
        from tripletree import datasets

        return getattr(datasets, f"make_{cell.set.replace(' ', '_')}")(random_state=rng)
    X, y = load_set(cell.set)
    order = rng.permutation(len(y))
    return X[order], y[order]


# ------------------------------------------------------------------ what it says


def _fewer(results, better, worse):
    """By set: constraints that `better` needs for what `worse` has with its most, over what `worse` needs for it."""
    found = {}
    for name in results.sets("random"):
        sizes, low = results.curve("random", name, worse, MEASURE)
        more, high = results.curve("random", name, better, MEASURE)
        if sizes and more:
            first, mine = (needed(m, x, low[-1]) for m, x in ((sizes, low), (more, high)))
            found[name] = np.inf if np.isnan(mine) else mine / first if first else np.nan
    return found


def _shown(found):
    words = {np.inf: "more than all"}
    return ", ".join(
        f"{name} {words.get(r) or ('no gain' if np.isnan(r) else f'{r:.2f}')}" for name, r in found.items()
    )


def _real_and_made(found, most):
    """How many real sets, and made ones, are below a ratio."""
    parts = [[r for name, r in found.items() if name in group and not np.isnan(r)] for group in (REAL, MADE)]
    return "; ".join(
        f"below {most} on {sum(r < most for r in part)} of {len(part)} {kind} sets"
        for kind, part in zip(("real", "made"), parts, strict=True)
        if part
    )


def claims(results):
    found, greedy = (_fewer(results, "complete link", x) for x in ("COP-KMeans", "COP-KMeans, greedy"))
    real = [name for name in found if name in REAL]
    yield Claim(
        "Needs less than half as many constraints as COP-KMeans for the same accuracy",
        'below 0.5, "generally", on real sets',
        f"constraints for what COP-KMeans has with the most, as a part of those it needs: {_shown(found)} "
        f"({_real_and_made(found, 0.5)}); against greedy COP-KMeans: {_shown(greedy)}",
        verdict(sum(found[n] < 0.5 for n in real), len(real)),
        "judged by the real sets: on iris and soybean, whose classes are compact, k-means is the better one without "
        "constraints, and complete link, which gains more from each, has to catch up first; and where the paper's "
        "COP-KMeans fails, even the greedy one goes on here",
    )
    found = _fewer(results, "complete link, active", "complete link")
    yield Claim(
        "Active selection needs far fewer constraints than random ones",
        "far fewer",
        f"answers for what the most random pairs give, as a part of the pairs needed for it: {_shown(found)}",
        verdict(sum(r < 0.5 for r in found.values()), len(found)),
        "where few random pairs are enough already (circles) there is little to win, and the quick form has too few "
        "numbers of constraints to tell",
    )
    yield _overconstrained(results)
    yield _mixes(results)
    yield _violate(results)


def _fall(means):
    """By how much a curve is at most below where it has been."""
    return float(np.max(np.maximum.accumulate(means) - means))


def _overconstrained(results):
    drops, dead = [], []
    for name in results.sets("random"):
        (sizes, a), (_, b) = (results.curve("random", name, x, MEASURE) for x in ("complete link", "COP-KMeans"))
        if a and b:
            drops.append((name, _fall(a), _fall(b)))
            dead.append((name, 100 * results.mean("random", name, "COP-KMeans, greedy", sizes[-1], "dead end")))
    return Claim(
        "More robust than COP-KMeans when over-constrained",
        "COP-KMeans fails, or loses accuracy, with many constraints",
        "largest fall of accuracy when pairs are added, complete link / COP-KMeans: "
        + ", ".join(f"{n} {a:.2f} / {b:.2f}" for n, a, b in drops)
        + "; runs with the most pairs in which the greedy COP-KMeans of the paper is at a dead end: "
        + listed(dead, "{:.0f} %"),
        verdict(sum(a <= b + 0.02 for _, a, b in drops), len(drops)),
        "the COP-KMeans here goes on where the paper's is at a dead end, so many constraints do it no harm; and "
        "complete link hands on wrong merges, too, where classes touch (iris), until more constraints part them",
    )


def _mixes(results):
    rows = []
    for name in results.sets("mixes"):
        none = results.mean("random", name, "complete link", 0, MEASURE)
        kinds = [results.curve("mixes", name, x, MEASURE)[1] for x in ("must-links only", "cannot-links only")]
        if all(kinds) and not np.isnan(none):
            rows.append((name, none, *(means[-1] for means in kinds)))
    return Claim(
        "Mixes of constraint types (the paper shows curves): each type alone is better than none",
        "-",
        "none / the most must-links only / cannot-links only: "
        + ", ".join(f"{n} {' / '.join(f'{x:.2f}' for x in values)}" for n, *values in rows),
        verdict(sum(min(values[1:]) > values[0] for _, *values in rows), len(rows)),
        "must-links alone bring classes that touch nearer to each other, by shortest paths, and nothing parts these",
    )


def _violate(results):
    rows = []
    for name in results.sets("random"):
        ours, listing = (results.curve("random", name, f"complete link{x}", MEASURE)[1] for x in ("", ", violate"))
        rows.append((name, float(np.mean(ours) - np.mean(listing)) if ours and listing else np.nan))
    rows = [row for row in rows if not np.isnan(row[1])]
    return Claim(
        "Refusing merges after which nothing keeps all pairs (the default here) is as good as the paper's listing",
        "-",
        f"mean difference to the paper's listing: {listed(rows, '{:+.3f}')}",
        verdict(sum(d > -0.02 for _, d in rows), len(rows)),
        "a refused merge can keep parts of a class apart to the end",
    )


def draw(results, path):
    panels = []
    for name in results.sets("random"):
        lines = {m: results.curve("random", name, m, MEASURE) for m in ("complete link", "COP-KMeans")}
        lines["complete link, active"] = results.curve("random", name, "complete link, active", MEASURE)
        for method in ("must-links only", "cannot-links only"):
            lines[method] = results.curve("mixes", name, method, MEASURE)
        panels.append((name, lines))
    curves(path, panels, "constraints", MEASURE)
    return "Constrained Rand index over the number of constraints."
