"""Names at wrong rows: the features agree with a hierarchy, or not."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.core.comparisons import Comparisons
from tripletree.core.leaves import LeafIndex

SMALL, LARGE = 4, 20  # samples of a family, families


def families(rng, size=SMALL, number=10, known=40, far=4.0):
    """A table of families, and the hierarchy of some of its samples: families in twos."""
    family = np.repeat(np.arange(number), size)
    twos = rng.normal(size=(number // 2, 5)) * far
    centre = twos[np.arange(number) // 2] + rng.normal(size=(number, 5)) * far / 2
    X = pd.DataFrame(centre[family] + rng.normal(size=(len(family), 5)), index=[f"s{i}" for i in range(len(family))])
    groups = [[f"s{i}" for i in np.flatnonzero(family == k)] for k in range(number)]
    whole = tt.Hierarchy.from_nested([groups[k : k + 2] for k in range(0, number, 2)])
    return X, whole.restrict([f"s{i}" for i in rng.permutation(len(family))[:known].tolist()])


def exchanged(hierarchy, rng):
    names = [hierarchy.leaves[i] for i in rng.permutation(hierarchy.n_leaves).tolist()]
    return tt.Hierarchy(hierarchy.parent, names)


def literal(X, triplets):
    """The share of triplets ab|c whose first two are the nearest two."""
    gap = lambda i, j: float(np.linalg.norm(X.loc[i] - X.loc[j]))  # noqa: E731
    return np.mean([gap(a, b) < min(gap(a, c), gap(b, c)) for a, b, c in triplets])


def test_share__by_its_definition(rng):
    X, h = families(rng, size=3, number=12, known=36, far=1.0)
    hidden = [x for x in X.index[:5] if x in set(h.leaves)]
    h = h.restrict([x for x in h.leaves if x not in hidden])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = DivisiveReCon(4, effort=0).fit(X, hierarchy=h).name_agreement_
    every = tt.algorithms.all_triplets(h)
    drawn = len(every) > 1_000
    labels = [tuple(h.leaves[i] for i in row) for row in every.rows.tolist()]
    assert found.n_names == h.n_leaves
    assert found.n_statements == min(len(every), 1_000)
    assert found.share == pytest.approx(literal(X, labels), abs=0.06 if drawn else 1e-12)
    # each of a trio is as likely to be any of it after an exchange
    assert found.exchanged == pytest.approx(1 / 3, abs=5 * found.deviation / 10)
    shares = [literal(X, [tuple(swap[x] for x in t) for t in labels[::7]]) for swap in _swaps(h, rng)]
    assert found.deviation == pytest.approx(np.std(shares), rel=0.5)


def _swaps(h, rng):
    names = list(h.leaves)
    for _ in range(40):
        yield dict(zip(names, [names[i] for i in rng.permutation(len(names))], strict=True))


@pytest.mark.parametrize("settings", [{}, {"constraints": "soft"}, {"effort": 0}])
def test_right_names__are_not_told_of(rng, settings):
    X, h = families(rng)  # a warning is an error in tests
    found = DivisiveReCon(5, **{"effort": 0.1} | settings).fit(X, hierarchy=h).name_agreement_
    assert found.is_clear
    assert found.share > 0.6


@pytest.mark.parametrize("settings", [{}, {"constraints": "soft"}, {"effort": 0}])
def test_exchanged_names__are_told_of(rng, settings):
    X, h = families(rng, number=20, known=45)
    model, wrong = DivisiveReCon(5, **{"effort": 0.1} | settings), exchanged(h, rng)
    with pytest.warns(UserWarning, match=r"agree with the hierarchy hardly better .* on 45 samples, with names exch"):
        model.fit(X, hierarchy=wrong)
    found = model.name_agreement_
    assert not found.is_clear
    assert abs(found.share - found.exchanged) < 2 * found.deviation
    assert f"{found.share:.1%} of 1,000 triplets" in str(found) or found.n_statements < 1_000


def test_the_cure_that_the_warning_prints(rng):
    """With validate=True its verdict is told in the place of the warning."""
    X, h = families(rng, number=20, known=45)
    wrong = exchanged(h, rng)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = DivisiveReCon(5, effort=0.1).fit(X, hierarchy=wrong, validate=True)
    assert not any("names are exchanged" in str(x.message) for x in caught)
    assert model.validation_.verdict != "helps"
    right = DivisiveReCon(5, effort=0.1).fit(X, hierarchy=h, validate=True)
    assert right.validation_.agrees


def test_divisions_do_not_depend_on_it(rng, monkeypatch):
    X, h = families(rng)
    model = DivisiveReCon(5, effort=0.1).fit(X, hierarchy=h)
    monkeypatch.setattr("tripletree.cluster.divisive.estimator.name_agreement", lambda *_: None)
    other = DivisiveReCon(5, effort=0.1).fit(X, hierarchy=h)
    assert other.name_agreement_ is None
    assert other.hierarchy_ == model.hierarchy_
    assert np.array_equal(other.labels_, model.labels_)


@pytest.mark.parametrize("constraints", ["hard", "soft", "auto"])
def test_triplets__are_looked_at(rng, constraints):
    X, h = families(rng)
    t = tt.sample_triplets(h, 200, random_state=0)
    model = DivisiveReCon(5, constraints=constraints, effort=0)
    assert model.fit(X, triplets=t).name_agreement_.n_statements == 200
    swap = rng.permutation(len(t.leaves))
    wrong = tt.TripletSet(swap[t.rows].astype(np.int32), t.leaves)
    with pytest.warns(UserWarning, match="agree with the triplets hardly better"):
        model.fit(X, triplets=wrong)
    assert model.fit(X, triplets=t.subset(np.arange(200) < 99)).name_agreement_ is None  # too few


def test_distances__as_features(rng):
    X, h = families(rng)
    gap = np.zeros((len(X), len(X)))
    for i, j in combinations(range(len(X)), 2):
        gap[i, j] = gap[j, i] = np.linalg.norm(X.iloc[i] - X.iloc[j])
    table = pd.DataFrame(gap, index=X.index)
    found = DivisiveReCon(5, metric="precomputed").fit(table, hierarchy=h).name_agreement_
    assert found.share == DivisiveReCon(5, effort=0).fit(X, hierarchy=h).name_agreement_.share
    with pytest.warns(UserWarning, match="hardly better"):
        DivisiveReCon(5, metric="precomputed").fit(table, hierarchy=exchanged(h, rng))


def test_little_known__is_not_judged(rng):
    X, h = families(rng, known=29)
    model = DivisiveReCon(5, effort=0).fit(X, hierarchy=exchanged(h, rng))
    assert model.name_agreement_ is None
    assert DivisiveReCon(5).fit(X).name_agreement_ is None
    X, h = families(rng)
    few = tt.sample_triplets(h, 99, random_state=0)
    assert DivisiveReCon(5, constraints="hard", effort=0).fit(X, triplets=few).name_agreement_ is None
    same = pd.DataFrame(np.ones(X.shape), index=X.index)  # distances are all 0
    assert DivisiveReCon(2, effort=0).fit(same, hierarchy=h).name_agreement_ is None


def test_many_names__are_drawn_from(rng):
    X, h = families(rng, size=LARGE, number=20, known=380)
    found = DivisiveReCon(5, effort=0).fit(X, hierarchy=h).name_agreement_
    assert (found.n_names, found.n_statements) == (300, 1_000)
    assert found.is_clear


@pytest.mark.parametrize("kind", ["triplets", "classes", "pairs", "comparisons"])
@pytest.mark.parametrize("estimator", [DivisiveReCon(5, effort=0), ReCon(5)])
def test_each_kind__right_and_exchanged(rng, kind, estimator):
    """Each kind of knowledge is told of at exchanged names, by both estimators that take it, and not at right ones."""
    X, h = families(rng, size=LARGE, number=10, known=200)
    n, swap = len(X), rng.permutation(len(X))
    y = np.repeat(np.arange(10), LARGE)
    rows = tt.sample_triplets(h, 400, random_state=0).reindex(list(X.index)).rows
    ends = rng.integers(0, n, (3_000, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    same = y[ends[:, 0]] == y[ends[:, 1]]
    for order, is_right in ((np.arange(n), True), (swap, False)):
        given = {
            "triplets": lambda at: tt.TripletSet(at[rows].astype(np.int32), n),
            "classes": lambda at: y[np.argsort(at)].tolist(),
            "pairs": lambda at: tt.PairwiseConstraints(at[ends[same]], [], n),
            "comparisons": lambda at: Comparisons([tuple(x) for x in at[rows].tolist()], LeafIndex(n)),
        }[kind](order)
        if kind == "comparisons" and isinstance(estimator, ReCon):
            return  # it takes none
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = estimator.fit(X.to_numpy(), **{kind: given}).name_agreement_
        assert found.kind == kind
        assert found.is_clear == is_right
        assert any(f"agree with the {kind} hardly better" in str(x.message) for x in caught) != is_right


def test_several_kinds__the_least_clear_one_is_told_of(rng):
    X, h = families(rng, number=20, known=60)
    t = tt.sample_triplets(h, 200, random_state=0)
    with pytest.warns(UserWarning, match="agree with the hierarchy hardly better"):
        DivisiveReCon(5, effort=0, constraints="soft").fit(X, triplets=t, hierarchy=exchanged(h, rng))


def test_cannot_links__tell_too_little(rng):
    X, _ = families(rng, size=LARGE)
    pairs = tt.PairwiseConstraints([], [(i, (i + 37) % 200) for i in range(200)], 200)
    assert ReCon(5).fit(X.to_numpy(), pairs=pairs).name_agreement_ is None


def test_name_agreement__few_samples_in_most_statements_tell_nothing(rng):
    """Informative triplets of classes name the first member of each class over and over."""
    y = np.repeat(np.arange(3), 40)
    X = rng.normal(size=(120, 4)) + y[:, None]
    model = ReCon(3).fit(X, triplets=tt.triplets_from_classes(y, samples=np.arange(0, 120, 2)))
    assert model.name_agreement_ is None
