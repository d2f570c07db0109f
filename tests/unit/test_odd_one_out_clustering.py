"""OddOneOutClustering: the walk against a literal chain, answers that hold, undo, names, and bad input."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from examples import yule
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError

import tripletree as tt
from tripletree.algorithms.induce import displayed, displays
from tripletree.cluster import OddOneOutClustering
from tripletree.cluster.odd_one_out import clustering, neighbours, tree, tree_beliefs
from tripletree.cluster.odd_one_out.neighbours import neighbour_graph
from tripletree.cluster.odd_one_out.walk import ANYWHERE, LIFE, AbsorbingWalk
from tripletree.core.answers import Answer
from tripletree.core.leaves import LeafIndex
from tripletree.errors import DuplicateLeafError, InvalidAnswerError, LimitExceededError, UnknownLeafError
from tripletree.io import append_answer, append_undo, read_answers


def person(y, names=None):
    """Answers by known classes."""
    kind = dict(zip(range(len(y)) if names is None else names, y, strict=True))

    def ask(*shown):
        x = [kind[i] for i in shown]
        if len(set(x)) == 1:
            return "alike"
        if len(set(x)) == len(x):
            return "different"
        return next(i for i, c in zip(shown, x, strict=True) if x.count(c) == 1)

    return ask


@pytest.fixture(scope="module")
def blobs():
    return make_blobs([12, 15, 20, 9], centers=None, cluster_std=1.3, random_state=5)


# ---------------------------------------------------------------------- the walk


def chain(graph, absorbing):
    """The end of the walk: a chain of steps in which answered samples are absorbing states, and death is another."""
    r = graph.sample.size
    W = graph.weights.toarray()
    W = W + ANYWHERE * W.sum() / r / r
    P = LIFE * W / W.sum(axis=1, keepdims=True)
    P[absorbing] = 0
    P[absorbing, absorbing] = 1
    reached = np.eye(r)
    for _ in range(12):  # 2^12 steps
        P = P @ P
    return (reached @ P)[:, absorbing]


def test_walk__ends_as_a_literal_chain_does(blobs):
    X, _ = blobs
    graph = neighbour_graph(X, 10, np.random.default_rng(0))
    walk = AbsorbingWalk(graph)
    nodes = np.array([3, 17, 40, 8])
    at = walk.absorbed_at(nodes)
    expected = chain(graph, nodes)
    np.testing.assert_allclose(at.hits, expected, atol=1e-3)
    # reach: how many would come to a node if it absorbed, too
    for x in (0, 25):
        np.testing.assert_allclose(at.reach[x], chain(graph, np.append(nodes, x))[:, -1].sum(), rtol=1e-3)
    # without some of them
    rest = at.without(np.array([1, 2]))
    np.testing.assert_allclose(rest[:, [0, 3]], chain(graph, nodes[[0, 3]])[nodes[[1, 2]]], atol=1e-3)
    assert (rest[:, [1, 2]] == 0).all()


def test_walk__passes_between_samples(blobs):
    X, _ = blobs
    graph = neighbour_graph(X, 10, np.random.default_rng(0))
    at = AbsorbingWalk(graph).absorbed_at(np.array([3, 17]))
    others = np.array([1, 30, 50])
    found = at.bonds(0, others)
    for y, bond in zip(others, found, strict=True):
        one = chain(graph, np.array([3, 17, y]))[0, 2]
        other = chain(graph, np.array([3, 17, 0]))[y, 2]
        assert bond == pytest.approx(max(one, other), abs=1e-3)


def test_walk__centres_are_found_one_after_the_other(blobs):
    X, _ = blobs
    walk = AbsorbingWalk(neighbour_graph(X, 10, np.random.default_rng(0)))
    nodes = [3, 17]
    where = np.ones(len(X), bool)
    where[5:10] = False
    found, hits = walk.absorbed_at(np.array(nodes)).centres(where, 0.4)
    assert found.size > 1
    for x in found:
        reach = np.where(where, walk.absorbed_at(np.array(nodes)).reach, 0)
        assert reach[x] == pytest.approx(reach.max())
        nodes.append(int(x))
    np.testing.assert_allclose(hits, walk.absorbed_at(np.array(nodes)).hits[:, 2:], atol=1e-3)


def test_graph__equal_samples_are_one_node():
    X = np.repeat([[0.0], [1.0], [3.0]], [4, 1, 2], axis=0)
    graph = neighbour_graph(X, 10, np.random.default_rng(0))
    assert graph.sample.tolist() == [0, 4, 5]
    assert graph.node.tolist() == [0, 0, 0, 0, 1, 2, 2]
    assert graph.mass.tolist() == [4, 1, 2]
    assert (graph.weights.toarray() == graph.weights.toarray().T).all()


# ---------------------------------------------------------------------- clusters


def test_clusters__a_few_questions_find_the_classes(blobs):
    X, y = blobs
    model = OddOneOutClustering(40, random_state=0).fit(X, oracle=person(y))
    assert tt.pairwise_f_score(y, model.labels_) > 0.95
    assert model.n_clusters_ == 4
    assert model.labels_.shape == model.uncertainty_.shape == y.shape
    assert model.cluster_uncertainty_.shape == (4,)
    assert ((model.uncertainty_ >= 0) & (model.uncertainty_ <= 1)).all()
    assert displays(model.hierarchy_, model.answers_.triplets()).all()
    for c in range(4):  # the clusters are clades
        inside = np.flatnonzero(model.labels_ == c).tolist()
        assert sorted(model.hierarchy_.clade(model.hierarchy_.common_ancestor(inside))) == inside
    assert len(model.doubted_answers_) == 0


def careless(right, wrong, seed):
    """A person who gives any other reply now and then."""
    rng = np.random.default_rng(seed)

    def ask(*shown):
        said = right(*shown)
        if rng.random() < wrong:
            said = [x for x in (*shown, "alike", "different") if x != said][rng.integers(4)]
        return said

    return ask


@pytest.mark.parametrize("seed", [0, 1])
def test_clusters__wrong_answers_are_outvoted(seed):
    X, y = load_iris(return_X_y=True)
    model = OddOneOutClustering(60).fit(X, oracle=careless(person(y), 0.1, seed))
    assert tt.pairwise_f_score(y, model.labels_) > 0.95
    assert model.noise_ > 0.03


def test_clusters__pairs_do_too(blobs):
    X, y = blobs
    model = OddOneOutClustering(60, questions="pairs").fit(X, oracle=lambda a, b: bool(y[a] == y[b]))
    assert tt.pairwise_f_score(y, model.labels_) > 0.9
    assert all(len(x.items) == 2 for x in model.answers_)


def test_clusters__the_same_each_time(blobs):
    X, y = blobs
    one, other = (OddOneOutClustering(15).fit(X, oracle=person(y)) for _ in range(2))
    assert one.answers_ == other.answers_
    assert one.labels_.tolist() == other.labels_.tolist()
    again = OddOneOutClustering(0).fit(X, answers=one.answers_)
    assert again.labels_.tolist() == one.labels_.tolist()
    assert again.next_question() == one.next_question()


def test_hierarchy__of_many_samples(blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr(neighbours, "MOST_NODES", 25)
    monkeypatch.setattr(tree, "MOST_MERGED", 30)
    model = OddOneOutClustering(25, target="groups").fit(X, oracle=person(y))
    h = model.hierarchy_
    assert len(h.leaves) == len(X)
    assert h.n_nodes < 2 * len(X) - 1
    assert displays(h, model.answers_.triplets()).all()
    for c in range(model.n_clusters_):
        inside = np.flatnonzero(model.labels_ == c).tolist()
        assert sorted(h.clade(h.common_ancestor(inside))) == inside


def test_clusters__of_many_samples(blobs):
    X, y = make_blobs(6_000, centers=5, cluster_std=0.8, random_state=1)
    model = OddOneOutClustering(40).fit(X, oracle=person(y))
    assert tt.pairwise_f_score(y, model.labels_) > 0.95
    odd = next(i for i in range(6_000) if i not in set(model._graph.sample.tolist()))
    other = next(i for i in range(6_000) if y[i] != y[odd])
    third = next(i for i in range(6_000) if y[i] == y[other] and i != other)
    model.answer(odd, (odd, other, third))  # of a sample that is no node
    assert model.labels_[other] == model.labels_[third] != model.labels_[odd]


# ---------------------------------------------------------------------- people who answer by a tree


def grown(features, noise):
    """Traits that went along a random tree of 40 leaves, with noise, and the tree."""
    rng = np.random.default_rng(3)
    truth = yule(40, rng).reindex(LeafIndex(40))
    traits = np.zeros((79, features))
    for u in range(77, -1, -1):
        traits[u] = traits[truth.parent[u]] + rng.normal(size=features)
    return traits[:40] + rng.normal(0, noise, (40, features)), truth


@pytest.fixture(scope="module")
def world():
    return grown(features=4, noise=1)


@pytest.fixture(scope="module")
def few(world):
    """Sixteen of them, where the number does not matter: an answer costs half as much, and few are needed."""
    return world[0][:16], world[1].restrict(range(16))


def expert(truth):
    def ask(*trio):
        rows = np.array(trio, np.int32)[[(1, 2, 0), (0, 2, 1), (0, 1, 2)]]
        return trio[int(displayed(truth, rows).argmax())]

    return ask


@pytest.mark.slow
def test_tree__questions_beat_random_ones(world):
    X, truth = world
    ask, test = expert(truth), tt.sample_triplets(truth, 2_000, random_state=0)
    model = OddOneOutClustering(80).fit(X, oracle=ask)
    assert model.by_tree_
    share = displays(model.hierarchy_, test).mean()
    rng = np.random.default_rng(0)
    trios = [tuple(rng.choice(40, 3, replace=False).tolist()) for _ in range(80)]
    other = OddOneOutClustering(target="hierarchy").start(X, answers=[Answer(t, "odd", ask(*t)) for t in trios])
    plain = displays(tt.cluster.DivisiveReCon().fit(X).hierarchy_, test).mean()
    assert share > 0.95
    assert share > displays(other.hierarchy_, test).mean() + 0.03 > plain + 0.05
    assert model.noise_ < 0.1
    assert len(model.doubted_answers_) <= 2
    assert model.clade_support_.shape == (39,)
    assert model.uncertainty_.shape == (40,)


def test_tree__no_trio_is_asked_twice_and_it_ends_when_all_is_settled(world):
    X, truth = world[0][:10], world[1].restrict(range(10))
    model = OddOneOutClustering(120, target="hierarchy").fit(X, oracle=expert(truth))
    shown = [frozenset(x.items) for x in model.answers_]
    assert len(set(shown)) == len(shown) < 120  # as many as there are
    assert model.next_question() is None
    assert displays(model.hierarchy_, tt.decompose(truth)).mean() > 0.95


def test_tree__without_features(few):
    _, truth = few
    names = [f"s{i}" for i in range(16)]
    ask = expert(truth)
    by_name = lambda *trio: f"s{ask(*(int(x[1:]) for x in trio))}"  # noqa: E731
    model = OddOneOutClustering(40).fit(None, oracle=by_name, sample_names=names)
    test = tt.TripletSet(tt.sample_triplets(truth, 500, random_state=0).rows, names)
    assert displays(model.hierarchy_, test).mean() > 0.85
    assert model.labels_.shape == (16,)
    with pytest.raises(ValueError, match="nothing to predict from"):
        model.predict([[0.0]])
    with pytest.raises(ValueError, match="sample_names must name"):
        OddOneOutClustering().start(None)
    with pytest.raises(ValueError, match="questions are about a tree"):
        OddOneOutClustering(target="groups").start(None, sample_names=names)
    with pytest.raises(ValueError, match="has 1 name; without X at least 3"):
        OddOneOutClustering().start(None, sample_names=["a"])
    with pytest.raises(TypeError, match="a list with a name for each sample, not str"):
        OddOneOutClustering().start(None, sample_names="abc")


def test_tree__distances_and_cosine(few):
    X, truth = few
    test = tt.sample_triplets(truth, 500, random_state=0)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    of = OddOneOutClustering(20, metric="precomputed").fit(distances, oracle=expert(truth))
    assert displays(of.hierarchy_, test).mean() > 0.9
    assert of.predict(distances).tolist() == of.labels_.tolist()
    turned = OddOneOutClustering(6, metric="cosine").fit(X * np.arange(1, 17)[:, None], oracle=expert(truth))
    straight = OddOneOutClustering(6, metric="cosine").fit(X, oracle=expert(truth))
    assert turned.answers_ == straight.answers_


def test_tree__same_seed_same_tree_and_looking_changes_nothing(few):
    X, truth = few
    one, other = (OddOneOutClustering(target="hierarchy").start(X) for _ in range(2))
    ask = expert(truth)
    for _ in range(6):
        question = one.next_question()
        assert other.next_question() == question
        one.answer(ask(*question))
        other.answer(ask(*question))
        assert one.hierarchy_.parent.tolist() == one.defer_hierarchy()().parent.tolist()
    assert one.hierarchy_.parent.tolist() == other.hierarchy_.parent.tolist()
    again = pickle.loads(pickle.dumps(one))
    assert again.next_question() == other.next_question()


def test_tree__auto_goes_by_the_answers(world, blobs):
    X, truth = world
    model = OddOneOutClustering(15).fit(X, oracle=expert(truth))
    assert model.by_tree_
    first = len(model.answers_)
    while model.by_tree_:
        model.undo()
    assert len(model.answers_) < 5 <= first
    X, y = blobs
    model = OddOneOutClustering(20).fit(X, oracle=person(y))
    assert not model.by_tree_
    assert model.clade_support_ is None


@pytest.mark.slow
def test_tree__answers_at_chance_do_bounded_harm():
    X, truth = grown(features=8, noise=0.3)
    test, changes = tt.sample_triplets(truth, 2_000, random_state=0), []
    for seed, target in enumerate(["auto", "hierarchy", "auto"], 4):
        model, rng = OddOneOutClustering(target=target).start(X), np.random.default_rng(seed)
        plain = displays(model.hierarchy_, test).mean()
        for _ in range(80):
            question = model.next_question()
            model.answer(question[rng.integers(3)], question)
        assert model.by_tree_
        assert len(model.doubted_answers_) > 20
        changes.append(displays(model.hierarchy_, test).mean() - plain)
    assert np.mean(changes) > -0.25  # of single runs -.34 to .03


def went_on(model, ask, steps):
    """Answer some more questions. Returns them, and the results of the model afterwards."""
    said = []
    for _ in range(steps):
        question = model.next_question()
        model.answer(ask(*question), question)
        said.append(question)
    return said, model.trust_, model.noise_, model.hierarchy_


def test_tree__undo_goes_back_to_where_it_was(few):
    X, truth = few
    ask = expert(truth)
    model, other = (OddOneOutClustering(target="hierarchy").start(X) for _ in range(2))
    assert went_on(model, ask, 5) == went_on(other, ask, 5)
    questions = [model.next_question()]
    for _ in range(3):
        model.answer(questions[-1][0], questions[-1])
        questions.append(model.next_question())
    for question in questions[-2::-1]:
        assert model.undo().items == question == model.next_question()
    assert went_on(model, ask, 5) == went_on(other, ask, 5)


def test_tree__undo_of_many_answers(few, monkeypatch):
    X, truth = few
    monkeypatch.setattr(clustering, "KEPT_TREES", 2)
    model = OddOneOutClustering(target="hierarchy").start(X)
    went_on(model, expert(truth), 6)
    left = [model.undo() for _ in range(4)] and list(model.answers_)
    fresh = OddOneOutClustering(target="hierarchy").start(X, answers=left)
    fresh._open = dict(model._open)
    assert went_on(model, expert(truth), 3) == went_on(fresh, expert(truth), 3)


def test_tree__an_answer_that_was_interrupted_was_not_heard(few, monkeypatch):
    X, truth = few
    ask = expert(truth)
    model, other = (OddOneOutClustering(target="hierarchy").start(X) for _ in range(2))
    assert went_on(model, ask, 3) == went_on(other, ask, 3)
    question = model.next_question()
    with monkeypatch.context() as patch:
        patch.setattr(tree_beliefs, "_walked", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.answer(question[0], question)
    assert len(model.answers_) == 3
    assert went_on(model, ask, 4) == went_on(other, ask, 4)


def test_steps__an_undo_that_was_interrupted_loses_no_answer(monkeypatch):
    model = OddOneOutClustering(target="groups").start([[0.0], [0.2], [5.0], [5.1], [9.0]])
    model.answer("different", (0, 2, 4), who="anna").answer(2, (0, 1, 2), who="ben").answer(4, (2, 3, 4), who="ben")
    said, labels, noise = model.answers_, model.labels_.tolist(), model.noise_
    with monkeypatch.context() as patch:
        patch.setattr(model, "_hear", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.undo("anna")
    assert (model.answers_, model.labels_.tolist(), model.noise_) == (said, labels, noise)
    assert [model.undo(who).who for who in ("ben", "ben", "anna")] == ["ben", "ben", "anna"]


def test_steps__an_undo_takes_back_what_a_file_takes_back(tmp_path):
    said = [((0, 1, 2), None), ((1, 2, 3), "anna"), ((0, 2, 3), None), ((0, 1, 3), "ben")]
    model, path = OddOneOutClustering().start([[0.0], [0.2], [5.0], [5.1]]), tmp_path / "answers.jsonl"
    for items, who in said:
        model.answer("different", items, who=who)
        append_answer(path, Answer(items, "different", who=who))
    for who in (None, "ben", None):
        model.undo(who)
        append_undo(path, who)
        assert model.answers_ == read_answers(path, leaves=range(4))
    with pytest.raises(LookupError, match=r"without a name; the last one is taken back by undo\('anna'\)"):
        model.undo()


def test_steps__an_answer_interrupted_when_the_groups_have_it_was_not_heard(monkeypatch):
    model, other = (OddOneOutClustering().start([[0.0], [0.2], [5.0], [5.1], [9.0]]) for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(model, "_lead_of_trees", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.answer("different", (0, 2, 4))
    assert (len(model.answers_), model.noise_) == (0, other.noise_)
    assert model.next_question() == other.next_question()


def test_steps__a_shallow_copy_goes_on_by_itself():
    model = OddOneOutClustering().start([[0.0], [0.2], [5.0], [5.1], [9.0]]).answer("different", (0, 2, 4))
    labels = model.labels_.tolist()
    copy.copy(model).answer(2, (0, 1, 2)).undo()
    copy.copy(model).undo()
    assert (len(model.answers_), model.labels_.tolist()) == (1, labels)
    assert model.undo().kind == "different"


def test_tree__answers_that_help_are_trusted(world):
    X, truth = world
    model = OddOneOutClustering(20).fit(X, oracle=expert(truth))
    assert model.trust_ > 0.85
    assert OddOneOutClustering(target="groups").start(X).trust_ == 1
    assert OddOneOutClustering(5).fit(None, oracle=expert(truth), sample_names=range(40)).trust_ == 1


def test_tree__two_people_are_asked_about_different_samples(world):
    X, _ = world
    model = OddOneOutClustering(target="hierarchy").start(X)
    one, other = model.next_question("anna"), model.next_question("ben")
    assert not set(one) & set(other)


def test_tree__of_many_samples(world, monkeypatch):
    X, truth = world
    monkeypatch.setattr(clustering, "MOST_LEAVES", 25)
    model = OddOneOutClustering(30, target="hierarchy").fit(X, oracle=expert(truth))
    test = tt.sample_triplets(truth, 2_000, random_state=0)
    assert model.hierarchy_.n_leaves == 40
    assert model.clade_support_.size == model.hierarchy_.n_nodes - 40
    assert displays(model.hierarchy_, test).mean() > 0.5
    assert model.labels_.shape == model.uncertainty_.shape == (40,)


def test_tree__pairs_are_about_groups(world):
    with pytest.raises(ValueError, match="pairs tell nothing about a tree"):
        OddOneOutClustering(target="hierarchy", questions="pairs").start(world[0])


# ---------------------------------------------------------------------- step by step


def test_steps__undo_is_as_if_never_said(blobs):
    X, y = blobs
    ask, rng = person(y), np.random.default_rng(0)
    model = OddOneOutClustering().start(X)
    for k in range(12):
        question = model.next_question()
        said = ask(*question) if rng.random() > 0.1 else question[0]
        model.answer(said, who="anna" if k % 3 else "ben", question=question)
    for who in ("ben", "anna", "ben"):
        before = list(model.answers_)
        gone = model.undo(who)
        left = list(model.answers_)
        last = max(k for k, x in enumerate(before) if x.who == who)
        assert gone == before[last]
        assert left == before[:last] + before[last + 1 :]
        fresh = OddOneOutClustering().start(X, answers=left)
        assert fresh.labels_.tolist() == model.labels_.tolist()
        np.testing.assert_allclose(fresh.uncertainty_, model.uncertainty_)
        assert model.next_question(gone.who) == gone.items


def test_steps__the_question_stays_until_it_is_answered(blobs):
    X, y = blobs
    model = OddOneOutClustering().start(X)
    one, other = model.next_question(who="anna"), model.next_question(who="ben")
    assert set(one) != set(other)
    assert model.next_question(who="anna") == one
    model.answer(person(y)(*other), who="ben")
    assert model.next_question(who="anna") == one
    model.answer(person(y)(*one), who="anna")
    assert [(x.items, x.who) for x in model.answers_] == [(other, "ben"), (one, "anna")]


def test_steps__unsure_is_kept_and_asks_something_else(blobs):
    X, _ = blobs
    model = OddOneOutClustering().start(X)
    seen = set()
    for _ in range(8):
        question = frozenset(model.next_question())
        assert question not in seen
        seen.add(question)
        model.answer(None)
    assert [x.kind for x in model.answers_] == ["unsure"] * 8
    assert (model.uncertainty_ == 1).all()


def test_steps__names(blobs):
    X, y = blobs
    names = [f"s{i}" for i in range(len(X))]
    by_index = OddOneOutClustering(10).fit(pd.DataFrame(X, index=names), oracle=person(y, names))
    by_name = OddOneOutClustering(10).fit(X, oracle=person(y, names), sample_names=names)
    by_row = OddOneOutClustering(10).fit(X, oracle=person(y))
    assert by_index.answers_ == by_name.answers_
    assert by_name.labels_.tolist() == by_row.labels_.tolist()
    assert set(by_name.hierarchy_.leaves) == set(names)
    assert [x.items for x in by_name.answers_] == [tuple(names[i] for i in x.items) for x in by_row.answers_]


def test_steps__any_question_may_be_answered(blobs):
    X, y = blobs
    model = OddOneOutClustering().start(X)
    same = np.flatnonzero(y == y[0])[:2].tolist()
    other = int(np.flatnonzero(y != y[0])[0])
    model.answer(other, (*same, other), who="anna", when="2026-11-22T21:04:11Z")
    model.answer(True, same)
    model.answer(False, (same[0], other))
    model.answer(Answer((*same, other), "unsure"))
    assert model.labels_[same[0]] == model.labels_[same[1]] != model.labels_[other]
    assert model.answers_[0] == Answer((*same, other), "odd", other, "anna", "2026-11-22T21:04:11Z")


# ---------------------------------------------------------------------- scikit-learn, bad input


def test_scikit_learn__clone_pickle_predict(blobs):
    X, y = blobs
    model = OddOneOutClustering(20, noise=0.05).fit(X, oracle=person(y))
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    assert again.next_question() == model.next_question()
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert model.predict(X + 1e-3).shape == y.shape
    with pytest.raises(NotFittedError):
        OddOneOutClustering().next_question()
    assert not hasattr(OddOneOutClustering(), "labels_")


@pytest.mark.parametrize("reply", ["none of them", 99, True, 1.5, ["alike"], "odd"])
def test_input__replies(blobs, reply):
    X, _ = blobs
    model = OddOneOutClustering().start(X)
    model.answer("alike", (0, 1, 2))
    with pytest.raises(InvalidAnswerError, match="is not a reply to"):
        model.answer(reply, (0, 1, 3))
    assert len(model.answers_) == 1


def test_input__questions_and_answers(blobs):
    X, _ = blobs
    model = OddOneOutClustering().start(X)
    with pytest.raises(InvalidAnswerError, match="no open question"):
        model.answer("alike")
    with pytest.raises(UnknownLeafError):
        model.answer("alike", (0, 1, 999))
    with pytest.raises(InvalidAnswerError):
        model.answer("alike", (0, 1, 1))
    with pytest.raises(LookupError, match="no answer to take back by 'ben'"):
        model.undo("ben")
    with pytest.raises(TypeError, match="read_answers"):
        OddOneOutClustering().start(X, answers="answers.jsonl")
    with pytest.raises(InvalidAnswerError, match="entry 0"):
        OddOneOutClustering().start(X, answers=[(0, 1, 2)])
    with pytest.raises(DuplicateLeafError):
        OddOneOutClustering().start(X, sample_names=["a"] * len(X))
    with pytest.raises(TypeError, match="oracle must be a function"):
        OddOneOutClustering().fit(X, oracle="me")
    with pytest.warns(UserWarning, match="nothing is asked without an oracle"):
        OddOneOutClustering().fit(X)
    words = OddOneOutClustering().start([[0.0], [1.0], [2.0]], sample_names=["alike", "b", "c"])
    with pytest.raises(InvalidAnswerError, match="is a reply and a sample"):
        words.answer("alike", ("alike", "b", "c"))
    assert words.answer(Answer(("alike", "b", "c"), "odd", "alike")).answers_[0].odd == "alike"


def test_input__an_oracle_that_fails_loses_no_answer(blobs):
    X, y = blobs
    said = []

    def tired(*shown):
        if len(said) == 5:
            raise KeyboardInterrupt
        said.append(person(y)(*shown))
        return said[-1]

    model = OddOneOutClustering(20)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit(X, oracle=tired)
    assert "5 answers so far: see answers_" in caught.value.__notes__[0]
    assert len(model.answers_) == 5
    assert model.labels_.shape == y.shape


@pytest.mark.parametrize("X", [[[1.0]], [[1.0], [2.0]], [[1.0]] * 5])
def test_input__too_few_samples_for_a_question(X):
    model = OddOneOutClustering().start(X)
    assert model.next_question() is None
    assert model.gain_ == 0
    assert model.labels_.shape == (len(X),)
    assert len(model.hierarchy_.leaves) == len(X)


def test_answer__of_somebody_closes_the_question_of_nobody(rng):
    model = OddOneOutClustering().start(rng.normal(size=(30, 2)))
    asked = model.next_question()
    model.answer("different", asked, who="anna")
    assert set(model.next_question()) != set(asked)


def test_gain__is_that_of_the_best_question_whoever_is_asked_it(rng):
    X = rng.normal(size=(40, 2)) + 6 * rng.integers(0, 2, (40, 2))
    said = [Answer((0, 1, 2), "different", who="anna"), Answer((3, 4, 5), "alike", who="ben")]

    def gain(*asked, read=False):
        model = OddOneOutClustering().start(X, answers=said)
        for who in asked:
            if read:
                assert model.gain_ > 0
            model.next_question(who)
        return model.gain_, {who: question.gain for who, question in model._open.items()}

    alone, _ = gain()
    one, shown = gain("anna")
    assert alone == one == shown["anna"] > 0
    for read in (False, True):
        several, shown = gain("anna", "ben", None, read=read)
        assert several == alone == max(shown.values())
        assert shown["anna"] > shown["ben"] > 0
    # taken back, the question has its former worth
    model = OddOneOutClustering().start(X, answers=said)
    model.answer("alike", model.next_question("anna"), who="anna")
    model.undo("anna")
    assert model.gain_ == alone


@pytest.mark.parametrize("questions", ["trios", "pairs"])
def test_fit__warns_where_nothing_is_known(questions):
    X = [[0.0], [0.2], [5.0], [5.3], [9.0]]
    with pytest.warns(UserWarning, match=r"replies, and none says anything; labels_ are those before the first answer"):
        OddOneOutClustering(questions=questions).fit(X, oracle=lambda *shown: None)
    with pytest.warns(UserWarning, match="0 replies, and none says anything"):
        OddOneOutClustering(0, questions=questions).fit(X, oracle=lambda *shown: "alike")
    with pytest.warns(UserWarning, match=r"nothing is asked without an oracle.*see ReCon"):
        OddOneOutClustering(0, questions=questions).fit(X)


def test_fit__says_how_the_oracle_is_called():
    X = [[0.0], [0.2], [5.0]]
    with pytest.raises(
        TypeError, match=r"expected oracle\(a, b, c\), a function of 3 samples .*this one takes \(trio\)"
    ):
        OddOneOutClustering().fit(X, oracle=lambda trio: None)
    with pytest.raises(TypeError, match=r"expected oracle\(a, b\), a function of 2 .*this one takes \(a, b, c\)"):
        OddOneOutClustering(questions="pairs").fit(X, oracle=lambda a, b, c: None)


def test_response_times_are_kept():
    model = OddOneOutClustering().start([[0.0], [1.0], [5.0]])
    model.answer(Answer((0, 1, 2), "odd", 2, "anna", "2026-01-01T10:00:00", 2.5)).answer("alike", (1, 0, 2))
    assert [x.seconds for x in model.answers_] == [2.5, None]
    assert model.undo("anna").seconds == 2.5


@pytest.mark.parametrize("target", ["groups", "hierarchy"])
def test_questions__many_people_at_once_all_get_one(rng, target):
    """Two people hold six of seven samples."""
    model = OddOneOutClustering(target=target).start(rng.normal(size=(7, 2)))
    asked = [model.next_question(f"p{k}") for k in range(6)]
    assert None not in asked
    assert len(set(map(frozenset, asked))) == 6
    assert not set(asked[0]) & set(asked[1])


@pytest.mark.parametrize("target", ["groups", "hierarchy"])
def test_samples_whose_distances_leave_float64_are_refused(rng, target):
    with pytest.raises(ValueError, match="too large for float64 arithmetic"):
        OddOneOutClustering(target=target).start(rng.normal(size=(30, 3)) * 1e200)


def test_trees__an_answer_about_two_bars_no_trio():
    told = [Answer(("a", "b"), "alike")]
    model = OddOneOutClustering().start(None, sample_names=list("abc"), answers=told)
    assert set(model.next_question()) == set("abc")


def test_trees__many_names_are_refused():
    with pytest.raises(
        LimitExceededError, match="2,001 names; without X at most 2,000 are taken: give features"
    ) as info:
        OddOneOutClustering().start(None, sample_names=range(2_001))
    assert (info.value.size, info.value.limit) == (2_001, 2_000)


def test_groups__many_small_classes_begin_with_groups_of_the_features():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 8)
    model = OddOneOutClustering(25).start(rng.normal(0, 3, (30, 10))[y] + rng.normal(size=(240, 10)))
    assert tt.pairwise_f_score(y, model.labels_) > 0.9
    model = OddOneOutClustering(25, target="groups").fit(model._samples, oracle=person(y))
    assert tt.pairwise_f_score(y, model.labels_) > 0.85


@pytest.mark.parametrize("apart", [0.0, 1e-6])
def test_by_tree__equal_rows_are_parted_if_answers_part_them(apart):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = yule(8, rng)
        X = rng.normal(size=(8, 3))
        X[1::2] = X[::2] + apart * rng.normal(size=(4, 3))
        model = OddOneOutClustering(400, target="hierarchy").fit(X, oracle=expert(truth))
        assert displays(model.hierarchy_, tt.decompose(truth)).all()
