"""Who agrees with whom, and where they differ: literal definitions, and crowds whose people are known."""

from itertools import combinations

import numpy as np
import pytest
from crowds import random_hierarchy, simulate_crowd
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core import Answer, AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import UnknownLeafError
from tripletree.evaluation import find_disagreements, find_disputed_questions
from tripletree.evaluation.agreement import agreement


@st.composite
def answer(draw):
    items = tuple(draw(st.permutations("abcd"))[:3])
    kind = draw(st.sampled_from(["odd", "odd", "odd", "alike", "different", "unsure"]))
    return Answer(items, kind, items[0] if kind == "odd" else None, draw(st.sampled_from(["anna", "ben", None])))


several = st.lists(answer(), min_size=1, max_size=25)


def told(x):
    return x.odd if x.kind == "odd" else x.kind


@given(several)
def test_agreement__pairs_of_answers(given):
    found = agreement(AnswerSet(given))
    assert set(found.people) == {x.who for x in given}
    equal = total = 0
    for k, who in enumerate(found.people):
        counts = {True: [0, 0], False: [0, 0]}
        for x, y in combinations([x for x in given if x.kind != "unsure"], 2):
            if set(x.items) == set(y.items) and who in (x.who, y.who):
                counts[x.who == y.who][0] += told(x) == told(y)
                counts[x.who == y.who][1] += 1
        (same, repeats), (agree, pairs) = counts[True], counts[False]
        assert (found.n_repeated[k], found.n_shared[k]) == (repeats, pairs)
        assert found.with_itself[k] == pytest.approx(same / repeats if repeats else np.nan, nan_ok=True)
        assert found.with_others[k] == pytest.approx(agree / pairs if pairs else np.nan, nan_ok=True)
        assert found.n_answers[k] == sum(x.who == who for x in given)
        assert found.n_unsure[k] == sum(x.who == who and x.kind == "unsure" for x in given)
        equal, total = equal + agree, total + pairs
    kappa = (equal / total - 1 / 3) / (2 / 3) if total else np.nan
    assert found.kappa == pytest.approx(kappa, nan_ok=True)
    assert found.to_frame()["n_answers"].tolist() == found.n_answers.tolist()


@given(several)
def test_agreement__disputed_questions(given):
    found = {frozenset(x.items): x for x in find_disputed_questions(AnswerSet(given))}
    for trio in combinations("abcd", 3):
        said = [x for x in given if set(x.items) == set(trio) and x.kind != "unsure"]
        replies = {told(x) for x in said}
        assert (frozenset(trio) in found) == (len(replies) > 1)
        if len(replies) > 1:
            dispute = found[frozenset(trio)]
            assert dispute.items == trio
            assert {k: list(v) for k, v in dispute.answers.items()} == {
                r: [x for x in said if told(x) == r] for r in replies
            }
            counts = [len(x) for x in dispute.answers.values()]
            assert counts == sorted(counts, reverse=True)
            assert dispute.n_minority == len(said) - counts[0]
            wanted = {x.who for x in said for y in said if x.who == y.who and x.who and told(x) != told(y)}
            assert set(dispute.inconsistent_people) == wanted
    minorities = [x.n_minority for x in find_disputed_questions(AnswerSet(given))]
    assert minorities == sorted(minorities, reverse=True)


@given(several, st.integers(0, 100))
def test_agreement__disagreements_with_a_hierarchy(given, seed):
    h = random_hierarchy(np.random.default_rng(seed), 5)
    h = Hierarchy(h.parent, list("abcde"))
    wanted = {}
    for x in given:
        if x.kind == "odd":
            pairs = {z: h.common_ancestor([i for i in x.items if i != z]) for z in x.items}
            node = min(pairs.values())
            odd = next(z for z in x.items if pairs[z] == node)
            wanted.setdefault((x.who, node), []).append((odd != x.odd, x))
    found = find_disagreements(AnswerSet(given), h)
    assert {(x.who, x.node): (x.against, x.total, list(x.answers)) for x in found} == {
        key: (sum(w for w, _ in entries), len(entries), [x for w, x in entries if w])
        for key, entries in wanted.items()
        if any(w for w, _ in entries)
    }
    assert all(x.clade == h.clade(x.node) for x in found)
    excess = [2 * x.against - x.total for x in found]
    assert excess == sorted(excess, reverse=True)


def test_agreement__disagreements_need_a_hierarchy_of_all_samples():
    answers = AnswerSet([Answer((0, 1, 2), "odd", 2)])
    with pytest.raises(UnknownLeafError):
        find_disagreements(answers, Hierarchy.from_nested([[0, 1], 3]))
    assert find_disagreements(AnswerSet([Answer((0, 1, 2), "alike")]), Hierarchy.from_nested([0, 1])) == []


def test_agreement__random_people_and_other_criteria_are_told_apart():
    verdicts = {"good": [], "random": [], "other": []}
    for seed in range(6):
        _, answers = simulate_crowd(np.random.default_rng(seed), 15, n_good=5, n_answers=80)
        found = agreement(answers)
        for who, verdict in zip(found.people, found.verdict, strict=True):
            verdicts[who.split()[0]].append(verdict)
    assert verdicts["random"].count("random") >= 5
    assert verdicts["other"].count("other criterion") >= 5
    assert verdicts["good"].count("agrees") >= 29


def test_agreement__few_answers_are_no_ground_for_a_verdict():
    _, answers = simulate_crowd(np.random.default_rng(0), 15, n_answers=5)
    assert "random" not in agreement(answers).verdict
    assert "other criterion" not in agreement(answers).verdict


def test_agreement__one_person_alone():
    found = agreement(AnswerSet([Answer((0, 1, 2), "odd", 2, "anna"), Answer((0, 1, 2), "odd", 1, "anna")]))
    assert found.verdict == ("unclear",)
    assert found.with_itself.tolist() == [0.0]
    assert np.isnan(found.with_consensus[0])
    assert repr(found) == "<Agreement: 1 person, kappa nan>"


def test_agreement__no_answers():
    with pytest.raises(ValueError, match="there are no answers to compare"):
        agreement(AnswerSet([]))
    with pytest.raises(TypeError, match="expected an AnswerSet"):
        agreement([])
