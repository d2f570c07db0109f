"""``tripletree ask --pilot``: simulated people answer to the design of a study, and a report tells what it can show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.algorithms.consensus import aggregate_answers
from tripletree.algorithms.induce import count_triplets, displays, induce, sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.evaluation.known import check_known
from tripletree.evaluation.people import agreement

if TYPE_CHECKING:
    from tripletree.ask.session import Session

#: Simulated people: the share of wrong answers of those who look, the share of people who do not, seconds of an answer.
WRONG, CARELESS, SECONDS = 0.1, 0.1, 4.0
#: After these shares of the questions the report looks at the answers.
LOOKS = (0.25, 0.5, 0.75, 1.0)
#: Trios by which two trees are compared: all of few things, so many of more.
MOST_TRIOS = 20_000


def true_tree(labels: Sequence[Any], values: np.ndarray | None, seed: int) -> Hierarchy:
    """The tree that simulated people know: that of the numbers (by Ward), or one drawn at random."""
    if values is not None and len(np.unique(values, axis=0)) > 1:
        from scipy.cluster.hierarchy import linkage

        return from_linkage(linkage(values, "ward"), labels)
    rng = np.random.default_rng(seed)
    nodes: list[Any] = list(range(len(labels)))
    size, merges = [1] * len(labels), []
    for k in range(len(labels) - 1):
        i, j = sorted(rng.choice(len(nodes), 2, replace=False).tolist())
        merges.append((nodes[i], nodes[j], float(k + 1), size[nodes[i]] + size[nodes[j]]))
        size.append(size[nodes[i]] + size[nodes[j]])
        nodes.pop(j)
        nodes[i] = len(labels) + k
    return from_linkage(np.array(merges), labels)


def simulate(session: Session, truth: Hierarchy, n_people: int, seed: int) -> Iterator[list[Answer]]:
    """Let simulated people answer all questions of a study, one each in a round. Gives the answers of each round."""
    study, model, rng = session.study, session.model, np.random.default_rng([seed, 1])
    people = names_of(n_people)
    careless = set(careless_of(people))
    catch = {frozenset(x): x[2] for x in study.design.catch or ()}
    for _ in range(study.n_questions):
        shown: dict[str, tuple[Any, ...]] = {}
        for who in people:
            ask_model = None if model is None else partial(model.next_question, who=who)
            question = study.next_question(who, list(shown.values()), ask_model)
            if question is not None:
                shown[who] = question
        given = []
        for (who, items), triplet in zip(shown.items(), induce(truth, shown.values()), strict=True):
            odd = catch.get(frozenset(items), None if triplet is None else triplet[2])
            if odd is None or who in careless or rng.random() < WRONG:
                others = [x for x in items if x != odd or who in careless]
                odd = others[int(rng.integers(len(others)))]
            seconds = round(float(SECONDS * np.exp(rng.normal(0, 0.4))), 2)
            given.append(Answer(items, "odd", odd, who, seconds=seconds))
        for x in given:
            study.add(x)
        if model is not None and given:
            model.hear(given)
        yield given


def names_of(n_people: int) -> list[str]:
    """The names of simulated people."""
    return [f"simulated {k:0{len(str(n_people))}}" for k in range(1, n_people + 1)]


def careless_of(people: Sequence[str]) -> list[str]:
    """The people who answer without looking: the last tenth."""
    return list(people[len(people) - round(CARELESS * len(people)) :])


def pilot(session: Session, values: np.ndarray | None, n_people: int, seed: int) -> tuple[AnswerSet, str]:
    """Simulate a study. Return its answers, and the report."""
    labels, study = session.cards.names, session.study
    truth = true_tree(labels, values, seed)
    wanted = {max(round(x * study.n_questions), 1) for x in LOOKS}
    rows: list[tuple[str, ...]] = [("questions", "answers", "trios right", "clades", "of them right", "support")]
    for number, _ in enumerate(simulate(session, truth, n_people, seed), 1):
        if number in wanted:
            rows.append(_look(session.answers, truth, number, seed))
    answers = session.answers
    kind = "the tree of the numbers" if values is not None else "a random tree"
    people = counted(n_people, "simulated person", "simulated people")
    careless = len(careless_of(names_of(n_people)))
    parts = [
        f"Pilot: {people}, {study.n_questions} questions each, about {counted(len(labels), 'thing')}. They know "
        f"{kind}, and {WRONG:.0%} of their answers are wrong; {careless} of them answer at random.",
        "After so many questions each, the consensus of the answers:\n" + _aligned(rows),
        _spread(answers, len(labels)),
        _found(answers, session, n_people, seed),
    ]
    minutes = counted(max(round(study.n_questions * SECONDS / 60), 1), "minute")
    parts.append(f"At {SECONDS:.0f} seconds an answer, a person needs some {minutes}, breaks not counted.")
    return answers, "\n\n".join(parts)


def _look(answers: AnswerSet, truth: Hierarchy, number: int, seed: int) -> tuple[str, ...]:
    """What the consensus of the answers so far says about the true tree."""
    found = aggregate_answers(answers, random_state=seed)
    known = truth.restrict(list(found.hierarchy.leaves))
    size = min(count_triplets(known), MOST_TRIOS)
    right = displays(found.hierarchy, sample_triplets(known, size, random_state=seed))
    h = found.hierarchy
    clades = {frozenset(known.clade(u)) for u in range(known.n_leaves, known.n_nodes)}
    shown = [u for u in range(h.n_leaves, h.n_nodes) if u != h.root]
    good = sum(frozenset(h.clade(u)) in clades for u in shown)
    support = np.nanmean(found.support[[u - h.n_leaves for u in shown]]) if shown else np.nan
    sure = "-" if np.isnan(support) else f"{support:.0%}"
    return (f"{number}", f"{len(answers):,}", f"{np.mean(right):.0%}", f"{len(shown)}", f"{good}", sure)


def _spread(answers: AnswerSet, n: int) -> str:
    """How often each thing, each trio and each place came."""
    asked = Counter(frozenset(x.items) for x in answers)
    shown = Counter(item for x in answers for item in x.items)
    each = sorted([*shown.values(), *[0] * (n - len(shown))])
    odd = Counter(x.items.index(x.odd) for x in answers)
    places = ", ".join(
        f"{word} {odd[k] / max(len(answers), 1):.0%}" for k, word in enumerate(("left", "middle", "right"))
    )
    several = sum(k > 1 for k in asked.values())
    return (
        f"{counted(len(asked), 'trio')} asked, of {n * (n - 1) * (n - 2) // 6:,} there are; {several:,} of them more "
        f"than once. Each thing was shown {each[0]:,} to {each[-1]:,} times. The odd one was {places} of the time."
    )


def _found(answers: AnswerSet, session: Session, n_people: int, seed: int) -> str:
    """Who would be named for answering at random."""
    found = agreement(answers, random_state=seed)
    named = {who for who, word in zip(found.people, found.verdict, strict=True) if word in ("random", "careless")}
    if session.study.design.catch is not None:
        known = check_known(answers, session.study.design.catch)
        named |= {who for who, misses in zip(known.people, known.careless, strict=True) if misses}
    bad = set(careless_of(names_of(n_people)))
    if not bad:
        return f"Nobody answers at random (it takes five people or more); {len(named)} would be named for it."
    return (
        f"Of {counted(len(bad), 'person', 'people')} who answer at random, {len(named & bad)} would be named; of the "
        f"{n_people - len(bad)} others, {len(named - bad)}."
    )


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    width = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  " + "  ".join(x.rjust(w) for x, w in zip(row, width, strict=True)) for row in rows)
