import numpy as np
import pandas as pd
import pytest
from refusals import Refusal, refusals

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.induce import displays
from tripletree.algorithms.repair import repair
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative import penalty as soft
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError
from tripletree.evaluation.scores import pairwise_f_score

CLASH = [(0, 1, 2), (1, 2, 0), (0, 1, 3), (0, 1, 4)]


@pytest.fixture
def X(rng):
    return rng.normal(size=(6, 2))


# ------------------------------------------------------------------ repair


def test_conflict__raises_unless_told_otherwise(X):
    with pytest.raises(InconsistentTripletsError) as caught:
        ReCon().fit(X, triplets=CLASH)
    assert len(caught.value.conflict) == 2


def test_conflict__repair_drops_and_says_so(X):
    with pytest.warns(UserWarning, match="1 of 4 triplets contradict others and were dropped, see dropped_triplets_"):
        model = ReCon(on_conflict="repair").fit(X, triplets=CLASH)
    done = repair(TripletSet(CLASH, 6), random_state=0)
    assert model.triplets_ == done.kept
    assert model.dropped_triplets_ == done.dropped
    assert model.weight_lost_ == done.weight_lost == 1
    assert model.n_triplets_ == 3
    assert displays(model.hierarchy_, model.triplets_).all()
    assert len(model.violated_triplets_) == model.weight_violated_ == 0
    assert model.penalty_ is None
    assert ReCon().fit(X, triplets=done.kept).hierarchy_ == model.hierarchy_


def test_conflict__weights_decide(X):
    t = TripletSet(CLASH, 6, [1.0, 9.5, 1.0, 1.0])
    with pytest.warns(UserWarning, match=r"1 of 4 triplets, of weight 1 of 12.5, contradict"):
        model = ReCon(on_conflict="repair").fit(X, triplets=t)
    assert list(model.dropped_triplets_) == [(0, 1, 2)]
    assert model.weight_lost_ == 1.0


def test_conflict__consistent_triplets_are_left_alone(X):
    plain = ReCon().fit(X, triplets=CLASH[1:])
    model = ReCon(on_conflict="repair").fit(X, triplets=CLASH[1:])
    assert model.hierarchy_ == plain.hierarchy_
    assert len(model.dropped_triplets_) == model.weight_lost_ == 0
    assert plain.triplets_ == model.triplets_ == TripletSet(CLASH[1:], 6)
    assert len(plain.dropped_triplets_) == len(plain.violated_triplets_) == 0


def test_conflict__labels_of_a_frame_stay(X):
    frame = pd.DataFrame(X, index=list("abcdef"))
    with pytest.warns(UserWarning, match="dropped"):
        model = ReCon(on_conflict="repair").fit(frame, triplets=[("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d")])
    assert list(model.dropped_triplets_) in ([("b", "c", "a")], [("a", "b", "c")])


def test_conflict__without_triplets_there_is_nothing_to_drop(X):
    model = ReCon(on_conflict="repair").fit(X)
    assert len(model.triplets_) == len(model.dropped_triplets_) == 0


def test_conflict__before_a_penalty(X):
    with pytest.warns(UserWarning, match="dropped"):
        model = ReCon(on_conflict="repair", penalty=0.3).fit(X, triplets=CLASH)
    assert len(model.triplets_) == 3
    assert model.hierarchy_ == ReCon(penalty=0.3).fit(X, triplets=model.triplets_).hierarchy_


# ------------------------------------------------------------------ penalty


