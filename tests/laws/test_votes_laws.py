"""Messages give the marginals that the definition gives, on all small worlds without circles. Votes never fail."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from vote_marginals_oracle import marginals

import tripletree as tt
from tripletree.cluster import DivisiveReCon
from tripletree.cluster.divisive import flat
from tripletree.cluster.votes import ALONE, FlatVotes, Messages, Voted, alone, embedded, nearer_means, voted


def is_forest(n, statements):
    """True if samples and statements make a graph without circles."""
    group = list(range(n))
    for ends in statements:
        if len({group[i] for i in ends}) < len(ends):
            return False
        first = group[ends[0]]
        for old in {group[i] for i in ends}:
            group = [first if g == old else g for g in group]
    return True


def votes_of(pairs, same, rows, weight=None):
    weight = np.ones(len(pairs) + len(rows)) if weight is None else weight
    rows = np.array(rows, np.int64).reshape(-1, 3)
    return FlatVotes(np.array(pairs, np.int64).reshape(-1, 2), np.array(same, bool), rows, weight)


def agree(own, pairs, same, rows, weight, wrong):
    messages = Messages(votes_of(pairs, same, rows, weight), *own.shape)
    messages.wrong = wrong
    messages.send(own, rounds=80)
    return np.allclose(messages.beliefs(own), marginals(own, pairs, same, rows, weight, wrong), atol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_all_forests_of_pairs_on_four_samples(k, rng):
    edges = list(combinations(range(4), 2))
    for size in range(4):
        for pairs in combinations(edges, size):
            if is_forest(4, pairs):
                for same in product([True, False], repeat=size):
                    assert agree(rng.normal(size=(4, k)), pairs, same, [], np.ones(size), [0.1, 0.2])


def test_all_triplets_with_pairs_on_five_samples(rng):
    edges = list(combinations(range(5), 2))
    for row in [(0, 1, 2), (2, 0, 1), (1, 2, 0)]:
        for size in range(3):
            for pairs in combinations(edges, size):
                if is_forest(5, [row, *pairs]):
                    same = rng.random(size) < 0.5
                    assert agree(rng.normal(size=(5, 2)), pairs, same, [row], np.ones(size + 1), [0.2, 0.1])
    assert agree(rng.normal(size=(5, 3)), [], [], [(0, 1, 2), (3, 4, 2)], np.ones(2), [0.1, 0.3])


@pytest.mark.parametrize("k", [2, 3, 9])
def test_messages__have_the_same_bits_in_blocks_of_any_size(k, monkeypatch, rng):
    pairs = np.array([rng.permutation(12)[:2] for _ in range(11)])
    rows = np.array([rng.permutation(12)[:3] for _ in range(23)])
    votes, own, found = votes_of(pairs, rng.random(11) < 0.5, rows, rng.random(34) + 0.5), rng.normal(size=(12, k)), []
    for block in (1, 7 * 6 * k, 10**6):
        monkeypatch.setattr("tripletree.cluster.votes.BLOCK", block)
        messages = Messages(votes, 12, k)
        messages.send(own)
        messages.estimate_wrong(own)
        messages.send(own)
        found.append((messages.beliefs(own).tobytes(), messages.without(own).tobytes()))
    assert len(set(found)) == 1


def test_is_of_classes__by_the_literal_likelihood():
    for chance in (0.1, 0.4, 0.66):
        for two in np.linspace(0, 1, 21):
            classes = max(0.8, chance + 0.05)
            so, not_so = classes**two * (1 - classes) ** (1 - two), chance**two * (1 - chance) ** (1 - two)
            assert Voted(np.zeros(2), two, chance).is_of_classes() == (so > not_so)
    assert Voted(np.zeros(2), float("nan"), 0.4).is_of_classes()


def test_is_of_classes__triplets_left_out_are_guessed_to_be_the_ones_that_fail():
    for left_out in (0, 3, 9):  # of 20, of which 9 have just two together
        guess = Voted(np.zeros(2), 9 / 20, 0.4).is_of_classes(without=left_out / 20)
        assert guess == Voted(np.zeros(2), 9 / (20 - left_out), 0.4).is_of_classes()
    assert Voted(np.zeros(2), 0.1, 0.4).is_of_classes(without=1.0)  # none is left


def votings(monkeypatch, X, k, **known):
    """How often clusters are voted on in a fit."""
    asked = []
    monkeypatch.setattr(flat, "voted", lambda *given: asked.append(given) or voted(*given))
    DivisiveReCon(k, constraints="soft", effort=0).fit(X, **known)
    return len(asked)


def test_nothing_is_voted_on_in_vain(monkeypatch):
    X = np.random.default_rng(0).normal(size=(64, 3)).cumsum(axis=0)
    h = tt.from_linkage(linkage(X, "average"))
    pairs = tt.PairwiseConstraints([(0, 1), (2, 3)], [(0, 9)], 64)
    assert votings(monkeypatch, X, 4, hierarchy=h) == 0
    assert votings(monkeypatch, X, 4, hierarchy=h, triplets=[(0, 1, 9)]) == 0  # some triplets do not vote
    assert votings(monkeypatch, X, 4, hierarchy=h, pairs=pairs) == 1
    # one sample is only the third of triplets, which are of all levels with and without it
    rows = tt.sample_triplets(h, 2000, random_state=0).rows
    odd = np.bincount(rows[:, 2]).argmax()
    rows = rows[(rows[:, :2] != odd).all(axis=1)]
    single = []
    monkeypatch.setattr(flat, "alone", lambda *given: single.append(alone(*given)) or single[0])
    assert votings(monkeypatch, X, 4, triplets=rows) == 1
    assert single[0].sum() == 1


def test_voted_clusters_are_as_many_and_none_is_empty(rng):
    for _ in range(30):
        n, k = int(rng.integers(4, 30)), int(rng.integers(2, 4))
        X = rng.normal(size=(n, 3)) * (rng.random() < 0.8)
        pairs = np.array([rng.permutation(n)[:2] for _ in range(rng.integers(0, 12))]).reshape(-1, 2)
        rows = np.array([rng.permutation(n)[:3] for _ in range(rng.integers(1, 12))])
        votes = votes_of(pairs, rng.random(len(pairs)) < 0.5, rows)
        start = np.append(np.arange(k), rng.integers(0, k, n - k))
        found = voted(X, votes, start, np.random.default_rng(0)).labels
        assert sorted(set(found.tolist())) == list(range(k))
        again = voted(X, votes, start, np.random.default_rng(0)).labels
        np.testing.assert_array_equal(found, again)


def test_pairs_of_exchanged_names_do_not_speak_for_clusters_by_chance():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    X = rng.normal(size=(3, 6))[y] + rng.normal(size=(150, 6))
    rng = np.random.default_rng(0)
    ends = np.stack(np.triu_indices(150, 1), axis=1)
    ends = ends[rng.choice(len(ends), 150, replace=False)]
    same = y[ends[:, 0]] == y[ends[:, 1]]
    ends = rng.permutation(150)[ends]
    told = DivisiveReCon(3, effort=0).fit(X, pairs=tt.PairwiseConstraints(ends[same], ends[~same], 150))
    plain = DivisiveReCon(3).fit(X)
    assert tt.pairwise_f_score(y, told.labels_) > tt.pairwise_f_score(y, plain.labels_) - 0.1


def test_alone__by_the_literal_definition(rng):
    seen = []
    for _ in range(60):
        n, k, m = int(rng.integers(6, 14)), int(rng.integers(2, 4)), int(rng.integers(5, 60))
        labels = np.append(np.arange(k), rng.integers(0, k, n - k))
        rows = np.array([rng.permutation(n)[:3] for _ in range(m)])
        rows = rows[~np.isin(rows[:, :2], rng.permutation(n)[: n // 3]).any(axis=1)]  # a third is tied to nothing
        found = alone(rows, labels)
        trios = [(int(labels[i]), int(labels[j]), int(labels[u])) for i, j, u in product(range(n), repeat=3)]
        for x in range(n):
            cluster = labels[x]
            # triplets ab|c of classes as large as the clusters, drawn with replacement, with one sample of this one
            tied = sum(a == b != c and a == cluster for a, b, c in trios)
            far = sum(a == b != c and c == cluster for a, b, c in trios)
            never = (far / (2 * tied + far)) ** (rows[:, 2] == x).sum()
            expected = x in rows[:, 2] and x not in rows[:, :2] and never < ALONE
            assert found[x] == expected
            seen.append(expected)
    assert 20 < sum(seen) < len(seen) - 20


def test_without_far__triplets_of_single_samples_become_one_pair():
    votes = votes_of([(0, 3)], [False], [(0, 1, 4), (1, 0, 5), (2, 3, 0), (2, 3, 4)], np.array([2.0, 1, 1, 3, 1]))
    less = votes.without_far(np.arange(6) > 3)
    assert less.pairs.tolist() == [[0, 3], [0, 1], [2, 3]]
    assert less.same.tolist() == [False, True, True]
    assert less.rows.tolist() == [[2, 3, 0]]
    assert less.weight.tolist() == [2.0, 1.0, 1.0, 3.0]


def test_nearer_means__no_sample_is_nearer_to_another_mean(rng):
    for _ in range(20):
        X, k = rng.normal(size=(40, 2)), 3
        labels = nearer_means(X, np.append(np.arange(k), rng.integers(0, k, 40 - k)))
        means = np.array([X[labels == c].mean(axis=0) for c in range(k)])
        np.testing.assert_array_equal(((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1), labels)


def test_embedded__keeps_distances(rng):
    X = rng.normal(size=(15, 3))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    Y = embedded(D)
    E = np.sqrt(((Y[:, None] - Y) ** 2).sum(axis=2))
    np.testing.assert_allclose(E / E.max(), D / D.max(), atol=1e-6)
    assert embedded(np.zeros((4, 4))).shape == (4, 1)


@pytest.mark.parametrize("constraints", ["auto", "soft"])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_pairs_that_contradict_each_other_are_no_error(constraints, metric, rng):
    for k in (None, 1, 5):
        X = rng.normal(size=(24, 2))
        X = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) if metric == "precomputed" else X
        i = np.array([rng.permutation(24)[:2] for _ in range(40)])
        chain = [(0, 1), (1, 2)], [(0, 2), (0, 1)]
        for pairs in (chain, (i[:25], i[25:]), (i, []), ([], list(combinations(range(7), 2)))):
            model = DivisiveReCon(k, constraints=constraints, metric=metric, effort=0.1).fit(X, pairs=pairs)
            assert k is None or model.n_clusters_ == k
            assert model.constraints_ == "soft"
    with pytest.raises(tt.errors.InconsistentPairsError):
        DivisiveReCon(2, constraints="hard", metric=metric).fit(X, pairs=chain)
