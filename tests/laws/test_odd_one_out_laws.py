"""Laws of odd-one-out clustering, against literal definitions on small sets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripletree.cluster import OddOneOutClustering
from tripletree.cluster.odd_one_out.beliefs import NOVELTY, Beliefs, _cut_off
from tripletree.cluster.odd_one_out.neighbours import neighbour_graph
from tripletree.cluster.odd_one_out.walk import AbsorbingWalk
from tripletree.core.answers import ALIKE, DIFFERENT, UNSURE, Answer, AnswerSet

SAMPLES = 9


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(2)
    return np.concatenate([rng.normal(c, 1.0, (3, 2)) for c in ((0, 0), (4, 0), (2, 4))])


@st.composite
def answers(draw, most=8, words=("odd", "alike", "different", "unsure")):
    """Any answers, contradicting or not, about two or three of the samples."""
    out = []
    for _ in range(draw(st.integers(0, most))):
        items = tuple(draw(st.permutations(range(SAMPLES)))[: draw(st.integers(2, 3))])
        kind = draw(st.sampled_from([x for x in words if x != "odd" or len(items) == 3]))
        who = draw(st.sampled_from([None, "anna", "ben"]))
        out.append(Answer(items, kind, draw(st.sampled_from(items)) if kind == "odd" else None, who))
    return out


def holds(answer, group):
    """True if groups say what the answer does, by its words."""
    kinds = [group[x] for x in answer.items]
    if answer.kind == "odd":
        near = [group[x] for x in answer.items if x != answer.odd]
        return near[0] == near[1] != group[answer.odd]
    return len(set(kinds)) == (1 if answer.kind == "alike" else len(kinds))


def believed(X, said, noise):
    graph = neighbour_graph(X, 4, np.random.default_rng(0))
    beliefs = Beliefs(AbsorbingWalk(graph), graph.node, noise)
    code = {"alike": ALIKE, "different": DIFFERENT, "unsure": UNSURE}
    for x in said:
        row = [*x.items, -1][:3]
        beliefs.add(np.array(row), x.items.index(x.odd) if x.kind == "odd" else code[x.kind])
    return beliefs


def score(beliefs, said, group):
    """The logarithm of the chance of the answers times that of the groups, written out."""
    total = 0.0
    for x in said:
        ways = 4 if len(x.items) == 3 else 1
        total += np.log(ways * (1 - beliefs.noise) / beliefs.noise) * holds(x, group)
    green, tie = beliefs.walk.green, beliefs.walk.tie
    for x in group:
        others = [y for y in group if y != x]
        block = green[np.ix_(others, others)] + tie * np.eye(len(others))
        hit = np.maximum(np.linalg.solve(block, green[others, x]), 0) if others else np.empty(0)
        dead = max(1 - hit.sum(), 0)
        k = len(set(group.values()))
        chance = dict.fromkeys(set(group.values()), (1 - NOVELTY) * dead / k)
        for y, h in zip(others, hit, strict=True):
            chance[group[y]] += h
        new = beliefs.lift * NOVELTY * max(dead, 1e-3)
        mine = new if list(group.values()).count(group[x]) == 1 else chance[group[x]]
        total += np.log(mine / (sum(chance.values()) + new))
    return total


@settings(max_examples=40, deadline=None)
@given(said=answers(words=("odd", "alike", "different")))
def test_beliefs__score_is_the_literal_one(X, said):
    beliefs = believed(X, said, 0.1)
    group = dict(zip(beliefs.items.tolist(), beliefs.group.tolist(), strict=True))
    assert beliefs.satisfied(beliefs.group).tolist() == [holds(x, group) for x in said]
    if said:
        assert beliefs.score(beliefs.group) == pytest.approx(score(beliefs, said, group), abs=0.01)


@settings(max_examples=40, deadline=None)
@given(said=answers(words=("odd", "alike", "different")))
def test_beliefs__conditionals_are_differences_of_the_literal_chance(X, said):
    beliefs = believed(X, said, 0.1)
    odds = beliefs.conditionals()
    for place, x in enumerate(beliefs.items.tolist()):
        told = []
        for g in range(beliefs.n_groups + 1):
            group = beliefs.group.copy()
            group[place] = g
            named = dict(zip(beliefs.items.tolist(), group.tolist(), strict=True))
            told.append(sum(beliefs.weights[i] for i, y in enumerate(said) if x in y.items and holds(y, named)))
        walks = beliefs.prior(beliefs.at.without_itself @ np.eye(beliefs.n_groups)[beliefs.group])[place]
        np.testing.assert_allclose(odds[place], np.log(walks) + told, atol=1e-6)


def closure(said, items):
    """All ways to group some samples for which every answer holds."""
    for code in itertools.product(range(len(items)), repeat=len(items)):
        if all(c <= max(code[:i], default=-1) + 1 for i, c in enumerate(code)):
            group = dict(zip(items, code, strict=True))
            if all(holds(x, group) for x in said):
                yield group


@settings(max_examples=60, deadline=None)
@given(said=answers(most=4, words=("odd", "alike", "different")))
def test_beliefs__answers_that_can_all_hold_do_so_where_none_is_wrong(X, said):
    beliefs = believed(X, said, 0.0)
    items = beliefs.items.tolist()
    if len(items) > 5:
        return
    possible = next(closure(said, items), None)
    holding = beliefs.satisfied(beliefs.group)
    if possible is None:
        assert not holding.all()
    else:
        assert holding.all()


@settings(max_examples=15, deadline=None)
@given(said=answers(), gone=st.lists(st.sampled_from([None, "anna", "ben"]), max_size=4))
def test_undo__is_as_if_never_said(X, said, gone):
    model = OddOneOutClustering(n_neighbors=4).start(X, answers=said)
    left = list(said)
    for who in gone:
        at = [i for i, x in enumerate(left) if x.who == who]
        if at:
            assert model.undo(who) == left.pop(at[-1])
    fresh = OddOneOutClustering(n_neighbors=4).start(X, answers=left)
    assert model.answers_ == AnswerSet(left, len(X)) == fresh.answers_
    assert model.labels_.tolist() == fresh.labels_.tolist()
    np.testing.assert_allclose(model.uncertainty_, fresh.uncertainty_, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(said=answers())
def test_questions__are_of_different_samples_and_not_of_those_that_cannot_be_told(X, said):
    model = OddOneOutClustering(n_neighbors=4).start(X, answers=said)
    question = model.next_question()
    if question is not None:
        assert len(set(question)) == 3
        assert model.gain_ > 0
        unsure = [set(x.items) for x in said if x.kind == "unsure"]
        assert set(question) not in unsure


@settings(max_examples=100, deadline=None)
@given(groups=st.lists(st.lists(st.integers(0, 7), min_size=2, max_size=3, unique=True), max_size=9))
def test_cut_off__is_what_falls_apart_without_an_answer(groups):
    n = 8
    joined = [[] for _ in range(n + len(groups))]
    for v, items in enumerate(groups, n):
        for x in items:
            joined[v].append(x)
            joined[x].append(v)

    def parts(without):
        label = list(range(n))
        for v, items in enumerate(groups, n):
            if v != without:
                for a, b in itertools.pairwise(items):
                    label = [label[a] if x == label[b] else x for x in label]
        return {frozenset(x for x in range(n) if label[x] == c) for c in set(label)}

    found = [frozenset(x.tolist()) for x in _cut_off(joined, n)]
    whole = parts(None)
    expected = []
    for v in range(n, n + len(groups)):
        loose = parts(v) - whole
        for part in whole:  # all but the part with the first sample of the former whole
            expected += [x for x in loose if x < part and min(part) not in x]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
