"""Simulated crowds with odd-one-out answers: the questions and the whole hierarchy, recovered from their answers.

Of each crowd one person answers at random, one goes by another hierarchy, and the others lapse in 10 % of the answers
(a lapse is any of the three items). `consensus` is held against the majority of each question and the methods of
crowd-kit, all of which judge each question by itself; their hierarchy is made of their answers by the search that
`consensus` uses, so that only the weighing differs. "told" weighs those who know 1 and the two others 0. Wawa and
ZeroBasedSkill of crowd-kit 1.4.2 fail with scikit-learn 1.9; GLAD takes minutes a crowd: `--glad`.

`--choices`: crowds without a hierarchy to recover. A fifth of the answers is held out, and foretold by `consensus` at
its defaults, by the binary hierarchy of equal weights, and by the majority of the other answers to the same trio (a
third where there is none, or no odd one is shown). The people choose by likeness of things that are points in three
dimensions (the chance of a pair is a softmax of minus its squared distance), or know a hierarchy that grew by
splitting random leaves (Yule) and err; one in ten guesses.

`--development`: crowds on random binary hierarchies, on which the constants of `algorithms/consensus.py` were tried
(`--prior` changes one). Without it: crowds on the package's sample hierarchies, which had no part in that.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
import pandas as pd
from crowds import asked_of, foretold, odd_of, random_hierarchy, simulate_choices

import tripletree as tt
from tripletree.algorithms import consensus as module
from tripletree.core import AnswerSet
from tripletree.datasets import list_hierarchies, load_hierarchy

try:
    from crowdkit import aggregation
except ImportError:
    aggregation = None

#: Samples, people, answers of each, people who get each question.
SETTINGS = ((12, 6, 30, 2), (20, 8, 40, 1), (20, 8, 40, 3), (40, 10, 100, 1), (40, 10, 100, 3))
RIVALS = ("MajorityVote", "DawidSkene", "OneCoinDawidSkene", "MMSR")
LAPSES = 0.1
#: Kinds of choices, with their sharpness or share of errors; people, answers, people who get each question.
CHOICES = (("points", 0.3), ("points", 1.0), ("Yule", 0.1), ("Yule", 0.4))
CROWDS = ((10, 300, 1), (10, 1000, 1), (10, 1000, 5), (30, 3000, 5))
THINGS = 40
ALL = {"n_bootstraps": 0, "min_support": 0.0}


def hierarchies(rng, n, *, development):
    """The hierarchy that most people know, and the other one, over 0..n-1."""
    if development:
        return random_hierarchy(rng, n), random_hierarchy(rng, n)
    fit = [h for h in map(load_hierarchy, list_hierarchies()) if h.n_leaves >= n]
    whole = fit[int(rng.integers(len(fit)))]
    some = rng.permutation(len(whole.leaves))[:n].tolist()
    part = whole.restrict([whole.leaves[i] for i in some])
    return tt.Hierarchy(part.parent, range(n)), tt.Hierarchy(part.parent, rng.permutation(n).tolist()).reindex(range(n))


def crowd(rng, setting, *, development):
    """Questions that both hierarchies resolve, the answers to them, and the same as crowd-kit takes them."""
    n, people, each, overlap = setting
    true, other = hierarchies(rng, n, development=development)
    drawn = np.sort(np.argsort(rng.random((20 * people * each, n)), axis=1)[:, :3], axis=1).astype(np.int32)
    drawn = drawn[(odd_of(true, drawn) >= 0) & (odd_of(other, drawn) >= 0)][: -(-people * each // overlap)]
    asked = rng.permutation(np.resize(np.arange(len(drawn)), people * each)).reshape(people, each)
    answers, task, who = [], asked.ravel(), np.repeat(np.arange(people), each)
    for k in range(people):
        said = odd_of(other if k == 1 else true, drawn[asked[k]]).astype(np.int64)
        lapse = rng.random(each) < (1.0 if k == 0 else LAPSES)
        said[lapse] = rng.integers(0, 3, int(lapse.sum()))
        answers.append(said)
    replies = np.concatenate(answers)
    names = ["random", "other", *(f"good {k}" for k in range(2, people))]
    given = AnswerSet.from_columns(drawn[task], replies, n, who=[names[k] for k in who.tolist()])
    return true, drawn, given, pd.DataFrame({"task": task, "worker": who, "label": replies})


def scores(hierarchy, true, questions, replies=None):
    """The shares of questions with the true answer, and of the triplets of the true hierarchy displayed."""
    found = odd_of(hierarchy, questions) if replies is None else replies
    rows = np.array([x for x in np.ndindex(*3 * (hierarchy.n_leaves,)) if x[0] < x[1] < x[2]], np.int32)
    truth = odd_of(true, rows)
    resolved = truth >= 0
    same = odd_of(hierarchy, rows)[resolved] == truth[resolved]
    return float((found == odd_of(true, questions)).mean()), float(same.mean())


def by_question(questions, replies, n, seed):
    """The hierarchy of one answer to each question."""
    one = AnswerSet.from_columns(questions, replies, n)
    return tt.consensus(one, weights=None, random_state=seed, **ALL).hierarchy


def results(setting, seed, rivals, *, development):
    """For each method its two scores and its seconds, and the verdicts of `agreement`."""
    rng = np.random.default_rng([seed, int(development)])
    true, questions, answers, frame = crowd(rng, setting, development=development)
    found = {}
    told = {who: float(who.startswith("good")) for who in answers.people}
    for name, weights in (("consensus", "estimate"), ("equal weights", None), ("told", told)):
        start = time.perf_counter()
        hierarchy = tt.consensus(answers, weights=weights, random_state=seed, **ALL).hierarchy
        found[name] = (*scores(hierarchy, true, questions), time.perf_counter() - start)
    for name in rivals:
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            options = {"n_workers": setting[1], "n_labels": 3} if name == "MMSR" else {}
            options |= {"silent": True} if name == "GLAD" else {}
            try:
                labels = getattr(aggregation, name)(**options).fit_predict(frame)
            except Exception as error:  # a rival that cannot take these crowds is shown as such
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
        replies = labels.reindex(np.arange(len(questions))).to_numpy(np.int64)
        hierarchy = by_question(questions, replies, setting[0], seed)
        found[name] = (*scores(hierarchy, true, questions, replies), time.perf_counter() - start)
    start = time.perf_counter()
    verdicts = tt.agreement(answers, random_state=seed)
    found["agreement"] = time.perf_counter() - start
    return found, dict(zip(verdicts.people, verdicts.verdict, strict=True))


def yule(rng, n):
    """A binary hierarchy over 0..n-1 that grew by splitting leaves at random."""
    nested, leaves = [0], []
    leaves.append(nested)
    for k in range(1, n):
        leaf = leaves.pop(int(rng.integers(len(leaves))))
        leaf[:] = [leaf[:], [k]]
        leaves += leaf
    return tt.Hierarchy.from_nested(_unpacked(nested)).reindex(range(n))


def _unpacked(node):
    return node[0] if len(node) == 1 else tuple(map(_unpacked, node))


def erring(rng, n, *, n_people, n_answers, overlap, errors):
    """Answers of people who know a hierarchy: the items, the answers and who gave them."""
    rows, who = asked_of(rng, n, n_people, n_answers, overlap)
    share = np.clip(errors + 0.07 * rng.normal(size=n_people), 0, 2 / 3)
    share[rng.random(n_people) < 0.1] = 2 / 3
    wrong = rng.random(n_answers) < share[who]
    odd = odd_of(yule(rng, n), rows).astype(np.int64)
    return rows, np.where(wrong, (odd + rng.integers(1, 3, n_answers)) % 3, odd), who


def of_same_trio(rows, replies, held):
    """For each held-out answer the chance that the majority of the others to its trio foretells it."""
    votes = {}
    for row, reply in zip(rows[~held].tolist(), replies[~held].tolist(), strict=True):
        votes.setdefault(tuple(row), np.zeros(3))[reply] += 1
    found = [votes.get(tuple(row), np.zeros(3)) for row in rows[held].tolist()]
    return np.array([(x[k] == x.max()) / (x == x.max()).sum() for x, k in zip(found, replies[held], strict=True)])


def choices(kind, value, crowd_size, seed):
    """The shares of held-out answers foretold, of trios unresolved, and of people who weigh next to nothing."""
    people, n_answers, overlap = crowd_size
    rng = np.random.default_rng([seed, people, n_answers, overlap])
    size = {"n_people": people, "n_answers": n_answers, "overlap": overlap}
    if kind == "points":
        rows, replies, who = simulate_choices(rng, THINGS, sharpness=value, **size)
    else:
        rows, replies, who = erring(rng, THINGS, errors=value, **size)
    held = rng.random(n_answers) < 0.2
    given = AnswerSet.from_columns(rows[~held], replies[~held], THINGS, who=[str(k) for k in who[~held]])
    found = tt.consensus(given, n_bootstraps=0, random_state=seed)  # bootstraps change nothing but the support
    equal = tt.consensus(given, weights=None, random_state=seed, **ALL)
    foretelling = (foretold(x.hierarchy, rows[held], replies[held]).mean() for x in (found, equal))
    light = float((found.weights < found.weights.max() / 10).mean())
    return (*foretelling, of_same_trio(rows, replies, held).mean(), found.unresolved, light)


def print_choices(seeds):
    head = ("consensus", "equal weights", "same trio", "unresolved", "light people")
    print(f"{'kind':12}{'people':>7}{'answers':>8}{'a trio':>7}" + "".join(f"{x:>16}" for x in head))
    for kind, value in CHOICES:
        for size in CROWDS:
            columns = zip(*(choices(kind, value, size, seed) for seed in range(seeds)), strict=True)
            people, n_answers, overlap = size
            name = f"{kind} {value}"
            print(
                f"{name:12}{people:7}{n_answers:8}{overlap:7}" + "".join(f"{shown(x):>16}" for x in columns), flush=True
            )


def shown(values):
    """A mean and its standard error."""
    values = np.array(values)
    return f"{values.mean():.3f} +-{values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--development", action="store_true", help="the crowds on which constants were tried")
    parser.add_argument("--choices", action="store_true", help="foretell held-out answers")
    parser.add_argument("--prior", type=float, help="answers of the average person that count as known of each")
    parser.add_argument("--glad", action="store_true", help="run GLAD, too")
    parser.add_argument("--alone", action="store_true", help="without crowd-kit")
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    if options.prior is not None:
        module._PRIOR = options.prior
    if options.choices:
        print_choices(options.seeds)
        return
    if aggregation is None:
        print("crowd-kit is not installed: pip install crowd-kit", file=sys.stderr)
    rivals = [] if aggregation is None or options.alone else [*RIVALS, *(["GLAD"] if options.glad else [])]
    total = {}
    for setting in SETTINGS:
        n, people, each, overlap = setting
        runs = [results(setting, seed, rivals, development=options.development) for seed in range(options.seeds)]
        print(f"\n{n} samples, {people} people with {each} answers each, {overlap} to a question")
        print(f"  {'':18}{'questions':>15}{'all trios':>16}{'seconds':>9}")
        for name in [x for x in runs[0][0] if x != "agreement"]:
            questions, trios, seconds = zip(*(found[name] for found, _ in runs if name in found), strict=True)
            print(f"  {name:18}{shown(questions):>15}{shown(trios):>16}{np.mean(seconds):9.2f}")
            total.setdefault(name, []).extend(trios)
        verdicts = [x for _, x in runs]
        of_random, of_other = ([x[who] for x in verdicts] for who in ("random", "other"))
        of_good = [word for x in verdicts for who, word in x.items() if who.startswith("good")]
        good = {x: of_good.count(x) for x in dict.fromkeys(of_good)}
        print(f"  random person: {of_random.count('random')} of {len(runs)} found, rest {set(of_random) - {'random'}}")
        print(
            f"  other criterion: {of_other.count('other criterion')} of {len(runs)} found, "
            f"rest { {x: of_other.count(x) for x in set(of_other) - {'other criterion'}} }"
        )
        print(f"  the others: {good}; agreement took {np.mean([x['agreement'] for x, _ in runs]):.2f} s")
    print("\nall settings, all trios: " + ", ".join(f"{name} {shown(x)}" for name, x in total.items()))


if __name__ == "__main__":
    main()
