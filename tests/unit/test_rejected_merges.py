"""Merges that constraints rejected, beside the definition: all pairs at every merge, distances from the samples."""

from itertools import combinations

import numpy as np
import pytest
from recon_oracle import LINKAGES, cluster_distance, compatible_definition, contracted, random_triplets

from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative.rejected_merges import rejected_merges, why_rejected
from tripletree.errors import LimitExceededError


def quiet(model, *args, **kwargs):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*args, **kwargs)


def rejected_merges_definition(model, X):
    """(node, closest pair, its distance, whether one of the two merged had a closer one) where they differ."""
    n, h = len(X), model.hierarchy_
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    members, halves = {i: [i] for i in range(n)}, dict(enumerate(np.eye(n)))
    clusters, found = list(range(n)), []
    for node in range(n, 2 * n - 1):
        made = tuple(np.flatnonzero(h.parent == node).tolist())
        pairs = {
            p: cluster_distance(model.linkage, X, D, members, halves, *p) for p in combinations(sorted(clusters), 2)
        }
        best = min(pairs, key=pairs.get)
        if pairs[best] < pairs[made] * (1 - 1e-9):
            forced = any(d < pairs[made] * (1 - 1e-9) and set(p) & set(made) for p, d in pairs.items())
            found.append((node, best, round(pairs[best], 9), forced))
        members[node] = members[made[0]] + members[made[1]]
        halves[node] = (halves[made[0]] + halves[made[1]]) / 2
        clusters = [x for x in clusters if x not in made] + [node]
    return found


@pytest.mark.parametrize("linkage", LINKAGES)
def test_rejected_merges__definition(linkage):
    some = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 13))
        X = rng.normal(size=(n, 2))
        rows = random_triplets(rng, n, int(rng.integers(1, 2 * n)))
        model = quiet(ReCon(1, linkage=linkage), X, triplets=rows)
        found = rejected_merges(model, X)
        some += len(found)
        ours = [(x.node, x.rejected, round(x.rejected_distance, 9), x.forced) for x in found]
        assert ours == rejected_merges_definition(model, X)
        for x in found:
            assert x.distance == model.distances_[x.node - n]
            assert x.distance > x.rejected_distance
            assert x.reason in ("triplets", "jointly")
            assert (x.reason == "triplets") == (len(x.triplets) > 0)
            one, two = (set(model.hierarchy_.clade(u)) for u in x.rejected)
            for a, b, c in x.triplets:  # each alone is broken by the merge
                assert c in one | two
                assert len({a, b} & (two if c in one else one)) == 1
                assert not {a, b} <= one | two
            if x.delayed is not None:
                assert x.delayed > x.node
                assert sorted(np.flatnonzero(model.hierarchy_.parent == x.delayed)) == sorted(x.rejected)
            else:
                assert not any(
                    sorted(np.flatnonzero(model.hierarchy_.parent == v)) == sorted(x.rejected)
                    for v in range(n, 2 * n - 1)
                )
    assert some > 20


def test_why_rejected__irreducible_and_enough():
    jointly = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 12))
        X = rng.normal(size=(n, 2))
        rows = sorted(set(random_triplets(rng, n, 3 * n)))
        model = quiet(ReCon(1), X, triplets=rows)
        for x in rejected_merges(model, X):
            why = why_rejected(model, *x.rejected, before=x.node)
            assert len(why) > 0
            jointly += x.reason == "jointly"
            live, triplets = state_before(model.hierarchy_, x.node, [tuple(t) for t in why.rows.tolist()])
            assert not compatible_definition(triplets, live, *x.rejected)
            for k in range(len(triplets)):
                fewer = triplets[:k] + triplets[k + 1 :]
                assert compatible_definition(fewer, live, *x.rejected)
            u, v = np.flatnonzero(model.hierarchy_.parent == x.node).tolist()
            assert len(why_rejected(model, u, v, before=x.node)) == 0  # merged clusters were compatible
    assert jointly > 0


def state_before(h, node, triplets):
    """Clusters before a node is made, and the triplets between them, by node numbers."""
    n, live = h.n_leaves, list(range(h.n_leaves))
    for new in range(n, node):
        i, j = np.flatnonzero(h.parent == new).tolist()
        triplets = contracted(triplets, i, j, new)
        live = [x for x in live if x not in (i, j)] + [new]
    return live, triplets


def test_rejected_merges__by_pairs():
    X = np.array([[0.0], [1.0], [1.1], [9.0]])
    model = quiet(ReCon(2), X, pairs=([(0, 3)], [(0, 2)]))
    found = rejected_merges(model, X)
    assert [(x.node, x.rejected, x.reason) for x in found][0] == (4, (1, 2), "must-links first")
    model = quiet(ReCon(2), X, pairs=([], [(1, 2)]))
    first = rejected_merges(model, X)[0]
    assert (first.node, first.rejected, first.reason, first.forced) == (4, (1, 2), "cannot-links", True)
    assert list(first.pairs) == [(1, 2, "cannot")]
    assert len(first.triplets) == 0


def test_rejected_merges__none_without_constraints_or_with_kept_ones():
    X = np.array([[0.0], [1.0], [5.0], [6.5]])
    assert rejected_merges(ReCon(2).fit(X), X) == []
    assert rejected_merges(ReCon(2).fit(X, triplets=[(0, 1, 2)]), X) == []
    assert rejected_merges(ReCon(1).fit(X[:1]), X[:1]) == []


def test_rejected_merges__other_metrics_and_precomputed():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(9, 3))
    rows = random_triplets(rng, 9, 12)
    one = quiet(ReCon(1, linkage="average", metric="cityblock"), X, triplets=rows)
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    two = quiet(ReCon(1, linkage="average", metric="precomputed"), D, triplets=rows)
    ours, same = rejected_merges(one, X), rejected_merges(two, D)
    assert [(x.node, x.rejected) for x in ours] == [(x.node, x.rejected) for x in same] != []


def test_rejected_merges__bad_input(monkeypatch):
    X = np.arange(4.0)[:, None] ** 2
    model = ReCon(2).fit(X, triplets=[(0, 3, 1)])
    with pytest.raises(ValueError, match="X has 3 samples, but the model was fitted on 4"):
        rejected_merges(model, X[:3])
    with pytest.raises(ValueError, match="node 5 is not a cluster before node 5"):
        why_rejected(model, 0, 5, before=5)
    monkeypatch.setattr("tripletree.cluster.agglomerative.rejected_merges.MOST", 3)
    with pytest.raises(LimitExceededError, match="4 samples are too many"):
        rejected_merges(model, X)
    model.n_micro_clusters_ = 5
    with pytest.raises(ValueError, match="fit with micro_clusters=None"):
        rejected_merges(model, X)
