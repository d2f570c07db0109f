"""The hierarchy of a crowd, the weights of its people and the support of its clades, against literal definitions."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from crowds import odd_of, predicted, random_hierarchy, simulate_choices, simulate_crowd
from hypothesis import given, settings
from hypothesis import strategies as st

from tripletree.algorithms.consensus import aggregate_answers, collect_answers, held_out
from tripletree.algorithms.induce import sample_triplets
from tripletree.core import Answer, AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import TimeLimitError
from tripletree.evaluation.scores import triplet_score
from tripletree.interrupts import time_limit

BINARY = {"min_support": 0.0}

#: Contraction of most is meant here, and disagreement.
MUCH = pytest.mark.filterwarnings("ignore:the hierarchy (shows no odd one|displays)")


def all_answers(hierarchy, people):
    n = hierarchy.n_leaves
    rows = np.array(list(combinations(range(n), 3)), np.int32)
    odd = odd_of(hierarchy, rows)
    return AnswerSet.from_columns(
        np.tile(rows, (len(people), 1)), np.tile(odd, len(people)), n, who=np.repeat(people, len(rows)).tolist()
    )


def clades(hierarchy):
    return {frozenset(hierarchy.clade(u)) for u in range(hierarchy.n_leaves, hierarchy.n_nodes)}


@settings(max_examples=8, deadline=None)
@given(st.integers(3, 9), st.integers(0, 2**32 - 1))
def test_consensus__people_who_all_know_the_hierarchy_give_it(n, seed):
    true = random_hierarchy(np.random.default_rng(seed), n)
    found = aggregate_answers(all_answers(true, ["anna", "ben", "cleo", "dan"]))
    assert found.hierarchy == true
    assert found.displayed == 1.0
    assert (found.agreeing[:-1] == 1.0).all()
    assert (found.support[:-1] > 0.8).all()
    assert np.isnan([found.agreeing[-1], found.support[-1]]).all()


@settings(max_examples=8, deadline=None)
@given(st.integers(5, 9), st.integers(0, 2**32 - 1))
def test_consensus__of_one_person_is_their_own_tree(n, seed):
    true = random_hierarchy(np.random.default_rng(seed), n)
    found = aggregate_answers(all_answers(true, ["anna"]))
    assert found.hierarchy == true
    assert found.weights.tolist() == [1.0]


@MUCH
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 0.6, None]))
def test_consensus__shares_are_those_of_the_definitions(seed, least):
    rng = np.random.default_rng(seed)
    _, answers = simulate_crowd(rng, 8, n_good=2, n_answers=12, overlap=2)
    weights = {who: float(w) for who, w in zip(answers.people, rng.random(4), strict=True)}
    found = aggregate_answers(answers, weights=weights, min_support=least)
    h = found.hierarchy
    agree, total, shown, weight = np.zeros(h.n_nodes), np.zeros(h.n_nodes), 0.0, 0.0
    for x in answers:
        w = weights[x.who]
        pairs = {z: h.common_ancestor([i for i in x.items if i != z]) for z in x.items}
        node, top = min(pairs.values()), max(pairs.values())
        weight += w
        if node < top:
            odd = next(z for z in x.items if pairs[z] == node)
            shown += w * (odd == x.odd)
            if h.parent[node] == top:
                agree[node] += w * (odd == x.odd)
                total[node] += w
    assert found.displayed == pytest.approx(shown / weight)
    with np.errstate(invalid="ignore"):
        assert found.agreeing[:-1] == pytest.approx((agree / total)[8:-1], nan_ok=True)
    assert (found.support[:-1] > (least or 0.0)).all() or not least
    rows = np.array(list(combinations(range(8), 3)), np.int32)
    assert found.unresolved == pytest.approx((odd_of(h, rows) < 0).mean())
    if least == 0.0:
        assert h.is_binary
    assert clades(h) <= clades(aggregate_answers(answers, weights=weights, **BINARY).hierarchy)


@MUCH
def test_consensus__clades_without_support_are_contracted():
    _, answers = simulate_crowd(np.random.default_rng(3), 10, n_answers=30)
    whole = aggregate_answers(answers, min_support=0.0, random_state=5)
    parts = aggregate_answers(answers, min_support=0.7, random_state=5)
    inner = [frozenset(whole.hierarchy.clade(u)) for u in range(10, whole.hierarchy.n_nodes)]
    kept = {x for x, s in zip(inner[:-1], whole.support[:-1], strict=True) if s > 0.7}
    assert clades(parts.hierarchy) - {frozenset(range(10))} == kept
    assert 0 < len(kept) < len(inner) - 1
    assert (parts.support[:-1] > 0.7).all()
    assert list(parts.named().names) == [*(f"{100 * x:.0f}" for x in parts.support[:-1]), None]


@MUCH
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_consensus__by_default_what_answers_lean_to_is_resolved(seed):
    """A clade stays if more answers bear it out than either exchange of one of its two children for the sibling."""
    rng = np.random.default_rng(seed)
    _, crowd = simulate_crowd(rng, 7, n_answers=int(rng.integers(2, 8)), overlap=2)
    answers = AnswerSet(list(crowd))  # without samples that nobody names
    whole = aggregate_answers(answers, weights=None, **BINARY).hierarchy
    wanted = {frozenset(whole.leaves)}
    for u in range(whole.n_leaves, whole.n_nodes - 1):
        one, two = (set(whole.clade(v)) for v in np.flatnonzero(whole.parent == u))
        (other,) = (set(whole.clade(v)) for v in np.flatnonzero(whole.parent == whole.parent[u]) if v != u)
        votes = [0, 0, 0]
        for x in answers:
            parts = [next((k for k, part in enumerate((other, one, two)) if i in part), None) for i in x.items]
            if sorted(parts, key=str) == [0, 1, 2]:
                votes[parts[x.items.index(x.odd)]] += 1
        if votes[0] > max(votes[1:]):
            wanted.add(frozenset(one | two))
    found = clades(aggregate_answers(answers, weights=None).hierarchy)
    assert wanted <= found <= clades(whole)  # others stay if the trees lean to them


def thin(rng, n, m, wrong=0.0):
    """Answers of ten people to m random trios of n samples. A share of them is wrong."""
    true = random_hierarchy(rng, n)
    rows = np.unique(np.sort(np.array([rng.choice(n, 3, replace=False) for _ in range(m)]), axis=1), axis=0)
    odd = odd_of(true, rows.astype(np.int32)).astype(np.int64)
    odd = np.where(rng.random(len(rows)) < wrong, (odd + 1) % 3, odd)
    return AnswerSet.from_columns(rows, odd, n, who=[f"p{k % 10}" for k in range(len(rows))])


@MUCH
@settings(max_examples=15, deadline=None)
@given(st.integers(3, 40), st.sampled_from([0.3, 0.67, 2.0, 5.0]), st.integers(0, 2**32 - 1))
def test_consensus__answers_that_can_all_hold_do(n, share, seed):
    """Also the contracted hierarchy displays them, with few answers about many things and with many about few."""
    answers = thin(np.random.default_rng(seed), n, max(round(share * n), 1))
    assert aggregate_answers(answers).displayed == 1.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the hierarchy shows no odd one")
def test_consensus__two_answers_for_three_of_1300_things():
    """It displayed .37 of them."""
    answers = thin(np.random.default_rng(0), 1300, 867)
    assert aggregate_answers(answers).displayed == 1.0


@MUCH
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_consensus__displays_nearly_what_the_best_of_all_trees_does(seed):
    """All binary trees of five leaves, as clades in bits."""
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(5, 3, replace=False) for _ in range(int(rng.integers(3, 12)))])
    replies = rng.integers(0, 3, len(rows))
    answers = AnswerSet.from_columns(rows, replies, 5, who=[f"p{k % 3}" for k in range(len(rows))])
    found = aggregate_answers(answers, weights=None, **BINARY)

    def trees(mask):
        if mask & (mask - 1) == 0:
            yield frozenset([mask])
            return
        part = rest = mask & (mask - 1)
        while part:  # the side without the lowest leaf
            for one in trees(part):
                for other in trees(mask & ~part):
                    yield one | other | {mask}
            part = (part - 1) & rest

    def shown(clades):
        said = [(sum(1 << int(i) for i in x), 1 << int(x[o])) for x, o in zip(rows, replies, strict=True)]
        pairs = [(trio & ~odd, odd) for trio, odd in said]
        return sum(any(c & pair == pair and not c & odd for c in clades) for pair, odd in pairs)

    best = max(shown(x) for x in trees(31)) / len(rows)
    assert best * 0.75 <= found.displayed <= best
    if best == 1.0:
        assert found.displayed == 1.0


def test_consensus__tells_that_little_is_displayed():
    """Answers whose odd one was drawn anew: no tree displays much of them, though each can be had."""
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(8, 3, replace=False) for _ in range(300)])
    answers = AnswerSet.from_columns(rows, rng.integers(0, 3, 300), 8, who=[f"p{k % 10}" for k in range(300)])
    with pytest.warns(UserWarning, match=r"displays \d\d% of the answers, and 33% are displayed by chance"):
        found = aggregate_answers(answers, **BINARY)
    assert found.displayed < 0.5


@MUCH
def test_consensus__nothing_is_made_of_a_tie():
    said = [Answer((0, 1, 2), "odd", 2), Answer((0, 1, 2), "odd", 0)]
    assert clades(aggregate_answers(AnswerSet(said)).hierarchy) == {frozenset({0, 1, 2})}


def test_consensus__trees_lean_to_what_no_answer_decides():
    """Answers say which of {0, 1}, {2, 3} and 4 are far apart, so 0 and 1 are nearer than 0 and 4."""
    told = [((0, 2, 1), 2), ((0, 3, 1), 3), ((2, 0, 3), 0), ((2, 1, 3), 1), ((0, 2, 4), 4), ((1, 3, 4), 4)]
    said = [Answer(x, "odd", odd) for x, odd in told] * 3
    assert aggregate_answers(AnswerSet(said)).hierarchy == Hierarchy.from_nested([[[0, 1], [2, 3]], 4])


@pytest.mark.slow
@pytest.mark.parametrize("overlap", [1, 5])
def test_consensus__of_choices_by_likeness_predicts_what_equal_weights_do(overlap):
    """It was a star, 92 to 100 % of trios unresolved. With one answer to a question, half of the people weighed 0."""
    gain, shares, zero = [], [], 0
    for seed in range(6):
        rows, replies, who = simulate_choices(np.random.default_rng(seed), 40, n_answers=1000, overlap=overlap)
        out = np.random.default_rng(seed).random(1000) < 0.2
        answers = AnswerSet.from_columns(rows[~out], replies[~out], 40, who=[f"p{k}" for k in who[~out]])
        found, plain = aggregate_answers(answers), aggregate_answers(answers, weights=None, **BINARY)
        share, equal = (predicted(x.hierarchy, rows[out], replies[out]).mean() for x in (found, plain))
        assert found.unresolved < 0.25
        zero += int((found.weights < 0.1 * found.weights.max()).sum())
        shares.append(share)
        gain.append(share - equal)
    assert np.mean(shares) > 0.5
    assert np.mean(gain) > -0.02
    assert zero <= 6  # one in ten guesses


def test_consensus__people_weigh_the_same_where_others_cannot_bear_them_out():
    rows, replies, who = simulate_choices(np.random.default_rng(0), 30, n_answers=200, sharpness=0.0)
    found = aggregate_answers(AnswerSet.from_columns(rows, replies, 30, who=[f"p{k}" for k in who]))
    assert found.weights.min() > 0.5 * found.weights.max()


def test_consensus__tells_and_warns_how_much_is_contracted():
    rows, replies, who = simulate_choices(np.random.default_rng(0), 12, n_answers=60)
    answers = AnswerSet.from_columns(rows, replies, 12, who=[f"p{k}" for k in who])
    with pytest.warns(UserWarning, match=r"no odd one for \d+% of all trios.*min_support=None keeps"):
        star = aggregate_answers(answers, min_support=0.99)
    assert star.unresolved > 0.5 > aggregate_answers(answers).unresolved
    tie = AnswerSet([Answer((0, 1, 2), "odd", 2), Answer((0, 1, 2), "odd", 0)])
    with pytest.warns(UserWarning, match="for 100% of all trios.*answers lean to no others"):
        assert aggregate_answers(tie).unresolved == 1.0


@MUCH
def test_consensus__a_person_is_not_held_against_trees_of_their_own():
    """People who all answer at random are predicted by chance, though a hierarchy of all answers displays more."""
    held, own = [], []
    for seed in range(12):
        _, answers = simulate_crowd(np.random.default_rng(seed), 8, n_good=0, n_random=4, n_other=0, n_answers=20)
        chances = held_out(collect_answers(answers), np.random.default_rng(0)).chances
        held.append(np.log(3 * chances[:, 0]).mean())
        own.append(aggregate_answers(answers, weights=None, **BINARY).displayed)
    assert np.mean(held) < 0.02
    assert np.mean(own) > 0.45


def test_consensus__chances_of_a_vote_do_not_depend_on_the_votes_of_its_voter():
    _, answers = simulate_crowd(np.random.default_rng(1), 8, n_answers=20)
    votes = collect_answers(answers)
    for v in range(len(votes.names)):
        mine = votes.voter == v
        other = replace(votes, odd=np.where(mine, (votes.odd + 1) % 3, votes.odd))
        one, two = (held_out(x, np.random.default_rng(0), n_rounds=1).chances[mine] for x in (votes, other))
        assert np.array_equal(one[:, [1, 2, 0]], two)


def test_consensus__people_names_and_the_order_of_answers_change_nothing():
    _, answers = simulate_crowd(np.random.default_rng(2), 9, n_answers=25)
    found = aggregate_answers(answers)
    renamed = [replace(x, who=x.who[::-1]) for x in answers]
    shuffled = [renamed[k] for k in np.random.default_rng(0).permutation(len(renamed))]
    again = aggregate_answers(AnswerSet(shuffled, answers.leaves))
    assert again.hierarchy == found.hierarchy
    assert np.array_equal(again.support, found.support, equal_nan=True)
    weight = dict(zip(again.people, again.weights, strict=True))
    assert {who: weight[who[::-1]] for who in found.people} == dict(zip(found.people, found.weights, strict=True))


def test_consensus__answers_that_repeat_weigh_as_much_as_a_weight():
    said = [Answer((0, 1, 2), "odd", 2, "anna"), Answer((1, 2, 3), "odd", 1, "ben")]
    twice = aggregate_answers(AnswerSet([*said, said[0]]), weights=None, **BINARY)
    heavy = aggregate_answers(AnswerSet(said), weights={"anna": 2.0}, **BINARY)
    assert np.array_equal(twice.support, heavy.support, equal_nan=True)
    with pytest.warns(UserWarning, match="weights are given for people who named no odd one: ann, bo"):
        aggregate_answers(AnswerSet(said), weights={"anna": 2.0, "ann": 1.0, "bo": 1.0}, **BINARY)


def test_consensus__hears_a_limit_of_time():
    _, answers = simulate_crowd(np.random.default_rng(0), 30, n_answers=400)
    with pytest.raises(TimeLimitError), time_limit(0.5):
        aggregate_answers(answers)


@pytest.mark.slow
def test_consensus__random_people_and_other_criteria_weigh_little_and_the_hierarchy_gains():
    gains = []
    for seed in range(12):
        true, answers = simulate_crowd(
            np.random.default_rng(seed), 12, n_good=3, n_random=2, n_other=1, n_answers=40, overlap=2
        )
        asked = sample_triplets(true, 220, random_state=0)
        found = aggregate_answers(answers, random_state=seed, **BINARY)
        plain = aggregate_answers(answers, weights=None, random_state=seed, **BINARY)
        assert plain.weights.tolist() == [1.0] * 6
        weight = dict(zip(found.people, found.weights, strict=True))
        good = [w for who, w in weight.items() if who.startswith("good")]
        assert min(good) > max(w for who, w in weight.items() if not who.startswith("good"))
        gains.append(triplet_score(found.hierarchy, asked) - triplet_score(plain.hierarchy, asked))
    assert np.mean(gains) > 0.02
    assert np.min(gains) > -0.05


def test_consensus__samples_that_no_answer_names_hang_from_the_root():
    said = [Answer((4, 1, 2), "odd", 2), Answer((1, 2, 5), "unsure"), Answer((5, 1), "alike")]
    found = aggregate_answers(AnswerSet(said, 7))
    assert found.hierarchy == Hierarchy.from_nested([0, [[1, 4], 2], 3, 5, 6]) or found.hierarchy == (
        Hierarchy.from_nested([0, [1, 4], 2, 3, 5, 6])
    )
    assert found.people == (None,)
    assert len(found.support) == found.hierarchy.n_nodes - 7


def test_consensus__equal_answers_give_equal_results():
    _, answers = simulate_crowd(np.random.default_rng(0), 9)
    first, second = (aggregate_answers(answers) for _ in range(2))
    assert first.hierarchy == second.hierarchy
    assert np.array_equal(first.support, second.support, equal_nan=True)
    other = aggregate_answers(answers, random_state=np.random.default_rng(7))
    assert not np.array_equal(first.support, other.support, equal_nan=True) or first.hierarchy != other.hierarchy


def test_consensus__progress_is_shown(capsys):
    _, answers = simulate_crowd(np.random.default_rng(0), 6, n_answers=10)
    aggregate_answers(answers, verbose=True)
    assert "consensus" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": {"good 0": -1.0}}, "weights must be finite numbers of at least 0"),
        ({"weights": dict.fromkeys(["good 0", "good 1", "good 2", "good 3", "random 4", "other 5"], 0)}, "not 0"),
        ({"weights": "equal"}, "weights must be 'estimate', a mapping"),
        ({"min_support": 1.5}, "min_support is 1.5"),
    ],
)  # fmt: skip
def test_consensus__options_refused(options, message):
    _, answers = simulate_crowd(np.random.default_rng(0), 6, n_answers=10)
    with pytest.raises(ValueError, match=message):
        aggregate_answers(answers, **options)


def test_consensus__answers_refused():
    with pytest.raises(ValueError, match="1 answer, and none names an odd one"):
        aggregate_answers(AnswerSet([Answer((1, 2, 3), "unsure")]))
    with pytest.raises(TypeError, match="expected an AnswerSet"):
        aggregate_answers([Answer((1, 2, 3), "odd", 1)])