def noisy_groups(seed, share):
    """Two groups that distances alone do not part, and triplets of which a share is flipped."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 4)) + 3.0 * y[:, None] * [1, 0, 0, 0]
    rows = sample_class_triplets(y, 120, random_state=seed).rows.copy()
    pick = rng.permutation(120)[: int(share * 120)]
    rows[pick] = rows[pick][:, [0, 2, 1]]
    return X, y, TripletSet(rows, 60)


def test_penalty__wrong_triplets_cost_little():
    scores = []
    for seed in range(4):
        row = []
        for share in (0, 0.1):
            X, y, t = noisy_groups(seed, share)
            model = ReCon(2, penalty="auto").fit(X, triplets=t)
            row.append(pairwise_f_score(y, model.labels_))
            assert len(model.violated_triplets_) < 0.3 * len(t)
        row.append(pairwise_f_score(y, ReCon(2).fit_predict(X)))
        scores.append(row)
    clean, noisy, none = np.mean(scores, axis=0)
    assert clean > 0.9
    assert noisy > clean - 0.08
    assert noisy > none


def test_penalty__by_hand():
    # 12|0 is satisfied by 1 and 2, at 4: exp(-0.7) of that is less than 1, the distance of 0 and 1, times exp(0.7)
    X = [[0.0], [1.0], [5.0]]
    model = ReCon(2, penalty=0.7).fit(X, triplets=[(1, 2, 0)])
    assert model.distances_.tolist() == [4.0, 3.0]
    assert len(model.violated_triplets_) == 0
    model = ReCon(2, penalty=0.69).fit(X, triplets=[(1, 2, 0)])
    assert model.distances_.tolist() == [1.0, 4.5]
    assert list(model.violated_triplets_) == [(1, 2, 0)]
    assert model.weight_violated_ == 1
    assert (model.n_tests_, model.n_rejections_) == (0, 0)


def test_penalty__auto_is_for_a_triplet_of_mean_weight(X):
    t = TripletSet(CLASH, 6)
    plain = ReCon(penalty="auto").fit(X, triplets=t)
    assert plain.penalty_ == soft.AUTO_PENALTY
    for weight in (0.01, 64.0):
        model = ReCon(penalty="auto").fit(X, triplets=TripletSet(CLASH, 6, [weight] * 4))
        assert model.penalty_ == pytest.approx(soft.AUTO_PENALTY / weight)
        assert model.hierarchy_ == plain.hierarchy_
        assert model.weight_violated_ == pytest.approx(weight * plain.weight_violated_)


def test_penalty__a_vote_of_a_third_outweighs_one(X):
    X = [[0.0], [1.0], [2.1]]
    for weights, pair in (([3.0, 1.0], [0, 1]), ([1.0, 3.0], [1, 2])):
        t = TripletSet([(0, 1, 2), (1, 2, 0)], 3, weights)
        assert ReCon(penalty=1.0).fit(X, triplets=t).hierarchy_.clade(3) == pair


@pytest.mark.parametrize("rule", ["support", "size", "merge_order", "height", "constraints"])
def test_penalty__every_cut_takes_contradictory_triplets(rule):
    X, _, t = noisy_groups(0, 0.3)
    t = t | TripletSet([(0, 1, 2), (1, 2, 0)], 60)
    assert not is_consistent(t)
    assert ReCon(3, penalty="auto", cut=rule).fit(X, triplets=t).n_clusters_ == 3


def test_penalty__identical_samples_merge_first():
    X = [[0.0], [0.0], [1.0]]
    assert ReCon(penalty=100.0).fit(X, triplets=[(0, 2, 1)]).distances_.tolist() == [0.0, 1.0]


def test_penalty__float32_agrees(rng):
    X, _, t = noisy_groups(1, 0.1)
    narrow = ReCon(linkage="average", penalty="auto", dtype="float32").fit(X, triplets=t)
    wide = ReCon(linkage="average", penalty="auto").fit(X, triplets=t)
    np.testing.assert_allclose(narrow.distances_, wide.distances_, rtol=1e-5)
    assert narrow.hierarchy_ == wide.hierarchy_


def test_penalty__metrics_and_distances(X):
    near = np.abs(X[:, None] - X).sum(axis=2)
    one = ReCon(linkage="complete", metric="cityblock", penalty=0.5).fit(X, triplets=CLASH)
    other = ReCon(linkage="complete", metric="precomputed", penalty=0.5).fit(near, triplets=CLASH)
    assert one.hierarchy_ == other.hierarchy_
    assert one.predict(X).shape == (6,)


def test_penalty__one_sample():
    assert ReCon(1, penalty="auto").fit([[1.0]]).labels_.tolist() == [0]


def test_penalty__shows_a_bar(X, capsys):
    ReCon(penalty="auto", verbose=True).fit(X, triplets=CLASH)
    assert "5/5" in capsys.readouterr().err


@pytest.mark.parametrize("weight", [5e-324, 1e-310, 1e-300, 1e300, 4e307])
@pytest.mark.parametrize("linkage", ["average", "ward", "centroid"])
def test_penalty__weights_of_any_size_are_the_same(weight, linkage):
    rows, X = [(0, 1, 2), (1, 2, 0), (0, 1, 3), (2, 3, 1)], np.arange(4.0)[:, None]
    plain = ReCon(2, linkage=linkage, penalty="auto").fit(X, triplets=TripletSet(rows, 4))
    heavy = ReCon(2, linkage=linkage, penalty="auto").fit(X, triplets=TripletSet(rows, 4, [weight] * 4))
    assert np.array_equal(plain.linkage_, heavy.linkage_)


test_recon_noise__refused = refusals(
    "penalty: bad values",
    Refusal(
        lambda penalty, X: ReCon(penalty=penalty).fit(X), ValueError, "penalty", each=[-0.1, "strong", np.nan, np.inf]
    ),
    "penalty: does not go with micro clusters",
    Refusal(
        lambda X: ReCon(penalty=0.1, micro_clusters=3).fit(X), ValueError, "micro_clusters=3 cannot go with a penalty"
    ),
    "penalty: is no boolean",
    Refusal(lambda: ReCon(penalty=True).fit(np.arange(4.0)[:, None]), ValueError, "penalty"),
)
