"""Agreement between people, and where they differ: literal definitions, and crowds whose people are known."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from crowds import odd_of, random_hierarchy, simulate_crowd
from hypothesis import given, settings
from hypothesis import strategies as st

from tripletree.algorithms.consensus import aggregate_answers
from tripletree.core import Answer, AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import UnknownLeafError
from tripletree.evaluation import agreement, find_disagreements, find_disputed_questions


@st.composite
def answer(draw):
    items = tuple(draw(st.permutations("abcd"))[:3])
    kind = draw(st.sampled_from(["odd", "odd", "odd", "alike", "different", "unsure"]))
    who, seconds = draw(st.sampled_from(["anna", "ben", None])), draw(st.sampled_from([None, 0.1, 0.25, 2.0]))
    return Answer(items, kind, items[0] if kind == "odd" else None, who, seconds=seconds)


several = st.lists(answer(), min_size=1, max_size=25)
few = settings(max_examples=20, deadline=None)


def told(x):
    return x.odd if x.kind == "odd" else x.kind


@few
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
        assert found.n_quick[k] == sum(x.who == who and x.seconds is not None and x.seconds < 0.25 for x in given)
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


@pytest.mark.parametrize("n_answers", [2, 4])
def test_agreement__two_answers_are_never_a_verdict(n_answers):
    """Even if all of them are against a hierarchy that everybody else bears out."""
    true, answers = simulate_crowd(np.random.default_rng(0), 8, n_good=4, n_random=0, n_other=0, lapses=0.0)
    rows = np.array(list(combinations(range(8), 3)), np.int32)[:: 56 // n_answers][:n_answers]
    odd = (odd_of(true, rows) + 1) % 3
    said = [Answer(tuple(row), "odd", row[k], "zoe") for row, k in zip(rows.tolist(), odd.tolist(), strict=True)]
    found = agreement(AnswerSet([*answers, *said], answers.leaves))
    assert dict(zip(found.people, found.verdict, strict=True))["zoe"] == "unclear"
    assert found.verdict.count("agrees") == 4


def choosing_crowd(rng, n_people, n_careless):
    """People who choose by likeness of points, 40 to 120 answers each. The first ones do not look."""
    n, said = 24, []
    points = rng.normal(size=(n, 2)) * 1.5
    square = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    for k in range(n_people):
        rows = np.sort(np.argsort(rng.random((int(rng.integers(40, 120)), n)), axis=1)[:, :3], axis=1)
        a, b, c = rows.T
        strength = -np.stack([square[b, c], square[a, c], square[a, b]], axis=1) * (k >= n_careless)
        odd = (strength + rng.gumbel(size=strength.shape)).argmax(axis=1)
        who = f"{'careless' if k < n_careless else 'good'} {k}"
        said += [Answer(tuple(row), "odd", row[x], who) for row, x in zip(rows.tolist(), odd.tolist(), strict=True)]
    return said


@pytest.mark.slow
def test_agreement__careless_people_are_named_and_others_are_not():
    named, accused, good = 0, 0, 0
    for seed in range(3):
        found = agreement(AnswerSet(choosing_crowd(np.random.default_rng(seed), 60, 6)))
        for who, verdict in zip(found.people, found.verdict, strict=True):
            suspect = verdict in ("random", "careless", "other criterion")
            named += suspect and who.startswith("careless")
            accused += suspect and who.startswith("good")
            good += who.startswith("good")
    assert named >= 16  # of 18
    assert accused <= 0.01 * good + 1


@pytest.mark.slow
def test_agreement__who_sorts_by_colour_goes_by_another_criterion():
    verdicts = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        said = choosing_crowd(rng, 12, 1)
        colour = rng.integers(0, 4, 24)
        for row in np.argsort(rng.random((100, 24)), axis=1)[:, :3].tolist():
            same = [x for x in row if np.sum(colour[row] == colour[x]) == 2]
            (odd, *_) = [x for x in row if x not in same] if same and rng.random() > 0.05 else rng.permutation(row)
            said.append(Answer(tuple(row), "odd", int(odd), "eve"))
        found = agreement(AnswerSet(said))
        verdicts.append(dict(zip(found.people, found.verdict, strict=True))["eve"])
    assert verdicts.count("other criterion") >= 5


def test_agreement__weights_are_those_of_consensus():
    _, answers = simulate_crowd(np.random.default_rng(4), 9, n_answers=20)
    found = agreement(answers)
    weight = dict(zip(found.people, found.weights, strict=True))
    told, estimated = aggregate_answers(answers, weights=weight), aggregate_answers(answers)
    assert estimated.weights.tolist() == [weight[x] for x in estimated.people]
    assert told.weights.tolist() == estimated.weights.tolist()


def test_agreement__people_names_change_nothing():
    _, answers = simulate_crowd(np.random.default_rng(2), 9, n_answers=25)
    found, again = (
        agreement(answers),
        agreement(AnswerSet([replace(x, who=x.who[::-1]) for x in answers], answers.leaves)),
    )
    for name in ("verdict", "with_consensus", "with_own_hierarchy", "weights"):
        one, two = (dict(zip(x.people, getattr(x, name), strict=True)) for x in (found, again))
        assert all(two[who[::-1]] == value or value != value for who, value in one.items())


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
